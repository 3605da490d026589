"""The table against another engine: the same random legal wagers and dice at crapssim 0.4.1, roll by roll.

What is compared after every roll is the player's wealth, rail and layout together, to the cent: crapssim's
figure must be ours plus the breakage that no cent can pay. `EXCEPTIONS` lists where crapssim is wrong or
cannot say what our documents say, and what is done about it.

The long game, 100,000 rolls and more, is a job of its own:  pytest -m long tests/domain/test_crapssim.py
"""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import pytest
from crapssim import bet as cs
from crapssim.rules import ClassicRules, CraplessRules
from crapssim.strategy.tools import NullStrategy
from crapssim.table import Table as SimulatorTable
from crapssim.table import TableUpdate

from domain import events as e
from domain.refusals import Refusal
from domain.table import Wager
from tests.domain.pit import IOWA, PENNSYLVANIA, Pit, only

EXCEPTIONS = {
    "B06": "crapssim leaves odds up when their don't come bet is removed; they are taken down for it",
    "B08": "crapssim lets a moved don't come bet be raised; ours refuses, so it is never asked to",
    "B09": "crapssim's hardways cannot sleep; on a come-out roll an unmarked one is kept out of its sight",
    "G-4": "crapssim keeps a won place bet up; where ours came down it is taken down there too",
    "G-6": "crapssim knows no On marker; a bet's `always_working` is set with the marker and lapses with it",
    "I-2": "crapssim has puts only with the point On, and they sleep on the come-out; they are told to work",
    "I-6": "crapssim's lays sleep on the come-out; they are told to work",
    "I-7": "crapssim cannot reduce; the bet is removed and made again smaller, commission and all",
    "P-8": "crapssim takes bonus wagers only from a new shooter or after a 7; only then are they made",
    "G-3": "crapssim pays fractions of a cent; ours names them breakage, and that is the difference",
    "one": "crapssim merges bets of one kind and number; only one of each is made",
    "kinds": "crapssim has no horn high and no high low; they are not played",
}
NIGHT = 1000  # rolls
CHIP = 100
SIX, TEN = (4, 5, 6, 8, 9, 10), (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
HOPS = [(low, high) for low in range(1, 7) for high in range(low, 7) if 4 <= low + high <= 10]
PLAIN: dict[str, Callable[..., Any]] = {
    "pass": cs.PassLine,
    "dont_pass": cs.DontPass,
    "come": cs.Come,
    "dont_come": cs.DontCome,
    "field": cs.Field,
    "any_seven": cs.Any7,
    "any_craps": cs.AnyCraps,
    "craps_2": cs.Two,
    "craps_3": cs.Three,
    "craps_12": cs.Boxcars,
    "eleven": cs.Yo,
    "horn": cs.Horn,
    "world": cs.World,
    "c_and_e": cs.CAndE,
    "big_6": cs.Big6,
    "big_8": cs.Big8,
    "all_small": cs.Small,
    "all_tall": cs.Tall,
    "all_or_nothing": cs.All,
}
NUMBERED: dict[str, Callable[..., Any]] = {
    "place": cs.Place,
    "buy": cs.Buy,
    "lay": lambda number, amount: cs.Lay(number, amount, always_working=True),
    "put_pass": lambda number, amount: cs.Put(number, amount, always_working=True),
    "put_come": lambda number, amount: cs.Put(number, amount, always_working=True),
    "hard": cs.HardWay,
}
BASES: dict[str, Any] = {
    "pass": cs.PassLine,
    "come": cs.Come,
    "put_pass": cs.Put,
    "put_come": cs.Put,
    "dont_pass": cs.DontPass,
    "dont_come": cs.DontCome,
}


class Game(NamedTuple):
    """A house that both engines can run."""

    rules: str
    kinds: tuple[str, ...]
    numbers: tuple[int, ...]
    terms: dict[str, Any]
    commission_on_win: bool = False


ONE_ROLL = ("field", "any_seven", "any_craps", "craps_2", "craps_3", "craps_12", "eleven", "horn", "c_and_e")
CLASSIC = Game(
    IOWA,
    (
        *ONE_ROLL,
        *BASES,
        "odds",
        "odds",
        "odds",
        "place",
        "place",
        "buy",
        "lay",
        "hard",
        "world",
        "big_6",
        "big_8",
    ),
    SIX,
    {},
)
BONUS = ("all_small", "all_tall", "all_or_nothing")
CRAPLESS = Game(
    PENNSYLVANIA,
    (
        *ONE_ROLL,
        "pass",
        "pass",
        "come",
        "come",
        "odds",
        "odds",
        "odds",
        "place",
        "place",
        "buy",
        "hard",
        "hop",
        *BONUS,
    ),
    TEN,
    {"odds_multiple": 10},
)
ON_WIN = CRAPLESS._replace(
    terms={"odds_multiple": 10, "vig": {"rate": "1/20", "on_win": list(TEN)}}, commission_on_win=True
)


class Match:
    """One night at both tables."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.chance = Random(f"{game} {seed}")
        self.pit = Pit(rules=game.rules, terms={"min": CHIP, **game.terms}, players=("P1",))
        self.pit.must("buy_in", player="P1", amount=10**10, tender="cash")
        self.simulator = SimulatorTable(rules=ClassicRules() if game.rules == IOWA else CraplessRules())
        self.simulator.settings |= {
            "vig_rounding": "none",
            "vig_paid_on_win": game.commission_on_win,
            "max_odds": dict.fromkeys(TEN, 10**6),
            "max_dont_odds": dict.fromkeys(TEN, 10**6),
            "ATS_payouts": {"all": 175, "tall": 34, "small": 34},
            "come_out_working_policy": "real_casino",
        }
        self.player = self.simulator.add_player(self.pit.table.rails["P1"] / 100, NullStrategy())
        self.bets: dict[str, Any] = {}  # crapssim's bet of each of our wagers
        self.breakage = Fraction(0)
        self.decided: dict[str, int] = {}

    def play(self, rolls: int) -> None:
        """Bet, change, mark, roll; compare after every roll."""
        for _ in range(rolls):
            for _ in range(self.chance.randint(0, 3)):
                self.bet()
            if self.chance.random() < 0.3 and self.bets:
                self.change(self.pit.table.wagers[self.chance.choice(list(self.bets))])
            if self.chance.random() < 0.2 and self.bets:
                self.mark(self.pit.table.wagers[self.chance.choice(list(self.bets))])
            self.agree("before the roll")
            dice = self.chance.randint(1, 6), self.chance.randint(1, 6)
            self.roll(dice)
            self.agree(dice)

    def agree(self, when: Any) -> None:
        """Both tables say the same of the player's wealth, and of the puck."""
        wagers = self.pit.table.wagers.values()
        ours = self.pit.table.rails["P1"] + sum(wager.amount for wager in wagers)
        theirs = (self.player.bankroll + sum(bet.amount for bet in self.player.bets)) * 100
        assert abs(theirs - ours - float(self.breakage)) < 0.01, (
            when,
            ours,
            theirs,
            self.breakage,
            [*wagers],
        )
        assert self.simulator.point.number == self.pit.table.puck, when
        assert len(self.player.bets) == len(self.pit.table.wagers), when

    # ---------------------------------------- bets

    def bet(self) -> None:
        """A random wager; what our house refuses the other is not asked."""
        kind = self.chance.choice(self.game.kinds)
        theirs, said = self.odds() if kind == "odds" else self.wager(kind)
        if theirs is None or self.player.already_placed(theirs):
            return  # exception "one"
        if kind in BONUS and not theirs.is_allowed(self.player):
            return  # exception P-8
        wager = f"w{self.pit.table.version}"
        if isinstance(self.pit.say("bet", player="P1", wager=wager, kind=kind, **said), Refusal):
            return
        self.take(wager, theirs)

    def take(self, wager: str, theirs: Any) -> None:
        """crapssim takes the bet; its own copy is the one that lies there."""
        before = len(self.player.bets)
        self.player.add_bet(theirs)
        assert len(self.player.bets) == before + 1, (theirs, self.simulator.point)
        self.bets[wager] = self.player.bets[-1]
        marked = self.pit.table.wagers[wager].on
        if marked and hasattr(theirs, "always_working"):
            self.bets[wager].always_working = True

    def wager(self, kind: str) -> tuple[Any, dict[str, Any]]:
        unit = {"horn": 4, "world": 5, "lay": 12}.get(
            kind, 1
        )  # a lay of 12 has its commission in whole cents
        dollars = unit * self.chance.randint(1, 60)
        said: dict[str, Any] = {"amount": dollars * 100}
        if kind == "hop":
            combo = self.chance.choice(HOPS)
            return cs.Hop(combo, dollars), {**said, "combo": list(combo)}
        if kind not in NUMBERED:
            return PLAIN[kind](dollars), said
        number = self.chance.choice((4, 6, 8, 10) if kind == "hard" else self.game.numbers)
        if kind == "put_pass":
            number = self.pit.table.puck or number
        if kind == "put_come" and self.pit.table.puck is None:
            return None, said  # exception I-2
        if kind == "place":
            said["stays"] = self.chance.random() < 0.5
        return NUMBERED[kind](number, dollars), said if kind == "put_pass" else {**said, "number": number}

    def odds(self) -> tuple[Any, dict[str, Any]]:
        lines = [w for w in self.pit.table.in_order() if w.kind in BASES and self.pit.table.point_of(w)]
        if not lines:
            return None, {}
        base = self.chance.choice(lines)
        dollars = self.chance.randint(1, 10) * base.amount // 100
        number = self.pit.table.point_of(base) or 0
        return cs.Odds(BASES[base.kind], number, dollars), {"amount": dollars * 100, "on": base.wager}

    # ---------------------------------------- changes and markers

    def change(self, wager: Wager) -> None:
        """Take down, press or reduce, where our house lets it."""
        do = self.chance.choice(("take_down", "press", "reduce"))
        step = 1200 if wager.kind in ("lay", "horn", "world") else CHIP * self.chance.randint(1, 9)
        to = wager.amount + (step if do == "press" else -step)
        behind = [odds.wager for odds in self.pit.table.odds_on(wager.wager)]
        size: dict[str, Any] = {} if do == "take_down" else {"to": to}
        answer = self.pit.say(do, wager=wager.wager, **size)
        if isinstance(answer, Refusal):
            return
        self.resize(wager.wager, 0 if do == "take_down" else to)
        for odds in behind if do == "take_down" else ():  # exception B06
            self.resize(odds, 0)

    def resize(self, name: str, to: int) -> None:
        """The same at crapssim: removed, and made again in its new size (exception I-7)."""
        old = self.bets.pop(name)
        self.player.remove_bet(old)
        assert old not in self.player.bets, old
        if to:
            new = old.copy()
            new.amount = to / 100
            if isinstance(new, cs.Come | cs.DontCome):
                new.number = old.number
            self.player.bankroll -= new.cost(self.simulator)
            self.player.bets.append(new)
            self.bets[name] = new

    def mark(self, wager: Wager) -> None:
        """The On marker put on, or taken off, at both tables (exception G-6)."""
        answer = self.pit.say("call", wager=wager.wager, on=self.chance.random() < 0.8)
        if not isinstance(answer, Refusal):
            self.markers()

    def markers(self) -> None:
        for name, bet in self.bets.items():
            wager = self.pit.table.wagers[name]
            if wager.kind in ("place", "buy") or wager.family == "come_odds":
                bet.always_working = wager.on or None

    # ---------------------------------------- the roll

    def roll(self, dice: tuple[int, int]) -> None:
        asleep = [
            self.bets[w.wager]
            for w in self.pit.table.in_order()
            if w.kind == "hard" and self.pit.table.sleeps(w)
        ]
        for bet in asleep:  # exception B09
            self.player.bets.remove(bet)
        events = self.pit.must("roll", dice=list(dice))
        TableUpdate().run(self.simulator, dice_outcome=dice)
        self.player.bets += asleep
        again = {placed.after: placed.wager for placed in only(events, e.WagerPlaced)}
        for settled in only(events, e.WagerSettled):
            self.breakage += Fraction(settled.breakage)
            self.decided[settled.kind] = self.decided.get(settled.kind, 0) + 1
            bet = self.bets.pop(settled.wager)
            if settled.kind == "place" and settled.outcome == "won":
                if settled.wager in again:
                    self.bets[again[settled.wager]] = bet
                else:
                    self.player.bankroll += bet.amount  # exception G-4
                    self.player.bets.remove(bet)
        self.markers()


@pytest.mark.parametrize(
    "game", [CLASSIC, CRAPLESS, ON_WIN], ids=["classic", "crapless", "commission on a win"]
)
def test_an_evening_agrees_with_crapssim_to_the_cent(game: Game) -> None:
    match = Match(game, seed=1)
    match.play(NIGHT)
    assert set(match.decided) >= set(game.kinds) - {"all_or_nothing"}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(34))
@pytest.mark.parametrize(
    "game", [CLASSIC, CRAPLESS, ON_WIN], ids=["classic", "crapless", "commission on a win"]
)
def test_a_hundred_thousand_rolls_agree_with_crapssim_to_the_cent(game: Game, seed: int) -> None:
    Match(game, seed=100 + seed).play(NIGHT)


def at_the_simulator(*dice: tuple[int, int]) -> tuple[SimulatorTable, Any]:
    """crapssim's own table and player after some rolls."""
    table = SimulatorTable(rules=ClassicRules())
    player = table.add_player(1000, NullStrategy())
    for throw in dice:
        TableUpdate().run(table, dice_outcome=throw)
    return table, player


def orphan_odds() -> bool:
    table, player = at_the_simulator((2, 2))
    player.add_bet(cs.DontCome(10))
    TableUpdate().run(table, dice_outcome=(4, 5))
    player.add_bet(cs.Odds(cs.DontCome, 9, 30))
    player.remove_bet(cs.DontCome(10, number=9))
    return [type(bet) for bet in player.bets] == [cs.Odds]


def dont_come_straight_behind_its_number() -> bool:
    _, player = at_the_simulator((2, 2))
    player.add_bet(cs.DontCome(10, number=6))
    return bool(player.bets)


def hardway_lost_on_a_come_out() -> bool:
    table, player = at_the_simulator()
    player.add_bet(cs.HardWay(6, 5))
    TableUpdate().run(table, dice_outcome=(3, 4))
    return not player.bets


def won_place_bet_stays_up() -> bool:
    table, player = at_the_simulator((2, 2))
    player.add_bet(cs.Place(6, 6))
    TableUpdate().run(table, dice_outcome=(3, 3))
    return bool(player.bets) and bool(player.bankroll == 1001)


def no_put_on_a_come_out() -> bool:
    _, player = at_the_simulator()
    player.add_bet(cs.Put(5, 10))
    return not player.bets


def lay_asleep_on_a_come_out() -> bool:
    table, player = at_the_simulator()
    player.add_bet(cs.Lay(4, 40))
    TableUpdate().run(table, dice_outcome=(3, 4))
    return bool(player.bets)


def no_bonus_wager_after_a_made_point() -> bool:
    _, player = at_the_simulator((2, 2), (2, 2))
    player.add_bet(cs.Small(5))
    return not player.bets


def two_bets_are_one() -> bool:
    _, player = at_the_simulator()
    player.add_bet(cs.Field(5))
    player.add_bet(cs.Field(10))
    return [bet.amount for bet in player.bets] == [15]


@pytest.mark.parametrize(
    ("exception", "shown"),
    [
        ("B06", orphan_odds),
        ("B08", dont_come_straight_behind_its_number),
        ("B09", hardway_lost_on_a_come_out),
        ("G-4", won_place_bet_stays_up),
        ("I-2", no_put_on_a_come_out),
        ("I-6", lay_asleep_on_a_come_out),
        ("P-8", no_bonus_wager_after_a_made_point),
        ("one", two_bets_are_one),
    ],
)
def test_crapssim_still_needs_the_exception(exception: str, shown: Callable[[], bool]) -> None:
    assert shown(), EXCEPTIONS[exception]
