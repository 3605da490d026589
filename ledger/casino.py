"""A casino at work: commands in, events out, each call one durable transaction.

A command is routed to the stream of its table and gaming day and decided on the table as that stream has
made it, kept warm between calls. Two processes may work at one table: whoever stores first wins, the other
looks again and decides anew. A command is known by its id for ever, so it can be sent as often as one likes.
"""

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import chain, groupby
from operator import itemgetter
from threading import Lock
from typing import ClassVar, Literal, NamedTuple, Self

import orjson
from eventsourcing.application import Application
from eventsourcing.utils import Environment, EnvType

from domain.closing import Missing, missing
from domain.commands import CloseDay, Command, Correct, Open
from domain.decide import carried_over, decide, refused
from domain.events import Happened, TableOpened
from domain.gaming_day import GamingDay
from domain.refusals import Reason, Refusal
from domain.subject import Elsewhere, Subject, copied, subject_of, table_and_day, table_stream
from domain.table import Table
from ledger import snapshots
from ledger.cycles import no_search_for_cycles
from ledger.database import connect
from ledger.envelope import Act, Recorded, event_from, seal
from ledger.errors import LedgerError
from ledger.recorder import LEDGER_URL, Conflict, Known, LedgerRecorder, Unreachable

PATIENCE = 15  # seconds to keep trying for a place behind other writers, or for the server to answer
LONGEST_PAUSE = 0.25  # seconds between two tries
TABLES_KEPT_WARM = 256


class Submitted(NamedTuple):
    """A command and its text: the canonical JSON of the line as it arrived."""

    command: Command
    text: bytes


class Answer(NamedTuple):
    """What became of a command. `known`: it was in the ledger before; `events`: how many this call stored."""

    status: Literal["accepted", "refused"]
    known: bool
    reason: str | None
    message: str | None
    events: int


class Casino(Application[str]):
    """One house's tables. Configured by LEDGER_URL alone; nothing comes in from the process's environment."""

    name = "casino"
    env: ClassVar[dict[str, str]] = {
        "PERSISTENCE_MODULE": "ledger.recorder:LedgerFactory",
        "MAPPER_TOPIC": "ledger.recorder:LedgerMapper",
    }
    recorder: LedgerRecorder

    def __init__(self, env: EnvType | None = None) -> None:
        super().__init__(env)
        self.property = self.recorder.house
        self._one_call_at_a_time = Lock()
        self._warm: dict[str, _Warm] = {}  # by stream, least recently used first
        self._last_openings: dict[str, str] = {}  # table: stream

    @classmethod
    def open(cls, url: str) -> Self:
        """The casino whose ledger is at `url`; LedgerError where there is none. Close it, or use `with`."""
        connect(url).close()
        return cls({LEDGER_URL: url})

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """The library would let any variable of the process override these settings."""
        return Environment(name, {**self.env, **(env or {})})

    def handle(self, submitted: Sequence[Submitted]) -> list[Answer]:
        """Decide commands one after another and store all that follows in one durable transaction.

        Raises LedgerError when other writers, or a server that does not answer, leave no room for
        PATIENCE seconds; the same call can be made again without harm.
        """
        with self._one_call_at_a_time:
            return self._until_stored(submitted, {}) if submitted else []

    def handle_all(self, calls: Iterable[Sequence[Submitted]]) -> Iterator[list[Answer]]:
        """As `handle`, one call after another; while one is being stored the next is decided already.

        Answers come in order and when they are durable, so one call late. An empty call, answered by an
        empty list, waits for those before it. Nobody else is served until the last answers are taken.
        """
        with self._one_call_at_a_time, ThreadPoolExecutor(1) as beside:
            last: _Storing | None = None
            for submitted in chain(calls, [None]):
                ahead = self._decided_ahead(submitted, last)
                if last and not last.is_stored():
                    yield self._until_stored(last.submitted, last.sitting.answered, tries=1)
                    ahead = None
                elif last:
                    if not ahead:
                        self._keep_warm(last.sitting)
                    yield last.answers
                last = ahead
                if ahead:
                    ahead.begin(beside)
                elif submitted is not None:
                    yield self._until_stored(submitted, {}) if submitted else []

    def _decided_ahead(
        self, submitted: Sequence[Submitted] | None, last: "_Storing | None"
    ) -> "_Storing | None":
        """A call decided on what the `last` one will have stored; None where it has to wait for that."""
        before = last.sitting if last else None
        if not submitted or any(_in_turn(submitted)) or (before and len(before.streams) > TABLES_KEPT_WARM):
            return None
        sitting = _Sitting(self, {}, again=False, before=before)
        try:
            with no_search_for_cycles():
                return _Storing(submitted, sitting, sitting.decide(submitted))
        except (Conflict, *Unreachable, LedgerError):
            sitting.streams.clear()  # those of the call before, too: nobody knows now how they stand
            return None

    def _until_stored(
        self, submitted: Sequence[Submitted], answered: dict[bytes, Answer], tries: int = 0
    ) -> list[Answer]:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with no_search_for_cycles():
                    return self._sit(submitted, answered, again=tries > 0)
            except (Conflict, *Unreachable) as error:
                tries += 1
                if time.monotonic() > deadline:
                    raise LedgerError(_gave_up(tries, error)) from error
            time.sleep(random.random() * min(LONGEST_PAUSE, 0.002 * 2**tries))

    def _sit(
        self, submitted: Sequence[Submitted], answered: dict[bytes, Answer], again: bool
    ) -> list[Answer]:
        with self.recorder.turn_to_open(_in_turn(submitted)):
            sitting = _Sitting(self, answered, again)
            answers = sitting.decide(submitted)
            sitting.store()
        self._keep_warm(sitting)
        return answers

    def _keep_warm(self, sitting: "_Sitting") -> None:
        self._warm |= sitting.streams
        self._last_openings |= {table: stream for table, stream in sitting.routes.items() if stream}
        while len(self._warm) > TABLES_KEPT_WARM:
            self._cool([next(iter(self._warm))])

    def missing(self, gaming_day: date) -> list[Missing]:
        """Everything that keeps a gaming day from closing, as it stands now; nothing is stored."""
        with self._one_call_at_a_time:
            sitting = _Sitting(self, {}, again=True)
            found = missing(gaming_day, sitting)
            self._warm |= sitting.streams
        return found

    def last_opening(self, table: str, sitting: "_Sitting") -> str | None:
        """The stream of a table's most recent opening.

        What this process remembers will do while that table looks open: if it was closed behind our back,
        storing meets a conflict. One that looks closed may have been opened again, for this day or another,
        and what is stored next for it may go elsewhere and meet nothing: look.
        """
        stream = self._last_openings.get(table)
        if stream and sitting.table(stream).is_open:
            return stream
        if stream := self.recorder.last_opening(table):
            self.catch_up(stream, sitting.stream(stream))
        return stream

    def take(self, stream: str, again: bool) -> "_Warm":
        """A stream as it stands, to be worked on: it comes back warm only if the work is stored.

        From the second try on others are at the same table: read what they stored, and keep a copy, so
        that each further try costs no more than what is new.
        """
        warm = self._warm.pop(stream, None)
        if warm is None or again:
            warm = self.catch_up(stream, warm) if warm else self._cold(stream)
        if again:
            self._warm[stream] = replace(warm, subject=copied(warm.subject))
        return warm

    def close(self) -> None:
        """Let go of everything; what whoever comes next would have to fold again is kept in snapshots."""
        self._cool([*self._warm])
        super().close()

    def _cold(self, stream: str) -> "_Warm":
        with no_search_for_cycles():
            with self.recorder.datastore.get_connection() as conn:
                kept = snapshots.latest(conn, stream)
            warm = _Warm(*kept, kept.subject.version) if kept else _Warm(subject_of(stream), None)
            return self.catch_up(stream, warm)

    def _cool(self, streams: Iterable[str]) -> None:
        taken = (self._warm.pop(stream).snapshot(stream, snapshots.WORTH_KEEPING) for stream in streams)
        self.keep(filter(None, taken))

    def keep(self, taken: Iterable[snapshots.Taken]) -> None:
        """Keep snapshots, or not where the server does not answer: nothing depends on them."""
        with suppress(*Unreachable):
            for one in taken:
                with self.recorder.datastore.get_connection() as conn:
                    snapshots.keep(conn, one)

    def catch_up(self, stream: str, warm: "_Warm") -> "_Warm":
        history = self.recorder.history(stream, warm.subject.version)
        for name, data, _ in history:
            warm.subject.apply(event_from(name, data))
        if history:
            warm.head = history[-1][2]
        return warm


@dataclass
class _Warm:
    """What a stream is about, as its events have made it; `head` is the hash of the last one."""

    subject: Subject
    head: bytes | None
    kept: int = 0  # version of the last snapshot there is

    def snapshot(self, stream: str, apart: int) -> snapshots.Taken | None:
        """A snapshot, where the last one is at least so many events ago."""
        if self.head is None or self.subject.version < self.kept + apart:
            return None
        self.kept = self.subject.version
        return snapshots.take(stream, snapshots.Snapshot(self.subject, self.head))


class _Earlier(NamedTuple):
    """A command that was answered before: its text then, and what it is told when it comes again."""

    text: bytes
    answer: Answer


@dataclass
class _Storing:
    """A call that is decided, and then on its way into the ledger."""

    submitted: Sequence[Submitted]
    sitting: "_Sitting"
    answers: list[Answer]
    stored: "Future[None] | None" = None

    def begin(self, beside: ThreadPoolExecutor) -> None:
        """Store it in another thread, which mostly waits for the server."""
        self.stored = beside.submit(self.sitting.store)

    def is_stored(self) -> bool:
        """Whether it went into the ledger as it was decided; waits until that is known."""
        assert self.stored is not None, self
        try:
            self.stored.result()
        except (Conflict, *Unreachable):
            return False
        return True


class _Sitting:
    """One try at a call's commands, each decided on what the ones before it left; nothing is stored yet."""

    def __init__(
        self,
        casino: Casino,
        answered: dict[bytes, Answer],
        again: bool,
        before: "_Sitting | None" = None,
    ) -> None:
        self.casino = casino
        self.answered = answered  # by hash of the command's first event: what this call answered, on any try
        self.again = again
        self.earlier: dict[str, _Earlier] = {}  # by command id
        self.before = before.earlier if before else {}  # the same of the call before, which may not be stored
        self.streams: dict[str, _Warm] = before.streams if before else {}
        self.routes: dict[str, str | None] = (
            before.routes if before else {}
        )  # table: stream of its last opening
        self.records: list[Recorded] = []
        self.taken: list[snapshots.Taken] = []  # on the way, to be kept when the records are stored
        self.now = datetime.now(UTC)

    def decide(self, submitted: Sequence[Submitted]) -> list[Answer]:
        """The answers to a call's commands, one after another."""
        self.recall(submitted)
        answers = [self.answer(one) for one in submitted]
        taken = (warm.snapshot(stream, snapshots.APART) for stream, warm in self.streams.items())
        self.taken = [*filter(None, taken)]
        return answers

    def store(self) -> None:
        """Store durably what was decided. Raises Conflict where somebody else was first."""
        if self.records:
            self.casino.recorder.append(self.records)
            self.casino.keep(self.taken)

    def recall(self, submitted: Sequence[Submitted]) -> None:
        """Look up which of the commands are in the ledger, and which second uses of their ids."""
        self._recall([command.id for command, _ in submitted])
        if others := [one for one in submitted if self._differs(one)]:
            self._recall([second_use(one) for one in others])

    def answer(self, one: Submitted) -> Answer:
        """Decide a command, or answer as it was answered before."""
        earlier = self._heard(one.command.id)
        if earlier is None:
            return self._decide(one)
        if earlier.text == one.text:
            self.earlier[one.command.id] = _again(earlier)  # from now on it is known, whoever stored it
            return earlier.answer
        if earlier := self._heard(second_use(one)):
            return earlier.answer
        no = Refusal(Reason.ID_REUSED, f"command id {one.command.id} was used before with other content")
        return self._refuse(one, second_use(one), self._route(one.command), no)

    def stream(self, name: str) -> _Warm:
        """A stream as this sitting has left it so far."""
        if name not in self.streams:
            self.streams[name] = self.casino.take(name, self.again)
        return self.streams[name]

    def __call__(self, stream: str, /) -> Subject:
        """What a stream is about, as it stands now: a decision looks at it.

        Unlike the stream that a decision is stored in, one that is only looked at meets no conflict if
        others have written to it: see what they wrote.
        """
        kind, _, name = stream.partition(":")
        if kind == "table" and name.endswith(":"):  # no day: the one that the table was last opened for
            last = self._last_opening(name[:-1])
            return self(last) if last else Table()
        warm = self.stream(stream)
        if not any(record.originator_id == stream for record in self.records):
            self.casino.catch_up(stream, warm)
        return warm.subject

    def when(self, stream: str, version: int) -> datetime:
        """When an event of a stream occurred, one of this sitting or one that is stored."""
        for record in self.records:
            if (record.originator_id, record.originator_version) == (stream, version):
                return record.occurred_at
        occurred_at: datetime = self.casino.recorder.occurred_at(stream, version)
        return occurred_at

    def opened_on(self, gaming_day: date) -> list[str]:
        """The tables that were opened for a gaming day, by this sitting too."""
        stored: list[str] = self.casino.recorder.opened_on(gaming_day)
        ours = [
            one.table for one in self.records if one.name == "TableOpened" and one.gaming_day == gaming_day
        ]
        return list(dict.fromkeys([*stored, *filter(None, ours)]))

    def next_opening(self, table: str, gaming_day: date) -> str | None:
        """The stream of the first later gaming day that a table was opened for, by this sitting too."""
        days = [self.casino.recorder.next_opening(table, gaming_day)]
        days += [one.gaming_day for one in self.records if (one.name, one.table) == ("TableOpened", table)]
        later = [day for day in days if day is not None and day > gaming_day]
        return table_stream(table, min(later)) if later else None

    def table(self, name: str) -> Table:
        """A table as this sitting has left it so far; `name` is its stream."""
        table = self.stream(name).subject
        assert isinstance(table, Table), name
        return table

    def _recall(self, ids: list[str]) -> None:
        for known in self.casino.recorder.known(ids):
            # Ours, when an earlier try was stored and only the answer got lost.
            told = self.answered.get(known.hash) or _as_before(known)
            self.earlier[known.command] = _Earlier(known.text.encode(), told)

    def _differs(self, one: Submitted) -> bool:
        earlier = self._heard(one.command.id)
        return earlier is not None and earlier.text != one.text

    def _heard(self, command: str) -> _Earlier | None:
        return self.earlier.get(command) or self.before.get(command)

    def _decide(self, one: Submitted) -> Answer:
        stream = self._route(one.command)
        try:
            self._require_unsealed(one.command, stream)
            events = decide(one.command, self.stream(stream).subject, self)
        except Refusal as no:
            return self._refuse(one, one.command.id, stream, no)
        except LookupError as missing:  # a rule pack that this program does not carry
            raise LedgerError(f"{missing}: use a newer pitledger") from missing
        assert events, one.command
        last = self.routes.get(one.command.table or "")
        if isinstance(one.command, Open) and last not in (None, stream):
            events = carried_over(one.command, events, last, self.table(last), self)
        told = Answer("accepted", False, None, None, len(events))
        return self._record(one, one.command.id, stream, events, told)

    def _require_unsealed(self, said: Command, stream: str) -> None:
        """Refuses what would be news for a day that is closed, where no stream of that day would know."""
        if not isinstance(said, Open) and not stream.startswith("patron:"):
            return
        day = self._spoken_of(said) or self.casino.property.gaming_day(said.at)
        books = self(f"day:{day}")
        if isinstance(books, GamingDay) and books.is_sealed:
            raise Refusal(Reason.DAY_SEALED, f"gaming day {day} is closed")

    def _refuse(self, one: Submitted, command: str, stream: str, no: Refusal) -> Answer:
        told = Answer("refused", False, no.reason.value, no.message, 1)
        return self._record(one, command, stream, [refused(one.command, no)], told)

    def _record(
        self, one: Submitted, command: str, stream: str, events: Sequence[Happened | Elsewhere], told: Answer
    ) -> Answer:
        first = len(self.records)
        placed = (
            (event.stream, event.event) if isinstance(event, Elsewhere) else (stream, event)
            for event in events
        )
        for where, run in groupby(placed, key=itemgetter(0)):
            self._write(one, command, stream, where, [event for _, event in run], len(self.records) - first)
        self.answered[self.records[first].hash] = told
        self.earlier[command] = _again(_Earlier(one.text, told))
        return told

    def _write(
        self, one: Submitted, command: str, at: str, stream: str, events: list[Happened], step: int
    ) -> None:
        """Seal events of a command decided `at` one stream for this one; its subject remembers them."""
        warm = self.stream(stream)
        act = self._act(one.command, command, at, stream, events[0], warm.subject)
        self.records += seal(events, act, one.text, warm.subject.version, warm.head, step)
        warm.head = self.records[-1].hash
        for event in events:
            warm.subject.apply(event)
            if isinstance(event, TableOpened):
                self.routes[act.table or ""] = stream

    def _act(
        self, said: Command, command: str, at: str, stream: str, first: Happened, subject: Subject
    ) -> Act:
        table, day = table_and_day(stream) or (
            said.table or getattr(subject, "table", None),
            self._spoken_of(first, said)
            or getattr(subject, "gaming_day", None)
            or getattr(self.stream(at).subject, "gaming_day", None)
            or self.casino.property.gaming_day(said.at),
        )
        here = (self.casino.property.name, stream, table, day)
        return Act(*here, said.at, self.now, said.by.badge, said.by.role.value, command)

    def _spoken_of(self, *who: Happened | Command) -> date | None:
        """The gaming day that an event or its command speaks of."""
        days: Iterable[date | None] = (vars(one).get("gaming_day") for one in who)
        return next(filter(None, days), None)

    def _route(self, command: Command) -> str:
        """The stream where a command is decided."""
        if stream := command.stream():
            return stream
        assert command.table is not None, command  # whatever names no stream names its table
        last = self._last_opening(command.table)
        if isinstance(command, Open) and last and self.table(last).is_open:
            return last  # where it is refused
        if day := self._spoken_of(command):
            return table_stream(command.table, day)
        return last or table_stream(command.table, self.casino.property.gaming_day(command.at))

    def _last_opening(self, table: str) -> str | None:
        if table not in self.routes:
            self.routes[table] = self.casino.last_opening(table, self)
        return self.routes[table]


def _in_turn(submitted: Sequence[Submitted]) -> Iterator[str]:
    """The tables to open, and the days for which to open them or to close: nobody else may meanwhile.

    A closer that is put right moves the opener that was held against it: no table opens meanwhile either.
    """
    for command, _ in submitted:
        if isinstance(command, Open) or (isinstance(command, Correct) and command.what == "closer"):
            yield command.table
        if isinstance(command, Open | CloseDay):
            yield f"day:{command.gaming_day}"


def second_use(one: Submitted) -> str:
    """Under which id the second use of a command's id, with other content, is refused and remembered."""
    return f"{one.command.id}#{sha256(one.text).hexdigest()[:16]}"


def _gave_up(tries: int, error: Exception) -> str:
    why = " ".join(str(error).split())
    return f"no answer from the ledger after {tries} tries ({why}): send the same commands again"


def _again(earlier: _Earlier) -> _Earlier:
    status, _, reason, message, _ = earlier.answer
    return _Earlier(earlier.text, Answer(status, True, reason, message, 0))


def _as_before(known: Known) -> Answer:
    """What a command that is in the ledger is told when it comes again."""
    if known.name != "CommandRefused":
        return Answer("accepted", True, None, None, 0)
    no = orjson.loads(known.data)
    return Answer("refused", True, no["reason"], no["message"], 0)
