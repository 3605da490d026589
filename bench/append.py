"""What it costs to store events for ever: our append, beside plain SQL and the library as it comes.

Ours begins with decided events and ends with a durable commit: canonical JSON, hash chain, envelope, two
more unique indexes, ticket. Plain SQL inserts the same finished rows into a table with the same primary key.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

import psycopg

from bench import ledgers, library
from bench.lines import Line, alternating
from cli.house import DEMO
from domain.events import WagerSettled
from ledger.envelope import Act, Recorded, seal
from ledger.recorder import LedgerDatastore, LedgerRecorder

HOUSE = DEMO.name
ROUNDS = 5
EVENTS = 5_000  # about so many events a round, but no more than APPENDS appends
APPENDS = 300
SIZES = (1, 10, 100, 1_000)  # events a transaction
LIBRARY_SIZES = (
    1,
    10,
    100,
)  # with 1,000 events of this size its pipeline may hang (flushed in part) for ever
NIGHT = datetime(2026, 11, 28, 18, tzinfo=UTC)
SETTLED = WagerSettled(
    roll=17,
    wager="w1234",
    player="Abel",
    kind="place",
    stake=600,
    outcome="won",
    odds="7 to 6",
    owed="700",
    paid=700,
    breakage="0",
    commission=0,
    net=700,
    credit=1300,
    section="Prairie Meadows, Permissible Wagers 7",
    number=6,
    edge="1/66",
)
TEXT = b'{"at":"2026-11-28T18:00:00-06:00","by":{"badge":"D-1","role":"dealer"},"dice":[3,3],"do":"roll"}'
COLUMNS = {
    "property": "text",
    "stream": "text",
    "version": "bigint",
    "name": "text",
    "schema_version": "integer",
    "occurred_at": "timestamptz",
    "recorded_at": "timestamptz",
    "badge": "text",
    "role": "text",
    "command": "text",
    "step": "integer",
    "table_name": "text",
    "gaming_day": "date",
    "data": "json",
    "command_text": "json",
    "hash": "bytea",
}
NAMES = ", ".join(COLUMNS)
COLUMN_TYPES = ", ".join(map(" ".join, COLUMNS.items()))
CREATE = f"CREATE TABLE {{table}} ({COLUMN_TYPES}, PRIMARY KEY (property, stream, version))"
ARRAYS = ", ".join(f"%b::{'text' if kind == 'json' else kind}[]" for kind in COLUMNS.values())
AS_JSON = ", ".join(f"{name}::json" if kind == "json" else name for name, kind in COLUMNS.items())
UNNEST = f"INSERT INTO {{table}} ({NAMES}) SELECT {AS_JSON} FROM unnest({ARRAYS}) AS rows ({NAMES})"
INSERT = f"INSERT INTO {{table}} ({NAMES}) VALUES ({', '.join(['%s'] * len(COLUMNS))})"
COPY = f"COPY {{table}} ({NAMES}) FROM STDIN"
numbers = count(1)

Row = tuple[Any, ...]
Piece = Callable[[], int]
Store = Callable[[psycopg.Connection[Any], str, list[Row]], None]


def run(url: str) -> list[Line]:
    """Ours at each size, beside each yardstick in turn; every rate is in events a second."""
    with ledgers.fresh(url) as ledger:
        return [line for size in SIZES for line in _lines(ledger, size)]


def _lines(url: str, size: int) -> list[Line]:
    yardsticks: dict[str, Piece] = {}
    with ExitStack() as stack:
        recorder = LedgerRecorder(stack.enter_context(LedgerDatastore(url)))
        conn = stack.enter_context(psycopg.connect(url, autocommit=True))
        rounds = [rows(size) for _ in range(ROUNDS)]
        for beside, store in (("plain unnest", unnest), ("plain INSERT a row", _insert), ("COPY", _copy)):
            yardsticks[beside] = plain(conn, rounds, store)
        if size in LIBRARY_SIZES:
            yardsticks["library's default"] = _default(
                stack.enter_context(library.House(library.settings(url))), size
            )
        ours, *rates = alternating([_ours(recorder, size), *yardsticks.values()], ROUNDS)
    name = f"append {size:,} a transaction"
    return [
        Line(name, ours, "events/s", rate, beside) for beside, rate in zip(yardsticks, rates, strict=True)
    ]


def appends(size: int) -> int:
    """How many appends of so many events make a round."""
    return max(3, min(APPENDS, EVENTS // size))


def sealed(size: int) -> Iterator[list[Recorded]]:
    """The appends of one round, each one command's events, all in a stream of their own."""
    stream, version, head = f"table:B{next(numbers)}:2026-11-28", 0, None
    for _ in range(appends(size)):
        who = ("D-142", "dealer", f"CR01:{next(numbers):08}")
        act = Act(HOUSE, stream, "CR01", NIGHT.date(), NIGHT, datetime.now(UTC), *who)
        records = seal([SETTLED] * size, act, TEXT, version, head)
        version, head = records[-1].originator_version, records[-1].hash
        yield records


def _ours(recorder: LedgerRecorder, size: int) -> Piece:
    """From decided events to a durable commit."""

    def work() -> int:
        for records in sealed(size):
            recorder.append(records)
        return appends(size) * size

    return work


# ------------------------------------------------------------------------------------------ plain SQL


def rows(size: int) -> list[list[Row]]:
    """The same appends, finished."""
    return [[(HOUSE, *record) for record in records] for records in sealed(size)]


def plain(conn: psycopg.Connection[Any], rounds: list[list[list[Row]]], store: Store) -> Piece:
    """From finished rows to a durable commit, in a table of its own."""
    table = f"plain_{next(numbers)}"
    conn.execute(CREATE.format(table=table))
    remaining = iter(rounds)

    def work() -> int:
        batches = next(remaining)
        for together in batches:
            store(conn, table, together)
        return sum(map(len, batches))

    return work


def unnest(conn: psycopg.Connection[Any], table: str, rows: list[Row]) -> None:
    """One statement for all rows: a column an array."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    conn.execute(UNNEST.format(table=table), columns, prepare=True)


def _insert(conn: psycopg.Connection[Any], table: str, rows: list[Row]) -> None:
    insert = INSERT.format(table=table)
    if len(rows) == 1:
        conn.execute(insert, rows[0], prepare=True)
        return
    with conn.transaction():
        conn.cursor().executemany(insert, rows)


def _copy(conn: psycopg.Connection[Any], table: str, rows: list[Row]) -> None:
    with conn.cursor().copy(COPY.format(table=table)) as copy:
        for row in rows:
            copy.write_row(row)


# ------------------------------------------------------------------------------------------ the library


@dataclass(frozen=True)
class Settled:
    """The same fact as the library would have it: its own dataclass, transcoded by its own JSON."""

    originator_id: str
    originator_version: int
    occurred_at: datetime
    recorded_at: datetime
    badge: str
    role: str
    command: str
    step: int
    table: str
    event: dict[str, Any]


def _default(application: library.House, size: int) -> Piece:
    """From decided events to a durable commit, through `save`."""
    fields = dict(SETTLED)

    def work() -> int:
        stream, version = f"table:B{next(numbers)}:2026-11-28", 0
        for _ in range(appends(size)):
            who = (NIGHT, datetime.now(UTC), "D-142", "dealer", f"CR01:{next(numbers):08}")
            events = [Settled(stream, version + n + 1, *who, n, "CR01", fields) for n in range(size)]
            application.save(*events)
            version += size
        return version

    return work
