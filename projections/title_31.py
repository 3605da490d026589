"""Cash in and cash out of each patron and gaming day, apart, as Title 31 counts them. For restricted eyes.

Everything a patron bought or paid with cash is cash in, everything the house gave him cash for is cash out;
the two are never netted. Money plays: the currency that a patron takes back from a bet is no cash out, and
betting it again at the same table, before he leaves it, is no cash in (31 CFR 1021.311(c)(2)).
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple

from psycopg import Connection

from domain import events as e
from domain.policy.title_31 import CashPolicy, cash_policy
from projections.day_events import DayEvent, events_of
from projections.rows import Row

Way = Literal["in", "out"]


class Cash(NamedTuple):
    """One cash transaction of a patron; `table` None: at the cage."""

    player: str
    way: Way
    kind: str
    amount: int
    table: str | None
    at: datetime
    position: int
    badge: str


SPEAK_OF_CASH = (
    *("BuyInAccepted", "ChipsSoldAtCage", "ChipsRedeemedAtCage", "FrontMoneyDeposited"),
    *("FrontMoneyWithdrawn", "MarkerPaid", "DisputeSettled"),
    *("WagerPlaced", "WagerTakenDown", "WagerRestored", "WagerSettled", "SettlementReversed", "PlayerWalked"),
    "DaySealed",
)


class CashWatch:
    """Watches the events of one gaming day for cash, in ledger order."""

    def __init__(self) -> None:
        self._in_hand: dict[tuple[str | None, str], int] = {}  # currency taken back from money plays

    def seen(self, said: DayEvent, event: e.Happened) -> Iterator[Cash]:
        """The cash transactions in an event."""
        for way, kind, amount in self._moved(said.table, event):
            if amount:
                player = getattr(event, "player", "")
                yield Cash(player, way, kind, amount, said.table, said.occurred_at, said.position, said.badge)

    def _moved(self, table: str | None, event: e.Happened) -> Iterator[tuple[Way, str, int]]:
        match event:
            case e.BuyInAccepted(tender="cash"):
                yield "in", "chips bought at the table", event.amount
            case e.ChipsSoldAtCage():
                yield "in", "chips bought at the cage", event.amount
            case e.FrontMoneyDeposited():
                yield "in", "front money deposited", event.amount
            case e.MarkerPaid(tender="cash"):
                yield "in", "marker paid", event.amount
            case e.ChipsRedeemedAtCage():
                yield "out", "chips redeemed", event.amount
            case e.FrontMoneyWithdrawn(tender="cash"):
                yield "out", "front money withdrawn", event.amount
            case e.DisputeSettled(tender="cash"):
                yield ("out" if event.amount > 0 else "in"), "dispute settled", abs(event.amount)
            case e.PlayerWalked():
                self._in_hand.pop((table, event.player), None)
            case _:
                yield from self._money_play(table, event)

    def _money_play(self, table: str | None, event: e.Happened) -> Iterator[tuple[Way, str, int]]:
        back = _taken_back(event)
        if back == 0:
            return
        hand = table, getattr(event, "player", "")
        again = self._in_hand.get(hand, 0) + back
        self._in_hand[hand] = max(again, 0)
        if again < 0:
            yield "in", "money play", -again


def _taken_back(event: e.Happened) -> int:
    """Currency that came back to the player's hand from the layout; negative: that went onto it."""
    match event:
        case e.WagerPlaced(cash=True):
            return -event.amount
        case e.WagerTakenDown(cash=True):
            return event.amount
        case e.WagerRestored(cash=True):
            return event.was - event.amount
        case e.WagerSettled(cash=True):
            return event.stake if event.outcome != "lost" else 0
        case e.SettlementReversed(cash=True):
            return -event.stake if event.outcome != "lost" else 0
    return 0


def speaks_of_cash(said: DayEvent) -> bool:
    """Whether an event need be read at all: most wagers are chips."""
    if said.name not in SPEAK_OF_CASH:
        return False
    return ("Wager" not in said.name and said.name != "SettlementReversed") or '"cash":true' in said.data


# ------------------------------------------------------------------------------------- what is reported


def watched(conn: Connection[Any], day: date) -> list[Cash]:
    """Every cash transaction of a gaming day, in ledger order."""
    watch = CashWatch()
    return [
        cash
        for said in events_of(conn, day, SPEAK_OF_CASH)
        if speaks_of_cash(said)
        for cash in watch.seen(said, said.event)
    ]


def patrons(transactions: Iterable[Cash], day: date) -> list[Row]:
    """Each patron's cash of a gaming day: in and out apart, and whether a report (CTR) is due for either."""
    policy = cash_policy(day)
    sums: dict[str, dict[str, int]] = {}
    for cash in transactions:
        one = sums.setdefault(cash.player, {"in": 0, "out": 0, "count": 0})
        one[cash.way] += cash.amount
        one["count"] += 1
    return [_patron(player, one, policy, day) for player, one in sorted(sums.items())]


def _patron(player: str, sums: dict[str, int], policy: CashPolicy, day: date) -> Row:
    over_in, over_out = (sums[way] > policy.report_over for way in ("in", "out"))
    file_by = day + timedelta(days=policy.file_within_days)
    return {
        "player": player,
        "gaming_day": day.isoformat(),
        "cash_in": sums["in"],
        "cash_out": sums["out"],
        "transactions": sums["count"],
        "ctr_in": over_in,
        "ctr_out": over_out,
        "file_by": file_by.isoformat() if over_in or over_out else None,
        "policy": policy.id,
    }


def logged(transactions: Iterable[Cash], day: date, log_from: int | None = None) -> Iterator[Row]:
    """The multiple-transaction log: transactions from `log_from` cents on, beside the patron's sums so far.

    Those of a patron whose sum is over the reporting amount are logged from that one on, however small.
    """
    policy = cash_policy(day)
    least = policy.log_from if log_from is None else log_from
    so_far: dict[tuple[str, str], int] = {}
    for cash in transactions:
        key = cash.player, cash.way
        so_far[key] = so_far.get(key, 0) + cash.amount
        if cash.amount >= least or so_far[key] > policy.report_over:
            yield {
                "player": cash.player,
                "gaming_day": day.isoformat(),
                "at": cash.at.isoformat(),
                "way": cash.way,
                "kind": cash.kind,
                "amount": cash.amount,
                "sum_so_far": so_far[key],
                "over": so_far[key] > policy.report_over,
                "table": cash.table,
                "badge": cash.badge,
                "position": cash.position,
            }
