"""Rows that are one event each, told again by PostgreSQL itself, a batch in one statement.

What needs no memory needs no Python either: the server reads the events where they lie, takes each one's
JSON apart once, and all the projections that want a row of it take their columns from there. Following live
and rebuilding run the same statement, so they cannot differ.
"""

from collections.abc import Iterable
from typing import Any

from psycopg import Connection

from projections.projection import Edition, Projection

# The fields of events that some projection wants, by their names in `domain.events`; NULL where an event
# has no such field. `owed` and `breakage` are exact, as text.
_FIELDS = {
    "roll": "integer",
    "wager": "text",
    "player": "text",
    "kind": "text",
    "number": "integer",
    "combo": "integer[]",
    "high": "integer",
    "base": "text",
    "stake": "bigint",
    "outcome": "text",
    "odds": "text",
    "owed": "text",
    "paid": "bigint",
    "breakage": "text",
    "commission": "bigint",
    "commission_earned": "bigint",
    "net": "bigint",
    "credit": "bigint",
    "section": "text",
    "of": "bigint",
}
# LATERAL and the limits of its scan keep the planner from reading whole tables, whatever it believes about
# their size: the appends from the one after `after` to the one that holds `until`, each with its events.
_FACTS = f"""
    SELECT l.first_position + e.place AS position, e.stream, e.version, e.name AS event, e.table_name,
           e.gaming_day, e.occurred_at, e.badge, e.role, e.command, said.*
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
        AS said ({", ".join(f'"{field}" {kind}' for field, kind in _FIELDS.items())})
     WHERE l.first_position + e.place > %(after)s::bigint AND l.first_position + e.place <= %(until)s::bigint
"""


def retell(
    conn: Connection[Any], after: int, until: int, projections: Iterable[Projection], new: Edition
) -> None:
    """Append the rows of the events after position `after`, up to `until`, to the tables of `projections`."""
    inserts = [insert.replace("{new}", new) for projection in projections for insert in projection.retold]
    if inserts:
        appended = "".join(f", appended_{n} AS ({insert})" for n, insert in enumerate(inserts))
        query = f"WITH facts AS MATERIALIZED ({_FACTS}){appended} SELECT count(*) FROM facts"
        conn.execute(query.encode(), {"after": after, "until": until}, prepare=True)
