"""What happened at a table: every event, past tense, complete without the rules that caused it.

An event is stored under its `name` for ever. A field may be added with a default; nothing is renamed or
removed. Money is whole cents; exact figures that may be no whole number of cents (`owed`, `breakage`,
`odds`, `edge`) are fractions written as text, `"3500/3"`. `section` cites the paragraph as its document
cites itself. Who did it, when, where and by which command stands in the envelope (`ledger.envelope`).
"""

from datetime import date
from typing import Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict

Outcome = Literal["won", "lost", "pushed", "returned"]
Tender = Literal["cash", "marker", "front_money", "coupon", "chips"]
Denominations = dict[str, int] | None


class Happened(BaseModel):
    """One fact. `name` is its name in the ledger; `schema_version` grows when fields are added."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: ClassVar[str]
    schema_version: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__name__


# ------------------------------------------------------------------------------------- day and table


class TableOpened(Happened):
    """A table opened on its counted rack, under one version of one rule set and the posted terms."""

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


class TableClosed(Happened):
    """A table closed on its counted rack; `closer` is the count, in cents."""

    closer: int
    denominations: Denominations


class DropCounted(Happened):
    """A drop box counted: cash, markers and other slips, in cents."""

    box: str
    cash: int
    markers: int
    slips: int
    count_pass: int


# ------------------------------------------------------------------------------------- chips and money


class BuyInAccepted(Happened):
    """Chips to a player's rail. Every tender but `chips` takes them from the rack and makes drop."""

    player: str
    amount: int
    tender: Tender


class PlayerWalked(Happened):
    """A player left the table with chips."""

    player: str
    amount: int


class MarkerRedeemed(Happened):
    """A marker bought back at the table, with chips from the rail or with cash into the box."""

    player: str
    amount: int
    tender: Literal["chips", "cash"]


class FillReceived(Happened):
    """Chips from the cage came into the rack."""

    slip: str
    amount: int
    denominations: Denominations


class CreditSent(Happened):
    """Chips from the rack went to the cage."""

    slip: str
    amount: int
    denominations: Denominations


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
    owed: int
    paid: int
    difference: int


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
    """An undecided wager came down; its stake went back to the rail."""

    wager: str
    player: str
    amount: int
    cause: Literal["player", "base", "close", "denied", "overruled"] = "player"


class WagerRestored(Happened):
    """After an overruled roll, a wager changed since the call lies again as it did before the roll.

    `was` is its stake before this event (0 where it had come down), `amount` its stake now.
    """

    wager: str
    player: str
    was: int
    amount: int


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
    """

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


class SettlementReversed(Happened):
    """A settlement undone because its roll was overruled; the wager lies on the layout again.

    `of` is the version, in this stream, of the `WagerSettled` that it reverses; the money fields repeat it.
    """

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
    | CommandRefused
)

BY_NAME: dict[str, type[Happened]] = {event.name: event for event in get_args(Event)}
"""Every event by the name it is stored under."""
