"""What a table may post as the most that one roll pays at long odds, by rule set and gaming day."""

from datetime import date
from fractions import Fraction
from functools import cache
from math import ceil
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from domain.money import odds
from domain.policy.dated import entries, of_rules
from domain.rules.pack import Pack

FILE = Path(__file__).with_suffix(".toml")


class AggregateLimitPolicy(BaseModel):
    """One entry of the file. `at_least` is cents; without `rules` it is for all that have none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    since: date
    rules: tuple[str, ...] = ()
    odds_over: Annotated[Fraction, PlainValidator(odds)]  # to one; the limit is for what is paid at more
    at_least: Annotated[int, Field(ge=0)] = 0
    at_least_award_at_minimum: bool = False
    section: str
    href: str | None = None
    checked_on: date
    source: str

    def least(self, minimum: int, pack: Pack) -> int:
        """The least limit that a table may post with this minimum, its prices read as `pack` has them."""
        if not self.at_least_award_at_minimum:
            return self.at_least
        award = minimum * max((price for price in pack.prices if price > self.odds_over), default=0)
        return max(self.at_least, ceil(award))


def aggregate_limit_policy(rules: str, gaming_day: date) -> AggregateLimitPolicy:
    """The policy for a table opened under `rules` on a gaming day."""
    return of_rules(_policies(), rules, gaming_day)


@cache
def _policies() -> tuple[AggregateLimitPolicy, ...]:
    return entries(FILE, "policy", AggregateLimitPolicy)
