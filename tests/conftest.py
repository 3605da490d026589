"""The PostgreSQL the tests run on, and fresh databases in it.

DATABASE_URL where it is set, else a container where a Docker engine answers, else the embedded server in a
temporary home; PITLEDGER_TEST_DB=url|docker|embedded insists. Tests make scratch databases and drop them;
they never touch what the server held before, nor the ledger of whoever runs them.
"""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from testcontainers.community.postgres import PostgresContainer

from ledger import migrations, server

ROOT = Path(__file__).parent.parent
PREFIX = f"pitledger_test_{os.getpid()}"
NUMBERS = itertools.count(1)
MEMORY = Path("/dev/shm")  # a file system without a disk, where there is one
ROOM = 2 << 30  # bytes
CHOSEN = pytest.StashKey[str]()
USERS_OWN_URL = os.environ.pop("DATABASE_URL", "")
# Docker's libraries leave their sockets to the garbage collector. PostgreSQL's driver has none of this kind.
DOCKERS_SOCKETS = "ignore:unclosed <socket:ResourceWarning"
INSISTED = os.environ.get("PITLEDGER_TEST_DB", "")


def pytest_configure(config: pytest.Config) -> None:
    if INSISTED not in {"", "url", "docker", "embedded"}:
        raise pytest.UsageError(f"PITLEDGER_TEST_DB is url, docker or embedded, not {INSISTED!r}")
    if INSISTED == "url" and not USERS_OWN_URL:
        raise pytest.UsageError("PITLEDGER_TEST_DB=url needs a DATABASE_URL")
    config.addinivalue_line("filterwarnings", DOCKERS_SOCKETS)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells the one who prints the summary what it ran on."""
    if told := getattr(session.config, "workeroutput", None):
        told["postgresql"] = session.config.stash.get(CHOSEN, "")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    if chosen := getattr(node, "workeroutput", {}).get("postgresql"):
        node.config.stash[CHOSEN] = chosen


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.write_line(f"PostgreSQL: {config.stash.get(CHOSEN, 'not needed')}")


@pytest.fixture(scope="session", autouse=True)
def _temporary_homes() -> Iterator[Path]:
    """Where embedded servers of this session live: no test can reach the ledger of whoever runs it."""
    folder = Path(tempfile.mkdtemp(prefix="pitledger-test-"))
    folder.chmod(0o711)  # for the account that PostgreSQL runs as where root runs the tests
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PITLEDGER_HOME", str(folder / "home"))
        yield folder
    for home in folder.iterdir():
        server.stop(home)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def _servers_home() -> Iterator[Path]:
    """Where the server of all tests lives: in memory where there is room and TMPDIR says nothing else.

    Each test has a database of its own, and on a disk making it takes longer than what is tested in it.
    """
    in_memory = "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    folder = Path(tempfile.mkdtemp(prefix="pitledger-test-", dir=MEMORY if in_memory else None))
    folder.chmod(0o711)
    yield folder / "server"
    server.stop(folder / "server")
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def server_url(pytestconfig: pytest.Config, _temporary_homes: Path, _servers_home: Path) -> Iterator[str]:
    """A database of the chosen server from which scratch databases can be made."""
    with _chosen(pytestconfig, _servers_home) as url:
        with psycopg.connect(url) as conn:
            version = conn.info.parameter_status("server_version")
        pytestconfig.stash[CHOSEN] = f"{version}, {pytestconfig.stash[CHOSEN]}"
        yield url


@contextmanager
def _chosen(config: pytest.Config, home: Path) -> Iterator[str]:
    if USERS_OWN_URL and INSISTED in {"", "url"}:
        config.stash[CHOSEN] = "of DATABASE_URL"
        yield USERS_OWN_URL
    elif INSISTED != "embedded" and (container := _container(config)):
        config.stash[CHOSEN] = "in a Docker container"
        try:
            yield str(container.get_connection_url())
        finally:
            container.stop()
    else:
        config.stash.setdefault(CHOSEN, "embedded")
        with server.lease(home) as url:
            yield url


def _container(config: pytest.Config) -> PostgresContainer | None:
    """A started container of the image that docker-compose.yml pins; None where Docker cannot give us one."""
    if not _docker_answers():
        _do_without_docker(config, "no engine answers")
        return None
    image = re.search(r"image:\s*(postgres:\S+)", (ROOT / "docker-compose.yml").read_text())
    assert image, "docker-compose.yml names no postgres image"
    try:
        return PostgresContainer(image[1], driver=None).start()
    except Exception as problem:  # no image, no network, no memory: any number of classes
        _do_without_docker(config, f"it answers but gives no container: {problem}")
        return None


def _docker_answers() -> bool:
    try:
        subprocess.run(["docker", "version"], capture_output=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _do_without_docker(config: pytest.Config, reason: str) -> None:
    if INSISTED == "docker":
        pytest.exit(f"PITLEDGER_TEST_DB=docker: {reason}", returncode=4)
    config.stash[CHOSEN] = f"embedded (Docker: {reason})"


def _scratch_url(server_url: str, name: str) -> str:
    """The URL of database `name` on the server of `server_url`, however that was written."""
    place = {key: value for key, value in conninfo_to_dict(server_url).items() if key != "dbname"}
    return f"postgresql:///{name}?{urlencode(place, quote_via=quote)}"


@contextmanager
def _scratch(server_url: str, template: str = "template0") -> Iterator[str]:
    """A database of our own, copied from `template` and dropped at the end."""
    name = f"{PREFIX}_{next(NUMBERS)}"
    with psycopg.connect(server_url, autocommit=True) as conn:
        conn.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
        try:
            yield _scratch_url(server_url, name)
        finally:
            conn.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    """A fresh database with nothing in it."""
    with _scratch(server_url) as url:
        yield url


@pytest.fixture(scope="session")
def _ledger_template(server_url: str) -> Iterator[str]:
    """The name of a database with an initialised, empty ledger in it, to be copied."""
    with _scratch(server_url) as url:
        with psycopg.connect(url, autocommit=True) as conn:
            migrations.migrate(conn)
            migrations.initialise(conn, "demo", "USD", "America/Chicago", 6)
        yield str(conninfo_to_dict(url)["dbname"])


@pytest.fixture
def fresh_ledger(server_url: str, _ledger_template: str) -> Iterator[str]:
    """A fresh database with the empty ledger of the demonstration's property in it."""
    with _scratch(server_url, _ledger_template) as url:
        yield url
