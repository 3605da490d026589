"""Every command says what it is for, and whatever can be foreseen to go wrong is said in one line."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import click
import psycopg
import pytest
from click.testing import CliRunner

from cli.main import main
from tests.cli import logs
from tests.cli.conftest import Pitledger, at, database_of

PROGRAM = [sys.executable, "-c", "from cli.main import main; main(prog_name='pitledger')"]


def commands(group: click.Group = main, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command as it is typed."""
    for name, command in group.commands.items():
        yield (*words, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))


COMMANDS = [(), *commands()]
LISTINGS = ["balances", "win", "settlements", "rolls", "tables", "audit", "disputes"]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_has_help_and_an_example(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, [*words, "--help"])
    assert result.exit_code == 0
    assert "\n  Example:\n      pitledger " in result.output


@pytest.mark.parametrize("listing", LISTINGS)
def test_every_listing_speaks_to_people_and_to_programs(listing: str) -> None:
    said = CliRunner().invoke(main, [listing, "--help"]).output
    assert all(f"\n  --{output} " in said for output in ("json", "jsonl", "csv"))


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize(("output", "nothing"), [("--json", "[]\n"), ("--jsonl", "")])
def test_an_empty_ledger_is_an_answer(empty: Pitledger, listing: str, output: str, nothing: str) -> None:
    result = empty(listing, output)
    assert (result.stdout, result.stderr, result.exit_code) == (nothing, "", 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["settlements", "--table", "CR99"], "there is no table CR99: there is CR01"),
        (["win", "--day", "2026-11-29"], "there is no gaming day 2026-11-29: there is 2026-11-28"),
        (
            ["tables", "--table", "CR01", "--day", "2026-11-29"],
            "there is no gaming day 2026-11-29 of table CR01: there is 2026-11-28",
        ),
        (["balances", "--player", "Zed"], "there is no player Zed: there is Bea"),
        (["rolls", "--roll", "9"], "there is no roll 9: the last is roll 1"),
        (
            ["settlements", "--table", "CR01", "--roll", "9"],
            "there is no roll 9 at CR01: the last is roll 1",
        ),
        (["layout", "CR99"], "there is no table CR99: there is CR01"),
        (["layout", "CR01", "--at-roll", "9"], "there is no roll 9 at CR01: the last is roll 1"),
        (
            ["audit", "--wager", "w9"],
            "there is no wager w9: `pitledger audit --event WagerPlaced` lists them",
        ),
        (["--database", "mysql://x", "win"], None),
    ],
)
def test_what_does_not_exist_is_said_in_one_line_with_what_does(
    short_night: Pitledger, words: list[str], said: str | None
) -> None:
    result = short_night(*words)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert said is None or result.stderr == f"Error: {said}\n"


def test_a_filter_that_names_something_without_rows_is_no_error(pitledger: Pitledger) -> None:
    pitledger("ingest", "-", stdin=logs.log([logs.OPEN, logs.BUY_IN]))
    result = pitledger("settlements", "--player", "Bea", "--table", "CR01", "--json")
    assert (result.stdout, result.exit_code) == ("[]\n", 0)


def test_a_day_is_written_as_the_log_writes_it(empty: Pitledger) -> None:
    result = empty("win", "--day", "28/11/2026")
    assert result.exit_code == 2
    assert "'28/11/2026' is no day; write it like 2026-11-28" in result.stderr


# ------------------------------------------------------------------------------------ the database


def test_the_first_log_begins_a_ledger_where_there_is_none(database_url: str) -> None:
    begun = at(database_url)("ingest", "-", stdin=logs.log(logs.SHORT_NIGHT))
    assert begun.exit_code == 0
    assert begun.stderr == (
        'New ledger: property "demo", USD, America/Chicago, gaming day from 06:00. '
        "`pitledger db init` makes others.\n"
    )
    assert at(database_url)("balances").exit_code == 0


def test_asking_a_database_without_a_ledger_makes_none(database_url: str) -> None:
    pitledger = at(database_url)
    refused = pitledger("balances")
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"Error: there is no ledger in database {database_of(database_url)!r}: run: pitledger db init\n"
    )
    made = pitledger("db", "init", "--property", "riverside", "--currency", "EUR", "--day-starts", "4")
    assert (made.exit_code, made.stdout) == (
        0,
        'The ledger is ready: property "riverside", EUR, America/Chicago, gaming day from 04:00.\n',
    )
    assert pitledger("balances").exit_code == 0


def test_a_ledger_is_made_once_and_saying_so_again_changes_nothing(pitledger: Pitledger) -> None:
    assert pitledger("db", "init").exit_code == 0
    other = pitledger("db", "init", "--property", "riverside")
    assert other.exit_code == 1
    assert other.stderr.startswith("Error: this ledger belongs to demo (USD, America/Chicago")


def test_db_status_says_whose_ledger_it_is_and_how_far_its_books_are(short_night: Pitledger) -> None:
    short_night("balances")
    said = short_night("db", "status").stdout
    assert 'ledger       property "demo", USD, America/Chicago, gaming day from 06:00\n' in said
    assert "events       5\n" in said
    assert "balances 5, win 5" in said


def test_db_status_finds_no_ledger_no_fault(database_url: str) -> None:
    result = at(database_url)("db", "status")
    assert result.exit_code == 0
    assert "there is no ledger in database" in result.stdout


def test_db_stop_leaves_a_server_alone_that_is_not_ours(empty: Pitledger) -> None:
    result = empty("db", "stop")
    assert result.exit_code == 1
    assert "not ours to stop" in result.stderr


def test_rebuilding_says_what_it_made_anew(short_night: Pitledger) -> None:
    before = short_night("balances", "--json").stdout
    assert short_night("rebuild", "balances", "win").stdout == "Rebuilt balances, win from 5 events.\n"
    assert short_night("balances", "--json").stdout == before


def test_a_projection_that_is_none_is_misuse(empty: Pitledger) -> None:
    result = empty("rebuild", "fortunes")
    assert result.exit_code == 2
    assert "there is no projection fortunes: there is balances, win," in result.stderr


def test_a_role_that_may_not_read_the_ledger_is_told_so_in_one_line(fresh_ledger: str) -> None:
    role = f"{database_of(fresh_ledger)}_clerk"
    with psycopg.connect(fresh_ledger, autocommit=True) as conn:
        conn.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'clerk'")
        try:
            conn.execute("SET password_encryption = 'scram-sha-256'")
            result = at(f"{fresh_ledger}&user={role}&password=clerk")("win")
        finally:
            conn.execute(f"DROP ROLE {role}")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "permission denied for schema pitledger" in result.stderr


# ------------------------------------------------------------------------------------ the proof


def test_a_ledger_that_nobody_touched_has_nothing_wrong(short_night: Pitledger) -> None:
    result = short_night("verify")
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "5 events verified; nothing is wrong.\n",
        "",
    )


def test_a_ledger_that_somebody_touched_exits_5_and_says_where(
    pitledger: Pitledger, fresh_ledger: str
) -> None:
    pitledger("ingest", "-", stdin=logs.log(logs.SHORT_NIGHT))
    with psycopg.connect(fresh_ledger, autocommit=True) as conn:
        conn.execute("ALTER TABLE pitledger.events DISABLE TRIGGER append_only")
        conn.execute("UPDATE pitledger.events SET badge = 'X-000' WHERE version = 2")
    result = pitledger("verify")
    assert (result.exit_code, result.stdout) == (5, "5 events verified; faults: 1.\n")
    assert result.stderr.startswith("table:CR01:2026-11-28, version 2: its hash is ")
    (fault,) = json.loads(pitledger("verify", "--json").stdout)["faults"]
    assert (fault["stream"], fault["version"]) == ("table:CR01:2026-11-28", 2)


# ------------------------------------------------------------------------------------ the terminal


def test_a_reader_who_has_seen_enough_is_no_error(night_url: str) -> None:
    with subprocess.Popen(
        [*PROGRAM, "--database", night_url, "audit", "--jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as reading:
        assert reading.stdout
        assert reading.stderr
        assert reading.stdout.readline().startswith(b'{"position":1,')
        reading.stdout.close()
        assert (reading.stderr.read(), reading.wait(30)) == (b"", 0)


def test_an_interrupted_ingest_says_how_far_it_came_and_exits_130(fresh_ledger: str) -> None:
    with subprocess.Popen(
        [*PROGRAM, "--database", fresh_ledger, "ingest", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as ingesting:
        assert ingesting.stdin
        ingesting.stdin.write(logs.log(logs.SHORT_NIGHT).encode())
        ingesting.stdin.flush()
        wait_for_events(fresh_ledger, 5)
        ingesting.send_signal(signal.SIGINT)
        _, said = ingesting.communicate(timeout=30)
    assert ingesting.returncode == 130
    assert said.decode().splitlines() == [
        "standard input: stopped; everything up to line 4 is stored. "
        "Ingest it again to go on: nothing is stored twice",
        "interrupted",
    ]


def wait_for_events(url: str, events: int) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        for _ in range(300):
            if conn.execute("SELECT count(*) FROM pitledger.events").fetchone() == (events,):
                return
            conn.execute("SELECT pg_sleep(0.1)")
    raise AssertionError(f"there were never {events} events")


def test_colours_are_left_out_where_nobody_wants_them(
    night: Pitledger, night_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--database", night_url, "win"]
    assert "\x1b[1m" in CliRunner().invoke(main, words, color=True).output
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(main, words, color=True).output
    assert os.environ["NO_COLOR"] == "1"
