"""Which database the ledger is in, and what is said where it cannot be used."""

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger import database, server
from ledger.database import connect, ledger_url, reach
from ledger.errors import LedgerError


@pytest.fixture
def own_home() -> Iterator[Path]:
    """The home of an embedded server that a test may set up as it likes."""
    with tempfile.TemporaryDirectory(prefix="pit-") as folder:
        yield Path(folder)
        server.stop(Path(folder))


def complaint(url: str) -> str:
    """What is said of the database at `url`, on one line."""
    with pytest.raises(LedgerError) as raised:
        connect(url)
    said = str(raised.value)
    assert "\n" not in said
    return said


def test_the_url_asked_for_comes_first_then_the_environments_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DATABASE_URL", "postgresql://environment/x")
    with ledger_url("postgresql://asked/x") as url:
        assert url == "postgresql://asked/x"
    with ledger_url(None) as url:
        assert url == "postgresql://environment/x"
    assert not (tmp_path / "home").exists()


def test_with_no_url_the_ledger_is_in_the_embedded_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "")
    monkeypatch.setenv("PGHOST", "nowhere.invalid")
    with ledger_url() as url, reach(url) as conn:
        assert server.status().running
        assert server.status().url == url
        assert conn.info.server_version >= 150000


def test_a_connection_commits_each_statement_by_itself(fresh_ledger: str) -> None:
    with connect(fresh_ledger) as conn:
        assert conn.autocommit


def test_no_answer_is_said_with_the_place_and_never_the_password() -> None:
    said = complaint("postgresql://boss:s3cret@127.0.0.1:1/pit?connect_timeout=3")
    assert said.startswith("database 'pit' at 127.0.0.1:1 does not answer (")
    assert said.endswith("): start its server, or correct the URL")
    assert "s3cret" not in said


@pytest.mark.parametrize("url", ["mysql://boss:s3cret@pit/x", "postgresql://boss:s3cret%zz@pit/x", "s3cret"])
def test_what_is_no_url_of_a_postgresql_is_said_without_repeating_it(url: str) -> None:
    said = complaint(url)
    assert said.endswith("write postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
    assert "s3cret" not in said


def test_a_database_that_is_not_there_is_said_with_its_name(server_url: str) -> None:
    name = f"none_{secrets.token_hex(8)}"
    said = complaint(make_conninfo(server_url, dbname=name))
    assert said.startswith(f"there is no database '{name}' at ")
    assert said.endswith(": create it (CREATE DATABASE), or correct the URL")


def test_a_wrong_password_or_an_unknown_user_is_told_to_correct_them(own_home: Path) -> None:
    with server.lease(own_home) as url, reach(url) as conn:
        conn.execute("CREATE ROLE boss LOGIN PASSWORD 's3cret'")
    server.stop(own_home)
    rules = own_home / "data" / "pg_hba.conf"
    rules.write_text(f"local all boss scram-sha-256\n{rules.read_text()}")
    with server.lease(own_home) as url:
        for user, password in (("boss", "guess"), ("boss", None), ("stranger", "guess")):
            said = complaint(make_conninfo(url, user=user, password=password))
            assert "does not let us in (" in said
            assert said.endswith("): correct user and password in the URL")
            assert "guess" not in said
        reach(make_conninfo(url, user="boss", password="s3cret")).close()


def test_a_server_that_is_too_old_is_said_with_its_version(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "OLDEST", 99)
    said = complaint(database_url)
    assert repr(conninfo_to_dict(database_url)["dbname"]) in said
    assert said.endswith(": use PostgreSQL 99 or newer")


def test_a_database_without_a_ledger_is_told_how_to_get_one(database_url: str) -> None:
    assert "pitledger db init" in complaint(database_url)


def test_a_ledger_of_a_newer_program_is_left_to_that_program(fresh_ledger: str) -> None:
    with reach(fresh_ledger) as conn:
        conn.execute("INSERT INTO pitledger.migrations (number, name) VALUES (9999, 'from the future')")
    assert "use a newer pitledger" in complaint(fresh_ledger)
