"""`pitledger`: the group of all commands, and the one place where what went wrong becomes an exit code."""

import os
import sys
from importlib import import_module
from typing import Any

import click
import psycopg

from cli.house import House
from ledger.errors import LedgerError

INTERRUPTED = 130  # as a shell says it of a program that was interrupted
_REFUSED = (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)
_FORESEEN = (LedgerError, OSError, psycopg.OperationalError, *_REFUSED)


COMMANDS = {
    "audit": "cli.audit",
    "balances": "cli.books",
    "day": "cli.day",
    "db": "cli.database",
    "demo": "cli.demo",
    "dispute": "cli.dispute",
    "disputes": "cli.disputes",
    "dossier": "cli.dossier",
    "export": "cli.export",
    "ingest": "cli.ingest",
    "layout": "cli.play",
    "log-schema": "cli.schema",
    "rebuild": "cli.database",
    "reconcile": "cli.reconcile",
    "replay": "cli.replay",
    "rolls": "cli.play",
    "rules": "cli.rules",
    "settlements": "cli.play",
    "surveil": "cli.surveil",
    "tables": "cli.play",
    "title31": "cli.title_31",
    "verify": "cli.verify",
    "wagers": "cli.wagers",
    "whatif": "cli.whatif",
    "win": "cli.books",
}
"""Where each command is: whoever asks about one roll does not wait for the others to be loaded."""


class _Pitledger(click.Group):
    """Says what can be foreseen to go wrong in one line; whatever else happens is a bug and shows itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (module := COMMANDS.get(cmd_name)) is None:
            return None
        command = getattr(import_module(module), cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command), command
        return command

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


@click.group(
    cls=_Pitledger, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.option("--database", metavar="URL", help="A PostgreSQL to use, not the embedded one.")
@click.version_option(package_name="pitledger", message="%(prog)s %(version)s")
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
