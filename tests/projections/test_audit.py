"""The audit trail: every event, and who, when, why."""

from typing import Any

import orjson
import pytest
from psycopg import Connection

from projections import audit
from projections import rows as reading
from projections.follow import follow
from tests.projections.night import facts, log_of, store

Conn = Connection[Any]
CONTRACT = (
    "position stream version event occurred_at recorded_at badge role command table gaming_day roll player "
    "wager amount section data"
)


@pytest.fixture
def trail(fresh_ledger: str, conn: Conn) -> list[dict[str, Any]]:
    """The trail of an evening on which somebody bet too late."""
    log = log_of("ia-night")[:400]
    out = next(i for i, line in enumerate(log) if line["do"] == "dice_out")
    bet = next(line for line in log if line["do"] == "bet")
    late = {**bet, "id": "late", "wager": "late", "at": log[out]["at"]}
    store(fresh_ledger, facts([*log[: out + 1], late, *log[out + 1 :]]))
    follow(conn)
    return list(audit.rows(conn))


def test_every_event_has_its_row_with_all_of_it(
    trail: list[dict[str, Any]], conn: Conn, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = conn.execute(
        "SELECT position, event, data::text FROM pitledger.event_log ORDER BY position"
    ).fetchall()
    assert [(row["position"], row["event"], row["data"]) for row in trail] == [
        (position, event, orjson.loads(data)) for position, event, data in stored
    ]
    assert all(list(row) == CONTRACT.split() for row in trail)
    monkeypatch.setattr(reading, "PAGE", 7)
    assert list(audit.rows(conn)) == trail


def test_a_bet_that_came_too_late_is_on_the_trail(trail: list[dict[str, Any]], conn: Conn) -> None:
    [row] = audit.rows(conn, event="CommandRefused")
    assert (row["command"], row["wager"], row["data"]["reason"]) == ("late", "late", "DICE_OUT")
    assert row["occurred_at"].endswith("-06:00")


@pytest.mark.parametrize("column", ["table", "roll", "player", "wager", "event", "badge", "role", "command"])
def test_each_filter_finds_its_own_and_all_of_them(
    trail: list[dict[str, Any]], conn: Conn, column: str
) -> None:
    value = next(row[column] for row in reversed(trail) if row[column] is not None)
    assert list(audit.rows(conn, **{column: value})) == [row for row in trail if row[column] == value]


def test_the_trail_can_be_taken_up_where_one_stopped(trail: list[dict[str, Any]], conn: Conn) -> None:
    assert list(audit.rows(conn, since=101, until=150)) == trail[100:150]
