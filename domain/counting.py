"""The rack counted, cut and put right: what counting finds beside what the movements say.

Every movement of chips is an event, so the books know what must lie in the rack and in the boxes. A count
finds what does; the difference is a variance, posted once: whenever the table's books or counts change after
that, only what is new is found again, so that count and books meet to the cent at any moment.
"""

from collections.abc import Callable
from typing import Any

from domain import commands as c
from domain import events as e
from domain.closing import found_at
from domain.commands import RANK, Actor, Role
from domain.count_room import day_seen
from domain.events import Happened
from domain.laid_cash import handed_back
from domain.money import dollars
from domain.rail import no_rim_credit, on_rail
from domain.refusals import Reason, Refusal
from domain.subject import Caused, Elsewhere, Look
from domain.table import Figure, Table
from domain.wager import come_down

DEPARTMENT = dict.fromkeys(RANK, "pit")
"""Who works for the pit; every other role is a department of its own."""
_OF_CHIPS = frozenset({"opener", "closer", "inventory", "fill", "credit"})
ALWAYS_ITEMISED = frozenset({"inventory", "fill", "credit", "drop_cash", "drop_markers", "drop_slips"})


def by_denomination(chips: c.Chips) -> dict[str, int] | None:
    """The breakdown of chips, where one was given."""
    return None if isinstance(chips, int) else dict(chips)


# ------------------------------------------------------------------------------------- the rack


def close(command: c.Close, table: Table, look: Look) -> Caused:
    """Close on the counted rack; open wagers go back to their players and are never inventory."""
    _dice_home(table, "close")
    no_rim_credit(table, "close")
    events: Caused = []
    for wager in table.in_order():
        if wager.base is None:
            events += come_down(wager, table, "close")
    events += handed_back(table)
    book = table.then(here(events)).book_rack
    closed = e.TableClosed(
        closer=c.total(command.closer),
        denominations=by_denomination(command.closer),
        book=book,
        signed_by=command.by.badge,
        signed_as=command.by.role,
    )
    return [*events, closed]


def inventory(command: c.Inventory, table: Table, look: Look) -> Caused:
    """The rack counted while the table is open; the books follow the count."""
    _dice_home(table, "count")
    if command.count == "closer":
        no_rim_credit(table, "count the closer")
    _witnessed(command.by, command.witness)
    counted = _counted(command.count, command.counted, command.witness, command.by, table)
    return [counted, *_against_book(counted)]


def cut(command: c.CutTable, table: Table, look: Look) -> Caused:
    """The accounts cut between two rolls, on a counted rack; what lies on the layout stays the patrons'."""
    _dice_home(table, "cut the table")
    no_rim_credit(table, "cut the table")
    _witnessed(command.by, command.witness)
    counted = _counted("shift", command.counted, command.witness, command.by, table)
    made = e.TableCut(
        cut=table.cuts + 1,
        shift=command.shift,
        roll=table.rolls,
        counted=counted.counted,
        book=counted.book,
        on_layout=sum(wager.amount for wager in table.wagers.values()),
    )
    return [made, counted, *_against_book(counted)]


def _counted(
    count: e.InventoryCount, chips: c.Chips, witness: Actor, by: Actor, table: Table
) -> e.TableInventoryCounted:
    return e.TableInventoryCounted(
        number=table.inventories + 1,
        count=count,
        counted=c.total(chips),
        denominations=by_denomination(chips),
        book=table.book_rack,
        witness=witness.badge,
        signed_by=by.badge,
        signed_as=by.role,
    )


def _against_book(counted: e.TableInventoryCounted) -> list[e.InventoryVarianceFound]:
    difference = counted.counted - counted.book
    if difference == 0:
        return []
    found = {"counted": counted.counted, "book": counted.book, "difference": difference}
    return [e.InventoryVarianceFound(against="book", **found)]


def exchange(command: c.Exchange, table: Table, look: Look) -> Caused:
    """Chips for chips of the same value: a player's, or the cage's."""
    taken, given = c.total(command.taken), c.total(command.given)
    if taken != given or taken == 0:
        raise Refusal(
            Reason.BAD_AMOUNT, f"{dollars(taken)} against {dollars(given)} is no exchange of equal value"
        )
    chips: dict[str, Any] = {"amount": taken, "taken": dict(command.taken), "given": dict(command.given)}
    if command.player is None:
        return [e.EvenExchangeMade(**chips)]
    on_rail(command.player, taken, table)
    return [e.ChipsColoredUp(player=command.player, **chips)]


def toke(command: c.Toke, table: Table, look: Look) -> Caused:
    """A player hands chips to the dealers."""
    on_rail(command.player, command.amount, table)
    return [e.TokeReceived(player=command.player, amount=command.amount)]


# ------------------------------------------------------------------------------------- put right


def correct(command: c.Correct, table: Table, look: Look) -> Caused:
    """A figure put right: another department than wrote it proposes, somebody else again approves."""
    item = command.item if command.what in ALWAYS_ITEMISED else None
    figure = table.figures.get((command.what, item))
    if figure is None:
        raise Refusal(
            Reason.NO_SUCH_FIGURE, f"no {command.what} {item or ''} stands in the books of {command.table}"
        )
    _as_it_stands(command, figure)
    if command.what == "closer" and table.is_open:
        raise Refusal(Reason.TOO_LATE, f"{command.table} has opened again since, on a rack counted anew")
    _independent(command.by, command.approved_by, figure.signed_by, figure.signed_as)
    corrected = e.CorrectionRecorded(
        what=command.what,
        item=item,
        before=command.before,
        after=c.total(command.after),
        reason=command.reason,
        proposed_by=command.by.badge,
        proposed_as=command.by.role,
        approved_by=command.approved_by.badge,
        approved_as=command.approved_by.role,
        original_by=figure.signed_by,
        original_as=figure.signed_as,
        sealed=table.sealed,
        from_cage=table.locked_with is None,
        denominations=by_denomination(command.after),
        was_denominations=figure.chips,
    )
    return [corrected, *_next_opener(corrected, command, table, look)]


def _as_it_stands(command: c.Correct, figure: Figure) -> None:
    """Refuses what does not refer to the figure as it stands, or leaves it as it is."""
    after, chips = c.total(command.after), by_denomination(command.after)
    if figure.cents != command.before:
        raise Refusal(
            Reason.BAD_AMOUNT,
            f"the {command.what} stands at {dollars(figure.cents)}, not {dollars(command.before)}",
        )
    if chips is not None and command.what not in _OF_CHIPS:
        raise Refusal(Reason.BAD_AMOUNT, f"{command.what} is no sum of chips: say it without denominations")
    if after == command.before and chips in (None, figure.chips):
        raise Refusal(Reason.BAD_AMOUNT, "a correction of nothing corrects nothing")


def _next_opener(corrected: e.CorrectionRecorded, command: c.Correct, table: Table, look: Look) -> Caused:
    """What the table's next opener was over the closer that is put right, it is over it no more, or yet."""
    more = corrected.after - corrected.before
    if corrected.what != "closer" or not more or table.gaming_day is None:
        return []
    stream = look.next_opening(command.table, table.gaming_day)
    opened = look(stream) if stream else None
    if stream is None or not isinstance(opened, Table) or opened.locked_with is None:
        return []
    counted = opened.opener
    found = e.InventoryVarianceFound(
        against="corrected_closer", counted=counted, book=counted + more, difference=-more
    )
    return [Elsewhere(stream, found), *found_at(opened.gaming_day, [found], command, look)]


def _independent(by: Actor, approver: Actor, original_by: str | None, original_as: str | None) -> None:
    if approver.badge == by.badge:
        raise Refusal(Reason.NO_AUTHORITY, f"{by.badge} cannot approve their own correction")
    if original_by in (by.badge, approver.badge):
        raise Refusal(Reason.NO_AUTHORITY, f"{original_by} wrote the figure; somebody else puts it right")
    if original_as is not None and department(original_as) in (
        department(by.role),
        department(approver.role),
    ):
        raise Refusal(
            Reason.NO_AUTHORITY,
            f"the {department(original_as)} wrote the figure; another department puts it right",
        )


def department(role: str) -> str:
    """Whose figures somebody's are.

    >>> department("floor"), department("dealer"), department("audit")
    ('pit', 'pit', 'audit')
    """
    return DEPARTMENT.get(Role(role), role)


# ------------------------------------------------------------------------------------- what is found


def variances(name: str, table: Table, look: Look) -> list[Happened]:
    """What the counts of the closed table `name` show that had not been found before."""
    return [*_of_rack(table), *_of_boxes(name, table, look)]


def _of_rack(table: Table) -> list[e.InventoryVarianceFound]:
    if table.closer is None or table.closer == table.book_rack:
        return []
    book = table.book_rack
    return [
        e.InventoryVarianceFound(
            against="book", counted=table.closer, book=book, difference=table.closer - book
        )
    ]


def _of_boxes(name: str, table: Table, look: Look) -> list[e.DropVarianceFound]:
    if table.closer is None or not table.boxes or _uncounted(name, table, look):
        return []
    sums = zip(table.counted_drop, table.book_drop, table.variance_in_boxes, strict=True)
    cash, markers, slips = (counted - book - found for counted, book, found in sums)
    if not (cash or markers or slips):
        return []
    return [e.DropVarianceFound(cash=cash, markers=markers, slips=slips, difference=cash + markers + slips)]


def _uncounted(name: str, table: Table, look: Look) -> bool:
    boxes = day_seen(table.gaming_day, look).boxes
    return any(at == name and box not in table.boxes for box, at in boxes.items())


def opener_found(opened: e.TableOpened) -> list[e.InventoryVarianceFound]:
    """What the opener counts over the closer that the tray was locked with."""
    closer = opened.preceding_closer
    if closer is None or closer == opened.opener:
        return []
    difference = opened.opener - closer
    return [
        e.InventoryVarianceFound(
            against="preceding_closer", counted=opened.opener, book=closer, difference=difference
        )
    ]


# ------------------------------------------------------------------------------------- who and when


def here(events: Caused) -> list[Happened]:
    """The events that happen in the stream itself."""
    return [event for event in events if not isinstance(event, Elsewhere)]


def _dice_home(table: Table, what: str) -> None:
    if table.dice_out:
        raise Refusal(Reason.DICE_OUT, f"the dice are out; {what} after the call")


def _witnessed(by: Actor, witness: Actor) -> None:
    if RANK.get(witness.role, 0) < RANK[Role.FLOOR]:
        raise Refusal(Reason.NO_AUTHORITY, f"a supervisor watches the count, not {witness.role}")
    if witness.badge == by.badge:
        raise Refusal(Reason.NO_AUTHORITY, f"{by.badge} cannot watch their own count")


DECIDE: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    c.Close: close,
    c.Inventory: inventory,
    c.CutTable: cut,
    c.Exchange: exchange,
    c.Toke: toke,
    c.Correct: correct,
}
