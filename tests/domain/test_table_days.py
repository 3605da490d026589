"""A thousand random days: whatever happens, count and books meet, books balance and no chip is lost."""

from collections import Counter
from random import Random

import pytest

from domain import events as e
from domain.books import EVENT_WIN
from tests.domain.house import House
from tests.domain.table_days import CorrectedDay, TableDay

HUNDREDS = 10  # of days, each with its own seed
STEPS = 40


@pytest.mark.parametrize("hundred", range(HUNDREDS))
def test_a_hundred_random_days_are_reconciled_to_the_cent(hundred: int) -> None:
    counted = 0
    for seed in range(100 * hundred, 100 * (hundred + 1)):
        day = TableDay(House(), Random(seed)).play(STEPS)
        _books_balance(day, seed)
        _chips_are_conserved(day, seed)
        if not day.missing_box:
            counted += 1
            _count_meets_wagers(day, seed)
    assert counted > 50


@pytest.mark.parametrize("hundred", range(3))
def test_chips_by_denomination_and_the_books_agree_whatever_is_put_right(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * (hundred + 1)):
        day = CorrectedDay(House(), Random(seed)).play(STEPS)
        house, chips = day.house, day.house.chips
        assert house.only(e.CorrectionRecorded), seed
        assert sum(chips.cage.values()) == house.balance("Assets:Chips:Cage"), seed
        assert sum(chips.in_transit.values()) == house.balance("Assets:Chips:InTransit"), seed
        assert sum(chips.rack("CR01").values()) == house.balance("Assets:Chips:Table:CR01"), seed
        assert sum(chips.outstanding().values()) == house.outstanding(), seed


def _books_balance(day: TableDay, seed: int) -> None:
    house, table = day.house, day.table
    assert sum(house.balances.values()) == 0, seed
    assert house.balance("Assets:Chips:Table:CR01") == table.closer == sum(day.counted().values()), seed
    assert house.balance("Assets:Chips:InTransit") == 0, seed
    assert house.balance("Liabilities:CommissionRefundable") == 0, seed


def _chips_are_conserved(day: TableDay, seed: int) -> None:
    out = Counter(day.house.chips.outstanding())
    out.subtract(day.public)
    # Disputes that the cage settled in chips went out without their denominations.
    assert out.pop("", 0) == day.house.outstanding() - sum(day.public.values()), seed
    assert not any(out.values()), (seed, out)


def _count_meets_wagers(day: TableDay, seed: int) -> None:
    house, table = day.house, day.table
    slips = dict.fromkeys(("fill", "credit"), 0)
    for (what, _), figure in table.figures.items():
        if what in slips:
            slips[what] += figure.cents
    assert table.closer is not None
    count_win = table.closer + slips["credit"] + sum(table.counted_drop) - table.opener - slips["fill"]
    event_win = sum(sign * table.flows.get(flow, 0) for flow, sign in EVENT_WIN.items())
    in_rack = -house.balance("Income:Craps:CountVariance:Inventory:CR01")
    in_boxes = -house.balance("Income:Craps:CountVariance:Drop:CR01")
    assert count_win - event_win - in_rack - in_boxes == 0, seed
    assert house.balance("Assets:Cash:DropBox:CR01") == 0, seed
    at_cage = -house.balance("Income:Craps:DisputeSettlement:CR01") + _settled_at_table(day)
    promo = house.balance("Income:Craps:Promo:CR01")
    assert -house.balance("Income") + promo - at_cage == count_win, seed


def _settled_at_table(day: TableDay) -> int:
    flows = day.table.flows
    return flows.get("adjusted", 0) + flows.get("dispute_settled", 0)
