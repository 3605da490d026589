"""The tables as they stand."""

from datetime import date
from typing import Any

from psycopg import Connection

from projections import tables
from projections.follow import follow
from tests.domain.test_scenarios import SCENARIOS
from tests.projections.night import facts, log_of, store, told

Conn = Connection[Any]


def test_a_table_shows_its_rules_its_players_and_where_the_dice_are(fresh_ledger: str, conn: Conn) -> None:
    store(fresh_ledger, told("ia-night"))
    follow(conn)
    [table] = tables.rows(conn)
    assert (table["table"], table["gaming_day"], table["status"]) == ("CR08", "2026-11-28", "open")
    assert (table["rules"], table["min"], table["max"]) == ("ia-prairie-meadows", 500, 500_000)
    assert (table["puck"], table["roll"]) == (6, 240)
    assert table["players"] == sorted({row["player"] for row in log_of("ia-night") if row["do"] == "buy_in"})
    assert table["opened_at"] == "2026-11-28T18:00:00-06:00"


def test_a_player_who_took_all_his_chips_along_is_no_longer_at_the_table(
    fresh_ledger: str, conn: Conn
) -> None:
    opening = SCENARIOS[0]["log"][0]
    buy_in = SCENARIOS[0]["log"][1]
    walk = {**buy_in, "id": "walk", "do": "walk"}
    store(
        fresh_ledger,
        facts([opening, buy_in, {k: v for k, v in walk.items() if k not in ("amount", "tender")}]),
    )
    follow(conn)
    assert tables.rows(conn)[0]["players"] == []


def test_a_closed_table_has_no_puck_and_no_shooter(fresh_ledger: str, conn: Conn) -> None:
    log = log_of("ia-night")[:400]
    close = {**log[0], "id": "close", "do": "close", "closer": 10_000_000}
    kept = ("id", "at", "by", "table", "do", "closer")
    store(fresh_ledger, facts([*log, {k: close[k] for k in kept}]))
    follow(conn)
    [table] = tables.rows(conn)
    assert (table["status"], table["puck"], table["shooter"]) == ("closed", None, None)
    assert table["closed_at"]


def test_the_day_of_a_table_is_the_one_it_last_opened_on(fresh_ledger: str, conn: Conn) -> None:
    first = SCENARIOS[0]["log"][0]
    second = {**first, "id": "again", "gaming_day": "2026-11-29"}
    store(fresh_ledger, facts([first]), facts([second]))
    follow(conn)
    assert tables.last_day(conn, first["table"]) == date(2026, 11, 29)
    assert tables.last_day(conn, "CR99") is None
    assert len(tables.rows(conn, table=first["table"])) == 2
    assert len(tables.rows(conn, day=date(2026, 11, 28))) == 1
