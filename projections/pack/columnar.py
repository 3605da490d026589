"""The pack as Parquet: a file for each CSV, the same cells, money as exact decimals of two places."""

from decimal import Decimal
from pathlib import Path
from typing import Any

from ledger.errors import LedgerError
from projections.pack.sheet import Kind, Sheet, cells


def write(path: Path, sheet: Sheet) -> None:
    """Write one sheet. Raises LedgerError where the program for it is not installed."""
    try:
        import pyarrow as pa  # noqa: PLC0415  # large, and not installed unless it is asked for
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError:
        raise LedgerError("Parquet needs pyarrow: pip install 'pitledger[parquet]'") from None
    types: dict[Kind, Any] = {
        "text": pa.string(),
        "money": pa.decimal128(18, 2),
        "percent": pa.decimal128(18, 2),
        "whole": pa.int64(),
    }
    columns: list[list[Any]] = [[] for _ in sheet.fields]
    for said in cells(sheet.fields, sheet.rows):
        for column, field, text in zip(columns, sheet.fields, said, strict=True):
            column.append(_value(text, field.kind))
    schema = pa.schema([(field.name, types[field.kind]) for field in sheet.fields])
    arrays = [pa.array(column, type=kind) for column, kind in zip(columns, schema.types, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path, compression="zstd")


def _value(text: str | None, kind: Kind) -> Any:
    if text is None or kind == "text":
        return text
    return int(text) if kind == "whole" else Decimal(text)
