"""The shelf of rule packs: every version of every rule set that ships, each a file beside this one."""

from datetime import date
from functools import cache
from pathlib import Path

from domain.rules.check import read
from domain.rules.pack import Pack

FOLDER = Path(__file__).parent


def packs(day: date | None = None) -> dict[str, Pack]:
    """One pack of every rule set: the newest in force on a gaming day, else the newest there is."""
    newest: dict[str, Pack] = {}
    for pack in sorted(versions(), key=lambda pack: (day is None or pack.in_force(day), pack.version)):
        newest[pack.id] = pack
    return newest


def versions() -> list[Pack]:
    """Every version of every rule set, in order of id and version."""
    return list(_shelf(FOLDER).values())


def pinned(id_: str, version: int) -> Pack:
    """The pack that a table was opened with. Raises LookupError where this program does not carry it."""
    pack = _shelf(FOLDER).get((id_, version))
    if pack is None:
        raise LookupError(f"this program has no version {version} of the rule set {id_}")
    return pack


@cache
def _shelf(folder: Path) -> dict[tuple[str, int], Pack]:
    found: dict[tuple[str, int], tuple[str, Pack]] = {}
    for file in sorted(folder.glob("*.toml")):
        pack = read(file.read_text(encoding="utf-8"), file.name)
        other = found.setdefault((pack.id, pack.version), (file.name, pack))[0]
        if other != file.name:
            raise ValueError(f"{other} and {file.name} are both version {pack.version} of {pack.id}")
    return {key: found[key][1] for key in sorted(found)}
