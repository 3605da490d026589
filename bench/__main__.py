"""`python -m bench [NAME...]`: measure, on a PostgreSQL of our own unless one is named; show the lines."""

import json
import pkgutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import signature
from pathlib import Path

import click
from rich.console import Console

import bench
from bench.lines import Line, table
from ledger import server

EVENTS = 100_000
WIDE = 160  # columns, where the output is no terminal


def names() -> list[str]:
    """The benchmarks there are: the modules of this package that can be run."""
    modules = (module.name for module in pkgutil.iter_modules(bench.__path__) if module.name != "__main__")
    return sorted(name for name in modules if hasattr(import_module(f"bench.{name}"), "run"))


@contextmanager
def postgres(database: str | None) -> Iterator[str]:
    """The server to measure on: the one named, else a new one with durable settings, gone afterwards."""
    if database:
        yield database
        return
    with tempfile.TemporaryDirectory(prefix="pitledger-bench-") as folder:
        home = Path(folder)
        try:
            with server.lease(home) as url:
                yield url
        finally:
            server.stop(home)


@click.command()
@click.argument("chosen", metavar="[NAME]...", nargs=-1)
@click.option("--database", metavar="URL", help="Measure on this server; makes and drops databases in it.")
@click.option(
    "--events", default=EVENTS, show_default=True, help="How many events the ledger holds where that matters."
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def main(chosen: tuple[str, ...], database: str | None, events: int, as_json: bool) -> None:
    """Measure the ledger beside plain PostgreSQL, all there is or the benchmarks named.

    \b
    Example:
        python -m bench append ingest --json
        python -m bench rebuild ask --events 1000000
    """
    known = names()
    if strangers := sorted(set(chosen) - set(known)):
        raise click.UsageError(f"no benchmark named {', '.join(strangers)}; there are {', '.join(known)}")
    with postgres(database) as url:
        lines = [line for name in chosen or known for line in measured(name, url, events)]
    if as_json:
        click.echo(json.dumps([line.as_json() for line in lines], indent=2))
    else:
        console = Console()
        console.print(table(lines), width=console.width if console.is_terminal else WIDE)


def measured(name: str, url: str, events: int) -> list[Line]:
    """The lines of one benchmark, saying on stderr which one is at work."""
    click.echo(f"measuring {name} ...", err=True)
    run = import_module(f"bench.{name}").run
    length = {"events": events} if "events" in signature(run).parameters else {}
    lines: list[Line] = run(url, **length)
    return lines


if __name__ == "__main__":
    main(prog_name="python -m bench")
