"""Every event in a sentence, as the pit would say it; every settlement with its sum and its paragraph."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any

from domain import events as e
from domain.money import dollars, spoken

Money = Callable[[int], str]
_SIGNS = {"USD": "$", "CAD": "$", "AUD": "$", "NZD": "$", "EUR": "€", "GBP": "£", "MOP": "MOP$", "HKD": "HK$"}
_NAMES = {"c_and_e": "C & E", "dont_pass": "don't pass", "dont_come": "don't come"}
_TOTALS = {2: "two", 3: "three", 7: "seven", 11: "eleven", 12: "twelve"}


def money_in(currency: str) -> Money:
    """How amounts of a currency are written; they are whole cents.

    >>> money_in("USD")(1400), money_in("USD")(-50), money_in("CHF")(1400)
    ('$14.00', '-$0.50', 'CHF 14.00')
    """
    sign = _SIGNS.get(currency, f"{currency} ")
    return lambda cents: f"{'-' * (cents < 0)}{sign}{dollars(abs(cents))}"


def spoken_bet(
    kind: str, number: int | None = None, combo: tuple[int, int] | None = None, high: int | None = None
) -> str:
    """A wager as a dealer would say it.

    >>> spoken_bet("place", 6), spoken_bet("hop", combo=(2, 3)), spoken_bet("dont_come", 4)
    ('place 6', 'hop 2-3', "don't come 4")
    """
    which = faces(combo) or number or high or ""
    return f"{_NAMES.get(kind, kind.replace('_', ' '))} {which}".rstrip()


def in_seconds(lasted: timedelta) -> int | float:
    """How long, to the millisecond: a time, so it may be a float.

    >>> in_seconds(timedelta(seconds=3)), in_seconds(timedelta(milliseconds=1500))
    (3, 1.5)
    """
    seconds = round(lasted.total_seconds(), 3)
    return int(seconds) if seconds == int(seconds) else seconds


def ruling_of(row: Mapping[str, Any]) -> str:
    """The ruling of a dispute that stands, and whose it is; nothing where nobody has ruled.

    >>> ruling_of({"ruling": "settled_in_part", "ruled_by": "M-001", "ruled_role": "shift_manager"})
    'settled in part (M-001 shift manager)'
    """
    if row["ruling"] is None:
        return ""
    return f"{row['ruling'].replace('_', ' ')} ({row['ruled_by']} {row['ruled_role'].replace('_', ' ')})"


def faces(dice: tuple[int, int] | None) -> str:
    """The two dice; nothing where nobody saw them."""
    return "" if dice is None else f"{dice[0]}-{dice[1]}"


def called(dice: tuple[int, int]) -> str:
    """The dice as the stickman calls them.

    >>> called((2, 4)), called((3, 3)), called((3, 4))
    ('2-4, an easy six', '3-3, a hard six', '3-4, seven')
    """
    total = sum(dice)
    if total in (4, 6, 8, 10):
        way = "a hard" if dice[0] == dice[1] else "an easy"
        return f"{faces(dice)}, {way} {({4: 'four', 6: 'six', 8: 'eight', 10: 'ten'})[total]}"
    return f"{faces(dice)}, {_TOTALS.get(total) or {5: 'five', 9: 'nine'}[total]}"


def sum_of(event: e.WagerSettled, money: Money) -> str:
    """How a settlement was reckoned: stake, odds, owed, what no chip could pay, commission, paragraph."""
    bet = spoken_bet(event.kind, event.number, event.combo, event.high)
    parts = [f"{bet}, {money(event.stake)}{_at_odds(event)}", *_RECKONED[event.outcome](event, money)]
    if event.commission_earned:
        parts.append(f"{money(event.commission_earned)} commission earned")
    return ", ".join([*parts, event.section])


def _at_odds(event: e.WagerSettled) -> str:
    return "" if event.odds is None or event.outcome != "won" else f" at {spoken(Fraction(event.odds))}"


def _won(event: e.WagerSettled, money: Money) -> list[str]:
    parts = [f"owed {_exactly(event.owed, money)}"]
    if event.owed_in_full is not None and event.aggregate_limit is not None:
        how = "reached" if event.aggregate_owed == event.owed_in_full else "shared"
        parts = [
            f"owed {_exactly(event.owed_in_full, money)}",
            f"{_exactly(event.owed, money)} as the table's aggregate limit of "
            f"{money(event.aggregate_limit)} is {how}, {event.limit_section}",
        ]
    if event.breakage != "0":
        parts += [f"paid {money(event.paid)}", f"breakage {money(round(Fraction(event.breakage)))}"]
    return parts + [f"less {money(event.commission)} commission"] * (event.commission > 0)


def _exactly(cents: str, money: Money) -> str:
    """An exact amount to the cent; where it is no whole number of cents, as it is too."""
    rounded = money(round(Fraction(cents)))
    return f"{rounded} ({cents} cents)" if "/" in cents else rounded


_RECKONED: dict[str, Callable[[e.WagerSettled, Money], list[str]]] = {
    "won": _won,
    "lost": lambda event, money: ["lost"],
    "pushed": lambda event, money: ["a push", "the stake goes back"],
    "returned": lambda event, money: ["not working", "returned"],
}


def tell(event: e.Happened, bet: str, money: Money) -> str:
    """`event` in a sentence; `bet` says which wager it is about, where it is about one."""
    return _TELL.get(type(event), _plainly)(event, bet, money)


def _plainly(event: Any, bet: str, money: Money) -> str:
    """An event in the words of its own name: `fill requested: F-17, $500.00`."""
    name = re.sub("(?<!^)(?=[A-Z])", " ", event.name).lower()
    about = [getattr(event, field, None) for field in ("player", "slip", "box", "marker")]
    amounts = [getattr(event, field, None) for field in ("amount", "counted", "difference")]
    said = [*filter(None, about), *(money(cents) for cents in amounts if cents is not None)]
    return f"{name}: {', '.join(said)}" if said else name


def _opened(event: e.TableOpened, bet: str, money: Money) -> str:
    limit = ""
    if event.aggregate_limit is not None and event.aggregate_odds_over is not None:
        over = spoken(Fraction(event.aggregate_odds_over))
        limit = f"at most {money(event.aggregate_limit)} a roll for all that is paid at over {over}, "
    return (
        f"the table opens for {event.gaming_day} under {event.rules} version {event.rules_version}, "
        f"{money(event.min)} to {money(event.max)}, {limit}on a rack of {money(event.opener)}"
    )


def _drop_counted(event: e.DropCounted, bet: str, money: Money) -> str:
    dropped = money(event.cash + event.markers + event.slips)
    return f"box {event.box} is counted (pass {event.count_pass}): {dropped}"


def _passed(event: e.DicePassed, bet: str, money: Money) -> str:
    player = event.player or "the shooter"
    said = {
        "choice": f"{player} passes the dice",
        "seven_out": f"{player} sevens out and gives up the dice",
        "order": f"{player} is ordered to pass the dice",
    }[event.cause]
    return f"{said}: {event.reason}" if event.reason else said


def _no_roll(event: e.NoRollCalled, bet: str, money: Money) -> str:
    seen = f", {faces(event.dice)} on the dice" if event.dice else ""
    return f"No Roll: {event.reason.replace('_', ' ')}{seen}"


def _overruled(event: e.RollOverruled, bet: str, money: Money) -> str:
    was = called(event.was) if event.was else "No Roll"
    now = "no roll after all" if event.dice is None else called(event.dice)
    return f"roll {event.roll} is overruled: {now} in the place of {was}; {event.reason}"


def _placed(event: e.WagerPlaced, bet: str, money: Money) -> str:
    said = f"{event.player} bets {bet}, {money(event.amount)}"
    if event.after:
        said = f"{event.player}'s {bet} stays: {money(event.amount)} goes back up after {event.after}"
    notes = {"money plays": event.cash, "for the dealers": event.for_dealers, "a case bet": event.case_bet}
    notes[f"in the place of {event.replaces}"] = event.replaces is not None
    return ", ".join([said, *(note for note, true in notes.items() if true)])


def _cash_laid(event: e.CashLaid, bet: str, money: Money) -> str:
    where = spoken_bet(event.kind, event.number, event.combo, event.high)
    return f"{event.player} lays {money(event.amount)} in cash on {where} ({event.wager}) and says nothing"


def _cash_declared(event: e.CashDeclared, bet: str, money: Money) -> str:
    means = {
        "plays": "it plays",
        "change_only": "it is for change only",
        "returned": "he has it back",
    }[event.intent]
    return f"{event.player}'s {money(event.amount)} in cash ({event.wager}): {means}"


def _taken_down(event: e.WagerTakenDown, bet: str, money: Money) -> str:
    why = {
        "player": "",
        "base": ", with the wager it supports",
        "close": ", as the table closes",
        "denied": ", as play is denied",
        "overruled": ", as the call it was made on no longer stands",
    }[event.cause]
    return f"{event.player}'s {bet} comes down{why}: {money(event.amount)} back to the rail"


def _restored(event: e.WagerRestored, bet: str, money: Money) -> str:
    return (
        f"{event.player}'s {bet} lies again as before the roll: {money(event.amount)}, not {money(event.was)}"
    )


def _marker(put: str) -> Callable[[Any, str, Money], str]:
    def say(event: Any, bet: str, money: Money) -> str:
        scope = " and all that are similar" if event.similar else ""
        return f"the On marker {put} {event.player}'s {bet}{scope}"

    return say


def _reversed(event: e.SettlementReversed, bet: str, money: Money) -> str:
    taken = f", {money(event.credit)} back from the rail" if event.credit else ""
    return f"{event.player}'s {bet} lies again, {event.outcome} no longer: {money(event.stake)}{taken}"


def _mispaid(event: e.MispayFound, bet: str, money: Money) -> str:
    return (
        f"{event.player} was really paid {money(event.paid)} on {bet} of roll {event.roll}, "
        f"owed {money(event.owed)}"
    )


def _allowed(event: e.ExceptionAllowed, bet: str, money: Money) -> str:
    what = event.what.replace("_", " ") + (f" of {bet}" if event.wager else "")
    up_to = f" up to {money(event.to)}" if event.to else ""
    return f"management allows {what}{up_to}" + (f": {event.reason}" if event.reason else "")


def _refused(event: e.CommandRefused, bet: str, money: Money) -> str:
    wished = [
        event.player,
        event.do.replace("_", " "),
        event.kind and event.kind.replace("_", " "),
        event.wager,
    ]
    amount = [] if event.amount is None else [money(event.amount)]
    return f"refused {event.reason}: {' '.join([*filter(None, wished), *amount])}: {event.message}"


def _die_left(event: e.DieLeftTable, bet: str, money: Money) -> str:
    found = {None: "", True: ", found", False: ", not found"}[event.found]
    return f"a die leaves the table{found}"


# ------------------------------------------------------------------------------------- disputes


def signed(amount: int, player: str, money: Money) -> str:
    """Money that goes to a player, or comes back from him.

    >>> signed(17000, "Nat", money_in("USD")), signed(-2000, "Nat", money_in("USD"))
    ('$170.00 to Nat', '$20.00 from Nat')
    """
    return f"{money(amount)} to {player}" if amount >= 0 else f"{money(-amount)} from {player}"


def _disputed(event: e.DisputeOpened, bet: str, money: Money) -> str:
    about = f", wager {event.wager}" if event.wager else ""
    should = signed(event.amount, event.player, money)
    return f"roll {event.roll}{about} is disputed, {should}: {event.claim}"


def _video_held(event: e.VideoHoldPlaced, bet: str, money: Money) -> str:
    camera = f"camera {event.camera}" if event.camera else "every camera on the table"
    since, until = (f"{moment:%Y-%m-%d %H:%M:%S}" for moment in (event.since, event.until))
    return f"the video of {camera} is held from {since} to {until}"


def _evidence(event: e.EvidenceAttached, bet: str, money: Money) -> str:
    said = f"{event.kind.replace('_', ' ')} is attached: {event.reference}"
    return f"{said}: {event.note}" if event.note else said


def _ruled(event: e.RulingMade | e.RulingOverruled, money: Money) -> str:
    given = "" if event.ruling == "denied" else f", {money(event.amount)}"
    return f"{event.ruling.replace('_', ' ')}{given}"


def _overruled_ruling(event: e.RulingOverruled, bet: str, money: Money) -> str:
    by = f"{event.badge} {event.role.replace('_', ' ')}"
    return f"the ruling by {by} ({_ruled(event, money)}) no longer stands"


def _dispute_settled(event: e.DisputeSettled, bet: str, money: Money) -> str:
    moved = signed(event.amount, event.player, money)
    way = "from" if event.amount >= 0 else "to"
    return f"{moved} in {event.tender}, {way} the {event.paid_from}; approved by {event.approved_by}"


def _notified(event: e.RegulatorNotified, bet: str, money: Money) -> str:
    if event.cause == "threshold" and event.threshold is not None:
        return (
            f"the regulator is notified: {money(abs(event.amount))} is at or over {money(event.threshold)}, "
            f"{event.section}"
        )
    more = ", ".join(filter(None, (event.reference, event.reason)))
    return f"the regulator is notified{f': {more}' if more else ''}"


def _dispute_closed(event: e.DisputeClosed, bet: str, money: Money) -> str:
    paid = f"; {money(event.paid)} was paid" if event.paid else ""
    reason = f": {event.reason}" if event.reason else ""
    outcome = event.outcome.replace("_", " ")
    return f"the dispute is closed, {outcome}{reason}{paid}; its video is kept until {event.video_until}"


_TELL: dict[type[e.Happened], Callable[[Any, str, Money], str]] = {
    e.TableOpened: _opened,
    e.TableClosed: lambda v, bet, money: f"the table closes on a rack of {money(v.closer)}",
    e.DropCounted: _drop_counted,
    e.BuyInAccepted: lambda v, bet, money: (
        f"{v.player} buys in for {money(v.amount)}, {v.tender.replace('_', ' ')}"
    ),
    e.PlayerWalked: lambda v, bet, money: f"{v.player} walks with {money(v.amount)}",
    e.MarkerRedeemed: lambda v, bet, money: f"{v.player} redeems a marker, {money(v.amount)} in {v.tender}",
    e.RimCreditExtended: lambda v, bet, money: f"{v.player} has {money(v.amount)} on the rim",
    e.RimCreditSettled: lambda v, bet, money: (
        f"{v.player} settles {money(v.amount)} of rim credit, "
        f"{'in chips' if v.tender == 'chips' else 'on a marker'}"
    ),
    e.FillReceived: lambda v, bet, money: f"fill {v.slip}: {money(v.amount)} into the rack",
    e.CreditSent: lambda v, bet, money: f"credit {v.slip}: {money(v.amount)} to the cage",
    e.AdjustmentMade: lambda v, bet, money: (
        f"adjustment of {money(v.amount)} to {v.player}: {v.reason}; approved by {v.approved_by}"
    ),
    e.MispayFound: _mispaid,
    e.ChipsColoredUp: lambda v, bet, money: f"{v.player} colours up {money(v.amount)}",
    e.TokeReceived: lambda v, bet, money: f"{money(v.amount)} from {v.player} to the dealers",
    e.TokeReturned: lambda v, bet, money: f"{money(v.amount)} from the dealers back to {v.player}",
    e.DaySealed: lambda v, bet, money: f"gaming day {v.gaming_day} is sealed",
    e.DiceSetIssued: lambda v, bet, money: f"dice set {v.set} comes to the table",
    e.DiceSetRemoved: lambda v, bet, money: f"dice set {v.set} leaves the table",
    e.DieLeftTable: _die_left,
    e.ShooterAssigned: lambda v, bet, money: f"{v.player} takes the dice",
    e.DicePassed: _passed,
    e.DiceWentOut: lambda v, bet, money: "the dice are out",
    e.RollCalled: lambda v, bet, money: called(v.dice),
    e.NoRollCalled: _no_roll,
    e.RollOverruled: _overruled,
    e.PuckMoved: lambda v, bet, money: f"the puck goes {f'On {v.point}' if v.point else 'Off'}",
    e.WagerPlaced: _placed,
    e.CashLaid: _cash_laid,
    e.CashDeclared: _cash_declared,
    e.UndeclaredCash: lambda v, bet, money: (
        f"nobody has said what {v.player}'s {money(v.amount)} in cash ({v.wager}) is for"
    ),
    e.WagerPressed: lambda v, bet, money: f"{v.player} presses {bet} from {money(v.was)} to {money(v.to)}",
    e.WagerReduced: lambda v, bet, money: f"{v.player} reduces {bet} from {money(v.was)} to {money(v.to)}",
    e.WagerTakenDown: _taken_down,
    e.WagerRestored: _restored,
    e.WagerTurnedOn: _marker("goes on"),
    e.WagerTurnedOff: _marker("comes off"),
    e.WagerMoved: lambda v, bet, money: f"{v.player}'s {bet} goes to the {v.to}",
    e.CommissionCollected: lambda v, bet, money: (
        f"{money(v.amount)} commission from {v.player} for {bet}, {v.section}"
    ),
    e.CommissionRefunded: lambda v, bet, money: f"{money(v.amount)} commission back to {v.player} for {bet}",
    e.WagerSettled: lambda v, bet, money: f"{v.player}: {sum_of(v, money)}",
    e.SettlementReversed: _reversed,
    e.ExceptionAllowed: _allowed,
    e.PlayDenied: lambda v, bet, money: f"{v.player} may not play on: {v.reason}",
    e.DisputeOpened: _disputed,
    e.VideoHoldPlaced: _video_held,
    e.EvidenceAttached: _evidence,
    e.SurveillanceReviewed: lambda v, bet, money: f"surveillance reviewed {v.reference}: {v.finding}",
    e.RulingMade: lambda v, bet, money: f"ruled: {_ruled(v, money)}: {v.reason}",
    e.RulingOverruled: _overruled_ruling,
    e.DisputeSettled: _dispute_settled,
    e.RegulatorNotified: _notified,
    e.DisputeClosed: _dispute_closed,
    e.CommandRefused: _refused,
}
