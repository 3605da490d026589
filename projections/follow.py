"""Keeps the projections up with the log, exactly once, and makes them anew.

One reader reads the log a batch at a time, decodes each event once and hands the batch to every projection
that stands there. The rows of a batch and the position reached commit together, under a lock on the rows of
`pitledger.followed`, so that two followers can neither repeat each other nor leave a gap: the second one
waits and goes on from where the first one came to. A rebuild does the same into a new edition of the tables
while the old one answers, and puts it in the old one's place in one transaction.

The library's tracking recorder would commit a position for each event and each projection; one row a
projection and batch costs nothing, so it is not used.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, datetime
from functools import cache
from time import sleep
from typing import Any, NamedTuple

import psycopg
from orjson import loads
from psycopg import Connection
from psycopg.errors import LockNotAvailable
from psycopg.rows import tuple_row

from domain.books import money
from domain.events import BY_NAME, Happened
from ledger.cycles import no_search_for_cycles
from ledger.envelope import event_from
from ledger.log import bring_up_to_date, in_log_order
from projections import audit, balances, disputes, rolls, settlements, tables, wagers, win
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
    disputes.PROJECTION,
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
    with no_search_for_cycles():
        while (reached := _advance(conn, head, projections, new)) < head:
            progress(reached, head)
    progress(head, head)


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
        batch = gathered(_facts(conn, after, until))
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


class _Row(NamedTuple):
    """One event in the log, as far as folds ask."""

    position: int
    stream: str
    table: str | None
    gaming_day: date
    name: str
    schema_version: int
    data: str
    occurred_at: datetime
    badge: str
    role: str
    command: str


_ROWS = in_log_order(
    "e.stream, e.table_name, e.gaming_day, e.name, e.schema_version, e.data::text, e.occurred_at, e.badge,"
    " e.role, e.command"
)


def _facts(conn: Connection[Any], after: int, until: int) -> Iterator[Fact]:
    """The events after position `after`, up to `until`, in log order.

    They are not checked again: they were when they were written, and a rebuild reads them all. Their plain
    fields are what JSON gives: a list for a tuple, text for a date.
    """
    with conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        rows = cursor.execute(_ROWS, {"after": after, "limit": until - after}, prepare=True).fetchall()
    for row in map(_Row._make, rows):
        _, _, table, gaming_day, name, schema_version, data, *_ = row
        if table is None:
            continue  # of the cage or the day: no figure of a table
        kind = BY_NAME.get(name)
        if kind is None or kind.schema_version != schema_version:
            event = _of_another_version(kind, row)
        else:
            event = object.__new__(kind)
            object.__setattr__(event, "__dict__", loads(data))
        yield Fact(table, gaming_day, row, event, money(event))


def _of_another_version(kind: type[Happened] | None, row: _Row) -> Happened:
    if kind is None or row.schema_version > kind.schema_version:
        return event_from(row.name, row.data)  # which says what is wrong with it
    event = object.__new__(kind)
    object.__setattr__(event, "__dict__", {**_added_since(kind), **loads(row.data)})
    return event


@cache
def _added_since(kind: type[Happened]) -> dict[str, Any]:
    """What the fields are that an event of an older version lacks."""
    fields = kind.model_fields.items()
    return {name: field.default for name, field in fields if not field.is_required()}


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
    with _another(conn) as other:
        _fill_new(conn, other, projections, progress)
        _index_new(conn, other, projections)
    _advance_to(conn, bring_up_to_date(conn), projections, "_new", progress)  # what came in the meantime
    while not _new_in_place_of_old(conn, projections):
        sleep(1)


def _another(conn: Connection[Any]) -> Connection[Any]:
    """Another connection to the same ledger, for work that a second core can do."""
    return psycopg.connect(conn.info.dsn, password=conn.info.password, autocommit=True)


def _beside(other: Connection[Any], theirs: Callable[[], None], ours: Callable[[], None]) -> None:
    """Do `theirs`, which works on `other`, while we do `ours`; a failure is not kept waiting."""
    with ThreadPoolExecutor(1) as beside:
        done = beside.submit(theirs)
        try:
            ours()
        except BaseException:
            other.cancel_safe()
            raise
        done.result()


def _fill_new(
    conn: Connection[Any], other: Connection[Any], projections: Sequence[Projection], progress: Progress
) -> None:
    """Bring the new tables to the log's head: PostgreSQL retells on one core what we fold on another."""
    head = bring_up_to_date(conn)
    retold = [projection for projection in projections if projection.retold]
    folded = [projection for projection in projections if projection.write]
    if not (retold and folded):
        _advance_to(conn, head, projections, "_new", progress)
        return
    _beside(
        other,
        lambda: _advance_to(other, head, retold, "_new", _in_silence),
        lambda: _advance_to(conn, head, folded, "_new", progress),
    )


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


def _index_new(conn: Connection[Any], other: Connection[Any], projections: Sequence[Projection]) -> None:
    """Make the indexes that only reading needs, two at a time."""
    indexes = iter([index for projection in projections for index in projection.indexes])
    _beside(other, lambda: _make_indexes(other, indexes), lambda: _make_indexes(conn, indexes))
    tables = (f"pitledger.{table}_new" for projection in projections for table in projection.tables)
    conn.execute(f"ANALYZE {', '.join(tables)}")


def _make_indexes(conn: Connection[Any], indexes: Iterator[str]) -> None:
    """Make those of `indexes` that nobody else has begun."""
    for index in indexes:
        with conn.transaction():
            conn.execute("SET LOCAL maintenance_work_mem = '256MB'")
            conn.execute("CREATE " + index.replace("{new}", "_new"))


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
