"""A whole house told as a log, without a database: every stream, every posting, every chip."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import count
from typing import Any, NamedTuple

import orjson

from domain.chips import ChipFloat
from domain.commands import COMMAND, Command, Open
from domain.decide import carried_over, decide
from domain.events import Happened, TableOpened
from domain.gaming_day import GamingDay
from domain.postings import outstanding, postings
from domain.refusals import Refusal
from domain.subject import Caused, Elsewhere, Subject, subject_of, table_and_day, table_stream
from domain.table import Table

DAY = "2026-11-28"
BADGES = {"D": "dealer", "B": "boxman", "F": "floor", "P": "pit_manager", "M": "shift_manager"} | {
    "C": "cage",
    "S": "security",
    "K": "count",
    "V": "surveillance",
    "A": "audit",
}
TERMS = {
    "rules": "ia-prairie-meadows",
    "min": 500,
    "max": 500_000,
    "chip": 100,
    "payout_unit": 100,
    "opener": 10_000_000,
}


class Fact(NamedTuple):
    """An event, the stream it stands in and the table it happened at."""

    stream: str
    table: str | None
    event: Happened


@dataclass
class House:
    """Everything that happened in a house, and what it comes to. Badges say roles by their first letter."""

    streams: dict[str, Subject] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    balances: Counter[str] = field(default_factory=Counter)
    chips: ChipFloat = field(default_factory=ChipFloat)
    last_opening: dict[str, str] = field(default_factory=dict)
    day: str = DAY
    log: list[dict[str, Any]] = field(default_factory=list)  # every line, taken or not
    _ids: Any = field(default_factory=lambda: count(1))

    def __call__(self, stream: str, /) -> Subject:
        """What a stream is about, as it stands."""
        return self.streams.setdefault(stream, subject_of(stream))

    def when(self, stream: str, version: int) -> datetime:
        """When everything is said to have happened here."""
        return datetime.fromisoformat(f"{self.day}T20:00:00-06:00")

    def opened_on(self, gaming_day: date) -> list[str]:
        """The tables that were opened for a gaming day."""
        opened = [
            fact.table
            for fact in self.facts
            if isinstance(fact.event, TableOpened) and fact.event.gaming_day == gaming_day and fact.table
        ]
        return list(dict.fromkeys(opened))

    def next_opening(self, table: str, gaming_day: date) -> str | None:
        """The stream of the first later gaming day that a table was opened for."""
        days = {
            fact.event.gaming_day
            for fact in self.facts
            if isinstance(fact.event, TableOpened) and fact.table == table
        }
        later = [day for day in days if day > gaming_day]
        return table_stream(table, min(later)) if later else None

    def say(self, do: str, by: str = "D-1", **said: Any) -> list[Happened] | Refusal:
        """A command is said: everything that comes of it in whatever stream, or why not."""
        who = {"badge": by, "role": BADGES[by[0]]}
        line = {"id": f"c{next(self._ids)}", "at": f"{self.day}T20:00:00-06:00", "by": who, "do": do, **said}
        self.log.append(line)
        command = COMMAND.validate_json(orjson.dumps(line))
        try:
            return self._hear(command)
        except Refusal as refusal:
            return refusal

    def must(self, do: str, by: str = "D-1", **said: Any) -> list[Happened]:
        """A command that the house takes."""
        answer = self.say(do, by, **said)
        assert not isinstance(answer, Refusal), (do, said, answer.reason, answer.message)
        return answer

    def refused(self, do: str, by: str = "D-1", **said: Any) -> str:
        """A command that the house refuses: the reason; nothing happens."""
        before = len(self.facts)
        answer = self.say(do, by, **said)
        assert isinstance(answer, Refusal), (do, said, answer)
        assert len(self.facts) == before
        return answer.reason.value

    def why_not(self, do: str, by: str = "D-1", **said: Any) -> str:
        """A command that the house refuses: what it says."""
        answer = self.say(do, by, **said)
        assert isinstance(answer, Refusal), (do, said, answer)
        return answer.message

    def _hear(self, command: Command) -> list[Happened]:
        stream = command.stream() or self._table_of(command)
        caused = decide(command, self(stream), self)
        last = self.last_opening.get(command.table or "")
        if isinstance(command, Open) and last not in (None, stream):
            caused = carried_over(command, caused, last, self.table(last), self)
        self._happen(caused, stream, command.table)
        return [event.event if isinstance(event, Elsewhere) else event for event in caused]

    def _table_of(self, command: Command) -> str:
        assert command.table is not None, command
        day = getattr(command, "gaming_day", None)
        last = self.last_opening.get(command.table)
        return table_stream(command.table, day) if day or not last else last

    def _happen(self, caused: Caused, stream: str, table: str | None) -> None:
        for event in caused:
            where, what = event if isinstance(event, Elsewhere) else (stream, event)
            at = (table_and_day(where) or (table, None))[0]
            self(where).apply(what)
            self.facts.append(Fact(where, at, what))
            self.chips.apply(what, at)
            for account, amount in postings(what, at):
                self.balances[account] += amount
            if isinstance(what, TableOpened) and at is not None:
                self.last_opening[at] = where

    # ------------------------------------------------------------------ in few words

    def opened(self, table: str = "CR01", **terms: Any) -> list[Happened]:
        """A table opens for the day, on $100,000."""
        return self.must("open", "B-1", table=table, **{"gaming_day": self.day, **TERMS, **terms})

    def table(self, name: str = "CR01") -> Table:
        """A table of the day, by its name or its stream."""
        table = self(name if ":" in name else f"table:{name}:{self.day}")
        assert isinstance(table, Table), name
        return table

    def books(self) -> GamingDay:
        """The day's own stream."""
        day = self(f"day:{self.day}")
        assert isinstance(day, GamingDay)
        return day

    def balance(self, account: str) -> int:
        """What stands on an account and those below it, in cents."""
        return sum(cents for name, cents in self.balances.items() if f"{name}:".startswith(f"{account}:"))

    def outstanding(self) -> int:
        """Chips that are not in the house."""
        return outstanding(self.balances)

    def only(self, kind: type[Any]) -> list[Any]:
        """The events of one kind."""
        return [fact.event for fact in self.facts if isinstance(fact.event, kind)]
