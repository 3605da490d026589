"""What surveillance looks for: results that luck does not explain, bets as the dice go out, wrong payments.

Each question goes through the events of one table and gaming day after another, so no range of days is ever
held in memory; what it answers with is. Cents; times on the property's clock.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import floor, isqrt
from typing import Any, NamedTuple

from psycopg import Connection

from domain import events as e
from domain.refusals import Reason
from domain.table import family
from projections.action import Action, added, terms_of, variance, wager_of
from projections.facts import facts
from projections.projection import Fact
from projections.retelling import Row as Told
from projections.rows import Row, find, pages
from projections.telling import in_seconds
from projections.win import half_up, theoretical_win

ALL = "all"
"""The family of a pair's row for all its wagers together."""


class Asked(NamedTuple):
    """Which gaming days, whose table, which patron; None is every one."""

    first: date | None = None
    last: date | None = None
    table: str | None = None
    player: str | None = None


# Where a table's day begins and ends in the log is looked up first, so that no plan reads further than that.
_END = (
    "(SELECT {}(position) FROM pitledger.audit WHERE table_name = t.table_name AND gaming_day = t.gaming_day)"
)
_DAYS = f"""
    SELECT table_name AS table, gaming_day, {_END.format("min")} AS first, {_END.format("max")} AS last
    FROM pitledger.tables t
    WHERE opened IS NOT NULL AND gaming_day >= coalesce(%(first)s::date, '-infinity')
        AND gaming_day <= coalesce(%(last)s::date, 'infinity')
        AND table_name = coalesce(%(table)s::text, table_name)
    ORDER BY gaming_day, table_name"""
_LAST_DAY = """
    SELECT max(gaming_day) AS day FROM pitledger.tables
    WHERE opened IS NOT NULL AND table_name = coalesce(%(table)s::text, table_name)"""
_OF_TABLE_DAY = """
    FROM pitledger.audit a JOIN pitledger.events e USING (stream, version)
    WHERE e.property = (SELECT property FROM pitledger.property)
        AND {where} AND a.event IN ('%s') AND {page}"""
_TELL = """
    SELECT a.position, stream, a.table_name AS table, a.gaming_day, a.event AS name, e.schema_version,
        e.data::text AS data, e.occurred_at, e.badge, e.role, e.command"""


def last_day(conn: Connection[Any], table: str | None = None) -> date | None:
    """The last gaming day that a table, or this one, was opened for."""
    day: date | None = find(conn, _LAST_DAY, {"table": table})[0]["day"]
    return day


class _Day(NamedTuple):
    """A table and gaming day, and where it begins and ends in the log."""

    table: str
    gaming_day: date
    first: int
    last: int

    def rows(self, conn: Connection[Any], query: str, player: str | None = None) -> Iterator[Row]:
        """The answer to a query of its audit trail, in ledger order."""
        where = {"a.table_name": self.table, "a.gaming_day": self.gaming_day, "a.player": player}
        return pages(conn, query, where, self.first, self.last)


def _days(conn: Connection[Any], asked: Asked) -> list[_Day]:
    """The tables and gaming days asked for."""
    given = {"first": asked.first, "last": asked.last, "table": asked.table}
    return [_Day(**row) for row in find(conn, _DAYS, given)]


def _named(names: Iterable[type[e.Happened]]) -> str:
    return _OF_TABLE_DAY.replace("%s", "', '".join(event.name for event in names))


def _told(conn: Connection[Any], day: _Day, names: Iterable[type[e.Happened]]) -> Iterator[Fact]:
    """The events of a table and gaming day that have these names, in ledger order."""
    return facts(Told(**row) for row in day.rows(conn, _TELL + _named(names)))


def _is_late_bet(event: e.CommandRefused) -> bool:
    return event.reason == Reason.DICE_OUT and event.do in ("bet", "press", "lay_cash", "declare_cash")


# ------------------------------------------------------------------------------------- dealer by patron


class _Tally:
    """The action of one pair in one family of wagers, and what came of it for the patron."""

    def __init__(self) -> None:
        self.decided = self.staked = self.net = self.late_refused = 0
        self.staked_at: Counter[str | None] = Counter()  # the house's exact advantage -> stakes
        self.action: Action = {}

    def decide(self, event: e.WagerSettled | e.SettlementReversed, terms: str, wager: str, sign: int) -> None:
        self.decided += sign
        self.staked += sign * event.stake
        self.net += sign * event.net
        self.staked_at[event.edge] += sign * event.stake
        staked = self.action.setdefault(terms, {})
        staked[wager] = staked.get(wager, 0) + sign * event.stake**2

    @property
    def expected(self) -> Fraction | None:
        """What the patron should have won (the house's edge: less than nothing); None where no one knows."""
        if self.staked_at[None]:
            return None
        return -theoretical_win({edge: stake for edge, stake in self.staked_at.items() if edge is not None})


_Key = tuple[str, str, str]  # dealer, patron, family
_Tallies = defaultdict[_Key, _Tally]


class _Entered(NamedTuple):
    """A wager as it was made: by whose hand, for whom."""

    dealer: str
    player: str
    kind: str
    base: str  # the kind of the wager that odds support

    @property
    def key(self) -> _Key:
        return self.dealer, self.player, family(self.kind, self.base or None)


class _PairWatch:
    """Adds up one table and gaming day by who entered a wager for whom."""

    EVENTS = (
        *(e.TableOpened, e.CashLaid, e.WagerPlaced, e.WagerSettled, e.SettlementReversed, e.CommandRefused),
    )

    def __init__(self, tallies: _Tallies) -> None:
        self.tallies = tallies
        self.terms = ""
        self.entered: dict[str, _Entered] = {}
        self.particulars: dict[str, str] = {}  # of each wager that was decided, as `action.wager_of`

    def see(self, fact: Fact) -> None:
        match fact.event:
            case e.TableOpened() as event:
                self.terms = terms_of(event)
            case e.CashLaid() | e.WagerPlaced() as event:
                self._placed(event, fact.row.badge)
            case e.WagerSettled() as event:
                self.particulars[event.wager] = wager_of(event, self.entered[event.wager].base)
                self._decided(event, 1)
            case e.SettlementReversed() as event:
                self._decided(event, -1)
            case e.CommandRefused() as event if _is_late_bet(event):
                self._refused(event, fact.row.badge)

    def _placed(self, event: e.CashLaid | e.WagerPlaced, badge: str) -> None:
        """A stake that goes back up by itself is still the work of whoever entered it first."""
        before = self.entered.get(getattr(event, "after", None) or "")
        base = self.entered.get(event.base or "")
        self.entered[event.wager] = _Entered(
            before.dealer if before else badge, event.player, event.kind, base.kind if base else ""
        )

    def _decided(self, event: e.WagerSettled | e.SettlementReversed, sign: int) -> None:
        if event.outcome != "returned":
            tally = self.tallies[self.entered[event.wager].key]
            tally.decide(event, self.terms, self.particulars[event.wager], sign)

    def _refused(self, event: e.CommandRefused, badge: str) -> None:
        lies = self.entered.get(event.wager or "") if event.player is None else None
        tried = lies or _Entered(badge, event.player or "", event.kind or "", "")
        self.tallies[tried._replace(dealer=badge).key].late_refused += 1


def pairs(conn: Connection[Any], asked: Asked, sigma: int) -> list[Row]:
    """Dealer (whose badge entered the wager) by patron, by family of wagers and together; furthest off first.

    `z` is how many standard deviations, in hundredths rounded down, the patron's `net` is from `expected`;
    null with the edge of a wager unknown or none decided. `flagged` is exact: further off than `sigma`.
    """
    tallies: _Tallies = defaultdict(_Tally)
    for day in _days(conn, asked):
        watch = _PairWatch(tallies)
        for fact in _told(conn, day, watch.EVENTS):
            watch.see(fact)
    found = [
        _pair(key, tally, sigma)
        for key, tally in _with_sums(tallies).items()
        if asked.player in (None, key[1]) and (tally.decided or tally.late_refused)
    ]
    return sorted(found, key=_off)


def _off(row: Row) -> tuple[bool, int, str, str, str]:
    return row["z"] is None, -abs(row["z"] or 0), row["dealer"], row["player"], row["family"]


def _with_sums(tallies: _Tallies) -> dict[_Key, _Tally]:
    """The tallies, and each pair's over all families."""
    of_pair: defaultdict[tuple[str, str], list[_Tally]] = defaultdict(list)
    for (dealer, player, _), tally in tallies.items():
        of_pair[dealer, player].append(tally)
    return {**tallies, **{(*pair, ALL): _summed(ours) for pair, ours in of_pair.items()}}


def _summed(tallies: list[_Tally]) -> _Tally:
    together = _Tally()
    for tally in tallies:
        together.decided += tally.decided
        together.staked += tally.staked
        together.net += tally.net
        together.late_refused += tally.late_refused
        together.staked_at.update(tally.staked_at)
    together.action = added(tally.action for tally in tallies)
    return together


def _pair(key: _Key, tally: _Tally, sigma: int) -> Row:
    dealer, player, of_family = key
    expected, spread = tally.expected, variance(tally.action)
    off = None if expected is None or not spread else tally.net - expected
    return {
        "dealer": dealer,
        "player": player,
        "family": of_family,
        "decided": tally.decided,
        "staked": tally.staked,
        "net": tally.net,
        "expected": None if expected is None else half_up(expected),
        "expected_exact": None if expected is None else str(expected),
        "sd": isqrt(floor(spread)) if spread else None,
        "z": None if off is None else deviations(off, spread),
        "flagged": off is not None and off**2 > sigma**2 * spread,
        "late_refused": tally.late_refused,
    }


def deviations(off: Fraction, spread: Fraction) -> int:
    """How many standard deviations, whose square is `spread`, an amount is; hundredths, rounded down.

    >>> deviations(Fraction(3), Fraction(4)), deviations(Fraction(1), Fraction(9))
    (150, 33)
    >>> deviations(Fraction(-3), Fraction(4)), deviations(Fraction(-1), Fraction(9))
    (-150, -34)
    """
    squared = off**2 * 10_000 / spread
    root = isqrt(floor(squared))
    if off >= 0:
        return root
    return -root if root**2 == squared else -root - 1


# ------------------------------------------------------------------------------------- late bets


class _Said(NamedTuple):
    """What was said of a bet since the last call."""

    how: str  # placed, pressed, reduced, refused
    amount: int | None
    fact: Fact
    about: Any  # what has the particulars of the wager

    @property
    def key(self) -> tuple[str, object]:
        """One wager is one bet however often it is raised; each refusal stands for itself."""
        if self.how == "refused":
            return self.how, self.fact.row.position
        return "made", self.about.wager

    def bet(self) -> Row:
        """The bet as it is told; a bet that was refused has no particulars but those of the refusal."""
        fact = self.fact
        return {
            "table": fact.table,
            "gaming_day": fact.gaming_day.isoformat(),
            **dict.fromkeys(("roll", "shooter")),
            **{name: getattr(self.about, name, None) for name in _PARTICULARS},
            "how": self.how,
            "amount": self.amount,
            "dealer": fact.row.badge,
            "role": fact.row.role,
            "at": fact.row.occurred_at.isoformat(),
            **dict.fromkeys(("dice_out_at", "called_at", "seconds", "outcome", "net")),
            "position": fact.row.position,
            "command": fact.row.command,
        }


_PARTICULARS = "player wager kind number combo high".split()


class _DiceWatch:
    """Watches one table and gaming day for bets made within `close` of the dice going out.

    The bets of a roll are let go with the next call: until then an overrule may decide them otherwise.
    """

    EVENTS = (
        *(e.CashLaid, e.WagerPlaced, e.WagerPressed, e.WagerReduced, e.WagerTakenDown, e.CommandRefused),
        *(e.ShooterAssigned, e.DicePassed, e.DiceWentOut, e.RollCalled, e.NoRollCalled, e.RollOverruled),
        *(e.WagerSettled, e.SettlementReversed, e.TableClosed),
    )

    def __init__(self, close: timedelta) -> None:
        self.close = close
        self.placed: dict[str, e.CashLaid | e.WagerPlaced] = {}
        self.shooter: str | None = None
        self.out_at: datetime | None = None
        self.said: list[_Said] = []
        self.bets: list[Row] = []  # of the last roll

    def see(self, fact: Fact) -> list[Row]:
        """The bets that nothing more can be said about."""
        match fact.event:
            case e.RollCalled(roll=roll, shooter=shooter):
                return self._called(roll, shooter, fact.row.occurred_at)
            case e.NoRollCalled(roll=roll):
                return self._called(roll, self.shooter, fact.row.occurred_at)
            case e.TableClosed():
                return self.end()
            case e.DiceWentOut():
                self.out_at = fact.row.occurred_at
            case e.ShooterAssigned(player=shooter) | e.RollOverruled(shooter=shooter):
                self.shooter = shooter
            case e.DicePassed():
                self.shooter = None
            case e.WagerSettled() | e.SettlementReversed() as event:
                self._decided(event)
            case event:
                self._bet(event, fact)
        return []

    def end(self) -> list[Row]:
        """What is left where no call comes any more, or not yet."""
        before = self._called(None, self.shooter, None)
        now, self.bets = self.bets, []
        return before + now

    def _called(self, roll: int | None, shooter: str | None, at: datetime | None) -> list[Row]:
        before, self.bets = self.bets, self._late(roll, shooter, at)
        self.said, self.out_at = [], None
        return before

    def _late(self, roll: int | None, shooter: str | None, called_at: datetime | None) -> list[Row]:
        """The late ones among the bets since the last call; where nobody said the dice were out, of this."""
        until = self.out_at or called_at
        if until is None:
            return []
        of_roll = {
            "roll": roll,
            "shooter": shooter,
            "dice_out_at": self.out_at and self.out_at.isoformat(),
            "called_at": called_at and called_at.isoformat(),
        }
        bets: dict[object, Row] = {}
        for said in self.said:
            before, lasted = bets.get(said.key), until - said.fact.row.occurred_at
            if said.how == "reduced":
                if before is not None:
                    before["amount"] += said.amount
            elif said.how == "refused" or lasted <= self.close:
                bet = bets[said.key] = said.bet() | of_roll | {"seconds": in_seconds(lasted)}
                if before is not None:
                    bet |= {"how": before["how"], "amount": before["amount"] + bet["amount"]}
        return [bet for bet in bets.values() if bet["how"] == "refused" or bet["amount"] > 0]

    def _bet(self, event: e.Happened, fact: Fact) -> None:
        match event:
            case e.CashLaid():
                self.placed[event.wager] = event
            case e.WagerPlaced():
                self.placed[event.wager] = event
                if event.after is None:  # else it went back up by itself
                    self.said.append(_Said("placed", event.amount, fact, event))
            case e.WagerPressed() | e.WagerReduced():
                how = "pressed" if isinstance(event, e.WagerPressed) else "reduced"
                made = self.placed[event.wager]
                self.said.append(_Said(how, event.to - event.was, fact, made))
            case e.WagerTakenDown(wager=wager):
                self.said = [said for said in self.said if said.key != ("made", wager)]
            case e.CommandRefused() if _is_late_bet(event):
                about = self.placed[event.wager or ""] if event.player is None else event
                amount = about.amount if event.amount is None else event.amount
                self.said.append(_Said("refused", amount, fact, about))

    def _decided(self, event: e.WagerSettled | e.SettlementReversed) -> None:
        stands = isinstance(event, e.WagerSettled)
        for bet in self.bets:
            if bet["wager"] == event.wager and bet["roll"] == event.roll and bet["how"] != "refused":
                bet["outcome"] = event.outcome if stands else None
                bet["net"] = event.net if stands else None


def late(conn: Connection[Any], asked: Asked, seconds: int) -> Iterator[Row]:
    """Bets made, raised or refused within `seconds` of the dice going out, else of the call, in log order.

    `amount` is what was bet or added then (of a raise that was refused: to what), `net` what the whole wager
    won or lost on that very roll, null where the roll did not decide it. `seconds` are less than 0 of a bet
    that came when the dice were out.
    """
    for day in _days(conn, asked):
        watch = _DiceWatch(timedelta(seconds=seconds))
        for fact in _told(conn, day, watch.EVENTS):
            yield from _of(watch.see(fact), asked.player)
        yield from _of(watch.end(), asked.player)


def _of(rows: Iterable[Row], player: str | None) -> Iterator[Row]:
    return (row for row in rows if player in (None, row["player"]))


class ByShooter:
    """Late bets added up by who had the dice and who bet."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], Row] = {}

    def add(self, bet: Row) -> None:
        key = bet["shooter"] or "", bet["player"] or ""
        sums = self._sums.setdefault(
            key,
            {"shooter": bet["shooter"], "player": bet["player"]}
            | dict.fromkeys(("bets", "amount", "decided", "net", "refused"), 0),
        )
        if bet["how"] == "refused":
            sums["refused"] += 1
            return
        sums["bets"] += 1
        sums["amount"] += bet["amount"]
        if bet["net"] is not None:
            sums["decided"] += 1
            sums["net"] += bet["net"]

    def rows(self) -> list[Row]:
        """Who won most on such bets first; `net` is that of the bets `decided` on their roll."""
        return [sums for _, sums in sorted(self._sums.items(), key=lambda one: (-one[1]["net"], one[0]))]


# ------------------------------------------------------------------------------------- mispays


_MISPAYS = """
    SELECT a.table_name AS table, a.gaming_day, a.roll, a.player, a.wager, made.kind, made.number,
        (e.data ->> 'owed')::bigint AS owed, (e.data ->> 'paid')::bigint AS paid,
        (e.data ->> 'difference')::bigint AS difference, e.data ->> 'dealer' AS dealer,
        e.data ->> 'boxman' AS boxman, e.badge AS by, e.role, e.occurred_at AS at, a.position, e.command"""
_MADE = """
    LEFT JOIN LATERAL (SELECT kind, number FROM pitledger.wagers
        WHERE wager = a.wager AND stream = a.stream) AS made ON true
    WHERE e.property"""


def mispays(conn: Connection[Any], asked: Asked) -> Iterator[Row]:
    """Payments that were not what was owed, by day and table; `difference` to what was paid until then.

    `put_right` is a payment that brings a wager nearer to what it was owed: its dealer and boxman, where it
    names none, are those of the payment that it puts right.
    """
    query = _MISPAYS + _named([e.MispayFound]).replace("WHERE e.property", _MADE)
    for day in _days(conn, asked):
        crews: dict[str, tuple[str | None, str | None]] = {}
        for row in day.rows(conn, query, asked.player):
            row["put_right"] = abs(row["paid"] - row["owed"]) < abs(
                row["paid"] - row["difference"] - row["owed"]
            )
            if row["put_right"] and row["dealer"] is None:
                row["dealer"], row["boxman"] = crews.get(row["wager"], (None, None))
            crews[row["wager"]] = row["dealer"], row["boxman"]
            yield row | {"gaming_day": row["gaming_day"].isoformat(), "at": row["at"].isoformat()}


class ByDealer:
    """Mispays added up by who paid."""

    def __init__(self) -> None:
        self._sums: dict[str, Row] = {}

    def add(self, mispay: Row) -> None:
        dealer = mispay["dealer"]
        sums = self._sums.setdefault(
            dealer or "",
            {"dealer": dealer} | dict.fromkeys(("count", "over", "under", "put_right", "net"), 0),
        )
        difference = mispay["difference"]
        sums["net"] += difference
        if mispay["put_right"]:
            sums["put_right"] += difference
            return
        sums["count"] += 1
        sums["over" if difference > 0 else "under"] += difference

    def rows(self) -> list[Row]:
        """Who overpaid most first; over, under and what was put right come to the net."""
        return [sums for _, sums in sorted(self._sums.items(), key=lambda one: (-one[1]["over"], one[0]))]
