"""What became of the lines of a log: the counts, the lines that were refused or malformed, the exit code."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Self

import click
import orjson

from cli.plain_words import printable

REFUSED, MALFORMED = 3, 2  # exit codes; malformed wins
SHOWN = 100  # refused or malformed lines shown to people; --json has every one
IN_MEMORY = 1 << 20  # bytes of them held in memory for --json; the rest waits in a file


class Notes:
    """Rows noted for `--json`, as many as come: they wait in a temporary file."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # see close

    def add(self, row: dict[str, object]) -> None:
        self._file.write(orjson.dumps(row) + b"\n")

    def as_json(self) -> Iterator[bytes]:
        """The rows as a JSON list, piece by piece."""
        self._file.seek(0)
        before = b"["
        for line in self._file:
            yield before + line.rstrip()
            before = b","
        yield b"[]" if before == b"[" else b"]"

    def close(self) -> None:
        self._file.close()


@dataclass
class Summary:
    """Counts only what was answered after it was stored. A context: what it noted is gone after the block."""

    quiet: bool  # notes the lines for --json rather than showing them
    lines: int = 0
    accepted: int = 0
    already_known: int = 0
    refused: int = 0
    malformed: int = 0
    events: int = 0
    unreadable: int = 0  # files
    refusals: Notes = field(default_factory=Notes)
    errors: Notes = field(default_factory=Notes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.refusals.close()
        self.errors.close()

    @property
    def exit_code(self) -> int:
        if self.malformed or self.unreadable:
            return MALFORMED
        return REFUSED if self.refused else 0

    def accept(self) -> None:
        """Count a command that is stored now."""
        self.lines += 1
        self.accepted += 1

    def know(self) -> None:
        """Count a command that was stored before, and whose answer stands."""
        self.lines += 1
        self.already_known += 1

    def refuse(self, file: str, line: int, command: str, reason: str, message: str) -> None:
        """Note a command that the house refused."""
        self.lines += 1
        self.refused += 1
        if self.quiet:
            self.refusals.add(
                {"line": line, "id": command, "reason": reason, "message": message, "file": file}
            )
        elif self.refused <= SHOWN:
            _say(f"{file}:{line}: refused {command}: {reason}: {message}", "yellow")

    def misread(self, file: str, line: int, message: str) -> None:
        """Note a line that cannot be read as a command."""
        self.lines += 1
        self.malformed += 1
        self._note_error(file, line, message, shown=self.malformed <= SHOWN)

    def cannot_read(self, file: str, message: str) -> None:
        """Note a file that cannot be read."""
        self.unreadable += 1
        self._note_error(file, None, message, shown=True)

    def warn(self, message: str) -> None:
        if not self.quiet:
            _say(message, "yellow")

    def print(self, seconds: float) -> None:
        """Print the summary, as one JSON object or as two lines for people."""
        if self.quiet:
            self._print_json()
        else:
            self._print_lines(seconds)

    def _note_error(self, file: str, line: int | None, message: str, *, shown: bool) -> None:
        if self.quiet:
            self.errors.add({"line": line, "message": message, "file": file})
        elif shown:
            _say(f"{file}: {message}" if line is None else f"{file}:{line}: malformed: {message}", "red")

    def _print_json(self) -> None:
        names = ("lines", "accepted", "already_known", "refused", "malformed", "events")
        counts = orjson.dumps({name: getattr(self, name) for name in names})
        click.echo(counts[:-1] + b',"refusals":', nl=False)
        for piece in self.refusals.as_json():
            click.echo(piece, nl=False)
        click.echo(b',"errors":', nl=False)
        for piece in self.errors.as_json():
            click.echo(piece, nl=False)
        click.echo(b"}")

    def _print_lines(self, seconds: float) -> None:
        for name, number in (("refused", self.refused), ("malformed", self.malformed)):
            if number > SHOWN:
                _say(f"... and {number - SHOWN:,} more {name} lines; --json lists every one", "yellow")
        click.echo(
            f"{self.lines:,} lines: {self.accepted:,} accepted, {self.already_known:,} already known, "
            f"{self.refused:,} refused, {self.malformed:,} malformed"
        )
        pace = f", {self.lines / seconds:,.0f} lines a second" if self.lines and seconds else ""
        click.echo(f"{self.events:,} events stored in {seconds:.2f} s{pace}")


def _say(message: str, colour: str) -> None:
    click.secho(printable(message), fg=colour, err=True)
