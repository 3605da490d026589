"""What was tampered with is found, and where; an honest ledger is silent."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ledger.proofs import Fault, faults
from tests.ledger.said import chain, recording

STREAM = "table:CR01:2026-11-28"


@pytest.fixture
def conn(fresh_ledger: str) -> Iterator[psycopg.Connection[Any]]:
    """A superuser who has switched the triggers off, in a ledger of two streams of five events."""
    with recording(fresh_ledger) as recorder, psycopg.connect(fresh_ledger, autocommit=True) as conn:
        records = chain([f"c{n}" for n in range(1, 6)])
        recorder.append(records[:2])
        recorder.append([*records[2:], *chain([f"d{n}" for n in range(1, 6)], "table:CR02:2026-11-28")])
        assert list(faults(conn)) == []
        conn.execute("ALTER TABLE pitledger.events DISABLE TRIGGER append_only")
        conn.execute("ALTER TABLE pitledger.log DISABLE TRIGGER append_only")
        yield conn


def where(found: list[Fault]) -> list[tuple[str | None, int | None]]:
    return [(fault.stream, fault.version) for fault in found]


CHANGES = (
    """data = '{"amount":99999,"player":"Abel","tender":"cash"}'""",
    """data = '{"amount": 10000,"player":"Abel","tender":"cash"}'""",
    "badge = 'F-000'",
    "role = 'dealer'",
    "command = 'other'",
    "command_text = '{\"a\":1}'",
    "name = 'PlayerWalked'",
    "schema_version = schema_version + 1",
    "occurred_at = occurred_at + interval '1 microsecond'",
    "recorded_at = recorded_at - interval '1 microsecond'",
    "gaming_day = gaming_day + 1",
    "gaming_day = NULL",
    "table_name = NULL",
    "property = 'other'",
)


def test_a_changed_event_is_found_whatever_was_changed(conn: psycopg.Connection[Any]) -> None:
    conn.execute("CREATE TEMP TABLE kept AS SELECT * FROM pitledger.events WHERE command = 'c3'")
    for change in CHANGES:
        conn.execute(f"UPDATE pitledger.events SET {change} WHERE command = 'c3'".encode())
        assert (STREAM, 3) in where(list(faults(conn))), change
        broken = conn.execute("SELECT stream, version FROM pitledger.broken_links").fetchall()
        assert (STREAM, 3) in broken, change
        conn.execute(
            "DELETE FROM pitledger.events WHERE (stream, version) IN (SELECT stream, version FROM kept)"
        )
        conn.execute("INSERT INTO pitledger.events SELECT * FROM kept")
        assert list(faults(conn)) == []


def test_a_changed_event_with_a_new_hash_is_found_at_the_next(conn: psycopg.Connection[Any]) -> None:
    conn.execute("UPDATE pitledger.events SET badge = 'F-000' WHERE command = 'c3'")
    conn.execute(
        """UPDATE pitledger.events SET hash = b.recomputed FROM pitledger.broken_links b
            WHERE (events.stream, events.version) = (b.stream, b.version)"""
    )
    assert where(list(faults(conn))) == [(STREAM, 4)]
    assert conn.execute("SELECT stream, version FROM pitledger.broken_links").fetchall() == [(STREAM, 4)]


def test_an_event_taken_out_of_the_middle_is_found(conn: psycopg.Connection[Any]) -> None:
    conn.execute("DELETE FROM pitledger.events WHERE command = 'c2'")
    found = list(faults(conn))
    assert Fault(STREAM, 3, "version 2 should stand before it") in found
    assert Fault(None, None, "positions 1 to 2 hold 1 events") in found


def test_an_event_taken_off_the_end_of_its_stream_is_found(conn: psycopg.Connection[Any]) -> None:
    conn.execute("DELETE FROM pitledger.events WHERE command = 'd5'")
    assert list(faults(conn)) == [Fault(None, None, "positions 3 to 10 hold 7 events")]


def test_two_events_that_changed_places_are_found(conn: psycopg.Connection[Any]) -> None:
    conn.execute("UPDATE pitledger.events SET version = 100 WHERE command = 'c4'")
    conn.execute("UPDATE pitledger.events SET version = 4 WHERE command = 'c5'")
    conn.execute("UPDATE pitledger.events SET version = 5 WHERE command = 'c4'")
    found = list(faults(conn))
    assert {(STREAM, 4), (STREAM, 5)} <= set(where(found))
    assert any("before version 4 of its stream" in fault.what for fault in found)


def test_a_log_with_a_hole_in_it_is_found(conn: psycopg.Connection[Any]) -> None:
    conn.execute("DELETE FROM pitledger.log WHERE first_position = 1")
    found = list(faults(conn))
    assert Fault(None, None, "the log goes from position 0 to 3") in found
    assert Fault(STREAM, 1, "has no place in the log and no ticket for one") in found
