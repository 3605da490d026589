"""Drop boxes from the table to the count: installed, removed, secured, counted blind.

A box that the ledger saw hang is counted twice, the second time by somebody who has not seen the first
count. Where two counts differ, a third that agrees with one of them decides, or a resolution that two sign.
The latest count stands until then. A count that was written down is never edited.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from domain import commands as c
from domain import events as e
from domain.box import Box
from domain.commands import Actor, Role
from domain.gaming_day import GamingDay
from domain.money import dollars
from domain.refusals import Reason, Refusal
from domain.subject import Caused, Elsewhere, Look
from domain.table import Count, Counted, Table


def box_seen(box: str, day: object, look: Look) -> Box:
    """A box of a gaming day as it stands."""
    found = look(f"box:{box}:{day}")
    assert isinstance(found, Box), box
    return found


def day_seen(day: object, look: Look) -> GamingDay:
    """A gaming day as it stands."""
    found = look(f"day:{day}")
    assert isinstance(found, GamingDay), day
    return found


# ------------------------------------------------------------------------------------- the box's way


def install_box(command: c.InstallBox, box: Box, look: Look) -> Caused:
    """An empty drop box is locked to a table."""
    _security(command.by, "installs")
    _not_yet_there(command.box, box, command.gaming_day, look)
    return [*_installed(command.box, command.table, command.gaming_day, emergency=False)]


def remove_box(command: c.RemoveBox, box: Box, look: Look) -> Caused:
    """A drop box is taken off its table."""
    _security(command.by, "removes")
    table = _hanging(command.box, box)
    return [e.DropBoxRemoved(box=command.box, table=table, removed_by=command.by.badge)]


def emergency_drop(command: c.EmergencyDrop, box: Box, look: Look) -> Caused:
    """A box is taken off its table outside the schedule, another put in its place."""
    _security(command.by, "removes")
    table, day = _hanging(command.box, box), command.gaming_day
    _not_yet_there(command.replacement, box_seen(command.replacement, day, look), day, look)
    hung, *listed = _installed(command.replacement, table, day, emergency=True)
    made = e.EmergencyDropMade(
        box=command.box, table=table, replacement=command.replacement, reason=command.reason
    )
    removed = e.DropBoxRemoved(box=command.box, table=table, removed_by=command.by.badge)
    assert not isinstance(hung, Elsewhere), hung
    return [removed, made, Elsewhere(f"box:{command.replacement}:{day}", hung), *listed]


def secure_box(command: c.SecureBox, box: Box, look: Look) -> Caused:
    """A removed box is locked away until the count."""
    _security(command.by, "secures")
    if not box.installed:
        raise Refusal(Reason.NO_SUCH_BOX, f"box {command.box} hung at no table that day")
    if not box.removed or box.secured:
        raise Refusal(
            Reason.WRONG_PHASE,
            f"box {command.box} {'is secured already' if box.secured else 'still hangs at its table'}",
        )
    return [e.DropBoxSecured(box=command.box, where=command.where, secured_by=command.by.badge)]


def counterfeit(command: c.Counterfeit, box: Box, look: Look) -> Caused:
    """A note or chip in a box that is no money: left out of the count, and an exception."""
    _count_team(command.by)
    if box.table is None:
        raise Refusal(Reason.NO_SUCH_BOX, f"box {command.box} hung at no table that day")
    found = e.CounterfeitFound(box=command.box, table=box.table, amount=command.amount, what=command.what)
    raised = e.ExceptionRaised(
        gaming_day=command.gaming_day,
        exception=f"counterfeit:{command.id}",
        kind="counterfeit",
        subject=command.box,
        table=box.table,
        amount=command.amount,
        text=f"{command.what} of {dollars(command.amount)} in box {command.box}",
        raised_by=command.by.badge,
    )
    return [found, Elsewhere(f"day:{command.gaming_day}", raised)]


# ------------------------------------------------------------------------------------- the count


class Counts(NamedTuple):
    """All counts of one box, in order of their passes."""

    counts: list[Counted]
    resolved: bool

    @classmethod
    def of(cls, box: str, table: Table) -> "Counts":
        """The counts of a box that are in a table's books."""
        passes = sorted(key for key in table.counts if key[0] == box)
        return cls([table.counts[key] for key in passes], box in table.resolved)

    @property
    def seen_by(self) -> frozenset[str]:
        """Everybody who knows what an earlier count found: none of them may count again."""
        return frozenset().union(*(count.seen_by for count in self.counts))

    @property
    def settled(self) -> bool:
        """Whether two counts say the same, or two have signed which stands."""
        figures = [count.figures for count in self.counts]
        return self.resolved or len(set(figures)) < len(figures)

    @property
    def differ(self) -> bool:
        """Whether the counts contradict each other, and nobody has signed which stands."""
        return len(self.counts) > 1 and not self.settled


def wanting(name: str, box: Box, table: Table) -> str | None:
    """What is missing of a box before the day can close, in words; None where nothing is.

    A box that the ledger saw hang is counted twice; of one that it only heard counted, once will do.
    """
    counts = Counts.of(name, table)
    if not counts.counts:
        return "has not been counted" if box.removed else "hangs at its table, uncounted"
    if counts.differ:
        return "was counted with different results"
    return None if counts.settled or not box.installed else "has been counted only once"


def count_drop(command: c.CountDrop, table: Table, look: Look) -> Caused:
    """One blind count of a box; the table's drop is the latest count until the counts agree."""
    _count_team(command.by)
    counts = Counts.of(command.box, table)
    _may_count(command, box_seen(command.box, table.gaming_day, look), counts, table)
    figures = (c.total(command.cash), command.markers, command.slips)
    counted = _stands(command.box, figures, command.pass_, command.by, table)
    cash = None if isinstance(command.cash, int) else dict(command.cash)
    seen = counted.model_copy(update={"seen_by": command.seen_by, "denominations": cash})
    earlier = [count.figures for count in counts.counts]
    if not earlier or figures in earlier:
        return [seen]
    return [seen, e.DropCountsDiffered(box=command.box, first=sum(earlier[-1]), second=sum(figures))]


def resolve_count(command: c.ResolveCount, table: Table, look: Look) -> Caused:
    """Two sign which figures stand for a box whose counts differed."""
    _count_team(command.by)
    counts, approver = Counts.of(command.box, table), command.approved_by
    if not counts.differ:
        raise Refusal(Reason.WRONG_PHASE, f"no two counts of box {command.box} differ")
    if approver.badge == command.by.badge or approver.badge in counts.seen_by:
        raise Refusal(Reason.NO_AUTHORITY, f"{approver.badge} counted or proposes; somebody else approves")
    figures = (command.cash, command.markers, command.slips)
    resolved = e.DropCountResolved(
        box=command.box,
        cash=command.cash,
        markers=command.markers,
        slips=command.slips,
        reason=command.reason,
        resolved_by=command.by.badge,
        approved_by=approver.badge,
    )
    after = 1 + max(number for box, number in table.counts if box == command.box)
    return [resolved, _stands(command.box, figures, after, command.by, table)]


def _stands(box: str, figures: Count, count_pass: int, by: Actor, table: Table) -> e.DropCounted:
    """What is in a box from now on, in the place of what was."""
    was = table.boxes.get(box, (0, 0, 0))
    return e.DropCounted(
        box=box,
        cash=figures[0],
        markers=figures[1],
        slips=figures[2],
        count_pass=count_pass,
        was_cash=was[0],
        was_markers=was[1],
        was_slips=was[2],
        signed_by=by.badge,
        signed_as=by.role,
    )


def _may_count(command: c.CountDrop, box: Box, counts: Counts, table: Table) -> None:
    if box.installed and box.table != command.table:
        raise Refusal(Reason.NO_SUCH_BOX, f"box {command.box} hung at {box.table}, not at {command.table}")
    if box.installed and not box.removed:
        raise Refusal(Reason.WRONG_PHASE, f"box {command.box} still hangs at {box.table}")
    if (command.box, command.pass_) in table.counts or counts.settled:
        raise Refusal(Reason.TOO_LATE, f"count {command.pass_} of box {command.box} is written down for good")
    if command.by.badge in counts.seen_by:
        raise Refusal(
            Reason.NO_AUTHORITY, f"{command.by.badge} has seen an earlier count of box {command.box}"
        )


# ------------------------------------------------------------------------------------- who and where


def _listed(box: str, table: str, day: Any) -> Elsewhere:
    return Elsewhere(f"day:{day}", e.DayItemListed(gaming_day=day, kind="box", item=box, table=table))


def _installed(box: str, table: str, day: Any, *, emergency: bool) -> Caused:
    hung = e.DropBoxInstalled(box=box, table=table, gaming_day=day, emergency=emergency)
    return [hung, _listed(box, table, day)]


def _not_yet_there(box: str, state: Box, day: Any, look: Look) -> None:
    if day_seen(day, look).is_sealed:
        raise Refusal(Reason.DAY_SEALED, f"gaming day {day} is closed")
    if state.installed:
        raise Refusal(Reason.WRONG_PHASE, f"box {box} hung at {state.table} that day already")


def _hanging(box: str, state: Box) -> str:
    if not state.installed or state.table is None:
        raise Refusal(Reason.NO_SUCH_BOX, f"box {box} hangs at no table that day")
    if state.removed:
        raise Refusal(Reason.WRONG_PHASE, f"box {box} is off its table already")
    return state.table


def _security(who: Actor, what: str) -> None:
    if who.role != Role.SECURITY:
        raise Refusal(Reason.NO_AUTHORITY, f"security {what} drop boxes, not {who.role}")


def _count_team(who: Actor) -> None:
    if who.role != Role.COUNT:
        raise Refusal(Reason.NO_AUTHORITY, f"boxes are counted by the count team, not by {who.role}")


ON_BOX: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    c.InstallBox: install_box,
    c.RemoveBox: remove_box,
    c.EmergencyDrop: emergency_drop,
    c.SecureBox: secure_box,
    c.Counterfeit: counterfeit,
}
AT_TABLE: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    c.CountDrop: count_drop,
    c.ResolveCount: resolve_count,
}
