"""Cuts a table log into lines, however large it is and wherever it comes from.

A line may be cut off, overlong or no text at all: here it is only cut, never judged. Memory is bounded by
`LONGEST_LINE`, whatever comes. A live pipe is not waited for: where nothing is at hand, `None` is yielded,
so that what has been read so far can be stored.
"""

import select
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

LONGEST_LINE = 1 << 20  # bytes; the longest command is a few thousand
CHUNK = 1 << 18  # bytes asked of the operating system at once

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line as it arrived, without its line end. Of an overlong one, only the beginning is kept."""

    number: int  # the first line of a file is 1
    text: bytes
    ended: bool  # a line end follows; a log that was cut off has none after its last line

    @property
    def overlong(self) -> bool:
        return len(self.text) > LONGEST_LINE

    @property
    def blank(self) -> bool:
        return not self.text.strip(b" \t\r")


def read_lines(stream: IO[bytes]) -> Iterator[Line | None]:
    """The lines of `stream` that are not blank; `None` wherever reading on would mean waiting."""
    return cut(_chunks(stream))


def cut(chunks: Iterable[bytes]) -> Iterator[Line | None]:
    """Cut `chunks` into lines; an empty chunk means that nothing more is at hand just now.

    >>> [line and line.text for line in cut([b"one\\r\\ntw", b"", b"o\\n\\nthree"])]
    [b'one', None, b'two', b'three']
    """
    number, open_line = 1, b""
    for chunk in chunks:
        if not chunk:
            yield None
            continue
        *closed, rest = chunk.split(b"\n")
        for piece in closed:
            yield from _line(number, _grown(open_line, piece), ended=True)
            number, open_line = number + 1, b""
        open_line = _grown(open_line, rest)
    yield from _line(number, open_line, ended=False)


def _grown(start: bytes, piece: bytes) -> bytes:
    """`start` and `piece` together, but no more of them than shows that a line is overlong."""
    if not start and len(piece) <= LONGEST_LINE:
        return piece
    if len(start) > LONGEST_LINE:
        return start
    return (start + piece)[: LONGEST_LINE + 1]


def _line(number: int, text: bytes, *, ended: bool) -> Iterator[Line]:
    if number == 1:
        text = text.removeprefix(_BYTE_ORDER_MARK)
    line = Line(number, text.removesuffix(b"\r"), ended)
    if not line.blank:
        yield line


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    read = getattr(stream, "read1", stream.read)
    while chunk := read(CHUNK):
        yield chunk
        if _would_wait(stream):
            yield b""


def _would_wait(stream: IO[bytes]) -> bool:
    try:
        return not select.select([stream], [], [], 0)[0]
    except (OSError, ValueError):  # nothing the operating system could be asked about
        return False
