"""The gaming day: what keeps it open, how it closes, and what it still hears."""

from datetime import date
from typing import Any

import pytest

from domain import events as e
from domain.closing import missing
from tests.domain.house import House

DAY = {"gaming_day": "2026-11-28"}
RUNNER = {"badge": "S-1", "role": "security"}


@pytest.fixture
def house() -> House:
    house = House()
    house.must("day_open", "A-1", **DAY)
    house.opened()
    return house


def counted(house: House, closer: int = 10_000_000) -> House:
    house.must("close", "B-1", table="CR01", closer=closer)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    return house


def why_open(house: House) -> str:
    return house.why_not("day_close", "A-1", **DAY)


def test_a_day_with_nothing_open_closes_and_says_what_it_accounts_for(house: House) -> None:
    house.must("fill", "F-1", table="CR01", slip="101", amount=50_000)
    counted(house, 10_050_000)
    closed = house.must("day_close", "A-1", **DAY)[0]
    assert isinstance(closed, e.GamingDayClosed)
    assert (closed.tables, closed.boxes, closed.slips) == (("CR01",), ("17",), ("101",))


def test_an_open_table_and_one_without_a_counted_box_keep_the_day_open(house: House) -> None:
    assert "table CR01 is open" in why_open(house)
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    assert "no drop box of table CR01 has been counted" in why_open(house)


def test_chips_in_transit_keep_the_day_open(house: House) -> None:
    house.must("request_fill", "F-1", table="CR01", slip="F-101", amount=50_000)
    house.must("request_fill", "F-1", table="CR01", slip="F-102", amount=50_000)
    house.must("dispatch_fill", "C-1", slip="F-102", carrier=RUNNER)
    counted(house)
    assert "fill F-101 is requested; fill F-102 is in transit" in why_open(house)


def test_a_number_left_out_keeps_the_day_open_until_the_form_is_voided(house: House) -> None:
    for slip in ("F-0098", "F-0099", "F-0101"):
        house.must("fill", "F-1", table="CR01", slip=slip, amount=50_000)
    counted(house, 10_150_000)
    assert why_open(house) == "1 open: slip F-0100 is missing"
    void = {"slip": "F-0100", "reason": "torn out", "approved_by": {"badge": "F-9", "role": "floor"}}
    house.must("void_slip", "C-1", **void)
    house.must("day_close", "A-1", **DAY)


def test_a_number_that_another_day_used_is_not_missing(house: House) -> None:
    house.must("fill", "F-1", table="CR01", slip="2", amount=50_000)
    counted(house, 10_050_000)
    house.must("day_close", "A-1", **DAY)
    house.day = "2026-11-29"
    house.opened(opener=10_050_000)
    for slip in ("1", "3"):
        house.must("fill", "F-1", table="CR01", slip=slip, amount=50_000)
    house.must("close", "B-1", table="CR01", closer=10_150_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    house.must("day_close", "A-1", gaming_day="2026-11-29")


def test_a_wide_gap_is_told_as_one(house: House) -> None:
    for slip in ("F-1", "F-5000"):
        house.must("fill", "F-1", table="CR01", slip=slip, amount=50_000)
    counted(house, 10_100_000)
    assert len(why_open(house)) <= 1000
    for number in range(2, 1001):
        house.must(
            "void_slip",
            "C-1",
            slip=f"F-{number}",
            reason="lost",
            approved_by={"badge": "F-9", "role": "floor"},
        )
    assert why_open(house) == "1 open: slips F-1001 to F-4999 are missing"


def test_a_variance_keeps_the_day_open_until_somebody_else_explains_it(house: House) -> None:
    counted(house, 9_997_500)
    assert "inventory_variance:CR01 of -25.00 has no disposition" in why_open(house)
    sign = {"exception": "inventory_variance:CR01", "text": "recounted; one chip short", **DAY}
    assert house.refused("disposition", "F-1", **sign) == "NO_AUTHORITY"
    house.must("disposition", "A-1", **sign)
    assert house.refused("disposition", "A-2", **sign) == "WRONG_PHASE"
    house.must("day_close", "A-1", **DAY)


def test_nobody_disposes_of_what_they_raised(house: House) -> None:
    odd = {"kind": "conduct", "subject": "D-7", "text": "left the game", **DAY}
    house.must("raise_exception", "V-1", **odd)
    sign = {"exception": "conduct:D-7", "text": "spoken to", **DAY}
    assert house.refused("disposition", "V-1", **sign) == "NO_AUTHORITY"
    assert house.refused("disposition", "V-2", **sign | {"exception": "conduct:D-8"}) == "NO_SUCH_EXCEPTION"
    house.must("disposition", "V-2", **sign)


def test_variances_below_the_days_threshold_want_no_explanation() -> None:
    house = House()
    house.must("day_open", "A-1", threshold=2_501, **DAY)
    house.opened()
    counted(house, 9_997_500)
    assert house.balance("Income:Craps:CountVariance:Inventory:CR01") == 2_500
    house.must("day_close", "A-1", **DAY)


@pytest.mark.parametrize("who", ["F-1", "C-1", "K-1", "D-1"])
def test_a_day_is_closed_by_audit_or_the_shift_manager(house: House, who: str) -> None:
    counted(house)
    assert house.refused("day_close", who, **DAY) == "NO_AUTHORITY"
    house.must("day_close", "M-1", **DAY)


@pytest.fixture
def sealed(house: House) -> House:
    house.must("buy_in", table="CR01", player="P1", amount=10_000, tender="cash")
    house.must("close", "B-1", table="CR01", closer=9_990_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=10_000)
    house.must("day_close", "A-1", **DAY)
    return house


@pytest.mark.parametrize(
    ("do", "by", "said"),
    [
        ("walk", "D-1", {"table": "CR01", "player": "P1"}),
        ("redeem_marker", "D-1", {"table": "CR01", "player": "P1", "amount": 1, "tender": "cash"}),
        ("count_drop", "K-2", {"table": "CR01", "box": "18", "cash": 1}),
        ("open", "B-1", {"table": "CR01", **DAY, "rules": "ia-prairie-meadows", "opener": 1}),
        ("install_box", "S-1", {"table": "CR01", "box": "99", **DAY}),
        ("day_open", "A-1", DAY),
        ("day_close", "A-1", DAY),
        ("shift_open", "M-1", {"shift": "day", **DAY}),
        ("raise_exception", "A-1", {"kind": "odd", "subject": "x", "text": "late", **DAY}),
        ("place_chips", "C-1", {"amount": 1, **DAY}),
        ("fund_cage", "C-1", {"amount": 1, **DAY}),
    ],
)
def test_a_closed_day_hears_nothing_new(sealed: House, do: str, by: str, said: dict[str, Any]) -> None:
    terms = {"min": 1, "max": 1, "chip": 1, "payout_unit": 1} if do == "open" else {}
    assert sealed.refused(do, by, **said, **terms) == "DAY_SEALED"


def test_what_is_wrong_with_a_closed_day_is_corrected_and_marked_as_late(sealed: House) -> None:
    figures = {"what": "closer", "before": 9_990_000, "after": 9_995_000, "reason": "a stack behind the puck"}
    approves = {"badge": "C-9", "role": "cage"}
    corrected = sealed.must("correct", "A-1", table="CR01", approved_by=approves, **figures)[0]
    assert isinstance(corrected, e.CorrectionRecorded)
    assert corrected.sealed


CLOSER = {"table": "CR01", "what": "closer", "reason": "a stack behind the puck"}
SIGN = {"exception": "inventory_variance:CR01", "text": "found on the film", **DAY}


def put_right(house: House, before: int, after: int) -> None:
    approves = {"badge": "V-9", "role": "surveillance"}
    house.must("correct", "A-1", approved_by=approves, before=before, after=after, **CLOSER)


def missing_of(house: House) -> list[str]:
    return [one.text for one in missing(date(2026, 11, 28), house)]


@pytest.mark.parametrize("who", ["A-2", "M-1"])
def test_what_a_correction_shows_of_a_closed_day_is_explained_and_the_seal_stands(
    sealed: House, who: str
) -> None:
    put_right(sealed, 9_990_000, 9_995_000)
    assert missing_of(sealed) == ["inventory_variance:CR01 of 50.00 has no disposition"]
    (signed,) = sealed.must("disposition", who, **SIGN)
    assert isinstance(signed, e.ExceptionDispositioned)
    assert (signed.dispositioned_by, signed.sealed) == (who, True)
    assert missing_of(sealed) == []
    assert sealed.books().is_sealed
    assert sealed.refused("disposition", who, **SIGN) == "WRONG_PHASE"


@pytest.mark.parametrize("who", ["A-1", "P-1", "V-1", "F-1", "C-1"])
def test_a_closed_day_is_explained_by_who_may_close_one_and_did_not_raise_it(sealed: House, who: str) -> None:
    put_right(sealed, 9_990_000, 9_995_000)
    assert sealed.refused("disposition", who, **SIGN) == "NO_AUTHORITY"


def test_a_second_correction_of_a_closed_day_wants_an_explanation_of_its_own(sealed: House) -> None:
    put_right(sealed, 9_990_000, 9_995_000)
    sealed.must("disposition", "A-2", **SIGN)
    put_right(sealed, 9_995_000, 9_996_000)
    assert missing_of(sealed) == ["inventory_variance:CR01 of 60.00 has no disposition"]
    put_right(sealed, 9_996_000, 9_990_000)  # it was right from the beginning
    assert missing_of(sealed) == []


def test_a_counterfeit_that_comes_back_after_the_close_is_explained_too() -> None:
    house = House()
    house.must("install_box", "S-1", table="CR01", box="17", **DAY)
    house.opened()
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    house.must("remove_box", "S-1", box="17", **DAY)
    for number, counter in ((1, "K-1"), (2, "K-2")):
        house.must("count_drop", counter, table="CR01", box="17", cash=0, **{"pass": number})
    house.must("day_close", "A-1", **DAY)
    note = {"box": "17", "amount": 10_000, "what": "a hundred that the bank sent back"}
    raised = house.must("counterfeit", "K-1", **note, **DAY)[1]
    assert isinstance(raised, e.ExceptionRaised)
    house.must("disposition", "A-1", exception=raised.exception, text="reported to the police", **DAY)
    assert missing_of(house) == []


def test_chips_on_the_rails_when_a_day_is_sealed_are_there_when_the_table_opens_again(sealed: House) -> None:
    assert sealed.table().rails == {"P1": 0}
    last = len(sealed.facts)
    sealed.day = "2026-11-29"
    sealed.opened(opener=9_990_000)
    assert sealed.table().rails == {"P1": 10_000}
    assert all(fact.stream == "table:CR01:2026-11-29" for fact in sealed.facts[last:])


def test_shifts_follow_one_another(house: House) -> None:
    house.must("shift_open", "M-1", shift="day", **DAY)
    assert house.refused("shift_open", "M-1", shift="swing", **DAY) == "WRONG_PHASE"
    assert house.refused("shift_close", "M-1", shift="swing", **DAY) == "WRONG_PHASE"
    house.must("shift_close", "M-1", shift="day", **DAY)
    house.must("shift_open", "M-1", shift="swing", **DAY)


def test_a_day_opens_once(house: House) -> None:
    assert house.refused("day_open", "A-1", **DAY) == "WRONG_PHASE"


def test_chips_enter_and_leave_service_through_the_cage(house: House) -> None:
    house.must("place_chips", "C-1", amount={"10000": 1_000_000}, **DAY)
    himself, other = {"badge": "C-1", "role": "cage"}, {"badge": "A-1", "role": "audit"}
    gone = {"amount": {"10000": 400_000}, **DAY}
    assert house.refused("destroy_chips", "C-1", witness=himself, **gone) == "NO_AUTHORITY"
    house.must("destroy_chips", "C-1", witness=other, **gone)
    assert house.balance("Liabilities:Chips:Issued") == -600_000
    assert house.chips.issued == {"10000": 600_000}
    assert house.refused("place_chips", "F-1", amount=1, **DAY) == "NO_AUTHORITY"
