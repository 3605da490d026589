"""Whole nights that another engine played: its dice, its bets, its money after every roll."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from domain.refusals import Refusal
from domain.table import Table
from tests.domain.story import Story, table_win

ROOT = Path(__file__).parents[2]
NIGHTS = {
    "ia-night": ROOT / "cli" / "demo" / "ia-night.jsonl",
    "pa-crapless-night": ROOT / "tests" / "data" / "pa-crapless-night.jsonl",
}


def wealth(table: Table) -> dict[str, int]:
    """Rail and layout of every player, in cents."""
    on_layout = on_the_layout(table)
    return {player: rail + on_layout.get(player, 0) for player, rail in table.rails.items()}


def on_the_layout(table: Table) -> dict[str, int]:
    """What every player has staked and undecided."""
    stakes = dict.fromkeys(table.rails, 0)
    for wager in table.wagers.values():
        stakes[wager.player] += wager.amount
    return stakes


@pytest.mark.parametrize("night", NIGHTS)
def test_a_night_agrees_with_the_other_engine_after_every_roll(night: str) -> None:
    expected: dict[str, Any] = orjson.loads((ROOT / "tests" / "data" / f"{night}.expected.json").read_bytes())
    story = Story()
    for line in NIGHTS[night].read_bytes().splitlines():
        command = orjson.loads(line)
        answer = story.tell(command)
        assert not isinstance(answer, Refusal), (command, answer)
        if command["do"] == "roll":
            after = expected["wealth_after_roll"][story.table.rolls - 1]
            assert wealth(story.table) == after, story.table.rolls
    assert story.table.rails == expected["rails"]
    assert on_the_layout(story.table) == expected["on_layout"]
    assert story.table.puck == expected["puck"]
    assert table_win(story.events) == expected["table_win"]
