"""Every wager decided, one row a settlement, and which of them an overruled roll took back."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple

from psycopg import Connection

from domain import events as e
from ledger.log import LogRow
from projections.projection import Edition, Fact, Projection
from projections.rows import Row, columns_of, copy, pages

_SETTLEMENT = {
    "position": "bigint PRIMARY KEY",
    "stream": "text NOT NULL",
    "version": "bigint NOT NULL",
    "table_name": "text NOT NULL",
    "gaming_day": "date NOT NULL",
    "roll": "integer NOT NULL",
    "wager": "text NOT NULL",
    "player": "text NOT NULL",
    "kind": "text NOT NULL",
    "number": "integer",
    "combo": "integer[]",
    "high": "integer",
    "base": "text",
    "stake": "bigint NOT NULL",
    "outcome": "text NOT NULL",
    "odds": "text",
    "owed": "bigint NOT NULL",
    "owed_exact": "text",  # where it is no whole number of cents
    "paid": "bigint NOT NULL",
    "breakage": "bigint NOT NULL",
    "breakage_exact": "text",  # where it is no whole number of cents
    "commission": "bigint NOT NULL",
    "commission_earned": "bigint NOT NULL",
    "net": "bigint NOT NULL",
    "credit": "bigint NOT NULL",
    "section": "text NOT NULL",
    "command": "text NOT NULL",
    "occurred_at": "timestamptz NOT NULL",
    "badge": "text NOT NULL",
    "role": "text NOT NULL",
}
_REVERSAL = {"stream": "text", "version": "bigint", "reversed_by": "bigint NOT NULL"}


class Folded(NamedTuple):
    """Rows to append: settlements by their columns, and reversals as (stream, version, reversed by)."""

    settled: list[tuple[object, ...]]
    reversals: list[tuple[str, int, int]]


def fold(facts: Iterable[Fact]) -> Folded:
    """The settlements and reversals among `facts`."""
    folded = Folded([], [])
    for _, _, row, event, _ in facts:
        if type(event) is e.WagerSettled:
            folded.settled.append(_settlement(row, event))
        elif type(event) is e.SettlementReversed:
            folded.reversals.append((row.stream, event.of, row.position))
    return folded


def _settlement(row: LogRow, event: e.WagerSettled) -> tuple[object, ...]:
    owed, owed_exact = _whole_and_exact(event.owed)
    breakage, breakage_exact = _whole_and_exact(event.breakage)
    return (
        row.position,
        row.stream,
        row.version,
        row.table,
        row.gaming_day,
        event.roll,
        event.wager,
        event.player,
        event.kind,
        event.number,
        None if event.combo is None else list(event.combo),
        event.high,
        event.base,
        event.stake,
        event.outcome,
        event.odds,
        owed,
        owed_exact,
        event.paid,
        breakage,
        breakage_exact,
        event.commission,
        event.commission_earned,
        event.net,
        event.credit,
        event.section,
        row.command,
        row.occurred_at,
        row.badge,
        row.role,
    )


def _whole_and_exact(amount: str) -> tuple[int, str | None]:
    """An exact amount as whole cents, rounded down, and its text where that is not the whole story.

    >>> _whole_and_exact("1400"), _whole_and_exact("3500/3")
    ((1400, None), (1166, '3500/3'))
    """
    return (floor(Fraction(amount)), amount) if "/" in amount else (int(amount), None)


def write(conn: Connection[Any], facts: Sequence[Fact], new: Edition) -> None:
    """Append the settlements and reversals among `facts`."""
    settled, reversals = fold(facts)
    if settled:
        copy(conn, f"settlements{new}", _SETTLEMENT, settled)
    if reversals:
        copy(conn, f"reversals{new}", _REVERSAL, reversals)


PROJECTION = Projection(
    name="settlements",
    version=1,
    tables={
        "settlements": columns_of(_SETTLEMENT),
        "reversals": columns_of(_REVERSAL) + ", PRIMARY KEY (stream, version)",
    },
    indexes=(("settlements", "player, position"), ("settlements", "table_name, gaming_day, position")),
    write=write,
)

_ROWS = """
    SELECT position, table_name AS "table", gaming_day, roll, wager, player, kind, number, stake, outcome,
        odds, owed, paid, breakage, commission, net, credit, section, reversed_by, command,
        occurred_at AS at, badge AS by, role, combo, high, base, commission_earned,
        coalesce(owed_exact, owed::text) AS owed_exact,
        coalesce(breakage_exact, breakage::text) AS breakage_exact
    FROM pitledger.settlements LEFT JOIN pitledger.reversals USING (stream, version)
    WHERE {where} AND {page}"""


def rows(
    conn: Connection[Any],
    *,
    table: str | None = None,
    day: date | None = None,
    roll: int | None = None,
    player: str | None = None,
    wager: str | None = None,
    kind: str | None = None,
    since: int | None = None,
    until: int | None = None,
) -> Iterator[Row]:
    """Settlements in ledger order; cents, `owed` and `breakage` rounded down (exact in `..._exact`)."""
    filters = {
        "table_name": table,
        "gaming_day": day,
        "roll": roll,
        "player": player,
        "wager": wager,
        "kind": kind,
    }
    for row in pages(conn, _ROWS, filters, since, until):
        row["gaming_day"] = row["gaming_day"].isoformat()
        row["owed"] = int(row["owed"])
        row["at"] = row["at"].isoformat()
        yield row
