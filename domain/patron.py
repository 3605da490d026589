"""A patron's account with the house as its events have made it: front money, and markers unpaid."""

from domain import events as e


class Patron:
    """One patron. Cents."""

    def __init__(self) -> None:
        self.version = 0
        self.has_deposited = False
        self.front_money = 0
        self.credit_limit: int | None = None  # nobody has said
        self.markers: dict[str | None, int] = {}  # number -> unpaid; None for those without one

    def apply(self, event: e.Happened) -> None:
        """Remember the next event of the account."""
        self.version += 1
        match event:
            case e.FrontMoneyDeposited():
                self.has_deposited = True
                self.front_money += event.amount
            case e.FrontMoneyWithdrawn():
                self.front_money -= event.amount
            case e.MarkerIssued():
                self._owe(event.marker, event.amount)
            case e.CreditLimitSet():
                self.credit_limit = event.limit
            case e.MarkerPaid() | e.MarkerWrittenOff():
                self._owe(event.marker, -event.amount)
            case _:
                """Chips bought and sold, and refusals, leave the account as it is."""

    def _owe(self, marker: str | None, amount: int) -> None:
        self.markers[marker] = self.markers.get(marker, 0) + amount

    @property
    def owed(self) -> int:
        """Everything unpaid."""
        return sum(self.markers.values())
