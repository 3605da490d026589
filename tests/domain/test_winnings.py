"""What the winners of one roll are owed where the table has posted an aggregate limit (PP30)."""

from collections.abc import Callable
from fractions import Fraction
from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest

from domain import events as e
from domain.books import event_win, money
from domain.policy.aggregate_limits import aggregate_limit_policy
from domain.rules import shelf
from tests.domain.pit import IOWA, PENNSYLVANIA, Pit, only

LIMIT = 10_000_000
STAKES = {"Ana": 10_000, "Ben": 20_000, "Cyd": 70_000}
ALL_BUT_TWELVE = [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 6), (3, 6), (4, 6), (5, 6)]
RULES = shelf.FOLDER
NEW_HOUSE = (Path(__file__).parents[1] / "data" / "new-house.toml").read_text(encoding="utf-8")
HOP = 'legs = [{ faces = { "2-2" = "30 to 1", "1-3" = "15 to 1" } }]'
VERSIONS = count(100)
Ship = Callable[[str], None]


@pytest.fixture
def ship(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ship:
    """Puts one pack on a shelf of its own, in the place of those that ship, under a version of its own."""

    def ship(text: str) -> None:
        assert "\nversion = 1\n" in text
        text = text.replace("\nversion = 1\n", f"\nversion = {next(VERSIONS)}\n")
        (tmp_path / "pack.toml").write_text(text, encoding="utf-8")
        monkeypatch.setattr(shelf, "FOLDER", tmp_path)

    return ship


def one_roll_before(stakes: dict[str, int], rules: str = PENNSYLVANIA, **terms: Any) -> Pit:
    """A table where the twelve completes an All or Nothing wager of every player."""
    pit = Pit(rules=rules, terms=terms, players=tuple(stakes))
    for player, stake in stakes.items():
        pit.bet(f"all-{player}", "all_or_nothing", stake, player=player)
    for dice in ALL_BUT_TWELVE:
        pit.roll(*dice)
    return pit


def twelve(pit: Pit) -> dict[str, e.WagerSettled]:
    """The twelve is rolled: every settlement by its wager."""
    return {event.wager: event for event in only(pit.must("roll", dice=[6, 6]), e.WagerSettled)}


def test_pp30_three_winners_at_175_to_1_share_the_limit_pro_rata_and_it_is_the_reason() -> None:
    settled = twelve(one_roll_before(STAKES, aggregate_limit=LIMIT))
    reckoned = {name: (one.odds, one.owed, one.paid, one.breakage) for name, one in settled.items()}
    assert reckoned == {
        "all-Ana": ("175/1", "1000000", 1_000_000, "0"),
        "all-Ben": ("175/1", "2000000", 2_000_000, "0"),
        "all-Cyd": ("175/1", "7000000", 7_000_000, "0"),
    }
    assert [event.owed_in_full for event in settled.values()] == ["1750000", "3500000", "12250000"]
    for event in settled.values():
        assert (event.aggregate_limit, event.aggregate_owed) == (LIMIT, "17500000")
        assert (event.limit_section, event.section) == ("house policy", "58 Pa. Code § 623b.6(d)(5)(ii)")
        assert (event.net, event.credit) == (event.paid, event.paid + event.stake)


def test_the_event_win_is_less_by_what_was_paid_and_by_no_more() -> None:
    events = list(twelve(one_roll_before(STAKES, aggregate_limit=LIMIT)).values())
    assert event_win(move for event in events for move in money(event)) == -LIMIT


def test_whoever_bet_first_gets_no_more_and_no_less() -> None:
    found = []
    for players in permutations(STAKES):
        pit = one_roll_before({player: STAKES[player] for player in players}, aggregate_limit=3_333_300)
        settled = twelve(pit)
        found.append({name: settled[name] for name in sorted(settled)})
    assert len(found) == 6
    assert all(one == found[0] for one in found)
    assert found[0]["all-Ana"].owed == "333330"


@pytest.mark.parametrize("unit", [1, 100, 500, 2500])
@pytest.mark.parametrize("limit", [1, 2_500_000, 9_999_999, 17_499_999])
@pytest.mark.parametrize("stakes", [(10_000, 20_000, 70_000), (33_300, 33_400, 33_300), (100, 99_900, 500)])
def test_all_shares_are_the_limit_and_what_is_paid_is_never_over_it(
    stakes: tuple[int, ...], limit: int, unit: int
) -> None:
    pit = one_roll_before(dict(zip(STAKES, stakes, strict=True)), aggregate_limit=limit, payout_unit=unit)
    settled = list(twelve(pit).values())
    assert sum(Fraction(event.owed) for event in settled) == limit
    assert limit - 3 * unit < sum(event.paid for event in settled) <= limit
    for event in settled:
        assert event.owed_in_full is not None
        assert Fraction(event.owed_in_full) == 175 * event.stake
        assert Fraction(event.owed) == Fraction(limit * event.stake, sum(stakes))
        assert Fraction(event.owed) - event.paid == Fraction(event.breakage)
        assert Fraction(event.breakage) < unit


@pytest.mark.parametrize("limit", [17_500_000, 17_500_001, 900_000_000])
def test_a_limit_that_is_not_passed_changes_nothing(limit: int) -> None:
    without = twelve(one_roll_before(STAKES))
    assert [event.paid for event in without.values()] == [1_750_000, 3_500_000, 12_250_000]
    assert twelve(one_roll_before(STAKES, aggregate_limit=limit)) == without


def test_one_winner_alone_is_owed_the_limit() -> None:
    alone = twelve(one_roll_before({"Ana": 100_000}, aggregate_limit=LIMIT))["all-Ana"]
    assert (alone.owed_in_full, alone.aggregate_owed, alone.owed) == ("17500000", "17500000", "10000000")


def test_what_is_paid_at_shorter_odds_on_the_same_roll_is_paid_in_full_and_counts_for_nothing() -> None:
    pit = Pit(rules=PENNSYLVANIA, terms={"aggregate_limit": LIMIT}, players=("Ana",))
    pit.bet("all", "all_or_nothing", 100_000, player="Ana")
    pit.bet("tall", "all_tall", 100_000, player="Ana")
    for dice in ALL_BUT_TWELVE:
        pit.roll(*dice)
    pit.bet("boxcars", "craps_12", 10_000, player="Ana")
    settled = twelve(pit)
    assert {name: event.paid for name, event in settled.items()} == {
        "all": LIMIT,
        "tall": 3_400_000,
        "boxcars": 300_000,
    }
    assert [name for name, event in settled.items() if event.aggregate_limit is not None] == ["all"]


def test_an_overruled_roll_takes_all_shares_back_and_the_right_call_shares_anew() -> None:
    pit = one_roll_before(STAKES, aggregate_limit=LIMIT)
    rails, layout = dict(pit.table.rails), pit.layout()
    first = twelve(pit)
    assert pit.overrule(dice=[5, 6]) == {}
    assert (pit.table.rails, pit.layout(), pit.win()) == (rails, layout, 0)
    assert [event.paid for event in only(pit.events, e.SettlementReversed)] == [
        event.paid for event in first.values()
    ]
    again = twelve(pit)
    assert [event.model_copy(update={"roll": 10}) for event in again.values()] == list(first.values())


def test_a_roll_that_a_higher_rank_lets_stand_shares_the_limit() -> None:
    pit = one_roll_before(STAKES, aggregate_limit=LIMIT)
    pit.must("no_roll", reason="cocked", dice=[6, 6])
    pit.overrule(stands=True)
    assert [event.paid for event in only(pit.events, e.WagerSettled)[-3:]] == [
        1_000_000,
        2_000_000,
        7_000_000,
    ]


def test_what_the_limit_kept_is_no_mispay_and_paying_it_all_the_same_is_one() -> None:
    pit = one_roll_before(STAKES, aggregate_limit=LIMIT)
    twelve(pit)
    assert pit.refused("pay", wager="all-Ana", paid=1_000_000) == "BAD_AMOUNT"
    (mispay,) = only(pit.must("pay", wager="all-Ana", paid=1_750_000), e.MispayFound)
    assert (mispay.owed, mispay.paid, mispay.difference) == (1_000_000, 1_750_000, 750_000)


def test_a_bet_for_the_dealers_and_money_plays_have_their_share_like_any_other() -> None:
    pit = Pit(rules=PENNSYLVANIA, terms={"aggregate_limit": LIMIT}, players=("Ana", "Ben"))
    pit.bet("toke", "all_or_nothing", 25_000, player="Ana", for_dealers=True)
    pit.bet("cash", "all_or_nothing", 75_000, player="Ben", cash=True)
    for dice in ALL_BUT_TWELVE:
        pit.roll(*dice)
    rails = dict(pit.table.rails)
    twelve(pit)
    assert [toke.amount for toke in only(pit.events, e.TokeReceived)] == [2_500_000]
    assert pit.table.rails == {"Ana": rails["Ana"] + 25_000, "Ben": rails["Ben"] + 7_500_000}


# ---------------------------------------- over which odds, and how low a limit may be


def hop_at(odds: str) -> str:
    """The new house with a hop that may be read either way and pays `odds` on a hard four."""
    assert HOP in NEW_HOUSE
    return NEW_HOUSE.replace(HOP, f"{HOP.replace('30 to 1', odds)}\nprinted_either_way = true")


@pytest.mark.parametrize(
    ("odds", "notation", "paid"),
    [
        ("50 to 1", "to", 50_000),
        ("51 to 1", "for", 50_000),
        ("51 to 1", "to", 10_000),
        ("52 to 1", "for", 10_000),
        ("101 to 2", "to", 10_000),
    ],
)
def test_the_limit_is_for_odds_over_50_to_1_as_the_house_posts_them(
    ship: Ship, odds: str, notation: str, paid: int
) -> None:
    ship(hop_at(odds))
    pit = Pit(rules="new-house", terms={"aggregate_limit": 10_000, "notation": notation})
    pit.bet("h", "hop", 1_000, combo=[2, 2])
    assert pit.roll(2, 2) == {"h": ("won", paid, paid + 1_000)}


def test_a_stake_that_stays_goes_back_up_whole_whatever_its_share_was(ship: Ship) -> None:
    ship(hop_at("51 to 1"))
    pit = Pit(rules="new-house", terms={"aggregate_limit": 10_000})
    pit.bet("h", "hop", 1_000, combo=[2, 2], stays=True)
    pit.roll(2, 2)
    assert (pit.layout(), pit.won()) == ({"h~2": 1_000}, 10_000)


@pytest.mark.parametrize(("leg", "net", "limited"), [("100 to 1", 9_800, False), ("200 to 1", 10_000, True)])
def test_a_wager_of_several_parts_is_taken_whole_at_its_net_price(
    ship: Ship, leg: str, net: int, limited: bool
) -> None:
    ship(NEW_HOUSE.replace('{ pays = { 2 = "30 to 1" } }', f'{{ pays = {{ 2 = "{leg}" }} }}'))
    pit = Pit(rules="new-house", terms={"aggregate_limit": 10_000 if limited else 1})
    pit.bet("t", "three_way", 300)
    (settled,) = only(pit.must("roll", dice=[1, 1]), e.WagerSettled)
    assert (settled.net, settled.aggregate_limit is not None) == (net, limited)


def iowa_with_all_or_nothing() -> str:
    """Prairie Meadows, were it to list the All or Nothing wager."""
    text = (RULES / f"{IOWA}.toml").read_text(encoding="utf-8")
    entry = (RULES / f"{PENNSYLVANIA}.toml").read_text(encoding="utf-8").split('kind = "all_or_nothing"')[1]
    return f'{text}\n[[wager]]\nkind = "all_or_nothing"{entry.split("[[")[0]}'


def test_in_iowa_a_share_cites_the_state_s_rule(ship: Ship) -> None:
    ship(iowa_with_all_or_nothing())
    settled = twelve(one_roll_before(STAKES, IOWA, aggregate_limit=LIMIT))
    assert [event.paid for event in settled.values()] == [1_000_000, 2_000_000, 7_000_000]
    assert {event.limit_section for event in settled.values()} == {"Iowa r. 491-11.7(2)(c)"}


@pytest.mark.parametrize(("minimum", "least"), [(500, 2_500_000), (14_285, 2_500_000), (20_000, 3_500_000)])
def test_in_iowa_a_limit_is_at_least_25000_dollars_and_the_highest_award_at_the_minimum(
    ship: Ship, minimum: int, least: int
) -> None:
    ship(iowa_with_all_or_nothing())
    terms = {"min": minimum, "aggregate_limit": least}
    assert Pit(rules=IOWA, terms=terms).table.is_open
    with pytest.raises(AssertionError, match=r"CONTRARY_TO_RULES.*Iowa r\. 491-11\.7\(2\)\(c\) wants"):
        Pit(rules=IOWA, terms={**terms, "aggregate_limit": least - 1})


def test_the_opening_says_which_odds_the_limit_is_for_and_why() -> None:
    for rules, section in ((IOWA, "Iowa r. 491-11.7(2)(c)"), (PENNSYLVANIA, "house policy")):
        house = Pit(rules=rules, terms={"aggregate_limit": LIMIT}).table.house
        assert house is not None
        assert (house.aggregate_limit, house.aggregate_odds_over) == (LIMIT, "50/1")
        assert house.aggregate_section == section == aggregate_limit_policy(rules, house.gaming_day).section
    without = Pit().table.house
    assert without is not None
    assert (without.aggregate_limit, without.aggregate_odds_over, without.aggregate_section) == (None,) * 3
