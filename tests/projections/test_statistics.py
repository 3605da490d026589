"""Hold against theoretical, with the exact variance of the action; and what the regulators flag."""

from datetime import date
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from psycopg import Connection

from domain.policy.hold_review import hold_rules
from domain.rules.edges import edges, variance
from domain.rules.shelf import packs
from projections import action, advance, statistics, win
from projections.follow import follow, rebuild
from projections.rows import Row, find
from tests.domain.house import House
from tests.domain.table_days import TableDay
from tests.projections.night import store, told
from tests.projections.test_table_days import tell

IOWA, CRAPLESS = packs()["ia-prairie-meadows"], packs()["pa-crapless"]
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
    exact = 2 * 300_000**2 * variance(IOWA, "field", None, None, None, None, FREE)
    assert year["sd"] ** 2 <= exact < (year["sd"] + 1) ** 2
    assert year["z"] == round(100 * Fraction(-2 * 300_000, 18) / year["sd"])
    assert rows["table", "day"]["flag"] is None
    assert rows["game", "mtd"]["hold_pct"] == -3_000


WAGERS_READ_AGAIN = """
    SELECT s.kind, s.number, s.combo, s.high, b.kind AS base, sum(s.stake::numeric * s.stake) AS squared
    FROM pitledger.settlements s
    LEFT JOIN pitledger.wagers b ON s.kind = 'odds' AND b.wager = s.base AND b.stream = s.stream
    WHERE s.table_name = %(table)s AND s.outcome <> 'returned'
        AND NOT EXISTS (SELECT FROM pitledger.reversals r WHERE r.stream = s.stream AND r.version = s.version)
    GROUP BY s.kind, s.number, s.combo, s.high, b.kind"""


def of_the_wagers_themselves(conn: Connection[Any], table: str) -> Fraction:
    """The variance of a table's win from its settlements one by one, whatever was added up beside them."""
    opened = "SELECT data FROM pitledger.events WHERE table_name = %(table)s AND name = 'TableOpened'"
    (terms,) = (row["data"] for row in find(conn, opened, {"table": table}))
    pack = packs()[terms["rules"]].as_posted(terms["notation"])

    def per_unit(row: Row) -> Fraction:
        number = None if row["kind"] in ("come", "dont_come") else row["number"]
        combo = (row["combo"][0], row["combo"][1]) if row["combo"] else None
        paid = Fraction(terms["vig_rate"]), number in terms["vig_on_win"]
        return variance(pack, row["kind"], number, combo, row["high"], row["base"], paid)

    found = find(conn, WAGERS_READ_AGAIN, {"table": table})
    return sum((int(row["squared"]) * per_unit(row) for row in found), Fraction(0))


def added_up(conn: Connection[Any], table: str) -> Fraction:
    return action.variance(win.actions(conn, date.min, date.max)[table, date(2026, 11, 28)])


@pytest.mark.parametrize("night", ["ia-night", "pa-crapless-night"])
def test_the_sums_of_a_night_give_the_variance_of_its_wagers_read_one_by_one(
    conn: Connection[Any], fresh_ledger: str, night: str
) -> None:
    store(fresh_ledger, told(night))
    follow(conn)
    (row,) = win.folded(conn)
    exact = of_the_wagers_themselves(conn, row["table_name"])
    assert added_up(conn, row["table_name"]) == exact > 0


@pytest.mark.parametrize("seed", [3, 4])
def test_overruled_calls_leave_no_action_behind_however_the_log_is_cut(
    conn: Connection[Any], fresh_ledger: str, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    house, rng, days = House(), Random(seed), ("CR01", "CR02")
    for table in days:
        day = TableDay(house, rng, table)
        day.steps += (day.overrule,) * 10
        day.play(150)
    tell(fresh_ledger, house)
    monkeypatch.setattr(advance, "BATCH", 7)
    follow(conn)
    cut = win.actions(conn, date.min, date.max)
    for table in days:
        assert added_up(conn, table) == of_the_wagers_themselves(conn, table) > 0
    overruled = "SELECT count(*) AS count FROM pitledger.reversals"
    assert find(conn, overruled, {})[0]["count"] > 0
    monkeypatch.undo()
    rebuild(conn)
    assert win.actions(conn, date.min, date.max) == cut


def test_odds_vary_by_what_they_support_and_an_overrule_takes_them_back(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    house.opened()
    house.must("buy_in", table="CR01", player="P1", amount=1_000_000, tender="cash")
    for line in ("pass", "dont_pass"):
        house.must("bet", table="CR01", player="P1", wager=line, kind=line, amount=1_000)
    house.must("roll", "D-1", table="CR01", dice=[2, 2])
    for line, stake in (("pass", 2_000), ("dont_pass", 3_000)):
        odds: dict[str, Any] = {"wager": f"{line}_odds", "kind": "odds", "on": line, "amount": stake}
        house.must("bet", table="CR01", player="P1", **odds)
    house.must("roll", "D-1", table="CR01", dice=[3, 4])
    house.must("overrule", "B-1", table="CR01", roll=2, dice=[1, 3], reason="the stickman called a seven")
    tell(fresh_ledger, house)
    follow(conn)
    right, wrong = two_ways(Fraction(1, 3), Fraction(2)), two_ways(Fraction(2, 3), Fraction(1, 2))
    lines = sum(variance(IOWA, line, None, None, None, None, FREE) for line in ("pass", "dont_pass"))
    assert added_up(conn, "CR01") == 1_000**2 * lines + 2_000**2 * right + 3_000**2 * wrong


def test_a_table_that_opens_again_under_other_terms_has_the_variance_of_both(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    for number, on_win in enumerate(((), (4,))):
        house.opened(rules="pa-crapless", vig={"rate": "1/20", "on_win": list(on_win)})
        house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
        house.must("bet", table="CR01", player="P1", wager=f"w{number}", kind="buy", number=4, amount=2_000)
        house.must("roll", "D-1", table="CR01", dice=[1, 4])
        house.must("roll", "D-1", table="CR01", dice=[2, 2])
        house.must("close", "B-1", table="CR01", closer=house.table().book_rack)
    tell(fresh_ledger, house)
    follow(conn)
    up_front, on_wins = (
        variance(CRAPLESS, "buy", 4, None, None, None, (Fraction(1, 20), late)) for late in (False, True)
    )
    assert up_front != on_wins
    assert added_up(conn, "CR01") == 2_000**2 * (up_front + on_wins)


def test_every_rule_is_dated_and_cites_its_paragraph() -> None:
    rules = hold_rules(date(2026, 11, 28))
    assert {rule.measure for rule in rules} == {"points", "deviations", "forecast"}
    assert all(rule.section and rule.source for rule in rules)


def test_hold_is_unknown_without_drop() -> None:
    assert statistics.hundredths(60_000, 0) is None
