"""The life of a wager: which roll decided it, at what time, with which dice."""

from collections.abc import Iterable
from typing import Any

import pytest
from psycopg import Connection

from domain.table import Table
from projections import settlements
from projections.follow import follow
from projections.wagers import count, filtered, rows
from tests.projections.night import Line, facts, log_of, store
from tests.projections.told import OPEN, bet, buy_in, log, overrule, roll

Row = dict[str, Any]


@pytest.fixture
def told(conn: Connection, fresh_ledger: str) -> Any:
    """Stores a log and tells the lives of its wagers, by wager."""

    def tell(lines: Iterable[Line], **asked: Any) -> dict[str, Row]:
        store(fresh_ledger, facts(lines))
        follow(conn)
        return {life["wager"]: life for life in rows(conn, filtered(**asked))}

    return tell


def texts(life: Row) -> list[str]:
    return [entry["text"] for entry in life["life"]]


HARD_SIX = log(
    OPEN,
    buy_in("Hal", 50000),
    roll(4, 5),
    bet("Hal", "h1", "hard", 500, number=6),
    {"do": "press", "wager": "h1", "to": 1000},
    bet("Hal", "h2", "hard", 500, number=8),
    roll(1, 2),
    roll(2, 4),
    roll(6, 6),
)


def test_which_roll_killed_my_hard_six_is_one_question_with_one_line_for_an_answer(told: Any) -> None:
    """PP28."""
    lives = told(HARD_SIX, player="Hal", kind="hard", number=6)
    assert list(lives) == ["h1"]
    assert lives["h1"]["story"] == "lost on roll 3: 2-4, an easy six, at 20:00:24"
    assert (lives["h1"]["roll"], lives["h1"]["dice"], lives["h1"]["decided_by"]) == (3, [2, 4], "S-009")


def test_a_life_begins_with_the_bet_and_ends_with_its_paragraph(told: Any) -> None:
    assert texts(told(HARD_SIX)["h1"]) == [
        "Hal bets hard 6, $5.00",
        "Hal presses hard 6 from $5.00 to $10.00",
        "lost on roll 3: 2-4, an easy six; hard 6, $10.00, lost, Prairie Meadows, Permissible Wagers 8",
    ]


def test_a_wager_that_no_roll_has_decided_is_still_up(told: Any) -> None:
    life = told(HARD_SIX)["h2"]
    assert (life["status"], life["story"], life["roll"]) == ("undecided", "still up", None)


def test_a_come_bet_travels_and_its_commissioned_neighbour_comes_down(told: Any) -> None:
    lives = told(
        log(
            OPEN,
            buy_in("Hal", 50000),
            roll(4, 5),
            bet("Hal", "c", "come", 500),
            bet("Hal", "b", "buy", 2000, number=4),
            roll(3, 3),
            {"do": "reduce", "wager": "b", "to": 1000},
            {"do": "take_down", "wager": "b"},
            roll(5, 1),
        )
    )
    assert texts(lives["c"])[1] == "Hal's come goes to the 6"
    assert (lives["c"]["number"], lives["c"]["story"]) == (6, "won on roll 3: 5-1, an easy six, at 20:00:27")
    assert [entry["event"] for entry in lives["b"]["life"]] == [
        "WagerPlaced",
        "CommissionCollected",
        "WagerReduced",
        "CommissionRefunded",
        "WagerTakenDown",
        "CommissionRefunded",
    ]
    assert (lives["b"]["status"], lives["b"]["amount"]) == ("taken_down", 1000)


def test_a_wager_decided_by_an_overruled_call_tells_both_decisions_and_ends_with_the_one_that_stands(
    told: Any,
) -> None:
    story = log(
        OPEN,
        buy_in("Hal", 50000),
        roll(4, 5),
        bet("Hal", "h", "hard", 500, number=6),
        bet("Hal", "f", "field", 500),
        roll(2, 4),
        overrule(2, dice=[3, 3]),
        roll(1, 1),
    )
    hard = told(story)["h"]
    assert hard["story"] == "won on roll 2: 3-3, a hard six, at 20:00:21"
    assert texts(hard)[1].startswith("lost on roll 2: 2-4, an easy six")
    assert texts(hard)[2] == "Hal's hard 6 lies again, lost no longer: $5.00"
    assert (hard["decided_by"], hard["paid"], hard["net"]) == ("F-204", 4500, 4500)


def test_a_wager_of_a_voided_roll_is_still_up(told: Any) -> None:
    story = log(
        OPEN,
        buy_in("Hal", 50000),
        bet("Hal", "f", "field", 500),
        roll(3, 4),
        overrule(1, void=True),
    )
    life = told(story)["f"]
    assert (life["status"], life["roll"], life["net"]) == ("undecided", None, None)


def test_what_was_tried_with_a_wager_and_what_was_really_paid_on_it_is_in_its_life(told: Any) -> None:
    story = log(
        OPEN,
        buy_in("Hal", 50000),
        bet("Hal", "p", "pass", 500),
        roll(4, 5),
        {"do": "take_down", "wager": "p"},
        roll(3, 6),
        {"do": "pay", "wager": "p", "paid": 1500, "who": "B-031"},
    )
    life = told(story)["p"]
    assert [entry["event"] for entry in life["life"]] == [
        "WagerPlaced",
        "CommandRefused",
        "WagerSettled",
        "MispayFound",
    ]
    assert texts(life)[3] == "Hal was really paid $15.00 on pass of roll 2, owed $5.00"


def test_two_tables_may_use_the_same_name_for_their_wagers(fresh_ledger: str, conn: Connection) -> None:
    one = log(OPEN, buy_in("Hal", 500), bet("Hal", "w1", "field", 500), roll(3, 4), table="CR01")
    two = log(OPEN, buy_in("Ida", 500), bet("Ida", "w1", "field", 500), roll(2, 2), table="CR02")
    store(fresh_ledger, facts(one), facts(two))
    follow(conn)
    lives = list(rows(conn, filtered(wager="w1")))
    assert [(life["table"], life["player"], life["status"], len(life["life"])) for life in lives] == [
        ("CR01", "Hal", "lost", 2),
        ("CR02", "Ida", "won", 2),
    ]
    assert [life["player"] for life in rows(conn, filtered(table="CR02"))] == ["Ida"]


def test_a_night_s_lives_are_its_settlements_and_what_still_lies(fresh_ledger: str, conn: Connection) -> None:
    table = Table()
    store(fresh_ledger, facts(log_of("ia-night"), table))
    follow(conn)
    lives = {life["wager"]: life for life in rows(conn, filtered())}
    assert set(lives) == table.used
    assert {name for name, life in lives.items() if life["status"] == "undecided"} == set(table.wagers)
    for settled in settlements.rows(conn):
        life = lives[settled["wager"]]
        assert (life["status"], life["roll"], life["net"]) == (
            settled["outcome"],
            settled["roll"],
            settled["net"],
        )
        assert life["decided_at"] == settled["at"]
        assert sum(life["dice"]) in range(2, 13)


def test_the_last_so_many_are_asked_for_by_number_and_the_rest_is_counted(
    told: Any, conn: Connection
) -> None:
    told(HARD_SIX)
    assert [life["wager"] for life in rows(conn, filtered(player="Hal"), last=1)] == ["h2"]
    assert count(conn, filtered(player="Hal")) == 2
