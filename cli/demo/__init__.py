"""`pitledger demo`: a night that ships with the program (PROVENANCE.md), from the log to the books."""

import shutil
import time
from importlib.resources import as_file, files
from typing import Any

import click
from psycopg import Connection

from cli.books import BALANCES, WIN
from cli.house import House, currency_of
from cli.ingest import Ingest
from cli.play import ROLLS
from cli.progress import meter
from cli.summary import Summary
from cli.table_of_rows import print_table
from projections import balances, rolls, win

NIGHT = "ia-night.jsonl"
LAST_ROLLS = 5

NEXT = {
    "settlements --player Bea": "every wager of hers that was decided, with odds and paragraph",
    "layout CR08 --at-roll 120": "the table just before roll 120 was thrown",
    "audit --event CommandRefused": "what the house turned away",
    "verify": "whether anybody has touched the ledger since",
    "ingest YOUR-LOG.jsonl": "a night of your own",
}


@click.command()
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Read a night of twelve players and 240 rolls into the ledger and show its books.

    Running it again stores nothing new.

    \b
    Example:
        pitledger demo
    """
    house: House = ctx.obj
    started = time.monotonic()
    with house.ready(), Summary(quiet=False) as summary:
        click.echo(f"{NIGHT}: a night at table CR08, twelve players, 240 rolls")
        reading = time.monotonic()
        _ingest_night(house, summary)
        summary.print(time.monotonic() - reading)
        with house.books() as conn:
            _show_books(conn)
    click.echo(f"\nFrom the log to the books in {time.monotonic() - started:.1f} s.")
    _say_what_next()
    ctx.exit(summary.exit_code)


def _ingest_night(house: House, summary: Summary) -> None:
    with (
        as_file(files("cli.demo").joinpath(NIGHT)) as night,
        house.casino() as casino,
        meter(night.stat().st_size, "reading") as progress,
    ):
        Ingest(casino, str(night), summary, progress).run()


def _show_books(conn: Connection[Any]) -> None:
    currency = currency_of(conn)
    for title, rows, columns in (
        ("What the players hold", balances.rows(conn), BALANCES),
        ("What the table won", win.rows(conn), WIN),
        (f"The last {LAST_ROLLS} rolls", rolls.rows(conn, last=LAST_ROLLS), ROLLS),
    ):
        click.secho(f"\n{title}", bold=True)
        print_table(rows, columns, currency)


def _say_what_next() -> None:
    program = "pitledger" if shutil.which("pitledger") else "./run pitledger"
    longest = max(map(len, NEXT))
    click.echo("\nWhat to type next:")
    for words, meaning in NEXT.items():
        click.echo(f"  {program} {words:<{longest}}  {meaning}")
