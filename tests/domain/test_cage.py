"""The cage's window, patrons' accounts, money plays, tokes and exchanges."""

from typing import Any

import pytest

from domain import events as e
from tests.domain.house import House

AUDITOR = {"badge": "A-1", "role": "audit"}


@pytest.fixture
def house() -> House:
    house = House()
    house.opened()
    return house


def test_front_money_cannot_be_drawn_beyond_the_deposit(house: House) -> None:
    house.must("deposit_front_money", "C-1", player="P1", amount=100_000)
    house.must("buy_in", table="CR01", player="P1", amount=60_000, tender="front_money")
    buy: dict[str, Any] = {"table": "CR01", "player": "P1", "tender": "front_money"}
    assert house.refused("buy_in", amount=40_001, **buy) == "INSUFFICIENT_FUNDS"
    assert house.refused("withdraw_front_money", "C-1", player="P1", amount=40_001) == "INSUFFICIENT_FUNDS"
    house.must("withdraw_front_money", "C-1", player="P1", amount=40_000)
    assert house.balance("Liabilities:FrontMoney") == 0
    assert house.balance("Assets:Cash:Cage") == 60_000


def test_a_log_that_never_told_of_a_deposit_may_draw_on_it(house: House) -> None:
    house.must("buy_in", table="CR01", player="P1", amount=60_000, tender="front_money")
    assert house.refused("withdraw_front_money", "C-1", player="P1", amount=1) == "INSUFFICIENT_FUNDS"


def test_a_marker_is_paid_where_it_suits_but_no_more_than_is_owed(house: House) -> None:
    buy: dict[str, Any] = {"table": "CR01", "player": "P1", "tender": "marker"}
    house.must("buy_in", amount=500_000, marker="M-1", **buy)
    house.must("redeem_marker", table="CR01", player="P1", amount=100_000, tender="cash", marker="M-1")
    house.must("pay_marker", "C-1", player="P1", marker="M-1", amount=300_000, tender="chips")
    pay: dict[str, Any] = {"player": "P1", "marker": "M-1", "tender": "cash"}
    assert house.refused("pay_marker", "C-1", amount=100_001, **pay) == "INSUFFICIENT_FUNDS"
    house.must("pay_marker", "C-1", amount=50_000, **pay)
    given_up: dict[str, Any] = {"player": "P1", "marker": "M-1", "amount": 50_000, "reason": "uncollectable"}
    assert house.refused("write_off_marker", "A-1", approved_by=AUDITOR, **given_up) == "NO_AUTHORITY"
    house.must("write_off_marker", "C-1", approved_by=AUDITOR, **given_up)
    assert house.balance("Assets:Markers:Receivable") == 0
    assert house.balance("Expenses:BadDebt:Markers") == 50_000
    assert house.table().book_drop == (100_000, 400_000, 0)


def test_a_marker_number_is_used_once_and_must_be_known(house: House) -> None:
    house.must("issue_marker", "C-1", player="P1", marker="M-1", amount=500_000)
    buy: dict[str, Any] = {"table": "CR01", "player": "P1", "amount": 1000, "tender": "marker"}
    assert house.refused("buy_in", marker="M-1", **buy) == "DUPLICATE_SLIP"
    redeem: dict[str, Any] = {"table": "CR01", "player": "P1", "amount": 1000, "tender": "cash"}
    assert house.refused("redeem_marker", marker="M-2", **redeem) == "NO_SUCH_MARKER"
    assert house.balance("Assets:Markers:Receivable") == 500_000


def test_chips_sold_at_the_cage_are_no_drop(house: House) -> None:
    house.must("sell_chips", "C-1", player="P1", amount={"10000": 300_000})
    house.must("redeem_chips", "C-1", player="P1", amount={"10000": 100_000})
    assert house.table().book_drop == (0, 0, 0)
    assert house.outstanding() == 200_000
    assert house.chips.outstanding()["10000"] == 200_000


@pytest.mark.parametrize("do", ["sell_chips", "redeem_chips", "deposit_front_money"])
def test_only_the_cage_works_the_window(house: House, do: str) -> None:
    assert house.refused(do, "F-1", player="P1", amount=100) == "NO_AUTHORITY"


def test_money_plays_and_is_lost_into_the_box(house: House) -> None:
    house.must("bet", table="CR01", player="P9", wager="w", kind="field", amount=10_000, cash=True)
    assert house.table().rails.get("P9", 0) == 0
    house.must("roll", "B-1", table="CR01", dice=[3, 4])
    assert house.table().book_drop == (10_000, 0, 0)
    assert house.balance("Income:Craps:WagersLost:CR01") == -10_000
    assert house.balance("Assets:Cash:DropBox:CR01") == 10_000
    assert house.table().book_rack == 10_000_000


def test_money_plays_and_is_paid_in_chips_with_the_cash_handed_back(house: House) -> None:
    house.must("bet", table="CR01", player="P9", wager="w", kind="field", amount=10_000, cash=True)
    house.must("roll", "B-1", table="CR01", dice=[1, 2])
    assert house.table().rails == {"P9": 10_000}
    assert house.table().book_drop == (0, 0, 0)
    assert house.table().book_rack == 9_990_000


def test_money_that_plays_plays_as_it_lies_until_it_comes_down(house: House) -> None:
    bet: dict[str, Any] = {"wager": "w", "kind": "place", "number": 6, "amount": 12_000, "cash": True}
    house.must("bet", table="CR01", player="P9", **bet)
    assert house.refused("press", table="CR01", wager="w", to=24_000) == "BAD_AMOUNT"
    assert house.refused("reduce", table="CR01", wager="w", to=6_000) == "BAD_AMOUNT"
    house.must("take_down", table="CR01", wager="w")
    assert house.table().rails.get("P9", 0) == 0


def test_an_overruled_loss_takes_the_money_back_out_of_the_books_of_the_box(house: House) -> None:
    house.must("bet", table="CR01", player="P9", wager="w", kind="field", amount=10_000, cash=True)
    house.must("roll", "D-1", table="CR01", dice=[3, 4])
    house.must("overrule", "B-1", table="CR01", roll=1, dice=[5, 4], reason="it was a nine")
    assert house.table().book_drop == (0, 0, 0)
    assert house.table().rails == {"P9": 10_000}


def test_what_a_wager_for_the_dealers_wins_is_theirs(house: House) -> None:
    house.must("buy_in", table="CR01", player="P1", amount=10_000, tender="cash")
    two_way: dict[str, Any] = {"kind": "any_craps", "amount": 500, "for_dealers": True}
    house.must("bet", table="CR01", player="P1", wager="w", **two_way)
    house.must("roll", "D-1", table="CR01", dice=[1, 1])
    assert house.table().rails["P1"] == 10_000
    assert house.table().flows["toked"] == 3_500
    assert house.balance("Income:Craps:WinningsPaid:CR01") == 3_500
    house.must("overrule", "B-1", table="CR01", roll=1, dice=[1, 5], reason="the camera")
    assert house.table().rails["P1"] == 9_500
    assert house.table().flows["toked"] == 0
    assert house.only(e.TokeReturned)


def test_a_toke_is_the_players_to_give(house: House) -> None:
    house.must("buy_in", table="CR01", player="P1", amount=1_000, tender="cash")
    assert house.refused("toke", table="CR01", player="P1", amount=1_001) == "INSUFFICIENT_FUNDS"
    house.must("toke", table="CR01", player="P1", amount=500)
    assert house.table().rails["P1"] == 500
    assert house.table().book_rack == 9_999_000


def test_a_colour_up_changes_denominations_and_nothing_else(house: House) -> None:
    house.must("buy_in", table="CR01", player="P1", amount=50_000, tender="cash")
    before = dict(house.balances)
    house.must("exchange", table="CR01", player="P1", taken={"500": 50_000}, given={"10000": 50_000})
    assert dict(house.balances) == before
    uneven: dict[str, Any] = {"taken": {"500": 50_000}, "given": {"10000": 60_000}}
    assert house.refused("exchange", table="CR01", player="P1", **uneven) == "BAD_AMOUNT"
    too_much: dict[str, Any] = {"taken": {"500": 60_000}, "given": {"10000": 60_000}}
    assert house.refused("exchange", table="CR01", player="P1", **too_much) == "INSUFFICIENT_FUNDS"


def test_an_even_exchange_with_the_cage_moves_denominations_both_ways(house: House) -> None:
    house.must("exchange", "F-1", table="CR01", taken={"10000": 50_000}, given={"500": 50_000})
    assert house.chips.cage["10000"] == 50_000
    assert house.chips.cage["500"] == -50_000
    assert house.table().book_rack == 10_000_000


def test_pp24_chips_bought_again_and_again_unplayed_are_recycled_drop(house: House) -> None:
    for _ in range(5):
        house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
        house.must("walk", table="CR01", player="P1")
    bought = house.only(e.BuyInAccepted)
    assert house.table().book_drop == (500_000, 0, 0)
    assert sum(event.recycled for event in bought) == 400_000
    assert house.balance("Income") == 0


def test_pp24_who_buys_again_what_he_has_lost_recycles_nothing(house: House) -> None:
    for number in range(3):
        house.must("buy_in", table="CR01", player="P1", amount=10_000, tender="cash")
        house.must("bet", table="CR01", player="P1", wager=f"w{number}", kind="field", amount=10_000)
        house.must("roll", "B-1", table="CR01", dice=[3, 4])
    assert sum(event.recycled for event in house.only(e.BuyInAccepted)) == 0


def test_chips_that_will_never_come_back_are_income_and_no_liability_when_two_have_signed(
    house: House,
) -> None:
    house.must("place_chips", "C-1", gaming_day=house.day, amount={"500": 100_000})
    house.must("sell_chips", "C-1", player="P1", amount={"500": 30_000})
    said: dict[str, Any] = {"gaming_day": house.day, "amount": {"500": 10_000}, "reason": "three years out"}
    assert house.refused("recognise_breakage", "A-1", **said, approved_by=AUDITOR) == "NO_AUTHORITY"
    assert house.refused("recognise_breakage", "D-1", **said, approved_by=AUDITOR) == "NO_AUTHORITY"
    before = house.outstanding()
    house.must("recognise_breakage", "C-1", **said, approved_by=AUDITOR)
    assert house.balance("Income:Craps:ChipBreakage") == -10_000
    assert house.outstanding() == before - 10_000 == sum(house.chips.outstanding().values())


def test_gaming_tax_is_owed_to_each_jurisdiction_under_its_own_name(house: House) -> None:
    said = {"gaming_day": house.day, "reason": "PA worksheet, week 48"}
    assert house.refused("accrue_tax", "C-1", jurisdiction="us-pa", amount=100, **said) == "NO_AUTHORITY"
    assert house.refused("accrue_tax", "A-1", jurisdiction="us-pa", amount=0, **said) == "BAD_AMOUNT"
    house.must("accrue_tax", "A-1", jurisdiction="PA", amount=12_000, **said)
    house.must("accrue_tax", "A-1", jurisdiction="PA", amount=-2_000, **said)
    assert house.balance("Liabilities:GamingTax:PA") == -house.balance("Expenses:GamingTax") == -10_000


def test_a_marker_over_the_credit_limit_takes_a_manager_who_does_not_issue_it(house: House) -> None:
    limit: dict[str, Any] = {"player": "P1", "limit": 100_000, "approved_by": AUDITOR}
    assert house.refused("credit_limit", "D-1", **limit) == "NO_AUTHORITY"
    house.must("credit_limit", "C-1", **limit)
    at_table: dict[str, Any] = {"table": "CR01", "player": "P1", "tender": "marker", "amount": 60_000}
    house.must("buy_in", **at_table, marker="M-1")
    assert house.refused("buy_in", **at_table, marker="M-2") == "CREDIT_LIMIT"
    at_cage: dict[str, Any] = {"player": "P1", "marker": "M-3", "amount": 40_001}
    assert house.refused("issue_marker", "C-1", **at_cage) == "CREDIT_LIMIT"
    supervisor, manager = {"badge": "F-2", "role": "floor"}, {"badge": "P-2", "role": "pit_manager"}
    assert house.refused("buy_in", **at_table, marker="M-2", approved_by=supervisor) == "NO_AUTHORITY"
    assert house.refused("buy_in", "P-2", **at_table, marker="M-2", approved_by=manager) == "NO_AUTHORITY"
    house.must("buy_in", **at_table, marker="M-2", approved_by=manager)
    first, second = house.only(e.MarkerIssued)
    assert (first.over_limit, first.approved_by) == (0, None)
    assert (second.over_limit, second.approved_by) == (20_000, "P-2")


def test_within_the_limit_again_once_a_marker_is_paid(house: House) -> None:
    house.must("credit_limit", "C-1", player="P1", limit=50_000, approved_by=AUDITOR)
    house.must("issue_marker", "C-1", player="P1", marker="M-1", amount=50_000)
    assert house.refused("issue_marker", "C-1", player="P1", marker="M-2", amount=1) == "CREDIT_LIMIT"
    house.must("pay_marker", "C-1", player="P1", marker="M-1", amount=50_000, tender="cash")
    house.must("issue_marker", "C-1", player="P1", marker="M-2", amount=50_000)
    rim: dict[str, Any] = {"table": "CR01", "player": "P1", "amount": 100}
    house.must("rim_credit", "F-1", **rim)
    assert house.refused("settle_rim", **rim, tender="marker") == "CREDIT_LIMIT"
