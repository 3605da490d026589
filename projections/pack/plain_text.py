"""The journal for the accountants' own programs: hledger, ledger and beancount, with balances to check.

Each file stands alone: it begins with what the accounts stood at before the gaming day and ends by asserting
what they stand at after it, so that the program itself proves our figures.
"""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

from domain.postings import Posting
from projections.pack.journal import Journal, Transaction
from projections.pack.sheet import decimal

_UNSAFE = re.compile(r"[^\w .:,/#()+-]")
BROUGHT_FORWARD = "Brought forward"


def hledger(journal: Journal) -> Iterator[str]:
    """For hledger: accounts and commodity declared, so that `hledger check --strict` is content."""
    yield f"commodity 1000.00 {journal.currency}\n"
    yield from _dashed(journal)


def ledger(journal: Journal) -> Iterator[str]:
    """For ledger-cli: accounts and commodity declared, so that `--pedantic` is content."""
    yield f"commodity {journal.currency}\n    format 1000.00 {journal.currency}\n"
    yield from _dashed(journal)


def beancount(journal: Journal) -> Iterator[str]:
    """For beancount: balances are asserted on the next morning."""
    day, morning = journal.gaming_day, journal.gaming_day + timedelta(days=1)
    yield f'option "operating_currency" "{journal.currency}"\n\n'
    yield from (f"{day} open {account} {journal.currency}\n" for account in journal.accounts)
    yield from _opening(journal, f'\n{day} * "{BROUGHT_FORWARD}" "" #brought-forward\n', "  ")
    for one in journal.transactions:
        events = f"  events: {one.events}\n  first_event: {one.first}\n  last_event: {one.last}\n"
        yield f'\n{day} * "{_plain(one.memo)}" "{_plain(one.shift)}"\n  txn: "{_plain(one.number)}"\n{events}'
        yield from (_posting(posting, journal, "  ") for posting in one.postings)
    yield "\n"
    for account, cents in journal.balances.items():
        yield f"{morning} balance {account}  {decimal(cents)} {journal.currency}\n"


FORMATS: dict[str, Callable[[Journal], Iterator[str]]] = {
    "hledger": hledger,
    "ledger": ledger,
    "beancount": beancount,
}


def _dashed(journal: Journal) -> Iterator[str]:
    """What hledger and ledger read alike."""
    day = journal.gaming_day
    yield from (f"account {account}\n" for account in journal.accounts)
    yield from _opening(journal, f"\n{day} {BROUGHT_FORWARD}\n", "    ")
    for one in journal.transactions:
        yield f"\n{day} ({_plain(one.number)}) {_plain(one.memo)} {_range(one)}\n"
        yield from (_posting(posting, journal, "    ") for posting in one.postings)
    yield f"\n{day} Balances at the end of the gaming day\n"
    for account, cents in journal.balances.items():
        yield f"    {account}  0.00 {journal.currency} = {decimal(cents)} {journal.currency}\n"


def _opening(journal: Journal, head: str, indent: str) -> Iterator[str]:
    entry = [Posting(account, cents) for account, cents in journal.brought_forward.items() if cents]
    if entry:
        yield head
        yield from (_posting(posting, journal, indent) for posting in entry)


def _range(one: Transaction) -> str:
    shift = f" {_plain(one.shift)}" if one.shift else ""
    return f"events {one.first}-{one.last} ({one.events}){shift}"


def _posting(posting: Posting, journal: Journal, indent: str) -> str:
    return f"{indent}{posting.account}  {decimal(posting.amount)} {journal.currency}\n"


def _plain(text: str) -> str:
    """Words that mean nothing to any of the programs.

    >>> _plain('CR01 "day"; | x')
    'CR01 -day-- - x'
    """
    return _UNSAFE.sub("-", text)
