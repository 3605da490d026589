"""`pitledger whatif`: what another call, or other rules, would have changed for each player and the house."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

import click

from cli.filters import DAY
from cli.house import House
from cli.output import document_option, print_document
from cli.replay import time_of
from cli.table_of_rows import Column, derived, money, print_table
from projections.history import read
from projections.rows import Row
from projections.telling import spoken_bet
from projections.whatif import Declared, Question, answer

SHOWN = 20  # commands answered otherwise; --json has them all


class _Dice(click.ParamType[tuple[int, int]]):
    name = "A,B"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        if found := re.fullmatch(r"([1-6])[,-]([1-6])", value):
            return int(found[1]), int(found[2])
        return self.fail(f"{value!r} are no dice; write two faces, like 3,4", param, ctx)


class _Until(click.ParamType[int | None]):
    name = "ROLL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if value == "now":
            return None
        if isinstance(value, int) or (value.isdecimal() and int(value) > 0):
            return int(value)
        return self.fail(f"{value!r} is neither a roll nor `now`", param, ctx)


def _decided(decided: Row | None, status: str) -> str:
    """How a wager was decided, or what became of it where it was not."""
    return status if decided is None else f"{status} on roll {decided['roll']}"


def _said(row: Mapping[str, Any]) -> str:
    wished = (row["do"].replace("_", " "), row["player"], row["kind"], row["wager"])
    return " ".join(str(word) for word in wished if word)


PLAYERS = [
    Column("player", "Player"),
    money("rail", "Rail", total=False),
    money("rail_would_be", "would be", total=False),
    money("on_layout", "On layout", total=False),
    money("on_layout_would_be", "would be", total=False),
    money("net", "Net", total=False),
    money("net_would_be", "would be", total=False),
    money("difference", "Difference"),
]
HOUSE = [
    money("was", "Table win", total=False),
    money("would_be", "would be", total=False),
    money("difference", "Difference", total=False),
]
SETTLEMENTS = [
    Column("player", "Player"),
    Column("wager", "Wager"),
    derived("Bet", lambda row: spoken_bet(row["kind"], row["number"], row["combo"], row["high"])),
    derived("As it was", lambda row: _decided(row["was"], row["was_status"])),
    derived("Otherwise", lambda row: _decided(row["would_be"], row["would_be_status"])),
    money("difference", "Difference"),
]
COMMANDS = [
    Column("at", "At", time_of),
    Column("by", "By"),
    derived("Said", _said),
    Column("was", "Was"),
    Column("would_be", "Would be"),
    Column("message", "Because"),
]


@click.command()
@click.argument("table")
@click.option("--roll", type=click.IntRange(1), required=True, metavar="N", help="The roll in question.")
@click.option("--dice", type=_Dice(), help="If it had been called with these dice.")
@click.option("--no-roll", is_flag=True, help="If it had been called No Roll.")
@click.option("--stands", is_flag=True, help="If it had stood with the dice that lay there.")
@click.option("--rules", metavar="RULES", help="If the house had played by this rule set from there on.")
@click.option(
    "--cash",
    type=(str, click.Choice(["plays", "change_only"])),
    metavar="WAGER plays|change_only",
    help="If somebody had said at once what undeclared cash was for.",
)
@click.option("--day", type=DAY, help="A gaming day; without it, the table's last one.")
@click.option("--until", type=_Until(), help="Up to this roll, what was bet after it included; or `now`.")
@document_option
@click.pass_obj
def whatif(
    house: House,
    table: str,
    roll: int,
    dice: tuple[int, int] | None,
    no_roll: bool,
    stands: bool,
    rules: str | None,
    cash: tuple[str, Literal["plays", "change_only"]] | None,
    day: date | None,
    until: int | None,
    as_json: bool,
) -> None:
    """Show what another call of a roll of TABLE would have changed, down to now. Stores nothing.

    \b
    Example:
        pitledger whatif CR08 --roll 120 --no-roll
        pitledger whatif CR08 --roll 7 --dice 4,6 --until 12
    """
    if sum((dice is not None, no_roll, stands, rules is not None, cash is not None)) != 1:
        raise click.UsageError(
            "say what would have been otherwise: one of --dice, --no-roll, --stands, --rules, --cash"
        )
    with house.ledger() as conn:
        conn.execute("SET default_transaction_read_only = on")  # the database itself sees to it
        history = read(conn, table, day)
    declared = None if cash is None else Declared(*cash)
    found = answer(history, roll, Question(dice, no_roll, stands, rules, declared), until)
    print_document(found) if as_json else _print(found)


def _print(found: Row) -> None:
    _print_question(found)
    print_table([_side_by_side(player) for player in found["players"]], PLAYERS, found["currency"])
    house = found["house"]
    click.secho("\nThe house", bold=True)
    print_table([house], HOUSE, found["currency"])
    click.secho("\nWagers that would have been decided otherwise", bold=True)
    print_table(found["settlements"], SETTLEMENTS, found["currency"])
    commands = found["commands"]
    click.secho("\nWhat was said afterwards and would have been answered otherwise", bold=True)
    print_table(commands[:SHOWN], COMMANDS, found["currency"])
    if len(commands) > SHOWN:
        click.echo(f"... and {len(commands) - SHOWN:,} more; --json lists every one")
    click.secho("\nNothing was stored.", dim=True)


def _print_question(found: Row) -> None:
    call = found["call"]
    stands = call["stands_as"]
    overruled = f" (overruled: it stands as {'-'.join(map(str, stands)) if stands else 'no roll'})"
    click.echo(
        f"{found['table']} on {found['gaming_day']}, roll {found['roll']}, called {time_of(call['at'])} "
        f"by {call['by']} {call['role'].replace('_', ' ')}: {call['text']}"
        + (overruled if call["overruled"] else "")
    )
    click.secho(f"If it {found['supposed']}, up to roll {found['until_roll']}:\n", bold=True)


def _side_by_side(player: Row) -> Row:
    was, would_be = player["was"], player["would_be"]
    flat = {"player": player["player"], **was, "difference": player["difference"]}
    return flat | {f"{name}_would_be": cents for name, cents in would_be.items()}
