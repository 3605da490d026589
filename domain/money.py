"""Exact money: whole cents paid, odds as fractions, and a name for what no chip can pay."""

from fractions import Fraction
from typing import NamedTuple

LARGEST_AMOUNT = 2**53 - 1  # cents; beyond it a JSON number is no longer exact everywhere


class Payout(NamedTuple):
    """What a winning wager was paid, in cents, and what the smallest payable unit could not pay."""

    paid: int
    breakage: Fraction


def odds(text: str) -> Fraction:
    """Read odds as the documents print them, winnings on top of the returned stake.

    >>> odds("7 to 6")
    Fraction(7, 6)
    >>> odds("27/4")
    Fraction(27, 4)
    """
    return Fraction(text.replace(" to ", "/"))


def written(price: Fraction) -> str:
    """Odds as events hold them.

    >>> written(Fraction(50))
    '50/1'
    """
    return f"{price.numerator}/{price.denominator}"


def spoken(price: Fraction) -> str:
    """Odds as a dealer says them.

    >>> spoken(Fraction(7, 6))
    '7 to 6'
    """
    return f"{price.numerator} to {price.denominator}"


def pay_down(owed: Fraction, unit: int) -> Payout:
    """Pay `owed` cents in whole multiples of `unit` cents, never more than is owed.

    >>> pay_down(Fraction(3500, 3), unit=100)
    Payout(paid=1100, breakage=Fraction(200, 3))
    """
    paid = owed.numerator // (owed.denominator * unit) * unit
    return Payout(paid, owed - paid)


def commission(basis: Fraction, rate: Fraction) -> int:
    """The commission on `basis` cents, to the nearest cent, half a cent up (ERRATA reading G-3).

    >>> commission(Fraction(5000), Fraction(1, 20))
    250
    """
    due = basis * rate
    return (2 * due.numerator + due.denominator) // (2 * due.denominator)


def dollars(cents: int) -> str:
    """Cents for people.

    >>> dollars(-1234567)
    '-12,345.67'
    """
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"
