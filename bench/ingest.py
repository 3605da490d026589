"""What `pitledger ingest` reaches on the night of the demonstration, beside plain INSERTs of its rows.

The whole process, start-up left out: lines read and parsed, commands looked up and decided, events sealed,
stored and committed durably. One INSERT a row, pipelined by the driver, is what a program would write without
us; arrays written by PostgreSQL itself beforehand are the least that storing the same rows can cost.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any
from unittest.mock import patch

import psycopg

import cli.ingest
import ledger.casino
from bench import ledgers
from bench.lines import Line, alternating
from cli.ingest import BATCH
from ledger.recorder import LedgerRecorder

ROUNDS = 5
COLUMNS = (
    "property text, stream text, version bigint, batch bigint, place integer, name text, "
    "schema_version integer, occurred_at timestamptz, recorded_at timestamptz, "
    "badge text, role text, command text, step integer, table_name text, gaming_day date, "
    "data json, command_text json, hash bytea"
)
NAMES = [column.split()[0] for column in COLUMNS.split(", ")]
TYPES = [column.split()[1] for column in COLUMNS.split(", ")]
ROW = ", ".join(f"{name}::text" if kind == "json" else name for name, kind in zip(NAMES, TYPES, strict=True))
Rows = list[list[tuple[Any, ...]]]


def run(url: str) -> list[Line]:
    """Ingest the night into fresh ledgers, and its event rows into a plain table with the same keys."""
    with ExitStack() as stack:
        fresh = [stack.enter_context(ledgers.fresh(url)) for _ in range(ROUNDS + 1)]
        commands, parts = _taken_apart(fresh[-1])
        conn = stack.enter_context(psycopg.connect(fresh[-1], autocommit=True))
        rows, arrays = _rows_by_batch(conn), _arrays_by_batch(conn)
        gc.freeze()  # `pitledger ingest` has no yardstick's rows in its memory to look through
        stack.callback(gc.unfreeze)
        remaining = iter(fresh)
        work: list[Callable[[], int]] = [
            lambda: ledgers.play(next(remaining)),
            lambda: _insert_rows(conn, rows),
            lambda: _insert_arrays(conn, arrays),
        ]
        ours, by_row, by_array = alternating(work, ROUNDS)
    events = sum(map(len, rows))
    rate = ours * events / commands
    note = f"{commands:,} commands, {events:,} events, {BATCH} commands a transaction"
    return [
        Line("ingest: commands", ours, "commands/s", note=note),
        Line("ingest: events", rate, "events/s", by_row, "plain INSERT a row", "with every decision"),
        Line("ingest: events", rate, "events/s", by_array, "plain unnest", "its arrays ready beforehand"),
        *(Line(f"ingest: {part}", share, "% of the time") for part, share in parts.items()),
    ]


# ------------------------------------------------------------------------------------- where the time goes


def _taken_apart(fresh: str) -> tuple[int, dict[str, float]]:
    """How many commands the night is, and in percent of its time what its parts took.

    Storing goes on beside the rest, in a thread that mostly waits.
    """
    seconds: dict[str, float] = {}
    parts: list[tuple[str, Any, str]] = [
        ("parse", cli.ingest, "submitted"),
        ("look up", LedgerRecorder, "known"),
        ("decide", ledger.casino, "decide"),
        ("seal", ledger.casino, "seal"),
        ("store", LedgerRecorder, "append"),
    ]
    with ExitStack() as stack:
        for part, where, name in parts:
            stack.enter_context(_timed(seconds, part, where, name))
        begun = perf_counter()
        commands = ledgers.play(fresh)
        whole = perf_counter() - begun
    shares = {part: 100 * took / whole for part, took in seconds.items()}
    beside = shares.pop("store")
    return commands, {**shares, "all else": 100 - sum(shares.values()), "store, beside the rest": beside}


@contextmanager
def _timed(seconds: dict[str, float], part: str, where: Any, name: str) -> Iterator[None]:
    """Count the seconds that go into a function, by whatever name `part` gives them."""
    original = getattr(where, name)

    def timed(*args: Any, **named: Any) -> Any:
        begun = perf_counter()
        try:
            return original(*args, **named)
        finally:
            seconds[part] = seconds.get(part, 0.0) + perf_counter() - begun

    with patch.object(where, name, timed):
        yield


# ------------------------------------------------------------------------------------- plain SQL


def _rows_by_batch(conn: psycopg.Connection) -> Rows:
    """The rows that ingest stored, by the transactions that stored them."""
    batches: dict[int, list[tuple[Any, ...]]] = {}
    for row in conn.execute(f"SELECT {ROW} FROM pitledger.events ORDER BY batch, place"):
        batches.setdefault(row[NAMES.index("batch")], []).append(row)
    return list(batches.values())


def _arrays_by_batch(conn: psycopg.Connection) -> list[tuple[str, ...]]:
    """The same, each column as an array written by PostgreSQL itself, which costs the client nothing."""
    arrays = ", ".join(f"array_agg({name} ORDER BY place)::text" for name in NAMES)
    return conn.execute(f"SELECT {arrays} FROM pitledger.events GROUP BY batch ORDER BY batch").fetchall()


def _insert_rows(conn: psycopg.Connection, batches: Rows) -> int:
    """Insert the rows one statement each, a durable transaction a batch."""
    _empty_table(conn)
    insert = f"INSERT INTO plain VALUES ({', '.join(['%s'] * len(NAMES))})"
    for batch in batches:
        with conn.transaction():
            conn.cursor().executemany(insert, batch)
    return sum(map(len, batches))


def _insert_arrays(conn: psycopg.Connection, batches: list[tuple[str, ...]]) -> int:
    """Insert the rows a batch a statement and durable transaction."""
    _empty_table(conn)
    arrays = ", ".join(f"%s::{kind}[]" for kind in TYPES)
    insert = f"INSERT INTO plain SELECT * FROM unnest({arrays})"
    return sum(conn.execute(insert, columns).rowcount for columns in batches)


def _empty_table(conn: psycopg.Connection) -> None:
    conn.execute("DROP TABLE IF EXISTS plain")
    conn.execute(f"CREATE TABLE plain ({COLUMNS}, PRIMARY KEY (stream, version), UNIQUE (batch, place))")
