"""Prints rows: a table for people, JSON, JSON Lines or CSV for programs, with one set of options for all."""

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import click
import orjson

from cli.table_of_rows import Column, print_table

Row = Mapping[str, Any]
_Command = TypeVar("_Command", bound=Callable[..., Any])

_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")  # how a cell begins that a spreadsheet runs
_NUMBER = re.compile(r"[+-]?\d+(/\d+)?")


class Output(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


def listing_options(command: _Command) -> _Command:
    """Gives a listing `--json`, `--jsonl` and `--csv`, passed as `output`; the last one given counts."""
    for output, meaning in (
        (Output.CSV, "CSV with a header line; money in cents."),
        (Output.JSONL, "One JSON object a line, as they are read."),
        (Output.JSON, "One JSON document; money in cents."),
    ):
        command = click.option(f"--{output}", "output", flag_value=output, type=Output, help=meaning)(command)
    return command


def document_option(command: _Command) -> _Command:
    """Gives a command that answers with one object `--json`, passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document; money in cents.")(command)


def print_rows(
    rows: Iterable[Row],
    columns: Sequence[Column],
    names: Sequence[str],
    output: Output | None,
    currency: str,
) -> None:
    """Print `rows`, whose fields are `names`: for people only `columns` of them, for programs all."""
    match output:
        case Output.JSON:
            _print_json(rows)
        case Output.JSONL:
            for row in rows:
                click.echo(_as_json(row))
        case Output.CSV:
            _print_csv(rows, names)
        case _:
            print_table(rows, columns, currency)


def print_document(document: object) -> None:
    """Print one JSON document, readable as it is."""
    click.echo(_as_json(document, orjson.OPT_INDENT_2))


def _as_json(value: object, option: int = 0) -> bytes:
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:  # a sum of more than 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _print_json(rows: Iterable[Row]) -> None:
    """A JSON list, written while it is read: a row a line."""
    before = b"["
    for row in rows:
        click.echo(before + b"\n" + _as_json(row), nl=False)
        before = b","
    click.echo(b"[]" if before == b"[" else b"\n]")


def _print_csv(rows: Iterable[Row], names: Sequence[str]) -> None:
    paper = csv.writer(sys.stdout, lineterminator="\n")
    paper.writerow(names)
    for row in rows:
        paper.writerow([_cell(row[name]) for name in names])


def _cell(value: object) -> str:
    """A value as a CSV cell, never one that a spreadsheet would run as a formula.

    >>> _cell("=1+1"), _cell(-500), _cell("200/3"), _cell(None), _cell({"CR01": 5})
    ("'=1+1", '-500', '200/3', '', '{"CR01":5}')
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return _as_json(value).decode()
    if _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
