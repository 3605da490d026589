"""What a state takes of a house's win: the templates of its worksheets, with their rates, by gaming day."""

from datetime import date
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from domain.policy.dated import entries

FILE = Path(__file__).with_suffix(".toml")


class Step(NamedTuple):
    """A part of what is taxed, in cents, and what is owed of it at its rate."""

    base: int
    rate: Fraction
    owed: Fraction


class Rate(BaseModel):
    """What is owed of what exceeds `over` cents, as far as the next rate."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    over: Annotated[int, Field(ge=0)]
    is_: Annotated[str, Field(alias="is", pattern=r"^\d{1,6}/[1-9]\d{0,6}$")]


def _rising(rates: tuple[Rate, ...]) -> tuple[Rate, ...]:
    if rates[0].over != 0 or any(one.over >= other.over for one, other in pairwise(rates)):
        raise ValueError("the rates begin over 0 and each holds over more than the one before")
    return rates


class Levy(BaseModel):
    """One tax or fee on what is taxed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    section: str
    rate: Annotated[tuple[Rate, ...], Field(min_length=1), AfterValidator(_rising)]

    def steps(self, taxed: int) -> list[Step]:
        """What is owed of `taxed` cents, rate by rate. Of a loss nothing is owed.

        >>> levy = Levy.model_validate({"name": "fee", "section": "1", "rate": [
        ...     {"over": 0, "is": "1/10"}, {"over": 100, "is": "1/5"}]})
        >>> [(base, str(owed)) for base, _, owed in levy.steps(105)]
        [(100, '10'), (5, '1')]
        """
        overs = [one.over for one in self.rate]
        found = []
        for one, end in zip(self.rate, [*overs[1:], None], strict=True):
            most = taxed if end is None else min(taxed, end)
            base, rate = max(most - one.over, 0), Fraction(one.is_)
            found.append(Step(base, rate, base * rate))
        return found


class Template(BaseModel):
    """One entry of the file: a worksheet of a jurisdiction."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    jurisdiction: Annotated[str, Field(pattern=r"^[a-z]{2}$")]
    id: str
    version: Annotated[int, Field(gt=0)]
    since: date
    title: str
    win: Literal["pennsylvania", "nevada"]
    period: Literal["day", "month"]
    rules: tuple[str, ...]
    revenue_section: str
    source: str
    levy: Annotated[tuple[Levy, ...], Field(min_length=1)]


def jurisdictions() -> list[str]:
    """Every jurisdiction that there is a worksheet of."""
    return sorted({template.jurisdiction for template in _templates()})


def template_of(jurisdiction: str, gaming_day: date) -> Template | None:
    """The worksheet of a jurisdiction on a gaming day; None where it had no such tax yet."""
    return in_force(gaming_day).get(jurisdiction)


def in_force(gaming_day: date) -> dict[str, Template]:
    """The worksheets in force on a gaming day, by jurisdiction."""
    return {one.jurisdiction: one for one in _templates() if one.since <= gaming_day}


@cache
def _templates() -> tuple[Template, ...]:
    return entries(FILE, "template", Template)
