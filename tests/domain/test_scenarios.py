"""The golden scenarios, worked out by hand from the four documents, settlement by settlement."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from domain import events as e
from domain.refusals import Refusal
from domain.rules.shelf import packs
from tests.domain.story import Story, table_win

SCENARIOS: list[dict[str, Any]] = [
    scenario
    for scenario in orjson.loads((Path(__file__).parent.parent / "data" / "scenarios.json").read_bytes())
    if scenario["rules"] in packs()
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[s["id"] for s in SCENARIOS])
def test_a_golden_scenario_ends_as_the_document_says(scenario: dict[str, Any]) -> None:
    story = Story()
    for line in scenario["log"]:
        answer = story.tell(line)
        _check(answer, scenario["expect"].get(line["id"], {}), story, line["id"])
    final = scenario["final"]
    assert story.table.rails == final["rails"]
    assert {w.wager: w.amount for w in story.table.wagers.values()} == final["on_layout"]
    assert table_win(story.events) == final["table_win"]


def _check(answer: Any, expected: dict[str, Any], story: Story, command: str) -> None:
    if "refused" in expected:
        assert isinstance(answer, Refusal), command
        assert answer.reason.value == expected["refused"], command
        return
    assert not isinstance(answer, Refusal), (command, answer.message)
    seen = {
        "settlements": [
            {"wager": s.wager, "outcome": s.outcome, "net": s.net, "credit": s.credit}
            | ({"commission": s.commission} if s.commission else {})
            for s in answer
            if isinstance(s, e.WagerSettled)
        ],
        "moves": [{"wager": m.wager, "to": m.to} for m in answer if isinstance(m, e.WagerMoved)],
        "commission": sum(x.amount for x in answer if isinstance(x, e.CommissionCollected)),
        "commission_refunded": sum(x.amount for x in answer if isinstance(x, e.CommissionRefunded)),
        "returned": sum(_returned(x) for x in answer),
        "puck": story.table.puck,
        "rails": story.table.rails,
        "roll": next((x.roll for x in answer if isinstance(x, e.RollCalled | e.NoRollCalled)), None),
    }
    for name, figures in expected.items():
        assert _in_any_order(seen[name]) == _in_any_order(figures), (command, name)
    if "settlements" in expected:
        assert seen["moves"] == expected.get("moves", []), command


def _in_any_order(figures: Any) -> Any:
    return sorted(figures, key=lambda row: row["wager"]) if isinstance(figures, list) else figures


def _returned(event: Any) -> int:
    if isinstance(event, e.WagerTakenDown):
        return event.amount
    return event.was - event.to if isinstance(event, e.WagerReduced) else 0
