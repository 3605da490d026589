"""Every numbered roll of a table and gaming day: the call that stands, every call before it, what it did.

Only the last roll of a table can still change (a call is corrected before the next dice are out), so the
fold needs the last known roll of each table and no other.
"""

from collections.abc import Callable, Collection
from datetime import date
from typing import Any

from psycopg import Connection

from domain import events as e
from domain.books import event_win
from projections.projection import Batch, Edition, Fact, Projection, Said, TableDay
from projections.rows import Row, find, put, select

Rolls = dict[TableDay, Row]
Calls = e.RollCalled | e.NoRollCalled | e.RollOverruled


def fold(last: Rolls, batch: Batch) -> list[Row]:
    """The rolls that `batch` adds or changes; `last` has each table's and day's last roll, and stays so."""
    changed: dict[tuple[str, date, int], Row] = {}
    for table_day, part in batch.items():
        for fact in part.facts:
            if remember := _REMEMBER.get(type(fact.event)):
                roll = remember(last.get(table_day), fact)
                if roll is not None:
                    last[table_day] = roll
                    changed[*table_day, roll["roll"]] = roll
    return list(changed.values())


def _called(before: Row | None, fact: Fact) -> Row:
    event = fact.event
    assert isinstance(event, e.RollCalled | e.NoRollCalled), event
    puck = before["puck_after"] if before else None
    roll = {
        "table_name": fact.table,
        "gaming_day": fact.gaming_day,
        "roll": event.roll,
        "position": fact.row.position,
        "come_out": event.come_out if isinstance(event, e.RollCalled) else puck is None,
        "shooter": event.shooter if isinstance(event, e.RollCalled) else None,
        "puck_before": puck,
        "puck_after": puck,
        "decided": 0,
        "house_net": 0,
        "calls": [],
        **_standing(fact.row, event),
    }
    _add_call(roll, fact.row, event)
    return roll


def _overruled(roll: Row | None, fact: Fact) -> Row:
    event = fact.event
    assert isinstance(event, e.RollOverruled), event
    assert roll is not None, event
    roll.update(_standing(fact.row, event), puck_after=event.puck)
    _add_call(roll, fact.row, event)
    return roll


def _standing(row: Said, event: Calls) -> Row:
    """The call that stands, and who made it."""
    valid = event.dice is not None and not isinstance(event, e.NoRollCalled)
    return {
        "dice": list(event.dice) if event.dice else None,
        "total": sum(event.dice) if valid and event.dice else None,
        "no_roll": event.reason if isinstance(event, e.NoRollCalled) else None,
        "void": isinstance(event, e.RollOverruled) and event.dice is None,
        "overruled": isinstance(event, e.RollOverruled),
        "badge": row.badge,
        "role": row.role,
        "occurred_at": row.occurred_at,
        "command": row.command,
    }


def _add_call(roll: Row, row: Said, event: Calls) -> None:
    reason = None if isinstance(event, e.RollCalled) else event.reason
    roll["calls"].append(
        {
            "position": row.position,
            "call": type(event).name,
            "dice": list(event.dice) if event.dice else None,
            "reason": reason,
            "badge": row.badge,
            "role": row.role,
            "command": row.command,
        }
    )


def _puck(roll: Row | None, fact: Fact) -> Row | None:
    assert isinstance(fact.event, e.PuckMoved), fact
    if roll is not None:
        roll["puck_after"] = fact.event.point
    return roll


def _settled(roll: Row | None, fact: Fact) -> Row:
    assert roll is not None, fact
    roll["decided"] += 1
    roll["house_net"] += event_win(fact.moved)
    return roll


def _reversed(roll: Row | None, fact: Fact) -> Row:
    assert roll is not None, fact
    roll["decided"] -= 1
    roll["house_net"] += event_win(fact.moved)
    return roll


_REMEMBER: dict[type[e.Happened], Callable[[Row | None, Fact], Row | None]] = {
    e.RollCalled: _called,
    e.NoRollCalled: _called,
    e.RollOverruled: _overruled,
    e.PuckMoved: _puck,
    e.WagerSettled: _settled,
    e.SettlementReversed: _reversed,
}


def write(conn: Connection[Any], batch: Batch, new: Edition) -> None:
    """Write the rolls that `batch` adds or changes."""
    last = {(row["table_name"], row["gaming_day"]): row for row in _last_rolls(conn, batch, new)}
    put(conn, f"rolls{new}", ("table_name", "gaming_day", "roll"), fold(last, batch))


def _last_rolls(conn: Connection[Any], days: Collection[TableDay], new: Edition) -> list[Row]:
    if not days:
        return []
    tables, gaming_days = zip(*days, strict=True)
    query = f"""
        SELECT roll.* FROM unnest(%(tables)s::text[], %(days)s::date[]) AS day (table_name, gaming_day),
            LATERAL (SELECT * FROM pitledger.rolls{new} WHERE table_name = day.table_name
                AND gaming_day = day.gaming_day ORDER BY roll DESC LIMIT 1) AS roll"""
    found = find(conn, query, {"tables": list(tables), "days": list(gaming_days)})
    return [{**row, "house_net": int(row["house_net"])} for row in found]


PROJECTION = Projection(
    name="rolls",
    version=2,
    tables={
        "rolls": """
            table_name text, gaming_day date, roll integer, position bigint NOT NULL,
            dice integer[], total integer, no_roll text, void boolean NOT NULL, overruled boolean NOT NULL,
            come_out boolean NOT NULL, shooter text, puck_before integer, puck_after integer,
            decided integer NOT NULL, house_net numeric NOT NULL,
            badge text NOT NULL, role text NOT NULL, occurred_at timestamptz NOT NULL, command text NOT NULL,
            calls jsonb NOT NULL, PRIMARY KEY (gaming_day, table_name, roll)"""
    },
    remembers=_REMEMBER,
    write=write,
)

_ROWS = """
    SELECT * FROM (
        SELECT table_name AS "table", gaming_day, roll, dice, total, no_roll, void, overruled, come_out,
            puck_before, puck_after, shooter, decided, house_net, occurred_at AS at, badge AS by, role,
            command, position, calls
        FROM pitledger.rolls WHERE {where}
        ORDER BY gaming_day DESC, "table" DESC, roll DESC LIMIT %(last)s
    ) AS latest ORDER BY gaming_day, "table", roll"""


def rows(
    conn: Connection[Any],
    table: str | None = None,
    day: date | None = None,
    roll: int | None = None,
    last: int | None = None,
) -> list[Row]:
    """Rolls in the order of their day, table and number; only the `last` so many of them where given.

    `house_net` is what the house won on the wagers this roll decided, in cents. `calls` are all calls of
    the roll, the first one first; the row shows the one that stands.
    """
    found = select(conn, _ROWS, {"table_name": table, "gaming_day": day, "roll": roll}, last=last)
    for row in found:
        row["gaming_day"] = row["gaming_day"].isoformat()
        row["at"] = row["at"].isoformat()
        row["house_net"] = int(row["house_net"])
    return found
