"""What `pitledger ingest` reaches on the night of the demonstration, beside plain INSERTs of its rows."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import as_file, files
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from bench.lines import Line, alternating
from cli.house import DEMO
from cli.ingest import BATCH, Ingest
from cli.progress import Meter
from cli.summary import Summary
from ledger import migrations
from ledger.casino import Casino

ROUNDS = 5
COLUMNS = (
    "property text, stream text, version bigint, batch bigint, place integer, name text, "
    "schema_version integer, occurred_at timestamptz, recorded_at timestamptz, "
    "badge text, role text, command text, step integer, table_name text, gaming_day date, "
    "data json, command_text json, hash bytea"
)
NAMES = [column.split()[0] for column in COLUMNS.split(", ")]
TYPES = [column.split()[1] for column in COLUMNS.split(", ")]


def run(url: str) -> list[Line]:
    """Ingest the night into fresh ledgers, and its event rows into a plain table with the same keys."""
    with ExitStack() as stack:
        ledgers = [stack.enter_context(_ledger(url, number)) for number in range(ROUNDS + 1)]
        commands = _ingest(ledgers[-1])
        conn = stack.enter_context(psycopg.connect(ledgers[-1], autocommit=True))
        batches = _columns_by_batch(conn)
        events = _insert(conn, batches)
        remaining = iter(ledgers)
        ours, plain = alternating([lambda: _ingest(next(remaining)), lambda: _insert(conn, batches)], ROUNDS)
    beside = "plain INSERT of the same rows"
    note = f"{commands:,} commands, {events:,} events, {BATCH} commands a transaction"
    return [
        Line("ingest: commands", ours, "commands/s", note=note),
        Line(
            "ingest: events", ours * events / commands, "events/s", plain, beside, note="with every decision"
        ),
    ]


def _ingest(ledger: str) -> int:
    """Read the night into `ledger`, from its file on; answers how many commands it was."""
    with (
        as_file(files("cli.demo").joinpath("ia-night.jsonl")) as night,
        Casino.open(ledger) as casino,
        Summary(quiet=True) as summary,
    ):
        Ingest(casino, str(night), summary, Meter()).run()
    assert summary.accepted == summary.lines > 0, summary
    return summary.lines


def _columns_by_batch(conn: psycopg.Connection[Any]) -> list[tuple[str, ...]]:
    """The rows that ingest stored, by the transactions that stored them: each column as a written array.

    Written by PostgreSQL itself, so that inserting them again costs the client nothing.
    """
    arrays = ", ".join(f"array_agg({name} ORDER BY place)::text" for name in NAMES)
    return conn.execute(f"SELECT {arrays} FROM pitledger.events GROUP BY batch ORDER BY batch").fetchall()


def _insert(conn: psycopg.Connection[Any], batches: list[tuple[str, ...]]) -> int:
    """Insert the same rows with plain SQL, a durable transaction a batch."""
    conn.execute("DROP TABLE IF EXISTS plain")
    conn.execute(f"CREATE TABLE plain ({COLUMNS}, PRIMARY KEY (stream, version), UNIQUE (batch, place))")
    arrays = ", ".join(f"%s::{kind}[]" for kind in TYPES)
    insert = f"INSERT INTO plain SELECT * FROM unnest({arrays})"
    return sum(conn.execute(insert, columns).rowcount for columns in batches)


@contextmanager
def _ledger(url: str, number: int) -> Iterator[str]:
    """The URL of a fresh ledger on the server of `url`, dropped afterwards."""
    name = f"pitledger_bench_{os.getpid()}_{number}"
    place = {key: value for key, value in conninfo_to_dict(url).items() if key != "dbname"}
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        ledger = f"postgresql:///{name}?{urlencode(place, quote_via=quote)}"
        try:
            with psycopg.connect(ledger, autocommit=True) as inside:
                migrations.migrate(inside)
                migrations.initialise(inside, *DEMO)
            yield ledger
        finally:
            conn.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
