"""`pitledger replay`: any roll of any day, as it lay, was said, called and paid."""

import re
import sys
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.felt import console, draw
from cli.filters import DAY
from cli.house import House
from cli.output import document_option, print_document
from ledger.errors import LedgerError
from ledger.log import bring_up_to_date
from ledger.migrations import Property
from projections import replay as replays
from projections.history import Day, History, find_day, read_around, read_whole
from projections.rows import Row
from projections.telling import money_in

NEXT, BACK = {" ", "n", "\r", "\x1b[C", "\xe0M"}, {"p", "b", "\x7f", "\x1b[D", "\xe0K"}
_KEYS = "space, n or right: next   b, p or left: back   g: go to a roll   q: quit"
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_LATEST_SAID = 8  # of what was said, while stepping


@click.command()
@click.argument("table")
@click.option("--day", type=DAY, help="A gaming day; without it, the table's last one.")
@click.option("--roll", type=click.IntRange(1), metavar="N", help="This roll; without it, the last one.")
@click.option("--from", "first", type=click.IntRange(1), metavar="N", help="From this roll on.")
@click.option("--to", "last", type=click.IntRange(1), metavar="M", help="Up to this roll.")
@click.option("--at", "moment", metavar="TIME", help='The last roll by then: "21:14" or RFC 3339.')
@click.option("--step", is_flag=True, help="Walk through the rolls with keys.")
@document_option
@click.pass_obj
def replay(
    house: House,
    table: str,
    day: date | None,
    roll: int | None,
    first: int | None,
    last: int | None,
    moment: str | None,
    step: bool,
    as_json: bool,
) -> None:
    """Show a roll of TABLE: how it lay, what was said, the call, every wager's fate, how it lay then.

    \b
    Example:
        pitledger replay CR08 --roll 120
        pitledger replay CR08 --at 21:14 --step
    """
    _one_way_to_ask(roll=roll, range=first or last, at=moment)
    if step and (as_json or not (sys.stdin.isatty() and sys.stdout.isatty())):
        raise click.UsageError("--step needs a terminal to read keys from and to draw on")
    with house.ledger() as conn:
        bring_up_to_date(conn)
        asked = find_day(conn, table, day)
        begin, end = _asked(asked, roll, first, last, moment)
        history = read_whole(conn, asked) if step else read_around(conn, asked, begin, end)
    if step:
        walk(history, begin, console())
    elif as_json:
        print_document(replays.document(history, begin, end))
    else:
        _print(history, begin, end)


def _one_way_to_ask(**asked: object) -> None:
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError("ask by one of --roll, --from and --to, or --at")


def _asked(
    day: Day, roll: int | None, first: int | None, last: int | None, moment: str | None
) -> tuple[int, int]:
    """The first and the last roll asked for."""
    if moment is not None:
        roll = day.roll_at(moment_on(moment, day.gaming_day, day.house))
    if roll is None and (first or last):
        begin, end = first or 1, last or day.rolls
        if begin > end:
            raise LedgerError(f"roll {begin} comes after roll {end}: nothing lies between them")
        return begin, end
    roll = roll or max(day.rolls, 1)
    return roll, roll


def moment_on(text: str, gaming_day: date, house: Property) -> datetime:
    """A moment as people say it: a time on the property's clock in the gaming day, or RFC 3339.

    >>> moment_on("1:30", date(2026, 11, 28), Property("demo", "USD", "America/Chicago", 6)).isoformat()
    '2026-11-29T01:30:00-06:00'
    """
    if found := _CLOCK.fullmatch(text):
        hour, minute, second = (int(part or 0) for part in found.groups())
        if hour < 24 and minute < 60 and second < 60:
            day = gaming_day + timedelta(days=hour < house.day_starts)
            return datetime.combine(day, time(hour, minute, second), ZoneInfo(house.time_zone))
    else:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            moment = None
        if moment is not None and moment.tzinfo is not None:
            return moment
    raise click.UsageError(
        f'--at {text!r} is no time; write "21:14", "21:14:05" or "2026-11-28T21:14:05-06:00"'
    )


# ------------------------------------------------------------------------------------- for people


def _print(history: History, begin: int, end: int) -> None:
    paper = console()
    for told in replays.rolls(history, begin, end):
        _print_roll(paper, history, told)


def _print_roll(paper: Console, history: History, told: Row) -> None:
    _print_head(paper, history, told)
    paper.print("As it lay", style="bold")
    draw(paper, told["before"])
    for number, call in enumerate(told["calls"]):
        _print_said(paper, "Said before it" if number == 0 else "Said after that", call["said"])
        _print_call(paper, call, told["timing"] if number == 0 else None, history)
    paper.print("\nAs it lay afterwards", style="bold")
    draw(paper, told["after"])
    _print_said(paper, "Said of it later", told["later"])
    paper.print()


def _print_head(paper: Console, history: History, told: Row) -> None:
    puck = told["before"]["puck"]
    phase = "come-out" if puck is None else f"the point is {puck}"
    paper.rule(
        f"{history.table} on {history.gaming_day}, roll {told['roll']} of {history.rolls}: "
        f"{phase}, {told['shooter'] or 'nobody'} has the dice"
    )


def _print_said(paper: Console, title: str, said: list[Row]) -> None:
    if not said:
        return
    paper.print(f"\n{title}", style="bold")
    paper.print(_facts(said))


def _facts(facts: Iterable[Row]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_column()
    for fact in facts:
        refused = fact["event"] == "CommandRefused"
        table.add_row(
            time_of(fact["at"]), _actor(fact), Text(fact["text"], style="yellow" if refused else "")
        )
    return table


def _actor(fact: Row) -> str:
    return f"{fact['by']} {fact['role'].replace('_', ' ')}"


def time_of(moment: str | None) -> str:
    """The time of a moment on the property's clock, to the second; the date goes without saying.

    >>> time_of("2026-11-28T19:15:03-06:00")
    '19:15:03'
    """
    return "" if moment is None else moment[11:19]


def _print_call(paper: Console, call: Row, timing: Row | None, history: History) -> None:
    word = "Overruled" if call["call"] == "overrule" else "Called"
    paper.print(f"\n{word} {time_of(call['at'])} by {_actor(call)}: {call['text']}", style="bold")
    if call["section"]:
        paper.print(call["section"], style="dim")
    if timing is not None and (line := _timing(timing)):
        paper.print(line)
    for fact in call["also"]:
        paper.print(f"  {fact['text']}")
    if call["fates"]:
        paper.print(_fates(call["fates"], history))


def _timing(timing: Row) -> str:
    """How long before the dice the last bet was made, and what came too late."""
    said = []
    if timing["bet_to_dice_out"] is not None:
        out = "the dice went out" if timing["dice_out_at"] else "the call"
        said.append(
            f"the last bet ({timing['last_bet_by']}) was made {timing['bet_to_dice_out']} s before {out}"
        )
    if timing["dice_out_to_call"] is not None:
        said.append(f"they were out for {timing['dice_out_to_call']} s")
    if timing["refused_while_out"]:
        said.append(f"{timing['refused_while_out']} refused while they were out")
    line = ", ".join(said)
    return line[:1].upper() + line[1:]


def _fates(fates: list[Row], history: History) -> Table:
    """What became of every wager; those that were decided first."""
    money = money_in(history.house.currency)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("Player")
    table.add_column("Wager")
    table.add_column("Fate")
    table.add_column("Net", justify="right")
    table.add_column("How it was reckoned", ratio=1)
    for fate in sorted(fates, key=lambda fate: fate["fate"] == "undecided"):
        net = fate.get("net")
        style = "red" if fate["fate"] == "lost" else "green" if fate["fate"] == "won" else ""
        shown = "" if net is None else money(net)
        table.add_row(fate["player"], fate["wager"], Text(fate["fate"], style=style), shown, fate["text"])
    return table


# ------------------------------------------------------------------------------------- step by step


def walk(history: History, roll: int, paper: Console, key: Callable[[], str] = click.getchar) -> None:
    """Walk through the rolls with keys until somebody quits; `roll` is shown first."""
    while True:
        _show(paper, history, roll)
        pressed = key()
        if pressed in {"q", "Q", "\x1b", "\x03", "\x04"}:
            return
        roll = min(max(_go(history, roll, pressed), 1), history.rolls)


def _go(history: History, roll: int, pressed: str) -> int:
    if pressed in NEXT:
        return roll + 1
    if pressed in BACK:
        return roll - 1
    if pressed == "g":
        return int(click.prompt(f"roll (1 to {history.rolls})", type=click.IntRange(1, history.rolls)))
    return roll


def _show(paper: Console, history: History, roll: int) -> None:
    """One roll on one screen: how it lay, the last that was said, the call, what it decided."""
    told: dict[str, Any] = replays.roll(history, roll)
    paper.clear()
    _print_head(paper, history, told)
    draw(paper, told["before"])
    _print_said(paper, "Said last", told["calls"][0]["said"][-_LATEST_SAID:])
    for call in told["calls"]:
        decided = [fate for fate in call["fates"] if fate["fate"] != "undecided"]
        _print_call(paper, {**call, "fates": decided}, told["timing"], history)
    paper.print(f"\n{_KEYS}", style="dim")
