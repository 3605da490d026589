"""Which database the ledger is in, and a connection to it or one line on why there is none."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ledger import migrations, server
from ledger.errors import LedgerError
from ledger.programs import OLDEST

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
    asked = _parsed(url)
    patience = asked.get("connect_timeout", PATIENCE)
    try:
        connection = psycopg.connect(url, autocommit=True, connect_timeout=patience)
    except psycopg.Error as problem:
        raise LedgerError(_why(" ".join(str(problem).split()), _place(asked))) from None
    major = connection.info.server_version // 10_000
    if major < OLDEST:
        connection.close()
        raise LedgerError(f"{_place(asked)} runs on PostgreSQL {major}: use PostgreSQL {OLDEST} or newer")
    return connection


def _parsed(url: str) -> dict[str, Any]:
    try:
        return conninfo_to_dict(url)
    except psycopg.Error:  # says the URL, and with it the password
        like_this = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
        raise LedgerError(f"the URL of the database is none of PostgreSQL's: write {like_this}") from None


def _why(said: str, place: str) -> str:
    """What is wrong with the database at `place` by what libpq `said`, and what to do about it."""
    _, _, refused = said.partition("FATAL: ")
    if 'database "' in refused and "does not exist" in refused:
        return f"there is no {place}: create it (CREATE DATABASE), or correct the URL"
    if any(word in said for word in ("password", 'role "', "pg_hba.conf", "authentication")):
        return f"{place} does not let us in ({refused.strip() or said}): correct user and password in the URL"
    return f"{place} does not answer ({said}): start its server, or correct the URL"


def _place(asked: dict[str, Any]) -> str:
    """The database in words, never with its password."""
    host, port = asked.get("host", "localhost"), asked.get("port", "5432")
    return f"database {asked.get('dbname') or asked.get('user') or ''!r} at {host}:{port}"
