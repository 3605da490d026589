"""Tax worksheets: the lines of Pennsylvania and Nevada, by hand; what is not known stays empty."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

from tests.domain.house import House
from tests.domain.test_gold import gold_night
from tests.projections.packed import DAY, everything, manifest, pack, quiet_day, table, tell

PA = ["pa"]
NV = ["nv"]


def lines(folder: Path, jurisdiction: str, table_name: str = "") -> dict[str, str]:
    rows = table(folder, f"tax_{jurisdiction}")
    return {row["line"]: row["amount"] for row in rows if row["table"] == table_name}


def evening(house: House, day: str, won: int, marker: int = 0) -> None:
    """A table day that wins some dollars of Bea, who bought in with cash and, it may be, on a marker."""
    house.day = day
    opener = house.table(house.last_opening["CR01"]).closer if "CR01" in house.last_opening else 10_000_000
    house.opened(opener=opener)
    bought = 4_000_000 - marker
    bet: dict[str, Any] = {"player": "Bea", "kind": "field", "amount": 500_000}
    house.must("buy_in", table="CR01", player="Bea", amount=bought, tender="cash")
    if marker:
        house.must("buy_in", table="CR01", player="Bea", amount=marker, tender="marker", marker=f"M-{day}")
    for number in range(won // 500_000):
        house.must("bet", table="CR01", wager=f"{day}-{number}", **bet)
        house.must("roll", "B-1", table="CR01", dice=[3, 4])
    house.must("walk", table="CR01", player="Bea")
    house.must("close", "B-1", table="CR01", closer=house.table().book_rack)
    house.must("count_drop", "K-1", table="CR01", box=f"box-{day}", cash=bought, markers=marker)


def pennsylvanian() -> House:
    """A table under Pennsylvania's rules that wins 300.00."""
    house = House()
    house.opened(rules="pa-crapless", max=500_000)
    house.must("buy_in", table="CR01", player="Bea", amount=100_000, tender="cash")
    house.must("bet", table="CR01", player="Bea", wager="w1", kind="field", amount=30_000)
    house.must("roll", "B-1", table="CR01", dice=[3, 4])
    house.must("walk", table="CR01", player="Bea")
    house.must("close", "B-1", table="CR01", closer=9_930_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=100_000)
    return house


def test_a_table_under_pennsylvanias_rules_brings_its_worksheet_with_it(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, pennsylvanian())
    made = pack(conn, fresh_ledger, tmp_path)
    assert lines(made.folder, "pa", "CR01") == {
        "1": "99300.00",
        "2": "0.00",
        "3a": "1000.00",
        "3b": "0.00",
        "3c": "0.00",
        "3": "1000.00",
        "4": "100000.00",
        "5": "0.00",
        "6": "300.00",
    }
    assert lines(made.folder, "pa") == {"7": "300.00", "8": "36.00", "9": "6.00", "10": "6.00", "11": "48.00"}
    rows = table(made.folder, "tax_pa")
    assert {(row["template"], row["template_version"]) for row in rows} == {("us-pa-table-games-2016", "1")}
    events = made.manifest["events"]
    assert {(row["first_event"], row["last_event"]) for row in rows} == {
        (str(events["from"]), str(events["to"]))
    }
    assert "us-pa-table-games-2016" in made.manifest["policies"]
    assert pack(conn, fresh_ledger, tmp_path, tax=PA).added == []  # it is there already


def test_the_gold_night_on_nevadas_worksheet_is_a_loss_of_which_nothing_is_taken(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, gold_night())
    folder = pack(conn, fresh_ledger, tmp_path, tax=NV).folder
    assert lines(folder, "nv") == {
        "1": "-70.00",
        "2": "5000.00",
        "3": "1000.00",
        "4": "-4070.00",
        "5": "0.00",
        "6": "0.00",
        "7": "0.00",
        "8": "0.00",
    }
    assert "nothing is taken of a loss" in table(folder, "tax_nv")[4]["note"]


def test_nevadas_month_adds_up_its_days_and_no_other_month(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = House()
    for day, won in (("2026-10-31", 5), ("2026-11-01", 8), ("2026-11-02", 8), ("2026-11-28", 2)):
        evening(house, day, won * 500_000, marker=100_000 if day == "2026-11-02" else 0)
    tell(fresh_ledger, house)
    folder = pack(conn, fresh_ledger, tmp_path, tax=NV).folder
    assert lines(folder, "nv") == {
        "1": "90000.00",
        "2": "1000.00",
        "3": "0.00",
        "4": "89000.00",
        "5": "1750.00",
        "6": "1755.00",
        "7": "0.00",
        "8": "3505.00",
    }
    first = table(folder, "tax_nv")[0]
    assert (first["from_day"], first["to_day"], first["note"]) == (
        "2026-11-01",
        "2026-11-28",
        "3 tables and days",
    )
    after_october = table(pack(conn, fresh_ledger, tmp_path, day=date(2026, 10, 31), tax=NV).folder, "tax_nv")
    assert int(after_october[0]["last_event"]) < int(first["first_event"])


@pytest.mark.parametrize("jurisdiction", ["pa", "nv"])
def test_a_win_that_is_not_known_leaves_the_tax_empty_and_says_what_is_missing(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, jurisdiction: str
) -> None:
    house = House()
    house.opened()
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    tell(fresh_ledger, house)
    rows = table(pack(conn, fresh_ledger, tmp_path, tax=[jurisdiction]).folder, f"tax_{jurisdiction}")
    taken = [row for row in rows if row["rate"] or row["label"] == "total"]
    assert len(taken) == 4
    assert {(row["base"], row["amount"]) for row in taken} == {("", "")}
    assert any("no drop box has been counted" in row["missing"] for row in rows)


def test_a_table_that_only_refused_something_owes_no_worksheet_a_count(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = quiet_day()
    assert house.refused("roll", "B-1", table="CR02", dice=[1, 1]) == "TABLE_NOT_OPEN"
    tell(fresh_ledger, house)
    folder = pack(conn, fresh_ledger, tmp_path, tax=["nv", "pa"]).folder
    assert lines(folder, "pa")["7"] == lines(folder, "nv")["1"] == "300.00"


def test_a_worksheet_that_was_not_asked_for_before_is_added_to_the_version_there_is(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, quiet_day())
    first = pack(conn, fresh_ledger, tmp_path)
    assert not (first.folder / "tax_nv.csv").exists()
    second = pack(conn, fresh_ledger, tmp_path, tax=NV)
    assert (second.version, second.added) == (1, ["tax_nv"])
    assert pack(conn, fresh_ledger, tmp_path).version == 1
    at_once = pack(conn, fresh_ledger, tmp_path / "again", tax=NV)
    assert everything(at_once.folder) == everything(first.folder)
    assert "tax_nv.csv" not in manifest(first.folder)["files"]


def test_a_worksheet_that_an_earlier_day_of_the_month_has_changed_makes_a_new_version(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = House()
    evening(house, "2026-11-27", 500_000)
    evening(house, "2026-11-28", 500_000)
    tell(fresh_ledger, house)
    assert pack(conn, fresh_ledger, tmp_path, tax=NV).version == 1
    marker = {"player": "Bea", "marker": "M-9", "amount": 10_000, "table": "CR01"}
    house.day = "2026-11-27"  # a slip that the cage had mislaid
    house.must("issue_marker", "C-1", **marker)
    house.must("pay_marker", "C-1", tender="chips", **marker)
    tell(fresh_ledger, house)
    made = pack(conn, fresh_ledger, tmp_path, tax=NV)
    nevada = lines(made.folder, "nv")
    assert (made.version, nevada["2"], nevada["3"]) == (2, "100.00", "100.00")
    changed = table(made.folder, "diff_v1_v2")
    assert {row["file"] for row in changed} == {"tax_nv.csv"}


def test_the_same_day_is_the_same_worksheet_however_often_it_is_written(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, gold_night())
    once, again = (pack(conn, fresh_ledger, tmp_path / name, tax=["pa", "nv"]) for name in ("a", "b"))
    assert everything(once.folder) == everything(again.folder)
    assert DAY.isoformat() == table(once.folder, "tax_pa")[0]["from_day"]
