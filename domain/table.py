"""A table as its events have made it: rack terms, puck, rails, layout, and the last call.

`Table.apply` evolves it in place, one event at a time, in stream order. It never fails and never consults
the rules: whatever it must know, the event says.
"""

from collections.abc import Callable, Iterable
from copy import copy
from datetime import date
from typing import Any, NamedTuple

from domain import events as e
from domain.books import FLOWS, MOVING, Flow, into, money
from domain.chips import put_right

SEVEN = 7
WRONG_SIDE = frozenset({"dont_pass", "dont_come"})
PUCK_KINDS = frozenset({"pass", "dont_pass", "put_pass"})


class Wager(NamedTuple):
    """Chips of one player on the layout, not yet decided. `amount` and `commission` are cents."""

    wager: str
    player: str
    kind: str
    amount: int
    family: str  # wagers that one On marker speaks for
    order: int  # of placing, at this table and day
    rolls: int  # rolls taken when it was placed
    number: int | None = None
    combo: tuple[int, int] | None = None
    high: int | None = None
    base: str | None = None
    stays: bool = False
    for_dealers: bool = False
    commission: int = 0  # collected up front and held until it is decided
    on: bool = False  # the On marker lies on it
    similar: bool = False  # and speaks for all similar wagers of the player
    after: str | None = None
    cash: bool = False  # money plays: currency, not chips from the rail

    @property
    def in_box(self) -> bool:
        """Whether it is a come or don't come wager that has not travelled yet."""
        return self.kind in ("come", "dont_come") and self.number is None


class Decided(NamedTuple):
    """A wager that a roll decided: `owed` and `paid` are the winnings in cents, `paid` as last known."""

    roll: int
    player: str
    owed: int
    paid: int


class Figure(NamedTuple):
    """A figure that somebody wrote down and signed, in cents: what a correction refers to.

    `chips` are what it stands for, as far as anybody broke it down.
    """

    cents: int
    signed_by: str | None
    signed_as: str | None
    chips: e.Denominations = None


Count = tuple[int, int, int]
"""A box as counted: cash, markers, slips, in cents."""


class Counted(NamedTuple):
    """One blind count of a box, and everybody who saw it."""

    figures: Count
    seen_by: frozenset[str]


class Settled(NamedTuple):
    """A settlement of the last roll, and its version in the stream: what an overrule would reverse."""

    version: int
    event: e.WagerSettled


class LastCall(NamedTuple):
    """The last call of the dice, as it stands, and the table as it lay before that roll."""

    roll: int
    dice: tuple[int, int] | None  # None: No Roll, or void
    thrown: tuple[int, int] | None  # what was on the dice as far as anyone said
    role: str
    wagers: dict[str, Wager]
    puck: int | None
    shooter: str | None
    line_bet_waived: bool
    no_roll: str | None = None  # the reason, where it was called No Roll and stands so


def family(kind: str, base_kind: str | None) -> str:
    """Which wagers count as similar: the kind itself, or whose odds they are."""
    if kind != "odds" or base_kind is None:
        return kind
    return {"come": "come_odds", "put_come": "come_odds"}.get(base_kind, f"{base_kind}_odds")


class Table:
    """One table and gaming day. `version` counts the events applied, as the stream does."""

    def __init__(self) -> None:
        self.version = 0
        self.house: e.TableOpened | None = None
        self.is_open = False
        self.gaming_day: date | None = None
        self.puck: int | None = None
        self.shooter: str | None = None
        self.dice_out = False
        self.rails: dict[str, int] = {}
        self.wagers: dict[str, Wager] = {}
        self.decided: dict[str, Decided] = {}
        self.used: set[str] = set()  # every wager id ever placed here
        self.totals: list[int | None] = []  # one a roll; None for a No Roll or a void one
        self.calls: list[int] = []  # one a roll: the version of the event that first called it
        self.last_call: LastCall | None = None
        self.settled_last: dict[str, Settled] = {}
        self.markers: dict[str, int] = {}
        self.rim: dict[str, int] = {}  # credit on the rail that no marker stands for yet
        self.denied: set[str] = set()
        self.allowed: dict[tuple[str, str], int | None] = {}  # (what, wager) management allows, up to cents
        self.removed: dict[str, Wager] = {}  # don't-side wagers that came down with a point
        self.undeclared: dict[str, e.CashLaid] = {}  # currency on the layout that is for nobody knows what
        self.line_bet_waived = False  # for this shooter
        self.dice_set: str | None = None
        self.flows: dict[Flow, int] = {}  # cents along each flow that moves rack, box or tokes
        self.figures: dict[tuple[str, str | None], Figure] = {}  # by what and item, as they stand
        self.boxes: dict[str, Count] = {}  # as last counted
        self.counts: dict[tuple[str, int], Counted] = {}  # by box and pass
        self.resolved: set[str] = set()  # boxes whose counts differed until somebody signed
        self.locked_with: int | None = None  # the closer that the day's first opener was held against
        self.inventories = 0  # counted while open
        self.cuts = 0
        self.variance_in_rack = 0  # found so far: what the rack was counted over the movements recorded
        self.variance_in_boxes: Count = (0, 0, 0)
        self.carried_off: dict[str, int] = {}  # by players, and not bought again or brought back since
        self.sealed = False
        self.overnight: dict[str, int] = {}  # rails that were cleared when the day was sealed
        self._placed = 0
        self._marked: set[str] = set()
        self._odds: dict[str, list[str]] = {}

    @property
    def rolls(self) -> int:
        """Rolls taken so far, No Rolls counted."""
        return len(self.totals)

    @property
    def opener(self) -> int:
        """The rack that the day began with, in cents, as it stands."""
        return self.figures[_OPENER].cents if _OPENER in self.figures else 0

    @property
    def closer(self) -> int | None:
        """The rack as counted when the table closed, in cents; None while it is open."""
        return None if self.is_open or _CLOSER not in self.figures else self.figures[_CLOSER].cents

    @property
    def moved_rack(self) -> int:
        """What must lie in the rack by every movement recorded since the opener (R1*), in cents."""
        return self.opener + sum(_RACK[flow] * amount for flow, amount in self.flows.items())

    @property
    def book_rack(self) -> int:
        """The same, as counts have put it right since."""
        return self.moved_rack + self.variance_in_rack

    @property
    def book_drop(self) -> Count:
        """What must lie in the boxes by every movement recorded."""
        flow = self.flows.get
        cash = flow("cash_dropped", 0) + flow("cash_lost", 0)
        return cash, flow("markers_dropped", 0), flow("front_money_dropped", 0) + flow("coupons_dropped", 0)

    @property
    def counted_drop(self) -> Count:
        """What was counted in all boxes together."""
        cash, markers, slips = zip(*self.boxes.values(), strict=True) if self.boxes else ((), (), ())
        return sum(cash), sum(markers), sum(slips)

    def unlost(self, player: str) -> int:
        """What a player still has of what he bought here: before him, on the layout, or carried off."""
        on_layout = sum(w.amount for w in self.wagers.values() if w.player == player and not w.cash)
        return max(self.rails.get(player, 0), 0) + on_layout + self.carried_off.get(player, 0)

    def apply(self, event: e.Happened) -> None:
        """Remember `event`, the next one of the stream."""
        self.version += 1
        kind = type(event)
        if kind in _OF_THE_HOUSE:
            for flow, _, amount in money(event):
                self.flows[flow] = self.flows.get(flow, 0) + amount
        _EVOLVE[kind](self, event)

    def as_it_lay(self, call: LastCall) -> "Table":
        """A table to judge the last roll on again: this one, with the layout as it lay before that roll."""
        lay = copy(self)
        lay.wagers = dict(call.wagers)
        lay.puck, lay.shooter = call.puck, call.shooter
        lay.totals = self.totals[: call.roll - 1]
        lay.used = self.used - {w.wager for w in self.wagers.values() if w.rolls == call.roll and w.after}
        return lay

    def then(self, events: Iterable[e.Happened]) -> "Table":
        """The table as it will be after `events`; this one stays as it is."""
        later = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | set | list):
                setattr(later, name, value.copy())
        later._odds = {base: odds.copy() for base, odds in self._odds.items()}
        for event in events:
            later.apply(event)
        return later

    def in_order(self) -> list[Wager]:
        """The wagers on the layout in the order in which they were placed."""
        return sorted(self.wagers.values(), key=lambda wager: wager.order)

    def odds_on(self, base: str) -> list[Wager]:
        """The odds wagers that support the wager `base`."""
        return [self.wagers[wager] for wager in self._odds.get(base, ()) if wager in self.wagers]

    def point_of(self, wager: Wager) -> int | None:
        """The number a line wager must make or fear; None while it has none."""
        return self.puck if wager.kind in PUCK_KINDS else wager.number

    def sleeps(self, wager: Wager) -> bool:
        """Whether a wager is inactive for the next roll (a come-out roll, and no On marker on it)."""
        house = self.house
        return (
            self.puck is None and not wager.on and house is not None and wager.family in house.off_on_come_out
        )

    def working(self, wager: Wager) -> bool:
        """Whether the next roll can decide or move the wager."""
        return not self.sleeps(wager)

    def similar(self, player: str, of_family: str) -> list[Wager]:
        """A player's wagers of one family, in order of placing."""
        return [w for w in self.in_order() if w.player == player and w.family == of_family]

    def marked_similar(self, player: str, of_family: str) -> bool:
        """Whether an On marker of this player speaks for all wagers of the family."""
        return any(
            w.similar and w.player == player and w.family == of_family
            for w in (self.wagers[name] for name in self._marked if name in self.wagers)
        )

    # ------------------------------------------------------------------ movements shared by the events

    def _pay(self, player: str, amount: int) -> None:
        self.rails[player] = self.rails.get(player, 0) + amount

    def _replace(self, name: str, **changes: Any) -> None:
        self.wagers[name] = self.wagers[name]._replace(**changes)

    def _lay(self, wager: Wager) -> None:
        self.wagers[wager.wager] = wager
        if wager.on:
            self._marked.add(wager.wager)
        if wager.base is not None:
            odds = self._odds.setdefault(wager.base, [])
            if wager.wager not in odds:
                odds.append(wager.wager)

    def _remember_call(self, roll: int, dice: tuple[int, int] | None, thrown: Any, role: str) -> None:
        self.dice_out = False
        self.totals.append(sum(dice) if dice else None)
        self.calls.append(self.version)
        self.last_call = LastCall(
            roll, dice, thrown, role, dict(self.wagers), self.puck, self.shooter, self.line_bet_waived
        )
        self.settled_last = {}


_OPENER, _CLOSER = ("opener", None), ("closer", None)
_RACK: dict[Flow, int] = {flow: into("rack", flow) + into("held", flow) for flow in FLOWS}


def _opened(table: Table, event: e.TableOpened) -> None:
    table.house, table.is_open, table.gaming_day = event, True, event.gaming_day
    figure = Figure(event.opener, event.signed_by, event.signed_as, event.denominations)
    if table.figures.setdefault(_OPENER, figure) is figure:
        table.locked_with = event.preceding_closer
    else:  # it goes on with the day's first opener
        table.variance_in_rack = event.opener - table.moved_rack


def _closed(table: Table, event: e.TableClosed) -> None:
    table.figures[_CLOSER] = Figure(event.closer, event.signed_by, event.signed_as, event.denominations)
    table.is_open = table.dice_out = False
    table.shooter = table.puck = table.last_call = None


def _bought_in(table: Table, event: e.BuyInAccepted) -> None:
    table._pay(event.player, event.amount)
    back = event.amount if event.tender == "chips" else event.recycled
    off = table.carried_off.get(event.player, 0)
    table.carried_off[event.player] = max(off - back, 0)
    if event.tender == "marker":
        table.markers[event.player] = table.markers.get(event.player, 0) + event.amount


def _slip(table: Table, event: e.FillReceived | e.CreditSent) -> None:
    what = "fill" if isinstance(event, e.FillReceived) else "credit"
    signed = event.signed_by, event.signed_as
    table.figures[what, event.slip] = Figure(event.amount, *signed, event.denominations)


def _drop_counted(table: Table, event: e.DropCounted) -> None:
    figures = table.boxes[event.box] = (event.cash, event.markers, event.slips)
    seen_by = frozenset(filter(None, (event.signed_by, *event.seen_by)))
    table.counts[event.box, event.count_pass] = Counted(figures, seen_by)
    for what, cents in zip(_IN_BOX, table.boxes[event.box], strict=True):
        table.figures[what, event.box] = Figure(cents, event.signed_by, event.signed_as)


_IN_BOX = ("drop_cash", "drop_markers", "drop_slips")


def _inventory(table: Table, event: e.TableInventoryCounted) -> None:
    table.inventories = event.number
    signed = event.signed_by, event.signed_as
    table.figures["inventory", str(event.number)] = Figure(event.counted, *signed, event.denominations)


def _rack_variance(table: Table, event: e.InventoryVarianceFound) -> None:
    if event.against == "book":
        table.variance_in_rack += event.difference


def _drop_variance(table: Table, event: e.DropVarianceFound) -> None:
    cash, markers, slips = table.variance_in_boxes
    table.variance_in_boxes = (cash + event.cash, markers + event.markers, slips + event.slips)


def _resolved(table: Table, event: e.DropCountResolved) -> None:
    table.resolved.add(event.box)


def _cut(table: Table, event: e.TableCut) -> None:
    table.cuts = event.cut


def _corrected(table: Table, event: e.CorrectionRecorded) -> None:
    figure = table.figures[event.what, event.item]
    table.figures[event.what, event.item] = figure._replace(cents=event.after, chips=put_right(event))
    if event.what in _IN_BOX and event.item is not None:
        cash, markers, slips = (table.figures[what, event.item].cents for what in _IN_BOX)
        table.boxes[event.item] = (cash, markers, slips)


def _paid_a_dispute(table: Table, event: e.DisputePaidFromRack) -> None:
    table.flows["dispute_settled"] = table.flows.get("dispute_settled", 0) + event.amount


def _sealed(table: Table, event: e.DaySealed) -> None:
    table.sealed, table.overnight = True, dict(event.overnight)


def _toked(table: Table, event: e.TokeReceived) -> None:
    table._pay(event.player, -event.amount)


def _toke_returned(table: Table, event: e.TokeReturned) -> None:
    table._pay(event.player, event.amount)


def _walked(table: Table, event: e.PlayerWalked) -> None:
    table._pay(event.player, -event.amount)
    table.carried_off[event.player] = table.carried_off.get(event.player, 0) + event.amount


def _rim_extended(table: Table, event: e.RimCreditExtended) -> None:
    table._pay(event.player, event.amount)
    table.rim[event.player] = table.rim.get(event.player, 0) + event.amount


def _rim_settled(table: Table, event: e.RimCreditSettled) -> None:
    if event.tender == "chips":
        table._pay(event.player, -event.amount)
    else:
        table.markers[event.player] = table.markers.get(event.player, 0) + event.amount
    table.rim[event.player] -= event.amount
    if not table.rim[event.player]:
        del table.rim[event.player]


def _marker_redeemed(table: Table, event: e.MarkerRedeemed) -> None:
    table.markers[event.player] = table.markers.get(event.player, 0) - event.amount
    if event.tender == "chips":
        table._pay(event.player, -event.amount)


def _adjusted(table: Table, event: e.AdjustmentMade) -> None:
    table._pay(event.player, event.amount)


def _mispaid(table: Table, event: e.MispayFound) -> None:
    table._pay(event.player, event.difference)
    table.decided[event.wager] = table.decided[event.wager]._replace(paid=event.paid)


def _set_issued(table: Table, event: e.DiceSetIssued) -> None:
    table.dice_set = event.set


def _set_removed(table: Table, event: e.DiceSetRemoved) -> None:
    if table.dice_set == event.set:
        table.dice_set = None


def _die_left(table: Table, event: e.DieLeftTable) -> None:
    if event.found is False:
        table.dice_set = None


def _shooter(table: Table, event: e.ShooterAssigned) -> None:
    if table.shooter != event.player:
        table.line_bet_waived = False
    table.shooter = event.player


def _passed(table: Table, event: e.DicePassed) -> None:
    table.shooter = None
    table.line_bet_waived = False


def _went_out(table: Table, event: e.DiceWentOut) -> None:
    table.dice_out = True


def _called(table: Table, event: e.RollCalled) -> None:
    total = sum(event.dice)
    for name, wager in list(table.removed.items()):
        if total in (SEVEN, table.point_of(wager)):  # it would have been decided: nothing is left to replace
            del table.removed[name]
    table._remember_call(event.roll, event.dice, event.dice, event.role)


def _no_roll(table: Table, event: e.NoRollCalled) -> None:
    table._remember_call(event.roll, None, event.dice, event.role)
    assert table.last_call is not None
    table.last_call = table.last_call._replace(no_roll=event.reason)


def _overruled(table: Table, event: e.RollOverruled) -> None:
    call = table.last_call
    assert call is not None, event
    thrown = event.dice or call.thrown
    table.last_call = call._replace(dice=event.dice, thrown=thrown, role=event.role, no_roll=None)
    table.totals[event.roll - 1] = sum(event.dice) if event.dice else None
    table.puck, table.shooter, table.line_bet_waived = event.puck, event.shooter, call.line_bet_waived


def _puck(table: Table, event: e.PuckMoved) -> None:
    table.puck = event.point
    if event.point is not None:  # On marks last through one run of come-out rolls (ERRATA reading G-6)
        for name in table._marked & table.wagers.keys():
            table._replace(name, on=False, similar=False)
        table._marked.clear()


def _placed(table: Table, event: e.WagerPlaced) -> None:
    base = table.wagers.get(event.base) if event.base else None
    if not event.cash:
        table._pay(event.player, -event.amount)
    table._placed += 1
    table.used.add(event.wager)
    table.allowed.pop(("replacement", event.replaces or ""), None)
    table._lay(
        Wager(
            event.wager,
            event.player,
            event.kind,
            event.amount,
            family(event.kind, base.kind if base else None),
            table._placed,
            table.rolls,
            event.number,
            event.combo,
            event.high,
            event.base,
            event.stays,
            event.for_dealers,
            after=event.after,
            cash=event.cash,
        )
    )


def _cash_laid(table: Table, event: e.CashLaid) -> None:
    table.undeclared[event.wager] = event


def _cash_declared(table: Table, event: e.CashDeclared) -> None:
    del table.undeclared[event.wager]


def _resized(table: Table, event: e.WagerPressed | e.WagerReduced) -> None:
    table._pay(event.player, event.was - event.to)
    table._replace(event.wager, amount=event.to)
    table.allowed.pop(("replacement", event.wager), None)


def _taken_down(table: Table, event: e.WagerTakenDown) -> None:
    if not event.cash:
        table._pay(event.player, event.amount)
    wager = table.wagers.pop(event.wager)
    if event.cause == "overruled" and wager.after is not None:
        table.used.discard(wager.wager)  # the win that put it back up has never been: its name is free again
    if wager.kind in WRONG_SIDE and table.point_of(wager) is not None:
        table.removed[wager.wager] = wager


def _restored(table: Table, event: e.WagerRestored) -> None:
    call = table.last_call
    assert call is not None, event
    if not event.cash:
        table._pay(event.player, event.was - event.amount)
    now = table.wagers.get(event.wager)
    table._lay(call.wagers[event.wager]._replace(commission=now.commission if now else 0))


def _turned_on(table: Table, event: e.WagerTurnedOn) -> None:
    table._replace(event.wager, on=True, similar=event.similar)
    table._marked.add(event.wager)


def _turned_off(table: Table, event: e.WagerTurnedOff) -> None:
    table._replace(event.wager, on=False, similar=False)
    table._marked.discard(event.wager)


def _moved(table: Table, event: e.WagerMoved) -> None:
    table._replace(event.wager, number=event.to)


def _commission_collected(table: Table, event: e.CommissionCollected) -> None:
    table._pay(event.player, -event.amount)
    table._replace(event.wager, commission=table.wagers[event.wager].commission + event.amount)


def _commission_refunded(table: Table, event: e.CommissionRefunded) -> None:
    table._pay(event.player, event.amount)
    if event.wager in table.wagers:
        table._replace(event.wager, commission=table.wagers[event.wager].commission - event.amount)


def _settled(table: Table, event: e.WagerSettled) -> None:
    table._pay(event.player, event.credit)
    del table.wagers[event.wager]
    table.decided[event.wager] = Decided(event.roll, event.player, event.paid, event.paid)
    table.settled_last[event.wager] = Settled(table.version, event)


def _reversed(table: Table, event: e.SettlementReversed) -> None:
    call = table.last_call
    assert call is not None, event
    table._pay(event.player, -event.credit)
    del table.decided[event.wager], table.settled_last[event.wager]
    table._lay(call.wagers[event.wager])


def _allowed(table: Table, event: e.ExceptionAllowed) -> None:
    if event.what == "no_line_bet":
        table.line_bet_waived = True
    elif event.wager is not None:
        table.allowed[event.what, event.wager] = event.to


def _denied(table: Table, event: e.PlayDenied) -> None:
    table.denied.add(event.player)


def _nothing(table: Table, event: e.Happened) -> None:
    """A fact that changes nothing on the layout."""


_EVOLVE: dict[type[e.Happened], Callable[[Table, Any], None]] = {
    e.TableOpened: _opened,
    e.TableClosed: _closed,
    e.DropCounted: _drop_counted,
    e.BuyInAccepted: _bought_in,
    e.PlayerWalked: _walked,
    e.MarkerRedeemed: _marker_redeemed,
    e.RimCreditExtended: _rim_extended,
    e.RimCreditSettled: _rim_settled,
    e.FillReceived: _slip,
    e.CreditSent: _slip,
    e.AdjustmentMade: _adjusted,
    e.MispayFound: _mispaid,
    e.DiceSetIssued: _set_issued,
    e.DiceSetRemoved: _set_removed,
    e.DieLeftTable: _die_left,
    e.ShooterAssigned: _shooter,
    e.DicePassed: _passed,
    e.DiceWentOut: _went_out,
    e.RollCalled: _called,
    e.NoRollCalled: _no_roll,
    e.RollOverruled: _overruled,
    e.PuckMoved: _puck,
    e.WagerPlaced: _placed,
    e.CashLaid: _cash_laid,
    e.CashDeclared: _cash_declared,
    e.UndeclaredCash: _nothing,
    e.WagerPressed: _resized,
    e.WagerReduced: _resized,
    e.WagerTakenDown: _taken_down,
    e.WagerRestored: _restored,
    e.WagerTurnedOn: _turned_on,
    e.WagerTurnedOff: _turned_off,
    e.WagerMoved: _moved,
    e.CommissionCollected: _commission_collected,
    e.CommissionRefunded: _commission_refunded,
    e.WagerSettled: _settled,
    e.SettlementReversed: _reversed,
    e.ExceptionAllowed: _allowed,
    e.PlayDenied: _denied,
    e.CommandRefused: _nothing,
    e.ChipsColoredUp: _nothing,
    e.EvenExchangeMade: _nothing,
    e.TokeReceived: _toked,
    e.TokeReturned: _toke_returned,
    e.TableInventoryCounted: _inventory,
    e.InventoryVarianceFound: _rack_variance,
    e.DropVarianceFound: _drop_variance,
    e.DropCountsDiffered: _nothing,
    e.DropCountResolved: _resolved,
    e.TableCut: _cut,
    e.CorrectionRecorded: _corrected,
    e.DisputePaidFromRack: _paid_a_dispute,
    e.DaySealed: _sealed,
}

_OF_A_PATRON = {e.WagerPlaced, e.WagerPressed, e.WagerReduced, e.WagerTakenDown, e.WagerRestored}
_OF_THE_HOUSE = {kind for kind in _EVOLVE if kind.name in MOVING} - _OF_A_PATRON
"""The events that move chips or money of the house's; half of all only move a patron's about."""
