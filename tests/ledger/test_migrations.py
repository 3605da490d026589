"""The schema comes into being once, in order, and whose ledger it is stays so."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from threading import Barrier
from typing import Any

import psycopg
import pytest

from ledger import migrations
from ledger.errors import LedgerError
from ledger.migrations import Property, check, initialise, migrate, property_of

RIVERSIDE = Property("riverside", "USD", "America/Chicago", 6)


@pytest.fixture
def empty(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to a database with nothing in it."""
    with psycopg.connect(database_url, autocommit=True) as conn:
        yield conn


def test_eight_programs_can_prepare_an_empty_database_at_once(database_url: str) -> None:
    ready = Barrier(8)

    def prepare() -> Property:
        with psycopg.connect(database_url, autocommit=True) as conn:
            ready.wait(30)
            migrate(conn)
            return initialise(conn, *RIVERSIDE)

    with ThreadPoolExecutor(8) as programs:
        asked = [programs.submit(prepare) for _ in range(8)]
        assert [program.result(60) for program in asked] == [RIVERSIDE] * 8


def test_preparing_a_ledger_again_changes_nothing(empty: psycopg.Connection[Any]) -> None:
    migrate(empty)
    initialise(empty, *RIVERSIDE)
    before = empty.execute("SELECT number, name, applied_at FROM pitledger.migrations").fetchall()
    migrate(empty)
    assert initialise(empty, *RIVERSIDE) == RIVERSIDE
    check(empty)
    assert empty.execute("SELECT number, name, applied_at FROM pitledger.migrations").fetchall() == before
    assert [number for number, _, _ in before] == list(range(1, len(before) + 1))


def test_a_migration_that_fails_leaves_nothing_behind(
    empty: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        *migrations._steps(),
        migrations._Step(9999, "bad", "CREATE TABLE pitledger.half (); SELECT 1/0"),
    ]
    monkeypatch.setattr(migrations, "_steps", lambda: steps)
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty)
    assert empty.execute("SELECT to_regnamespace('pitledger')").fetchone() == (None,)


def test_a_database_without_a_ledger_says_how_to_make_one(empty: psycopg.Connection[Any]) -> None:
    with pytest.raises(LedgerError, match=r"there is no ledger in database .*: run: pitledger db init"):
        check(empty)


def test_a_ledger_that_belongs_to_nobody_yet_says_so(empty: psycopg.Connection[Any]) -> None:
    migrate(empty)
    with pytest.raises(LedgerError, match="belongs to nobody yet: run: pitledger db init"):
        check(empty)


@pytest.mark.parametrize("use", [check, migrate])
def test_a_ledger_of_a_newer_program_is_left_alone(empty: psycopg.Connection[Any], use: Any) -> None:
    migrate(empty)
    initialise(empty, *RIVERSIDE)
    empty.execute("INSERT INTO pitledger.migrations (number, name) VALUES (9999, 'from the future')")
    with pytest.raises(LedgerError, match=r"schema is at 9999, this program knows .*: use a newer pitledger"):
        use(empty)


def test_a_ledger_of_an_older_program_asks_to_be_brought_up_to_date(
    empty: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty)
    initialise(empty, *RIVERSIDE)
    steps = [*migrations._steps(), migrations._Step(9999, "next", "SELECT 1")]
    monkeypatch.setattr(migrations, "_steps", lambda: steps)
    with pytest.raises(LedgerError, match="this program needs 9999: run: pitledger db init"):
        check(empty)
    migrate(empty)
    check(empty)


def test_a_ledger_belongs_to_one_house_for_ever(fresh_ledger: str) -> None:
    with psycopg.connect(fresh_ledger, autocommit=True) as conn:
        house = property_of(conn)
        with pytest.raises(LedgerError, match=r"belongs to demo .*: use another database for riverside"):
            initialise(conn, *RIVERSIDE)
        assert property_of(conn) == house
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            conn.execute("UPDATE pitledger.property SET property = 'riverside'")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (RIVERSIDE._replace(name=""), "needs a name"),
        (RIVERSIDE._replace(name="river\nside"), "needs a name"),
        (RIVERSIDE._replace(currency="dollars"), "no currency code"),
        (RIVERSIDE._replace(time_zone="America/Nowhere"), "no time zone"),
        (RIVERSIDE._replace(time_zone="../etc"), "no time zone"),
        (RIVERSIDE._replace(day_starts=24), "cannot begin at 24"),
    ],
)
def test_a_house_that_cannot_be_is_refused(
    empty: psycopg.Connection[Any], wrong: Property, says: str
) -> None:
    migrate(empty)
    with pytest.raises(LedgerError, match=says):
        initialise(empty, *wrong)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-11-29T05:59:59-06:00", "2026-11-28"),
        ("2026-11-29T06:00:00-06:00", "2026-11-29"),
        ("2026-11-29T11:59:59+00:00", "2026-11-28"),
        ("2026-03-08T06:30:00-05:00", "2026-03-08"),  # the night the clocks go forward
        ("2026-11-01T05:30:00-06:00", "2026-10-31"),  # the night they go back
    ],
)
def test_a_gaming_day_turns_at_its_hour_and_not_at_midnight(at: str, day: str) -> None:
    assert RIVERSIDE.gaming_day(datetime.fromisoformat(at)) == date.fromisoformat(day)
