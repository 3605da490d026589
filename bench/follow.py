"""Following live: how fast a reader keeps the projections up with writers, and how far it lags behind them.

Kept up with: appends of a hundred events are stored, then followed, in turn, and only following is counted.
Lag: a process of its own appends at a steady pace while we follow without pause; from an append's commit to
the commit of all projections' rows of it.
"""

import multiprocessing
from collections.abc import Iterator
from itertools import count, islice
from multiprocessing.connection import Connection as Pipe
from statistics import median, quantiles
from time import monotonic, perf_counter, sleep

import psycopg

from bench import ledgers
from bench.lines import Line
from ledger.envelope import Recorded
from ledger.recorder import LedgerDatastore, LedgerRecorder, Placed
from projections.follow import follow

TOGETHER = 100  # events an append
BETWEEN = 10  # appends between two looks
LOOKS = 40
PACE = 10_000  # events a second
SECONDS = 4
Moments = list[tuple[int, float]]  # (position stored or followed, when)


def run(url: str) -> list[Line]:
    """Rates in events a second, lag in milliseconds."""
    with ledgers.fresh(url) as ledger:
        ledgers.play(ledger)
        rate = _kept_up(ledger)
        lags = _lags(ledger)
    p50, p99 = median(lags), quantiles(lags, n=100)[98]
    return [
        Line("follow live", rate, "events/s", note=f"a look every {TOGETHER * BETWEEN:,} events"),
        Line(f"lag at {PACE:,} events/s: p50", p50, "ms", note="from commit to the rows of every projection"),
        Line(f"lag at {PACE:,} events/s: p99", p99, "ms"),
    ]


def _kept_up(ledger: str) -> float:
    took = 0.0
    with LedgerDatastore(ledger) as datastore, psycopg.connect(ledger, autocommit=True) as conn:
        recorder = LedgerRecorder(datastore)
        appends = _appends(recorder, "K")
        begun_at = follow(conn)
        for _ in range(LOOKS):
            for records in islice(appends, BETWEEN):
                recorder.append(records)
            begun = perf_counter()
            reached = follow(conn)
            took += perf_counter() - begun
    return (reached - begun_at) / took


def _appends(recorder: LedgerRecorder, tables: str) -> Iterator[list[Recorded]]:
    """The first night's events again and again, each time at a table of its own, some together."""
    stored = [one for one in recorder.select_notifications(1, 100_000) if isinstance(one, Placed)]
    night = [one.recorded for one in stored if one.recorded.table == ledgers.TABLE]
    for again in count(1):
        events = (_at(f"{tables}{again}", record) for record in night)
        while together := list(islice(events, TOGETHER)):
            yield together


def _at(table: str, record: Recorded) -> Recorded:
    stream = f"table:{table}:{record.gaming_day}"
    return record._replace(originator_id=stream, table=table, command=f"{record.command}.{table}")


def _lags(ledger: str) -> list[float]:
    """Milliseconds that each append waited for its rows, while another process appended at the pace."""
    alone = multiprocessing.get_context("spawn")
    ours, theirs = alone.Pipe()
    writer = alone.Process(target=_write, args=(ledger, theirs))
    writer.start()
    theirs.close()  # so that we hear of it where the writer fails
    seen: Moments = []
    with psycopg.connect(ledger, autocommit=True) as conn:
        while not ours.poll():
            seen.append((follow(conn), monotonic()))
        seen.append((follow(conn), monotonic()))
    stored: Moments = ours.recv()
    writer.join()
    return list(_waits(stored, seen))


def _waits(stored: Moments, seen: Moments) -> Iterator[float]:
    looks = iter(seen)
    reached, when = next(looks)
    for position, committed in stored:
        while reached < position:
            reached, when = next(looks)
        yield max(0.0, when - committed) * 1_000


def _write(ledger: str, pipe: Pipe) -> None:
    """Append at the pace; then tell which positions were stored when."""
    with LedgerDatastore(ledger) as datastore:
        recorder = LedgerRecorder(datastore)
        position = recorder.max_notification_id() or 0
        appends = list(islice(_appends(recorder, "L"), PACE * SECONDS // TOGETHER))
        stored: Moments = []
        due = monotonic()
        for records in appends:
            sleep(max(0.0, due - monotonic()))
            recorder.append(records)
            position += len(records)
            due += len(records) / PACE
            stored.append((position, monotonic()))
        pipe.send(stored)
