"""Cash on the layout that nobody has said anything of: whether it plays is said in time, or ruled."""

from typing import Any

from domain import events as e
from tests.domain.pit import Pit

BILL: dict[str, Any] = {"player": "P1", "wager": "c1", "kind": "pass", "amount": 10_000}


def names(events: list[e.Happened]) -> list[str]:
    return [event.name for event in events]


def test_cash_of_which_nobody_says_anything_is_no_wager_and_no_roll_decides_it() -> None:
    pit = Pit()
    pit.must("lay_cash", **BILL)
    assert pit.table.wagers == {}
    rails = dict(pit.table.rails)
    assert "WagerSettled" not in names(pit.must("roll", dice=[1, 2]))
    assert pit.table.rails == rails
    assert pit.table.undeclared["c1"].amount == 10_000


def test_dice_that_go_out_over_it_leave_that_in_the_ledger_every_time() -> None:
    pit = Pit()
    assert names(pit.must("dice_out")) == ["DiceWentOut"]
    pit.must("roll", dice=[1, 2])
    pit.must("lay_cash", **BILL)
    for _ in range(2):
        seen, out = pit.must("dice_out")
        assert seen == e.UndeclaredCash(wager="c1", player="P1", amount=10_000)
        assert out.name == "DiceWentOut"
        pit.must("roll", dice=[1, 2])


def test_declared_to_play_in_time_it_is_a_wager_in_currency_like_any_other() -> None:
    pit, other = Pit(), Pit()
    pit.must("lay_cash", **BILL)
    declared, *placed = pit.must("declare_cash", wager="c1", intent="plays")
    assert declared.name == "CashDeclared"
    assert placed == other.must("bet", **BILL, cash=True)
    assert pit.must("roll", dice=[1, 2]) == other.must("roll", dice=[1, 2])
    assert pit.table.undeclared == {}


def test_declared_for_change_it_is_a_cash_buy_in_even_when_the_dice_are_out() -> None:
    pit = Pit()
    pit.must("lay_cash", **BILL)
    pit.must("dice_out")
    rail = pit.table.rails["P1"]
    _, bought = pit.must("declare_cash", wager="c1", intent="change_only")
    assert isinstance(bought, e.BuyInAccepted)
    assert (bought.tender, pit.table.rails["P1"]) == ("cash", rail + 10_000)


def test_it_cannot_come_to_play_once_the_dice_are_out_nor_be_laid_then() -> None:
    pit = Pit()
    pit.must("lay_cash", **BILL)
    pit.must("dice_out")
    assert pit.refused("declare_cash", wager="c1", intent="plays") == "DICE_OUT"
    assert pit.refused("lay_cash", **{**BILL, "wager": "c2"}) == "DICE_OUT"
    assert "c1" in pit.table.undeclared


def test_what_the_house_would_not_take_as_a_wager_stays_what_it_is() -> None:
    pit = Pit()
    pit.must("lay_cash", **{**BILL, "amount": 100})
    assert pit.refused("declare_cash", wager="c1", intent="plays") == "BELOW_MIN"
    assert "c1" in pit.table.undeclared
    pit.must("declare_cash", wager="c1", intent="returned")
    assert pit.refused("declare_cash", wager="c1", intent="returned") == "NO_SUCH_WAGER"


def test_a_name_is_used_once_and_nothing_is_no_bill() -> None:
    pit = Pit()
    pit.bet("w1", "pass", 1_000)
    assert pit.refused("lay_cash", **{**BILL, "wager": "w1"}) == "DUPLICATE_WAGER"
    assert pit.refused("lay_cash", **{**BILL, "amount": 0}) == "BAD_AMOUNT"
    pit.must("lay_cash", **BILL)
    assert pit.refused("lay_cash", **BILL) == "DUPLICATE_WAGER"


def test_a_table_that_closes_and_a_patron_who_is_denied_play_get_it_out_of_the_way() -> None:
    pit = Pit()
    pit.must("lay_cash", **BILL)
    pit.must("lay_cash", **{**BILL, "player": "P2", "wager": "c2"})
    pit.must("deny_play", "floor", player="P1", reason="late bets")
    assert [*pit.table.undeclared] == ["c2"]
    assert pit.refused("lay_cash", **{**BILL, "wager": "c3"}) == "PLAY_DENIED"
    closing = pit.must("close", "floor", closer=0)
    assert [event.intent for event in closing if isinstance(event, e.CashDeclared)] == ["returned"]
    assert pit.table.undeclared == {}
