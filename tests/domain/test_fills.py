"""Fills and credits: numbered slips, four signatures, chips in transit."""

from typing import Any

import pytest

from domain import events as e
from tests.domain.house import House

CHIPS = {"2500": 1_000_000, "10000": 1_000_000}
RUNNER = {"badge": "S-1", "role": "security"}
APPROVES = {"badge": "F-9", "role": "floor"}


@pytest.fixture
def house() -> House:
    house = House()
    house.opened()
    return house


def dispatched_fill(house: House, slip: str = "F-101") -> None:
    house.must("request_fill", "F-1", table="CR01", slip=slip, amount=CHIPS)
    house.must("dispatch_fill", "C-1", slip=slip, carrier=RUNNER)


def where(house: House) -> tuple[int, int, int]:
    """What lies in the rack and in transit, and what the cage has given up."""
    return (
        house.balance("Assets:Chips:Table:CR01") - 10_000_000,
        house.balance("Assets:Chips:InTransit"),
        -house.balance("Assets:Chips:Cage") - 10_000_000,
    )


def test_a_fill_is_the_cages_then_nobodys_then_the_tables(house: House) -> None:
    house.must("request_fill", "F-1", table="CR01", slip="F-101", amount=CHIPS)
    assert where(house) == (0, 0, 0)
    house.must("dispatch_fill", "C-1", slip="F-101", carrier=RUNNER)
    assert where(house) == (0, 2_000_000, 2_000_000)
    house.must("receive_fill", "D-1", table="CR01", slip="F-101")
    assert where(house) == (2_000_000, 0, 2_000_000)
    assert house.table().book_rack == 12_000_000


def test_a_credit_is_the_tables_then_nobodys_then_the_cages(house: House) -> None:
    house.must("request_credit", "F-1", table="CR01", slip="F-102", amount=CHIPS)
    house.must("dispatch_credit", "B-1", table="CR01", slip="F-102", carrier=RUNNER)
    assert where(house) == (-2_000_000, 2_000_000, 0)
    house.must("receive_credit", "C-1", slip="F-102")
    assert where(house) == (-2_000_000, 0, -2_000_000)


def test_the_chips_of_a_fill_are_followed_by_denomination(house: House) -> None:
    dispatched_fill(house)
    assert house.chips.in_transit == {"2500": 1_000_000, "10000": 1_000_000}
    house.must("receive_fill", "D-1", table="CR01", slip="F-101")
    assert +house.chips.in_transit == {}


def test_chips_that_only_move_between_cage_and_table_change_no_win(house: House) -> None:
    house.must("fill", "F-1", table="CR01", slip="1", amount=2_000_000)
    house.must("credit", "F-1", table="CR01", slip="2", amount=700_000)
    house.must("close", "B-1", table="CR01", closer=11_300_000)
    assert house.balance("Income") == 0
    assert not house.only(e.InventoryVarianceFound)


@pytest.mark.parametrize(
    ("do", "by", "said"),
    [
        ("request_fill", "D-1", {"table": "CR01", "slip": "N-1", "amount": CHIPS}),
        ("request_credit", "D-1", {"table": "CR01", "slip": "N-1", "amount": CHIPS}),
        ("dispatch_fill", "F-1", {"slip": "asked", "carrier": RUNNER}),
        ("dispatch_fill", "C-1", {"slip": "asked", "carrier": {"badge": "D-2", "role": "dealer"}}),
        ("receive_fill", "F-2", {"table": "CR01", "slip": "sent"}),
        ("receive_fill", "C-2", {"table": "CR01", "slip": "sent"}),
    ],
)
def test_every_step_has_its_own_role(house: House, do: str, by: str, said: dict[str, Any]) -> None:
    house.must("request_fill", "F-1", table="CR01", slip="asked", amount=CHIPS)
    dispatched_fill(house, "sent")
    assert house.refused(do, by, **said) == "NO_AUTHORITY"


def test_nobody_signs_a_slip_twice(house: House) -> None:
    house.must("request_fill", "B-1", table="CR01", slip="F-101", amount=CHIPS)
    twice = {"badge": "B-1", "role": "security"}
    assert house.refused("dispatch_fill", "C-1", slip="F-101", carrier=twice) == "NO_AUTHORITY"
    assert house.refused("dispatch_fill", "C-1", slip="F-101", carrier=RUNNER | {"badge": "C-1"}) == (
        "NO_AUTHORITY"
    )
    house.must("dispatch_fill", "C-1", slip="F-101", carrier=RUNNER)
    assert house.refused("receive_fill", "B-1", table="CR01", slip="F-101") == "NO_AUTHORITY"
    house.must("receive_fill", "B-2", table="CR01", slip="F-101")


def test_a_slip_number_is_used_once_whoever_uses_it_and_for_whatever(house: House) -> None:
    house.opened("CR02")
    house.must("fill", "F-1", table="CR01", slip="101", amount=50_000)
    assert house.refused("fill", "F-1", table="CR02", slip="101", amount=50_000) == "DUPLICATE_SLIP"
    assert house.refused("credit", "F-1", table="CR01", slip="101", amount=50_000) == "DUPLICATE_SLIP"
    assert house.refused("request_fill", "F-1", table="CR01", slip="101", amount=1) == "DUPLICATE_SLIP"
    house.must("request_credit", "F-1", table="CR01", slip="102", amount=50_000)
    assert house.refused("fill", "F-1", table="CR01", slip="102", amount=50_000) == "DUPLICATE_SLIP"


def test_a_fill_goes_to_the_table_that_asked_for_it(house: House) -> None:
    house.opened("CR02")
    dispatched_fill(house)
    assert house.refused("receive_fill", "D-1", table="CR02", slip="F-101") == "NO_SUCH_SLIP"


def test_a_slip_goes_its_way_in_order(house: House) -> None:
    assert house.refused("dispatch_fill", "C-1", slip="F-101", carrier=RUNNER) == "NO_SUCH_SLIP"
    house.must("request_fill", "F-1", table="CR01", slip="F-101", amount=CHIPS)
    assert house.refused("receive_fill", "D-1", table="CR01", slip="F-101") == "WRONG_PHASE"
    assert house.refused("receive_credit", "C-1", slip="F-101") == "WRONG_PHASE"
    house.must("dispatch_fill", "C-1", slip="F-101", carrier=RUNNER)
    house.must("receive_fill", "D-1", table="CR01", slip="F-101")
    assert house.refused("receive_fill", "D-2", table="CR01", slip="F-101") == "WRONG_PHASE"


def test_a_voided_fill_brings_its_chips_back_to_the_cage(house: House) -> None:
    dispatched_fill(house)
    house.must("void_slip", "C-1", slip="F-101", reason="wrong table", approved_by=APPROVES)
    assert where(house) == (0, 0, 0)
    assert house.refused("receive_fill", "D-1", table="CR01", slip="F-101") == "WRONG_PHASE"
    assert house.refused("fill", "F-1", table="CR01", slip="F-101", amount=1) == "DUPLICATE_SLIP"


def test_a_credit_on_its_way_cannot_be_voided_because_its_chips_have_left_the_rack(house: House) -> None:
    house.must("request_credit", "F-1", table="CR01", slip="F-102", amount=CHIPS)
    house.must("request_credit", "F-1", table="CR01", slip="F-103", amount=CHIPS)
    house.must("dispatch_credit", "B-1", table="CR01", slip="F-102", carrier=RUNNER)
    void = {"reason": "wrong", "approved_by": APPROVES}
    assert house.refused("void_slip", "C-1", slip="F-102", **void) == "WRONG_PHASE"
    house.must("void_slip", "C-1", slip="F-103", **void)


def test_a_void_takes_a_supervisor_who_is_not_who_asks_for_it(house: House) -> None:
    dealer = {"badge": "D-1", "role": "dealer"}
    void = {"slip": "F-7", "reason": "torn"}
    assert house.refused("void_slip", "C-1", approved_by=dealer, **void) == "NO_AUTHORITY"
    assert house.refused("void_slip", "F-9", approved_by=APPROVES, **void) == "NO_AUTHORITY"
    house.must("void_slip", "C-1", approved_by=APPROVES, **void)
