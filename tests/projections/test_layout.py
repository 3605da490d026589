"""The layout now, and as it lay before any roll."""

from datetime import date
from typing import Any

import pytest
from psycopg import Connection

from domain.table import Table
from ledger import snapshots
from ledger.log import event_of, read_stream
from projections import layout
from projections.follow import follow
from tests.projections.night import store, told

Conn = Connection[Any]
DAY = date(2026, 11, 28)


@pytest.fixture
def night(fresh_ledger: str, conn: Conn) -> Conn:
    store(fresh_ledger, told("ia-night"))
    follow(conn)
    return conn


def lay(conn: Conn, **when: Any) -> dict[str, Any]:
    found = layout.at(conn, "CR08", **when)
    assert found is not None
    return found


def test_the_layout_at_the_end_of_a_night_is_the_other_engines(night: Conn, expected: dict[str, Any]) -> None:
    end, said = lay(night), expected["ia-night"]
    assert list(end) == ["table", "gaming_day", "roll", "puck", "shooter", "rails", "wagers"]
    assert (end["gaming_day"], end["roll"], end["puck"]) == ("2026-11-28", 240, said["puck"])
    assert end["rails"] == said["rails"]
    staked: dict[str, int] = dict.fromkeys(said["on_layout"], 0)
    for wager in end["wagers"]:
        staked[wager["player"]] += wager["amount"]
    assert staked == said["on_layout"]


def test_the_layout_before_a_roll_has_the_wealth_after_the_one_before(
    night: Conn, expected: dict[str, Any]
) -> None:
    for roll in (2, 57, 120, 240):
        before = lay(night, day=DAY, roll=roll)
        wealth = dict(before["rails"])
        for wager in before["wagers"]:
            wealth[wager["player"]] += wager["amount"]
        assert wealth == expected["ia-night"]["wealth_after_roll"][roll - 2]
        assert before["roll"] == roll


@pytest.mark.parametrize("roll", [None, 57, 120, 241])
def test_a_snapshot_changes_nothing_about_any_layout(night: Conn, roll: int | None) -> None:
    without = lay(night, roll=roll)
    table, stream = Table(), "table:CR08:2026-11-28"
    for row in read_stream(night, stream, until=2_000):
        table.apply(event_of(row))
    [head] = night.execute("SELECT hash FROM pitledger.events WHERE version = 2000").fetchall()
    snapshots.keep(night, snapshots.take(stream, snapshots.Snapshot(table, head[0])))
    assert snapshots.latest(night, stream) is not None
    assert lay(night, roll=roll) == without


def test_before_the_roll_after_the_last_the_layout_lies_as_it_does_now(night: Conn) -> None:
    assert lay(night, roll=241)["wagers"] == lay(night)["wagers"]


def test_a_table_a_day_and_a_roll_that_never_were_have_no_layout(night: Conn) -> None:
    assert layout.at(night, "CR99") is None
    assert layout.at(night, "CR08", day=date(2026, 11, 27)) is None
    assert layout.at(night, "CR08", roll=242) is None
