"""`pitledger day`, `reconcile`, `title31`: what a shift manager and revenue audit see, and the exit codes."""

import csv
import json
import stat
from pathlib import Path
from typing import Any

from click.testing import Result

from tests.cli.conftest import Pitledger
from tests.domain.house import House
from tests.domain.test_gold import gold_night, walked_chips
from tests.projections.packed import closed_day, correction, quiet_day

DAY = ("--day", "2026-11-28")
AUDIT = ("--by", "A-1", "--role", "audit")
MANAGER = ("--by", "M-1", "--role", "shift_manager")


def tell(pitledger: Pitledger, house: House) -> None:
    log = "".join(json.dumps(line) + "\n" for line in house.log)
    assert pitledger("ingest", "-", stdin=log).exit_code in (0, 3)


def document(result: Result) -> Any:
    return json.loads(result.stdout)


def test_a_day_is_opened_looked_at_and_closed(pitledger: Pitledger) -> None:
    house = quiet_day()
    house.log = [line for line in house.log if line["do"] != "day_open"]
    opened = pitledger("day", "open", *DAY, "--threshold", "25", *MANAGER)
    assert opened.exit_code == 0, opened.output
    assert "Gaming day 2026-11-28: open" in opened.output
    tell(pitledger, house)
    status = pitledger("day", "status", *DAY)
    assert (status.exit_code, status.stdout) == (
        0,
        "Gaming day 2026-11-28: open\nNothing stands between it and its certificate.\n",
    )
    closed = pitledger("day", "close", *DAY, *AUDIT)
    assert closed.exit_code == 0
    assert "Gaming day 2026-11-28: closed by A-1" in closed.stdout
    again = pitledger("day", "close", *DAY, *AUDIT, "--json")
    assert (again.exit_code, document(again)["reason"]) == (3, "DAY_SEALED")


def test_what_keeps_a_day_from_closing_is_listed_and_incomplete_inputs_come_first(
    pitledger: Pitledger,
) -> None:
    tell(pitledger, gold_night())
    refused = pitledger("day", "close", *DAY, *AUDIT)
    assert refused.exit_code == 4
    assert "DAY_NOT_READY" in refused.stderr
    for wanting in ("table CR01 is open", "box 17 of CR01 has been counted only once", "mispay:CR01:line"):
        assert wanting in refused.stdout
    found = document(pitledger("day", "status", *DAY, "--json"))
    assert (found["standing"], found["exit_code"], found["state"]) == ("incomplete", 4, "not opened")
    assert [one["kind"] for one in found["missing"]] == ["table", "box", "exception", "exception"]


def test_pp12_a_variance_without_a_disposition_keeps_the_day_open_until_somebody_signs(
    pitledger: Pitledger, tmp_path: Path
) -> None:
    house = quiet_day()
    closer = next(line for line in house.log if line["do"] == "close")
    closer["closer"] -= 2_500
    tell(pitledger, house)
    assert pitledger("day", "status", *DAY).exit_code == 3
    assert pitledger("day", "close", *DAY, *AUDIT).exit_code == 3
    assert pitledger("export", *DAY, "--out", str(tmp_path)).exit_code == 3
    signed = {"exception": "inventory_variance:CR01", "text": "a chip was found under the rail"}
    line = {"id": "sign", "at": "2026-11-29T05:00:00-06:00", "by": {"badge": "A-2", "role": "audit"}}
    line |= {"do": "disposition", "gaming_day": house.day, **signed}
    assert pitledger("ingest", "-", stdin=json.dumps(line)).exit_code == 0
    assert pitledger("day", "close", *DAY, *AUDIT).exit_code == 0
    certified = document(pitledger("export", *DAY, "--out", str(tmp_path), "--json"))
    assert (certified["manifest"]["status"], certified["manifest"]["standing"]) == (
        "certified",
        "certifiable",
    )
    assert pitledger("export", *DAY, "--out", str(tmp_path)).exit_code == 0


def test_what_a_correction_shows_after_the_seal_is_explained_and_the_day_is_whole_again(
    pitledger: Pitledger, tmp_path: Path
) -> None:
    house = closed_day()
    correction(house)
    tell(pitledger, house)
    shown = pitledger("day", "status", *DAY)
    assert shown.exit_code == 3
    assert "inventory_variance:CR01 of -10.00 has no disposition" in shown.stdout
    assert pitledger("export", *DAY, "--out", str(tmp_path)).exit_code == 3
    line: dict[str, Any] = {"id": "sign", "at": "2026-11-30T09:00:00-06:00", "do": "disposition"}
    line |= {"gaming_day": house.day, "exception": "inventory_variance:CR01", "text": "counted twice"}
    by_the_pit = json.dumps(line | {"id": "no", "by": {"badge": "P-1", "role": "pit_manager"}})
    assert pitledger("ingest", "-", stdin=by_the_pit).exit_code == 3
    signed = json.dumps(line | {"by": {"badge": "A-2", "role": "audit"}})
    assert pitledger("ingest", "-", stdin=signed).exit_code == 0
    status = pitledger("day", "status", *DAY)
    assert status.exit_code == 0
    assert "Gaming day 2026-11-28: closed by A-1" in status.stdout
    assert "Nothing stands between it and its certificate." in status.stdout
    exported = pitledger("export", *DAY, "--out", str(tmp_path), "--json")
    assert exported.exit_code == 0
    manifest = document(exported)["manifest"]
    assert (manifest["version"], manifest["status"], manifest["standing"]) == (2, "restated", "certifiable")
    told = [json.loads(row) for row in pitledger("audit", "--jsonl").stdout.splitlines()]
    (event,) = (row for row in told if row["event"] == "ExceptionDispositioned")
    assert (event["badge"], event["gaming_day"], event["data"]["sealed"]) == ("A-2", house.day, True)
    assert pitledger("verify").exit_code == 0


def test_a_day_that_nobody_knows_is_no_day_to_certify(pitledger: Pitledger, tmp_path: Path) -> None:
    tell(pitledger, closed_day())
    assert pitledger("day", "status", "--day", "2026-01-01").exit_code == 4
    unknown = pitledger("export", "--day", "2026-01-01", "--out", str(tmp_path))
    assert unknown.exit_code == 1
    assert "knows nothing of gaming day 2026-01-01" in unknown.stderr


def test_reconcile_shows_every_line_and_every_win_by_its_name(pitledger: Pitledger) -> None:
    tell(pitledger, gold_night())
    shown = pitledger("reconcile", "--table", "CR01", *DAY)
    assert shown.exit_code == 0
    for line in (
        "= count win                                     -70.00",
        "= event win                                     -50.00",
        "+ commission held                                 5.00",
        "+ inventory variance                            -25.00",
        "residual (must be 0)                              0.00",
        "nevada        -4,070.00  us-nv-cash-basis-1",
        "chips outstanding                             9,770.00",
    ):
        assert line in shown.stdout, line
    found = document(pitledger("reconcile", "--json"))
    assert (found["tables"][0]["count_win"], found["tables"][0]["residual"]) == (-7_000, 0)
    assert {one["name"] for one in found["wins"]} == {
        "statistical",
        "event",
        "nevada",
        "pennsylvania",
        "gaap",
    }


def test_what_is_not_known_is_said_and_never_0(pitledger: Pitledger) -> None:
    house = House()
    house.opened()
    tell(pitledger, house)
    shown = pitledger("reconcile")
    assert "= count win                                  not known" in shown.stdout
    found = document(pitledger("reconcile", "--json"))["tables"][0]
    assert [found[name] for name in ("count_win", "residual", "hold_pct", "drop", "win_gaap")] == [None] * 5
    (told,) = csv.DictReader(pitledger("reconcile", "--csv").stdout.splitlines())
    assert (told["count_win"], told["closer"]) == ("", "")


def test_a_hold_without_drop_is_empty(pitledger: Pitledger) -> None:
    tell(pitledger, walked_chips())
    rows = document(pitledger("reconcile", "--json"))["tables"]
    assert [row["hold_pct"] for row in rows] == [0, None]


def test_the_cash_report_is_written_for_its_owner_only(pitledger: Pitledger, tmp_path: Path) -> None:
    tell(pitledger, gold_night())
    target = tmp_path / "restricted" / "cash.csv"
    written = pitledger("title31", *DAY, "--csv", "--out", str(target))
    assert (written.exit_code, written.stdout) == (0, "")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    header, *rows = target.read_text().splitlines()
    assert header.startswith("player,gaming_day,cash_in,cash_out")
    assert rows[0].split(",")[:4] == ["P1", "2026-11-28", "100000", "40000"]
    assert "P4" in pitledger("title31", *DAY).stdout
    logged = document(pitledger("title31", *DAY, "--log", "--from", "3000", "--json"))
    assert [(row["player"], row["amount"]) for row in logged] == [("P4", 300_000)]
