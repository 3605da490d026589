"""What PostgreSQL makes of a batch by itself: rows of one event each, and stakes added up."""

from datetime import date
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from psycopg import Connection

from domain import events as e
from domain.books import money
from ledger.log import bring_up_to_date
from projections.facts import facts
from projections.follow import PROJECTIONS, follow
from projections.projection import Fact, gathered
from projections.retelling import retell
from tests.projections.night import fact, store, told

Conn = Connection[Any]
FOLDED = [projection for projection in PROJECTIONS if projection.write]
LINE = {
    "id": "c1",
    "at": "2026-11-28T20:00:00-06:00",
    "by": {"badge": "B-1", "role": "boxman"},
    "table": "T1",
}
DAY = "2026-11-28"
BET = e.WagerPlaced(wager="w1", player="P7", kind="field", amount=500)
CALL = e.RollCalled(roll=1, dice=(3, 3), role="stickman", come_out=False, shooter="P7")
ADDED_UP = {"player", "amount", "cash"}
OTHERWISE: dict[str, Any] = {
    "wager": "w2",
    "kind": "place",
    "number": 6,
    "combo": (1, 2),
    "high": 12,
    "base": "w0",
    "stays": True,
    "after": "w0",
    "replaces": "w0",
    "for_dealers": True,
    "case_bet": True,
    "section": "Craps 7",
}


def settled(**fields: Any) -> e.WagerSettled:
    usual = {"roll": 1, "wager": "w1", "player": "P7", "kind": "place", "stake": 600, "outcome": "won"}
    reckoned = {"odds": "7/6", "paid": 700, "commission": 0, "net": 700, "credit": 1300, "section": "S"}
    return e.WagerSettled.model_validate({**usual, **reckoned, "owed": "700", "breakage": "0", **fields})


def stored(url: str, *events: e.Happened) -> None:
    store(url, [fact(event, at, LINE, DAY) for at, event in enumerate(events, 1)])


@pytest.mark.parametrize("field", sorted(e.WagerPlaced.model_fields.keys() - ADDED_UP))
def test_nothing_but_player_amount_and_cash_says_what_money_a_wager_placed_moves(field: str) -> None:
    assert money(BET.model_copy(update={field: OTHERWISE[field]})) == money(BET)


@pytest.mark.parametrize("cash", [False, True])
def test_two_stakes_of_a_player_move_what_one_of_their_sum_moves(cash: bool) -> None:
    one, other, both = (
        money(BET.model_copy(update={"amount": amount, "cash": cash})) for amount in (500, 300, 800)
    )
    assert [(flow, player) for flow, player, _ in one] == [(flow, player) for flow, player, _ in both]
    added = [a.amount + b.amount for a, b in zip(one, other, strict=True)]
    assert added == [transfer.amount for transfer in both]


def test_a_night_read_for_the_folds_moves_the_money_that_it_moved(fresh_ledger: str, conn: Conn) -> None:
    night = told("ia-night", 1_000)
    store(fresh_ledger, night)
    head = bring_up_to_date(conn)
    rows = retell(conn, 0, head, FOLDED, "")
    assert len(rows) < len(night) * 2 / 3
    assert _moved(facts(rows)) == _moved(night)


def _moved(night: Any) -> dict[tuple[str, date], Any]:
    return {table_day: part.moved for table_day, part in gathered(night).items()}


def test_whoever_folds_nothing_reads_nothing(fresh_ledger: str, conn: Conn) -> None:
    follow(conn)
    store(fresh_ledger, told("ia-night", 50))
    head = bring_up_to_date(conn)
    assert retell(conn, 0, head, [p for p in PROJECTIONS if not p.write], "") == []


@pytest.mark.parametrize("exact", ["0", "700", "3500/3", "1/3", "299999999999999999/100000000000000000"])
def test_an_exact_amount_is_shown_in_whole_cents_rounded_down_and_kept_exactly(
    fresh_ledger: str, conn: Conn, exact: str
) -> None:
    stored(fresh_ledger, CALL, settled(owed=exact, breakage=exact))
    follow(conn)
    [row] = conn.execute(
        "SELECT owed, coalesce(owed_exact, owed::text), breakage, coalesce(breakage_exact, breakage::text) "
        "FROM pitledger.settlements"
    )
    assert row == (floor(Fraction(exact)), exact) * 2


@pytest.mark.parametrize(
    ("field", "kind"),
    [("roll", "int"), ("player", "str"), ("wager", "str"), ("amount", "int"), ("stake", "int")],
)
def test_what_the_trail_shows_of_an_event_is_the_same_kind_of_thing_in_all_of_them(
    field: str, kind: str
) -> None:
    said = [
        event.model_fields[field].annotation for event in e.BY_NAME.values() if field in event.model_fields
    ]
    assert {str(annotation) for annotation in said} <= {f"<class '{kind}'>", f"{kind} | None"}


def test_a_fact_of_the_folds_is_the_fact_that_was_stored(fresh_ledger: str, conn: Conn) -> None:
    night = [one for one in told("ia-night", 300) if not isinstance(one.event, e.WagerPlaced)]
    store(fresh_ledger, told("ia-night", 300))
    read = list(facts(retell(conn, 0, bring_up_to_date(conn), FOLDED, "")))
    asked = {kind for projection in FOLDED for kind in projection.remembers}
    of_folds = [one for one in night if type(one.event) in asked or one.moved]
    assert [_told(one) for one in read if not isinstance(one.event, e.WagerPlaced)] == [*map(_told, of_folds)]


def _told(one: Fact) -> tuple[object, ...]:
    row = one.row
    said = (row.position, row.occurred_at, row.badge, row.role, row.command, row.stream)
    return (one.table, one.gaming_day, type(one.event), one.moved, *said)
