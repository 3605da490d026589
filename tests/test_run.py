"""`./run` from a fresh clone to a running program; a stand-in for Python keeps the network out of it."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ("cat", "cksum", "cut", "dirname", "grep", "id", "mkdir", "mv", "rm", "sh", "tail", "touch")
TELLS_WHAT_IT_DOES = """\
case "$*" in
    *sys.version_info*) ;;
    "-m venv "*)
        echo venv >>"$STORY"
        mkdir -p "$3/bin"
        cp "$0" "$3/bin/python"
        echo '#!/bin/sh
echo "pitledger $*" >>"$STORY"' >"$3/bin/pitledger"
        chmod +x "$3/bin/pitledger"
        ;;
    *"-m pip install"*)
        echo "install ${*##*/}" >>"$STORY"
        [ ! -e "$STORY.killed" ] || { rm "$STORY.killed"; kill -9 "$PPID"; }
        [ ! -e "$STORY.offline" ] || { echo "NewConnectionError: no route"; exit 1; }
        ;;
    "-m pytest"*) echo "pytest" >>"$STORY" ;;
esac
"""


class Checkout:
    """A copy of what `./run` needs, the commands it may use, and the story of what it did."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a clone"
        self.path = folder / "bin"
        self.story = folder / "story"
        self.cache = folder / "cache"
        self.folder.mkdir()
        self.path.mkdir()
        for file in ("run", "pyproject.toml", "constraints.txt"):
            shutil.copyfile(ROOT / file, self.folder / file)  # not its mode: a checkout may be read-only
        (self.folder / "run").chmod(0o755)
        for tool in (*TOOLS, "chmod", "cp"):
            (self.path / tool).symlink_to(str(shutil.which(tool)))

    def has_python(self, script: str = TELLS_WHAT_IT_DOES) -> None:
        python = self.path / "python3"
        python.write_text(f"#!{self.path}/sh\n{script}")
        python.chmod(python.stat().st_mode | stat.S_IXUSR)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        known = {
            "PATH": str(self.path),
            "STORY": str(self.story),
            "XDG_CACHE_HOME": str(self.cache),
            "PITLEDGER_HOME": str(self.folder / "home"),
        }
        return subprocess.run(
            [self.folder / "run", *arguments], env=known, capture_output=True, text=True, check=False, cwd="/"
        )

    def told(self) -> list[str]:
        """What was done since this was last asked."""
        lines = self.story.read_text().splitlines() if self.story.exists() else []
        self.story.unlink(missing_ok=True)
        return lines


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    checkout = Checkout(tmp_path)
    checkout.has_python()
    yield checkout
    checkout.folder.chmod(0o755)


def test_alone_it_says_what_it_can_do(checkout: Checkout) -> None:
    said = checkout.run()
    assert said.returncode == 0
    assert "./run demo" in said.stdout
    assert "./run test" in said.stdout
    assert checkout.told() == []
    assert not (checkout.folder / ".pitledger").exists()


def test_a_word_it_does_not_know_is_misuse(checkout: Checkout) -> None:
    said = checkout.run("dmeo")
    assert said.returncode == 2
    assert "usage: ./run" in said.stderr


def test_the_first_demo_sets_up_and_the_second_only_plays(checkout: Checkout) -> None:
    assert checkout.run("demo", "--quiet").returncode == 0
    assert checkout.told() == ["venv", "install a clone", "pitledger demo --quiet"]
    assert checkout.run("demo").returncode == 0
    assert checkout.told() == ["pitledger demo"]


def test_the_tests_add_their_tools_to_what_the_demo_made(checkout: Checkout) -> None:
    checkout.run("demo")
    checkout.told()
    checkout.run("test")
    assert checkout.told() == ["install a clone[dev]", "pytest"]
    checkout.run("demo")
    assert checkout.told() == ["pitledger demo"]


def test_any_command_of_the_program_can_be_run_on_the_demos_ledger(checkout: Checkout) -> None:
    checkout.run("demo")
    checkout.told()
    checkout.run("pitledger", "balances", "--json")
    assert checkout.told() == ["pitledger balances --json"]


@pytest.mark.parametrize("file", ["pyproject.toml", "constraints.txt"])
def test_other_dependencies_are_set_up_afresh(checkout: Checkout, file: str) -> None:
    checkout.run("demo")
    checkout.told()
    with (checkout.folder / file).open("a") as end:
        end.write("# another word\n")
    checkout.run("demo")
    assert checkout.told() == ["venv", "install a clone", "pitledger demo"]


def test_a_set_up_that_was_killed_is_begun_again(checkout: Checkout) -> None:
    checkout.story.with_suffix(".killed").touch()
    assert checkout.run("demo").returncode < 0
    assert checkout.told() == ["venv", "install a clone"]
    assert checkout.run("demo").returncode == 0
    assert checkout.told() == ["venv", "install a clone", "pitledger demo"]


def test_tests_killed_while_adding_their_tools_leave_no_half_made_environment(checkout: Checkout) -> None:
    checkout.run("demo")
    checkout.story.with_suffix(".killed").touch()
    assert checkout.run("test").returncode < 0
    checkout.told()
    checkout.run("demo")
    assert checkout.told() == ["venv", "install a clone", "pitledger demo"]


def test_an_environment_whose_python_is_gone_is_made_again(checkout: Checkout) -> None:
    checkout.run("demo")
    checkout.told()
    (checkout.folder / ".pitledger/venv/bin/python").unlink()
    checkout.run("demo")
    assert checkout.told() == ["venv", "install a clone", "pitledger demo"]


def test_without_a_python_one_line_says_what_to_install(checkout: Checkout) -> None:
    (checkout.path / "python3").unlink()
    said = checkout.run("demo")
    assert said.returncode == 1
    assert said.stderr.startswith("run: needs Python 3.11 or newer")
    assert said.stderr.count("\n") == 1


def test_a_python_that_is_too_old_or_only_pretends_is_passed_by(checkout: Checkout) -> None:
    checkout.has_python("echo hello from a shim; exit 1")
    said = checkout.run("demo")
    assert said.returncode == 1
    assert "hello" not in said.stdout + said.stderr
    assert said.stderr.startswith("run: needs Python 3.11 or newer")


def test_without_a_network_one_line_says_so(checkout: Checkout) -> None:
    checkout.story.with_suffix(".offline").touch()
    said = checkout.run("demo")
    assert said.returncode == 1
    assert "is there a network?" in said.stderr.splitlines()[-1]
    assert "pitledger demo" not in checkout.told()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_checkout_is_set_up_in_the_users_cache(checkout: Checkout) -> None:
    checkout.folder.chmod(0o555)
    assert checkout.run("demo").returncode == 0
    assert checkout.told() == ["venv", "install a clone", "pitledger demo"]
    assert list(checkout.cache.glob("pitledger/*/venv/bin/pitledger"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_in_somebody_elses_checkout_nothing_is_left(checkout: Checkout) -> None:
    os.chown(checkout.folder, 65534, 65534)
    before = sorted(checkout.folder.iterdir())
    assert checkout.run("demo").returncode == 0
    assert sorted(checkout.folder.iterdir()) == before
    assert list(checkout.cache.glob("pitledger/*/venv/bin/pitledger"))
