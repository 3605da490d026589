"""The log read in its one order: what was stored, at which position.

Positions are 1, 2, 3, ... without gaps, over all streams; a position is the only cursor there is. Every
reader first brings the log up to date, so it sees whatever was stored before it asked.

    head = bring_up_to_date(conn)
    while after < head:
        rows = read_log(conn, after, 5000)
        after = rows[-1].position

`conn` is an autocommit connection to an initialised ledger.
"""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, NamedTuple

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from domain.events import Happened
from ledger.envelope import event_from

Connection = psycopg.Connection[Any]


class LogRow(NamedTuple):
    """One event in its envelope, with its position. Times are in the session's zone, `data` is JSON."""

    position: int
    stream: str
    version: int
    name: str
    schema_version: int
    occurred_at: datetime
    recorded_at: datetime
    badge: str
    role: str
    command: str
    step: int
    table: str | None
    gaming_day: date | None
    data: str


_ROW = (
    "e.stream, e.version, e.name, e.schema_version, e.occurred_at, e.recorded_at, e.badge, e.role, e.command,"
    " e.step, e.table_name, e.gaming_day, e.data::text"
)
_STREAM = f"""
    SELECT l.first_position + e.place, {_ROW}
      FROM pitledger.events e
      JOIN pitledger.log l ON l.property = e.property AND l.batch = e.batch
     WHERE e.property = (SELECT property FROM pitledger.property)
       AND e.stream = %(stream)s AND e.version > %(after)s
       AND (%(until)s::bigint IS NULL OR e.version <= %(until)s)
     ORDER BY e.version
""".encode()


def in_log_order(columns: str, and_where: str = "true", appends: str = "%(limit)s") -> bytes:
    """The query for events `e` after position `%(after)s`, at most `%(limit)s` of them, in log order.

    An append holds one event or more, so no more than that many appends need be looked at; LATERAL keeps
    the planner from reading whole tables whatever it believes about their size.
    """
    return f"""
        SELECT l.first_position + e.place, {columns}
          FROM (SELECT * FROM pitledger.log
                 WHERE property = (SELECT property FROM pitledger.property) AND last_position > %(after)s
                 ORDER BY last_position LIMIT {appends}) l
         CROSS JOIN LATERAL (SELECT * FROM pitledger.events a
                              WHERE a.property = l.property AND a.batch = l.batch ORDER BY a.place) e
         WHERE l.first_position + e.place > %(after)s AND {and_where}
         ORDER BY l.last_position, e.place LIMIT %(limit)s
    """.encode()


_LOG = in_log_order(_ROW)


def bring_up_to_date(conn: Connection) -> int:
    """Give every stored event its position; returns the last one, 0 in an empty ledger."""
    # Inside a transaction it would hold up every other reader until that one ends.
    assert conn.info.transaction_status == TransactionStatus.IDLE, "call it outside a transaction"
    with conn.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute(b"SELECT pitledger.sequence_log()").fetchone()
    assert row is not None
    return int(row[0])


def read_log(conn: Connection, after: int, limit: int) -> list[LogRow]:
    """The next events after position `after`, in order, at most `limit`."""
    return _rows(conn, _LOG, after=after, limit=limit)


def read_stream(
    conn: Connection, stream: str, after_version: int = 0, until: int | None = None
) -> list[LogRow]:
    """The events of one stream that have their position, from `after_version` on, up to version `until`."""
    return _rows(conn, _STREAM, stream=stream, after=after_version, until=until)


def hash_of(conn: Connection, stream: str, version: int) -> bytes | None:
    """The hash of one event; None where there is no such event."""
    query = b"""
        SELECT hash FROM pitledger.events
         WHERE property = (SELECT property FROM pitledger.property) AND stream = %s AND version = %s"""
    with conn.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute(query, (stream, version)).fetchone()
    return bytes(row[0]) if row else None


def event_of(row: LogRow) -> Happened:
    """The event in the row."""
    return event_from(row.name, row.data)


def _rows(conn: Connection, query: bytes, **params: object) -> list[LogRow]:
    with conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        rows: Iterable[Any] = cursor.execute(query, params, prepare=True).fetchall()
    return [LogRow._make(row) for row in rows]
