"""`pitledger verify`: whether anybody has touched the ledger since it was written."""

from typing import Any

import click

from cli.house import House
from cli.output import document_option, print_document
from ledger import proofs
from ledger.log import bring_up_to_date

TAMPERED = 5  # exit code


@click.command()
@document_option
@click.pass_context
def verify(ctx: click.Context, as_json: bool) -> None:
    """Recompute every hash of the ledger and check that nothing is missing, moved or changed.

    Exits 0 when nothing is wrong, 5 when something is; each fault is one line on standard error.

    \b
    Example:
        pitledger verify
    """
    house: House = ctx.obj
    with house.ledger() as conn:
        events = bring_up_to_date(conn)
        faults = [fault._asdict() for fault in proofs.faults(conn)]
    if as_json:
        print_document({"events": events, "faults": faults})
    else:
        _print(events, faults)
    ctx.exit(TAMPERED if faults else 0)


def _print(events: int, faults: list[dict[str, Any]]) -> None:
    for fault in faults:
        where = "the log" if fault["stream"] is None else f"{fault['stream']}, version {fault['version']}"
        click.secho(f"{where}: {fault['what']}", fg="red", err=True)
    found = f"faults: {len(faults):,}" if faults else "nothing is wrong"
    click.echo(f"{events:,} events verified; {found}.")
