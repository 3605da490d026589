"""A table's gaming day by its shifts: each from a count of the rack to the next, folded as the day is.

A cut of the accounts ends a shift on its count, and the next begins on the same one; so does a table that
opens again under another shift, on the closer that its tray was locked with. What an event does counts in
the shift in which it happened, whatever shift it speaks of; only what a drop box holds, which nobody knows
before the count, counts in the shift in which the box hung.
"""

from collections.abc import Callable, Iterator
from datetime import date
from fractions import Fraction

from orjson import loads

from domain import events as e
from domain.books import Money
from projections import reconcile, win
from projections.day_events import DayEvent
from projections.rows import Row

_CALLS = ("RollCalled", "NoRollCalled")
_TURNS = frozenset({e.TableOpened, e.TableCut})
_TAKEN_OTHERWISE = frozenset(
    {
        *(e.DropBoxInstalled, e.DropBoxRemoved, e.DropCounted, e.CorrectionRecorded),
        *(e.MarkerIssued, e.MarkerPaid, e.BuyInAccepted, e.MarkerRedeemed, e.RimCreditSettled),
    }
)
_OF_A_BOX = ("drop_cash", "drop_markers", "drop_slips")
_NEVER_HUNG = "was never seen to hang: of which shift it is cannot be told"
_HUNG_ON = "hung in more than one shift"


class Shift:
    """One shift of a table in the making: `known` is its row, as `projections.win` folds that of a day."""

    __slots__ = ("credit", "first", "house", "known", "last", "name", "number")

    def __init__(self, number: int, known: Row, name: str | None, house: str) -> None:
        self.number = number  # 1, 2, 3, ... at this table and gaming day
        self.known = known
        self.name = name or ""
        self.house = house  # the shift that was on in the house when this one began
        self.first = self.last = 0
        self.credit = {"issued_at_table": 0, "paid_at_table": 0}


class TableShifts:
    """The shifts of one table and gaming day, and the boxes that hung at it."""

    def __init__(self, table: str, day: date) -> None:
        self._shifts = [Shift(1, win.new_row(table, day), None, "")]
        self._opened = False
        self._cut_by: str | None = None  # the command of the last cut: its count ends the shift before
        self._hanging: set[str] = set()
        self._hung: dict[str, Shift] = {}  # box -> when it was hung
        self._used: dict[str, list[Shift]] = {}  # box -> when it saw a roll or took anything
        self._boxes = win.new_row(table, day)  # as counted, whichever shift they hung in

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last event of the table's day."""
        return self._shifts[0].first, self._shifts[-1].last

    def pass_by(self, said: DayEvent) -> None:
        """See every event at the table; the stakes of wagers are all that need be known of most."""
        shift = self._of(said)
        shift.first = shift.first or said.position
        shift.last = said.position
        if said.name == "WagerPlaced":
            shift.known["placed"] += loads(said.data)["amount"]
        elif said.name == "WagerPressed":
            pressed = loads(said.data)
            shift.known["placed"] += pressed["to"] - pressed["was"]
        elif said.name in _CALLS:
            self._use_boxes(shift)

    def take(self, said: DayEvent, event: e.Happened, moved: Money, house: str) -> Shift:
        """Take what an event did; answers in which shift. `house` is the one that is on in the house."""
        kind = type(event)
        if kind in _TURNS:
            self._turn(said, event, house)
        shift = self._of(said)
        if kind in _TAKEN_OTHERWISE:
            self._take_otherwise(shift, event, moved)
        else:
            win.take(shift.known, event, moved)
        return shift

    def _take_otherwise(self, shift: Shift, event: e.Happened, moved: Money) -> None:
        match event:
            case e.DropBoxInstalled():
                self._hanging.add(event.box)
                self._hung[event.box] = shift
            case e.DropBoxRemoved():
                self._hanging.discard(event.box)
            case e.DropCounted():
                win.take(self._boxes, event, moved)
            case e.CorrectionRecorded():
                self._put_right(shift, event, moved)
            case e.MarkerIssued(at="table"):
                shift.credit["issued_at_table"] += event.amount
            case e.MarkerPaid(at="table"):
                shift.credit["paid_at_table"] += event.amount
            case e.BuyInAccepted() | e.MarkerRedeemed() | e.RimCreditSettled():
                if event.tender != "chips" or isinstance(event, e.MarkerRedeemed):  # whose slip is dropped
                    self._use_boxes(shift)
                win.take(shift.known, event, moved)

    def _turn(self, said: DayEvent, event: e.Happened, house: str) -> None:
        now = self._shifts[-1]
        match event:
            case e.TableCut():
                now.known["closer"] = event.counted
                self._cut_by = said.command
                self._begin(event.shift, house)
            case e.TableOpened() if not self._opened:
                self._opened = True
                now.name, now.house = event.shift or "", house
            case e.TableOpened() if event.shift not in (None, now.name):
                self._begin(event.shift, house)

    def _of(self, said: DayEvent) -> Shift:
        """The shift that an event counts in: what comes of a cut still ends the one before."""
        return self._shifts[-2] if said.command == self._cut_by else self._shifts[-1]

    def _begin(self, name: str | None, house: str) -> None:
        """The next shift, on the count that ended the one before; a roll of that one may yet be overruled."""
        before = self._shifts[-1].known
        carried = {said: before[said] for said in ("rules", "terms", "last_roll")}
        known = win.new_row(before["table_name"], before["gaming_day"])
        known.update(carried, opener=before["closer"])
        self._shifts.append(Shift(len(self._shifts) + 1, known, name, house))

    def _use_boxes(self, shift: Shift) -> None:
        for box in self._hanging:
            used = self._used.setdefault(box, [])
            if not used or used[-1] is not shift:
                used.append(shift)

    def _put_right(self, shift: Shift, event: e.CorrectionRecorded, moved: Money) -> None:
        """An opener that began another shift moves the count that this one began on by as much."""
        if event.what in _OF_A_BOX:
            win.take(self._boxes, event, moved)
        elif event.what == "opener" and shift is not self._shifts[0]:
            more = event.after - event.before
            shift.known["opener"] += more
            shift.known["opening_variance"] += 0 if event.from_cage else more
        else:
            win.take(shift.known, event, moved)

    # ------------------------------------------------------------------ what is said of them

    def rows(self, posted: Callable[[int], dict[str, int]]) -> list[Row]:
        """A row a shift, as `reconcile.rows` has one for the day; none where the day was one shift.

        `posted` is what a shift posted, by its number.
        """
        if len(self._shifts) == 1:
            return []
        self._sort_boxes()
        return [
            {**row, "shift": shift.name or shift.house or str(shift.number), "shift_number": shift.number}
            | {"first_event": shift.first or None, "last_event": shift.last or None}
            for shift, row in zip(self._shifts, self._reconciled(posted), strict=True)
        ]

    def _reconciled(self, posted: Callable[[int], dict[str, int]]) -> Iterator[Row]:
        """Theoretical wins are rounded together, so that those of the shifts add up to that of the day."""
        so_far = Fraction(0)
        for shift in self._shifts:
            row, exact = reconcile.of_shift(shift.known, posted(shift.number), shift.credit)
            row["theo_win"] = win.half_up(so_far + exact) - win.half_up(so_far)
            so_far += exact
            yield row

    def _sort_boxes(self) -> None:
        """Each box to the shift it hung in; one that hung on, or whose shift nobody knows, to none."""
        for shift in self._shifts:
            shift.known.update(hung=[], boxes={}, not_told={})
        for box in sorted({*self._hung, *self._boxes["boxes"]}):
            shifts = self._used.get(box) or [self._hung[box]] if box in self._hung else self._shifts
            if len(shifts) == 1:
                shifts[0].known["hung"].append(box)
                if box in self._boxes["boxes"]:
                    shifts[0].known["boxes"][box] = self._boxes["boxes"][box]
                continue
            for shift in shifts:
                shift.known["hung"].append(box)
                shift.known["not_told"][box] = _HUNG_ON if box in self._hung else _NEVER_HUNG
