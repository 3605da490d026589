"""`pitledger`: the group of all commands, and the one place where what went wrong becomes an exit code."""

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click
import psycopg

from cli.audit import audit
from cli.books import balances, win
from cli.database import db, rebuild
from cli.day import day
from cli.demo import demo
from cli.dispute import dispute
from cli.disputes import disputes
from cli.dossier import dossier
from cli.export import export
from cli.house import House
from cli.ingest import ingest
from cli.play import layout, rolls, settlements, tables
from cli.reconcile import reconcile
from cli.replay import replay
from cli.rules import rules
from cli.schema import log_schema
from cli.title_31 import title31
from cli.verify import verify
from cli.wagers import wagers
from cli.whatif import whatif
from ledger.errors import LedgerError

INTERRUPTED = 130  # as a shell says it of a program that was interrupted
_REFUSED = (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)
_FORESEEN = (LedgerError, OSError, psycopg.OperationalError, *_REFUSED)


class _Pitledger(click.Group):
    """Says what can be foreseen to go wrong in one line; whatever else happens is a bug and shows itself."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:  # whoever read our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except _FORESEEN as error:
            raise click.ClickException(_one_line(error)) from None
        return answer


def _one_line(error: Exception) -> str:
    if isinstance(error, psycopg.Error):
        return f"the database stopped or refused ({' '.join(str(error).split())}): see to it, then try again"
    return str(error)


def _version() -> str:
    try:
        return version("pitledger")
    except PackageNotFoundError:
        return "of a checkout that is not installed"


@click.group(
    cls=_Pitledger, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.option("--database", metavar="URL", help="A PostgreSQL to use, not the embedded one.")
@click.version_option(_version(), message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context, database: str | None) -> None:
    """A ledger for craps pits: hand it a night's table log and get the books back.

    The ledger lives in the PostgreSQL that --database or DATABASE_URL names, else in an embedded one.

    \b
    Exit codes: 0 done, 1 error, 2 misuse or malformed lines, 3 some commands were refused, 5 the ledger was
    tampered with.

    \b
    Example:
        pitledger ingest night.jsonl
        pitledger balances
    """
    ctx.obj = House(database)
    if "NO_COLOR" in os.environ:
        ctx.color = False


for command in (
    *(ingest, balances, win, settlements, layout, rolls, tables),
    *(replay, wagers, whatif),
    *(dispute, disputes, dossier),
    *(reconcile, day, export, title31),
    *(audit, verify, log_schema, rules, rebuild, db, demo),
):
    main.add_command(command)
