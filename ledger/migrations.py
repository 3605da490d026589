"""The schema of the ledger, step by step and never backwards, and whose ledger it is.

Each step is a numbered file in `ledger/schema/`; all that are missing are applied in one transaction, one
process at a time.
"""

from datetime import date, datetime, timedelta
from importlib.resources import files
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import psycopg
from psycopg.rows import tuple_row

from ledger.errors import LedgerError

Connection = psycopg.Connection[Any]

_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('pitledger.migrations', 0))"
_FIRST = """
    CREATE SCHEMA IF NOT EXISTS pitledger;
    CREATE TABLE IF NOT EXISTS pitledger.migrations (
        number      integer     PRIMARY KEY,
        name        text        NOT NULL,
        applied_at  timestamptz NOT NULL DEFAULT now()
    );
"""
_CREATE = "run: pitledger db init"


class Property(NamedTuple):
    """A licensed house: amounts are in hundredths of `currency`, its day begins at `day_starts` o'clock."""

    name: str
    currency: str
    time_zone: str
    day_starts: int

    def gaming_day(self, at: datetime) -> date:
        """The gaming day a moment belongs to, by the clock on the wall.

        >>> Property("riverside", "USD", "America/Chicago", 6).gaming_day(
        ...     datetime.fromisoformat("2026-11-29T05:59:59-06:00"))
        datetime.date(2026, 11, 28)
        """
        wall = at.astimezone(ZoneInfo(self.time_zone)).replace(tzinfo=None)
        return (wall - timedelta(hours=self.day_starts)).date()


class _Step(NamedTuple):
    number: int
    name: str
    sql: str


def migrate(conn: Connection) -> None:
    """Bring the schema of `conn`'s database to what this program knows; harmless when it is already there."""
    if (encoding := conn.info.parameter_status("server_encoding")) != "UTF8":
        raise LedgerError(f"database {conn.info.dbname!r} is {encoding}: create it with ENCODING 'UTF8'")
    with conn.transaction():
        conn.execute(_ONE_AT_A_TIME)
        conn.execute(_FIRST)
        done = _applied(conn)
        _refuse_newer(done)
        for step in _steps():
            if step.number > done:
                conn.execute(step.sql.encode())
                conn.execute("INSERT INTO pitledger.migrations (number, name) VALUES (%s, %s)", step[:2])


def initialise(
    conn: Connection,
    property: str,  # noqa: A002  # the field's word
    currency: str,
    time_zone: str,
    day_starts: int,
) -> Property:
    """Say whose ledger this is, once and for ever; saying the same again changes nothing."""
    wanted = _valid(Property(property, currency, time_zone, day_starts))
    conn.execute(
        "INSERT INTO pitledger.property (property, currency, time_zone, day_starts) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        wanted,
    )
    if (existing := property_of(conn)) != wanted:
        raise LedgerError(
            f"this ledger belongs to {_described(existing)}, which is settled for ever:"
            f" use another database for {_described(wanted)}"
        )
    return existing


def check(conn: Connection) -> None:
    """Refuse a database that this program cannot use as a ledger: none in it, an older or a newer one."""
    done = _applied(conn) if _exists(conn, "pitledger.migrations") else 0
    if done == 0:
        raise LedgerError(f"there is no ledger in database {conn.info.dbname!r}: {_CREATE}")
    _refuse_newer(done)
    if done < _newest():
        raise LedgerError(f"the ledger's schema is at {done}, this program needs {_newest()}: {_CREATE}")
    property_of(conn)


def property_of(conn: Connection) -> Property:
    """The house this ledger belongs to."""
    row = _row(conn, "SELECT property, currency, time_zone, day_starts FROM pitledger.property")
    if row is None:
        raise LedgerError(f"the ledger in database {conn.info.dbname!r} belongs to nobody yet: {_CREATE}")
    return Property(*row)


def _valid(house: Property) -> Property:
    if not (house.name.isprintable() and 0 < len(house.name) <= 64):
        raise LedgerError("the property needs a name of 1 to 64 printable characters")
    if not (len(house.currency) == 3 and house.currency.isascii() and house.currency.isupper()):
        raise LedgerError(f"{house.currency!r} is no currency code: write three capitals, like USD")
    if house.day_starts not in range(24):
        raise LedgerError(f"a gaming day cannot begin at {house.day_starts}: write an hour from 0 to 23")
    try:
        ZoneInfo(house.time_zone)
    except (OSError, ValueError, LookupError):
        raise LedgerError(f"{house.time_zone!r} is no time zone: write one like America/Chicago") from None
    return house


def _described(house: Property) -> str:
    return f"{house.name} ({house.currency}, {house.time_zone}, day starts at {house.day_starts:02d}:00)"


def _steps() -> list[_Step]:
    """Every numbered file, in order: `0001_events_and_log.sql` is step 1."""
    found = [file for file in files("ledger").joinpath("schema").iterdir() if file.name.endswith(".sql")]
    return sorted(_Step(int(file.name[:4]), file.name[5:-4], file.read_text("utf-8")) for file in found)


def _newest() -> int:
    return _steps()[-1].number


def _refuse_newer(done: int) -> None:
    if done > _newest():
        raise LedgerError(
            f"the ledger's schema is at {done}, this program knows {_newest()}: use a newer pitledger"
        )


def _applied(conn: Connection) -> int:
    row = _row(conn, "SELECT coalesce(max(number), 0) FROM pitledger.migrations")
    assert row is not None
    return int(row[0])


def _exists(conn: Connection, table: str) -> bool:
    row = _row(conn, "SELECT to_regclass(%s) IS NOT NULL", table)
    return row is not None and bool(row[0])


def _row(conn: Connection, query: str, *params: object) -> tuple[Any, ...] | None:
    """The first row as a tuple, whatever rows `conn` makes by itself."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        return cursor.execute(query.encode(), params or None).fetchone()
