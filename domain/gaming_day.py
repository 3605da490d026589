"""A gaming day as its events have made it: what must be accounted for, and what wants an explanation."""

from datetime import date
from typing import NamedTuple

from domain import events as e


class Unexplained(NamedTuple):
    """An exception: what it is about, what it adds up to in cents, who raised it, whether it is explained."""

    kind: str
    subject: str
    amount: int | None
    raised_by: frozenset[str]
    dispositioned: bool

    @property
    def is_open(self) -> bool:
        """A difference that was found and put right explains itself."""
        return not self.dispositioned and self.amount != 0


class GamingDay:
    """The books of one gaming day, from its first table to its seal."""

    def __init__(self) -> None:
        self.version = 0
        self.gaming_day: date | None = None
        self.is_open = False
        self.is_sealed = False
        self.threshold = 1  # cents: the least variance that wants an explanation
        self.shift: str | None = None
        self.boxes: dict[str, str] = {}  # installed: box -> table
        self.slips: list[str] = []  # asked for
        self.exceptions: dict[str, Unexplained] = {}
        self.transferred = 0  # cents of counted cash that went to the vault

    def apply(self, event: e.Happened) -> None:
        """Remember the next event of the day."""
        self.version += 1
        match event:
            case e.GamingDayOpened():
                self.gaming_day, self.is_open, self.threshold = event.gaming_day, True, event.threshold
            case e.GamingDayClosed():
                self.is_open, self.is_sealed, self.shift = False, True, None
            case e.ShiftOpened():
                self.shift = event.shift
            case e.ShiftClosed():
                self.shift = None
            case e.DayItemListed():
                self._list(event)
            case e.DropTransferredToVault():
                self.transferred += event.amount
            case e.ExceptionRaised():
                self._raise(event)
            case e.ExceptionDispositioned():
                raised = self.exceptions[event.exception]
                self.exceptions[event.exception] = raised._replace(dispositioned=True)
            case _:
                """Chips and cash of the cage, and refusals, leave nothing open."""

    def _list(self, event: e.DayItemListed) -> None:
        self.gaming_day = event.gaming_day
        if event.kind == "box":
            self.boxes.setdefault(event.item, event.table)
        else:
            self.slips.append(event.item)

    def _raise(self, event: e.ExceptionRaised) -> None:
        self.gaming_day = event.gaming_day
        before = self.exceptions.get(event.exception)
        amount, raised_by = event.amount, frozenset({event.raised_by})
        if before is not None:
            raised_by |= before.raised_by
            amount = amount if before.amount is None or amount is None else before.amount + amount
        raised = Unexplained(event.kind, event.subject, amount, raised_by, dispositioned=False)
        self.exceptions[event.exception] = raised

    def waived(self, kind: str, subject: str) -> bool:
        """Whether what is missing was made an exception and signed for."""
        return any(
            (raised.kind, raised.subject, raised.dispositioned) == (kind, subject, True)
            for raised in self.exceptions.values()
        )
