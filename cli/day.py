"""`pitledger day`: the books of a gaming day opened, looked at, closed when nothing is left to explain."""

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

import click

from cli.filters import DAY
from cli.house import House
from cli.output import print_document
from cli.spoken import AMOUNT, now, said_by, spoken
from cli.summary import REFUSED
from cli.table_of_rows import text
from ledger.casino import Answer
from ledger.migrations import Property, property_of
from projections import day as days
from projections.day import Standing
from projections.rows import Row

_Command = TypeVar("_Command", bound=Callable[..., Any])
STANDING_IN_WORDS = {
    Standing.CERTIFIABLE: "nothing stands between it and its certificate",
    Standing.OPEN_EXCEPTIONS: "exceptions want an explanation",
    Standing.INCOMPLETE: "counts or papers are missing",
    Standing.BROKEN: "figures that must agree do not",
}


def of_day(command: _Command) -> _Command:
    """Gives a command `--day`, without which it is about the gaming day that is on now."""
    return click.option("--day", type=DAY, help="The gaming day; without it, the one that is on.")(command)


@click.group()
def day() -> None:
    """Open a gaming day's books, see what keeps them from closing, close them.

    \b
    Exit codes: 0 it can be certified, 3 exceptions are open (or the ledger refused), 4 inputs are incomplete,
    5 figures that must agree do not.

    \b
    Example:
        pitledger day status --day 2026-11-28
    """


@day.command("open")
@of_day
@click.option("--threshold", type=AMOUNT, help="The least variance to explain; without it, every cent.")
@said_by
@click.pass_obj
def open_(house: House, /, day: date | None, threshold: int | None, **said: Any) -> None:
    """Open the books of a gaming day.

    \b
    Example:
        pitledger day open --day 2026-11-28 --threshold 25 --by M-001 --role shift_manager
    """
    about, day = _about(house, day)
    command: Row = {"do": "day_open", "gaming_day": day.isoformat()}
    if threshold is not None:
        command["threshold"] = threshold
    _say(house, about, day, command, **said)


@day.command()
@of_day
@said_by
@click.pass_obj
def close(house: House, /, day: date | None, **said: Any) -> None:
    """Close the books of a gaming day, or be told everything that is missing. A closed day is sealed.

    \b
    Example:
        pitledger day close --day 2026-11-28 --by A-001 --role audit
    """
    about, day = _about(house, day)
    _say(house, about, day, {"do": "day_close", "gaming_day": day.isoformat()}, **said)


@day.command()
@of_day
@click.option("--json", "as_json", is_flag=True, help="One JSON document; money in cents.")
@click.pass_context
def status(ctx: click.Context, day: date | None, as_json: bool) -> None:
    """Show what stands between a gaming day and its close: tables, boxes, slips, numbers, exceptions.

    \b
    Example:
        pitledger day status --day 2026-11-28
    """
    house: House = ctx.obj
    _, day = _about(house, day)
    found = standing_of(house, day)
    print_document(found) if as_json else _print(found)
    ctx.exit(found["exit_code"])


def standing_of(house: House, day: date) -> Row:
    """Everything that is said of a gaming day, as `projections.day.status`."""
    with house.casino() as casino:
        missing = casino.missing(day)
    with house.books() as conn:
        return days.status(conn, day, missing)


def _about(house: House, day: date | None) -> tuple[Property, date]:
    with house.ledger() as conn:
        about = property_of(conn)
    return about, day or about.gaming_day(now(about))


def _say(
    house: House,
    about: Property,
    day: date,
    command: Row,
    *,
    by: str,
    role: str,
    at: str | None,
    command_id: str | None,
    as_json: bool,
) -> None:
    """Hand a command to the ledger and tell what became of it."""
    one = spoken(command, about, by=by, role=role, at=at, command_id=command_id)
    with house.casino() as casino:
        [answer] = casino.handle([one])
    found = standing_of(house, day)
    _tell(found, answer, as_json=as_json)
    click.get_current_context().exit(_exit_code(found, answer))


def _exit_code(found: Row, answer: Answer) -> int:
    """A day that was refused its close says why by its standing."""
    if answer.status == "accepted":
        return 0
    return found["exit_code"] or REFUSED


def _tell(found: Row, answer: Answer, *, as_json: bool) -> None:
    refusal = {"reason": answer.reason, "message": answer.message} if answer.status == "refused" else {}
    if as_json:
        print_document({"status": answer.status, **refusal, "day": found})
        return
    if refusal:
        click.secho(f"Refused {answer.reason}. The refusal is recorded.", fg="red", err=True)
        if answer.reason != "DAY_NOT_READY":
            click.echo(f"{answer.message}.", err=True)
    _print(found)


def _print(found: Row) -> None:
    who = f" by {found['closed_by']}, {found['closed_at']}" if found["closed_by"] else ""
    click.secho(f"Gaming day {found['gaming_day']}: {found['state']}{who}", bold=True)
    for one in found["missing"]:
        click.echo(f"  {one['kind']:<10}{text(one['text'])}")
    for fault in found["faults"]:
        click.secho(f"  {text(fault)}", fg="red")
    click.echo(f"{STANDING_IN_WORDS[Standing(found['exit_code'])].capitalize()}.")
