"""A log is cut into lines whatever it holds, and never more of it is held than one line may be long."""

import io
import os
from collections.abc import Iterator

import pytest

from cli.log_lines import LONGEST_LINE, Line, cut, read_lines


def lines_of(content: bytes) -> list[Line]:
    return [line for line in read_lines(io.BytesIO(content)) if line]


def texts_of(content: bytes) -> list[bytes]:
    return [line.text for line in lines_of(content)]


def test_lines_are_numbered_as_an_editor_numbers_them() -> None:
    assert [(line.number, line.text) for line in lines_of(b"a\n\n \t\nb\n")] == [(1, b"a"), (4, b"b")]


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"\xef\xbb\xbfa\nb\n", b"a\nb", b"\na\n\n\nb\n\n"])
def test_a_clerks_editor_changes_nothing(content: bytes) -> None:
    assert texts_of(content) == [b"a", b"b"]


def test_the_byte_order_mark_is_passed_over_only_where_a_file_begins() -> None:
    assert texts_of(b"a\n\xef\xbb\xbfb\n") == [b"a", b"\xef\xbb\xbfb"]


def test_a_last_line_without_an_end_is_told_from_one_that_ended() -> None:
    assert [line.ended for line in lines_of(b"a\nb")] == [True, False]


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"  \n\t"])
def test_an_empty_log_has_no_lines(content: bytes) -> None:
    assert lines_of(content) == []


@pytest.mark.parametrize("cuts", range(1, 12))
def test_it_does_not_matter_where_the_operating_system_cuts(cuts: int) -> None:
    content = b"first\r\n\nsecond\nthird"
    pieces = [content[at : at + cuts] for at in range(0, len(content), cuts)]
    assert list(cut(pieces)) == lines_of(content)


def endless_line(megabytes: int) -> Iterator[bytes]:
    yield b"before\n"
    for _ in range(megabytes * 16):
        yield b"x" * (1 << 16)
    yield b"\nafter\n"


def test_an_overlong_line_is_kept_short_and_the_lines_around_it_are_read() -> None:
    before, overlong, after = [line for line in cut(endless_line(10)) if line]
    assert (before.text, after.text, after.number) == (b"before", b"after", 3)
    assert overlong.overlong
    assert len(overlong.text) == LONGEST_LINE + 1


def test_the_longest_line_is_not_overlong() -> None:
    (line,) = lines_of(b"x" * LONGEST_LINE)
    assert not line.overlong


def test_a_live_pipe_is_not_waited_for_before_its_lines_are_handed_on() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as stream:
        os.write(writing, b"one\ntw")
        lines = read_lines(stream)
        assert next(lines) == Line(1, b"one", True)
        assert next(lines) is None
        os.write(writing, b"o\n")
        assert next(lines) == Line(2, b"two", True)
        os.close(writing)
        assert list(lines) in ([], [None])
