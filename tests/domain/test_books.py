"""The books: what each event does with money."""

from collections import Counter
from operator import itemgetter
from typing import Any, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import events as e
from domain.books import EVENT_WIN, FLOWS, ROUTE, Account, Transfer, balance, event_win, into, money
from domain.commands import COMMAND
from domain.decide import decide
from domain.refusals import Refusal
from domain.table import Table
from tests.domain.any_event import ANY_EVENT
from tests.domain.test_nights import NIGHTS

Line = dict[str, Any]

ACCOUNTS: tuple[Account, ...] = get_args(Account)
CENTS = st.integers(0, 10**9)


@st.composite
def settlements(draw: st.DrawFn) -> e.WagerSettled:
    """A settlement as the decider makes it: net and credit follow from stake, winnings and commission."""
    outcome = draw(st.sampled_from(get_args(e.Outcome)))
    stake, held = draw(CENTS), draw(CENTS)
    paid = draw(CENTS) if outcome == "won" else 0
    commission = draw(st.integers(0, paid))
    net = -stake if outcome == "lost" else paid - commission
    return e.WagerSettled(
        roll=1,
        wager="w1",
        player="P7",
        kind="buy",
        stake=stake,
        outcome=outcome,
        odds="2 to 1",
        owed=str(paid),
        paid=paid,
        breakage="0",
        commission=commission,
        net=net,
        credit=stake + net,
        section="L88",
        commission_earned=0 if outcome == "returned" else held,
    )


def reversal(settled: e.WagerSettled) -> e.SettlementReversed:
    same = settled.model_dump(include=set(e.SettlementReversed.model_fields))
    return e.SettlementReversed(of=1, **same)


@pytest.mark.parametrize("event", e.BY_NAME.values(), ids=lambda event: event.name)
def test_the_books_have_an_opinion_of_every_event(event: type[e.Happened]) -> None:
    assert isinstance(money(_any(event)), tuple)


def _any(event: type[e.Happened]) -> e.Happened:
    plain: Any = {"outcome": "won", "tender": "cash", "player": "P7"}
    return event.model_construct(None, **{name: plain.get(name, 1) for name in event.model_fields})


@given(ANY_EVENT)
def test_what_leaves_one_account_arrives_at_another(event: e.Happened) -> None:
    moved = money(event)
    assert sum(balance(account, moved) for account in ACCOUNTS) == 0


@given(settlements())
def test_a_decision_changes_the_players_wealth_by_its_net_and_the_rail_by_its_credit(
    settled: e.WagerSettled,
) -> None:
    moved = money(settled)
    assert balance("rail", moved) + balance("layout", moved) == settled.net
    assert balance("rail", moved) == settled.credit
    assert balance("layout", moved) == -settled.stake


@given(settlements())
def test_what_a_player_loses_the_house_wins(settled: e.WagerSettled) -> None:
    assert event_win(money(settled)) == settled.commission_earned - settled.net


@given(settlements())
def test_a_reversed_settlement_takes_back_all_that_it_moved(settled: e.WagerSettled) -> None:
    both = money(settled) + money(reversal(settled))
    assert all(balance(account, both) == 0 for account in ACCOUNTS)
    assert event_win(both) == 0


def test_commission_collected_is_held_until_its_wager_is_decided() -> None:
    collected = money(
        e.CommissionCollected(wager="w1", player="P7", amount=100, rate="1/20", basis="wager", section="L148")
    )
    assert (balance("held", collected), balance("rail", collected), event_win(collected)) == (100, -100, 0)
    refunded = money(e.CommissionRefunded(wager="w1", player="P7", amount=100, section="L150"))
    assert balance("held", collected + refunded) == 0


@pytest.mark.parametrize(("tender", "drop"), [("cash", 500), ("marker", 500), ("coupon", 500), ("chips", 0)])
def test_every_tender_but_chips_makes_drop_and_empties_the_rack(tender: e.Tender, drop: int) -> None:
    moved = money(e.BuyInAccepted(player="P7", amount=500, tender=tender))
    assert (balance("rail", moved), balance("box", moved), balance("rack", moved)) == (500, drop, -drop)


def test_a_marker_redeemed_in_cash_leaves_the_drop_as_it_is_and_in_chips_lowers_it() -> None:
    in_cash = money(e.MarkerRedeemed(player="P7", amount=500, tender="cash"))
    in_chips = money(e.MarkerRedeemed(player="P7", amount=500, tender="chips"))
    assert (balance("box", in_cash), balance("rack", in_cash)) == (0, 0)
    assert (balance("box", in_chips), balance("rack", in_chips), balance("rail", in_chips)) == (
        -500,
        500,
        -500,
    )


def test_a_wager_pressed_and_reduced_moves_the_difference() -> None:
    pressed = money(e.WagerPressed(wager="w1", player="P7", was=600, to=1200))
    reduced = money(e.WagerReduced(wager="w1", player="P7", was=1200, to=600))
    assert pressed == (Transfer("staked", "P7", 600),)
    assert balance("rail", pressed + reduced) == 0


def test_every_flow_has_two_ends_and_event_win_counts_what_enters_the_rack_from_play() -> None:
    assert set(FLOWS) == set(ROUTE)
    assert all(source != target for source, target in ROUTE.values())
    for flow, sign in EVENT_WIN.items():
        assert into("rack", flow) + into("box", flow) + into("cage", flow) == sign, flow


NIGHT: list[Line] = [orjson.loads(line) for line in NIGHTS["ia-night"].read_bytes().splitlines()[:200]]
PLAYERS = st.sampled_from(sorted({line["player"] for line in NIGHT if "player" in line}))
WAGERS = st.sampled_from(sorted({line["wager"] for line in NIGHT if "wager" in line}))
SOME_CENTS = st.integers(-5, 3_000).map(lambda dollars: dollars * 100)
ROLLS = st.integers(1, 12)
DICE = st.lists(st.integers(1, 6), min_size=2, max_size=2)
S1 = st.just({"badge": "S-1", "role": "shift_manager"})


def command(do: str, **fields: Any) -> st.SearchStrategy[Line]:
    """A command that does `do`; a field is a value or a strategy for one."""
    drawn = {name: x if isinstance(x, st.SearchStrategy) else st.just(x) for name, x in fields.items()}
    return st.fixed_dictionaries({"do": st.just(do), **drawn})


ANYTHING = st.one_of(
    command("buy_in", player=PLAYERS, amount=SOME_CENTS, tender=st.sampled_from(get_args(e.Tender))),
    command("redeem_marker", player=PLAYERS, amount=SOME_CENTS, tender=st.sampled_from(["chips", "cash"])),
    command("walk", player=PLAYERS),
    command("walk", player=PLAYERS, amount=SOME_CENTS),
    command("take_down", wager=WAGERS),
    command("press", wager=WAGERS, to=SOME_CENTS),
    command("reduce", wager=WAGERS, to=SOME_CENTS),
    command("pay", wager=WAGERS, paid=SOME_CENTS.map(abs)),
    command("adjust", player=PLAYERS, amount=SOME_CENTS, reason="ruling", approved_by="X-9"),
    command("deny_play", player=PLAYERS, reason="abuse", by=S1),
    command("overrule", roll=ROLLS, dice=DICE, reason="camera", by=S1),
    command("overrule", roll=ROLLS, void=True, reason="camera", by=S1),
    command("roll", dice=DICE),
    command("no_roll", reason="cocked"),
    command("fill", slip="F1", amount=50_000),
    command("credit", slip="C1", amount=20_000),
    command("close", closer=10_000_000),
)
"""What may befall a night between its own commands: money, corrections and nonsense, legal or not."""


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(13, len(NIGHT)), ANYTHING), max_size=30))
def test_at_every_event_the_books_are_the_table_and_no_chip_is_lost(befell: list[tuple[int, Line]]) -> None:
    log = list(NIGHT)
    for number, (at, what) in enumerate(sorted(befell, key=itemgetter(0), reverse=True)):
        said = {name: NIGHT[1][name] for name in ("at", "by", "table")}
        log.insert(at, {**said, "id": f"also:{number}", **what})
    table, books = Table(), Books()
    for line in log:
        for event in _decided(line, table):
            table.apply(event)
            books.post(event)
            books.check_against(table)
        assert books.on["held", None] == sum(wager.commission for wager in table.wagers.values())


def _decided(line: Line, table: Table) -> list[e.Happened]:
    try:
        return decide(COMMAND.validate_json(orjson.dumps(line)), table)
    except Refusal:
        return []


class Books:
    """Every account, by player where it is a rail or the layout; and what the house has won."""

    def __init__(self) -> None:
        self.on: Counter[tuple[Account, str | None]] = Counter()
        self.bought = self.won = 0

    def post(self, event: e.Happened) -> None:
        moved = money(event)
        self.won += event_win(moved)
        for flow, player, amount in moved:
            source, target = ROUTE[flow]
            self.on[source, player if source in ("rail", "layout") else None] -= amount
            self.on[target, player if target in ("rail", "layout") else None] += amount
            if flow in ("chips_bought", "chips_carried_in"):
                self.bought += amount
            elif flow in ("chips_carried_out", "chips_redeemed"):
                self.bought -= amount

    def check_against(self, table: Table) -> None:
        layout: Counter[str] = Counter()
        for wager in table.wagers.values():
            layout[wager.player] += wager.amount
        for player, rail in table.rails.items():
            assert (self.on["rail", player], self.on["layout", player]) == (rail, layout[player]), player
        with_players = sum(table.rails.values()) + sum(layout.values())
        assert self.bought == with_players + self.won + self.on["held", None]
