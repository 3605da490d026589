"""Rule packs: what one house's document says, as cited data, and how each kind of wager is decided.

A pack is a TOML file, one version of one rule set. The code knows five mechanisms only: a line with a
point, a number before seven (or seven before it), one roll split into legs, gather them all before a
seven, and odds behind a base. Everything else is an entry with its paragraph.
"""

import tomllib
from datetime import date
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from domain.money import odds
from domain.table import Table, Wager

SEVEN = 7
Price = Annotated[Fraction, BeforeValidator(lambda text: odds(text) if isinstance(text, str) else text)]
Prices = dict[int, Price]
Total = Annotated[int, Field(ge=2, le=12)]
Cite = Annotated[str, Field(min_length=3)]


class Verdict(NamedTuple):
    """How a roll decides a wager: `price` is the net on the whole stake where it won, `section` why."""

    outcome: Literal["won", "lost", "pushed", "returned"]
    price: Fraction | None
    section: str


class Move(NamedTuple):
    """The wager travels from the box to its number."""

    to: int


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Commission(_Model):
    """What the house takes for true odds."""

    basis: Literal["wager", "win"]
    section: Cite
    refund_section: Cite


class OverMax(_Model):
    """Numbers that may exceed the table maximum so that they can be paid, and by how much."""

    numbers: tuple[Total, ...]
    by: Price
    section: Cite


class _Wager(_Model):
    """What every wager's entry says. `section` defines it, `pays_section` prices it."""

    kind: str
    name: str
    made: Literal["any_time", "before_come_out", "point_on"]
    section: Cite
    section_of: dict[str, Cite] = {}  # where a number or pair of faces has a paragraph of its own
    pays_section: Cite
    unit: Annotated[int, Field(ge=1)] = 1  # of the table's chip
    minimum: bool = False  # bound by the posted minimum
    contract: bool = False  # may not be removed or reduced once it has its point
    locked: bool = False  # may not be touched once a roll has been taken
    commission: Commission | None = None
    over_max: OverMax | None = None
    printed_either_way: bool = False  # its odds can be read "to 1" or "for 1"
    reference: bool = False  # priced by the reference paytable, not by the document

    def defined(self, wager: Wager) -> str:
        """The paragraph that defines this wager."""
        own = _faces(wager.combo) if wager.combo else str(wager.number)
        return self.section_of.get(own, self.section)

    def _won(self, price: Fraction) -> Verdict:
        return Verdict("won", price, self.pays_section)

    def _lost(self, wager: Wager) -> Verdict:
        return Verdict("lost", None, self.defined(wager))

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether the document lists this wager with these particulars."""
        return True

    def potential(self, wager: Wager, point: int | None) -> Fraction | None:
        """The odds that the wager would be paid at, where they are known before the roll."""
        return None


class Line(_Wager):
    """Decided at once by some totals, else by its point against a seven. The wrong side reverses the point."""

    mechanism: Literal["line"]
    side: Literal["right", "wrong"]
    wins: frozenset[Total] = frozenset()
    loses: frozenset[Total] = frozenset()
    pushes: frozenset[Total] = frozenset()
    pays: Price
    numbers: tuple[Total, ...] = ()  # a put bet goes straight to one of these
    increase_section: str | None = None
    void_section: str | None = None

    @model_validator(mode="after")
    def _once(self) -> "Line":
        _apart(self.kind, self.wins, self.loses, self.pushes)
        return self

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether a put bet may be made on this number."""
        return not self.numbers or number is None or number in self.numbers

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """What the roll does to the wager, against the table as it lay before it."""
        total, point = sum(dice), table.point_of(wager)
        if point is not None:
            if total not in (point, SEVEN):
                return None
            won = (total == point) == (self.side == "right")
            return self._won(self.pays) if won else self._lost(wager)
        if total in self.wins:
            return self._won(self.pays)
        if total in self.pushes:
            return Verdict("pushed", Fraction(0), self.void_section or self.section)
        if total in self.loses:
            return self._lost(wager)
        return Move(total) if wager.in_box else None


class Number(_Wager):
    """One number before a seven; hard, only as a pair; to lose, the seven before the number."""

    mechanism: Literal["number"]
    pays: Prices
    hard: bool = False
    to_lose: bool = False

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether the document prices this number."""
        return number is None or number in self.pays

    def number_of(self, wager: Wager) -> int:
        """The wager's number; a kind with one number need not say it."""
        return next(iter(self.pays)) if wager.number is None else wager.number

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """What the roll does to the wager."""
        total, number = sum(dice), self.number_of(wager)
        if total not in (number, SEVEN):
            return None
        won = (total == number) != self.to_lose
        if won and self.hard and dice[0] != dice[1]:
            won = False
        return self._won(self.pays[number]) if won else self._lost(wager)

    def potential(self, wager: Wager, point: int | None) -> Fraction:
        """The number's price."""
        return self.pays[self.number_of(wager)]


class Leg(_Model):
    """A share of a one-roll wager, and the totals or faces that pay it."""

    units: Annotated[int, Field(ge=1)] = 1
    pays: Prices = {}
    faces: dict[str, Price] = {}

    def price(self, dice: tuple[int, int]) -> Fraction | None:
        """What the leg pays to one on these dice; None where it loses."""
        low, high = sorted(dice)
        return self.faces.get(f"{low}-{high}", self.pays.get(low + high))


class OneRoll(_Wager):
    """Decided by the next valid roll, whole: its winning legs less its losing ones."""

    mechanism: Literal["one_roll"]
    legs: Annotated[tuple[Leg, ...], Field(min_length=1)]
    high: bool = False  # one more unit on the leg of the player's choice
    choose: bool = False  # the player names one of the faces (hop)
    push_section: str | None = None

    @model_validator(mode="after")
    def _priced(self) -> "OneRoll":
        if any(not leg.pays and not leg.faces for leg in self.legs):
            raise ValueError(f"{self.kind} has a leg without odds")
        return self

    def offers(self, number: int | None, combo: tuple[int, int] | None, high: int | None) -> bool:
        """Whether the document lists these faces, this high number."""
        if self.choose:
            return combo is None or _faces(combo) in self.legs[0].faces
        return not self.high or high is None or any(high in leg.pays for leg in self.legs)

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """The net of all legs on the whole stake."""
        if self.choose:
            hit = wager.combo is not None and _faces(wager.combo) == _faces(dice)
            return self._won(self.legs[0].faces[_faces(dice)]) if hit else self._lost(wager)
        net = self._net(wager.high, dice)
        if net is None:
            return self._lost(wager)
        if net == 0:
            return Verdict("pushed", net, self.push_section or self.pays_section)
        return self._won(net)

    def _net(self, high: int | None, dice: tuple[int, int]) -> Fraction | None:
        units = [leg.units + (self.high and high in leg.pays) for leg in self.legs]
        prices = [leg.price(dice) for leg in self.legs]
        if all(price is None for price in prices):
            return None
        won = sum((n * p if p is not None else Fraction(-n)) for n, p in zip(units, prices, strict=True))
        return Fraction(won) / sum(units)


class Gather(_Wager):
    """Every one of some totals before any seven; paid on the roll that completes them."""

    mechanism: Literal["gather"]
    numbers: frozenset[Total]
    pays: Price

    def judge(self, wager: Wager, dice: tuple[int, int], table: Table) -> Verdict | Move | None:
        """Whether this roll completes the numbers, or kills them."""
        total = sum(dice)
        if total == SEVEN:
            return self._lost(wager)
        seen = self.numbers.intersection(t for t in table.totals[wager.rolls :] if t is not None)
        complete = total in self.numbers and len(seen | {total}) == len(self.numbers)
        return self._won(self.pays) if complete else None


class Odds(_Wager):
    """A supplemental wager that wins or loses with the base wager it supports."""

    mechanism: Literal["odds"]
    bases: tuple[str, ...]
    side: Literal["right", "wrong"]
    pays: Prices
    sleep_section: str | None = None

    def potential(self, wager: Wager, point: int | None) -> Fraction | None:
        """The price behind the base's point."""
        return self.pays.get(point) if point is not None else None


AnyEntry = Line | Number | OneRoll | Gather | Odds


class Reading(_Model):
    """A defect of the document and how this pack reads it, with the reason."""

    id: str
    says: str
    reading: str
    reason: str


class Limits(_Model):
    """What the document itself says of commission and odds, and of house options."""

    vig_rate: str = "1/20"
    vig_rate_is: Literal["fixed", "at_most", "house"] = "house"
    vig_on_win: bool = False  # may be collected from the winnings on numbers the house names
    vig_section: str | None = None
    odds_multiple: int | None = None
    odds_may_exceed_to_pay: bool = False
    odds_section: str | None = None
    case_bet_section: str | None = None
    one_marker_for_similar: bool = True
    needs_paytable: bool = False


class Sections(_Model):
    """Where the document speaks of procedure."""

    sleep: str
    removal: str
    wrong_side: str | None = None
    limits: str | None = None
    late_bet: str | None = None
    no_roll: dict[str, str] = {}
    no_roll_any: str | None = None
    overrule: dict[str, str] = {}
    faces: str | None = None
    shooter_line_bet: str | None = None
    seven_out: str | None = None
    order_pass: str | None = None
    pass_dice: str | None = None
    deny_play: str | None = None
    dice: str | None = None
    exception: str | None = None


class Pack(_Model):
    """One version of one rule set."""

    id: str
    version: int
    title: str
    authority: str
    cite: str  # how the document is cited in front of a section
    in_force_from: date | None = None
    in_force_until: date | None = None  # the first day on which it is no longer in force
    checked_on: date
    points: tuple[Total, ...]
    off_on_come_out: tuple[str, ...]
    limits: Limits
    sections: Sections
    wager: tuple[Annotated[AnyEntry, Field(discriminator="mechanism")], ...]
    reading: tuple[Reading, ...] = ()

    @cached_property
    def by_kind(self) -> dict[str, Line | Number | OneRoll | Gather]:
        """The entries of wagers that stand alone, by kind."""
        return {entry.kind: entry for entry in self.wager if not isinstance(entry, Odds)}

    @cached_property
    def by_base(self) -> dict[str, Odds]:
        """The odds entries, by the kind of wager that they support."""
        return {base: entry for entry in self.wager if isinstance(entry, Odds) for base in entry.bases}

    def entry(self, kind: str, base_kind: str | None = None) -> AnyEntry | None:
        """What the document says of a wager; None where it does not list it."""
        return self.by_base.get(base_kind or "") if kind == "odds" else self.by_kind.get(kind)

    def cited(self, section: str | None) -> str | None:
        """A section as the document cites itself."""
        return None if section is None else f"{self.cite}{section}"

    def in_force(self, day: date) -> bool:
        """Whether the document is law on a gaming day."""
        after = self.in_force_from is None or day >= self.in_force_from
        return after and (self.in_force_until is None or day < self.in_force_until)

    @model_validator(mode="after")
    def _whole(self) -> "Pack":
        kinds = [entry.kind for entry in self.wager if not isinstance(entry, Odds)]
        for kind in kinds:
            if kinds.count(kind) > 1:
                raise ValueError(f"{kind} is listed twice")
        for base in self.by_base:
            if base not in self.by_kind:
                raise ValueError(f"odds support {base}, which is not listed")
        return self


def _apart(kind: str, *sets: frozenset[int]) -> None:
    for i, one in enumerate(sets):
        for other in sets[i + 1 :]:
            if both := one & other:
                raise ValueError(f"{kind} is decided twice on {min(both)}")


def _faces(dice: tuple[int, int]) -> str:
    low, high = sorted(dice)
    return f"{low}-{high}"


def read_pack(text: str) -> Pack:
    """Read a pack from its TOML text. Raises ValueError where it is wrong."""
    data: dict[str, Any] = tomllib.loads(text)
    return Pack.model_validate(data)


@cache
def packs() -> dict[str, Pack]:
    """The packs that ship with the program, by id, the newest version of each."""
    found: dict[str, Pack] = {}
    for file in sorted(resources.files("domain.rules").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            pack = read_pack(file.read_text(encoding="utf-8"))
            if pack.id not in found or found[pack.id].version < pack.version:
                found[pack.id] = pack
    return found


@cache
def pinned(id_: str, version: int) -> Pack:
    """The pack that a table was opened with."""
    for file in resources.files("domain.rules").iterdir():
        if file.name.endswith(".toml"):
            pack = read_pack(file.read_text(encoding="utf-8"))
            if (pack.id, pack.version) == (id_, version):
                return pack
    raise LookupError(f"this program has no version {version} of the rule set {id_}")
