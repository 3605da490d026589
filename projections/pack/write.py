"""Writes a gaming day's pack: into a folder of its own name, whole or not at all, and never over another.

`<out>/<property>/<gaming day>/v<version>/`. What was read is one moment of the ledger. Where the figures are
those of the last version, no new one is made; where they are not, the new one says what is different.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from hashlib import file_digest
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from psycopg import Connection

from ledger.migrations import property_of
from projections import books
from projections.day_events import range_of
from projections.pack import columnar, journal, plain_text, workbook
from projections.pack.archive import Archive
from projections.pack.difference import difference
from projections.pack.gather import Gathered, gather, hashes
from projections.pack.manifest import contents, manifest
from projections.pack.sheet import Sheet, cells, write_csv
from projections.pack.sheets import sheets

MANIFEST = "manifest.json"
RESTRICTED = "restricted"
EVENTS = "events.jsonl.gz"
FORMATS = ("csv", "xlsx", "parquet", "hledger", "beancount", "ledger")
ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
Progress = Callable[[int, int], None]
"""Told (events read, events to read) now and then."""


class Order(NamedTuple):
    """What is asked for: a gaming day's pack in a folder, in these formats beside CSV.

    `missing` is what keeps the day from its certificate, as texts by kind; `standing` says how near it is.
    """

    day: date
    out: Path
    formats: Sequence[str]
    missing: list[dict[str, str]]
    standing: str


class Written(NamedTuple):
    """What became of an order: where the pack lies, and whether this call made it."""

    folder: Path
    version: int
    new: bool
    added: list[str]  # formats that a version which was there got now
    manifest: dict[str, Any]


def write(conn: Connection[Any], order: Order, progress: Progress) -> Written:
    """Write the pack of a gaming day, as of one moment. The projections have been brought up to date."""
    with conn.transaction():
        conn.execute(ONE_MOMENT)
        house = property_of(conn)
        days = order.out / house.name / order.day.isoformat()
        partial = _partial(days)
        try:
            made = _Pack(conn, order, partial, progress)
            made.write_all()
            return _keep(days, made, order.formats)
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

    def __init__(self, conn: Connection[Any], order: Order, folder: Path, progress: Progress) -> None:
        self.conn = conn
        self.order = order
        self.folder = folder
        self.progress = progress
        self.house = property_of(conn)
        self.sheets: list[Sheet] = []
        self.rows: dict[str, int] = {}

    def write_all(self) -> None:
        """Every file but the manifest, which names the version."""
        self.range = range_of(self.conn, self.order.day)
        self.gathered, self.root = self._read()
        self.journal = journal.Journal(
            self.order.day,
            self.house.currency,
            books.brought_forward(self.conn, self.order.day),
            self.gathered.entries.transactions(),
        )
        self.sheets = [*sheets(self.conn, self.gathered, self.house.name, self.house.currency)]
        self.sheets.append(journal.sheet(self.journal))
        for sheet in self.sheets:
            self._write_csv(sheet)
        for format_ in self.order.formats:
            self._write_as(format_)

    def _read(self) -> tuple[Gathered, str]:
        path = self.folder / EVENTS
        with path.open("wb") as file:
            path.chmod(0o600)  # patrons by name
            archive = Archive(file, hashes(self.conn))
            gathered = gather(self.conn, self.order.day, archive, self._reached)
            root = archive.close()
        self.rows[EVENTS] = archive.events
        return gathered, root

    def _reached(self, events: int) -> None:
        self.progress(events, self.range.events)

    def _write_csv(self, sheet: Sheet) -> None:
        name = f"{RESTRICTED}/{sheet.name}.csv" if sheet.restricted else f"{sheet.name}.csv"
        path = self.folder / name
        with path.open("w", encoding="utf-8", newline="") as file:
            if sheet.restricted:
                path.chmod(0o600)
            self.rows[name] = write_csv(file, (field.name for field in sheet.fields), cells(sheet))

    def _write_as(self, format_: str) -> None:
        open_sheets = [sheet for sheet in self.sheets if not sheet.restricted]
        if format_ == "xlsx":
            workbook.write(self.folder / workbook.NAME, open_sheets)
        elif format_ == "parquet":
            for sheet in open_sheets:
                columnar.write(self.folder / f"{sheet.name}.parquet", sheet)
        elif format_ in plain_text.FORMATS:
            with (self.folder / f"journal.{format_}").open("w", encoding="utf-8") as file:
                file.writelines(plain_text.FORMATS[format_](self.journal))

    def manifest(self, version: int) -> dict[str, Any]:
        """What the pack says of itself."""
        return manifest(self, version)


def files_of(format_: str, folder: Path) -> list[str]:
    """The files of one format in a pack, in order; of CSV, the archive and the restricted ones too."""
    patterns = {
        "csv": ("*.csv", f"{RESTRICTED}/*.csv", EVENTS),
        "xlsx": (workbook.NAME,),
        "parquet": ("*.parquet",),
    }
    found = (
        path for pattern in patterns.get(format_, (f"journal.{format_}",)) for path in folder.glob(pattern)
    )
    return sorted(str(path.relative_to(folder)) for path in found if not path.name.startswith("diff_"))


# ------------------------------------------------------------------------------------- versions


def versions(days: Path) -> list[tuple[int, Path]]:
    """The versions of a gaming day's pack that there are, the oldest first."""
    found = ((path.name.removeprefix("v"), path) for path in days.glob("v*") if (path / MANIFEST).is_file())
    return sorted((int(number), path) for number, path in found if number.isdecimal())


def _keep(days: Path, made: _Pack, formats: Sequence[str]) -> Written:
    """Make what was written the next version, or only add what the last one lacks."""
    there = versions(days)
    last, before = there[-1] if there else (0, None)
    if before is not None and _same(before, made):
        added = [*_add(before, made, formats)]
        return Written(before, last, False, added, orjson.loads((before / MANIFEST).read_bytes()))
    version = last + 1
    if before is not None:
        _write_difference(made, before, f"diff_v{last}_v{version}.csv")
    said = made.manifest(version)
    _write_json(made.folder / MANIFEST, said)
    for format_ in formats:
        _write_format_manifest(made, format_, made.folder)
    target = days / f"v{version}"
    made.folder.rename(target)
    return Written(target, version, True, [], said)


def _same(before: Path, made: _Pack) -> bool:
    """Whether a version says what is said now: the archive of the events, and every sheet."""
    said = orjson.loads((before / MANIFEST).read_bytes())["files"]
    now = contents(made.folder, files_of("csv", made.folder))
    return {name: file["sha256"] for name, file in said.items() if not name.startswith("diff_")} == now


def _add(before: Path, made: _Pack, formats: Sequence[str]) -> Iterator[str]:
    for format_ in formats:
        if format_ == "csv" or (before / f"manifest.{format_}.json").exists():
            continue
        for name in files_of(format_, made.folder):
            (made.folder / name).rename(before / name)
        _write_format_manifest(made, format_, before)
        yield format_


def _write_difference(made: _Pack, before: Path, name: str) -> None:
    rows = difference(before, made.folder, [name for name in made.rows if name.endswith(".csv")])
    with (made.folder / name).open("w", encoding="utf-8", newline="") as file:
        made.rows[name] = write_csv(file, ("file", "change", "line"), rows)


def _write_format_manifest(made: _Pack, format_: str, folder: Path) -> None:
    if format_ == "csv":
        return
    with (folder / MANIFEST).open("rb") as file:
        base = file_digest(file, "sha256").hexdigest()
    files = contents(folder, files_of(format_, folder))
    said = {
        "format": format_,
        "manifest_sha256": base,
        "files": {name: {"sha256": sum_} for name, sum_ in files.items()},
    }
    _write_json(folder / f"manifest.{format_}.json", said)


def _write_json(path: Path, said: dict[str, Any]) -> None:
    path.write_bytes(orjson.dumps(said, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
