"""Snapshots: they save reading a long day again, and are never believed over the events."""

import pickle
from collections.abc import Iterator
from typing import Any

import orjson
import psycopg
import pytest

import ledger.casino
from domain.commands import COMMAND
from domain.subject import Subject, subject_of
from ledger import snapshots
from ledger.casino import Casino, Submitted
from ledger.database import connect
from ledger.envelope import event_from
from ledger.log import bring_up_to_date, event_of, read_stream
from tests.ledger.said import walk
from tests.projections.night import log_of

COMMANDS = 700
STREAM = "table:CR08:2026-11-28"
Read = list[str]


@pytest.fixture
def played(fresh_ledger: str) -> str:
    """A ledger in which a night went on until its casino was closed in good order."""
    with Casino.open(fresh_ledger) as casino:
        for line in log_of("ia-night")[:COMMANDS]:
            casino.handle([submitted(line)])
    return fresh_ledger


def submitted(line: dict[str, Any]) -> Submitted:
    text = orjson.dumps(line, option=orjson.OPT_SORT_KEYS)
    return Submitted(COMMAND.validate_json(text), text)


def parts(lines: list[dict[str, Any]], size: int) -> list[list[Submitted]]:
    return [[*map(submitted, lines[at : at + size])] for at in range(0, len(lines), size)]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """The names of the events that a casino folded to know where a table stands."""
    names: Read = []

    def noted(name: str, data: str) -> Any:
        names.append(name)
        return event_from(name, data)

    monkeypatch.setattr(ledger.casino, "event_from", noted)
    return names


@pytest.fixture
def conn(played: str) -> Iterator[psycopg.Connection]:
    with connect(played) as connection:
        yield connection


def walked(played: str, player: str = "P1", command: str = "walk") -> list[str | None]:
    """Why a player may not walk with all his chips and one more, by a casino that knows nothing yet."""
    with Casino.open(played) as casino:
        return [casino.handle([walk(command, player, table="CR08", amount=10**12)])[0].message]


def told(conn: psycopg.Connection) -> Subject:
    """The table as all its events make it."""
    bring_up_to_date(conn)
    table = subject_of(STREAM)
    for row in read_stream(conn, STREAM):
        table.apply(event_of(row))
    return table


def test_a_long_day_is_taken_up_where_it_was_left_without_reading_it_again(played: str, read: Read) -> None:
    from_snapshot = walked(played)
    assert read == []
    with connect(played) as conn:
        conn.execute("TRUNCATE pitledger.snapshots")
    assert walked(played, command="walk:again") == from_snapshot
    assert len(read) > snapshots.WORTH_KEEPING


def test_the_kept_table_is_to_the_last_chip_the_table_that_the_events_make(
    conn: psycopg.Connection,
) -> None:
    kept = snapshots.latest(conn, STREAM)
    assert kept is not None
    assert vars(kept.subject) == vars(told(conn))


def test_events_stored_since_are_read_and_a_few_of_them_are_not_worth_a_new_snapshot(
    played: str, read: Read, conn: psycopg.Connection
) -> None:
    walked(played)
    walked(played, command="walk:again")
    assert read == ["CommandRefused"]
    kept = snapshots.latest(conn, STREAM)
    assert kept is not None
    assert kept.subject.version == told(conn).version - 2


@pytest.mark.parametrize("column", ["hash", "program"])
def test_a_snapshot_of_another_history_or_by_another_program_counts_for_nothing(
    played: str, read: Read, conn: psycopg.Connection, column: str
) -> None:
    conn.execute(f"UPDATE pitledger.snapshots SET {column} = sha256({column})".encode())
    assert snapshots.latest(conn, STREAM) is None
    walked(played)
    assert len(read) > snapshots.WORTH_KEEPING


def test_nothing_but_a_subject_comes_out_of_the_table_whatever_was_put_in(
    played: str, read: Read, conn: psycopg.Connection
) -> None:
    conn.execute("UPDATE pitledger.snapshots SET state = %s", [pickle.dumps(pytest.exit)])
    assert snapshots.latest(conn, STREAM) is None
    walked(played)
    assert len(read) > snapshots.WORTH_KEEPING


def test_a_later_snapshot_takes_the_place_of_an_earlier_one_and_never_the_other_way_round(
    conn: psycopg.Connection,
) -> None:
    later = snapshots.latest(conn, STREAM)
    assert later is not None
    earlier = snapshots.Snapshot(subject_of(STREAM), later.head)
    earlier.subject.version = later.subject.version - 1
    snapshots.keep(conn, snapshots.take(STREAM, earlier))
    kept = snapshots.latest(conn, STREAM)
    assert kept is not None
    assert kept.subject.version == later.subject.version
    snapshots.keep(conn, snapshots.take(STREAM, later))
    row = conn.execute("SELECT version FROM pitledger.snapshots").fetchall()
    assert row == [(later.subject.version,)]


def test_of_a_long_day_snapshots_are_kept_on_the_way_each_as_the_events_before_it_make_it(
    fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "APART", 400)
    with Casino.open(fresh_ledger) as casino:
        for _ in casino.handle_all(parts(log_of("ia-night")[:COMMANDS], 50)):
            pass
    with connect(fresh_ledger) as conn:
        last = told(conn).version
        versions = [row[0] for row in conn.execute("SELECT version FROM pitledger.snapshots ORDER BY 1")]
        assert [version // 400 for version in versions] == list(range(1, last // 400 + 1))
        table = subject_of(STREAM)
        for row in read_stream(conn, STREAM):
            table.apply(event_of(row))
            if row.version in versions:
                kept = snapshots.latest(conn, STREAM, until=row.version)
                assert kept is not None
                assert vars(kept.subject) == vars(table)


def test_a_server_that_does_not_answer_is_asked_but_once_to_keep_what_is_let_go(
    fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def gone(conn: psycopg.Connection, taken: snapshots.Taken) -> None:
        asked.append(taken.stream)
        raise psycopg.OperationalError("the server went away")

    monkeypatch.setattr(snapshots, "WORTH_KEEPING", 1)
    monkeypatch.setattr(snapshots, "keep", gone)
    with Casino.open(fresh_ledger) as casino:
        casino.handle([walk(f"walk:{table}", "P1", table=table) for table in ("CR01", "CR02", "CR03")])
    assert asked == ["table:CR01:2026-11-28"]
