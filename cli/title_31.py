"""`pitledger title31`: each patron's cash in and cash out of a gaming day. A restricted report."""

import os
from contextlib import redirect_stdout
from datetime import UTC, date, datetime
from pathlib import Path

import click

from cli.filters import filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, listing_options, print_rows
from cli.spoken import AMOUNT
from cli.table_of_rows import Column, count, money
from ledger.migrations import property_of
from projections import title_31
from projections.rows import Row

PATRONS = [
    Column("player", "Patron"),
    money("cash_in", "Cash in"),
    money("cash_out", "Cash out"),
    count("transactions", "Transactions"),
    Column("ctr_in", "CTR in", lambda due: "due" if due else ""),
    Column("ctr_out", "CTR out", lambda due: "due" if due else ""),
    Column("file_by", "File by"),
]
PATRON_FIELDS = "player gaming_day cash_in cash_out transactions ctr_in ctr_out file_by policy".split()
LOG = [
    Column("at", "At"),
    Column("player", "Patron"),
    Column("way", "Way"),
    Column("kind", "What"),
    money("amount", "Amount", total=False),
    money("sum_so_far", "Sum so far", total=False),
    Column("table", "Table"),
    Column("badge", "By"),
]
LOG_FIELDS = "player gaming_day at way kind amount sum_so_far over table badge position".split()


@click.command("title31")
@filters("day")
@click.option("--log", is_flag=True, help="The single transactions, not the patrons' sums.")
@click.option("--from", "log_from", type=AMOUNT, help="Log transactions from this amount on.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it there, for your eyes only (mode 0600), not to the terminal.",
)
@listing_options
@click.pass_obj
def title31(
    house: House,
    /,
    output: Output | None,
    day: date | None,
    log: bool,
    log_from: int | None,
    out: Path | None,
) -> None:
    """Show each patron's cash in and cash out of a gaming day, and which reports (CTR) are due.

    In and out are added up apart; what is over the amount strictly is due. Without --day, the gaming
    day that is on.

    \b
    Example:
        pitledger title31 --day 2026-11-28 --csv --out restricted/title31.csv
    """
    with house.books() as conn:
        day = day or property_of(conn).gaming_day(datetime.now(UTC))
        cash = title_31.watched(conn, day)
        rows: list[Row] = [*title_31.logged(cash, day, log_from)] if log else title_31.patrons(cash, day)
        found = or_unknown(conn, rows, day=day)
        columns, names = (LOG, LOG_FIELDS) if log else (PATRONS, PATRON_FIELDS)
        if out is None:
            print_rows(found, columns, names, output, currency_of(conn))
            return
        with os.fdopen(_restricted(out), "w", encoding="utf-8") as file, redirect_stdout(file):
            print_rows(found, columns, names, output, currency_of(conn))


def _restricted(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor
