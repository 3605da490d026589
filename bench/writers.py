"""Four writers at four tables, beside one: processes of their own, so that nothing but the ledger is shared.

Each appends as `bench.append` does, to a stream of its own, and its appends are committed durably one by one.
"""

import multiprocessing
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from multiprocessing.connection import Connection as Pipe
from statistics import median
from time import monotonic

from bench import ledgers
from bench.append import appends, numbers, sealed
from bench.lines import Line
from ledger.recorder import LedgerDatastore, LedgerRecorder

SIZES = (1, 100)  # events a transaction
WRITERS = 4
ROUNDS = 5


def run(url: str) -> list[Line]:
    """Events a second of all writers together; the yardstick is one of them alone."""
    with ledgers.fresh(url) as ledger, ExitStack() as stack:
        pipes = [stack.enter_context(_writer(ledger, number)) for number in range(WRITERS)]
        return [_line(pipes, size) for size in SIZES]


def _line(pipes: list[Pipe], size: int) -> Line:
    rates = [(_together(pipes[:1], size), _together(pipes, size)) for _ in range(ROUNDS)]
    alone, all_of_them = map(median, zip(*rates, strict=True))
    return Line(
        f"append {size:,} a transaction, {WRITERS} writers", all_of_them, "events/s", alone, "one writer"
    )


def _together(pipes: list[Pipe], size: int) -> float:
    """Events a second while all who are asked write."""
    for pipe in pipes:
        pipe.send(size)
    begun, ended = zip(*(pipe.recv() for pipe in pipes), strict=True)
    seconds: float = max(ended) - min(begun)
    return len(pipes) * appends(size) * size / seconds


@contextmanager
def _writer(ledger: str, number: int) -> Iterator[Pipe]:
    alone = multiprocessing.get_context("spawn")
    ours, theirs = alone.Pipe()
    writer = alone.Process(target=_write, args=(ledger, number, theirs))
    writer.start()
    try:
        yield ours
    finally:
        ours.send(None)
        writer.join()


def _write(ledger: str, number: int, pipe: Pipe) -> None:
    """Write a round whenever a size comes, and tell when it began and ended."""
    next(islice(numbers, number * 1_000_000, None))  # streams and commands of our own
    with LedgerDatastore(ledger) as datastore:
        recorder = LedgerRecorder(datastore)
        while size := pipe.recv():
            begun = monotonic()
            for records in sealed(size):
                recorder.append(records)
            pipe.send((begun, monotonic()))
