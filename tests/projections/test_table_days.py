"""Random days and the gold night through the ledger: it says of them what the house without one says."""

from random import Random
from typing import Any

import orjson
import pytest
from psycopg import Connection

from domain.commands import COMMAND
from domain.postings import postings
from ledger.casino import Casino, Submitted
from ledger.log import bring_up_to_date, event_of, read_log
from ledger.proofs import faults
from projections import balances, win
from projections.follow import follow, rebuild
from tests.domain.house import House
from tests.domain.table_days import PLAYERS, TableDay
from tests.domain.test_gold import gold_night, walked_chips


def submitted(house: House) -> list[Submitted]:
    """What was said in a house, as `pitledger ingest` submits it."""
    texts = [orjson.dumps(line, option=orjson.OPT_SORT_KEYS) for line in house.log]
    return [Submitted(COMMAND.validate_json(text), text) for text in texts]


def tell(url: str, house: House) -> None:
    """Everything that was said in a house is said to the ledger at `url`; saying it again changes nothing."""
    lines = submitted(house)
    with Casino.open(url) as casino:
        casino.handle(lines[:50])
        answers = casino.handle(lines)
        assert all(answer.known for answer in answers[:50])
        assert sum(answer.events for answer in casino.handle(lines)) == 0


def in_the_ledger(conn: Connection[Any]) -> dict[str, int]:
    """Every account's balance, from the events as they are stored."""
    found: dict[str, int] = {}
    for row in read_log(conn, 0, bring_up_to_date(conn)):
        for account, amount in postings(event_of(row), row.table):
            found[account] = found.get(account, 0) + amount
    return {account: cents for account, cents in found.items() if cents}


@pytest.mark.parametrize("seed", [1, 2])
def test_random_days_of_three_tables_are_told_by_the_ledger_as_by_the_house(
    conn: Connection[Any], fresh_ledger: str, seed: int
) -> None:
    house, rng = House(), Random(seed)
    days = [TableDay(house, rng, name).play(40) for name in ("CR01", "CR02", "CR03")]
    tell(fresh_ledger, house)
    assert not list(faults(conn))
    assert in_the_ledger(conn) == {account: cents for account, cents in house.balances.items() if cents}
    follow(conn)
    rows = {row["table"]: row for row in win.rows(conn)}
    assert list(rows) == ["CR01", "CR02", "CR03"]
    for day in days:
        _says_what_the_house_says(rows[day.name], day)
    for player in balances.rows(conn):
        ahead = player["rail"] + player["on_layout"] + player["walked"] - player["bought_in"]
        assert player["net"] == ahead, player
    before = (rows, balances.rows(conn))
    rebuild(conn)
    assert ({row["table"]: row for row in win.rows(conn)}, balances.rows(conn)) == before


def _says_what_the_house_says(row: dict[str, Any], day: TableDay) -> None:
    house, table = day.house, day.table
    variances = f"Income:Craps:CountVariance:{{}}:{day.name}"
    assert (row["opener"], row["closer"]) == (table.opener, table.closer)
    assert row["book_closer"] == table.moved_rack
    its_own = ("WagersLost", "WinningsPaid", "Commission", "Mispay", "DisputeSettlement")
    assert row["event_win"] == -sum(house.balance(f"Income:Craps:{name}:{day.name}") for name in its_own)
    if day.missing_box:
        assert (row["count_win"], row["residual"], row["drop_variance"]) == (None, None, None)
        return
    assert row["residual"] == 0
    assert row["inventory_variance"] == -house.balance(variances.format("Inventory"))
    assert row["drop_variance"] == -house.balance(variances.format("Drop"))


def test_players_of_random_days_hold_in_the_ledger_what_they_hold_in_the_house(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    day = TableDay(House(), Random(7)).play(60)
    tell(fresh_ledger, day.house)
    follow(conn)
    rails = {row["player"]: row["rail"] for row in balances.rows(conn)}
    assert {player: rails[player] for player in PLAYERS} == {
        player: day.table.rails[player] for player in PLAYERS
    }


def test_the_gold_night_through_the_ledger(conn: Connection[Any], fresh_ledger: str) -> None:
    house = gold_night()
    house.must("close", "B-1", table="CR01", closer=10_482_500)
    tell(fresh_ledger, house)
    follow(conn)
    (row,) = win.rows(conn)
    assert (row["fills"], row["credits"], row["closer"]) == (2_000_000, 800_000, 10_482_500)
    assert (row["drop_cash"], row["drop_markers"], row["drop_slips"]) == (110_000, 400_000, 200_000)
    assert (row["lost"], row["commission"], row["paid"], row["mispay"]) == (170_000, 1_000, 163_500, 2_000)
    assert (row["adjusted"], row["event_win"], row["placed"]) == (10_500, -5_000, 320_500)
    assert (row["inventory_variance"], row["drop_variance"], row["residual"]) == (-2_500, 0, 0)
    # The open buy wager came down with the closing, and its 5.00 of commission with it.
    assert (row["commission_held"], row["count_win"]) == (0, -7_500)


def test_chips_that_walked_give_one_table_the_drop_and_the_other_the_win(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    tell(fresh_ledger, walked_chips())
    follow(conn)
    one, two = win.rows(conn)
    assert (one["drop"], one["count_win"], one["hold_pct"]) == (100_000, 0, 0)
    assert (two["drop"], two["count_win"], two["hold_pct"]) == (0, 60_000, None)


def test_pp07_a_box_that_hung_uncounted_leaves_the_win_unknown_not_nothing(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    house.must("install_box", "S-1", gaming_day=house.day, table="CR01", box="17")
    house.must("install_box", "S-1", gaming_day=house.day, table="CR01", box="18")
    house.opened()
    house.must("close", "B-1", table="CR01", closer=10_000_000)
    house.must("remove_box", "S-1", gaming_day=house.day, box="18")
    house.must("count_drop", "K-1", table="CR01", box="18", cash=0)
    tell(fresh_ledger, house)
    follow(conn)
    (row,) = win.rows(conn)
    assert (row["count_win"], row["drop_variance"], row["residual"]) == (None, None, None)


def test_pp20_a_buy_in_delivered_twice_is_one_event_in_cents(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=50_000, tender="cash")
    tell(fresh_ledger, house)
    assert in_the_ledger(conn)["Assets:Cash:DropBox:CR01"] == 50_000


def test_pp24_hold_is_shown_beside_the_hold_without_recycled_drop(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    house.opened()
    for _ in range(5):
        house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
        house.must("walk", table="CR01", player="P1")
    house.must("buy_in", table="CR01", player="P2", amount=100_000, tender="cash")
    house.must("bet", table="CR01", player="P2", wager="w", kind="field", amount=30_000)
    house.must("roll", "B-1", table="CR01", dice=[3, 4])
    house.must("close", "B-1", table="CR01", closer=9_430_000)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=600_000)
    tell(fresh_ledger, house)
    follow(conn)
    (row,) = win.rows(conn)
    assert (row["drop"], row["recycled_drop"], row["count_win"]) == (600_000, 400_000, 30_000)
    assert (row["hold_pct"], row["hold_pct_without_recycled"]) == (5, 15)
