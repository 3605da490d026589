"""What is called a win: each under its own name, with its formula and the version of it that is in force."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from domain.policy.dated import entries

FILE = Path(__file__).with_suffix(".toml")
WinName = Literal["statistical", "event", "nevada", "pennsylvania", "gaap"]


class WinDefinition(BaseModel):
    """One entry of the file; `id` is the version of the formula."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: WinName
    id: str
    since: date
    formula: str
    used_for: str
    source: str


def wins_in_force(gaming_day: date) -> dict[WinName, WinDefinition]:
    """Every win's definition on a gaming day, in the order of the file."""
    return {win.name: win for win in _definitions() if win.since <= gaming_day}


@cache
def _definitions() -> tuple[WinDefinition, ...]:
    return entries(FILE, "win", WinDefinition)
