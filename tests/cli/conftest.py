"""`pitledger` as a clerk types it, on a ledger of the test's own."""

from collections.abc import Callable, Iterator
from importlib.resources import files

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from cli.main import main
from tests.cli import logs
from tests.conftest import _scratch

Pitledger = Callable[..., Result]


def at(url: str) -> Pitledger:
    """`pitledger` on the ledger at `url`."""

    def pitledger(*words: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, ["--database", url, *words], stdin, catch_exceptions=False)

    return pitledger


@pytest.fixture
def pitledger(fresh_ledger: str) -> Pitledger:
    """`pitledger` on an empty ledger."""
    return at(fresh_ledger)


@pytest.fixture(scope="session")
def empty(server_url: str, _ledger_template: str) -> Iterator[Pitledger]:
    """`pitledger` on an empty ledger that tests only read."""
    with _scratch(server_url, _ledger_template) as url:
        yield at(url)


@pytest.fixture(scope="session")
def short_night(server_url: str, _ledger_template: str) -> Iterator[Pitledger]:
    """`pitledger` on a ledger with one bet and one roll at CR01 in it; tests only read it."""
    with _scratch(server_url, _ledger_template) as url:
        assert at(url)("ingest", "-", stdin=logs.log(logs.SHORT_NIGHT)).exit_code == 0
        yield at(url)


@pytest.fixture(scope="session")
def night_url(server_url: str, _ledger_template: str) -> Iterator[str]:
    """A ledger with the demonstration's night in it; tests only read it."""
    with _scratch(server_url, _ledger_template) as url:
        assert at(url)("ingest", str(files("cli.demo").joinpath("ia-night.jsonl"))).exit_code == 0
        yield url


@pytest.fixture(scope="session")
def night(night_url: str) -> Pitledger:
    """`pitledger` on the demonstration's night."""
    return at(night_url)


def database_of(url: str) -> str:
    return str(conninfo_to_dict(url)["dbname"])
