"""What surveillance looks for: pairs that luck does not explain, bets as the dice go out, wrong payments."""

from collections.abc import Callable, Iterable
from datetime import date
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from psycopg import Connection

from domain import events as e
from projections import action, rows, settlements, win
from projections.follow import follow
from projections.projection import Fact
from projections.surveillance import ALL, Asked, ByDealer, ByShooter, last_day, late, mispays, pairs
from tests.domain import table_days
from tests.domain.house import House
from tests.domain.table_days import TableDay
from tests.projections.night import Line, facts, store
from tests.projections.test_table_days import tell
from tests.projections.told import DAY, OPEN, bet, buy_in, log, out, overrule, roll

Row = dict[str, Any]
CRAPLESS: Line = {**OPEN, "rules": "pa-crapless"}
SHOOTER: Line = {"do": "shooter", "player": "Ann"}
EVERY = Asked()


@pytest.fixture
def told(conn: Connection[Any], fresh_ledger: str) -> Callable[[Iterable[Line]], Connection[Any]]:
    """Stores a log and brings the projections up to it."""

    def tell_log(lines: Iterable[Line]) -> Connection[Any]:
        store(fresh_ledger, facts(lines))
        follow(conn)
        return conn

    return tell_log


def spaced(*said: Line) -> list[Line]:
    """A log, each of its lines twenty seconds after the one before; `"in"` says other seconds."""
    second = 0
    lines: list[Line] = []
    for line in log(*({k: v for k, v in one.items() if k != "in"} for one in said)):
        second += said[len(lines)].get("in", 20)
        lines.append({**line, "at": f"{DAY}T20:{second // 60:02}:{second % 60:02}-06:00"})
    return lines


# ------------------------------------------------------------------------------------- dealer by patron


def phantom_hops(wins: int, rolls: int) -> list[Line]:
    """D-160 enters Cal's hop bets, of which so many win; D-142 enters those of Bob, who has no such luck."""
    said = [CRAPLESS, buy_in("Cal", 200000), buy_in("Bob", 200000)]
    for number in range(rolls):
        cal, bob = (4, 5) if number < wins else (1, 3), (2, 3)
        said += [
            bet("Cal", f"c{number}", "hop", 10000, combo=list(cal)) | {"who": "D-160"},
            bet("Bob", f"b{number}", "hop", 10000, combo=list(bob)) | {"who": "D-142"},
            roll(4, 5),
        ]
    return log(*said)


def by_key(found: Iterable[Row]) -> dict[tuple[str, str, str], Row]:
    return {(row["dealer"], row["player"], row["family"]): row for row in found}


def test_pp03_a_dealer_and_a_patron_whose_hop_bets_win_far_too_often_are_flagged(told: Any) -> None:
    """Eight bets at 15 to 1, one throw in eighteen: five wins is 7.3 sigma, none at all is within one."""
    found = pairs(told(phantom_hops(5, 8)), EVERY, sigma=6)
    assert [(row["dealer"], row["player"], row["family"]) for row in found if row["flagged"]] == [
        ("D-160", "Cal", ALL),
        ("D-160", "Cal", "hop"),
    ]
    hops = by_key(found)["D-160", "Cal", "hop"]
    assert (hops["decided"], hops["staked"], hops["net"]) == (8, 80_000, 5 * 150_000 - 3 * 10_000)
    expected = Fraction(-80_000, 9)  # 1/18 x 15 - 17/18
    variance = 8 * 10_000**2 * Fraction(1, 18) * Fraction(17, 18) * 16**2
    assert (Fraction(hops["expected_exact"]), hops["expected"]) == (expected, -8_889)
    assert hops["sd"] ** 2 <= variance < (hops["sd"] + 1) ** 2
    z = 10_000 * (hops["net"] - expected) ** 2 / variance
    assert hops["z"] ** 2 <= z < (hops["z"] + 1) ** 2
    assert by_key(found)["D-142", "Bob", "hop"]["z"] == -69


def test_who_is_flagged_depends_on_the_exact_figures_and_not_on_the_shown_ones(told: Any) -> None:
    conn = told(phantom_hops(5, 8))
    assert by_key(pairs(conn, EVERY, 1))["D-160", "Cal", "hop"]["z"] == 703
    assert [row["flagged"] for row in pairs(conn, EVERY, 7)][:2] == [True, True]
    assert not any(row["flagged"] for row in pairs(conn, EVERY, 8))


def test_whoever_is_furthest_off_stands_first_and_who_decided_nothing_last(told: Any) -> None:
    said = phantom_hops(5, 8)
    late_ones = log(*[OPEN] * len(said), out(), bet("Eve", "x", "hop", 500, combo=[1, 2]) | {"who": "D-160"})
    found = pairs(told([*said, *late_ones[-2:]]), EVERY, 6)
    off = [abs(row["z"]) for row in found if row["z"] is not None]
    assert off == sorted(off, reverse=True)
    assert [(row["player"], row["z"], row["decided"], row["late_refused"]) for row in found[-2:]] == [
        ("Eve", None, 0, 1),
        ("Eve", None, 0, 1),
    ]
    assert [row["family"] for row in found[-2:]] == [ALL, "hop"]


def test_a_settlement_that_an_overrule_took_back_counts_for_nobody(told: Any) -> None:
    said = log(
        CRAPLESS,
        buy_in("Cal", 50000),
        bet("Cal", "h", "hop", 1000, combo=[4, 5]) | {"who": "D-160"},
        roll(4, 5),
        overrule(1, dice=[4, 4]),
    )
    hops = by_key(pairs(told(said), EVERY, 6))["D-160", "Cal", "hop"]
    assert (hops["decided"], hops["staked"], hops["net"]) == (1, 1_000, -1_000)


def test_a_bet_on_a_roll_that_was_voided_leaves_no_pair(told: Any) -> None:
    said = log(OPEN, buy_in("Cal", 50000), bet("Cal", "f", "field", 500), roll(3, 4), overrule(1, void=True))
    assert pairs(told(said), EVERY, 6) == []


def test_a_stake_that_goes_back_up_by_itself_is_still_the_work_of_the_dealer_who_entered_it(
    told: Any,
) -> None:
    said = log(
        OPEN,
        buy_in("Cal", 50000),
        bet("Cal", "f", "field", 500, stays=True) | {"who": "D-160"},
        roll(4, 5),
        roll(4, 5),
        roll(3, 4),
    )
    found = by_key(pairs(told(said), EVERY, 6))
    assert set(found) == {("D-160", "Cal", "field"), ("D-160", "Cal", ALL)}
    assert (found["D-160", "Cal", "field"]["decided"], found["D-160", "Cal", "field"]["net"]) == (3, 500)


def test_odds_are_a_family_by_the_line_that_they_support(told: Any) -> None:
    said = log(
        OPEN,
        buy_in("Cal", 50000),
        bet("Cal", "p", "pass", 1000),
        roll(2, 2),
        {"do": "bet", "player": "Cal", "wager": "o", "kind": "odds", "amount": 1000, "on": "p"},
        roll(1, 3),
    )
    odds = by_key(pairs(told(said), EVERY, 6))["D-142", "Cal", "pass_odds"]
    assert (odds["net"], odds["expected"], odds["expected_exact"]) == (2_000, 0, "0")
    assert odds["z"] == 141  # two of them to one against: sd is the stake by the root of two


def without_edge(fact: Fact) -> Fact:
    if isinstance(fact.event, e.WagerSettled):
        return fact._replace(event=fact.event.model_copy(update={"edge": None}))
    return fact


def test_nothing_is_expected_of_wagers_whose_edge_nobody_recorded(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    store(fresh_ledger, map(without_edge, facts(phantom_hops(5, 8))))
    follow(conn)
    hops = by_key(pairs(conn, EVERY, 6))["D-160", "Cal", "hop"]
    assert (hops["net"], hops["expected"], hops["z"], hops["flagged"]) == (720_000, None, None, False)


def overruled_days(url: str, conn: Connection[Any], seed: int) -> None:
    """Random days of two tables with many a call overruled."""
    house, rng = House(), Random(seed)
    for table in ("CR01", "CR02"):
        day = TableDay(house, rng, table)
        day.steps += (day.overrule,) * 5
        day.play(120)
    tell(url, house)
    follow(conn)


@pytest.mark.parametrize("seed", [1, 2])
def test_all_pairs_together_are_the_wagers_that_stand_at_their_recorded_edge(
    conn: Connection[Any], fresh_ledger: str, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    overruled_days(fresh_ledger, conn, seed)
    monkeypatch.setattr(rows, "PAGE", 7)
    decided = [row for row in settlements.rows(conn) if row["outcome"] != "returned"]
    stand = [row for row in decided if row["reversed_by"] is None]
    assert 0 < len(stand) < len(decided)
    theoretical = sum(Fraction(row["theo_win_exact"]) for row in win.rows(conn))
    found = pairs(conn, EVERY, 6)
    for together in (True, False):
        ours = [row for row in found if (row["family"] == ALL) is together]
        assert sum(row["decided"] for row in ours) == len(stand)
        assert sum(row["staked"] for row in ours) == sum(row["stake"] for row in stand)
        assert sum(row["net"] for row in ours) == sum(row["net"] for row in stand)
        assert -sum(Fraction(row["expected_exact"]) for row in ours) == theoretical


@pytest.mark.parametrize("seed", [3, 4])
def test_where_one_dealer_serves_one_patron_their_variance_is_that_of_the_day(
    conn: Connection[Any], fresh_ledger: str, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(table_days, "PLAYERS", ("P5",))  # who bets currency, too
    overruled_days(fresh_ledger, conn, seed)
    day = date.fromisoformat(DAY)
    whole = action.variance(action.added(win.actions(conn, day, day).values()))
    (together,) = (row for row in pairs(conn, EVERY, 6) if row["family"] == ALL and row["decided"])
    assert together["sd"] ** 2 <= whole < (together["sd"] + 1) ** 2


# ------------------------------------------------------------------------------------- late bets


def two_bettors_and_a_slider() -> list[Line]:
    """PP14: while Ann has the dice, Bob and Cal bet as they go out; Dan bets long before."""
    return spaced(
        OPEN,
        *(buy_in(player, 50000) for player in ("Bob", "Cal", "Dan")),
        SHOOTER,
        bet("Dan", "d1", "field", 1000),
        bet("Bob", "b1", "field", 5000),
        bet("Cal", "c1", "hard", 2000, number=6) | {"in": 6, "who": "D-160"},
        out() | {"in": 4},
        roll(4, 5) | {"in": 3},
        bet("Dan", "d2", "field", 1000),
        out() | {"in": 11},
        bet("Bob", "b2", "field", 9000) | {"in": 2},
        roll(3, 3) | {"in": 2},
    )


def test_a_bet_within_ten_seconds_of_the_dice_is_listed_with_whose_dice_they_were(told: Any) -> None:
    found = list(late(told(two_bettors_and_a_slider()), EVERY, 10))
    shown = [
        tuple(row[name] for name in "roll shooter player wager how dealer seconds amount outcome net".split())
        for row in found
    ]
    assert shown == [
        (1, "Ann", "Bob", "b1", "placed", "D-142", 10, 5_000, "won", 5_000),
        (1, "Ann", "Cal", "c1", "placed", "D-160", 4, 2_000, None, None),
        (2, "Ann", "Bob", "b2", "refused", "D-142", -2, 9_000, None, None),
    ]
    assert (found[0]["dice_out_at"][11:19], found[0]["called_at"][11:19]) == ("20:02:30", "20:02:33")


def test_how_close_is_late_is_for_the_asker_to_say(told: Any) -> None:
    conn = told(two_bettors_and_a_slider())
    assert [row["wager"] for row in late(conn, EVERY, 5)] == ["c1", "b2"]
    assert [row["wager"] for row in late(conn, EVERY, 11)] == ["b1", "c1", "d2", "b2"]


def test_pp14_the_sums_show_who_bets_late_on_whose_dice_and_what_that_won(told: Any) -> None:
    sums = ByShooter()
    for row in late(told(two_bettors_and_a_slider()), EVERY, 10):
        sums.add(row)
    assert sums.rows() == [
        {"shooter": "Ann", "player": "Bob"}
        | {"bets": 1, "amount": 5_000, "decided": 1, "net": 5_000, "refused": 1},
        {"shooter": "Ann", "player": "Cal"}
        | {"bets": 1, "amount": 2_000, "decided": 0, "net": 0, "refused": 0},
    ]


def test_where_nobody_said_that_the_dice_were_out_the_call_counts(told: Any) -> None:
    said = spaced(OPEN, buy_in("Bob", 50000), bet("Bob", "b", "field", 500), roll(3, 4) | {"in": 8})
    (row,) = late(told(said), EVERY, 10)
    assert (row["seconds"], row["dice_out_at"], row["shooter"], row["net"]) == (8, None, None, -500)


def test_a_late_raise_is_what_was_added_and_a_bet_raised_late_is_one_bet(told: Any) -> None:
    said = spaced(
        OPEN,
        buy_in("Bob", 50000),
        roll(4, 5),
        bet("Bob", "h6", "hard", 1000, number=6),
        bet("Bob", "h8", "hard", 1000, number=8),
        {"do": "press", "wager": "h6", "to": 3000, "in": 1},
        {"do": "press", "wager": "h8", "to": 4000, "in": 1},
        {"do": "reduce", "wager": "h8", "to": 3500, "in": 1},
        out() | {"in": 3},
        roll(2, 4),
    )
    conn = told(said)
    found = [
        (row["wager"], row["how"], row["amount"], row["seconds"], row["net"]) for row in late(conn, EVERY, 5)
    ]
    assert found == [("h6", "pressed", 2_000, 5, -3_000), ("h8", "pressed", 2_500, 4, None)]
    (placed,) = [row for row in late(conn, EVERY, 30) if row["wager"] == "h8"]
    assert (placed["how"], placed["amount"], placed["kind"], placed["number"]) == ("placed", 3_500, "hard", 8)


def test_a_bet_that_came_down_before_the_dice_went_out_was_never_at_risk(told: Any) -> None:
    said = spaced(
        OPEN,
        buy_in("Bob", 50000),
        bet("Bob", "f", "field", 500),
        {"do": "take_down", "wager": "f", "in": 1},
        bet("Bob", "g", "field", 500) | {"in": 1},
        {"do": "press", "wager": "g", "to": 1500, "in": 1},
        {"do": "take_down", "wager": "g", "in": 1},
        out() | {"in": 1},
        roll(4, 5) | {"in": 1},
    )
    assert list(late(told(said), EVERY, 10)) == []


def test_a_stake_that_goes_back_up_by_itself_is_no_late_bet(told: Any) -> None:
    said = spaced(
        OPEN,
        buy_in("Bob", 50000),
        bet("Bob", "f", "field", 500, stays=True),
        roll(4, 5),
        roll(4, 5) | {"in": 5},
    )
    assert list(late(told(said), EVERY, 10)) == []


def test_what_a_late_bet_won_is_what_the_call_that_stands_says(told: Any) -> None:
    said = spaced(
        OPEN,
        buy_in("Bob", 50000),
        SHOOTER,
        bet("Bob", "f", "field", 500),
        roll(3, 4) | {"in": 5},
        overrule(1, dice=[4, 5]),
        bet("Bob", "g", "field", 500),
        roll(3, 4) | {"in": 5},
        overrule(2, void=True),
        bet("Bob", "h", "hard", 500, number=6),
        {"do": "no_roll", "reason": "short", "who": "S-009", "in": 5},
    )
    found = [
        tuple(row[name] for name in "roll shooter wager outcome net".split())
        for row in late(told(said), EVERY, 10)
    ]
    assert found == [
        (1, "Ann", "f", "won", 500),
        (2, "Ann", "g", None, None),
        (3, "Ann", "h", None, None),
    ]


def test_bets_before_dice_that_are_still_out_are_listed_without_a_roll(told: Any) -> None:
    said = spaced(
        OPEN,
        buy_in("Bob", 50000),
        SHOOTER,
        bet("Bob", "f", "hard", 500, number=6),
        out() | {"in": 4},
        {"do": "press", "wager": "f", "to": 1000, "in": 3, "who": "D-160"},
    )
    found = list(late(told(said), EVERY, 10))
    assert [(row["roll"], row["how"], row["seconds"]) for row in found] == [
        (None, "placed", 4),
        (None, "refused", -3),
    ]
    refused = found[1]
    assert (refused["player"], refused["kind"], refused["number"], refused["dealer"]) == (
        "Bob",
        "hard",
        6,
        "D-160",
    )


def test_cash_that_is_said_to_play_when_the_dice_are_out_is_a_late_bet_that_was_refused(told: Any) -> None:
    said = spaced(
        OPEN,
        {"do": "lay_cash", "player": "Bob", "wager": "c", "kind": "field", "amount": 10000},
        out(),
        {"do": "declare_cash", "wager": "c", "intent": "plays", "in": 1, "who": "D-160"},
        {
            "do": "lay_cash",
            "player": "Cal",
            "wager": "d",
            "kind": "hop",
            "combo": [3, 4],
            "amount": 500,
            "in": 1,
        },
        roll(3, 4),
    )
    conn = told(said)
    found = [
        (row["roll"], row["player"], row["wager"], row["kind"], row["amount"], row["seconds"])
        for row in late(conn, EVERY, 10)
    ]
    assert found == [(1, "Bob", "c", "field", 10_000, -1), (1, "Cal", "d", "hop", 500, -2)]
    refused = {
        (row["dealer"], row["player"]): row["late_refused"]
        for row in pairs(conn, EVERY, 6)
        if row["family"] != ALL
    }
    assert refused == {("D-160", "Bob"): 1, ("D-142", "Cal"): 1}


# ------------------------------------------------------------------------------------- wrong payments


PLACE_SIX_PAID_WRONG = (
    OPEN,
    buy_in("Bob", 50000),
    roll(4, 4),
    bet("Bob", "six", "place", 3000, number=6),
    roll(2, 4),
    {"do": "pay", "wager": "six", "paid": 4000, "dealer": "D-160", "boxman": "B-031", "who": "F-204"},
)


def summed(found: Iterable[Row]) -> list[tuple[Any, ...]]:
    sums = ByDealer()
    for row in found:
        sums.add(row)
    return [tuple(row.values()) for row in sums.rows()]


def test_pp09_a_payment_of_forty_on_thirty_five_names_the_dealer_the_box_and_the_roll(told: Any) -> None:
    conn = told(log(*PLACE_SIX_PAID_WRONG))
    (row,) = mispays(conn, EVERY)
    assert (row["owed"], row["paid"], row["difference"]) == (3_500, 4_000, 500)
    assert (row["roll"], row["dealer"], row["boxman"], row["by"]) == (2, "D-160", "B-031", "F-204")
    assert (row["player"], row["kind"], row["number"], row["put_right"]) == ("Bob", "place", 6, False)
    assert summed([row]) == [("D-160", 1, 500, 0, 0, 500)]


def test_a_mispay_that_was_put_right_counts_once_and_nets_to_nothing(told: Any) -> None:
    conn = told(log(*PLACE_SIX_PAID_WRONG, {"do": "pay", "wager": "six", "paid": 3500, "who": "F-204"}))
    found = list(mispays(conn, EVERY))
    assert [(row["difference"], row["put_right"], row["dealer"]) for row in found] == [
        (500, False, "D-160"),
        (-500, True, "D-160"),
    ]
    assert summed(found) == [("D-160", 1, 500, 0, -500, 0)]


def test_a_mispay_on_a_roll_that_was_overruled_is_put_right_by_that(told: Any) -> None:
    found = list(mispays(told(log(*PLACE_SIX_PAID_WRONG, overrule(2, dice=[3, 6]))), EVERY))
    assert summed(found) == [("D-160", 1, 500, 0, -500, 0)]


def test_a_short_payment_is_under_and_who_overpaid_most_stands_first(told: Any) -> None:
    said = log(
        OPEN,
        buy_in("Bob", 50000),
        *(bet("Bob", f"f{number}", "field", 1000) for number in range(3)),
        roll(4, 5),
        {"do": "pay", "wager": "f0", "paid": 500, "dealer": "D-142"},
        {"do": "pay", "wager": "f1", "paid": 3000, "dealer": "D-160"},
        {"do": "pay", "wager": "f2", "paid": 1500},
    )
    assert summed(mispays(told(said), EVERY)) == [
        ("D-160", 1, 2_000, 0, 0, 2_000),
        (None, 1, 500, 0, 0, 500),
        ("D-142", 1, 0, -500, 0, -500),
    ]


def test_the_mispays_of_random_days_are_what_the_win_says_of_them(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house, rng = House(), Random(5)
    for table in ("CR01", "CR02"):
        day = TableDay(house, rng, table)
        day.steps += (day.pay_otherwise,) * 10 + (day.overrule,) * 3
        day.play(100)
    tell(fresh_ledger, house)
    follow(conn)
    found = list(mispays(conn, EVERY))
    sums = [tuple(row[2:]) for row in summed(found)]
    assert found
    assert all(over + under + right == net for over, under, right, net in sums)
    for row in win.rows(conn):
        ours = [one["difference"] for one in found if one["table"] == row["table"]]
        assert sum(ours) == row["mispay"] != 0


# ------------------------------------------------------------------------------------- which days


def test_a_question_is_about_its_days_its_table_and_its_patron_only(
    conn: Connection[Any], fresh_ledger: str
) -> None:
    house = House()
    for day, table, player in (
        ("2026-11-27", "CR01", "P1"),
        ("2026-11-28", "CR01", "P2"),
        ("2026-11-28", "CR02", "P1"),
        ("2026-11-29", "CR02", "P3"),
    ):
        house.day = day
        house.opened(table)
        house.must("buy_in", table=table, player=player, amount=100_000, tender="cash")
        house.must("bet", table=table, player=player, wager="w", kind="field", amount=1_000)
        house.must("roll", "D-1", table=table, dice=[4, 5])
        house.must("pay", table=table, wager="w", paid=2_000, dealer="D-1", gaming_day=day)
        house.must("close", "B-1", table=table, closer=house.table(table).book_rack)
    tell(fresh_ledger, house)
    follow(conn)
    second, third = date(2026, 11, 28), date(2026, 11, 29)
    for asked, who in (
        (EVERY, {"P1", "P2", "P3"}),
        (Asked(second, second), {"P1", "P2"}),
        (Asked(second, None), {"P1", "P2", "P3"}),
        (Asked(None, second, "CR01"), {"P1", "P2"}),
        (Asked(table="CR02", player="P1"), {"P1"}),
        (Asked(third, None, "CR01"), set()),
    ):
        for found in (pairs(conn, asked, 6), late(conn, asked, 10), mispays(conn, asked)):
            assert {row["player"] for row in found} == who, asked
    assert (last_day(conn), last_day(conn, "CR01"), last_day(conn, "CR99")) == (third, second, None)
