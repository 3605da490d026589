"""`pitledger ingest`: reads table logs into the ledger, a batch of commands a transaction."""

import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import IO, Protocol

import click

from cli.house import House
from cli.log_lines import Line, read_lines
from cli.output import document_option
from cli.parsing import Malformed, submitted
from cli.progress import Meter, meter
from cli.summary import Summary
from ledger.casino import Answer, Submitted
from ledger.errors import LedgerError

BATCH = 500  # commands a transaction: one durable write costs about as much as deciding twenty
BATCH_BYTES = 1 << 21  # and no more than this, however long the lines are


Parsed = tuple[list[Line], list[tuple[Line, Submitted]]]
"""A batch, and its lines that are commands."""


class _Casino(Protocol):
    def handle_all(self, calls: Iterable[Sequence[Submitted]], /) -> Iterator[list[Answer]]: ...


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH... | -")
@document_option
@click.pass_context
def ingest(ctx: click.Context, paths: tuple[str, ...], as_json: bool) -> None:
    """Read table logs into the ledger; `-` reads standard input as it comes.

    Every line is accepted, already known, refused (a fact too: it is stored) or malformed (reported here,
    stored nowhere). Blank lines are passed over. A log may be read again: nothing is stored twice.

    Exits 0 when every line was accepted or already known (whatever it was answered then), 3 when some were
    refused, 2 when some were malformed or a file could not be read.

    \b
    Example:
        pitledger ingest night.jsonl
        tail -f CR01.jsonl | pitledger ingest -
    """
    house: House = ctx.obj
    with Summary(quiet=as_json) as summary:
        started = time.monotonic()
        with house.casino() as casino, meter(_size(paths), "ingest") as progress:
            for path in paths:
                Ingest(casino, path, summary, progress).run()
        summary.print(time.monotonic() - started)
    ctx.exit(summary.exit_code)


class Ingest:
    """One log on its way into the ledger."""

    def __init__(self, casino: _Casino, path: str, summary: Summary, progress: Meter) -> None:
        self.casino = casino
        self.file = "standard input" if path == "-" else click.format_filename(path)
        self.path = path
        self.summary = summary
        self.progress = progress
        self.stored_to = 0  # the last line that is safe
        self.broken: OSError | None = None  # why the log could not be read to its end

    def run(self) -> None:
        """Read the whole log. Where that cannot be done, what has been acknowledged stays stored."""
        lines, misread = self.summary.lines, self.summary.malformed
        try:
            self._read()
        except OSError as error:
            self.summary.cannot_read(self.file, _why_unreadable(self.path, error))
        except (LedgerError, KeyboardInterrupt):
            self._say_how_far()
            raise
        else:
            self._judge_whole(self.summary.lines - lines, self.summary.malformed - misread)

    def _read(self) -> None:
        with _opened(self.path) as stream:
            on_their_way: deque[Parsed] = deque()
            for answers in self.casino.handle_all(self._calls(stream, on_their_way)):
                batch, pairs = on_their_way.popleft()
                for (line, command), answer in zip(pairs, answers, strict=True):
                    self._count(line, command, answer)
                if batch:
                    self.stored_to = batch[-1].number
                    self.progress.advance(sum(len(line.text) + 1 for line in batch))
        if self.broken:
            raise self.broken

    def _calls(self, stream: IO[bytes], on_their_way: deque[Parsed]) -> Iterator[list[Submitted]]:
        try:
            for batch in batches(read_lines(stream)):
                pairs = [pair for line in batch if (pair := self._parsed(line))]
                on_their_way.append((batch, pairs))
                yield [command for _, command in pairs]
        except OSError as error:
            self.broken = error  # to be raised when what has been read is stored

    def _parsed(self, line: Line) -> tuple[Line, Submitted] | None:
        try:
            return line, submitted(line)
        except Malformed as fault:
            self.summary.misread(self.file, line.number, str(fault))
            return None

    def _count(self, line: Line, command: Submitted, answer: Answer) -> None:
        if answer.known:
            self.summary.know()
            return
        self.summary.events += answer.events
        if answer.status == "refused":
            self.summary.refuse(
                self.file, line.number, command.command.id, answer.reason or "", answer.message or ""
            )
        else:
            self.summary.accept()

    def _judge_whole(self, lines: int, misread: int) -> None:
        if not lines:
            self.summary.warn(f"{self.file}: empty, nothing to read")
        elif lines == misread:
            self.summary.warn(
                f"{self.file}: no line of it is a command; is it a table log? "
                "`pitledger log-schema` shows what one holds"
            )

    def _say_how_far(self) -> None:
        self.summary.warn(
            f"{self.file}: stopped; everything up to line {self.stored_to:,} is stored. "
            "Ingest it again to go on: nothing is stored twice"
        )


def batches(lines: Iterable[Line | None], most: int = BATCH) -> Iterator[list[Line]]:
    """Gather lines into batches, each closed when it is full; an empty one comes when no more is at hand.

    >>> line = Line(1, b"{}", True)
    >>> [len(batch) for batch in batches([line, line, line, None, line], most=2)]
    [2, 1, 0, 1]
    """
    batch: list[Line] = []
    size = 0
    for line in lines:
        if line:
            batch.append(line)
            size += len(line.text)
        if batch and (not line or len(batch) == most or size >= BATCH_BYTES):
            yield batch
            batch, size = [], 0
        if not line:
            yield []  # so that all before it are stored, however long it takes until more comes
    if batch:
        yield batch


def _opened(path: str) -> AbstractContextManager[IO[bytes]]:
    if path != "-":
        return open(path, "rb", buffering=0)
    if sys.stdin is None:
        raise OSError("it is closed")
    return nullcontext(sys.stdin.buffer)


def _why_unreadable(path: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "a directory, not a table log: name the logs in it"
    if isinstance(error, PermissionError):
        return "you may not read this file: ask its owner, or name another"
    return f"cannot be read: {error.strerror or error}"


def _size(paths: Iterable[str]) -> int | None:
    """Bytes to read in all, where that can be known."""
    try:
        sizes = [os.stat(path).st_size for path in paths if path == "-" or os.path.isfile(path)]
    except OSError:
        return None
    return None if "-" in paths else sum(sizes)
