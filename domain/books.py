"""What each event did with money: the one place that says it, and every figure in money folds this.

A transfer moves cents along a flow, and a flow has two ends, so books that do not balance cannot be
written. `rail` and `layout` are chips in the patrons' custody; `rack` and `held` lie in the same tray
(`held` is commission that goes back if its wager comes down undecided); `box` is the drop box, with cash
and paper; `lammers` stand for credit on the rim; `tokes` are the dealers'; the rest of the world is the
`cage` and `outside`. A negative amount runs a flow backwards, which is how refunds and reversals are said.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, get_args

from domain import events as e

Account = Literal["rail", "layout", "rack", "held", "box", "lammers", "tokes", "cage", "outside"]
Flow = Literal[
    "chips_bought",
    "chips_carried_in",
    "chips_carried_out",
    "chips_redeemed",
    "cash_dropped",
    "markers_dropped",
    "front_money_dropped",
    "coupons_dropped",
    "rim_extended",
    "filled",
    "credited",
    "staked",
    "lost",
    "won",
    "commission_taken",
    "commission_collected",
    "commission_earned",
    "mispaid",
    "adjusted",
    "dispute_settled",
    "dispute_settled_at_cage",
    "cash_staked",
    "cash_lost",
    "toked",
]

ROUTE: dict[Flow, tuple[Account, Account]] = {
    "chips_bought": ("rack", "rail"),
    "chips_carried_in": ("outside", "rail"),
    "chips_carried_out": ("rail", "outside"),
    "chips_redeemed": ("rail", "rack"),  # chips given back for a marker
    "cash_dropped": ("outside", "box"),
    "markers_dropped": ("outside", "box"),  # issued, less redeemed at the table
    "front_money_dropped": ("outside", "box"),
    "coupons_dropped": ("outside", "box"),
    "rim_extended": ("outside", "lammers"),  # less settled
    "filled": ("cage", "rack"),
    "credited": ("rack", "cage"),
    "staked": ("rail", "layout"),
    "lost": ("layout", "rack"),
    "won": ("rack", "rail"),
    "commission_taken": ("rail", "rack"),  # from the winnings
    "commission_collected": ("rail", "held"),  # up front, less refunded
    "commission_earned": ("held", "rack"),  # when the wager it was collected on is decided
    "mispaid": ("rack", "rail"),  # paid less owed
    "adjusted": ("rack", "rail"),
    "dispute_settled": ("rack", "outside"),  # into the patron's hands, never onto a rail
    "dispute_settled_at_cage": ("cage", "outside"),
    "cash_staked": ("outside", "layout"),  # money plays, less handed back
    "cash_lost": ("layout", "box"),
    "toked": ("rail", "tokes"),
}
"""From where to where each flow moves money."""

_Stake = e.WagerPlaced | e.WagerTakenDown | e.WagerRestored | e.WagerSettled | e.SettlementReversed
FLOWS: tuple[Flow, ...] = get_args(Flow)
EVENT_WIN: dict[Flow, int] = {
    "lost": 1,
    "cash_lost": 1,
    "commission_taken": 1,
    "commission_earned": 1,
    "won": -1,
    "mispaid": -1,
    "adjusted": -1,
    "dispute_settled": -1,
    "dispute_settled_at_cage": -1,
}
"""What the house wins by wagers: which flows make it (1) and which cost it (-1)."""


class Transfer(NamedTuple):
    """Cents along one flow; `player` is whose rail, layout or paper it was."""

    flow: Flow
    player: str | None
    amount: int


Money = tuple[Transfer, ...]
NOTHING: Money = ()


def money(event: e.Happened) -> Money:
    """The money `event` moved; empty when it moved none.

    >>> money(e.WagerPlaced(wager="w1", player="P7", kind="field", amount=500))
    (Transfer(flow='staked', player='P7', amount=500),)
    """
    return _MONEY[type(event)](event)


def into(account: Account, flow: Flow) -> int:
    """What a cent along `flow` does to `account`: 1, -1 or 0.

    >>> into("rail", "won"), into("rack", "won"), into("box", "won")
    (1, -1, 0)
    """
    source, target = ROUTE[flow]
    return (target == account) - (source == account)


def balance(account: Account, transfers: Iterable[Transfer]) -> int:
    """What `transfers` leave on `account`."""
    return sum(into(account, flow) * amount for flow, _, amount in transfers)


def event_win(transfers: Iterable[Transfer]) -> int:
    """What the house won by wagers, payouts, commission and adjustments."""
    return sum(EVENT_WIN.get(flow, 0) * amount for flow, _, amount in transfers)


_DROPPED: dict[str, Flow] = {
    "cash": "cash_dropped",
    "marker": "markers_dropped",
    "front_money": "front_money_dropped",
    "coupon": "coupons_dropped",
}


def _bought_in(event: e.BuyInAccepted) -> Money:
    player, amount = event.player, event.amount
    if event.tender == "chips":
        return (Transfer("chips_carried_in", player, amount),)
    return (Transfer("chips_bought", player, amount), Transfer(_DROPPED[event.tender], player, amount))


def _walked(event: e.PlayerWalked) -> Money:
    return (Transfer("chips_carried_out", event.player, event.amount),)


def _marker_redeemed(event: e.MarkerRedeemed) -> Money:
    paid: Flow = "chips_redeemed" if event.tender == "chips" else "cash_dropped"
    return (
        Transfer(paid, event.player, event.amount),
        Transfer("markers_dropped", event.player, -event.amount),
    )


def _rim_extended(event: e.RimCreditExtended) -> Money:
    player, amount = event.player, event.amount
    return (Transfer("chips_bought", player, amount), Transfer("rim_extended", player, amount))


def _rim_settled(event: e.RimCreditSettled) -> Money:
    by: Flow = "chips_redeemed" if event.tender == "chips" else "markers_dropped"
    player, amount = event.player, event.amount
    return (Transfer(by, player, amount), Transfer("rim_extended", player, -amount))


def _filled(event: e.FillReceived) -> Money:
    return (Transfer("filled", None, event.amount),)


def _credited(event: e.CreditSent) -> Money:
    return (Transfer("credited", None, event.amount),)


def _adjusted(event: e.AdjustmentMade) -> Money:
    return (Transfer("adjusted", event.player, event.amount),)


def _mispaid(event: e.MispayFound) -> Money:
    return (Transfer("mispaid", event.player, event.difference),)


def _staked(event: _Stake) -> Flow:
    return "cash_staked" if event.cash else "staked"


def _placed(event: e.WagerPlaced) -> Money:
    return (Transfer(_staked(event), event.player, event.amount),)


def _resized(event: e.WagerPressed | e.WagerReduced) -> Money:
    return (Transfer("staked", event.player, event.to - event.was),)


def _taken_down(event: e.WagerTakenDown) -> Money:
    return (Transfer(_staked(event), event.player, -event.amount),)


def _restored(event: e.WagerRestored) -> Money:
    return (Transfer(_staked(event), event.player, event.amount - event.was),)


def _collected(event: e.CommissionCollected) -> Money:
    return (Transfer("commission_collected", event.player, event.amount),)


def _refunded(event: e.CommissionRefunded) -> Money:
    return (Transfer("commission_collected", event.player, -event.amount),)


def _settled(event: e.WagerSettled) -> Money:
    return _decided(event, 1)


def _reversed(event: e.SettlementReversed) -> Money:
    return _decided(event, -1)


def _decided(event: e.WagerSettled | e.SettlementReversed, sign: int) -> Money:
    player, stake = event.player, sign * event.stake
    if event.outcome == "lost":
        stake_goes = Transfer("cash_lost" if event.cash else "lost", player, stake)
    else:
        stake_goes = Transfer(_staked(event), player, -stake)
    others: tuple[tuple[Flow, int], ...] = (
        ("won", event.paid),
        ("commission_taken", event.commission),
        ("commission_earned", event.commission_earned),
    )
    return (stake_goes, *(Transfer(flow, player, sign * amount) for flow, amount in others if amount))


def _dispute_settled(event: e.DisputeSettled) -> Money:
    flow: Flow = "dispute_settled" if event.paid_from == "rack" else "dispute_settled_at_cage"
    return (Transfer(flow, event.player, event.amount),)


def _toked(event: e.TokeReceived) -> Money:
    return (Transfer("toked", event.player, event.amount),)


def _toke_returned(event: e.TokeReturned) -> Money:
    return (Transfer("toked", event.player, -event.amount),)


_CORRECTED: dict[str, Flow] = {"fill": "filled", "credit": "credited"}


def _corrected(event: e.CorrectionRecorded) -> Money:
    """A slip put right moves what it should have moved; a count put right moves nothing."""
    flow = _CORRECTED.get(event.what)
    return (Transfer(flow, None, event.after - event.before),) if flow else NOTHING


def _nothing(_: e.Happened) -> Money:
    return NOTHING


_MONEY: dict[type[e.Happened], Callable[[Any], Money]] = {
    e.TableOpened: _nothing,
    e.TableClosed: _nothing,
    e.DropCounted: _nothing,
    e.BuyInAccepted: _bought_in,
    e.PlayerWalked: _walked,
    e.MarkerRedeemed: _marker_redeemed,
    e.RimCreditExtended: _rim_extended,
    e.RimCreditSettled: _rim_settled,
    e.FillReceived: _filled,
    e.CreditSent: _credited,
    e.AdjustmentMade: _adjusted,
    e.MispayFound: _mispaid,
    e.DiceSetIssued: _nothing,
    e.DiceSetRemoved: _nothing,
    e.DieLeftTable: _nothing,
    e.ShooterAssigned: _nothing,
    e.DicePassed: _nothing,
    e.DiceWentOut: _nothing,
    e.RollCalled: _nothing,
    e.NoRollCalled: _nothing,
    e.RollOverruled: _nothing,
    e.PuckMoved: _nothing,
    e.WagerPlaced: _placed,
    e.CashLaid: _nothing,
    e.CashDeclared: _nothing,
    e.UndeclaredCash: _nothing,
    e.WagerPressed: _resized,
    e.WagerReduced: _resized,
    e.WagerTakenDown: _taken_down,
    e.WagerRestored: _restored,
    e.WagerTurnedOn: _nothing,
    e.WagerTurnedOff: _nothing,
    e.WagerMoved: _nothing,
    e.CommissionCollected: _collected,
    e.CommissionRefunded: _refunded,
    e.WagerSettled: _settled,
    e.SettlementReversed: _reversed,
    e.ExceptionAllowed: _nothing,
    e.PlayDenied: _nothing,
    e.CommandRefused: _nothing,
    e.DisputeOpened: _nothing,
    e.VideoHoldPlaced: _nothing,
    e.EvidenceAttached: _nothing,
    e.SurveillanceReviewed: _nothing,
    e.RulingMade: _nothing,
    e.RulingOverruled: _nothing,
    e.DisputeSettled: _dispute_settled,
    e.RegulatorNotified: _nothing,
    e.DisputeClosed: _nothing,
    e.ChipsColoredUp: _nothing,
    e.EvenExchangeMade: _nothing,
    e.TokeReceived: _toked,
    e.TokeReturned: _toke_returned,
    e.TableInventoryCounted: _nothing,
    e.InventoryVarianceFound: _nothing,
    e.DropVarianceFound: _nothing,
    e.TableCut: _nothing,
    e.CorrectionRecorded: _corrected,
    e.DisputePaidFromRack: _nothing,
    e.DaySealed: _nothing,
    e.FillRequested: _nothing,
    e.FillDispatched: _nothing,
    e.FillDelivered: _nothing,
    e.FillVoided: _nothing,
    e.CreditRequested: _nothing,
    e.CreditDispatched: _nothing,
    e.CreditReceived: _nothing,
    e.CreditVoided: _nothing,
    e.BlankSlipVoided: _nothing,
    e.DropBoxInstalled: _nothing,
    e.DropBoxRemoved: _nothing,
    e.EmergencyDropMade: _nothing,
    e.DropBoxSecured: _nothing,
    e.DropCountsDiffered: _nothing,
    e.DropCountResolved: _nothing,
    e.CounterfeitFound: _nothing,
    e.FrontMoneyDeposited: _nothing,
    e.FrontMoneyWithdrawn: _nothing,
    e.MarkerIssued: _nothing,
    e.CreditLimitSet: _nothing,
    e.MarkerPaid: _nothing,
    e.MarkerWrittenOff: _nothing,
    e.ChipsSoldAtCage: _nothing,
    e.ChipsRedeemedAtCage: _nothing,
    e.GamingDayOpened: _nothing,
    e.GamingDayClosed: _nothing,
    e.ShiftOpened: _nothing,
    e.ShiftClosed: _nothing,
    e.DayItemListed: _nothing,
    e.ExceptionRaised: _nothing,
    e.ExceptionDispositioned: _nothing,
    e.ChipsPlacedInService: _nothing,
    e.ChipsDestroyed: _nothing,
    e.CageBankrollFunded: _nothing,
    e.ChipBreakageRecognised: _nothing,
    e.DropTransferredToVault: _nothing,
    e.GamingTaxAccrued: _nothing,
}

MOVING: frozenset[str] = frozenset(kind.name for kind, moved in _MONEY.items() if moved is not _nothing)
"""The names of the events that move money."""
