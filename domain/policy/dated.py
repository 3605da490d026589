"""Reads the dated entries of a policy file."""

import tomllib
from datetime import date
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter


class Dated(Protocol):
    """An entry that is in force from a gaming day on."""

    since: date


Entry = TypeVar("Entry", bound=Dated)


def entries(file: Path, table: str, kind: type[Entry]) -> tuple[Entry, ...]:
    """Every entry of a TOML file's `table`, the oldest first, as in the file where they are as old."""
    said: list[Any] = tomllib.loads(file.read_text(encoding="utf-8"))[table]
    read = TypeAdapter(kind)
    return tuple(sorted((read.validate_python(one) for one in said), key=lambda one: one.since))
