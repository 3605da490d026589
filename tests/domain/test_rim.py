"""Rim credit: chips on a lammer, with nothing in the box for them until they are settled."""

from typing import Any

import pytest

from domain import events as e
from tests.domain.house import House

RIM: dict[str, Any] = {"table": "CR01", "player": "P1", "amount": 50_000}


@pytest.fixture
def house() -> House:
    house = House()
    house.opened()
    house.must("rim_credit", "F-1", **RIM)
    return house


def test_rim_credit_is_owed_and_no_drop(house: House) -> None:
    table = house.table("CR01")
    assert (table.rails["P1"], table.rim, table.book_drop) == (50_000, {"P1": 50_000}, (0, 0, 0))
    assert house.balance("Assets:Markers:Rim") == 50_000


def test_it_takes_a_supervisor(house: House) -> None:
    assert house.refused("rim_credit", "D-1", **RIM) == "NO_AUTHORITY"


def test_no_more_is_settled_than_is_owed_nor_with_chips_that_are_not_there(house: House) -> None:
    assert house.refused("settle_rim", **{**RIM, "amount": 50_001}, tender="marker") == "INSUFFICIENT_FUNDS"
    house.must("walk", table="CR01", player="P1", amount=10_000)
    assert house.refused("settle_rim", **RIM, tender="chips") == "INSUFFICIENT_FUNDS"


def test_given_back_in_chips_it_leaves_everything_as_it_was(house: House) -> None:
    house.must("settle_rim", **RIM, tender="chips")
    table = house.table("CR01")
    assert (table.rim, table.book_rack, table.book_drop) == ({}, table.opener, (0, 0, 0))
    assert house.balance("Assets:Markers:Rim") == 0


def test_put_on_a_marker_it_is_drop_and_owed_to_the_cage(house: House) -> None:
    house.must("settle_rim", **RIM, tender="marker", marker="M-1")
    assert house.table("CR01").book_drop == (0, 50_000, 0)
    assert house.balance("Assets:Markers:Receivable") == 50_000
    assert house.balance("Assets:Markers:Rim") == 0
    house.must("pay_marker", "C-1", player="P1", marker="M-1", amount=50_000, tender="cash")
    assert house.refused("buy_in", **RIM, tender="marker", marker="M-1") == "DUPLICATE_SLIP"


def test_no_rack_is_counted_for_the_books_while_any_is_open(house: House) -> None:
    watched: dict[str, Any] = {"witness": {"badge": "F-2", "role": "floor"}, "counted": 0}
    assert house.refused("close", "F-1", table="CR01", closer=0) == "WRONG_PHASE"
    assert house.refused("table_cut", "B-1", table="CR01", **watched) == "WRONG_PHASE"
    assert house.refused("inventory", "B-1", table="CR01", count="closer", **watched) == "WRONG_PHASE"
    house.must("settle_rim", **RIM, tender="marker")
    house.must("close", "F-1", table="CR01", closer=house.table("CR01").book_rack)
    assert not house.only(e.InventoryVarianceFound)


def test_a_call_bet_is_made_with_it_and_lost_it_is_still_owed(house: House) -> None:
    house.must("bet", **{**RIM, "kind": "field", "wager": "w1"})
    house.must("roll", table="CR01", dice=[3, 4])
    table = house.table("CR01")
    assert (table.rails["P1"], table.rim) == (0, {"P1": 50_000})
    house.must("settle_rim", **RIM, tender="marker")
    assert house.balance("Income:Craps:WagersLost:CR01") == -house.balance("Assets:Markers:Receivable")
