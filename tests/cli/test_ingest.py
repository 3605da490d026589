"""A log is read into the ledger whole: every line is answered, whatever the lines around it are like."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli import logs
from tests.cli.conftest import Pitledger


def write(folder: Path, content: str | bytes, name: str = "night.jsonl") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def summary_of(
    pitledger: Pitledger, *paths: str, stdin: str | bytes | None = None
) -> tuple[int, dict[str, Any]]:
    result = pitledger("ingest", "--json", *paths, stdin=stdin)
    return result.exit_code, json.loads(result.stdout)


def test_a_log_that_the_house_accepts_exits_0(pitledger: Pitledger, tmp_path: Path) -> None:
    code, summary = summary_of(pitledger, write(tmp_path, logs.log(logs.SHORT_NIGHT)))
    assert code == 0
    assert summary == {
        "lines": 4,
        "accepted": 4,
        "already_known": 0,
        "refused": 0,
        "malformed": 0,
        "events": 5,
        "refusals": [],
        "errors": [],
    }


def test_a_log_read_again_stores_nothing(pitledger: Pitledger, tmp_path: Path) -> None:
    night = write(tmp_path, logs.log(logs.SHORT_NIGHT))
    pitledger("ingest", night)
    code, summary = summary_of(pitledger, night)
    assert (code, summary["already_known"], summary["accepted"], summary["events"]) == (0, 4, 0, 0)


def test_people_are_told_what_became_of_the_lines(pitledger: Pitledger, tmp_path: Path) -> None:
    result = pitledger("ingest", write(tmp_path, logs.log(logs.SHORT_NIGHT)))
    first, second = result.stdout.splitlines()
    assert first == "4 lines: 4 accepted, 0 already known, 0 refused, 0 malformed"
    assert second.startswith("5 events stored in ")
    assert result.stderr == ""


def test_a_refusal_is_shown_and_exits_3(pitledger: Pitledger, tmp_path: Path) -> None:
    night = write(tmp_path, logs.log([logs.OPEN, logs.BUY_IN, logs.TOO_SMALL]))
    result = pitledger("ingest", night)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"{night}:3: refused CR01:3: BELOW_MIN: ")
    assert result.stdout.startswith(
        "3 lines: 2 accepted, 0 already known, 1 refused, 0 malformed\n3 events stored"
    )


def test_a_refused_line_read_again_is_known_and_stays_refused(pitledger: Pitledger, tmp_path: Path) -> None:
    night = write(tmp_path, logs.log([logs.OPEN, logs.BUY_IN, logs.TOO_SMALL]))
    code, first = summary_of(pitledger, night)
    assert (code, first["refused"], first["refusals"][0]["reason"]) == (3, 1, "BELOW_MIN")
    code, again = summary_of(pitledger, night)
    assert (code, again["refused"], again["already_known"], again["events"]) == (0, 0, 3, 0)
    assert again["refusals"] == []


def test_the_same_id_with_other_content_is_refused_once_and_for_ever(
    pitledger: Pitledger, tmp_path: Path
) -> None:
    commands = logs.lines(logs.SHORT_NIGHT)
    forged = commands[1].replace("30000", "30000000")
    night = write(tmp_path, "\n".join([*commands, forged]))
    code, summary = summary_of(pitledger, night)
    refusals = summary["refusals"]
    assert isinstance(refusals, list)
    assert [(refusal["line"], refusal["id"], refusal["reason"]) for refusal in refusals] == [
        (5, "CR01:2", "ID_REUSED")
    ]
    assert (code, summary["events"]) == (3, 6)
    assert summary_of(pitledger, night)[1]["events"] == 0


def test_a_malformed_line_is_reported_with_its_place_and_the_lines_around_it_count(
    pitledger: Pitledger, tmp_path: Path
) -> None:
    commands = logs.lines(logs.SHORT_NIGHT)
    night = write(tmp_path, "\n".join([commands[0], "", "{oops}", *commands[1:]]) + "\n")
    result = pitledger("ingest", night)
    assert result.exit_code == 2
    assert result.stderr == (
        f"{night}:3: malformed: not JSON at column 2: unexpected character, expected a string key; "
        "a table log is one JSON object a line\n"
    )
    assert result.stdout.startswith("5 lines: 4 accepted, 0 already known, 0 refused, 1 malformed\n")


def test_malformed_wins_over_refused(pitledger: Pitledger, tmp_path: Path) -> None:
    night = write(tmp_path, logs.log([logs.OPEN, logs.TOO_SMALL]) + "oops\n")
    assert pitledger("ingest", night).exit_code == 2


def test_a_log_that_was_cut_off_counts_up_to_the_cut(pitledger: Pitledger, tmp_path: Path) -> None:
    night = logs.log(logs.SHORT_NIGHT)
    code, summary = summary_of(pitledger, write(tmp_path, night[:-20]))
    assert (code, summary["accepted"]) == (2, 3)
    assert summary["errors"] == [
        {
            "line": 4,
            "message": "cut off: the log ends in the middle of a command; ingest it again when it is whole",
            "file": str(tmp_path / "night.jsonl"),
        }
    ]
    assert summary_of(pitledger, write(tmp_path, night))[1]["already_known"] == 3


def test_a_last_line_without_a_line_end_counts(pitledger: Pitledger, tmp_path: Path) -> None:
    assert summary_of(pitledger, write(tmp_path, logs.log(logs.SHORT_NIGHT).rstrip("\n")))[1]["accepted"] == 4


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_an_empty_log_is_nothing_to_read(pitledger: Pitledger, tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    result = pitledger("ingest", path)
    assert (result.exit_code, result.stderr) == (0, f"{path}: empty, nothing to read\n")


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"Dear sir,\nplease find enclosed\n"]
)
def test_a_file_that_is_no_log_is_said_to_be_none(
    pitledger: Pitledger, tmp_path: Path, content: bytes
) -> None:
    path = write(tmp_path, content)
    result = pitledger("ingest", path)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        f"{path}: no line of it is a command; is it a table log? `pitledger log-schema` shows what one holds"
    )


def test_what_cannot_be_read_does_not_keep_the_other_logs_from_being_read(
    pitledger: Pitledger, tmp_path: Path
) -> None:
    night, missing = write(tmp_path, logs.log(logs.SHORT_NIGHT)), str(tmp_path / "missing.jsonl")
    result = pitledger("ingest", missing, str(tmp_path), night)
    assert result.exit_code == 2
    assert result.stderr == (
        f"{missing}: there is no such file\n{tmp_path}: a directory, not a table log: name the logs in it\n"
    )
    assert result.stdout.startswith("4 lines: 4 accepted,")


def test_a_file_that_cannot_be_read_is_an_error_without_a_line(pitledger: Pitledger, tmp_path: Path) -> None:
    code, summary = summary_of(pitledger, str(tmp_path))
    message = "a directory, not a table log: name the logs in it"
    assert (code, summary["malformed"]) == (2, 0)
    assert summary["errors"] == [{"line": None, "message": message, "file": str(tmp_path)}]


def test_a_line_of_ten_megabytes_is_turned_away_and_the_next_one_counts(
    pitledger: Pitledger, tmp_path: Path
) -> None:
    first, *others = logs.lines(logs.SHORT_NIGHT)
    night = "\n".join([first, '{"id":"' + "x" * 10_000_000 + '"}', *others])
    code, summary = summary_of(pitledger, write(tmp_path, night))
    assert (code, summary["accepted"], summary["malformed"]) == (2, 4, 1)


def test_a_clerks_windows_editor_changes_nothing(pitledger: Pitledger, tmp_path: Path) -> None:
    night = logs.log(logs.SHORT_NIGHT)
    pitledger("ingest", write(tmp_path, night))
    windows = b"\xef\xbb\xbf" + night.replace("\n", "\r\n").encode()
    assert summary_of(pitledger, write(tmp_path, windows, "windows.jsonl"))[1]["already_known"] == 4


def test_standard_input_is_read_like_a_file(pitledger: Pitledger) -> None:
    code, summary = summary_of(pitledger, "-", stdin=logs.log(logs.SHORT_NIGHT))
    assert (code, summary["accepted"]) == (0, 4)
    result = pitledger("ingest", "-", stdin="oops\n")
    assert result.stderr.startswith("standard input:1: malformed: ")


def test_several_logs_are_read_one_after_another(pitledger: Pitledger, tmp_path: Path) -> None:
    one = write(tmp_path, logs.log(logs.SHORT_NIGHT), "one.jsonl")
    two = write(tmp_path, logs.log(logs.SHORT_NIGHT, table="CR02"), "two.jsonl")
    assert summary_of(pitledger, one, two)[1]["accepted"] == 8


def test_a_log_in_the_wrong_order_is_refused_line_by_line(pitledger: Pitledger, tmp_path: Path) -> None:
    night = "".join(f"{line}\n" for line in reversed(logs.lines(logs.SHORT_NIGHT)))
    code, summary = summary_of(pitledger, write(tmp_path, night))
    refusals = summary["refusals"]
    assert isinstance(refusals, list)
    assert [refusal["reason"] for refusal in refusals] == ["TABLE_NOT_OPEN"] * 3
    assert (code, summary["accepted"]) == (3, 1)


def test_people_are_shown_the_first_hundred_malformed_lines_and_programs_all(
    pitledger: Pitledger, tmp_path: Path
) -> None:
    path = write(tmp_path, "oops\n" * 250)
    shown = pitledger("ingest", path).stderr.splitlines()
    assert sum("malformed" in line for line in shown) == 101
    assert "... and 150 more malformed lines; --json lists every one" in shown
    errors = summary_of(pitledger, path)[1]["errors"]
    assert isinstance(errors, list)
    assert [error["line"] for error in errors] == list(range(1, 251))


def test_nothing_to_read_is_misuse(pitledger: Pitledger) -> None:
    result = pitledger("ingest")
    assert result.exit_code == 2
    assert "Missing argument 'PATH... | -'" in result.stderr
