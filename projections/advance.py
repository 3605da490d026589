"""Brings projections forward along the log, exactly once, a batch and a transaction at a time.

A batch is read once for every projection that stands there. Its rows and the position reached commit
together, under a lock on the rows of `pitledger.followed`, so that two followers can neither repeat each
other nor leave a gap: the second one waits and goes on from where the first one came to.

The library's tracking recorder would commit a position for each event and each projection; one row a
projection and batch costs nothing, so it is not used.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg import Connection

from ledger.cycles import no_search_for_cycles
from projections.facts import facts
from projections.projection import Edition, Projection, gathered
from projections.retelling import Row, retell

BATCH = 5_000
"""Events folded and committed together."""

Progress = Callable[[int, int], None]
"""Told (events done, events to do) after each batch."""


def in_silence(done: int, to_do: int) -> None:
    """Progress that nobody watches."""


def advance_to(
    conn: Connection[Any], head: int, projections: Sequence[Projection], new: Edition, progress: Progress
) -> None:
    """Bring an edition of `projections` up to position `head`."""
    with no_search_for_cycles():
        while (reached := _advance(conn, head, projections, new)) < head:
            progress(reached, head)
    progress(head, head)


def _advance(conn: Connection[Any], head: int, projections: Sequence[Projection], new: Edition) -> int:
    """One batch for those of `projections` that are furthest behind; returns how far all of them are now."""
    with in_bulk(conn):
        stand = lock(conn, projections, new)
        after = min(stand.values())
        until = min(head, after + BATCH, *(position for position in stand.values() if position > after))
        if until <= after:
            return after
        behind = [projection for projection in projections if stand[projection.name] == after]
        fold(conn, retell(conn, after, until, behind, new), behind, new)
        reach(conn, behind, new, until)
    return until


@contextmanager
def in_bulk(conn: Connection[Any]) -> Iterator[None]:
    """A transaction that a crash may undo: rows and position are lost together or not at all."""
    with conn.transaction():
        conn.execute("SET LOCAL synchronous_commit = off; SET LOCAL jit = off")
        yield


def fold(conn: Connection[Any], rows: Sequence[Row], projections: Sequence[Projection], new: Edition) -> None:
    """Bring those of `projections` that fold forward by `rows`."""
    batch = gathered(facts(rows))
    for projection in projections:
        if projection.write:
            projection.write(conn, batch, new)


def lock(conn: Connection[Any], projections: Sequence[Projection], new: Edition) -> dict[str, int]:
    """Where `projections` stand, and nobody else moves them before this transaction ends."""
    query = """
        SELECT name, position FROM pitledger.followed
        WHERE name = ANY(%s) AND edition = %s ORDER BY name FOR UPDATE"""
    return dict(conn.execute(query, [_names(projections), new]).fetchall())


def reach(conn: Connection[Any], projections: Sequence[Projection], new: Edition, position: int) -> None:
    """Remember that an edition of `projections` has come to `position`."""
    query = "UPDATE pitledger.followed SET position = %s WHERE name = ANY(%s) AND edition = %s"
    conn.execute(query, [position, _names(projections), new])


def _names(projections: Sequence[Projection]) -> list[str]:
    return [projection.name for projection in projections]
