"""The layout of one table, now or at a past roll: folds the one stream it concerns."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from psycopg import Connection

from domain import events as e
from domain.table import Table, Wager
from ledger import snapshots
from ledger.log import event_of, read_stream
from projections import tables
from projections.rows import Row, find


def at(conn: Connection[Any], table: str, day: date | None = None, roll: int | None = None) -> Row | None:
    """The layout as it lies after the last event of the day, or as it lay just before `roll` was thrown.

    `day` is the one on which the table was last opened where none is given. None where the ledger knows no
    such table and day, or where the table never came to that roll. Cents.
    """
    day = day or tables.last_day(conn, table)
    called = None if roll is None else _version_called(conn, table, day, roll)
    lay = _left(conn, f"table:{table}:{day}", called)
    so_far = read_stream(conn, f"table:{table}:{day}", lay.version, called)
    lay = fold((event_of(row) for row in so_far), roll, lay)
    if not lay.version or (roll is not None and not 1 <= roll <= lay.rolls + 1):
        return None
    return {
        "table": table,
        "gaming_day": str(day),
        "roll": lay.rolls if roll is None else roll,
        "puck": lay.puck,
        "shooter": lay.shooter,
        "rails": dict(sorted(lay.rails.items())),
        "wagers": [lying(lay, wager) for wager in lay.in_order()],
    }


def _version_called(conn: Connection[Any], table: str, day: date | None, roll: int) -> int | None:
    """The version at which a roll was first called; None where it never was."""
    query = """
        SELECT version FROM pitledger.rolls JOIN pitledger.audit USING (position)
        WHERE rolls.table_name = %(table)s AND rolls.gaming_day = %(day)s AND rolls.roll = %(roll)s"""
    found = find(conn, query, {"table": table, "day": day, "roll": roll})
    return found[0]["version"] if found else None


def _left(conn: Connection[Any], stream: str, before: int | None) -> Table:
    """The table as the last snapshot `before` the version asked for has it; without one, a new one."""
    kept = snapshots.latest(conn, stream, before and before - 1)
    if kept is None:
        return Table()
    assert isinstance(kept.subject, Table), stream
    return kept.subject


def fold(events: Iterable[e.Happened], roll: int | None = None, table: Table | None = None) -> Table:
    """The table as `events` leave it; as it lay just before `roll` was called where a roll is given.

    Goes on from `table` where there is one.
    """
    table = Table() if table is None else table
    for event in events:
        if isinstance(event, e.RollCalled | e.NoRollCalled) and event.roll == roll:
            break
        table.apply(event)
    return table


def lying(table: Table, wager: Wager) -> Row:
    """A wager as it lies on the layout; its amount in cents."""
    return {
        "wager": wager.wager,
        "player": wager.player,
        "kind": wager.kind,
        "number": wager.number,
        "amount": wager.amount,
        "on": wager.on,
        "working": table.working(wager),
        "combo": wager.combo,
        "high": wager.high,
        "base": wager.base,
        "for_dealers": wager.for_dealers,
    }
