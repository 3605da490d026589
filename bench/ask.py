"""What a question costs, and how little that grows with the ledger: asked of few events and of many.

The house has four tables and 72 players. One party played the first night and never came again, so what is
asked of one of its players has the same answer however long the history grows; `win` is asked of one day
and of all days, whose answer is a row a table and day.
"""

from collections.abc import Callable
from datetime import date
from statistics import median
from time import perf_counter

from psycopg import Connection

from bench import ledgers
from bench.ledgers import TABLE
from bench.lines import Line
from ledger.database import connect
from projections import audit, balances, layout, rolls, settlements, tables, win
from projections.follow import follow

FEW = 100_000
MANY = 500_000  # or more, where `--events` says so
ROUNDS = 9
DAY = date(2026, 11, 28)
PLAYER = "Hal"
ROLL = 200

Question = Callable[[Connection], object]
QUESTIONS: dict[str, Question] = {
    "balances": balances.rows,
    "balances of a player": lambda conn: balances.rows(conn, player=PLAYER),
    "win of a day": lambda conn: win.rows(conn, day=DAY),
    "win of all days": win.rows,
    "settlements of a player": lambda conn: list(settlements.rows(conn, player=PLAYER)),
    "settlements of a roll": lambda conn: list(settlements.rows(conn, table=TABLE, day=DAY, roll=ROLL)),
    "layout at a past roll": lambda conn: layout.at(conn, TABLE, DAY, ROLL),
    "last 20 rolls": lambda conn: rolls.rows(conn, last=20),
    "tables of a day": lambda conn: tables.rows(conn, day=DAY),
    "audit of a player": lambda conn: list(audit.rows(conn, player=PLAYER)),
}


def run(url: str, events: int) -> list[Line]:
    """Milliseconds from asking to the last row, everything stored before taken in; start-up left out."""
    with ledgers.fresh(url) as ledger:
        few = ledgers.grow(ledger, FEW)
        before = _asked(ledger)
        many = ledgers.grow(ledger, max(MANY, events))
        after = _asked(ledger)
    beside = f"at {few:,} events"
    return [
        Line(f"ask {question} at {many:,} events", took, "ms", before[question][0], beside, f"{rows:,} rows")
        for question, (took, rows) in after.items()
    ]


def _asked(ledger: str) -> dict[str, tuple[float, int]]:
    """The median time of each question, and the rows of its answer."""
    with connect(ledger) as conn:
        follow(conn)
        conn.execute("VACUUM (ANALYZE)")
        return {name: _timed(conn, question) for name, question in QUESTIONS.items()}


def _timed(conn: Connection, question: Question) -> tuple[float, int]:
    times = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        follow(conn)
        answer = question(conn)
        times.append((perf_counter() - begun) * 1_000)
    assert answer, question
    return median(times), len(answer) if isinstance(answer, list) else 1
