"""docs/disputes.md shows what the program prints: every command is typed, every answer compared."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Pitledger

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "disputes.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ pitledger (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def test_every_command_on_the_page_answers_as_shown(
    pitledger: Pitledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    shown = [
        found for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")) for found in COMMAND.findall(block)
    ]
    assert len(shown) >= 6
    for words, answer in shown:
        printed = tidy(pitledger(*words.split()).output)
        assert re.fullmatch(pattern(answer), printed), f"$ pitledger {words}\n{printed}"


def tidy(printed: str) -> str:
    """Without the spaces at the end of lines, which no editor keeps."""
    return "".join(f"{line.rstrip()}\n" for line in printed.rstrip().splitlines())


def pattern(answer: str) -> str:
    """What an answer may look like: a line of three dots stands for any lines."""
    return "".join("(?:.*\n)*?" if line == "..." else f"{re.escape(line)}\n" for line in answer.splitlines())
