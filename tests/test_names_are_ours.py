"""`domain`, `ledger`, `projections` and `cli` are anybody's words: here they must mean our packages."""

import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OURS = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def shipping_our_names(installed: Iterable[Distribution]) -> Iterator[tuple[str, str]]:
    """Every distribution but ours that ships a top-level module of one of our names, and the file."""
    for distribution in installed:
        for file in distribution.files or ():
            if file.parts[0].split(".")[0] in OURS and distribution.name != PROJECT["project"]["name"]:
                yield distribution.name, str(file)


def installed_in(folder: Path, name: str, *files: str) -> list[Distribution]:
    """A distribution `name` with `files`, as an installer would leave it in `folder`."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    return list(distributions(path=[str(folder)]))


def test_the_four_packages_are_the_four_of_the_architecture() -> None:
    assert OURS == ["domain", "ledger", "projections", "cli"]


def test_no_dependency_ships_one_of_our_names() -> None:
    assert list(shipping_our_names(distributions())) == []


@pytest.mark.parametrize("file", ["cli/__init__.py", "ledger.py", "domain.cpython-311-x86_64-linux-gnu.so"])
def test_a_dependency_that_ships_one_of_our_names_is_found(tmp_path: Path, file: str) -> None:
    stranger = installed_in(tmp_path, "stranger", "stranger/cli.py", file)
    assert list(shipping_our_names(stranger)) == [("stranger", file)]


def test_our_own_distribution_may_ship_them(tmp_path: Path) -> None:
    assert list(shipping_our_names(installed_in(tmp_path, "pitledger", "cli/__init__.py"))) == []


@pytest.mark.parametrize("package", OURS)
def test_importing_one_brings_ours(package: str) -> None:
    # As the installed program imports it: a fresh interpreter, without the folder it was started from.
    question = f"import {package}; print({package}.__file__)"
    answer = subprocess.run(
        [sys.executable, "-P", "-c", question], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert Path(answer.stdout.strip()).resolve() == ROOT / package / "__init__.py"
