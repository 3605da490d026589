"""Keeps the projections up with the log, and knows which there are."""

from collections.abc import Sequence
from typing import Any

from psycopg import Connection

from ledger.log import bring_up_to_date
from projections import audit, balances, books, disputes, rolls, settlements, tables, wagers, win
from projections.advance import Progress, advance_to, in_silence
from projections.anew import make_anew, only_rebuild
from projections.projection import Projection

PROJECTIONS = (
    balances.PROJECTION,
    win.PROJECTION,
    settlements.PROJECTION,
    rolls.PROJECTION,
    tables.PROJECTION,
    audit.PROJECTION,
    wagers.PROJECTION,
    disputes.PROJECTION,
    books.PROJECTION,
)
NAMES = tuple(projection.name for projection in PROJECTIONS)


def follow(conn: Connection[Any], progress: Progress = in_silence) -> int:
    """Bring every projection up to the log's head as it was when this was called; returns that position.

    A projection that is missing, or whose definition has changed, is made anew first.
    """
    head = bring_up_to_date(conn)
    if _outdated(conn):
        with only_rebuild(conn):
            make_anew(conn, _outdated(conn), progress)
    advance_to(conn, head, PROJECTIONS, "", progress)
    return head


def rebuild(conn: Connection[Any], names: Sequence[str] = NAMES, progress: Progress = in_silence) -> int:
    """Make the projections called `names` anew from the first event on; returns the position reached.

    The old rows answer until the new ones take their place. Raises KeyError for a name that is none.
    """
    by_name = {projection.name: projection for projection in PROJECTIONS}
    with only_rebuild(conn):
        make_anew(conn, [by_name[name] for name in names], progress)
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
