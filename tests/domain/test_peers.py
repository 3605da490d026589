"""Bugs that other craps engines, books and pits really had, by their number: here they come out right.

Each test is named after its entry in the list of peers' bugs; money is in cents.
"""

from fractions import Fraction
from itertools import product

import pytest

from domain import events as e
from tests.domain.pit import IOWA, PENNSYLVANIA, Pit, decided, only


def come_on_five_with_odds() -> Pit:
    """Point 4 made, puck Off: a $10 come bet lies on the 5 with $20 odds behind it."""
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("c", "come", 1000)
    pit.roll(2, 3)
    pit.bet("o", "odds", 2000, on="c")
    pit.roll(1, 3)
    assert pit.table.puck is None
    return pit


def test_b01_a_dont_bet_is_void_on_twelve_and_gone() -> None:
    pit = Pit()
    pit.bet("dp", "dont_pass", 1000)
    assert pit.roll(6, 6) == {"dp": ("pushed", 0, 1000)}
    pit.roll(2, 2)
    pit.bet("dc", "dont_come", 1000)
    assert pit.roll(6, 6) == {"dc": ("pushed", 0, 1000)}
    assert (pit.layout(), pit.won()) == ({}, 0)


def test_b02_and_b12_a_come_out_seven_takes_the_come_bet_and_gives_its_odds_back() -> None:
    assert come_on_five_with_odds().roll(3, 4) == {"c": ("lost", -1000, 0), "o": ("returned", 0, 2000)}


def test_b03_a_lay_pays_commission_on_what_it_could_win() -> None:
    pit = Pit()
    (taken,) = only(pit.bet("l", "lay", 4000, number=4), e.CommissionCollected)
    assert taken.amount == 100


def test_b04_the_losing_legs_are_lost_once() -> None:
    pit = Pit()
    pit.bet("h", "horn", 400)
    assert pit.roll(6, 6) == {"h": ("won", 2700, 3100)}
    pit.bet("w", "world", 500)
    assert pit.roll(3, 4) == {"w": ("pushed", 0, 500)}


def test_b05_a_negative_bet_is_refused_and_so_are_odds_of_nothing_behind_nothing() -> None:
    pit = Pit()
    rails = dict(pit.table.rails)
    assert pit.no_bet("pass", -5000) == "BAD_AMOUNT"
    assert pit.no_bet("odds", 0, on="nothing") in ("BAD_AMOUNT", "NO_BASE_WAGER")
    assert pit.table.rails == rails


def test_b06_odds_come_down_with_their_dont_come() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("d", "dont_come", 1000)
    pit.roll(4, 5)
    pit.bet("o", "odds", 3000, on="d")
    pit.must("take_down", wager="d")
    assert (pit.layout(), pit.won()) == ({}, 0)
    assert pit.roll(4, 5) == {}
    assert pit.roll(3, 4) == {}


def test_b07_odds_stand_behind_one_base_and_its_own_number() -> None:
    pit = Pit(terms={"odds_multiple": 2})
    pit.roll(2, 2)
    pit.bet("d5", "dont_come", 1000)
    pit.roll(2, 3)
    pit.bet("d", "dont_come", 5000)
    assert pit.no_bet("odds", 3000, on="d") == "WRONG_PHASE"  # nothing lies on the 9: d has no number yet
    pit.roll(4, 5)
    assert pit.no_bet("odds", 3300, on="d5") == "ODDS_LIMIT"  # its own $10 count, not the $50 on the 9
    pit.bet("o5", "odds", 3000, on="d5")
    assert pit.roll(4, 5) == {"d": ("lost", -5000, 0)}
    assert pit.roll(3, 4) == {"d5": ("won", 1000, 2000), "o5": ("won", 2000, 5000)}


def test_b08_a_moved_dont_come_cannot_be_raised_nor_put_straight_behind_a_number() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("d", "dont_come", 1000)
    pit.roll(2, 4)
    assert pit.refused("press", wager="d", to=2000) == "NO_INCREASE_UNTIL_COME_OUT"
    with pytest.raises(ValueError, match='takes no "number"'):
        pit.say("bet", player="P1", wager="x", kind="dont_come", amount=1000, number=6)


@pytest.mark.parametrize("rules", [IOWA, PENNSYLVANIA])
def test_b09_a_hardway_sleeps_on_the_come_out(rules: str) -> None:
    pit = Pit(rules=rules)
    pit.bet("h", "hard", 500, number=6)
    assert pit.roll(3, 4) == {}
    assert pit.roll(3, 3) == {}
    assert pit.layout() == {"h": 500}


def test_b10_place_bets_are_off_on_the_come_out_after_a_made_point_unless_called_on() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("p6", "place", 1200, number=6)
    pit.bet("z8", "place", 1200, number=8, player="P2")
    pit.roll(2, 2)
    pit.must("call", wager="z8", on=True)
    assert pit.roll(3, 4) == {"z8": ("lost", -1200, 0)}


def test_b11_odds_up_to_the_maximum_are_taken_and_no_more() -> None:
    pit = Pit(terms={"odds_max": 5000})
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    assert pit.no_bet("odds", 5100, on="p") == "ODDS_LIMIT"
    pit.bet("less", "odds", 4900, on="p")
    pit.must("press", wager="less", to=5000)


def test_b13_a_place_bet_is_paid_when_its_number_is_the_point_being_made() -> None:
    pit = Pit()
    pit.roll(3, 3)
    pit.bet("p6", "place", 600, number=6)
    assert pit.roll(2, 4) == {"p6": ("won", 700, 1300)}


def test_b14_a_hardway_loses_on_seven_and_the_easy_way() -> None:
    pit = Pit()
    pit.roll(4, 4)
    pit.bet("h6", "hard", 500, number=6)
    pit.bet("h4", "hard", 500, number=4)
    assert pit.roll(5, 1) == {"h6": ("lost", -500, 0)}
    assert pit.roll(5, 2) == {"h4": ("lost", -500, 0)}


@pytest.mark.parametrize(("unit", "paid", "breakage"), [(1, 50, "0"), (100, 0, "50")])
def test_b15_one_dollar_laid_is_decided_and_what_no_chip_pays_is_breakage(
    unit: int, paid: int, breakage: str
) -> None:
    pit = Pit(terms={"payout_unit": unit})
    pit.bet("d", "dont_pass", 500)
    pit.roll(2, 2)
    pit.bet("o", "odds", 100, on="d")
    settled = {s.wager: s for s in only(pit.must("roll", dice=[3, 4]), e.WagerSettled)}
    assert (settled["o"].outcome, settled["o"].paid, settled["o"].breakage) == ("won", paid, breakage)
    assert pit.layout() == {}


def test_b16_sleeping_odds_come_back_when_their_come_bet_wins() -> None:
    pit = come_on_five_with_odds()
    assert pit.roll(2, 3) == {"c": ("won", 1000, 2000), "o": ("returned", 0, 2000)}
    assert pit.layout() == {}


def test_b17_a_seven_takes_the_wager_and_never_a_multiple_of_it() -> None:
    pit = Pit()
    pit.bet("p", "pass", 1000)
    pit.roll(2, 2)
    pit.bet("o", "odds", 2000, on="p")
    pit.bet("p10", "place", 1000, number=10)
    pit.bet("h8", "hard", 500, number=8)
    pit.roll(3, 4)
    assert pit.won() == -4500


def test_b18_commission_is_charged_and_the_field_pays_double_where_the_document_says_so() -> None:
    pit = Pit()
    pit.bet("b", "buy", 2000, number=4)
    assert pit.won() == -100
    for dice, won in (((1, 1), 2000), ((6, 6), 2000), ((1, 2), 1000)):
        pit.bet(f"f{dice}", "field", 1000)
        assert pit.roll(*dice) == {f"f{dice}": ("won", won, 1000 + won)}


def test_b19_a_place_bet_that_stays_up_wins_its_winnings_only() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("p6", "place", 1200, number=6, stays=True)
    pit.roll(3, 3)
    assert (pit.layout(), pit.won()) == ({"p6~2": 1200}, 1400)


def test_b20_the_log_shows_which_roll_killed_my_hard_six() -> None:
    pit = Pit()
    pit.roll(2, 2)
    pit.bet("h6", "hard", 500, number=6)
    for dice in ((4, 5), (2, 3), (5, 1), (6, 2), (3, 3)):
        pit.roll(*dice)
    (killed,) = [s for s in only(pit.events, e.WagerSettled) if s.wager == "h6"]
    called = {call.roll: call.dice for call in only(pit.events, e.RollCalled)}
    assert (killed.outcome, killed.roll, called[killed.roll]) == ("lost", 4, (5, 1))
    assert killed.section == "Prairie Meadows, Permissible Wagers 8"
    assert called[6] == (3, 3)


def test_b21_horn_high_figures_are_dollars_for_five_not_odds_to_one() -> None:
    odds = {}
    for high, dice in product((2, 3), ((1, 1), (1, 2), (5, 6), (6, 6))):
        pit = Pit()
        pit.bet("hh", "horn_high", 500, high=high)
        (won,) = only(pit.must("roll", dice=list(dice)), e.WagerSettled)
        odds[high, sum(dice)] = (won.odds, won.net)
    assert odds == {
        (2, 2): ("57/5", 5700),
        (2, 3): ("11/5", 1100),
        (2, 11): ("11/5", 1100),
        (2, 12): ("26/5", 2600),
        (3, 2): ("26/5", 2600),
        (3, 3): ("27/5", 2700),
        (3, 11): ("11/5", 1100),
        (3, 12): ("26/5", 2600),
    }


def test_b22_crapless_pass_with_double_odds_costs_373_in_18480() -> None:
    """Not the 2.081 % of two books: 2.018 %. The edge is the settlement's own, the odds are free."""
    pit = Pit(rules=PENNSYLVANIA)
    pit.bet("p", "pass", 1000)
    (won,) = only(pit.must("roll", dice=[3, 4]), e.WagerSettled)
    points = 0
    for dice in product(range(1, 7), repeat=2):
        come_out = Pit(rules=PENNSYLVANIA, players=())
        come_out.roll(*dice)
        points += come_out.table.puck is not None
    assert Fraction(won.edge or 0) / (1 + 2 * Fraction(points, 36)) == Fraction(373, 18480)


def test_b23_commission_comes_back_with_the_bet_and_is_owed_again_when_it_goes_back_up() -> None:
    pit = Pit()
    pit.bet("b", "buy", 2000, number=4)
    (back,) = only(pit.must("take_down", wager="b"), e.CommissionRefunded)
    assert (back.amount, pit.won()) == (100, 0)
    pit.roll(3, 3)
    pit.bet("b2", "buy", 2000, number=4, stays=True)
    (again,) = only(pit.must("roll", dice=[2, 2]), e.CommissionCollected)
    assert (again.wager, again.amount) == ("b2~2", 100)
    assert pit.won() == 4000 - 200


def test_b24_a_roll_settled_again_changes_nothing_and_a_later_bet_is_not_in_it() -> None:
    pit = Pit()
    pit.bet("f", "field", 1000)
    once = pit.roll(1, 1)
    pit.bet("late", "field", 1000)
    assert pit.overrule(dice=[1, 1]) == once == {"f": ("won", 2000, 3000)}
    assert pit.overrule("pit_manager", dice=[1, 1]) == once
    assert (pit.layout(), pit.won()) == ({"late": 1000}, 2000)
    assert decided(pit.must("roll", dice=[1, 2])) == {"late": ("won", 1000, 2000)}
