"""A table's terms: its pinned pack as the house plays it, what a wager costs, and when it may be made."""

from fractions import Fraction
from functools import cache

from domain import events as e
from domain.money import commission
from domain.rules.pack import AnyEntry, Pack
from domain.rules.shelf import pinned
from domain.table import Table, Wager


def pack_of(table: Table) -> Pack:
    """The rule pack the table was opened with, its prices read as the house posted them."""
    house = table.house
    assert house is not None, "no pack before the table opened"
    return _as_posted(house.rules, house.rules_version, house.notation)


@cache
def _as_posted(rules: str, version: int, notation: str) -> Pack:
    return pinned(rules, version).as_posted(notation)


def entry_of(wager: Wager, table: Table, pack: Pack) -> AnyEntry:
    """What the pack says of a wager on the layout."""
    base = table.wagers.get(wager.base) if wager.base else None
    entry = pack.entry(wager.kind, base.kind if base else None)
    assert entry is not None, wager
    return entry


def made_now(entry: AnyEntry, puck: int | None) -> bool:
    """Whether the wager may be made with the puck where it is."""
    return entry.made == "any_time" or (entry.made == "point_on") == (puck is not None)


def due_now(wager: Wager, stake: int, entry: AnyEntry, table: Table) -> int:
    """The commission up front on a stake, in cents; 0 where none is, or only a win pays it."""
    house = table.house
    if entry.commission is None or house is None or wager.number in house.vig_on_win:
        return 0
    basis = Fraction(stake)
    if entry.commission.basis == "win":
        basis *= entry.potential(wager, None) or 0
    return commission(basis, Fraction(house.vig_rate))


def collected(
    wager: Wager, stake: int, entry: AnyEntry, table: Table, pack: Pack, *, held: int = 0
) -> e.CommissionCollected | None:
    """The commission to take for a stake beyond what is held already; None where nothing is due."""
    due = due_now(wager, stake, entry, table) - held
    if due <= 0 or entry.commission is None or table.house is None:
        return None
    return e.CommissionCollected(
        wager=wager.wager,
        player=wager.player,
        amount=due,
        rate=table.house.vig_rate,
        basis=entry.commission.basis,
        section=pack.cited(entry.commission.section) or "",
    )


def refunded(wager: Wager, amount: int, entry: AnyEntry, pack: Pack) -> e.CommissionRefunded:
    """The commission to give back with a stake that comes down undecided."""
    section = entry.commission.refund_section if entry.commission else entry.section
    return e.CommissionRefunded(
        wager=wager.wager, player=wager.player, amount=amount, section=pack.cited(section) or ""
    )
