"""The audit trail: one row an event, with what an auditor filters by that only the event itself says.

Who, when, by which command and the whole event stand in `pitledger.events` and are joined when read.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from psycopg import Connection

from projections.projection import Edition, Fact, Projection
from projections.rows import Row, columns_of, copy, pages

_TRAIL = {
    "position": "bigint PRIMARY KEY",
    "stream": "text NOT NULL",
    "version": "bigint NOT NULL",
    "table_name": "text NOT NULL",
    "gaming_day": "date NOT NULL",
    "event": "text NOT NULL",
    "roll": "integer",
    "player": "text",
    "wager": "text",
    "amount": "bigint",
    "section": "text",
}


def fold(facts: Sequence[Fact]) -> list[tuple[object, ...]]:
    """The rows of the trail that `facts` make, in the order of its columns."""
    trail: list[tuple[object, ...]] = []
    for table, gaming_day, row, event, _ in facts:
        said = event.__dict__.get
        trail.append(
            (
                row.position,
                row.stream,
                row.version,
                table,
                gaming_day,
                row.name,
                said("roll"),
                said("player"),
                said("wager"),
                said("amount", said("stake")),
                said("section"),
            )
        )
    return trail


def write(conn: Connection[Any], facts: Sequence[Fact], new: Edition) -> None:
    """Append `facts` to the trail."""
    copy(conn, f"audit{new}", _TRAIL, fold(facts))


PROJECTION = Projection(
    name="audit",
    version=1,
    tables={"audit": columns_of(_TRAIL)},
    indexes=(("audit", "player, position"), ("audit", "table_name, gaming_day, position")),
    write=write,
)

_ROWS = """
    SELECT position, stream, version, event, occurred_at, recorded_at, badge, role, command,
        a.table_name AS "table", a.gaming_day, roll, player, wager, amount, section, data
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
