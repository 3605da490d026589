"""A night's log as facts: what the ledger would hold of it, without a database."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import cache
from itertools import groupby, islice
from typing import Any

import orjson

from domain import events as e
from domain.books import money
from domain.commands import COMMAND
from domain.decide import decide, refused
from domain.refusals import Refusal
from domain.table import Table
from ledger.envelope import Act, Recorded, seal
from ledger.log import LogRow
from ledger.recorder import LedgerDatastore, LedgerRecorder
from projections.projection import Fact
from tests.domain.test_nights import NIGHTS

Line = dict[str, Any]


def log_of(night: str) -> list[Line]:
    """The commands of a night."""
    return [orjson.loads(line) for line in NIGHTS[night].read_bytes().splitlines()]


@cache
def told(night: str, commands: int | None = None) -> tuple[Fact, ...]:
    """What a night, or its first so many commands, leaves in the ledger."""
    return tuple(facts(log_of(night)[:commands]))


def facts(log: Iterable[Line], table: Table | None = None) -> Iterator[Fact]:
    """What the commands of `log`, all of one table and gaming day, leave in the ledger; `table` follows."""
    table = Table() if table is None else table
    day, position = None, 0
    for line in log:
        day = day or line["gaming_day"]
        command = COMMAND.validate_json(orjson.dumps(line))
        for step, event in enumerate(_answer(command, table)):
            position += 1
            table.apply(event)
            yield fact(event, position, line, day, step)


def _answer(command: Any, table: Table) -> list[Any]:
    try:
        return decide(command, table)
    except Refusal as refusal:
        return [refused(command, refusal)]


def fact(event: e.Happened, position: int, line: Line, day: str, step: int = 0) -> Fact:
    """`event` at its place, as if the command `line` had caused it."""
    at = datetime.fromisoformat(line["at"])
    row = LogRow(
        position=position,
        stream=f"table:{line['table']}:{day}",
        version=position,
        name=event.name,
        schema_version=event.schema_version,
        occurred_at=at,
        recorded_at=at,
        badge=line["by"]["badge"],
        role=line["by"]["role"],
        command=line["id"],
        step=step,
        table=line["table"],
        gaming_day=date.fromisoformat(day),
        data=orjson.dumps(event.__dict__, option=orjson.OPT_SORT_KEYS).decode(),
    )
    return Fact(line["table"], date.fromisoformat(day), row, event, money(event))


def store(url: str, *streams: Iterable[Fact], together: Callable[[], int] = lambda: 100) -> None:
    """Append whole streams to the ledger at `url`, `together()` events at a time."""
    for _ in storing(url, *streams, together=together):
        pass


def storing(url: str, *streams: Iterable[Fact], together: Callable[[], int] = lambda: 100) -> Iterator[int]:
    """As `store`; stops after each append to say how many events are stored."""
    datastore, done = LedgerDatastore(url), 0
    recorder = LedgerRecorder(datastore)
    sealed = [_sealed(stream) for stream in streams]
    while parts := [part for stream in sealed if (part := list(islice(stream, together())))]:
        for part in parts:
            recorder.append(part)
            done += len(part)
            yield done
    datastore.close()


def _sealed(stream: Iterable[Fact]) -> Iterator[Recorded]:
    """The events of one stream in their envelopes, ready to be stored."""
    previous: bytes | None = None
    for _, command in groupby(stream, key=lambda fact: fact.row.command):
        said = list(command)
        row = said[0].row
        act = Act("demo", row.stream, row.table, row.gaming_day, *row[5:10])  # type: ignore[attr-defined, index]
        records = seal([fact.event for fact in said], act, b"{}", row.version - 1, previous)  # type: ignore[attr-defined]
        previous = records[-1].hash
        yield from records
