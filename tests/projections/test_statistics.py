"""Hold against theoretical, with the exact variance of the action; and what the regulators flag."""

from datetime import date
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from psycopg import Connection

from domain.policy.hold_review import hold_rules
from domain.rules.edges import edges, variance
from domain.rules.shelf import packs
from projections import statistics
from projections.follow import follow
from tests.domain.house import House
from tests.projections.test_table_days import tell

IOWA = packs()["ia-prairie-meadows"]
FREE = (Fraction(0), False)
FIELD = {2: 2, 12: 2} | dict.fromkeys((3, 4, 9, 10, 11), 1)  # what the Iowa field pays


def two_ways(won: Fraction, price: Fraction) -> Fraction:
    """The variance of a wager that wins `price` with probability `won`, else loses its stake."""
    mean = won * price - (1 - won)
    return won * price**2 + (1 - won) - mean**2


def test_the_variance_of_a_one_roll_wager_is_that_of_its_thirty_six_throws() -> None:
    nets = [FIELD.get(left + right, -1) for left, right in product(range(1, 7), repeat=2)]
    mean = Fraction(sum(nets), 36)
    expected = Fraction(sum(net**2 for net in nets), 36) - mean**2
    assert variance(IOWA, "field", None, None, None, None, FREE) == expected


@pytest.mark.parametrize(
    ("kind", "number", "base", "won", "price"),
    [
        ("place", 6, None, Fraction(5, 11), Fraction(7, 6)),
        ("odds", 4, "pass", Fraction(1, 3), Fraction(2)),
        ("odds", 4, "dont_pass", Fraction(2, 3), Fraction(1, 2)),
        ("hard", 8, None, Fraction(1, 11), Fraction(9)),
        ("pass", None, None, Fraction(244, 495), Fraction(1)),
    ],
)
def test_the_variance_of_a_longer_wager_is_that_of_its_two_ends(
    kind: str, number: int | None, base: str | None, won: Fraction, price: Fraction
) -> None:
    assert variance(IOWA, kind, number, None, None, base, FREE) == two_ways(won, price)


def test_commission_that_only_a_win_pays_makes_wins_smaller_and_up_front_varies_nothing() -> None:
    rate = Fraction(1, 20)
    buy = ("buy", 4, None, None, None)
    assert variance(IOWA, *buy, (rate, False)) == two_ways(Fraction(1, 3), Fraction(2))
    assert variance(IOWA, *buy, (rate, True)) < variance(IOWA, *buy, (rate, False))


def test_every_wager_of_every_rule_set_has_a_variance() -> None:
    for pack in packs().values():
        for row in edges(pack, Fraction(1, 20)):
            of = (row.kind, row.number, row.combo, row.high, row.base)
            assert variance(pack, *of, FREE) > 0, (pack.id, of)


def a_day(house: House, day: str, wins: bool) -> None:
    """P1 buys in for 10,000 and bets 300 on the field, once; the house wins it, or does not."""
    house.day = day
    house.opened(opener=10_000_000)
    house.must("buy_in", table="CR01", player="P1", amount=1_000_000, tender="cash")
    house.must("bet", table="CR01", player="P1", wager="w", kind="field", amount=300_000)
    house.must("roll", "B-1", table="CR01", dice=[3, 4] if wins else [1, 2])
    closer = 10_000_000 - 1_000_000 + (300_000 if wins else -300_000)
    house.must("walk", table="CR01", player="P1")
    house.must("close", "B-1", table="CR01", closer=closer)
    house.must("count_drop", "K-1", table="CR01", box="17", cash=1_000_000)


def test_a_win_is_so_many_deviations_from_what_the_wagers_should_have_given(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    a_day(house, "2026-11-28", wins=True)
    tell(fresh_ledger, house)
    follow(conn)
    row = next(row for row in statistics.rows(conn, date(2026, 11, 28)) if row["scope"] == "table")
    assert (row["period"], row["win"], row["drop"], row["hold_pct"]) == ("day", 300_000, 1_000_000, 3_000)
    exact = variance(IOWA, "field", None, None, None, None, FREE)
    assert row["sd"] ** 2 <= 300_000**2 * exact < (row["sd"] + 1) ** 2
    theoretical = Fraction(300_000, 18)  # two and twelve pay double: the house keeps 1/18
    assert row["theo_win"] == round(theoretical)
    assert row["z"] == round(100 * (300_000 - theoretical) / row["sd"])


def test_the_base_level_is_last_months_hold_and_kansas_flags_three_points(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    a_day(house, "2026-10-15", wins=True)
    a_day(house, "2026-11-28", wins=False)
    tell(fresh_ledger, house)
    follow(conn)
    rows = {(row["scope"], row["period"]): row for row in statistics.rows(conn, date(2026, 11, 28))}
    month, year = rows["table", "mtd"], rows["table", "ytd"]
    assert (month["hold_pct"], month["base_level"], month["base_period"]) == (-3_000, 3_000, "prior_month")
    assert "us-ks-112-108-51" in month["flag"].split()
    assert (year["win"], year["drop"], year["days"]) == (0, 2_000_000, 2)
    assert rows["table", "day"]["flag"] is None
    assert rows["game", "mtd"]["hold_pct"] == -3_000


def test_every_rule_is_dated_and_cites_its_paragraph() -> None:
    rules = hold_rules(date(2026, 11, 28))
    assert {rule.measure for rule in rules} == {"points", "deviations", "forecast"}
    assert all(rule.section and rule.source for rule in rules)


def test_hold_is_unknown_without_drop() -> None:
    assert statistics.hundredths(60_000, 0) is None
