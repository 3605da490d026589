"""Draws a table in the terminal so that a dealer recognises it: numbers and puck, lines, hardways, props."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from domain.money import dollars
from projections.felt import CENTRE
from projections.rows import Row
from projections.telling import faces, spoken_bet

PAPER = 140  # columns, where no terminal says otherwise
FELT = 100  # columns it takes, where there are so many
ACROSS = 6  # number boxes side by side; a felt with more has a second row
_NAMES = {6: "SIX", 9: "NINE"}
_HARDWAYS = ("hard_4", "hard_10", "hard_6", "hard_8")
_SHORT = {"place": "pl", "come": "come", "dont_come": "dc", "put_come": "put"}


def console() -> Console:
    """Where the felt is drawn: this terminal, or a file of plain text."""
    found = Console(highlight=False, markup=False, emoji=False)
    if not found.is_terminal:
        found = Console(highlight=False, markup=False, emoji=False, width=PAPER)
    return found


def draw(paper: Console, layout: Row) -> None:
    """Draw the layout as `projections.felt.layout` gives it."""
    paper.print(_felt(layout), width=min(paper.width, FELT))


def _felt(layout: Row) -> RenderableType:
    chips = _by_box(layout["wagers"])
    laid = [_undeclared(layout["undeclared"])] if layout["undeclared"] else []
    return Group(*_numbers(layout, chips), _lines(chips), *_centre(chips), _rails(layout["rails"]), *laid)


def _by_box(wagers: Iterable[Row]) -> dict[str, list[Row]]:
    """Whose chips lie in which box: a player's together, odds after the wager they support."""
    boxes: dict[str, list[Row]] = {}
    for wager in sorted(wagers, key=lambda wager: wager["player"]):
        boxes.setdefault(wager["box"], []).append(wager)
    return boxes


def _numbers(layout: Row, chips: dict[str, list[Row]]) -> Iterator[Table]:
    """The number boxes with the puck; Off, it lies at the don't come."""
    numbers: Sequence[int] = layout["numbers"]
    rows = -(-len(numbers) // ACROSS)
    across = -(-len(numbers) // rows)
    for row in range(rows):
        shown = numbers[row * across : (row + 1) * across]
        first = row == 0
        table = _ruled()
        corner = _headed("DON'T COME", "(OFF)" if first and layout["puck"] is None else "")
        table.add_column(corner if first else "", ratio=1)
        for number in shown:
            on = "(ON)" if layout["puck"] == number else ""
            table.add_column(_headed(_NAMES.get(number, str(number)), on), ratio=1)
        bar = _stack(chips.get("dont_come", [])) if first else Text()
        table.add_row(bar, *(_stack(chips.get(f"number_{number}", []), kinds=True) for number in shown))
        yield table


def _lines(chips: dict[str, list[Row]]) -> Table:
    """Come, field and the two lines, each the width of the table."""
    table = _ruled(show_header=False, show_lines=True)
    table.add_column(width=10)
    table.add_column(ratio=1)
    big = [(f"BIG {n}", f"big_{n}") for n in (6, 8) if f"big_{n}" in chips]
    lines = [("COME", "come"), ("FIELD", "field"), *big, ("DON'T PASS", "dont_pass"), ("PASS LINE", "pass")]
    for name, where in lines:
        table.add_row(Text(name, style="bold"), _row(chips.get(where, [])))
    return table


def _centre(chips: dict[str, list[Row]]) -> Iterator[Table]:
    """The hardways always; of the other propositions those that somebody has chips on."""
    others = [name for name in CENTRE if name in chips and name not in _HARDWAYS]
    for names in (_HARDWAYS, *_in_rows(others)):
        table = _ruled()
        for name in names:
            table.add_column(name.replace("_", " ").upper(), ratio=1)
        table.add_row(*(_stack(chips.get(name, [])) for name in names))
        yield table


def _in_rows(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), ACROSS):
        yield names[start : start + ACROSS]


def _rails(rails: dict[str, int]) -> Text:
    said = [f"{player} {_dollars(cents)}" for player, cents in rails.items()]
    return Text.assemble(("RAILS ", "bold"), ", ".join(said) or "no chips")


def _undeclared(laid: list[Row]) -> Text:
    said = [
        f"{one['player']} {_dollars(one['amount'])} on "
        f"{spoken_bet(one['kind'], one['number'], one['combo'], one['high'])} ({one['wager']})"
        for one in laid
    ]
    return Text.assemble(("CASH, UNDECLARED ", "bold"), ", ".join(said))


def _ruled(**options: Any) -> Table:
    return Table(box=box.SQUARE, expand=True, padding=(0, 0), header_style="bold", **options)


def _headed(name: str, puck: str) -> Text:
    return Text.assemble(name, "\n", (puck, "reverse" if puck == "(ON)" else "dim"))


def _stack(wagers: Iterable[Row], *, kinds: bool = False) -> Text:
    """Chips one above the other; `kinds` where more than one kind of wager lies in the box."""
    return Text("\n").join(_chips(wager, kinds=kinds or wager["kind"] == "odds") for wager in wagers)


def _row(wagers: Iterable[Row]) -> Text:
    """Chips side by side."""
    return Text(", ").join(_chips(wager, kinds=wager["kind"] in ("odds", "put_pass")) for wager in wagers)


def _chips(wager: Row, *, kinds: bool) -> Text:
    """Whose chips, what for, how much; `off` where the next roll cannot touch them."""
    kind = _SHORT.get(wager["kind"], wager["kind"].replace("_", " ")) if kinds else ""
    which = faces(wager["combo"]) or (str(wager["high"]) if wager["high"] else "")
    marks = ["dealers"] * wager["for_dealers"] + ["ON"] * wager["on"] + ["off"] * (not wager["working"])
    said = [wager["player"], kind, which, _dollars(wager["amount"]), *marks]
    return Text(" ".join(filter(None, said)), style="" if wager["working"] else "dim")


def _dollars(cents: int) -> str:
    """Chips as they are counted at a table.

    >>> _dollars(120000), _dollars(1250)
    ('1,200', '12.50')
    """
    return dollars(cents).removesuffix(".00")
