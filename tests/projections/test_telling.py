"""Every event has its sentence, in the words of the pit."""

from datetime import UTC, date, datetime
from typing import Any, Literal, Union, get_args, get_origin

import pytest

from domain import events as e
from domain.events import BY_NAME
from projections.telling import called, money_in, tell

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
        fields |= {"owed": "20", "breakage": "0", "odds": "7/6"}
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


@pytest.mark.parametrize("dice", [(left, right) for left in range(1, 7) for right in range(1, 7)])
def test_every_throw_has_a_name(dice: tuple[int, int]) -> None:
    name = called(dice)
    assert name.startswith(f"{dice[0]}-{dice[1]}, ")
    assert ("hard" in name) == (dice[0] == dice[1] and sum(dice) in (4, 6, 8, 10))
