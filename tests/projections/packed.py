"""Packs of the gold night and of a day that was closed, written for tests to read back."""

import csv
import gzip
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import orjson
from psycopg import Connection

from ledger.casino import Casino
from projections import day as days
from projections.follow import follow
from projections.pack.write import FORMATS, MANIFEST, Order, Written, write
from tests.domain.house import House
from tests.projections.test_table_days import tell

DAY = date(2026, 11, 28)


def pack(
    conn: Connection[Any],
    url: str,
    out: Path,
    *formats: str,
    day: date = DAY,
    detail: bool = False,
    tax: Sequence[str] = (),
) -> Written:
    """The pack of a gaming day as it stands now."""
    assert set(formats) <= set(FORMATS)
    with Casino.open(url) as casino:
        missing = casino.missing(day)
    follow(conn)
    found = days.status(conn, day, missing)
    order = Order(day, out, formats, found["missing"], found["standing"], detail, tax)
    return write(conn, order, _in_silence)


def _in_silence(done: int, to_do: int) -> None:
    """Progress that nobody watches."""


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of one of a pack's CSV files."""
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def manifest(folder: Path) -> dict[str, Any]:
    """What a pack says of itself."""
    said: dict[str, Any] = orjson.loads((folder / MANIFEST).read_bytes())
    return said


def cents(amount: str) -> int:
    """An amount of money as it stands in a CSV file."""
    return int(amount.replace(".", ""))


def events(folder: Path) -> list[dict[str, Any]]:
    """The events of a pack's archive."""
    with gzip.open(folder / "events.jsonl.gz") as file:
        return [orjson.loads(line) for line in file]


def everything(folder: Path) -> dict[str, bytes]:
    """Every file of a pack, by name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def quiet_day(house: House | None = None) -> House:
    """A table that opens, wins 300.00 of Bea, and closes; its box is counted twice, blind, and agrees."""
    house = house or House()
    box = {"gaming_day": house.day, "box": "17"}
    house.must("day_open", "M-1", gaming_day=house.day)
    house.must("install_box", "S-1", table="CR01", **box)
    house.opened()
    house.must("buy_in", table="CR01", player="Bea", amount=100_000, tender="cash")
    house.must("bet", table="CR01", player="Bea", wager="w1", kind="field", amount=30_000)
    house.must("roll", "B-1", table="CR01", dice=[3, 4])
    house.must("walk", table="CR01", player="Bea")
    house.must("close", "B-1", table="CR01", closer=9_930_000)
    house.must("remove_box", "S-1", **box)
    house.must("secure_box", "S-1", where="count room", **box)
    for number, counter in enumerate(("K-1", "K-2"), 1):
        house.must("count_drop", counter, table="CR01", box="17", cash=100_000, **{"pass": number})
    return house


def closed_day() -> House:
    """The same, its books closed."""
    house = quiet_day()
    house.must("day_close", "A-1", gaming_day=house.day)
    return house


def correction(house: House) -> None:
    """Audit puts the closed day's closer right by ten dollars."""
    put_right = {"before": 9_930_000, "after": 9_929_000, "reason": "a stack was counted twice"}
    approver = {"badge": "V-1", "role": "surveillance"}
    about = {"what": "closer", "gaming_day": house.day, "approved_by": approver}
    house.must("correct", "A-1", table="CR01", **about, **put_right)


__all__ = [
    "DAY",
    "cents",
    "closed_day",
    "correction",
    "events",
    "everything",
    "manifest",
    "pack",
    "quiet_day",
    "table",
    "tell",
]
