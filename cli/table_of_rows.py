"""Lays rows out as a table for people: aligned, with totals, coloured where the terminal can."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple

import click
from rich.cells import cell_len

from cli.plain_words import printable
from domain.money import dollars

GAP = "  "
PAGE = 1000  # rows whose widths are measured together; a longer table may widen as it goes


def text(value: object) -> str:
    """A value as it is, safe on any terminal; nothing where there is none."""
    return "" if value is None else printable(str(value))


def amount(value: int | str | Fraction | None) -> str:
    """Cents, or a fraction of them, in dollars; the exact figure stands in `--json`.

    >>> amount(-123456), amount("200/3"), amount(None)
    ('-1,234.56', '0.67', '')
    """
    return "" if value is None else dollars(round(Fraction(value)))


WHOLE_ROW = "*"


class Column(NamedTuple):
    """One column: the field it shows, and how; `WHOLE_ROW` where it takes more than one field to say."""

    field: str
    title: str
    show: Callable[[Any], str] = text
    right: bool = False
    total: bool = False


def money(field: str, title: str, *, total: bool = True) -> Column:
    """A column of money, with its total below unless a sum of it means nothing."""
    return Column(field, title, amount, right=True, total=total)


def count(field: str, title: str, *, total: bool = False) -> Column:
    """A column of plain numbers."""
    return Column(field, title, right=True, total=total)


def derived(title: str, show: Callable[[Mapping[str, Any]], str], *, right: bool = False) -> Column:
    """A column that says in its own words what several fields of a row say together."""
    return Column(WHOLE_ROW, title, show, right)


def print_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column], currency: str) -> None:
    """Print `rows` under their titles, with totals below, and in what currency they are."""
    for line in laid_out(rows, columns, currency):
        click.echo(line)


def laid_out(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column], currency: str) -> Iterator[str]:
    """The lines of the table; `rows` are read a page at a time. One line where there are no rows."""
    widths = [cell_len(column.title) for column in columns]
    sums: dict[str, Fraction | None] = {column.field: Fraction() for column in columns if column.total}
    first = True
    for page in _pages(rows):
        for field, so_far in sums.items():
            sums[field] = _sum(so_far, [row[field] for row in page])
        widths = _widened(widths, columns, [*page, sums])
        if first:
            yield _line([column.title for column in columns], widths, columns, bold=True)
        first = False
        yield from (_row(row, widths, columns) for row in page)
    if first:
        yield "Nothing to show."
        return
    if sums:
        yield click.style("-" * (sum(widths) + len(GAP) * (len(widths) - 1)), dim=True)
        yield _row(sums, widths, columns)
    if any(column.show is amount for column in columns):
        yield click.style(f"Amounts in {currency}.", dim=True)


def _sum(so_far: Fraction | None, values: Sequence[Any]) -> Fraction | None:
    """The sum; what is not known of one row is not known of all of them, and is never nothing."""
    if so_far is None or None in values:
        return None
    return so_far + sum(map(Fraction, values))


def _pages(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    remaining = iter(rows)
    while page := list(islice(remaining, PAGE)):
        yield page


def _widened(widths: list[int], columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> list[int]:
    for row in rows:
        widths = [max(w, cell_len(_shown(row, c))) for w, c in zip(widths, columns, strict=True)]
    return widths


def _shown(row: Mapping[str, Any], column: Column) -> str:
    if column.field in row:
        return column.show(row[column.field])
    return printable(column.show(row)) if column.field == WHOLE_ROW and not _is_total(row) else ""


def _is_total(row: Mapping[str, Any]) -> bool:
    return all(value is None or isinstance(value, Fraction) for value in row.values())


def _row(row: Mapping[str, Any], widths: Sequence[int], columns: Sequence[Column]) -> str:
    return _line([_shown(row, column) for column in columns], widths, columns)


def _line(
    cells: Sequence[str], widths: Sequence[int], columns: Sequence[Column], *, bold: bool = False
) -> str:
    last = max((at for at, cell in enumerate(cells) if cell), default=-1)
    shown = []
    for at, (cell, width, column) in enumerate(zip(cells, widths, columns, strict=True)):
        if at <= last:
            padded = _padded(cell, width, right=column.right, last=at == last)
            shown.append(_styled(padded, column, bold=bold))
    return GAP.join(shown)


def _padded(cell: str, width: int, *, right: bool, last: bool) -> str:
    space = " " * (width - cell_len(cell))
    if right:
        return space + cell
    return cell if last else cell + space


def _styled(cell: str, column: Column, *, bold: bool) -> str:
    if bold:
        return click.style(cell, bold=True)
    return click.style(cell, fg="red") if column.show is amount and "-" in cell else cell
