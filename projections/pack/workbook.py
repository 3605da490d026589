"""The pack as one workbook: a sheet for each CSV, the same cells, money as numbers with two places.

No formula computes anything, and nothing in the file depends on when or where it was written.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from xlsxwriter import Workbook

from projections.pack.sheet import Field, Sheet, cells

NAME = "pack.xlsx"
_LONGEST_NAME = 31  # of a sheet
_WIDEST = 44
_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)  # a date that says nothing


def write(path: Path, sheets: Iterable[Sheet]) -> None:
    """Write `sheets` as a workbook."""
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with Workbook(str(path), options) as book:
        book.set_properties({"created": _MADE, "title": "pitledger nightly pack"})
        formats = {
            "head": book.add_format({"bold": True}),
            "money": book.add_format({"num_format": "#,##0.00"}),
            "percent": book.add_format({"num_format": "0.00"}),
        }
        for sheet in sheets:
            _write_sheet(book, sheet, formats)


def _write_sheet(book: Workbook, sheet: Sheet, formats: dict[str, Any]) -> None:
    page = book.add_worksheet(sheet.name[:_LONGEST_NAME])
    page.freeze_panes(1, 0)
    for column, field in enumerate(sheet.fields):
        page.set_column(column, column, min(max(len(field.name) + 2, 12), _WIDEST))
        page.write_string(0, column, field.name, formats["head"])
    for row, said in enumerate(cells(sheet.fields, sheet.rows), 1):
        for column, (field, text) in enumerate(zip(sheet.fields, said, strict=True)):
            if text is not None:
                _write_cell(page, row, column, field, text, formats)


def _write_cell(page: Any, row: int, column: int, field: Field, text: str, formats: dict[str, Any]) -> None:
    if field.kind == "text":
        page.write_string(row, column, text)
    else:
        page.write_number(row, column, Decimal(text), formats.get(field.kind))
