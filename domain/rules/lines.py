"""Where things stand in a TOML text: the line of every table, key and element, which `tomllib` forgets.

Only for texts that `tomllib` has accepted: this scan tells names and brackets apart, it checks nothing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

Path = tuple[str, ...]

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r]+|\#[^\n]*)
    | (?P<end>\n)
    | (?P<text>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    | (?P<mark>[\[\]{}=,.])
    | (?P<word>[^\s\[\]{}=,.\#"']+)
    """,
    re.DOTALL | re.VERBOSE,
)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def lines_of(text: str) -> dict[Path, int]:
    """The line on which each part of a valid TOML text begins, by its path: keys, and places in lists.

    >>> lines_of('id = "x"\\n[[wager]]\\npays = { 4 = "9 to 5" }')
    {('id',): 1, ('wager',): 2, ('wager', '0'): 2, ('wager', '0', 'pays'): 3, ('wager', '0', 'pays', '4'): 3}
    """
    return _Scan(list(_tokens(text))).lines


def line_of(path: Path, lines: dict[Path, int]) -> int:
    """The line of `path`, or of the nearest thing around it that the text has; 1 where it has nothing.

    Parts of `path` that are not in the text (a key that is missing, a model's own name) are passed over.
    """
    here: Path = ()
    for part in path:
        if (*here, part) in lines:
            here = (*here, part)
    return lines.get(here, 1)


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind != "space":
            yield _Token(kind, found[0], line)
        line += found[0].count("\n")
    yield _Token("end", "\n", line)


class _Scan:
    """One walk through the tokens, remembering the line of each path."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.lines: dict[Path, int] = {}
        self._tokens = tokens
        self._at = 0
        self._tables: dict[Path, int] = {}  # how many tables each [[name]] has
        self._document()

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *marks: str) -> bool:
        found = self._at < len(self._tokens) and self._next.text in marks and self._next.kind != "text"
        self._at += found
        return found

    def _document(self) -> None:
        table: Path = ()
        while self._at < len(self._tokens):
            if self._take("\n"):
                continue
            if self._take("["):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        many, line = self._take("["), self._next.line
        table = self._newest(self._key())
        if many:
            self._tables[table] = self._tables.get(table, -1) + 1
            self.lines.setdefault(table, line)
            table = (*table, str(self._tables[table]))
        self.lines.setdefault(table, line)
        while self._take("]"):
            pass
        return table

    def _newest(self, key: Path) -> Path:
        """A header's own name, with the place of the last table of each list on the way to it."""
        path: Path = ()
        for part in key[:-1]:
            path = (*path, part)
            if path in self._tables:
                path = (*path, str(self._tables[path]))
        return (*path, key[-1])

    def _key(self) -> Path:
        parts: list[str] = []
        while self._next.kind in ("word", "text"):
            parts.append(self._next.text.strip("\"'") if self._next.kind == "text" else self._next.text)
            self._at += 1
            self._take(".")
        return tuple(parts)

    def _pair(self, table: Path) -> None:
        line = self._next.line
        key = self._key()
        for end in range(1, len(key) + 1):
            self.lines.setdefault((*table, *key[:end]), line)
        if not key or not self._take("="):  # nothing this scan understands: pass over it
            self._at += 1
            return
        self._value((*table, *key))

    def _value(self, path: Path) -> None:
        if self._take("["):
            self._list(path)
        elif self._take("{"):
            while not self._take("}"):
                if not self._take(",", "\n"):
                    self._pair(path)
        else:
            while self._at < len(self._tokens) and self._next.text not in (",", "]", "}", "\n"):
                self._at += 1

    def _list(self, path: Path) -> None:
        place = 0
        while not self._take("]"):
            if not self._take(",", "\n"):
                self.lines[(*path, str(place))] = self._next.line
                self._value((*path, str(place)))
                place += 1
