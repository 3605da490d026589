"""What a rule pack offers, in words and figures, and how two packs differ."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from domain.money import dollars, spoken
from domain.policy.aggregate_limits import aggregate_limit_policy
from domain.rules.edges import THROWS
from domain.rules.pack import AnyEntry, Gather, Line, Number, Odds, OneRoll, Pack
from domain.table import Table, Wager, family

_Price = TypeVar("_Price")
_MADE = {
    "any_time": "at any time",
    "before_come_out": "before a come-out roll",
    "point_on": "with a point On",
}


class Offer(NamedTuple):
    """One wager of a house, in words; empty where there is nothing to say."""

    wager: str
    name: str
    made: str
    decided: str
    pays: str
    unit: str
    commission: str
    come_out: str
    removal: str
    limits: str
    section: str
    pays_section: str
    commission_section: str
    unit_section: str
    limits_section: str


class Term(NamedTuple):
    """What a house says of the table as a whole, and where; empty where it is nowhere in particular."""

    said: str
    section: str


COMPARED = ("made", "decided", "pays", "unit", "commission", "come_out", "removal", "limits")


class Difference(NamedTuple):
    """What two houses say differently of one wager, or of the table itself."""

    wager: str
    what: str
    first: str
    second: str


def offers(pack: Pack) -> list[Offer]:
    """Every wager of a pack, odds once for each wager that they support."""
    found: list[Offer] = []
    for entry in pack.wager:
        if isinstance(entry, Odds):
            found += [_offer(entry, f"odds on {base}", family("odds", base), pack) for base in entry.bases]
        else:
            found.append(_offer(entry, entry.kind, entry.kind, pack))
    return found


def house(pack: Pack) -> dict[str, Term]:
    """What a pack says of the table as a whole."""
    limits, sleep = pack.limits, _cited(pack.sections.sleep, pack)
    off = _listed(name.replace("_", " ") for name in pack.off_on_come_out)
    marker = "speaks for all similar wagers" if limits.one_marker_for_similar else "one a wager"
    costs = limits.rate_in_words if any(entry.commission for entry in pack.wager) else "none"
    return {
        "points": Term(_listed(pack.points), ""),
        "off on the come-out": Term(off or "nothing", sleep),
        "On marker": Term(marker, sleep),
        "commission": Term(costs, _cited(limits.vig_section, pack)),
        "odds": Term(_odds_limit(pack), _cited(limits.odds_section, pack)),
        "aggregate limit": _aggregate_limit(pack),
        "case bet": Term(
            "with approval" if limits.case_bet_section else "no", _cited(limits.case_bet_section, pack)
        ),
        "payouts": Term("by the reference paytable" if limits.needs_paytable else "by the document", ""),
        "in force": Term(in_force(pack), ""),
    }


def procedure(pack: Pack) -> dict[str, str]:
    """Where the document speaks of procedure, by what it speaks of."""
    found: dict[str, str] = {}
    for name, section in dict(pack.sections).items():
        each = section if isinstance(section, dict) else {"": section}
        for which, where in each.items():
            if where:
                found[f"{name} {which}".replace("_", " ").strip()] = _cited(where, pack)
    return found


def in_force(pack: Pack) -> str:
    """The gaming days for which a pack is law."""
    start = f"from {pack.in_force_from}" if pack.in_force_from else ""
    end = f"before {pack.in_force_until}" if pack.in_force_until else ""
    return " and ".join(filter(None, [start, end])) or "at any date"


def differences(first: Pack, second: Pack) -> Iterator[Difference]:
    """What differs between two packs: the table's terms, then wager by wager."""
    ours, theirs = house(first), house(second)
    for what, term in ours.items():
        if term.said != theirs[what].said:
            yield Difference("", what, term.said, theirs[what].said)
    one = {offer.wager: offer for offer in offers(first)}
    other = {offer.wager: offer for offer in offers(second)}
    for wager in [*one, *(wager for wager in other if wager not in one)]:
        yield from _differ(wager, one.get(wager), other.get(wager))


def _differ(wager: str, one: Offer | None, other: Offer | None) -> Iterator[Difference]:
    if one is None or other is None:
        yield Difference(wager, "offered", "yes" if one else "no", "yes" if other else "no")
        return
    for what in COMPARED:
        if (first := getattr(one, what)) != (second := getattr(other, what)):
            yield Difference(wager, what.replace("_", "-"), first, second)


def _offer(entry: AnyEntry, wager: str, of_family: str, pack: Pack) -> Offer:
    return Offer(
        wager=wager,
        name=entry.name,
        made=_made(entry),
        decided=_decided(entry),
        pays=_pays(entry),
        unit=f"in units of {entry.unit} chips" if entry.unit > 1 else "",
        commission=_commission(entry, pack),
        come_out="off unless called On" if of_family in pack.off_on_come_out else "works",
        removal=_removal(entry),
        limits=_limits(entry),
        section=_cited(entry.section, pack),
        pays_section=_cited(entry.pays_section, pack),
        commission_section=_cited(entry.commission.section if entry.commission else None, pack),
        unit_section=_cited(entry.unit_section, pack),
        limits_section=_cited(entry.over_max.section if entry.over_max else None, pack),
    )


# ------------------------------------------------------------------------------------------ made and decided


def _made(entry: AnyEntry) -> str:
    if isinstance(entry, Odds):
        return "once its base has a point"
    numbers = entry.numbers if isinstance(entry, Line | Number) else ()
    if isinstance(entry, OneRoll) and entry.high:
        numbers = entry.highs
    on = f", on {_listed(numbers)}" if len(numbers) > 1 else ""
    return f"{_MADE[entry.made]}{on}"


def _decided(entry: AnyEntry) -> str:
    match entry:
        case Line():
            return _line(entry)
        case Number():
            number = "the number" if len(entry.numbers) > 1 else str(entry.numbers[0])
            if entry.hard:
                return f"{number} as a pair wins, 7 or {number} any other way loses"
            return f"7 wins, {number} loses" if entry.to_lose else f"{number} wins, 7 loses"
        case OneRoll():
            return _one_roll(entry)
        case Gather():
            return f"{_listed(sorted(entry.numbers))} all thrown before a 7 win, 7 loses"
        case Odds():
            return "wins and loses with its base"


def _line(entry: Line) -> str:
    sets = (("wins", entry.wins), ("loses", entry.loses), ("pushes", entry.pushes))
    said = [f"{verb} on {_listed(sorted(totals))}" for verb, totals in sets if totals]
    late = "the point wins, 7 loses" if entry.side == "right" else "7 wins, the point loses"
    return "; ".join([*said, f"else {late}" if said else late])


def _one_roll(entry: OneRoll) -> str:
    if entry.choose:
        return "the next roll wins on its faces"
    prices = _prices(entry, entry.highs[0] if entry.highs else None)
    wins = _listed(total for total, price in prices.items() if price > 0)
    pushes = _listed(total for total, price in prices.items() if price == 0)
    return f"the next roll wins on {wins}" + (f", pushes on {pushes}" if pushes else "")


# ------------------------------------------------------------------------------------------ pays


def _pays(entry: AnyEntry) -> str:
    match entry:
        case Line() | Gather():
            return spoken(entry.pays)
        case Number() | Odds():
            return _grouped(entry.pays, spoken)
        case OneRoll(choose=True):
            return _grouped(dict(sorted(entry.legs[0].faces.items())), spoken)
        case OneRoll(high=True):
            return f"{_high(entry)}, net on the whole"
        case OneRoll():
            prices = {total: price for total, price in _prices(entry, None).items() if price > 0}
            return _grouped(prices, spoken) + (", net on the whole" if len(entry.legs) > 1 else "")


def _prices(entry: OneRoll, high: int | None) -> dict[int, Fraction]:
    """What each total that does not lose pays on the whole wager, by its own mechanism."""
    wager = Wager("", "", entry.kind, 1, entry.kind, order=0, rolls=0, high=high)
    found: dict[int, Fraction] = {}
    for dice in THROWS:
        verdict = entry.judge(wager, dice, Table())
        price = getattr(verdict, "price", None)
        if price is not None:
            found[sum(dice)] = price
    return dict(sorted(found.items()))


def _high(entry: OneRoll) -> str:
    found: dict[int, tuple[Fraction, Fraction]] = {}
    for total in entry.highs:
        other = next(high for high in entry.highs if high != total)
        found[total] = (_prices(entry, total)[total], _prices(entry, other)[total])
    return _grouped(
        found, lambda prices: f"{spoken(prices[0])} if it is the high number, else {spoken(prices[1])}"
    )


def _grouped(prices: Mapping[Any, _Price], say: Callable[[_Price], str]) -> str:
    groups: dict[_Price, list[object]] = {}
    for which, price in prices.items():
        groups.setdefault(price, []).append(which)
    if len(groups) == 1:
        return say(next(iter(groups)))
    return "; ".join(f"{_listed(numbers)}: {say(price)}" for price, numbers in groups.items())


def _listed(things: Iterable[object]) -> str:
    return ", ".join(map(str, things))


# ------------------------------------------------------------------------------------------ terms


def _commission(entry: AnyEntry, pack: Pack) -> str:
    if entry.commission is None:
        return ""
    basis = {"wager": "the wager", "win": "what it could win"}[entry.commission.basis]
    when = (
        "when made, or on a win where the house names its number" if pack.limits.vig_on_win else "when made"
    )
    return f"{pack.limits.rate_in_words} of {basis}, {when}"


def _removal(entry: AnyEntry) -> str:
    if entry.contract:
        return "a contract once it has a point"
    return "stays up once a roll has been taken" if entry.locked else "may come down"


def _limits(entry: AnyEntry) -> str:
    if isinstance(entry, Odds):
        return "posted odds limits"
    limits = "posted minimum and maximum" if entry.minimum else "posted maximum"
    over = entry.over_max
    return f"{limits}, {over.by} of it on {_listed(over.numbers)}" if over else limits


def _odds_limit(pack: Pack) -> str:
    if not pack.by_base:
        return "not offered"
    limits = pack.limits
    most = f"at most {limits.odds_multiple} times the base" if limits.odds_multiple else "as posted"
    return most + (", and what makes them payable" if limits.odds_may_exceed_to_pay else "")


def _aggregate_limit(pack: Pack) -> Term:
    policy = aggregate_limit_policy(pack.id, date.max)
    said = [f"as posted, on odds over {spoken(policy.odds_over)}"]
    if max(pack.prices) <= policy.odds_over:
        said.append("which nothing here pays")
    if policy.at_least:
        said.append(f"at least {dollars(policy.at_least)}")
    if policy.at_least_award_at_minimum:
        said.append("and the highest award at the minimum")
    return Term(", ".join(said), policy.section)


def _cited(section: str | None, pack: Pack) -> str:
    return pack.cited(section) or ""
