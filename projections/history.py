"""One table and gaming day as its stream tells it: every event, who said it, when, and in which words.

Read straight from the ledger, whatever the projections know: a dispute does not wait for a rebuild. Of a
few rolls only what was said around them is read, from the last snapshot before them on. What was decided
elsewhere and left an event here (the next day's opening, the sealing of this one) has no words here: they
stand where it was decided.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, NamedTuple

import orjson
from psycopg import Connection, Cursor
from psycopg.rows import tuple_row

from domain import events as e
from domain.subject import table_stream
from domain.table import Table
from ledger import snapshots
from ledger.envelope import event_from
from ledger.errors import LedgerError
from ledger.migrations import Property, property_of
from projections.rows import Row

_OVERRULE = '"do":"overrule"'  # as canonical data says it
SHOWN_NAMES = 12  # of what there is instead
_FOR_EVER = 2**62  # more events than a day has
KEPT_EVERY = 2_000  # events: how often a folded table is kept, so that going back a roll is no long way


@contextmanager
def without_pauses() -> Iterator[None]:
    """Makes many small objects at once that are all kept: looking for rubbish among them doubles the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Told(NamedTuple):
    """One event as it is stored. Times on the property's clock; `said`: the command's text, on step 0."""

    version: int
    position: int | None  # None: stored since anyone last brought the log up to date
    name: str
    occurred_at: datetime
    recorded_at: datetime
    badge: str
    role: str
    command: str
    step: int
    data: str
    said: str | None


class _Plain(NamedTuple):
    """A kind of event whose fields JSON gives as they are, but for those that are tuples."""

    kind: type[e.Happened]
    fields: set[str]
    tuples: tuple[str, ...]


def _plain(kind: type[e.Happened]) -> _Plain | None:
    shapes = {name: str(field.annotation) for name, field in kind.model_fields.items()}
    if any("date" in shape for shape in shapes.values()):
        return None
    return _Plain(kind, set(shapes), tuple(name for name, shape in shapes.items() if "tuple" in shape))


_PLAIN = {name: plain for name, kind in e.BY_NAME.items() if (plain := _plain(kind))}


def read_back(name: str, data: str) -> e.Happened:
    """The event stored under `name`, not checked again where it has just the fields of its kind today.

    It was checked when it was written, and a day of forty thousand is read in half the time.
    """
    plain = _PLAIN.get(name)
    fields = orjson.loads(data) if plain else {}
    if plain is None or fields.keys() != plain.fields:
        return event_from(name, data)
    for field in plain.tuples:
        if fields[field] is not None:
            fields[field] = tuple(fields[field])
    event = object.__new__(plain.kind)
    object.__setattr__(event, "__dict__", fields)
    object.__setattr__(event, "__pydantic_fields_set__", plain.fields)
    object.__setattr__(event, "__pydantic_extra__", None)
    object.__setattr__(event, "__pydantic_private__", None)
    return event


class Day(NamedTuple):
    """A table and gaming day, and where and when its rolls, No Rolls among them, were first called."""

    house: Property
    table: str
    gaming_day: date
    calls: list[int]  # indices of events
    called_at: list[datetime]

    @property
    def stream(self) -> str:
        """Where it is stored."""
        return table_stream(self.table, self.gaming_day)

    @property
    def rolls(self) -> int:
        """Rolls taken, No Rolls counted."""
        return len(self.calls)

    def call_of(self, roll: int) -> int:
        """Where a roll was first called. Raises LedgerError where the table never came to it."""
        if 1 <= roll <= self.rolls:
            return self.calls[roll - 1]
        there = f"the last is roll {self.rolls}" if self.rolls else "no dice were thrown"
        raise LedgerError(f"there is no roll {roll} at {self.table} on {self.gaming_day}: {there}")

    def roll_at(self, moment: datetime) -> int:
        """The last roll called at or before a moment; the first one where the moment is before all."""
        called = [n for n, at in enumerate(self.called_at, 1) if at <= moment]
        return called[-1] if called else 1


class History:
    """What was told of a day. Events are counted by their index in it, from 0; rolls from 1."""

    def __init__(
        self,
        day: Day,
        told: dict[int, Told],
        begun: Table | None = None,
        disputes: Mapping[str, list[Told]] | None = None,
    ) -> None:
        """`told`, in order, is all that follows on the table `begun`, or as much as will be asked for.

        `disputes`: by id, everything that was said of those that there were of rolls of the day.
        """
        self.disputes = disputes or {}
        self.day = day
        self.house = day.house
        self.table = day.table
        self.gaming_day = day.gaming_day
        self.rolls = day.rolls
        self.calls = day.calls
        self.call_of = day.call_of
        self.told = told
        self.overrules: dict[int, list[int]] = {}  # roll -> where it was overruled
        self.afterwards: list[int] = []  # mispays and refused overrules: said of a roll, and changed no call
        begun = begun or Table()
        self._events: dict[int, e.Happened] = {}
        self._folded = {begun.version: begun}  # by index: the table before it
        for at, one in told.items():
            if one.name == "RollOverruled":
                self.overrules.setdefault(self._roll_of(at), []).append(at)
            elif one.name == "MispayFound" or (one.name == "CommandRefused" and _OVERRULE in one.data):
                self.afterwards.append(at)

    def event(self, at: int) -> e.Happened:
        """The event at an index, decoded once."""
        if (event := self._events.get(at)) is None:
            event = self._events[at] = read_back(self.told[at].name, self.told[at].data)
        return event

    def fold(self, until: int) -> Table:
        """The table as the events before index `until` have made it."""
        begin = max(at for at in self._folded if at <= until)
        table = self._folded[begin].then(())
        with without_pauses():
            for at in range(begin, until):
                if at % KEPT_EVERY == 0:
                    self._folded.setdefault(at, table.then(()))
                table.apply(self.event(at))
        return table

    def begins(self, at: int) -> int:
        """Where the events of the command begin that the one at `at` came from."""
        command = self.told[at].command
        while at - 1 in self.told and self.told[at - 1].command == command:
            at -= 1
        return at

    def ends(self, at: int) -> int:
        """The index after the last event of the command that the one at `at` came from."""
        command = self.told[at].command
        while at in self.told and self.told[at].command == command:
            at += 1
        return at

    def _roll_of(self, at: int) -> int:
        event = self.event(at)
        assert isinstance(event, e.RollOverruled), event
        return event.roll


_DAYS = """
    SELECT gaming_day FROM pitledger.events
     WHERE property = %(property)s AND table_name = %(table)s AND name = 'TableOpened'
     ORDER BY batch DESC, place DESC"""
_TABLES = """
    SELECT DISTINCT table_name FROM pitledger.events
     WHERE property = %(property)s AND name = 'TableOpened' ORDER BY table_name"""
_CALLS = """
    SELECT version - 1, occurred_at FROM pitledger.events
     WHERE property = %(property)s AND stream = %(stream)s AND name IN ('RollCalled', 'NoRollCalled')
     ORDER BY version"""
# A subquery for the position, as a join would have to sort the whole day again.
_AS_TOLD = """
    e.version, (SELECT l.first_position FROM pitledger.log l
                 WHERE l.property = e.property AND l.batch = e.batch) + e.place,
    e.name, e.occurred_at, e.recorded_at, e.badge, e.role, e.command, e.step, e.data::text,
    e.command_text::text"""
_DISPUTES = f"""
    SELECT e.stream, {_AS_TOLD} FROM pitledger.events e
     WHERE e.property = %(property)s AND e.stream IN (
               SELECT stream FROM pitledger.events
                WHERE property = %(property)s AND table_name = %(table)s AND gaming_day = %(day)s
                  AND name = 'DisputeOpened')
     ORDER BY e.batch, e.place"""
_TOLD = f"""
    SELECT {_AS_TOLD} FROM pitledger.events e
     WHERE e.property = %(property)s AND e.stream = %(stream)s AND e.version > %(begun)s
       AND (e.version <= %(until)s OR e.name = 'MispayFound'
            OR e.name = 'CommandRefused' AND strpos(e.data::text, %(overrule)s) > 0)
     ORDER BY e.version"""


def find_day(conn: Connection[Any], table: str, day: date | None = None) -> Day:
    """A table on a gaming day; without a day, on the last one it was opened for.

    Raises LedgerError where the table was not open.
    """
    house = property_of(conn)
    with _on_the_clock(conn, house), conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        asked = {"property": house.name, "table": table}
        days = [row[0] for row in cursor.execute(_DAYS, asked)]
        if not days or day not in (None, *days):
            raise LedgerError(_not_open(table, day, days, [row[0] for row in cursor.execute(_TABLES, asked)]))
        found = Day(house, table, day or days[0], [], [])
        for at, moment in cursor.execute(_CALLS, {"property": house.name, "stream": found.stream}):
            found.calls.append(at)
            found.called_at.append(moment)
    return found


def read(conn: Connection[Any], table: str, day: date | None = None) -> History:
    """The whole history of a table on a gaming day; without a day, on the last one it was opened for.

    Writes nothing, so positions are known only as far as the log was brought up to date before. Raises
    LedgerError where the table was not open.
    """
    return read_whole(conn, find_day(conn, table, day))


def read_whole(conn: Connection[Any], day: Day) -> History:
    """All of a day."""
    return History(day, _told(conn, day, 0, None), disputes=_disputes(conn, day))


def read_around(conn: Connection[Any], day: Day, first: int, last: int) -> History:
    """As much of a day as it takes to tell the rolls from `first` to `last`.

    Where that was a long way from the last snapshot, one is left for whoever asks next. Raises LedgerError
    where the table never came to these rolls.
    """
    day.call_of(first), day.call_of(last)
    before = day.calls[first - 2] if first > 1 else 0
    kept = snapshots.latest(conn, day.stream, until=before)
    begun = kept.subject if kept and isinstance(kept.subject, Table) else Table()
    until = day.calls[last] if last < day.rolls else None  # an overrule comes before the next call
    history = History(day, _told(conn, day, begun.version, until), begun, _disputes(conn, day))
    if before >= begun.version + snapshots.APART:
        snapshots.leave(conn, day.stream, history.fold(before))
    return history


def _told(conn: Connection[Any], day: Day, begun: int, until: int | None) -> dict[int, Told]:
    """The events after the first `begun` up to version `until`, and whatever later speaks of a past roll."""
    asked = {
        "property": day.house.name,
        "stream": day.stream,
        "begun": begun,
        "until": _FOR_EVER if until is None else until,
        "overrule": _OVERRULE,
    }
    with without_pauses(), _on_the_clock(conn, day.house), _telling(conn) as cursor:
        return {one.version - 1: one for one in cursor.execute(_TOLD, asked)}


def _disputes(conn: Connection[Any], day: Day) -> dict[str, list[Told]]:
    found: dict[str, list[Told]] = {}
    asked = {"property": day.house.name, "table": day.table, "day": day.gaming_day}
    with _on_the_clock(conn, day.house), conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        for stream, *told in cursor.execute(_DISPUTES, asked):
            found.setdefault(stream.removeprefix("dispute:"), []).append(Told(*told))
    return found


def _telling(conn: Connection[Any]) -> Cursor[Told]:
    return conn.cursor(row_factory=lambda _: Told._make, binary=True)


@contextmanager
def _on_the_clock(conn: Connection[Any], house: Property) -> Iterator[None]:
    """Times come out of the database on the property's clock."""
    with conn.transaction():
        conn.execute("SELECT set_config('TimeZone', %s, true)", [house.time_zone])
        yield


def _not_open(table: str, day: date | None, days: list[date], tables: list[str]) -> str:
    if days:
        there = sorted({opened.isoformat() for opened in days})
        return f"{table} was not open on {day}: it was on {_few(there)}"
    if not tables:
        return f"there is no table {table}: the ledger is empty, `pitledger ingest PATH` fills it"
    return f"there is no table {table}: there is {_few(tables)}"


def _few(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return ", ".join(names[-SHOWN_NAMES:]) + more


def who(one: Told) -> Row:
    """Who said what led to an event, when, and where it stands in the ledger."""
    return {
        "version": one.version,
        "position": one.position,
        "at": one.occurred_at.isoformat(),
        "recorded_at": one.recorded_at.isoformat(),
        "by": one.badge,
        "role": one.role,
        "command": one.command,
    }
