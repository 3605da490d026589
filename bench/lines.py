"""One measured line, ours beside its yardstick: what every benchmark returns and the two ways it is shown.

A benchmark is a module of this package with a function `run(url) -> list[Line]`, or `run(url, events)` where
the length of the history matters. It is handed a PostgreSQL in which it may make databases, says nothing
itself, and leaves nothing behind. Ours and the yardstick are measured in turn, several times, and the medians
compared: a machine that grows slower meanwhile slows both.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import Any

from rich import box
from rich.table import Table


@dataclass(frozen=True)
class Line:
    """What we reach and what the yardstick reaches, in the same unit; None where there is none."""

    name: str
    ours: float
    unit: str
    yardstick: float | None = None
    beside: str = ""  # what the yardstick is
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours as a share of the yardstick.

        >>> Line("append", ours=60_000, unit="events/s", yardstick=120_000, beside="plain INSERT").ratio
        0.5
        """
        return self.ours / self.yardstick if self.yardstick else None

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def alternating(work: Sequence[Callable[[], int]], rounds: int = 5) -> list[float]:
    """The median rate of each piece of work (what it says it did, a second), in turn `rounds` times."""
    rates: list[list[float]] = [[] for _ in work]
    for _ in range(rounds):
        for rate, piece in zip(rates, work, strict=True):
            begun = perf_counter()
            done = piece()
            rate.append(done / (perf_counter() - begun))
    return [median(rate) for rate in rates]


def table(lines: Iterable[Line]) -> Table:
    """The lines for people, figures under figures."""
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("line")
    for heading in ("ours", "yardstick", "ratio"):
        shown.add_column(heading, justify="right")
    for heading in ("unit", "beside", "note"):
        shown.add_column(heading)
    for line in lines:
        ratio = "" if line.ratio is None else f"{line.ratio:.2f}x"
        figures = _figure(line.ours), _figure(line.yardstick), ratio
        shown.add_row(line.name, *figures, line.unit, line.beside, line.note)
    return shown


def _figure(value: float | None) -> str:
    """Three digits that matter, and no more.

    >>> _figure(123456.7), _figure(0.01234), _figure(None)
    ('123,457', '0.0123', '')
    """
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
