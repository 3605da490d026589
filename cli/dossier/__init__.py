"""`pitledger dossier`: the file of a dispute for a hearing, one page that needs nothing else."""

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cli.dossier import felt
from cli.house import House
from cli.output import document_option, print_document
from cli.progress import meter
from projections import dossier as disputed
from projections.rows import Row
from projections.telling import money_in

FOLDER = Path(__file__).parent
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}


@click.command()
@click.argument("name", metavar="DISPUTE")
@click.option(
    "-o",
    "--output",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the page; without it, DISPUTE.html here.",
)
@click.option(
    "--around",
    type=click.IntRange(0, 50),
    default=disputed.AROUND,
    show_default=True,
    help="How many rolls before and after.",
)
@document_option
@click.pass_obj
def dossier(house: House, name: str, path: Path | None, around: int, as_json: bool) -> None:
    """Write the file of a DISPUTE: one HTML page to read, print, send; it fetches nothing.

    \b
    Example:
        pitledger dossier D-1 -o D-1.html
        pitledger dossier D-1 --json
    """
    with house.books() as conn, meter(None, "other calls") as progress:
        found = disputed.facts(conn, name, around, progress.reach)
    if as_json:
        print_document(found)
        return
    path = path or Path(f"{name.replace(':', '-')}.html")
    path.write_text(page(found), encoding="utf-8")
    click.echo(f"{path}: dispute {name}, {len(found['rolls'])} rolls, {len(found['rests_on'])} events cited")


def page(found: Row) -> str:
    """The dossier as HTML; everything in `found` is text, whatever it looks like."""
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    rolls = [_shown(roll) for roll in found["rolls"]]
    letters = felt.letters({player for roll in rolls for player in _players(roll)})
    return (
        _paper()
        .get_template("page.html")
        .render(
            f={**found, "rolls": rolls},
            d=found["dispute"],
            facts=found,
            at=next(place for place, roll in enumerate(rolls) if roll["roll"] == found["roll"]),
            felt_boxes=felt.boxes(rolls[0]["before"]["numbers"]),
            letters=letters,
            colours={player: place % felt.COLOURS for place, player in enumerate(letters)},
            money=money_in(found["currency"]),
            style=(FOLDER / "page.css").read_text(encoding="utf-8"),
            script=script,
            script_hash=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
        )
    )


@cache
def _paper() -> Environment:
    """Templates in which every value is escaped, and one that is missing is an error."""
    paper = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    paper.globals.update(
        chips=felt.chips,
        puck=felt.puck,
        width=felt.WIDTH,
        height=felt.HEIGHT,
        centre=felt.CENTRE,
        line_top=felt.TOP + felt.GAP,
        pips=PIPS,
        words=_words,
        moment=_moment,
    )
    return paper


def _players(roll: Row) -> Iterator[str]:
    """Everybody whose chips are drawn or told of."""
    for lay in (roll["before"], roll["after"]):
        yield from lay["rails"]
        yield from (laid["player"] for laid in (*lay["wagers"], *lay["undeclared"]))
    yield from (fate["player"] for call in roll["calls"] for fate in call["fates"])


def _shown(roll: Row) -> Row:
    """A roll as the page tells it: decided wagers come first, the paragraph apart from the sum."""
    calls = []
    for call in roll["calls"]:
        fates = sorted(call["fates"], key=lambda fate: fate["fate"] == "undecided")
        calls.append({**call, "fates": [_fate(fate) for fate in fates]})
    return {**roll, "calls": calls}


def _fate(fate: Row) -> Row:
    section = fate.get("section")
    told = fate["text"].removesuffix(f", {section}") if section else fate["text"]
    return {"net": None, "position": None, "section": None, **fate, "told": told}


def _words(name: str | None) -> str:
    """A name of ours as people write it.

    >>> _words("shift_manager"), _words(None)
    ('shift manager', '')
    """
    return (name or "").replace("_", " ")


def _moment(at: str) -> str:
    """A moment on the property's clock, to the second.

    >>> _moment("2026-11-28T20:00:33-06:00")
    '2026-11-28 20:00:33'
    """
    return at[:19].replace("T", " ")
