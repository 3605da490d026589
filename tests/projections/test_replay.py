"""A roll told as it was: how it lay, who said what when, every call, every fate, how it lay then."""

from typing import Any

import pytest

from ledger.errors import LedgerError
from projections import replay
from projections.history import History
from projections.layout import fold
from tests.projections.night import log_of
from tests.projections.told import OPEN, bet, buy_in, history_of, log, out, overrule, roll

Row = dict[str, Any]
PLACE_SIX = log(
    OPEN,
    buy_in("Nat", 50000),
    {"do": "shooter", "player": "Nat"},
    bet("Nat", "line", "pass", 1000),
    roll(4, 5),
    bet("Nat", "six", "place", 1200, number=6),
    bet("Nat", "hard", "hard", 500, number=6),
    out(),
    bet("Nat", "late", "hop", 100, combo=[2, 4]),
    roll(2, 4),
)


@pytest.fixture(scope="module")
def night() -> History:
    return history_of(log_of("ia-night"))


def fates(told: Row) -> dict[str, str]:
    return {fate["wager"]: fate["fate"] for fate in told["fates"]}


def test_a_settlement_is_told_with_its_sum_and_its_paragraph() -> None:
    [six] = [fate for fate in replay.roll(history_of(PLACE_SIX), 2)["fates"] if fate["wager"] == "six"]
    assert six["text"] == "place 6, $12.00 at 7 to 6, owed $14.00, Prairie Meadows, Payout Odds 1"
    assert (six["paid"], six["net"], six["credit"]) == (1400, 1400, 2600)


def test_every_wager_that_lay_has_its_fate() -> None:
    told = replay.roll(history_of(PLACE_SIX), 2)
    assert fates(told) == {"line": "undecided", "six": "won", "hard": "lost"}
    assert told["fates"][0]["text"] == "pass, $10.00, stays up"


def test_the_table_is_told_as_it_lay_before_the_roll_and_after_it() -> None:
    told = replay.roll(history_of(PLACE_SIX), 2)
    before, after = told["before"], told["after"]
    boxes = {wager["wager"]: wager["box"] for wager in before["wagers"]}
    assert boxes == {"line": "pass", "six": "number_6", "hard": "hard_6"}
    assert (before["puck"], after["puck"]) == (9, 9)
    assert (before["rails"], after["rails"]) == ({"Nat": 47300}, {"Nat": 49900})
    assert [wager["wager"] for wager in after["wagers"]] == ["line"]


def test_a_bet_spoken_after_the_dice_went_out_is_told_in_its_place_with_what_was_asked_for() -> None:
    """PP03: it was tried, by whom, when, how long after the dice were out; and it was turned away."""
    [call] = replay.roll(history_of(PLACE_SIX), 2)["calls"]
    assert [fact["event"] for fact in call["said"]] == [
        "WagerPlaced",
        "WagerPlaced",
        "DiceWentOut",
        "CommandRefused",
    ]
    late = call["said"][-1]
    assert late["reason"] == "DICE_OUT"
    assert late["asked"]["combo"] == [2, 4]
    assert (late["by"], late["at"]) == ("D-142", "2026-11-28T20:00:27-06:00")


def test_the_time_between_the_last_bet_and_the_dice_is_told() -> None:
    """PP14."""
    timing = replay.roll(history_of(PLACE_SIX), 2)["timing"]
    assert timing == {
        "last_bet_at": "2026-11-28T20:00:21-06:00",
        "last_bet_by": "Nat",
        "dice_out_at": "2026-11-28T20:00:24-06:00",
        "called_at": "2026-11-28T20:00:30-06:00",
        "bet_to_dice_out": 3,
        "dice_out_to_call": 6,
        "refused_while_out": 1,
    }


def test_breakage_is_told() -> None:
    story = log(OPEN, buy_in("Nat", 50000), roll(4, 5), bet("Nat", "w1", "place", 1000, number=6), roll(3, 3))
    [fate] = replay.roll(history_of(story), 2)["fates"]
    assert fate["text"] == (
        "place 6, $10.00 at 7 to 6, owed $11.67 (3500/3 cents), paid $11.00, breakage $0.67, "
        "Prairie Meadows, Payout Odds 1"
    )


def test_a_come_bet_is_told_to_move() -> None:
    story = log(OPEN, buy_in("Nat", 50000), roll(4, 5), bet("Nat", "w1", "come", 1000), roll(3, 3))
    told = replay.roll(history_of(story), 2)
    assert told["fates"][0]["text"] == "come, $10.00, to the 6"
    assert told["after"]["wagers"][0]["box"] == "number_6"


# ------------------------------------------------------------------------- calls that did not stay


def overruled_roll() -> Row:
    """An easy six corrected to a hard one, after a bet made on the strength of the first call."""
    story = [
        *PLACE_SIX,
        *log(*[{}] * 10, bet("Nat", "more", "field", 500), overrule(2, dice=[3, 3]), roll(1, 1)),
    ]
    return replay.roll(history_of([line for line in story if "do" in line]), 2)


def test_an_overruled_roll_tells_both_calls_who_made_them_and_why() -> None:
    first, second = overruled_roll()["calls"]
    assert (first["call"], first["by"], first["dice"]) == ("roll", "S-009", [2, 4])
    assert (second["call"], second["by"], second["role"]) == ("overrule", "F-204", "floor")
    assert (second["dice"], second["was"], second["reason"]) == ([3, 3], [2, 4], "as the video shows")
    assert second["text"] == (
        "roll 2 is overruled: 3-3, a hard six in the place of 2-4, an easy six; as the video shows"
    )
    assert [fact["text"] for fact in second["said"]] == ["Nat bets field, $5.00"]


def test_the_fates_of_an_overruled_roll_are_those_of_the_call_that_stands_and_both_are_told() -> None:
    told = overruled_roll()
    first, second = told["calls"]
    assert {fate["wager"]: fate["fate"] for fate in first["fates"]}["hard"] == "lost"
    assert fates(told) == {"line": "undecided", "six": "won", "hard": "won"}
    undone = [fact["text"] for fact in second["also"] if fact["event"] == "SettlementReversed"]
    assert undone == [
        "Nat's place 6 lies again, won no longer: $12.00, $26.00 back from the rail",
        "Nat's hard 6 lies again, lost no longer: $5.00",
    ]
    assert told["after"]["rails"] == {"Nat": 49900 - 500 + 5000}


def test_a_voided_roll_decides_nothing_and_the_bets_lie_again() -> None:
    told = replay.roll(
        history_of(PLACE_SIX + [line | {"id": "v"} for line in log(overrule(2, void=True))]), 2
    )
    assert not told["stands"]
    assert fates(told) == dict.fromkeys(("line", "six", "hard"), "undecided")
    assert told["after"] == told["before"]


def test_an_overrule_that_came_too_late_or_from_too_low_is_told_of_the_roll_it_was_about() -> None:
    late = log(*[{}] * 10, overrule(2, who="S-010", void=True), out(), overrule(2, void=True), roll(1, 1))[
        10:
    ]
    told = replay.roll(history_of(PLACE_SIX + late), 2)
    assert [(fact["by"], fact["reason"]) for fact in told["later"]] == [
        ("S-010", "NO_AUTHORITY"),
        ("F-204", "TOO_LATE"),
    ]
    assert fates(told)["six"] == "won"


def test_a_mispay_found_rolls_later_is_told_of_the_roll_it_was_about() -> None:
    later = log(*[{}] * 10, roll(1, 1), {"do": "pay", "wager": "six", "paid": 2100, "who": "B-031"})[10:]
    [fact] = replay.roll(history_of(PLACE_SIX + later), 2)["later"]
    assert fact["text"] == "Nat was really paid $21.00 on wager six of roll 2, owed $14.00"


def test_a_no_roll_is_told_with_its_reason_and_what_lay_there() -> None:
    story = log(OPEN, {"do": "no_roll", "reason": "cocked", "dice": [6, 1], "who": "B-031"})
    [call] = replay.roll(history_of(story), 1)["calls"]
    assert call["text"] == "No Roll: cocked, 6-1 on the dice"
    assert not call["stands"]


def test_rolls_go_on_across_a_table_closed_and_opened_again() -> None:
    story = log(OPEN, roll(1, 1), {"do": "close", "closer": 1}, {**OPEN, "opener": 1}, roll(1, 2))
    told = replay.roll(history_of(story), 2)
    said = [fact["event"] for fact in told["calls"][0]["said"]]
    assert [name for name in said if name.startswith("Table")] == ["TableClosed", "TableOpened"]


# ------------------------------------------------------------------------- a whole night


def test_every_roll_of_a_night_lies_as_the_layout_does_and_every_cent_on_the_rails_is_accounted_for(
    night: History,
) -> None:
    events = [night.event(at) for at in range(len(night.told))]
    for told in replay.rolls(night, 1, night.rolls):
        moved = dict.fromkeys(told["before"]["rails"], 0)
        for fate in told["fates"]:
            moved[fate["player"]] += fate.get("credit", 0)
        for fact in told["calls"][0]["also"]:
            if fact["event"] in ("WagerPlaced", "CommissionCollected"):
                moved[fact["player"]] -= fact["amount"]
        then = {player: cents + moved[player] for player, cents in told["before"]["rails"].items()}
        assert told["after"]["rails"] == {player: cents for player, cents in then.items() if cents}
        if told["roll"] % 40 == 0:
            lay = fold(events, told["roll"])
            assert [wager["wager"] for wager in told["before"]["wagers"]] == [w.wager for w in lay.in_order()]


def test_a_roll_told_by_itself_is_told_as_among_others(night: History) -> None:
    assert replay.roll(night, 77) == list(replay.rolls(night, 75, 78))[2]


def test_a_moment_finds_the_last_roll_called_by_then(night: History) -> None:
    called = night.told[night.calls[99]].occurred_at
    assert night.day.roll_at(called) == 100
    assert night.day.roll_at(night.told[0].occurred_at) == 1


def test_a_roll_that_was_not_thrown_cannot_be_told(night: History) -> None:
    with pytest.raises(LedgerError, match="there is no roll 241 at CR08 on 2026-11-28: the last is roll 240"):
        replay.roll(night, 241)
