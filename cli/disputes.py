"""`pitledger disputes`: what is disputed, what was ruled, what is due by when, and what is overdue."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import click

from cli.filters import filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, listing_options, print_rows
from cli.play import clock
from cli.table_of_rows import Column, count, derived, money
from projections import disputes as disputed
from projections.telling import ruling_of


def due(row: Mapping[str, Any]) -> str:
    """By when the next thing is to be done."""
    return f"{clock(row['due_by'])}{' OVERDUE' if row['overdue'] else ''}"


DISPUTES = [
    Column("dispute", "Dispute"),
    Column("table", "Table"),
    Column("gaming_day", "Gaming day"),
    count("roll", "Roll"),
    Column("player", "Player"),
    money("amount", "Claim"),
    Column("status", "Status"),
    derived("Ruling", ruling_of),
    money("gives", "Gives"),
    money("paid", "Paid"),
    derived("Due by", due),
]
DISPUTE_FIELDS = (
    "dispute table gaming_day roll wager player claim amount status due_by overdue ruling gives ruled_by "
    "ruled_role ruled_at rulings paid approved_by settled_at notified_at complain_by evidence camera "
    "video_since video_until opened_at opened_by opened_role policy rule_by settle_by closed_at outcome "
    "keep_video_until position"
).split()


@click.command()
@click.option("--open", "only_open", is_flag=True, help="Only those that are not closed.")
@filters("table", "player")
@listing_options
@click.pass_obj
def disputes(house: House, /, output: Output | None, only_open: bool, **named: Any) -> None:
    """Show the disputes, what was ruled, what was paid, and what is due by when.

    \b
    Example:
        pitledger disputes --open
        pitledger disputes --table CR08 --json
    """
    with house.books() as conn:
        rows = disputed.rows(conn, datetime.now(UTC), **named, only_open=only_open)
        print_rows(or_unknown(conn, rows, **named), DISPUTES, DISPUTE_FIELDS, output, currency_of(conn))
