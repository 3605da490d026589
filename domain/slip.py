"""A numbered fill or credit slip as its events have made it: who signed, how far it came."""

from datetime import date
from typing import Any, Literal

from domain import events as e

Status = Literal["blank", "requested", "in_transit", "done", "void"]


class Slip:
    """One numbered form, from blank to done or void."""

    def __init__(self) -> None:
        self.version = 0
        self.kind: Literal["fill", "credit"] | None = None
        self.status: Status = "blank"
        self.table: str | None = None
        self.gaming_day: date | None = None
        self.amount = 0
        self.denominations: dict[str, int] | None = None
        self.signers: set[str] = set()

    def apply(self, event: e.Happened) -> None:
        """Remember the next event of the slip."""
        self.version += 1
        match event:
            case e.FillRequested() | e.CreditRequested():
                self._asked("fill" if isinstance(event, e.FillRequested) else "credit", event)
            case e.FillDispatched():
                self._moves("fill", event)
                in_one_step = event.dispatched_by is None
                self._sign("done" if in_one_step else "in_transit", event.dispatched_by, event.carried_by)
            case e.CreditDispatched():
                self._sign("in_transit", event.dispatched_by, event.carried_by)
            case e.CreditReceived():
                self._moves("credit", event)
                self._sign("done", event.received_by)
            case e.FillDelivered():
                self._sign("done", event.received_by)
            case e.FillVoided() | e.CreditVoided() | e.BlankSlipVoided():
                self._sign("void", event.approved_by)
            case _:
                """A refusal changes nothing."""

    def _asked(self, kind: Literal["fill", "credit"], event: e.FillRequested | e.CreditRequested) -> None:
        self._moves(kind, event)
        self._sign("requested", event.requested_by)

    def _moves(self, kind: Literal["fill", "credit"], event: Any) -> None:
        self.kind, self.table, self.gaming_day = kind, event.table, event.gaming_day
        self.amount, self.denominations = event.amount, event.denominations

    def _sign(self, status: Status, *badges: str | None) -> None:
        self.status = status
        self.signers |= {badge for badge in badges if badge is not None}
