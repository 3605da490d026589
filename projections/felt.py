"""Where each wager lies on a craps layout: the boxes of the felt, for whoever draws it.

The row of numbers with the puck; come, field and the two lines; the stickman's propositions in the centre.
"""

from domain.rules.shelf import pinned
from domain.table import Table, Wager
from projections.layout import lying
from projections.rows import Row

NUMBERS = (4, 5, 6, 8, 9, 10)
LINES = ("dont_come", "come", "field", "dont_pass", "pass", "big_6", "big_8")
CENTRE = (
    *("hard_4", "hard_10", "hard_6", "hard_8", "any_seven", "any_craps", "craps_2", "craps_3", "craps_12"),
    *("eleven", "horn", "horn_high", "world", "high_low", "c_and_e", "hop"),
    *("all_small", "all_tall", "all_or_nothing"),
)


def box_of(wager: Wager, table: Table) -> str:
    """The box a wager lies in: `pass`, `number_6`, `come`, `hard_6`, ... Odds lie with their base wager."""
    base = table.wagers.get(wager.base) if wager.base else None
    if base is not None:
        return box_of(base, table)
    if wager.kind == "hard":
        return f"hard_{wager.number}"
    if wager.kind == "put_pass":
        return "pass"
    travelled = wager.kind in ("come", "dont_come") and wager.number is not None
    if wager.kind in (*LINES, *CENTRE) and not travelled:
        return wager.kind
    return f"number_{wager.number}"


def numbers_of(table: Table) -> list[int]:
    """The numbers that have a box on this table's felt."""
    house = table.house
    try:
        return list(NUMBERS) if house is None else sorted(pinned(house.rules, house.rules_version).points)
    except LookupError:  # rules this program no longer carries; their wagers still lie somewhere
        taken = {w.number for w in table.wagers.values() if w.number} | {table.puck} - {None}
        return sorted(taken.union(NUMBERS))  # type: ignore[arg-type]


def layout(table: Table) -> Row:
    """The table as it lies: puck, shooter, rails, and every wager with the box it lies in. Cents."""
    return {
        "puck": table.puck,
        "shooter": table.shooter,
        "numbers": numbers_of(table),
        "rails": {player: cents for player, cents in sorted(table.rails.items()) if cents},
        "wagers": [lying(table, wager) | {"box": box_of(wager, table)} for wager in table.in_order()],
        "undeclared": [laid.model_dump(exclude={"base"}) for laid in table.undeclared.values()],
    }
