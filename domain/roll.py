"""The dice: a roll called, called No Roll, or overruled, and everything that follows from it.

A roll is judged wholly against the table before it: every wager is decided, then wagers move, then the
puck, then the shooter; last, stakes that stay go back up.
"""

from fractions import Fraction

from domain import events as e
from domain.commands import RANK, NoRoll, Overrule, Role, Roll
from domain.events import Happened
from domain.money import commission, pay_down, written
from domain.refusals import Reason, Refusal
from domain.rules.edges import edge
from domain.rules.pack import Move, Odds, Pack, Verdict
from domain.table import SEVEN, LastCall, Settled, Table, Wager
from domain.terms import collected, entry_of, made_now, pack_of, refunded
from domain.winnings import NO_WINNINGS, Winnings, winnings

Dice = tuple[int, int]


def roll(command: Roll, table: Table) -> list[Happened]:
    """A valid roll as called. Refuses a come-out without the shooter's line bet where it is required."""
    _may_call(command.by.role)
    _require_line_bet(table)
    called = e.RollCalled(
        roll=table.rolls + 1,
        dice=command.dice,
        role=command.by.role,
        come_out=table.puck is None,
        shooter=table.shooter,
    )
    return [called, *consequences(command.dice, called.roll, table)]


def no_roll(command: NoRoll, table: Table) -> list[Happened]:
    """A throw called No Roll. A call for a reason that is never a cause stands until it is overruled."""
    _may_call(command.by.role)
    sections = pack_of(table).sections
    return [
        e.NoRollCalled(
            roll=table.rolls + 1,
            reason=command.reason,
            dice=command.dice,
            role=command.by.role,
            section=pack_of(table).cited(sections.no_roll.get(command.reason, sections.no_roll_any)),
        )
    ]


def overrule(command: Overrule, table: Table) -> list[Happened]:
    """Another call in the place of the last one: its roll is undone, and settled anew unless it is void."""
    call = _overrulable(command, table)
    dice = _dice_that_stand(command, call)
    anew = [] if dice is None else consequences(dice, call.roll, table.as_it_lay(call))
    events = [_overruled(command, call, dice, table), *_undo(call, table, anew), *anew]
    events += _dice_kept(call, table.shooter, events)
    return [*events, *_no_longer_fits(call, table.then(events))]


def _dice_kept(call: LastCall, shooter: str | None, events: list[Happened]) -> list[Happened]:
    """Whoever took the dice after a wrongly called seven-out keeps them where the right call is one too."""
    passed_before = call.puck is not None and call.dice is not None and sum(call.dice) == SEVEN
    passed = any(isinstance(event, e.DicePassed) for event in events)
    return [e.ShooterAssigned(player=shooter)] if passed_before and passed and shooter is not None else []


# ------------------------------------------------------------------------------------------ consequences


def consequences(dice: Dice, number: int, table: Table) -> list[Happened]:
    """What a valid roll does to a table: settlements, moves, puck, shooter, stakes that stay."""
    pack = pack_of(table)
    lay = table.in_order()
    verdicts = _verdicts(dice, lay, table, pack)
    due = winnings(lay, verdicts, table)
    settled: list[Happened] = []
    moved: list[Happened] = []
    won: list[Wager] = []
    rails: dict[str, int] = {}
    for wager in lay:
        verdict = verdicts[wager.wager]
        if isinstance(verdict, Move):
            moved.append(e.WagerMoved(wager=wager.wager, player=wager.player, to=verdict.to))
        elif verdict is not None:
            event = _settle(wager, verdict, due.get(wager.wager, NO_WINNINGS), number, table, pack)
            tokes = _tokes(event)
            settled += [event, *tokes]
            kept = event.credit - sum(toke.amount for toke in tokes)
            rails[wager.player] = rails.get(wager.player, table.rails.get(wager.player, 0)) + kept
            if verdict.outcome == "won" and wager.stays:
                won.append(wager)
    puck = _puck(sum(dice), table, pack)
    return [*settled, *moved, *puck, *_stays(won, table, pack, rails, puck)]


def _verdicts(dice: Dice, lay: list[Wager], table: Table, pack: Pack) -> dict[str, Verdict | Move | None]:
    verdicts: dict[str, Verdict | Move | None] = {}
    for wager in lay:
        entry = entry_of(wager, table, pack)
        if not isinstance(entry, Odds):
            verdicts[wager.wager] = None if table.sleeps(wager) else entry.judge(wager, dice, table)
    for wager in lay:
        entry = entry_of(wager, table, pack)
        if isinstance(entry, Odds):
            verdicts[wager.wager] = _with_base(wager, entry, verdicts, table, pack)
    return verdicts


def _with_base(
    wager: Wager,
    entry: Odds,
    verdicts: dict[str, Verdict | Move | None],
    table: Table,
    pack: Pack,
) -> Verdict | None:
    assert wager.base is not None, wager
    verdict = verdicts[wager.base]
    if not isinstance(verdict, Verdict):
        return None
    if table.sleeps(wager):
        return Verdict("returned", None, entry.sleep_section or pack.sections.sleep)
    point = table.point_of(table.wagers[wager.base])
    assert point is not None, wager
    return entry.follow(verdict, point)


def _settle(
    wager: Wager, verdict: Verdict, due: Winnings, number: int, table: Table, pack: Pack
) -> e.WagerSettled:
    house = table.house
    assert house is not None, wager
    owed = due.owed
    paid, breakage = pay_down(owed, house.payout_unit) if owed else (0, owed)
    taken = _commission_on_win(wager, owed, table, pack) if verdict.outcome == "won" else 0
    net = {"won": paid - taken, "lost": -wager.amount}.get(verdict.outcome, 0)
    return e.WagerSettled(
        roll=number,
        wager=wager.wager,
        player=wager.player,
        kind=wager.kind,
        stake=wager.amount,
        outcome=verdict.outcome,
        odds=None if verdict.price is None else written(verdict.price),
        owed=str(owed),
        paid=paid,
        breakage=str(breakage),
        commission=taken,
        net=net,
        credit=0 if verdict.outcome == "lost" else net + (0 if wager.cash else wager.amount),
        section=pack.cited(verdict.section) or "",
        number=table.point_of(table.wagers[wager.base]) if wager.base else wager.number,
        combo=wager.combo,
        high=wager.high,
        base=wager.base,
        commission_earned=wager.commission,
        edge=None if verdict.outcome == "returned" else edge(wager, table, pack),
        for_dealers=wager.for_dealers,
        cash=wager.cash,
        **due.limited,
    )


def _tokes(settled: e.WagerSettled) -> list[e.TokeReceived]:
    """What a wager for the dealers won is theirs; the stake stays the player's, who may let it ride."""
    if not settled.for_dealers or settled.net <= 0:
        return []
    toke = {"player": settled.player, "amount": settled.net, "wager": settled.wager, "roll": settled.roll}
    return [e.TokeReceived.model_validate(toke)]


def _commission_on_win(wager: Wager, owed: Fraction, table: Table, pack: Pack) -> int:
    entry, house = entry_of(wager, table, pack), table.house
    if entry.commission is None or house is None or wager.number not in house.vig_on_win:
        return 0
    basis = owed if entry.commission.basis == "win" else Fraction(wager.amount)
    return commission(basis, Fraction(house.vig_rate))


def _puck(total: int, table: Table, pack: Pack) -> list[Happened]:
    if table.puck is None:
        return [e.PuckMoved(point=total, was=None)] if total in pack.points else []
    if total not in (table.puck, SEVEN):
        return []
    events: list[Happened] = [e.PuckMoved(point=None, was=table.puck)]
    if total == SEVEN and table.shooter is not None:
        section = pack.cited(pack.sections.seven_out)
        events.append(e.DicePassed(player=table.shooter, cause="seven_out", section=section))
    return events


def _stays(
    won: list[Wager], table: Table, pack: Pack, rails: dict[str, int], puck: list[Happened]
) -> list[Happened]:
    moved = puck[0] if puck else None
    point = moved.point if isinstance(moved, e.PuckMoved) else table.puck
    events: list[Happened] = []
    new: set[str] = set()
    for wager in won:
        entry = entry_of(wager, table, pack)
        due = collected(wager, wager.amount, entry, table, pack)
        cost = (0 if wager.cash else wager.amount) + (due.amount if due else 0)
        if isinstance(entry, Odds) or not made_now(entry, point) or rails[wager.player] < cost:
            continue
        if entry.minimum and table.house is not None and wager.amount < table.house.min:
            continue  # a case bet: after a win the player can afford a full wager
        rails[wager.player] -= cost
        name = _next_name(wager.wager, table.used, new)
        new.add(name)
        events.append(_back_up(wager, name, pack.cited(entry.defined(wager))))
        if due:
            events.append(due.model_copy(update={"wager": name}))
        if wager.on and not (table.puck is None and point is not None):
            events.append(e.WagerTurnedOn(wager=name, player=wager.player, similar=wager.similar))
    return events


def _back_up(wager: Wager, name: str, section: str | None) -> e.WagerPlaced:
    return e.WagerPlaced(
        wager=name,
        player=wager.player,
        kind=wager.kind,
        amount=wager.amount,
        number=wager.number if wager.kind not in ("pass", "come", "dont_come") else None,
        combo=wager.combo,
        high=wager.high,
        stays=True,
        after=wager.wager,
        for_dealers=wager.for_dealers,
        section=section,
        cash=wager.cash,
    )


def _next_name(name: str, *used: set[str]) -> str:
    """The wager's id after a win: w, w~2, w~3, ... whichever nobody has used."""
    stem, _, count = name.rpartition("~")
    if not stem or not count.isdecimal():
        stem, count = name, "1"
    n = int(count) + 1
    while any(f"{stem}~{n}" in ids for ids in used):
        n += 1
    return f"{stem}~{n}"


# ------------------------------------------------------------------------------------------ who may call


def _may_call(role: Role) -> None:
    if role not in RANK and role != Role.DEVICE:
        raise Refusal(Reason.NO_AUTHORITY, f"the dice are called by dealers and supervisors, not by {role}")


def _require_line_bet(table: Table) -> None:
    house = table.house
    if house is None or house.waive_line_bet or table.line_bet_waived or table.puck is not None:
        return
    if not any(w.player == table.shooter and w.kind in ("pass", "dont_pass") for w in table.wagers.values()):
        raise Refusal(
            Reason.NO_SHOOTER_LINE_BET,
            f"{table.shooter or 'nobody'} has the dice and no Pass or Don't Pass bet; "
            "make one, or have management allow no_line_bet",
        )


def _overrulable(command: Overrule, table: Table) -> LastCall:
    call = table.last_call
    if command.roll > table.rolls:
        raise Refusal(Reason.NO_SUCH_ROLL, f"the last roll is {table.rolls}, not {command.roll}")
    if call is None or command.roll < call.roll or table.dice_out:
        raise Refusal(Reason.TOO_LATE, f"roll {command.roll} has been played on; it can be disputed")
    rank = RANK.get(command.by.role, 0)
    if rank < RANK[Role.BOXMAN] or rank <= RANK.get(Role(call.role), 0):
        raise Refusal(Reason.NO_AUTHORITY, f"{command.by.role} may not overrule a call by {call.role}")
    return call


def _dice_that_stand(command: Overrule, call: LastCall) -> Dice | None:
    if command.void:
        if call.dice is None:
            raise Refusal(Reason.WRONG_PHASE, f"roll {call.roll} is no roll already")
        return None
    if command.dice is not None:
        return command.dice
    if call.dice is not None:
        raise Refusal(Reason.WRONG_PHASE, f"roll {call.roll} stands already")
    if call.thrown is None:
        raise Refusal(Reason.NO_SUCH_ROLL, f'nobody said what roll {call.roll} showed; overrule with "dice"')
    return call.thrown


def _overruled(command: Overrule, call: LastCall, dice: Dice | None, table: Table) -> e.RollOverruled:
    pack = pack_of(table)
    corrected = dice is not None and call.dice is not None
    section = pack.sections.faces if corrected else pack.sections.overrule.get(command.by.role)
    return e.RollOverruled(
        roll=call.roll,
        dice=dice,
        was=call.dice,
        role=command.by.role,
        reason=command.reason,
        puck=call.puck,
        shooter=call.shooter,
        section=pack.cited(section),
    )


# ------------------------------------------------------------------------------------------ undoing a roll


def _undo(call: LastCall, table: Table, anew: list[Happened]) -> list[Happened]:
    """Bring back what the roll did, and what was changed since on wagers that the new call decides."""
    touched = {event.wager for event in anew if isinstance(event, e.WagerSettled | e.WagerMoved)}
    pack = pack_of(table)
    events: list[Happened] = []
    for wager in table.in_order():
        if wager.rolls == call.roll and wager.after is not None:
            events += _down(wager, pack)
    for before in call.wagers.values():
        settled = table.settled_last.get(before.wager)
        now = table.wagers.get(before.wager)
        if settled is not None:
            events += _reverse(settled, table.decided[before.wager].paid)
        elif now != before and (before.wager in touched or _changed_by_roll(before, now, call, table)):
            events += _restore(before, now, table, pack)
    return events


def _changed_by_roll(before: Wager, now: Wager | None, call: LastCall, table: Table) -> bool:
    """Whether the wrong call moved a wager, or set the point that took its On marker away."""
    if now is None:
        return False
    unmarked = before.on and not now.on and call.puck is None and table.puck is not None
    return unmarked or (before.in_box and not now.in_box)


def _reverse(last: Settled, paid: int) -> list[Happened]:
    events: list[Happened] = []
    settled = last.event
    if paid != settled.paid:
        events.append(
            e.MispayFound(
                wager=settled.wager,
                player=settled.player,
                roll=settled.roll,
                owed=settled.paid,
                paid=settled.paid,
                difference=settled.paid - paid,
            )
        )
    for toke in _tokes(settled):
        events.append(e.TokeReturned.model_validate(toke.model_dump()))
    repeated = {name: getattr(settled, name) for name in e.SettlementReversed.model_fields if name != "of"}
    events.append(e.SettlementReversed(of=last.version, **repeated))
    return events


def _restore(before: Wager, now: Wager | None, table: Table, pack: Pack) -> list[Happened]:
    events: list[Happened] = [
        e.WagerRestored(
            wager=before.wager,
            player=before.player,
            was=now.amount if now else 0,
            amount=before.amount,
            cash=before.cash,
        )
    ]
    held = now.commission if now else 0
    entry = entry_of(before, table, pack)
    if before.commission > held:
        due = collected(before, before.amount, entry, table, pack, held=held)
        events += [due] if due else []
    if before.commission < held:
        events.append(refunded(before, held - before.commission, entry, pack))
    return events


def _no_longer_fits(call: LastCall, table: Table) -> list[Happened]:
    """Wagers made on the strength of the overruled call that cannot stand after the new one come down."""
    pack = pack_of(table)
    events: list[Happened] = []
    for wager in table.in_order():
        if wager.rolls == call.roll and wager.after is None and not _fits(wager, table, pack):
            events += _down(wager, pack)
    return events


def _fits(wager: Wager, table: Table, pack: Pack) -> bool:
    if wager.base is None:
        still = wager.kind not in ("pass", "put_pass") or wager.number == table.puck
        return still and made_now(entry_of(wager, table, pack), table.puck)
    base = table.wagers.get(wager.base)
    return base is not None and table.point_of(base) is not None


def _down(wager: Wager, pack: Pack) -> list[Happened]:
    events: list[Happened] = [
        e.WagerTakenDown(wager=wager.wager, player=wager.player, amount=wager.amount, cause="overruled")
    ]
    entry = pack.by_kind.get(wager.kind)
    if wager.commission and entry is not None:
        events.append(refunded(wager, wager.commission, entry, pack))
    return events
