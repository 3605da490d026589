"""`pitledger rules`: what the houses offer, what it costs the player exactly, and how two houses differ."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from cli.output import Output, document_option, listing_options, print_document, print_rows
from cli.play import bet
from cli.rule_arguments import RATE, RULES
from cli.table_of_rows import Column, count, derived
from domain.rules import edges as exact
from domain.rules import shelf, words
from domain.rules.check import Fault, check
from domain.rules.pack import Pack

WRONG = 2
NO_MONEY = ""  # the currency of what has no amounts


@click.group()
def rules() -> None:
    """Show the houses' rules: wagers, prices, paragraphs, readings, exact edges.

    RULES is the id of a rule set (its newest version), ID@VERSION, or the file of a pack.

    \b
    Example:
        pitledger rules show ia-prairie-meadows
        pitledger rules edge pa-crapless --vig-rate 3%
    """


# ------------------------------------------------------------------------------------------ list and show

LIST = [
    Column("rules", "Rules"),
    count("version", "Version"),
    Column("title", "Title"),
    Column("authority", "Authority"),
    Column("in_force", "In force"),
    count("wagers", "Wagers"),
    count("readings", "Readings"),
]
LIST_FIELDS = (
    "rules version title authority cite in_force in_force_from in_force_until checked_on wagers readings"
).split()


@rules.command("list")
@listing_options
def list_(output: Output | None) -> None:
    """List the rule sets that a table can be opened with, every version of each.

    \b
    Example:
        pitledger rules list
    """
    print_rows(map(_identity, shelf.versions()), LIST, LIST_FIELDS, output, NO_MONEY)


def _identity(pack: Pack) -> dict[str, Any]:
    return {
        "rules": pack.id,
        "version": pack.version,
        "title": pack.title,
        "authority": pack.authority,
        "cite": pack.cite.strip(" ,"),
        "in_force": words.in_force(pack),
        "in_force_from": pack.in_force_from and pack.in_force_from.isoformat(),
        "in_force_until": pack.in_force_until and pack.in_force_until.isoformat(),
        "checked_on": pack.checked_on.isoformat(),
        "wagers": len(words.offers(pack)),
        "readings": len(pack.reading),
    }


@rules.command()
@click.argument("pack", metavar="RULES", type=RULES)
@document_option
def show(pack: Pack, as_json: bool) -> None:
    """Show what a house offers, with its paragraphs, and how its text is read where it has a defect.

    \b
    Example:
        pitledger rules show in-68-iac-10-4
    """
    if as_json:
        print_document(
            _identity(pack)
            | {
                "house": {what: term._asdict() for what, term in words.house(pack).items()},
                "procedure": words.procedure(pack),
                "wagers": [offer._asdict() for offer in words.offers(pack)],
                "readings": [reading.model_dump() for reading in pack.reading],
            }
        )
        return
    for line in _told(pack):
        click.echo(line)


def _told(pack: Pack) -> Iterable[str]:
    yield click.style(pack.title, bold=True)
    yield f"{pack.id}, version {pack.version}, {pack.authority}"
    yield f"Cited as {pack.cite.strip(' ,')}; checked against the text on {pack.checked_on}."
    yield ""
    yield from (f"  {what:20} {_with(*term)}" for what, term in words.house(pack).items())
    for offer in words.offers(pack):
        yield ""
        yield from _offered(offer)
    yield ""
    yield click.style("Procedure", bold=True)
    yield from (f"  {what:20} [{section}]" for what, section in words.procedure(pack).items())
    yield ""
    yield click.style("Readings", bold=True)
    for reading in pack.reading:
        yield f"  {reading.id:5} {reading.says}"
        yield f"        Read: {reading.reading}"
        yield f"        Why:  {reading.reason}"


def _with(said: str, section: str) -> str:
    """Words with the paragraph they come from.

    >>> _with("1 to 1", "(d)(1)"), _with("works", "")
    ('1 to 1 [(d)(1)]', 'works')
    """
    return f"{said} [{section}]" if said and section else said


def _offered(offer: words.Offer) -> Iterable[str]:
    yield f"{click.style(offer.name, bold=True)} ({offer.wager})"
    yield f"  Made   {_with(f'{offer.made}; {offer.decided}', offer.section)}"
    yield f"  Pays   {_with(offer.pays, offer.pays_section)}"
    if offer.commission:
        yield f"  Costs  {_with(offer.commission, offer.commission_section)}"
    unit, limits = _with(offer.unit, offer.unit_section), _with(offer.limits, offer.limits_section)
    yield f"  Terms  {'; '.join(filter(None, [unit, f'come-out: {offer.come_out}', offer.removal, limits]))}"


# ------------------------------------------------------------------------------------------ edge


def _wager(row: Mapping[str, Any]) -> str:
    """A wager as a dealer would say it, odds with what they support."""
    return bet({"kind": row["wager"], **row}) + (
        f" on {row['base'].replace('_', ' ')}" if row["base"] else ""
    )


EDGE = [
    derived("Wager", _wager),
    Column("commission", "Commission", lambda paid: (paid or "").replace("_", " ")),
    Column("edge_per_bet", "Per bet", right=True),
    Column("edge_per_bet_pct", "%", right=True),
    Column("edge_resolved", "Per bet resolved", right=True),
    Column("edge_resolved_pct", "%", right=True),
    Column("edge_per_roll", "Per roll", right=True),
    Column("edge_per_roll_pct", "%", right=True),
    Column("section", "Section"),
]
EDGE_FIELDS = (
    "wager number combo high commission edge_per_bet edge_resolved edge_on_outlay edge_per_roll base name "
    "edge_per_bet_pct edge_resolved_pct edge_on_outlay_pct edge_per_roll_pct p_win p_push rolls section "
    "rules version vig_rate notation paytable"
).split()


@rules.command()
@click.argument("pack", metavar="RULES", type=RULES)
@click.option("--vig-rate", type=RATE, help="The commission on buy and lay wagers: 1/20, 5%.")
@click.option(
    "--notation",
    type=click.Choice(["to", "for"]),
    default="to",
    help="How prices printed either way are read.",
)
@click.option(
    "--paytable", type=click.Choice(["reference"]), help="Whose payouts, where the document has none."
)
@listing_options
def edge(
    pack: Pack, vig_rate: Fraction | None, notation: str, paytable: str | None, output: Output | None
) -> None:
    """Show the exact edge of every wager, found by what settles real wagers at a table.

    A fraction of the stake, positive for the house: per bet, per bet resolved (pushes left out), and per roll
    that the wager works for. --json also has the edge on the outlay (commission counted in what is laid out).

    \b
    Example:
        pitledger rules edge casino-party --notation for
    """
    rate = Fraction(pack.limits.vig_rate) if vig_rate is None else vig_rate
    if not pack.limits.allows_rate(rate):
        raise click.UsageError(f"{pack.id} has a commission of {pack.limits.rate_in_words}, not {rate}")
    if pack.limits.needs_paytable:
        if paytable is None and output is None:  # programs see it in every row
            ours = "these are of our reference paytable, like tables opened with it"
            click.echo(f"{pack.id} gives no payouts; {ours}.", err=True)
        paytable = "reference"
    posted = {"rules": pack.id, "version": pack.version, "vig_rate": str(rate), "notation": notation}
    found = exact.edges(pack.as_posted(notation), rate)
    rows = (_edge(row) | posted | {"paytable": paytable} for row in found)
    print_rows(rows, EDGE, EDGE_FIELDS, output, NO_MONEY)


def _edge(row: exact.Edge) -> dict[str, Any]:
    figures = row.figures
    edges = {
        "edge_per_bet": figures.per_bet,
        "edge_resolved": figures.resolved,
        "edge_on_outlay": figures.on_outlay,
        "edge_per_roll": figures.per_roll,
    }
    return {
        "wager": row.kind,
        "number": row.number,
        "combo": row.combo and list(row.combo),
        "high": row.high,
        "commission": row.commission,
        **{name: str(figure) for name, figure in edges.items()},
        "base": row.base,
        "name": row.name,
        **{f"{name}_pct": exact.percent(figure) for name, figure in edges.items()},
        "p_win": str(figures.won),
        "p_push": str(figures.pushed),
        "rolls": str(figures.rolls),
        "section": row.section,
    }


# ------------------------------------------------------------------------------------------ diff

DIFF_FIELDS = ["wager", "what", "first", "second"]


@rules.command()
@click.argument("first", metavar="A", type=RULES)
@click.argument("second", metavar="B", type=RULES)
@listing_options
def diff(first: Pack, second: Pack, output: Output | None) -> None:
    """Show what differs between two houses, or two versions of one, wager by wager.

    \b
    Example:
        pitledger rules diff ia-prairie-meadows pa-crapless
    """
    columns = [
        Column("wager", "Wager", lambda wager: wager or "the table"),
        Column("what", "What"),
        Column("first", _called(first, second)),
        Column("second", _called(second, first)),
    ]
    found = (difference._asdict() for difference in words.differences(first, second))
    print_rows(found, columns, DIFF_FIELDS, output, NO_MONEY)


def _called(pack: Pack, beside: Pack) -> str:
    return f"{pack.id}@{pack.version}" if pack.id == beside.id else pack.id


# ------------------------------------------------------------------------------------------ check


@rules.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@document_option
@click.pass_context
def check_(ctx: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Check rule packs before a table is opened with them; says nothing where they are right.

    \b
    Example:
        pitledger rules check new-house.toml
    """
    found = [(file, fault) for file in files for fault in _faults(file)]
    if as_json:
        print_document([{"file": str(file), **fault._asdict()} for file, fault in found])
    else:
        for file, fault in found:
            click.echo(f"{file}:{fault.line}: {fault.message}")
    ctx.exit(WRONG if found else 0)


def _faults(file: Path) -> list[Fault]:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror}") from None
    try:
        return check(content.decode())
    except UnicodeDecodeError as error:
        return [Fault(content[: error.start].count(b"\n") + 1, "not UTF-8")]
