"""A drop box of one gaming day as its events have made it: where it is. The counts stand with its table."""

from datetime import date

from domain import events as e


class Box:
    """One box and gaming day."""

    def __init__(self) -> None:
        self.version = 0
        self.table: str | None = None
        self.gaming_day: date | None = None
        self.removed = False
        self.secured = False

    def apply(self, event: e.Happened) -> None:
        """Remember the next event of the box."""
        self.version += 1
        match event:
            case e.DropBoxInstalled():
                self.table, self.gaming_day = event.table, event.gaming_day
            case e.DropBoxRemoved():
                self.removed = True
            case e.DropBoxSecured():
                self.secured = True
            case _:
                """A refusal or a remark changes nothing."""

    @property
    def installed(self) -> bool:
        """Whether the ledger saw it hang at a table."""
        return self.table is not None
