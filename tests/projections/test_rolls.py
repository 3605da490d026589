"""The rolls as they were called, and as they stand."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from psycopg import Connection

from domain.books import event_win
from projections import rolls
from projections.follow import follow
from projections.projection import Fact, gathered
from projections.rows import Row
from tests.domain.test_scenarios import SCENARIOS
from tests.projections.night import facts, log_of, store, told

Conn = Connection[Any]


def folded(told: Sequence[Fact]) -> list[Row]:
    return sorted(rolls.fold({}, gathered(told)), key=lambda row: int(row["roll"]))


def scenario_with(what: str) -> list[Fact]:
    """The first golden scenario that has an overrule with `what`."""
    for scenario in SCENARIOS:
        if any(line["do"] == "overrule" and what in line for line in scenario["log"]):
            return list(facts(scenario["log"]))
    raise AssertionError(what)


def test_the_puck_and_the_come_out_follow_from_roll_to_roll() -> None:
    night = folded(told("ia-night"))
    assert [row["roll"] for row in night] == list(range(1, 241))
    for before, after in pairwise(night):
        assert after["puck_before"] == before["puck_after"]
    assert all(row["come_out"] == (row["puck_before"] is None) for row in night)
    assert all(row["total"] == sum(row["dice"]) for row in night)
    assert night[-1]["puck_after"] == 6


@pytest.mark.parametrize("night", ["ia-night", "pa-crapless-night"])
def test_what_the_rolls_won_is_what_the_table_won(night: str) -> None:
    all_night = told(night)
    found = folded(all_night)
    assert sum(row["house_net"] for row in found) == event_win(
        move for fact in all_night for move in fact.moved
    )
    assert sum(row["decided"] for row in found) == sum(fact.row.name == "WagerSettled" for fact in all_night)  # type: ignore[attr-defined]


def test_other_faces_called_by_a_higher_rank_stand_and_the_first_call_is_kept() -> None:
    [overruled] = [row for row in folded(scenario_with("dice")) if row["overruled"]]
    first, *_, last = overruled["calls"]
    assert (first["call"], last["call"]) == ("RollCalled", "RollOverruled")
    assert overruled["dice"] == last["dice"] != first["dice"]
    assert overruled["total"] == sum(last["dice"])
    assert (overruled["badge"], overruled["command"]) == (last["badge"], last["command"])
    assert not overruled["void"]


def test_a_void_roll_decided_nothing_and_won_nothing() -> None:
    [void] = [row for row in folded(scenario_with("void")) if row["void"]]
    assert (void["decided"], void["house_net"], void["total"]) == (0, 0, None)
    assert void["puck_after"] == void["puck_before"]


def test_a_no_roll_has_its_number_and_its_reason() -> None:
    log = [*log_of("ia-night")[:200]]
    at = next(i for i, line in enumerate(log) if line["do"] == "roll")
    throw = {k: v for k, v in log[at].items() if k != "dice"}
    [row] = folded(list(facts([*log[:at], throw | {"do": "no_roll", "reason": "cocked"}])))
    assert (row["roll"], row["no_roll"], row["total"], row["decided"]) == (1, "cocked", None, 0)


def test_rolls_are_read_back_by_table_day_and_number(fresh_ledger: str, conn: Conn) -> None:
    store(fresh_ledger, told("ia-night", 1_000))
    follow(conn)
    night = folded(told("ia-night", 1_000))
    found = rolls.rows(conn)
    assert [(row["roll"], row["house_net"], row["calls"]) for row in found] == [
        (row["roll"], row["house_net"], row["calls"]) for row in night
    ]
    assert found[0]["at"].endswith("-06:00")
    assert rolls.rows(conn, last=3) == found[-3:]
    assert rolls.rows(conn, table=found[0]["table"], roll=5) == [found[4]]
    assert rolls.rows(conn, table="CR99") == []
