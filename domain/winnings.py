"""What the winners of one roll are owed: each by its odds, together no more than the table's posted limit.

Only wagers won at odds over the posted threshold share the aggregate limit, each pro rata to what its stake
and odds come to. A share is an exact fraction, so it is the same in whatever order the wagers lie.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple, TypedDict

from domain import events as e
from domain.rules.pack import Move, Verdict
from domain.table import Table, Wager


class Limited(TypedDict, total=False):
    """What a settlement says of the limit that it shares; nothing where it shares none."""

    owed_in_full: str
    aggregate_limit: int
    aggregate_owed: str
    limit_section: str | None


class Winnings(NamedTuple):
    """Exact winnings in cents, and why they are less than stake and odds come to."""

    owed: Fraction
    limited: Limited


NO_WINNINGS = Winnings(Fraction(0), {})


def winnings(
    lay: Iterable[Wager], verdicts: Mapping[str, Verdict | Move | None], table: Table
) -> dict[str, Winnings]:
    """What each wager that a roll made a winner is owed."""
    house = table.house
    assert house is not None, "nothing is won before the table opened"
    won = {wager.wager: (wager.amount, _won_at(verdicts[wager.wager])) for wager in lay}
    in_full = {name: amount * price for name, (amount, price) in won.items() if price is not None}
    owed = {name: Winnings(cents, {}) for name, cents in in_full.items()}
    if house.aggregate_limit is None or house.aggregate_odds_over is None:
        return owed
    over = Fraction(house.aggregate_odds_over)
    long = {name: in_full[name] for name, (_, price) in won.items() if price is not None and price > over}
    return owed | _shared(house, house.aggregate_limit, long)


def _won_at(verdict: Verdict | Move | None) -> Fraction | None:
    return verdict.price if isinstance(verdict, Verdict) and verdict.outcome == "won" else None


def _shared(house: e.TableOpened, limit: int, in_full: Mapping[str, Fraction]) -> dict[str, Winnings]:
    """The limit shared out pro rata; nobody's winnings change while all together stay within it."""
    owed = sum(in_full.values())
    if owed <= limit:
        return {}
    shares: dict[str, Winnings] = {}
    for name, cents in in_full.items():
        limited: Limited = {
            "owed_in_full": str(cents),
            "aggregate_limit": limit,
            "aggregate_owed": str(owed),
            "limit_section": house.aggregate_section,
        }
        shares[name] = Winnings(limit * cents / owed, limited)
    return shares
