"""Drop boxes from the table to two blind counts, and what the counts find."""

from typing import Any

import pytest

from domain import events as e
from tests.domain.house import House

DAY = "2026-11-28"
BOX = {"gaming_day": DAY, "box": "17"}
COUNTED = {"table": "CR01", "box": "17"}


@pytest.fixture
def house() -> House:
    house = House()
    house.must("install_box", "S-1", table="CR01", **BOX)
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
    house.must("close", "B-1", table="CR01", closer=9_900_000)
    return house


def removed(house: House) -> House:
    house.must("remove_box", "S-1", **BOX)
    house.must("secure_box", "S-2", where="count room safe", **BOX)
    return house


def test_a_box_goes_from_its_table_to_the_safe_to_the_count(house: House) -> None:
    assert house.refused("count_drop", "K-1", cash=100_000, **COUNTED) == "WRONG_PHASE"
    assert house.refused("secure_box", "S-1", where="safe", **BOX) == "WRONG_PHASE"
    removed(house)
    assert house.refused("remove_box", "S-1", **BOX) == "WRONG_PHASE"
    house.must("count_drop", "K-1", cash=100_000, **COUNTED)
    house.must("count_drop", "K-2", cash=100_000, **COUNTED, **{"pass": 2})
    assert house.balance("Assets:Cash:CountRoom") == 100_000
    assert house.balance("Assets:Cash:DropBox") == 0
    assert not house.only(e.DropVarianceFound)


def test_boxes_are_securitys_to_move_and_the_count_teams_to_count(house: House) -> None:
    assert house.refused("remove_box", "F-1", **BOX) == "NO_AUTHORITY"
    removed(house)
    assert house.refused("count_drop", "F-1", cash=100_000, **COUNTED) == "NO_AUTHORITY"


def test_who_saw_the_first_count_does_not_make_the_second(house: House) -> None:
    removed(house)
    house.must("count_drop", "K-1", cash=100_000, seen_by=["K-3"], **COUNTED)
    for saw in ("K-1", "K-3"):
        assert house.refused("count_drop", saw, cash=100_000, **COUNTED, **{"pass": 2}) == "NO_AUTHORITY"
    house.must("count_drop", "K-2", cash=100_000, **COUNTED, **{"pass": 2})


def test_a_count_that_was_written_down_is_not_written_again(house: House) -> None:
    removed(house)
    house.must("count_drop", "K-1", cash=100_000, **COUNTED)
    assert house.refused("count_drop", "K-2", cash=90_000, **COUNTED) == "TOO_LATE"
    house.must("count_drop", "K-2", cash=100_000, **COUNTED, **{"pass": 2})
    assert house.refused("count_drop", "K-3", cash=90_000, **COUNTED, **{"pass": 3}) == "TOO_LATE"


def test_where_two_counts_differ_a_third_decides(house: House) -> None:
    removed(house)
    house.must("count_drop", "K-1", cash=100_000, **COUNTED)
    house.must("count_drop", "K-2", cash=90_000, **COUNTED, **{"pass": 2})
    assert house.only(e.DropCountsDiffered)
    assert "different results" in house.why_not("day_close", "A-1", gaming_day=DAY)
    house.must("count_drop", "K-3", cash=100_000, **COUNTED, **{"pass": 3})
    assert house.balance("Income:Craps:CountVariance:Drop:CR01") == 0
    house.must("day_close", "A-1", gaming_day=DAY)


def test_or_two_sign_which_count_stands_neither_of_whom_counted(house: House) -> None:
    removed(house)
    house.must("count_drop", "K-1", cash=100_000, **COUNTED)
    house.must("count_drop", "K-2", cash=90_000, **COUNTED, **{"pass": 2})
    signed = {"cash": 100_000, "reason": "two notes stuck together", **COUNTED}
    counted_it = {"badge": "K-1", "role": "count"}
    assert house.refused("resolve_count", "K-9", approved_by=counted_it, **signed) == "NO_AUTHORITY"
    house.must("resolve_count", "K-9", approved_by={"badge": "A-1", "role": "audit"}, **signed)
    assert sum(house.table().counted_drop) == 100_000
    assert house.balance("Assets:Cash:CountRoom") == 100_000
    house.must("day_close", "A-1", gaming_day=DAY)


def test_a_short_box_is_a_variance_of_the_drop_and_wants_an_explanation(house: House) -> None:
    removed(house)
    house.must("count_drop", "K-1", cash=95_000, **COUNTED)
    (found,) = house.only(e.DropVarianceFound)
    assert (found.cash, found.difference) == (-5_000, -5_000)
    assert house.balance("Income:Craps:CountVariance:Drop:CR01") == 5_000
    assert house.balance("Assets:Cash:DropBox") == 0
    assert house.books().exceptions["drop_variance:CR01"].is_open


def test_a_marker_slip_that_is_not_in_the_box_proves_no_debt_until_it_is_found() -> None:
    house = House()
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=500_000, tender="marker")
    house.must("close", "B-1", table="CR01", closer=9_500_000)
    house.must("count_drop", "K-1", cash=0, **COUNTED)
    assert house.balance("Assets:Markers:Receivable") == 0
    assert -house.balance("Income") == -500_000
    figures = {"what": "drop_markers", "item": "17", "before": 0, "after": 500_000, "reason": "found"}
    approves = {"badge": "M-1", "role": "shift_manager"}
    house.must("correct", "A-1", table="CR01", approved_by=approves, **figures)
    assert house.balance("Assets:Markers:Receivable") == 500_000
    assert house.balance("Income") == 0


def test_two_boxes_of_one_table_are_one_drop_and_the_first_count_alone_finds_nothing(house: House) -> None:
    house.must("install_box", "S-1", table="CR01", gaming_day=DAY, box="18")
    house.must("remove_box", "S-1", gaming_day=DAY, box="18")
    removed(house)
    house.must("count_drop", "K-1", cash=60_000, **COUNTED)
    assert not house.only(e.DropVarianceFound)
    house.must("count_drop", "K-1", table="CR01", box="18", cash=40_000)
    assert not house.only(e.DropVarianceFound)


def test_a_box_is_counted_for_the_table_it_hung_at(house: House) -> None:
    removed(house)
    house.opened("CR02")
    assert house.refused("count_drop", "K-1", table="CR02", box="17", cash=0) == "NO_SUCH_BOX"


def test_an_emergency_drop_puts_another_box_in_the_place_of_the_first(house: House) -> None:
    made = house.must("emergency_drop", "S-1", replacement="E1", reason="box full", **BOX)
    assert [event.name for event in made] == [
        "DropBoxRemoved",
        "EmergencyDropMade",
        "DropBoxInstalled",
        "DayItemListed",
    ]
    assert house.books().boxes == {"17": "CR01", "E1": "CR01"}
    assert house.refused("install_box", "S-1", table="CR02", gaming_day=DAY, box="E1") == "WRONG_PHASE"


def test_a_counterfeit_note_is_no_money_and_wants_an_explanation(house: House) -> None:
    removed(house)
    house.must("counterfeit", "K-1", amount=10_000, what="a 100 dollar note", **BOX)
    house.must("count_drop", "K-2", cash=90_000, **COUNTED)
    assert house.balance("Income:Craps:CountVariance:Drop:CR01") == 10_000
    kinds = {one.kind for one in house.books().exceptions.values()}
    assert kinds == {"counterfeit", "drop_variance"}


def test_pp07_a_box_that_hung_and_was_never_counted_keeps_the_day_open(house: House) -> None:
    why = house.why_not("day_close", "A-1", gaming_day=DAY)
    assert "box 17 of CR01 hangs at its table, uncounted" in why
    house.must("remove_box", "S-1", **BOX)
    assert "box 17 of CR01 has not been counted" in house.why_not("day_close", "A-1", gaming_day=DAY)
    house.must("count_drop", "K-1", cash=100_000, **COUNTED)
    assert "counted only once" in house.why_not("day_close", "A-1", gaming_day=DAY)
    house.must("count_drop", "K-2", cash=100_000, **COUNTED, **{"pass": 2})
    house.must("day_close", "A-1", gaming_day=DAY)


def test_a_box_that_is_lost_lets_the_day_close_when_two_have_signed_for_it(house: House) -> None:
    removed(house)
    lost = {"gaming_day": DAY, "kind": "box", "subject": "17", "text": "not found in the cart"}
    house.must("raise_exception", "K-1", **lost)
    house.must("disposition", "A-1", gaming_day=DAY, exception="box:17", text="reported to the regulator")
    house.must("day_close", "A-1", gaming_day=DAY)


def test_the_cash_of_a_count_may_be_told_by_denomination(house: House) -> None:
    removed(house)
    notes = {"10000": 60_000, "2000": 40_000}
    (counted,) = house.must("count_drop", "K-1", cash=notes, **COUNTED)
    assert isinstance(counted, e.DropCounted)
    assert (counted.cash, counted.denominations) == (100_000, notes)


def test_counted_cash_goes_to_the_vault_and_no_more_of_it_than_was_counted() -> None:
    house = House()
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=50_000, tender="cash")
    said: dict[str, Any] = {"gaming_day": house.day, "received_by": {"badge": "C-1", "role": "cage"}}
    assert house.refused("transfer_drop", "K-1", amount=50_000, **said) == "INSUFFICIENT_FUNDS"
    house.must("count_drop", "K-1", table="CR01", box="B", cash=50_000)
    assert house.refused("transfer_drop", "C-1", amount=50_000, **said) == "NO_AUTHORITY"
    house.must("transfer_drop", "K-1", amount=30_000, **said)
    assert house.refused("transfer_drop", "K-1", amount=20_001, **said) == "INSUFFICIENT_FUNDS"
    house.must("transfer_drop", "K-1", amount=20_000, **said)
    assert (house.balance("Assets:Cash:Vault"), house.balance("Assets:Cash:CountRoom")) == (50_000, 0)
