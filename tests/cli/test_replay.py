"""`pitledger replay` as a pit boss types it: any roll of any day, drawn, said, called and paid."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
from io import StringIO
from pathlib import Path
from time import sleep

import pytest
from rich.console import Console

from cli.replay import walk
from tests.cli.conftest import Pitledger
from tests.projections.night import log_of
from tests.projections.told import OPEN, bet, buy_in, history_of, log, out, overrule, roll

ROOT = Path(__file__).parents[2]
SIX = log(
    OPEN,
    buy_in("Nat", 50000),
    buy_in("[red]Dot", 50000),
    {"do": "shooter", "player": "Nat"},
    bet("Nat", "line", "pass", 1000),
    bet("[red]Dot", "dark", "dont_pass", 1000),
    roll(4, 5),
    bet("Nat", "behind", "odds", 2000, on="line"),
    bet("Nat", "six", "place", 1200, number=6),
    bet("Nat", "yo", "eleven", 100),
    out(),
    bet("Nat", "late", "field", 500),
    roll(2, 4),
    overrule(2, dice=[3, 3]),
)


@pytest.fixture
def six(pitledger: Pitledger) -> Pitledger:
    assert pitledger("ingest", "-", stdin="".join(f"{json.dumps(line)}\n" for line in SIX)).exit_code == 3
    return pitledger


def test_a_dealer_recognises_the_table(six: Pitledger) -> None:
    drawn = six("replay", "CR01", "--roll", "2").output.split("Said before it")[0]
    assert drawn.partition("\n")[2] == DRAWN


DRAWN = """\
As it lay
┌──────────────┬─────────────┬─────────────┬─────────────┬─────────────┬─────────────┬─────────────┐
│DON'T COME    │4            │5            │SIX          │8            │NINE         │10           │
│              │             │             │             │             │(ON)         │             │
├──────────────┼─────────────┼─────────────┼─────────────┼─────────────┼─────────────┼─────────────┤
│              │             │             │Nat pl 12    │             │             │             │
└──────────────┴─────────────┴─────────────┴─────────────┴─────────────┴─────────────┴─────────────┘
┌──────────┬───────────────────────────────────────────────────────────────────────────────────────┐
│COME      │                                                                                       │
├──────────┼───────────────────────────────────────────────────────────────────────────────────────┤
│FIELD     │                                                                                       │
├──────────┼───────────────────────────────────────────────────────────────────────────────────────┤
│DON'T PASS│[red]Dot 10                                                                            │
├──────────┼───────────────────────────────────────────────────────────────────────────────────────┤
│PASS LINE │Nat 10, Nat odds 20                                                                    │
└──────────┴───────────────────────────────────────────────────────────────────────────────────────┘
┌────────────────────────┬────────────────────────┬────────────────────────┬───────────────────────┐
│HARD 4                  │HARD 10                 │HARD 6                  │HARD 8                 │
├────────────────────────┼────────────────────────┼────────────────────────┼───────────────────────┤
│                        │                        │                        │                       │
└────────────────────────┴────────────────────────┴────────────────────────┴───────────────────────┘
┌──────────────────────────────────────────────────────────────────────────────────────────────────┐
│ELEVEN                                                                                            │
├──────────────────────────────────────────────────────────────────────────────────────────────────┤
│Nat 1                                                                                             │
└──────────────────────────────────────────────────────────────────────────────────────────────────┘
RAILS Nat 457, [red]Dot 490

"""


def test_what_was_said_is_told_in_order_with_who_and_when_and_the_late_bet_among_it(six: Pitledger) -> None:
    told = six("replay", "CR01", "--roll", "2").output
    said = told.split("Said before it\n")[1].split("\n\n")[0]
    assert [line.rstrip() for line in said.splitlines()] == [
        "20:00:24  D-142 dealer    Nat bets odds 9, $20.00",
        "20:00:27  D-142 dealer    Nat bets place 6, $12.00",
        "20:00:30  D-142 dealer    Nat bets eleven, $1.00",
        "20:00:33  S-009 stickman  the dice are out",
        "20:00:36  D-142 dealer    refused DICE_OUT: Nat bet field late $5.00: the dice are out; "
        "no bets until the call",
    ]


def test_both_calls_of_an_overruled_roll_are_shown_with_their_fates(six: Pitledger) -> None:
    told = six("replay", "CR01", "--roll", "2").output
    assert "Called 20:00:39 by S-009 stickman: 2-4, an easy six" in told
    assert (
        "The last bet (Nat) was made 3 s before the dice went out, they were out for 6 s, "
        "1 refused while they were out"
    ) in " ".join(told.split())
    assert (
        "Overruled 20:00:42 by F-204 floor: roll 2 is overruled: 3-3, a hard six in the place of 2-4" in told
    )
    assert "Nat's eleven lies again, lost no longer: $1.00" in told
    assert "place 6, $12.00 at 7 to 6, owed $14.00, Prairie Meadows, Payout Odds 1" in told


def test_without_a_roll_the_last_one_is_shown_and_a_time_finds_its_roll(six: Pitledger) -> None:
    assert "roll 2 of 2" in six("replay", "CR01").output
    assert "roll 1 of 2" in six("replay", "CR01", "--at", "20:00:38").output
    assert "roll 2 of 2" in six("replay", "CR01", "--at", "2026-11-29T02:00:39Z").output


def test_programs_get_the_rolls_as_one_document(six: Pitledger) -> None:
    found = json.loads(six("replay", "CR01", "--from", "1", "--to", "2", "--json").output)
    assert (found["table"], found["gaming_day"], found["last_roll"]) == ("CR01", "2026-11-28", 2)
    assert [told["roll"] for told in found["rolls"]] == [1, 2]
    trail = [json.loads(line) for line in six("audit", "--jsonl").output.splitlines()]
    where = {row["event"]: row["position"] for row in trail}
    calls = [call["position"] for call in found["rolls"][1]["calls"]]
    assert calls == [where["RollCalled"], where["RollOverruled"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("CR01", "--roll", "3"), "Error: there is no roll 3 at CR01 on 2026-11-28: the last is roll 2\n"),
        (("CR02",), "Error: there is no table CR02: there is CR01\n"),
        (("CR01", "--day", "2026-11-27"), "Error: CR01 was not open on 2026-11-27: it was on 2026-11-28\n"),
        (
            ("CR01", "--from", "2", "--to", "1"),
            "Error: roll 2 comes after roll 1: nothing lies between them\n",
        ),
        (("CR01", "--at", "25:00"), '"21:14", "21:14:05" or "2026-11-28T21:14:05-06:00"\n'),
        (("CR01", "--roll", "1", "--at", "20:00"), "Error: ask by one of --roll, --from and --to, or --at\n"),
        (("CR01", "--step"), "Error: --step needs a terminal to read keys from and to draw on\n"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(six: Pitledger, words: tuple[str, ...], said: str) -> None:
    result = six("replay", *words)
    assert result.exit_code in (1, 2)
    assert result.output.endswith(said)


def test_a_ledger_with_nothing_in_it_says_so(pitledger: Pitledger) -> None:
    assert "the ledger is empty" in pitledger("replay", "CR01").output


# ------------------------------------------------------------------------- step by step


def test_keys_walk_through_the_rolls_and_stop_at_both_ends() -> None:
    history = history_of(log_of("ia-night"))
    paper = Console(record=True, width=100, file=StringIO())
    keys = iter([" ", "\x1b[D", "b", "n", "?", "q"])
    walk(history, 239, paper, key=lambda: next(keys))
    shown = [int(number) for number in re.findall(r"roll (\d+) of 240", paper.export_text())]
    assert shown == [239, 240, 239, 238, 239, 239]
    keys = iter(["p", "q"])
    walk(history, 1, paper, key=lambda: next(keys))
    assert re.findall(r"roll (\d+) of 240", paper.export_text()) == ["1", "1"]


def test_on_a_terminal_a_key_shows_the_next_roll(night_url: str) -> None:
    ours, theirs = pty.openpty()
    program = [sys.executable, "-c", "from cli.main import main; main()"]
    words = ["--database", night_url, "replay", "CR08", "--roll", "12", "--step"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
    shown = subprocess.Popen([*program, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    try:
        assert "roll 12 of 240" in read_until(ours, "q: quit")
        press(ours, theirs, b" ")
        assert "roll 13 of 240" in read_until(ours, "q: quit")
        press(ours, theirs, b"g")
        read_until(ours, "(1 to 240)")
        os.write(ours, b"200\n")
        assert "roll 200 of 240" in read_until(ours, "q: quit")
        press(ours, theirs, b"q")
        assert shown.wait(30) == 0
    finally:
        shown.kill()
        shown.wait()
        os.close(ours)
        os.close(theirs)


def press(ours: int, theirs: int, key: bytes) -> None:
    """Press a key when somebody waits for one; whatever is typed before is thrown away, as terminals do."""
    while termios.tcgetattr(theirs)[3] & termios.ICANON:
        sleep(0.01)
    os.write(ours, key)


def read_until(terminal: int, word: str) -> str:
    """What the terminal shows up to `word`."""
    seen = ""
    while word not in seen:
        assert select.select([terminal], [], [], 60)[0], seen
        seen += os.read(terminal, 65536).decode(errors="replace")
    return seen
