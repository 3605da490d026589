"""Where the ledger meets the event sourcing library: mapper, recorder and factory on its extension points.

The library's own recorder locks the whole table for every append and can hang in its pipeline; ours stores
an append in one statement of plain arrays, locks nothing, and gives places in the log afterwards. The
library's notification log is our log: a notification's id is the position.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from threading import Event as Signal
from typing import Any, NamedTuple, cast
from uuid import UUID

import psycopg
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import (
    ApplicationRecorder,
    BaseInfrastructureFactory,
    IntegrityError,
    InterfaceError,
    Mapper,
    Notification,
    OperationalError,
    StoredEvent,
    Subscription,
)
from eventsourcing.postgres import PostgresDatastore, PostgresFactory
from eventsourcing.utils import Environment, EnvType, retry
from psycopg.rows import tuple_row

from ledger import arrays
from ledger.connections import Connections
from ledger.envelope import Recorded
from ledger.log import in_log_order
from ledger.migrations import Property, property_of

Conflict = IntegrityError  # someone else stored that version, or that command, first
Unreachable = (OperationalError, InterfaceError)

LEDGER_URL = "LEDGER_URL"
PAGE = 500  # notifications a subscription reads at a time
POLL = 0.05  # seconds between looks at the log; NOTIFY would make every append's commit wait in one line

# One round trip and one transaction: the events and the ticket that will get them their place in the log.
_APPEND = b"""
WITH append AS MATERIALIZED (SELECT nextval('pitledger.batches') AS batch), stored AS (
    INSERT INTO pitledger.events
           (property, stream, version, batch, place, name, schema_version, occurred_at, recorded_at,
            badge, role, command, step, table_name, gaming_day, data, command_text, hash)
    SELECT %b, e.stream, e.version, append.batch, e.place - 1, e.name, e.schema_version, e.occurred_at,
           e.recorded_at, e.badge, e.role, e.command, e.step, e.table_name, e.gaming_day::date, e.data::json,
           e.command_text::json, e.hash
      FROM append, unnest(
           %b::text[], %b::bigint[], %b::text[], %b::bigint[], %b::timestamptz[], %b::timestamptz[],
           %b::text[], %b::text[], %b::text[], %b::bigint[], %b::text[], %b::text[],
           %b::text[], %b::text[], %b::bytea[])
           WITH ORDINALITY AS e(stream, version, name, schema_version, occurred_at, recorded_at,
                                badge, role, command, step, table_name, gaming_day,
                                data, command_text, hash, place)
)
INSERT INTO pitledger.tickets (property, batch, events) SELECT %b, batch, %b FROM append RETURNING batch
"""
_COLUMNS = (
    "e.stream, e.version, e.name, e.schema_version, e.occurred_at, e.recorded_at, e.badge, e.role, e.command,"
    " e.step, e.table_name, e.gaming_day, e.data::text, e.command_text::text, e.hash"
)
_UP_TO = "(%(stop)s::bigint IS NULL OR l.first_position + e.place <= %(stop)s)"
_NOTIFICATIONS = in_log_order(_COLUMNS, _UP_TO)
_NOTIFICATIONS_NAMED = in_log_order(_COLUMNS, f"{_UP_TO} AND e.name = ANY(%(names)s)", appends="NULL")
_EVENTS = f"""
    SELECT {_COLUMNS} FROM pitledger.events e
     WHERE e.property = %%(house)s AND e.stream = %%(stream)s
       AND (%%(gt)s::bigint IS NULL OR e.version > %%(gt)s)
       AND (%%(lte)s::bigint IS NULL OR e.version <= %%(lte)s)
     ORDER BY e.version %b LIMIT %%(limit)s
""".encode()
_SEQUENCE = b"SELECT pitledger.sequence_log()"
_FIRST_POSITION = b"SELECT first_position FROM pitledger.log WHERE property = %s AND batch = %s"
_OPENING_TURN = b"""
    SELECT pg_advisory_xact_lock(hashtextextended('pitledger.opening:' || name, 0))
      FROM unnest(%s::text[]) name
"""
_KNOWN = b"""
    SELECT command, command_text::text, name, data::text, hash FROM pitledger.events
     WHERE property = %s AND command = ANY(%s) AND step = 0
"""
_LAST_OPENING = b"""
    SELECT stream FROM pitledger.events WHERE property = %s AND table_name = %s AND name = 'TableOpened'
     ORDER BY batch DESC, place DESC LIMIT 1
"""
_OPENED_ON = b"""
    SELECT table_name FROM pitledger.events WHERE property = %s AND gaming_day = %s AND name = 'TableOpened'
     GROUP BY table_name ORDER BY min(batch)
"""
_NEXT_OPENING = b"""
    SELECT min(gaming_day) FROM pitledger.events
     WHERE property = %s AND table_name = %s AND name = 'TableOpened' AND gaming_day > %s
"""
_HISTORY = b"""
    SELECT name, data::text, hash FROM pitledger.events WHERE property = %s AND stream = %s AND version > %s
     ORDER BY version
"""
_OCCURRED_AT = b"""
    SELECT occurred_at FROM pitledger.events WHERE property = %s AND stream = %s AND version = %s
"""


@dataclass(frozen=True)
class Stored(StoredEvent):
    """The library's stored event in our envelope: `topic` is its name, `state` its canonical bytes."""

    recorded: Recorded


@dataclass(frozen=True)
class Placed(Notification):
    """A stored event with its position in the log (`id`)."""

    recorded: Recorded


class Known(NamedTuple):
    """The first event of a command that is in the ledger already."""

    command: str
    text: str
    name: str
    data: str
    hash: bytes


class LedgerMapper(Mapper[str]):
    """Events keep their own names and bytes, whatever module their classes live in."""

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        assert isinstance(domain_event, Recorded), domain_event
        return stored(domain_event)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[str]:
        assert isinstance(stored_event, Stored | Placed), stored_event
        return stored_event.recorded


def stored(r: Recorded) -> Stored:
    """The library's view of an event in its envelope."""
    return Stored(r.originator_id, r.originator_version, r.name, r.data.encode(), r)


class LedgerDatastore(PostgresDatastore):
    """The library's datastore on our connections."""

    def __init__(self, url: str) -> None:
        super().__init__("", "", "", "", "", schema="pitledger", originator_id_type="text")
        self.pool = Connections(url)  # type: ignore[assignment]  # replaces one that was never opened


class LedgerRecorder(ApplicationRecorder):
    """Stores appends and reads them back, by stream or in the order of the log."""

    def __init__(self, datastore: LedgerDatastore) -> None:
        self.datastore = datastore

    @cached_property
    def house(self) -> Property:
        """Whose ledger this is."""
        with self.datastore.get_connection() as conn:
            return property_of(conn)

    # ------------------------------------------------------------------ appending

    def append(self, records: Sequence[Recorded]) -> int:
        """Store events, all or none, durably when this returns; answers the number of the append.

        Raises Conflict when one of their versions or commands is stored already. `Application.save` leads
        here too, but asks a runtime protocol of every event (6 us) and for positions (a round trip).
        """
        house = self.house.name
        with self._tuples() as cursor:
            cursor.execute(_APPEND, (house, *arrays.columns(records), house, len(records)), prepare=True)
            return int(one(cursor))

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int]:
        """As `append`, for the library: answers the positions."""
        if not stored_events:
            return []
        batch = self.append([_recorded(stored_event) for stored_event in stored_events])
        with self._tuples() as cursor:
            cursor.execute(_SEQUENCE)
            first = int(one(cursor.execute(_FIRST_POSITION, (self.house.name, batch))))
        return range(first, first + len(stored_events))

    @contextmanager
    def turn_to_open(self, tables: Iterable[str]) -> Iterator[None]:
        """While it lasts nobody else can open these tables.

        A table's days are different streams, so no version could tell two openings at once.
        """
        names = sorted(set(tables))
        if not names:
            yield
            return
        with self.datastore.transaction(commit=True) as cursor:
            cursor.execute(_OPENING_TURN, (names,))
            yield

    # ------------------------------------------------------------------ what a decision needs to know

    def known(self, commands: Sequence[str]) -> list[Known]:
        """Those of the commands that are in the ledger."""
        with self._tuples() as cursor:
            rows = cursor.execute(_KNOWN, (self.house.name, commands), prepare=True)
            return [Known._make(row) for row in rows]

    def last_opening(self, table: str) -> str | None:
        """The stream of the most recent opening of a table, None when it never opened."""
        with self._tuples() as cursor:
            row = cursor.execute(_LAST_OPENING, (self.house.name, table), prepare=True).fetchone()
        return row[0] if row else None

    def opened_on(self, gaming_day: date) -> list[str]:
        """The tables that were opened for a gaming day, in order of their first opening."""
        with self._tuples() as cursor:
            rows = cursor.execute(_OPENED_ON, (self.house.name, gaming_day))
            return [table for (table,) in rows]

    def next_opening(self, table: str, gaming_day: date) -> date | None:
        """The first later gaming day that a table was opened for."""
        with self._tuples() as cursor:
            row = cursor.execute(_NEXT_OPENING, (self.house.name, table, gaming_day)).fetchone()
        return row[0] if row else None

    def history(self, stream: str, after: int) -> list[tuple[str, str, bytes]]:
        """Name, data and hash of a stream's events after version `after`, in order."""
        with self._tuples() as cursor:
            return cursor.execute(_HISTORY, (self.house.name, stream, after), prepare=True).fetchall()

    @retry(Unreachable, max_attempts=3, wait=0.2)
    def occurred_at(self, stream: str, version: int) -> datetime:
        """When an event that is stored occurred."""
        with self._tuples() as cursor:
            row = cursor.execute(_OCCURRED_AT, (self.house.name, stream, version)).fetchone()
        assert row is not None, (stream, version)
        occurred_at: datetime = row[0]
        return occurred_at

    # ------------------------------------------------------------------ the library's reading

    @retry(Unreachable, max_attempts=3, wait=0.2)
    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Events of one stream."""
        query = _EVENTS % (b"DESC" if desc else b"ASC")
        params = {"house": self.house.name, "stream": originator_id, "gt": gt, "lte": lte, "limit": limit}
        with self._tuples() as cursor:
            return [stored(Recorded._make(row)) for row in cursor.execute(query, params, prepare=True)]

    @retry(Unreachable, max_attempts=3, wait=0.2)
    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Events in the order of the log, from position `start` to `stop`; `topics` are event names."""
        after = (start or 0) - (1 if start and inclusive_of_start else 0)
        params = {"after": after, "limit": limit, "stop": stop, "names": list(topics) or None}
        query = _NOTIFICATIONS_NAMED if topics else _NOTIFICATIONS
        with self._tuples() as cursor:
            if int(one(cursor.execute(_SEQUENCE))) <= after:
                return []
            return [_placed(*row) for row in cursor.execute(query, params, prepare=True)]

    @retry(Unreachable, max_attempts=3, wait=0.2)
    def max_notification_id(self) -> int | None:
        """The last position, None in an empty ledger."""
        with self._tuples() as cursor:
            return int(one(cursor.execute(_SEQUENCE))) or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "LogSubscription":
        """Everything after position `gt`, and then whatever comes."""
        return LogSubscription(self, gt=gt, topics=topics)

    @contextmanager
    def _tuples(self) -> Iterator[psycopg.Cursor[tuple[Any, ...]]]:
        with (
            self.datastore.get_connection() as conn,
            conn.cursor(row_factory=tuple_row, binary=True) as cursor,
        ):
            yield cursor


class LogSubscription(Subscription[LedgerRecorder]):
    """The log as an iterator that waits at its end."""

    def __init__(self, recorder: LedgerRecorder, gt: int | None = None, topics: Sequence[str] = ()) -> None:
        super().__init__(recorder, gt, topics)
        self._read: Iterator[Notification] = iter(())
        self._stopped = Signal()

    def stop(self) -> None:
        """End the iteration, also from another thread."""
        super().stop()
        self._stopped.set()

    def __next__(self) -> Notification:
        while not self._stopped.is_set():
            for notification in self._read:
                self._last_notification_id = notification.id
                # Picked out here, not in the query, so that it always moves on past what nobody asked for.
                if not self._topics or notification.topic in self._topics:
                    return notification
            self._read = self._next_page()
        raise StopIteration

    def _next_page(self) -> Iterator[Notification]:
        page = self._recorder.select_notifications(self._last_notification_id, PAGE, inclusive_of_start=False)
        if not page:
            self._stopped.wait(POLL)
        return iter(page)


class LedgerFactory(PostgresFactory):
    """Makes the library's parts from one setting, LEDGER_URL; the tables are made by `ledger.migrations`."""

    def __init__(self, env: Environment | EnvType | None) -> None:
        BaseInfrastructureFactory.__init__(self, env)
        url = self.env.get(LEDGER_URL)
        assert url, f"{LEDGER_URL} is not set"
        self.datastore = LedgerDatastore(url)

    def application_recorder(self) -> LedgerRecorder:
        return LedgerRecorder(cast(LedgerDatastore, self.datastore))


def one(cursor: psycopg.Cursor[tuple[Any, ...]]) -> Any:
    """The one value that a query answers."""
    row = cursor.fetchone()
    assert row is not None
    return row[0]


def _recorded(stored_event: StoredEvent) -> Recorded:
    assert isinstance(stored_event, Stored), stored_event
    return stored_event.recorded


def _placed(position: int, *columns: Any) -> Placed:
    r = Recorded._make(columns)
    return Placed(r.originator_id, r.originator_version, r.name, r.data.encode(), position, r)
