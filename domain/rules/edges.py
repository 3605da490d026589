"""The exact house edge of a wager, found by letting its own mechanism decide every throw.

A wager is a small chain: in each state the 36 throws decide it, move it or leave it. `figures` walks the
chain in fractions, so what it finds is what the table pays. The published figures are in the tests.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

from domain.rules.pack import AnyEntry, Gather, Line, Move, Odds, Pack, Verdict
from domain.table import Table, Wager

THROWS = tuple(product(range(1, 7), repeat=2))


class State(NamedTuple):
    """Where an undecided wager stands: the puck, its own number, the totals gathered."""

    puck: int | None
    number: int | None
    gathered: frozenset[int]


class Figures(NamedTuple):
    """Exact figures of one wager, positive for the house, per unit staked.

    `resolved` leaves pushes out; `on_outlay` counts commission paid up front as part of the outlay;
    `rolls` are the rolls it is expected to work for.
    """

    per_bet: Fraction
    resolved: Fraction
    on_outlay: Fraction
    rolls: Fraction
    won: Fraction
    pushed: Fraction

    @property
    def per_roll(self) -> Fraction:
        """The edge for each roll that the wager works for."""
        return self.per_bet / self.rolls


class Terms(NamedTuple):
    """The commission on one wager: its rate on the stake, and whether only a win pays it."""

    rate: Fraction = Fraction(0)
    on_win: bool = False


def figures(entry: AnyEntry, wager: Wager, start: State, points: tuple[int, ...], terms: Terms) -> Figures:
    """Walk the chain of a wager from `start`."""
    up_front = Fraction(0) if terms.on_win else terms.rate

    def net(verdict: Verdict) -> Fraction:
        if verdict.outcome == "won" and verdict.price is not None:
            return verdict.price - (terms.rate if terms.on_win else 0)
        return Fraction(-1 if verdict.outcome == "lost" else 0)

    walk = _walker(entry, wager, points)
    loss = up_front - walk(start, net, False)
    pushed = walk(start, lambda verdict: Fraction(verdict.outcome == "pushed"), False)
    return Figures(
        per_bet=loss,
        resolved=loss / (1 - pushed),
        on_outlay=loss / (1 + up_front),
        rolls=walk(start, lambda verdict: Fraction(0), True),
        won=walk(start, lambda verdict: Fraction(verdict.outcome == "won"), False),
        pushed=pushed,
    )


def _walker(
    entry: AnyEntry, wager: Wager, points: tuple[int, ...]
) -> Callable[[State, Callable[[Verdict], Fraction], bool], Fraction]:
    """A function of a state: what a verdict is worth (or a roll counts), expected over the whole chain."""

    @cache
    def throws(state: State) -> tuple[Verdict | State, ...]:
        return tuple(_throw(entry, wager, state, dice, points) for dice in THROWS)

    def expected(
        state: State,
        worth: Callable[[Verdict], Fraction],
        count_rolls: bool,
        known: dict[State, Fraction] | None = None,
    ) -> Fraction:
        known = {} if known is None else known
        if state not in known:
            sum_ = Fraction(36 if count_rolls else 0)
            stays = 0
            for after in throws(state):
                if isinstance(after, Verdict):
                    sum_ += worth(after)
                elif after == state:
                    stays += 1
                else:
                    sum_ += expected(after, worth, count_rolls, known)
            known[state] = sum_ / (36 - stays)
        return known[state]

    return expected


def _throw(
    entry: AnyEntry, wager: Wager, state: State, dice: tuple[int, int], points: tuple[int, ...]
) -> Verdict | State:
    assert not isinstance(entry, Odds), "odds have no edge of their own"
    table = Table()
    table.puck = state.puck
    table.totals = list(state.gathered)
    verdict = entry.judge(wager._replace(number=state.number), dice, table)
    total = sum(dice)
    if isinstance(verdict, Verdict):
        return verdict
    if isinstance(verdict, Move):
        return state._replace(number=verdict.to)
    if isinstance(entry, Line) and state == State(None, None, frozenset()) and total in points:
        return state._replace(puck=total)
    if isinstance(entry, Gather) and total in entry.numbers:
        return state._replace(gathered=state.gathered | {total})
    return state


def start_of(entry: AnyEntry, kind: str, number: int | None) -> State:
    """Where a wager starts: a line bet made with the point On has its point already."""
    if isinstance(entry, Line) and kind in ("pass", "put_pass") and number is not None:
        return State(number, None, frozenset())
    return State(None, number, frozenset())


def terms_of(entry: AnyEntry, wager: Wager, rate: Fraction, on_win: bool) -> Terms:
    """The commission as a share of the stake."""
    if entry.commission is None:
        return Terms()
    basis = Fraction(1)
    if entry.commission.basis == "win":
        basis = entry.potential(wager, None) or Fraction(0)
    return Terms(rate * basis, on_win)


_EDGES: dict[tuple[object, ...], str] = {}


def edge(wager: Wager, table: Table, pack: Pack) -> str:
    """The house's exact edge on a wager per unit staked, as a fraction; odds have none."""
    house = table.house
    assert house is not None, wager
    on_win = wager.number in house.vig_on_win
    number = None if wager.kind in ("come", "dont_come") else wager.number
    key = (
        pack.id, pack.version, house.notation, house.vig_rate, on_win, wager.kind, number, wager.combo, wager.high
    )  # fmt: skip
    if key not in _EDGES:
        _EDGES[key] = str(_edge(wager, number, Fraction(house.vig_rate), on_win, pack))
    return _EDGES[key]


def _edge(wager: Wager, number: int | None, rate: Fraction, on_win: bool, pack: Pack) -> Fraction:
    entry = pack.entry(wager.kind)
    if wager.kind == "odds" or entry is None:
        return Fraction(0)
    terms = terms_of(entry, wager, rate, on_win)
    return figures(entry, wager, start_of(entry, wager.kind, number), pack.points, terms).per_bet
