"""The long histories that benchmarks are made on: grown from one night, and whole in all but their hashes."""

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from bench import ledgers
from projections import win
from projections.follow import follow


@pytest.fixture(scope="module")
def night_and_more(server_url: str) -> tuple[int, int, list[tuple[int, ...]], list[dict[str, object]]]:
    """How many events a night is and a grown ledger has, each append's place, and the win of its days."""
    with ledgers.fresh(server_url) as ledger, psycopg.connect(ledger, autocommit=True) as conn:
        night = ledgers.grow(ledger, 1)
        events = ledgers.grow(ledger, 6 * night)
        places = conn.execute(
            "SELECT first_position, last_position, (SELECT count(*) FROM pitledger.events e "
            "WHERE e.batch = l.batch) FROM pitledger.log l ORDER BY last_position"
        ).fetchall()
        assert follow(conn) == events
        return night, events, places, win.rows(conn)


def test_a_grown_history_has_every_position_once(
    night_and_more: tuple[int, int, list[tuple[int, ...]], list[dict[str, object]]],
) -> None:
    night, events, places, _ = night_and_more
    assert events == 6 * night
    assert [first for first, _, _ in places] == [1, *(last + 1 for _, last, _ in places[:-1])]
    assert all(count == last - first + 1 for first, last, count in places)
    assert places[-1][1] == events


def test_every_grown_night_is_played_at_a_table_and_day_of_its_own_and_wins_what_the_first_one_won(
    night_and_more: tuple[int, int, list[tuple[int, ...]], list[dict[str, object]]],
) -> None:
    days = night_and_more[3]
    assert len({(day["table"], day["gaming_day"]) for day in days}) == len(days) == 6
    assert len({(day["event_win"], day["handle"]) for day in days}) == 1


def test_a_fresh_ledger_is_gone_afterwards(server_url: str) -> None:
    with ledgers.fresh(server_url) as ledger:
        name = conninfo_to_dict(ledger)["dbname"]
    with psycopg.connect(server_url) as conn:
        assert conn.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone() is None
