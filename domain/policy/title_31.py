"""From which amounts on cash is logged and reported under Title 31, by gaming day."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.policy.dated import entries

FILE = Path(__file__).with_suffix(".toml")
Cents = Annotated[int, Field(gt=0)]


class CashPolicy(BaseModel):
    """One entry of the file: reported is what is strictly more than `report_over`, logged from `log_from`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    since: date
    report_over: Cents
    log_from: Cents
    file_within_days: Annotated[int, Field(gt=0)]
    section: str
    source: str


def cash_policy(gaming_day: date) -> CashPolicy:
    """The policy in force on a gaming day."""
    return [policy for policy in _policies() if policy.since <= gaming_day][-1]


@cache
def _policies() -> tuple[CashPolicy, ...]:
    return entries(FILE, "policy", CashPolicy)
