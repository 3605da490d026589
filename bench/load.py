"""How long it takes to know a table again: by a process that knows nothing yet, and by one that is at it.

Cold is from a command's arrival at a fresh casino to its durable answer, with the snapshot that whoever was
here before left; warm is the command after it.
"""

from collections.abc import Iterator
from itertools import count
from statistics import median
from time import perf_counter

import orjson
import psycopg

from bench import ledgers
from bench.lines import Line
from cli.ingest import BATCH
from domain.commands import COMMAND
from ledger.casino import Casino, Submitted

SIZES = (1_000, 10_000, 40_000)
ROUNDS = 7
_numbers = count(1)


def run(url: str) -> list[Line]:
    """Milliseconds; the yardstick is the same without a snapshot, every event folded."""
    with ledgers.fresh(url) as ledger:
        return [line for size in SIZES for line in _lines(ledger, size)]


def _lines(ledger: str, size: int) -> list[Line]:
    events = play_until(ledger, size)
    times = [(_forgotten(ledger), *_cold_and_warm(ledger)) for _ in range(ROUNDS)]
    without, cold, warm = map(median, zip(*times, strict=True))
    name = f"load a table at {events:,} events"
    return [
        Line(f"{name}: cold", cold, "ms", without, "without its snapshot"),
        Line(f"{name}: warm", warm, "ms", note="the next command"),
    ]


def play_until(ledger: str, size: int) -> int:
    """Play nights at one table and gaming day until so many events are stored; answers how many."""
    with Casino.open(ledger) as casino, psycopg.connect(ledger, autocommit=True) as conn:
        lines = _one_long_day()
        while (stored := _events(conn)) < size:
            least = min(BATCH, max(1, (size - stored) // 4))
            casino.handle([_submitted(line) for line, _ in zip(lines, range(least), strict=False)])
    return stored


def _events(conn: psycopg.Connection) -> int:
    row = conn.execute("SELECT coalesce(max(version), 0) FROM pitledger.events").fetchone()
    assert row is not None
    return int(row[0])


def _one_long_day() -> Iterator[dict[str, object]]:
    """The night's commands over and over, every one new: a table that never closes."""
    for again in _numbers:
        for line in ledgers.night():
            yield {name: _anew(name, value, again) for name, value in line.items()}


def _anew(name: str, value: object, again: int) -> object:
    return f"{value}.{again}" if name in ("id", "wager", "on") and isinstance(value, str) else value


def _submitted(line: dict[str, object]) -> Submitted:
    text = orjson.dumps(line, option=orjson.OPT_SORT_KEYS)
    return Submitted(COMMAND.validate_json(text), text)


def _forgotten(ledger: str) -> float:
    """Cold, and nothing kept but the events."""
    with psycopg.connect(ledger) as conn:
        conn.execute("TRUNCATE pitledger.snapshots")
    return _cold_and_warm(ledger)[0]


def _cold_and_warm(ledger: str) -> tuple[float, float]:
    with Casino.open(ledger) as casino:
        return _answered(casino), _answered(casino)


def _answered(casino: Casino) -> float:
    """Milliseconds from a command to its answer."""
    line = {**next(ledgers.night()), "id": f"probe.{next(_numbers)}", "do": "dice_out"}
    command = _submitted({name: line[name] for name in ("id", "at", "by", "table", "do")})
    begun = perf_counter()
    casino.handle([command])
    return (perf_counter() - begun) * 1_000
