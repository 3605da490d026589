"""What each event means in the general ledger: its double entry, in the chart of accounts of the house.

Chips are an asset at face, against `Liabilities:Chips:Issued`; what is outstanding is never posted, only
derived: the face of all chips issued less all chips in the house. A placed wager is still its player's, so
it posts nothing. Count variances are income, because tax and statistical win are counted. Commission that
may go back is a liability until its wager is decided. What the smallest chip cannot pay (breakage) was never
owed in chips and posts nothing.

At a table the entry is made of the flows of `domain.books`: every flow has a debit and a credit side, of
which the patron's own, who keeps no account here, cancels out.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from domain import events as e
from domain.books import Flow, Money, money

CAGE_CASH = "Assets:Cash:Cage"
DROP_BOX = "Assets:Cash:DropBox:{table}"
COUNT_ROOM = "Assets:Cash:CountRoom"
CAGE_CHIPS = "Assets:Chips:Cage"
RACK = "Assets:Chips:Table:{table}"
IN_TRANSIT = "Assets:Chips:InTransit"
MARKERS = "Assets:Markers:Receivable"
RIM = "Assets:Markers:Rim"
ISSUED = "Liabilities:Chips:Issued"
FRONT_MONEY = "Liabilities:FrontMoney"
COMMISSION_HELD = "Liabilities:CommissionRefundable"
LOST = "Income:Craps:WagersLost:{table}"
PAID = "Income:Craps:WinningsPaid:{table}"
COMMISSION = "Income:Craps:Commission:{table}"
MISPAY = "Income:Craps:Mispay:{table}"
SETTLEMENT = "Income:Craps:DisputeSettlement:{table}"
PROMO = "Income:Craps:Promo:{table}"
INVENTORY_VARIANCE = "Income:Craps:CountVariance:Inventory:{table}"
DROP_VARIANCE = "Income:Craps:CountVariance:Drop:{table}"
VAULT = "Assets:Cash:Vault"
BREAKAGE = "Income:Craps:ChipBreakage"
TAX = "Expenses:GamingTax"
TAX_OWED = "Liabilities:GamingTax:"
"""With the jurisdiction after it, as one part of an account's name."""
BAD_DEBT = "Expenses:BadDebt:Markers"
BANKROLL = "Equity:Bankroll"

ACCOUNTS = (
    *(CAGE_CASH, DROP_BOX, COUNT_ROOM, CAGE_CHIPS, RACK, IN_TRANSIT, MARKERS, RIM),
    *(ISSUED, FRONT_MONEY, COMMISSION_HELD),
    *(LOST, PAID, COMMISSION, MISPAY, SETTLEMENT, PROMO, INVENTORY_VARIANCE, DROP_VARIANCE),
    *(VAULT, BREAKAGE, TAX, BAD_DEBT, BANKROLL),
)
"""The chart: every account that anything is posted to, but for what each jurisdiction is owed.

`{table}` stands for `part` of the table's name.
"""

PATRON = None  # his side of a flow: he keeps no account here
SIDES: dict[Flow, tuple[str | None, str | None]] = {
    "chips_bought": (PATRON, RACK),
    "chips_carried_in": (PATRON, PATRON),
    "chips_carried_out": (PATRON, PATRON),
    "chips_redeemed": (RACK, PATRON),
    "cash_dropped": (DROP_BOX, PATRON),
    "markers_dropped": (MARKERS, PATRON),
    "front_money_dropped": (FRONT_MONEY, PATRON),
    "coupons_dropped": (PROMO, PATRON),
    "rim_extended": (RIM, PATRON),
    "filled": (RACK, IN_TRANSIT),
    "credited": (IN_TRANSIT, RACK),
    "staked": (PATRON, PATRON),
    "lost": (RACK, LOST),
    "won": (PAID, RACK),
    "commission_taken": (RACK, COMMISSION),
    "commission_collected": (RACK, COMMISSION_HELD),
    "commission_earned": (COMMISSION_HELD, COMMISSION),
    "mispaid": (MISPAY, RACK),
    "adjusted": (SETTLEMENT, RACK),
    "dispute_settled": (SETTLEMENT, RACK),
    "dispute_settled_at_cage": (SETTLEMENT, CAGE_CASH),
    "cash_staked": (PATRON, PATRON),
    "cash_lost": (DROP_BOX, LOST),
    "toked": (PATRON, PATRON),
}
"""The account that a flow debits, and the one that it credits."""


class Posting(NamedTuple):
    """Cents on one account: a debit, or, negative, a credit."""

    account: str
    amount: int


def postings(event: e.Happened, table: str | None = None, moved: Money | None = None) -> tuple[Posting, ...]:
    """The double entry of `event`, which happened at `table`; the amounts add up to 0. Empty: no entry.

    `moved` is what `money` says of the event, where that is known already.

    >>> for posting in postings(e.BuyInAccepted(player="P7", amount=500, tender="cash"), "CR01"):
    ...     print(*posting)
    Assets:Cash:DropBox:CR01 500
    Assets:Chips:Table:CR01 -500
    >>> postings(e.WagerPlaced(wager="w1", player="P7", kind="field", amount=500), "CR01")
    ()
    """
    found: dict[str, int] = {}
    for account, amount in _sides(event, money(event) if moved is None else moved):
        name = account if table is None else _named(account, table)
        found[name] = found.get(name, 0) + amount
    entry = tuple(sorted((Posting(*sum_) for sum_ in found.items() if sum_[1]), key=_credits_last))
    assert sum(amount for _, amount in entry) == 0, (event, entry)
    assert not any("{" in account for account, _ in entry), (event, "needs its table")
    return entry


def _credits_last(posting: Posting) -> bool:
    return posting.amount < 0


@lru_cache(4096)
def _named(account: str, table: str) -> str:
    return account.format(table=part(table))


@lru_cache(1024)
def part(name: str) -> str:
    """A table's name as one part of an account's, in the letters that every bookkeeping program reads.

    Names that differ have parts that differ: where a letter had to be altered, a hash of the name tells it
    from every other; and a name that looks as if it had such a hash gets one, too.

    >>> part("CR01"), part("CR-01"), part("pit 3: craps")
    ('CR01', 'CR-01', 'Pit-3--craps-e459dcc3ff9d')
    """
    if _PLAIN.fullmatch(name) and not _HASHED.search(name):
        return name
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)
    capital = letters[0].upper() + letters[1:] if letters[:1].isalnum() else f"T{letters}"
    return f"{capital}-{sha256(name.encode()).hexdigest()[:_HASH]}"


_HASH = 12  # hexadecimal digits: a house with a thousand odd names has two alike once in half a billion
_PLAIN = re.compile("[A-Z0-9][A-Za-z0-9-]*")
_HASHED = re.compile(f"-[0-9a-f]{{{_HASH}}}$")


def outstanding(balances: dict[str, int]) -> int:
    """The face of the chips that are not in the house, in cents, from the balances of all accounts."""
    in_house = sum(cents for account, cents in balances.items() if account.startswith("Assets:Chips:"))
    return -balances.get(ISSUED, 0) - in_house


_Entry = Iterable[tuple[str, int]]


def _sides(event: e.Happened, moved: Money) -> _Entry:
    if (entry := ENTRIES.get(type(event))) is not None:
        yield from entry(event)
    for flow, _, amount in moved:
        debit, credit = SIDES[flow]
        if debit is not PATRON:
            yield debit, amount
        if credit is not PATRON:
            yield credit, -amount


def _from_to(credit: str, debit: str, amount: int) -> _Entry:
    return (debit, amount), (credit, -amount)


def _opened(event: e.TableOpened) -> _Entry:
    """A rack with no closer before it came from the cage; with one, the difference is a variance."""
    return _from_to(CAGE_CHIPS, RACK, event.opener) if event.preceding_closer is None else ()


def _inventory_variance(event: e.InventoryVarianceFound) -> _Entry:
    return _from_to(INVENTORY_VARIANCE, RACK, event.difference)


def _drop_counted(event: e.DropCounted) -> _Entry:
    return _from_to(DROP_BOX, COUNT_ROOM, event.cash - event.was_cash)


def _drop_variance(event: e.DropVarianceFound) -> _Entry:
    """Cash that was not there never was; a slip that was not there proves no debt, until it is found."""
    yield from _from_to(DROP_VARIANCE, DROP_BOX, event.cash)
    yield from _from_to(DROP_VARIANCE, MARKERS, event.markers)
    yield from _from_to(DROP_VARIANCE, FRONT_MONEY, event.slips)


def _corrected(event: e.CorrectionRecorded) -> _Entry:
    """The figure itself; what it changes in a variance is a variance found, beside it.

    A fill or credit put right moved other chips than the cage wrote down, too.
    """
    more = event.after - event.before
    if event.what == "opener":
        return _from_to(CAGE_CHIPS if event.from_cage else INVENTORY_VARIANCE, RACK, more)
    if event.what == "fill":
        return _from_to(CAGE_CHIPS, IN_TRANSIT, more)
    if event.what == "credit":
        return _from_to(IN_TRANSIT, CAGE_CHIPS, more)
    return _from_to(DROP_BOX, COUNT_ROOM, more) if event.what == "drop_cash" else ()


def _dispute_settled(event: e.DisputeSettled) -> _Entry:
    """What was paid at the cage's window in chips was no cash."""
    in_chips = (event.paid_from, event.tender) == ("cage", "chips")
    return _from_to(CAGE_CHIPS, CAGE_CASH, event.amount) if in_chips else ()


def _fill_dispatched(event: e.FillDispatched) -> _Entry:
    return _from_to(CAGE_CHIPS, IN_TRANSIT, event.amount)


def _fill_voided(event: e.FillVoided) -> _Entry:
    return _from_to(IN_TRANSIT, CAGE_CHIPS, event.returned)


def _credit_received(event: e.CreditReceived) -> _Entry:
    return _from_to(IN_TRANSIT, CAGE_CHIPS, event.amount)


def _at_cage(tender: str) -> str:
    return CAGE_CASH if tender == "cash" else CAGE_CHIPS


def _deposited(event: e.FrontMoneyDeposited) -> _Entry:
    return _from_to(FRONT_MONEY, CAGE_CASH, event.amount)


def _withdrawn(event: e.FrontMoneyWithdrawn) -> _Entry:
    return () if event.at == "table" else _from_to(_at_cage(event.tender), FRONT_MONEY, event.amount)


def _marker_issued(event: e.MarkerIssued) -> _Entry:
    return () if event.at == "table" else _from_to(CAGE_CHIPS, MARKERS, event.amount)


def _marker_paid(event: e.MarkerPaid) -> _Entry:
    return () if event.at == "table" else _from_to(MARKERS, _at_cage(event.tender), event.amount)


def _written_off(event: e.MarkerWrittenOff) -> _Entry:
    return _from_to(MARKERS, BAD_DEBT, event.amount)


def _sold(event: e.ChipsSoldAtCage) -> _Entry:
    return _from_to(CAGE_CHIPS, CAGE_CASH, event.amount)


def _redeemed(event: e.ChipsRedeemedAtCage) -> _Entry:
    return _from_to(CAGE_CASH, CAGE_CHIPS, event.amount)


def _placed_in_service(event: e.ChipsPlacedInService) -> _Entry:
    return _from_to(ISSUED, CAGE_CHIPS, event.amount)


def _destroyed(event: e.ChipsDestroyed) -> _Entry:
    return _from_to(CAGE_CHIPS, ISSUED, event.amount)


def _breakage(event: e.ChipBreakageRecognised) -> _Entry:
    return _from_to(BREAKAGE, ISSUED, event.amount)


def _to_vault(event: e.DropTransferredToVault) -> _Entry:
    return _from_to(COUNT_ROOM, VAULT, event.amount)


def _tax(event: e.GamingTaxAccrued) -> _Entry:
    return _from_to(TAX_OWED + part(event.jurisdiction), TAX, event.amount)


def _funded(event: e.CageBankrollFunded) -> _Entry:
    return _from_to(BANKROLL, CAGE_CASH, event.amount)


ENTRIES: dict[type[e.Happened], Callable[[Any], _Entry]] = {
    e.TableOpened: _opened,
    e.InventoryVarianceFound: _inventory_variance,
    e.DropCounted: _drop_counted,
    e.DropVarianceFound: _drop_variance,
    e.CorrectionRecorded: _corrected,
    e.DisputeSettled: _dispute_settled,
    e.FillDispatched: _fill_dispatched,
    e.FillVoided: _fill_voided,
    e.CreditReceived: _credit_received,
    e.FrontMoneyDeposited: _deposited,
    e.FrontMoneyWithdrawn: _withdrawn,
    e.MarkerIssued: _marker_issued,
    e.MarkerPaid: _marker_paid,
    e.MarkerWrittenOff: _written_off,
    e.ChipsSoldAtCage: _sold,
    e.ChipsRedeemedAtCage: _redeemed,
    e.ChipsPlacedInService: _placed_in_service,
    e.ChipsDestroyed: _destroyed,
    e.CageBankrollFunded: _funded,
    e.ChipBreakageRecognised: _breakage,
    e.DropTransferredToVault: _to_vault,
    e.GamingTaxAccrued: _tax,
}
"""Entries beyond the flows of the custody books, which know every event: the two together are exhaustive."""
