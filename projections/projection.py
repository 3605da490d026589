"""What a projection is: tables, and how facts change their rows."""

from collections.abc import Callable, Collection, Iterable
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, Protocol

from psycopg import Connection

from domain.books import FLOWS, Flow, Money
from domain.events import Happened

Edition = Literal["", "_new"]
"""Which edition of a projection's tables: the one that answers, or the one that a rebuild is making."""


class Said(Protocol):
    """Where and when an event was said, by whom and by which command."""

    @property
    def position(self) -> int: ...
    @property
    def stream(self) -> str: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def badge(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def command(self) -> str: ...


class Fact(NamedTuple):
    """One event at its place in the log, decoded once for all projections, with the money it moved."""

    table: str
    gaming_day: date
    row: Said
    event: Happened
    moved: Money


TableDay = tuple[str, date]
NO_TABLE = ""
"""What the events of the cage and of the day itself have for a table."""


class Part(NamedTuple):
    """What a batch holds of one table and gaming day: the facts in order, and their money added up."""

    facts: list[Fact]
    moved: dict[str | None, dict[Flow, int]]  # player -> cents along each flow


Batch = dict[TableDay, Part]


def at_tables(batch: Batch) -> Batch:
    """What of `batch` happened at a table."""
    return {table_day: part for table_day, part in batch.items() if table_day[0] != NO_TABLE}


def gathered(facts: Iterable[Fact]) -> Batch:
    """A batch of `facts`, by table and gaming day."""
    batch: Batch = {}
    for fact in facts:
        table_day = fact.table, fact.gaming_day
        if (part := batch.get(table_day)) is None:
            part = batch[table_day] = Part([], {})
        part.facts.append(fact)
        for flow, player, amount in fact.moved:
            if (moved := part.moved.get(player)) is None:
                moved = part.moved[player] = dict.fromkeys(FLOWS, 0)
            moved[flow] += amount
    return batch


class Projection(NamedTuple):
    """A name for people, and how the rows come about.

    Rows that are one event each are `retold` by PostgreSQL itself: INSERTs from `facts`, a batch of events
    with the fields of `projections.retelling`. Rows that add up many events are folded here: `write` brings
    them forward by a batch. A projection has one or the other. A fold sees the events that it `remembers`
    and those that moved money; wagers placed come added up, one a table and player, and say nothing but
    player, amount and cash (who wants each of them has it retold).

    `retold` and `indexes` are SQL in which `{new}` stands for the edition. Raise `version` with any change
    of rows or tables: who follows next rebuilds them. The indexes that only reading needs are made after a
    rebuild has its rows.
    """

    name: str
    version: int
    tables: dict[str, str]  # name -> what stands between the parentheses of CREATE TABLE
    indexes: tuple[str, ...] = ()  # what comes after CREATE
    retold: tuple[str, ...] = ()
    remembers: Collection[type[Happened]] = ()  # what its fold looks at, beside the money moved
    write: Callable[[Connection[Any], Batch, Edition], None] | None = None
