"""Keeps the projections up with the log, exactly once, and makes them anew.

One reader reads the log a batch at a time, decodes each event once and hands the batch to every projection
that stands there. The rows of a batch and the position reached commit together, under a lock on the rows of
`pitledger.followed`, so that two followers can neither repeat each other nor leave a gap: the second one
waits and goes on from where the first one came to. A rebuild does the same into a new edition of the tables
while the old one answers, and puts it in the old one's place in one transaction.

The library's tracking recorder would commit a position for each event and each projection; one row a
projection and batch costs nothing, so it is not used.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import sleep
from typing import Any

import psycopg
from orjson import loads
from psycopg import Connection
from psycopg.errors import LockNotAvailable

from domain.books import money
from domain.events import BY_NAME, Happened
from ledger.log import LogRow, bring_up_to_date, event_of, read_log
from projections import audit, balances, rolls, settlements, tables, wagers, win
from projections.projection import Edition, Fact, Projection, gathered
from projections.retelling import retell

BATCH = 5_000
"""Events folded and committed together."""

PROJECTIONS = (
    balances.PROJECTION,
    win.PROJECTION,
    settlements.PROJECTION,
    rolls.PROJECTION,
    tables.PROJECTION,
    audit.PROJECTION,
    wagers.PROJECTION,
)
NAMES = tuple(projection.name for projection in PROJECTIONS)
Progress = Callable[[int, int], None]
"""Told (events done, events to do) after each batch."""

_FOLLOWED = """
    CREATE TABLE IF NOT EXISTS pitledger.followed (
        name text, edition text, version integer NOT NULL, position bigint NOT NULL,
        PRIMARY KEY (name, edition))"""
_REBUILDING = 5_206_313  # the advisory lock that one rebuild at a time holds


def _in_silence(done: int, to_do: int) -> None:
    """Progress that nobody watches."""


def follow(conn: Connection[Any], progress: Progress = _in_silence) -> int:
    """Bring every projection up to the log's head as it was when this was called; returns that position.

    A projection that is missing, or whose definition has changed, is made anew first.
    """
    head = bring_up_to_date(conn)
    if _outdated(conn):
        with _only_rebuild(conn):
            _rebuild(conn, _outdated(conn), progress)
    _advance_to(conn, head, PROJECTIONS, "", progress)
    return head


def rebuild(conn: Connection[Any], names: Sequence[str] = NAMES, progress: Progress = _in_silence) -> int:
    """Make the projections called `names` anew from the first event on; returns the position reached.

    The old rows answer until the new ones take their place. Raises KeyError for a name that is none.
    """
    by_name = {projection.name: projection for projection in PROJECTIONS}
    with _only_rebuild(conn):
        _rebuild(conn, [by_name[name] for name in names], progress)
    return follow(conn, progress)


def positions(conn: Connection[Any]) -> dict[str, int]:
    """How far each projection has come."""
    return {name: position for name, (_, position) in _known(conn).items()}


def _known(conn: Connection[Any]) -> dict[str, tuple[int, int]]:
    """Version and position of each projection that answers."""
    if conn.execute("SELECT to_regclass('pitledger.followed')").fetchone() == (None,):
        return {}
    rows = conn.execute("SELECT name, version, position FROM pitledger.followed WHERE edition = ''")
    return {name: (version, position) for name, version, position in rows}


def _outdated(conn: Connection[Any]) -> list[Projection]:
    known = _known(conn)
    return [p for p in PROJECTIONS if p.name not in known or known[p.name][0] != p.version]


# ------------------------------------------------------------------------------------- going forward


def _advance_to(
    conn: Connection[Any], head: int, projections: Sequence[Projection], new: Edition, progress: Progress
) -> None:
    """Bring `projections` up to `head`, a batch and a transaction at a time."""
    with _no_search_for_cycles():
        while (reached := _advance(conn, head, projections, new)) < head:
            progress(reached, head)
    progress(head, head)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Facts make no reference cycles, and to look for some costs a third of a rebuild."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


def _advance(conn: Connection[Any], head: int, projections: Sequence[Projection], new: Edition) -> int:
    """One batch for those of `projections` that are furthest behind; returns how far all of them are now."""
    with conn.transaction():
        # Rows and position are lost together or not at all: after a crash a batch is folded again.
        conn.execute("SET LOCAL synchronous_commit = off; SET LOCAL jit = off")
        stand = _lock(conn, projections, new)
        after = min(stand.values())
        until = min(head, after + BATCH, *(position for position in stand.values() if position > after))
        if until <= after:
            return after
        behind = [projection for projection in projections if stand[projection.name] == after]
        retell(conn, after, until, behind, new)
        _fold(conn, after, until, behind, new)
        _reach(conn, behind, new, until)
    return until


def _fold(
    conn: Connection[Any], after: int, until: int, projections: Sequence[Projection], new: Edition
) -> None:
    writes = [projection.write for projection in projections if projection.write]
    if writes:
        batch = gathered(_fact(row) for row in read_log(conn, after, until - after))
        for write in writes:
            write(conn, batch, new)


def _lock(conn: Connection[Any], projections: Sequence[Projection], new: Edition) -> dict[str, int]:
    """Where `projections` stand, and nobody else moves them before this transaction ends."""
    query = """
        SELECT name, position FROM pitledger.followed
        WHERE name = ANY(%s) AND edition = %s ORDER BY name FOR UPDATE"""
    return dict(conn.execute(query, [_names(projections), new]).fetchall())


def _reach(conn: Connection[Any], projections: Sequence[Projection], new: Edition, position: int) -> None:
    query = "UPDATE pitledger.followed SET position = %s WHERE name = ANY(%s) AND edition = %s"
    conn.execute(query, [position, _names(projections), new])


def _names(projections: Sequence[Projection]) -> list[str]:
    return [projection.name for projection in projections]


def _fact(row: LogRow) -> Fact:
    event, table, gaming_day = _event(row), row.table, row.gaming_day
    assert table is not None, row  # every stream is a table's
    assert gaming_day is not None, row
    return Fact(table, gaming_day, row, event, money(event))


def _event(row: LogRow) -> Happened:
    """The event in the row, not checked again: it was when it was written, and a rebuild reads them all.

    Its plain fields are what JSON gives: a list for a tuple, text for a date.
    """
    kind = BY_NAME.get(row.name)
    if kind is None or row.schema_version != kind.schema_version:
        return event_of(row)
    event = kind.__new__(kind)
    object.__setattr__(event, "__dict__", loads(row.data))
    return event


# ------------------------------------------------------------------------------------- making anew


@contextmanager
def _only_rebuild(conn: Connection[Any]) -> Iterator[None]:
    """Wait until no other rebuild runs, and let none begin."""
    conn.execute("SELECT pg_advisory_lock(%s)", [_REBUILDING])
    try:
        yield
    finally:
        conn.execute("SELECT pg_advisory_unlock(%s)", [_REBUILDING])


def _rebuild(conn: Connection[Any], projections: Sequence[Projection], progress: Progress) -> None:
    if not projections:
        return
    _begin_new(conn, projections)
    _fill_new(conn, projections, progress)
    _index_new(conn, projections)
    _advance_to(conn, bring_up_to_date(conn), projections, "_new", progress)  # what came in the meantime
    while not _new_in_place_of_old(conn, projections):
        sleep(1)


def _fill_new(conn: Connection[Any], projections: Sequence[Projection], progress: Progress) -> None:
    """Bring the new tables to the log's head: what PostgreSQL retells on one core, what we fold on another."""
    head = bring_up_to_date(conn)
    retold = [projection for projection in projections if projection.retold]
    folded = [projection for projection in projections if projection.write]
    if not (retold and folded):
        _advance_to(conn, head, projections, "_new", progress)
        return
    with _another(conn) as other, ThreadPoolExecutor(1) as beside:
        retelling = beside.submit(_advance_to, other, head, retold, "_new", _in_silence)
        try:
            _advance_to(conn, head, folded, "_new", progress)
        except BaseException:
            other.cancel_safe()
            raise
        retelling.result()


def _another(conn: Connection[Any]) -> Connection[Any]:
    """Another connection to the same ledger."""
    return psycopg.connect(conn.info.dsn, password=conn.info.password, autocommit=True)


def _begin_new(conn: Connection[Any], projections: Sequence[Projection]) -> None:
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


def _index_new(conn: Connection[Any], projections: Sequence[Projection]) -> None:
    for projection in projections:
        for table, columns in projection.indexes:
            conn.execute(f"CREATE INDEX ON pitledger.{table}_new ({columns})")
            conn.execute(f"ANALYZE pitledger.{table}_new ({columns})")


def _new_in_place_of_old(conn: Connection[Any], projections: Sequence[Projection]) -> bool:
    """Put the new tables in the old ones' place; False where somebody held an old one for too long.

    The old ones' followers wait meanwhile, and the new rows first come as far as they had come: nobody
    who has followed up to a position ever finds rows from before it.
    """
    try:
        with conn.transaction():
            conn.execute("SET LOCAL lock_timeout = '2s'")
            furthest = max(_lock(conn, projections, "").values(), default=0)
            reached = max(furthest, *_lock(conn, projections, "_new").values())
            _advance_to(conn, reached, projections, "_new", _in_silence)
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
