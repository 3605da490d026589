"""When a hold must be looked into: the regulators' thresholds, by date."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from domain.policy.dated import entries

FILE = Path(__file__).with_suffix(".toml")
Period = Literal["day", "mtd", "ytd"]


class HoldRule(BaseModel):
    """One entry of the file. `threshold` is in hundredths of a point, a deviation or a percent."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    since: date
    period: Period
    measure: Literal["points", "deviations", "forecast"]
    threshold: Annotated[int, Field(gt=0)]
    base: tuple[Literal["prior_year", "prior_month"], ...]
    keep_years: Annotated[int, Field(gt=0)]
    section: str
    source: str


def hold_rules(gaming_day: date) -> tuple[HoldRule, ...]:
    """Every rule in force on a gaming day."""
    return tuple(rule for rule in _rules() if rule.since <= gaming_day)


@cache
def _rules() -> tuple[HoldRule, ...]:
    return entries(FILE, "rule", HoldRule)
