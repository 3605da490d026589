"""`pitledger surveil` as surveillance types it."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.main import main
from tests.cli.conftest import Pitledger, at
from tests.conftest import _scratch

QUESTIONS = ("pairs", "late", "mispays")
LOGS = Path(__file__).parents[2] / "docs" / "disputes"


@pytest.fixture(scope="module")
def phantom(server_url: str, _ledger_template: str) -> Iterator[Pitledger]:
    """`pitledger` on a ledger where D-160 enters Cal's hop bets, and another late bet was refused."""
    with _scratch(server_url, _ledger_template) as url:
        for log in ("hop-bets", "late-bet"):
            at(url)("ingest", str(LOGS / f"{log}.jsonl"))
        yield at(url)


def test_pp03_the_dealer_and_the_patron_of_the_phantom_hop_bets_are_flagged(phantom: Pitledger) -> None:
    flagged = json.loads(phantom("surveil", "pairs", "--flagged", "--json").output)
    assert [(row["dealer"], row["player"], row["family"], row["z"]) for row in flagged] == [
        ("D-160", "Cal", "all", 857),
        ("D-160", "Cal", "hop", 857),
    ]
    assert phantom("surveil", "pairs", "--flagged", "--sigma", "9", "--json").output == "[]\n"
    assert phantom("surveil", "pairs", "--flagged").output.endswith("\nBeyond 6 sigma: 2 of 13 rows.\n")


def test_the_demonstration_s_night_flags_nobody(night: Pitledger) -> None:
    pairs = json.loads(night("surveil", "pairs", "--day", "2026-11-28", "--json").output)
    assert len(pairs) > 100
    assert not any(row["flagged"] for row in pairs)
    assert max(abs(row["z"]) for row in pairs) == 335
    assert night("surveil", "pairs", "--flagged").output == (
        f"Nothing to show.\n\nBeyond 6 sigma: none of {len(pairs)} rows.\n"
    )


def test_people_see_the_furthest_off_and_are_told_how_to_see_the_rest(night: Pitledger) -> None:
    told = night("surveil", "pairs").output.splitlines()
    assert told[1].split() == "D-160 Jon all 119 1,025.00 333.00 -55.98 116.00 3.35 0".split()
    assert told[-1] == "The first 20 of 144 rows; --limit shows more."
    assert len(night("surveil", "pairs", "--limit", "30", "--jsonl").output.splitlines()) == 30


def test_pp14_programs_get_the_list_of_late_bets_or_its_sums(phantom: Pitledger) -> None:
    listed = [json.loads(line) for line in phantom("surveil", "late", "--jsonl").output.splitlines()]
    sums = json.loads(phantom("surveil", "late", "--summary", "--json").output)
    assert {bet["table"] for bet in listed} == {"CR02", "CR04"}
    assert sum(one["bets"] + one["refused"] for one in sums) == len(listed)
    cal = next(one for one in sums if one["player"] == "Cal")
    ours = [bet for bet in listed if bet["player"] == "Cal" and bet["how"] != "refused"]
    assert (cal["shooter"], cal["bets"], cal["net"]) == ("Ann", len(ours), sum(bet["net"] for bet in ours))
    assert json.loads(phantom("surveil", "late", "--seconds", "0", "--player", "Cal", "--json").output) == [
        bet for bet in listed if bet["player"] == "Cal" and bet["how"] == "refused"
    ]


def test_pp09_the_payment_that_was_not_owed_names_dealer_box_and_roll(phantom: Pitledger) -> None:
    (row,) = csv.DictReader(io.StringIO(phantom("surveil", "mispays", "--csv").output))
    named = [row[name] for name in "roll dealer boxman owed paid difference".split()]
    assert named == ["12", "D-160", "B-031", "0", "1000", "1000"]
    sums = phantom("surveil", "mispays", "--summary", "--csv").output
    assert sums == "dealer,count,over,under,put_right,net\nD-160,1,1000,0,0,1000\n"


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_speaks_to_programs_and_names_every_field(phantom: Pitledger, question: str) -> None:
    rows = json.loads(phantom("surveil", question, "--json").output)
    header = phantom("surveil", question, "--csv").output.splitlines()[0].split(",")
    assert sorted(header) == sorted(rows[0])
    lines = phantom("surveil", question, "--jsonl").output.splitlines()
    assert [json.loads(line) for line in lines] == rows


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_says_which_case_is_behind_it(question: str) -> None:
    said = CliRunner().invoke(main, ["surveil", question, "--help"]).output
    assert "The case behind it: " in " ".join(said.split())


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_empty_ledger_is_an_answer(empty: Pitledger, question: str) -> None:
    result = empty("surveil", question, "--json")
    assert (result.stdout, result.stderr, result.exit_code) == ("[]\n", "", 0)


@pytest.mark.parametrize(
    ("words", "exit_code", "said"),
    [
        (["--table", "CR99"], 1, "Error: there is no table CR99: there is CR02, CR04\n"),
        (["--player", "Zed"], 1, "Error: there is no player Zed: there is Ana, Ann, Bob, Cal\n"),
        (
            ["--day", "2026-11-29", "--table", "CR04"],
            1,
            "Error: there is no gaming day 2026-11-29 of table CR04: there is 2026-11-28\n",
        ),
        (
            ["--since", "2026-11-30", "--until", "2026-11-29"],
            2,
            "Error: --since 2026-11-30 is after --until 2026-11-29: turn them round\n",
        ),
        (
            ["--day", "2026-11-28", "--until", "2026-11-29"],
            2,
            "Error: --day is one gaming day, --since and --until are several: say one or the other\n",
        ),
    ],
)
def test_days_tables_and_patrons_that_cannot_be_are_said_to_be_so(
    phantom: Pitledger, words: list[str], exit_code: int, said: str
) -> None:
    for question in QUESTIONS:
        result = phantom("surveil", question, *words)
        assert (result.exit_code, result.stdout) == (exit_code, "")
        assert result.stderr.endswith(said)


def test_without_a_day_the_last_one_played_is_looked_at(night: Pitledger) -> None:
    last, day = (
        night("surveil", "pairs", *words, "--json").output for words in ([], ["--day", "2026-11-28"])
    )
    assert last == day
    assert night("surveil", "pairs", "--since", "2026-11-29", "--json").output == "[]\n"
