"""Whatever is said to a table, in whatever order: no money appears or vanishes, and nothing is settled twice.

Seeded random commands, legal and not, by every role, over every pack; an independent tally of the events.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from domain import events as e
from domain.events import Happened
from domain.refusals import Refusal
from domain.table import Table
from tests.domain.pit import INDIANA, IOWA, PARTY, PENNSYLVANIA, Pit, decided
from tests.domain.test_every_throw import ROWS

COMMANDS = 400  # a sequence
SEEDS = range(6)
PLAYERS = ("P1", "P2", "P3")
ROLES = ("dealer", "stickman", "boxman", "floor", "pit_manager", "shift_manager", "cage", "count", "device")
KINDS = (
    "pass dont_pass come dont_come put_pass put_come odds place buy lay hard field any_seven any_craps "
    "craps_2 craps_3 craps_12 eleven horn horn_high world high_low c_and_e big_6 big_8 hop all_small "
    "all_tall all_or_nothing fire"
).split()
NO_ROLL = (
    "off_table not_together short on_bank in_bowl on_rail stacked cocked slid spun hit_chips other".split()
)
LISTED = {(row.house, row.kind.partition("/")[0]) for row in ROWS}
TERMS: dict[str, list[dict[str, Any]]] = {
    IOWA: [{}, {"payout_unit": 100, "odds_max": 5000}, {"odds_multiple": 2, "waive_line_bet": False}],
    PENNSYLVANIA: [
        {"odds_multiple": 1},
        {"vig": {"rate": "1/20", "on_win": [4, 10]}, "payout_unit": 500},
        {"vig": {"rate": "1/30"}},
    ],
    INDIANA: [{"paytable": "reference"}, {"paytable": "reference", "off_on_come_out": ["place", "lay"]}],
    PARTY: [{}, {"notation": "for", "payout_unit": 25}],
}


@dataclass
class Tally:
    """What the events say of the money, counted without the table."""

    bought: int = 0
    left: int = 0
    win: int = 0
    rails: dict[str, int] = field(default_factory=dict)
    layout: dict[str, int] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)
    decided: set[str] = field(default_factory=set)

    def count(self, event: Happened) -> None:
        """One event. Fails where it cannot have happened after the events before it."""
        match event:
            case e.BuyInAccepted(player=player, amount=amount):
                self.bought += amount
                self.to_rail(player, amount)
            case (
                e.PlayerWalked(player=player, amount=amount)
                | e.MarkerRedeemed(player=player, amount=amount, tender="chips")
            ):
                self.left += amount
                self.to_rail(player, -amount)
            case (
                e.AdjustmentMade(player=player, amount=amount)
                | e.MispayFound(player=player, difference=amount)
            ):
                self.win -= amount
                self.to_rail(player, amount)
            case e.CommissionCollected(player=player, wager=wager, amount=amount):
                self.commission(player, wager, amount)
            case e.CommissionRefunded(player=player, wager=wager, amount=amount):
                self.commission(player, wager, -amount)
            case e.WagerSettled() | e.SettlementReversed():
                self.settlement(event)
            case _:
                self.stake(event)

    def to_rail(self, player: str, amount: int) -> None:
        self.rails[player] = self.rails.get(player, 0) + amount

    def commission(self, player: str, wager: str, amount: int) -> None:
        self.win += amount
        self.to_rail(player, -amount)
        self.held[wager] = self.held.get(wager, 0) + amount
        assert amount
        assert self.held[wager] >= 0, wager

    def stake(self, event: Happened) -> None:
        match event:
            case e.WagerPlaced(player=player, wager=wager, amount=to):
                was = 0
            case (
                e.WagerPressed(player=player, wager=wager, was=was, to=to)
                | e.WagerReduced(player=player, wager=wager, was=was, to=to)
            ):
                assert (was < to) == isinstance(event, e.WagerPressed)
                assert to > 0
            case e.WagerTakenDown(player=player, wager=wager, amount=was):
                to = 0
            case e.WagerRestored(player=player, wager=wager, was=was, amount=to):
                assert to > 0
            case _:
                return
        assert self.layout.pop(wager, 0) == was, event
        if to:
            self.layout[wager] = to
        self.to_rail(player, was - to)

    def settlement(self, event: e.WagerSettled | e.SettlementReversed) -> None:
        won = event.paid - event.commission
        net, credit = {
            "won": (won, event.stake + won),
            "lost": (-event.stake, 0),
            "pushed": (0, event.stake),
            "returned": (0, event.stake),
        }[event.outcome]
        assert (event.net, event.credit) == (net, credit), event
        if isinstance(event, e.WagerSettled):
            assert event.wager not in self.decided, "decided twice"
            self.decided.add(event.wager)
            assert self.layout.pop(event.wager) == event.stake
            assert self.held.pop(event.wager, 0) == event.commission_earned
            self.win -= net
            self.to_rail(event.player, credit)
        else:
            self.decided.remove(event.wager)
            assert event.wager not in self.layout
            self.layout[event.wager] = event.stake
            self.held[event.wager] = event.commission_earned
            self.win += net
            self.to_rail(event.player, -credit)

    def balances(self) -> None:
        """The identity of the house, at every event."""
        on_table = sum(self.rails.values()) + sum(self.layout.values())
        assert self.bought - self.left == on_table + self.win
        assert sum(self.held.values()) >= 0


# ---------------------------------------- what is said


def anything(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    """A command that somebody might give now: what, in which role, with what said."""
    say = chance.choices(
        (bet, roll, change, call, overrule, chips, dice, ruling, pay, close),
        (38, 22, 12, 6, 8, 5, 4, 2, 2, 1),
    )[0]
    do, role, said = say(chance, table)
    usual = role if chance.random() < 0.9 else chance.choice(ROLES)
    return do, usual, said


def amount(chance: Random) -> int:
    return chance.choice((500, 600, 1000, 1200, 2000, 2500, 6000, 10_000, 100, 50, 0, -500, 7_000_000))


def some_wager(chance: Random, table: Table) -> str:
    lies = [*table.wagers] if chance.random() < 0.9 else [*table.used, "nothing"]
    return chance.choice(lies or ["nothing"])


def bet(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    kind = chance.choice(KINDS)
    said: dict[str, Any] = {"player": chance.choice(PLAYERS), "kind": kind, "amount": amount(chance)}
    if kind in ("put_come", "place", "buy", "lay", "hard"):
        said["number"] = chance.choice((2, 3, 4, 5, 6, 6, 7, 8, 8, 9, 10, 11, 12))
    elif kind == "hop":
        said["combo"] = [chance.randint(1, 6), chance.randint(1, 6)]
    elif kind == "horn_high":
        said["high"] = chance.choice((2, 3, 7, 11, 12))
    elif kind == "odds":
        lines = [
            w for w in table.wagers.values() if table.point_of(w) and w.kind not in ("place", "buy", "lay")
        ]
        said["on"] = chance.choice(lines).wager if lines else "nothing"
        said["player"] = (
            table.wagers[said["on"]].player if lines and chance.random() < 0.9 else said["player"]
        )
    said["wager"] = f"w{table.version}" if chance.random() < 0.98 else some_wager(chance, table)
    said["stays"] = chance.random() < 0.3
    if chance.random() < 0.05:
        said["approval"] = "case_bet"
    return "bet", "dealer", said


def roll(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    throw = [chance.randint(1, 6), chance.randint(1, 6)]
    if chance.random() < 0.1:
        dice = {"dice": throw} if chance.random() < 0.7 else {}
        return "no_roll", "dealer", {"reason": chance.choice(NO_ROLL), **dice}
    return "roll", "stickman", {"dice": throw}


def change(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    wager = some_wager(chance, table)
    do = chance.choice(("press", "reduce", "take_down", "reduce", "press"))
    return do, "dealer", {"wager": wager} if do == "take_down" else {"wager": wager, "to": amount(chance)}


def call(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    scope = chance.choice(({}, {"scope": "similar"}, {"scope": "this"}))
    return "call", "dealer", {"wager": some_wager(chance, table), "on": chance.random() < 0.7, **scope}


def overrule(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    throw = [chance.randint(1, 6), chance.randint(1, 6)]
    ruling = chance.choice(
        ({"void": True}, {"stands": True}, {"dice": throw}, {"dice": throw}, {"dice": [3, 4]})
    )
    number = max(table.rolls - (chance.random() < 0.1) + (chance.random() < 0.05), 1)
    role = chance.choice(("boxman", "floor", "pit_manager", "shift_manager"))
    return "overrule", role, {"roll": number, "reason": "review", **ruling}


def chips(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    player = chance.choice(PLAYERS)
    tender = chance.choice(("cash", "marker", "front_money", "coupon", "chips"))
    return chance.choice(
        (
            ("buy_in", "dealer", {"player": player, "tender": tender, "amount": 50_000}),
            ("buy_in", "dealer", {"player": player, "tender": tender, "amount": amount(chance)}),
            ("walk", "dealer", {"player": player}),
            ("walk", "dealer", {"player": player, "amount": amount(chance)}),
            ("redeem_marker", "dealer", {"player": player, "amount": amount(chance), "tender": "chips"}),
            ("fill", "cage", {"slip": "F1", "amount": {"2500": 50_000}}),
            ("credit", "cage", {"slip": "C1", "amount": 2500}),
        )
    )


def dice(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    player = chance.choice(PLAYERS)
    return chance.choice(
        (
            ("dice_out", "dealer", {}),
            ("dice_out", "dealer", {}),
            ("shooter", "dealer", {"player": player}),
            ("pass_dice", "dealer", {}),
            ("order_pass", "boxman", {"player": player, "reason": "slow"}),
            ("die_off_table", "boxman", {"found": chance.random() < 0.5}),
            ("dice_set", "boxman", {"set": chance.choice("AB"), "action": "issue"}),
            ("dice_set", "boxman", {"set": chance.choice("AB"), "action": "remove"}),
        )
    )


def ruling(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    wager = {"wager": some_wager(chance, table)}
    unruly = chance.choice((*PLAYERS, "P4", "P5", "P6"))
    to = {"to": chance.choice((500, 1000, 5000))}
    return chance.choice(
        (
            ("allow", "pit_manager", {"what": "removal", "reason": "last player", **wager}),
            ("allow", "shift_manager", {"what": "replacement", "reason": "misplaced", **wager, **to}),
            ("allow", "pit_manager", {"what": "no_line_bet"}),
            ("deny_play", "floor", {"player": unruly, "reason": "abuse"}),
        )
    )


def pay(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    if chance.random() < 0.5:
        said = {"player": chance.choice(PLAYERS), "amount": amount(chance), "reason": "short"}
        return "adjust", "floor", {**said, "approved_by": chance.choice(("PM-1", "B-1"))}
    decided = chance.choice([*table.decided, "nothing"])
    return "pay", "dealer", {"wager": decided, "paid": chance.choice((0, 500, 700, 1400, 9000))}


def close(chance: Random, table: Table) -> tuple[str, str, dict[str, Any]]:
    if chance.random() < 0.5:
        return "count_drop", "count", {"box": "17", "cash": 5}
    return "close", "boxman", {"closer": 0}


# ---------------------------------------- and what must hold


def houses() -> Iterator[tuple[str, dict[str, Any], int]]:
    for rules, choices in TERMS.items():
        for terms in choices:
            yield from ((rules, terms, seed) for seed in SEEDS)


@pytest.mark.parametrize(("rules", "terms", "seed"), list(houses()))
def test_no_sequence_of_commands_makes_money_appear_or_vanish(
    rules: str, terms: dict[str, Any], seed: int
) -> None:
    chance = Random(f"{rules} {terms} {seed}")
    pit = Pit(rules=rules, terms=terms, players=())
    for player in PLAYERS:
        pit.must("buy_in", player=player, amount=chance.choice((3000, 200_000)), tender="cash")
    tally = Tally()
    for event in pit.events:
        tally.count(event)
    accepted, before_call = 0, pit.fork()
    for _ in range(COMMANDS):
        if not pit.table.is_open:
            reopen(pit)
        before = pit.fork()
        answer = step(pit, tally, chance)
        accepted += bool(answer)
        if any(isinstance(event, e.RollCalled | e.NoRollCalled) for event in answer):
            before_call = before
        settled_as_if_called_right_at_once(answer, before_call)
    assert accepted > COMMANDS / 8
    again = Table()
    for event in pit.events:
        again.apply(event)
    assert vars(again) == vars(pit.table)


def reopen(pit: Pit) -> None:
    opened = next(event for event in pit.events if isinstance(event, e.TableOpened))
    usual = {"min": 500, "max": 500_000, "chip": 100, "payout_unit": 1, "opener": 0, **pit.terms}
    assert opened.gaming_day.isoformat() == "2026-11-28"
    pit.must("open", "boxman", gaming_day="2026-11-28", rules=pit.rules, **usual)


def step(pit: Pit, tally: Tally, chance: Random) -> list[Happened]:
    """One command, and everything that must be true of what came of it."""
    do, role, said = anything(chance, pit.table)
    before = pit.table.then([])
    answer = pit.fork().say(do, role, **said)
    assert vars(pit.table) == vars(before), ("decide changed the table", do, said)
    if isinstance(answer, Refusal):
        return []
    assert answer
    in_debt = {player for player, rail in tally.rails.items() if rail < 0}
    for event in answer:
        pit.table.apply(event)
        pit.events.append(event)
        tally.count(event)
        tally.balances()
        agrees(pit.table, tally, event)
        if isinstance(event, e.WagerPlaced):
            assert (pit.rules, event.kind) in LISTED, event
    whole(pit.table, tally, (do, said))
    new_debt = {player for player, rail in tally.rails.items() if rail < 0} - in_debt
    assert not new_debt or do == "overrule", (do, said, new_debt)
    if do == "roll":
        put_right_comes_back(pit, said["dice"])
    return answer


def settled_as_if_called_right_at_once(answer: list[Happened], before_call: Pit) -> None:
    """Whatever was done between a wrong call and its overrule, the roll decides what it found there."""
    for ruling in answer:
        if isinstance(ruling, e.RollOverruled) and ruling.dice is not None:
            at_once = before_call.fork().say("roll", dice=list(ruling.dice))
            if not isinstance(at_once, Refusal):
                assert decided(answer) == decided(at_once)
                assert commission_earned(answer) == commission_earned(at_once)


def commission_earned(events: list[Happened]) -> dict[str, int]:
    return {event.wager: event.commission_earned for event in events if isinstance(event, e.WagerSettled)}


def agrees(table: Table, tally: Tally, event: Happened) -> None:
    assert table.rails == tally.rails, event
    assert {w.wager: w.amount for w in table.wagers.values()} == tally.layout, event


def whole(table: Table, tally: Tally, said: Any) -> None:
    """After a command: commission is held for what lies on the layout only, and odds have their bases."""
    held = {wager: held for wager, held in tally.held.items() if held}
    assert {w.wager: w.commission for w in table.wagers.values() if w.commission} == held, said
    for wager in table.wagers.values():
        assert wager.base is None or wager.base in table.wagers, ("orphan odds", said, wager)


def put_right_comes_back(pit: Pit, dice: list[int]) -> None:
    """The same dice ruled again, or other dice and then the same again: money and layout as they were."""
    caller = pit.table.last_call.role if pit.table.last_call else ""
    if caller in ("pit_manager", "shift_manager"):
        return
    again = pit.fork()
    again.overrule("pit_manager", dice=dice)
    assert as_it_lies(again.table) == as_it_lies(pit.table)
    there = pit.fork()
    there.overrule("pit_manager", dice=[3, 4] if sum(dice) != 7 else [2, 2])
    there.overrule("shift_manager", dice=dice)
    assert as_it_lies(there.table) == as_it_lies(pit.table)


def as_it_lies(table: Table) -> Any:
    wagers = {w.wager: (w.amount, w.number, w.on, w.commission, w.base) for w in table.wagers.values()}
    return table.rails, wagers, table.puck, table.shooter, table.totals
