"""The projections and the log: exactly once, whoever follows, and anew to the same rows."""

import random
from threading import Thread
from typing import Any

import pytest
from psycopg import Connection

from ledger.database import connect
from projections import advance, balances, tables
from projections import follow as following
from projections.follow import PROJECTIONS, follow, positions, rebuild
from projections.projection import Batch, Edition, Fact
from tests.projections.night import store, storing, told

Conn = Connection[Any]
EVENTS = 1_500  # of each night
NOT_THAT_NIGHT = {"reversals", "disputes", "credit"}
TABLES = [table for projection in PROJECTIONS for table in projection.tables]


class Killed(Exception):
    """The process ended here."""


@pytest.fixture(scope="module")
def nights() -> list[list[Fact]]:
    """The first 1,500 events of two nights at two tables."""
    return [list(told(night, 1_000)[:EVENTS]) for night in ("ia-night", "pa-crapless-night")]


def rows_of(conn: Conn) -> dict[str, bytes]:
    """Every row of every projection as PostgreSQL writes it out, in order."""
    return {table: _written_out(conn, table) for table in TABLES}


def _written_out(conn: Conn, table: str) -> bytes:
    query = f'COPY (SELECT * FROM pitledger.{table} AS t ORDER BY t::text COLLATE "C") TO STDOUT'
    with conn.cursor() as cursor, cursor.copy(query) as out:
        return b"".join(bytes(part) for part in out)


@pytest.mark.parametrize("seed", range(3))
def test_rebuilt_rows_are_the_followed_rows_byte_for_byte(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    for stored in storing(fresh_ledger, *nights, together=lambda: chance.randint(1, 900)):
        monkeypatch.setattr(advance, "BATCH", chance.randint(1, 900))
        assert follow(conn) == stored
    followed = rows_of(conn)
    monkeypatch.setattr(advance, "BATCH", chance.randint(100, 7_000))
    rebuild(conn)
    assert rows_of(conn) == followed
    assert set(positions(conn).values()) == {2 * EVENTS}
    assert all(followed[table] for table in TABLES if table not in NOT_THAT_NIGHT)


def test_two_who_follow_at_once_neither_repeat_nor_skip_an_event(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advance, "BATCH", 50)
    reached: list[int] = []

    def follow_until_the_end() -> None:
        with connect(fresh_ledger) as own:
            while (head := follow(own)) < 2 * EVENTS:
                pass
            reached.append(head)

    followers = [Thread(target=follow_until_the_end) for _ in range(2)]
    for follower in followers:
        follower.start()
    store(fresh_ledger, *nights)
    for follower in followers:
        follower.join(60)
    assert reached == [2 * EVENTS] * 2
    followed = rows_of(conn)
    rebuild(conn)
    assert rows_of(conn) == followed


def test_a_follower_killed_within_a_batch_leaves_rows_and_position_as_they_were(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]], monkeypatch: pytest.MonkeyPatch
) -> None:
    night = nights[0]
    append = storing(fresh_ledger, night, together=lambda: 750)
    next(append)
    follow(conn)
    before, stood = rows_of(conn), positions(conn)
    next(append)
    monkeypatch.setattr(following, "PROJECTIONS", [*PROJECTIONS, PROJECTIONS[0]._replace(write=_killed)])
    with pytest.raises(Killed):
        follow(conn)
    assert (rows_of(conn), positions(conn)) == (before, stood)
    monkeypatch.undo()
    follow(conn)
    followed = rows_of(conn)
    rebuild(conn)
    assert followed == rows_of(conn) != before


def _killed(conn: Conn, batch: Batch, new: Edition) -> None:
    raise Killed


def test_a_projection_that_lags_alone_catches_up_with_the_others(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]], monkeypatch: pytest.MonkeyPatch
) -> None:
    append = storing(fresh_ledger, nights[0], together=lambda: 750)
    next(append)
    follow(conn)
    next(append)
    monkeypatch.setattr(following, "PROJECTIONS", PROJECTIONS[:2])
    follow(conn)
    assert len(set(positions(conn).values())) == 2
    monkeypatch.undo()
    follow(conn)
    followed = rows_of(conn)
    rebuild(conn)
    assert rows_of(conn) == followed


def test_the_old_rows_answer_and_follow_until_the_new_ones_take_their_place(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]], monkeypatch: pytest.MonkeyPatch
) -> None:
    append = storing(fresh_ledger, *nights, together=lambda: 250)
    for _ in range(4):
        next(append)
    follow(conn)
    monkeypatch.setattr(advance, "BATCH", 250)
    seen = []

    def somebody_reads(done: int, _: int) -> None:
        with connect(fresh_ledger) as other:
            next(append, None)
            head = follow(other)
            seen.append(
                (done, head, len(balances.rows(other)), sum(row["roll"] for row in tables.rows(other)))
            )

    rebuild(conn, progress=somebody_reads)
    assert seen[0][1] > 1_000
    assert all(players for _, _, players, _ in seen)
    assert [rolls for *_, rolls in seen] == sorted(rolls for *_, rolls in seen)
    live = rows_of(conn)
    assert set(positions(conn).values()) == {follow(conn)}
    rebuild(conn)
    assert rows_of(conn) == live


def test_a_rebuild_killed_half_way_leaves_the_old_rows_and_does_not_hinder_the_next(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store(fresh_ledger, nights[0])
    follow(conn)
    followed = rows_of(conn)
    monkeypatch.setattr(advance, "BATCH", 300)
    with pytest.raises(Killed):
        rebuild(conn, progress=_killed_after_a_while)
    assert rows_of(conn) == followed
    rebuild(conn)
    assert rows_of(conn) == followed


def _killed_after_a_while(done: int, _: int) -> None:
    if done > 700:
        raise Killed


def test_one_projection_can_be_rebuilt_alone(fresh_ledger: str, conn: Conn, nights: list[list[Fact]]) -> None:
    store(fresh_ledger, nights[0])
    follow(conn)
    followed = rows_of(conn)
    conn.execute("DELETE FROM pitledger.rolls WHERE roll > 3")
    conn.execute("UPDATE pitledger.win SET lost = 0")
    rebuild(conn, ["rolls"])
    assert rows_of(conn)["rolls"] == followed["rolls"]
    assert rows_of(conn)["win"] != followed["win"]


def test_a_changed_definition_rebuilds_itself_at_the_next_question(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store(fresh_ledger, nights[0])
    follow(conn)
    followed = rows_of(conn)
    conn.execute("UPDATE pitledger.accounts SET won = 0")
    follow(conn)
    assert rows_of(conn)["accounts"] != followed["accounts"]
    changed = balances.PROJECTION._replace(version=balances.PROJECTION.version + 1)
    monkeypatch.setattr(following, "PROJECTIONS", [changed, *PROJECTIONS[1:]])
    follow(conn)
    assert rows_of(conn) == followed


def test_what_was_stored_before_the_question_is_in_the_answer(
    fresh_ledger: str, conn: Conn, nights: list[list[Fact]]
) -> None:
    for stored in storing(fresh_ledger, nights[1], together=lambda: 300):
        assert follow(conn) == stored
        count = conn.execute("SELECT count(*), max(position) FROM pitledger.audit").fetchone()
        assert count == (stored, stored)


def test_an_empty_ledger_has_empty_projections(conn: Conn) -> None:
    assert follow(conn) == 0
    assert rebuild(conn) == 0
    assert not any(rows_of(conn).values())


def test_a_name_that_is_no_projection_is_not_rebuilt(conn: Conn) -> None:
    with pytest.raises(KeyError, match="drop"):
        rebuild(conn, ["drop"])
