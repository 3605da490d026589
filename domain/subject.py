"""What a stream is about, and how a decision looks beyond its own stream.

A stream's name begins with its kind: `table:CR01:2026-11-28`. Each kind is a subject that its events have
made; a command is decided on one subject, may look at others as they stand, and may cause events in them.
"""

from collections.abc import Callable
from copy import deepcopy
from datetime import date
from typing import NamedTuple, Protocol

from domain.events import Happened
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


Look = Callable[[str], Subject]
"""Answers a stream as it stands, events decided before in the same transaction included."""

KINDS: dict[str, Callable[[], Subject]] = {"table": Table}


def subject_of(stream: str) -> Subject:
    """A new subject for a stream, before its first event."""
    return KINDS[stream.partition(":")[0]]()


def copied(subject: Subject) -> Subject:
    """A subject that can go its own way, while the other stays as it is."""
    return subject.then(()) if isinstance(subject, Table) else deepcopy(subject)


def table_stream(table: str, gaming_day: date) -> str:
    """The stream of one table and gaming day.

    >>> table_stream("CR01", date(2026, 11, 28))
    'table:CR01:2026-11-28'
    """
    return f"table:{table}:{gaming_day}"


def table_and_day(stream: str) -> tuple[str, date] | None:
    """Which table and gaming day a stream is about; None where it is about something else.

    >>> table_and_day("table:CR01:2026-11-28")
    ('CR01', datetime.date(2026, 11, 28))
    """
    kind, _, name = stream.partition(":")
    table, _, day = name.rpartition(":")
    return (table, date.fromisoformat(day)) if kind == "table" else None
