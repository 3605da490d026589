"""Which database the ledger is in, and a connection to it or one line on why there is none."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ledger import migrations, server
from ledger.errors import LedgerError

OLDEST = 15  # PostgreSQL major version
LIKE_THIS = "write postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
PATIENCE = 10  # seconds to wait for an answer, unless the URL says otherwise


@contextmanager
def ledger_url(explicit: str | None = None) -> Iterator[str]:
    """The database asked for, else DATABASE_URL, else the embedded server's, kept up until the block ends."""
    if url := explicit or os.environ.get("DATABASE_URL"):
        yield url
    else:
        with server.lease() as url:
            yield url


def connect(url: str) -> psycopg.Connection:
    """An autocommit connection to the ledger at `url`: initialised, and of a schema this program knows."""
    connection = reach(url)
    try:
        migrations.check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def reach(url: str) -> psycopg.Connection:
    """An autocommit connection to the database at `url`, whatever is in it yet."""
    try:
        asked = conninfo_to_dict(url)
    except psycopg.ProgrammingError as problem:
        raise LedgerError(f"that is no URL of a PostgreSQL ({_line(problem)}): {LIKE_THIS}") from None
    try:
        connection = psycopg.connect(
            url, autocommit=True, connect_timeout=asked.get("connect_timeout", PATIENCE)
        )
    except psycopg.OperationalError as problem:
        raise LedgerError(_why(_line(problem), _place(asked))) from None
    major = connection.info.server_version // 10_000
    if major < OLDEST:
        connection.close()
        raise LedgerError(f"{_place(asked)} runs on PostgreSQL {major}: use one of version {OLDEST} or newer")
    return connection


def _why(said: str, place: str) -> str:
    """What is wrong with the database at `place` by what libpq `said`, and what to do about it."""
    if "password" in said:
        return f"{place} does not accept this user and password: correct them in the URL"
    if 'database "' in said and "does not exist" in said:
        return f"{place} does not exist: create it (CREATE DATABASE) or correct the URL"
    return f"{place} does not answer ({said}): start it, correct the URL, or use the embedded server"


def _place(asked: dict[str, Any]) -> str:
    """The database in words, never with its password."""
    host, port = asked.get("host", "localhost"), asked.get("port", "5432")
    return f"database {asked.get('dbname') or asked.get('user') or ''!r} at {host}:{port}"


def _line(problem: Exception) -> str:
    return " ".join(str(problem).split())
