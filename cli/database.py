"""`pitledger db` and `pitledger rebuild`: the ledger's database, and the projections made from it."""

from typing import Any

import click
from psycopg import Connection

from cli.house import DEMO, House, described
from cli.output import document_option, print_document
from cli.progress import meter
from ledger import migrations, server
from ledger.errors import LedgerError
from ledger.log import bring_up_to_date
from projections import follow


@click.group()
def db() -> None:
    """Make, look at and stop the database the ledger lives in.

    \b
    Example:
        pitledger --database postgresql://localhost/casino db init --property riverside
    """


@db.command()
@click.option("--property", "name", default=DEMO.name, show_default=True, help="The property's name.")
@click.option("--currency", default=DEMO.currency, show_default=True, help="Its currency, in three letters.")
@click.option("--time-zone", default=DEMO.time_zone, show_default=True, help="Its time zone.")
@click.option(
    "--day-starts", default=DEMO.day_starts, show_default=True, help="The hour its gaming day begins."
)
@click.pass_obj
def init(house: House, name: str, currency: str, time_zone: str, day_starts: int) -> None:
    """Make the ledger of one property, or bring its schema to this program's version.

    What a ledger says of its property holds for ever; saying the same again changes nothing.

    \b
    Example:
        pitledger db init --property riverside --currency USD --time-zone America/Chicago --day-starts 6
    """
    with house.server() as conn:
        migrations.migrate(conn)
        made = migrations.initialise(conn, name, currency, time_zone, day_starts)
    click.echo(f"The ledger is ready: {described(made)}.")


@db.command()
@document_option
@click.pass_obj
def status(house: House, as_json: bool) -> None:
    """Show which database this is, whose ledger is in it and how far its projections are. Starts no server.

    \b
    Example:
        pitledger db status
    """
    found = _embedded() if house.is_embedded else {"server": "of the URL"}
    if found["server"] != "stopped":
        with house.server() as conn:
            found |= _ledger(conn)
    if as_json:
        print_document(found)
    else:
        for name, value in found.items():
            click.echo(f"{name:<12} {_in_words(value)}")


@db.command()
@click.pass_obj
def stop(house: House) -> None:
    """Stop the embedded server; the next command that needs it starts it again.

    \b
    Example:
        pitledger db stop
    """
    if not house.is_embedded:
        raise LedgerError("this server is not ours to stop: leave --database and DATABASE_URL away")
    click.echo("The server is stopped." if server.stop() else "No server was running.")


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_obj
def rebuild(house: House, names: tuple[str, ...]) -> None:
    """Make projections anew from the first event on: all, or those named.

    The old rows answer until the new ones take their place.

    \b
    Example:
        pitledger rebuild balances win
    """
    chosen = names or follow.NAMES
    if strangers := sorted(set(chosen) - set(follow.NAMES)):
        known = ", ".join(follow.NAMES)
        raise click.UsageError(f"there is no projection {', '.join(strangers)}: there is {known}")
    with house.ledger() as conn, meter(None, "rebuilding") as progress:
        head = follow.rebuild(conn, chosen, progress.reach)
    click.echo(f"Rebuilt {', '.join(chosen)} from {head:,} events.")


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(figure)}" for name, figure in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value or "none")


def _embedded() -> dict[str, Any]:
    found = server.status()
    return {
        "server": "running" if found.running else "stopped",
        "data": str(found.data_directory),
        "process": found.pid and str(found.pid),
        "postgresql": found.version,
    }


def _ledger(conn: Connection[Any]) -> dict[str, Any]:
    """What the database says of itself; a ledger that is not there is no fault here."""
    found: dict[str, Any] = {"postgresql": conn.info.parameter_status("server_version")}
    try:
        migrations.check(conn)
    except LedgerError as error:
        return found | {"ledger": str(error)}
    return found | {
        "ledger": described(migrations.property_of(conn)),
        "events": bring_up_to_date(conn),
        "projections": follow.positions(conn),
    }
