"""What the nightly pack of a busy house costs: a gaming day of 14 tables from the ledger to the last file.

One table plays all day; the thirteen others play the same, under their own names, grown by plain SQL. The
yardstick is PostgreSQL writing out the same events with COPY, which is the least that an archive costs.
"""

import multiprocessing
import resource
import tempfile
from datetime import date
from pathlib import Path
from time import perf_counter

import psycopg

from bench import ledgers
from bench.lines import Line
from bench.load import play_until
from ledger.log import bring_up_to_date
from projections.follow import follow
from projections.pack.write import Order, write

TABLES = 14
DAY = date(2026, 11, 28)
FORMATS = ("csv", "xlsx", "parquet", "hledger", "beancount", "ledger")
SMALL = 20_000  # events of the day that the memory of a large one is held against

# Events of one append go to one append of each other table, one table after another.
_EVENTS = """
    INSERT INTO pitledger.events
    SELECT property, 'table:CR' || 50 + copy || ':' || gaming_day, version,
           (SELECT max(batch) FROM pitledger.log) + copy, place, name, schema_version, occurred_at,
           recorded_at, badge, role, command || '/' || copy, step, 'CR' || 50 + copy, gaming_day, data,
           command_text, hash
      FROM (SELECT e.*, row_number() OVER (ORDER BY version) - 1 AS at FROM pitledger.events e
             WHERE stream LIKE 'table:CR08:%%') AS played (property, stream, version, batch, old_place, name,
             schema_version, occurred_at, recorded_at, badge, role, command, step, table_name, gaming_day,
             data, command_text, hash, place),
           generate_series(1, %(copies)s::int) AS copy
"""
_LOG = """
    INSERT INTO pitledger.log (property, first_position, last_position, batch)
    SELECT head.property, head.position + (copy - 1) * played.events + 1,
           head.position + copy * played.events, head.batch + copy
      FROM (SELECT property, max(last_position) AS position, max(batch) AS batch FROM pitledger.log
             GROUP BY property) AS head,
           (SELECT count(*) AS events FROM pitledger.events WHERE stream LIKE 'table:CR08:%%') AS played,
           generate_series(1, %(copies)s::int) AS copy
"""


def run(url: str, events: int = 450_000) -> list[Line]:
    """Seconds for a day of so many events at 14 tables; memory in MB."""
    with ledgers.fresh(url) as ledger:
        _a_day(ledger, SMALL)
        _, least, _ = _exported(ledger)
    with ledgers.fresh(url) as ledger:
        count = _a_day(ledger, events)
        seconds, most, size = _exported(ledger)
        copy = _copied_out(ledger)
    name = f"export {count:,} events"
    return [
        Line(name, seconds, "s", copy, "COPY ... TO STDOUT", note=f"every format, {size:,} bytes in all"),
        Line(f"{name}: peak memory", most, "MB", least, f"at {SMALL:,} events"),
    ]


def _a_day(ledger: str, events: int) -> int:
    """A gaming day of 14 tables and about so many events, all projections up to it."""
    play_until(ledger, events // TABLES)
    with psycopg.connect(ledger, autocommit=True) as conn:
        bring_up_to_date(conn)
        with conn.transaction():
            conn.execute(_EVENTS, {"copies": TABLES - 1})
            conn.execute(_LOG, {"copies": TABLES - 1})
        conn.execute("SELECT setval('pitledger.batches', max(batch)) FROM pitledger.log")
        conn.execute("VACUUM (ANALYZE) pitledger.events, pitledger.log")
        return follow(conn)


def _exported(ledger: str) -> tuple[float, float, int]:
    """Seconds, the most memory in MB and the bytes written by a process of its own that exports the day."""
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_export, (ledger,))


def _export(ledger: str) -> tuple[float, float, int]:
    with tempfile.TemporaryDirectory() as folder, psycopg.connect(ledger, autocommit=True) as conn:
        begun = perf_counter()
        follow(conn)
        made = write(conn, Order(DAY, Path(folder), FORMATS, [], "certifiable"), lambda done, to_do: None)
        seconds = perf_counter() - begun
        size = sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file())
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, size


def _copied_out(ledger: str) -> float:
    begun = perf_counter()
    query = "COPY pitledger.events TO STDOUT"
    with psycopg.connect(ledger) as conn, conn.cursor() as cursor, cursor.copy(query) as out:
        for _ in out:
            pass
    return perf_counter() - begun
