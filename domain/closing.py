"""The gaming day: opened, kept in shifts, and closed when nothing is left to explain.

The gate: every table closed on a count, every box counted, every slip received or voided and no number
missing, every exception dispositioned by somebody other than who raised it. Something that cannot be had any
more (a box that is lost) is raised as an exception by its kind and name, and dispositioned. A closed day is
sealed, in its own stream and in those of its tables: what is said later about it is a correction, or explains
what one has shown.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

from domain import commands as c
from domain import events as e
from domain.commands import Role
from domain.count_room import box_seen, day_seen, wanting
from domain.events import Happened
from domain.fills import seen as slip_seen
from domain.gaming_day import GamingDay
from domain.money import dollars
from domain.refusals import Reason, Refusal
from domain.subject import Caused, Elsewhere, Look, table_stream
from domain.table import Table

CLOSES = (Role.AUDIT, Role.SHIFT_MANAGER)
EXPLAINS = (Role.AUDIT, Role.SHIFT_MANAGER, Role.PIT_MANAGER, Role.SURVEILLANCE)
LONGEST_GAP = 1000  # missing numbers that are looked up one by one


class Missing(NamedTuple):
    """Something that keeps a day from closing."""

    kind: str
    subject: str
    text: str


class _Day(NamedTuple):
    """Everything that a gaming day must account for."""

    gaming_day: date
    day: GamingDay
    tables: dict[str, Table]
    boxes: dict[str, str]  # box -> table
    slips: list[str]


def _everything(gaming_day: date, look: Look) -> _Day:
    day = day_seen(gaming_day, look)
    tables = {name: _table(table_stream(name, gaming_day), look) for name in look.opened_on(gaming_day)}
    boxes = {box: name for name, table in tables.items() for box in table.boxes}
    slips = [item for table in tables.values() for what, item in table.figures if what in _ON_SLIPS]
    return _Day(gaming_day, day, tables, day.boxes | boxes, list(filter(None, {*day.slips, *slips})))


def _table(stream: str, look: Look) -> Table:
    table = look(stream)
    assert isinstance(table, Table), stream
    return table


_ON_SLIPS = ("fill", "credit")


# ------------------------------------------------------------------------------------- the day


def open_day(command: c.OpenDay, day: GamingDay, look: Look) -> Caused:
    """The books of a gaming day open; tables may have come before."""
    _unsealed(day)
    if day.is_open:
        raise Refusal(Reason.WRONG_PHASE, f"gaming day {command.gaming_day} is open already")
    return [e.GamingDayOpened(gaming_day=command.gaming_day, threshold=command.threshold)]


def close_day(command: c.CloseDay, day: GamingDay, look: Look) -> Caused:
    """The books close and every table of the day is sealed. Refused with the list of what is open."""
    _unsealed(day)
    if command.by.role not in CLOSES:
        raise Refusal(Reason.NO_AUTHORITY, f"audit or the shift manager closes a day, not {command.by.role}")
    everything = _everything(command.gaming_day, look)
    if found := _missing(everything, look):
        texts = "; ".join(one.text for one in found)
        raise Refusal(Reason.DAY_NOT_READY, f"{len(found)} open: {texts}"[:1000])
    closed = e.GamingDayClosed(
        gaming_day=command.gaming_day,
        tables=tuple(everything.tables),
        boxes=tuple(everything.boxes),
        slips=tuple(sorted(everything.slips)),
        exceptions=len(day.exceptions),
    )
    caused: Caused = [closed]
    for name, table in everything.tables.items():
        stream = table_stream(name, command.gaming_day)
        caused += [Elsewhere(stream, event) for event in _sealed(table, command.gaming_day)]
    return caused


def _sealed(table: Table, day: Any) -> list[Happened]:
    """What players kept on their rails has walked, in the books of a day that is over."""
    walked = [e.PlayerWalked(player=player, amount=rail) for player, rail in table.rails.items() if rail > 0]
    return [*walked, e.DaySealed(gaming_day=day, overnight={gone.player: gone.amount for gone in walked})]


def transfer_drop(command: c.TransferDrop, day: GamingDay, look: Look) -> Caused:
    """Counted cash goes to the vault, no more than was counted that day."""
    _unsealed(day)
    if command.by.role != Role.COUNT or command.received_by.role not in (Role.CAGE, Role.AUDIT):
        raise Refusal(Reason.NO_AUTHORITY, "the count room hands its cash to the cage or to audit")
    tables = _everything(command.gaming_day, look).tables.values()
    left = sum(table.counted_drop[0] for table in tables) - day.transferred
    if command.amount > left:
        there = f"{dollars(left)} of counted cash is left"
        raise Refusal(Reason.INSUFFICIENT_FUNDS, f"{there}, not {dollars(command.amount)}")
    return [e.DropTransferredToVault(amount=command.amount, received_by=command.received_by.badge)]


def open_shift(command: c.OpenShift, day: GamingDay, look: Look) -> Caused:
    """A shift begins when the one before has ended."""
    _unsealed(day)
    if day.shift is not None:
        raise Refusal(Reason.WRONG_PHASE, f"shift {day.shift} is still on")
    return [e.ShiftOpened(shift=command.shift)]


def close_shift(command: c.CloseShift, day: GamingDay, look: Look) -> Caused:
    """The shift that is on ends."""
    _unsealed(day)
    if day.shift != command.shift:
        raise Refusal(Reason.WRONG_PHASE, f"{day.shift or 'no shift'} is on, not {command.shift}")
    return [e.ShiftClosed(shift=command.shift)]


# ------------------------------------------------------------------------------------- what is missing


def missing(gaming_day: date, look: Look) -> list[Missing]:
    """Everything that keeps a day from closing, in order: tables, boxes, slips, numbers, exceptions."""
    return _missing(_everything(gaming_day, look), look)


def _missing(everything: _Day, look: Look) -> list[Missing]:
    found = [*_tables(everything), *_boxes(everything, look), *_slips(everything, look)]
    found += _gaps(everything.slips, look)
    day = everything.day
    return [one for one in found if not day.waived(one.kind, one.subject)] + list(_unexplained(day))


def _tables(everything: _Day) -> Iterator[Missing]:
    for name, table in everything.tables.items():
        if table.is_open:
            yield Missing("table", name, f"table {name} is open")
        elif name not in everything.boxes.values():
            yield Missing("table", name, f"no drop box of table {name} has been counted")


def _boxes(everything: _Day, look: Look) -> Iterator[Missing]:
    for box, table in everything.boxes.items():
        at = everything.tables.get(table, Table())
        if wants := wanting(box, box_seen(box, everything.gaming_day, look), at):
            yield Missing("box", box, f"box {box} of {table} {wants}")


def _slips(everything: _Day, look: Look) -> Iterator[Missing]:
    for number in sorted(everything.slips):
        slip = slip_seen(number, look)
        if slip.status not in ("done", "void"):
            yield Missing("slip", number, f"{slip.kind} {number} is {slip.status.replace('_', ' ')}")


_NUMBERED = re.compile(r"(.*?)(\d{1,18})$", re.DOTALL)


def _gaps(slips: list[str], look: Look) -> Iterator[Missing]:
    """Numbers left out between those that were used that day, and used on no other."""
    series: dict[str, dict[int, int]] = {}
    for slip in slips:
        if found := _NUMBERED.match(slip):
            series.setdefault(found[1], {})[int(found[2])] = len(found[2])
    for prefix, numbers in series.items():
        used = sorted(numbers)
        for before, after in pairwise(used):
            yield from _between(prefix, before, after, numbers[before], look)


def _between(prefix: str, before: int, after: int, width: int, look: Look) -> Iterator[Missing]:
    numbers = [f"{prefix}{number:0{width}}" for number in range(before + 1, min(after, before + LONGEST_GAP))]
    for number in numbers:
        if slip_seen(number, look).status == "blank":
            yield Missing("slip", number, f"slip {number} is missing")
    if after - before > LONGEST_GAP:
        rest = f"{prefix}{before + LONGEST_GAP:0{width}}"
        yield Missing("slip", rest, f"slips {rest} to {prefix}{after - 1:0{width}} are missing")


def _unexplained(day: GamingDay) -> Iterator[Missing]:
    for name, raised in day.exceptions.items():
        if raised.is_open:
            amount = "" if raised.amount is None else f" of {dollars(raised.amount)}"
            yield Missing("exception", name, f"{name}{amount} has no disposition")


# ------------------------------------------------------------------------------------- exceptions


def raise_exception(command: c.RaiseException, day: GamingDay, look: Look) -> Caused:
    """Somebody wants an explanation."""
    _unsealed(day)
    return [
        e.ExceptionRaised(
            gaming_day=command.gaming_day,
            exception=f"{command.kind}:{command.subject}",
            kind=command.kind,
            subject=command.subject,
            table=command.table,
            amount=command.amount,
            text=command.text,
            raised_by=command.by.badge,
        )
    ]


def disposition(command: c.Disposition, day: GamingDay, look: Look) -> Caused:
    """What became of an exception, signed by somebody other than who raised it.

    It explains a figure and changes none, so the seal of a closed day stands; what came to light after it is
    signed for by those who may close a day.
    """
    raised = day.exceptions.get(command.exception)
    if raised is None:
        raise Refusal(Reason.NO_SUCH_EXCEPTION, f"no exception {command.exception} was raised that day")
    if not raised.is_open:
        raise Refusal(Reason.WRONG_PHASE, f"{command.exception} is explained already")
    if command.by.role not in EXPLAINS:
        raise Refusal(Reason.NO_AUTHORITY, f"{command.by.role} does not dispose of exceptions")
    if day.is_sealed and command.by.role not in CLOSES:
        raise Refusal(
            Reason.NO_AUTHORITY,
            f"gaming day {day.gaming_day} is closed: audit or the shift manager explains what came to light "
            f"since, not {command.by.role}",
        )
    if command.by.badge in raised.raised_by:
        raise Refusal(Reason.NO_AUTHORITY, f"{command.by.badge} raised it; somebody else disposes of it")
    return [
        e.ExceptionDispositioned(
            exception=command.exception,
            text=command.text,
            dispositioned_by=command.by.badge,
            sealed=day.is_sealed,
        )
    ]


class _Found(NamedTuple):
    """A difference that an event shows: what kind, about what, how much in cents, in words."""

    kind: str
    subject: str
    amount: int
    text: str

    @property
    def name(self) -> str:
        """The exception that all differences of this kind about this subject add up in."""
        return f"{self.kind}:{self.subject}"


def found_at(gaming_day: Any, events: list[Happened], command: c.Command, look: Look) -> Caused:
    """The exceptions that what was found at a table raises by itself, in the day's stream."""
    shows = [_FOUND[type(event)](event, command.table or "") for event in events if type(event) in _FOUND]
    if not shows:
        return []
    day = day_seen(gaming_day, look)
    worth = [one for one in shows if abs(one.amount) >= day.threshold or one.name in day.exceptions]
    return [Elsewhere(f"day:{gaming_day}", _raised(one, gaming_day, command)) for one in worth]


def _raised(found: _Found, gaming_day: Any, command: c.Command) -> e.ExceptionRaised:
    return e.ExceptionRaised(
        gaming_day=gaming_day,
        exception=found.name,
        kind=found.kind,
        subject=found.subject,
        table=command.table,
        amount=found.amount,
        text=found.text,
        raised_by=command.by.badge,
    )


def _inventory(found: e.InventoryVarianceFound, table: str) -> _Found:
    over = "over" if found.difference > 0 else "short of"
    kind, against = _AGAINST[found.against]
    text = f"rack of {table} {dollars(abs(found.difference))} {over} {against}"
    return _Found(kind, table, found.difference, text)


_AGAINST = {
    "book": ("inventory_variance", "the books"),
    "preceding_closer": ("opening_variance", "the closer it was locked with"),
    "corrected_closer": ("opening_variance", "the closer it was locked with, as that was put right"),
}


def _drop(found: e.DropVarianceFound, table: str) -> _Found:
    over = "over" if found.difference > 0 else "short of"
    text = f"boxes of {table} {dollars(abs(found.difference))} {over} the books"
    return _Found("drop_variance", table, found.difference, text)


def _mispay(found: e.MispayFound, table: str) -> _Found:
    crew = "".join(
        f", {what} {who}" for what, who in (("dealer", found.dealer), ("box", found.boxman)) if who
    )
    text = (
        f"roll {found.roll} at {table}: {found.wager} of {found.player} was paid {dollars(found.paid)} "
        f"for {dollars(found.owed)}{crew}"
    )
    return _Found("mispay", f"{table}:{found.wager}", found.difference, text)


_FOUND: dict[type[e.Happened], Callable[[Any, str], _Found]] = {
    e.InventoryVarianceFound: _inventory,
    e.DropVarianceFound: _drop,
    e.MispayFound: _mispay,
}


def _unsealed(day: GamingDay) -> None:
    if day.is_sealed:
        raise Refusal(Reason.DAY_SEALED, f"gaming day {day.gaming_day} is closed; what is wrong is corrected")


DECIDE: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    c.OpenDay: open_day,
    c.CloseDay: close_day,
    c.TransferDrop: transfer_drop,
    c.OpenShift: open_shift,
    c.CloseShift: close_shift,
    c.RaiseException: raise_exception,
    c.Disposition: disposition,
}
