"""The procedures of the texts: making and removing, the On marker, the dice, No Roll, overrules, exceptions.

Paragraphs are Prairie Meadows's where nothing else is said; "reading" is the errata's.
"""

from typing import Any

import pytest

from domain import events as e
from domain.refusals import Refusal
from tests.domain.pit import BANKROLL, INDIANA, IOWA, PARTY, PENNSYLVANIA, Pit, decided, only

REFERENCE = {"paytable": "reference"}


def sections(events: list[Any]) -> list[str | None]:
    return [event.section for event in events if hasattr(event, "section")]


# ---------------------------------------- dice out, late bets


def test_nothing_on_the_layout_changes_between_the_throw_and_the_call() -> None:
    pit = Pit()
    pit.bet("d", "dont_pass", 1000)
    pit.bet("p6", "place", 1200, number=6)
    pit.must("dice_out")
    assert pit.no_bet("field", 500) == "DICE_OUT"
    assert pit.no_bet("field", 500, role="boxman") == "DICE_OUT"
    assert pit.refused("press", wager="p6", to=2400) == "DICE_OUT"
    assert pit.refused("reduce", wager="p6", to=600) == "DICE_OUT"
    assert pit.refused("take_down", wager="p6") == "DICE_OUT"
    assert pit.refused("call", wager="p6", on=True) == "DICE_OUT"
    assert pit.refused("dice_out") == "DICE_OUT"
    assert pit.refused("shooter", player="P2") == "DICE_OUT"
    pit.must("buy_in", player="P1", amount=500, tender="cash")
    assert pit.layout() == {"d": 1000, "p6": 1200}


@pytest.mark.parametrize("call", [{"do": "roll", "dice": [2, 2]}, {"do": "no_roll", "reason": "short"}])
def test_bets_are_taken_again_after_the_call(call: dict[str, Any]) -> None:
    pit = Pit()
    pit.must("dice_out")
    pit.must(**call)
    pit.bet("f", "field", 500)
    assert pit.layout() == {"f": 500}


def test_a_refused_late_bet_may_be_made_again_under_its_own_id() -> None:
    pit = Pit()
    pit.must("dice_out")
    assert pit.refused("bet", player="P1", wager="late", kind="field", amount=500) == "DICE_OUT"
    pit.roll(2, 2)
    pit.bet("late", "field", 500)
    assert pit.refused("bet", player="P1", wager="late", kind="field", amount=500) == "DUPLICATE_WAGER"
    assert pit.refused("bet", player="P2", wager="late", kind="any_seven", amount=500) == "DUPLICATE_WAGER"


# ---------------------------------------- No Roll

NO_ROLL = {
    "off_table": "1",
    "not_together": "2.1",
    "short": "2.2",
    "on_bank": "2.3",
    "in_bowl": "2.4",
    "on_rail": "2.4",
    "stacked": "2.5",
    "cocked": "2.6",
    "slid": "2.8.1",
    "spun": "2.8.2",
    "other": "2.9",
    "hit_chips": "4",
}


@pytest.mark.parametrize(("reason", "item"), NO_ROLL.items())
def test_a_no_roll_cites_its_reason_and_decides_nothing(reason: str, item: str) -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.bet("o", "odds", 1000, on="p")
    pit.bet("a", "any_seven", 500)
    pit.bet("c", "come", 500)
    rails = dict(pit.table.rails)
    called = pit.must("no_roll", reason=reason, dice=[3, 4])
    assert decided(called) == {}
    assert sections(called) == [f"Prairie Meadows, Invalid Roll Of The Dice {item}"]
    assert (pit.table.puck, pit.table.shooter, pit.table.rolls) == (4, "P1", 2)
    assert pit.table.rails == rails
    pit.must("take_down", wager="a")
    pit.bet("b", "any_seven", 700)
    assert pit.roll(3, 4) == {
        "p": ("lost", -1000, 0),
        "o": ("lost", -1000, 0),
        "c": ("won", 500, 1000),
        "b": ("won", 2800, 3500),
    }


@pytest.mark.parametrize(
    "role", ["dealer", "stickman", "boxman", "floor", "pit_manager", "shift_manager", "device"]
)
def test_those_who_may_call_the_dice_may_call_no_roll(role: str) -> None:
    pit = Pit()
    pit.must("no_roll", role, reason="cocked")
    pit.must("roll", role, dice=[2, 2])
    assert (pit.table.rolls, pit.table.puck) == (2, 4)


@pytest.mark.parametrize("role", ["cage", "security", "count", "surveillance", "audit"])
def test_others_have_no_say_in_a_call(role: str) -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    assert pit.refused("roll", role, dice=[3, 4]) == "NO_AUTHORITY"
    assert pit.refused("no_roll", role, reason="short") == "NO_AUTHORITY"
    pit.roll(3, 4)
    assert pit.refused("overrule", role, roll=1, void=True, reason="review") == "NO_AUTHORITY"


def test_on_markers_last_through_a_no_roll() -> None:
    pit = Pit()
    pit.bet("p6", "place", 1200, number=6)
    pit.must("call", wager="p6", on=True)
    pit.must("no_roll", reason="spun", dice=[3, 4])
    assert pit.roll(3, 4) == {"p6": ("lost", -1200, 0)}


def test_a_come_bet_waits_in_the_box_through_a_no_roll() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    pit.must("no_roll", reason="in_bowl", dice=[5, 6])
    pit.must("take_down", wager="c")
    pit.bet("c2", "come", 1000)
    pit.must("no_roll", reason="in_bowl", dice=[5, 6])
    assert pit.roll(5, 6) == {"c2": ("won", 1000, 2000)}


def test_chips_are_never_a_cause_so_a_supervisor_lets_the_roll_stand() -> None:
    """Invalid Roll 4 and 5: the dealer's call contrary to 4 is overruled, and the throw pays."""
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.bet("d", "dont_pass", 1000, player="P2")
    pit.must("no_roll", reason="hit_chips", dice=[5, 6])
    assert pit.overrule(stands=True) == {"p": ("won", 1000, 2000), "d": ("lost", -1000, 0)}
    assert pit.table.rolls == 1


def test_a_roll_decides_then_moves_then_the_puck_then_the_dice_then_stakes_that_stay() -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.bet("d", "dont_pass", 1000, stays=True)
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    names = [event.name for event in pit.must("roll", dice=[3, 4])]
    assert names == ["RollCalled", "WagerSettled", "WagerSettled", "PuckMoved", "DicePassed", "WagerPlaced"]
    pit.bet("p", "pass", 1000)
    pit.roll(4, 4)
    pit.bet("c2", "come", 1000)
    names = [event.name for event in pit.must("roll", dice=[5, 3])]
    assert names == ["RollCalled", "WagerSettled", "WagerSettled", "WagerMoved", "PuckMoved"]


# ---------------------------------------- the overrule ladder

LADDER = {
    "dealer": 1,
    "stickman": 1,
    "boxman": 2,
    "floor": 2,
    "pit_manager": 3,
    "shift_manager": 4,
}


@pytest.mark.parametrize("caller", LADDER)
@pytest.mark.parametrize("ruler", LADDER)
@pytest.mark.parametrize("ruling", [{"void": True}, {"dice": [1, 2]}])
def test_a_call_is_overruled_by_a_higher_rank_only(caller: str, ruler: str, ruling: dict[str, Any]) -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.must("roll", caller, dice=[5, 6])
    answer = pit.say("overrule", ruler, roll=1, reason="review", **ruling)
    if LADDER[ruler] > LADDER[caller]:
        assert not isinstance(answer, Refusal)
        assert pit.won() == (0 if "void" in ruling else -1000)
    else:
        assert isinstance(answer, Refusal)
        assert answer.reason.value == "NO_AUTHORITY"
        assert pit.won() == 1000


@pytest.mark.parametrize("ruler", LADDER)
def test_a_supervisors_ruling_is_overruled_by_a_higher_rank_only(ruler: str) -> None:
    pit = Pit()
    pit.roll(5, 6)
    pit.overrule("floor", void=True)
    answer = pit.say("overrule", ruler, roll=1, reason="review", dice=[2, 2])
    assert isinstance(answer, Refusal) == (LADDER[ruler] <= 2)


def test_the_shift_manager_has_the_last_word() -> None:
    """Invalid Roll 5-7, item 7 read as everyone below (reading I-18); each ruling cites its own item."""
    pit = Pit()
    pit.bet("f", "field", 1000)
    pit.must("no_roll", reason="short", dice=[6, 6])
    assert pit.overrule("boxman", stands=True) == {"f": ("won", 2000, 3000)}
    assert pit.overrule("pit_manager", void=True) == {}
    assert pit.overrule("shift_manager", dice=[6, 6]) == {"f": ("won", 2000, 3000)}
    assert pit.refused("overrule", "shift_manager", roll=1, void=True, reason="again") == "NO_AUTHORITY"
    cited = [event.section for event in only(pit.events, e.RollOverruled)]
    assert cited == [f"Prairie Meadows, Invalid Roll Of The Dice {item}" for item in (5, 6, 7)]


def test_faces_put_right_cite_the_paragraph_on_reading_the_dice() -> None:
    pit = Pit()
    pit.roll(4, 4)
    pit.overrule("floor", dice=[5, 3])
    (ruling,) = only(pit.events, e.RollOverruled)
    assert ruling.section == "Prairie Meadows, Settlement of Wagers 1"
    assert (ruling.was, ruling.dice) == ((4, 4), (5, 3))


@pytest.mark.parametrize(
    "then",
    [
        {"do": "dice_out"},
        {"do": "roll", "dice": [1, 1]},
        {"do": "no_roll", "reason": "short"},
        {"do": "die_off_table", "found": True},
    ],
)
def test_once_the_next_dice_are_out_only_an_adjustment_is_left(then: dict[str, Any]) -> None:
    pit = Pit()
    pit.bet("f", "field", 1000)
    pit.roll(2, 3)
    pit.must(**then)
    for role in ("boxman", "pit_manager", "shift_manager"):
        assert pit.refused("overrule", role, roll=1, dice=[2, 2], reason="review") == "TOO_LATE"
    pit.must("adjust", player="P1", amount=2000, reason="field was paid short", approved_by="PM-2")
    assert pit.won() == 1000
    assert pit.win() == -1000


def test_bets_made_since_the_call_do_not_make_it_too_late() -> None:
    pit = Pit()
    pit.bet("f", "field", 1000)
    pit.roll(2, 3)
    pit.bet("f2", "field", 1000)
    pit.must("buy_in", player="P3", amount=1000, tender="cash")
    assert pit.overrule(dice=[2, 2]) == {"f": ("won", 1000, 2000)}
    assert pit.layout() == {"f2": 1000}


def test_a_roll_that_was_never_thrown_cannot_be_overruled() -> None:
    pit = Pit()
    assert pit.refused("overrule", "boxman", roll=1, void=True, reason="review") == "NO_SUCH_ROLL"
    pit.roll(2, 2)
    assert pit.refused("overrule", "boxman", roll=2, void=True, reason="review") == "NO_SUCH_ROLL"


def test_an_overrule_says_something_else_than_the_call() -> None:
    pit = Pit()
    pit.must("no_roll", reason="short")
    assert pit.refused("overrule", "boxman", roll=1, void=True, reason="review") == "WRONG_PHASE"
    assert pit.refused("overrule", "boxman", roll=1, stands=True, reason="review") == "NO_SUCH_ROLL"
    pit.roll(2, 2)
    assert pit.refused("overrule", "boxman", roll=2, stands=True, reason="review") == "WRONG_PHASE"


def test_a_no_roll_that_stands_moves_puck_come_bets_and_dice_as_the_throw_would_have() -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    pit.must("no_roll", reason="on_bank", dice=[3, 2])
    pit.overrule(stands=True)
    assert pit.table.wagers["c"].number == 5
    pit.bet("o", "odds", 2000, on="c")
    pit.must("no_roll", reason="stacked", dice=[3, 4])
    assert pit.overrule(stands=True) == {
        "p": ("lost", -1000, 0),
        "c": ("lost", -1000, 0),
        "o": ("lost", -2000, 0),
    }
    assert (pit.table.puck, pit.table.shooter, pit.table.rolls) == (None, None, 3)


def test_a_voided_come_out_takes_the_point_away_again() -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.bet("d", "dont_pass", 1000, player="P2")
    pit.roll(2, 4)
    pit.overrule(void=True)
    assert pit.table.puck is None
    pit.must("reduce", wager="p", to=500)
    pit.must("press", wager="d", to=2000)
    assert pit.roll(3, 4) == {"p": ("won", 500, 1000), "d": ("lost", -2000, 0)}


THROWS = [
    (1, 1),
    (1, 2),
    (2, 2),
    (3, 1),
    (2, 3),
    (3, 3),
    (2, 4),
    (3, 4),
    (4, 4),
    (3, 6),
    (5, 5),
    (5, 6),
    (6, 6),
]


@pytest.mark.parametrize(
    ("rules", "terms"), [(IOWA, {}), (PENNSYLVANIA, {}), (INDIANA, REFERENCE), (PARTY, {})]
)
@pytest.mark.parametrize("at_point", [False, True])
def test_every_face_of_a_roll_may_be_put_right_to_every_other(
    rules: str, terms: dict[str, Any], at_point: bool
) -> None:
    """Money, layout and dice are those of the roll as it stands, whatever was called before it."""
    pit = full_layout(rules, terms, at_point)
    called = {dice: pit.fork() for dice in THROWS}
    for dice, fork in called.items():
        fork.roll(*dice)
    for fork in called.values():
        for stands in THROWS:
            right = fork.fork()
            right.overrule(dice=list(stands))
            assert as_it_is(right) == as_it_is(called[stands]), stands
        void = fork.fork()
        void.overrule(void=True)
        assert as_it_is(void) == as_it_is(pit)


def as_it_is(pit: Pit) -> Any:
    wagers = {w.wager: (w.amount, w.number, w.on, w.commission) for w in pit.table.wagers.values()}
    return pit.table.rails, wagers, pit.table.puck, pit.table.shooter, pit.win()


def full_layout(rules: str, terms: dict[str, Any], at_point: bool) -> Pit:
    """One of everything that the house takes, at a come-out roll or with the point On 8."""
    pit = Pit(rules=rules, terms=terms)
    pit.must("shooter", player="P1")
    tries: list[dict[str, Any]] = [
        {"kind": kind}
        for kind in (
            "pass dont_pass come dont_come put_pass field any_seven any_craps craps_2 craps_12 eleven horn "
            "world c_and_e high_low big_6 big_8 all_small all_tall"
        ).split()
    ]
    tries += [{"kind": kind, "number": n} for kind in ("place", "buy", "lay", "put_come") for n in (4, 6, 9)]
    tries += [{"kind": "hard", "number": n} for n in (4, 6, 8, 10)]
    tries += [{"kind": "hop", "combo": [2, 4]}, {"kind": "horn_high", "high": 3}]
    if at_point:
        for kind in ("pass", "dont_pass"):
            pit.say("bet", player="P1", wager=f"old {kind}", kind=kind, amount=2000)
        pit.roll(4, 4)
        for kind in ("come", "dont_come"):
            pit.say("bet", player="P2", wager=f"old {kind}", kind=kind, amount=2000)
        pit.roll(3, 2)
        for base in ("old pass", "old dont_pass", "old come", "old dont_come"):
            player = "P1" if "pass" in base else "P2"
            pit.say("bet", player=player, wager=f"odds {base}", kind="odds", on=base, amount=2000)
    for i, said in enumerate(tries):
        pit.say("bet", player=f"P{i % 2 + 1}", wager=f"w{i}", amount=2000, **said)
    if not at_point:
        for wager in pit.table.in_order()[::3]:
            pit.say("call", wager=wager.wager, on=True, scope="this")
    return pit


# ---------------------------------------- what was done since a wrong call


def test_a_bet_made_after_a_wrong_seven_out_comes_down_when_it_could_not_have_been_made() -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.roll(3, 3)
    pit.roll(3, 4)
    pit.bet("p2", "pass", 1500)
    pit.bet("f", "field", 700)
    assert pit.overrule(dice=[3, 3]) == {"p": ("won", 1000, 2000)}
    assert pit.layout() == {"p2": 1500, "f": 700}  # still a come-out: both stand
    pit.roll(3, 3)
    pit.roll(3, 4)
    pit.bet("p3", "pass", 1500)
    assert pit.overrule(dice=[2, 2]) == {}
    assert pit.layout() == {"p2": 1500}


@pytest.mark.parametrize(
    ("rules", "terms"), [(IOWA, {}), (INDIANA, REFERENCE), (PENNSYLVANIA, {}), (PARTY, {})]
)
def test_a_pass_made_for_a_come_out_that_was_none_comes_down(rules: str, terms: dict[str, Any]) -> None:
    pit = Pit(rules=rules, terms=terms)
    pit.roll(3, 3)
    pit.roll(3, 4)
    pit.bet("p", "pass", 1500)
    pit.bet("f", "field", 700)
    pit.overrule(dice=[2, 2])
    assert pit.table.puck == 6
    assert pit.layout() == {"f": 700}


def test_a_bet_on_a_point_that_was_none_comes_down() -> None:
    pit = Pit(rules=INDIANA, terms=REFERENCE)
    pit.roll(3, 3)
    pit.bet("late", "pass", 1000)
    pit.overrule(void=True)
    assert pit.layout() == {}
    pit = Pit()
    pit.roll(3, 3)
    pit.bet("put", "put_pass", 1000)
    pit.bet("c", "come", 1000)
    pit.bet("p6", "place", 1200, number=6)
    pit.overrule(dice=[5, 6])
    assert pit.layout() == {"p6": 1200}
    assert pit.won() == 0


def test_an_overrule_may_take_winnings_that_have_left_and_the_rail_owes_them() -> None:
    pit = Pit()
    pit.bet("f", "field", 1000)
    pit.roll(1, 1)
    pit.must("walk", player="P1")
    pit.overrule(dice=[2, 3])
    assert pit.table.rails["P1"] == -3000
    assert pit.win() == 1000
    assert pit.no_bet("field", 500) == "INSUFFICIENT_FUNDS"
    assert pit.refused("pay", wager="f", paid=0) == "BAD_AMOUNT"
    pit.must("buy_in", player="P1", amount=5000, tender="cash")
    assert pit.table.rails["P1"] == 2000


def test_a_mispay_cannot_take_chips_that_have_left() -> None:
    pit = Pit()
    pit.bet("f", "field", 1000)
    pit.roll(1, 2)
    pit.must("walk", player="P1")
    assert pit.refused("pay", wager="f", paid=500) == "INSUFFICIENT_FUNDS"


def test_a_wager_taken_down_after_a_wrong_call_is_decided_by_the_right_one() -> None:
    """The throw found it on the layout; what was done on the strength of a wrong call does not save it."""
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("p6", "place", 1200, number=6)
    pit.bet("b8", "buy", 2000, number=8)
    pit.roll(2, 3)
    pit.must("take_down", wager="p6")
    pit.must("take_down", wager="b8")
    assert pit.won() == 0
    assert pit.overrule(dice=[3, 4]) == {"p6": ("lost", -1200, 0), "b8": ("lost", -2000, 0)}
    assert pit.won() == -3300
    assert pit.layout() == {}


def test_a_wager_taken_down_after_a_wrong_call_that_did_not_matter_stays_down() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("p6", "place", 1200, number=6)
    pit.roll(2, 3)
    pit.must("take_down", wager="p6")
    assert pit.overrule(dice=[4, 4]) == {}
    assert pit.layout() == {}
    assert pit.won() == 0


def test_a_press_after_a_wrong_call_is_not_in_the_roll_that_stands() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("p6", "place", 1200, number=6)
    pit.bet("b10", "buy", 2000, number=10)
    pit.roll(2, 3)
    pit.must("press", wager="p6", to=6000)
    pit.must("press", wager="b10", to=6000)
    assert pit.overrule(dice=[2, 4]) == {"p6": ("won", 1400, 2600)}
    assert pit.layout() == {"b10": 6000}
    assert pit.win() == -1400 + 300


def test_commission_on_a_press_after_a_wrong_call_goes_back_where_the_press_came_too_late() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("b10", "buy", 2000, number=10)
    pit.roll(2, 3)
    pit.must("press", wager="b10", to=6000)
    assert pit.overrule(dice=[4, 6]) == {"b10": ("won", 4000, 6000)}
    assert pit.win() == -4000 + 100
    assert pit.layout() == {}


def test_a_reduction_after_a_wrong_call_is_undone_for_the_roll_that_stands() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("b10", "buy", 6000, number=10)
    pit.roll(2, 3)
    pit.must("reduce", wager="b10", to=2000)
    assert pit.overrule(dice=[4, 6]) == {"b10": ("won", 12000, 18000)}
    assert pit.win() == -12000 + 300


def test_odds_made_on_a_wrong_point_come_down_with_it() -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.bet("o", "odds", 2000, on="p")
    assert pit.overrule(dice=[5, 6]) == {"p": ("won", 1000, 2000)}
    assert pit.layout() == {}
    assert pit.won() == 1000


def test_a_come_bet_sent_to_the_wrong_number_goes_to_the_right_one() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    pit.bet("dc", "dont_come", 1000)
    pit.roll(2, 3)
    pit.bet("o", "odds", 3000, on="c")
    pit.overrule(dice=[2, 4])
    assert {w.wager: w.number for w in pit.table.wagers.values()} == {"c": 6, "dc": 6, "o": None}
    assert pit.roll(1, 5)["o"] == ("won", 3600, 6600)


def test_a_won_wager_that_stays_is_put_back_up_by_the_roll_that_stands() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("b", "buy", 2000, number=6, stays=True)
    pit.roll(3, 3)
    assert pit.layout() == {"b~2": 2000}
    assert pit.overrule(dice=[3, 2]) == {}
    assert pit.layout() == {"b": 2000}
    assert pit.win() == 100
    assert pit.overrule("pit_manager", dice=[4, 2]) == {"b": ("won", 2400, 4400)}
    assert list(pit.layout().values()) == [2000]
    assert pit.win() == -2400 + 200


def test_a_stake_that_went_back_up_keeps_the_next_number_after_the_roll_is_put_right() -> None:
    """One win stands, so the wager that lies there is the second: what the caller calls x~2."""
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("x", "place", 1200, number=6, stays=True)
    pit.roll(3, 3)
    pit.overrule(dice=[4, 2])
    assert pit.layout() == {"x~2": 1200}


def test_a_mispay_is_taken_back_with_the_roll_it_was_made_on() -> None:
    pit = Pit()
    pit.bet("f", "field", 1000)
    pit.roll(1, 1)
    pit.must("pay", wager="f", paid=1000)
    assert pit.won() == 1000
    assert pit.overrule(dice=[2, 3]) == {"f": ("lost", -1000, 0)}
    assert (pit.won(), pit.win()) == (-1000, 1000)
    pit.must("pay", wager="f", paid=500)
    assert (pit.won(), pit.win()) == (-500, 500)


def test_a_mispay_is_booked_against_what_was_owed() -> None:
    pit = Pit()
    pit.bet("h", "horn", 400)
    pit.roll(5, 6)
    (found,) = pit.must("pay", wager="h", paid=1500)
    assert isinstance(found, e.MispayFound)
    assert (found.owed, found.paid, found.difference, found.roll) == (1200, 1500, 300, 1)
    assert pit.refused("pay", wager="h", paid=1500) == "BAD_AMOUNT"
    assert pit.refused("pay", wager="nothing", paid=1) == "NO_SUCH_WAGER"
    pit.must("pay", wager="h", paid=1200)
    assert pit.won() == 1200


def test_an_on_marker_taken_off_by_the_player_does_not_come_back_with_an_overrule() -> None:
    pit = Pit()
    pit.bet("p6", "place", 1200, number=6)
    pit.must("call", wager="p6", on=True)
    pit.roll(1, 1)
    pit.must("call", wager="p6", on=False)
    pit.overrule(dice=[1, 2])
    assert not pit.table.wagers["p6"].on


def test_an_on_marker_that_lapsed_with_a_wrong_point_comes_back_with_the_overrule() -> None:
    pit = Pit()
    pit.bet("p6", "place", 1200, number=6)
    pit.must("call", wager="p6", on=True)
    pit.roll(2, 2)
    assert not pit.table.wagers["p6"].on
    pit.overrule(void=True)
    assert pit.roll(3, 4) == {"p6": ("lost", -1200, 0)}


def test_the_dice_stay_with_the_new_shooter_when_a_seven_out_stays_a_seven_out() -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.roll(2, 2)
    pit.roll(3, 4)
    pit.must("shooter", player="P2")
    pit.overrule(dice=[5, 2])
    assert pit.table.shooter == "P2"


def test_the_dice_go_back_when_the_seven_out_was_none() -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.roll(2, 2)
    pit.roll(3, 4)
    pit.must("shooter", player="P2")
    pit.overrule(dice=[5, 3])
    assert pit.table.shooter == "P1"


# ---------------------------------------- the On marker (paragraph 4)


def test_one_marker_speaks_for_all_similar_wagers_of_that_player_now_and_later() -> None:
    pit = Pit()
    for number in (4, 6):
        pit.bet(f"a{number}", "place", 1200, number=number)
    pit.bet("b5", "buy", 2000, number=5)
    pit.bet("h6", "hard", 500, number=6)
    pit.bet("z6", "place", 1200, number=6, player="P2")
    pit.must("call", wager="a6", on=True)
    pit.bet("a9", "place", 1200, number=9)
    assert {w.wager for w in pit.table.wagers.values() if w.on} == {"a4", "a6", "a9"}
    assert pit.roll(3, 4) == {
        "a4": ("lost", -1200, 0),
        "a6": ("lost", -1200, 0),
        "a9": ("lost", -1200, 0),
    }


def test_a_marker_for_this_wager_speaks_for_no_other() -> None:
    pit = Pit()
    pit.bet("a6", "place", 1200, number=6)
    pit.bet("a8", "place", 1200, number=8)
    pit.must("call", wager="a6", on=True, scope="this")
    pit.bet("a4", "place", 1000, number=4)
    assert pit.roll(3, 4) == {"a6": ("lost", -1200, 0)}


def test_all_similar_and_one_excepted() -> None:
    """ "... unless otherwise specified by such player"."""
    pit = Pit()
    for number in (5, 6, 8):
        pit.bet(f"a{number}", "place", 3000, number=number)
    pit.must("call", wager="a6", on=True)
    pit.must("call", wager="a8", on=False, scope="this")
    assert set(pit.roll(3, 4)) == {"a5", "a6"}


def test_calling_off_takes_the_marker_from_all_similar_wagers() -> None:
    pit = Pit()
    pit.bet("a6", "place", 1200, number=6)
    pit.bet("a8", "place", 1200, number=8)
    pit.must("call", wager="a6", on=True)
    pit.must("call", wager="a8", on=False)
    assert pit.roll(3, 4) == {}


def test_in_pennsylvania_every_wager_has_a_marker_of_its_own() -> None:
    pit = Pit(rules=PENNSYLVANIA)
    pit.bet("a2", "place", 1200, number=2)
    pit.bet("a6", "place", 1200, number=6)
    pit.must("call", wager="a2", on=True)
    pit.bet("a8", "place", 1200, number=8)
    assert pit.roll(3, 4) == {"a2": ("lost", -1200, 0)}


def test_a_marker_lasts_through_come_out_rolls_and_lapses_when_a_point_is_set() -> None:
    """Reading G-6."""
    pit = Pit()
    pit.bet("b5", "buy", 2000, number=5)
    pit.must("call", wager="b5", on=True)
    pit.roll(1, 1)
    pit.roll(5, 6)
    pit.roll(2, 2)  # the point
    assert not pit.table.wagers["b5"].on
    pit.roll(1, 3)  # made
    assert pit.roll(3, 4) == {}  # a come-out 7: off again
    pit.must("call", wager="b5", on=True)
    assert pit.roll(3, 4) == {"b5": ("lost", -2000, 0)}


@pytest.mark.parametrize("kind", ["come", "put_come"])
def test_come_odds_are_one_family_and_their_flat_part_is_always_on(kind: str) -> None:
    pit = Pit()
    number: dict[str, Any] = {"number": 5} if kind == "put_come" else {}
    pit.roll(2, 2)
    pit.bet("c", kind, 1000, **number)
    if kind == "come":
        pit.roll(2, 3)
    pit.bet("o", "odds", 2000, on="c")
    pit.roll(2, 2)
    assert pit.refused("call", wager="c", on=True) == "NOT_SWITCHABLE"
    pit.must("call", wager="o", on=True)
    assert pit.roll(2, 3) == {"c": ("won", 1000, 2000), "o": ("won", 3000, 5000)}


def test_off_come_odds_come_back_when_their_flat_part_wins_on_the_come_out_and_wait_otherwise() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    pit.roll(2, 4)
    pit.bet("o", "odds", 5000, on="c")
    pit.roll(2, 2)
    assert pit.roll(5, 6) == {}
    assert pit.roll(1, 2) == {}
    assert pit.roll(3, 3) == {"c": ("won", 1000, 2000), "o": ("returned", 0, 5000)}


def test_off_come_odds_wake_with_the_point() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    pit.roll(2, 4)
    pit.bet("o", "odds", 5000, on="c")
    pit.roll(2, 2)
    pit.roll(4, 5)
    assert pit.roll(3, 4) == {"c": ("lost", -1000, 0), "o": ("lost", -5000, 0)}


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "lay", "number": 4},
        {"kind": "big_6"},
        {"kind": "big_8"},
        {"kind": "field"},
        {"kind": "put_come", "number": 5},
        {"kind": "pass"},
        {"kind": "dont_pass"},
        {"kind": "horn"},
    ],
)
def test_what_the_list_of_inactive_wagers_does_not_name_cannot_be_switched(said: dict[str, Any]) -> None:
    pit = Pit()
    pit.bet("x", amount=2000, **said)
    assert pit.refused("call", wager="x", on=True) == "NOT_SWITCHABLE"
    assert pit.refused("call", wager="x", on=False) == "NOT_SWITCHABLE"


def test_dont_come_odds_are_always_on() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("d", "dont_come", 1000)
    pit.roll(4, 5)
    pit.bet("o", "odds", 3000, on="d")
    pit.roll(2, 2)
    assert pit.refused("call", wager="o", on=False) == "NOT_SWITCHABLE"
    assert pit.roll(4, 5) == {"d": ("lost", -1000, 0), "o": ("lost", -3000, 0)}


def test_with_the_point_on_nothing_is_called_off() -> None:
    """Reading G-6: the player may take the wager down instead."""
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("p6", "place", 1200, number=6)
    assert pit.refused("call", wager="p6", on=False) == "NOT_SWITCHABLE"
    assert pit.roll(3, 4) == {"p6": ("lost", -1200, 0)}


@pytest.mark.parametrize(("rules", "terms"), [(INDIANA, REFERENCE), (PARTY, {})])
def test_where_nothing_sleeps_there_is_no_marker(rules: str, terms: dict[str, Any]) -> None:
    pit = Pit(rules=rules, terms=terms)
    pit.bet("p6", "place", 1200, number=6)
    pit.bet("h6", "hard", 500, number=6)
    for wager in ("p6", "h6"):
        assert pit.refused("call", wager=wager, on=True) == "NOT_SWITCHABLE"
        assert pit.refused("call", wager=wager, on=False) == "NOT_SWITCHABLE"


def test_the_house_may_list_what_sleeps_in_indiana() -> None:
    pit = Pit(rules=INDIANA, terms={**REFERENCE, "off_on_come_out": ["place", "hard"]})
    pit.bet("p6", "place", 1200, number=6)
    pit.bet("b5", "buy", 2000, number=5)
    pit.bet("h4", "hard", 500, number=4)
    pit.must("call", wager="h4", on=True)
    assert pit.roll(3, 4) == {"b5": ("lost", -2000, 0), "h4": ("lost", -500, 0)}


def test_a_house_list_with_a_family_that_nobody_knows_opens_no_table() -> None:
    pit = Pit()
    pit.must("close", "boxman", closer=0)
    terms = {"min": 500, "max": 5000, "chip": 100, "payout_unit": 1, "opener": 0, "gaming_day": "2026-11-28"}
    line = {"id": "again", "at": "2026-11-28T22:00:00Z", "table": "CR01", "do": "open", "rules": IOWA}
    by = {"badge": "B-1", "role": "boxman"}
    for off in (["hardways"], ["nonsense"], ["pass"]):
        try:
            answer = pit.tell({**line, **terms, "by": by, "off_on_come_out": off})
        except ValueError:
            continue  # malformed is as good
        assert isinstance(answer, Refusal), off


@pytest.mark.parametrize("rules", [IOWA, PENNSYLVANIA, INDIANA, PARTY])
def test_one_list_of_what_sleeps_serves_every_table_of_the_house(rules: str) -> None:
    pit = Pit(
        rules=rules, terms={**REFERENCE, "off_on_come_out": ["place", "buy", "lay", "hard", "come_odds"]}
    )
    pit.bet("p6", "place", 1200, number=6)
    assert pit.roll(3, 4) == {}


def test_an_empty_house_list_leaves_nothing_asleep() -> None:
    pit = Pit(terms={"off_on_come_out": []})
    pit.bet("p6", "place", 1200, number=6)
    pit.bet("h6", "hard", 500, number=6)
    assert pit.refused("call", wager="p6", on=True) == "NOT_SWITCHABLE"
    assert pit.roll(3, 4) == {"p6": ("lost", -1200, 0), "h6": ("lost", -500, 0)}


def test_a_marked_wager_that_stays_goes_back_up_with_its_marker() -> None:
    pit = Pit(rules=INDIANA, terms={**REFERENCE, "off_on_come_out": ["hard"]})
    pit.bet("h", "hard", 500, number=4, stays=True)
    pit.must("call", wager="h", on=True)
    assert pit.roll(2, 2) == {"h": ("won", 3500, 4000)}
    assert not pit.table.wagers["h~2"].on  # the point was set: the marker lapsed
    assert pit.roll(1, 3) == {"h~2": ("lost", -500, 0)}


# ---------------------------------------- minimum, maximum, case bets


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "pass"},
        {"kind": "dont_pass"},
        {"kind": "put_come", "number": 5},
        {"kind": "place", "number": 5},
        {"kind": "buy", "number": 5},
        {"kind": "lay", "number": 5},
    ],
)
def test_the_minimum_and_the_maximum_bind(said: dict[str, Any]) -> None:
    pit = Pit(terms={"min": 1000, "max": 50_000})
    assert pit.no_bet(amount=900, **said) == "BELOW_MIN"
    assert pit.no_bet(amount=50_100, **said) == "ABOVE_MAX"
    pit.bet("least", amount=1000, **said)
    pit.bet("most", amount=50_000, **said)
    assert pit.refused("press", wager="most", to=50_100) == "ABOVE_MAX"
    if said["kind"] != "put_come":  # a contract from the start
        assert pit.refused("reduce", wager="most", to=900) == "BELOW_MIN"
        pit.must("reduce", wager="most", to=1000)


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "field"},
        {"kind": "any_seven"},
        {"kind": "hard", "number": 8},
        {"kind": "big_6"},
        {"kind": "c_and_e"},
        {"kind": "eleven"},
    ],
)
def test_the_maximum_binds_propositions_the_minimum_does_not(said: dict[str, Any]) -> None:
    pit = Pit(terms={"min": 1000, "max": 50_000})
    pit.bet("x", amount=100, **said)
    assert pit.no_bet(amount=50_100, **said) == "ABOVE_MAX"
    assert pit.refused("press", wager="x", to=50_100) == "ABOVE_MAX"


def test_odds_are_bound_by_neither() -> None:
    pit = Pit(terms={"min": 1000, "max": 50_000})
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.bet("o", "odds", 100, on="p")
    pit.must("press", wager="o", to=1_000_000)


def test_place_six_and_eight_may_exceed_the_maximum_by_a_fifth() -> None:
    """Paragraph 5, its "minimum" read as maximum (reading I-9)."""
    pit = Pit(terms={"max": 100_000})
    pit.bet("p6", "place", 120_000, number=6)
    pit.bet("p8", "place", 60_000, number=8)
    pit.must("press", wager="p8", to=120_000)
    assert pit.refused("press", wager="p8", to=120_100) == "ABOVE_MAX"
    for kind, number in (("place", 5), ("place", 9), ("buy", 6), ("lay", 8), ("put_come", 6)):
        assert pit.no_bet(kind, 100_100, number=number) == "ABOVE_MAX"
    assert pit.no_bet("big_6", 100_100) == "ABOVE_MAX"


@pytest.mark.parametrize(("rules", "terms"), [(PENNSYLVANIA, {}), (INDIANA, REFERENCE), (PARTY, {})])
def test_no_other_document_lets_place_bets_exceed_the_maximum(rules: str, terms: dict[str, Any]) -> None:
    pit = Pit(rules=rules, terms={**terms, "max": 100_000})
    assert pit.no_bet("place", 100_100, number=6) == "ABOVE_MAX"
    assert pit.no_bet("pass", 400, approval="case_bet", role="boxman") == "BELOW_MIN"


def case_pit(rail: int) -> Pit:
    pit = Pit(terms={"min": 1000}, players=())
    pit.must("buy_in", player="P1", amount=rail, tender="cash")
    return pit


def test_a_case_bet_takes_a_short_rail_and_a_supervisor() -> None:
    pit = case_pit(900)
    assert pit.no_bet("pass", 900) == "BELOW_MIN"
    assert pit.no_bet("pass", 900, approval="case_bet") == "NO_AUTHORITY"
    assert pit.no_bet("pass", 1000, approval="case_bet", role="boxman") == "INSUFFICIENT_FUNDS"
    assert pit.no_bet("pass", 950, approval="case_bet", role="boxman") == "BAD_UNIT"
    placed = pit.must(
        "bet", "pit_manager", player="P1", wager="c", kind="pass", amount=900, approval="case_bet"
    )
    assert only(placed, e.WagerPlaced)[0].case_bet
    assert pit.roll(5, 6) == {"c": ("won", 900, 1800)}


def test_a_case_bet_is_no_way_round_the_minimum() -> None:
    pit = case_pit(1000)
    assert pit.no_bet("place", 600, number=6, approval="case_bet", role="boxman") == "CASE_BET_NOT_APPLICABLE"
    placed = pit.must(
        "bet", "boxman", player="P1", wager="full", kind="place", number=6, amount=1000, approval="case_bet"
    )
    assert not only(placed, e.WagerPlaced)[0].case_bet


def test_a_case_bet_that_wins_does_not_go_back_up_below_the_minimum() -> None:
    pit = case_pit(600)
    said = {"player": "P1", "wager": "c", "kind": "place", "number": 6, "amount": 600}
    pit.must("bet", "boxman", approval="case_bet", stays=True, **said)
    pit.roll(2, 2)
    assert pit.roll(3, 3) == {"c": ("won", 700, 1300)}
    assert pit.layout() == {}


# ---------------------------------------- amounts, units, funds


@pytest.mark.parametrize("amount", [0, -500, -(2**53) + 1])
def test_nothing_and_less_than_nothing_is_no_wager(amount: int) -> None:
    for rules, terms in ((IOWA, {}), (PENNSYLVANIA, {}), (INDIANA, REFERENCE), (PARTY, {})):
        pit = Pit(rules=rules, terms=terms)
        for said in ({"kind": "pass"}, {"kind": "field"}, {"kind": "place", "number": 6}):
            assert pit.no_bet(amount=amount, **said) == "BAD_AMOUNT"


def test_chips_and_units() -> None:
    pit = Pit(terms={"chip": 500})
    assert pit.no_bet("field", 700) == "BAD_UNIT"
    assert pit.no_bet("horn", 1000) == "BAD_UNIT"
    assert pit.no_bet("world", 2000) == "BAD_UNIT"
    assert pit.no_bet("horn_high", 2000, high=12) == "BAD_UNIT"
    pit.bet("h", "horn", 2000)
    pit.bet("w", "world", 2500)
    pit.bet("hh", "horn_high", 5000, high=12)
    pit.bet("ce", "c_and_e", 500)
    assert pit.refused("press", wager="h", to=2500) == "BAD_UNIT"
    assert pit.refused("reduce", wager="hh", to=2000) == "BAD_UNIT"
    assert pit.roll(6, 6) == {
        "h": ("won", 13500, 15500),
        "w": ("won", 13000, 15500),
        "hh": ("won", 57000, 62000),
        "ce": ("won", 1500, 2000),
    }


def test_a_wager_takes_the_chips_and_the_commission_that_are_on_the_rail() -> None:
    pit = Pit(players=())
    pit.must("buy_in", player="P1", amount=2099, tender="cash")
    assert pit.no_bet("buy", 2000, number=4) == "INSUFFICIENT_FUNDS"
    pit.must("buy_in", player="P1", amount=1, tender="chips")
    pit.bet("b", "buy", 2000, number=4)
    assert pit.table.rails == {"P1": 0}
    assert pit.no_bet("field", 500) == "INSUFFICIENT_FUNDS"
    assert pit.no_bet("field", 500, player="nobody") == "INSUFFICIENT_FUNDS"
    assert pit.refused("press", wager="b", to=2100) == "INSUFFICIENT_FUNDS"
    assert pit.refused("walk", player="P1", amount=1) == "INSUFFICIENT_FUNDS"


@pytest.mark.parametrize(
    ("amount", "number", "commission"),
    [(2000, 4, 100), (2500, 4, 125), (500, 10, 25), (1000, 6, 50), (1100, 6, 55), (3300, 9, 165)],
)
def test_a_buy_pays_five_per_cent_of_the_wager(amount: int, number: int, commission: int) -> None:
    pit = Pit()
    (taken,) = only(pit.bet("b", "buy", amount, number=number), e.CommissionCollected)
    assert (taken.amount, taken.basis) == (commission, "wager")
    assert taken.section == "Prairie Meadows, True Odds on Place Bets 1"


@pytest.mark.parametrize(
    ("amount", "number", "commission"),
    [
        (4000, 4, 100),
        (6000, 6, 250),
        (3000, 9, 100),
        (1000, 5, 33),
        (500, 8, 21),
        (500, 10, 13),
        (1000, 6, 42),
    ],
)
def test_a_lay_pays_five_per_cent_of_what_it_could_win(amount: int, number: int, commission: int) -> None:
    """To the nearest cent, half a cent up (reading G-3): a $5 lay of the ten could win $2.50: 12.5 cents."""
    pit = Pit()
    (taken,) = only(pit.bet("l", "lay", amount, number=number), e.CommissionCollected)
    assert (taken.amount, taken.basis) == (commission, "win")


def test_commission_follows_the_stake_up_and_down_and_comes_back_with_it() -> None:
    """True Odds on Place Bets 4; a reduction pro rata (reading I-7)."""
    pit = Pit()
    pit.bet("b", "buy", 2000, number=4)
    (more,) = only(pit.must("press", wager="b", to=10_000), e.CommissionCollected)
    (back,) = only(pit.must("reduce", wager="b", to=3000), e.CommissionRefunded)
    assert (more.amount, back.amount) == (400, 350)
    assert back.section == "Prairie Meadows, True Odds on Place Bets 4"
    down = pit.must("take_down", wager="b")
    assert [x.amount for x in only(down, e.CommissionRefunded)] == [150]
    assert pit.table.rails["P1"] == BANKROLL


def test_odd_cents_of_commission_are_never_made_nor_lost_on_the_way() -> None:
    pit = Pit()
    pit.bet("l", "lay", 500, number=5)
    for to in (600, 700, 1300, 2900):
        pit.must("press", wager="l", to=to)
    for to in (2800, 1700, 1100, 500):
        pit.must("reduce", wager="l", to=to)
    assert pit.table.wagers["l"].commission == 17
    pit.must("take_down", wager="l")
    assert pit.table.rails["P1"] == BANKROLL


def test_a_lay_keeps_its_commission_win_or_lose() -> None:
    pit = Pit()
    pit.bet("l4", "lay", 4000, number=4)
    pit.bet("l9", "lay", 3000, number=9)
    assert pit.roll(4, 5) == {"l9": ("lost", -3000, 0)}
    assert pit.roll(3, 4) == {"l4": ("won", 2000, 6000)}
    assert pit.won() == -3000 + 2000 - 200


def test_a_wager_that_stays_pays_its_commission_again() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("b", "buy", 2000, number=10, stays=True)
    again = pit.must("roll", dice=[4, 6])
    assert decided(again) == {"b": ("won", 4000, 6000)}
    assert [x.amount for x in only(again, e.CommissionCollected)] == [100]
    pit.roll(5, 5)
    assert pit.layout() == {"b~3": 2000}
    pit.must("take_down", wager="b~3")
    assert pit.won() == 8000 - 200


def test_a_stake_goes_back_up_only_where_it_could_be_made() -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000, stays=True)
    pit.bet("d", "dont_pass", 1000, player="P2", stays=True)
    pit.roll(3, 4)
    assert pit.layout() == {"p~2": 1000}
    pit.roll(2, 2)
    pit.bet("c", "come", 1000, stays=True)
    pit.bet("u", "put_come", 1000, number=9, stays=True)
    pit.roll(5, 6)
    assert pit.layout() == {"p~2": 1000, "u": 1000, "c~2": 1000}
    assert pit.table.wagers["c~2"].in_box
    pit.roll(4, 5)
    assert pit.layout() == {"p~2": 1000, "c~2": 1000, "u~2": 1000}
    pit.roll(3, 1)
    assert pit.layout() == {"c~2": 1000, "u~2": 1000, "p~3": 1000}
    assert pit.roll(3, 4) == {
        "c~2": ("lost", -1000, 0),
        "u~2": ("lost", -1000, 0),
        "p~3": ("won", 1000, 2000),
    }


def test_what_the_payable_unit_cannot_pay_is_breakage() -> None:
    pit = Pit(terms={"payout_unit": 100})
    pit.roll(2, 2)
    pit.bet("p6", "place", 1000, number=6)
    pit.bet("d", "dont_come", 500)
    (paid,) = only(pit.must("roll", dice=[3, 3]), e.WagerSettled)
    assert (paid.owed, paid.paid, paid.breakage) == ("3500/3", 1100, "200/3")
    pit.bet("o", "odds", 1000, on="d")
    settled = only(pit.must("roll", dice=[3, 4]), e.WagerSettled)
    laid = next(s for s in settled if s.wager == "o")
    assert (laid.owed, laid.paid, laid.breakage, laid.credit) == ("2500/3", 800, "100/3", 1800)


def test_an_odds_bet_too_small_to_be_paid_is_settled_all_the_same() -> None:
    pit = Pit(terms={"payout_unit": 500})
    pit.bet("d", "dont_pass", 500)
    pit.roll(2, 2)
    pit.bet("o", "odds", 500, on="d")
    assert pit.roll(3, 4) == {"d": ("won", 500, 1000), "o": ("won", 0, 500)}
    assert only(pit.events, e.WagerSettled)[-1].breakage == "250"


# ---------------------------------------- odds and their limits


def test_no_posted_limit_is_no_limit() -> None:
    pit = Pit()
    pit.bet("p", "pass", 500)
    pit.roll(2, 2)
    pit.bet("o", "odds", 5_000_000, on="p")


def test_odds_up_to_the_posted_amount_whatever_the_base() -> None:
    pit = Pit(terms={"odds_max": 10_000})
    pit.bet("p", "pass", 500)
    pit.bet("d", "dont_pass", 500, player="P2")
    pit.roll(4, 5)
    assert pit.no_bet("odds", 10_100, on="p") == "ODDS_LIMIT"
    assert pit.no_bet("odds", 10_200, player="P2", on="d") == "ODDS_LIMIT"
    pit.bet("o", "odds", 10_000, on="p")
    assert pit.refused("press", wager="o", to=10_100) == "ODDS_LIMIT"
    assert pit.no_bet("odds", 100, on="p") == "ODDS_LIMIT"  # all odds behind one base together
    pit.bet("do", "odds", 10_000, player="P2", on="d")


def test_odds_up_to_the_posted_multiple_of_their_own_base() -> None:
    pit = Pit(terms={"odds_multiple": 2})
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.bet("c", "come", 5000)
    pit.roll(4, 5)
    assert pit.no_bet("odds", 2100, on="p") == "ODDS_LIMIT"
    pit.bet("o", "odds", 2000, on="p")
    pit.bet("co", "odds", 10_000, on="c")
    assert pit.refused("press", wager="o", to=2100) == "ODDS_LIMIT"
    pit.must("reduce", wager="o", to=1000)
    pit.must("press", wager="o", to=2000)


def test_on_the_dont_side_the_multiple_counts_in_what_the_base_could_win() -> None:
    """A $10 don't pass could win $10: double odds may win $20, which against the ten takes a lay of $40."""
    pit = Pit(terms={"odds_multiple": 2})
    pit.bet("d", "dont_pass", 1000)
    pit.roll(5, 5)
    assert pit.no_bet("odds", 4100, on="d") == "ODDS_LIMIT"
    pit.bet("o", "odds", 4000, on="d")
    assert pit.refused("reduce", wager="d", to=500) == "ODDS_LIMIT"
    pit.must("reduce", wager="o", to=2000)
    pit.must("reduce", wager="d", to=500)
    assert pit.roll(3, 4) == {"d": ("won", 500, 1000), "o": ("won", 1000, 3000)}


@pytest.mark.parametrize(
    ("base", "multiple", "point", "most"),
    [
        (700, 1, 6, 1000),
        (700, 1, 9, 800),
        (700, 1, 4, 700),
        (700, 1, 2, 700),
        (700, 1, 11, 700),
        (1000, 1, 8, 1000),
        (1100, 1, 8, 1500),
        (500, 2, 5, 1000),
        (700, 3, 6, 2500),
        (700, 3, 5, 2200),
        (700, 10, 6, 7000),
        (900, 9, 8, 8500),
    ],
)
def test_a_pennsylvania_supplement_exceeds_its_limit_only_as_far_as_it_must_to_be_paid(
    base: int, multiple: int, point: int, most: int
) -> None:
    """(e)(4), reading P-6."""
    pit = Pit(rules=PENNSYLVANIA, terms={"odds_multiple": multiple})
    pit.bet("p", "pass", base)
    pit.roll(point // 2, point - point // 2) if point < 12 else pit.roll(6, 6)
    for amount in range(base * multiple + 100, most + 1100, 100):
        if amount != most:
            assert pit.no_bet("odds", amount, on="p") == "ODDS_LIMIT", amount
    pit.bet("o", "odds", most, on="p")
    assert pit.refused("press", wager="o", to=most + 100) == "ODDS_LIMIT"
    pit.must("reduce", wager="o", to=100)


@pytest.mark.parametrize(
    "posted", [{}, {"odds_multiple": 10}, {"odds_multiple": 20}, {"odds_max": 50_000_000}]
)
def test_pennsylvania_never_allows_more_than_ten_times(posted: dict[str, Any]) -> None:
    pit = Pit(rules=PENNSYLVANIA, terms=posted)
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    assert pit.no_bet("odds", 10_100, on="p") == "ODDS_LIMIT"
    pit.bet("o", "odds", 10_000, on="p")
    pit.bet("c", "come", 500)
    pit.roll(1, 2)
    assert pit.no_bet("odds", 5100, on="c") == "ODDS_LIMIT"
    pit.bet("co", "odds", 5000, on="c")


def test_odds_need_a_base_of_the_same_player_with_a_point() -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.bet("f", "field", 1000)
    assert pit.no_bet("odds", 1000, on="p") == "WRONG_PHASE"
    assert pit.no_bet("odds", 1000, on="f") == "NO_BASE_WAGER"
    assert pit.no_bet("odds", 1000, on="x") == "NO_BASE_WAGER"
    pit.roll(2, 2)
    assert pit.no_bet("odds", 1000, player="P2", on="p") == "NO_BASE_WAGER"
    assert pit.no_bet("odds", 0, on="p") == "BAD_AMOUNT"
    pit.bet("c", "come", 1000)
    assert pit.no_bet("odds", 1000, on="c") == "WRONG_PHASE"
    pit.bet("o", "odds", 1000, on="p")
    assert pit.no_bet("odds", 1000, on="o") == "NO_BASE_WAGER"
    pit.roll(1, 3)
    assert pit.no_bet("odds", 1000, on="p") == "NO_BASE_WAGER"


# ---------------------------------------- removal (paragraphs 3.1, 3.2)


@pytest.mark.parametrize(
    ("rules", "terms", "kinds"),
    [
        (IOWA, {}, ["pass", "come", "put_pass", "put_come"]),
        (PENNSYLVANIA, {}, ["pass", "come"]),
        (INDIANA, REFERENCE, ["pass", "come", "late pass"]),
        (PARTY, {}, ["pass", "come"]),
    ],
)
def test_a_contract_bet_stays_up_once_it_has_its_point(
    rules: str, terms: dict[str, Any], kinds: list[str]
) -> None:
    for kind in kinds:
        pit = Pit(rules=rules, terms=terms)
        if kind == "pass":
            pit.bet("x", "pass", 2000)
            pit.must("reduce", wager="x", to=1000)
        pit.roll(3, 3)
        if kind != "pass":
            number: dict[str, Any] = {"number": 9} if kind == "put_come" else {}
            pit.bet("x", kind.removeprefix("late "), 1000, **number)
        if kind == "come":
            pit.must("press", wager="x", to=2000)
            pit.must("reduce", wager="x", to=1000)
            pit.roll(4, 5)
        assert pit.refused("take_down", wager="x") == "CONTRACT_BET", kind
        assert pit.refused("reduce", wager="x", to=500) == "CONTRACT_BET", kind


def test_a_contract_holds_on_the_come_out_too() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    pit.roll(4, 5)
    pit.roll(2, 2)
    assert pit.refused("take_down", wager="c") == "CONTRACT_BET"
    assert pit.refused("press", wager="c", to=2000) in ("WRONG_PHASE", "CONTRACT_BET")


@pytest.mark.parametrize(("rules", "terms"), [(IOWA, {}), (INDIANA, REFERENCE), (PARTY, {})])
def test_the_dont_side_comes_down_but_never_goes_up_with_a_point(rules: str, terms: dict[str, Any]) -> None:
    pit = Pit(rules=rules, terms=terms)
    pit.bet("d", "dont_pass", 1000)
    pit.must("press", wager="d", to=3000)
    pit.roll(4, 5)
    pit.bet("c", "dont_come", 1000)
    pit.must("press", wager="c", to=3000)
    pit.roll(2, 2)
    for wager in ("d", "c"):
        assert pit.refused("press", wager=wager, to=4000) == "NO_INCREASE_UNTIL_COME_OUT"
        pit.must("reduce", wager=wager, to=2000)
        assert pit.refused("press", wager=wager, to=3000) == "NO_INCREASE_UNTIL_COME_OUT"
        pit.must("take_down", wager=wager)
    assert pit.no_bet("dont_pass", 1000) == "WRONG_PHASE"
    pit.bet("c2", "dont_come", 1000)  # a fresh one in the box replaces nothing (reading I-4)
    assert pit.roll(5, 6) == {"c2": ("lost", -1000, 0)}


def test_odds_behind_a_dont_bet_may_still_be_raised() -> None:
    pit = Pit()
    pit.bet("d", "dont_pass", 1000)
    pit.roll(4, 5)
    pit.bet("o", "odds", 1500, on="d")
    pit.must("press", wager="o", to=3000)


@pytest.mark.parametrize("kind", ["dont_pass", "dont_come"])
def test_odds_come_down_with_their_base(kind: str) -> None:
    pit = Pit()
    if kind == "dont_pass":
        pit.bet("d", kind, 1000)
        pit.roll(4, 5)
    else:
        pit.roll(2, 2)
        pit.bet("d", kind, 1000)
        pit.roll(4, 5)
    pit.bet("o", "odds", 3000, on="d")
    pit.bet("o2", "odds", 300, on="d")
    down = only(pit.must("take_down", wager="d"), e.WagerTakenDown)
    assert {x.wager: x.amount for x in down} == {"d": 1000, "o": 3000, "o2": 300}
    assert pit.layout() == {}
    assert pit.won() == 0


def test_a_line_bet_with_a_point_is_not_raised() -> None:
    """In Iowa money added after the point is a put bet of its own; in Indiana a pass is made at any time."""
    for rules in (IOWA, PENNSYLVANIA, PARTY):
        pit = Pit(rules=rules)
        pit.bet("p", "pass", 1000)
        pit.roll(3, 3)
        assert pit.refused("press", wager="p", to=2000) in ("WRONG_PHASE", "CONTRACT_BET")
        pit.bet("c", "come", 1000)
        pit.roll(4, 5)
        assert pit.refused("press", wager="c", to=2000) in ("WRONG_PHASE", "CONTRACT_BET")
    pit = Pit(rules=INDIANA, terms=REFERENCE)
    pit.bet("p", "pass", 1000)
    pit.roll(3, 3)
    pit.must("press", wager="p", to=2000)
    assert pit.roll(2, 4) == {"p": ("won", 2000, 4000)}


def test_bonus_wagers_are_held_to_their_start() -> None:
    """Made before a come-out with nothing gathered, and locked once a roll is taken (reading P-8)."""
    pit = Pit(rules=PENNSYLVANIA)
    pit.bet("s", "all_small", 500)
    pit.bet("t", "all_tall", 500)
    pit.must("press", wager="s", to=1000)
    pit.must("no_roll", reason="short")
    pit.must("reduce", wager="s", to=600)
    pit.must("take_down", wager="t")
    for dice in ((1, 1), (1, 2), (2, 2), (2, 3), (1, 1)):
        pit.roll(*dice)
    assert pit.table.puck is None  # a come-out again, with only the 6 missing
    assert pit.refused("take_down", wager="s") == "CONTRACT_BET"
    assert pit.refused("reduce", wager="s", to=500) == "CONTRACT_BET"
    assert pit.refused("press", wager="s", to=50_000) in ("CONTRACT_BET", "WRONG_PHASE")
    pit.bet("s2", "all_small", 500)
    assert pit.roll(2, 4) == {"s": ("won", 20_400, 21_000)}
    assert pit.no_bet("all_tall", 500) == "WRONG_PHASE"
    assert pit.roll(3, 4) == {"s2": ("lost", -500, 0)}


def test_a_bonus_wager_counts_no_roll_that_was_void() -> None:
    pit = Pit(rules=PENNSYLVANIA)
    pit.bet("s", "all_small", 500)
    for dice in ((1, 1), (1, 2), (2, 2), (2, 3)):
        pit.roll(*dice)
    pit.overrule(void=True)
    assert pit.roll(2, 4) == {}
    assert pit.roll(2, 3) == {"s": ("won", 17_000, 17_500)}


def test_a_bonus_wager_gathers_the_number_that_stands_and_not_the_one_that_was_called() -> None:
    pit = Pit(rules=PENNSYLVANIA)
    pit.bet("s", "all_small", 500)
    for dice in ((1, 1), (2, 2), (2, 3)):
        pit.roll(*dice)
    pit.roll(3, 3)
    assert pit.overrule(dice=[1, 2]) == {}  # the 6 is still missing
    assert pit.roll(1, 2) == {}
    assert pit.roll(2, 4) == {"s": ("won", 17_000, 17_500)}


def test_a_completed_bonus_put_right_is_not_complete() -> None:
    pit = Pit(rules=PENNSYLVANIA)
    pit.bet("s", "all_small", 500)
    for dice in ((1, 1), (1, 2), (2, 2), (2, 3)):
        pit.roll(*dice)
    assert pit.roll(3, 3) == {"s": ("won", 17_000, 17_500)}
    assert pit.overrule(dice=[3, 4]) == {"s": ("lost", -500, 0)}
    assert pit.overrule("pit_manager", dice=[4, 4]) == {}
    assert pit.roll(5, 1) == {"s": ("won", 17_000, 17_500)}


# ---------------------------------------- what management may allow


def test_management_may_allow_the_removal_of_a_contract_bet() -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.bet("o", "odds", 2000, on="p")
    for role in ("dealer", "boxman", "floor", "security"):
        assert pit.refused("allow", role, what="removal", wager="p", reason="last player") == "NO_AUTHORITY"
    assert pit.refused("allow", "pit_manager", what="removal", wager="x") == "NO_SUCH_WAGER"
    (allowed,) = pit.must(
        "allow", "pit_manager", what="removal", wager="p", reason="last player refuses to shoot"
    )
    assert isinstance(allowed, e.ExceptionAllowed)
    assert allowed.section == "Prairie Meadows, Making and Removal of Wagers 3"
    assert pit.layout() == {"p": 1000, "o": 2000}
    pit.must("take_down", wager="p")
    assert pit.layout() == {}
    assert pit.won() == 0


def test_management_may_allow_a_dont_bet_back_to_what_it_was() -> None:
    pit = Pit()
    pit.bet("d", "dont_pass", 2000)
    pit.roll(2, 2)
    pit.must("reduce", wager="d", to=1000)
    pit.must(
        "allow", "shift_manager", what="replacement", wager="d", to=2000, reason="dealer took it by mistake"
    )
    assert pit.refused("press", wager="d", to=2100) == "NO_INCREASE_UNTIL_COME_OUT"
    pit.must("press", wager="d", to=2000)
    pit.must("reduce", wager="d", to=1000)
    assert pit.refused("press", wager="d", to=2000) == "NO_INCREASE_UNTIL_COME_OUT"  # once


@pytest.mark.parametrize("kind", ["dont_pass", "dont_come"])
def test_management_may_allow_a_dont_bet_that_came_down_to_be_put_back(kind: str) -> None:
    """ "... but may not be replaced ... Management may allow exception": the dealer moved the wrong bet."""
    pit = Pit()
    if kind == "dont_come":
        pit.roll(2, 2)
    pit.bet("d", kind, 2000)
    pit.roll(4, 5)
    pit.must("take_down", wager="d")
    pit.must(
        "allow", "pit_manager", what="replacement", wager="d", to=2000, reason="the dealer took the wrong bet"
    )
    pit.bet("d2", kind, 2000)
    assert pit.refused("press", wager="d2", to=2500) == "NO_INCREASE_UNTIL_COME_OUT"
    assert pit.roll(3, 4) == {"d2": ("won", 2000, 4000)}


def test_the_shooter_has_a_line_bet_where_the_house_wants_one() -> None:
    """Throw Of The Dice."""
    pit = Pit(terms={"waive_line_bet": False})
    assert pit.refused("roll", dice=[2, 2]) == "NO_SHOOTER_LINE_BET"
    pit.must("shooter", player="P1")
    pit.bet("p", "pass", 1000, player="P2")
    assert pit.refused("roll", dice=[2, 2]) == "NO_SHOOTER_LINE_BET"
    pit.bet("d", "dont_pass", 1000)
    pit.roll(2, 2)
    pit.must("take_down", wager="d")
    pit.roll(1, 2)
    pit.roll(2, 2)
    assert pit.refused("roll", dice=[2, 2]) == "NO_SHOOTER_LINE_BET"
    assert pit.refused("allow", "floor", what="no_line_bet") == "NO_AUTHORITY"
    (allowed,) = pit.must("allow", "pit_manager", what="no_line_bet", reason="last player, out of chips")
    assert sections([allowed]) == ["Prairie Meadows, Throw Of The Dice"]
    pit.roll(2, 2)
    pit.roll(2, 2)
    pit.roll(1, 1)
    pit.must("shooter", player="P2")
    assert pit.refused("roll", dice=[2, 2]) == "NO_SHOOTER_LINE_BET"


def test_the_exception_stays_with_the_shooter_whose_seven_out_was_none() -> None:
    pit = Pit(terms={"waive_line_bet": False})
    pit.must("shooter", player="P1")
    pit.must("allow", "pit_manager", what="no_line_bet")
    pit.roll(2, 2)
    pit.roll(3, 4)
    pit.overrule(void=True)
    pit.roll(2, 2)
    pit.roll(1, 1)


def test_a_player_who_may_not_play_on_takes_his_chips_and_goes() -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.bet("p", "pass", 1000)
    pit.bet("q", "pass", 1000, player="P2")
    pit.roll(2, 2)
    pit.bet("o", "odds", 1000, on="p")
    pit.bet("b", "buy", 2000, number=6)
    assert pit.refused("deny_play", "dealer", player="P1", reason="abuse") == "NO_AUTHORITY"
    pit.must("deny_play", "floor", player="P1", reason="abuse")
    assert pit.layout() == {"q": 1000}
    assert pit.table.rails["P1"] == BANKROLL
    assert pit.table.shooter is None
    assert pit.no_bet("field", 500) == "PLAY_DENIED"
    assert pit.refused("buy_in", player="P1", amount=500, tender="cash") == "PLAY_DENIED"
    assert pit.refused("shooter", player="P1") == "PLAY_DENIED"
    pit.must("walk", player="P1")
    assert pit.table.rails["P1"] == 0


# ---------------------------------------- dice and shooter


def test_the_seven_out_passes_the_dice_and_a_come_out_seven_does_not() -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.roll(3, 4)
    assert pit.table.shooter == "P1"
    pit.roll(2, 2)
    passed = only(pit.must("roll", dice=[3, 4]), e.DicePassed)
    assert [(x.player, x.cause, x.section) for x in passed] == [
        ("P1", "seven_out", "Prairie Meadows, Continuation of Shooter 1.1")
    ]
    assert pit.table.shooter is None


def test_the_shooter_may_pass_the_dice_after_any_roll_and_the_point_carries_over() -> None:
    """Continuation of Shooter 1 (reading I-21)."""
    pit = Pit()
    pit.must("shooter", player="P1")
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.must("pass_dice")
    assert pit.refused("pass_dice") == "NO_SHOOTER"
    pit.must("shooter", player="P2")
    assert pit.table.puck == 4
    assert pit.roll(2, 2) == {"p": ("won", 1000, 2000)}
    assert pit.table.shooter == "P2"


def test_a_supervisor_may_order_the_shooter_to_pass() -> None:
    pit = Pit()
    pit.must("shooter", player="P1")
    assert pit.refused("order_pass", "stickman", player="P1", reason="slow") == "NO_AUTHORITY"
    assert pit.refused("order_pass", "boxman", player="P2", reason="slow") == "NO_SHOOTER"
    (passed,) = pit.must("order_pass", "boxman", player="P1", reason="repeated invalid rolls")
    assert isinstance(passed, e.DicePassed)
    assert (passed.cause, passed.section) == ("order", "Prairie Meadows, Continuation of Shooter 1.2")
    assert pit.table.shooter is None


def test_a_die_off_the_table_is_always_a_no_roll() -> None:
    """Invalid Roll 1; Dice: Retention/Selection 4: found, it is inspected and the hand goes on."""
    pit = Pit()
    pit.must("dice_set", set="A", action="issue", serials=["1", "2", "3", "4", "5"])
    pit.must("shooter", player="P1")
    pit.bet("f", "field", 500)
    pit.must("dice_out")
    events = pit.must("die_off_table", found=True)
    (no_roll,) = only(events, e.NoRollCalled)
    assert (no_roll.roll, no_roll.reason) == (1, "off_table")
    assert no_roll.section == "Prairie Meadows, Invalid Roll Of The Dice 1"
    assert sections(only(events, e.DieLeftTable)) == ["Prairie Meadows, Dice: Retention/Selection 4"]
    assert (pit.table.dice_set, pit.table.shooter, pit.layout()) == ("A", "P1", {"f": 500})


def test_a_die_that_is_not_found_retires_its_set() -> None:
    pit = Pit()
    pit.must("dice_set", set="A", action="issue")
    pit.must("dice_out")
    (bagged,) = only(pit.must("die_off_table", found=False), e.DiceSetRemoved)
    assert bagged.set == "A"
    assert pit.table.dice_set is None
    pit.must("dice_set", set="B", action="issue")
    assert pit.refused("dice_set", set="A", action="remove") == "NO_SUCH_DICE"
    pit.must("dice_set", set="B", action="remove", reason="end of day")


def test_a_die_reported_after_its_no_roll_takes_no_second_number() -> None:
    pit = Pit()
    pit.must("dice_out")
    pit.must("no_roll", reason="off_table")
    pit.must("die_off_table", found=False)
    assert pit.table.rolls == 1
    pit.must("dice_out")
    pit.must("die_off_table", found=True)
    assert pit.table.rolls == 2


def test_a_set_is_five_dice() -> None:
    pit = Pit()
    assert pit.refused("dice_set", set="A", action="issue", serials=["1", "2", "3", "4"]) == "NO_SUCH_DICE"
    assert pit.refused("dice_set", set="A", action="issue", serials=list("123456")) == "NO_SUCH_DICE"


# ---------------------------------------- open, close, money


def test_closing_hands_every_wager_back_with_its_commission() -> None:
    """Open wagers stay the patrons' property."""
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.bet("l", "lay", 4000, number=4)
    pit.roll(3, 3)
    pit.bet("o", "odds", 1000, on="p")
    pit.bet("d", "dont_come", 1000, player="P2")
    pit.roll(4, 5)
    pit.bet("do", "odds", 1500, on="d", player="P2")
    pit.must("dice_out")
    assert pit.refused("close", "boxman", closer=0) == "DICE_OUT"
    pit.must("no_roll", reason="short")
    pit.must("close", "boxman", closer={"10000": 500_000})
    assert pit.layout() == {}
    assert pit.table.rails == {"P1": BANKROLL, "P2": BANKROLL}
    assert pit.win() == 0


def test_a_closed_table_takes_no_bets_but_players_may_leave() -> None:
    pit = Pit()
    pit.bet("f", "field", 500)
    pit.roll(2, 3)
    pit.must("close", "boxman", closer=0)
    for said in (
        {"do": "bet", "player": "P1", "wager": "x", "kind": "field", "amount": 500},
        {"do": "roll", "dice": [2, 2]},
        {"do": "no_roll", "reason": "short"},
        {"do": "buy_in", "player": "P1", "amount": 500, "tender": "cash"},
        {"do": "dice_out"},
        {"do": "close", "closer": 0},
        {"do": "shooter", "player": "P1"},
    ):
        assert pit.refused(**said) == "TABLE_NOT_OPEN"
    assert pit.refused("overrule", "boxman", roll=1, void=True, reason="late") in (
        "TABLE_NOT_OPEN",
        "TOO_LATE",
    )
    pit.must("pay", wager="f", paid=100)
    pit.must("walk", player="P1")
    pit.must("count_drop", "count", box="17", cash=500)


def test_a_table_reopened_the_same_day_goes_on_with_its_numbers() -> None:
    pit = Pit()
    pit.bet("f", "field", 500)
    pit.roll(3, 3)
    pit.must("close", "boxman", closer=0)
    again = {"gaming_day": "2026-11-28", "rules": IOWA, "min": 500, "max": 5000, "chip": 100}
    pit.must("open", "boxman", payout_unit=1, opener=0, **again)
    assert (pit.table.puck, pit.table.shooter) == (None, None)
    assert pit.refused("bet", player="P1", wager="f", kind="field", amount=500) == "DUPLICATE_WAGER"
    assert pit.refused("overrule", "boxman", roll=1, void=True, reason="late") == "TOO_LATE"
    pit.bet("f2", "field", 500)
    (called,) = only(pit.must("roll", dice=[4, 5]), e.RollCalled)
    assert (called.roll, called.come_out) == (2, True)
    assert pit.refused("open", "boxman", payout_unit=1, opener=0, **again) == "TABLE_ALREADY_OPEN"


def test_an_adjustment_has_an_approver_who_is_not_its_author() -> None:
    pit = Pit()
    said: dict[str, Any] = {"player": "P1", "amount": 500, "reason": "short pay"}
    assert pit.refused("adjust", approved_by="B-1", **said) == "NO_AUTHORITY"
    assert pit.refused("adjust", approved_by={"badge": "B-1", "role": "floor"}, **said) == "NO_AUTHORITY"
    assert pit.refused("adjust", approved_by="F-2", **{**said, "amount": 0}) == "BAD_AMOUNT"
    assert (
        pit.refused("adjust", approved_by="F-2", **{**said, "amount": -BANKROLL - 1}) == "INSUFFICIENT_FUNDS"
    )
    pit.must("adjust", approved_by={"badge": "F-2", "role": "floor"}, **said)
    pit.must("adjust", approved_by="F-2", **{**said, "amount": -300})
    assert (pit.won(), pit.win()) == (200, -200)


def test_boxes_are_counted_by_the_count_team() -> None:
    pit = Pit()
    for role in ("dealer", "shift_manager", "cage", "audit"):
        assert pit.refused("count_drop", role, box="17", cash=1) == "NO_AUTHORITY"
    pit.must("count_drop", "count", box="17", cash=0)


def test_a_walk_without_an_amount_takes_the_whole_rail() -> None:
    pit = Pit()
    pit.bet("f", "field", 500)
    pit.must("walk", player="P1", amount=1000)
    pit.must("walk", player="P1")
    assert pit.table.rails["P1"] == 0
    assert pit.refused("walk", player="P1", amount=0) == "BAD_AMOUNT"
    assert pit.refused("walk", player="P1", amount=-5) == "BAD_AMOUNT"
    assert pit.roll(2, 2) == {"f": ("won", 500, 1000)}
    assert pit.table.rails["P1"] == 1000


# ---------------------------------------- what the documents forbid a house


@pytest.mark.parametrize(
    ("rules", "terms"),
    [
        (IOWA, {"vig": {"rate": "1/25"}}),
        (IOWA, {"vig": {"rate": "1/20", "on_win": [4]}}),
        (IOWA, {"aggregate_limit": 2_499_999}),
        (PENNSYLVANIA, {"vig": {"rate": "3/50"}}),
        (PENNSYLVANIA, {"gaming_day": "2025-11-14"}),
        (PENNSYLVANIA, {"gaming_day": "2028-11-15"}),
    ],
)
def test_terms_contrary_to_the_document_open_no_table(rules: str, terms: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="CONTRARY_TO_RULES"):
        Pit(rules=rules, terms=terms)


@pytest.mark.parametrize(
    ("rules", "terms"),
    [
        (IOWA, {"vig": {"rate": "1/20", "on_win": []}, "odds_multiple": 100}),
        (PENNSYLVANIA, {"vig": {"rate": "1/25", "on_win": [4, 10]}, "odds_multiple": 10}),
        (IOWA, {"aggregate_limit": 2_500_000}),
        (PENNSYLVANIA, {"aggregate_limit": 1}),
        (PENNSYLVANIA, {"gaming_day": "2025-11-15"}),
        (PENNSYLVANIA, {"gaming_day": "2028-11-14"}),
        (INDIANA, {"vig": {"rate": "1/25"}}),
    ],
)
def test_terms_that_the_document_leaves_to_the_house_open_it(rules: str, terms: dict[str, Any]) -> None:
    assert Pit(rules=rules, terms=terms).table.is_open


def test_pennsylvania_takes_the_commission_of_named_numbers_from_their_winnings_only() -> None:
    pit = Pit(rules=PENNSYLVANIA, terms={"vig": {"rate": "1/20", "on_win": [4, 10]}})
    pit.roll(3, 3)
    assert only(pit.bet("b4", "buy", 2000, number=4), e.CommissionCollected) == []
    assert [x.amount for x in only(pit.bet("b2", "buy", 2000, number=2), e.CommissionCollected)] == [100]
    pit.must("press", wager="b4", to=3000)
    (won,) = only(pit.must("roll", dice=[1, 3]), e.WagerSettled)
    assert (won.owed, won.paid, won.commission, won.net, won.credit) == ("6000", 6000, 150, 5850, 8850)
    pit.bet("b10", "buy", 2000, number=10)
    assert pit.roll(3, 4) == {"b2": ("lost", -2000, 0), "b10": ("lost", -2000, 0)}
    assert pit.win() == 4000 + 100 - 5850


def test_indiana_books_nothing_without_a_paytable() -> None:
    pit = Pit(rules=INDIANA)
    for said in (
        {"kind": "pass"},
        {"kind": "fire"},
        {"kind": "place", "number": 6},
        {"kind": "odds", "on": "x"},
    ):
        assert pit.no_bet(amount=1000, **said) == "NO_PAYTABLE"
    assert pit.roll(3, 4) == {}


def test_a_die_that_leaves_the_table_after_a_cocked_one_is_another_roll() -> None:
    pit = Pit()
    pit.must("no_roll", reason="cocked")
    pit.must("die_off_table", found=True)
    pit.must("die_off_table", found=False)
    assert pit.table.rolls == 2
    assert [call.reason for call in only(pit.events, e.NoRollCalled)] == ["cocked", "off_table"]
