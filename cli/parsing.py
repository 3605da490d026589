"""Reads one line of a table log as a command, or says why it cannot be read as one."""

from typing import Any

import orjson
from pydantic import ValidationError

from cli import plain_words
from cli.log_lines import LONGEST_LINE, Line
from domain.commands import COMMAND
from ledger.casino import Submitted


class Malformed(Exception):
    """A line that is no command of the table log; the message says why and what to do."""


def submitted(line: Line) -> Submitted:
    """The command on `line` with its canonical text, the same for every way of writing it.

    Raises `Malformed`. What is validated is the canonical text, so nothing else is ever stored.
    """
    document = _document(line)
    text = _canonical(document)
    if len(text) != len(line.text):  # spaces, escapes, or a field that was dropped
        _refuse_fields_said_twice(line.text)
    try:
        command = COMMAND.validate_json(text)
    except ValidationError as error:
        raise Malformed(plain_words.misfit(_as_written(line.text) or error, document)) from None
    return Submitted(command, text)


def _document(line: Line) -> Any:
    if line.overlong:
        raise Malformed(f"longer than {LONGEST_LINE:,} bytes, which no command is: is this a table log?")
    try:
        return orjson.loads(line.text)
    except orjson.JSONDecodeError as error:
        said = plain_words.not_json(line.text, error.msg, error.pos, ended=line.ended)
        raise Malformed(said) from None


def _canonical(document: Any) -> bytes:
    try:
        return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        raise Malformed("nested too deeply to be a command") from None


def _refuse_fields_said_twice(text: bytes) -> None:
    if field := plain_words.said_twice(text):
        raise Malformed(f"{plain_words.quoted(field)} is there twice: write each field once")


def _as_written(text: bytes) -> ValidationError | None:
    """The faults of a line before it was made canonical: numbers are quoted as they were written."""
    try:
        COMMAND.validate_json(text)
    except ValidationError as error:
        return error
    return None
