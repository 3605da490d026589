"""Making, raising, lowering, removing and calling wagers: what a player may do with chips, and when."""

from fractions import Fraction

from domain import events as e
from domain.commands import RANK, Bet, Call, Press, Reduce, Role, TakeDown
from domain.events import Happened
from domain.money import dollars, spoken
from domain.refusals import Reason, Refusal
from domain.rules.pack import AnyEntry, Line, Odds, Pack
from domain.table import WRONG_SIDE, Table, Wager, family
from domain.terms import collected, due_now, entry_of, made_now, pack_of, refunded

_PUCK_LINE = ("pass", "put_pass")


def bet(command: Bet, table: Table) -> list[Happened]:
    """A new wager: chips from the rail to the layout, and the commission that is due now."""
    pack = pack_of(table)
    _may_bet(command, table)
    entry = _offered(command, table, pack)
    replaces = _in_place_of(command, table)
    if replaces is None:
        _in_time(command, entry, table)
    if command.wager in table.used:
        raise Refusal(Reason.DUPLICATE_WAGER, f"wager {command.wager} has been made at this table today")
    _amount(command.amount, entry, table)
    case_bet = _at_least_minimum(command, entry, table, pack)
    wager = _as_laid(command, table, replaces)
    _at_most_maximum(wager, command.amount, entry, table)
    if isinstance(entry, Odds):
        _odds_limit(wager, command.amount, entry, table, pack)
    from_rail = 0 if command.cash else command.amount
    _funds(command.player, from_rail + due_now(wager, command.amount, entry, table), table)
    placed = _placed(command, wager, entry, table, pack, case_bet=case_bet)
    return (
        placed
        if replaces is None
        else [placed[0].model_copy(update={"replaces": replaces.wager}), *placed[1:]]
    )


def press(command: Press, table: Table) -> list[Happened]:
    """Raise a wager while it could still be made; the don't side never once it has its point."""
    wager, entry, pack = _on_layout(command.wager, table)
    _chips(wager)
    if command.to <= wager.amount:
        raise Refusal(
            Reason.BAD_AMOUNT,
            f"{wager.wager} stands at {dollars(wager.amount)}; press to more than that",
        )
    _may_raise(wager, command.to, entry, table)
    _amount(command.to, entry, table)
    _at_most_maximum(wager, command.to, entry, table)
    if isinstance(entry, Odds):
        _odds_limit(wager, command.to, entry, table, pack)
    due = collected(wager, command.to, entry, table, pack, held=wager.commission)
    _funds(wager.player, command.to - wager.amount + (due.amount if due else 0), table)
    pressed = e.WagerPressed(wager=wager.wager, player=wager.player, was=wager.amount, to=command.to)
    return [pressed, due] if due else [pressed]


def reduce(command: Reduce, table: Table) -> list[Happened]:
    """Lower a wager; commission on what comes down goes back with it."""
    wager, entry, pack = _on_layout(command.wager, table)
    _chips(wager)
    _may_come_down(wager, entry, table)
    if command.to <= 0 or command.to >= wager.amount:
        raise Refusal(
            Reason.BAD_AMOUNT,
            f"{wager.wager} stands at {dollars(wager.amount)}; reduce to less than that, or take it down",
        )
    _amount(command.to, entry, table)
    if entry.minimum and table.house is not None and command.to < table.house.min:
        raise Refusal(Reason.BELOW_MIN, f"the table minimum is {dollars(table.house.min)}")
    _odds_still_fit(wager, command.to, table, pack)
    events: list[Happened] = [
        e.WagerReduced(wager=wager.wager, player=wager.player, was=wager.amount, to=command.to)
    ]
    over = wager.commission - due_now(wager, command.to, entry, table)
    if wager.commission and over > 0:
        events.append(refunded(wager, over, entry, pack))
    return events


def take_down(command: TakeDown, table: Table) -> list[Happened]:
    """Take an undecided wager down, and the odds behind it."""
    wager, entry, _ = _on_layout(command.wager, table)
    _may_come_down(wager, entry, table)
    return come_down(wager, table, "player")


def come_down(wager: Wager, table: Table, cause: str) -> list[Happened]:
    """A wager and its odds come down undecided, with their refundable commission."""
    pack = pack_of(table)
    events: list[Happened] = []
    for odds in table.odds_on(wager.wager):
        events.append(_taken_down(odds, "base" if cause == "player" else cause))
    events.append(_taken_down(wager, cause))
    if wager.commission:
        events.append(refunded(wager, wager.commission, entry_of(wager, table, pack), pack))
    return events


def call(command: Call, table: Table) -> list[Happened]:
    """The On marker put on a wager, or taken off, for a come-out roll."""
    wager, _, pack = _on_layout(command.wager, table)
    if table.house is None or wager.family not in table.house.off_on_come_out:
        raise Refusal(Reason.NOT_SWITCHABLE, f"{wager.wager} ({wager.family}) is always On at this table")
    if not command.on and table.puck is not None:
        raise Refusal(
            Reason.NOT_SWITCHABLE,
            f"with the point On {wager.wager} cannot be called off; take it down instead",
        )
    default = "similar" if pack.limits.one_marker_for_similar else "this"
    similar = (command.scope or default) == "similar"
    return _marks(wager, command.on, similar, table)


def _marks(wager: Wager, on: bool, similar: bool, table: Table) -> list[Happened]:
    wagers = table.similar(wager.player, wager.family) if similar else [wager]
    changed = [w for w in wagers if w.on != on] or [wager]
    event = e.WagerTurnedOn if on else e.WagerTurnedOff
    return [event(wager=w.wager, player=w.player, similar=similar) for w in changed]


# ------------------------------------------------------------------------------------------ making


def _may_bet(command: Bet, table: Table) -> None:
    if command.player in table.denied:
        raise Refusal(Reason.PLAY_DENIED, f"{command.player} may not play on at this table")
    if table.dice_out:
        raise Refusal(Reason.DICE_OUT, "the dice are out; no bets until the call")


def _offered(command: Bet, table: Table, pack: Pack) -> AnyEntry:
    if pack.limits.needs_paytable and table.house is not None and table.house.paytable is None:
        raise Refusal(
            Reason.NO_PAYTABLE,
            f'{pack.id} gives no payouts; open the table with "paytable": "reference" to accept ours',
        )
    if command.kind == "odds":
        return _odds_offered(command, table, pack)
    entry = pack.entry(command.kind)
    if entry is None or not entry.offers(command.number, command.combo, command.high):
        particulars = command.number or command.high or command.combo or ""
        raise Refusal(
            Reason.NOT_OFFERED, f"{command.kind} {particulars}".strip() + f" is not a wager of {pack.id}"
        )
    return entry


def _odds_offered(command: Bet, table: Table, pack: Pack) -> Odds:
    if not pack.by_base:
        raise Refusal(Reason.NOT_OFFERED, f"odds are not a wager of {pack.id}")
    base = table.wagers.get(command.on or "")
    if base is None or base.player != command.player:
        raise Refusal(Reason.NO_BASE_WAGER, f"{command.player} has no wager {command.on} on the layout")
    entry = pack.by_base.get(base.kind)
    if entry is None:
        raise Refusal(Reason.NO_BASE_WAGER, f"no odds go behind {base.kind} {base.wager}")
    if table.point_of(base) is None:
        raise Refusal(Reason.WRONG_PHASE, f"{base.kind} {base.wager} has no point yet")
    return entry


def _in_time(command: Bet, entry: AnyEntry, table: Table) -> None:
    if made_now(entry, table.puck):
        return
    puck = "Off" if table.puck is None else f"On {table.puck}"
    when = {"before_come_out": "before a come-out roll", "point_on": "with a point On"}[entry.made]
    raise Refusal(Reason.WRONG_PHASE, f"{command.kind} is made {when}; the puck is {puck}")


def _in_place_of(command: Bet, table: Table) -> Wager | None:
    """The removed wager that management allowed this one to replace, for no more than was allowed."""
    for name, wager in table.removed.items():
        if ("replacement", name) in table.allowed and (wager.player, wager.kind) == (
            command.player,
            command.kind,
        ):
            most = table.allowed["replacement", name]
            if command.amount <= (wager.amount if most is None else most):
                return wager
    return None


def _amount(amount: int, entry: AnyEntry, table: Table) -> None:
    chip = table.house.chip if table.house else 1
    if amount <= 0:
        raise Refusal(Reason.BAD_AMOUNT, f"a wager of {dollars(amount)} is no wager")
    if amount % (chip * entry.unit):
        raise Refusal(
            Reason.BAD_UNIT, f"{entry.kind} is made in multiples of {dollars(chip * entry.unit)} here"
        )


def _at_least_minimum(command: Bet, entry: AnyEntry, table: Table, pack: Pack) -> bool:
    house = table.house
    if not entry.minimum or house is None or command.amount >= house.min:
        return False
    if command.approval != "case_bet" or pack.limits.case_bet_section is None:
        raise Refusal(Reason.BELOW_MIN, f"the table minimum is {dollars(house.min)}")
    if RANK.get(command.by.role, 0) < RANK[Role.BOXMAN]:
        raise Refusal(
            Reason.NO_AUTHORITY, f"a case bet needs a supervisor's approval, not {command.by.role}'s"
        )
    if table.rails.get(command.player, 0) >= house.min:
        raise Refusal(
            Reason.CASE_BET_NOT_APPLICABLE,
            f"{command.player} has enough for the minimum of {dollars(house.min)}",
        )
    return True


def _at_most_maximum(wager: Wager, amount: int, entry: AnyEntry, table: Table) -> None:
    house = table.house
    if house is None or isinstance(entry, Odds):
        return
    maximum = Fraction(house.max)
    if entry.over_max and wager.number in entry.over_max.numbers:
        maximum *= entry.over_max.by
    if amount > maximum:
        raise Refusal(Reason.ABOVE_MAX, f"the most on this wager is {dollars(int(maximum))}")


def _odds_limit(wager: Wager, amount: int, entry: Odds, table: Table, pack: Pack) -> None:
    """All odds behind one base together, against the posted amount and multiple (readings I-23, P-6)."""
    base = table.wagers[wager.base or ""]
    others = sum(w.amount for w in table.odds_on(base.wager) if w.wager != wager.wager)
    most = _most_odds(base, base.amount, entry, table, pack)
    if most is None or others + amount <= most:
        return
    if pack.limits.odds_may_exceed_to_pay and table.house is not None:
        payable = table.house.chip * _price(base, entry, table).denominator
        raised = -(-most // payable) * payable
        if others + amount == raised:
            return
    raise Refusal(
        Reason.ODDS_LIMIT,
        f"at most {dollars(int(most))} in odds at {spoken(_price(base, entry, table))} here",
    )


def _price(base: Wager, entry: Odds, table: Table) -> Fraction:
    price = entry.potential(base, table.point_of(base))
    assert price is not None, base
    return price


def _most_odds(base: Wager, base_amount: int, entry: Odds, table: Table, pack: Pack) -> Fraction | None:
    """The most odds a base carries; on the wrong side a multiple counts in what the odds could win."""
    house = table.house
    assert house is not None, base
    limits: list[Fraction] = [] if house.odds_max is None else [Fraction(house.odds_max)]
    multiples = [m for m in (house.odds_multiple, pack.limits.odds_multiple) if m is not None]
    if multiples:
        most = Fraction(min(multiples) * base_amount)
        limits.append(most if entry.side == "right" else most / _price(base, entry, table))
    return min(limits, default=None)


def _funds(player: str, cost: int, table: Table) -> None:
    rail = table.rails.get(player, 0)
    if rail < cost:
        raise Refusal(
            Reason.INSUFFICIENT_FUNDS, f"{player} has {dollars(rail)} on the rail; this takes {dollars(cost)}"
        )


def _as_laid(command: Bet, table: Table, replaces: Wager | None) -> Wager:
    base = table.wagers.get(command.on or "")
    number = table.puck if command.kind in _PUCK_LINE else command.number
    if replaces is not None:
        number = replaces.number
    return Wager(
        command.wager,
        command.player,
        command.kind,
        command.amount,
        family(command.kind, base.kind if base else None),
        order=0,
        rolls=table.rolls,
        number=number,
        combo=command.combo,
        high=command.high,
        base=command.on,
    )


def _placed(
    command: Bet, wager: Wager, entry: AnyEntry, table: Table, pack: Pack, *, case_bet: bool
) -> list[Happened]:
    events: list[Happened] = [
        e.WagerPlaced(
            wager=wager.wager,
            player=wager.player,
            kind=wager.kind,
            amount=wager.amount,
            number=wager.number,
            combo=wager.combo,
            high=wager.high,
            base=wager.base,
            stays=command.stays,
            for_dealers=command.for_dealers,
            case_bet=case_bet,
            section=pack.cited(entry.defined(wager)),
            cash=command.cash,
        )
    ]
    if due := collected(wager, wager.amount, entry, table, pack):
        events.append(due)
    if table.marked_similar(wager.player, wager.family):
        events.append(e.WagerTurnedOn(wager=wager.wager, player=wager.player, similar=True))
    return events


# ------------------------------------------------------------------------------------------ changing


def _on_layout(name: str, table: Table) -> tuple[Wager, AnyEntry, Pack]:
    wager = table.wagers.get(name)
    if wager is None:
        raise Refusal(Reason.NO_SUCH_WAGER, f"no wager {name} lies undecided on the layout")
    if table.dice_out:
        raise Refusal(Reason.DICE_OUT, "the dice are out; no changes until the call")
    pack = pack_of(table)
    return wager, entry_of(wager, table, pack), pack


def _chips(wager: Wager) -> None:
    if wager.cash:
        raise Refusal(
            Reason.BAD_AMOUNT, f"{wager.wager} is currency and plays as it lies; take it down and bet anew"
        )


def _may_raise(wager: Wager, to: int, entry: AnyEntry, table: Table) -> None:
    if wager.player in table.denied:
        raise Refusal(Reason.PLAY_DENIED, f"{wager.player} may not play on at this table")
    if not isinstance(entry, Line):
        if _locked(wager, entry, table):
            raise Refusal(
                Reason.CONTRACT_BET, f"{wager.kind} {wager.wager} stays as it was made once a roll is taken"
            )
        if not made_now(entry, table.puck):
            raise Refusal(Reason.WRONG_PHASE, f"{wager.kind} is raised only before a come-out roll")
        return
    has_point = table.point_of(wager) is not None
    if wager.kind in WRONG_SIDE and has_point:
        allowed = table.allowed.get(("replacement", wager.wager), 0)
        if ("replacement", wager.wager) in table.allowed and (allowed is None or to <= allowed):
            return
        raise Refusal(
            Reason.NO_INCREASE_UNTIL_COME_OUT,
            f"{wager.kind} {wager.wager} has its point and may not be increased until a new come-out",
        )
    if not made_now(entry, table.puck) or (wager.kind == "come" and has_point):
        raise Refusal(
            Reason.WRONG_PHASE, f"{wager.kind} {wager.wager} has its point; make a new wager instead"
        )


def _may_come_down(wager: Wager, entry: AnyEntry, table: Table) -> None:
    if ("removal", wager.wager) in table.allowed:
        return
    bound = entry.contract and table.point_of(wager) is not None
    if bound or _locked(wager, entry, table):
        raise Refusal(
            Reason.CONTRACT_BET,
            f"{wager.kind} {wager.wager} is a contract and stays up until it is decided",
        )


def _locked(wager: Wager, entry: AnyEntry, table: Table) -> bool:
    return entry.locked and any(total is not None for total in table.totals[wager.rolls :])


def _odds_still_fit(base: Wager, to: int, table: Table, pack: Pack) -> None:
    odds = table.odds_on(base.wager)
    entry = pack.by_base.get(base.kind)
    if not odds or entry is None:
        return
    most = _most_odds(base, to, entry, table, pack)
    if most is not None and sum(w.amount for w in odds) > most:
        raise Refusal(Reason.ODDS_LIMIT, f"reduce the odds behind {base.wager} first")


def _taken_down(wager: Wager, cause: str) -> e.WagerTakenDown:
    return e.WagerTakenDown.model_validate(
        {
            "wager": wager.wager,
            "player": wager.player,
            "amount": wager.amount,
            "cause": cause,
            "cash": wager.cash,
        }
    )
