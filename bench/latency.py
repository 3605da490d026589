"""How long one roll that settles a hundred wagers keeps its table waiting, beside a plain insert of its rows.

Ours is the whole of it: the command looked up, the roll decided, a hundred and more events sealed, stored and
committed durably. The yardstick inserts as many finished rows by one plain statement.
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from statistics import quantiles
from time import perf_counter

import orjson
import psycopg

from bench import ledgers
from bench.append import CREATE, rows, unnest
from bench.lines import Line
from domain.commands import COMMAND
from ledger.casino import Casino, Submitted

ROLLS = 200
WAGERS = 100
PLAYERS = 20
_numbers = count(1)


def run(url: str) -> list[Line]:
    """Milliseconds of the middle roll and of the slowest in a hundred."""
    with (
        ledgers.fresh(url) as ledger,
        Casino.open(ledger) as casino,
        psycopg.connect(ledger, autocommit=True) as conn,
    ):
        casino.handle(_opening())
        conn.execute(CREATE.format(table="plain"))
        finished = iter([together for _ in range(ROLLS) for together in rows(WAGERS)[:1]])
        ours, plain = [], []
        for _ in range(ROLLS):
            casino.handle([_bet(player % PLAYERS) for player in range(WAGERS)])
            roll, together = [_said(do="roll", dice=[3, 3])], next(finished)
            ours.append(_milliseconds(partial(casino.handle, roll)))
            plain.append(_milliseconds(partial(unnest, conn, "plain", together)))
    name = f"one roll settles {WAGERS} wagers"
    return [
        Line(f"{name}: p{rank}", _percentile(ours, rank), "ms", _percentile(plain, rank), "plain unnest")
        for rank in (50, 99)
    ]


def _percentile(times: list[float], rank: int) -> float:
    return quantiles(times, n=100)[rank - 1]


def _milliseconds(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return (perf_counter() - begun) * 1_000


def _opening() -> list[Submitted]:
    terms = {"rules": "ia-prairie-meadows", "min": 500, "max": 500_000, "chip": 100, "payout_unit": 100}
    opened = _said(do="open", gaming_day="2026-11-28", opener=10**9, **terms)
    players = [
        _said(do="buy_in", player=f"P{player}", amount=10**9, tender="cash") for player in range(PLAYERS)
    ]
    return [opened, *players, _said(do="shooter", player="P0")]


def _bet(player: int) -> Submitted:
    """A field wager: whatever the dice show decides it."""
    return _said(do="bet", wager=f"w{next(_numbers)}", player=f"P{player}", kind="field", amount=500)


def _said(**fields: object) -> Submitted:
    by = {"badge": "D-142", "role": "stickman"}
    line = {
        "id": f"c{next(_numbers)}",
        "at": "2026-11-28T20:00:00-06:00",
        "by": by,
        "table": "CR01",
        **fields,
    }
    text = orjson.dumps(line, option=orjson.OPT_SORT_KEYS)
    return Submitted(COMMAND.validate_json(text), text)
