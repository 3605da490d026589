"""The pack before other eyes: hledger, ledger, beancount, a spreadsheet reader and DuckDB."""

import csv
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import openpyxl
import pytest
from beancount import loader
from psycopg import Connection

from projections import books
from projections.pack.sheet import decimal
from tests.domain.house import House
from tests.domain.table_days import TableDay
from tests.domain.test_gold import gold_night, walked_chips
from tests.projections.packed import DAY, closed_day, pack, table, tell

TOOLS = {"hledger": ["check", "--strict", "ordereddates"], "ledger": ["--pedantic", "balance"]}
NEXT = date(2026, 11, 29)


def random_day() -> House:
    """Three tables with everything that can happen at one."""
    house, rng = House(), Random(5)
    for name in ("CR01", "CR02", "CR03"):
        TableDay(house, rng, name).play(40)
    return house


def second_day() -> House:
    """A closed day and the one after it, whose books begin where the first ended."""
    house = closed_day()
    house.day = "2026-11-29"
    house.opened(opener=9_930_000)
    house.must("buy_in", table="CR01", player="Bea", amount=50_000, tender="cash")
    return house


def odd_names() -> House:
    """Tables that a clerk has named as he pleased."""
    house, rng = House(), Random(6)
    for name in ("CR 01", "CR-01", 'würfel {3}; "a" | é', "-"):
        TableDay(house, rng, name).play(20)
    return house


STORIES = {"gold": gold_night, "walked": walked_chips, "random": random_day, "odd names": odd_names}


def program(name: str) -> str:
    """Where an accountant's program is; skips where there is none."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed (Debian: apt-get install {name})")
    return found


def balances(conn: Connection[Any], day: date = DAY) -> dict[str, str]:
    return {account: decimal(cents) for account, cents in books.balances(conn, day).items()}


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("tool", TOOLS)
def test_the_accountants_own_program_accepts_the_journal_and_says_our_balances(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, story: str, tool: str
) -> None:
    path = program(tool)
    tell(fresh_ledger, STORIES[story]())
    folder = pack(conn, fresh_ledger, tmp_path, tool, detail=True).folder
    for journal in (folder / f"journal.{tool}", folder / f"journal_detail.{tool}"):
        _run(path, "-f", str(journal), *TOOLS[tool])
        assert _balances_by(tool, path, journal) == balances(conn)


def test_ledgers_eyes_see_one_transaction_an_event_in_the_journal_in_detail(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    path = program("hledger")
    tell(fresh_ledger, random_day())
    folder = pack(conn, fresh_ledger, tmp_path, "hledger", detail=True).folder
    detail = {row["txn_id"] for row in table(folder, "journal_detail")}
    codes = _run(path, "-f", str(folder / "journal_detail.hledger"), "codes").split()
    assert len(codes) == len(set(codes))
    assert set(codes) == detail


def test_hledger_finds_a_cent_that_was_changed(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    path = program("hledger")
    tell(fresh_ledger, gold_night())
    journal = pack(conn, fresh_ledger, tmp_path, "hledger").folder / "journal.hledger"
    changed = journal.read_text().replace("= 104830.00 USD", "= 104830.01 USD")
    assert changed != journal.read_text()
    journal.write_text(changed)
    with pytest.raises(subprocess.CalledProcessError):
        _run(path, "-f", str(journal), "check")


def _balances_by(tool: str, path: str, journal: Path) -> dict[str, str]:
    """What the program itself says every account stands at."""
    if tool == "hledger":
        said = _run(path, "-f", str(journal), "balance", "--flat", "--no-total", "-O", "csv")
        rows = list(csv.reader(said.splitlines()))[1:]
        return {account: amount.removesuffix(" USD") for account, amount in rows}
    said = _run(
        path, "-f", str(journal), "balance", "--flat", "--no-total", "--format", "%(account)\t%(total)\n"
    )
    rows = [line.split("\t") for line in said.splitlines()]
    return {account: amount.strip().removesuffix(" USD") for account, amount in rows}


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("story", STORIES)
def test_beancount_accepts_the_journal_and_says_our_balances(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, story: str
) -> None:
    tell(fresh_ledger, STORIES[story]())
    folder = pack(conn, fresh_ledger, tmp_path, "beancount", detail=True).folder
    for name in ("journal.beancount", "journal_detail.beancount"):
        entries, errors, _ = loader.load_file(str(folder / name))
        assert errors == []
        sums = {account: str(amount) for account, amount in _added_up(entries).items() if amount}
        assert sums == balances(conn)


def _added_up(entries: Iterable[Any]) -> Counter[str]:
    """Every account's units, as beancount has read its postings."""
    sums: Counter[str] = Counter()
    for entry in entries:
        for posting in getattr(entry, "postings", ()):
            sums[posting.account] += posting.units.number
    return sums


@pytest.mark.parametrize("tool", TOOLS)
def test_the_second_days_journal_stands_alone_on_what_was_brought_forward(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path, tool: str
) -> None:
    path = program(tool)
    tell(fresh_ledger, second_day())
    journal = pack(conn, fresh_ledger, tmp_path, tool, day=NEXT).folder / f"journal.{tool}"
    _run(path, "-f", str(journal), *TOOLS[tool])
    assert _balances_by(tool, path, journal) == balances(conn, NEXT)


def test_the_workbook_says_what_the_csv_says(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, random_day())
    folder = pack(conn, fresh_ledger, tmp_path, "xlsx").folder
    book = openpyxl.load_workbook(folder / "pack.xlsx")
    names = {path.stem for path in folder.glob("*.csv")}
    assert set(book.sheetnames) == names
    for name in names:
        header, *rows = _csv(folder / f"{name}.csv")
        told = [list(row) for row in book[name].iter_rows(values_only=True)]
        assert told[0] == header
        assert book[name].freeze_panes == "A2"
        kept = [[_as_csv(value) for value in row] for row in told[1:]]
        assert kept == [[_number(text) for text in row] for row in rows], name


def _csv(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _as_csv(value: Any) -> str:
    """A cell of a workbook as a number in its shortest form, or as its text."""
    return "" if value is None else _number(str(value))


def _number(text: str) -> str:
    try:
        return str(Decimal(text).normalize() + 0)
    except ArithmeticError:
        return text


def test_parquet_says_what_the_csv_says_in_exact_decimals(
    conn: Connection[Any], fresh_ledger: str, tmp_path: Path
) -> None:
    tell(fresh_ledger, random_day())
    folder = pack(conn, fresh_ledger, tmp_path, "parquet").folder
    for path in sorted(folder.glob("*.parquet")):
        header, *rows = _csv(path.with_suffix(".csv"))
        read = duckdb.read_parquet(str(path))
        assert read.columns == header
        assert [["" if value is None else str(value) for value in row] for row in read.fetchall()] == rows
        money = [kind for name, kind in zip(read.columns, read.types, strict=True) if name in _MONEY]
        assert {str(kind) for kind in money} <= {"DECIMAL(18,2)"}


_MONEY = {"amount", "debit", "credit", "win_count", "opener", "closer", "outstanding", "balance"}
