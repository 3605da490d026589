"""A day read back from the ledger: every event as it was written, and every command's own words."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import pytest
from psycopg import Connection

from domain import events as e
from ledger import snapshots
from ledger.envelope import canonical, event_from
from ledger.errors import LedgerError
from projections import replay
from projections.history import find_day, read, read_around, read_back
from tests.cli.conftest import at
from tests.projections.night import Line, log_of, told
from tests.projections.told import NO_ROLL_CALLED_ON_A_WINNER, OPEN, history_of, log, overrule, roll, text_of


def stored(url: str, lines: Iterable[Line]) -> None:
    at(url)("ingest", "-", stdin=text_of(lines))


def test_every_event_of_a_night_is_read_back_as_it_was_written() -> None:
    for fact in told("ia-night"):
        data = canonical(fact.event).decode()
        event = read_back(fact.event.name, data)
        assert event == fact.event == event_from(fact.event.name, data)
        assert type(event) is type(fact.event)
        assert canonical(event).decode() == data


def test_an_event_read_back_can_be_told_with_other_figures() -> None:
    event = read_back("PlayerWalked", '{"amount":500,"player":"Nat"}')
    assert event.model_copy(update={"amount": 700}) == e.PlayerWalked(player="Nat", amount=700)
    assert event == e.PlayerWalked(player="Nat", amount=500)


def test_an_event_that_lacks_a_field_added_since_gets_its_default() -> None:
    old = '{"amount":500,"kind":"field","player":"Nat","wager":"w1"}'
    assert read_back("WagerPlaced", old) == e.WagerPlaced(wager="w1", player="Nat", kind="field", amount=500)


def test_an_event_of_a_newer_program_is_not_read_as_something_else() -> None:
    with pytest.raises(LedgerError, match="use a newer pitledger"):
        read_back("PlayerWalked", '{"amount":500,"player":"Nat","through":"the roof"}')
    with pytest.raises(LedgerError, match="use a newer pitledger"):
        read_back("PlayerFlew", '{"player":"Nat"}')


def test_a_table_folded_anywhere_is_the_table_folded_from_the_start() -> None:
    night = history_of(log_of("ia-night"))
    there = {until: night.fold(until) for until in (8000, 100, 4001, 2000, 4000)}
    again = history_of(log_of("ia-night"))
    for until, table in sorted(there.items()):
        other = again.fold(until)
        assert (table.rails, table.wagers, table.puck, table.version) == (
            other.rails,
            other.wagers,
            other.puck,
            until,
        )


def test_the_ledger_holds_who_said_what_in_which_words(fresh_ledger: str, conn: Connection[Any]) -> None:
    stored(fresh_ledger, NO_ROLL_CALLED_ON_A_WINNER)
    history = read(conn, "CR01")
    assert (history.gaming_day, history.rolls, history.house.currency) == (date(2026, 11, 28), 3, "USD")
    call = history.told[history.call_of(2)]
    assert (call.badge, call.occurred_at.isoformat()) == ("B-031", "2026-11-28T20:00:27-06:00")
    assert call.said is not None
    assert '"reason":"short"' in call.said


def test_an_overruled_roll_is_found_with_its_overrules(fresh_ledger: str, conn: Connection[Any]) -> None:
    stored(fresh_ledger, log(OPEN, roll(1, 1), roll(3, 4), overrule(2, void=True)))
    history = read(conn, "CR01")
    assert [history.told[at].name for at in history.overrules[2]] == ["RollOverruled"]


def test_a_table_that_was_not_open_is_said_with_what_there_is(
    fresh_ledger: str, conn: Connection[Any]
) -> None:
    with pytest.raises(LedgerError, match="the ledger is empty"):
        read(conn, "CR01")
    stored(fresh_ledger, NO_ROLL_CALLED_ON_A_WINNER)
    with pytest.raises(LedgerError, match="there is no table CR02: there is CR01"):
        read(conn, "CR02")
    with pytest.raises(LedgerError, match="CR01 was not open on 2026-11-27: it was on 2026-11-28"):
        read(conn, "CR01", date(2026, 11, 27))


@pytest.fixture
def long_day(fresh_ledger: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A ledger with the night of 240 rolls, and a snapshot of its table after each few hundred events."""
    monkeypatch.setattr(snapshots, "APART", 500)
    stored(fresh_ledger, log_of("ia-night"))
    return fresh_ledger


def test_a_roll_told_from_the_last_snapshot_before_it_is_told_as_from_the_whole_day(
    long_day: str, conn: Connection[Any]
) -> None:
    whole, day = read(conn, "CR08"), find_day(conn, "CR08")
    for number in (1, 2, 99, 100, 101, 239, 240):
        some = read_around(conn, day, number, number)
        assert len(some.told) < len(whole.told) / 3
        assert replay.document(some, number, number) == replay.document(whole, number, number)
    some = read_around(conn, day, 100, 120)
    assert replay.document(some, 100, 120) == replay.document(whole, 100, 120)


def test_whoever_had_to_come_a_long_way_leaves_a_snapshot_for_the_next_unless_he_may_only_read(
    long_day: str, conn: Connection[Any]
) -> None:
    conn.execute("TRUNCATE pitledger.snapshots")
    day = find_day(conn, "CR08")
    conn.execute("SET default_transaction_read_only = on")
    first = replay.document(read_around(conn, day, 200, 200), 200, 200)
    assert snapshots.latest(conn, day.stream) is None
    conn.execute("SET default_transaction_read_only = off")
    long_way = len(read_around(conn, day, 200, 200).told)
    again = read_around(conn, day, 200, 200)
    assert len(again.told) < long_way / 10
    assert replay.document(again, 200, 200) == first


def test_a_roll_is_told_with_the_disputes_of_it_and_no_other(
    fresh_ledger: str, conn: Connection[Any]
) -> None:
    claim = {"claim": "it was no seven", "amount": 2500, "player": "Nat", "who": "F-204"}
    disputes = [{"do": "dispute", "dispute": f"D-{n}", "roll": n, **claim} for n in (2, 3)]
    stored(fresh_ledger, [*NO_ROLL_CALLED_ON_A_WINNER, *log(*[{}] * 20, *disputes)[20:]])
    history = read(conn, "CR01")
    assert replay.roll(history, 1)["later"] == []
    for number in (2, 3):
        opened, *others = replay.roll(history, number)["later"]
        assert {fact["dispute"] for fact in (opened, *others)} == {f"D-{number}"}
    assert (opened["event"], opened["by"]) == ("DisputeOpened", "F-204")
    assert opened["text"].startswith("D-3: roll 3 is disputed, $25.00 to Nat: it was no seven")
