"""Every wager of every document, wherever it can lie, tried against all 36 throws.

What should become of it stands in `tests/data/every_throw.txt`, written from the documents.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain import events as e
from domain.commands import COMMAND
from domain.decide import decide
from domain.table import Table
from tests.domain.pit import INDIANA, IOWA, PARTY, PENNSYLVANIA, Pit

STAKE = 6000  # cents: every price, leg and commission of the four documents comes out whole
THROWS = [(left, right) for left, right in product(range(1, 7), repeat=2)]
CALLS = {
    dice: COMMAND.validate_python(
        {"id": "roll", "at": "2026-11-28T20:00:00Z", "table": "CR01", "do": "roll", "dice": dice}
        | {"by": {"badge": "B-1", "role": "stickman"}}
    )
    for dice in THROWS
}
FACES = {total: next(dice for dice in THROWS if sum(dice) == total) for total in range(2, 13)}
SIX_POINTS, TEN_POINTS = (4, 5, 6, 8, 9, 10), (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
HOUSES: dict[str, tuple[str, dict[str, Any], tuple[int, ...]]] = {
    IOWA: (IOWA, {}, SIX_POINTS),
    PENNSYLVANIA: (PENNSYLVANIA, {}, TEN_POINTS),
    INDIANA: (INDIANA, {"paytable": "reference"}, SIX_POINTS),
    PARTY: (PARTY, {}, SIX_POINTS),
    "casino-party, read for one": (PARTY, {"notation": "for"}, SIX_POINTS),
    "pa-crapless, commission on a win": (
        PENNSYLVANIA,
        {"vig": {"rate": "1/20", "on_win": list(TEN_POINTS)}},
        TEN_POINTS,
    ),
    "in-68-iac-10-4, with a house list": (
        INDIANA,
        {"paytable": "reference", "off_on_come_out": ["place", "lay"]},
        SIX_POINTS,
    ),
}
GATHERED = {"all_small": (2, 3, 4, 5, 6), "all_tall": (8, 9, 10, 11, 12), "all_or_nothing": TEN_POINTS}
LINES = ("pass", "dont_pass", "put_pass")
BOXES = ("come", "dont_come")


class Fate(NamedTuple):
    """What a throw does to a wager: the settlement, and where it moved."""

    outcome: str | None = None
    net: int = 0
    credit: int = 0
    moved_to: int | None = None


class Row(NamedTuple):
    """One line of the table: a wager with its particulars, where it lies, and its fate in words."""

    house: str
    kind: str
    particular: str
    where: str
    words: str


def rows() -> Iterator[Row]:
    house = ""
    table = Path(__file__).parent.parent / "data" / "every_throw.txt"
    for line in table.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            house = line.strip("[]")
        elif line and not line.startswith("#"):
            wager, where, words = (part.strip() for part in line.split("|"))
            kind, *particulars = wager.split()
            yield from (Row(house, kind, particular, where, words) for particular in particulars or [""])


ROWS = list(rows())


@pytest.mark.parametrize("row", ROWS, ids=[" ".join(row[:4]).strip() for row in ROWS])
def test_every_throw_does_what_the_document_says(row: Row) -> None:
    tried = 0
    for puck, table in positions(row):
        before = vars(table.then([]))
        for dice in THROWS:
            assert thrown(dice, table) == expected(row, dice), (row, puck, dice)
            tried += 1
        assert vars(table) == before
    assert tried >= 36


def expected(row: Row, dice: tuple[int, int]) -> Fate:
    """The fate that the words give this throw; a wager that no clause names stays as it lies."""
    for clause in row.words.split("; "):
        said, _, price = clause.partition(" at ")
        *totals, verb = said.split()
        if any(names(word, row.particular, dice) for word in totals):
            return fate(verb, price, sum(dice))
    return Fate()


def names(word: str, particular: str, dice: tuple[int, int]) -> bool:
    """Whether a word of the table names this throw."""
    low, high = sorted(dice)
    own = particular.isdecimal() and int(particular) == low + high
    special = {"n": own, "pair": own and low == high, "easy": own and low != high, "rest": True}
    return special.get(word, word in (str(low + high), f"{low}-{high}"))


def fate(verb: str, price: str, total: int) -> Fate:
    if verb in ("win", "wins"):
        net = STAKE * Fraction(price.replace(" to ", "/"))
        assert net.denominator == 1, price
        return Fate("won", int(net), STAKE + int(net))
    fates = {
        "lose": Fate("lost", -STAKE, 0),
        "push": Fate("pushed", 0, STAKE),
        "return": Fate("returned", 0, STAKE),
        "move": Fate(moved_to=total),
    }
    return fates[{"loses": "lose", "pushes": "push"}.get(verb, verb)]


def thrown(dice: tuple[int, int], table: Table) -> Fate:
    """What the throw does to the wager x, of all that it does."""
    events = [event for event in decide(CALLS[dice], table) if getattr(event, "wager", None) == "x"]
    fates = [Fate(ev.outcome, ev.net, ev.credit) for ev in events if isinstance(ev, e.WagerSettled)]
    fates += [Fate(moved_to=event.to) for event in events if isinstance(event, e.WagerMoved)]
    assert len(fates) <= 1, fates
    return fates[0] if fates else Fate()


# ---------------------------------------- how the wager comes to lie there


def positions(row: Row) -> Iterator[tuple[str, Table]]:
    """Every table on which the row's wager x lies as the row says."""
    _, _, points = HOUSES[row.house]
    pucks = {
        "come-out": (None,),
        "On": (None,),
        "point": points,
        "box": points,
        "any": (None, *points),
        "made late": points,
        "fresh": (None,),
        "missing": (None,),
    }[row.where]
    base = row.kind.removeprefix("odds/")
    for puck in pucks:
        if base in LINES and row.particular and row.particular != str(puck):
            continue
        if base in BOXES and row.particular == str(puck):
            continue  # a come bet on the point's own number would have been decided by it
        pit = position(row, puck)
        if row.where == "On":
            pit.must("call", wager="x", on=True)
        assert pit.table.puck == puck or row.where == "missing"
        yield f"puck {puck}", pit.table


def position(row: Row, puck: int | None) -> Pit:
    rules, terms, _ = HOUSES[row.house]
    pit = Pit(rules=rules, terms=terms)
    if row.kind.startswith("odds/"):
        lay(pit, row._replace(kind=row.kind.removeprefix("odds/")), puck, "base")
        pit.bet("x", "odds", STAKE, on="base")
    else:
        lay(pit, row, puck, "x")
    return pit


def lay(pit: Pit, row: Row, puck: int | None, wager: str) -> None:
    """Lay the wager so that it is in its place with the puck where it should be."""
    if row.kind in BOXES and row.particular:
        travel(pit, row, puck, wager)
    elif row.kind in ("pass", "dont_pass") and puck and row.where != "made late":
        pit.bet(wager, row.kind, STAKE)
        pit.roll(*FACES[puck])
    elif row.kind in GATHERED:
        gather(pit, row, wager)
    else:
        if puck:
            pit.roll(*FACES[puck])
        pit.bet(wager, row.kind, STAKE, **particulars(row))


def travel(pit: Pit, row: Row, puck: int | None, wager: str) -> None:
    """A come or don't come bet goes to its number; then the point is made where the puck should be Off."""
    number = int(row.particular)
    point = puck or (5 if number == 4 else 4)
    pit.roll(*FACES[point])
    pit.bet(wager, row.kind, STAKE)
    pit.roll(*FACES[number])
    if puck is None:
        pit.roll(*FACES[point])


def gather(pit: Pit, row: Row, wager: str) -> None:
    """Throw every number of a bonus wager but the missing one."""
    pit.bet(wager, row.kind, STAKE)
    for number in GATHERED[row.kind] if row.particular else ():
        if number != int(row.particular):
            pit.roll(*FACES[number])


def particulars(row: Row) -> dict[str, Any]:
    if row.kind == "hop":
        return {"combo": [int(face) for face in row.particular.split("-")]}
    if row.kind == "horn_high":
        return {"high": int(row.particular)}
    if row.kind in ("put_come", "place", "buy", "lay", "hard"):
        return {"number": int(row.particular)}
    return {}


# ---------------------------------------- the puck and the shooter


@pytest.mark.parametrize("house", [IOWA, PENNSYLVANIA, INDIANA, PARTY])
def test_the_puck_and_the_dice_go_where_every_throw_sends_them(house: str) -> None:
    rules, terms, points = HOUSES[house]
    for puck, dice in product((None, *points), THROWS):
        pit = Pit(rules=rules, terms=terms)
        pit.must("shooter", player="P1")
        if puck:
            pit.roll(*FACES[puck])
        pit.roll(*dice)
        total = sum(dice)
        come_out = total if total in points else None
        decided = None if total in (puck, 7) else puck
        assert pit.table.puck == (come_out if puck is None else decided), (puck, dice)
        assert pit.table.shooter == (None if puck and total == 7 else "P1"), (puck, dice)


# ---------------------------------------- what the documents do not list

PARTICULARS: dict[str, list[dict[str, Any]]] = {
    "hop": [{"combo": [low, high]} for low in range(1, 7) for high in range(1, 7)],
    "horn_high": [{"high": total} for total in range(2, 13)],
    **{
        kind: [{"number": total} for total in range(2, 13)]
        for kind in ("put_come", "place", "buy", "lay", "hard")
    },
}
KINDS = (
    "pass dont_pass come dont_come put_pass put_come place buy lay hard field any_seven any_craps craps_2 "
    "craps_3 craps_12 eleven horn horn_high world high_low c_and_e big_6 big_8 hop all_small all_tall "
    "all_or_nothing fire place_to_lose repeater hot_hand buy_to_lose muggsy"
).split()


@pytest.mark.parametrize("house", [IOWA, PENNSYLVANIA, INDIANA, PARTY])
def test_what_a_document_does_not_list_is_never_booked(house: str) -> None:
    rules, terms, _ = HOUSES[house]
    listed = {
        (row.kind, row.particular if row.kind in PARTICULARS else "") for row in ROWS if row.house == house
    }
    for kind in KINDS:
        for said in PARTICULARS.get(kind, [{}]):
            particular = "-".join(str(x) for x in sorted(said.get("combo", said.values())))
            for point in (None, 6):
                pit = Pit(rules=rules, terms=terms)
                if point:
                    pit.roll(*FACES[point])
                answer = pit.say("bet", player="P1", wager="x", kind=kind, amount=STAKE, **said)
                refused = getattr(getattr(answer, "reason", None), "value", None)
                if (kind, particular) not in listed:
                    assert refused == "NOT_OFFERED", (kind, said, answer)
                else:
                    assert refused in (None, "WRONG_PHASE"), (kind, said, answer)


@pytest.mark.parametrize(
    ("house", "bases", "none"),
    [
        (IOWA, {"pass", "put_pass", "come", "put_come", "dont_pass", "dont_come"}, "NO_BASE_WAGER"),
        (PENNSYLVANIA, {"pass", "come"}, "NO_BASE_WAGER"),
        (INDIANA, set(), "NOT_OFFERED"),
        (PARTY, set(), "NOT_OFFERED"),
    ],
)
def test_odds_go_behind_what_the_document_names_and_nothing_else(
    house: str, bases: set[str], none: str
) -> None:
    rules, terms, _ = HOUSES[house]
    for row in ROWS:
        if row.house == house and not row.kind.startswith("odds/") and row.where in ("point", "any"):
            pit = position(row, int(row.particular) if row.kind in LINES else 8)
            answer = pit.say("bet", player="P1", wager="odds", kind="odds", amount=STAKE, on="x")
            refused = getattr(getattr(answer, "reason", None), "value", None)
            assert refused == (None if row.kind in bases else none), (row, answer)
    pit = Pit(rules=rules, terms=terms)
    assert pit.no_bet("odds", STAKE, on="nothing") == none
