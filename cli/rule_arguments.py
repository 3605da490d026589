"""How a rule set and a commission are typed: an id, a version of it, a pack's file; 1/20 or 5%."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from domain.rules import shelf
from domain.rules.check import WrongPack, read
from domain.rules.pack import Pack


class _Rules(click.ParamType[Pack]):
    """A rule set by its id, one version of it as ID@VERSION, or a pack's own file."""

    name = "rules"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Pack:
        if isinstance(value, Pack):
            return value
        if value.endswith(".toml"):
            return self._of_file(value, param, ctx)
        id_, _, version = value.partition("@")
        try:
            return shelf.pinned(id_, int(version)) if version else shelf.packs()[id_]
        except (LookupError, ValueError):
            ids = ", ".join(sorted(shelf.packs()))
            self.fail(f"no rule set {value}; there are {ids}", param, ctx)

    def _of_file(self, file: str, param: click.Parameter | None, ctx: click.Context | None) -> Pack:
        try:
            return read(Path(file).read_text(encoding="utf-8"), file)
        except OSError as error:
            self.fail(f"{file} cannot be read: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"{file} is not UTF-8", param, ctx)
        except WrongPack as error:
            self.fail(f"this is no pack to play by\n{error}", param, ctx)


class _Rate(click.ParamType[Fraction]):
    """A commission rate, 1/20 or 5%."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        if not re.fullmatch(r"\d{1,6}(/[1-9]\d{0,5}|%)?", value):
            self.fail(f"{value!r} is no rate; 1/20 or 5% is", param, ctx)
        rate = Fraction(value[:-1]) / 100 if value.endswith("%") else Fraction(value)
        if rate >= 1:
            self.fail(f"a commission of {value} is more than the wager", param, ctx)
        return rate


RULES = _Rules()
RATE = _Rate()
