"""No reader ever misses or repeats an event, whatever the writers do."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from threading import Barrier, Event
from typing import Any, NamedTuple

import psycopg
import pytest

from ledger.connections import Connections
from ledger.database import connect
from ledger.log import bring_up_to_date, event_of, read_log, read_stream
from ledger.recorder import Conflict, LedgerDatastore, LedgerRecorder, stored
from tests.ledger.said import BUY_IN, HOUSE, chain, recording, sealed

WRITERS = 8
SECONDS = 4.0
BY_BATCH = """
    SELECT batch, stream, version FROM pitledger.events WHERE batch > %s ORDER BY batch, place
"""


class Read(NamedTuple):
    """What a reader keeps of an event."""

    position: int
    stream: str
    version: int


class Held(Connections):
    """Connections of a writer that dawdles: each use is a transaction, held open, perhaps rolled back."""

    pause = 0.0
    roll_back = False

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        with super().connection() as conn, conn.transaction(force_rollback=self.roll_back):
            yield conn
            time.sleep(self.pause)


@contextmanager
def dawdling(url: str) -> Iterator[tuple[LedgerRecorder, Held]]:
    """A recorder on connections that are held open."""
    with LedgerDatastore(url) as datastore:
        held = Held(url)
        datastore.pool = held  # type: ignore[assignment]
        recorder = LedgerRecorder(datastore)
        assert recorder.house.name == HOUSE
        yield recorder, held
        held.close()


def complaints(read: Iterable[Read], wrote: Iterable[tuple[str, int]]) -> list[str]:
    """What is wrong with what a reader saw, given all that was committed."""
    read, found = list(read), []
    if [one.position for one in read] != list(range(1, len(read) + 1)):
        found.append("positions are not 1, 2, 3, ...")
    seen = Counter((one.stream, one.version) for one in read)
    if repeated := [event for event, times in seen.items() if times > 1]:
        found.append(f"repeated {repeated[:5]}")
    if missed := set(wrote) - seen.keys():
        found.append(f"missed {len(missed)}, like {sorted(missed)[:5]}")
    if invented := seen.keys() - set(wrote):
        found.append(f"never stored {sorted(invented)[:5]}")
    versions: dict[str, int] = {}
    for one in read:
        if one.version != versions.get(one.stream, 0) + 1:
            found.append(f"{one.stream} goes from {versions.get(one.stream, 0)} to {one.version}")
        versions[one.stream] = one.version
    return found


def write(url: str, number: int, stop: Event) -> list[tuple[str, int]]:
    """Append to streams of one's own and to two that all share; what was committed."""
    chance = random.Random(number)
    committed: list[tuple[str, int]] = []
    turns = 0
    with dawdling(url) as (recorder, held):
        while not stop.is_set():
            turns += 1
            stream = chance.choice([f"own:{number}:a", f"own:{number}:b", "shared:a", "shared:b"])
            held.pause, held.roll_back = 0.0, False
            last = recorder.select_events(stream, desc=True, limit=1)
            events = [BUY_IN] * chance.choice([1, 1, 2, 30])
            after = last[0].recorded if last else None
            records = sealed(f"{number}:{turns}", events, stream, after)
            held.pause = chance.choice([0.0, 0.0, 0.0, 0.002, 0.03])
            held.roll_back = chance.random() < 0.2
            try:
                recorder.append(records)
            except Conflict:
                continue
            if not held.roll_back:
                committed += [(stream, record.originator_version) for record in records]
    return committed


def follow(url: str, stop: Event) -> list[Read]:
    """Tail the log by position, a page at a time."""
    read: list[Read] = []
    with connect(url) as conn:
        while True:
            last_look = stop.is_set()
            head = bring_up_to_date(conn)
            while len(read) < head:
                page = read_log(conn, read[-1].position if read else 0, random.randint(1, 200))
                read += [Read(row.position, row.stream, row.version) for row in page]
            if last_look:
                return read


def follow_by_batch(url: str, stop: Event) -> list[Read]:
    """Tail the events as one must not: by the number that was drawn before the commit."""
    read: list[Read] = []
    batch = 0
    with psycopg.connect(url, autocommit=True) as conn:
        while True:
            last_look = stop.is_set()
            rows = conn.execute(BY_BATCH, (batch,)).fetchall()
            read += [Read(n, stream, version) for n, (_, stream, version) in enumerate(rows, len(read) + 1)]
            batch = rows[-1][0] if rows else batch
            if last_look:
                return read
            time.sleep(0.005)


def at_once(url: str) -> tuple[list[tuple[str, int]], list[list[Read]]]:
    """Eight writers, two readers by position and one by batch, for a few seconds."""
    writing_ends, reading_ends = Event(), Event()
    with ThreadPoolExecutor(WRITERS + 3) as people:
        readers = [people.submit(read, url, reading_ends) for read in (follow, follow, follow_by_batch)]
        writers = [people.submit(write, url, number, writing_ends) for number in range(WRITERS)]
        time.sleep(SECONDS)
        writing_ends.set()
        committed = [event for writer in writers for event in writer.result(30)]
        reading_ends.set()
        return committed, [reader.result(30) for reader in readers]


def test_eight_writers_and_no_reader_misses_or_repeats_an_event(fresh_ledger: str) -> None:
    committed, (one, two, by_batch) = at_once(fresh_ledger)
    assert len(committed) > 500
    assert len({stream for stream, _ in committed}) == 2 * WRITERS + 2
    assert complaints(one, committed) == []
    assert complaints(two, committed) == []
    assert one == two
    # The same check, on a reader that reads in the order in which numbers were drawn.
    assert any("missed" in complaint for complaint in complaints(by_batch, committed))


def test_an_append_that_commits_late_gets_a_later_position(fresh_ledger: str) -> None:
    late = sealed("late", stream="late")
    with (
        dawdling(fresh_ledger) as (slow, held),
        recording(fresh_ledger) as quick,
        connect(fresh_ledger) as conn,
    ):
        with held.connection() as transaction:
            slow.datastore.pool = _Only(transaction)  # type: ignore[assignment]
            slow.append(late)
            slow.datastore.pool = held  # type: ignore[assignment]
            quick.append(sealed("quick", stream="quick"))
            assert bring_up_to_date(conn) == 1
            by_batch = conn.execute(BY_BATCH, (0,)).fetchall()
        quick.append(sealed("last", stream="last"))
        assert bring_up_to_date(conn) == 3
        assert [row.command for row in read_log(conn, 0, 10)] == ["quick", "late", "last"]
        after = conn.execute(BY_BATCH, (by_batch[-1][0],)).fetchall()
        assert [stream for _, stream, _ in [*by_batch, *after]] == ["quick", "last"], "the late one is missed"


class _Only:
    """One connection, in the middle of its transaction."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn

    def open(self, *_: object) -> None: ...

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        yield self._conn


def test_a_transaction_left_open_elsewhere_holds_nobody_up(fresh_ledger: str) -> None:
    with psycopg.connect(fresh_ledger) as idle, connect(fresh_ledger) as conn:
        idle.execute("SELECT txid_current(), count(*) FROM pitledger.events")
        idle.execute("LOCK TABLE pitledger.events IN SHARE UPDATE EXCLUSIVE MODE")  # as VACUUM does
        with recording(fresh_ledger) as recorder:
            recorder.append(chain(["c1"]))
            assert recorder.max_notification_id() == 1
        assert len(read_log(conn, 0, 10)) == 1


def test_readers_that_come_together_agree(fresh_ledger: str) -> None:
    with recording(fresh_ledger) as recorder:
        for number in range(50):
            recorder.append(chain([f"{number}:{n}" for n in range(3)], f"s{number}"))
    ready = Barrier(8)

    def look() -> tuple[int, list[Any]]:
        with connect(fresh_ledger) as conn:
            ready.wait(30)
            return bring_up_to_date(conn), read_log(conn, 0, 1000)

    with ThreadPoolExecutor(8) as readers:
        seen = [reader.result(30) for reader in [readers.submit(look) for _ in range(8)]]
    assert seen[0][0] == 150
    assert [row.position for row in seen[0][1]] == list(range(1, 151))
    assert seen == seen[:1] * 8


def test_a_rolled_back_append_leaves_no_gap(fresh_ledger: str) -> None:
    with dawdling(fresh_ledger) as (recorder, held), connect(fresh_ledger) as conn:
        records = chain(["c1", "c2", "c3"])
        recorder.append(records[:1])
        held.roll_back = True
        recorder.append(records[1:2])
        held.roll_back = False
        with pytest.raises(Conflict):
            recorder.append(records[:1])
        recorder.append(records[1:])
        assert bring_up_to_date(conn) == 3
        assert [(row.position, row.version) for row in read_log(conn, 0, 10)] == [(1, 1), (2, 2), (3, 3)]


@pytest.fixture
def three_appends(fresh_ledger: str) -> Iterator[psycopg.Connection[Any]]:
    """A ledger of nine events: three appends, of two streams each."""
    one, two = chain([f"a{n}" for n in range(1, 7)], "one"), chain(["b1", "b2", "b3"], "two")
    with recording(fresh_ledger) as recorder, connect(fresh_ledger) as conn:
        for number in range(3):
            recorder.append([*one[2 * number : 2 * number + 2], two[number]])
        bring_up_to_date(conn)
        yield conn


def test_a_page_begins_and_ends_anywhere(three_appends: psycopg.Connection[Any]) -> None:
    expected = ["a1", "a2", "b1", "a3", "a4", "b2", "a5", "a6", "b3"]
    for after, limit in product(range(10), (1, 2, 4, 100)):
        page = read_log(three_appends, after, limit)
        assert [row.command for row in page] == expected[after : after + limit]
        assert [row.position for row in page] == list(range(after + 1, after + 1 + len(page)))


def test_a_stream_is_read_by_version_with_its_positions(three_appends: psycopg.Connection[Any]) -> None:
    read: Callable[..., Any] = lambda *a: [(r.position, r.command) for r in read_stream(three_appends, *a)]  # noqa: E731
    assert read("two") == [(3, "b1"), (6, "b2"), (9, "b3")]
    assert read("one", 4) == [(7, "a5"), (8, "a6")]
    assert read("one", 2, 4) == [(4, "a3"), (5, "a4")]
    assert read("three") == []


def test_a_row_of_the_log_is_the_event_in_its_envelope(fresh_ledger: str) -> None:
    (record,) = chain(["c1"])
    with recording(fresh_ledger) as recorder, connect(fresh_ledger) as conn:
        recorder.append([record])
        assert recorder.select_events(record.originator_id) == [stored(record)]
        bring_up_to_date(conn)
        (row,) = read_log(conn, 0, 10)
    assert row == (1, *record[:-2])
    assert event_of(row) == BUY_IN


def test_an_auditor_reads_the_log_with_plain_sql(three_appends: psycopg.Connection[Any]) -> None:
    rows = three_appends.execute(
        """SELECT position, stream, version, event, badge, role, command, "table", gaming_day::text,
                  player, amount, length(hash) FROM pitledger.event_log ORDER BY position LIMIT 2"""
    ).fetchall()
    about = ("BuyInAccepted", "F-204", "floor")
    assert rows == [(n, "one", n, *about, f"a{n}", "one", "2026-11-28", "Abel", 10_000, 64) for n in (1, 2)]


def test_asking_inside_a_transaction_is_our_own_mistake(three_appends: psycopg.Connection[Any]) -> None:
    with three_appends.transaction(), pytest.raises(AssertionError, match="outside a transaction"):
        bring_up_to_date(three_appends)
