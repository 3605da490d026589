"""Reads the dated entries of a policy file."""

import tomllib
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter


class Dated(Protocol):
    """An entry that is in force from a gaming day on."""

    since: date


class OfRules(Dated, Protocol):
    """An entry for tables under certain rule sets; without any, for all that have none of their own."""

    rules: tuple[str, ...]


Entry = TypeVar("Entry", bound=Dated)
EntryOfRules = TypeVar("EntryOfRules", bound=OfRules)


def entries(file: Path, table: str, kind: type[Entry]) -> tuple[Entry, ...]:
    """Every entry of a TOML file's `table`, the oldest first, as in the file where they are as old."""
    said: list[Any] = tomllib.loads(file.read_text(encoding="utf-8"))[table]
    read = TypeAdapter(kind)
    return tuple(sorted((read.validate_python(one) for one in said), key=lambda one: one.since))


def of_rules(known: Iterable[EntryOfRules], rules: str, gaming_day: date) -> EntryOfRules:
    """The last entry in force on a gaming day for a table under `rules`; `known` have the oldest first."""
    in_force = [entry for entry in known if entry.since <= gaming_day]
    own = [entry for entry in in_force if rules in entry.rules]
    return (own or [entry for entry in in_force if not entry.rules])[-1]
