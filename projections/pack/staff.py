"""Who did what on one gaming day: a row a badge, role and table, out of the envelopes of the events."""

from datetime import datetime

from projections.day_events import DayEvent
from projections.pack.sheet import Row, Sheet, fields

_STAFF = fields(
    text="gaming_day badge role table first_at last_at",
    whole="commands calls overrules refusals corrections first_event last_event",
)
COUNTED = {
    "RollCalled": "calls",
    "NoRollCalled": "calls",
    "RollOverruled": "overrules",
    "CommandRefused": "refusals",
    "CorrectionRecorded": "corrections",
}
"""Which events are counted of a member of staff, beside the commands."""


class _Work:
    __slots__ = ("commands", "counts", "first_at", "first_event", "last_at", "last_event")

    def __init__(self, said: DayEvent) -> None:
        self.first_at: datetime = said.occurred_at
        self.last_at: datetime = said.occurred_at
        self.first_event = self.last_event = said.position
        self.commands = 0
        self.counts = dict.fromkeys(COUNTED.values(), 0)


class Staff:
    """Everybody who said anything, as the events pass."""

    def __init__(self) -> None:
        self._work: dict[tuple[str, str, str], _Work] = {}

    def take(self, said: DayEvent) -> None:
        """The next event that counts; the first that a command caused (step 0) stands for the command."""
        key = said.badge, said.role, said.table or ""
        if (work := self._work.get(key)) is None:
            work = self._work[key] = _Work(said)
        work.last_event = said.position
        work.first_at = min(work.first_at, said.occurred_at)
        work.last_at = max(work.last_at, said.occurred_at)
        work.commands += said.step == 0
        if said.name in COUNTED:
            work.counts[COUNTED[said.name]] += 1

    def sheet(self, day: str) -> Sheet:
        """All of them, in order of badge, role and table."""
        return Sheet("staff", _STAFF, [_row(day, *key, work) for key, work in sorted(self._work.items())])


def _row(day: str, badge: str, role: str, table: str, work: _Work) -> Row:
    return {
        "gaming_day": day,
        "badge": badge,
        "role": role,
        "table": table or None,
        "first_at": work.first_at.isoformat(),
        "last_at": work.last_at.isoformat(),
        "commands": work.commands,
        **work.counts,
        "first_event": work.first_event,
        "last_event": work.last_event,
    }
