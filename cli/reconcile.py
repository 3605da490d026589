"""`pitledger reconcile`: count win against event win, line by line, and every win by its own name."""

from datetime import date
from typing import Any

import click

from cli.filters import filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, listing_options, print_document, print_rows
from cli.table_of_rows import Column, print_table, text
from domain.money import dollars
from projections import reconcile as reconciled
from projections.rows import Row

INTEGRITY = 5  # exit code
UNKNOWN = "not known"
_LINES = (
    ("closer", "closer"),
    ("credits", "+ credits"),
    ("drop", "+ drop"),
    ("opener", "- opener"),
    ("fills", "- fills"),
    ("count_win", "= count win"),
    ("wagers_lost", "wagers lost"),
    ("commission_earned", "+ commission earned"),
    ("winnings_paid", "- winnings paid"),
    ("mispaid", "- mispays"),
    ("adjustments", "- adjustments"),
    ("disputes_settled", "- disputes settled"),
    ("event_win", "= event win"),
    ("commission_held", "+ commission held"),
    ("inventory_variance", "+ inventory variance"),
    ("drop_variance", "+ drop variance"),
    ("disputes_at_cage", "+ disputes settled at the cage"),
    ("residual", "residual (must be 0)"),
    ("books_win", "the same win by the accounts"),
    ("books_residual", "residual of the books (must be 0)"),
)
_AFTER = {"count_win", "event_win", "residual"}


@click.command()
@filters("table", "day")
@listing_options
@click.pass_context
def reconcile(ctx: click.Context, /, output: Output | None, **named: Any) -> None:
    """Hold the win by count against the win by wagers, line by line.

    What lies between them has a name: commission held, inventory and drop variance. The residual must be 0,
    and so must that of the other route, by the accounts. What is not known is empty (null), never 0.

    Exits 0 when every residual is 0 (or not yet known), 5 when one is not.

    \b
    Example:
        pitledger reconcile --table CR01 --day 2026-11-28
    """
    house: House = ctx.obj
    with house.books() as conn:
        rows = list(or_unknown(conn, reconciled.rows(conn, **named), **named))
        days = sorted({date.fromisoformat(row["gaming_day"]) for row in rows})
        houses = [reconciled.house(conn, day) for day in days]
        currency = currency_of(conn)
    if output is Output.JSON:
        print_document(_document(rows, houses, days, currency))
    elif output is not None:
        print_rows(rows, [], reconciled.FIELDS, output, currency)
    else:
        for row in rows:
            _print(row, currency)
        for at_end in houses:
            _print_house(at_end, currency)
    ctx.exit(INTEGRITY if any(reconciled.broken(rows, one) for one in houses) else 0)


def _document(rows: list[Row], houses: list[Row], days: list[date], currency: str) -> Row:
    definitions = {one["id"]: one for day in days for one in reconciled.definitions(day)}
    return {"currency": currency, "tables": rows, "house": houses, "wins": list(definitions.values())}


def _print(row: Row, currency: str) -> None:
    click.secho(f"Table {row['table']}, gaming day {row['gaming_day']}, {row['completeness']}", bold=True)
    for wanting in row["missing"]:
        click.secho(f"  {text(wanting)}", fg="yellow")
    for field, title in _LINES:
        click.echo(f"  {title:<36}{_money(row[field]):>18}")
        if field in _AFTER:
            click.echo()
    _print_wins(row, currency)


def _print_wins(row: Row, currency: str) -> None:
    day = date.fromisoformat(row["gaming_day"])
    wins = [{**one, "amount": _money(row[f"win_{one['name']}"])} for one in reconciled.definitions(day)]
    columns = [
        Column("name", "Win"),
        Column("amount", "Amount", right=True),
        Column("id", "Version"),
        Column("formula", "Formula"),
    ]
    print_table(wins, columns, currency)
    hold = "" if row["hold_pct"] is None else f"{row['hold_pct']:.2f} %"
    click.echo(f"Hold {hold or UNKNOWN}; handle {dollars(row['handle'])}. Amounts in {currency}.\n")


def _print_house(row: Row, currency: str) -> None:
    click.secho(f"The house at the end of gaming day {row['gaming_day']}", bold=True)
    for field, cents in row.items():
        if field != "gaming_day":
            click.echo(f"  {field.replace('_', ' '):<36}{_money(cents):>18}")
    click.echo(f"Amounts in {currency}.")


def _money(cents: int | None) -> str:
    return UNKNOWN if cents is None else dollars(cents)
