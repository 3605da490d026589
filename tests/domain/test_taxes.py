"""The tax templates: which rates are in force when, and what they take of a win, by hand."""

from datetime import date
from fractions import Fraction

import pytest
from pydantic import ValidationError

from domain.policy.taxes import Levy, in_force, jurisdictions, template_of

DAY = date(2026, 11, 28)


def taken(jurisdiction: str, cents: int, day: date = DAY) -> dict[str, list[Fraction]]:
    template = template_of(jurisdiction, day)
    assert template is not None
    return {levy.name: [step.owed for step in levy.steps(cents)] for levy in template.levy}


def test_every_template_says_whose_law_it_is_and_names_itself_once() -> None:
    assert jurisdictions() == ["nv", "pa"]
    for template in in_force(DAY).values():
        assert template.source
        assert template.revenue_section
        assert all(levy.section for levy in template.levy)


def test_pennsylvania_takes_14_percent_for_the_state_and_2_for_the_county() -> None:
    assert taken("pa", 100_000_00) == {
        "state tax": [12_000_00],
        "additional state tax": [2_000_00],
        "local share assessment": [2_000_00],
    }


def test_pennsylvania_took_no_additional_tax_before_august_2016() -> None:
    assert taken("pa", 100_00, date(2016, 7, 31)) == {"state tax": [12_00], "local share assessment": [2_00]}
    assert "additional state tax" in taken("pa", 100_00, date(2016, 8, 1))
    assert template_of("pa", date(2010, 1, 6)) is None


@pytest.mark.parametrize(
    ("win", "owed"),
    [
        (50_000_00, [1_750_00, 0, 0]),
        (50_000_01, [1_750_00, Fraction(45, 1000), 0]),
        (134_000_00, [1_750_00, 3_780_00, 0]),
        (200_000_00, [1_750_00, 3_780_00, 4_455_00]),
        (-1_00, [0, 0, 0]),
    ],
)
def test_nevada_takes_its_three_rates_step_by_step_and_nothing_of_a_loss(win: int, owed: list[int]) -> None:
    assert taken("nv", win) == {"monthly license fee": owed}


@pytest.mark.parametrize("overs", [(1,), (0, 100, 100), (0, 200, 100)])
def test_rates_that_do_not_rise_from_nothing_are_no_levy(overs: tuple[int, ...]) -> None:
    rates = [{"over": over, "is": "1/10"} for over in overs]
    with pytest.raises(ValidationError, match="begin over 0"):
        Levy.model_validate({"name": "fee", "section": "1", "rate": rates})
