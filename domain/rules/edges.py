"""The exact house edge of a wager, found by letting its own mechanism decide every throw.

A wager is a small chain: in each state the 36 throws decide it, move it or leave it. `figures` walks the
chain in fractions, so what it finds is what the table pays. The published figures are in the tests.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Literal, NamedTuple

from domain.rules.pack import AnyEntry, Flat, Gather, Line, Move, Number, Odds, OneRoll, Pack, Verdict
from domain.table import PUCK_KINDS, Table, Wager

THROWS = tuple((left, right) for left in range(1, 7) for right in range(1, 7))

Paid = Literal["up_front", "on_win"]
"""When the commission on a wager is due."""


class State(NamedTuple):
    """Where an undecided wager stands: the puck, its own number, the totals gathered."""

    puck: int | None = None
    number: int | None = None
    gathered: frozenset[int] = frozenset()


class Made(NamedTuple):
    """A wager as it is made: what decides it, with what particulars, from where on."""

    entry: Flat  # of the wager itself, or of the base that the odds support
    wager: Wager
    start: State
    odds: Odds | None = None


class Terms(NamedTuple):
    """The commission on one wager: its rate on the stake, and whether only a win pays it."""

    rate: Fraction = Fraction(0)
    on_win: bool = False


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


class Edge(NamedTuple):
    """One row of a rule set's edges: a wager with its particulars, and its figures."""

    kind: str
    name: str
    number: int | None
    combo: tuple[int, int] | None
    high: int | None
    base: str | None
    commission: Paid | None
    figures: Figures
    section: str


# ------------------------------------------------------------------------------------------ every wager


def edges(pack: Pack, rate: Fraction) -> Iterator[Edge]:
    """Every wager of a pack, its prices as they are posted, with commission at `rate`."""
    for entry in pack.wager:
        for made in _ways(entry, pack):
            for paid in _when_paid(entry, pack):
                terms = _terms(entry, made.wager, rate, on_win=paid == "on_win")
                yield _row(entry, made, paid, figures(made, pack.points, terms), pack)


def _ways(entry: AnyEntry, pack: Pack) -> Iterator[Made]:
    """Every way to make a wager that the pack tells apart."""
    match entry:
        case Line():
            yield from (_made(pack, entry.kind, number) for number in _starts(entry, pack))
        case Number():
            several = len(entry.numbers) > 1
            yield from (_made(pack, entry.kind, number if several else None) for number in entry.numbers)
        case OneRoll(choose=True):
            for pair in sorted(entry.legs[0].faces):
                low, high = map(int, pair.split("-"))
                yield _made(pack, entry.kind, combo=(low, high))
        case OneRoll():
            yield from (_made(pack, entry.kind, high=high) for high in entry.highs or (None,))
        case Gather():
            yield _made(pack, entry.kind)
        case Odds():
            for base in entry.bases:
                yield from (_made(pack, "odds", point, base=base) for point in pack.points)


def _starts(entry: Line, pack: Pack) -> tuple[int | None, ...]:
    """The points that a line wager can be made with: none yet, those of a put bet, or the puck's."""
    if entry.numbers:
        return entry.numbers
    if not entry.wins | entry.loses | entry.pushes:
        return pack.points
    late = entry.kind in PUCK_KINDS and entry.made == "any_time"
    return (None, *pack.points) if late else (None,)


def _when_paid(entry: AnyEntry, pack: Pack) -> tuple[Paid | None, ...]:
    if entry.commission is None:
        return (None,)
    return ("up_front", "on_win") if pack.limits.vig_on_win else ("up_front",)


def _row(entry: AnyEntry, made: Made, paid: Paid | None, exact: Figures, pack: Pack) -> Edge:
    return Edge(
        kind=entry.kind,
        name=entry.name,
        number=made.wager.number,
        combo=made.wager.combo,
        high=made.wager.high,
        base=made.entry.kind if made.odds else None,
        commission=paid,
        figures=exact,
        section=pack.cited(_section(entry, made, paid)) or "",
    )


def _section(entry: AnyEntry, made: Made, paid: Paid | None) -> str:
    """The paragraph of the wager, and that of its commission where it has one of its own."""
    section, commission = entry.defined(made.wager), entry.commission
    if commission is None:
        return section
    own = (commission.on_win_section if paid == "on_win" else None) or commission.section
    return section if own == section else f"{section}, {own}"


# ------------------------------------------------------------------------------------------ one wager

_EDGES: dict[tuple[object, ...], str] = {}


def edge(wager: Wager, table: Table, pack: Pack) -> str:
    """The house's exact edge on a wager of a table per unit staked, as a fraction."""
    house = table.house
    assert house is not None, wager
    base = table.wagers[wager.base] if wager.base else None
    number = table.point_of(base) if base else None if wager.kind in ("come", "dont_come") else wager.number
    particulars = (wager.kind, number, wager.combo, wager.high, base.kind if base else None)
    on_win = wager.number in house.vig_on_win
    key = (pack.id, pack.version, house.notation, house.vig_rate, on_win, *particulars)
    if key not in _EDGES:
        made = _made(pack, *particulars)
        terms = _terms(made.odds or made.entry, made.wager, Fraction(house.vig_rate), on_win=on_win)
        _EDGES[key] = str(figures(made, pack.points, terms).per_bet)
    return _EDGES[key]


def _made(
    pack: Pack,
    kind: str,
    number: int | None = None,
    combo: tuple[int, int] | None = None,
    high: int | None = None,
    base: str | None = None,
) -> Made:
    """A wager of a pack as it is made; odds on a `base` of this number, a line wager made with this point."""
    judged = base or kind
    entry = pack.by_kind[judged]
    wager = Wager("", "", judged, 1, judged, order=0, rolls=0, number=number, combo=combo, high=high)
    start = State(puck=number) if judged in PUCK_KINDS else State(number=number)
    return Made(entry, wager, start, pack.by_base[base] if base else None)


def _terms(entry: AnyEntry, wager: Wager, rate: Fraction, *, on_win: bool) -> Terms:
    """The commission as a share of the stake."""
    if entry.commission is None:
        return Terms()
    basis = Fraction(1)
    if entry.commission.basis == "win":
        basis = entry.potential(wager, None) or Fraction(0)
    return Terms(rate * basis, on_win)


def figures(made: Made, points: tuple[int, ...], terms: Terms) -> Figures:
    """Walk the chain of a wager to its end."""
    up_front = Fraction(0) if terms.on_win else terms.rate

    def net(verdict: Verdict) -> Fraction:
        if verdict.outcome == "won" and verdict.price is not None:
            return verdict.price - (terms.rate if terms.on_win else 0)
        return Fraction(-1 if verdict.outcome == "lost" else 0)

    throws = _throws(made, points)
    loss = up_front - _expected(made.start, throws, net)
    pushed = _expected(made.start, throws, lambda verdict: Fraction(verdict.outcome == "pushed"))
    return Figures(
        per_bet=loss,
        resolved=loss / (1 - pushed),
        on_outlay=loss / (1 + up_front),
        rolls=_expected(made.start, throws, lambda verdict: Fraction(0), each_roll=1),
        won=_expected(made.start, throws, lambda verdict: Fraction(verdict.outcome == "won")),
        pushed=pushed,
    )


def variance(
    pack: Pack,
    kind: str,
    number: int | None,
    combo: tuple[int, int] | None,
    high: int | None,
    base: str | None,
    terms: tuple[Fraction, bool],
) -> Fraction:
    """The exact variance of what a wager wins or loses, per unit staked, squared units.

    `terms` are the rate of commission at the table, and whether only a win pays it: then it makes wins
    smaller; paid up front it moves every outcome alike and varies nothing.

    >>> from domain.rules.shelf import packs
    >>> variance(packs()["ia-prairie-meadows"], "pass", None, None, None, None, (Fraction(0), False))
    Fraction(244976, 245025)
    """
    made = _made(pack, kind, number, combo, high, base)
    rate, on_win = _terms(made.odds or made.entry, made.wager, terms[0], on_win=terms[1])
    on_wins = rate if on_win else Fraction(0)

    def net(verdict: Verdict) -> Fraction:
        if verdict.outcome == "won" and verdict.price is not None:
            return verdict.price - on_wins
        return Fraction(-1 if verdict.outcome == "lost" else 0)

    throws = _throws(made, pack.points)
    mean = _expected(made.start, throws, net)
    return _expected(made.start, throws, lambda verdict: net(verdict) ** 2) - mean**2


_Throws = Callable[[State], Counter[Verdict | State]]


def _expected(
    start: State, throws: _Throws, worth: Callable[[Verdict], Fraction], each_roll: int = 0
) -> Fraction:
    """What the verdict at the end of the chain is worth, expected; `each_roll` counts on the way to it."""

    @cache
    def expected(state: State) -> Fraction:
        after = throws(state)
        sum_ = Fraction(each_roll * len(THROWS))
        for end, ways in after.items():
            if isinstance(end, Verdict):
                sum_ += ways * worth(end)
            elif end != state:
                sum_ += ways * expected(end)
        return sum_ / (len(THROWS) - after[state])

    return expected(start)


def _throws(made: Made, points: tuple[int, ...]) -> _Throws:
    """What the 36 throws make of the wager in a state: how many of them lead to which verdict or state."""
    table = Table()

    @cache
    def throws(state: State) -> Counter[Verdict | State]:
        table.puck, table.totals = state.puck, list(state.gathered)
        wager = made.wager._replace(number=state.number)
        point = table.point_of(wager)
        judged = ((sum(dice), made.entry.judge(wager, dice, table)) for dice in THROWS)
        return Counter(_after(total, verdict, state, made, point, points) for total, verdict in judged)

    return throws


def _after(
    total: int,
    verdict: Verdict | Move | None,
    state: State,
    made: Made,
    point: int | None,
    points: tuple[int, ...],
) -> Verdict | State:
    """Where a throw leaves the wager: decided (its odds with it), moved, behind a new point, or as it was."""
    if isinstance(verdict, Verdict):
        return made.odds.follow(verdict, point) if made.odds and point is not None else verdict
    if isinstance(verdict, Move):
        return state._replace(number=verdict.to)
    if isinstance(made.entry, Line) and state == State() and total in points:
        return state._replace(puck=total)
    if isinstance(made.entry, Gather) and total in made.entry.numbers:
        return state._replace(gathered=state.gathered | {total})
    return state


def percent(figure: Fraction) -> str:
    """A figure as a percentage, to four places; exact where the fraction says so.

    >>> percent(Fraction(7, 495)), percent(Fraction(-1, 2))
    ('1.4141', '-50.0000')
    """
    parts = round(abs(figure) * 1_000_000)
    sign = "-" if figure < 0 and parts else ""
    return f"{sign}{parts // 10_000}.{parts % 10_000:04}"
