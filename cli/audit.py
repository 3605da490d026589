"""`pitledger audit`: every event, who did it, when and by which command."""

from collections.abc import Mapping
from typing import Any

import click

from cli.filters import between, filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, listing_options, print_rows
from cli.play import clock, faces
from cli.table_of_rows import Column, count, derived, money
from projections import audit as trail


def said(row: Mapping[str, Any]) -> str:
    """What an event says beside its columns, as far as a line has room for it.

    >>> said({"data": {"reason": "BELOW_MIN", "message": "5.00 is the least", "do": "bet"}})
    'BELOW_MIN 5.00 is the least'
    """
    data = row["data"]
    words = (data.get(name) for name in ("kind", "tender", "outcome", "reason", "message"))
    return " ".join([*filter(None, words), faces(data.get("dice"))]).strip()


AUDIT = [
    count("position", "Position"),
    Column("occurred_at", "At", clock),
    Column("event", "Event"),
    Column("table", "Table"),
    count("roll", "Roll"),
    Column("player", "Player"),
    Column("wager", "Wager"),
    money("amount", "Amount", total=False),
    Column("badge", "Badge"),
    Column("role", "Role"),
    Column("command", "Command"),
    derived("What", said),
    Column("section", "Section"),
]
AUDIT_FIELDS = (
    "position stream version event occurred_at recorded_at badge role command table gaming_day roll player "
    "wager amount section data"
).split()


@click.command()
@filters("table", "day", "roll", "player", "wager", "event", "badge", "command", "since", "until", "limit")
@listing_options
@click.pass_obj
def audit(
    house: House,
    /,
    output: Output | None,
    since: int | None,
    until: int | None,
    limit: int | None,
    **named: Any,
) -> None:
    """Show every event, in ledger order: who, when, by which command, under which paragraph.

    \b
    Example:
        pitledger audit --event CommandRefused
        pitledger audit --jsonl --since 10000
    """
    with house.books() as conn:
        found = or_unknown(conn, trail.rows(conn, **named), **named)
        print_rows(between(found, since, until, limit), AUDIT, AUDIT_FIELDS, output, currency_of(conn))
