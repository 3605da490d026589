"""What would have been: a day replayed from one roll on under another call, or under other rules.

Everything that was said at the table afterwards is said again to the table as it would have been, and
decided anew by `domain.decide`; what really happened is read, not decided. Nothing is stored: the answer is
an object (the shape that `pitledger whatif --json` prints, described in docs/disputes.md). Cents.

What is taken to follow, and what is not:

* Who said what, when and in which order stays as it was; only the answers differ. A bet that could not be
  made after the other call is refused, one that was refused may be accepted: both are reported.
* An overrule of the very roll no longer applies. One of another roll applies to that same throw.
* What was decided elsewhere in the house and left an event at the table (the next day's opening, the sealing
  of this one), and what was decided with a look at a patron's account, a slip or a box, is taken as it
  happened.
* A `pay` speaks of one decision. It applies where that decision is the same, else it is left out.
* Cash that lay on the layout when the roll was called, and nobody had said what it was for, was declared at
  once by whoever saw it laid. What was said of it later has nothing left to speak of.
* Other rules hold from the roll on, under the terms the house posted. A wager that they do not offer, and a
  point that they do not have, go back to the patron before the dice are thrown.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Literal, NamedTuple

import orjson

from domain import commands as c
from domain import events as e
from domain.books import EVENT_WIN, FLOWS, Flow, into, money
from domain.commands import COMMAND
from domain.counting import here
from domain.decide import decide
from domain.refusals import Reason, Refusal
from domain.rules.pack import Pack
from domain.rules.shelf import packs, pinned
from domain.subject import Subject, subject_of
from domain.table import Table, Wager
from domain.wager import come_down
from ledger.errors import LedgerError
from projections.history import History, who, without_pauses
from projections.rows import Row
from projections.telling import Money, called, money_in, sum_of, tell

_NET: dict[Flow, int] = {flow: -EVENT_WIN.get(flow, 0) - into("held", flow) for flow in FLOWS}
"""What each flow of money does to what its player has won from the house, held commission included."""


Call = c.Roll | c.NoRoll | c.DieOffTable
Progress = Callable[[int, int], None]


def in_silence(done: int, to_do: int) -> None:
    """Progress that nobody watches."""


class Question(NamedTuple):
    """What should have been otherwise with a roll; exactly one of these."""

    dice: tuple[int, int] | None = None
    no_roll: bool = False
    stands: bool = False
    rules: str | None = None
    cash: "Declared | None" = None


class Declared(NamedTuple):
    """What undeclared cash would have been for; `wager` is the name it had on the layout."""

    wager: str
    intent: Literal["plays", "change_only"]


class Course(NamedTuple):
    """One course of events: the table, what each player won or lost, and how each wager was decided."""

    table: Table
    net: dict[str, int]
    settled: dict[str, e.WagerSettled]

    def take(self, events: Iterable[e.Happened]) -> None:
        """Let these events happen."""
        for event in events:
            self.table.apply(event)
            if isinstance(event, e.WagerSettled):
                self.settled[event.wager] = event
            elif isinstance(event, e.SettlementReversed):
                del self.settled[event.wager]
            for flow, player, amount in money(event):
                if player is not None and _NET[flow]:
                    self.net[player] = self.net.get(player, 0) + _NET[flow] * amount

    def fork(self) -> "Course":
        """The same course so far; what happens to one from here on does not happen to the other."""
        return Course(self.table.then(()), dict(self.net), dict(self.settled))


def answer(history: History, roll: int, question: Question, until: int | None = None) -> Row:
    """What `question` about a roll would have changed, up to just before the roll after `until` was called.

    Raises LedgerError where there is no such roll, or the roll was called so already.
    """
    call_at = history.call_of(roll)
    part = history.begins(call_at) if question.cash is None else _laid_by(history, question.cash, call_at)
    (found,) = _compare(history, roll, [question], part, _end(history, roll, until), in_silence)
    if isinstance(found, LedgerError):
        raise found
    return {**found, "until_roll": until or history.rolls}


def answers(
    history: History, roll: int, questions: Sequence[Question], progress: Progress = in_silence
) -> list[Row | LedgerError]:
    """What each of several other calls of a roll would have changed by the end of the day, told together.

    An error where that call was not possible. `progress` is told how many events were gone through, of
    how many.
    """
    part = history.begins(history.call_of(roll))
    return _compare(history, roll, questions, part, len(history.told), progress)


@without_pauses()
def _compare(
    history: History, roll: int, questions: Sequence[Question], part: int, end: int, progress: Progress
) -> list[Row | LedgerError]:
    """Several courses beside the one that was, from index `part`, where they part, to `end`."""
    call_at = history.call_of(roll)
    was = Course(Table(), {}, {})
    was.take(history.event(at) for at in range(part))
    said = _Said(history)
    others = [_parted(_Other(said, roll, was.fork()), question, call_at) for question in questions]
    if all(question.cash is None for question in questions):
        was.take(history.event(at) for at in range(part, history.ends(call_at)))
        part = history.ends(call_at)
    possible = [other for other in others if isinstance(other, _Other)]
    for begin, ends in _commands(history, part, end):
        happened = [history.event(at) for at in range(begin, ends)]
        was.take(happened)
        for other in possible:
            other.hear(begin, happened, was)
        progress(ends - part, end - part)
    return [_report(other, was) if isinstance(other, _Other) else other for other in others]


def _parted(other: "_Other", question: Question, call_at: int) -> "_Other | LedgerError":
    """The course after what is supposed has happened, or why it could not have."""
    try:
        other.supposed = _suppose(other, question, call_at)
        if question.cash is None:
            other.make_the_call(other.history.begins(call_at))
    except LedgerError as no:
        return no
    return other


def _end(history: History, roll: int, until: int | None) -> int:
    """The index where the comparison ends."""
    if until is None:
        return len(history.told)
    history.call_of(until)
    if until < roll:
        raise LedgerError(f"roll {until} was before roll {roll}: nothing had been otherwise by then")
    return history.begins(history.calls[until]) if until < history.rolls else len(history.told)


def _laid_by(history: History, cash: Declared, call_at: int) -> int:
    """Where cash had been laid that was undeclared when a roll was called."""
    if cash.wager in history.fold(history.begins(call_at)).undeclared:
        for at in reversed(range(call_at)):
            event = history.event(at)
            if isinstance(event, e.CashLaid) and event.wager == cash.wager:
                return history.ends(at)
    raise LedgerError(f"no cash {cash.wager} lay undeclared on the layout when that roll was called")


def _commands(history: History, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the events of each command begin and end."""
    while at < end:
        after = history.ends(at)
        yield at, after
        at = after


# ------------------------------------------------------------------------------------- the other call


def _suppose(other: "_Other", question: Question, call_at: int) -> str:
    """Tell the other course what is supposed; returns it in words: the roll "had been called 3-4, seven"."""
    history = other.history
    if question.rules is not None:
        other.play_under(question.rules)
        return f"had been played under {question.rules} from here on"
    if question.cash is not None:
        return other.declare(question.cash, call_at)
    other.another_call = True
    first = history.event(call_at)
    assert isinstance(first, e.RollCalled | e.NoRollCalled), first
    now = _standing(history, other.roll)
    if question.no_roll:
        if now is None:
            raise LedgerError(f"roll {other.roll} is no roll already")
        other.call = _no_roll
        return "had been called No Roll"
    dice = _thrown(first, other.roll) if question.stands else question.dice
    assert dice is not None, question
    if dice == now:
        raise LedgerError(f"roll {other.roll} stands as {called(dice)} already")
    other.call = lambda command: _roll(command, dice)
    return f"{'had stood as' if question.stands else 'had been called'} {called(dice)}"


def _standing(history: History, roll: int) -> tuple[int, int] | None:
    """The dice of a roll as it finally stands; None where it is no roll."""
    overrules = history.overrules.get(roll)
    call = history.event(overrules[-1] if overrules else history.call_of(roll))
    assert isinstance(call, e.RollCalled | e.NoRollCalled | e.RollOverruled), call
    return None if isinstance(call, e.NoRollCalled) else call.dice


def _thrown(first: e.RollCalled | e.NoRollCalled, roll: int) -> tuple[int, int]:
    if first.dice is None:
        raise LedgerError(f"nobody said what roll {roll} showed: ask with --dice a,b")
    return first.dice


def _roll(call: Call, dice: tuple[int, int]) -> c.Roll:
    return c.Roll(id=call.id, at=call.at, by=_caller(call), table=call.table, do="roll", dice=dice)


def _no_roll(call: Call) -> c.NoRoll:
    return c.NoRoll(id=call.id, at=call.at, by=_caller(call), table=call.table, do="no_roll", reason="other")


def _caller(call: Call) -> c.Actor:
    """Who made the call; anyone may report a die off the table, but only some may call a roll."""
    if call.by.role in c.RANK or call.by.role == c.Role.DEVICE:
        return call.by
    return c.Actor(badge=call.by.badge, role=c.Role.BOXMAN)


# ------------------------------------------------------------------------------------- the other course


class _BeyondTheTable(Exception):
    """A decision looks at something that this history does not hold: a patron's account, a slip, a box."""


class _Elsewhere:
    """The rest of the house, where nobody looks: what it would have been is not known."""

    def __call__(self, stream: str, /) -> Subject:
        """The gaming day, which only lists what is open, is empty; all else raises _BeyondTheTable."""
        if stream.startswith("day:"):
            return subject_of(stream)
        raise _BeyondTheTable(stream)

    def when(self, stream: str, version: int) -> datetime:
        """Raises _BeyondTheTable."""
        raise _BeyondTheTable(stream)

    def opened_on(self, gaming_day: date) -> list[str]:
        """Raises _BeyondTheTable."""
        raise _BeyondTheTable(gaming_day)

    def next_opening(self, table: str, gaming_day: date) -> str | None:
        """None: what is asked about ends with its gaming day."""
        return None


class _Said:
    """What was said at the table, command by command, each read once however many hear it."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._read: dict[int, c.Command] = {}

    def command(self, at: int) -> c.Command:
        """The command whose events begin at an index, as it arrived."""
        if (command := self._read.get(at)) is None:
            text = self.history.told[at].said
            assert text is not None, at
            command = self._read[at] = COMMAND.validate_json(text)
        return command


class _Other:
    """The table as it would have been, hearing what was said at the one that was."""

    def __init__(self, said: "_Said", roll: int, course: Course) -> None:
        self.said = said
        self.history = said.history
        self.supposed = ""
        self.answers: list[Row] = []  # to what was said afterwards, where they are not as they were
        self.roll = roll
        self.course = course
        self.call: Callable[[Call], c.Command] | None = None  # in the place of what was called
        self.rules: str | None = None  # in the place of the table's own
        self.another_call = False  # the roll itself is called otherwise
        self.declared: str | None = None  # the cash that somebody said the purpose of
        self.numbers: dict[int, int] = {}  # a roll that was -> the number the same throw has here

    def play_under(self, rules: str) -> None:
        """Other rules from here on. Raises LedgerError where the house could not have opened under them."""
        self.rules = rules
        try:
            opened = here(decide(self._heard(self._opening()), Table(), _Elsewhere()))
        except Refusal as no:
            raise LedgerError(f"the house could not have played under {rules}: {no.message}") from None
        assert isinstance(opened[0], e.TableOpened), opened
        pack = pinned(opened[0].rules, opened[0].rules_version)
        self.course.take(_back_to_the_patrons(self.course.table, pack))
        self.course.take(opened)

    def declare(self, cash: Declared, call_at: int) -> str:
        """Somebody says at once what cash was for. Raises LedgerError where it could not have been that."""
        self.declared = cash.wager
        laid = self.course.table.undeclared[cash.wager]
        call = self._heard(self.history.begins(call_at))
        said = c.DeclareCash(
            id=call.id,
            at=call.at,
            by=call.by,
            table=self.history.table,
            do="declare_cash",
            wager=cash.wager,
            intent=cash.intent,
        )
        if no := self._decide(said):
            raise LedgerError(f"{cash.wager} could not have been that: {no.message}")
        money = money_in(self.history.house.currency)
        what = "playing" if cash.intent == "plays" else "for change only"
        return f"had been thrown with {laid.player}'s {money(laid.amount)} in cash ({cash.wager}) {what}"

    def _opening(self) -> int:
        """Where the table was last opened before the roll."""
        before = reversed(range(self.history.call_of(self.roll)))
        return next(at for at in before if self.history.told[at].name == "TableOpened")

    def make_the_call(self, at: int) -> None:
        """The call itself, otherwise than it was made. Raises LedgerError where the rules do not allow it."""
        call = self._heard(at)
        assert isinstance(call, Call), call
        no = self._decide(call if self.call is None else self.call(call))
        if no is not None:
            raise LedgerError(f"roll {self.roll} could not have been called so: {no.message}")
        self.numbers[self.roll] = self.roll

    def hear(self, at: int, was: list[e.Happened], course_was: Course) -> None:
        """The command whose events begin at `at` is said here; its answer may not be as it `was`."""
        refused = was[0] if isinstance(was[0], e.CommandRefused) else None
        if self.history.told[at].said is None or (refused and refused.reason == Reason.ID_REUSED):
            self.course.take(self._as_it_happened(was))
            return
        command = self._heard(at)
        if left_out := self._no_longer_applies(command, was, course_was):
            if not refused:
                self._differs(at, command, None, left_out)
            return
        rolls = self.course.table.rolls
        try:
            no = self._decide(self._said_here(command))
        except _BeyondTheTable:
            self.course.take(self._as_it_happened(was))
            return
        if _is_a_call(was) and self.course.table.rolls > rolls:
            self.numbers[course_was.table.rolls] = self.course.table.rolls
        if (no is None) != (refused is None):
            self._differs(at, command, refused, no)

    def _decide(self, command: c.Command) -> Refusal | None:
        try:
            self.course.take(here(decide(command, self.course.table, _Elsewhere())))
        except Refusal as no:
            return no
        return None

    def _as_it_happened(self, events: list[e.Happened]) -> Iterator[e.Happened]:
        """What was decided elsewhere; chips carried over into the next day are the rail as it is here."""
        for event in events:
            if isinstance(event, e.PlayerWalked):
                rail = max(self.course.table.rails.get(event.player, 0), 0)
                yield event.model_copy(update={"amount": rail})
            else:
                yield event

    def _heard(self, at: int) -> c.Command:
        """A command as it arrived, at a table with other rules if that is the question."""
        command = self.said.command(at)
        if isinstance(command, c.Open) and self.rules is not None:
            pack = packs().get(self.rules)
            paytable = "reference" if pack and pack.limits.needs_paytable else command.paytable
            return command.model_copy(update={"rules": self.rules, "paytable": paytable})
        return command

    def _said_here(self, command: c.Command) -> c.Command:
        """The command as it has to be said here: a throw may have another number."""
        if isinstance(command, c.Overrule):
            return command.model_copy(update={"roll": self.numbers.get(command.roll, command.roll)})
        return command

    def _no_longer_applies(self, command: c.Command, was: list[e.Happened], course_was: Course) -> str | None:
        """Why a command has nothing to speak of here."""
        if isinstance(command, c.Overrule):
            return self._no_such_call(command.roll)
        if isinstance(command, c.DeclareCash) and command.wager == self.declared:
            return f"what {command.wager} was for had been said"
        if isinstance(command, c.DieOffTable) and self._speaks_of_the_call(was, course_was):
            return f"roll {self.roll}, which it speaks of, is supposed to have been called otherwise"
        if isinstance(command, c.Pay) and not self.alike(command.wager, course_was):
            return f"{command.wager} was not decided as it was"
        return None

    def _no_such_call(self, roll: int) -> str | None:
        if roll == self.roll and self.another_call:
            return f"the call of roll {roll} that it overruled was not made"
        thrown_here = roll < self.roll or roll > self.history.rolls or roll in self.numbers
        return None if thrown_here else f"roll {roll} was not thrown here"

    def _speaks_of_the_call(self, was: list[e.Happened], course_was: Course) -> bool:
        """Whether a die was reported off the table after the call that is supposed not to have been made."""
        return self.another_call and not _is_a_call(was) and course_was.table.rolls == self.roll

    def alike(self, wager: str, was: Course) -> bool:
        """Whether both courses decided a wager, by one throw and to the same cent, or neither did."""
        then, here = was.settled.get(wager), self.course.settled.get(wager)
        if then is None or here is None:
            return then is here
        number = then.roll if then.roll < self.roll else self.numbers.get(then.roll)
        return number == here.roll and _money_of(then) == _money_of(here)

    def _differs(
        self, at: int, command: c.Command, was: e.CommandRefused | None, here: Refusal | str | None
    ) -> None:
        """A command that the two courses answer differently. `here`: the refusal, or why it was left out."""
        told = self.history.told[at]
        said = {name: getattr(command, name, None) for name in ("player", "wager", "kind", "amount")}
        would_be = here.reason.value if isinstance(here, Refusal) else "left out" if here else "accepted"
        why = here.message if isinstance(here, Refusal) else here or (was.message if was else "")
        row = {
            **who(told),
            "do": command.do,
            **said,
            "was": was.reason if was else "accepted",
            "would_be": would_be,
            "message": why,
            "said": orjson.loads(told.said or "null"),
        }
        self.answers.append(row)


def _is_a_call(events: list[e.Happened]) -> bool:
    return any(isinstance(event, e.RollCalled | e.NoRollCalled) for event in events)


def _money_of(event: e.WagerSettled) -> tuple[object, ...]:
    return event.outcome, event.stake, event.owed, event.paid, event.commission, event.net, event.credit


def _back_to_the_patrons(table: Table, pack: Pack) -> list[e.Happened]:
    """What cannot lie under other rules comes down; a puck on what is no point there goes Off."""
    events: list[e.Happened] = []
    down: set[str] = set()
    for wager in sorted(table.in_order(), key=lambda wager: wager.base is not None):
        if wager.wager not in down and not _offered(wager, table, pack):
            down |= {wager.wager, *(odds.wager for odds in table.odds_on(wager.wager))}
            events += come_down(wager, table, "overruled")
    if table.puck is not None and table.puck not in pack.points:
        events.append(e.PuckMoved(point=None, was=table.puck))
    return events


def _offered(wager: Wager, table: Table, pack: Pack) -> bool:
    base = table.wagers.get(wager.base) if wager.base else None
    entry = pack.entry(wager.kind, base.kind if base else None)
    if entry is None or not entry.offers(wager.number, wager.combo, wager.high):
        return False
    point = table.point_of(base or wager)
    on_a_point = (base or wager).kind in ("pass", "dont_pass", "put_pass", "come", "dont_come", "put_come")
    return not on_a_point or point is None or point in pack.points


# ------------------------------------------------------------------------------------- the difference


def _report(other: _Other, was: Course) -> Row:
    history, course = other.history, other.course
    players = sorted(was.table.rails.keys() | course.table.rails.keys())
    won, would_win = -sum(was.net.values()), -sum(course.net.values())
    return {
        "property": history.house.name,
        "currency": history.house.currency,
        "table": history.table,
        "gaming_day": history.gaming_day.isoformat(),
        "roll": other.roll,
        "call": _call(other),
        "supposed": other.supposed,
        "until_roll": history.rolls,
        "versions": len(history.told),
        "players": [_player(name, was, course) for name in players],
        "house": {"was": won, "would_be": would_win, "difference": would_win - won},
        "settlements": _settlements(other, was),
        "commands": other.answers,
    }


def _call(other: _Other) -> Row:
    """The call as it was made, and as it stands."""
    history = other.history
    at = history.call_of(other.roll)
    standing = _standing(history, other.roll)
    return {
        "text": tell(history.event(at), "", money_in(history.house.currency)),
        **who(history.told[at]),
        "overruled": other.roll in history.overrules,
        "stands_as": None if standing is None else list(standing),
    }


def _player(name: str, was: Course, other: Course) -> Row:
    then, here = _holds(name, was), _holds(name, other)
    return {"player": name, "was": then, "would_be": here, "difference": here["net"] - then["net"]}


def _holds(player: str, course: Course) -> Row:
    table = course.table
    return {
        "rail": table.rails.get(player, 0),
        "on_layout": sum(w.amount for w in table.wagers.values() if w.player == player),
        "net": course.net.get(player, 0),
    }


def _settlements(other: _Other, was: Course) -> list[Row]:
    """The wagers that the two courses decided differently, in the order of their rolls."""
    here = other.course.settled
    differ = [wager for wager in {**was.settled, **here} if not other.alike(wager, was)]
    rows = [_decided_otherwise(wager, was, other) for wager in differ]
    return sorted(rows, key=lambda row: min(side["roll"] for side in (row["was"], row["would_be"]) if side))


def _decided_otherwise(wager: str, was: Course, other: _Other) -> Row:
    money_as = money_in(other.history.house.currency)
    then, here = was.settled.get(wager), other.course.settled.get(wager)
    one = then or here
    assert one is not None, wager
    return {
        **{name: getattr(one, name) for name in ("wager", "player", "kind", "number", "combo", "high")},
        "was_status": _status(wager, was),
        "was": then and _decision(then, money_as),
        "would_be_status": _status(wager, other.course),
        "would_be": here and _decision(here, money_as),
        "difference": (here.net if here else 0) - (then.net if then else 0),
    }


def _status(wager: str, course: Course) -> str:
    """What became of a wager."""
    if settled := course.settled.get(wager):
        return settled.outcome
    if wager in course.table.wagers:
        return "undecided"
    return "taken down" if wager in course.table.used else "not made"


def _decision(event: e.WagerSettled, money_as: Money) -> Row:
    names = (
        "roll outcome stake odds owed paid breakage commission net credit section "
        "owed_in_full aggregate_limit aggregate_owed limit_section"
    ).split()
    return {**{name: getattr(event, name) for name in names}, "text": sum_of(event, money_as)}
