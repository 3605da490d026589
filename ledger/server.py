"""The embedded PostgreSQL: a server of the user's own, up while somebody holds a lease on it.

Everything lies in PITLEDGER_HOME: the cluster in `data`, what the server says in `server.log`, lock files.
All processes on one home share one server on a Unix socket inside `data`. The first to need it makes and
starts it; the watchdog stops it when nobody does. No pid file is believed: a server is up when it answers,
and a process is ours when its command line says so.
"""

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import psycopg
from psycopg import pq

from ledger import watchdog
from ledger.errors import LedgerError
from ledger.programs import (
    WHAT_ELSE,
    Account,
    Programs,
    account_for,
    appearing,
    circumstances,
    clear_leftovers,
    locate,
    run_as,
)

START = "start.lock"  # exclusive: who starts or stops the server or its watchdog; asked for after leases.lock
LOCKS = (watchdog.LEASES, watchdog.WATCH, START)
ELSEWHERE = f"set PITLEDGER_HOME to another folder, or {WHAT_ELSE}"
LINGER = 5.0  # seconds the server stays up after the last lease, unless PITLEDGER_LINGER says otherwise
# Reached through the data directory alone; fsync and all that makes a commit last stays as it comes: on.
SETTINGS = (
    "listen_addresses=",
    "port=5432",
    "unix_socket_directories=.",
    "unix_socket_permissions=0700",
    "timezone=UTC",
    "log_timezone=UTC",
)
SESSIONS_END = 10.0  # seconds that the sessions of a killed postmaster may take to notice
KILLED_ONCE = 0.2  # seconds after which a server that ended while starting is no victim of some kill -9


class ServerStatus(NamedTuple):
    """What there is of an embedded server. `version` is the data's where none runs, None without data."""

    running: bool
    url: str
    data_directory: Path
    version: str | None
    pid: int | None


@contextmanager
def lease(home: Path | None = None) -> Iterator[str]:
    """The URL of the server of `home`, up for as long as the block lasts and PITLEDGER_LINGER seconds more.

    With PITLEDGER_LINGER=0 the last to leave stops the server before going on. Within the block this process
    knows none of libpq's PG* variables, which are meant for other servers. LedgerError: there can be none.
    """
    home, linger = _home(home), _linger()
    with _without_pg_variables():
        with _in_plain_words(home):
            leases, url = _take_lease(home, linger)
        try:
            yield url
        finally:
            _end_lease(home, leases, linger)


def status(home: Path | None = None) -> ServerStatus:
    """How the server of `home` is. Starts, makes and changes nothing."""
    home = _home(home)
    data, url = home / "data", _url(home)
    with _without_pg_variables(), _in_plain_words(home):
        if not _answers(url):
            made_by = _data_version(data)
            return ServerStatus(False, url, data, str(made_by) if made_by else None, None)
        with psycopg.connect(url) as conn:
            version = conn.info.parameter_status("server_version")
    return ServerStatus(True, url, data, version, watchdog.postmaster(home))


def stop(home: Path | None = None) -> bool:
    """Stop the server of `home`, whoever uses it. Whether there was one."""
    home = _home(home)
    if not (home / START).exists():
        return False
    with _in_plain_words(home), _locked(home / START):
        return _stop(home)


def _home(chosen: Path | None) -> Path:
    """The home meant, by one name whatever links lead to it: PITLEDGER_HOME, else where such data goes."""
    if named := chosen or os.environ.get("PITLEDGER_HOME"):
        return Path(named).resolve()
    if os.geteuid() == 0:
        return Path("/var/lib/pitledger")  # not root's own home, which PostgreSQL's account cannot enter
    return Path(os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser(), "pitledger").resolve()


def _linger() -> float:
    said = os.environ.get("PITLEDGER_LINGER") or LINGER
    try:
        return max(0.0, float(said))
    except ValueError:
        raise LedgerError(f"PITLEDGER_LINGER is a number of seconds, not {said!r}") from None


def _take_lease(home: Path, linger: float) -> tuple[int, str]:
    _prepare(home)
    leases = _open(home / watchdog.LEASES)
    try:
        watchdog.lock(leases, fcntl.LOCK_SH)  # waits while a server that nobody used is being stopped
        watchdog.note(leases, str(linger))
        with _locked(home / START):
            return leases, _up(home)
    except BaseException:
        os.close(leases)
        raise


def _end_lease(home: Path, leases: int, linger: float) -> None:
    # Where the home was deleted under us there are no locks left, and the watchdog has seen to the server.
    with _closing(leases), suppress(FileNotFoundError):
        last = linger == 0 and watchdog.lock(leases, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with _locked(home / START):
            if last:
                _stop(home)
            elif watchdog.postmaster(home):
                _ensure_watchdog(home)  # someone may have killed it


def _prepare(home: Path) -> None:
    """Make `home` and its lock files; as root, give them to the account that PostgreSQL runs as."""
    account = account_for(home / "data")
    for folder in reversed([folder for folder in (home, *home.parents) if not folder.exists()]):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o711 if account else 0o700)  # whatever the umask: the account has to pass through
    ours = [home] if set(os.listdir(home)) <= set(LOCKS) else []  # a folder with more in it is left as it is
    locks = [home / name for name in LOCKS]
    for path in locks:
        path.touch(mode=0o600)
    if account:
        for path in (*locks, *ours):
            os.chown(path, account.uid, account.gid, follow_symlinks=False)


def _up(home: Path) -> str:
    """Have the server of `home` watched and running, making it first where there is none."""
    url = _url(home)
    _ensure_watchdog(home)  # first: whoever dies from here on, the server will be stopped
    _ensure_short_cut(home)
    if not _answers(url):
        _start(home, url)
    return url


def _ensure_watchdog(home: Path) -> None:
    with _closing(_open(home / watchdog.WATCH)) as watching:
        if not watchdog.lock(watching, fcntl.LOCK_EX | fcntl.LOCK_NB):
            return  # someone watches
    command = [sys.executable, "-I", "-S", watchdog.__file__, str(home)]
    silent = subprocess.DEVNULL  # it outlives us and must not hold our pipes open
    subprocess.run(command, cwd="/", check=True, stdin=silent, stdout=silent, stderr=silent)


def _ensure_short_cut(home: Path) -> None:
    """Make the short way to the socket where the data directory's own path is too long for one."""
    short, data = watchdog.socket_folder(home), home / "data"
    if short == data or _leads_to(short, data):
        return
    short.unlink(missing_ok=True)  # in /tmp only its owner can: a stranger's is a PermissionError
    short.symlink_to(data)


def _leads_to(short: Path, data: Path) -> bool:
    made_by_one_we_trust = short.is_symlink() and short.lstat().st_uid in {0, os.geteuid()}
    return made_by_one_we_trust and short.readlink() == data


def _url(home: Path) -> str:
    # The port is said since libpq would take it from PGPORT otherwise.
    host = quote(str(watchdog.socket_folder(home)), safe="")
    return f"postgresql://pitledger@/postgres?host={host}&port=5432"


def _answers(url: str) -> bool:
    """Whether the server takes connections. Its socket lies in the data directory, so it is the right one."""
    return pq.PGconn.ping(f"{url}&connect_timeout=5".encode()) == pq.Ping.OK


def _start(home: Path, url: str) -> None:
    """Start the server, or wait for one that is on its way up or down already."""
    data, log = home / "data", home / "server.log"
    clear_leftovers(home)
    programs = locate(home, account_for(data), _data_version(data))
    if not data.exists():
        _initdb(programs, home)
    if log.exists() and not watchdog.postmaster(home):
        log.replace(home / "server.log.1")
    begun, launched = time.monotonic(), None
    while not _answers(url):
        if launched and not watchdog.serves(launched, home):
            _bear_with(log, begun)
            launched = None
        if not launched and not watchdog.postmaster(home):
            launched = _launch(programs, home)
        time.sleep(0.02)


def _initdb(programs: Programs, home: Path) -> None:
    """Make the cluster: sorted alike on every machine, open to whoever can reach its socket."""
    builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if programs.major >= 17 else []
    options = ["--username=pitledger", "--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums"]
    with appearing(home / "data") as partial:
        if programs.account:
            os.chown(partial, programs.account.uid, programs.account.gid)
        made = run_as(programs.account, programs.folder / "initdb", "--pgdata", partial, *options, *builtin)
        if made.returncode:
            raise LedgerError(f"{_why_not_made(made.stderr, home, programs.account)}: {ELSEWHERE}")


def _why_not_made(said: str, home: Path, account: Account | None) -> str:
    if account and "Permission denied" in said:
        return f"root cannot run PostgreSQL, and {account.name} cannot enter {home}"
    return said.strip().partition("\n")[0]


def _launch(programs: Programs, home: Path) -> int:
    """Start a postmaster; its pid. No child of ours, that it be no zombie of ours, and deaf to our Ctrl-C."""
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        _forget_stale_pid(home / "data" / name)
    settings = [*SETTINGS, f"cluster_name={watchdog.cluster_name(home)}"]
    postgres = str(programs.folder / "postgres")
    command = [postgres, "-D", str(home / "data"), *(f"--{setting}" for setting in settings)]
    shell = ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command]
    with _closing(_open(home / "server.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)) as log:
        how = circumstances(programs.account) | {"stderr": log, "start_new_session": True}
        return int(subprocess.run(shell, stdout=subprocess.PIPE, check=True, **how).stdout)


def _forget_stale_pid(pid_file: Path) -> None:
    """Remove a dead postmaster's pid file with a pid that something else has now: PostgreSQL believes it.

    Where the pid is nobody's it stays: PostgreSQL sees through it, and finds by it whether sessions remain.
    """
    try:
        os.kill(int(pid_file.read_bytes().split(b"\n", 1)[0]), 0)
    except (FileNotFoundError, ProcessLookupError):
        return
    except (PermissionError, ValueError):
        pass
    pid_file.unlink()


def _bear_with(log: Path, begun: float) -> None:
    """PostgreSQL ended instead of starting: bear with it for a moment, then raise what it said."""
    text = log.read_text(errors="replace")
    complaints = re.findall(r"(?:FATAL|PANIC):  (?!the database system is)(.*)", text)
    said = (complaints or text.splitlines() or ["it says nothing"])[-1]
    if time.monotonic() - begun > (SESSIONS_END if "still in use" in said else KILLED_ONCE):
        raise LedgerError(f"PostgreSQL does not start ({said}): see {log}, or {WHAT_ELSE}")
    time.sleep(KILLED_ONCE)


def _stop(home: Path) -> bool:
    """Stop server and watchdog, under START."""
    server = watchdog.postmaster(home)
    if server:
        watchdog.stop(server, home)
    with _closing(_open(home / watchdog.WATCH)) as watching:
        if not watchdog.lock(watching, fcntl.LOCK_EX | fcntl.LOCK_NB):
            with suppress(ProcessLookupError):  # it was just ending
                os.kill(int(watchdog.noted(watching)), signal.SIGTERM)
            watchdog.lock(watching, fcntl.LOCK_EX)
    return server is not None


def _data_version(data: Path) -> int | None:
    """The major version of the PostgreSQL that made `data`, None where there is none."""
    try:
        return int((data / "PG_VERSION").read_text())
    except FileNotFoundError:
        return None


def _open(path: Path, flags: int = os.O_RDWR) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)  # root must not be led to other files by a link


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with _closing(_open(path)) as descriptor:
        watchdog.lock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def _without_pg_variables() -> Iterator[None]:
    libpq = [name for name in os.environ if name.startswith("PG") and name != "PG_BIN"]
    hidden = {name: os.environ.pop(name) for name in libpq}
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def _in_plain_words(home: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, subprocess.SubprocessError, psycopg.Error) as problem:
        raise LedgerError(f"no server in {home} ({problem}): {ELSEWHERE}") from problem
