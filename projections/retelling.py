"""Rows that are one event each, told again by PostgreSQL itself, a batch in one statement.

What needs no memory needs no Python either: the server reads the events where they lie, takes each one's
JSON apart once, and all the projections that want a row of it take their columns from there. Following live
and rebuilding run the same statement, so they cannot differ.
"""

from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from typing import Any, NamedTuple

from psycopg import Connection
from psycopg.rows import tuple_row

from domain.books import MOVING
from domain.events import WagerPlaced
from projections.projection import Edition, Projection

# The fields of events that some projection wants, by their names in `domain.events`. As text, because two
# events may mean different things by one name; NULL where an event has no such field.
_FIELDS = (
    *("roll", "wager", "player", "kind", "number", "combo", "high", "base", "amount", "cash", "stake"),
    *("outcome", "odds", "owed", "paid", "breakage", "commission", "commission_earned", "net", "credit"),
    *("section", "of", "owed_in_full", "aggregate_limit", "aggregate_owed", "limit_section"),
)


class Row(NamedTuple):
    """One event in the log, as far as folds ask."""

    position: int
    stream: str
    table: str | None
    gaming_day: date
    name: str
    schema_version: int
    data: str
    occurred_at: datetime
    badge: str
    role: str
    command: str


# LATERAL and the limits of its scan keep the planner from reading whole tables, whatever it believes about
# their size: the appends from the one after `after` to the one that holds `until`, each with its events.
_FACTS = f"""
    SELECT l.first_position + e.place AS position, e.stream, e.version, e.name AS event, e.schema_version,
           e.table_name, e.gaming_day, e.occurred_at, e.badge, e.role, e.command, e.data, said.*
      FROM (SELECT property, first_position, batch FROM pitledger.log
             WHERE property = (SELECT property FROM pitledger.property) AND last_position > %(after)s::bigint
               AND last_position <= (SELECT last_position FROM pitledger.log
                                      WHERE property = (SELECT property FROM pitledger.property)
                                        AND last_position >= %(until)s::bigint
                                      ORDER BY last_position LIMIT 1)
             ORDER BY last_position) l
     CROSS JOIN LATERAL (SELECT * FROM pitledger.events a
                          WHERE a.property = l.property AND a.batch = l.batch ORDER BY a.place) e
     CROSS JOIN LATERAL json_to_record(e.data)
        AS said ({", ".join(f'"{field}" text' for field in _FIELDS)})
     WHERE l.first_position + e.place > %(after)s::bigint AND l.first_position + e.place <= %(until)s::bigint
"""
# Nine of twenty events put up a stake, of which folds want to know no more than what they add up to.
_ROWS = """
    SELECT position, stream, table_name, gaming_day, event, schema_version, data::text, occurred_at, badge,
           role, command
      FROM facts WHERE event = ANY(%(asked)s)
     UNION ALL
    SELECT max(position), stream, table_name, gaming_day, event, schema_version,
           json_build_object('player', player, 'amount', sum(amount::bigint), 'cash', cash = 'true')::text,
           max(occurred_at), '', '', ''
      FROM facts WHERE event = %(added_up)s
     GROUP BY stream, table_name, gaming_day, event, schema_version, player, cash
     ORDER BY position
"""


def retell(
    conn: Connection[Any], after: int, until: int, projections: Sequence[Projection], new: Edition
) -> list[Row]:
    """Append the rows of the events after position `after`, up to `until`, to the tables of `projections`.

    Returns what the folds among them need of the same events, in log order: what one of them remembers and
    what moved money. Wagers placed come added up, one a table and player, and say nothing but player, amount
    and cash.
    """
    asked = {kind.name for projection in projections for kind in projection.remembers}
    if any(projection.write for projection in projections):
        asked |= MOVING
    params = {
        "after": after,
        "until": until,
        "asked": list(asked - {WagerPlaced.name}),
        "added_up": WagerPlaced.name if WagerPlaced.name in asked else None,
    }
    inserts = tuple(
        insert.replace("{new}", new) for projection in projections for insert in projection.retold
    )
    with conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        rows = cursor.execute(_statement(inserts), params, prepare=True).fetchall()
    return list(map(Row._make, rows))


@cache
def _statement(inserts: tuple[str, ...]) -> bytes:
    appended = "".join(f", appended_{n} AS ({insert})" for n, insert in enumerate(inserts))
    return f"WITH facts AS MATERIALIZED ({_FACTS}){appended} {_ROWS}".encode()
