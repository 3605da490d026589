"""A roll as it happened: the table before it, what was said, every call, every wager's fate, the table after.

A roll is told as one plain object (the shape that `pitledger replay --json` prints, described in
docs/disputes.md), so that a dossier, a screen and a program read the same facts. Cents; times on the
property's clock.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import orjson

from domain import events as e
from domain.table import Table, Wager
from projections.felt import layout
from projections.history import History, Told, read_back, who
from projections.rows import Row
from projections.telling import Money, in_seconds, money_in, spoken_bet, sum_of, tell

Call = e.RollCalled | e.NoRollCalled | e.RollOverruled
_CALLS = {e.RollCalled: "roll", e.NoRollCalled: "no_roll", e.RollOverruled: "overrule"}


def document(history: History, first: int, last: int) -> Row:
    """The rolls from `first` to `last`, and whose they are."""
    house = history.fold(history.call_of(first)).house
    return {
        "property": history.house.name,
        "currency": history.house.currency,
        "table": history.table,
        "gaming_day": history.gaming_day.isoformat(),
        "rules": house and house.rules,
        "rules_version": house and house.rules_version,
        "last_roll": history.rolls,
        "rolls": list(rolls(history, first, last)),
    }


def roll(history: History, number: int) -> Row:
    """One roll. Raises LedgerError where the table never came to it."""
    return next(rolls(history, number, number))


def rolls(history: History, first: int, last: int) -> Iterator[Row]:
    """The rolls from `first` to `last`, in one pass. Raises LedgerError where there is no such roll."""
    history.call_of(first), history.call_of(last)
    begin = history.ends(history.calls[first - 2]) if first > 1 else 0
    reading = _Reading(history, begin, history.fold(begin))
    for number in range(first, last + 1):
        yield _roll(reading, number)


class _Reading:
    """A place in a history, and the table as it lies there."""

    def __init__(self, history: History, at: int, table: Table) -> None:
        self.history = history
        self.at = at
        self.table = table
        self.money: Money = money_in(history.house.currency)

    def on(self, until: int) -> list[Row]:
        """Go on to index `until`; returns what is told on the way."""
        told = [self._fact() for self.at in range(self.at, until)]
        self.at = until
        return told

    def fork(self) -> "_Reading":
        """Another reader at this place; whoever reads on leaves the other's table as it is."""
        return _Reading(self.history, self.at, self.table.then(()))

    def _fact(self) -> Row:
        event = self.history.event(self.at)
        fact = {
            "event": event.name,
            "text": tell(event, self._bet(event), self.money),
            **who(self.history.told[self.at]),
            **_about(event, self.history.told[self.at]),
        }
        self.table.apply(event)
        return fact

    def _bet(self, event: e.Happened) -> str:
        """The wager an event is about, as a dealer would say it."""
        if isinstance(event, e.WagerPlaced | e.WagerSettled):
            base = self.table.wagers.get(event.base or "")
            number = event.number if base is None else self.table.point_of(base)
            return spoken_bet(event.kind, number, event.combo, event.high)
        name = getattr(event, "wager", None) or ""
        call = self.table.last_call
        wager = self.table.wagers.get(name) or (call and call.wagers.get(name))
        return _spoken(wager, self.table) if wager else f"wager {name}".strip()


def _spoken(wager: Wager, table: Table) -> str:
    base = table.wagers.get(wager.base) if wager.base else None
    number = wager.number if base is None else table.point_of(base)
    return spoken_bet(wager.kind, number, wager.combo, wager.high)


def _about(event: e.Happened, told: Told) -> Row:
    """Whom and what the event is about, and what exactly was asked for where it was refused."""
    about = {name: getattr(event, name, None) for name in ("player", "wager", "amount", "reason", "section")}
    if isinstance(event, e.CommandRefused):
        about["asked"] = orjson.loads(told.said) if told.said else None
    return about


# ------------------------------------------------------------------------------------- one roll


def _roll(reading: _Reading, number: int) -> Row:
    """Tell a roll; `reading` stands after the call of the one before, and is left after this one's."""
    history = reading.history
    call_at = history.call_of(number)
    said = reading.on(history.begins(call_at))
    before = layout(reading.table)
    lay = reading.table.then(())
    calls = [{**_call(reading, call_at, lay), "said": said}]
    after = reading
    for at in history.overrules.get(number, ()):
        after = after.fork()
        between = after.on(history.begins(at))
        calls.append({**_call(after, at, lay), "said": between})
    standing = calls[-1]
    return {
        "roll": number,
        "come_out": lay.puck is None,
        "shooter": lay.shooter,
        "dice": standing["dice"],
        "stands": standing["stands"],
        "timing": _timing(history, said, calls[0]),
        "before": before,
        "calls": calls,
        "fates": standing["fates"],
        "after": layout(after.table),
        "later": _later(history, number),
    }


def _call(reading: _Reading, at: int, lay: Table) -> Row:
    """A call and everything that follows from it; `lay` is the table as it lay before the roll."""
    history = reading.history
    call = history.event(at)
    assert isinstance(call, Call), call
    end = history.ends(at)
    first, told = reading.at, reading.on(end)
    events = [history.event(index) for index in range(first, end)]
    return {
        "call": _CALLS[type(call)],
        "text": told[at - first]["text"],
        **who(history.told[at]),
        "dice": None if call.dice is None else list(call.dice),
        "stands": call.dice is not None and not isinstance(call, e.NoRollCalled),
        "reason": None if isinstance(call, e.RollCalled) else call.reason,
        "was": list(call.was) if isinstance(call, e.RollOverruled) and call.was else None,
        "section": None if isinstance(call, e.RollCalled) else call.section,
        "fates": _fates(events, lay, history, first, reading.money),
        "also": [fact for fact in told if fact["event"] not in ("WagerSettled", "WagerMoved", call.name)],
    }


def _fates(events: list[e.Happened], lay: Table, history: History, first: int, money: Money) -> list[Row]:
    """What became of every wager that lay before the roll, in order of placing."""
    settled = {
        v.wager: (v, history.told[first + i]) for i, v in enumerate(events) if isinstance(v, e.WagerSettled)
    }
    moved = {v.wager: v.to for v in events if isinstance(v, e.WagerMoved)}
    back_up = {v.after: v.wager for v in events if isinstance(v, e.WagerPlaced) and v.after}
    fates = []
    for wager in lay.in_order():
        fate = {
            "wager": wager.wager,
            "player": wager.player,
            "kind": wager.kind,
            "number": wager.number,
            "combo": wager.combo,
            "high": wager.high,
            "base": wager.base,
            "stake": wager.amount,
            "for_dealers": wager.for_dealers,
        }
        if wager.wager in settled:
            fate |= _decided(*settled[wager.wager], money) | {"back_up": back_up.get(wager.wager)}
        elif wager.wager in moved:
            to = moved[wager.wager]
            fate |= {
                "fate": "moved",
                "to": to,
                "text": f"{_spoken(wager, lay)}, {money(wager.amount)}, to the {to}",
            }
        else:
            fate |= {"fate": "undecided", "working": lay.working(wager), "text": _stays_up(wager, lay, money)}
        fates.append(fate)
    return fates


def _decided(event: e.WagerSettled, told: Told, money: Money) -> Row:
    reckoned = (
        "odds owed paid breakage commission commission_earned net credit section "
        "owed_in_full aggregate_limit aggregate_owed limit_section"
    ).split()
    return {
        "fate": event.outcome,
        "number": event.number,
        **{name: getattr(event, name) for name in reckoned},
        "version": told.version,
        "position": told.position,
        "text": sum_of(event, money),
    }


def _stays_up(wager: Wager, table: Table, money: Money) -> str:
    off = "" if table.working(wager) else ", off"
    return f"{_spoken(wager, table)}, {money(wager.amount)}{off}, stays up"


# ------------------------------------------------------------------------------------- around the roll


def _timing(history: History, said: list[Row], call: Row) -> Row:
    """How long before the dice the last bet was made, and how long they were out."""
    bet = _last(said, "WagerPlaced", "WagerPressed")
    out = _last(said, "DiceWentOut")
    late = [fact for fact in said if fact["event"] == "CommandRefused" and fact["reason"] == "DICE_OUT"]
    return {
        "last_bet_at": bet and bet["at"],
        "last_bet_by": bet and bet["player"],
        "dice_out_at": out and out["at"],
        "called_at": call["at"],
        "bet_to_dice_out": _seconds(bet, out or call),
        "dice_out_to_call": _seconds(out, call),
        "refused_while_out": len(late),
    }


def _last(said: Iterable[Row], *names: str) -> Row | None:
    return next((fact for fact in reversed(list(said)) if fact["event"] in names), None)


def _seconds(since: Row | None, until: Row | None) -> int | float | None:
    """Seconds between two facts."""
    if since is None or until is None:
        return None
    return in_seconds(datetime.fromisoformat(until["at"]) - datetime.fromisoformat(since["at"]))


def _later(history: History, number: int) -> list[Row]:
    """What was said of the roll after its call and changed no call: mispays, refused overrules, disputes."""
    money = money_in(history.house.currency)
    later = []
    for at in history.afterwards:
        event, told = history.event(at), history.told[at]
        if _speaks_of(number, event, told):
            name = getattr(event, "wager", None)
            later.append(_said_later(event, told, tell(event, f"wager {name}", money)))
    for dispute, said in history.disputes.items():
        events = [read_back(told.name, told.data) for told in said]
        if isinstance(events[0], e.DisputeOpened) and events[0].roll == number:
            later += [
                _said_later(event, told, f"{dispute}: {tell(event, '', money)}") | {"dispute": dispute}
                for event, told in zip(events, said, strict=True)
            ]
    return later


def _said_later(event: e.Happened, told: Told, text: str) -> Row:
    return {"event": told.name, "text": text, **who(told), **_about(event, told)}


def _speaks_of(number: int, event: e.Happened, told: Told) -> bool:
    if isinstance(event, e.MispayFound):
        return event.roll == number
    asked: Any = orjson.loads(told.said or "{}")
    return bool(asked.get("roll") == number)
