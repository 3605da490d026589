"""What each player holds, has won and lost."""

from typing import Any

from psycopg import Connection

from projections import balances, win
from projections.follow import follow
from tests.domain.test_scenarios import SCENARIOS
from tests.projections.night import facts, store, told

Conn = Connection[Any]
CONTRACT = (
    "player rail rails on_layout bought_in walked front_money markers won lost commission net adjustments "
    "disputes"
)


def test_the_golden_scenarios_and_the_nights_stand_where_the_documents_say(
    fresh_ledger: str, conn: Conn, expected: dict[str, Any]
) -> None:
    scenarios = [facts(scenario["log"]) for scenario in SCENARIOS]
    store(fresh_ledger, *scenarios, told("ia-night"), told("pa-crapless-night"))
    follow(conn)
    finals = {scenario["log"][0]["table"]: scenario["final"] for scenario in SCENARIOS}
    finals |= {night["table"]: night for night in expected.values()}
    players, days = balances.rows(conn), win.rows(conn)
    for table, final in finals.items():
        rails = {row["player"]: row["rails"][table] for row in players if table in row["rails"]}
        assert rails == {player: rail for player, rail in final["rails"].items() if rail}, table
    assert {row["table"]: row["table_win"] for row in days} == {
        table: final["table_win"] for table, final in finals.items()
    }
    _check_identities(players, sum(row["table_win"] for row in days))


def _check_identities(players: list[dict[str, Any]], table_win: int) -> None:
    """What was bought and not taken away is with the players or won by the house; so for each player."""
    for row in players:
        assert row["net"] == row["rail"] + row["on_layout"] + row["walked"] - row["bought_in"], row
        assert row["net"] == row["won"] - row["lost"] - row["commission"] + row["adjustments"], row
        assert row["rail"] == sum(row["rails"].values()), row
    total = {name: sum(row[name] for row in players) for name in CONTRACT.split()[1:] if name != "rails"}
    assert total["bought_in"] - total["walked"] == total["rail"] + total["on_layout"] + table_win


def say(number: int, **command: Any) -> dict[str, Any]:
    by = {"badge": "F-204", "role": "shift_manager"}
    return {"id": f"T:{number}", "at": "2026-11-28T20:00:00-06:00", "by": by, "table": "T1", **command}


def test_markers_front_money_chips_and_corrections_each_have_their_place(
    fresh_ledger: str, conn: Conn
) -> None:
    opening = {**SCENARIOS[0]["log"][0], "table": "T1"}
    log = [
        opening,
        say(1, do="buy_in", player="P7", amount=50_000, tender="marker"),
        say(2, do="buy_in", player="P7", amount=20_000, tender="front_money"),
        say(3, do="buy_in", player="P7", amount=3_000, tender="chips"),
        say(4, do="redeem_marker", player="P7", amount=10_000, tender="chips"),
        say(5, do="redeem_marker", player="P7", amount=15_000, tender="cash"),
        say(6, do="adjust", player="P7", amount=-700, reason="overpaid", approved_by="S-1"),
        say(7, do="walk", player="P7", amount=60_000),
    ]
    store(fresh_ledger, facts(log))
    follow(conn)
    [row] = balances.rows(conn, player="P7")
    assert list(row) == CONTRACT.split()
    assert row == {
        "player": "P7",
        "rail": 2_300,
        "rails": {"T1": 2_300},
        "on_layout": 0,
        "bought_in": 63_000,
        "walked": 60_000,
        "front_money": 20_000,
        "markers": 25_000,
        "won": 0,
        "lost": 0,
        "commission": 0,
        "net": -700,
        "adjustments": -700,
        "disputes": 0,
    }
    assert balances.rows(conn, player="P8") == []
