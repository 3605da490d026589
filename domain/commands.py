"""What can be said to a table: the commands of the table log, a public contract.

One JSON object a line, told apart by `do`. Fields are added, never renamed or removed. Money is whole
cents, dice are `[left, right]`, times are RFC 3339 with an offset. A command is only a wish: what comes
of it is decided by `domain.decide`.
"""

import re
from datetime import date, datetime
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    model_validator,
)

from domain.money import LARGEST_AMOUNT


class Role(StrEnum):
    """What someone is at the property; some roles have a rank in a call of the dice."""

    DEALER = "dealer"
    STICKMAN = "stickman"
    BOXMAN = "boxman"
    FLOOR = "floor"
    PIT_MANAGER = "pit_manager"
    SHIFT_MANAGER = "shift_manager"
    CAGE = "cage"
    SECURITY = "security"
    COUNT = "count"
    SURVEILLANCE = "surveillance"
    AUDIT = "audit"
    DEVICE = "device"


RANK = {
    Role.DEALER: 1,
    Role.STICKMAN: 1,
    Role.BOXMAN: 2,
    Role.FLOOR: 2,
    Role.PIT_MANAGER: 3,
    Role.SHIFT_MANAGER: 4,
}
"""Rank in a call; the rules' "casino supervisor" is the boxman or the floor (RULES 9)."""

YEARS = range(1900, 3000)
_Day = TypeVar("_Day", date, datetime)
_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,6})?([Zz]|[+-]\d{2}:\d{2})")


def _rfc3339(value: object) -> object:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise ValueError('needs a time with an offset, like "2026-11-28T20:00:03-06:00"')
    return value


def _of_our_age(value: _Day) -> _Day:
    """No calendar can reckon with the first and the last year it knows: every clock has another offset."""
    if value.year not in YEARS:
        raise ValueError(f"is in the year {value.year}: a ledger holds 1900 to 2999")
    return value


def _rate(value: str) -> str:
    try:
        if not 0 <= Fraction(value) < 1 or "." in value:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise ValueError('needs a fraction from 0 to less than 1, like "1/20"') from None
    return str(Fraction(value))


Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,64}$")]
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]{1,1000}$")]
Kind = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Cents = Annotated[int, Field(ge=-LARGEST_AMOUNT, le=LARGEST_AMOUNT)]
PositiveCents = Annotated[int, Field(gt=0, le=LARGEST_AMOUNT)]
NaturalCents = Annotated[int, Field(ge=0, le=LARGEST_AMOUNT)]
Face = Annotated[int, Field(ge=1, le=6)]
Dice = tuple[Face, Face]
Moment = Annotated[datetime, Field(strict=False), BeforeValidator(_rfc3339), AfterValidator(_of_our_age)]
Day = Annotated[date, AfterValidator(_of_our_age)]
Denomination = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,15}$")]
Chips = NaturalCents | dict[Denomination, NaturalCents]
"""Chips by denomination, `{"2500": 1500000}` (cents of denomination -> cents of value), or a bare sum."""
Rate = Annotated[str, AfterValidator(_rate)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Actor(_Model):
    """Who did it."""

    badge: Name
    role: Annotated[Role, Field(strict=False)]


class Vig(_Model):
    """The house's commission on buy and lay wagers, and the buy numbers that pay it only on a win."""

    rate: Rate = "1/20"
    on_win: tuple[int, ...] = ()


class _Command(_Model):
    id: Id
    at: Moment
    by: Actor
    table: Name

    def stream(self) -> str | None:
        """The stream it is decided in, where that is not its table's current day."""
        return None


class Open(_Command):
    """Open a table for one gaming day, under one rule set and the house's posted terms."""

    do: Literal["open"]
    gaming_day: Day
    rules: Name
    min: NaturalCents
    max: PositiveCents
    chip: PositiveCents
    payout_unit: PositiveCents
    opener: Chips
    shift: Name | None = None
    pit: Name | None = None
    odds_max: PositiveCents | None = None
    odds_multiple: Annotated[int, Field(ge=1, le=1000)] | None = None
    vig: Vig | None = None
    off_on_come_out: tuple[Kind, ...] | None = None
    paytable: Literal["reference"] | None = None
    notation: Literal["to", "for"] = "to"
    waive_line_bet: bool = True

    @model_validator(mode="after")
    def _limits(self) -> "Open":
        if self.min > self.max:
            raise ValueError(f"min {self.min} is more than max {self.max}")
        return self


class BuyIn(_Command):
    """Chips to a player's rail against money, paper, or chips carried in from elsewhere."""

    do: Literal["buy_in"]
    player: Name
    amount: Cents
    tender: Literal["cash", "marker", "front_money", "coupon", "chips"]


class Walk(_Command):
    """The player leaves the table with chips; without an amount, with the whole rail."""

    do: Literal["walk"]
    player: Name
    amount: Cents | None = None


class RedeemMarker(_Command):
    """A marker bought back at the table."""

    do: Literal["redeem_marker"]
    player: Name
    amount: Cents
    tender: Literal["chips", "cash"]


class Fill(_Command):
    """Chips from the cage to the rack."""

    do: Literal["fill"]
    slip: Name
    amount: Chips


class Credit(_Command):
    """Chips from the rack to the cage."""

    do: Literal["credit"]
    slip: Name
    amount: Chips


class Shooter(_Command):
    """A player takes the dice."""

    do: Literal["shooter"]
    player: Name


class PassDice(_Command):
    """The shooter gives the dice up."""

    do: Literal["pass_dice"]


class OrderPass(_Command):
    """A supervisor orders the shooter to pass the dice."""

    do: Literal["order_pass"]
    player: Name
    reason: Text


class DenyPlay(_Command):
    """A supervisor denies a player further play."""

    do: Literal["deny_play"]
    player: Name
    reason: Text


class DiceSet(_Command):
    """A set of five dice comes to the table or leaves it."""

    do: Literal["dice_set"]
    set: Name
    action: Literal["issue", "remove"]
    serials: tuple[Name, ...] | None = None
    reason: Text | None = None


class DieOffTable(_Command):
    """A die has left the table; the roll is invalid."""

    do: Literal["die_off_table"]
    found: bool | None = None


class Allow(_Command):
    """An exception that the rules leave to management."""

    do: Literal["allow"]
    what: Literal["removal", "replacement", "no_line_bet"]
    wager: Name | None = None
    to: PositiveCents | None = None
    reason: Text | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Allow":
        if self.what != "no_line_bet" and self.wager is None:
            raise ValueError(f"allow {self.what} needs a wager")
        return self


_NUMBERED = {"put_come", "place", "buy", "lay", "hard"}
_OWN_FIELD = {"hop": "combo", "horn_high": "high", "odds": "on"} | dict.fromkeys(_NUMBERED, "number")
_LINE = {"pass", "dont_pass", "come", "dont_come", "put_pass"}
_ONE_ROLL = {"field", "any_seven", "any_craps", "craps_2", "craps_3", "craps_12", "eleven", "horn", "world"}
_SPLIT = {"horn_high", "high_low", "c_and_e", "hop"}
_BONUS = {"all_small", "all_tall", "all_or_nothing"}
_KINDS = _LINE | _NUMBERED | _ONE_ROLL | _SPLIT | _BONUS | {"odds", "big_6", "big_8"}


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeo' else 'a'} {kind}"


class Bet(_Command):
    """A wager: chips from the player's rail to the layout."""

    do: Literal["bet"]
    player: Name
    wager: Name
    kind: Kind
    amount: Cents
    number: int | None = None
    combo: Dice | None = None
    high: int | None = None
    on: Name | None = None
    approval: Literal["case_bet"] | None = None
    stays: bool = False
    for_dealers: bool = False

    @model_validator(mode="after")
    def _own_fields(self) -> "Bet":
        if self.kind not in _KINDS:
            return self
        needed = _OWN_FIELD.get(self.kind)
        if needed and getattr(self, needed) is None:
            raise ValueError(f'{_a(self.kind)} bet needs "{needed}"')
        for field in ("number", "combo", "high", "on"):
            if field != needed and getattr(self, field) is not None:
                raise ValueError(f'{_a(self.kind)} bet takes no "{field}"')
        return self


class Press(_Command):
    """Raise a wager to an amount."""

    do: Literal["press"]
    wager: Name
    to: Cents


class Reduce(_Command):
    """Lower a wager to an amount."""

    do: Literal["reduce"]
    wager: Name
    to: Cents


class TakeDown(_Command):
    """Take an undecided wager down."""

    do: Literal["take_down"]
    wager: Name


class Call(_Command):
    """Call a wager On (the marker) or off again on a come-out roll."""

    do: Literal["call"]
    wager: Name
    on: bool
    scope: Literal["similar", "this"] | None = None


class DiceOut(_Command):
    """The dice have left the shooter's hand."""

    do: Literal["dice_out"]


class Roll(_Command):
    """The called roll."""

    do: Literal["roll"]
    dice: Dice


class NoRoll(_Command):
    """A throw called No Roll."""

    do: Literal["no_roll"]
    reason: Literal[
        "off_table",
        "not_together",
        "short",
        "on_bank",
        "in_bowl",
        "on_rail",
        "stacked",
        "cocked",
        "slid",
        "spun",
        "hit_chips",
        "other",
    ]
    dice: Dice | None = None


class Overrule(_Command):
    """A higher rank puts another call in the place of the last one."""

    do: Literal["overrule"]
    roll: Annotated[int, Field(ge=1, le=LARGEST_AMOUNT)]
    dice: Dice | None = None
    void: Literal[True] | None = None
    stands: Literal[True] | None = None
    reason: Text

    @model_validator(mode="after")
    def _one_call(self) -> "Overrule":
        if sum(x is not None for x in (self.dice, self.void, self.stands)) != 1:
            raise ValueError('needs exactly one of "dice", "void": true, "stands": true')
        return self


class Pay(_Command):
    """What the dealer really paid on a decided wager, where it differs from what was owed."""

    do: Literal["pay"]
    wager: Name
    paid: NaturalCents
    gaming_day: Day | None = None  # whose books; without it, the day the table was last opened for


class Adjust(_Command):
    """A manual, attributed adjustment after the fact; signed, to the player."""

    do: Literal["adjust"]
    player: Name
    amount: Cents
    reason: Text
    approved_by: Actor | Name
    gaming_day: Day | None = None  # whose books; without it, the day the table was last opened for


class Close(_Command):
    """Close the table on its counted rack."""

    do: Literal["close"]
    closer: Chips


class CountDrop(_Command):
    """A drop box counted in the count room."""

    do: Literal["count_drop"]
    box: Name
    cash: NaturalCents
    markers: NaturalCents = 0
    slips: NaturalCents = 0
    pass_: Annotated[int, Field(ge=1, le=9, alias="pass")] = 1
    gaming_day: Day | None = None  # whose books; without it, the day the table was last opened for


Command = Annotated[
    Open
    | BuyIn
    | Walk
    | RedeemMarker
    | Fill
    | Credit
    | Shooter
    | PassDice
    | OrderPass
    | DenyPlay
    | DiceSet
    | DieOffTable
    | Allow
    | Bet
    | Press
    | Reduce
    | TakeDown
    | Call
    | DiceOut
    | Roll
    | NoRoll
    | Overrule
    | Pay
    | Adjust
    | Close
    | CountDrop,
    Field(discriminator="do"),
]

COMMAND: TypeAdapter[Any] = TypeAdapter(Command)
"""Reads a command from JSON (`COMMAND.validate_json`) and publishes its schema."""


def total(chips: int | dict[str, int]) -> int:
    """The value of chips in cents, however they are written.

    >>> total({"2500": 1500000, "500": 450000})
    1950000
    """
    return chips if isinstance(chips, int) else sum(chips.values())


def log_schema() -> dict[str, Any]:
    """The table log's JSON Schema: one line of the log."""
    schema = COMMAND.json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Table log", **schema}
