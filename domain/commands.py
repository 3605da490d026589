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
    REGULATOR = "regulator"


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


def _sha256(value: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{64}", value):
        raise ValueError("must be a SHA-256, 64 hexadecimal digits")
    return value.lower()


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
Sha256 = Annotated[str, AfterValidator(_sha256)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


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
    aggregate_limit: PositiveCents | None = None

    @model_validator(mode="after")
    def _limits(self) -> "Open":
        if self.min > self.max:
            raise ValueError(f"min {self.min} is more than max {self.max}")
        return self


class _MaySign(_Command):
    """Chips for which the patron may sign a marker."""

    tender: str
    marker: Name | None = None  # the number on the instrument
    approved_by: Actor | None = None  # of a marker over the patron's credit limit

    @model_validator(mode="after")
    def _an_instrument(self) -> "_MaySign":
        if self.tender != "marker" and (self.marker is not None or self.approved_by is not None):
            raise ValueError('only the tender "marker" has a marker number, or an approval')
        return self


class BuyIn(_MaySign):
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
    marker: Name | None = None


class RimCredit(_Command):
    """Chips on credit, with a lammer on the rail and no marker yet; a call bet is made with them."""

    do: Literal["rim_credit"]
    player: Name
    amount: PositiveCents


class SettleRim(_MaySign):
    """Rim credit given back in chips, or put on a marker."""

    do: Literal["settle_rim"]
    player: Name
    amount: PositiveCents
    tender: Literal["chips", "marker"]


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


class _Laid(_Command):
    """Something on a place of the layout that is a wager's."""

    player: Name
    wager: Name
    kind: Kind
    amount: Cents
    number: int | None = None
    combo: Dice | None = None
    high: int | None = None
    on: Name | None = None

    @model_validator(mode="after")
    def _own_fields(self) -> "_Laid":
        if self.kind not in _KINDS:
            return self
        needed, said = _OWN_FIELD.get(self.kind), self.__dict__
        if needed and said[needed] is None:
            raise ValueError(f'{_a(self.kind)} bet needs "{needed}"')
        for field in ("number", "combo", "high", "on"):
            if field != needed and said[field] is not None:
                raise ValueError(f'{_a(self.kind)} bet takes no "{field}"')
        return self


class Bet(_Laid):
    """A wager: chips from the player's rail to the layout."""

    do: Literal["bet"]
    approval: Literal["case_bet"] | None = None
    stays: bool = False
    for_dealers: bool = False
    cash: bool = False  # money plays: currency on the layout, not chips from the rail


class LayCash(_Laid):
    """Currency put down on the layout, and nobody said what it is for: no wager until somebody does."""

    do: Literal["lay_cash"]


class DeclareCash(_Command):
    """What currency on the layout is for: it plays, it is to be changed, or the patron takes it back."""

    do: Literal["declare_cash"]
    wager: Name
    intent: Literal["plays", "change_only", "returned"]


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
    dealer: Name | None = None  # the badge that paid, and the one that sat box
    boxman: Name | None = None
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
    cash: Chips
    markers: NaturalCents = 0
    slips: NaturalCents = 0
    seen_by: tuple[Name, ...] = ()  # badges of others who saw this count: none of them may count again
    pass_: Annotated[int, Field(ge=1, le=9, alias="pass")] = 1
    gaming_day: Day | None = None  # whose books; without it, the day the table was last opened for


class _OfADispute(_Command):
    dispute: Id

    def stream(self) -> str:
        return f"dispute:{self.dispute}"


class Dispute(_OfADispute):
    """A roll is disputed; `amount` is what should go to the player, negative: come back from him."""

    do: Literal["dispute"]
    gaming_day: Day | None = None  # of the roll; without it, the day the table was last opened for
    roll: Annotated[int, Field(ge=1, le=LARGEST_AMOUNT)]
    player: Name
    claim: Text
    amount: Cents
    wager: Name | None = None
    camera: Name | None = None  # whose video is held; without it, every camera's on the table
    video_from: Moment | None = None  # without these, as long before and after the roll as the policy says
    video_until: Moment | None = None

    @model_validator(mode="after")
    def _forwards(self) -> "Dispute":
        if self.video_from and self.video_until and self.video_from >= self.video_until:
            raise ValueError("video_until must come after video_from")
        return self


class Evidence(_OfADispute):
    """Evidence is attached. A note is all there; of everything else the hash says which file it is."""

    do: Literal["evidence"]
    kind: Literal["video", "photo", "statement", "surveillance_review", "note"]
    reference: Text
    sha256: Sha256 | None = None
    note: Text | None = None  # of a surveillance review: what the recording shows

    @model_validator(mode="after")
    def _complete(self) -> "Evidence":
        if self.sha256 is None and self.kind != "note":
            raise ValueError(f'{self.kind} evidence needs its "sha256"')
        if self.note is None and self.kind in ("note", "surveillance_review"):
            raise ValueError(f'a {self.kind} needs a "note"')
        return self


class Ruling(_OfADispute):
    """A ruling by someone with the rank for it; upheld, it gives what was claimed."""

    do: Literal["ruling"]
    ruling: Literal["upheld", "denied", "settled_in_part"]
    amount: Cents | None = None
    reason: Text

    @model_validator(mode="after")
    def _amount_in_part(self) -> "Ruling":
        if (self.amount is None) == (self.ruling == "settled_in_part"):
            raise ValueError('"amount" goes with settled_in_part, and only with it')
        return self


class SettleDispute(_OfADispute):
    """Money moves under the ruling that stands; signed, to the player."""

    do: Literal["settle_dispute"]
    amount: Cents
    tender: Literal["chips", "cash"]
    approved_by: Actor | Name


class NotifyRegulator(_OfADispute):
    """Notice to the regulator, or the number he gave it. Of a large dispute, opening it was notice."""

    do: Literal["notify_regulator"]
    reference: Text | None = None
    reason: Text | None = None


class CloseDispute(_OfADispute):
    """The dispute is over."""

    do: Literal["close_dispute"]
    withdrawn: bool = False  # by the patron, before any ruling
    reason: Text | None = None


# ------------------------------------------------------------------------------------- money beyond the game

Denominations = Annotated[dict[Denomination, NaturalCents], Field(min_length=1)]


class Inventory(_Command):
    """The rack counted while the table is open, watched by a supervisor."""

    do: Literal["inventory"]
    count: Literal["opener", "closer", "shift", "drop", "surprise"]
    counted: Chips
    witness: Actor


class CutTable(_Command):
    """The accounts of a table cut between two rolls, on a counted rack."""

    do: Literal["table_cut"]
    counted: Chips
    witness: Actor
    shift: Name | None = None  # the one that begins


class Exchange(_Command):
    """Chips changed for others of the same value: a player's (a colour-up), or with the cage."""

    do: Literal["exchange"]
    taken: Denominations  # from the player, or out of the rack for the cage
    given: Denominations
    player: Name | None = None  # without one it is the cage's


class Toke(_Command):
    """A player hands chips to the dealers."""

    do: Literal["toke"]
    player: Name
    amount: PositiveCents


class Correct(_Command):
    """A figure put right by another department than wrote it; all that a closed day's tables still hear."""

    do: Literal["correct"]
    what: Literal[
        "opener", "closer", "inventory", "fill", "credit", "drop_cash", "drop_markers", "drop_slips"
    ]
    item: Name | None = None  # the slip, the box, the number of the count
    before: NaturalCents
    after: Chips
    reason: Text
    approved_by: Actor
    gaming_day: Day | None = None  # whose books; without it, the day the table was last opened for


class RequestFill(_Command):
    """A supervisor asks the cage for chips, on a numbered slip."""

    do: Literal["request_fill"]
    slip: Name
    amount: Chips


class RequestCredit(_Command):
    """A supervisor asks to send chips to the cage, on a numbered slip."""

    do: Literal["request_credit"]
    slip: Name
    amount: Chips


class ReceiveFill(_Command):
    """The chips of a fill are counted into the rack."""

    do: Literal["receive_fill"]
    slip: Name


class DispatchCredit(_Command):
    """The chips of a credit leave the rack with the carrier."""

    do: Literal["dispatch_credit"]
    slip: Name
    carrier: Actor


class _AwayFromTable(_Command):
    """A command of the cage, the count room or the books: the table is no more than a remark."""

    table: Name | None = None  # type: ignore[assignment]


class _OnSlip(_AwayFromTable):
    slip: Name

    def stream(self) -> str | None:
        """The slip's own."""
        return f"slip:{self.slip}"


class DispatchFill(_OnSlip):
    """The cage gives the chips of a fill to the carrier."""

    do: Literal["dispatch_fill"]
    carrier: Actor


class ReceiveCredit(_OnSlip):
    """The cage receives the chips of a credit."""

    do: Literal["receive_credit"]


class VoidSlip(_OnSlip):
    """A slip is voided, or a form that nobody has used; numbered forms are never destroyed."""

    do: Literal["void_slip"]
    reason: Text
    approved_by: Actor


class _OnBox(_AwayFromTable):
    box: Name
    gaming_day: Day

    def stream(self) -> str | None:
        """The box's own, for one gaming day."""
        return f"box:{self.box}:{self.gaming_day}"


class InstallBox(_OnBox):
    """An empty drop box is locked to a table."""

    do: Literal["install_box"]
    table: Name


class RemoveBox(_OnBox):
    """A drop box is taken off its table."""

    do: Literal["remove_box"]


class EmergencyDrop(_OnBox):
    """A box is taken off its table outside the schedule, another put in its place."""

    do: Literal["emergency_drop"]
    replacement: Name
    reason: Text


class SecureBox(_OnBox):
    """A removed box is locked away until the count."""

    do: Literal["secure_box"]
    where: Text


class ResolveCount(_Command):
    """Which figures stand for a box whose counts differed, signed by two."""

    do: Literal["resolve_count"]
    box: Name
    cash: NaturalCents
    markers: NaturalCents = 0
    slips: NaturalCents = 0
    reason: Text
    approved_by: Actor
    gaming_day: Day | None = None


class Counterfeit(_OnBox):
    """A note or chip in a box that is no money: left out of the count."""

    do: Literal["counterfeit"]
    amount: PositiveCents
    what: Text


class _OnPatron(_AwayFromTable):
    player: Name

    def stream(self) -> str | None:
        """The patron's account."""
        return f"patron:{self.player}"


class DepositFrontMoney(_OnPatron):
    """A patron leaves cash with the cage."""

    do: Literal["deposit_front_money"]
    amount: PositiveCents


class WithdrawFrontMoney(_OnPatron):
    """A patron takes front money out at the cage, in cash or in chips."""

    do: Literal["withdraw_front_money"]
    amount: PositiveCents | Denominations
    tender: Literal["cash", "chips"] = "cash"


class IssueMarker(_OnPatron):
    """The cage gives chips for a patron's marker."""

    do: Literal["issue_marker"]
    marker: Name
    amount: PositiveCents | Denominations
    approved_by: Actor | None = None  # of a marker over the patron's credit limit


class CreditLimit(_OnPatron):
    """What a patron may owe in markers, after a check by somebody who does not issue them."""

    do: Literal["credit_limit"]
    limit: NaturalCents
    approved_by: Actor


class PayMarker(_OnPatron):
    """A patron buys a marker back at the cage."""

    do: Literal["pay_marker"]
    marker: Name | None = None
    amount: PositiveCents | Denominations
    tender: Literal["cash", "chips"]


class WriteOffMarker(_OnPatron):
    """What a patron owes on a marker is given up."""

    do: Literal["write_off_marker"]
    marker: Name | None = None
    amount: PositiveCents
    reason: Text
    approved_by: Actor


class SellChips(_OnPatron):
    """The cage sells chips for cash."""

    do: Literal["sell_chips"]
    amount: PositiveCents | Denominations


class RedeemChips(_OnPatron):
    """The cage buys chips back for cash."""

    do: Literal["redeem_chips"]
    amount: PositiveCents | Denominations


class _OnDay(_AwayFromTable):
    gaming_day: Day

    def stream(self) -> str | None:
        """The gaming day's own."""
        return f"day:{self.gaming_day}"


class OpenDay(_OnDay):
    """The books of a gaming day open; `threshold` is the least variance, in cents, to explain."""

    do: Literal["day_open"]
    threshold: Annotated[int, Field(ge=1, le=LARGEST_AMOUNT)] = 1


class CloseDay(_OnDay):
    """The books of a gaming day close, if nothing is open: the day is sealed."""

    do: Literal["day_close"]


class OpenShift(_OnDay):
    """A shift begins."""

    do: Literal["shift_open"]
    shift: Name


class CloseShift(_OnDay):
    """A shift ends."""

    do: Literal["shift_close"]
    shift: Name


class RaiseException(_OnDay):
    """Somebody wants an explanation of something."""

    do: Literal["raise_exception"]
    kind: Kind
    subject: Name
    amount: Cents | None = None
    text: Text


class Disposition(_OnDay):
    """What became of an exception, signed by somebody other than who raised it."""

    do: Literal["disposition"]
    exception: Text
    text: Text


class PlaceChips(_OnDay):
    """New chips come into the cage and into service."""

    do: Literal["place_chips"]
    amount: Chips


class DestroyChips(_OnDay):
    """Chips leave service, before a witness."""

    do: Literal["destroy_chips"]
    amount: Chips
    witness: Actor


class RecogniseBreakage(_OnDay):
    """Chips that will never be redeemed are no liability any more; they stay good all the same."""

    do: Literal["recognise_breakage"]
    amount: Chips
    reason: Text
    approved_by: Actor


class TransferDrop(_OnDay):
    """Counted cash leaves the count room for the vault."""

    do: Literal["transfer_drop"]
    amount: PositiveCents
    received_by: Actor


class AccrueTax(_OnDay):
    """Gaming tax that the house owes a jurisdiction, or (negative) owes it no longer."""

    do: Literal["accrue_tax"]
    jurisdiction: Name
    amount: Cents
    reason: Text  # the worksheet and what period it is for


class FundCage(_OnDay):
    """The house puts cash into the cage, or (negative) takes it out."""

    do: Literal["fund_cage"]
    amount: Cents


Command = Annotated[
    Open
    | BuyIn
    | Walk
    | RedeemMarker
    | RimCredit
    | SettleRim
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
    | LayCash
    | DeclareCash
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
    | CountDrop
    | Dispute
    | Evidence
    | Ruling
    | SettleDispute
    | NotifyRegulator
    | CloseDispute
    | Inventory
    | CutTable
    | Exchange
    | Toke
    | Correct
    | RequestFill
    | RequestCredit
    | ReceiveFill
    | DispatchCredit
    | DispatchFill
    | ReceiveCredit
    | VoidSlip
    | InstallBox
    | RemoveBox
    | EmergencyDrop
    | SecureBox
    | ResolveCount
    | Counterfeit
    | DepositFrontMoney
    | WithdrawFrontMoney
    | IssueMarker
    | CreditLimit
    | PayMarker
    | WriteOffMarker
    | SellChips
    | RedeemChips
    | OpenDay
    | CloseDay
    | OpenShift
    | CloseShift
    | RaiseException
    | Disposition
    | PlaceChips
    | DestroyChips
    | RecogniseBreakage
    | TransferDrop
    | AccrueTax
    | FundCage,
    Field(discriminator="do"),
]

COMMAND: TypeAdapter[Any] = TypeAdapter(Command, config=ConfigDict(defer_build=True))
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
