"""Fresh ledgers to measure on, and histories as long as one likes, grown from one real night by plain SQL."""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from urllib.parse import quote, urlencode

import orjson
import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from cli.house import DEMO
from cli.ingest import Ingest
from cli.progress import Meter
from cli.summary import Summary
from ledger import migrations
from ledger.casino import Casino
from ledger.log import bring_up_to_date

TABLE = "CR08"
"""The table of the first night, which nobody plays at again."""

TABLES = 4
"""Tables of the house; a night is played at all of them at once."""

REGULARS = 5
"""Parties of patrons that take turns at the tables: the house has so many times the players of one night."""

AT_ONCE = 200_000  # events one statement grows by
_numbers = itertools.count(1)

# The appends of all tables of one night alternate in the log, as they would on the floor. The party that
# plays stands before the names, so that who played the first night never played again.
_APPENDS = """
    CREATE TEMPORARY TABLE appends AS
    WITH first AS (
        SELECT batch, first_position, last_position - first_position + 1 AS events
          FROM pitledger.log WHERE last_position <= %(night)s
    ), again AS (
        SELECT copy, batch AS first_batch, events,
               row_number() OVER following AS number, sum(events) OVER following AS up_to
          FROM first, generate_series(%(first)s::int, %(last)s::int) AS copy
        WINDOW following AS (ORDER BY copy / %(tables)s, batch, copy)
    ), head AS (
        SELECT max(last_position) AS position, max(batch) AS batch FROM pitledger.log
    )
    SELECT copy, first_batch, head.batch + number AS batch,
           head.position + up_to - events + 1 AS first_position, head.position + up_to AS last_position
      FROM again, head
"""
_EVENTS = """
    INSERT INTO pitledger.events
    SELECT property, 'table:' || place_of.name || ':' || place_of.day, version, a.batch, place, e.name,
           schema_version, occurred_at + a.copy / %(tables)s * interval '1 day',
           recorded_at + a.copy / %(tables)s * interval '1 day', badge, role, command || '/' || a.copy, step,
           place_of.name, place_of.day,
           replace(replace(replace(data::text, '"player":"', '"player":"' || party), '"shooter":"',
               '"shooter":"' || party), gaming_day::text, place_of.day::text)::json,
           command_text, hash
      FROM appends a JOIN pitledger.events e ON e.batch = a.first_batch,
           LATERAL (SELECT 'T' || a.copy %% %(tables)s AS name, gaming_day + a.copy / %(tables)s AS day,
                           'R' || a.copy %% %(regulars)s || '.' AS party) AS place_of
     ORDER BY a.batch, place
"""
_LOG = """
    INSERT INTO pitledger.log (property, first_position, last_position, batch)
    SELECT (SELECT property FROM pitledger.property), first_position, last_position, batch
      FROM appends ORDER BY batch
"""


@contextmanager
def fresh(url: str) -> Iterator[str]:
    """The URL of a fresh ledger on the server of `url`, dropped afterwards."""
    name = f"pitledger_bench_{os.getpid()}_{next(_numbers)}"
    place = {key: value for key, value in conninfo_to_dict(url).items() if key != "dbname"}
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        ledger = f"postgresql:///{name}?{urlencode(place, quote_via=quote)}"
        try:
            with psycopg.connect(ledger, autocommit=True) as inside:
                migrations.migrate(inside)
                migrations.initialise(inside, *DEMO)
            yield ledger
        finally:
            conn.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def night() -> Iterator[dict[str, object]]:
    """The commands of the demonstration's night, as they stand in its log."""
    for line in files("cli.demo").joinpath("ia-night.jsonl").read_bytes().splitlines():
        yield orjson.loads(line)


def play(ledger: str) -> int:
    """Read the night of the demonstration into `ledger`, from its file on; answers how many commands."""
    with (
        as_file(files("cli.demo").joinpath("ia-night.jsonl")) as night,
        Casino.open(ledger) as casino,
        Summary(quiet=True) as summary,
    ):
        Ingest(casino, str(night), summary, Meter()).run()
    assert summary.accepted == summary.lines > 0, summary
    return summary.lines


def grow(ledger: str, events: int) -> int:
    """Let nights like the first be played until `ledger` holds about so many events; answers how many.

    Positions, versions, keys and contents are as they would be; only the hashes are those of the first night,
    which nothing that is measured here reads.
    """
    with psycopg.connect(ledger, autocommit=True) as conn:
        if not (head := bring_up_to_date(conn)):
            play(ledger)
            head = bring_up_to_date(conn)
        night = _first_night(conn)
        copies = head // night
        wanted = max(copies, round(events / night))
        step = max(1, AT_ONCE // night)
        for first in range(copies, wanted, step):
            _copy(conn, night, first, min(first + step, wanted) - 1)
        conn.execute("SELECT setval('pitledger.batches', max(batch)) FROM pitledger.log")
        conn.execute("VACUUM (ANALYZE) pitledger.events, pitledger.log")
        return wanted * night


def _copy(conn: psycopg.Connection, night: int, first: int, last: int) -> None:
    with conn.transaction():
        asked = {"night": night, "first": first, "last": last, "tables": TABLES, "regulars": REGULARS}
        conn.execute(_APPENDS, asked)
        conn.execute(_EVENTS, asked)
        conn.execute(_LOG)
        conn.execute("DROP TABLE appends")


def _first_night(conn: psycopg.Connection) -> int:
    """How many events were stored before any night was played again."""
    query = """
        SELECT max(last_position) FROM pitledger.log
         WHERE batch <= (SELECT max(batch) FROM pitledger.events WHERE table_name = %s)"""
    row = conn.execute(query, [TABLE]).fetchone()
    assert row is not None
    return int(row[0])
