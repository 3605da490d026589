"""A sheet of the pack: named columns of one kind each, and rows that are told the same way by every format.

Money is whole cents here; CSV says it as decimal text with two places, workbooks and Parquet as exact
decimals of the same places. What is not known is an empty cell.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal, NamedTuple

Kind = Literal["text", "money", "whole", "percent"]
"""`percent` is hundredths of a percent, said with two places as money is."""

_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")  # how a cell begins that a spreadsheet runs
Row = dict[str, Any]


class Field(NamedTuple):
    """One column."""

    name: str
    kind: Kind = "text"


class Sheet(NamedTuple):
    """A table of the pack. Columns are only ever added at the end: their order is a contract."""

    name: str
    fields: tuple[Field, ...]
    rows: list[Row]
    restricted: bool = False
    part: str = ""  # the column that is filled in rows which are part of another, and not totalled


def fields(**of: str) -> tuple[Field, ...]:
    """Columns by kind, in the order written: `text="a b", money="c"` for a, b and c.

    >>> [field.name for field in fields(text="table shift", money="drop")]
    ['table', 'shift', 'drop']
    """
    kinds: dict[str, Kind] = {"text": "text", "money": "money", "whole": "whole", "percent": "percent"}
    return tuple(
        Field(name, kinds[kind.rstrip("_0123456789")]) for kind, names in of.items() for name in names.split()
    )


def decimal(hundredths: int) -> str:
    """Whole hundredths as a decimal of two places, without separators.

    >>> decimal(-5), decimal(1234567)
    ('-0.05', '12345.67')
    """
    sign = "-" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"


def cell(value: Any, kind: Kind) -> str | None:
    """A value as every format says it; None where it is not known. Text never begins like a formula.

    >>> cell(-500, "money"), cell("=1+1", "text"), cell(None, "money"), cell(["a"], "text")
    ('-5.00', "'=1+1", None, '["a"]')
    """
    if value is None:
        return None
    if kind in ("money", "percent"):
        return decimal(value)
    if kind == "whole":
        return str(value)
    said = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"))
    return f"'{said}" if _FORMULA.match(said) else said


def cells(fields: Iterable[Field], rows: Iterable[Row]) -> Iterator[list[str | None]]:
    """Rows as cells, in the order of the columns."""
    kinds = [(field.name, field.kind) for field in fields]
    for row in rows:
        yield [cell(row[name], kind) for name, kind in kinds]


def write_csv(file: IO[str], names: Iterable[str], rows: Iterable[Iterable[str | None]]) -> int:
    """RFC 4180 but for its line ends, which are LF; answers how many rows there were."""
    paper = csv.writer(file, lineterminator="\n")
    paper.writerow(names)
    count = 0
    for row in rows:
        paper.writerow(["" if said is None else said for said in row])
        count += 1
    return count


def totals(sheet: Sheet) -> dict[str, str]:
    """What each column of money adds up to: the control totals. What is unknown of a row adds nothing."""
    whole = [row for row in sheet.rows if row.get(sheet.part) is None]
    return {
        field.name: decimal(sum(row[field.name] or 0 for row in whole))
        for field in sheet.fields
        if field.kind == "money"
    }
