"""The audit trail: one row an event, with what an auditor filters by that only the event itself says.

Who, when, by which command and the whole event stand in `pitledger.events` and are joined when read.
"""

from collections.abc import Iterator
from datetime import date
from typing import Any

from psycopg import Connection

from projections.projection import Projection
from projections.rows import Row, columns_of, pages

_TRAIL = {
    "position": "bigint NOT NULL",
    "stream": "text NOT NULL",
    "version": "bigint NOT NULL",
    "table_name": "text",
    "gaming_day": "date",
    "event": "text NOT NULL",
    "roll": "integer",
    "player": "text",
    "wager": "text",
}
_RETOLD = f"""
    INSERT INTO pitledger.audit{{new}} ({", ".join(_TRAIL)})
    SELECT position, stream, version, table_name, gaming_day, event, roll::integer, player, wager
    FROM facts"""


PROJECTION = Projection(
    name="audit",
    version=2,
    tables={"audit": columns_of(_TRAIL)},
    indexes=(
        "UNIQUE INDEX ON pitledger.audit{new} (position)",
        "INDEX ON pitledger.audit{new} (player, position)",
        "INDEX ON pitledger.audit{new} (table_name, gaming_day, position)",
        "INDEX ON pitledger.audit{new} (wager)",
    ),
    retold=(_RETOLD,),
)

_ROWS = """
    SELECT position, stream, version, event, occurred_at, recorded_at, badge, role, command,
        a.table_name AS "table", a.gaming_day, roll, player, wager,
        coalesce(data ->> 'amount', data ->> 'stake')::bigint AS amount, data ->> 'section' AS section, data
    FROM pitledger.audit a JOIN pitledger.events USING (stream, version)
    WHERE property = (SELECT property FROM pitledger.property)
        AND {where} AND {page}"""


def rows(
    conn: Connection[Any],
    *,
    table: str | None = None,
    day: date | None = None,
    roll: int | None = None,
    player: str | None = None,
    wager: str | None = None,
    event: str | None = None,
    badge: str | None = None,
    role: str | None = None,
    command: str | None = None,
    since: int | None = None,
    until: int | None = None,
) -> Iterator[Row]:
    """Events in ledger order. `amount` is the event's own, or the stake it settles; `data` is all of it."""
    filters = {
        "a.table_name": table,
        "a.gaming_day": day,
        "roll": roll,
        "player": player,
        "wager": wager,
        "event": event,
        "badge": badge,
        "role": role,
        "command": command,
    }
    for row in pages(conn, _ROWS, filters, since, until):
        row["gaming_day"] = row["gaming_day"].isoformat()
        row["occurred_at"] = row["occurred_at"].isoformat()
        row["recorded_at"] = row["recorded_at"].isoformat()
        yield row
