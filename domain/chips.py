"""Where the chips are, by denomination: the cage, the racks, in transit, and, derived, with the public.

Slips, the cage's window and exchanges say which chips moved; play does not. So a rack is exact at its last
count, and so is what is outstanding: issued less everything in the house. Chips that were written down as a
bare sum stand under the denomination `""`. A correction moves what the books move: the rack of a closed table
is its closer, whatever is put right about how it came to be.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from domain import events as e

Stack = Counter[str]
"""Cents of value by denomination in cents."""


class ChipFloat:
    """Every chip of the house, as events have moved and counts have found them."""

    def __init__(self) -> None:
        self.issued: Stack = Counter()
        self.cage: Stack = Counter()
        self.in_transit: Stack = Counter()
        self.racks: dict[str, Stack] = {}
        self.closed: set[str] = set()  # tables whose rack is their closer

    def apply(self, event: e.Happened, table: str | None) -> None:
        """Move the chips that `event`, which happened at `table`, says were moved or counted."""
        if move := MOVES.get(type(event)):
            move(self, event, table or "")

    def outstanding(self) -> Stack:
        """What is not in the house; a denomination of which nothing is out is left out."""
        out = Counter(self.issued)
        for stack in (self.cage, self.in_transit, *self.racks.values()):
            out.subtract(stack)
        return Counter({denomination: cents for denomination, cents in out.items() if cents})

    def rack(self, table: str) -> Stack:
        """The rack of a table."""
        return self.racks.setdefault(table, Counter())


def stack(amount: int, denominations: dict[str, int] | None) -> Stack:
    """Chips as an event says them."""
    return Counter({"": amount} if denominations is None else denominations)


def put_right(event: e.CorrectionRecorded) -> e.Denominations:
    """The chips that a figure stands for after its correction; a bare one moves what is not broken down."""
    if event.denominations is not None or event.was_denominations is None:
        return event.denominations
    bare = event.was_denominations.get("", 0) + event.after - event.before
    return {**event.was_denominations, "": bare}


def _of(event: Any) -> Stack:
    return stack(event.amount, event.denominations)


def _placed(chips: ChipFloat, event: e.ChipsPlacedInService, _: str) -> None:
    chips.issued.update(_of(event))
    chips.cage.update(_of(event))


def _destroyed(chips: ChipFloat, event: e.ChipsDestroyed, _: str) -> None:
    chips.issued.subtract(_of(event))
    chips.cage.subtract(_of(event))


def _given_up(chips: ChipFloat, event: e.ChipBreakageRecognised, _: str) -> None:
    chips.issued.subtract(_of(event))


def _opened(chips: ChipFloat, event: e.TableOpened, table: str) -> None:
    rack = stack(event.opener, event.denominations)
    if event.preceding_closer is None:
        chips.cage.subtract(rack)
    chips.racks[table] = rack
    chips.closed.discard(table)


def _closed(chips: ChipFloat, event: e.TableClosed, table: str) -> None:
    chips.racks[table] = stack(event.closer, event.denominations)
    chips.closed.add(table)


def _counted(chips: ChipFloat, event: e.TableInventoryCounted, table: str) -> None:
    chips.racks[table] = stack(event.counted, event.denominations)


def _corrected(chips: ChipFloat, event: e.CorrectionRecorded, table: str) -> None:
    """A closed table's rack is moved by its closer alone; an open one's by what came into it or left it."""
    if event.what not in ("opener", "closer", "fill", "credit"):
        return
    into_rack = _into_rack(event)
    if event.what in ("fill", "credit") or (event.what == "opener" and event.from_cage):
        chips.cage.subtract(into_rack)
    if (event.what == "closer") == (table in chips.closed):
        chips.rack(table).update(into_rack)


def _into_rack(event: e.CorrectionRecorded) -> Stack:
    """What a rack had more than was written down, by denomination."""
    more = stack(event.after, put_right(event))
    more.subtract(stack(event.before, event.was_denominations))
    sign = -1 if event.what == "credit" else 1
    return Counter({denomination: sign * cents for denomination, cents in more.items() if cents})


def _fill_dispatched(chips: ChipFloat, event: e.FillDispatched, _: str) -> None:
    chips.cage.subtract(_of(event))
    chips.in_transit.update(_of(event))


def _fill_voided(chips: ChipFloat, event: e.FillVoided, _: str) -> None:
    back = stack(event.returned, event.denominations)
    chips.in_transit.subtract(back)
    chips.cage.update(back)


def _fill_received(chips: ChipFloat, event: e.FillReceived, table: str) -> None:
    chips.in_transit.subtract(_of(event))
    chips.rack(table).update(_of(event))


def _credit_sent(chips: ChipFloat, event: e.CreditSent, table: str) -> None:
    chips.rack(table).subtract(_of(event))
    chips.in_transit.update(_of(event))


def _credit_received(chips: ChipFloat, event: e.CreditReceived, _: str) -> None:
    chips.in_transit.subtract(_of(event))
    chips.cage.update(_of(event))


def _exchanged(chips: ChipFloat, event: e.EvenExchangeMade, table: str) -> None:
    for place, sign in ((chips.rack(table), 1), (chips.cage, -1)):
        for denomination, cents in event.given.items():
            place[denomination] += sign * cents
        for denomination, cents in event.taken.items():
            place[denomination] -= sign * cents


def _coloured_up(chips: ChipFloat, event: e.ChipsColoredUp, table: str) -> None:
    chips.rack(table).update(event.taken)
    chips.rack(table).subtract(event.given)


def _left_cage(chips: ChipFloat, event: e.ChipsSoldAtCage, _: str) -> None:
    chips.cage.subtract(_of(event))


def _came_to_cage(chips: ChipFloat, event: e.ChipsRedeemedAtCage, _: str) -> None:
    chips.cage.update(_of(event))


def _dispute_settled(chips: ChipFloat, event: e.DisputeSettled, _: str) -> None:
    if (event.paid_from, event.tender) == ("cage", "chips"):
        chips.cage.subtract(stack(event.amount, None))


def _front_money(chips: ChipFloat, event: e.FrontMoneyWithdrawn, _: str) -> None:
    if (event.at, event.tender) == ("cage", "chips"):
        chips.cage.subtract(_of(event))


def _marker_issued(chips: ChipFloat, event: e.MarkerIssued, _: str) -> None:
    if event.at == "cage":
        chips.cage.subtract(_of(event))


def _marker_paid(chips: ChipFloat, event: e.MarkerPaid, _: str) -> None:
    if (event.at, event.tender) == ("cage", "chips"):
        chips.cage.update(_of(event))


MOVES: dict[type[e.Happened], Callable[[ChipFloat, Any, str], None]] = {
    e.ChipsPlacedInService: _placed,
    e.ChipsDestroyed: _destroyed,
    e.ChipBreakageRecognised: _given_up,
    e.TableOpened: _opened,
    e.TableClosed: _closed,
    e.TableInventoryCounted: _counted,
    e.CorrectionRecorded: _corrected,
    e.FillDispatched: _fill_dispatched,
    e.FillVoided: _fill_voided,
    e.FillReceived: _fill_received,
    e.CreditSent: _credit_sent,
    e.CreditReceived: _credit_received,
    e.EvenExchangeMade: _exchanged,
    e.ChipsColoredUp: _coloured_up,
    e.ChipsSoldAtCage: _left_cage,
    e.ChipsRedeemedAtCage: _came_to_cage,
    e.DisputeSettled: _dispute_settled,
    e.FrontMoneyWithdrawn: _front_money,
    e.MarkerIssued: _marker_issued,
    e.MarkerPaid: _marker_paid,
}
