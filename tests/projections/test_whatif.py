"""What another call would have changed: to the cent, for everybody, down to now."""

from typing import Any

import pytest

from domain.books import balance, event_win, money
from domain.rules.shelf import packs
from ledger.errors import LedgerError
from projections.history import History
from projections.whatif import Declared, Question, answer
from tests.projections.night import Line, log_of
from tests.projections.told import (
    NO_ROLL_CALLED_ON_A_WINNER,
    OPEN,
    bet,
    buy_in,
    history_of,
    log,
    out,
    overrule,
    roll,
)

STANDS = Question(stands=True)
NO_ROLL = Question(no_roll=True)
Row = dict[str, Any]


@pytest.fixture(scope="module")
def night() -> History:
    return history_of(log_of("ia-night"))


def differences(found: Row) -> dict[str, int]:
    return {player["player"]: player["difference"] for player in found["players"]}


def answered_otherwise(found: Row) -> list[tuple[str, str, str]]:
    return [(row["do"], row["was"], row["would_be"]) for row in found["commands"]]


# ------------------------------------------------------------------------- the case that went to court


def test_a_no_roll_called_on_a_winner_cost_the_patron_170_and_that_is_what_the_house_kept() -> None:
    """PP01. If the roll had stood: + $105 won. And the $65 was not up any more when the seven came: + $65."""
    found = answer(history_of(NO_ROLL_CALLED_ON_A_WINNER), 2, STANDS)
    [nat] = found["players"]
    assert nat["was"] == {"rail": 43500, "on_layout": 0, "net": -6500}
    assert nat["would_be"] == {"rail": 60500, "on_layout": 0, "net": 10500}
    assert nat["difference"] == 17000
    assert found["house"] == {"was": 6500, "would_be": -10500, "difference": -17000}


def test_each_ruling_says_which_roll_decided_each_wager_and_how() -> None:
    line, behind = answer(history_of(NO_ROLL_CALLED_ON_A_WINNER), 2, STANDS)["settlements"]
    assert (line["was"]["roll"], line["was"]["outcome"], line["was"]["net"]) == (3, "lost", -2500)
    assert line["would_be"]["text"] == "pass, $25.00 at 1 to 1, owed $25.00, Prairie Meadows, Payout Odds 1"
    assert behind["would_be"]["text"].startswith("odds 4, $40.00 at 2 to 1, owed $80.00")
    assert (line["difference"], behind["difference"]) == (2500 + 2500, 4000 + 8000)


def test_up_to_the_roll_itself_the_stake_was_not_lost_yet() -> None:
    found = answer(history_of(NO_ROLL_CALLED_ON_A_WINNER), 2, STANDS, until=2)
    assert found["players"][0]["difference"] == 10500
    assert found["players"][0]["was"]["on_layout"] == 6500


# ------------------------------------------------------------------------- the other history is a history


@pytest.mark.parametrize(("number", "dice"), [(1, (1, 1)), (100, (3, 3)), (200, (6, 5))])
def test_the_answer_is_what_a_table_would_hold_where_the_other_dice_were_called(
    night: History, number: int, dice: tuple[int, int]
) -> None:
    told = log_of("ia-night")
    call = [line for line in told if line["do"] == "roll"][number - 1]
    call["dice"] = list(dice)
    check_against(answer(night, number, Question(dice=dice)), told)


def test_the_answer_is_what_a_table_would_hold_where_no_roll_was_called(night: History) -> None:
    told = log_of("ia-night")
    call = [line for line in told if line["do"] == "roll"][99]
    del call["dice"]
    call |= {"do": "no_roll", "reason": "other"}
    check_against(answer(night, 100, NO_ROLL), told)


def check_against(found: Row, told: list[Line]) -> None:
    """The nets and the table win of `found` are those of the log `told`, and it refuses what `found` says."""
    history = history_of(told)
    happened = [history.event(at) for at in range(len(history.told))]
    moved = [transfer for event in happened for transfer in money(event)]
    assert found["house"]["would_be"] == event_win(moved) + balance("held", moved)
    assert found["house"]["difference"] == -sum(differences(found).values())
    table = history.fold(len(history.told))
    assert {player["player"]: player["would_be"]["rail"] for player in found["players"]} == table.rails
    refused = {one.command for one in history.told.values() if one.name == "CommandRefused"}
    assert refused.issuperset(row["command"] for row in found["commands"] if row["was"] == "accepted")
    assert refused.isdisjoint(row["command"] for row in found["commands"] if row["would_be"] == "accepted")


def test_under_the_rules_that_were_played_by_nothing_would_be_otherwise(night: History) -> None:
    found = answer(night, 60, Question(rules="ia-prairie-meadows"))
    assert not any(differences(found).values())
    assert found["settlements"] == found["commands"] == []


@pytest.mark.parametrize("rules", sorted(set(packs()) - {"ia-prairie-meadows"}))
@pytest.mark.parametrize("number", [1, 180])
def test_under_other_rules_the_money_still_adds_up(night: History, rules: str, number: int) -> None:
    found = answer(night, number, Question(rules=rules))
    assert found["house"]["difference"] == -sum(differences(found).values())
    for player in found["players"]:
        was, would_be = player["was"], player["would_be"]
        assert would_be["rail"] + would_be["on_layout"] - would_be["net"] == (
            was["rail"] + was["on_layout"] - was["net"] + changed_cash(found, player["player"])
        )


def changed_cash(found: Row, player: str) -> int:
    """Chips bought or carried away in one course and not in the other."""
    signs = {"buy_in": 1, "walk": -1}
    return sum(
        signs.get(row["do"], 0) * (row["amount"] or 0) * (1 if row["would_be"] == "accepted" else -1)
        for row in found["commands"]
        if row["player"] == player
    )


def test_under_crapless_rules_a_come_out_two_is_a_point_and_don_t_pass_goes_back_to_its_patron() -> None:
    found = answer(
        history_of(
            log(
                OPEN,
                buy_in("Abel", 10000),
                buy_in("Dot", 10000),
                {"do": "shooter", "player": "Abel"},
                bet("Abel", "w1", "pass", 1000),
                bet("Dot", "w2", "dont_pass", 1000),
                roll(1, 1),
            )
        ),
        1,
        Question(rules="pa-crapless"),
    )
    assert differences(found) == {"Abel": 1000, "Dot": -1000}
    statuses = {row["wager"]: (row["was_status"], row["would_be_status"]) for row in found["settlements"]}
    assert statuses == {"w1": ("lost", "undecided"), "w2": ("won", "taken down")}


# ------------------------------------------------------------------------- what follows and what does not


def test_a_bet_that_the_other_call_leaves_no_room_for_is_refused_and_the_reason_is_said() -> None:
    story = log(OPEN, buy_in("Nat", 20000), bet("Nat", "w1", "pass", 1000), roll(2, 2), roll(3, 1))
    later = log(*[{}] * 5, bet("Nat", "w2", "pass", 1000), roll(3, 4))[5:]
    found = answer(history_of(story + later), 2, NO_ROLL)
    assert answered_otherwise(found) == [("bet", "accepted", "WRONG_PHASE")]
    assert found["commands"][0]["message"] == "pass is made before a come-out roll; the puck is On 4"
    assert found["settlements"][-1]["would_be_status"] == "not made"


def test_a_bet_that_was_refused_may_have_become_possible() -> None:
    story = log(
        OPEN,
        buy_in("Nat", 1000),
        bet("Nat", "w1", "pass", 1000),
        roll(1, 1),
        bet("Nat", "w2", "field", 500),
        roll(6, 5),
    )
    found = answer(history_of(story), 1, Question(dice=(3, 4)))
    assert answered_otherwise(found) == [("bet", "INSUFFICIENT_FUNDS", "accepted")]
    assert differences(found) == {"Nat": 2000 + 500}


def test_an_overrule_of_the_very_roll_no_longer_applies_and_that_is_said() -> None:
    story = log(
        OPEN, buy_in("Nat", 20000), bet("Nat", "w1", "field", 1000), roll(2, 2), overrule(1, dice=[2, 3])
    )
    found = answer(history_of(story), 1, Question(dice=(6, 6)))
    assert answered_otherwise(found) == [("overrule", "accepted", "left out")]
    assert found["call"]["overruled"]
    assert found["call"]["stands_as"] == [2, 3]
    assert differences(found) == {"Nat": 1000 + 2000}  # the field lost on the five; a twelve pays double


def test_an_overruled_call_may_be_asked_to_stand() -> None:
    story = log(
        OPEN, buy_in("Nat", 20000), bet("Nat", "w1", "field", 1000), roll(2, 2), overrule(1, void=True)
    )
    assert differences(answer(history_of(story), 1, STANDS)) == {"Nat": 1000}


def test_an_overrule_of_a_later_roll_still_applies_to_that_throw() -> None:
    story = log(
        OPEN,
        buy_in("Nat", 20000),
        roll(2, 2),
        bet("Nat", "w1", "field", 1000),
        roll(2, 3),
        overrule(2, dice=[1, 3]),
    )
    found = answer(history_of(story), 1, NO_ROLL)
    assert found["commands"] == []
    assert differences(found) == {"Nat": 0}


def test_what_was_really_paid_on_another_decision_is_left_out() -> None:
    story = log(
        OPEN,
        buy_in("Nat", 20000),
        bet("Nat", "w1", "field", 1000),
        roll(2, 2),
        {"do": "pay", "wager": "w1", "paid": 1500, "who": "B-031"},
    )
    found = answer(history_of(story), 1, Question(dice=(3, 4)))
    assert answered_otherwise(found) == [("pay", "accepted", "left out")]
    assert differences(found) == {"Nat": -1500 - 1000}


def test_what_was_really_paid_on_the_same_decision_is_paid_here_too() -> None:
    story = log(
        OPEN,
        buy_in("Nat", 20000),
        bet("Nat", "w1", "field", 1000),
        roll(2, 2),
        {"do": "pay", "wager": "w1", "paid": 1500, "who": "B-031"},
        bet("Nat", "w2", "field", 1000),
        out(),
        roll(3, 4),
    )
    found = answer(history_of(story), 2, NO_ROLL)
    assert found["players"][0]["would_be"] == {"rail": 20500, "on_layout": 1000, "net": 1500}


def test_a_die_off_the_table_after_its_no_roll_is_no_throw_of_its_own() -> None:
    story = log(
        OPEN,
        buy_in("Nat", 20000),
        bet("Nat", "w1", "field", 1000),
        {"do": "no_roll", "reason": "off_table", "dice": [2, 2]},
        {"do": "die_off_table", "found": True},
        roll(3, 4),
    )
    found = answer(history_of(story), 1, STANDS)
    assert answered_otherwise(found) == [("die_off_table", "accepted", "left out")]
    assert differences(found) == {"Nat": 2000}


def test_a_table_closed_and_opened_again_goes_on_in_the_other_history_too() -> None:
    story = log(
        OPEN,
        buy_in("Nat", 20000),
        bet("Nat", "w1", "field", 1000),
        roll(2, 2),
        {"do": "close", "closer": 5000000},
        OPEN,
        bet("Nat", "w2", "field", 1000),
        roll(3, 4),
    )
    found = answer(history_of(story), 1, Question(dice=(1, 1)))
    assert found["commands"] == []
    assert differences(found) == {"Nat": 1000}
    assert found["players"][0]["was"]["net"] == 0


@pytest.mark.parametrize(
    ("number", "question", "message"),
    [
        (9, STANDS, "there is no roll 9 at CR01 on 2026-11-28: the last is roll 3"),
        (2, NO_ROLL, "roll 2 is no roll already"),
        (1, STANDS, "roll 1 stands as 2-2, a hard four already"),
        (3, Question(dice=(3, 4)), "roll 3 stands as 3-4, seven already"),
        (1, Question(rules="nj"), "no rule set nj"),
    ],
)
def test_a_question_that_has_no_answer_is_turned_away_in_words(
    number: int, question: Question, message: str
) -> None:
    with pytest.raises(LedgerError, match=message):
        answer(history_of(NO_ROLL_CALLED_ON_A_WINNER), number, question)


def test_nobody_can_let_a_throw_stand_that_nobody_saw() -> None:
    story = log(OPEN, buy_in("Nat", 20000), {"do": "no_roll", "reason": "off_table"})
    with pytest.raises(LedgerError, match="nobody said what roll 1 showed: ask with --dice a,b"):
        answer(history_of(story), 1, STANDS)


def test_the_comparison_cannot_end_before_the_roll() -> None:
    with pytest.raises(LedgerError, match="roll 1 was before roll 2"):
        answer(history_of(NO_ROLL_CALLED_ON_A_WINNER), 2, STANDS, until=1)


# ------------------------------------------------------------------------- cash that nobody spoke for

LAID = log(
    OPEN,
    buy_in("Abe", 50000),
    {"do": "shooter", "player": "Abe"},
    bet("Abe", "a1", "pass", 2500),
    {"do": "lay_cash", "player": "Cal", "wager": "c1", "kind": "pass", "amount": 10000},
    out(),
    roll(1, 2),
    {"do": "declare_cash", "wager": "c1", "intent": "change_only", "who": "B-031"},
    bet("Cal", "c2", "pass", 10000),
    roll(5, 6),
)


def test_both_rulings_on_a_bill_that_lay_undeclared_are_told_to_the_cent() -> None:
    """PP26. It lay on the line before a roll of three: as a wager it was lost, as change it was not."""
    day = history_of(LAID)
    played = answer(day, 1, Question(cash=Declared("c1", "plays")))
    lost, not_won_next = -10000, -10000  # for the bet after it he would have had no chips
    assert differences(played) == {"Abe": 0, "Cal": lost + not_won_next}
    assert played["house"]["difference"] == 20000
    assert answered_otherwise(played) == [
        ("declare_cash", "accepted", "left out"),
        ("bet", "accepted", "INSUFFICIENT_FUNDS"),
    ]
    changed = answer(day, 1, Question(cash=Declared("c1", "change_only")))
    assert differences(changed) == {"Abe": 0, "Cal": 0}
    assert changed["supposed"] == "had been thrown with Cal's $100.00 in cash (c1) for change only"


def test_only_cash_that_lay_undeclared_at_that_roll_can_be_supposed_to_have_been_declared() -> None:
    day = history_of(LAID)
    for number, wager in ((1, "a1"), (1, "c9"), (2, "c1")):
        with pytest.raises(LedgerError, match=f"no cash {wager} lay undeclared"):
            answer(day, number, Question(cash=Declared(wager, "plays")))


def test_cash_that_the_house_would_not_have_taken_could_not_have_played() -> None:
    lines = [{**line, "amount": 100} if line["do"] == "lay_cash" else line for line in LAID]
    with pytest.raises(LedgerError, match="c1 could not have been that: the table minimum is"):
        answer(history_of(lines), 1, Question(cash=Declared("c1", "plays")))
