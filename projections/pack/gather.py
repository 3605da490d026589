"""One reading of a gaming day's events, from the first to the last, for everything that the pack says.

What adds up many events is added up as they pass; what is a row of its own (a slip, a count, a correction)
is kept. Memory holds what a day's paper holds, never the wagers.
"""

from collections.abc import Callable
from datetime import date
from typing import Any

from psycopg import Connection

from domain import events as e
from domain.books import Money, money
from domain.postings import postings
from projections import disputes
from projections.day_events import DayEvent, events_of
from projections.pack.archive import Archive
from projections.pack.journal import Gathering, Spool
from projections.pack.papers import KEPT, Papers
from projections.pack.shifts import TableShifts
from projections.pack.staff import COUNTED, Staff
from projections.projection import Fact
from projections.rows import Row
from projections.title_31 import SPEAK_OF_CASH, Cash, CashWatch, speaks_of_cash

_MOVE_NO_ACCOUNT = frozenset(
    "WagerPlaced WagerPressed WagerReduced WagerTakenDown WagerRestored WagerMoved WagerTurnedOn "
    "WagerTurnedOff RollCalled NoRollCalled RollOverruled PuckMoved DiceWentOut DicePassed ShooterAssigned "
    "CommandRefused CashLaid CashDeclared UndeclaredCash".split()
)
"""What is nearly all of a day and posts nothing: not decoded for the books."""
_OF_CASH = frozenset(SPEAK_OF_CASH)
_OF_A_DISPUTE = "dispute:"  # what its events say of times is kept as times


class Gathered:
    """What one reading of a gaming day leaves. Where it is wanted, `spool` keeps every entry by itself."""

    def __init__(self, day: date, spool: Spool | None = None) -> None:
        self.day = day
        self.entries = Gathering(day)
        self.spool = spool
        self.papers = Papers()
        self.staff = Staff()
        self.tables: dict[str, TableShifts] = {}
        self.disputes: dict[str, Row] = {}
        self.cash: list[Cash] = []
        self.known_at: str | None = None
        self.closed_at: int | None = None  # the position of the day's seal
        self.corrected_since = False
        self._watch = CashWatch()
        self._shift = ""  # of the house

    def take(self, said: DayEvent) -> None:
        """The next event of the day."""
        self.known_at = max(self.known_at or "", said.utc_recorded_at)
        if said.step == 0 or said.name in COUNTED:
            self.staff.take(said)
        wanted = said.name not in _MOVE_NO_ACCOUNT or said.name in KEPT
        cash = said.name in _OF_CASH and speaks_of_cash(said)
        if wanted or cash:
            event = said.event if said.stream.startswith(_OF_A_DISPUTE) else said.plain
            if cash:
                self.cash += self._watch.seen(said, event)
            if wanted:
                self._read(said, event)
        if said.table:
            self._at(said.table).pass_by(said)

    def _at(self, table: str) -> TableShifts:
        if (shifts := self.tables.get(table)) is None:
            shifts = self.tables[table] = TableShifts(table, self.day)
        return shifts

    def _read(self, said: DayEvent, event: e.Happened) -> None:
        moved = money(event)
        shift, number = self._turn_shift(said, event, moved)
        if entry := postings(event, said.table, moved):
            self.entries.take(said.table or "", shift, said.name, said.position, entry, number)
            if self.spool is not None:
                self.spool.take(said.table or "", shift, said.name, said.position, entry)
        if said.stream.startswith(_OF_A_DISPUTE):
            disputes.fold(self.disputes, [Fact(said.table or "", self.day, said, event, moved)])
        if said.name in KEPT:
            self.papers.take(said, event)
        if isinstance(event, e.GamingDayClosed):
            self.closed_at = said.position
        self.corrected_since |= isinstance(event, e.CorrectionRecorded) and event.sealed
        self.corrected_since |= isinstance(event, e.InventoryVarianceFound) and self.closed_at is not None

    def _turn_shift(self, said: DayEvent, event: e.Happened, moved: Money) -> tuple[str, int]:
        """The shift in which an event counts: its name at the table or else in the house, and its number."""
        if isinstance(event, e.ShiftOpened | e.ShiftClosed):
            self._shift = event.shift if isinstance(event, e.ShiftOpened) else ""
        table = said.table or getattr(event, "table", None)  # where a box hangs its own event says
        if not table:
            return self._shift, 0
        shift = self._at(table).take(said, event, moved, self._shift)
        return shift.name or self._shift, shift.number


def gather(
    conn: Connection[Any],
    day: date,
    archive: Archive,
    progress: Callable[[int], None],
    spool: Spool | None = None,
) -> Gathered:
    """Read a gaming day once; `progress` is told how many events have passed."""
    gathered = Gathered(day, spool)
    for count, said in enumerate(events_of(conn, day), 1):
        archive.add(said)
        gathered.take(said)
        if count % 5_000 == 0:
            progress(count)
    return gathered
