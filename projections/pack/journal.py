"""The journal of a gaming day: its postings gathered into transactions, and the books before and after.

One transaction a table, shift and kind of event. Each carries the range of events it says, so that every
figure can be followed down to its facts.
"""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from domain.postings import Posting
from projections.pack.sheet import Row, Sheet, fields


class Transaction(NamedTuple):
    """Postings that add up to nothing. `events` of them stand between `first` and `last` in the log."""

    number: str
    table: str
    shift: str
    kind: str
    first: int
    last: int
    events: int
    postings: tuple[Posting, ...]

    @property
    def memo(self) -> str:
        """What it is, in words."""
        return f"{self.kind} {self.table}".rstrip()


class Journal(NamedTuple):
    """A gaming day's transactions, and every account's balance before and after them, in cents."""

    gaming_day: date
    currency: str
    brought_forward: dict[str, int]
    transactions: list[Transaction]

    @property
    def balances(self) -> dict[str, int]:
        """Every account's balance at the end of the day."""
        after = dict(self.brought_forward)
        for transaction in self.transactions:
            for account, amount in transaction.postings:
                after[account] = after.get(account, 0) + amount
        return dict(sorted(after.items()))

    @property
    def accounts(self) -> list[str]:
        """Every account that the day knows, in order."""
        return sorted(self.balances)


class Gathering:
    """Transactions in the making."""

    def __init__(self, day: date) -> None:
        self._day = day
        self._found: dict[tuple[str, str, str], _Open] = {}

    def take(self, table: str, shift: str, kind: str, position: int, postings: tuple[Posting, ...]) -> None:
        """Add what one event posted."""
        key = (table, shift, kind)
        if (transaction := self._found.get(key)) is None:
            transaction = self._found[key] = _Open(position)
        transaction.take(position, postings)

    def transactions(self) -> list[Transaction]:
        """All of them, by table, shift and kind."""
        found = ((key, open_.entry(), open_) for key, open_ in sorted(self._found.items()))
        return [
            Transaction(self._name(key[0], number), *key, open_.first, open_.last, open_.events, entry)
            for number, (key, entry, open_) in enumerate(found, 1)
            if entry
        ]

    def _name(self, table: str, number: int) -> str:
        return f"{table or 'HOUSE'}-{self._day:%Y%m%d}-{number:04}"


class _Open:
    __slots__ = ("events", "first", "last", "sums")

    def __init__(self, position: int) -> None:
        self.first = self.last = position
        self.events = 0
        self.sums: dict[str, int] = {}

    def take(self, position: int, postings: tuple[Posting, ...]) -> None:
        self.last = position
        self.events += 1
        for account, amount in postings:
            self.sums[account] = self.sums.get(account, 0) + amount

    def entry(self) -> tuple[Posting, ...]:
        """Debits first; an account on which nothing is left has no line."""
        found = (Posting(account, amount) for account, amount in sorted(self.sums.items()) if amount)
        return tuple(sorted(found, key=lambda posting: posting.amount < 0))


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
