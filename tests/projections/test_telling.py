"""Every event has its sentence, in the words of the pit."""

from datetime import UTC, date, datetime
from typing import Any, Literal, Union, get_args, get_origin

import pytest

from domain import events as e
from domain.events import BY_NAME
from projections.telling import called, money_in, sum_of, tell
from tests.domain.pit import Pit

DOLLARS = money_in("USD")


def some(kind: Any) -> Any:
    """A value of a field's type."""
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    if get_origin(kind) is tuple:
        inside = get_args(kind)
        return () if inside[-1] is Ellipsis else tuple(some(part) for part in inside)
    if get_origin(kind) is Union or type(kind).__name__ == "UnionType":
        return some(get_args(kind)[0])
    if get_origin(kind) is dict:
        return {}
    return {
        int: 6,
        str: "w1",
        bool: True,
        date: date(2026, 11, 28),
        datetime: datetime(2026, 11, 28, tzinfo=UTC),
    }[kind]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_event_can_be_told(name: str) -> None:
    fields = {field: some(info.annotation) for field, info in BY_NAME[name].model_fields.items()}
    if "owed" in fields and isinstance(fields["owed"], str):
        fields |= {"owed": "20", "breakage": "0", "odds": "7/6", "owed_in_full": "30", "aggregate_owed": "40"}
    if "aggregate_odds_over" in fields:
        fields |= {"aggregate_odds_over": "50/1"}
    told = tell(BY_NAME[name](**fields), "place 6", DOLLARS)
    assert told
    assert "None" not in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            e.WagerPlaced(wager="w", player="Nat", kind="place", amount=1200, number=6, for_dealers=True),
            "Nat bets place 6, $12.00, for the dealers",
        ),
        (
            e.WagerTakenDown(wager="w", player="Nat", amount=1200, cause="denied"),
            "Nat's place 6 comes down, as play is denied: $12.00 back to the rail",
        ),
        (e.DicePassed(player="Nat", cause="seven_out"), "Nat sevens out and gives up the dice"),
        (e.PuckMoved(point=None, was=6), "the puck goes Off"),
        (
            e.CommandRefused(
                do="bet", reason="DICE_OUT", message="too late", player="Nat", kind="hop", amount=500
            ),
            "refused DICE_OUT: Nat bet hop $5.00: too late",
        ),
        (
            e.AdjustmentMade(player="Nat", amount=-500, reason="overpaid", approved_by="P-1"),
            "adjustment of -$5.00 to Nat: overpaid; approved by P-1",
        ),
    ],
)
def test_an_event_is_told_as_the_pit_would_say_it(event: e.Happened, told: str) -> None:
    assert tell(event, "place 6", DOLLARS) == told


@pytest.mark.parametrize(
    ("all_owed", "told"),
    [
        (
            "17500000/3",
            "owed $17,500.00, $10,000.33 (3000100/3 cents) as the table's aggregate limit of $100,000.00 "
            "is shared, house policy, paid $10,000.00, breakage $0.33",
        ),
        (
            "1750000",
            "owed $17,500.00, $10,000.33 (3000100/3 cents) as the table's aggregate limit of $100,000.00 "
            "is reached, house policy, paid $10,000.00, breakage $0.33",
        ),
    ],
)
def test_a_share_of_the_limit_is_told_with_what_was_owed_in_full(all_owed: str, told: str) -> None:
    fields = {field: some(info.annotation) for field, info in e.WagerSettled.model_fields.items()}
    fields |= {
        "kind": "all_or_nothing",
        "stake": 10_000,
        "odds": "175/1",
        "owed": "3000100/3",
        "paid": 1_000_000,
    }
    fields |= {"breakage": "100/3", "owed_in_full": "1750000", "aggregate_owed": all_owed, "number": None}
    fields |= {"aggregate_limit": 10_000_000, "limit_section": "house policy", "commission": 0, "combo": None}
    fields |= {"high": None, "commission_earned": 0, "section": "(d)(5)(ii)"}
    settled = e.WagerSettled(**fields)
    assert sum_of(settled, DOLLARS) == f"all or nothing, $100.00 at 175 to 1, {told}, (d)(5)(ii)"


def test_the_posted_limit_is_told_when_the_table_opens() -> None:
    opened = Pit(rules="pa-crapless", terms={"aggregate_limit": 10_000_000}).events[0]
    assert tell(opened, "", DOLLARS) == (
        "the table opens for 2026-11-28 under pa-crapless version 1, $5.00 to $5,000.00, at most $100,000.00 "
        "a roll for all that is paid at over 50 to 1, on a rack of $100,000.00"
    )


@pytest.mark.parametrize("dice", [(left, right) for left in range(1, 7) for right in range(1, 7)])
def test_every_throw_has_a_name(dice: tuple[int, int]) -> None:
    name = called(dice)
    assert name.startswith(f"{dice[0]}-{dice[1]}, ")
    assert ("hard" in name) == (dice[0] == dice[1] and sum(dice) in (4, 6, 8, 10))
