"""What the house does about a disputed roll: from what amount on, by when, which video."""

from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.policy.dated import entries, of_rules

FILE = Path(__file__).with_suffix(".toml")
SATURDAY = 5
Days = Annotated[int, Field(ge=0, le=3650)]
Minutes = Annotated[int, Field(ge=0, le=24 * 60)]


class DisputePolicy(BaseModel):
    """One entry of the file. `notify_from` is cents; without `rules` it is for all that have none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    since: date
    rules: tuple[str, ...] = ()
    notify_from: Annotated[int, Field(gt=0)]
    notify_section: str
    rule_days: Days
    settle_days: Days
    complain_business_days: Days | None = None
    complain_section: str | None = None
    video_before: Minutes
    video_after: Minutes
    keep_video_days: Days
    source: str

    def complain_by(self, gaming_day: date) -> date | None:
        """The last day on which the patron may go to the regulator; None where no rule ends it."""
        if self.complain_business_days is None:
            return None
        return _business_days_after(gaming_day, self.complain_business_days)

    def video_around(self, called_at: datetime) -> tuple[datetime, datetime]:
        """Which recording of a roll is held."""
        before, after = timedelta(minutes=self.video_before), timedelta(minutes=self.video_after)
        return called_at - before, called_at + after


def policy_for(rules: str, gaming_day: date) -> DisputePolicy:
    """The policy for a table opened under `rules` on a gaming day."""
    return of_rules(policies(), rules, gaming_day)


@cache
def policies() -> tuple[DisputePolicy, ...]:
    """Every policy, the oldest first."""
    return entries(FILE, "policy", DisputePolicy)


def _business_days_after(day: date, days: int) -> date:
    """Monday to Friday; which of them are holidays the calendar of no state is asked.

    >>> _business_days_after(date(2026, 11, 28), 5)
    datetime.date(2026, 12, 4)
    """
    while days:
        day += timedelta(days=1)
        days -= day.weekday() < SATURDAY
    return day
