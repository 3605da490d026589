"""Reads a rule pack and finds what is wrong with it, with the line: nothing wrong is ever played by.

Two passes. The first asks whether the text says what a pack must say (keys, prices, citations); the second,
once it does, whether what it says makes sense: every total decided once, every number priced, every name
known.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from domain.rules.lines import Path, line_of, lines_of
from domain.rules.pack import AnyEntry, Gather, Line, Number, Odds, OneRoll, Pack, faces
from domain.table import SEVEN

TOTALS = frozenset(range(2, 13))
LINES = frozenset({"pass", "dont_pass", "put_pass", "come", "dont_come", "put_come"})
PUTS = frozenset({"put_pass", "put_come"})

_Found = Iterator[tuple[Path, str]]


class Fault(NamedTuple):
    """What is wrong with a pack, and the line to look at."""

    line: int
    message: str


class WrongPack(ValueError):
    """A pack that cannot be played by; says `NAME:LINE: message` of every fault."""

    def __init__(self, name: str, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        super().__init__("\n".join(f"{name}:{fault.line}: {fault.message}" for fault in self.faults))


def read(text: str, name: str) -> Pack:
    """The pack that a TOML text called `name` holds. Raises WrongPack with every fault found."""
    pack, faults = _read(text)
    if pack is None or faults:
        raise WrongPack(name, faults)
    return pack


def check(text: str) -> list[Fault]:
    """Every fault of a pack's text, in the order of its lines; none where it can be played by."""
    return _read(text)[1]


def _read(text: str) -> tuple[Pack | None, list[Fault]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, [_no_toml(str(error), text)]
    pack: Pack | None = None
    try:
        pack = Pack.model_validate_json(json.dumps(data, default=str))
        found = list(_senseless(pack))
    except ValidationError as error:
        found = [_misread(fault, data) for fault in error.errors()]
    lines = lines_of(text) if found else {}
    return pack, sorted({Fault(line_of(path, lines), message) for path, message in found})


def _no_toml(message: str, text: str) -> Fault:
    at = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    line = int(at[1]) if at and at[1] else max(len(text.splitlines()), 1)
    return Fault(line, f"not TOML: {message[: at.start()] if at else message}")


# ------------------------------------------------------------------------------------------ what it must say


def _misread(fault: Any, data: dict[str, Any]) -> tuple[Path, str]:
    path = tuple(str(part) for part in fault["loc"] if part != "[key]")
    if fault["type"] == "union_tag_invalid":
        return (*path, "mechanism"), f"{_subject(path, data)}: no mechanism {fault['ctx']['tag']}"
    return path, f"{_subject(path, data)}{_complaint(fault)}"


def _complaint(fault: Any) -> str:
    match fault["type"]:
        case "missing":
            return " is missing"
        case "extra_forbidden":
            return " is no key of a pack"
        case "union_tag_not_found":
            return ": mechanism is missing"
        case "date_type" | "date_from_datetime_parsing" | "date_parsing":
            return " needs a day, like 2026-11-30"
        case "value_error":
            return f" {fault['ctx']['error']}"
        case _:
            return f": {fault['msg'][0].lower()}{fault['msg'][1:]}"


def _subject(path: Path, data: dict[str, Any]) -> str:
    """What a fault is about, in words: the wager by its kind, then the key.

    >>> _subject(("wager", "0", "number", "pays", "6"), {"wager": [{"kind": "place"}]})
    'place: pays 6'
    """
    if len(path) < 2 or path[0] not in ("wager", "reading") or not path[1].isdecimal():
        return " ".join(path)
    entry = data[path[0]][int(path[1])]
    name = entry.get("kind" if path[0] == "wager" else "id") if isinstance(entry, dict) else None
    rest = path[2:]
    if path[0] == "wager" and rest:
        rest = rest[1:]  # the mechanism that the model was chosen by
    return ": ".join(filter(None, [str(name or f"{path[0]} {int(path[1]) + 1}"), " ".join(rest)]))


# ------------------------------------------------------------------------------------------ what makes sense


def _senseless(pack: Pack) -> _Found:
    yield from _dates(pack)
    yield from _families(pack)
    yield from _twice(pack)
    for place, entry in enumerate(pack.wager):
        for path, message in _entry(entry, pack):
            yield ("wager", str(place), *path), f"{entry.kind}: {message}"


def _dates(pack: Pack) -> _Found:
    start, end = pack.in_force_from, pack.in_force_until
    if start is not None and end is not None and end <= start:
        yield ("in_force_until",), f"in force from {start} and no longer from {end}: never in force"


def _families(pack: Pack) -> _Found:
    for place, family in enumerate(pack.off_on_come_out):
        if family not in pack.families:
            yield ("off_on_come_out", str(place)), f"off_on_come_out: {family} is no family of wagers here"
        elif family in LINES:
            yield ("off_on_come_out", str(place)), f"off_on_come_out: {family} is decided on a come-out roll"
    for place, point in enumerate(pack.points):
        if point == SEVEN or pack.points.index(point) != place:
            slip = "can be no point" if point == SEVEN else "is named twice"
            yield ("points", str(place)), f"points: {point} {slip}"


def _twice(pack: Pack) -> _Found:
    kinds: Counter[str] = Counter()
    bases: Counter[str] = Counter()
    for place, entry in enumerate(pack.wager):
        if not isinstance(entry, Odds):
            kinds[entry.kind] += 1
            if kinds[entry.kind] > 1:
                yield ("wager", str(place), "kind"), f"{entry.kind} is listed twice"
            continue
        for base in entry.bases:
            bases[base] += 1
            if bases[base] > 1:
                yield ("wager", str(place), "bases"), f"odds on {base} are listed twice"
    ids = Counter[str]()
    for place, reading in enumerate(pack.reading):
        ids[reading.id] += 1
        if ids[reading.id] > 1:
            yield ("reading", str(place), "id"), f"{reading.id}: there are two readings of that id"


def _entry(entry: AnyEntry, pack: Pack) -> _Found:
    if (entry.kind in LINES) != isinstance(entry, Line) or (entry.kind == "odds") != isinstance(entry, Odds):
        yield ("mechanism",), f"{entry.mechanism} is no mechanism for {entry.kind}"
    match entry:
        case Line():
            yield from _line(entry, pack)
        case Number():
            yield from _number(entry)
        case OneRoll():
            yield from _one_roll(entry)
        case Gather():
            if SEVEN in entry.numbers:
                yield ("numbers",), "7 is among its numbers and kills it"
        case Odds():
            yield from _odds(entry, pack)


def _line(entry: Line, pack: Pack) -> _Found:
    """A put bet has its point; any other decides, or makes a point of, each total exactly once."""
    sets = {"wins": entry.wins, "loses": entry.loses, "pushes": entry.pushes}
    for number in entry.numbers:
        if number not in pack.points:
            yield ("numbers",), f"{number} is no point"
    if entry.kind in PUTS:
        yield from ((((name,), "a put bet has its point already") for name, totals in sets.items() if totals))
        if entry.kind == "put_come" and not entry.numbers:
            yield ("numbers",), "numbers is missing"
        return
    for total in sorted(TOTALS):
        how = [name for name, totals in sets.items() if total in totals]
        if total in pack.points:
            how.append("points")
        if len(how) > 1:
            yield (how[0],), f"{total} is decided twice: it is in {' and in '.join(how)}"
        elif not how:
            yield (), f"{total} is not decided: it neither wins, loses nor pushes, and is no point"


def _number(entry: Number) -> _Found:
    if SEVEN in entry.numbers:
        yield ("numbers",), "7 decides the others and cannot be a number itself"
    yield from _priced(entry.numbers, entry.pays)
    for own in entry.section_of:
        if own not in map(str, entry.numbers):
            yield ("section_of", own), f"section_of names {own}, which is not among its numbers"
    if entry.over_max:
        for number in set(entry.over_max.numbers) - set(entry.numbers):
            yield ("over_max", "numbers"), f"over_max names {number}, which is not among its numbers"
    for number in entry.numbers:
        if entry.hard and number % 2:
            yield ("numbers",), f"{number} cannot be thrown the hard way"
    if entry.printed_either_way:
        yield from _more_than_even("pays", entry.pays)


def _one_roll(entry: OneRoll) -> _Found:
    for place, leg in enumerate(entry.legs):
        path = ("legs", str(place))
        if not leg.pays and not leg.faces:
            yield path, f"leg {place + 1} has no odds"
        for pair in leg.faces:
            if pair != faces(map(int, pair.split("-"))):
                yield (*path, "faces", pair), f"{pair} is written the lower face first"
        if entry.printed_either_way:
            yield from (((*path, *key), message) for key, message in _more_than_even("pays", leg.pays))
    if entry.choose:
        yield from _choice(entry)
    if len(set(entry.highs)) != len(entry.highs):
        yield ("legs",), "two legs are paid on one total, so no high number can be named"


def _choice(entry: OneRoll) -> _Found:
    if len(entry.legs) > 1 or entry.legs[0].pays:
        yield ("legs",), "a choice of faces has one leg, priced by faces"
        return
    for pair in entry.section_of:
        if pair not in entry.legs[0].faces:
            yield ("section_of", pair), f"{pair} is authorised but has no odds"
    for pair in entry.legs[0].faces:
        if entry.section_of and pair not in entry.section_of:
            yield ("legs", "0", "faces", pair), f"{pair} has odds but no paragraph authorises it"


def _odds(entry: Odds, pack: Pack) -> _Found:
    yield from _priced(pack.points, entry.pays)
    for place, base in enumerate(entry.bases):
        path = ("bases", str(place))
        supported = pack.by_kind.get(base)
        if supported is None:
            yield path, f"they support {base}, which is not listed"
        elif not isinstance(supported, Line):
            yield path, f"they support {base}, which has no point"
        elif supported.side != entry.side:
            yield path, f"they are on the {entry.side} side, {base} on the {supported.side} side"


def _priced(numbers: Iterable[int], pays: dict[int, Any]) -> _Found:
    listed = set(numbers)
    for number in sorted(listed - pays.keys()):
        yield ("pays",), f"no odds for {number}"
    for number in sorted(pays.keys() - listed):
        yield ("pays", str(number)), f"odds for {number}, which is not among its numbers"


def _more_than_even(key: str, pays: dict[int, Any]) -> _Found:
    for number, price in pays.items():
        if price <= 1:
            yield (key, str(number)), f"{number} would win nothing if its price were read for one"
