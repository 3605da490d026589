"""What each event did with money: the one place that says it, and every figure in money folds this.

A transfer moves cents along a flow, and a flow has two ends, so books that do not balance cannot be
written. `rail` and `layout` are chips in the patrons' custody; `rack` and `held` lie in the same tray
(`held` is commission that goes back if its wager comes down undecided); `box` is the drop box, with cash
and paper; the rest of the world is the `cage` and `outside`. A negative amount runs a flow backwards,
which is how refunds and reversals are said.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, get_args

from domain import events as e

Account = Literal["rail", "layout", "rack", "held", "box", "cage", "outside"]
Flow = Literal[
    "chips_bought",
    "chips_carried_in",
    "chips_carried_out",
    "chips_redeemed",
    "cash_dropped",
    "markers_dropped",
    "front_money_dropped",
    "coupons_dropped",
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
}
"""From where to where each flow moves money."""

FLOWS: tuple[Flow, ...] = get_args(Flow)
EVENT_WIN: dict[Flow, int] = {
    "lost": 1,
    "commission_taken": 1,
    "commission_earned": 1,
    "won": -1,
    "mispaid": -1,
    "adjusted": -1,
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


def _filled(event: e.FillReceived) -> Money:
    return (Transfer("filled", None, event.amount),)


def _credited(event: e.CreditSent) -> Money:
    return (Transfer("credited", None, event.amount),)


def _adjusted(event: e.AdjustmentMade) -> Money:
    return (Transfer("adjusted", event.player, event.amount),)


def _mispaid(event: e.MispayFound) -> Money:
    return (Transfer("mispaid", event.player, event.difference),)


def _placed(event: e.WagerPlaced) -> Money:
    return (Transfer("staked", event.player, event.amount),)


def _resized(event: e.WagerPressed | e.WagerReduced) -> Money:
    return (Transfer("staked", event.player, event.to - event.was),)


def _taken_down(event: e.WagerTakenDown) -> Money:
    return (Transfer("staked", event.player, -event.amount),)


def _restored(event: e.WagerRestored) -> Money:
    return (Transfer("staked", event.player, event.amount - event.was),)


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
    lost = event.outcome == "lost"
    stake_goes = Transfer("lost", player, stake) if lost else Transfer("staked", player, -stake)
    others: tuple[tuple[Flow, int], ...] = (
        ("won", event.paid),
        ("commission_taken", event.commission),
        ("commission_earned", event.commission_earned),
    )
    return (stake_goes, *(Transfer(flow, player, sign * amount) for flow, amount in others if amount))


def _nothing(_: e.Happened) -> Money:
    return NOTHING


_MONEY: dict[type[e.Happened], Callable[[Any], Money]] = {
    e.TableOpened: _nothing,
    e.TableClosed: _nothing,
    e.DropCounted: _nothing,
    e.BuyInAccepted: _bought_in,
    e.PlayerWalked: _walked,
    e.MarkerRedeemed: _marker_redeemed,
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
}
