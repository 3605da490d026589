"""What long streams had come to, kept beside the events, so that a day need not be read from its beginning.

A snapshot is no part of the ledger and is never believed over it: it counts only while the event it stands
on has the hash it had, and only for the very code that made it, so that a program which would fold the same
events to something else never sees it. Whoever doubts one empties the table; the events give the same.
"""

import pickle
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import tuple_row

import domain
from domain.subject import Subject

WORTH_KEEPING = 1_000
"""Events that somebody would have to fold again without one."""

_LATEST = b"""
    SELECT s.state, s.hash FROM pitledger.snapshots s
      JOIN pitledger.events e ON (e.property, e.stream, e.version) = (s.property, s.stream, s.version)
     WHERE s.property = (SELECT property FROM pitledger.property) AND s.stream = %s AND s.program = %s
       AND e.hash = s.hash
"""
_KEEP = b"""
    INSERT INTO pitledger.snapshots AS old (property, stream, version, hash, program, state)
    SELECT property, %s, %s, %s, %s, %s FROM pitledger.property
    ON CONFLICT (property, stream) DO UPDATE
       SET version = excluded.version, hash = excluded.hash,
           program = excluded.program, state = excluded.state
     WHERE old.version < excluded.version OR old.program <> excluded.program
"""


class Snapshot(NamedTuple):
    """A subject as the first events of its stream have made it; `head` is the hash of the last of them."""

    subject: Subject
    head: bytes


def latest(conn: psycopg.Connection[Any], stream: str) -> Snapshot | None:
    """The snapshot of a stream; None where there is none to be believed."""
    with conn.cursor(row_factory=tuple_row, binary=True) as cursor:
        row = cursor.execute(_LATEST, (stream, _program()), prepare=True).fetchone()
    try:
        return Snapshot(_Unpickler(BytesIO(row[0])).load(), row[1]) if row else None
    except pickle.UnpicklingError:  # somebody else's work
        return None


def keep(conn: psycopg.Connection[Any], stream: str, snapshot: Snapshot) -> None:
    """Keep a snapshot in the place of an older one."""
    state = pickle.dumps(snapshot.subject, pickle.HIGHEST_PROTOCOL)
    conn.execute(_KEEP, (stream, snapshot.subject.version, snapshot.head, _program(), state))


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
