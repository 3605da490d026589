"""`pitledger export` at the terminal: where the pack lies, what is said, what a second run does."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Pitledger
from tests.cli.test_day import DAY, document, tell
from tests.domain.test_gold import gold_night
from tests.projections.packed import closed_day, correction


def test_the_pack_lies_in_a_folder_of_property_day_and_version(pitledger: Pitledger, tmp_path: Path) -> None:
    tell(pitledger, closed_day())
    made = pitledger("export", *DAY, "--out", str(tmp_path), "--format", "hledger")
    folder = tmp_path / "demo" / "2026-11-28" / "v1"
    assert made.exit_code == 0, made.output
    assert made.stdout.endswith(f"Version 1 of 2026-11-28 is in {folder}.\n")
    names = {path.name for path in folder.iterdir()}
    assert {"manifest.json", "master_gaming_report.csv", "journal.csv", "journal.hledger"} <= names
    assert [path.name for path in folder.parent.iterdir()] == ["v1"]
    again = pitledger("export", *DAY, "--out", str(tmp_path))
    assert f"Nothing has changed since version 1, in {folder}.\n" in again.stdout


def test_a_restatement_is_the_next_version(pitledger: Pitledger, tmp_path: Path) -> None:
    house = closed_day()
    tell(pitledger, house)
    assert document(pitledger("export", *DAY, "--out", str(tmp_path), "--json"))["version"] == 1
    correction(house)
    tell(pitledger, house)
    made = document(pitledger("export", *DAY, "--out", str(tmp_path), "--json"))
    assert (made["version"], made["new"], made["manifest"]["supersedes"]) == (2, True, 1)
    assert (Path(made["folder"]) / "diff_v1_v2.csv").is_file()


def test_an_incomplete_day_is_exported_all_the_same_and_says_so(pitledger: Pitledger, tmp_path: Path) -> None:
    tell(pitledger, gold_night())
    made = pitledger("export", *DAY, "--out", str(tmp_path))
    assert made.exit_code == 4
    assert "table CR01 is open" in made.stderr
    manifest = json.loads((tmp_path / "demo" / "2026-11-28" / "v1" / "manifest.json").read_bytes())
    assert (manifest["standing"], manifest["status"]) == ("incomplete", "preliminary")


def test_what_was_not_asked_for_before_is_added_and_said(pitledger: Pitledger, tmp_path: Path) -> None:
    tell(pitledger, closed_day())
    folder = tmp_path / "demo" / "2026-11-28" / "v1"
    assert pitledger("export", *DAY, "--out", str(tmp_path)).exit_code == 0
    more = pitledger("export", *DAY, "--out", str(tmp_path), "--detail", "--tax", "nv", "--format", "ledger")
    assert more.stdout.endswith(
        f"Nothing has changed since version 1, in {folder}; added to it: ledger, tax_nv, detail, "
        "ledger-detail.\n"
    )
    names = {path.name for path in folder.iterdir()}
    assert {"tax_nv.csv", "staff.csv", "journal_detail.csv", "journal_detail.ledger"} <= names


def test_a_state_that_had_no_such_tax_yet_is_named(pitledger: Pitledger, tmp_path: Path) -> None:
    said = pitledger("export", "--day", "1999-12-31", "--out", str(tmp_path), "--tax", "pa")
    assert said.exit_code == 1
    assert "pa has no tax worksheet for a gaming day as early as 1999-12-31" in said.stderr


@pytest.mark.parametrize(
    "words", [(), ("--day", "tomorrow"), (*DAY, "--format", "pdf"), (*DAY, "--tax", "atlantis")]
)
def test_an_order_that_cannot_be_read_is_misuse(
    pitledger: Pitledger, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert pitledger("export", "--out", str(tmp_path), *words).exit_code == 2
