"""Things to say to a casino, and facts to put into a ledger, in few words."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

import orjson

from domain.commands import COMMAND
from domain.events import BuyInAccepted, Happened
from ledger.casino import Submitted
from ledger.envelope import Act, Recorded, seal
from ledger.recorder import LedgerDatastore, LedgerRecorder

HOUSE = "demo"  # the property of the `fresh_ledger` fixture
DAY = date(2026, 11, 28)
NOON = datetime(2026, 11, 28, 18, tzinfo=UTC)
BUY_IN = BuyInAccepted(player="Abel", amount=10_000, tender="cash")


def said(command: str, do: str, table: str = "CR01", **fields: Any) -> Submitted:
    """A command in the form in which `pitledger ingest` submits it."""
    by = {"badge": "F-204", "role": "floor"}
    line = {"id": command, "at": "2026-11-28T20:00:00-06:00", "by": by, "table": table, "do": do, **fields}
    text = orjson.dumps(line, option=orjson.OPT_SORT_KEYS)
    return Submitted(COMMAND.validate_json(text), text)


def opened(command: str = "open", table: str = "CR01", gaming_day: str = "2026-11-28") -> Submitted:
    """A table opened on the usual terms."""
    terms = {"rules": "ia-prairie-meadows", "min": 500, "max": 500_000, "chip": 100, "payout_unit": 1}
    return said(command, "open", table, gaming_day=gaming_day, opener=10_000_000, **terms)


def closed(command: str, table: str = "CR01") -> Submitted:
    """A table closed on its rack."""
    return said(command, "close", table, closer=10_000_000)


def buy_in(command: str, player: str = "Abel", amount: int = 10_000, table: str = "CR01") -> Submitted:
    """Cash on the table, chips to the rail."""
    return said(command, "buy_in", table, player=player, amount=amount, tender="cash")


def walk(command: str, player: str = "Abel", table: str = "CR01", **fields: Any) -> Submitted:
    """A player leaves with chips, by default with all of them."""
    return said(command, "walk", table, player=player, **fields)


def act(command: str, stream: str = "table:CR01:2026-11-28") -> Act:
    """What the events of a command share."""
    table = stream.split(":")[-2 if ":" in stream else 0]
    return Act(HOUSE, stream, table, DAY, NOON, datetime.now(UTC), "F-204", "floor", command)


def sealed(
    command: str,
    events: Iterable[Happened] = (BUY_IN,),
    stream: str = "table:CR01:2026-11-28",
    after: Recorded | None = None,
) -> list[Recorded]:
    """The events of a command, to follow `after` in their stream."""
    before = (after.originator_version, after.hash) if after else (0, None)
    return seal(events, act(command, stream), b"{}", *before)


def chain(commands: Sequence[str], stream: str = "table:CR01:2026-11-28") -> list[Recorded]:
    """One buy-in a command, from the beginning of a stream."""
    records: list[Recorded] = []
    for command in commands:
        records += sealed(command, stream=stream, after=records[-1] if records else None)
    return records


@contextmanager
def recording(url: str) -> Iterator[LedgerRecorder]:
    """A recorder of the ledger at `url`."""
    with LedgerDatastore(url) as datastore:
        yield LedgerRecorder(datastore)
