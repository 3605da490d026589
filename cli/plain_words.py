"""Says in plain words what is wrong with a line of a table log, and what to do about it."""

import json
import re
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from domain.money import LARGEST_AMOUNT

SHOWN_FAULTS = 3  # of one line; more would bury the first
SHOWN_CHARACTERS = 40  # of a value that is quoted back

_SCHEMA = "`pitledger log-schema` shows what a command holds"
_NOT_A_COMMAND = 'JSON, but no command: a command is an object, {"id": ..., "at": ..., "by": ..., "do": ...}'
_MONEY = set(
    "amount to min max chip payout_unit odds_max aggregate_limit "
    "opener closer cash markers slips paid".split()
)
_OBJECTS = {"by": ' {"badge": "F-204", "role": "floor"}', "vig": ' {"rate": "1/20", "on_win": [4, 10]}'}
_UNION_BRANCH = re.compile(r"constrained-(int|str)|dict\[.*\]|Actor")
_NO_NUMBER = re.compile(r"-?(NaN|Infinity)")


def quoted(value: object) -> str:
    """A value as JSON in plain ASCII, cut short: safe on any terminal.

    >>> quoted("Bea")
    '"Bea"'
    """
    if isinstance(value, str):
        value = value[: SHOWN_CHARACTERS + 1]
    shown = json.dumps(value, default=str)
    return shown if len(shown) <= SHOWN_CHARACTERS + 2 else shown[:SHOWN_CHARACTERS] + "..."


def printable(text: str) -> str:
    """`text` with every character spelled out that a terminal would obey or hide.

    >>> printable("Bea\x9b2J")
    'Bea\\\\x9b2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


# ------------------------------------------------------------------------------------ lines that are not JSON


def not_json(text: bytes, fault: str, place: int, *, ended: bool) -> str:
    """Why `text` is not JSON; `fault` at byte `place` is what the JSON reader found."""
    if b"\x00" in text:
        return "holds NUL characters: a table log is plain text, one JSON object a line"
    if not _is_utf8(text):
        return "not UTF-8 text: write the log again in UTF-8"
    if "unexpected end of data" in fault:
        return _cut_off(ended=ended)
    if found := _NO_NUMBER.match(text.decode(), max(place - 1, 0)) or _NO_NUMBER.match(text.decode(), place):
        return f"{found[0]} is no number in JSON: money is a whole number of cents"
    if "surrogate" in fault:
        return f"not JSON at column {place + 1}: half of a character (a lone surrogate)"
    return f"not JSON at column {place + 1}: {fault}; a table log is one JSON object a line"


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _cut_off(*, ended: bool) -> str:
    where = "the line ends" if ended else "the log ends"
    return f"cut off: {where} in the middle of a command; ingest it again when it is whole"


def said_twice(text: bytes) -> str | None:
    """A field that some object in `text` names twice: readers of JSON disagree on which one counts.

    >>> said_twice(b'{"amount": 500, "amount": 5}')
    'amount'
    """
    twice: list[str] = []

    def watch(pairs: list[tuple[str, object]]) -> dict[str, object]:
        seen: dict[str, object] = {}
        for name, value in pairs:
            if name in seen:
                twice.append(name)
            seen[name] = value
        return seen

    json.loads(text, object_pairs_hook=watch, parse_int=str)  # str: as long as it likes
    return twice[0] if twice else None


# ------------------------------------------------------------------------------------ JSON that is no command


def misfit(error: ValidationError, document: object) -> str:
    """Why the JSON `document` is no command: its first faults, each with the field it is about."""
    meant = [fault for fault in error.errors(include_url=False) if _is_meant(fault, document)]
    faults = list(dict.fromkeys(map(_in_words, meant)))
    more = len(faults) - SHOWN_FAULTS
    return "; ".join(faults[:SHOWN_FAULTS]) + (f"; and {more} more" if more > 0 else "")


def _is_meant(fault: Any, document: Any) -> bool:
    """Where a field may be written in two ways, an object or a plain value: is this about the way taken?"""
    value = document
    for step in fault["loc"][1:]:
        if _UNION_BRANCH.fullmatch(str(step)):
            return isinstance(value, dict) != str(step).startswith("constrained")
        if not isinstance(value, dict):
            break
        value = value.get(step)
    return True


def _in_words(fault: Any) -> str:
    say = _WORDS.get(fault["type"], lambda fault: f"{_field(fault)}: {fault['msg']}")
    return say(fault)


def _field(fault: Any) -> str:
    """The field as a path: `by.role`, `opener.2500`."""
    steps = [step for step in fault["loc"][1:] if isinstance(step, str)]
    return ".".join(step for step in steps if step != "[key]" and not _UNION_BRANCH.fullmatch(step))


def _missing(fault: Any) -> str:
    return _dice(fault) if isinstance(fault["loc"][-1], int) else f'"{_field(fault)}" is missing'


def _unknown_field(fault: Any) -> str:
    return f"{quoted(_field(fault))} is no field of {fault['loc'][0]}; {_SCHEMA}"


def _dice(fault: Any) -> str:
    return f"{_field(fault)} must be two faces, [left, right]"


def _list(fault: Any) -> str:
    if _field(fault) in {"dice", "combo"}:
        return _dice(fault)
    return f"{_field(fault)} must be a list, not {quoted(fault['input'])}"


def _whole_number(fault: Any) -> str:
    kind = "a whole number of cents" if _field(fault).split(".")[0] in _MONEY else "a whole number"
    return f"{_field(fault)} must be {kind}, not {quoted(fault['input'])}"


def _too_large(fault: Any) -> str:
    limit = fault["ctx"]["le"]
    if limit == LARGEST_AMOUNT:
        return f"{_field(fault)} {fault['input']} is larger than a table log can hold (2^53 - 1 cents)"
    return f"{_field(fault)} must be at most {limit}, not {fault['input']}"


def _too_small(fault: Any) -> str:
    limit = fault["ctx"]["ge"]
    if limit == -LARGEST_AMOUNT:
        return f"{_field(fault)} {fault['input']} is smaller than a table log can hold (-2^53 + 1 cents)"
    return f"{_field(fault)} must be at least {limit}, not {fault['input']}"


def _object(fault: Any) -> str:
    field = _field(fault)
    if not field:
        return _NOT_A_COMMAND
    return f"{field} must be an object{_OBJECTS.get(field, '')}, not {quoted(fault['input'])}"


def _characters(fault: Any) -> str:
    pattern = fault["ctx"]["pattern"]
    if "A-Za-z0-9" in pattern:
        rule = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : -"
    elif pattern.startswith("^[1-9]"):
        rule = 'must be by denominations in cents, like {"2500": 1500000}'
    elif pattern.startswith("^[a-z]"):
        rule = 'must be a kind of wager, like "pass" or "place"'
    else:
        longest = pattern.rpartition(",")[2].rstrip("}$")
        rule = f"must be 1 to {longest} characters, none of them a control character"
    return f"{_field(fault)} {rule}, not {quoted(fault['input'])}"


def _choice(fault: Any) -> str:
    choices = fault["ctx"]["expected"].replace("'", '"').replace("True", "true")
    return f"{_field(fault)} must be {choices}, not {quoted(fault['input'])}"


def _own_words(fault: Any) -> str:
    said = str(fault["ctx"]["error"])
    field = _field(fault)
    return f"{field} {said}, not {quoted(fault['input'])}" if field else said


def _must_be(what: str) -> Callable[[Any], str]:
    return lambda fault: f"{_field(fault)} must be {what}, not {quoted(fault['input'])}"


def _time(fault: Any) -> str:
    return f'{_field(fault)} {quoted(fault["input"])} is no time; write it like "2026-11-28T20:00:03-06:00"'


_date = _must_be('a date, like "2026-11-28"')

_WORDS: dict[str, Callable[[Any], str]] = {
    "union_tag_not_found": lambda _: f'"do" is missing; {_SCHEMA}',
    "union_tag_invalid": lambda fault: f"do {quoted(fault['ctx']['tag'])} is no command; {_SCHEMA}",
    "missing": _missing,
    "extra_forbidden": _unknown_field,
    "int_type": _whole_number,
    "int_from_float": _whole_number,
    "less_than_equal": _too_large,
    "greater_than_equal": _too_small,
    "greater_than": lambda fault: (
        f"{_field(fault)} must be more than {fault['ctx']['gt']}, not {fault['input']}"
    ),
    "string_type": _must_be("text in quotes"),
    "string_pattern_mismatch": _characters,
    "literal_error": _choice,
    "enum": _choice,
    "bool_type": _must_be("true or false"),
    "tuple_type": _list,
    "too_long": _list,
    "dict_type": _object,
    "model_type": _object,
    "model_attributes_type": _object,
    "date_type": _date,
    "date_parsing": _date,
    "date_from_datetime_parsing": _date,
    "date_from_datetime_inexact": _date,
    "datetime_type": _time,
    "datetime_parsing": _time,
    "datetime_from_date_parsing": _time,
    "value_error": _own_words,
}
