"""The rack counted, cut and put right."""

from typing import Any

import pytest

from domain import events as e
from tests.domain.house import House

FLOOR = {"badge": "F-1", "role": "floor"}
SHIFT_MANAGER = {"badge": "M-1", "role": "shift_manager"}
CAGE = {"badge": "C-9", "role": "cage"}


@pytest.fixture
def house() -> House:
    house = House()
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
    return house


def test_a_count_as_the_books_say_finds_nothing(house: House) -> None:
    (counted,) = house.must(
        "inventory", "B-1", table="CR01", count="surprise", counted=9_900_000, witness=FLOOR
    )
    assert isinstance(counted, e.TableInventoryCounted)
    assert (counted.number, counted.book, counted.witness) == (1, 9_900_000, "F-1")


def test_what_a_count_finds_is_found_once(house: House) -> None:
    house.must("inventory", "B-1", table="CR01", count="shift", counted=9_897_500, witness=FLOOR)
    house.must("close", "B-1", table="CR01", closer=9_897_500)
    (found,) = house.only(e.InventoryVarianceFound)
    assert found.difference == -2_500
    assert house.balance("Assets:Chips:Table:CR01") == 9_897_500
    assert house.balance("Income:Craps:CountVariance:Inventory:CR01") == 2_500


def test_a_miscount_that_the_closer_puts_right_explains_itself(house: House) -> None:
    house.must("inventory", "B-1", table="CR01", count="shift", counted=9_800_000, witness=FLOOR)
    assert house.books().exceptions["inventory_variance:CR01"].is_open
    house.must("close", "B-1", table="CR01", closer=9_900_000)
    assert not house.books().exceptions["inventory_variance:CR01"].is_open
    assert house.balance("Income") == 0


@pytest.mark.parametrize("witness", [{"badge": "D-2", "role": "dealer"}, {"badge": "F-2", "role": "floor"}])
def test_a_count_takes_a_supervisor_who_watches_and_does_not_count(
    house: House, witness: dict[str, str]
) -> None:
    said = {"table": "CR01", "count": "surprise", "counted": 1, "witness": witness}
    assert house.refused("inventory", "F-2", **said) == "NO_AUTHORITY"


def test_the_cut_leaves_the_patrons_wagers_on_the_layout_out_of_the_rack(house: House) -> None:
    house.must("bet", table="CR01", player="P1", wager="w", kind="pass", amount=5_000)
    cut, counted = house.must("table_cut", "B-1", table="CR01", counted=9_900_000, shift="G", witness=FLOOR)
    assert isinstance(cut, e.TableCut)
    assert isinstance(counted, e.TableInventoryCounted)
    assert (cut.cut, cut.shift, cut.roll, cut.book, cut.on_layout) == (1, "G", 0, 9_900_000, 5_000)


def test_nobody_counts_while_the_dice_are_out(house: House) -> None:
    house.must("dice_out", table="CR01")
    for do in ("inventory", "table_cut"):
        said = {"count": "shift"} if do == "inventory" else {}
        refused = house.refused(do, "B-1", table="CR01", counted=1, witness=FLOOR, **said)
        assert refused == "DICE_OUT"


def test_the_opener_is_held_against_the_closer_that_the_tray_was_locked_with(house: House) -> None:
    house.must("close", "B-1", table="CR01", closer=9_900_000)
    house.day = "2026-11-29"
    house.opened(opener=9_899_000)
    (found,) = house.only(e.InventoryVarianceFound)
    assert (found.against, found.book, found.difference) == ("preceding_closer", 9_900_000, -1_000)
    assert house.balance("Assets:Chips:Table:CR01") == 9_899_000
    assert house.books().exceptions["opening_variance:CR01"].amount == -1_000


def test_a_table_that_opens_again_the_same_day_goes_on_with_its_count(house: House) -> None:
    house.must("close", "B-1", table="CR01", closer=9_900_000)
    house.opened(opener=9_899_000)
    house.must("close", "B-1", table="CR01", closer=9_899_000)
    assert house.table().variance_in_rack == -1_000
    assert house.balance("Assets:Chips:Table:CR01") == 9_899_000
    assert len(house.only(e.InventoryVarianceFound)) == 1


def test_what_happens_after_the_count_never_leaves_books_and_count_apart(house: House) -> None:
    house.must("close", "B-1", table="CR01", closer=9_900_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=100_000)
    house.must("adjust", "F-1", table="CR01", player="P1", amount=500, reason="ruling", approved_by="M-1")
    table = house.table()
    assert table.closer == table.book_rack == house.balance("Assets:Chips:Table:CR01")
    assert -house.balance("Income") == 0  # 5.00 settled, 5.00 more in the rack than the movements say


def correction(**said: Any) -> dict[str, Any]:
    usual = {"what": "closer", "before": 9_890_000, "after": 9_900_000, "reason": "two stacks unseen"}
    return {"table": "CR01", "approved_by": CAGE, **usual, **said}


@pytest.fixture
def closed(house: House) -> House:
    house.must("close", "B-1", table="CR01", closer=9_890_000)
    return house


def test_pp05_a_count_is_put_right_by_another_department_and_both_figures_stand(closed: House) -> None:
    (corrected, found, _) = closed.must("correct", "A-1", **correction())
    assert isinstance(corrected, e.CorrectionRecorded)
    assert (corrected.before, corrected.after) == (9_890_000, 9_900_000)
    assert (corrected.proposed_by, corrected.approved_by, corrected.original_by) == ("A-1", "C-9", "B-1")
    assert isinstance(found, e.InventoryVarianceFound)
    assert closed.only(e.TableClosed)[0].closer == 9_890_000
    assert closed.balance("Assets:Chips:Table:CR01") == 9_900_000
    assert closed.balance("Income") == 0


@pytest.mark.parametrize("who", ["B-1", "F-7", "P-1", "M-2"])
def test_pp05_the_department_that_counted_puts_nothing_right(closed: House, who: str) -> None:
    assert closed.refused("correct", who, **correction()) == "NO_AUTHORITY"
    assert closed.refused("correct", "A-1", **correction(approved_by=SHIFT_MANAGER)) == "NO_AUTHORITY"


def test_nobody_approves_their_own_correction(closed: House) -> None:
    himself = {"badge": "A-1", "role": "audit"}
    assert closed.refused("correct", "A-1", **correction(approved_by=himself)) == "NO_AUTHORITY"


def test_a_correction_refers_to_the_figure_as_it_stands(closed: House) -> None:
    assert closed.refused("correct", "A-1", **correction(before=1)) == "BAD_AMOUNT"
    assert closed.refused("correct", "A-1", **correction(after=9_890_000)) == "BAD_AMOUNT"
    assert closed.refused("correct", "A-1", **correction(what="fill", item="1")) == "NO_SUCH_FIGURE"
    closed.must("correct", "A-1", **correction())
    assert closed.refused("correct", "A-1", **correction()) == "BAD_AMOUNT"


def test_a_fill_put_right_moves_the_cages_chips_too_and_the_closer_shows_it() -> None:
    house = House()
    house.opened()
    house.must("fill", "F-1", table="CR01", slip="101", amount=2_000_000)
    house.must("close", "B-1", table="CR01", closer=12_010_000)
    assert house.balance("Income:Craps:CountVariance:Inventory:CR01") == -10_000
    fill = {"what": "fill", "item": "101", "before": 2_000_000, "after": 2_010_000}
    house.must("correct", "A-1", **correction(**fill))
    assert house.balance("Income") == 0
    assert house.balance("Assets:Chips:InTransit") == 0
    assert house.balance("Assets:Chips:Cage") == -12_010_000
    assert house.balance("Assets:Chips:Table:CR01") == 12_010_000


def test_a_fill_of_other_chips_than_the_slip_said_is_put_right_by_denomination() -> None:
    house = House()
    house.opened(opener={"2500": 5_000_000})
    house.must("fill", "F-1", table="CR01", slip="101", amount={"2500": 250_000})
    fill = {"what": "fill", "item": "101", "before": 250_000}
    house.must("correct", "A-1", **correction(**fill, after={"10000": 1_000_000}))
    assert house.chips.rack("CR01") == {"2500": 5_000_000, "10000": 1_000_000}
    assert house.chips.cage == {"2500": -5_000_000, "10000": -1_000_000}
    house.must("correct", "A-1", **correction(**fill | {"before": 1_000_000}, after=1_020_000))
    assert house.chips.cage == {"2500": -5_000_000, "10000": -1_000_000, "": -20_000}
    house.must("correct", "A-1", **correction(**fill | {"before": 1_020_000}, after={"500": 1_020_000}))
    assert +house.chips.rack("CR01") == {"2500": 5_000_000, "500": 1_020_000}
    wrong_kind = correction(**fill | {"before": 1_020_000}, after={"2500": 1_020_000})
    house.must("correct", "A-1", **wrong_kind)  # the same sum in other chips
    assert +house.chips.rack("CR01") == {"2500": 6_020_000}
    assert house.refused("correct", "A-1", **wrong_kind) == "BAD_AMOUNT"


def test_a_credit_put_right_after_the_close_leaves_the_rack_as_its_closer_says() -> None:
    house = House()
    house.opened(opener={"2500": 5_000_000})
    house.must("credit", "F-1", table="CR01", slip="102", amount={"2500": 1_000_000})
    house.must("close", "B-1", table="CR01", closer={"2500": 3_500_000})
    credit = {"what": "credit", "item": "102", "before": 1_000_000, "after": {"2500": 1_500_000}}
    house.must("correct", "A-1", **correction(**credit))
    assert house.chips.rack("CR01") == {"2500": 3_500_000}
    assert house.chips.cage == {"2500": -5_000_000 + 1_500_000}
    assert house.chips.outstanding() == {}
    closer = {"what": "closer", "before": 3_500_000, "after": {"2500": 3_475_000, "500": 25_000}}
    house.must("correct", "A-1", **correction(**closer))
    assert house.chips.rack("CR01") == {"2500": 3_475_000, "500": 25_000}


def test_what_is_no_sum_of_chips_is_put_right_without_denominations(closed: House) -> None:
    closed.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    markers = {"what": "drop_markers", "item": "17", "before": 0, "after": {"100": 100}}
    assert closed.refused("correct", "A-1", **correction(**markers)) == "BAD_AMOUNT"
    assert "without denominations" in closed.why_not("correct", "A-1", **correction(**markers))


@pytest.mark.parametrize("preceding", [True, False])
def test_an_opener_put_right_changes_where_its_chips_came_from(preceding: bool) -> None:
    house = House()
    house.opened()
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    if preceding:
        house.day = "2026-11-29"
        house.opened()
        house.must("close", "B-1", table="CR01", closer=10_000_000)
    opener = {"what": "opener", "before": 10_000_000, "after": 10_001_000}
    house.must("correct", "A-1", **correction(**opener))
    assert house.table().variance_in_rack == -1_000
    assert house.balance("Assets:Chips:Table:CR01") == 10_000_000
    assert house.balance("Assets:Chips:Cage") == -10_000_000 - (0 if preceding else 1_000)


def test_a_shift_count_and_a_count_of_a_box_can_be_put_right(house: House) -> None:
    house.must("inventory", "B-1", table="CR01", count="shift", counted=9_890_000, witness=FLOOR)
    shift = {"what": "inventory", "item": "1", "before": 9_890_000, "after": 9_900_000}
    house.must("correct", "A-1", **correction(**shift))
    house.must("close", "B-1", table="CR01", closer=9_900_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=99_000)
    cash = {"what": "drop_cash", "item": "17", "before": 99_000, "after": 100_000}
    house.must("correct", "A-1", **correction(**cash))
    assert house.balance("Income") == 0
    assert house.balance("Assets:Cash:CountRoom") == 100_000


def test_pp09_paid_and_owed_are_two_facts_and_the_exception_names_dealer_box_and_roll(house: House) -> None:
    house.must("bet", table="CR01", player="P1", wager="w", kind="any_craps", amount=500)
    house.must("roll", "B-1", table="CR01", dice=[1, 1])
    house.must("pay", "F-1", table="CR01", wager="w", paid=4_000, dealer="D-142", boxman="B-031")
    assert house.balance("Income:Craps:Mispay:CR01") == 500
    assert house.balance("Income:Craps:WinningsPaid:CR01") == 3_500
    (raised,) = house.only(e.ExceptionRaised)
    assert all(word in raised.text for word in ("roll 1", "dealer D-142", "box B-031", "40.00 for 35.00"))
    assert (raised.kind, raised.amount) == ("mispay", 500)


def test_a_mispay_that_was_put_right_wants_no_explanation(house: House) -> None:
    house.must("bet", table="CR01", player="P1", wager="w", kind="any_craps", amount=500)
    house.must("roll", "B-1", table="CR01", dice=[1, 1])
    house.must("pay", "F-1", table="CR01", wager="w", paid=4_000)
    house.must("pay", "F-1", table="CR01", wager="w", paid=3_500)
    assert not house.books().exceptions["mispay:CR01:w"].is_open
    assert house.balance("Income:Craps:Mispay:CR01") == 0


def test_a_closer_put_right_after_the_table_has_opened_for_its_next_day_moves_what_the_opener_was_over_it(
    closed: House,
) -> None:
    closed.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    closed.day = "2026-11-29"
    closed.opened(opener=9_900_000)
    opening = closed.books().exceptions["opening_variance:CR01"]
    assert (opening.amount, opening.is_open) == (10_000, True)
    closed.must("correct", "A-1", gaming_day="2026-11-28", **correction())  # two stacks unseen
    assert closed.balance("Assets:Chips:Table:CR01") == 9_900_000
    assert not closed.books().exceptions["opening_variance:CR01"].is_open
    closing = closed.must("close", "B-1", table="CR01", closer=9_900_000)
    assert [type(event) for event in closing] == [e.TableClosed]
    assert closed.balance("Assets:Chips:Table:CR01") == closed.table().closer == 9_900_000


def test_the_closer_of_a_table_that_opened_again_the_same_day_is_put_right_by_its_new_count(
    closed: House,
) -> None:
    closed.opened(opener=9_900_000)
    assert closed.refused("correct", "A-1", **correction()) == "TOO_LATE"
    assert closed.balance("Assets:Chips:Table:CR01") == 9_900_000
