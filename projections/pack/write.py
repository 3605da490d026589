"""Writes a gaming day's pack: into a folder of its own name, whole or not at all, and never over another.

`<out>/<property>/<gaming day>/v<version>/`. What was read is one moment of the ledger. Where the figures are
those of the last version, no new one is made; where they are not, the new one says what is different.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import date
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from psycopg import Connection

from ledger.log import hash_of
from ledger.migrations import property_of
from projections import books
from projections.day_events import range_of
from projections.pack import columnar, journal, plain_text, tax, workbook
from projections.pack.archive import Archive
from projections.pack.difference import difference
from projections.pack.gather import Gathered, gather
from projections.pack.journal import Spool, spooled
from projections.pack.manifest import contents, manifest
from projections.pack.sheet import Sheet, cells, write_csv
from projections.pack.sheets import sheets

MANIFEST = "manifest.json"
RESTRICTED = "restricted"
EVENTS = "events.jsonl.gz"
DETAIL = "journal_detail.csv"
FORMATS = ("csv", "xlsx", "parquet", "hledger", "beancount", "ledger")
ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
Progress = Callable[[int, int], None]
"""Told (events read, events to read) now and then."""


class Order(NamedTuple):
    """What is asked for: a gaming day's pack in a folder, in these formats beside CSV.

    `missing` is what keeps the day from its certificate, as texts by kind; `standing` says how near it is.
    `detail` asks for the journal event by event, too; `tax` for the worksheets of these jurisdictions beside
    those that the tables' rule sets ask for.
    """

    day: date
    out: Path
    formats: Sequence[str]
    missing: list[dict[str, str]]
    standing: str
    detail: bool = False
    tax: Sequence[str] = ()


class Written(NamedTuple):
    """What became of an order: where the pack lies, and whether this call made it."""

    folder: Path
    version: int
    new: bool
    added: list[str]  # what a version that was there got now: formats, worksheets, detail
    manifest: dict[str, Any]


def write(conn: Connection[Any], order: Order, progress: Progress) -> Written:
    """Write the pack of a gaming day, as of one moment. The projections have been brought up to date."""
    with conn.transaction(), spooled(order.day) if order.detail else nullcontext() as spool:
        conn.execute(ONE_MOMENT)
        house = property_of(conn)
        days = order.out / house.name / order.day.isoformat()
        partial = _partial(days)
        try:
            made = _Pack(conn, order, partial, progress, spool)
            made.write_all()
            return _keep(days, made)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def _partial(days: Path) -> Path:
    """An empty folder to write in; one that was left behind when somebody was killed is thrown away."""
    partial = days / f".partial-{os.getpid()}"
    shutil.rmtree(partial, ignore_errors=True)
    (partial / RESTRICTED).mkdir(parents=True)
    (partial / RESTRICTED).chmod(0o700)
    return partial


class _Pack:
    """A pack in the making, in a folder that nobody takes for one yet."""

    def __init__(
        self, conn: Connection[Any], order: Order, folder: Path, progress: Progress, spool: Spool | None
    ) -> None:
        self.conn = conn
        self.order = order
        self.folder = folder
        self.progress = progress
        self.spool = spool
        self.house = property_of(conn)
        self.sheets: list[Sheet] = []
        self.rows: dict[str, int] = {}  # of what every pack has
        self.extras: dict[str, list[str]] = {}  # what was asked for beside it: the files of each

    def write_all(self) -> None:
        """Every file but the manifest, which names the version."""
        self.range = range_of(self.conn, self.order.day)
        self.gathered, self.root = self._read()
        self.journal = journal.journal(
            self.order.day,
            self.house.currency,
            books.brought_forward(self.conn, self.order.day),
            self.gathered.entries.transactions(),
        )
        asked = tax.asked_for(self.conn, self.order.day)
        self.sheets = [*sheets(self.conn, self.gathered, self.house.name, self.house.currency)]
        self.sheets += [self._worksheet(jurisdiction) for jurisdiction in asked]
        self.sheets.append(journal.sheet(self.journal))
        for sheet in self.sheets:
            name, self.rows[name] = self._write_csv(sheet)
        for format_ in self.order.formats:
            self._write_as(format_)
        for jurisdiction in sorted({*self.order.tax} - {*asked}):
            sheet = self._worksheet(jurisdiction)
            self.extras[sheet.name] = [self._write_csv(sheet)[0]]
        if self.spool is not None:
            self._write_detail(self.journal._replace(transactions=self.spool))

    def _read(self) -> tuple[Gathered, str]:
        path = self.folder / EVENTS
        with path.open("wb") as file:
            path.chmod(0o600)  # patrons by name
            archive = Archive(file, partial(hash_of, self.conn))
            gathered = gather(self.conn, self.order.day, archive, self._reached, self.spool)
            root = archive.close()
        self.rows[EVENTS] = archive.events
        return gathered, root

    def _reached(self, events: int) -> None:
        self.progress(events, self.range.events)

    def _worksheet(self, jurisdiction: str) -> Sheet:
        return tax.worksheet(self.conn, jurisdiction, self.order.day, self.house.currency)

    def _write_csv(self, sheet: Sheet) -> tuple[str, int]:
        """The file's name, and how many rows it has."""
        name = f"{RESTRICTED}/{sheet.name}.csv" if sheet.restricted else f"{sheet.name}.csv"
        path = self.folder / name
        with path.open("w", encoding="utf-8", newline="") as file:
            if sheet.restricted:
                path.chmod(0o600)
            names = (field.name for field in sheet.fields)
            return name, write_csv(file, names, cells(sheet.fields, sheet.rows))

    def _write_as(self, format_: str) -> None:
        open_sheets = [sheet for sheet in self.sheets if not sheet.restricted]
        if format_ == "xlsx":
            workbook.write(self.folder / workbook.NAME, open_sheets)
            self.extras[format_] = [workbook.NAME]
        elif format_ == "parquet":
            for sheet in open_sheets:
                columnar.write(self.folder / f"{sheet.name}.parquet", sheet)
            self.extras[format_] = sorted(f"{sheet.name}.parquet" for sheet in open_sheets)
        elif format_ in plain_text.FORMATS:
            self._write_plain(format_, f"journal.{format_}", self.journal)

    def _write_plain(self, format_: str, name: str, told: journal.Journal, suffix: str = "") -> None:
        with (self.folder / name).open("w", encoding="utf-8") as file:
            file.writelines(plain_text.FORMATS[format_](told))
        self.extras[format_ + suffix] = [name]

    def _write_detail(self, told: journal.Journal) -> None:
        """The journal event by event, beside the other: the same figures, so no other version of them."""
        with (self.folder / DETAIL).open("w", encoding="utf-8", newline="") as file:
            journal.write_detail(file, told)
        self.extras["detail"] = [DETAIL]
        for format_ in self.order.formats:
            if format_ in plain_text.FORMATS:
                self._write_plain(format_, f"journal_detail.{format_}", told, "-detail")

    def manifest(self, version: int) -> dict[str, Any]:
        """What the pack says of itself."""
        return manifest(self, version)


# ------------------------------------------------------------------------------------- versions


def versions(days: Path) -> list[tuple[int, Path]]:
    """The versions of a gaming day's pack that there are, the oldest first."""
    found = ((path.name.removeprefix("v"), path) for path in days.glob("v*") if (path / MANIFEST).is_file())
    return sorted((int(number), path) for number, path in found if number.isdecimal())


def _keep(days: Path, made: _Pack) -> Written:
    """Make what was written the next version, or only add what the last one lacks."""
    there = versions(days)
    last, before = there[-1] if there else (0, None)
    if before is not None and _same(before, made):
        added = [*_add(before, made)]
        return Written(before, last, False, added, orjson.loads((before / MANIFEST).read_bytes()))
    version = last + 1
    if before is not None:
        _write_difference(made, before, f"diff_v{last}_v{version}.csv")
    said = made.manifest(version)
    _write_json(made.folder / MANIFEST, said)
    for extra in made.extras:
        _write_manifest_of(made, extra, made.folder)
    target = days / f"v{version}"
    made.folder.rename(target)
    return Written(target, version, True, [], said)


def _same(before: Path, made: _Pack) -> bool:
    """Whether a version says what is said now: the archive, every sheet, and the worksheets that both have.

    A worksheet that was asked for may speak of other days of its month, which other events may have changed.
    """
    said = orjson.loads((before / MANIFEST).read_bytes())["files"]
    was = {name: file["sha256"] for name, file in said.items() if not name.startswith("diff_")}
    if was != contents(made.folder, made.rows):
        return False
    both = [made.extras[name] for name in _worksheets(made) if (before / _of(name)).exists()]
    return all(contents(before, names) == contents(made.folder, names) for names in both)


def _worksheets(made: _Pack) -> list[str]:
    return [name for name in made.extras if name.startswith("tax_")]


def _of(extra: str) -> str:
    return f"manifest.{extra}.json"


def _add(before: Path, made: _Pack) -> Iterator[str]:
    for extra, names in made.extras.items():
        if (before / _of(extra)).exists():
            continue
        for name in names:
            (made.folder / name).rename(before / name)
        _write_manifest_of(made, extra, before)
        yield extra


def _write_difference(made: _Pack, before: Path, name: str) -> None:
    worksheets = [name for extra in _worksheets(made) for name in made.extras[extra]]
    names = [name for name in (*made.rows, *worksheets) if name.endswith(".csv")]
    rows = difference(before, made.folder, names)
    with (made.folder / name).open("w", encoding="utf-8", newline="") as file:
        made.rows[name] = write_csv(file, ("file", "change", "line"), rows)


def _write_manifest_of(made: _Pack, extra: str, folder: Path) -> None:
    with (folder / MANIFEST).open("rb") as file:
        base = file_digest(file, "sha256").hexdigest()
    said = {
        "format": extra,
        "manifest_sha256": base,
        "files": {name: {"sha256": sum_} for name, sum_ in contents(folder, made.extras[extra]).items()},
    }
    _write_json(folder / _of(extra), said)


def _write_json(path: Path, said: dict[str, Any]) -> None:
    path.write_bytes(orjson.dumps(said, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
