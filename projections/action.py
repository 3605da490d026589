"""The action taken at a table: stakes squared, added up by all that the variance of its win depends on.

The variance of the win is the sum over decided wagers of stake squared times the variance of that wager per
unit, which its own mechanism in its rule pack gives. It depends on the wager's particulars and on the terms
that the table was opened under. So these sums are enough, for a day as for a year: no wager is read again.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import orjson

from domain import events as e
from domain.rules import edges
from domain.rules.shelf import pinned

Action = dict[str, dict[str, int]]
"""Stakes squared, in square cents, by terms and by wager."""


def terms_of(opened: e.TableOpened) -> str:
    """What a table was opened under, as far as the variance of a wager depends on it, as one text."""
    posted = opened.rules, opened.rules_version, opened.notation, opened.vig_rate, opened.vig_on_win
    return orjson.dumps(posted).decode()


def wager_of(settled: e.WagerSettled, base: str) -> str:
    """The particulars of a wager as one text; `base` is the kind of the wager that odds support."""
    combo = "" if settled.combo is None else f"{settled.combo[0]}-{settled.combo[1]}"
    return f"{settled.kind}|{settled.number or ''}|{combo}|{settled.high or ''}|{base}"


def kind_of(wager: str) -> str:
    """The kind of a wager out of its particulars.

    >>> kind_of("odds|6|||come")
    'odds'
    """
    return wager[: wager.index("|")]


def added(actions: Iterable[Action]) -> Action:
    """The action of several tables or days together."""
    found: dict[str, Counter[str]] = {}
    for action in actions:
        for terms, staked in action.items():
            found.setdefault(terms, Counter()).update(staked)
    return {terms: dict(staked) for terms, staked in found.items()}


def variance(action: Action) -> Fraction:
    """The exact variance of the win that an action gives, in square cents."""
    squares = (
        (squared, terms, wager) for terms, staked in action.items() for wager, squared in staked.items()
    )
    return sum((squared * _per_unit(terms, wager) for squared, terms, wager in squares), Fraction(0))


@cache
def _per_unit(terms: str, wager: str) -> Fraction:
    """A wager as the pack knows it: a come bet is made without its number."""
    rules, version, notation, rate, on_win = orjson.loads(terms)
    kind, number, combo, high, base = wager.split("|")
    made_with = None if kind in ("come", "dont_come") else _whole(number)
    pack = pinned(rules, version).as_posted(notation)
    paid = Fraction(rate), made_with in on_win
    return edges.variance(pack, kind, made_with, _faces(combo), _whole(high), base or None, paid)


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _faces(text: str) -> tuple[int, int] | None:
    left, _, right = text.partition("-")
    return (int(left), int(right)) if text else None
