"""What long streams had come to, kept beside the events, so that a day need not be read from its beginning.

A snapshot is no part of the ledger and is never believed over it: it counts only while the event it stands
on has the hash it had, and only for the very code that made it, so that a program which would fold the same
events to something else never sees it. Whoever doubts one empties the table; the events give the same.
"""

import pickle
from contextlib import suppress
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction
from psycopg.rows import tuple_row

import domain
from domain.subject import Subject
from ledger.log import hash_of

WORTH_KEEPING = 1_000
"""Events that somebody would have to fold again without one."""

APART = 5_000
"""Of so many events of a stream the last snapshot is kept: a past roll is never far from one."""

_LATEST = b"""
    SELECT s.state, s.hash FROM pitledger.snapshots s
      JOIN pitledger.events e ON (e.property, e.stream, e.version) = (s.property, s.stream, s.version)
     WHERE s.property = (SELECT property FROM pitledger.property) AND s.stream = %s AND s.program = %s
       AND e.hash = s.hash AND s.version <= coalesce(%s::bigint, s.version)
     ORDER BY s.version DESC LIMIT 1
"""
_REPLACED = b"""
    DELETE FROM pitledger.snapshots
     WHERE property = (SELECT property FROM pitledger.property) AND stream = %s
       AND (program <> %s OR version BETWEEN %s AND %s)
"""
_KEEP = b"""
    INSERT INTO pitledger.snapshots (property, stream, version, hash, program, state)
    SELECT property, %s, %s, %s, %s, %s FROM pitledger.property
    ON CONFLICT (property, stream, version) DO UPDATE SET hash = excluded.hash, state = excluded.state
"""


class Snapshot(NamedTuple):
    """A subject as the first events of its stream have made it; `head` is the hash of the last of them."""

    subject: Subject
    head: bytes


class Taken(NamedTuple):
    """A snapshot to be kept, which the subject may by now have gone on from."""

    stream: str
    version: int
    head: bytes
    state: bytes


def latest(conn: psycopg.Connection[Any], stream: str, until: int | None = None) -> Snapshot | None:
    """The last snapshot of a stream, or the last `until` a version; None where none is to be believed."""
    with conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        row = cursor.execute(_LATEST, (stream, _program(), until), prepare=True).fetchone()
    try:
        return Snapshot(_Unpickler(BytesIO(row[0])).load(), row[1]) if row else None
    except pickle.UnpicklingError:  # somebody else's work
        return None


def take(stream: str, snapshot: Snapshot) -> Taken:
    """A snapshot of a stream as it is now."""
    state = pickle.dumps(snapshot.subject, pickle.HIGHEST_PROTOCOL)
    return Taken(stream, snapshot.subject.version, snapshot.head, state)


def keep(conn: psycopg.Connection[Any], taken: Taken) -> None:
    """Keep a snapshot in the place of those shortly before it; those that another program made go."""
    first = taken.version - taken.version % APART
    conn.execute(_REPLACED, (taken.stream, _program(), first, taken.version - 1))
    conn.execute(_KEEP, (taken.stream, taken.version, taken.head, _program(), taken.state))


def leave(conn: psycopg.Connection[Any], stream: str, subject: Subject) -> None:
    """Keep a snapshot of what a reader made of stored events, unless he may only read."""
    head = hash_of(conn, stream, subject.version)
    if head is None:
        return
    with suppress(InsufficientPrivilege, ReadOnlySqlTransaction), conn.transaction():
        keep(conn, take(stream, Snapshot(subject, head)))


@cache
def _program() -> bytes:
    """What stands for the code that makes a subject of events: a hash of all of it."""
    root = Path(domain.__file__).parent
    code = sha256()
    for module in sorted(root.rglob("*.py")):
        code.update(b"%b\0%b\0" % (str(module.relative_to(root)).encode(), module.read_bytes()))
    return code.digest()


class _Unpickler(pickle.Unpickler):
    """Makes nothing but what a subject is made of, whatever somebody put into the table."""

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module.partition(".")[0] in _SOURCES else None
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"a snapshot holds no {module}.{name}")
        return found


_SOURCES = frozenset({"domain", "datetime", "fractions"})
