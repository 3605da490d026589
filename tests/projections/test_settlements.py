"""Settlements as they are read back."""

from typing import Any

import pytest
from psycopg import Connection

from domain.books import event_win
from projections import rows as reading
from projections import settlements
from projections.follow import follow
from tests.domain.test_scenarios import SCENARIOS
from tests.projections.night import facts, log_of, store, told
from tests.projections.told import OPEN, bet, buy_in, log, roll

Conn = Connection[Any]
CONTRACT = (
    "position table gaming_day roll wager player kind number stake outcome odds owed paid breakage "
    "commission net credit section reversed_by command at by"
)
OVERRULED = next(s for s in SCENARIOS if any(line["do"] == "overrule" for line in s["log"]))


def test_settlements_are_the_contract_in_ledger_order(
    fresh_ledger: str, conn: Conn, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = told("ia-night", 1_000)
    store(fresh_ledger, night)
    follow(conn)
    monkeypatch.setattr(reading, "PAGE", 100)
    found = list(settlements.rows(conn))
    assert len(found) > 200
    assert [row["position"] for row in found] == [
        fact.row.position
        for fact in night
        if fact.row.name == "WagerSettled"  # type: ignore[attr-defined]
    ]
    lines = {line["id"]: line for line in log_of("ia-night")}
    for row in found:
        assert list(row)[: len(CONTRACT.split())] == CONTRACT.split()
        line = lines[row["command"]]
        assert (row["at"], row["by"], row["gaming_day"]) == (line["at"], line["by"]["badge"], "2026-11-28")
        assert row["credit"] == (row["stake"] + row["net"] if row["outcome"] != "lost" else 0)


def test_each_filter_shows_its_own_settlements_and_all_of_them(fresh_ledger: str, conn: Conn) -> None:
    store(fresh_ledger, told("ia-night", 1_000))
    follow(conn)
    all_rows = list(settlements.rows(conn))
    one = all_rows[40]
    for column in ("table", "roll", "player", "wager", "kind"):
        expected = [row for row in all_rows if row[column] == one[column]]
        assert list(settlements.rows(conn, **{column: one[column]})) == expected, column
    assert list(settlements.rows(conn, since=one["position"])) == all_rows[40:]
    assert list(settlements.rows(conn, until=one["position"])) == all_rows[:41]
    assert list(settlements.rows(conn, player="nobody")) == []


def test_a_settlement_of_an_overruled_roll_says_what_reversed_it(fresh_ledger: str, conn: Conn) -> None:
    story = list(facts(OVERRULED["log"]))
    store(fresh_ledger, story)
    follow(conn)
    found = list(settlements.rows(conn))
    by_position = {fact.row.position: fact.event for fact in story}
    reversed_rows = [row for row in found if row["reversed_by"]]
    assert len(reversed_rows) == sum(fact.row.name == "SettlementReversed" for fact in story) > 0  # type: ignore[attr-defined]
    for row in reversed_rows:
        event: Any = by_position[row["reversed_by"]]
        assert (event.wager, event.roll, event.net) == (row["wager"], row["roll"], row["net"])
        assert row["reversed_by"] > row["position"]
    standing = sum(row["net"] for row in found if not row["reversed_by"])
    assert standing == -event_win(move for fact in story for move in fact.moved)


def test_a_share_of_the_aggregate_limit_is_read_back_exactly_and_only_a_share_is(
    fresh_ledger: str, conn: Conn
) -> None:
    stakes = {"Ana": 10_000, "Ben": 20_100}
    pit = [
        {**OPEN, "rules": "pa-crapless", "payout_unit": 500, "aggregate_limit": 1_000_000},
        *(buy_in(player, 100_000) for player in stakes),
        *(bet(player, player, "all_or_nothing", stake) for player, stake in stakes.items()),
        *(roll(1, low) for low in (1, 2, 3, 4, 5)),
        *(roll(6, high) for high in (2, 3, 4, 5)),
        bet("Ana", "boxcars", "craps_12", 500),
        roll(6, 6),
    ]
    store(fresh_ledger, facts(log(*pit)))
    follow(conn)
    ana, ben, boxcars = settlements.rows(conn)
    assert (ana["owed"], ana["owed_exact"], ana["paid"]) == (332_225, "100000000/301", 332_000)
    assert (ben["owed_exact"], ben["paid"]) == ("201000000/301", 667_500)
    assert (ben["owed_in_full"], ben["owed_in_full_exact"]) == (3_517_500, "3517500")
    for row in (ana, ben):
        assert (row["aggregate_limit"], row["limit_section"]) == (1_000_000, "house policy")
        assert (row["aggregate_owed"], row["aggregate_owed_exact"]) == (5_267_500, "5267500")
    assert {boxcars[name] for name in list(boxcars)[-6:]} == {None}
