"""The journal of a gaming day: its postings gathered into transactions, and the books before and after.

One transaction a table, shift and kind of event; in detail, one an event. Each carries the range of events
it says, so that every figure can be followed down to its facts.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import IO, NamedTuple

import orjson

from domain.postings import Posting
from projections.pack.sheet import Row, Sheet, cells, fields, write_csv

Entry = tuple[Posting, ...]
"""What one event posted, or what many did, added up."""


class Transaction(NamedTuple):
    """Postings that add up to nothing. `events` of them stand between `first` and `last` in the log."""

    number: str
    table: str
    shift: str
    kind: str
    first: int
    last: int
    events: int
    postings: Entry

    @property
    def memo(self) -> str:
        """What it is, in words."""
        return f"{self.kind} {self.table}".rstrip()


class Journal(NamedTuple):
    """A gaming day's transactions, and every account's balance before and after them, in cents.

    `transactions` may be gone through more than once.
    """

    gaming_day: date
    currency: str
    brought_forward: dict[str, int]
    balances: dict[str, int]
    transactions: Iterable[Transaction]

    @property
    def accounts(self) -> list[str]:
        """Every account that the day knows, in order."""
        return sorted(self.balances)


def journal(
    day: date, currency: str, brought_forward: dict[str, int], transactions: list[Transaction]
) -> Journal:
    """The journal of a day whose transactions are these."""
    after = dict(brought_forward)
    for transaction in transactions:
        for account, amount in transaction.postings:
            after[account] = after.get(account, 0) + amount
    return Journal(day, currency, brought_forward, dict(sorted(after.items())), transactions)


class Gathering:
    """Transactions in the making."""

    def __init__(self, day: date) -> None:
        self._day = day
        self._found: dict[tuple[str, str, str, int], _Open] = {}

    def take(
        self, table: str, shift: str, kind: str, position: int, postings: Entry, number: int = 0
    ) -> None:
        """Add what one event posted in the shift of this name, which was the table's shift of this number."""
        key = (table, shift, kind, number)
        if (transaction := self._found.get(key)) is None:
            transaction = self._found[key] = _Open(position)
        transaction.take(position, postings)

    def posted(self, table: str, number: int) -> dict[str, int]:
        """What was posted in one of a table's shifts: account -> cents, debits positive."""
        sums: Counter[str] = Counter()
        for key, transaction in self._found.items():
            if (key[0], key[3]) == (table, number):
                sums.update(transaction.sums)
        return dict(sums)

    def transactions(self) -> list[Transaction]:
        """All of them, by table, shift and kind."""
        together: dict[tuple[str, str, str], _Open] = {}
        for (*kind, _), one in sorted(self._found.items()):
            table, shift, name = kind
            together.setdefault((table, shift, name), _Open(one.first)).add(one)
        found = ((key, open_.entry(), open_) for key, open_ in together.items())
        return [
            Transaction(
                _name(key[0], self._day, f"{number:04}"), *key, open_.first, open_.last, open_.events, entry
            )
            for number, (key, entry, open_) in enumerate(found, 1)
            if entry
        ]


def _name(table: str, day: date, number: str) -> str:
    return f"{table or 'HOUSE'}-{day:%Y%m%d}-{number}"


class _Open:
    __slots__ = ("events", "first", "last", "sums")

    def __init__(self, position: int) -> None:
        self.first = self.last = position
        self.events = 0
        self.sums: dict[str, int] = {}

    def take(self, position: int, postings: Entry) -> None:
        self.last = position
        self.events += 1
        for account, amount in postings:
            self.sums[account] = self.sums.get(account, 0) + amount

    def add(self, other: "_Open") -> None:
        """The same of another shift that has the same name."""
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.events += other.events
        for account, amount in other.sums.items():
            self.sums[account] = self.sums.get(account, 0) + amount

    def entry(self) -> Entry:
        """Debits first; an account on which nothing is left has no line."""
        found = (Posting(account, amount) for account, amount in sorted(self.sums.items()) if amount)
        return tuple(sorted(found, key=lambda posting: posting.amount < 0))


class Spool:
    """The entry of every event of a day, on disk: as many transactions as a day may have, read in order."""

    def __init__(self, day: date, file: IO[bytes]) -> None:
        self._day = day
        self._file = file

    def take(self, table: str, shift: str, kind: str, position: int, postings: Entry) -> None:
        """Keep what one event posted."""
        said = table, shift, kind, position, [tuple(posting) for posting in postings]
        self._file.write(orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE))

    def __iter__(self) -> Iterator[Transaction]:
        self._file.seek(0)
        for line in self._file:
            table, shift, kind, position, postings = orjson.loads(line)
            number = _name(table, self._day, f"e{position}")
            entry = tuple(Posting(*posting) for posting in postings)
            yield Transaction(number, table, shift, kind, position, position, 1, entry)


@contextmanager
def spooled(day: date) -> Iterator[Spool]:
    """A spool whose file is gone afterwards, however that comes."""
    with tempfile.TemporaryFile() as file:
        yield Spool(day, file)


_FIELDS = fields(
    text_1="txn_id date",
    whole="first_event last_event events",
    text_2="account",
    money="debit credit",
    text_3="currency table shift memo",
)


def sheet(journal: Journal) -> Sheet:
    """The journal posting by posting."""
    return Sheet("journal", _FIELDS, [row for one in journal.transactions for row in _rows(one, journal)])


def write_detail(file: IO[str], journal: Journal) -> None:
    """The same columns for a journal that is too long to be held: as CSV, row by row."""
    rows = (row for one in journal.transactions for row in _rows(one, journal))
    write_csv(file, (field.name for field in _FIELDS), cells(_FIELDS, rows))


def _rows(transaction: Transaction, journal: Journal) -> Iterator[Row]:
    for account, amount in transaction.postings:
        yield {
            "txn_id": transaction.number,
            "date": journal.gaming_day.isoformat(),
            "first_event": transaction.first,
            "last_event": transaction.last,
            "events": transaction.events,
            "account": account,
            "debit": amount if amount > 0 else None,
            "credit": -amount if amount < 0 else None,
            "currency": journal.currency,
            "table": transaction.table,
            "shift": transaction.shift,
            "memo": transaction.memo,
        }
