"""`pitledger balances` and `pitledger win`: what the players and the tables stand at."""

from typing import Any

import click

from cli.filters import filters, or_unknown
from cli.house import House, currency_of
from cli.output import Output, listing_options, print_rows
from cli.table_of_rows import Column, money
from projections import balances as player_balances
from projections import win as table_win

BALANCES = [
    Column("player", "Player"),
    money("rail", "Rail"),
    money("on_layout", "On layout"),
    money("bought_in", "Bought in"),
    money("walked", "Walked"),
    money("won", "Won"),
    money("lost", "Lost"),
    money("commission", "Commission"),
    money("net", "Net"),
]
WIN = [
    Column("table", "Table"),
    Column("gaming_day", "Gaming day"),
    money("opener", "Opener"),
    money("fills", "Fills"),
    money("credits", "Credits"),
    money("closer", "Closer"),
    money("drop", "Drop"),
    money("count_win", "Count win"),
    money("event_win", "Event win"),
    money("commission_held", "Held"),
    money("table_win", "Table win"),
    Column("hold_pct", "Hold %", lambda percent: "" if percent is None else f"{percent:.2f}", right=True),
]
BALANCE_FIELDS = (
    "player rail rails on_layout bought_in walked front_money markers won lost commission net adjustments "
    "disputes"
).split()
WIN_FIELDS = (
    "table gaming_day opener fills credits closer drop count_win event_win commission commission_held "
    "breakage handle theo_win hold_pct residual disputes table_win drop_counted book_drop book_closer "
    "theo_win_exact breakage_exact drop_cash drop_markers drop_slips recycled_drop placed lost paid "
    "mispay adjusted inventory_variance drop_variance hold_pct_without_recycled"
).split()


@click.command()
@filters("player")
@listing_options
@click.pass_obj
def balances(house: House, /, output: Output | None, **named: Any) -> None:
    """Show what each player holds, has bought, won and lost.

    \b
    Example:
        pitledger balances --player Bea
    """
    with house.books() as conn:
        found = or_unknown(conn, player_balances.rows(conn, **named), **named)
        print_rows(found, BALANCES, BALANCE_FIELDS, output, currency_of(conn))


@click.command()
@filters("table", "day")
@listing_options
@click.pass_obj
def win(house: House, /, output: Output | None, **named: Any) -> None:
    """Show drop and win of each table and gaming day.

    The win by count is known when the rack and the drop box have been counted; the win by events always.

    \b
    Example:
        pitledger win --day 2026-11-28 --json
    """
    with house.books() as conn:
        found = or_unknown(conn, table_win.rows(conn, **named), **named)
        print_rows(found, WIN, WIN_FIELDS, output, currency_of(conn))
