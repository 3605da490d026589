"""The day's events as they are stored, one JSON object a line: what stays readable without this program.

`data` and `said` are the exact canonical texts that were hashed; every line carries its hash and that of the
event before it in its stream, so the chain can be recomputed with a JSON reader and SHA-256 alone. The root
is the Merkle tree hash (RFC 6962) over the hashes of all events of the day in ledger order.
"""

import gzip
import io
from collections.abc import Callable
from hashlib import sha256
from typing import IO

import orjson

from projections.day_events import DayEvent

_LEVEL = (
    1  # of compression: the archive is written while the day is read, and higher ones cost more than that
)
_TOGETHER = 1 << 18  # bytes compressed at once
Previous = Callable[[str, int], bytes | None]
"""The hash of an event of a stream, for the first event of a stream that began before the day."""


class Archive:
    """Events on their way into the archive."""

    def __init__(self, file: IO[bytes], previous: Previous) -> None:
        # No name and no time of writing in its header: the same events are the same bytes.
        packed = gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=file, mtime=0)
        self._file = io.BufferedWriter(packed, _TOGETHER)
        self._previous = previous
        self._last: dict[str, bytes] = {}
        self._tree = MerkleTree()
        self.events = 0

    def add(self, said: DayEvent) -> None:
        """Write one event, the next of the day in ledger order."""
        last = self._last.get(said.stream)
        if last is None and said.version > 1:
            last = self._previous(said.stream, said.version - 1)
        self._last[said.stream] = said.hash
        self._tree.add(said.hash)
        self._file.write(_line(said, last))
        self.events += 1

    def close(self) -> str:
        """Finish the file; answers the root over all events."""
        self._file.close()
        return self._tree.root().hex()


def _line(said: DayEvent, previous: bytes | None) -> bytes:
    line = {
        "position": said.position,
        "stream": said.stream,
        "version": said.version,
        "event": said.name,
        "schema_version": said.schema_version,
        "occurred_at": said.utc_occurred_at,
        "recorded_at": said.utc_recorded_at,
        "badge": said.badge,
        "role": said.role,
        "command": said.command,
        "step": said.step,
        "table": said.table,
        "data": orjson.Fragment(said.data),
        "said": said.said and orjson.Fragment(said.said),
        "previous_hash": previous and previous.hex(),
        "hash": said.hash.hex(),
    }
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


class MerkleTree:
    """The Merkle tree hash of RFC 6962, section 2.1, of leaves as they come; remembers one hash a level.

    >>> MerkleTree().root().hex()[:16]
    'e3b0c44298fc1c14'
    """

    def __init__(self) -> None:
        self._full: list[tuple[int, bytes]] = []  # complete subtrees, from left to right: leaves, hash

    def add(self, leaf: bytes) -> None:
        """The next leaf."""
        size, node = 1, sha256(b"\x00" + leaf).digest()
        while self._full and self._full[-1][0] == size:
            node = sha256(b"\x01" + self._full.pop()[1] + node).digest()
            size *= 2
        self._full.append((size, node))

    def root(self) -> bytes:
        """The hash over all leaves so far."""
        if not self._full:
            return sha256(b"").digest()
        node = self._full[-1][1]
        for _, left in reversed(self._full[:-1]):
            node = sha256(b"\x01" + left + node).digest()
        return node
