"""What a stream is about, and how a decision looks beyond its own stream.

A stream's name begins with its kind: `table:CR01:2026-11-28`. Each kind is a subject that its events have
made; a command is decided on one subject, may look at others as they stand, and may cause events in them.
"""

from collections.abc import Callable
from copy import deepcopy
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple, Protocol

from domain.box import Box
from domain.dispute import Dispute
from domain.events import Happened
from domain.gaming_day import GamingDay
from domain.patron import Patron
from domain.slip import Slip
from domain.table import Table


class Subject(Protocol):
    """State that events have made; `version` counts them, as the stream does."""

    version: int

    def apply(self, event: Happened) -> None:
        """Remember the next event of the stream; never fails."""


class Elsewhere(NamedTuple):
    """An event that a command causes in another stream than the one it was decided in."""

    stream: str
    event: Happened


class Look(Protocol):
    """What a decision may see of other streams, events decided before in the same transaction included."""

    def __call__(self, stream: str, /) -> Subject:
        """What a stream is about, as it stands now."""

    def when(self, stream: str, version: int) -> datetime:
        """When an event of a stream occurred."""

    def opened_on(self, gaming_day: date) -> list[str]:
        """The tables that were opened for a gaming day, in order of their first opening."""

    def next_opening(self, table: str, gaming_day: date) -> str | None:
        """The stream of the first later gaming day that a table was opened for; None where there is none."""


Caused = list[Happened | Elsewhere]
"""What a decision causes, in order."""

KINDS: dict[str, Callable[[], Subject]] = {
    "table": Table,
    "dispute": Dispute,
    "slip": Slip,
    "box": Box,
    "patron": Patron,
    "day": GamingDay,
}


def subject_of(stream: str) -> Subject:
    """A new subject for a stream, before its first event."""
    return KINDS[stream.partition(":")[0]]()


def copied(subject: Subject) -> Subject:
    """A subject that can go its own way, while the other stays as it is."""
    return subject.then(()) if isinstance(subject, Table) else deepcopy(subject)


def table_stream(table: str, gaming_day: date | None) -> str:
    """The stream of one table and gaming day; without a day, of the one that the table was last opened for.

    >>> table_stream("CR01", date(2026, 11, 28)), table_stream("CR01", None)
    ('table:CR01:2026-11-28', 'table:CR01:')
    """
    return f"table:{table}:{gaming_day or ''}"


@lru_cache(1024)
def table_and_day(stream: str) -> tuple[str, date] | None:
    """Which table and gaming day a stream is about; None where it is about something else.

    >>> table_and_day("table:CR01:2026-11-28")
    ('CR01', datetime.date(2026, 11, 28))
    """
    kind, _, name = stream.partition(":")
    table, _, day = name.rpartition(":")
    return (table, date.fromisoformat(day)) if kind == "table" else None
