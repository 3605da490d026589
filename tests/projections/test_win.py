"""Drop and win: worked nights, and the identities they must keep."""

from datetime import date
from typing import Any

import pytest
from psycopg import Connection

from domain import events as e
from projections import win
from projections.follow import follow
from projections.projection import gathered
from tests.projections.night import fact, store, told

DAY = date(2026, 11, 28)
LINE = {
    "id": "CR01:1",
    "at": "2026-11-28T20:00:00-06:00",
    "by": {"badge": "F-204", "role": "floor"},
    "table": "CR01",
}
SETTLED = {
    "roll": 1,
    "wager": "w1",
    "player": "P1",
    "kind": "field",
    "stake": 1000,
    "odds": None,
    "owed": "0",
    "paid": 0,
    "breakage": "0",
    "commission": 0,
    "net": 0,
    "credit": 0,
    "section": "L110",
}


def opened(opener: int) -> e.TableOpened:
    return e.TableOpened(
        gaming_day=DAY,
        rules="ia-prairie-meadows",
        rules_version=1,
        min=500,
        max=500_000,
        chip=100,
        payout_unit=1,
        opener=opener,
        denominations=None,
        shift=None,
        pit=None,
        odds_max=None,
        odds_multiple=None,
        vig_rate="1/20",
        vig_on_win=(),
        off_on_come_out=(),
        paytable=None,
        notation="to",
        waive_line_bet=True,
    )


def settled(**fields: Any) -> e.WagerSettled:
    return e.WagerSettled(**{**SETTLED, **fields})


def reversal(of: e.WagerSettled) -> e.SettlementReversed:
    return e.SettlementReversed(of=1, **of.model_dump(include=set(e.SettlementReversed.model_fields)))


def commission(wager: str, player: str, amount: int) -> e.CommissionCollected:
    return e.CommissionCollected(
        wager=wager, player=player, amount=amount, rate="1/20", basis="wager", section="L148"
    )


def closed(closer: int) -> e.TableClosed:
    return e.TableClosed(closer=closer, denominations=None)


def counted(cash: int, box: str = "CR01", count_pass: int = 1, **papers: int) -> e.DropCounted:
    return e.DropCounted(box=box, cash=cash, markers=0, slips=0, count_pass=count_pass).model_copy(
        update=papers
    )


def figures_of(*events: e.Happened) -> dict[str, Any]:
    """The figures of one table on which `events` happened."""
    known = {("CR01", DAY): win.new_row("CR01", DAY)}
    facts = (fact(event, at, LINE, "2026-11-28") for at, event in enumerate(events, 1))
    win.fold(known, gathered(facts))
    return win.figures(known["CR01", DAY])


def a_night_counted() -> list[e.Happened]:
    """An evening with one of everything, whose closer is 25.00 short of the book; in dollars on paper:

    opener 100,000, fill 20,000, credit 8,000; drop 1,100 cash + 5,000 markers - 1,000 redeemed + 2,000 on
    front money; lost 1,700, paid 1,635, commission 10 earned and 5 held, overpaid 20, adjusted 105.
    """
    return [
        opened(10_000_000),
        e.BuyInAccepted(player="P1", amount=110_000, tender="cash"),
        e.BuyInAccepted(player="P1", amount=500_000, tender="marker"),
        e.BuyInAccepted(player="P2", amount=200_000, tender="front_money"),
        e.FillReceived(slip="F1", amount=2_000_000, denominations=None),
        e.CreditSent(slip="C1", amount=800_000, denominations=None),
        e.WagerPlaced(wager="w1", player="P1", kind="field", amount=170_000),
        e.WagerPlaced(wager="w2", player="P2", kind="buy", number=4, amount=20_000),
        e.WagerPlaced(wager="w3", player="P1", kind="buy", number=10, amount=10_000),
        commission("w2", "P2", 1000),
        commission("w3", "P1", 500),
        settled(stake=170_000, outcome="lost", net=-170_000),
        settled(
            wager="w2",
            player="P2",
            stake=20_000,
            outcome="won",
            owed="163500",
            paid=163_500,
            net=163_500,
            credit=183_500,
            commission_earned=1000,
        ),
        e.MispayFound(wager="w2", player="P2", roll=1, owed=163_500, paid=165_500, difference=2000),
        e.AdjustmentMade(player="P1", amount=10_500, reason="ruling", approved_by="S-1"),
        e.MarkerRedeemed(player="P1", amount=100_000, tender="chips"),
        closed(10_483_000),
        counted(110_000, markers=400_000, slips=200_000),
    ]


def test_win_by_count_is_win_by_wager_and_held_commission_and_what_the_rack_is_short() -> None:
    night = figures_of(*a_night_counted())
    assert night["drop"] == 710_000
    assert night["count_win"] == 10_483_000 + 800_000 + 710_000 - 10_000_000 - 2_000_000 == -7_000
    assert (night["event_win"], night["commission"], night["commission_held"]) == (-5_000, 1_000, 500)
    assert night["book_closer"] - night["closer"] == 2_500
    assert (night["residual"], night["hold_pct"]) == (0, -0.99)


@pytest.mark.parametrize("cents", [-100, 1, 12_345])
def test_a_drop_counted_over_or_under_the_book_moves_count_win_and_leaves_no_residual(cents: int) -> None:
    book, night = figures_of(*a_night_counted()), a_night_counted()
    off = figures_of(*night[:-1], counted(110_000 + cents, markers=400_000, slips=200_000))
    assert off["count_win"] - book["count_win"] == cents
    assert (off["event_win"], off["residual"]) == (book["event_win"], 0)


def test_chips_that_only_move_between_cage_and_table_never_change_the_win() -> None:
    night = a_night_counted()
    more = figures_of(
        *night[:5],
        e.FillReceived(slip="F2", amount=700_000, denominations=None),
        e.CreditSent(slip="C2", amount=50_000, denominations=None),
        *night[5:-2],
        closed(10_483_000 + 650_000),
        night[-1],
    )
    assert (more["fills"], more["credits"]) == (2_700_000, 850_000)
    assert (more["count_win"], more["residual"]) == (-7_000, 0)


def test_win_by_count_is_unknown_until_both_rack_and_box_are_counted() -> None:
    night = a_night_counted()
    for known_so_far in (night[:-2], night[:-1], [*night[:-2], night[-1]]):
        assert (figures_of(*known_so_far)["count_win"], figures_of(*known_so_far)["residual"]) == (None, None)
    assert figures_of(*night[:-1])["hold_pct"] == -0.63  # until then of the win by wagers: -45.00 of 7,100.00


def test_without_drop_there_is_no_hold() -> None:
    carried_in = e.BuyInAccepted(player="P1", amount=60_000, tender="chips")
    night = figures_of(opened(0), carried_in, settled(stake=60_000, outcome="lost", net=-60_000))
    assert (night["drop"], night["event_win"], night["hold_pct"]) == (0, 60_000, None)


def test_the_last_pass_of_each_box_counts() -> None:
    night = figures_of(opened(0), counted(100), counted(90, count_pass=2), counted(7, box="emergency"))
    assert (night["drop"], night["drop_counted"], night["book_drop"]) == (97, True, 0)


def test_a_table_that_opens_again_waits_for_its_closer() -> None:
    night = [opened(5_000), closed(5_000), counted(0)]
    assert figures_of(*night)["count_win"] == 0
    again = figures_of(*night, opened(5_000))
    assert (again["opener"], again["closer"], again["count_win"]) == (5_000, None, None)


def test_handle_and_theoretical_win_come_from_what_was_decided() -> None:
    night = figures_of(
        opened(0),
        settled(stake=1_000, outcome="won", edge="1/18"),
        settled(stake=500, outcome="lost", edge="1/18"),
        settled(stake=300, outcome="pushed", edge="3/220"),
        settled(stake=9_999, outcome="returned", edge="1/9"),
        settled(stake=200, outcome="lost", edge=None),
    )
    assert night["handle"] == 2_000
    assert night["theo_win_exact"] == "2885/33"  # 1,500/18 + 900/220
    assert night["theo_win"] == 87


def test_breakage_is_what_the_settlements_show_and_exact_beside_it() -> None:
    night = figures_of(
        opened(0),
        settled(outcome="won", owed="3500/3", paid=1100, breakage="200/3"),
        settled(outcome="won", owed="3500/3", paid=1100, breakage="200/3"),
    )
    assert (night["breakage"], night["breakage_exact"]) == (132, "400/3")


def test_a_reversed_settlement_leaves_every_figure_as_it_was() -> None:
    before = figures_of(opened(0))
    won = settled(
        outcome="won",
        owed="3500/3",
        paid=1100,
        breakage="200/3",
        commission=50,
        net=1050,
        credit=2050,
        commission_earned=25,
        edge="1/66",
    )
    assert figures_of(opened(0), won, reversal(won)) == before
    lost = settled(outcome="lost", net=-1000, edge="1/66")
    assert figures_of(opened(0), lost, reversal(lost)) == before


@pytest.mark.parametrize("night", ["ia-night", "pa-crapless-night"])
def test_a_night_wins_what_the_other_engine_says(
    night: str, fresh_ledger: str, conn: Connection[Any], expected: dict[str, Any]
) -> None:
    store(fresh_ledger, told(night))
    follow(conn)
    [row] = win.rows(conn)
    assert row["table_win"] == expected[night]["table_win"]
    assert row["gaming_day"] == "2026-11-28"
    assert win.rows(conn, table=row["table"], day=DAY) == [row]
    assert win.rows(conn, table="CR99") == []
