"""Where a gaming day stands: open or closed, and everything that is between it and its close.

A day can be certified when nothing is missing, nothing wants an explanation, and every residual is nothing.
"""

from collections.abc import Sequence
from datetime import date
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from psycopg import Connection

from ledger.log import read_stream
from projections import reconcile
from projections.day_events import range_of
from projections.rows import Row


class Standing(IntEnum):
    """How near a day is to its certificate; the number is the exit code that says so."""

    CERTIFIABLE = 0
    OPEN_EXCEPTIONS = 3
    INCOMPLETE = 4
    BROKEN = 5


class _Nothing(NamedTuple):
    kind: str
    subject: str
    text: str


class Wanting(Protocol):
    """Something that keeps a day from closing."""

    @property
    def kind(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def text(self) -> str: ...


def standing(missing: Sequence[Wanting], *, broken: bool) -> Standing:
    """What is worst about a day."""
    if broken:
        return Standing.BROKEN
    if any(one.kind != "exception" for one in missing):
        return Standing.INCOMPLETE
    return Standing.OPEN_EXCEPTIONS if missing else Standing.CERTIFIABLE


def status(conn: Connection[Any], day: date, missing: Sequence[Wanting]) -> Row:
    """Everything that is said of a gaming day; `missing` is what the ledger finds missing."""
    rows = reconcile.rows(conn, day=day)
    if range_of(conn, day).last == 0:
        missing = [*missing, _Nothing("day", day.isoformat(), "the ledger knows nothing of this day")]
    broken = reconcile.broken(rows, reconcile.house(conn, day))
    apart = [f"{row['table']} does not reconcile" for row in rows if reconcile.broken([row])]
    found = standing(missing, broken=broken)
    return {
        "gaming_day": day.isoformat(),
        **seal(conn, day),
        "standing": found.name.lower(),
        "exit_code": found.value,
        "missing": [{"kind": one.kind, "subject": one.subject, "text": one.text} for one in missing],
        "faults": apart or (["the books do not balance"] if broken else []),
        "tables": [
            {"table": row["table"], "completeness": row["completeness"], "count_win": row["count_win"]}
            for row in rows
        ],
    }


def seal(conn: Connection[Any], day: date) -> Row:
    """Whether the books of a day are open or closed, since when and by whom."""
    state: Row = {"state": "not opened", "closed_at": None, "closed_by": None}
    for row in read_stream(conn, f"day:{day}"):
        if row.name == "GamingDayOpened":
            state["state"] = "open"
        if row.name == "GamingDayClosed":
            state = {"state": "closed", "closed_at": row.occurred_at.isoformat(), "closed_by": row.badge}
    return state
