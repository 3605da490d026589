"""What happened at a table: every event, past tense, complete without the rules that caused it.

An event is stored under its `name` for ever. A field may be added with a default; nothing is renamed or
removed. Money is whole cents; exact figures that may be no whole number of cents (`owed`, `breakage`,
`odds`, `edge`) are fractions written as text, `"3500/3"`. `section` cites the paragraph as its document
cites itself. Who did it, when, where and by which command stands in the envelope (`ledger.envelope`).
"""

from datetime import date, datetime
from typing import Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict

Outcome = Literal["won", "lost", "pushed", "returned"]
Tender = Literal["cash", "marker", "front_money", "coupon", "chips"]
Denominations = dict[str, int] | None
Intent = Literal["plays", "change_only", "returned"]
InventoryCount = Literal["opener", "closer", "shift", "drop", "surprise"]
Correctable = Literal[
    "opener", "closer", "inventory", "fill", "credit", "drop_cash", "drop_markers", "drop_slips"
]


class Happened(BaseModel):
    """One fact. `name` is its name in the ledger; `schema_version` grows when fields are added."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # a question builds few of them
    name: ClassVar[str]
    schema_version: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__name__


# ------------------------------------------------------------------------------------- day and table


class TableOpened(Happened):
    """A table opened on its counted rack, under one version of one rule set and the posted terms.

    `preceding_closer` is the count the tray was locked with, in cents; None where this ledger knows of
    none: then the rack came from the cage. `aggregate_limit` is the most that the wagers won on one roll at
    odds over `aggregate_odds_over` are paid together; None where the table posts no such limit.
    """

    schema_version: ClassVar[int] = 3
    gaming_day: date
    rules: str
    rules_version: int
    min: int
    max: int
    chip: int  # cents; wagers are multiples of it
    payout_unit: int  # cents; winnings are paid down to a multiple of it
    opener: int
    denominations: Denominations
    shift: str | None
    pit: str | None
    odds_max: int | None
    odds_multiple: int | None
    vig_rate: str
    vig_on_win: tuple[int, ...]
    off_on_come_out: tuple[str, ...]  # the families that sleep on a come-out roll at this table
    paytable: str | None
    notation: str
    waive_line_bet: bool
    preceding_closer: int | None = None
    signed_by: str | None = None  # the badge and role that counted: a correction comes from somebody else
    signed_as: str | None = None
    aggregate_limit: int | None = None
    aggregate_odds_over: str | None = None
    aggregate_section: str | None = None


class TableClosed(Happened):
    """A table closed on its counted rack: `closer` is the count, `book` what should lie there, in cents."""

    schema_version: ClassVar[int] = 2
    closer: int
    denominations: Denominations
    book: int | None = None
    signed_by: str | None = None
    signed_as: str | None = None


class DropCounted(Happened):
    """A drop box counted by one counter: cash, markers and other slips, in cents.

    `was_...` is what an earlier count of the same box had said, which this one takes the place of.
    """

    schema_version: ClassVar[int] = 2
    box: str
    cash: int
    markers: int
    slips: int
    count_pass: int
    was_cash: int = 0
    was_markers: int = 0
    was_slips: int = 0
    denominations: Denominations = None  # of the cash
    seen_by: tuple[str, ...] = ()  # badges of others who saw this count
    signed_by: str | None = None
    signed_as: str | None = None


# ------------------------------------------------------------------------------------- chips and money


class BuyInAccepted(Happened):
    """Chips to a player's rail. Every tender but `chips` takes them from the rack and makes drop."""

    schema_version: ClassVar[int] = 2
    player: str
    amount: int
    tender: Tender
    marker: str | None = None  # the number on the instrument
    recycled: int = 0  # cents of it that this player could have played: had here, or carried off unlost


class PlayerWalked(Happened):
    """A player left the table with chips."""

    player: str
    amount: int


class MarkerRedeemed(Happened):
    """A marker bought back at the table, with chips from the rail or with cash into the box."""

    schema_version: ClassVar[int] = 2
    player: str
    amount: int
    tender: Literal["chips", "cash"]
    marker: str | None = None


class RimCreditExtended(Happened):
    """Chips to a player's rail on credit, with a lammer for it and no marker: no drop until one is signed."""

    player: str
    amount: int


class RimCreditSettled(Happened):
    """Rim credit given back in chips, or put on a marker, whose issue slip is drop."""

    player: str
    amount: int
    tender: Literal["chips", "marker"]
    marker: str | None  # the number on the instrument


class FillReceived(Happened):
    """Chips from the cage came into the rack."""

    schema_version: ClassVar[int] = 2
    slip: str
    amount: int
    denominations: Denominations
    signed_by: str | None = None
    signed_as: str | None = None


class CreditSent(Happened):
    """Chips from the rack went to the cage."""

    schema_version: ClassVar[int] = 2
    slip: str
    amount: int
    denominations: Denominations
    signed_by: str | None = None
    signed_as: str | None = None


class AdjustmentMade(Happened):
    """A manual adjustment to a player's rail, signed to the player."""

    player: str
    amount: int
    reason: str
    approved_by: str


class MispayFound(Happened):
    """A decided wager was really paid another sum than it was owed; `difference` is paid less owed."""

    wager: str
    player: str
    roll: int
    schema_version: ClassVar[int] = 2
    owed: int
    paid: int
    difference: int
    dealer: str | None = None  # who paid, and who sat box
    boxman: str | None = None


class ChipsColoredUp(Happened):
    """A player's chips were changed for others of the same value; by denomination, in cents of value."""

    player: str
    amount: int
    taken: dict[str, int]
    given: dict[str, int]


class EvenExchangeMade(Happened):
    """Rack and cage changed chips of the same value; `taken` left the rack for the cage."""

    amount: int
    taken: dict[str, int]
    given: dict[str, int]


class TokeReceived(Happened):
    """A player's chips went to the dealers: handed over, or won by a wager made for them."""

    player: str
    amount: int
    wager: str | None = None
    roll: int | None = None


class TokeReturned(Happened):
    """What a wager for the dealers had won came back, because its roll was overruled."""

    player: str
    amount: int
    wager: str
    roll: int


# ------------------------------------------------------------------------------------- dice and shooter


class DiceSetIssued(Happened):
    """A set of dice came to the table."""

    set: str
    serials: tuple[str, ...]
    reason: str | None


class DiceSetRemoved(Happened):
    """A set of dice left the table, bagged for security where a die was lost."""

    set: str
    serials: tuple[str, ...]
    reason: str | None


class DieLeftTable(Happened):
    """A die left the table. Found, it is inspected before it plays again; lost, its set is retired."""

    found: bool | None
    set: str | None
    section: str | None


class ShooterAssigned(Happened):
    """A player took the dice."""

    player: str


class DicePassed(Happened):
    """The shooter gave up the dice: by choice, by a seven-out, by a supervisor's order."""

    player: str | None
    cause: Literal["choice", "seven_out", "order"]
    reason: str | None = None
    section: str | None = None


class DiceWentOut(Happened):
    """The dice left the shooter's hand: no more bets until the call."""


class RollCalled(Happened):
    """A valid roll as called. Rolls of a table and gaming day are numbered 1, 2, 3, ..."""

    roll: int
    dice: tuple[int, int]
    role: str  # of the caller: what may overrule the call depends on it
    come_out: bool
    shooter: str | None


class NoRollCalled(Happened):
    """A throw called No Roll: nothing is decided, every wager stands. It takes a roll number."""

    roll: int
    reason: str
    dice: tuple[int, int] | None
    role: str
    section: str | None


class RollOverruled(Happened):
    """A higher rank put another call in the place of the last one; `dice` is None when the roll is void.

    Restores the table as it lay before the roll: puck, shooter, On marks, numbers gathered.
    `puck` and `shooter` say what was restored.
    """

    roll: int
    dice: tuple[int, int] | None
    was: tuple[int, int] | None
    role: str
    reason: str
    puck: int | None
    shooter: str | None
    section: str | None


class PuckMoved(Happened):
    """The puck went On the point, or Off (`point` None)."""

    point: int | None
    was: int | None


# ------------------------------------------------------------------------------------- wagers


class WagerPlaced(Happened):
    """Chips went from a rail to the layout."""

    schema_version: ClassVar[int] = 2
    wager: str
    player: str
    kind: str
    amount: int
    number: int | None = None
    combo: tuple[int, int] | None = None
    high: int | None = None
    base: str | None = None  # the wager that an odds wager supports
    stays: bool = False
    after: str | None = None  # the won wager whose stake went back up
    replaces: str | None = None  # the removed wager that management allowed it to replace
    for_dealers: bool = False
    case_bet: bool = False
    section: str | None = None
    cash: bool = False  # money plays: currency on the layout, not chips from the rail


class CashLaid(Happened):
    """Currency was put down on the layout, and nobody said what it was for.

    It is the patron's and no wager until it is declared; `wager` is the name it has, and would have as one.
    """

    wager: str
    player: str
    amount: int
    kind: str
    number: int | None = None
    combo: tuple[int, int] | None = None
    high: int | None = None
    base: str | None = None


class CashDeclared(Happened):
    """Somebody said what currency on the layout was for; the wager, or the buy-in, is the event after it."""

    wager: str
    player: str
    amount: int
    intent: Intent


class UndeclaredCash(Happened):
    """The dice went out while currency lay on the layout of which nobody had said what it was for."""

    wager: str
    player: str
    amount: int


class WagerPressed(Happened):
    """A wager was raised."""

    wager: str
    player: str
    was: int
    to: int


class WagerReduced(Happened):
    """A wager was lowered; the difference went back to the rail."""

    wager: str
    player: str
    was: int
    to: int


class WagerTakenDown(Happened):
    """An undecided wager came down; its stake went back to the rail, or, where it was cash, to the player."""

    schema_version: ClassVar[int] = 2
    wager: str
    player: str
    amount: int
    cause: Literal["player", "base", "close", "denied", "overruled"] = "player"
    cash: bool = False


class WagerRestored(Happened):
    """After an overruled roll, a wager changed since the call lies again as it did before the roll.

    `was` is its stake before this event (0 where it had come down), `amount` its stake now.
    """

    wager: str
    player: str
    schema_version: ClassVar[int] = 2
    was: int
    amount: int
    cash: bool = False


class WagerTurnedOn(Happened):
    """The dealer put the On marker on a wager."""

    wager: str
    player: str
    similar: bool  # the marker speaks for all similar wagers of this player


class WagerTurnedOff(Happened):
    """The On marker came off a wager."""

    wager: str
    player: str
    similar: bool


class WagerMoved(Happened):
    """A come or don't come wager travelled from the box to its number."""

    wager: str
    player: str
    to: int


class CommissionCollected(Happened):
    """Commission taken from the rail when a wager was made or raised; refundable while undecided."""

    wager: str
    player: str
    amount: int
    rate: str
    basis: Literal["wager", "win"]
    section: str


class CommissionRefunded(Happened):
    """Commission given back with a stake that came down undecided."""

    wager: str
    player: str
    amount: int
    section: str


class WagerSettled(Happened):
    """A wager decided by a roll, whole and once.

    `owed` are exact winnings, `paid` what the smallest payable unit allows, `breakage` the difference.
    `commission` is taken from the winnings; `commission_earned` was collected up front and is now the
    house's. `net` is the change in the player's wealth from this decision, `credit` the chips handed to
    the rail, stake included. `edge` is the house's exact advantage per unit staked on this wager.

    Where the table's aggregate limit was reached, `owed` is the wager's pro rata share of it, neither
    breakage nor a mispay: `aggregate_limit` times `owed_in_full`, what stake and odds come to, by
    `aggregate_owed`, what they come to for all the wagers that share it. `limit_section` says why.
    """

    schema_version: ClassVar[int] = 3
    roll: int
    wager: str
    player: str
    kind: str
    stake: int
    outcome: Outcome
    odds: str | None
    owed: str
    paid: int
    breakage: str
    commission: int
    net: int
    credit: int
    section: str
    number: int | None = None
    combo: tuple[int, int] | None = None
    high: int | None = None
    base: str | None = None
    commission_earned: int = 0
    edge: str | None = None
    for_dealers: bool = False
    cash: bool = False  # the stake is currency: lost into the drop box, else handed back beside the credit
    owed_in_full: str | None = None
    aggregate_limit: int | None = None
    aggregate_owed: str | None = None
    limit_section: str | None = None


class SettlementReversed(Happened):
    """A settlement undone because its roll was overruled; the wager lies on the layout again.

    `of` is the version, in this stream, of the `WagerSettled` that it reverses; the money fields repeat it.
    """

    schema_version: ClassVar[int] = 2
    of: int
    roll: int
    wager: str
    player: str
    kind: str
    stake: int
    outcome: Outcome
    paid: int
    breakage: str
    commission: int
    commission_earned: int
    net: int
    credit: int
    edge: str | None = None
    cash: bool = False


# ------------------------------------------------------------------------------------- counted at the table


class TableInventoryCounted(Happened):
    """The rack counted while the table is open; `book` is what should have lain there. Cents."""

    number: int  # 1, 2, 3, ... at this table and gaming day
    count: InventoryCount
    counted: int
    denominations: Denominations
    book: int
    witness: str  # the badge of the supervisor who watched
    signed_by: str
    signed_as: str


class InventoryVarianceFound(Happened):
    """Counting found more (or, negative, less) in the rack than the books say; they now follow the count.

    `against` is the book rack, or the closer that the tray was locked with, or what that was put right to.
    `difference` is what is new: what had been found before is not said again.
    """

    schema_version: ClassVar[int] = 2
    against: Literal["book", "preceding_closer", "corrected_closer"]
    counted: int
    book: int
    difference: int


class DropVarianceFound(Happened):
    """The boxes of a table and day, all counted, hold more (or less) than the books say. Cents.

    The differences are what is new: what had been found before is not said again.
    """

    cash: int
    markers: int
    slips: int
    difference: int


class TableCut(Happened):
    """The accounts of a table were cut between two rolls: the count and the box change refer to it.

    What lies on the layout is the patrons' and no part of the rack.
    """

    cut: int  # 1, 2, 3, ... at this table and gaming day
    shift: str | None  # the shift that begins
    roll: int  # the last roll before the cut
    counted: int
    book: int
    on_layout: int


class CorrectionRecorded(Happened):
    """A figure put right by another department than wrote it, as a document that refers to it.

    `was_denominations` are the chips that the figure stood for, as far as anybody broke it down; the rest
    of it is under `""`.
    """

    schema_version: ClassVar[int] = 2
    what: Correctable
    item: str | None  # the slip, box, or number of the count
    before: int
    after: int
    reason: str
    proposed_by: str
    proposed_as: str
    approved_by: str
    approved_as: str
    original_by: str | None
    original_as: str | None
    sealed: bool  # the day was closed already: its figures get a new version
    from_cage: bool = False  # an opener that had come from the cage, without a preceding closer
    denominations: Denominations = None  # of `after`
    was_denominations: Denominations = None


class DisputePaidFromRack(Happened):
    """Chips left the rack to settle a dispute, in whose own stream the money stands; the rack must know."""

    dispute: str
    player: str
    amount: int


class DaySealed(Happened):
    """The gaming day of this table was closed: what comes later is a correction.

    `overnight` are the rails that were cleared: they come back when the table opens for its next day.
    """

    gaming_day: date
    overnight: dict[str, int]


# ------------------------------------------------------------------------------------- slips


class FillRequested(Happened):
    """A table asked the cage for chips, on a numbered slip."""

    slip: str
    table: str
    gaming_day: date
    amount: int
    denominations: Denominations
    requested_by: str


class FillDispatched(Happened):
    """The cage gave the chips of a fill to the carrier: they are in transit."""

    slip: str
    table: str
    gaming_day: date | None
    amount: int
    denominations: Denominations
    dispatched_by: str | None  # None: written down in one step, without the signatures
    carried_by: str | None


class FillDelivered(Happened):
    """The chips of a fill reached their table, where they were received into the rack."""

    slip: str
    received_by: str | None


class FillVoided(Happened):
    """A fill slip was voided; `returned` are the chips that came back to the cage out of transit."""

    slip: str
    returned: int
    denominations: Denominations
    reason: str
    approved_by: str


class CreditRequested(Happened):
    """A table asked to send chips to the cage, on a numbered slip."""

    slip: str
    table: str
    gaming_day: date
    amount: int
    denominations: Denominations
    requested_by: str


class CreditDispatched(Happened):
    """The chips of a credit left the rack with the carrier: they are in transit."""

    slip: str
    dispatched_by: str | None
    carried_by: str | None


class CreditReceived(Happened):
    """The cage received the chips of a credit."""

    slip: str
    table: str
    gaming_day: date | None
    amount: int
    denominations: Denominations
    received_by: str | None


class CreditVoided(Happened):
    """A credit slip was voided before any chip moved."""

    slip: str
    reason: str
    approved_by: str


class BlankSlipVoided(Happened):
    """A numbered form that nobody had used was voided: spoiled, lost, torn out."""

    slip: str
    reason: str
    approved_by: str


# ------------------------------------------------------------------------------------- drop boxes


class DropBoxInstalled(Happened):
    """An empty drop box was locked to a table."""

    box: str
    table: str
    gaming_day: date
    emergency: bool = False


class DropBoxRemoved(Happened):
    """A drop box was taken off its table."""

    box: str
    table: str
    removed_by: str


class EmergencyDropMade(Happened):
    """A box was taken off its table outside the schedule, another put in its place."""

    box: str
    table: str
    replacement: str
    reason: str


class DropBoxSecured(Happened):
    """A removed box was locked away until the count."""

    box: str
    where: str
    secured_by: str


class DropCountsDiffered(Happened):
    """Two counts of a box do not agree; a third one, or a signed resolution, decides."""

    box: str
    first: int  # cents in all
    second: int


class DropCountResolved(Happened):
    """A supervisor of the count signed which figures stand for a box whose counts differed."""

    box: str
    cash: int
    markers: int
    slips: int
    reason: str
    resolved_by: str
    approved_by: str


class CounterfeitFound(Happened):
    """A note or chip in a box is no money: left out of the count, kept as evidence."""

    box: str
    table: str
    amount: int  # its face, in cents
    what: str


# ------------------------------------------------------------------------------------- a patron's account


class FrontMoneyDeposited(Happened):
    """A patron left cash with the cage."""

    player: str
    amount: int


class FrontMoneyWithdrawn(Happened):
    """A patron took front money out: in cash or chips at the cage, or in chips at a table."""

    player: str
    amount: int
    at: Literal["cage", "table"]
    tender: Literal["cash", "chips"]
    denominations: Denominations = None


class MarkerIssued(Happened):
    """A patron signed an instrument for chips; what a table handed out stands in the table's own stream.

    `over_limit` is by how much all that he owes is over his credit limit, which somebody approved.
    """

    schema_version: ClassVar[int] = 2
    player: str
    marker: str | None
    amount: int
    at: Literal["cage", "table"]
    denominations: Denominations = None
    over_limit: int = 0
    approved_by: str | None = None


class CreditLimitSet(Happened):
    """What a patron may owe in markers, and what that `was` before; None: nobody had said."""

    player: str
    limit: int
    was: int | None
    approved_by: str


class MarkerPaid(Happened):
    """A marker was bought back, at the cage, or at a table in whose stream the money stands."""

    player: str
    marker: str | None
    amount: int
    at: Literal["cage", "table"]
    tender: Literal["cash", "chips"]
    denominations: Denominations = None


class MarkerWrittenOff(Happened):
    """What a patron owed on a marker will not be paid."""

    player: str
    marker: str | None
    amount: int
    reason: str
    approved_by: str


class ChipsSoldAtCage(Happened):
    """The cage sold chips for cash: never drop."""

    player: str
    amount: int
    denominations: Denominations


class ChipsRedeemedAtCage(Happened):
    """The cage bought chips back for cash."""

    player: str
    amount: int
    denominations: Denominations


# ------------------------------------------------------------------------------------- the gaming day


class GamingDayOpened(Happened):
    """The books of a gaming day were opened; `threshold` is the least variance, in cents, to explain."""

    gaming_day: date
    threshold: int


class GamingDayClosed(Happened):
    """The books of a gaming day were closed with nothing open: it is sealed."""

    gaming_day: date
    tables: tuple[str, ...]
    boxes: tuple[str, ...]
    slips: tuple[str, ...]
    exceptions: int


class ShiftOpened(Happened):
    """A shift began."""

    shift: str


class ShiftClosed(Happened):
    """A shift ended."""

    shift: str


class DayItemListed(Happened):
    """Something joined the list of what must be accounted for before the day can close."""

    gaming_day: date
    kind: Literal["box", "slip"]
    item: str
    table: str


class ExceptionRaised(Happened):
    """Something wants an explanation; `amount` adds up over the same exception, and clears it at zero."""

    gaming_day: date
    exception: str
    kind: str
    subject: str
    table: str | None
    amount: int | None
    text: str
    raised_by: str


class ExceptionDispositioned(Happened):
    """Somebody other than who raised it signed what became of an exception."""

    schema_version: ClassVar[int] = 2
    exception: str
    text: str
    dispositioned_by: str
    sealed: bool = False  # the day was closed already: its seal stands, and its pack gets a new version


class ChipsPlacedInService(Happened):
    """New chips came into the cage and into service."""

    amount: int
    denominations: Denominations


class ChipsDestroyed(Happened):
    """Chips left service."""

    amount: int
    denominations: Denominations
    witness: str


class CageBankrollFunded(Happened):
    """The house put cash into the cage, or (negative) took it out."""

    amount: int


class ChipBreakageRecognised(Happened):
    """Chips that will never be redeemed are no liability any more; they stay good all the same."""

    amount: int
    denominations: Denominations
    reason: str
    approved_by: str


class DropTransferredToVault(Happened):
    """Counted cash left the count room for the vault."""

    amount: int
    received_by: str


class GamingTaxAccrued(Happened):
    """Gaming tax that the house owes a jurisdiction, or (negative) owes it no longer."""

    jurisdiction: str
    amount: int
    reason: str


# ------------------------------------------------------------------------------------- disputes


class DisputeOpened(Happened):
    """A patron disputes a roll, or the house what a patron was paid for one.

    `amount` is what should go to the player (negative: come back from him) to make it good. `rule_by` is
    the house's own deadline, `complain_by` until when the patron may go to the regulator.
    """

    table: str
    gaming_day: date
    roll: int
    player: str
    claim: str
    amount: int
    wager: str | None
    policy: str
    rule_by: datetime
    complain_by: date | None


class VideoHoldPlaced(Happened):
    """The video of a table is kept until the dispute is closed; `camera` None: of every camera on it."""

    camera: str | None
    since: datetime
    until: datetime


class EvidenceAttached(Happened):
    """A piece of evidence, where it lies, and its SHA-256: what is brought to a hearing must be this."""

    kind: str
    reference: str
    sha256: str | None  # None: a note, which is all there
    note: str | None


class SurveillanceReviewed(Happened):
    """Surveillance watched the recording and says what it shows."""

    reference: str
    sha256: str
    finding: str


class RulingMade(Happened):
    """A ruling; `amount` is what it gives the player. What may overrule it depends on `badge` and `role`."""

    ruling: Literal["upheld", "denied", "settled_in_part"]
    amount: int
    badge: str
    role: str
    reason: str
    settle_by: datetime | None  # None: nothing is left to settle


class RulingOverruled(Happened):
    """A ruling no longer stands, because a higher rank ruled."""

    ruling: Literal["upheld", "denied", "settled_in_part"]
    amount: int
    badge: str
    role: str


class DisputeSettled(Happened):
    """Money went to the player (or, negative, came back) under a ruling, from the rack or from the cage."""

    player: str
    roll: int
    amount: int
    tender: Literal["chips", "cash"]
    paid_from: Literal["rack", "cage"]
    approved_by: str


class RegulatorNotified(Happened):
    """Notice of the dispute to the regulator: its amount reached the threshold, or somebody gave notice."""

    cause: Literal["threshold", "notice"]
    amount: int
    threshold: int | None
    reference: str | None
    reason: str | None
    section: str | None


class DisputeClosed(Happened):
    """Nothing is open any more; `paid` is all that went to the player. The video is kept until the day."""

    outcome: Literal["upheld", "denied", "settled_in_part", "withdrawn"]
    paid: int
    reason: str | None
    video_until: date


# ------------------------------------------------------------------------------------- said and refused


class ExceptionAllowed(Happened):
    """Management allowed what the rules leave to its discretion."""

    what: Literal["removal", "replacement", "no_line_bet"]
    wager: str | None
    to: int | None
    reason: str | None
    section: str | None


class PlayDenied(Happened):
    """A player may not play on at this table."""

    player: str
    reason: str
    section: str | None


class CommandRefused(Happened):
    """The house said no. Nothing moved; that it was tried is a fact."""

    do: str
    reason: str
    message: str
    player: str | None = None
    wager: str | None = None
    kind: str | None = None
    amount: int | None = None


Event = (
    TableOpened
    | TableClosed
    | DropCounted
    | BuyInAccepted
    | PlayerWalked
    | MarkerRedeemed
    | RimCreditExtended
    | RimCreditSettled
    | FillReceived
    | CreditSent
    | AdjustmentMade
    | MispayFound
    | DiceSetIssued
    | DiceSetRemoved
    | DieLeftTable
    | ShooterAssigned
    | DicePassed
    | DiceWentOut
    | RollCalled
    | NoRollCalled
    | RollOverruled
    | PuckMoved
    | WagerPlaced
    | CashLaid
    | CashDeclared
    | UndeclaredCash
    | WagerPressed
    | WagerReduced
    | WagerTakenDown
    | WagerRestored
    | WagerTurnedOn
    | WagerTurnedOff
    | WagerMoved
    | CommissionCollected
    | CommissionRefunded
    | WagerSettled
    | SettlementReversed
    | ExceptionAllowed
    | PlayDenied
    | DisputeOpened
    | VideoHoldPlaced
    | EvidenceAttached
    | SurveillanceReviewed
    | RulingMade
    | RulingOverruled
    | DisputeSettled
    | RegulatorNotified
    | DisputeClosed
    | CommandRefused
    | ChipsColoredUp
    | EvenExchangeMade
    | TokeReceived
    | TokeReturned
    | TableInventoryCounted
    | InventoryVarianceFound
    | DropVarianceFound
    | TableCut
    | CorrectionRecorded
    | DisputePaidFromRack
    | DaySealed
    | FillRequested
    | FillDispatched
    | FillDelivered
    | FillVoided
    | CreditRequested
    | CreditDispatched
    | CreditReceived
    | CreditVoided
    | BlankSlipVoided
    | DropBoxInstalled
    | DropBoxRemoved
    | EmergencyDropMade
    | DropBoxSecured
    | DropCountsDiffered
    | DropCountResolved
    | CounterfeitFound
    | FrontMoneyDeposited
    | FrontMoneyWithdrawn
    | MarkerIssued
    | CreditLimitSet
    | MarkerPaid
    | MarkerWrittenOff
    | ChipsSoldAtCage
    | ChipsRedeemedAtCage
    | GamingDayOpened
    | GamingDayClosed
    | ShiftOpened
    | ShiftClosed
    | DayItemListed
    | ExceptionRaised
    | ExceptionDispositioned
    | ChipsPlacedInService
    | ChipsDestroyed
    | CageBankrollFunded
    | ChipBreakageRecognised
    | DropTransferredToVault
    | GamingTaxAccrued
)

BY_NAME: dict[str, type[Happened]] = {event.name: event for event in get_args(Event)}
"""Every event by the name it is stored under."""
