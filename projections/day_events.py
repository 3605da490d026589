"""Every event that belongs to a gaming day, in ledger order, read as a stream whatever the day's size."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from psycopg import Connection
from psycopg.rows import tuple_row

from domain.events import Happened
from ledger.envelope import event_from
from projections.facts import plain

TOGETHER = 5_000
"""Events fetched at a time."""


class DayEvent(NamedTuple):
    """One event in its envelope. `utc_...` are the moments as they were hashed, `data` is canonical JSON."""

    position: int
    stream: str
    version: int
    name: str
    schema_version: int
    occurred_at: datetime
    utc_occurred_at: str
    utc_recorded_at: str
    badge: str
    role: str
    command: str
    step: int
    table: str | None
    data: str
    said: str | None  # the command as it arrived, on step 0 only
    hash: bytes

    @property
    def event(self) -> Happened:
        """The event itself."""
        return event_from(self.name, self.data)

    @property
    def plain(self) -> Happened:
        """The same in a fourth of the time, with plain fields: text for a date, a list for a tuple."""
        return plain(self.name, self.schema_version, self.data)


class Span(NamedTuple):
    """From which position to which the events of gaming days go; None where there are none."""

    first: int | None
    last: int | None


class Range(NamedTuple):
    """From which position to which the events of a gaming day go, and how many; 0 where there are none."""

    first: int
    last: int
    events: int


# Which tables there are is asked first, so that the index of the audit trail by table and day answers.
_OF_DAY = """
    audit.gaming_day = %(day)s::date AND (audit.table_name IS NULL OR audit.table_name = ANY(ARRAY(
        SELECT table_name FROM pitledger.tables WHERE gaming_day = %(day)s::date)))"""
_UTC = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
_EVENTS = f"""
    SELECT audit.position, e.stream, e.version, e.name, e.schema_version, e.occurred_at,
        {_UTC.format("e.occurred_at")}, {_UTC.format("e.recorded_at")},
        e.badge, e.role, e.command, e.step, e.table_name, e.data::text, e.command_text::text, e.hash
    FROM pitledger.audit JOIN pitledger.events e USING (stream, version)
    WHERE e.property = (SELECT property FROM pitledger.property) AND {_OF_DAY}
        AND (%(names)s::text[] IS NULL OR audit.event = ANY(%(names)s::text[]))
    ORDER BY audit.position"""
_RANGE = f"""
    SELECT coalesce(min(position), 0), coalesce(max(position), 0), count(*)
    FROM pitledger.audit WHERE {_OF_DAY}"""
# Each end is looked up by the same index.
_END = "(SELECT {}(position) FROM pitledger.audit WHERE table_name {} AND gaming_day = of.gaming_day)"
_AT_TABLES = ", ".join(_END.format(which, "= of.table_name") for which in ("min", "max"))
_OF_HOUSE = ", ".join(_END.format(which, "IS NULL") for which in ("min", "max"))
_SPAN = f"""
    SELECT min(first), max(last) FROM (
        SELECT {_AT_TABLES} FROM pitledger.tables AS of
        WHERE gaming_day BETWEEN %(first)s::date AND %(last)s::date
        UNION ALL
        SELECT {_OF_HOUSE} FROM (
            SELECT day::date AS gaming_day
            FROM generate_series(%(first)s::date, %(last)s::date, interval '1 day') AS day) AS of
    ) AS ends (first, last)"""


def events_of(conn: Connection[Any], day: date, names: Sequence[str] | None = None) -> Iterator[DayEvent]:
    """The events of a gaming day, those called `names` or all; times on the property's clock."""
    with conn.transaction(), conn.cursor("day", row_factory=tuple_row) as cursor:
        conn.execute("SELECT set_config('TimeZone', time_zone, true) FROM pitledger.property")
        cursor.itersize = TOGETHER
        given = {"day": day, "names": None if names is None else list(names)}
        for row in cursor.execute(_EVENTS, given, binary=True):
            yield DayEvent._make(row)


def range_of(conn: Connection[Any], day: date) -> Range:
    """Where the events of a gaming day begin and end in the log."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute(_RANGE, {"day": day}).fetchone()
    assert row is not None
    return Range(*row)


def span_of(conn: Connection[Any], first: date, last: date) -> Span:
    """Where the events of the gaming days from `first` to `last` begin and end in the log."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        row = cursor.execute(_SPAN, {"first": first, "last": last}).fetchone()
    assert row is not None
    return Span(*row)
