"""The master gaming report shift by shift: what happened in each, and that together they are the day."""

from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from psycopg import Connection

from tests.domain.house import House
from tests.domain.table_days import SUPERVISOR, TableDay
from tests.projections.packed import cents, manifest, pack, table, tell

WITNESS = {"badge": "F-2", "role": "floor"}
SECURITY = {"gaming_day": "2026-11-28"}
ADD_UP = (
    "fills credits drop_cash drop_markers drop_other drop_total win_count win_event commission "
    "commission_held mispay disputes inv_variance drop_variance residual handle theo_win adjustments "
    "disputes_at_cage opening_variance coupons credit_issued credit_collected win_nevada win_pennsylvania "
    "win_gaap books_residual recycled_drop placed"
).split()
"""Every column of money of which a day has as much as its shifts together."""
BY_COUNT = (
    "drop_cash drop_markers drop_other drop_total win_count inv_variance drop_variance residual win_nevada "
    "win_pennsylvania win_gaap books_residual"
).split()


def only(row: dict[str, str], names: str) -> list[str]:
    return [row[name] for name in names.split()]


def hang(house: House, box: str) -> None:
    house.must("install_box", "S-1", table="CR01", box=box, **SECURITY)


def take_off(house: House, box: str) -> None:
    house.must("remove_box", "S-1", box=box, **SECURITY)


def cut(house: House, counted: int, shift: str | None = None) -> None:
    named = {} if shift is None else {"shift": shift}
    house.must("table_cut", "B-1", table="CR01", counted=counted, witness=WITNESS, **named)


def count(house: House, box: str, cash: int) -> None:
    for number, counter in enumerate(("K-1", "K-2"), 1):
        house.must("count_drop", counter, table="CR01", box=box, cash=cash, **{"pass": number})


def close(house: House, counted: int, boxes: dict[str, int], hanging: str) -> None:
    """The table closes on its count, the box that hangs comes off, and the cash in all boxes is counted."""
    house.must("close", "B-1", table="CR01", closer=counted)
    take_off(house, hanging)
    for box, cash in boxes.items():
        count(house, box, cash)


def play(house: House, wager: str, bought: int, lost: int) -> None:
    """Bea buys in and loses on the field."""
    house.must("buy_in", table="CR01", player="Bea", amount=bought, tender="cash")
    house.must("bet", table="CR01", player="Bea", wager=wager, kind="field", amount=lost)
    house.must("roll", "B-1", table="CR01", dice=[3, 4])


def begun(shift: str | None = "day") -> House:
    """Box 17 hangs, the table is open, and 300.00 of 1,000.00 are lost."""
    house = House()
    hang(house, "17")
    house.opened(**({} if shift is None else {"shift": shift}))
    play(house, "w1", 100_000, 30_000)
    return house


def two_shifts() -> House:
    """The swing shift begins on a count that is 5.00 short, with another box, and wins 200.00 more."""
    house = begun()
    cut(house, 9_929_500, "swing")
    take_off(house, "17")
    hang(house, "18")
    house.must("fill", "F-1", table="CR01", slip="F-1", amount=100_000)
    play(house, "w2", 50_000, 20_000)
    house.must("walk", table="CR01", player="Bea")
    close(house, 9_999_500, {"17": 100_000, "18": 51_000}, hanging="18")
    return house


def report(conn: Connection[Any], url: str, house: House, out: Path) -> list[dict[str, str]]:
    tell(url, house)
    return table(pack(conn, url, out).folder, "master_gaming_report")


def must_add_up(rows: list[dict[str, str]]) -> None:
    """The last row is the day; whatever is known of every shift adds up to it."""
    *shifts, day = rows
    assert [row["shift_number"] for row in rows] == [*map(str, range(1, len(rows))), ""]
    for name in ADD_UP:
        if all(row[name] for row in shifts):
            assert sum(cents(row[name]) for row in shifts) == cents(day[name]), (name, rows)
    for before, after in pairwise(shifts):
        assert int(before["last_event"]) < int(after["first_event"] or day["last_event"] + "0")


def test_each_shift_has_its_own_row_and_the_day_stands_below(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    day, swing, whole = report(conn, fresh_ledger, two_shifts(), tmp_path)
    figures = "shift opener fills closer drop_total win_count win_event inv_variance drop_variance residual"
    assert only(day, figures) == [
        *("day", "100000.00", "0.00", "99295.00", "1000.00", "295.00", "300.00", "-5.00", "0.00", "0.00")
    ]
    assert only(swing, figures) == [
        *("swing", "99295.00", "1000.00", "99995.00", "510.00", "210.00", "200.00", "0.00", "10.00", "0.00")
    ]
    assert only(whole, figures) == [
        *("day", "100000.00", "1000.00", "99995.00", "1510.00", "505.00", "500.00", "-5.00", "10.00", "0.00")
    ]
    assert only(day, "hold_pct books_residual completeness") == ["29.50", "0.00", "complete"]
    must_add_up([day, swing, whole])


def test_a_table_of_one_shift_has_the_row_of_its_day_and_no_other(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    (whole,) = report(conn, fresh_ledger, begun(), tmp_path)
    assert only(whole, "shift shift_number placed") == ["day", "", "300.00"]


def test_a_cut_that_names_no_shift_is_numbered_or_named_by_the_house(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = begun(shift=None)
    cut(house, 9_930_000)
    house.must("shift_open", "M-1", gaming_day=house.day, shift="grave")
    cut(house, 9_930_000)
    rows = report(conn, fresh_ledger, house, tmp_path)
    assert [row["shift"] for row in rows] == ["1", "2", "grave", "day"]


def test_a_box_that_hangs_over_the_cut_leaves_the_drop_of_both_shifts_unknown(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = begun()
    cut(house, 9_930_000, "swing")
    play(house, "w2", 50_000, 20_000)
    close(house, 9_900_000, {"17": 150_000}, hanging="17")
    *shifts, whole = report(conn, fresh_ledger, house, tmp_path)
    for row in shifts:
        assert only(row, "drop_total win_count residual hold_pct completeness missing_inputs") == [
            *("", "", "", "", "incomplete", "box 17 hung in more than one shift")
        ]
    assert only(whole, "drop_total win_count residual") == ["1500.00", "500.00", "0.00"]
    must_add_up([*shifts, whole])


def test_a_box_that_is_swapped_before_the_next_roll_is_of_the_shift_that_ended(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = begun()
    hang(house, "18")  # ready before the cut, and empty
    cut(house, 9_930_000, "swing")
    house.must("walk", table="CR01", player="Bea")
    take_off(house, "17")
    play(house, "w2", 50_000, 20_000)
    close(house, 9_900_000, {"17": 100_000, "18": 50_000}, hanging="18")
    day, swing, whole = report(conn, fresh_ledger, house, tmp_path)
    assert [row["drop_total"] for row in (day, swing, whole)] == ["1000.00", "500.00", "1500.00"]
    must_add_up([day, swing, whole])


def test_an_emergency_drop_gives_a_shift_two_boxes(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = begun()
    cut(house, 9_930_000, "swing")
    take_off(house, "17")
    hang(house, "18")
    play(house, "w2", 50_000, 20_000)
    house.must("emergency_drop", "S-1", box="18", replacement="19", reason="it is full", **SECURITY)
    play(house, "w3", 10_000, 10_000)
    close(house, 9_900_000, {"17": 100_000, "18": 50_000, "19": 10_000}, hanging="19")
    day, swing, whole = report(conn, fresh_ledger, house, tmp_path)
    assert [row["drop_total"] for row in (day, swing, whole)] == ["1000.00", "600.00", "1600.00"]
    assert {row["residual"] for row in (day, swing, whole)} == {"0.00"}
    must_add_up([day, swing, whole])


def test_a_box_that_nobody_saw_hang_is_of_no_shift(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = House()
    house.opened()
    cut(house, 10_000_000, "swing")
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    *shifts, whole = report(conn, fresh_ledger, house, tmp_path)
    assert {row["missing_inputs"] for row in shifts} == {
        "box 17 was never seen to hang: of which shift it is cannot be told"
    }
    assert whole["win_count"] == "0.00"


def test_an_overrule_after_the_cut_counts_in_the_shift_in_which_it_is_made(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = begun()
    cut(house, 9_930_000, "swing")
    take_off(house, "17")
    hang(house, "18")
    house.must("overrule", "M-1", table="CR01", roll=1, reason="the dice were 2-2", dice=[2, 2])
    house.must("walk", table="CR01", player="Bea")
    close(house, 9_870_000, {"17": 100_000, "18": 0}, hanging="18")
    day, swing, whole = report(conn, fresh_ledger, house, tmp_path)
    figures = "win_count win_event handle residual books_residual"
    assert only(day, figures) == ["300.00", "300.00", "300.00", "0.00", "0.00"]
    assert only(swing, figures) == ["-600.00", "-600.00", "0.00", "0.00", "0.00"]
    assert only(whole, figures) == ["-300.00", "-300.00", "300.00", "0.00", "0.00"]
    must_add_up([day, swing, whole])


@pytest.mark.parametrize("what", ["opener", "closer", "fill", "drop_cash"])
def test_what_is_put_right_afterwards_leaves_the_shifts_the_sum_of_the_day(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, what: str
) -> None:
    house = two_shifts()
    figures = {"opener": (None, 10_000_000), "closer": (None, 9_999_500), "fill": ("F-1", 100_000)}
    item, before = {**figures, "drop_cash": ("17", 100_000)}[what]
    put_right = {"item": item, "before": before, "after": before - 2_500, "reason": "a stack too many"}
    approver = {"badge": "V-1", "role": "surveillance"}
    house.must("correct", "A-1", table="CR01", what=what, approved_by=approver, **put_right)
    day, swing, whole = report(conn, fresh_ledger, house, tmp_path)
    must_add_up([day, swing, whole])
    counts_in = {"drop_cash": day}.get(what, swing)
    other = swing if counts_in is day else day
    was = {"day": 29_500, "swing": 21_000}
    sign = 1 if what in ("opener", "fill") else -1
    assert cents(counts_in["win_count"]) == was[counts_in["shift"]] + sign * 2_500
    assert cents(other["win_count"]) == was[other["shift"]]
    assert {row["residual"] for row in (day, swing, whole)} == {"0.00"}


def test_a_table_that_opens_again_under_another_shift_goes_on_from_the_count_it_was_locked_with(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = begun()
    house.must("walk", table="CR01", player="Bea")
    house.must("close", "B-1", table="CR01", closer=9_930_000)
    take_off(house, "17")
    hang(house, "18")
    house.opened(opener=9_929_000, shift="swing")
    play(house, "w2", 50_000, 20_000)
    house.must("walk", table="CR01", player="Bea")
    close(house, 9_899_000, {"17": 100_000, "18": 50_000}, hanging="18")
    day, swing, whole = report(conn, fresh_ledger, house, tmp_path)
    assert only(swing, "opener closer win_count win_event inv_variance residual books_residual") == [
        *("99300.00", "98990.00", "190.00", "200.00", "-10.00", "0.00", "0.00")
    ]
    must_add_up([day, swing, whole])


def test_what_a_shift_posts_the_journal_says_under_its_name(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, two_shifts())
    folder = pack(conn, fresh_ledger, tmp_path).folder
    variances = [row for row in table(folder, "journal") if "CountVariance:Inventory" in row["account"]]
    assert [only(row, "shift debit") for row in variances] == [["day", "5.00"]]
    lost = {row["shift"]: row["credit"] for row in table(folder, "journal") if "WagersLost" in row["account"]}
    assert lost == {"day": "300.00", "swing": "200.00"}


class ShiftedDay(TableDay):
    """A table day whose rack is cut between shifts, each time with another box or, now and then, the same."""

    def __init__(self, house: House, rng: Random, name: str) -> None:
        super().__init__(house, rng, name)
        self.missing_box = False
        self.boxes = [f"{name}-box"]
        self.taken_off: dict[str, tuple[int, int, int]] = {}
        self.swaps = True
        self.steps = (*self.steps, self.cut, self.cut)

    def cut(self) -> None:
        if not self.say("table_cut", "B-1", counted=self.counted(), witness=SUPERVISOR):
            return
        if self.rng.random() < 0.9:
            self._swap()
        else:
            self.swaps = False

    def count_rack(self) -> None:
        self.say("inventory", "B-1", counted=self.counted(), witness=SUPERVISOR, count="surprise")

    def _swap(self) -> None:
        self.take_off_box()
        self.boxes.append(f"{self.name}-box-{len(self.boxes)}")
        self.say("install_box", "S-1", gaming_day=self.house.day, box=self.boxes[-1])

    def _in_box(self) -> tuple[int, int, int]:
        """What has gone into the box that hangs now."""
        so_far = zip(*self.taken_off.values(), strict=True) if self.taken_off else ((), (), ())
        cash, markers, slips = (
            all_ - sum(gone) for all_, gone in zip(self.table.book_drop, so_far, strict=True)
        )
        return cash, markers, slips

    def take_off_box(self) -> None:
        self.taken_off[self.boxes[-1]] = self._in_box()
        self.say("remove_box", "S-1", gaming_day=self.house.day, box=self.boxes[-1])

    def count_box(self) -> None:
        for box, (cash, markers, slips) in self.taken_off.items():
            wrong = self.rng.choice((0, 0, 500, -1_000))
            figures = {"cash": max(cash + wrong, 0), "markers": max(markers, 0), "slips": slips}
            for number, counter in ((1, "K-1"), (2, "K-2")):
                self.say("count_drop", counter, box=box, **figures, **{"pass": number})


@pytest.mark.parametrize("seed", range(31, 39))
def test_the_shifts_of_a_random_day_add_up_to_it_and_leave_no_residual(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, seed: int
) -> None:
    house, rng = House(), Random(seed)
    days = [ShiftedDay(house, rng, name) for name in ("CR01", "CR02")]
    for day in days:
        day.play(60)
    rows = report(conn, fresh_ledger, house, tmp_path)
    for day in days:
        ours = [row for row in rows if row["table_id"] == day.name]
        assert len(ours) == 1 or len(ours) == day.table.cuts + 2
        if len(ours) > 1:
            must_add_up(ours)
        for row in ours:
            known = row["completeness"] == "complete"
            assert {bool(row[name]) for name in BY_COUNT} == {known}, row
            assert {row["residual"], row["books_residual"]} == {"0.00" if known else ""}, row
        if day.swaps:
            assert {row["completeness"] for row in ours} == {"complete"}


def test_the_control_totals_of_the_report_count_every_day_once(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, two_shifts())
    said = manifest(pack(conn, fresh_ledger, tmp_path).folder)
    assert said["files"]["master_gaming_report.csv"]["totals"]["win_count"] == "505.00"
