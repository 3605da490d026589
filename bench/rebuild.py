"""All projections made anew from the first event on, beside `COPY ... TO STDOUT` of the same events.

And beside the library's own ProjectionRunner, which keeps one view; and what the process needed at most,
which must not grow with the events.
"""

import multiprocessing
import resource
from contextlib import ExitStack

import psycopg

from bench import ledgers, library
from bench.lines import Line, alternating
from ledger.log import bring_up_to_date, read_log
from projections.follow import rebuild

ROUNDS = 3
LIBRARY = 2_000  # events that the library's runner is given: it needs a second or more for them


def run(url: str, events: int) -> list[Line]:
    """Rates in events a second, memory in MB."""
    with ExitStack() as stack:
        ledger = stack.enter_context(ledgers.fresh(url))
        night = ledgers.grow(ledger, 1)
        least = _peak_memory(ledger)
        events = ledgers.grow(ledger, events)
        conn = stack.enter_context(psycopg.connect(ledger, autocommit=True))
        runs = [_prepared(stack.enter_context(ledgers.fresh(url)), conn) for _ in range(ROUNDS)]
        remaining = iter(runs)
        ours, copy, theirs = alternating(
            [
                lambda: rebuild(conn),
                lambda: _copied_out(conn),
                lambda: library.run_projection(*next(remaining)),
            ],
            ROUNDS,
        )
        most = _peak_memory(ledger)
    name = f"rebuild {events:,} events"
    return [
        Line(name, ours, "events/s", copy, "COPY ... TO STDOUT", note="all projections, indexes, swap"),
        Line(name, ours, "events/s", theirs, "library's runner", note="which keeps one view"),
        Line(f"{name}: peak memory", most, "MB", least, f"at {night:,} events"),
    ]


def _prepared(ledger: str, conn: psycopg.Connection) -> tuple[str, int]:
    """The first events of `conn`'s ledger, stored in the library's own way, and its last notification."""
    return ledger, library.store(ledger, read_log(conn, 0, LIBRARY))


def _copied_out(conn: psycopg.Connection) -> int:
    """Let PostgreSQL write out every event; answers how many there are."""
    with conn.cursor() as cursor, cursor.copy("COPY pitledger.events TO STDOUT") as out:
        for _ in out:
            pass
    return bring_up_to_date(conn)


def _peak_memory(ledger: str) -> float:
    """What a process of its own has had in memory at most, in MB, when it has rebuilt everything."""
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_rebuilt, (ledger,))


def _rebuilt(ledger: str) -> float:
    with psycopg.connect(ledger, autocommit=True) as conn:
        rebuild(conn)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
