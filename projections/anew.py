"""Makes projections anew, from the first event on, while their old rows go on answering.

Two more connections let PostgreSQL retell batches ahead of us, in any order, while we fold those before in
the log's order: so both a server's cores and ours are busy. The new tables are filled beside the old ones,
indexed, and put in their place in one transaction. A rebuild that is killed leaves nothing that counts.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from queue import SimpleQueue
from time import sleep
from typing import Any, Self, TypeVar

import psycopg
from psycopg import Connection
from psycopg.errors import LockNotAvailable

from ledger.cycles import no_search_for_cycles
from ledger.log import bring_up_to_date
from projections import advance
from projections.advance import Progress, advance_to, fold, in_bulk, in_silence, lock, reach
from projections.projection import Edition, Projection
from projections.retelling import Row, retell

HELPERS = 2
"""Connections that work for a rebuild beside the one it was asked on."""

AHEAD = 4
"""Batches that are retold and not yet folded, at most: what bounds the memory."""

_FOLLOWED = """
    CREATE TABLE IF NOT EXISTS pitledger.followed (
        name text, edition text, version integer NOT NULL, position bigint NOT NULL,
        PRIMARY KEY (name, edition))"""
_REBUILDING = 5_206_313  # the advisory lock that one rebuild at a time holds
T = TypeVar("T")


@contextmanager
def only_rebuild(conn: Connection[Any]) -> Iterator[None]:
    """Wait until no other rebuild runs, and let none begin."""
    conn.execute("SELECT pg_advisory_lock(%s)", [_REBUILDING])
    try:
        yield
    finally:
        conn.execute("SELECT pg_advisory_unlock(%s)", [_REBUILDING])


def make_anew(conn: Connection[Any], projections: Sequence[Projection], progress: Progress) -> None:
    """Fill new tables of `projections` up to the log's head, and put them in the old ones' place."""
    if not projections:
        return
    _begin(conn, projections)
    with _Helpers(conn) as helpers:
        _fill(conn, helpers, projections, progress)
        _index(conn, helpers, projections)
    advance_to(conn, bring_up_to_date(conn), projections, "_new", progress)  # what came in the meantime
    while not _in_place_of_old(conn, projections):
        sleep(1)


class _Helpers:
    """Connections to the same ledger, each with a thread, for work that can be done beside ours."""

    def __init__(self, conn: Connection[Any]) -> None:
        there, password = conn.info.dsn, conn.info.password
        self._connections = [
            psycopg.connect(there, password=password, autocommit=True) for _ in range(HELPERS)
        ]
        self._idle: SimpleQueue[Connection[Any]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(HELPERS)
        for connection in self._connections:
            self._idle.put(connection)

    def begin(self, work: Callable[[Connection[Any]], T]) -> Future[T]:
        """Have `work` done by whichever of them is idle first."""
        return self._threads.submit(self._do, work)

    def _do(self, work: Callable[[Connection[Any]], T]) -> T:
        connection = self._idle.get()
        try:
            return work(connection)
        finally:
            self._idle.put(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for connection in self._connections:
            if error is not None:
                connection.cancel_safe()
        self._threads.shutdown()
        for connection in self._connections:
            connection.close()


def _begin(conn: Connection[Any], projections: Sequence[Projection]) -> None:
    """Empty new tables, in the place of any that a rebuild left behind when it was killed."""
    with conn.transaction():
        conn.execute(_FOLLOWED)
        for projection in projections:
            for table, columns in projection.tables.items():
                conn.execute(f"DROP TABLE IF EXISTS pitledger.{table}_new")
                conn.execute(f"CREATE TABLE pitledger.{table}_new ({columns})")
            _record(conn, projection, "_new", 0)


def _record(conn: Connection[Any], projection: Projection, new: Edition, position: int) -> None:
    query = """
        INSERT INTO pitledger.followed (name, edition, version, position) VALUES (%s, %s, %s, %s)
        ON CONFLICT (name, edition) DO UPDATE SET version = excluded.version, position = excluded.position"""
    conn.execute(query, [projection.name, new, projection.version, position])


def _fill(
    conn: Connection[Any], helpers: _Helpers, projections: Sequence[Projection], progress: Progress
) -> None:
    """Bring the new tables to the log's head."""
    head = bring_up_to_date(conn)
    spans = [(after, min(after + advance.BATCH, head)) for after in range(0, head, advance.BATCH)]
    retold = _ahead(helpers.begin(partial(_retold, projections, *span)) for span in spans)
    with no_search_for_cycles():
        for (_, until), rows in zip(spans, retold, strict=True):
            with in_bulk(conn):
                fold(conn, rows, projections, "_new")
                reach(conn, projections, "_new", until)
            progress(until, head)


def _retold(projections: Sequence[Projection], after: int, until: int, conn: Connection[Any]) -> list[Row]:
    with in_bulk(conn):
        return retell(conn, after, until, projections, "_new")


def _ahead(begun: Iterator[Future[T]]) -> Iterator[T]:
    """What comes of each piece of work, in order, while a few more are already `begun`."""
    waiting = deque(islice(begun, AHEAD))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(islice(begun, 1))


def _index(conn: Connection[Any], helpers: _Helpers, projections: Sequence[Projection]) -> None:
    """Make the indexes that only reading needs, and the least that the planner must know of the tables."""
    indexes = [index for projection in projections for index in projection.indexes]
    for made in [helpers.begin(partial(_make, index)) for index in indexes]:
        made.result()
    tables = ", ".join(f"pitledger.{table}_new" for projection in projections for table in projection.tables)
    with conn.transaction():
        conn.execute("SET LOCAL default_statistics_target = 10")
        conn.execute(f"ANALYZE {tables}")


def _make(index: str, conn: Connection[Any]) -> None:
    with conn.transaction():
        conn.execute("SET LOCAL maintenance_work_mem = '256MB'")
        conn.execute("CREATE " + index.replace("{new}", "_new"))


def _in_place_of_old(conn: Connection[Any], projections: Sequence[Projection]) -> bool:
    """Put the new tables in the old ones' place; False where somebody held an old one for too long.

    The old ones' followers wait meanwhile, and the new rows first come as far as they had come: nobody
    who has followed up to a position ever finds rows from before it.
    """
    try:
        with conn.transaction():
            conn.execute("SET LOCAL lock_timeout = '2s'")
            furthest = max(lock(conn, projections, "").values(), default=0)
            reached = max(furthest, *lock(conn, projections, "_new").values())
            advance_to(conn, reached, projections, "_new", in_silence)
            for projection in projections:
                _rename(conn, projection)
                _record(conn, projection, "", reached)
            conn.execute("DELETE FROM pitledger.followed WHERE edition = '_new'")
    except LockNotAvailable:
        return False
    return True


def _rename(conn: Connection[Any], projection: Projection) -> None:
    for table in projection.tables:
        conn.execute(f"DROP TABLE IF EXISTS pitledger.{table}")
        conn.execute(f"ALTER TABLE pitledger.{table}_new RENAME TO {table}")
