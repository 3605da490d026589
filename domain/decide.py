"""What happens if a command reaches a table: events, or a refusal.

`decide` is pure. It consults the pack that the table was opened with, never changes the table, and returns
at least one event; `refused` makes of a refusal the fact that it was tried.
"""

from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from typing import Any, TypedDict, overload

from domain import cage, closing, count_room, counting, fills, hearing
from domain import commands as c
from domain import events as e
from domain.closing import found_at
from domain.commands import RANK, Role
from domain.counting import by_denomination, here, opener_found, variances
from domain.events import Happened
from domain.laid_cash import declare, handed_back, lay, seen_undeclared
from domain.money import dollars, written
from domain.policy.aggregate_limits import aggregate_limit_policy
from domain.rail import buy_in, extend_rim, may_play, on_rail, positive, settle_rim
from domain.refusals import Reason, Refusal
from domain.roll import no_roll, overrule, roll
from domain.rules.pack import Number, Pack
from domain.rules.shelf import packs
from domain.subject import Caused, Elsewhere, Look, Subject, subject_of
from domain.table import Table, Wager
from domain.terms import pack_of
from domain.wager import bet, call, come_down, press, reduce, take_down

MANAGEMENT = (Role.PIT_MANAGER, Role.SHIFT_MANAGER)
_AFTER_CLOSE = (c.Walk, c.RedeemMarker, c.CountDrop, c.ResolveCount, c.Adjust, c.Pay, c.Correct)
_FINDING = (*_AFTER_CLOSE, c.Open, c.Close, c.Inventory, c.CutTable, c.Overrule)


@overload
def decide(command: c.Command, subject: Subject) -> list[Happened]: ...
@overload
def decide(command: c.Command, subject: Subject, look: Look) -> Caused: ...
def decide(command: c.Command, subject: Subject, look: Look | None = None) -> list[Happened] | Caused:
    """The events that follow if `command` reaches its subject, a table nearly always.

    `look` shows other subjects as they stand. Without it nothing else is known of, and only what happens at
    the subject itself is told. Raises Refusal where the house says no.
    """
    if look is None:
        return here(_decide(command, subject, _Nothing()))
    return _decide(command, subject, look)


class _Nothing:
    """A world in which nothing has happened yet."""

    def __call__(self, stream: str, /) -> Subject:
        return subject_of(stream)

    def when(self, stream: str, version: int) -> datetime:
        raise LookupError(f"nothing has happened in {stream}")

    def opened_on(self, gaming_day: date) -> list[str]:
        return []

    def next_opening(self, table: str, gaming_day: date) -> str | None:
        return None


def _decide(command: c.Command, subject: Subject, look: Look) -> Caused:
    if not isinstance(subject, Table):
        return _BEYOND_THE_TABLE[type(command)](command, subject, look)
    if subject.sealed and not isinstance(command, c.Correct):
        raise Refusal(
            Reason.DAY_SEALED, f"gaming day {subject.gaming_day} is closed; what is wrong is corrected"
        )
    if not subject.is_open and not isinstance(command, c.Open):
        _require_open(command, subject)
    if at_table := _AT_TABLE.get(type(command)):
        events: Caused = list(at_table(command, subject))
    else:
        events = _LOOKING[type(command)](command, subject, look)
    if also := _ALSO.get(type(command)):
        events += also(command, look)
    return events + _found(command, subject, events, look) if isinstance(command, _FINDING) else events


def _found(command: c.Command, table: Table, events: Caused, look: Look) -> Caused:
    """What the counts show after `events` that had not been found before, and what wants an explanation."""
    variance: list[Happened] = []
    if not isinstance(command, c.Open):
        later = table.then(here(events))
        variance = [] if later.is_open else variances(command.table or "", later, look)
    day = command.gaming_day if isinstance(command, c.Open) else table.gaming_day
    return [*variance, *found_at(day, here(events) + variance, command, look)]


def carried_over(
    command: c.Open, opening: Caused, stream: str, closed: Table, look: Look
) -> list[Happened | Elsewhere]:
    """An opening with what the table's last gaming day left: the count of its rack, and the players' chips.

    The opener is held against the closer. Chips that players kept on their rails over the night walked, in
    the books of the closed day, which is `stream`; in the new day's they come back as chips.
    """
    opened, *others = opening
    assert isinstance(opened, e.TableOpened), opened
    found: list[Happened] = []
    if closed.closer is not None and closed.gaming_day and closed.gaming_day < opened.gaming_day:
        opened = opened.model_copy(update={"preceding_closer": closed.closer})
        found += opener_found(opened)
    events: Caused = [opened, *found, *others, *found_at(opened.gaming_day, found, command, look)]
    for player, rail in (closed.overnight if closed.sealed else closed.rails).items():
        if rail > 0:
            if not closed.sealed:
                events.append(Elsewhere(stream, e.PlayerWalked(player=player, amount=rail)))
            events.append(e.BuyInAccepted(player=player, amount=rail, tender="chips"))
    return events


def refused(command: c.Command, refusal: Refusal) -> e.CommandRefused:
    """The refusal as a fact: who tried what stands in the envelope, this says why not."""
    return e.CommandRefused(
        do=command.do,
        reason=refusal.reason.value,
        message=refusal.message,
        player=getattr(command, "player", None),
        wager=getattr(command, "wager", None),
        kind=getattr(command, "kind", None),
        amount=_amount_of(command),
    )


def _amount_of(command: c.Command) -> int | None:
    amount = getattr(command, "amount", getattr(command, "to", None))
    return c.total(amount) if isinstance(amount, int | dict) else None


def _require_open(command: c.Command, table: Table) -> None:
    if table.house is None:
        raise Refusal(Reason.TABLE_NOT_OPEN, f"table {command.table} has not been opened")
    if not isinstance(command, _AFTER_CLOSE):
        raise Refusal(
            Reason.TABLE_NOT_OPEN, f"table {command.table} closed for gaming day {table.gaming_day}"
        )


# ------------------------------------------------------------------------------------------ day and table


def _open(command: c.Open, table: Table) -> list[Happened]:
    if table.is_open:
        raise Refusal(
            Reason.TABLE_ALREADY_OPEN,
            f"table {command.table} is open for gaming day {table.gaming_day}; close it first",
        )
    pack = packs(command.gaming_day).get(command.rules)
    if pack is None:
        raise Refusal(
            Reason.NO_SUCH_RULES, f"no rule set {command.rules}; there are {', '.join(sorted(packs()))}"
        )
    vig = command.vig or c.Vig(rate=pack.limits.vig_rate)
    _within_the_rules(command, vig, pack)
    off = pack.off_on_come_out if command.off_on_come_out is None else command.off_on_come_out
    opened = e.TableOpened(
        gaming_day=command.gaming_day,
        rules=pack.id,
        rules_version=pack.version,
        min=command.min,
        max=command.max,
        chip=command.chip,
        payout_unit=command.payout_unit,
        opener=c.total(command.opener),
        denominations=by_denomination(command.opener),
        shift=command.shift,
        pit=command.pit,
        odds_max=command.odds_max,
        odds_multiple=command.odds_multiple,
        vig_rate=vig.rate,
        vig_on_win=vig.on_win,
        off_on_come_out=tuple("come_odds" if name == "odds" else name for name in off),
        paytable=command.paytable,
        notation=command.notation,
        waive_line_bet=command.waive_line_bet,
        preceding_closer=table.closer if table.house is not None else None,
        signed_by=command.by.badge,
        signed_as=command.by.role,
        **_aggregate_limit(command, pack),
    )
    return [opened, *opener_found(opened)]


def _within_the_rules(command: c.Open, vig: c.Vig, pack: Pack) -> None:
    limits = pack.limits
    if not pack.in_force(command.gaming_day):
        raise Refusal(
            Reason.CONTRARY_TO_RULES,
            f"{pack.id} version {pack.version} is in force {_span(pack.in_force_from, pack.in_force_until)}",
        )
    if not limits.allows_rate(Fraction(vig.rate)):
        raise Refusal(
            Reason.CONTRARY_TO_RULES,
            f"{pack.id} has a commission of {limits.rate_in_words}, not {vig.rate}",
        )
    sleepy = _may_sleep()
    if unknown := set(command.off_on_come_out or ()) - sleepy:
        raise Refusal(
            Reason.CONTRARY_TO_RULES,
            f"{', '.join(sorted(unknown))} cannot be off on the come-out; {', '.join(sorted(sleepy))} can",
        )
    if vig.on_win and not limits.vig_on_win:
        raise Refusal(Reason.CONTRARY_TO_RULES, f"{pack.id} collects commission when the wager is made")


class _AggregateLimit(TypedDict, total=False):
    """What an opening says of the limit that the table posts; nothing where it posts none."""

    aggregate_limit: int
    aggregate_odds_over: str
    aggregate_section: str


def _aggregate_limit(command: c.Open, pack: Pack) -> _AggregateLimit:
    if command.aggregate_limit is None:
        return {}
    policy = aggregate_limit_policy(pack.id, command.gaming_day)
    least = policy.least(command.min, pack.as_posted(command.notation))
    if command.aggregate_limit < least:
        raise Refusal(
            Reason.CONTRARY_TO_RULES,
            f"an aggregate limit of {dollars(command.aggregate_limit)} is too low: {policy.section} wants "
            f"{dollars(least)} at least with a minimum of {dollars(command.min)}; post that much, or none",
        )
    return {
        "aggregate_limit": command.aggregate_limit,
        "aggregate_odds_over": written(policy.odds_over),
        "aggregate_section": policy.section,
    }


def _may_sleep() -> set[str]:
    """Every family that some document knows: one policy of a house serves tables of every rule set."""
    numbers = {entry.kind for pack in packs().values() for entry in pack.wager if isinstance(entry, Number)}
    return numbers | {"odds", "come_odds"}


def _span(start: date | None, end: date | None) -> str:
    return " ".join([f"from {start}"] * (start is not None) + [f"until {end}"] * (end is not None))


# ------------------------------------------------------------------------------------------ chips and money


def _walk(command: c.Walk, table: Table) -> list[Happened]:
    amount = table.rails.get(command.player, 0) if command.amount is None else command.amount
    if command.amount is not None:
        positive(amount)
    on_rail(command.player, amount, table)
    return [e.PlayerWalked(player=command.player, amount=max(amount, 0))]


def _redeem_marker(command: c.RedeemMarker, table: Table) -> list[Happened]:
    positive(command.amount)
    if command.tender == "chips":
        on_rail(command.player, command.amount, table)
    return [
        e.MarkerRedeemed(
            player=command.player, amount=command.amount, tender=command.tender, marker=command.marker
        )
    ]


def _adjust(command: c.Adjust, table: Table) -> list[Happened]:
    approver = command.approved_by if isinstance(command.approved_by, str) else command.approved_by.badge
    if approver == command.by.badge:
        raise Refusal(Reason.NO_AUTHORITY, f"{approver} cannot approve their own adjustment")
    if command.amount == 0:
        raise Refusal(Reason.BAD_AMOUNT, "an adjustment of nothing adjusts nothing")
    on_rail(command.player, -command.amount, table)
    return [
        e.AdjustmentMade(
            player=command.player, amount=command.amount, reason=command.reason, approved_by=approver
        )
    ]


def _pay(command: c.Pay, table: Table) -> list[Happened]:
    decided = table.decided.get(command.wager)
    if decided is None:
        raise Refusal(Reason.NO_SUCH_WAGER, f"no roll has decided a wager {command.wager} here today")
    difference = command.paid - decided.paid
    if difference == 0:
        raise Refusal(Reason.BAD_AMOUNT, f"{command.wager} was paid {dollars(decided.paid)} already")
    on_rail(decided.player, -difference, table)
    return [
        e.MispayFound(
            wager=command.wager,
            player=decided.player,
            roll=decided.roll,
            owed=decided.owed,
            paid=command.paid,
            difference=difference,
            dealer=command.dealer,
            boxman=command.boxman,
        )
    ]


# ------------------------------------------------------------------------------------------ dice and shooter


def _shooter(command: c.Shooter, table: Table) -> list[Happened]:
    may_play(command.player, table)
    _dice_home(table)
    events: list[Happened] = []
    if table.shooter is not None and table.shooter != command.player:
        section = pack_of(table).cited(pack_of(table).sections.pass_dice)
        events.append(e.DicePassed(player=table.shooter, cause="choice", section=section))
    return [*events, e.ShooterAssigned(player=command.player)]


def _dice_home(table: Table) -> None:
    if table.dice_out:
        raise Refusal(Reason.DICE_OUT, "the dice are out; wait for the call")


def _pass_dice(command: c.PassDice, table: Table) -> list[Happened]:
    _dice_home(table)
    if table.shooter is None:
        raise Refusal(Reason.NO_SHOOTER, "nobody has the dice")
    section = pack_of(table).cited(pack_of(table).sections.pass_dice)
    return [e.DicePassed(player=table.shooter, cause="choice", section=section)]


def _supervisor(role: Role, what: str) -> None:
    if RANK.get(role, 0) < RANK[Role.BOXMAN]:
        raise Refusal(Reason.NO_AUTHORITY, f"{what} takes a supervisor, not {role}")


def _order_pass(command: c.OrderPass, table: Table) -> list[Happened]:
    _supervisor(command.by.role, "an order to pass the dice")
    _dice_home(table)
    if table.shooter != command.player:
        raise Refusal(Reason.NO_SHOOTER, f"{command.player} does not have the dice")
    section = pack_of(table).cited(pack_of(table).sections.order_pass)
    return [e.DicePassed(player=command.player, cause="order", reason=command.reason, section=section)]


def _deny_play(command: c.DenyPlay, table: Table) -> list[Happened]:
    _supervisor(command.by.role, "denying play")
    _dice_home(table)
    section = pack_of(table).cited(pack_of(table).sections.deny_play)
    events: list[Happened] = [e.PlayDenied(player=command.player, reason=command.reason, section=section)]
    for wager in table.in_order():
        if wager.player == command.player and wager.base is None:
            events += come_down(wager, table, "denied")
    events += handed_back(table, command.player)
    if table.shooter == command.player:
        events.append(
            e.DicePassed(player=command.player, cause="order", reason=command.reason, section=section)
        )
    return events


def _dice_set(command: c.DiceSet, table: Table) -> list[Happened]:
    serials = command.serials or ()
    if command.action == "issue":
        if serials and len(serials) != 5:
            raise Refusal(Reason.NO_SUCH_DICE, f"a set is five dice; {len(serials)} serials were given")
        return [e.DiceSetIssued(set=command.set, serials=serials, reason=command.reason)]
    if table.dice_set not in (None, command.set):
        raise Refusal(Reason.NO_SUCH_DICE, f"set {command.set} is not at the table; {table.dice_set} is")
    return [e.DiceSetRemoved(set=command.set, serials=serials, reason=command.reason)]


def _die_off_table(command: c.DieOffTable, table: Table) -> list[Happened]:
    """The roll is invalid, unless its No Roll was called already; a die not found retires the set."""
    sections = pack_of(table).sections
    cited = pack_of(table).cited
    events: list[Happened] = []
    call = table.last_call
    off_table = call is not None and call.dice is None and call.no_roll in (None, "off_table")
    called = off_table and not table.dice_out
    if not called:
        events.append(
            e.NoRollCalled(
                roll=table.rolls + 1,
                reason="off_table",
                dice=None,
                role=command.by.role,
                section=cited(sections.no_roll.get("off_table")),
            )
        )
    section = cited(sections.dice)
    events.append(e.DieLeftTable(found=command.found, set=table.dice_set, section=section))
    if command.found is False and table.dice_set is not None:
        reason = "a die was lost: bagged for security with a discrepancy record"
        events.append(e.DiceSetRemoved(set=table.dice_set, serials=(), reason=reason))
    return events


def _dice_out(command: c.DiceOut, table: Table) -> list[Happened]:
    _dice_home(table)
    return [*seen_undeclared(table), e.DiceWentOut()]


def _allow(command: c.Allow, table: Table) -> list[Happened]:
    if command.by.role not in MANAGEMENT:
        raise Refusal(Reason.NO_AUTHORITY, f"an exception is management's to allow, not {command.by.role}'s")
    if command.wager is not None and command.wager not in _allowable(command, table):
        raise Refusal(Reason.NO_SUCH_WAGER, f"no wager {command.wager} lies undecided on the layout")
    sections = pack_of(table).sections
    section = sections.shooter_line_bet if command.what == "no_line_bet" else sections.exception
    return [
        e.ExceptionAllowed(
            what=command.what,
            wager=command.wager,
            to=command.to,
            reason=command.reason,
            section=pack_of(table).cited(section),
        )
    ]


def _allowable(command: c.Allow, table: Table) -> dict[str, Wager]:
    return table.wagers | table.removed if command.what == "replacement" else table.wagers


_AT_TABLE: dict[type[Any], Callable[[Any, Table], list[Happened]]] = {
    c.Open: _open,
    c.BuyIn: buy_in,
    c.Walk: _walk,
    c.RedeemMarker: _redeem_marker,
    c.RimCredit: extend_rim,
    c.SettleRim: settle_rim,
    c.Adjust: _adjust,
    c.Pay: _pay,
    c.Shooter: _shooter,
    c.PassDice: _pass_dice,
    c.OrderPass: _order_pass,
    c.DenyPlay: _deny_play,
    c.DiceSet: _dice_set,
    c.DieOffTable: _die_off_table,
    c.Allow: _allow,
    c.DiceOut: _dice_out,
    c.Bet: bet,
    c.LayCash: lay,
    c.DeclareCash: declare,
    c.Press: press,
    c.Reduce: reduce,
    c.TakeDown: take_down,
    c.Call: call,
    c.Roll: roll,
    c.NoRoll: no_roll,
    c.Overrule: overrule,
}

_ALSO: dict[type[Any], Callable[[Any, Look], Caused]] = {
    c.BuyIn: cage.bought_in,
    c.RedeemMarker: cage.redeemed,
    c.SettleRim: cage.rim_settled,
}
"""What a command at a table causes in other streams besides."""

_LOOKING: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    **counting.DECIDE,
    **count_room.AT_TABLE,
    **fills.AT_A_TABLE,
}

_BEYOND_THE_TABLE: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    **hearing.DECIDE,
    **fills.ON_SLIP,
    **count_room.ON_BOX,
    **cage.DECIDE,
    **closing.DECIDE,
}
