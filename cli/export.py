"""`pitledger export`: the nightly pack of a gaming day, for revenue audit and the accountants' own tools."""

from datetime import date
from pathlib import Path
from typing import Any

import click

from cli.day import STANDING_IN_WORDS
from cli.filters import DAY
from cli.house import House
from cli.output import document_option, print_document
from cli.progress import meter
from domain.policy.taxes import jurisdictions, template_of
from ledger.errors import LedgerError
from projections import day as days
from projections.day import Standing
from projections.day_events import range_of
from projections.follow import follow
from projections.pack.write import FORMATS, Order, Written, write
from projections.rows import Row

TRIES = 5  # at a moment in which nothing is stored for the day


@click.command()
@click.option("--day", type=DAY, required=True, help="The gaming day.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder of all packs; this one lies in <out>/<property>/<day>/v<version>.",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Another format beside CSV, which always is written. May be given several times.",
)
@click.option(
    "--detail", is_flag=True, help="The journal event by event, too: as CSV and in the formats of --format."
)
@click.option(
    "--tax",
    "taxes",
    type=click.Choice(jurisdictions()),
    multiple=True,
    help="A tax worksheet that no rule set of a table asks for by itself. May be given several times.",
)
@document_option
@click.pass_context
def export(
    ctx: click.Context,
    day: date,
    out: Path,
    formats: tuple[str, ...],
    detail: bool,
    taxes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write the pack of a gaming day: the master gaming report, journal, slips, counts and events.

    The same events give the same bytes. Where the figures have not changed since the last version, there is
    no new one, and what was not asked for before is added to it; where they have, the new version says what
    is different. Nothing is ever overwritten.

    \b
    Exits 0 when the day can be certified, 3 when exceptions are open, 4 when inputs are incomplete, 5 when
    figures that must agree do not. The pack is written all the same, and says so.

    \b
    Example:
        pitledger export --day 2026-11-28 --out exports --format xlsx --format hledger
        pitledger export --day 2026-11-28 --out exports --detail --tax nv
    """
    house: House = ctx.obj
    _must_have_taxed(taxes, day)
    with house.casino() as casino, house.books() as conn:
        _must_be_known(conn, day)
        for _ in range(TRIES):
            before = range_of(conn, day)
            found = days.status(conn, day, casino.missing(day))
            with meter(None, "reading the day") as progress:
                order = Order(day, out, formats, found["missing"], found["standing"], detail, taxes)
                follow(conn)
                if range_of(conn, day) == before:
                    written = write(conn, order, progress.reach)
                    break
        else:
            raise LedgerError(f"gaming day {day} is being written to: export it when the tables rest")
    _tell(written, found, as_json=as_json)
    ctx.exit(found["exit_code"])


def _must_be_known(conn: Any, day: date) -> None:
    if range_of(conn, day).last == 0:
        raise LedgerError(f"the ledger knows nothing of gaming day {day}")


def _must_have_taxed(taxes: tuple[str, ...], day: date) -> None:
    for jurisdiction in taxes:
        if template_of(jurisdiction, day) is None:
            raise LedgerError(f"{jurisdiction} has no tax worksheet for a gaming day as early as {day}")


def _tell(written: Written, found: Row, *, as_json: bool) -> None:
    if as_json:
        said = {"folder": str(written.folder), "version": written.version, "new": written.new}
        print_document({**said, "added": written.added, "manifest": written.manifest})
        return
    for one in found["missing"]:
        click.echo(f"  {one['kind']:<10}{one['text']}", err=True)
    click.echo(f"{STANDING_IN_WORDS[Standing(found['exit_code'])].capitalize()}.")
    if written.new:
        click.echo(f"Version {written.version} of {found['gaming_day']} is in {written.folder}.")
    else:
        also = f"; added to it: {', '.join(written.added)}" if written.added else ""
        click.echo(f"Nothing has changed since version {written.version}, in {written.folder}{also}.")
