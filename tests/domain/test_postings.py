"""The double entry behind every event."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import events as e
from domain.books import FLOWS, money
from domain.postings import ACCOUNTS, part, postings
from tests.domain.any_event import ANY_EVENT
from tests.domain.test_books import settlements

NO_ENTRY = {
    *("TableClosed", "TableInventoryCounted", "TableCut", "DaySealed", "DropCountsDiffered"),
    *(
        "DropCountResolved",
        "DisputePaidFromRack",
        "DiceSetIssued",
        "DiceSetRemoved",
        "DieLeftTable",
        "ShooterAssigned",
    ),
    *("CashLaid", "CashDeclared", "UndeclaredCash", "CreditLimitSet"),
    *("DicePassed", "DiceWentOut", "RollCalled", "NoRollCalled", "RollOverruled", "PuckMoved"),
    *("WagerPlaced", "WagerPressed", "WagerReduced", "WagerTakenDown", "WagerRestored", "WagerTurnedOn"),
    *("WagerTurnedOff", "WagerMoved", "PlayerWalked", "TokeReceived", "TokeReturned", "ChipsColoredUp"),
    *("EvenExchangeMade", "ExceptionAllowed", "PlayDenied", "CommandRefused", "FillRequested"),
    *("FillDelivered", "CreditRequested", "CreditDispatched", "CreditVoided", "BlankSlipVoided"),
    *("DropBoxInstalled", "DropBoxRemoved", "EmergencyDropMade", "DropBoxSecured", "CounterfeitFound"),
    *("GamingDayOpened", "GamingDayClosed", "ShiftOpened", "ShiftClosed", "DayItemListed"),
    *("ExceptionRaised", "ExceptionDispositioned", "DisputeOpened", "VideoHoldPlaced", "EvidenceAttached"),
    *("SurveillanceReviewed", "RulingMade", "RulingOverruled", "RegulatorNotified", "DisputeClosed"),
}
"""Events that move nothing of the house's: what is left has an entry."""

PLAIN: dict[str, Any] = {
    "outcome": "lost",
    "tender": "cash",
    "player": "P7",
    "at": "cage",
    "what": "fill",
    "jurisdiction": "PA",
    "cash": False,
    "preceding_closer": None,
    "paid_from": "rack",
    "was_cash": 0,
    "before": 0,
}


@pytest.mark.parametrize("event", e.BY_NAME.values(), ids=lambda event: event.name)
def test_every_event_has_its_entry_or_is_known_to_have_none(event: type[e.Happened]) -> None:
    fields = {name: PLAIN.get(name, 1) for name in event.model_fields}
    if event is e.DropCounted or event is e.DropVarianceFound:
        fields["cash"] = 1
    entry = postings(event.model_construct(None, **fields), "CR01")
    assert (not entry) == (event.name in NO_ENTRY), entry


@given(ANY_EVENT)
def test_debits_and_credits_are_equal_whatever_happens(event: e.Happened) -> None:
    entry = postings(event, "CR01")
    assert sum(amount for _, amount in entry) == 0
    chart = {account.format(table="CR01") for account in ACCOUNTS}
    others = {account for account, _ in entry} - chart
    if isinstance(event, e.GamingTaxAccrued):
        assert others <= {f"Liabilities:GamingTax:{part(event.jurisdiction)}"}
    else:
        assert not others
    assert all(amount for _, amount in entry)


def test_an_entry_balances_for_every_flow_of_money_that_the_custody_books_know() -> None:
    seen = {flow for event in _some_of_everything() for flow, _, _ in money(event)}
    assert seen == set(FLOWS)


def _some_of_everything() -> list[e.Happened]:
    happened: list[e.Happened] = []
    tenders = ("cash", "marker", "front_money", "coupon", "chips")
    changes: list[dict[str, Any]] = [{"tender": tender} for tender in tenders]
    changes += [{"what": "credit"}, {"outcome": "won"}, {"cash": True}, {"paid_from": "cage"}]
    for event in e.BY_NAME.values():
        for change in changes:
            fields = {name: (PLAIN | change).get(name, 1) for name in event.model_fields}
            happened.append(event.model_construct(None, **fields))
    return happened


@given(settlements())
def test_a_wager_for_the_dealers_posts_as_anybody_elses(settled: e.WagerSettled) -> None:
    theirs = settled.model_copy(update={"for_dealers": True})
    assert postings(theirs, "CR01") == postings(settled, "CR01")


def test_a_win_with_commission_is_posted_gross() -> None:
    won = e.WagerSettled(
        roll=1,
        wager="w",
        player="P",
        kind="buy",
        stake=2_000,
        outcome="won",
        odds="2/1",
        owed="4000",
        paid=4_000,
        breakage="0",
        commission=100,
        net=3_900,
        credit=5_900,
        section="L1",
    )
    assert dict(postings(won, "CR01")) == {
        "Income:Craps:WinningsPaid:CR01": 4_000,
        "Income:Craps:Commission:CR01": -100,
        "Assets:Chips:Table:CR01": -3_900,
    }


def test_what_cannot_be_paid_in_chips_was_never_owed_in_chips() -> None:
    won: dict[str, Any] = {"roll": 1, "wager": "w", "player": "P", "kind": "place", "odds": "7/6"}
    won |= {"stake": 500, "outcome": "won", "owed": "1750/3", "paid": 500, "breakage": "250/3"}
    settled = e.WagerSettled(**won, commission=0, net=500, credit=1_000, section="L1")
    assert dict(postings(settled, "CR01")) == {
        "Income:Craps:WinningsPaid:CR01": 500,
        "Assets:Chips:Table:CR01": -500,
    }


def test_commission_that_may_go_back_is_a_debt_until_its_wager_is_decided() -> None:
    said: dict[str, Any] = {"wager": "w", "player": "P", "amount": 100, "section": "L1"}
    taken = postings(e.CommissionCollected(rate="1/20", basis="wager", **said), "CR01")
    back = postings(e.CommissionRefunded(**said), "CR01")
    assert dict(taken)["Liabilities:CommissionRefundable"] == -100
    assert dict(back)["Liabilities:CommissionRefundable"] == 100


@pytest.mark.parametrize(
    ("name", "account"),
    [
        *(("CR01", "CR01"), ("CR-01", "CR-01"), ("3", "3")),
        *(("CR 01", "CR-01-04e8c124372d"), ("cr01", "Cr01-ed3151253a8c"), ("-x", "T-x-a420962426d7")),
        ("é", "T--4a99557e4033"),
    ],
)
def test_a_tables_name_becomes_part_of_an_account_for_ever_the_same(name: str, account: str) -> None:
    assert part(name) == account


NAMES = st.from_regex(r"[^\x00-\x1f\x7f]{1,64}", fullmatch=True)
ALIKE = st.from_regex(r"[cC][rR][ .:/_-]0?1", fullmatch=True)
"""Names that a clerk would take for each other."""


@given(st.sets(NAMES | ALIKE | (NAMES | ALIKE).map(part), min_size=2))
def test_tables_whose_names_differ_have_accounts_that_differ(names: set[str]) -> None:
    assert len({part(name) for name in names}) == len(names)


@given(NAMES)
def test_every_bookkeeping_program_reads_a_tables_account(name: str) -> None:
    assert re.fullmatch("[A-Z0-9][A-Za-z0-9-]*", part(name)), name
