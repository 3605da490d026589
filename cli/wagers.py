"""`pitledger wagers`: the life of each wager, and which roll decided it."""

import re
from typing import Any

import click

from cli.filters import filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, listing_options, print_rows
from cli.replay import time_of
from cli.table_of_rows import Column, count, derived, money
from projections import wagers as lives
from projections.rows import Row
from projections.telling import faces, spoken_bet

SHOWN = 20  # wagers, where nobody said how many
_KIND_AND_NUMBER = re.compile(r"(hard|place|buy|lay|come|dont_come|put_come|put_pass|odds)[ _-]?(\d{1,2})")

WAGERS = [
    Column("table", "Table"),
    Column("gaming_day", "Gaming day"),
    Column("wager", "Wager"),
    Column("player", "Player"),
    derived("Bet", lambda row: spoken_bet(row["kind"], row["number"], row["combo"], row["high"])),
    money("amount", "Amount", total=False),
    Column("placed_at", "Placed", time_of),
    Column("status", "Status", lambda status: status.replace("_", " ")),
    count("roll", "Roll"),
    Column("dice", "Dice", faces),
    Column("decided_at", "At", time_of),
    money("paid", "Paid", total=False),
    money("net", "Net", total=False),
]
WAGER_FIELDS = (
    "table gaming_day wager player kind number combo high base amount placed_at placed_by position status "
    "roll dice call decided_at decided_by decided_role odds owed paid commission net credit section story "
    "life owed_in_full aggregate_limit aggregate_owed limit_section disputes"
).split()


@click.command()
@filters("player", "kind")
@click.option("--number", type=click.IntRange(2, 12), metavar="N", help="Only wagers on this number.")
@filters("table", "day", "wager")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the last so many wagers.")
@listing_options
@click.pass_obj
def wagers(
    house: House,
    /,
    output: Output | None,
    kind: str | None,
    number: int | None,
    limit: int | None,
    **named: Any,
) -> None:
    """Show the life of each wager: placed, pressed, moved, On or off, decided by which roll, when, how.

    \b
    Example:
        pitledger wagers --player Hal --kind hard6 --limit 1
        pitledger wagers --table CR08 --wager w1298
    """
    kind, number = _kind_and_number(kind, number)
    asked = lives.filtered(kind=kind, number=number, **named)
    with house.books() as conn:
        last = limit or (None if output else SHOWN)
        found = or_unknown(conn, lives.rows(conn, asked, last), **named)
        if output is not None:
            print_rows(found, WAGERS, WAGER_FIELDS, output, currency_of(conn))
            return
        rows = list(found)
        there = lives.count(conn, asked)
        print_rows(rows, WAGERS, WAGER_FIELDS, None, currency_of(conn))
    for row in rows:
        _print_life(row)
    if there > len(rows):
        click.secho(f"\nThe last {len(rows)} of {there:,} wagers; --limit shows more.", dim=True)


def _kind_and_number(kind: str | None, number: int | None) -> tuple[str | None, int | None]:
    """What the pit calls it, taken apart: a hard6 is a hard wager on 6.

    >>> _kind_and_number("hard6", None), _kind_and_number("craps_2", None)
    (('hard', 6), ('craps_2', None))
    """
    if number is None and kind is not None and (found := _KIND_AND_NUMBER.fullmatch(kind)):
        return found[1], int(found[2])
    return kind, number


def _print_life(row: Row) -> None:
    bet = spoken_bet(row["kind"], row["number"], row["combo"], row["high"])
    head = f"{row['player']}'s {bet} ({row['wager']}) at {row['table']} on {row['gaming_day']}: "
    click.echo(f"\n{click.style(head, bold=True)}{row['story']}")
    for entry in row["life"]:
        actor = f"{entry['by']} {entry['role'].replace('_', ' ')}"
        click.echo(f"  {time_of(entry['at'])}  {actor:<20}  {entry['text']}")
    for dispute in row["disputes"]:
        click.echo(f"  {dispute['dispute']}: {dispute['text']}")
