"""The filters that listings share, and what is said where a filter names nothing that there is."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import chain, islice
from typing import Any, TypeVar

import click
from psycopg import Connection

from ledger.errors import LedgerError
from projections import audit, balances, rolls, tables
from projections.rows import Row

SHOWN_NAMES = 12  # of what there is instead
_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Day(click.ParamType[date]):
    name = "DAY"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return value if isinstance(value, date) else date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no day; write it like 2026-11-28", param, ctx)


DAY = _Day()
_OPTIONS: dict[str, Callable[[_Command], _Command]] = {
    "table": click.option("--table", metavar="TABLE", help="Only this table."),
    "day": click.option("--day", type=DAY, help="Only this gaming day."),
    "roll": click.option("--roll", type=click.IntRange(1), metavar="N", help="Only this roll."),
    "player": click.option("--player", metavar="PLAYER", help="Only this player."),
    "wager": click.option("--wager", metavar="WAGER", help="Only this wager."),
    "kind": click.option("--kind", metavar="KIND", help="Only this kind of wager."),
    "event": click.option("--event", metavar="NAME", help="Only events of this name."),
    "badge": click.option("--badge", metavar="BADGE", help="Only what this badge did."),
    "command": click.option("--command", metavar="ID", help="Only what this command caused."),
    "since": click.option("--since", type=int, metavar="POSITION", help="From this position on."),
    "until": click.option("--until", type=int, metavar="POSITION", help="Up to this position."),
    "limit": click.option("--limit", type=click.IntRange(0), metavar="N", help="At most so many rows."),
}


def filters(*names: str) -> Callable[[_Command], _Command]:
    """Gives a listing the filters called `names`."""

    def give(command: _Command) -> _Command:
        for name in reversed(names):
            command = _OPTIONS[name](command)
        return command

    return give


def between(rows: Iterable[Row], since: int | None, until: int | None, limit: int | None) -> Iterator[Row]:
    """Those of `rows`, which are in ledger order, from position `since` up to `until`, at most `limit`."""
    return islice(_between(rows, since or 0, until), limit)


def _between(rows: Iterable[Row], since: int, until: int | None) -> Iterator[Row]:
    for row in rows:
        if until is not None and row["position"] > until:
            return
        if row["position"] >= since:
            yield row


def or_unknown(conn: Connection[Any], rows: Iterable[Row], **named: Any) -> Iterator[Row]:
    """`rows`; where there are none, raises `LedgerError` if what the filters name does not exist at all."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        _must_exist(conn, **named)
        return iter(())
    return chain([first], remaining)


def _must_exist(
    conn: Connection[Any],
    table: str | None = None,
    day: date | None = None,
    roll: int | None = None,
    player: str | None = None,
    wager: str | None = None,
    **_: object,
) -> None:
    if table is not None or day is not None:
        _table_and_day(conn, table, day)
    if player is not None:
        _one_of(f"player {player}", player, [row["player"] for row in balances.rows(conn)])
    if roll is not None:
        _roll(conn, table, day, roll)
    if wager is not None and not next(audit.rows(conn, wager=wager), None):
        raise LedgerError(f"there is no wager {wager}: `pitledger audit --event WagerPlaced` lists them")


def _table_and_day(conn: Connection[Any], table: str | None, day: date | None) -> None:
    known = tables.rows(conn)
    if table is not None:
        _one_of(f"table {table}", table, [row["table"] for row in known])
    if day is not None:
        days = [row["gaming_day"] for row in known if table in (None, row["table"])]
        of_table = "" if table is None else f" of table {table}"
        _one_of(f"gaming day {day}{of_table}", day.isoformat(), days)


def _roll(conn: Connection[Any], table: str | None, day: date | None, roll: int) -> None:
    last = max((row["roll"] for row in rolls.rows(conn, table=table, day=day)), default=0)
    if roll > last:
        where = " ".join(str(name) for name in (table and f"at {table}", day and f"on {day}") if name)
        raise LedgerError(f"there is no roll {roll} {where}".rstrip() + f": the last is roll {last}")


def _one_of(what: str, name: str, known: Iterable[str]) -> None:
    there = sorted(set(known))
    if name in there:
        return
    if not there:
        raise LedgerError(f"there is no {what}: the ledger is empty, `pitledger ingest PATH` fills it")
    shown = ", ".join(there[:SHOWN_NAMES])
    more = f" and {len(there) - SHOWN_NAMES} more" if len(there) > SHOWN_NAMES else ""
    raise LedgerError(f"there is no {what}: there is {shown}{more}")
