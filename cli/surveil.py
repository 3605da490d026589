"""`pitledger surveil`: who wins more than luck explains, who bets as the dice go out, who is paid wrongly."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple, TypeVar

import click
from psycopg import Connection

from cli.filters import DAY, filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, listing_options, print_rows
from cli.play import bet, clock
from cli.table_of_rows import Column, count, derived, money
from domain.money import dollars
from projections import surveillance as watch
from projections.rows import Row
from projections.surveillance import Asked

_Command = TypeVar("_Command", bound=Callable[..., Any])
SHOWN = 20  # pairs, where nobody said how many


class _Shown(NamedTuple):
    """What is shown of rows: columns for people, fields for programs."""

    columns: list[Column]
    fields: list[str]


def _bet(row: Mapping[str, Any]) -> str:
    """What was bet, where it is known: a bet that was refused has no number."""
    return bet(row) if row["kind"] else ""


PAIRS = _Shown(
    [
        Column("dealer", "Dealer"),
        Column("player", "Player"),
        Column("family", "Wagers", lambda family: family.replace("_", " ")),
        count("decided", "Decided"),
        money("staked", "At risk", total=False),
        money("net", "Net", total=False),
        money("expected", "Expected", total=False),
        money("sd", "Sd", total=False),
        Column("z", "z", lambda z: "" if z is None else dollars(z), right=True),
        Column("flagged", "Flag", lambda flagged: "LOOK" if flagged else ""),
        count("late_refused", "Refused late"),
    ],
    "dealer player family decided staked net expected expected_exact sd z flagged late_refused".split(),
)
LATE = _Shown(
    [
        Column("table", "Table"),
        Column("gaming_day", "Gaming day"),
        count("roll", "Roll"),
        Column("shooter", "Shooter"),
        Column("player", "Player"),
        Column("wager", "Wager"),
        derived("Bet", _bet),
        Column("how", "How"),
        Column("dealer", "Dealer"),
        count("seconds", "Before, s"),
        money("amount", "Amount", total=False),
        Column("outcome", "On that roll"),
        money("net", "Net", total=False),
    ],
    (
        "table gaming_day roll shooter player wager kind number combo high how amount dealer role at "
        "dice_out_at called_at seconds outcome net position command"
    ).split(),
)
BY_SHOOTER = _Shown(
    [
        Column("shooter", "Shooter"),
        Column("player", "Player"),
        count("bets", "Bets", total=True),
        money("amount", "Amount"),
        count("decided", "Decided", total=True),
        money("net", "Net"),
        count("refused", "Refused", total=True),
    ],
    "shooter player bets amount decided net refused".split(),
)
MISPAYS = _Shown(
    [
        Column("table", "Table"),
        Column("gaming_day", "Gaming day"),
        count("roll", "Roll"),
        Column("player", "Player"),
        Column("wager", "Wager"),
        derived("Bet", _bet),
        money("owed", "Owed", total=False),
        money("paid", "Paid", total=False),
        money("difference", "Difference"),
        Column("dealer", "Dealer"),
        Column("boxman", "Box"),
        Column("put_right", "Note", lambda put_right: "put right" if put_right else ""),
        Column("by", "Said by"),
        Column("at", "At", clock),
    ],
    (
        "table gaming_day roll player wager kind number owed paid difference dealer boxman by role at "
        "position command put_right"
    ).split(),
)
BY_DEALER = _Shown(
    [
        Column("dealer", "Dealer"),
        count("count", "Mispays", total=True),
        money("over", "Over"),
        money("under", "Under"),
        money("put_right", "Put right"),
        money("net", "Net"),
    ],
    "dealer count over under put_right net".split(),
)


def _of_days(command: _Command) -> _Command:
    """Gives a question the gaming days, table and patron it is about."""
    command = filters("table", "player")(command)
    for name, help_ in (
        ("--until", "Up to this gaming day."),
        ("--since", "From this gaming day on."),
        ("--day", "Only this gaming day; without any, the last one played."),
    ):
        command = click.option(name, type=DAY, help=help_)(command)
    return command


_summary = click.option("--summary", is_flag=True, help="Only the sums.")


@click.group()
def surveil() -> None:
    """Look for what surveillance looks for, over one gaming day or many.

    Whoever is flagged has done nothing yet: it says where to look at the video.

    \b
    Example:
        pitledger surveil pairs --since 2026-11-01 --until 2026-11-30
    """


@surveil.command()
@_of_days
@click.option(
    "--sigma", type=click.IntRange(1), default=6, show_default=True, help="Flag what is more sigma off."
)
@click.option("--flagged", is_flag=True, help="Only what is flagged.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many rows.")
@listing_options
@click.pass_obj
def pairs(
    house: House, /, output: Output | None, sigma: int, flagged: bool, limit: int | None, **named: Any
) -> None:
    """Show what patrons won on the wagers that each dealer entered for them, against what luck explains.

    z = (net - expected) / sd. The expectation is the house's edge on each wager, the variance that of each
    wager by its mechanism in the rule pack, both exact; furthest off first. The case behind it: hop bets
    spoken after the result and paid by the dealer (Nevada, 2012 to 2014). Settlements that an overrule
    reversed do not count. Beside it, bets refused because the dice were out.

    \b
    Example:
        pitledger surveil pairs --day 2026-11-28
        pitledger surveil pairs --since 2026-11-01 --flagged --csv
    """
    with house.books() as conn:
        found = watch.pairs(conn, _asked(conn, **named), sigma)
        look = [row for row in found if row["flagged"]]
        rows = look if flagged else found
        shown = rows[: limit or (None if output else max(SHOWN, len(look)))]
        print_rows(or_unknown(conn, shown, **named), *PAIRS, output, currency_of(conn))
    if output is None:
        click.echo(f"\nBeyond {sigma} sigma: {len(look) or 'none'} of {len(found):,} rows.")
        if len(rows) > len(shown):
            click.secho(f"The first {len(shown)} of {len(rows):,} rows; --limit shows more.", dim=True)


@surveil.command()
@_of_days
@click.option("--seconds", type=click.IntRange(0), default=10, show_default=True, help="How close is late.")
@_summary
@listing_options
@click.pass_obj
def late(house: House, /, output: Output | None, seconds: int, summary: bool, **named: Any) -> None:
    """Show the bets made, raised or refused as the dice went out, what they won, and who had the dice.

    Wagers are made before the dice are thrown (Prairie Meadows, Making and Removal of Wagers 1). The case
    behind it: last-second bets that kept the crew busy while the dice were slid, two bettors and one slider
    (Ohio, 2015); the sums by shooter and bettor show who plays together. The seconds are those until the dice
    were out or, where nobody said so, until the call. Net is what the whole wager won or lost on that very
    roll, empty where the roll did not decide it.

    \b
    Example:
        pitledger surveil late --day 2026-11-28 --seconds 5
        pitledger surveil late --since 2026-11-01 --summary --csv
    """
    with house.books() as conn:
        found = or_unknown(conn, watch.late(conn, _asked(conn, **named), seconds), **named)
        _print(conn, found, LATE, watch.ByShooter(), BY_SHOOTER, output, summary)


@surveil.command()
@_of_days
@_summary
@listing_options
@click.pass_obj
def mispays(house: House, /, output: Output | None, summary: bool, **named: Any) -> None:
    """Show the payments that were not what was owed, who paid, who sat box; and the sums by dealer.

    What was owed is the rule pack's, by the paragraph in `pitledger settlements`. The case behind it: a
    dealer overpaid or left losing bets up, twenty to thirty times in seven months (New Jersey). A payment
    that brings a wager nearer to what it was owed puts it right, and is no mispay of its own.

    \b
    Example:
        pitledger surveil mispays --day 2026-11-28
        pitledger surveil mispays --since 2026-05-01 --summary --json
    """
    with house.books() as conn:
        found = or_unknown(conn, watch.mispays(conn, _asked(conn, **named)), **named)
        _print(conn, found, MISPAYS, watch.ByDealer(), BY_DEALER, output, summary)


def _asked(
    conn: Connection[Any],
    day: date | None,
    since: date | None,
    until: date | None,
    table: str | None,
    player: str | None,
) -> Asked:
    """Raises click's UsageError where the days contradict each other."""
    if day and (since or until):
        raise click.UsageError(
            "--day is one gaming day, --since and --until are several: say one or the other"
        )
    if since and until and since > until:
        raise click.UsageError(f"--since {since} is after --until {until}: turn them round")
    if not (day or since or until):
        day = watch.last_day(conn, table)
    return Asked(day or since, day or until, table, player)


def _print(
    conn: Connection[Any],
    rows: Iterable[Row],
    listing: _Shown,
    sums: watch.ByShooter | watch.ByDealer,
    of_sums: _Shown,
    output: Output | None,
    summary: bool,
) -> None:
    """A list that may be long, gone through once, and its sums: programs get the one or the other."""
    currency, added = currency_of(conn), _added(rows, sums)
    if summary:
        deque(added, maxlen=0)
    else:
        print_rows(added, *listing, output, currency)
    if summary or (output is None and sums.rows()):
        click.echo(nl=not summary)
        print_rows(sums.rows(), *of_sums, output, currency)


def _added(rows: Iterable[Row], sums: watch.ByShooter | watch.ByDealer) -> Iterator[Row]:
    for row in rows:
        sums.add(row)
        yield row
