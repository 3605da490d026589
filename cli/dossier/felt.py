"""Lays a craps table out on paper: where each box of the felt is, and each player's chips in it.

One side of a table as a dealer sees it: the numbers with the puck on top, come, field, don't pass and the
pass line that goes round the corner, and the stickman's propositions below. Lengths are units of the
drawing, which is as wide as `WIDTH`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from domain.money import dollars
from projections.telling import faces, spoken_bet

WIDTH, HEIGHT = 720, 704
GAP = 6
TOP = 178  # height of the number boxes
CENTRE = 432  # where the propositions begin
ACROSS, ROW = 5, 68
LARGEST, SMALLEST = 21, 8  # radius of a chip
COLOURS = 12  # of players; the page's style has them

PROPOSITIONS = (
    ("hard_6", "HARD 6", (3, 3)),
    ("hard_10", "HARD 10", (5, 5)),
    ("hard_8", "HARD 8", (4, 4)),
    ("hard_4", "HARD 4", (2, 2)),
    ("any_seven", "ANY SEVEN", None),
    ("craps_2", "TWO", (1, 1)),
    ("craps_3", "THREE", (1, 2)),
    ("craps_12", "TWELVE", (6, 6)),
    ("eleven", "ELEVEN", (5, 6)),
    ("any_craps", "ANY CRAPS", None),
    ("c_and_e", "C & E", None),
    ("horn", "HORN", None),
    ("horn_high", "HORN HIGH", None),
    ("world", "WORLD", None),
    ("high_low", "HI-LO", None),
    ("hop", "HOP", None),
    ("all_small", "ALL SMALL", None),
    ("all_or_nothing", "ALL OR NOTHING", None),
    ("all_tall", "ALL TALL", None),
    ("big", "BIG 6   BIG 8", None),
)
NAMES = {6: "SIX", 9: "NINE"}
_PRINTED_BESIDE = {"come": 130, "field": 300, "dont_pass": 236, "pass": 170}
_PRINTED_ABOVE = {"dont_come": 50, **dict.fromkeys(_PRINTED_BESIDE, 4)}
_ABOVE_CHIPS_ON_A_NUMBER, _ABOVE_A_PROPOSITION = 84, 24


class Box(NamedTuple):
    """A box of the felt: its name, where it is, what is printed on it; `dice` where faces are."""

    name: str
    x: int
    y: int
    width: int
    height: int
    label: str
    dice: tuple[int, int] | None = None


class Chip(NamedTuple):
    """A player's chips in a box; `fate` is what the roll did to them, `title` says it all in words."""

    x: int
    y: int
    radius: int
    amount: str
    letter: str
    colour: int
    title: str
    marks: tuple[str, ...]
    fate: str | None


class Puck(NamedTuple):
    """Where the puck lies, and which side is up."""

    x: int
    y: int
    on: bool


def boxes(numbers: Sequence[int]) -> list[Box]:
    """Every box of a felt with these numbers."""
    return [Box("dont_come", 0, 0, 90, TOP, "DON'T COME"), *_numbers(numbers), *_bands(), *_propositions()]


def _numbers(numbers: Sequence[int]) -> Iterable[Box]:
    left = 90 + GAP
    each = (WIDTH - left + GAP) // len(numbers) - GAP
    for place, number in enumerate(numbers):
        name = NAMES.get(number, str(number)) if each > 80 else str(number)
        yield Box(f"number_{number}", left + place * (each + GAP), 0, each, TOP, name)


def _bands() -> Iterable[Box]:
    """What is between numbers and propositions; the line boxes are where chips lie on the lines."""
    yield Box("come", 116, 184, WIDTH - 116, 60, "COME")
    yield Box("field", 116, 250, WIDTH - 116, 58, "FIELD  2 · 3 · 4 · 9 · 10 · 11 · 12")
    yield Box("dont_pass", 116, 314, WIDTH - 116, 48, "DON'T PASS BAR")
    yield Box("pass", 60, 368, WIDTH - 60, 52, "PASS LINE")


def _propositions() -> Iterable[Box]:
    each = (WIDTH + GAP) // ACROSS - GAP
    for place, (name, label, dice) in enumerate(PROPOSITIONS):
        row, column = divmod(place, ACROSS)
        yield Box(name, column * (each + GAP), CENTRE + row * ROW, each, ROW - GAP, label, dice)


def chips(layout: Mapping[str, Any], letters: Mapping[str, str], fates: Iterable[Any] = ()) -> list[Chip]:
    """The chips of a layout as `projections.felt` gives it; `letters` say which player has which letter."""
    became = {fate["wager"]: fate["fate"] for fate in fates}
    lying: dict[str, list[Any]] = {}
    for wager in sorted(layout["wagers"], key=lambda wager: wager["player"]):
        where = "big" if wager["box"] in ("big_6", "big_8") else wager["box"]
        lying.setdefault(where, []).append(wager)
    there = {box.name: box for box in boxes(layout["numbers"])}
    return [
        _chip(wager, spot, letters, became.get(wager["wager"]))
        for name, wagers in lying.items()
        for wager, spot in zip(wagers, _spots(there[name], len(wagers)), strict=True)
    ]


def _spots(box: Box, count: int) -> list[tuple[int, int, int]]:
    """Centres and radius of `count` chips in a box, below or beside what is printed on it."""
    top = box.y + _printed_above(box)
    left = box.x + _PRINTED_BESIDE.get(box.name, 4)
    width, height = box.x + box.width - left, box.y + box.height - top
    radius = LARGEST
    while radius > SMALLEST and (width // (2 * radius + 2)) * (height // (2 * radius + 2)) < count:
        radius -= 1
    step = 2 * radius + 2
    across = max(1, width // step)
    return [
        (left + radius + n % across * step, top + radius + n // across * step, radius) for n in range(count)
    ]


def _printed_above(box: Box) -> int:
    usual = _ABOVE_CHIPS_ON_A_NUMBER if box.name.startswith("number_") else _ABOVE_A_PROPOSITION
    return _PRINTED_ABOVE.get(box.name, usual)


def _chip(
    wager: Mapping[str, Any], spot: tuple[int, int, int], letters: Mapping[str, str], fate: str | None
) -> Chip:
    said = spoken_bet(wager["kind"], wager["number"], wager["combo"], wager["high"])
    amount = dollars(wager["amount"])
    marks = _marks(wager)
    title = ", ".join([f"{wager['player']}: {said} {amount}", *marks, *([fate] if fate else [])])
    letter = letters[wager["player"]]
    short = amount.removesuffix(".00").replace(",", "")
    return Chip(*spot, short, letter, list(letters).index(wager["player"]) % COLOURS, title, marks, fate)


def _marks(wager: Mapping[str, Any]) -> tuple[str, ...]:
    """What lies on the chips or is known of them: the On marker, off, whose they are, what they are."""
    kinds = {
        "odds": "odds",
        "buy": "buy",
        "lay": "lay",
        "place": "place",
        "put_come": "put",
        "put_pass": "put",
    }
    which = faces(wager["combo"]) or (str(wager["high"]) if wager["high"] else "")
    named = kinds.get(wager["kind"]) or which or {"big_6": "6", "big_8": "8"}.get(wager["kind"], "")
    state = ["ON"] * wager["on"] + ["off"] * (not wager["working"]) + ["dealers"] * wager["for_dealers"]
    return tuple(filter(None, [named, *state]))


def puck(layout: Mapping[str, Any]) -> Puck:
    """Where the puck lies: on its number, or Off at the don't come."""
    name = "dont_come" if layout["puck"] is None else f"number_{layout['puck']}"
    box = next(box for box in boxes(layout["numbers"]) if box.name == name)
    return Puck(
        box.x + box.width // 2,
        box.y + (box.height - 28 if layout["puck"] is None else 24),
        layout["puck"] is not None,
    )


def letters(players: Iterable[str]) -> dict[str, str]:
    """A letter for each player; after Z come AA, AB, ..."""
    found = {}
    for place, player in enumerate(sorted(players)):
        first, second = divmod(place, 26)
        found[player] = (chr(64 + first) if first else "") + chr(65 + second)
    return found
