"""`pitledger settlements`, `rolls`, `tables` and `layout`: what happened on the layout."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import click

from cli.filters import DAY, between, filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, document_option, listing_options, print_document, print_rows
from cli.table_of_rows import Column, count, derived, money, print_table
from domain.money import dollars
from ledger.errors import LedgerError
from projections import layout as lay
from projections import rolls as numbered_rolls
from projections import settlements as settled
from projections import tables as table_days


def faces(dice: list[int] | None) -> str:
    """Dice as the stickman calls them.

    >>> faces([3, 4]), faces(None)
    ('3-4', '')
    """
    return "-".join(map(str, dice or ()))


def puck(point: int | None) -> str:
    """Where the puck is."""
    return "off" if point is None else f"on {point}"


def clock(moment: str | None) -> str:
    """A moment on the property's clock, to the second."""
    return "" if moment is None else moment[:19].replace("T", " ")


def bet(row: Mapping[str, Any]) -> str:
    """A wager as a dealer would say it.

    >>> bet({"kind": "place", "number": 6}), bet({"kind": "hop", "combo": [2, 3]})
    ('place 6', 'hop 2-3')
    """
    which = row.get("number") or row.get("high") or faces(row.get("combo"))
    return f"{row['kind'].replace('_', ' ')} {which}".rstrip()


def call(row: Mapping[str, Any]) -> str:
    """What was called, where it was not just a roll."""
    said = "void" if row["void"] else row["no_roll"] and f"no roll: {row['no_roll'].replace('_', ' ')}"
    return " ".join(filter(None, [said, "overruled" if row["overruled"] else None]))


def paragraphs(row: Mapping[str, Any]) -> str:
    """Why a wager was decided so, and why it was owed no more than a share."""
    if row["aggregate_limit"] is None:
        return str(row["section"])
    limit = f"aggregate limit of {dollars(row['aggregate_limit'])}"
    return f"{row['section']}; {limit}, {row['limit_section']}"


SETTLEMENTS = [
    count("position", "Position"),
    Column("table", "Table"),
    count("roll", "Roll"),
    Column("player", "Player"),
    Column("wager", "Wager"),
    derived("Bet", bet),
    money("stake", "Stake"),
    Column("outcome", "Outcome"),
    Column("odds", "Odds", lambda odds: (odds or "").replace("/", " to ")),
    money("paid", "Paid"),
    money("commission", "Commission"),
    money("net", "Net"),
    count("reversed_by", "Reversed by"),
    derived("Section", paragraphs),
]
ROLLS = [
    Column("table", "Table"),
    Column("gaming_day", "Gaming day"),
    count("roll", "Roll"),
    Column("dice", "Dice", faces),
    count("total", "Total"),
    derived("Call", call),
    Column("shooter", "Shooter"),
    Column("puck_after", "Puck", puck),
    count("decided", "Decided"),
    money("house_net", "House net"),
    Column("at", "At", clock),
]
TABLES = [
    Column("table", "Table"),
    Column("gaming_day", "Gaming day"),
    Column("status", "Status"),
    Column("rules", "Rules"),
    Column("players", "Players", lambda players: str(len(players)), right=True),
    Column("puck", "Puck", puck),
    Column("shooter", "Shooter"),
    count("roll", "Roll"),
    Column("dice", "Dice", faces),
    money("min", "Min", total=False),
    money("max", "Max", total=False),
]
WAGERS = [
    Column("player", "Player"),
    Column("wager", "Wager"),
    derived("Bet", bet),
    money("amount", "Amount"),
    Column("working", "Working", lambda working: "yes" if working else "off"),
]
RAILS = [Column("player", "Player"), money("rail", "Rail")]

SETTLEMENT_FIELDS = (
    "position table gaming_day roll wager player kind number stake outcome odds owed paid breakage "
    "commission net credit section reversed_by command at by role combo high base "
    "commission_earned owed_exact breakage_exact owed_in_full owed_in_full_exact aggregate_limit "
    "aggregate_owed aggregate_owed_exact limit_section"
).split()
ROLL_FIELDS = (
    "table gaming_day roll dice total no_roll void overruled come_out puck_before puck_after shooter decided "
    "house_net at by role command position calls"
).split()
TABLE_FIELDS = (
    "table gaming_day status rules players puck shooter roll dice min max opened_at closed_at rules_version "
    "pit shift aggregate_limit"
).split()


@click.command()
@filters("table", "day", "roll", "player", "wager", "kind", "since", "until", "limit")
@listing_options
@click.pass_obj
def settlements(
    house: House,
    /,
    output: Output | None,
    kind: str | None,
    since: int | None,
    until: int | None,
    limit: int | None,
    **named: Any,
) -> None:
    """Show every wager decided, in ledger order, with odds, payment and paragraph.

    \b
    Example:
        pitledger settlements --table CR08 --roll 12
        pitledger settlements --player Bea --csv
    """
    with house.books() as conn:
        found = or_unknown(conn, settled.rows(conn, **named), **named)
        of_kind = (row for row in found if kind in (None, row["kind"]))
        print_rows(
            between(of_kind, since, until, limit), SETTLEMENTS, SETTLEMENT_FIELDS, output, currency_of(conn)
        )


@click.command()
@filters("table", "day", "roll")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the last so many rolls.")
@listing_options
@click.pass_obj
def rolls(house: House, /, output: Output | None, limit: int | None, **named: Any) -> None:
    """Show the rolls as they were called, and what each did to the house.

    \b
    Example:
        pitledger rolls --table CR08 --limit 10
    """
    with house.books() as conn:
        found = or_unknown(conn, numbered_rolls.rows(conn, **named, last=limit), **named)
        print_rows(found, ROLLS, ROLL_FIELDS, output, currency_of(conn))


@click.command()
@filters("table", "day")
@listing_options
@click.pass_obj
def tables(house: House, /, output: Output | None, **named: Any) -> None:
    """Show every table and gaming day: open or closed, rules, players, puck, last roll.

    \b
    Example:
        pitledger tables
    """
    with house.books() as conn:
        found = or_unknown(conn, table_days.rows(conn, **named), **named)
        print_rows(found, TABLES, TABLE_FIELDS, output, currency_of(conn))


@click.command()
@click.argument("table")
@click.option("--day", type=DAY, help="A gaming day; without it, the table's last one.")
@click.option(
    "--at-roll", type=click.IntRange(1), metavar="N", help="As it lay just before roll N was thrown."
)
@document_option
@click.pass_obj
def layout(house: House, table: str, day: date | None, at_roll: int | None, as_json: bool) -> None:
    """Show puck, shooter, rails and wagers of TABLE, now or just before a roll.

    \b
    Example:
        pitledger layout CR08 --at-roll 120
    """
    with house.books() as conn:
        currency = currency_of(conn)
        found = lay.at(conn, table, day, at_roll)
        if found is None:
            list(or_unknown(conn, [], table=table, day=day, roll=at_roll))
            raise LedgerError(
                f"{table} was not open{f' on {day}' if day else ''}: `pitledger tables` lists them"
            )
    print_document(found) if as_json else _print_layout(found, currency)


def _print_layout(found: Mapping[str, Any], currency: str) -> None:
    shooter = f"{found['shooter']} has the dice" if found["shooter"] else "no shooter named"
    where = f"{found['table']} on {found['gaming_day']}, roll {found['roll']}"
    click.echo(f"{where}: puck {puck(found['puck'])}, {shooter}\n")
    print_table(found["wagers"], WAGERS, currency)
    click.echo()
    print_table([{"player": name, "rail": cents} for name, cents in found["rails"].items()], RAILS, currency)
