"""What the ledger writes around an event: where, when, who, by which command, and the hash that seals it.

The hash is SHA-256 over one frame of every field and the hash of the event before it in its stream, so no
event can be changed, left out or put in without breaking the chain. A field is framed as
`<bytes>:<text>,` and an absent one as `-,`. `pitledger.event_hash` says the same in SQL; neither may ever
change for the events they have sealed. Where the store puts an event (batch, place, position) is no part
of what was said; `ledger.proofs` checks the log by itself.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import orjson
from pydantic import ValidationError

from domain.events import BY_NAME, Happened
from ledger.errors import LedgerError

FORMAT = b"pitledger.event.1"


class Act(NamedTuple):
    """What all events of one command share, in the stream where they are stored."""

    property: str
    stream: str
    table: str | None
    gaming_day: date | None
    occurred_at: datetime
    recorded_at: datetime
    badge: str
    role: str
    command: str


class Recorded(NamedTuple):
    """One event in its envelope, as it is stored.

    `originator_id` and `originator_version` are the library's words for stream and version (1, 2, 3, ...).
    """

    originator_id: str
    originator_version: int
    name: str
    schema_version: int
    occurred_at: datetime
    recorded_at: datetime
    badge: str
    role: str
    command: str
    step: int
    table: str | None
    gaming_day: date | None
    data: str
    command_text: str | None
    hash: bytes

    @property
    def event(self) -> Happened:
        """The event itself, read back from `data`."""
        return event_from(self.name, self.data)

    def act(self, house: str) -> Act:
        """What it shares with the other events of its command; `house` is the property's name."""
        return Act(
            house,
            self.originator_id,
            self.table,
            self.gaming_day,
            self.occurred_at,
            self.recorded_at,
            self.badge,
            self.role,
            self.command,
        )


def canonical(event: Happened) -> bytes:
    """The bytes an event is stored and hashed as: all its fields, keys sorted, no spaces, UTF-8.

    >>> from domain.events import ShooterAssigned
    >>> canonical(ShooterAssigned(player="Abel"))
    b'{"player":"Abel"}'
    """
    return orjson.dumps(event.__dict__, option=orjson.OPT_SORT_KEYS)


def event_from(name: str, data: str | bytes) -> Happened:
    """The event that was stored under `name`, equal to the one that was written."""
    try:
        return BY_NAME[name].model_validate_json(data)
    except (KeyError, ValidationError):
        raise LedgerError(f"this program cannot read a stored {name!r}: use a newer pitledger") from None


def seal(
    events: Iterable[Happened],
    act: Act,
    text: bytes,
    version: int,
    previous: bytes | None,
    first_step: int = 0,
) -> list[Recorded]:
    """Events of one command, to follow event `version` of their stream, whose hash is `previous`.

    `text` is the command as it arrived; `version` 0 and no `previous` begin a stream. A command that
    causes events in several streams counts its steps through all of them, from `first_step` here.
    """
    shared = opening(act)
    sealed = []
    for step, event in enumerate(events, first_step):
        version += 1
        data, arrived = canonical(event), text if step == 0 else None
        previous = link(shared, version, step, event.name, event.schema_version, data, arrived, previous)
        sealed.append(
            Recorded(
                act.stream,
                version,
                event.name,
                event.schema_version,
                act.occurred_at,
                act.recorded_at,
                act.badge,
                act.role,
                act.command,
                step,
                act.table,
                act.gaming_day,
                data.decode(),
                arrived.decode() if arrived else None,
                previous,
            )
        )
    return sealed


def opening(act: Act) -> bytes:
    """The beginning of the frame, the same for all events of a command; `link` frames the rest."""
    where = _where(act.property, act.stream, act.table, act.gaming_day)
    when = _moment(act.occurred_at) + _moment(act.recorded_at)
    return where + when + _text(act.badge) + _text(act.role) + _framed(act.command.encode())


def link(
    shared: bytes,
    version: int,
    step: int,
    name: str,
    schema_version: int,
    data: bytes,
    command_text: bytes | None,
    previous: bytes | None,
) -> bytes:
    """The hash of one event, over the frame that begins with `shared`; every event pays for it."""
    digits = b"%d" % version
    kind, text = _kind(step, name, schema_version), _framed(command_text)
    last = b"32:%b," % previous if previous is not None else b"-,"
    frame = b"%b%d:%b,%b%d:%b,%b%b" % (shared, len(digits), digits, kind, len(data), data, text, last)
    return sha256(frame).digest()


def _framed(field: bytes | None) -> bytes:
    return b"%d:%b," % (len(field), field) if field is not None else b"-,"


@lru_cache(1024)
def _text(field: str | None) -> bytes:
    return _framed(field.encode() if field is not None else None)


@lru_cache(4096)
def _kind(step: int, name: str, schema_version: int) -> bytes:
    return _text(str(step)) + _text(name) + _text(str(schema_version))


@lru_cache(1024)
def _where(house: str, stream: str, table: str | None, gaming_day: date | None) -> bytes:
    day = gaming_day.isoformat() if gaming_day else None
    return _framed(FORMAT) + b"".join(map(_text, (house, stream, table, day)))


@lru_cache(1024)
def _moment(moment: datetime) -> bytes:
    """In UTC, with the microseconds that PostgreSQL keeps.

    >>> _moment(datetime.fromisoformat("2026-11-28T20:00:03-06:00"))
    b'27:2026-11-29T02:00:03.000000Z,'
    """
    return b"27:%bZ," % moment.astimezone(UTC).isoformat(timespec="microseconds")[:26].encode()
