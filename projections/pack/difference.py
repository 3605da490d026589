"""What one version of a pack says that another does not, line by line."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path


def difference(before: Path, after: Path, names: Iterable[str]) -> Iterator[list[str]]:
    """(file, `-` or `+`, line) for every line of the files `names` that only one of the folders has."""
    for name in sorted(names):
        old, new = _lines(before / name), _lines(after / name)
        for sign, lines in (("-", old - new), ("+", new - old)):
            for line in sorted(lines.elements()):
                yield [name, f"{'removed' if sign == '-' else 'added'}", line]


def _lines(path: Path) -> Counter[str]:
    """The lines below the header; none where the file is not there."""
    if not path.is_file():
        return Counter()
    return Counter(path.read_text(encoding="utf-8").splitlines()[1:])
