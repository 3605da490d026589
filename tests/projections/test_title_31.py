"""Cash in and cash out per patron and gaming day, as the law aggregates them."""

from datetime import date
from itertools import count
from typing import Any

import orjson
import pytest
from psycopg import Connection

from domain.commands import COMMAND
from ledger.casino import Casino, Submitted
from projections import title_31
from projections.follow import follow
from tests.domain.house import House
from tests.projections.test_table_days import tell

DAY = date(2026, 11, 28)
EVENING = "2026-11-28T20:00:00-06:00"
_numbers = count(1)


def at_the_window(do: str, amount: int, at: str = EVENING) -> dict[str, Any]:
    """A command of the cage about patron P1."""
    who = {"badge": "C-1", "role": "cage"}
    return {"id": f"w{next(_numbers)}", "at": at, "by": who, "do": do, "player": "P1", "amount": amount}


def watched(conn: Connection[Any], url: str, *lines: dict[str, Any]) -> list[title_31.Cash]:
    texts = [orjson.dumps(line, option=orjson.OPT_SORT_KEYS) for line in lines]
    with Casino.open(url) as casino:
        answers = casino.handle([Submitted(COMMAND.validate_json(text), text) for text in texts])
    assert all(answer.status == "accepted" for answer in answers), answers
    follow(conn)
    return title_31.watched(conn, DAY)


def due(cash: list[title_31.Cash]) -> tuple[bool, bool]:
    (patron,) = title_31.patrons(cash, DAY)
    return patron["ctr_in"], patron["ctr_out"]


@pytest.mark.parametrize(("amount", "expected"), [(1_000_000, False), (1_000_001, True)])
def test_pp16_ten_thousand_is_not_reported_and_a_cent_more_is(
    conn: Connection[Any], fresh_ledger: str, amount: int, expected: bool
) -> None:
    cash = watched(conn, fresh_ledger, at_the_window("sell_chips", amount))
    assert due(cash) == (expected, False)


def test_pp16_cash_in_and_cash_out_are_never_added_together(conn: Connection[Any], fresh_ledger: str) -> None:
    cash = watched(
        conn, fresh_ledger, at_the_window("sell_chips", 600_000), at_the_window("redeem_chips", 600_000)
    )
    assert due(cash) == (False, False)


def test_pp16_the_gaming_day_parts_what_the_clock_would_add(conn: Connection[Any], fresh_ledger: str) -> None:
    before, after = "2026-11-29T05:59:00-06:00", "2026-11-29T06:01:00-06:00"
    apart = [at_the_window("sell_chips", 600_000, at) for at in (before, after)]
    assert due(watched(conn, fresh_ledger, *apart)) == (False, False)
    again = at_the_window("sell_chips", 600_000, before)
    assert due(watched(conn, fresh_ledger, again)) == (True, False)


def test_every_way_in_counts_whatever_it_is_for(conn: Connection[Any], fresh_ledger: str) -> None:
    house = House()
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=300_000, tender="cash")
    house.must("buy_in", table="CR01", player="P1", amount=300_000, tender="marker", marker="M-1")
    house.must("redeem_marker", table="CR01", player="P1", amount=300_000, tender="cash", marker="M-1")
    house.must("deposit_front_money", "C-1", player="P1", amount=300_000)
    house.must("sell_chips", "C-1", player="P1", amount=300_000)
    house.must("withdraw_front_money", "C-1", player="P1", amount=100_000, tender="cash")
    tell(fresh_ledger, house)
    follow(conn)
    (patron,) = title_31.patrons(title_31.watched(conn, DAY), DAY)
    assert (patron["cash_in"], patron["cash_out"]) == (1_200_000, 100_000)
    assert (patron["ctr_in"], patron["ctr_out"], patron["file_by"]) == (True, False, "2026-12-13")


def money_plays(house: House, *stories: str) -> None:
    """P5 bets 4,000.00 in currency on the field, and the dice do as told; he may leave in between."""
    for number, story in enumerate(stories):
        if story == "leaves":
            house.must("buy_in", table="CR01", player="P5", amount=100, tender="chips")
            house.must("walk", table="CR01", player="P5")
            continue
        bet: dict[str, Any] = {"player": "P5", "wager": f"m{number}", "kind": "field", "cash": True}
        house.must("bet", table="CR01", amount=400_000, **bet)
        house.must("roll", "B-1", table="CR01", dice=[4, 5] if story == "wins" else [3, 4])


@pytest.mark.parametrize(
    ("stories", "cash_in"),
    [
        (["loses"], 400_000),
        (["loses", "loses", "loses"], 1_200_000),
        (["wins", "wins", "wins"], 400_000),  # the same bills, over and over
        (["wins", "loses", "loses"], 800_000),
        (["wins", "leaves", "wins"], 800_000),  # he left the table with them
    ],
)
def test_currency_bet_again_at_the_same_table_is_counted_once(
    conn: Connection[Any], fresh_ledger: str, stories: list[str], cash_in: int
) -> None:
    house = House()
    house.opened()
    money_plays(house, *stories)
    tell(fresh_ledger, house)
    follow(conn)
    (patron,) = title_31.patrons(title_31.watched(conn, DAY), DAY)
    assert (patron["cash_in"], patron["cash_out"]) == (cash_in, 0)


def test_the_log_shows_what_is_large_and_whatever_goes_beyond_the_amount(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    amounts = (299_999, 300_000, 400_000, 1)
    cash = watched(conn, fresh_ledger, *(at_the_window("sell_chips", amount) for amount in amounts))
    logged = [(row["amount"], row["sum_so_far"], row["over"]) for row in title_31.logged(cash, DAY)]
    assert logged == [(300_000, 599_999, False), (400_000, 999_999, False)]
    assert [row["amount"] for row in title_31.logged(cash, DAY, log_from=1)] == list(amounts)
    more = watched(conn, fresh_ledger, at_the_window("sell_chips", 200))
    assert [row["amount"] for row in title_31.logged(more, DAY)][-1] == 200
