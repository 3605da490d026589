"""Opens the ledger that a command works on, ready to be read or written.

What decides commands, and what keeps the projections, is loaded when it is asked for: whoever looks at one
roll on the floor does not wait for either.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from psycopg import Connection

from cli.progress import meter
from ledger import database, migrations
from ledger.errors import LedgerError
from ledger.migrations import Property

if TYPE_CHECKING:
    from ledger.casino import Casino

DEMO = Property("demo", "USD", "America/Chicago", 6)  # whose ledger it is where nobody said


class House:
    """The ledger that `--database`, DATABASE_URL or the embedded server holds."""

    def __init__(self, url: str | None) -> None:
        self._url = url or os.environ.get("DATABASE_URL") or None

    @property
    def is_embedded(self) -> bool:
        return self._url is None

    @contextmanager
    def casino(self) -> "Iterator[Casino]":
        """The ledger, to be written: begun where there is none yet."""
        from ledger.casino import Casino  # noqa: PLC0415  # takes as long to load as a question to answer

        with self.ready(begin=True) as url, Casino.open(url) as casino:
            yield casino

    @contextmanager
    def books(self) -> Iterator[Connection[Any]]:
        """The ledger, to be read, with every projection up to what is stored now."""
        from projections.follow import follow  # noqa: PLC0415  # the same

        with self.ledger() as conn:
            with meter(None, "catching up") as progress:
                follow(conn, progress.reach)
            yield conn

    @contextmanager
    def ledger(self) -> Iterator[Connection[Any]]:
        """The ledger itself, whatever the projections know of it."""
        with self.ready() as url, database.connect(url) as conn:
            yield conn

    @contextmanager
    def server(self) -> Iterator[Connection[Any]]:
        """The database, whether or not a ledger is in it."""
        with database.ledger_url(self._url) as url, database.reach(url) as conn:
            yield conn

    @contextmanager
    def ready(self, *, begin: bool = False) -> Iterator[str]:
        """The URL of the ledger; an embedded server, which is ours alone, stays up until the block ends."""
        with database.ledger_url(self._url) as url:
            if begin or self.is_embedded:
                _begin_where_new(url)
            yield url


def _begin_where_new(url: str) -> None:
    """Make a ledger in a database that has none, or bring the one there to this program's schema."""
    with database.reach(url) as conn:
        migrations.migrate(conn)
        try:
            migrations.property_of(conn)
        except LedgerError:
            migrations.initialise(conn, *DEMO)
            click.echo(f"New ledger: {described(DEMO)}. `pitledger db init` makes others.", err=True)


def currency_of(conn: Connection[Any]) -> str:
    return migrations.property_of(conn).currency


def described(house: Property) -> str:
    return (
        f'property "{house.name}", {house.currency}, {house.time_zone}, '
        f"gaming day from {house.day_starts:02}:00"
    )
