"""A disputed roll as its events have made it: the claim, the rulings, what was paid, whether it is closed.

`Dispute.apply` evolves it one event at a time, in stream order. It never fails and never consults a policy.
"""

from datetime import date
from typing import Literal, NamedTuple

from domain import events as e


class Ruled(NamedTuple):
    """A ruling: what it gives the player, in cents, and by whom. What may overrule it depends on who."""

    ruling: Literal["upheld", "denied", "settled_in_part"]
    amount: int
    badge: str
    role: str


class Dispute:
    """One dispute. `version` counts the events applied, as the stream does."""

    def __init__(self) -> None:
        self.version = 0
        self.opened: e.DisputeOpened | None = None
        self.rulings: list[Ruled] = []
        self.paid = 0  # cents to the player so far
        self.settled_under: Ruled | None = None  # the ruling under which money moved last
        self.notified = False
        self.closed = False

    def apply(self, event: e.Happened) -> None:
        """Remember `event`, the next one of the stream."""
        self.version += 1
        match event:
            case e.DisputeOpened():
                self.opened = event
            case e.RulingMade():
                self.rulings.append(Ruled(event.ruling, event.amount, event.badge, event.role))
            case e.DisputeSettled():
                self.paid += event.amount
                self.settled_under = self.stands
            case e.RegulatorNotified():
                self.notified = True
            case e.DisputeClosed():
                self.closed = True

    @property
    def gaming_day(self) -> date | None:
        """The day whose books it concerns."""
        return self.opened.gaming_day if self.opened else None

    @property
    def stands(self) -> Ruled | None:
        """The ruling that stands."""
        return self.rulings[-1] if self.rulings else None

    @property
    def due(self) -> int:
        """What the ruling that stands still gives the player (negative: what he has to give back)."""
        return (self.stands.amount if self.stands else 0) - self.paid

    @property
    def is_settled(self) -> bool:
        """Whether nothing is due, or the parties have settled for less under the ruling that stands."""
        return self.due == 0 or self.settled_under is self.stands
