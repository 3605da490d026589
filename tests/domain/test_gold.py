"""The two gold cases of the books, told as logs and worked out to the cent beforehand."""

from typing import Any

from domain import events as e
from domain.books import EVENT_WIN
from domain.table import Table
from tests.domain.house import House

CLOSER = {"100": 483_000, "2500": 5_000_000, "10000": 5_000_000}


def gold_night() -> House:
    """A table night with every kind of money, up to the count of its rack. Cents."""
    house = House()
    house.must("place_chips", "C-1", gaming_day=house.day, amount=200_000_000)
    house.must("fund_cage", "C-1", gaming_day=house.day, amount=50_000_000)
    house.must("install_box", "S-1", gaming_day=house.day, table="CR01", box="17")
    house.opened(opener=10_000_000)
    house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
    house.must("buy_in", table="CR01", player="P2", amount=500_000, tender="marker", marker="M-1")
    house.must("deposit_front_money", "C-1", player="P3", amount=200_000)
    house.must("buy_in", table="CR01", player="P3", amount=200_000, tender="front_money")
    house.must("sell_chips", "C-1", player="P4", amount=300_000)
    house.must("buy_in", table="CR01", player="P4", amount=300_000, tender="chips")
    _play(house)
    _slips_and_settlements(house)
    return house


def _play(house: House) -> None:
    house.must("shooter", table="CR01", player="P1")
    _bet(house, "P1", "two-way", "any_craps", 500, for_dealers=True)
    _roll(house, 1, 1)
    _bet(house, "P4", "line", "pass", 50_000)
    _roll(house, 3, 4)
    house.must("pay", table="CR01", wager="line", paid=52_000, dealer="D-1", boxman="B-1")
    _bet(house, "P1", "f1", "field", 10_000)
    _bet(house, "P4", "f4", "field", 150_000)
    _bet(house, "P5", "f5", "field", 10_000, cash=True)
    _roll(house, 2, 3)
    _bet(house, "P2", "six", "place", 60_000, number=6)
    _bet(house, "P2", "four", "buy", 20_000, number=4)
    _roll(house, 2, 4)
    _roll(house, 1, 3)
    _bet(house, "P3", "ten", "buy", 10_000, number=10)
    house.must("take_down", table="CR01", wager="ten")
    _bet(house, "P3", "ten again", "buy", 10_000, number=10)


def _slips_and_settlements(house: House) -> None:
    house.must("request_fill", "F-1", table="CR01", slip="F-101", amount=2_000_000)
    house.must("dispatch_fill", "C-1", slip="F-101", carrier={"badge": "S-1", "role": "security"})
    house.must("receive_fill", "D-1", table="CR01", slip="F-101")
    house.must("request_credit", "F-1", table="CR01", slip="F-102", amount=800_000)
    house.must(
        "dispatch_credit", "D-1", table="CR01", slip="F-102", carrier={"badge": "S-1", "role": "security"}
    )
    house.must("receive_credit", "C-1", slip="F-102")
    house.must("redeem_marker", table="CR01", player="P2", amount=100_000, tender="chips", marker="M-1")
    settled = {"player": "P1", "amount": 10_500, "reason": "no roll on a winner", "approved_by": "M-9"}
    house.must("adjust", "F-1", table="CR01", **settled)
    house.must("walk", table="CR01", player="P1", amount=40_000)
    house.must("redeem_chips", "C-1", player="P1", amount=40_000)
    house.must("remove_box", "S-1", gaming_day=house.day, box="17")
    house.must("count_drop", "K-1", table="CR01", box="17", cash=110_000, markers=400_000, slips=200_000)
    watched = {"badge": "F-1", "role": "floor"}
    house.must("inventory", "B-1", table="CR01", count="closer", counted=CLOSER, witness=watched)


def _bet(house: House, player: str, wager: str, kind: str, amount: int, **said: Any) -> None:
    house.must("bet", table="CR01", player=player, wager=wager, kind=kind, amount=amount, **said)


def _roll(house: House, *dice: int) -> None:
    house.must("roll", "B-1", table="CR01", dice=list(dice))


def event_win(table: Table) -> int:
    return sum(sign * table.flows.get(flow, 0) for flow, sign in EVENT_WIN.items())


def test_the_gold_night_comes_out_to_the_cent_account_by_account() -> None:
    house = gold_night()
    assert {name: cents for name, cents in house.balances.items() if cents} == {
        "Assets:Cash:Cage": 50_460_000,
        "Assets:Cash:CountRoom": 110_000,
        "Assets:Chips:Cage": 188_540_000,
        "Assets:Chips:Table:CR01": 10_483_000,
        "Assets:Markers:Receivable": 400_000,
        "Liabilities:Chips:Issued": -200_000_000,
        "Liabilities:CommissionRefundable": -500,
        "Equity:Bankroll": -50_000_000,
        "Income:Craps:WagersLost:CR01": -170_000,
        "Income:Craps:WinningsPaid:CR01": 163_500,
        "Income:Craps:Commission:CR01": -1_000,
        "Income:Craps:Mispay:CR01": 2_000,
        "Income:Craps:DisputeSettlement:CR01": 10_500,
        "Income:Craps:CountVariance:Inventory:CR01": 2_500,
    }


def test_the_gold_night_is_won_by_count_as_by_wager() -> None:
    house = gold_night()
    table = house.table()
    assert table.moved_rack == 10_485_500
    assert table.book_rack == 10_483_000
    assert (table.counted_drop, table.book_drop) == ((110_000, 400_000, 200_000),) * 2
    count_win = 10_483_000 + 800_000 + sum(table.counted_drop) - table.opener - 2_000_000
    held = -house.balance("Liabilities:CommissionRefundable")
    assert (count_win, event_win(table), held, table.variance_in_rack) == (-7_000, -5_000, 500, -2_500)
    assert count_win == event_win(table) + held + table.variance_in_rack
    assert -house.balance("Income") == event_win(table) + table.variance_in_rack == -7_500


def test_on_the_gold_night_the_missing_chip_is_seen_from_both_sides_and_counted_once() -> None:
    house = gold_night()
    table = house.table()
    rails, tokes = sum(table.rails.values()), table.flows["toked"]
    layout = sum(wager.amount for wager in table.wagers.values())
    in_hands = rails + layout + tokes
    assert (house.outstanding(), in_hands) == (977_000, 974_500)
    assert house.outstanding() - in_hands == -table.variance_in_rack
    assert tokes == 3_500


def test_the_gold_night_counts_every_stake_that_was_put_down() -> None:
    placed = gold_night().only(e.WagerPlaced)
    assert sum(wager.amount for wager in placed) == 320_500


def test_fills_take_win_down_and_credits_take_it_up_as_pp18_got_wrong() -> None:
    table = gold_night().table()
    without_slips = 10_483_000 + sum(table.counted_drop) - table.opener
    assert without_slips - 2_000_000 + 800_000 == -7_000


def walked_chips() -> House:
    """P1 buys 1,000 at CR01, loses 600 at CR02, cashes 150, leaves with 250. Cents."""
    house = House()
    house.must("place_chips", "C-1", gaming_day=house.day, amount=100_000_000)
    house.must("fund_cage", "C-1", gaming_day=house.day, amount=10_000_000)
    house.opened("CR01", opener=5_000_000)
    house.opened("CR02", opener=5_000_000)
    house.must("buy_in", table="CR01", player="P1", amount=100_000, tender="cash")
    house.must("walk", table="CR01", player="P1")
    house.must("buy_in", table="CR02", player="P1", amount=100_000, tender="chips")
    house.must("bet", table="CR02", player="P1", wager="w1", kind="any_seven", amount=60_000)
    house.must("roll", "B-1", table="CR02", dice=[1, 1])
    house.must("walk", table="CR02", player="P1")
    house.must("redeem_chips", "C-1", player="P1", amount=15_000)
    house.must("close", "B-1", table="CR01", closer=4_900_000)
    house.must("close", "B-1", table="CR02", closer=5_060_000)
    house.must("count_drop", "K-1", table="CR01", box="1", cash=100_000)
    house.must("count_drop", "K-1", table="CR02", box="2", cash=0)
    return house


def test_chips_that_walk_from_one_table_to_another_move_drop_and_hold_never_win() -> None:
    house = walked_chips()
    one, two = house.table("CR01"), house.table("CR02")
    assert [(event_win(table), sum(table.counted_drop)) for table in (one, two)] == [
        (0, 100_000),
        (60_000, 0),
    ]
    assert not house.only(e.InventoryVarianceFound)
    assert not house.only(e.DropVarianceFound)


def test_cash_gained_is_what_was_won_and_what_is_still_out() -> None:
    house = walked_chips()
    gained = house.balance("Assets:Cash") - 10_000_000
    assert (gained, -house.balance("Income"), house.outstanding()) == (85_000, 60_000, 25_000)
