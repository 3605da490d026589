"""What stops the ledger itself, in one line: what is wrong, and what to do about it."""


class LedgerError(Exception):
    """The ledger cannot be used as asked; nothing was stored.

    A refusal is no error: the house's "no" is a fact and goes into the ledger (domain/refusals.py).
    """
