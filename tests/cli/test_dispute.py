"""The verbs of a dispute as a floorman types them, and what he is told to do next."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.cli.conftest import Pitledger
from tests.projections.told import NO_ROLL_CALLED_ON_A_WINNER

FLOOR = ("--by", "F-204", "--role", "floor")
MANAGER = ("--by", "M-001", "--role", "shift_manager")
OPEN = ("open", "CR01", "--roll", "2", "--player", "Nat", "--claim", "it was a four", "--amount", "170")


@pytest.fixture
def table(pitledger: Pitledger) -> Pitledger:
    """`pitledger` on the night of the No Roll that should have stood."""
    lines = b"".join(orjson.dumps(line) + b"\n" for line in NO_ROLL_CALLED_ON_A_WINNER)
    assert pitledger("ingest", "-", stdin=lines).exit_code == 0
    return pitledger


def said(pitledger: Pitledger, *words: str) -> str:
    result = pitledger("dispute", *words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def standing(pitledger: Pitledger) -> dict[str, Any]:
    [row] = json.loads(pitledger("disputes", "--json").stdout)
    assert isinstance(row, dict)
    return row


def test_a_dispute_from_the_claim_to_the_closed_file(table: Pitledger) -> None:
    opened = said(table, *OPEN, "--dispute", "D-1", *FLOOR)
    assert "DisputeOpened: roll 2 is disputed, $170.00 to Nat: it was a four" in opened
    assert (
        "VideoHoldPlaced: the video of every camera on the table is held from 2026-11-28 19:45:27" in opened
    )
    assert re.search(r"Next: attach the evidence and rule by 20\d\d-.*: pitledger dispute rule D-1", opened)
    assert "Next: settle by" in said(table, "rule", "D-1", "upheld", "--reason", "video", *FLOOR)
    paid = ("--amount", "170", "--tender", "chips", "--approved-by", "M-002")
    assert "$170.00 to Nat in chips, from the rack; approved by M-002" in said(
        table, "settle", "D-1", *paid, "--by", "K-4", "--role", "cage"
    )
    assert "the file" in said(table, "close", "D-1", "--reason", "signed for", *MANAGER)
    row = standing(table)
    assert (row["status"], row["paid"], row["outcome"]) == ("closed", 17000, "upheld")


def test_what_is_refused_is_said_and_recorded_and_exits_3(table: Pitledger) -> None:
    said(table, *OPEN, "--dispute", "D-1", *FLOOR)
    said(table, "rule", "D-1", "denied", "--reason", "the box called it", *MANAGER)
    refused = table("dispute", "rule", "D-1", "upheld", "--reason", "I saw it", *FLOOR)
    assert refused.exit_code == 3
    assert refused.stderr == (
        "Refused NO_AUTHORITY: floor may not overrule a ruling by shift_manager. The refusal is recorded.\n"
    )
    last = json.loads(table("audit", "--jsonl").stdout.splitlines()[-1])
    assert (last["event"], last["stream"], last["badge"]) == ("CommandRefused", "dispute:D-1", "F-204")


def test_the_hash_of_the_file_is_taken_so_nobody_has_to_type_it(table: Pitledger, tmp_path: Path) -> None:
    clip = tmp_path / "clip118.mp4"
    clip.write_bytes(b"two dice in the air")
    said(table, *OPEN, "--dispute", "D-1", *FLOOR)
    words = ("evidence", "D-1", "--kind", "video", "--reference", "DVR 3", "--file", str(clip))
    answer = json.loads(said(table, *words, "--json", *FLOOR))
    assert answer["recorded"][0]["event"] == "EvidenceAttached"
    last = json.loads(table("audit", "--jsonl").stdout.splitlines()[-1])
    assert last["data"]["sha256"] == sha256(clip.read_bytes()).hexdigest()


def test_without_an_id_a_dispute_has_one_of_its_content(table: Pitledger) -> None:
    said(table, *OPEN, *FLOOR)
    name = standing(table)["dispute"]
    assert re.fullmatch(r"CR01-2026-11-28-r2-[0-9a-f]{6}", name)
    again = table("dispute", *OPEN, *FLOOR)
    assert (again.exit_code, "DUPLICATE_DISPUTE" in again.stderr) == (3, True)


def test_a_command_id_of_ones_own_makes_it_safe_to_say_again(table: Pitledger) -> None:
    words = (*OPEN, "--dispute", "D-1", "--id", "call-17", *FLOOR)
    at = ("--at", "2026-11-30T10:00:00-06:00")
    first = said(table, *words, *at)
    assert said(table, *words, *at) == first
    assert standing(table)["opened_at"] == at[1]
    later = table("dispute", *words)  # at another time it is another command
    assert (later.exit_code, "ID_REUSED" in later.stderr) == (3, True)


@pytest.mark.parametrize(
    ("words", "code", "wrong"),
    [
        (
            ("rule", "D-9", "denied", "--reason", "-", *FLOOR),
            1,
            "there is no dispute D-9: nothing is disputed",
        ),
        ((*OPEN[:-1], "ten", *FLOOR), 2, "'ten' is no amount; write it like 170 or 170.50"),
        ((*OPEN, "--by", "F-204", "--role", "cook"), 2, "'cook' is not one of"),
        ((*OPEN, "--dispute", "D 1", *FLOOR), 2, "dispute must be 1 to 64 characters of A-Z a-z 0-9"),
    ],
)
def test_what_cannot_be_meant_is_said_in_one_line(
    table: Pitledger, words: tuple[str, ...], code: int, wrong: str
) -> None:
    result = table("dispute", *words)
    assert result.exit_code == code
    assert wrong in result.stderr


def test_evidence_without_a_hash_is_no_evidence(table: Pitledger) -> None:
    said(table, *OPEN, "--dispute", "D-1", *FLOOR)
    result = table("dispute", "evidence", "D-1", "--kind", "photo", "--reference", "phone", *FLOOR)
    assert result.exit_code == 2
    assert 'photo evidence needs its "sha256"' in result.stderr


def test_amounts_are_exact_to_the_cent_and_may_come_back(table: Pitledger) -> None:
    said(table, *OPEN[:-1], "-20.05", "--dispute", "D-1", *FLOOR)
    assert standing(table)["amount"] == -2005


def test_the_list_shows_what_is_open_and_what_is_overdue(table: Pitledger) -> None:
    line = {**NO_ROLL_CALLED_ON_A_WINNER[-1], "id": "old", "do": "dispute", "dispute": "D-1", "roll": 2}
    line |= {"player": "Nat", "claim": "a four", "amount": 17000}
    del line["dice"]
    table("ingest", "-", stdin=orjson.dumps(line | {"at": "2020-01-01T20:00:00-06:00"}))
    shown = table("disputes", "--open").stdout
    assert re.search(r"D-1 +CR01 +2026-11-28 +2 +Nat +170\.00 +open .*OVERDUE", shown)
    said(table, "close", "D-1", "--withdrawn", *FLOOR)
    assert table("disputes", "--open", "--json").stdout == "[]\n"
