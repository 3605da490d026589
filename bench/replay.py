"""What a question about a past roll or wager costs, and how that grows with the ledger."""

from collections.abc import Callable, Iterator
from datetime import date
from statistics import median
from time import perf_counter

import psycopg

from bench.ledgers import TABLE, fresh, grow
from bench.lines import Line
from bench.load import play_until
from ledger.database import connect
from projections import history, replay, wagers, whatif
from projections.follow import follow

LONG_DAY = 40_000  # events at one table
TWO_NIGHTS = 20_000  # events: the least in which the other parties have played
ROUNDS = 7
ROLL = 120  # the middle of a night of 240 rolls
PLAYER = "R1.Hal"  # of a party that played one night in five
Conn = psycopg.Connection
_LAST_NIGHT = (
    "SELECT gaming_day FROM pitledger.tables WHERE table_name = 'T1' ORDER BY gaming_day DESC LIMIT 1"
)


def run(url: str, events: int) -> list[Line]:
    """Ask the same questions of a ledger of a tenth of so many events, and of all."""
    smallest: dict[str, float] = {}
    lines = []
    with fresh(url) as ledger:
        few = grow(ledger, max(TWO_NIGHTS, events // 10))
        for size in (few, events):
            events = grow(ledger, size)
            with connect(ledger) as conn:
                follow(conn)
                for name, ask, note in questions(conn):
                    took = milliseconds(ask)
                    first = smallest.setdefault(name, took)
                    lines.append(
                        Line(f"{name}, {events:,} events", took, "ms", first, f"at {few:,} events", note)
                    )
    with fresh(url) as ledger:
        lines += long_day(ledger)
    return sorted(lines, key=lambda line: line.name.partition(",")[0])


def long_day(ledger: str) -> Iterator[Line]:
    """The last roll of a day longer than any table has, from the snapshots of it and from its beginning."""
    events = play_until(ledger, LONG_DAY)
    with connect(ledger) as conn:
        day = history.find_day(conn, TABLE)
        last = replay_of(conn, TABLE, day.gaming_day, day.rolls)
        from_snapshot = milliseconds(last)
        conn.execute("TRUNCATE pitledger.snapshots")
        conn.execute("SET default_transaction_read_only = on")  # so that it leaves none
        from_the_first = milliseconds(last)
    name = f"replay of the last roll of a day of {events:,} events"
    yield Line(name, from_snapshot, "ms", from_the_first, "without snapshots")


def replay_of(conn: Conn, table: str, gaming_day: date, roll: int) -> Callable[[], object]:
    """Asks for one roll as `pitledger replay` does, from nothing."""

    def ask() -> object:
        day = history.find_day(conn, table, gaming_day)
        return replay.roll(history.read_around(conn, day, roll, roll), roll)

    return ask


def questions(conn: Conn) -> Iterator[tuple[str, Callable[[], object], str]]:
    """What is asked, how, and of how much."""
    row = conn.execute(_LAST_NIGHT).fetchone()
    assert row is not None
    night, hal = row[0], wagers.filtered(player=PLAYER)
    hard_six = wagers.filtered(player=PLAYER, kind="hard", number=6)
    day = history.read(conn, "T1", night)
    yield (
        "replay of one roll",
        replay_of(conn, "T1", night, ROLL),
        f"of the last night, {len(day.told):,} events and no snapshot: read, folded, told",
    )
    yield (
        "what-if to the end of the night",
        lambda: whatif.answer(history.read(conn, "CR08"), ROLL, whatif.Question(no_roll=True)),
        f"{day.rolls - ROLL} rolls decided again",
    )
    yield (
        "last 20 wagers of a player",
        lambda: list(wagers.rows(conn, hal, last=20)),
        f"of {wagers.count(conn, hal):,}, each with its whole life",
    )
    yield (
        "which roll killed my hard six",
        lambda: list(wagers.rows(conn, hard_six, last=1)),
        f"the last of {wagers.count(conn, hard_six):,}",
    )


def milliseconds(ask: Callable[[], object]) -> float:
    """The median of several times, after one that does not count."""
    ask()
    return median(_once(ask) for _ in range(ROUNDS))


def _once(ask: Callable[[], object]) -> float:
    begun = perf_counter()
    ask()
    return 1000 * (perf_counter() - begun)
