"""Every table and gaming day: open or closed, under which rules, who plays, where the puck is."""

from collections.abc import Callable
from datetime import date
from typing import Any

from psycopg import Connection

from domain import events as e
from domain.books import FLOWS, into
from projections.projection import Batch, Edition, Projection, Said, TableDay, at_tables
from projections.rows import Row, find, load, put, select

TableDays = dict[TableDay, Row]


def new_row(table: str, gaming_day: date) -> Row:
    """A table and gaming day of which nothing is known yet."""
    return {
        "table_name": table,
        "gaming_day": gaming_day,
        "is_open": False,
        "rules": None,
        "rules_version": None,
        "pit": None,
        "shift": None,
        "min": None,
        "max": None,
        "aggregate_limit": None,
        "opened": None,  # the position of its (last) opening
        "opened_at": None,
        "closed_at": None,
        "puck": None,
        "shooter": None,
        "roll": 0,
        "dice": None,
        "chips": {},  # player -> cents on the rail and the layout
    }


def fold(known: TableDays, batch: Batch) -> None:
    """Bring the rows of `known` forward by `batch`; it has a row for every table and gaming day in it."""
    for table_day, part in batch.items():
        table = known[table_day]
        for player, flows in part.moved.items():
            if player is not None:
                held = sum(_CUSTODY[flow] * amount for flow, amount in flows.items())
                table["chips"][player] = table["chips"].get(player, 0) + held
        for fact in part.facts:
            if remember := _REMEMBER.get(type(fact.event)):
                remember(table, fact.row, fact.event)


_CUSTODY = {flow: into("rail", flow) + into("layout", flow) for flow in FLOWS}


def _opened(table: Row, row: Said, event: e.TableOpened) -> None:
    table.update(
        is_open=True,
        rules=event.rules,
        rules_version=event.rules_version,
        pit=event.pit,
        shift=event.shift,
        min=event.min,
        max=event.max,
        aggregate_limit=event.aggregate_limit,
        opened=row.position,
        opened_at=row.occurred_at,
        closed_at=None,
    )


def _closed(table: Row, row: Said, _: e.TableClosed) -> None:
    table.update(is_open=False, closed_at=row.occurred_at, puck=None, shooter=None)


def _shooter(table: Row, _: Said, event: e.ShooterAssigned) -> None:
    table["shooter"] = event.player


def _passed(table: Row, _: Said, event: e.DicePassed) -> None:
    table["shooter"] = None


def _called(table: Row, _: Said, event: e.RollCalled | e.NoRollCalled) -> None:
    table.update(roll=event.roll, dice=event.dice)


def _overruled(table: Row, _: Said, event: e.RollOverruled) -> None:
    table.update(dice=event.dice, puck=event.puck, shooter=event.shooter)


def _puck(table: Row, _: Said, event: e.PuckMoved) -> None:
    table["puck"] = event.point


_REMEMBER: dict[type[e.Happened], Callable[[Row, Said, Any], None]] = {
    e.TableOpened: _opened,
    e.TableClosed: _closed,
    e.ShooterAssigned: _shooter,
    e.DicePassed: _passed,
    e.RollCalled: _called,
    e.NoRollCalled: _called,
    e.RollOverruled: _overruled,
    e.PuckMoved: _puck,
}


def write(conn: Connection[Any], batch: Batch, new: Edition) -> None:
    """Bring the rows of the tables and days of `batch` forward."""
    batch = at_tables(batch)
    known = {table_day: new_row(*table_day) for table_day in sorted(batch)}
    for row in load(conn, f"tables{new}", [{"table_name": table, "gaming_day": day} for table, day in known]):
        known[row["table_name"], row["gaming_day"]] = row
    fold(known, batch)
    put(conn, f"tables{new}", ("table_name", "gaming_day"), list(known.values()))


PROJECTION = Projection(
    name="tables",
    version=2,
    tables={
        "tables": """
            table_name text, gaming_day date, is_open boolean NOT NULL, rules text, rules_version integer,
            pit text, shift text, min bigint, max bigint,
            aggregate_limit bigint, opened bigint,
            opened_at timestamptz, closed_at timestamptz,
            puck integer, shooter text, roll integer NOT NULL, dice integer[], chips jsonb NOT NULL,
            PRIMARY KEY (table_name, gaming_day)"""
    },
    remembers=_REMEMBER,
    write=write,
)


def rows(conn: Connection[Any], table: str | None = None, day: date | None = None) -> list[Row]:
    """One row a table and gaming day. `players` have chips on the rail or the layout; `roll` is the last."""
    query = "SELECT * FROM pitledger.tables WHERE {where} ORDER BY gaming_day, table_name"
    return [_shown(row) for row in select(conn, query, {"table_name": table, "gaming_day": day})]


def last_day(conn: Connection[Any], table: str) -> date | None:
    """The gaming day on which `table` was last opened; where it never was, the last one that knows of it."""
    query = """
        SELECT gaming_day FROM pitledger.tables WHERE table_name = %(table)s
        ORDER BY opened DESC NULLS LAST, gaming_day DESC LIMIT 1"""
    found = find(conn, query, {"table": table})
    return found[0]["gaming_day"] if found else None


def _shown(row: Row) -> Row:
    opened, closed = row["opened_at"], row["closed_at"]
    return {
        "table": row["table_name"],
        "gaming_day": row["gaming_day"].isoformat(),
        "status": _status(row),
        "rules": row["rules"],
        "players": sorted(player for player, chips in row["chips"].items() if chips),
        "puck": row["puck"],
        "shooter": row["shooter"],
        "roll": row["roll"],
        "dice": row["dice"],
        "min": row["min"],
        "max": row["max"],
        "opened_at": opened and opened.isoformat(),
        "closed_at": closed and closed.isoformat(),
        "rules_version": row["rules_version"],
        "pit": row["pit"],
        "shift": row["shift"],
        "aggregate_limit": row["aggregate_limit"],
    }


def _status(row: Row) -> str:
    """A table that only ever refused commands on a day was never opened."""
    if row["is_open"]:
        return "open"
    return "never opened" if row["opened_at"] is None else "closed"
