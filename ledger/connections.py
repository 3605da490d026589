"""Connections to the ledger's database, made when they are needed and kept; no threads, no waiting."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row

from ledger import arrays

# Wait five seconds, not for ever, behind a writer that hangs in the middle of its transaction. Every question
# asked here has its index; a planner that has not seen the tables grow would read them whole, and a prepared
# statement would go on doing so.
_SETTINGS = b"SET lock_timeout = '5s'; SET enable_seqscan = off; SET jit = off"


class Connections:
    """Answers the library as its pool would; whoever asks while all are in use gets a new one.

    Takes a whole URL (TLS, sockets, timeouts) where the library's pool is told five settings. A connection
    that broke takes the idle ones with it: they lead to the same server.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[psycopg.Connection[Any]] = []

    def open(self, wait: bool = False, timeout: float = 0) -> None:
        """Nothing to do: the first call connects."""

    def close(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """An autocommit connection for the length of a `with` block."""
        conn = self._idle.pop() if self._idle else self._connect()
        try:
            yield conn
        finally:
            if conn.broken:
                self.close()
            if conn.closed or conn.info.transaction_status != TransactionStatus.IDLE:
                conn.close()
            else:
                self._idle.append(conn)

    def _connect(self) -> psycopg.Connection[Any]:
        conn = psycopg.connect(self._url, autocommit=True, row_factory=dict_row)
        conn.execute(_SETTINGS)
        arrays.register(conn)
        return conn

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
