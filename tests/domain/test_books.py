"""The books: what each event does with money."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import events as e
from domain.books import EVENT_WIN, FLOWS, ROUTE, Account, Transfer, balance, event_win, into, money

ACCOUNTS: tuple[Account, ...] = get_args(Account)
ANY_EVENT = st.one_of([st.builds(event) for event in e.BY_NAME.values()])
CENTS = st.integers(0, 10**9)


@st.composite
def settlements(draw: st.DrawFn) -> e.WagerSettled:
    """A settlement as the decider makes it: net and credit follow from stake, winnings and commission."""
    outcome = draw(st.sampled_from(get_args(e.Outcome)))
    stake, held = draw(CENTS), draw(CENTS)
    paid = draw(CENTS) if outcome == "won" else 0
    commission = draw(st.integers(0, paid))
    net = -stake if outcome == "lost" else paid - commission
    return e.WagerSettled(
        roll=1,
        wager="w1",
        player="P7",
        kind="buy",
        stake=stake,
        outcome=outcome,
        odds="2 to 1",
        owed=str(paid),
        paid=paid,
        breakage="0",
        commission=commission,
        net=net,
        credit=stake + net,
        section="L88",
        commission_earned=0 if outcome == "returned" else held,
    )


def reversal(settled: e.WagerSettled) -> e.SettlementReversed:
    same = settled.model_dump(include=set(e.SettlementReversed.model_fields))
    return e.SettlementReversed(of=1, **same)


@pytest.mark.parametrize("event", e.BY_NAME.values(), ids=lambda event: event.name)
def test_the_books_have_an_opinion_of_every_event(event: type[e.Happened]) -> None:
    assert isinstance(money(_any(event)), tuple)


def _any(event: type[e.Happened]) -> e.Happened:
    plain: Any = {"outcome": "won", "tender": "cash", "player": "P7"}
    return event.model_construct(None, **{name: plain.get(name, 1) for name in event.model_fields})


@given(ANY_EVENT)
def test_what_leaves_one_account_arrives_at_another(event: e.Happened) -> None:
    moved = money(event)
    assert sum(balance(account, moved) for account in ACCOUNTS) == 0


@given(settlements())
def test_a_decision_changes_the_players_wealth_by_its_net_and_the_rail_by_its_credit(
    settled: e.WagerSettled,
) -> None:
    moved = money(settled)
    assert balance("rail", moved) + balance("layout", moved) == settled.net
    assert balance("rail", moved) == settled.credit
    assert balance("layout", moved) == -settled.stake


@given(settlements())
def test_what_a_player_loses_the_house_wins(settled: e.WagerSettled) -> None:
    assert event_win(money(settled)) == settled.commission_earned - settled.net


@given(settlements())
def test_a_reversed_settlement_takes_back_all_that_it_moved(settled: e.WagerSettled) -> None:
    both = money(settled) + money(reversal(settled))
    assert all(balance(account, both) == 0 for account in ACCOUNTS)
    assert event_win(both) == 0


def test_commission_collected_is_held_until_its_wager_is_decided() -> None:
    collected = money(
        e.CommissionCollected(wager="w1", player="P7", amount=100, rate="1/20", basis="wager", section="L148")
    )
    assert (balance("held", collected), balance("rail", collected), event_win(collected)) == (100, -100, 0)
    refunded = money(e.CommissionRefunded(wager="w1", player="P7", amount=100, section="L150"))
    assert balance("held", collected + refunded) == 0


@pytest.mark.parametrize(("tender", "drop"), [("cash", 500), ("marker", 500), ("coupon", 500), ("chips", 0)])
def test_every_tender_but_chips_makes_drop_and_empties_the_rack(tender: e.Tender, drop: int) -> None:
    moved = money(e.BuyInAccepted(player="P7", amount=500, tender=tender))
    assert (balance("rail", moved), balance("box", moved), balance("rack", moved)) == (500, drop, -drop)


def test_a_marker_redeemed_in_cash_leaves_the_drop_as_it_is_and_in_chips_lowers_it() -> None:
    in_cash = money(e.MarkerRedeemed(player="P7", amount=500, tender="cash"))
    in_chips = money(e.MarkerRedeemed(player="P7", amount=500, tender="chips"))
    assert (balance("box", in_cash), balance("rack", in_cash)) == (0, 0)
    assert (balance("box", in_chips), balance("rack", in_chips), balance("rail", in_chips)) == (
        -500,
        500,
        -500,
    )


def test_a_wager_pressed_and_reduced_moves_the_difference() -> None:
    pressed = money(e.WagerPressed(wager="w1", player="P7", was=600, to=1200))
    reduced = money(e.WagerReduced(wager="w1", player="P7", was=1200, to=600))
    assert pressed == (Transfer("staked", "P7", 600),)
    assert balance("rail", pressed + reduced) == 0


def test_every_flow_has_two_ends_and_event_win_counts_what_enters_the_rack_from_play() -> None:
    assert set(FLOWS) == set(ROUTE)
    assert all(source != target for source, target in ROUTE.values())
    for flow, sign in EVENT_WIN.items():
        assert into("rack", flow) == sign, flow
