"""Shows how far a long piece of work has come, on a terminal only, and leaves nothing behind."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

PATIENCE = 0.5  # seconds that nobody minds waiting without a bar


class Meter:
    """How far the work has come; silent where nobody looks, and until it has taken a while."""

    def __init__(self, bar: Progress | None = None, task: TaskID | None = None) -> None:
        self._bar = bar
        self._task = task
        self._due = time.monotonic() + PATIENCE

    def advance(self, more: int) -> None:
        """So much more is done."""
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, more)
            self._show(self._bar)

    def reach(self, done: int, total: int) -> None:
        """So much is done, of so much in all."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total)
            self._show(self._bar)

    def _show(self, bar: Progress) -> None:
        if time.monotonic() > self._due:
            bar.start()  # once more does no harm


@contextmanager
def meter(total: int | None, title: str) -> Iterator[Meter]:
    """A progress bar on standard error while the block runs; without a `total`, it only shows life."""
    if not sys.stderr.isatty():
        yield Meter()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    try:
        yield Meter(bar, bar.add_task(title, total=total))
    finally:
        if bar.live.is_started:
            bar.stop()
