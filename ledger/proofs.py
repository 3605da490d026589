"""Whether the ledger is what was written: every hash, every version, every place in the log.

A changed event no longer gives its hash; a hash that was changed with it no longer fits the next event; an
event taken out leaves a gap in its stream or in its append. What these proofs cannot see is the end of a
ledger rewritten as a whole, from the first changed event to the last of its stream: that takes a hash kept
elsewhere. Auditors have the chains in plain SQL too: `SELECT * FROM pitledger.broken_links`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import tuple_row

from ledger.envelope import Recorded, link, opening
from ledger.log import bring_up_to_date

PAGE = 5000  # events fetched at a time

_ONE_MOMENT = b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
_EVENTS = b"""
    SELECT property, stream, version, name, schema_version, occurred_at, recorded_at, badge, role,
           command, step, table_name, gaming_day, data::text, command_text::text, hash
      FROM pitledger.events ORDER BY property, stream, version
"""
_LOG = b"""
    WITH kept AS (
        SELECT property, batch, count(*) AS events, min(place) AS first_place, max(place) AS last_place
          FROM pitledger.events GROUP BY property, batch
    ), appends AS (
        SELECT l.first_position, l.last_position, l.last_position - l.first_position + 1 AS events,
               lag(l.last_position, 1, 0::bigint) OVER (ORDER BY l.last_position) AS before,
               coalesce(k.events, 0) AS kept, coalesce(k.first_place, 0) AS first_place,
               coalesce(k.last_place, -1) AS last_place
          FROM pitledger.log l LEFT JOIN kept k USING (property, batch)
    ), placed AS (
        SELECT e.stream, e.version, l.first_position + e.place AS position,
               lag(l.first_position + e.place) OVER (PARTITION BY property, e.stream ORDER BY e.version)
                   AS before
          FROM pitledger.events e JOIN pitledger.log l USING (property, batch)
    )
    SELECT NULL::text, NULL::bigint, format('the log goes from position %s to %s', before, first_position)
      FROM appends WHERE first_position <> before + 1
    UNION ALL
    SELECT NULL, NULL, format('positions %s to %s hold %s events', first_position, last_position, kept)
      FROM appends WHERE kept <> events OR first_place <> 0 OR last_place <> events - 1
    UNION ALL
    SELECT stream, version,
           format('stands at position %s, before version %s of its stream', position, version - 1)
      FROM placed WHERE position < before
    UNION ALL
    SELECT e.stream, e.version, 'has no place in the log and no ticket for one'
      FROM pitledger.events e LEFT JOIN pitledger.log l USING (property, batch)
      LEFT JOIN pitledger.tickets t USING (property, batch)
     WHERE l.batch IS NULL AND t.batch IS NULL
"""


class Fault(NamedTuple):
    """Something that is not as it was written: which event (None: the log itself), and what differs."""

    stream: str | None
    version: int | None
    what: str


def faults(conn: psycopg.Connection[Any]) -> Iterator[Fault]:
    """Everything in the ledger that is not as it was written, as of one moment. `conn` is autocommit."""
    bring_up_to_date(conn)
    with conn.transaction():
        conn.execute(_ONE_MOMENT)
        yield from _broken_chains(conn)
        with conn.cursor(row_factory=tuple_row) as cursor:
            yield from (Fault(*row) for row in cursor.execute(_LOG))


def _broken_chains(conn: psycopg.Connection[Any]) -> Iterator[Fault]:
    last: Recorded | None = None
    with conn.cursor("proof", row_factory=tuple_row) as cursor:
        cursor.itersize = PAGE
        for house, *columns in cursor.execute(_EVENTS):
            event = Recorded._make(columns)
            if last is None or last.originator_id != event.originator_id:
                last = None
            yield from _faults_of(house, event, last)
            last = event


def _faults_of(house: str, r: Recorded, last: Recorded | None) -> Iterator[Fault]:
    """What is wrong with an event, given the one before it in its stream."""
    expected = last.originator_version + 1 if last else 1
    if r.originator_version != expected:
        yield Fault(r.originator_id, r.originator_version, f"version {expected} should stand before it")
    text = r.command_text.encode() if r.command_text is not None else None
    numbers = (r.originator_version, r.step, r.name, r.schema_version)
    given = link(opening(r.act(house)), *numbers, r.data.encode(), text, last.hash if last else None)
    if given != r.hash:
        what = f"its hash is {r.hash.hex()}, but its content and the hash before it give {given.hex()}"
        yield Fault(r.originator_id, r.originator_version, what)
