"""Rule packs: what one house's document says, as cited data, and how each kind of wager is decided.

A pack is a TOML file, one version of one rule set. The code knows five mechanisms only: a line with a
point, a number before seven (or seven before it), one roll split into legs, gather them all before a
seven, and odds behind a base. Everything else is an entry with its paragraph. These models hold what a
pack says; whether it makes sense is `domain.rules.check`'s to find.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator

from domain.money import odds
from domain.table import SEVEN, Table, Wager, family

_PRICE = re.compile(r"[1-9]\d{0,5}( to |/)[1-9]\d{0,5}")
_Which = TypeVar("_Which")


class Verdict(NamedTuple):
    """How a roll decides a wager: `price` is the net on the whole stake where it won, `section` why."""

    outcome: Literal["won", "lost", "pushed", "returned"]
    price: Fraction | None
    section: str


class Move(NamedTuple):
    """The wager travels from the box to its number."""

    to: int


def _price(value: object) -> Fraction:
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, str) or not _PRICE.fullmatch(value):
        raise ValueError('needs a price in quotes, a positive fraction like "7 to 6"')
    return odds(value)


def _rate(value: str) -> str:
    if not re.fullmatch(r"0|\d{1,6}/[1-9]\d{0,5}", value) or Fraction(value) >= 1:
        raise ValueError('needs a fraction from 0 to less than 1, like "1/20"')
    return value


def _cited(value: str) -> str:
    if not value.strip():
        raise ValueError("cites nothing")
    return value


def _said(value: str) -> str:
    if not value.strip():
        raise ValueError("says nothing")
    return value


Price = Annotated[Fraction, PlainValidator(_price)]
Total = Annotated[int, Field(ge=2, le=12)]
Prices = dict[Total, Price]
Faces = Annotated[str, Field(pattern=r"^[1-6]-[1-6]$")]
Cite = Annotated[str, AfterValidator(_cited)]
Words = Annotated[str, AfterValidator(_said)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Commission(_Model):
    """What the house takes for true odds: when the wager is made or, where the law allows it, on a win."""

    basis: Literal["wager", "win"]
    section: Cite
    on_win_section: Cite | None = None
    refund_section: Cite


class OverMax(_Model):
    """Numbers that may exceed the table maximum so that they can be paid, and by how much."""

    numbers: tuple[Total, ...]
    by: Price
    section: Cite


class _Wager(_Model):
    """What every wager's entry says. `section` defines it, `pays_section` prices it."""

    kind: Name
    name: Words
    made: Literal["any_time", "before_come_out", "point_on"]
    section: Cite
    section_of: dict[str, Cite] = {}  # where a number or pair of faces has a paragraph of its own
    lost_in: str = ""  # the sub-item on losing, as it follows the defining paragraph
    section_on: dict[Total, Cite] = {}  # where the document decides by the total thrown
    pays_section: Cite
    unit: Annotated[int, Field(ge=1)] = 1  # of the table's chip
    unit_section: Cite | None = None
    minimum: bool = False  # bound by the posted minimum
    contract: bool = False  # may not be removed or reduced once it has its point
    locked: bool = False  # may not be touched once a roll has been taken
    commission: Commission | None = None
    over_max: OverMax | None = None
    reference: bool = False  # priced by the reference paytable, not by the document

    def defined(self, wager: Wager) -> str:
        """The paragraph that defines this wager."""
        own = faces(wager.combo) if wager.combo else str(wager.number)
        return self.section_of.get(own, self.section)

    def _won(self, price: Fraction, total: int) -> Verdict:
        return Verdict("won", price, self.section_on.get(total, self.pays_section))

    def _lost(self, wager: Wager, total: int) -> Verdict:
        return Verdict("lost", None, self.section_on.get(total, self.defined(wager) + self.lost_in))

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether the document lists this wager with these particulars."""
        return True

    def potential(self, wager: Wager, point: int | None) -> Fraction | None:
        """The odds that the wager would be paid at, where they are known before the roll."""
        return None


class Line(_Wager):
    """Decided at once by some totals, else by its point against a seven; on the wrong side, the other way."""

    mechanism: Literal["line"]
    side: Literal["right", "wrong"]
    wins: frozenset[Total] = frozenset()
    loses: frozenset[Total] = frozenset()
    pushes: frozenset[Total] = frozenset()
    pays: Price
    numbers: tuple[Total, ...] = ()  # a put bet goes straight to one of these
    increase_section: Cite | None = None
    void_section: Cite | None = None
    point_section: Cite | None = None  # where the point made has a paragraph of its own,
    seven_section: Cite | None = None  # and the seven before it

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether a put bet may be made on this number."""
        return not self.numbers or number in self.numbers

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """What the roll does to the wager, against the table as it lay before it."""
        total, point = sum(dice), table.point_of(wager)
        if point is not None:
            return self._at_point(wager, total, point) if total in (point, SEVEN) else None
        if total in self.wins:
            return self._won(self.pays, total)
        if total in self.pushes:
            return Verdict("pushed", Fraction(0), self.void_section or self.section)
        if total in self.loses:
            return self._lost(wager, total)
        return Move(total) if wager.in_box else None

    def _at_point(self, wager: Wager, total: int, point: int) -> Verdict:
        won = (total == point) == (self.side == "right")
        verdict = self._won(self.pays, total) if won else self._lost(wager, total)
        own = self.point_section if total == point else self.seven_section
        return verdict._replace(section=own) if own else verdict


class Number(_Wager):
    """One number before a seven; hard, only as a pair; to lose, the seven before the number."""

    mechanism: Literal["number"]
    numbers: Annotated[tuple[Total, ...], Field(min_length=1)]  # that the document lists,
    pays: Prices  # and that it prices
    hard: bool = False
    to_lose: bool = False
    printed_either_way: bool = False  # its prices can be read "to 1" or "for 1"

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether the document lists this number; a kind with one number need not say it."""
        return number in self.numbers or (number is None and len(self.numbers) == 1)

    def number_of(self, wager: Wager) -> int:
        """The wager's number."""
        return self.numbers[0] if wager.number is None else wager.number

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """What the roll does to the wager."""
        total, number = sum(dice), self.number_of(wager)
        if total not in (number, SEVEN):
            return None
        won = (total == number) != self.to_lose
        if won and self.hard and dice[0] != dice[1]:
            won = False
        return self._won(self.pays[number], total) if won else self._lost(wager, total)

    def potential(self, wager: Wager, point: int | None) -> Fraction:
        """The number's price."""
        return self.pays[self.number_of(wager)]

    def for_one(self) -> "Number":
        """The same wager with "N for 1" read as N - 1 to 1, where its prices can be read either way."""
        return self.model_copy(update={"pays": _less_one(self.pays)}) if self.printed_either_way else self


class Leg(_Model):
    """A share of a one-roll wager, and the totals or faces that pay it."""

    units: Annotated[int, Field(ge=1)] = 1
    pays: Prices = {}
    faces: dict[Faces, Price] = {}

    def price(self, dice: tuple[int, int]) -> Fraction | None:
        """What the leg pays to one on these dice; None where it loses."""
        return self.faces.get(faces(dice), self.pays.get(sum(dice)))


class OneRoll(_Wager):
    """Decided by the next valid roll, whole: its winning legs less its losing ones."""

    mechanism: Literal["one_roll"]
    legs: Annotated[tuple[Leg, ...], Field(min_length=1)]
    high: bool = False  # one more unit on the leg of the player's choice
    choose: bool = False  # the player names one of the faces (hop)
    printed_either_way: bool = False  # its prices can be read "to 1" or "for 1"
    push_section: Cite | None = None

    @property
    def highs(self) -> tuple[int, ...]:
        """The totals that the player may have one more unit on."""
        return tuple(total for leg in self.legs for total in leg.pays) if self.high else ()

    @property
    def nets(self) -> Iterator[Fraction]:
        """What each throw that does not lose pays on the whole stake, whatever the player chose."""
        for high, dice in product(self.highs or (None,), product(range(1, 7), repeat=2)):
            net = self._net(high, (dice[0], dice[1]))
            if net is not None:
                yield net

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether the document lists these faces, this high number."""
        if self.choose:
            return combo is not None and faces(combo) in self.legs[0].faces
        return not self.high or high in self.highs

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """The net of all legs on the whole stake."""
        missed = self.choose and (wager.combo is None or faces(wager.combo) != faces(dice))
        net = None if missed else self._net(wager.high, dice)
        if net is None:
            return self._lost(wager, sum(dice))
        if net == 0:
            return Verdict("pushed", net, self.push_section or self.pays_section)
        return self._won(net, sum(dice))

    def _net(self, high: int | None, dice: tuple[int, int]) -> Fraction | None:
        units = [leg.units + (self.high and high in leg.pays) for leg in self.legs]
        prices = [leg.price(dice) for leg in self.legs]
        if all(price is None for price in prices):
            return None
        won = sum((n * p if p is not None else Fraction(-n)) for n, p in zip(units, prices, strict=True))
        return Fraction(won) / sum(units)

    def for_one(self) -> "OneRoll":
        """The same wager with "N for 1" read as N - 1 to 1, where its prices can be read either way."""
        if not self.printed_either_way:
            return self
        legs = tuple(
            leg.model_copy(update={"pays": _less_one(leg.pays), "faces": _less_one(leg.faces)})
            for leg in self.legs
        )
        return self.model_copy(update={"legs": legs})


class Gather(_Wager):
    """Every one of some totals before any seven; paid on the roll that completes them."""

    mechanism: Literal["gather"]
    numbers: Annotated[frozenset[Total], Field(min_length=1)]
    pays: Price

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """Whether this roll completes the numbers, or kills them."""
        total = sum(dice)
        if total == SEVEN:
            return self._lost(wager, total)
        seen = self.numbers.intersection(t for t in table.totals[wager.rolls :] if t is not None)
        complete = total in self.numbers and len(seen | {total}) == len(self.numbers)
        return self._won(self.pays, total) if complete else None


class Odds(_Wager):
    """A supplemental wager that wins or loses with the base wager it supports."""

    mechanism: Literal["odds"]
    bases: Annotated[tuple[str, ...], Field(min_length=1)]
    side: Literal["right", "wrong"]
    pays: Prices
    pays_section_of: dict[str, Cite] = {}  # where a point's price has a paragraph of its own
    sleep_section: Cite | None = None

    def follow(self, verdict: Verdict, point: int) -> Verdict:
        """What becomes of odds whose base a roll decided so, at this point."""
        if verdict.outcome == "won":
            return Verdict("won", self.pays[point], self.pays_section_of.get(str(point), self.pays_section))
        return Verdict(verdict.outcome, None, self.section)

    def potential(self, wager: Wager, point: int | None) -> Fraction | None:
        """The price behind the base's point."""
        return self.pays.get(point) if point is not None else None


Flat = Line | Number | OneRoll | Gather
"""A wager that stands alone."""

AnyEntry = Flat | Odds


class Reading(_Model):
    """A defect or silence of the document and how this pack reads it, with the reason."""

    id: Words
    says: Words
    reading: Words
    reason: Words


class Limits(_Model):
    """What the document itself says of commission and odds, and of house options."""

    vig_rate: Annotated[str, AfterValidator(_rate)] = "1/20"
    vig_rate_is: Literal["fixed", "at_most", "house"] = "house"
    vig_on_win: bool = False  # may be collected from the winnings on numbers the house names
    vig_section: Cite | None = None
    odds_multiple: Annotated[int, Field(ge=1)] | None = None
    odds_may_exceed_to_pay: bool = False
    odds_section: Cite | None = None
    case_bet_section: Cite | None = None
    one_marker_for_similar: bool = True
    needs_paytable: bool = False

    def allows_rate(self, rate: Fraction) -> bool:
        """Whether a house may take this commission."""
        law = Fraction(self.vig_rate)
        return self.vig_rate_is == "house" or rate == law or (self.vig_rate_is == "at_most" and rate < law)

    @property
    def rate_in_words(self) -> str:
        """The commission that the document allows."""
        words = {"fixed": "exactly {}", "at_most": "at most {}", "house": "{} unless posted otherwise"}
        return words[self.vig_rate_is].format(self.vig_rate)


class Sections(_Model):
    """Where the document speaks of procedure."""

    sleep: Cite
    removal: Cite
    wrong_side: Cite | None = None
    limits: Cite | None = None
    late_bet: Cite | None = None
    no_roll: dict[str, Cite] = {}
    no_roll_any: Cite | None = None
    overrule: dict[str, Cite] = {}
    faces: Cite | None = None
    shooter_line_bet: Cite | None = None
    seven_out: Cite | None = None
    order_pass: Cite | None = None
    pass_dice: Cite | None = None
    deny_play: Cite | None = None
    dice: Cite | None = None
    exception: Cite | None = None


class Pack(_Model):
    """One version of one rule set."""

    id: Name
    version: Annotated[int, Field(ge=1)]
    title: Words
    authority: Words
    cite: Cite  # how the document is cited in front of a section
    in_force_from: date | None = None
    in_force_until: date | None = None  # the first day on which it is no longer in force
    checked_on: date
    points: Annotated[tuple[Total, ...], Field(min_length=1)]
    off_on_come_out: tuple[str, ...]
    limits: Limits
    sections: Sections
    wager: Annotated[tuple[Annotated[AnyEntry, Field(discriminator="mechanism")], ...], Field(min_length=1)]
    reading: tuple[Reading, ...] = ()

    @cached_property
    def by_kind(self) -> dict[str, Flat]:
        """The entries of wagers that stand alone, by kind."""
        return {entry.kind: entry for entry in self.wager if not isinstance(entry, Odds)}

    @cached_property
    def by_base(self) -> dict[str, Odds]:
        """The odds entries, by the kind of wager that they support."""
        return {base: entry for entry in self.wager if isinstance(entry, Odds) for base in entry.bases}

    @cached_property
    def prices(self) -> frozenset[Fraction]:
        """Every price that some wager is paid at, net on its whole stake."""
        return frozenset(price for entry in self.wager for price in _prices(entry))

    @cached_property
    def families(self) -> frozenset[str]:
        """What one On marker can speak for: a kind of wager, or the odds on one."""
        return frozenset(self.by_kind) | {family("odds", base) for base in self.by_base}

    def entry(self, kind: str, base_kind: str | None = None) -> AnyEntry | None:
        """What the document says of a wager; None where it does not list it."""
        return self.by_base.get(base_kind or "") if kind == "odds" else self.by_kind.get(kind)

    def cited(self, section: str | None) -> str | None:
        """A section as the document cites itself; what is house policy is said to be that."""
        if section is None or section.startswith("house policy"):
            return section
        return f"{self.cite}{section}"

    def in_force(self, day: date) -> bool:
        """Whether the document is law on a gaming day."""
        after = self.in_force_from is None or day >= self.in_force_from
        return after and (self.in_force_until is None or day < self.in_force_until)

    def as_posted(self, notation: str) -> "Pack":
        """The pack with its prices read as the house posted them: "to" one or "for" one."""
        if notation == "to":
            return self
        read = tuple(e.for_one() if isinstance(e, Number | OneRoll) else e for e in self.wager)
        return Pack.model_construct(**dict(self) | {"wager": read})


def faces(dice: Iterable[int]) -> str:
    """Two faces in either order, as a pack writes them.

    >>> faces((5, 3))
    '3-5'
    """
    return "-".join(map(str, sorted(dice)))


def _prices(entry: AnyEntry) -> Iterable[Fraction]:
    match entry:
        case Line() | Gather():
            return (entry.pays,)
        case Number() | Odds():
            return entry.pays.values()
        case OneRoll():
            return entry.nets


def _less_one(pays: dict[_Which, Fraction]) -> dict[_Which, Fraction]:
    return {which: price - 1 for which, price in pays.items()}
