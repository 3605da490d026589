"""One reading of a gaming day's events, from the first to the last, for everything that the pack says.

What adds up many events is added up as they pass; what is a row of its own (a slip, a count, a correction)
is kept. Memory holds what a day's paper holds, never the wagers.
"""

from collections.abc import Callable
from datetime import date
from typing import Any

from psycopg import Connection
from psycopg.rows import tuple_row

from domain import events as e
from domain.books import NOTHING, money
from domain.postings import postings
from projections import disputes
from projections.day_events import DayEvent, events_of
from projections.pack.archive import Archive
from projections.pack.journal import Gathering
from projections.pack.papers import KEPT, Papers
from projections.projection import Fact
from projections.rows import Row
from projections.title_31 import SPEAK_OF_CASH, Cash, CashWatch, speaks_of_cash

_MOVE_NO_ACCOUNT = frozenset(
    "WagerPlaced WagerPressed WagerReduced WagerTakenDown WagerRestored WagerMoved WagerTurnedOn "
    "WagerTurnedOff RollCalled NoRollCalled RollOverruled PuckMoved DiceWentOut DicePassed ShooterAssigned "
    "CommandRefused".split()
)
"""What is nearly all of a day and posts nothing: not decoded for the books."""


class Gathered:
    """What one reading of a gaming day leaves."""

    def __init__(self, day: date) -> None:
        self.day = day
        self.entries = Gathering(day)
        self.papers = Papers()
        self.disputes: dict[str, Row] = {}
        self.cash: list[Cash] = []
        self.known_at: str | None = None
        self.closed_at: int | None = None  # the position of the day's seal
        self.corrected_since = False
        self._watch = CashWatch()
        self._shifts: dict[str, str] = {}  # of each table, and of the house

    def take(self, said: DayEvent) -> None:
        """The next event of the day."""
        self.known_at = max(self.known_at or "", said.utc_recorded_at)
        wanted = said.name not in _MOVE_NO_ACCOUNT or said.name in KEPT
        cash = said.name in SPEAK_OF_CASH and speaks_of_cash(said)
        if not wanted and not cash:
            return
        event = said.event
        if cash:
            self.cash += self._watch.seen(said, event)
        if wanted:
            self._read(said, event)

    def _read(self, said: DayEvent, event: e.Happened) -> None:
        table = said.table or ""
        self._turn_shift(table, event)
        if entry := postings(event, said.table):
            shift = self._shifts.get(table) or self._shifts.get("", "")
            self.entries.take(table, shift, said.name, said.position, entry)
        if said.stream.startswith("dispute:"):
            moved = money(event) or NOTHING
            disputes.fold(self.disputes, [Fact(table, self.day, said, event, moved)])
        if said.name in KEPT:
            self.papers.take(said, event)
        if isinstance(event, e.GamingDayClosed):
            self.closed_at = said.position
        self.corrected_since |= isinstance(event, e.CorrectionRecorded) and event.sealed

    def _turn_shift(self, table: str, event: e.Happened) -> None:
        match event:
            case e.TableOpened() | e.TableCut():
                self._shifts[table] = event.shift or self._shifts.get(table, "")
            case e.ShiftOpened():
                self._shifts[""] = event.shift
            case e.ShiftClosed():
                self._shifts.pop("", None)


def gather(conn: Connection[Any], day: date, archive: Archive, progress: Callable[[int], None]) -> Gathered:
    """Read a gaming day once; `progress` is told how many events have passed."""
    gathered = Gathered(day)
    for count, said in enumerate(events_of(conn, day), 1):
        archive.add(said)
        gathered.take(said)
        if count % 5_000 == 0:
            progress(count)
    return gathered


def hashes(conn: Connection[Any]) -> Callable[[str, int], bytes | None]:
    """Looks up the hash of one event."""

    def look_up(stream: str, version: int) -> bytes | None:
        query = """
            SELECT hash FROM pitledger.events
            WHERE property = (SELECT property FROM pitledger.property) AND stream = %s AND version = %s"""
        with conn.cursor(row_factory=tuple_row) as cursor:
            row = cursor.execute(query, [stream, version]).fetchone()
        return bytes(row[0]) if row else None

    return look_up
