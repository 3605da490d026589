"""Every wager decided, one row a settlement, and which of them an overruled roll took back."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from psycopg import Connection

from projections.projection import Projection
from projections.rows import Row, columns_of, pages

_SETTLEMENT = {
    "position": "bigint NOT NULL",
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
    "owed_in_full": "bigint",  # before the table's aggregate limit was shared
    "owed_in_full_exact": "text",  # where it is no whole number of cents
    "aggregate_limit": "bigint",
    "aggregate_owed": "bigint",
    "aggregate_owed_exact": "text",  # where it is no whole number of cents
    "limit_section": "text",
}
_REVERSAL = {"stream": "text", "version": "bigint", "reversed_by": "bigint NOT NULL"}


def _exact(amount: str) -> str:
    """SQL for an exact amount (never negative) as whole cents, rounded down, and as text where not whole."""
    numerator, denominator = (f"split_part({amount}, '/', {part})::numeric" for part in (1, 2))
    return f"""
        CASE WHEN {amount} LIKE '%%/%%' THEN div({numerator}, {denominator}) ELSE {amount}::numeric END,
        CASE WHEN {amount} LIKE '%%/%%' THEN {amount} END"""


_RETOLD = (
    f"""
    INSERT INTO pitledger.settlements{{new}} ({", ".join(_SETTLEMENT)})
    SELECT position, stream, version, table_name, gaming_day, roll::integer, wager, player, kind,
        number::integer, translate(combo, '[]', '{{}}')::integer[], high::integer, base, stake::bigint,
        outcome, odds, {_exact("owed")}, paid::bigint, {_exact("breakage")}, commission::bigint,
        commission_earned::bigint, net::bigint, credit::bigint, section, command, occurred_at, badge, role,
        {_exact("owed_in_full")}, aggregate_limit::bigint, {_exact("aggregate_owed")}, limit_section
    FROM facts WHERE event = 'WagerSettled'""",
    f"""
    INSERT INTO pitledger.reversals{{new}} ({", ".join(_REVERSAL)})
    SELECT stream, "of"::bigint, position FROM facts WHERE event = 'SettlementReversed'""",
)


PROJECTION = Projection(
    name="settlements",
    version=3,
    tables={
        "settlements": columns_of(_SETTLEMENT),
        "reversals": columns_of(_REVERSAL) + ", PRIMARY KEY (stream, version)",
    },
    indexes=(
        "UNIQUE INDEX ON pitledger.settlements{new} (position)",
        "INDEX ON pitledger.settlements{new} (player, position)",
        "INDEX ON pitledger.settlements{new} (table_name, gaming_day, position)",
    ),
    retold=_RETOLD,
)

_ROWS = """
    SELECT position, table_name AS "table", gaming_day, roll, wager, player, kind, number, stake, outcome,
        odds, owed, paid, breakage, commission, net, credit, section, reversed_by, command,
        occurred_at AS at, badge AS by, role, combo, high, base, commission_earned,
        coalesce(owed_exact, owed::text) AS owed_exact,
        coalesce(breakage_exact, breakage::text) AS breakage_exact,
        owed_in_full, coalesce(owed_in_full_exact, owed_in_full::text) AS owed_in_full_exact, aggregate_limit,
        aggregate_owed, coalesce(aggregate_owed_exact, aggregate_owed::text) AS aggregate_owed_exact,
        limit_section
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
    """Settlements in ledger order; cents, rounded down where `..._exact` has them exactly.

    From `owed_in_full` on: what share of the table's aggregate limit a wager was owed; null where of none.
    """
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
