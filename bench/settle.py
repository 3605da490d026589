"""Deciding a roll, without a database: an evening's table, and one roll that decides ever more wagers."""

from collections.abc import Callable

from bench.lines import Line, alternating
from domain.commands import COMMAND, Command
from domain.decide import decide
from domain.events import Happened
from domain.table import Table
from ledger.cycles import no_search_for_cycles

ROUNDS = 5
PLAYERS = 12
LAYOUT = (  # what each of them has up, the point on six: kind, number
    ("pass", None),
    ("place", 5),
    ("place", 8),
    ("field", None),
    ("hard", 8),
)
GROWTH = (10, 100, 1_000, 10_000)
WORK = 10_000  # wagers decided in a round, however many there are on a roll
RAIL = 10**9


def run(url: str) -> list[Line]:
    """Rolls a second; the yardstick of growth is what as many wagers would cost at the size before."""
    with no_search_for_cycles():  # as a casino decides
        return [*_usual(), *_growth()]


def _usual() -> list[Line]:
    usual = _evening()
    dice = [_said(do="roll", dice=[left, right]) for left in range(1, 7) for right in range(1, 7)]
    (rolls,) = alternating([lambda: sum(1 for roll in dice for _ in range(5) if decide(roll, usual))], ROUNDS)
    name = f"settle: {PLAYERS} players, {len(usual.wagers)} wagers"
    return [Line(name, rolls, "rolls/s", note="all 36 throws, point 6")]


def _growth() -> list[Line]:
    tables = [_laid(wagers) for wagers in GROWTH]
    rates = alternating([_settling(table) for table in tables], ROUNDS)
    lines = []
    for wagers, rate, before, fewer in zip(GROWTH[1:], rates[1:], rates, GROWTH, strict=False):
        beside = f"per wager at {fewer:,}"
        lines.append(Line(f"settle: {wagers:,} wagers on one roll", rate, "wagers/s", before, beside))
    return lines


def _settling(table: Table) -> Callable[[], int]:
    seven = _said(do="roll", dice=[3, 4])

    def work() -> int:
        decided = 0
        while decided < WORK:
            decided += sum(event.name == "WagerSettled" for event in decide(seven, table))
        return decided

    return work


def _evening() -> Table:
    """A table with the point on six and every player's wagers up."""
    table = _opened(PLAYERS)
    lines = [(player, kind, number) for player in range(PLAYERS) for kind, number in LAYOUT]
    for at, (player, kind, number) in enumerate(lines):
        if kind == "pass":
            _apply(table, _bet(at, player, kind, number))
    _apply(table, _said(do="roll", dice=[3, 3]))
    for at, (player, kind, number) in enumerate(lines):
        if kind != "pass":
            _apply(table, _bet(at, player, kind, number))
    return table


def _laid(wagers: int) -> Table:
    """An online table: so many wagers of a thousand players, all to be decided by a seven."""
    table = _opened(min(wagers, 1_000))
    _apply(table, _bet(wagers, 0, "pass", None))
    _apply(table, _said(do="roll", dice=[3, 3]))
    for at in range(wagers - 1):
        _apply(table, _bet(at, at % min(wagers, 1_000), "place", (4, 5, 8, 9, 10)[at % 5]))
    return table


def _opened(players: int) -> Table:
    table = Table()
    terms = {"rules": "ia-prairie-meadows", "min": 500, "max": 500_000, "chip": 100, "payout_unit": 100}
    _apply(table, _said(do="open", gaming_day="2026-11-28", opener=10**9, **terms))
    for player in range(players):
        _apply(table, _said(do="buy_in", player=f"P{player}", amount=RAIL, tender="cash"))
    _apply(table, _said(do="shooter", player="P0"))
    return table


def _bet(at: int, player: int, kind: str, number: int | None) -> Command:
    at_number = {} if number is None else {"number": number}
    return _said(do="bet", wager=f"w{at}", player=f"P{player}", kind=kind, amount=3_000, **at_number)


def _said(**fields: object) -> Command:
    by = {"badge": "D-142", "role": "stickman"}
    line = {"id": "c", "at": "2026-11-28T20:00:00-06:00", "by": by, "table": "CR01", **fields}
    command: Command = COMMAND.validate_python(line, strict=False)
    return command


def _apply(table: Table, command: Command) -> None:
    for event in decide(command, table):
        assert isinstance(event, Happened), event
        table.apply(event)
