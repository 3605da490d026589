"""The nightly pack: the same events the same bytes, nothing overwritten, every figure provable outside."""

import hashlib
import re
import stat
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from psycopg import Connection

from domain.postings import postings
from ledger.envelope import event_from
from projections import advance, reconcile, win
from projections.follow import rebuild
from projections.pack.archive import MerkleTree
from projections.pack.sheet import cell, decimal
from projections.pack.write import MANIFEST
from tests.domain.house import House
from tests.domain.table_days import CorrectedDay, TableDay
from tests.domain.test_gold import gold_night
from tests.projections.packed import (
    DAY,
    cents,
    closed_day,
    correction,
    events,
    everything,
    manifest,
    pack,
    table,
    tell,
)


@pytest.fixture
def gold(conn: Connection[Any], fresh_ledger: str, tmp_path: Path) -> Path:
    """The gold night's pack."""
    tell(fresh_ledger, gold_night())
    return pack(conn, fresh_ledger, tmp_path / "packs").folder


def test_the_master_gaming_report_says_the_gold_night_to_the_cent(gold: Path) -> None:
    (row,) = table(gold, "master_gaming_report")
    said = {
        "opener": "100000.00",
        "fills": "20000.00",
        "credits": "8000.00",
        "closer": "104830.00",
        "drop_cash": "1100.00",
        "drop_markers": "4000.00",
        "drop_other": "2000.00",
        "drop_total": "7100.00",
        "win_count": "-70.00",
        "win_event": "-50.00",
        "commission": "10.00",
        "commission_held": "5.00",
        "mispay": "20.00",
        "adjustments": "105.00",
        "inv_variance": "-25.00",
        "drop_variance": "0.00",
        "residual": "0.00",
        "books_residual": "0.00",
        "hold_pct": "-0.99",
        "win_nevada": "-4070.00",
        "win_gaap": "-75.00",
        "placed": "3205.00",
        "currency": "USD",
    }
    assert {name: row[name] for name in said} == said
    assert list(row)[:5] == ["gaming_day", "shift", "pit", "table_id", "game"]


def test_the_papers_of_the_gold_night_are_all_there(gold: Path) -> None:
    slips = {row["number"]: row for row in table(gold, "slips")}
    assert [slips["F-101"][name] for name in ("type", "amount", "status")] == ["fill", "20000.00", "done"]
    signers = ("requested_by", "dispatched_by", "carried_by", "received_by")
    assert [slips["F-101"][name] for name in signers] == ["F-1", "C-1", "S-1", "D-1"]
    assert [row["exception"] for row in table(gold, "exceptions")] == [
        "inventory_variance:CR01",
        "mispay:CR01:line",
    ]
    assert {row["owner"] for row in table(gold, "exceptions")} == {"B-1", "D-1"}
    (marker,) = table(gold, "markers")
    assert [marker[name] for name in ("marker", "balance", "status")] == ["M-1", "4000.00", "unpaid"]
    (adjusted,) = table(gold, "corrections")
    assert [adjusted[name] for name in ("kind", "after", "approver")] == ["adjustment", "105.00", "M-9"]
    all_chips = table(gold, "chip_float")[-1]
    assert (all_chips["denomination"], all_chips["outstanding"]) == ("all", "9770.00")
    assert [row["value"] for row in table(gold, "inventory")[1:]] == ["4830.00", "50000.00", "50000.00"]


def test_the_journal_balances_and_adds_up_to_the_accounts(gold: Path) -> None:
    by_transaction: dict[str, int] = {}
    by_account: dict[str, int] = {}
    for row in table(gold, "journal"):
        amount = cents(row["debit"]) if row["debit"] else -cents(row["credit"])
        by_transaction[row["txn_id"]] = by_transaction.get(row["txn_id"], 0) + amount
        by_account[row["account"]] = by_account.get(row["account"], 0) + amount
    assert set(by_transaction.values()) == {0}
    balances = manifest(gold)["control_totals"]["balances"]
    assert {account: decimal(amount) for account, amount in by_account.items() if amount} == balances


def test_the_same_events_give_the_same_bytes_after_a_rebuild_too(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, gold_night())
    formats = ("xlsx", "parquet", "hledger", "beancount", "ledger")
    once = pack(conn, fresh_ledger, tmp_path / "once", *formats)
    rebuild(conn)
    again = pack(conn, fresh_ledger, tmp_path / "again", *formats)
    assert everything(again.folder) == everything(once.folder)
    assert len(everything(once.folder)) > 30


def test_an_unchanged_day_gets_no_new_version_and_a_format_can_be_added(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, closed_day())
    first = pack(conn, fresh_ledger, tmp_path)
    files = everything(first.folder)
    second = pack(conn, fresh_ledger, tmp_path, "hledger")
    assert (second.version, second.new, second.added) == (1, False, ["hledger"])
    assert {name: text for name, text in everything(first.folder).items() if name in files} == files
    assert pack(conn, fresh_ledger, tmp_path, "hledger").added == []


@pytest.mark.parametrize("seed", [41, 42])
def test_the_journal_in_detail_has_a_transaction_an_event_and_the_sums_of_the_other(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, seed: int
) -> None:
    house, rng = House(), Random(seed)
    for name in ("CR01", "CR02"):
        TableDay(house, rng, name).play(40)
    tell(fresh_ledger, house)
    folder = pack(conn, fresh_ledger, tmp_path, detail=True).folder
    detail = table(folder, "journal_detail")
    assert all(row["first_event"] == row["last_event"] and row["events"] == "1" for row in detail)
    entries: dict[int, list[tuple[str, int]]] = {}
    for row in detail:
        entries.setdefault(int(row["first_event"]), []).append((row["account"], _amount(row)))
    assert list(entries) == sorted(entries)
    for one in events(folder):
        entry = postings(event_from(one["event"], orjson.dumps(one["data"]).decode()), one["table"])
        assert entries.get(one["position"], []) == list(entry), one
    assert _by_kind(detail) == _by_kind(table(folder, "journal"))


def _by_kind(rows: list[dict[str, str]]) -> dict[tuple[str, ...], int]:
    """What each table, shift and kind of event posted to each account."""
    found: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = row["table"], row["shift"], row["memo"], row["account"]
        found[key] = found.get(key, 0) + _amount(row)
    return {key: amount for key, amount in found.items() if amount}


def _amount(row: dict[str, str]) -> int:
    return cents(row["debit"]) if row["debit"] else -cents(row["credit"])


def test_the_journal_in_detail_is_added_to_the_version_there_is(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, closed_day())
    first = pack(conn, fresh_ledger, tmp_path / "one", "hledger")
    files = everything(first.folder)
    second = pack(conn, fresh_ledger, tmp_path / "one", "hledger", detail=True)
    assert (second.version, second.new, second.added) == (1, False, ["detail", "hledger-detail"])
    assert {name: text for name, text in everything(first.folder).items() if name in files} == files
    assert pack(conn, fresh_ledger, tmp_path / "one").version == 1
    at_once = pack(conn, fresh_ledger, tmp_path / "other", "hledger", detail=True)
    assert everything(at_once.folder) == everything(first.folder)
    for name in ("journal_detail.csv", "journal_detail.hledger", "manifest.detail.json"):
        assert name in everything(at_once.folder)


def test_staff_is_told_who_said_what_at_which_table_and_when(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = closed_day()
    correction(house)
    tell(fresh_ledger, house)
    staff = table(pack(conn, fresh_ledger, tmp_path).folder, "staff")
    said = {(row["badge"], row["role"], row["table"]): row for row in staff}
    assert list(said) == sorted(said)
    counts = ("commands", "calls", "overrules", "refusals", "corrections")
    told = {who: [int(row[name]) for name in counts] for who, row in said.items()}
    assert told["B-1", "boxman", "CR01"] == [3, 1, 0, 0, 0]  # opened, called, closed
    assert told["D-1", "dealer", "CR01"] == [3, 0, 0, 0, 0]  # bought in, bet, walked
    assert told["A-1", "audit", "CR01"] == [1, 0, 0, 0, 1]
    assert told["A-1", "audit", ""] == [1, 0, 0, 0, 0]
    assert said["B-1", "boxman", "CR01"]["first_at"] == "2026-11-28T20:00:00-06:00"
    assert sum(row[0] for row in told.values()) == len(house.log)


def test_a_call_overruled_and_a_bet_refused_are_counted_of_whoever_said_them(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = House()
    house.opened()
    house.must("roll", "B-1", table="CR01", dice=[3, 4])
    house.must("overrule", "M-1", table="CR01", roll=1, reason="video", dice=[2, 2])
    poor: dict[str, Any] = {"player": "Bea", "wager": "w1", "kind": "field", "amount": 500}
    assert house.refused("bet", table="CR01", **poor) == "INSUFFICIENT_FUNDS"
    house.must("no_roll", "B-1", table="CR01", reason="cocked")
    tell(fresh_ledger, house)
    staff = {row["badge"]: row for row in table(pack(conn, fresh_ledger, tmp_path).folder, "staff")}
    assert staff["B-1"]["calls"] == "2"
    assert (staff["M-1"]["overrules"], staff["M-1"]["calls"]) == ("1", "0")
    assert (staff["D-1"]["commands"], staff["D-1"]["refusals"]) == ("1", "1")


def test_a_correction_after_the_seal_is_a_new_version_that_says_what_is_different(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = closed_day()
    tell(fresh_ledger, house)
    first = pack(conn, fresh_ledger, tmp_path)
    before = everything(first.folder)
    assert (first.manifest["status"], first.manifest["supersedes"]) == ("certified", None)
    correction(house)
    tell(fresh_ledger, house)
    second = pack(conn, fresh_ledger, tmp_path)
    assert (second.version, second.new, second.manifest["status"]) == (2, True, "restated")
    assert second.manifest["supersedes"] == 1
    assert everything(first.folder) == before
    changes = table(second.folder, "diff_v1_v2")
    report = {row["change"]: row["line"] for row in changes if row["file"] == "master_gaming_report.csv"}
    assert "99300.00" in report["removed"]
    assert "99290.00" in report["added"]
    (corrected,) = table(second.folder, "corrections")
    assert [corrected[name] for name in ("before", "after", "proposer", "after_seal")] == [
        *("99300.00", "99290.00", "A-1", "yes")
    ]


def test_pp05_the_original_and_its_correction_both_stand_and_another_department_signed(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = closed_day()
    own = {"what": "closer", "before": 9_930_000, "after": 1, "reason": "mine", "gaming_day": house.day}
    approver = {"badge": "V-1", "role": "surveillance"}
    assert house.refused("correct", "F-9", table="CR01", approved_by=approver, **own) == "NO_AUTHORITY"
    correction(house)
    tell(fresh_ledger, house)
    folder = pack(conn, fresh_ledger, tmp_path).folder
    closer = next(row for row in table(folder, "inventory") if row["count"] == "closer")
    (corrected,) = table(folder, "corrections")
    assert (closer["counted"], corrected["before"], corrected["after"]) == (
        "99300.00",
        "99300.00",
        "99290.00",
    )
    assert (corrected["original_by"], corrected["proposer"], corrected["approver"]) == ("B-1", "A-1", "V-1")


def test_pp07_a_box_never_counted_makes_the_pack_incomplete_and_the_win_empty(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = House()
    house.must("install_box", "S-1", gaming_day=house.day, table="CR01", box="17")
    house.opened()
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    tell(fresh_ledger, house)
    made = pack(conn, fresh_ledger, tmp_path)
    assert (made.manifest["standing"], made.manifest["status"]) == ("incomplete", "preliminary")
    (row,) = table(made.folder, "master_gaming_report")
    assert (row["completeness"], row["win_count"], row["hold_pct"]) == ("incomplete", "", "")
    assert row["missing_inputs"] == "box 17 has not been counted"
    day = next(row for row in table(made.folder, "stats") if row["period"] == "day")
    assert (day["win"], day["drop"], day["incomplete_days"]) == ("", "", "1")


def test_the_manifest_knows_every_file_by_its_hash_and_its_rows(gold: Path) -> None:
    said = manifest(gold)
    files = {name: text for name, text in everything(gold).items() if name != MANIFEST}
    assert set(said["files"]) == set(files)
    for name, text in files.items():
        assert said["files"][name]["sha256"] == hashlib.sha256(text).hexdigest(), name
    assert said["files"]["slips.csv"]["rows"] == len(table(gold, "slips"))
    assert said["files"]["master_gaming_report.csv"]["totals"]["win_count"] == "-70.00"
    assert said["events"] == {"from": 1, "to": len(events(gold)), "count": len(events(gold))}
    assert said["control_totals"]["trial_balance"] == "0.00"
    assert said["rules"] == {"CR01": "ia-prairie-meadows@1"}


def test_the_archive_can_be_proved_with_a_json_reader_and_sha_256_alone(gold: Path) -> None:
    """Frame every field as `<bytes>:<text>,`, hash, and find the next event's `previous_hash`."""
    heads: dict[str, str] = {}
    for event in events(gold):
        assert event["previous_hash"] == heads.get(event["stream"]), event
        heads[event["stream"]] = event["hash"]
        assert hashlib.sha256(_frame(event)).hexdigest() == event["hash"]


def _frame(event: dict[str, Any]) -> bytes:
    canonical = [event["data"], event["said"]]
    data, said = (one and orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for one in canonical)
    texts = ["pitledger.event.1", "demo", event["stream"], event["table"], DAY.isoformat()]
    texts += [event[name] for name in ("occurred_at", "recorded_at", "badge", "role", "command")]
    texts += [str(event["version"]), str(event["step"]), event["event"], str(event["schema_version"])]
    fields = [*(text and text.encode() for text in texts), data, said]
    last = event["previous_hash"]
    fields.append(bytes.fromhex(last) if last else None)
    return b"".join(b"-," if field is None else b"%d:%b," % (len(field), field) for field in fields)


def test_the_root_is_the_merkle_tree_hash_over_the_days_events(gold: Path) -> None:
    leaves = [bytes.fromhex(event["hash"]) for event in events(gold)]
    assert manifest(gold)["merkle_root"] == _tree_hash(leaves).hex()


def _tree_hash(leaves: list[bytes]) -> bytes:
    """RFC 6962, 2.1, as it is written there."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + _tree_hash(leaves[:k]) + _tree_hash(leaves[k:])).digest()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 100])
def test_a_tree_of_any_size_has_the_hash_of_the_rfc(size: int) -> None:
    leaves = [bytes([number]) for number in range(size)]
    tree = MerkleTree()
    for leaf in leaves:
        tree.add(leaf)
    assert tree.root() == _tree_hash(leaves)


def test_what_names_patrons_is_for_their_owner_only(gold: Path) -> None:
    for name in ("restricted/mtl.csv", "restricted/ctr.csv", "events.jsonl.gz"):
        assert stat.S_IMODE((gold / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE((gold / "restricted").stat().st_mode) == 0o700
    open_files = {name: text for name, text in everything(gold).items() if name.endswith(".csv")}
    assert b"P4" in open_files["restricted/mtl.csv"]
    for name in ("markers.csv", "disputes.csv"):
        assert b"P2" not in open_files[name]
    assert table(gold, "markers")[0]["patron"].startswith("patron-")


def test_nothing_is_left_of_a_pack_that_could_not_be_written(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(fresh_ledger, closed_day())
    with monkeypatch.context() as patched:
        patched.setattr("projections.pack.write.manifest", _fails)
        with pytest.raises(OSError, match="the disk is full"):
            pack(conn, fresh_ledger, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert pack(conn, fresh_ledger, tmp_path).version == 1


def _fails(*_: object) -> dict[str, Any]:
    raise OSError("the disk is full")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+1", "@SUM(A1)", "\tx", "\uff1d1"])
def test_text_that_begins_like_a_formula_is_no_formula(text: str) -> None:
    assert cell(text, "text") == f"'{text}"


def test_a_slip_numbered_like_a_formula_is_shown_as_text(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = House()
    house.opened()
    house.must("fill", "F-1", table="CR01", slip="=1+1", amount=100)
    tell(fresh_ledger, house)
    (row,) = table(pack(conn, fresh_ledger, tmp_path).folder, "slips")
    assert row["number"] == "'=1+1"


@pytest.mark.parametrize("seed", [31, 32])
def test_the_chips_of_all_denominations_together_are_the_chips_of_the_books_whatever_was_put_right(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    house, rng = House(), Random(seed)
    for name in ("CR01", "CR 01"):
        CorrectedDay(house, rng, name).play(30)
    tell(fresh_ledger, house)
    monkeypatch.setattr(advance, "BATCH", 13)
    rows = table(pack(conn, fresh_ledger, tmp_path).folder, "chip_float")
    *broken_down, all_chips = rows
    assert [row["denomination"] for row in rows[-2:]] == ["not broken down", "all"]
    for column in ("issued", "cage", "tables", "transit", "outstanding", "change"):
        assert sum(cents(row[column]) for row in broken_down) == cents(all_chips[column]), column


def test_an_explanation_after_the_seal_makes_the_next_version_and_says_so(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    house = closed_day()
    correction(house)
    tell(fresh_ledger, house)
    restated = pack(conn, fresh_ledger, tmp_path)
    assert (restated.manifest["status"], restated.manifest["standing"]) == ("restated", "open_exceptions")
    signed = {"exception": "inventory_variance:CR01", "text": "the stack was a colour up"}
    house.must("disposition", "M-1", gaming_day=house.day, **signed)
    tell(fresh_ledger, house)
    explained = pack(conn, fresh_ledger, tmp_path)
    assert (explained.version, explained.manifest["supersedes"]) == (2, 1)
    assert (explained.manifest["status"], explained.manifest["standing"]) == ("restated", "certifiable")
    (row,) = table(explained.folder, "exceptions")
    assert [row[name] for name in ("status", "dispositioned_by", "disposition_after_seal")] == [
        *("dispositioned", "M-1", "yes")
    ]
    assert not pack(conn, fresh_ledger, tmp_path).new


@pytest.mark.parametrize("seed", [21, 22, 23, 24])
def test_pp22_every_surface_says_the_same_win(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, seed: int
) -> None:
    _every_surface_says_the_same(conn, fresh_ledger, tmp_path, Random(seed), tables=6)


@pytest.mark.long
@pytest.mark.parametrize("fifty", range(20))
def test_pp22_every_surface_says_the_same_win_of_a_thousand_table_days(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, fifty: int
) -> None:
    _every_surface_says_the_same(conn, fresh_ledger, tmp_path, Random(1_000 + fifty), tables=50)


def _every_surface_says_the_same(
    conn: Connection[Any], url: str, folder: Path, rng: Random, tables: int
) -> None:
    house = House()
    for number in range(tables):
        TableDay(house, rng, f"CR{number:02}").play(30)
    tell(url, house)
    written = pack(conn, url, folder).folder
    report = {row["table_id"]: row for row in table(written, "master_gaming_report") if row["shift"] == "day"}
    stats = {row["table"]: row for row in table(written, "stats") if row["period"] == "day"}
    listed = {row["table"]: row for row in win.rows(conn)}
    rows = reconcile.rows(conn)
    assert len(rows) == tables
    for row in rows:
        name, known = row["table"], row["count_win"] is not None
        said = decimal(row["count_win"]) if known else ""
        assert report[name]["win_count"] == stats[name]["win"] == said
        assert report[name]["drop_total"] == stats[name]["drop"] == (decimal(row["drop"]) if known else "")
        assert listed[name]["count_win"] == row["count_win"]
        assert listed[name]["event_win"] == row["event_win"] == cents(report[name]["win_event"])
        if known:
            assert row["residual"] == row["books_residual"] == 0
            assert row["win_gaap"] == cents(report[name]["win_gaap"]) == _booked(written, name)


def _booked(folder: Path, name: str) -> int:
    """What the journal's income accounts of a table add up to."""
    income = [row for row in table(folder, "journal") if re.match(f"Income:Craps:.*:{name}$", row["account"])]
    return sum(cents(row["credit"] or "0") - cents(row["debit"] or "0") for row in income)
