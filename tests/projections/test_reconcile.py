"""The win by count, by wagers and by the accounts: three ways to one figure, line by line."""

from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from psycopg import Connection

from domain.policy.wins import wins_in_force
from projections import books, reconcile
from projections.follow import follow, rebuild
from tests.domain.house import House
from tests.domain.table_days import TableDay
from tests.domain.test_gold import gold_night, walked_chips
from tests.projections.packed import closed_day, correction, pack, table
from tests.projections.test_table_days import tell

DAY = date(2026, 11, 28)
MUST_BE_NOTHING = ("residual", "books_residual", "rack_in_books", "boxes_in_books")


def rows_of(conn: Connection[Any], url: str, house: House) -> list[dict[str, Any]]:
    tell(url, house)
    follow(conn)
    return reconcile.rows(conn)


def only(row: dict[str, Any], names: str) -> list[Any]:
    return [row[name] for name in names.split()]


def test_the_gold_night_reconciles_line_by_line_to_the_cent(conn: Connection[Any], fresh_ledger: str) -> None:
    (row,) = rows_of(conn, fresh_ledger, gold_night())
    assert only(row, "closer credits drop_cash drop_markers drop_slips drop opener fills count_win") == [
        *(10_483_000, 800_000, 110_000, 400_000, 200_000, 710_000, 10_000_000, 2_000_000, -7_000)
    ]
    assert only(row, "wagers_lost commission_earned winnings_paid mispaid adjustments event_win") == [
        *(170_000, 1_000, 163_500, 2_000, 10_500, -5_000)
    ]
    assert only(row, "commission_held inventory_variance drop_variance residual") == [500, -2_500, 0, 0]
    assert only(row, "books_win books_residual rack_in_books boxes_in_books") == [-7_000, 0, 0, 0]
    assert only(row, "placed handle") == [320_500, 300_500]


def test_every_win_of_the_gold_night_stands_under_its_own_name(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    (row,) = rows_of(conn, fresh_ledger, gold_night())
    wins = {name: row[f"win_{name}"] for name in reconcile.WINS}
    assert wins == {
        "statistical": -7_000,
        "event": -5_000,
        "nevada": -407_000,
        "pennsylvania": -7_000,
        "gaap": -7_500,
    }
    assert set(wins_in_force(DAY)) == set(wins)
    assert all(one["id"] and one["formula"] and one["source"] for one in reconcile.definitions(DAY))


def test_chips_outstanding_are_derived_from_the_accounts_never_posted(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    rows_of(conn, fresh_ledger, gold_night())
    house = reconcile.house(conn, DAY)
    assert only(house, "chips_outstanding markers_unpaid front_money commission_refundable") == [
        *(977_000, 400_000, 0, 500)
    ]
    assert (house["trial_balance"], house["win_nevada"]) == (0, -407_000)


def test_chips_that_walked_leave_one_table_without_win_and_the_other_without_hold(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    one, two = rows_of(conn, fresh_ledger, walked_chips())
    assert only(one, "drop count_win event_win hold_pct residual") == [100_000, 0, 0, 0, 0]
    assert only(two, "drop count_win event_win hold_pct residual") == [0, 60_000, 60_000, None, 0]
    assert reconcile.house(conn, DAY)["chips_outstanding"] == 25_000


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_random_days_reconcile_by_both_routes_and_their_books_are_the_houses(
    conn: Connection[Any], fresh_ledger: str, seed: int
) -> None:
    house, rng = House(), Random(seed)
    days = [TableDay(house, rng, name).play(40) for name in ("CR01", "CR02", "CR03")]
    rows = {row["table"]: row for row in rows_of(conn, fresh_ledger, house)}
    for day in days:
        row = rows[day.name]
        assert row["completeness"] == ("incomplete" if day.missing_box else "complete")
        nothing = None if day.missing_box else 0
        assert only(row, " ".join(MUST_BE_NOTHING)) == [nothing] * 4, row
    assert not reconcile.broken(list(rows.values()), reconcile.house(conn, DAY))
    assert books.balances(conn, DAY) == {name: cents for name, cents in house.balances.items() if cents}
    assert reconcile.house(conn, DAY)["chips_outstanding"] == house.outstanding()
    assert _out(books.chips_in_house(conn, DAY)) == house.chips.outstanding()
    before = rows, books.balances(conn), books.markers(conn, DAY)
    rebuild(conn)
    assert ({row["table"]: row for row in reconcile.rows(conn)}, *before[1:]) == before


def _out(chips: dict[str, dict[str, int]]) -> dict[str, int]:
    in_house = ("cage", "tables", "transit")
    out = {
        name: places.get("issued", 0) - sum(places.get(place, 0) for place in in_house)
        for name, places in chips.items()
    }
    return {name: cents for name, cents in out.items() if cents}


def test_pp07_a_box_never_counted_leaves_the_win_unknown_and_names_itself(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    house.must("install_box", "S-1", gaming_day=house.day, table="CR01", box="17")
    house.opened()
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    (row,) = rows_of(conn, fresh_ledger, house)
    assert only(row, "completeness count_win win_statistical win_nevada win_gaap drop hold_pct residual") == [
        "incomplete",
        *[None] * 7,
    ]
    assert row["missing"] == ["box 17 has not been counted"]
    assert row["event_win"] == 0
    assert reconcile.house(conn, DAY)["win_nevada"] is None


def slips_only(fill: int, credit: int) -> House:
    """Chips go to a table and come back, and nobody plays."""
    house = House()
    house.opened()
    if fill:
        house.must("fill", "F-1", table="CR01", slip="F-1", amount=fill)
    if credit:
        house.must("credit", "F-1", table="CR01", slip="F-2", amount=credit)
    house.must("close", "B-1", table="CR01", closer=10_000_000 + fill - credit)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    return house


@pytest.mark.parametrize(("fill", "credit"), [(2_000_000, 0), (0, 800_000), (2_000_000, 800_000), (1, 1)])
def test_pp18_chips_that_only_move_between_cage_and_table_win_nothing(
    conn: Connection[Any], fresh_ledger: str, fill: int, credit: int
) -> None:
    (row,) = rows_of(conn, fresh_ledger, slips_only(fill, credit))
    assert only(row, "fills credits count_win event_win residual books_residual") == [
        fill,
        credit,
        0,
        0,
        0,
        0,
    ]


def test_pp24_money_that_goes_round_is_shown_as_such_beside_the_hold(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    house.opened()
    for _ in range(5):
        house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
        house.must("walk", table="CR01", player="P1")
    house.must("close", "B-1", table="CR01", closer=9_500_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=500_000)
    (row,) = rows_of(conn, fresh_ledger, house)
    assert only(row, "count_win drop recycled_drop hold_pct hold_pct_without_recycled") == [
        *(0, 500_000, 400_000, 0, 0)
    ]


def test_a_dispute_settled_from_the_rack_and_one_from_the_cage_both_reconcile(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
    house.must("roll", "B-1", table="CR01", dice=[3, 4])
    for name, tender in (("A", "chips"), ("B", "cash")):
        claim = {"roll": 1, "player": "P1", "claim": "mine", "amount": 10_500, "gaming_day": house.day}
        house.must("dispute", "F-1", table="CR01", dispute=name, **claim)
        house.must("ruling", "F-1", table="CR01", dispute=name, ruling="upheld", reason="video")
        settled = {"dispute": name, "amount": 10_500, "tender": tender, "approved_by": "M-1"}
        house.must("settle_dispute", "C-1", table="CR01", **settled)
    house.must("close", "B-1", table="CR01", closer=9_889_500)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=100_000)
    (row,) = rows_of(conn, fresh_ledger, house)
    assert only(row, "disputes_settled disputes_at_cage event_win count_win inventory_variance residual") == [
        *(21_000, 10_500, -21_000, -10_500, 0, 0)
    ]
    assert only(row, "books_win books_residual rack_in_books") == [-10_500, 0, 0]


def test_an_opener_that_is_not_the_preceding_closer_is_in_the_books_and_in_no_table_win(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = slips_only(0, 0)
    house.day = "2026-11-29"
    house.opened(opener=9_990_000)
    house.must("close", "B-1", table="CR01", closer=9_990_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    _, row = rows_of(conn, fresh_ledger, house)
    assert only(row, "opening_variance count_win event_win residual books_residual rack_in_books") == [
        *(-10_000, 0, 0, 0, 0, 0)
    ]
    assert row["win_gaap"] == -10_000


def test_a_closer_counted_while_the_table_is_open_holds_until_its_rack_moves(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = gold_night()
    house.must("buy_in", table="CR01", player="P1", amount=100, tender="cash")
    (row,) = rows_of(conn, fresh_ledger, house)
    assert (row["closer"], row["count_win"], row["completeness"]) == (None, None, "incomplete")


def test_a_correction_by_another_department_moves_the_figure_and_the_books_alike(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = slips_only(0, 0)
    put_right = {"before": 10_000_000, "after": 9_999_000, "reason": "ten ones counted twice"}
    approver = {"badge": "V-1", "role": "surveillance"}
    house.must("correct", "A-1", table="CR01", what="closer", approved_by=approver, **put_right)
    (row,) = rows_of(conn, fresh_ledger, house)
    assert only(row, "closer count_win inventory_variance residual books_residual rack_in_books") == [
        *(9_999_000, -1_000, -1_000, 0, 0, 0)
    ]


def test_a_closer_put_right_when_the_next_day_is_closed_too_leaves_both_days_reconciled(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = closed_day()
    house.day = "2026-11-29"
    house.opened(opener=9_929_000)
    house.must("close", "B-1", table="CR01", closer=9_929_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=0)
    lost = {"exception": "opening_variance:CR01", "text": "being looked into"}
    house.must("disposition", "A-1", gaming_day=house.day, **lost)
    house.must("day_close", "A-1", gaming_day=house.day)
    house.day = "2026-11-28"
    correction(house)
    first, second = rows_of(conn, fresh_ledger, house)
    assert (first["closer"], second["opening_variance"]) == (9_929_000, 0)
    assert not reconcile.broken([first, second])
    made = pack(conn, fresh_ledger, tmp_path, day=date(2026, 11, 29))
    assert (made.manifest["status"], made.manifest["standing"]) == ("restated", "certifiable")
    *broken_down, all_chips = table(made.folder, "chip_float")
    assert [row["tables"] for row in broken_down] == [all_chips["tables"]] == ["99290.00"]


def test_tables_whose_names_differ_in_punctuation_only_keep_books_of_their_own(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house, rng, names = House(), Random(11), ("CR 01", "CR-01", "cr-01")
    for name in names:
        TableDay(house, rng, name).play(40)
    rows = rows_of(conn, fresh_ledger, house)
    assert {row["table"] for row in rows} == set(names)
    for row in rows:
        assert {row["rack_in_books"], row["books_residual"]} <= {0, None}, row
    assert any(row["books_residual"] == 0 for row in rows)
