"""Stop the embedded server once nobody has held a lease on it for a while.

`python -I -S watchdog.py HOME` runs apart from every client, on the standard library alone. A lease is a
shared `flock` on HOME/leases.lock, which the kernel drops however its holder dies. The file says how many
seconds the server may linger after the last one. Who holds it exclusively knows that nobody uses the server.
"""

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

LEASES = "leases.lock"  # shared: one holder per client that uses the server
WATCH = "watch.lock"  # exclusive: the one watchdog of this home
POLL = 0.2  # seconds
SOCKET_PATH = 100  # bytes of a socket's path: Linux allows 107, macOS 103


def lock(descriptor: int, mode: int) -> bool:
    """Whether `descriptor` got its flock; False only where `mode` says not to wait."""
    try:
        fcntl.flock(descriptor, mode)
    except BlockingIOError:
        return False
    return True


def note(descriptor: int, word: str) -> None:
    """Write `word` into a lock file (how long to linger, or who watches), at once: none is read in part."""
    os.pwrite(descriptor, f"{word:<31}\n".encode(), 0)


def noted(descriptor: int) -> str:
    """The word that was noted last."""
    return os.pread(descriptor, 32, 0).decode()


def cluster_name(home: Path) -> str:
    """The mark that this home's postmaster carries on its command line."""
    return "pitledger-" + hashlib.sha256(os.fsencode(home)).hexdigest()[:12]


def socket_folder(home: Path) -> Path:
    """Where to connect: the data directory, or a short way to it where libpq cannot take its path."""
    data = home / "data"
    path = os.fsencode(data / ".s.PGSQL.5432")
    if len(path) <= SOCKET_PATH and b"," not in path:  # a comma would part two hosts
        return data
    return Path("/tmp", cluster_name(home))


def postmaster(home: Path) -> int | None:
    """The pid of this home's running postmaster. The pid file alone proves nothing: pids are used again."""
    try:
        pid = int((home / "data" / "postmaster.pid").read_bytes().split(b"\n", 1)[0])
    except (OSError, ValueError):
        return None
    return pid if serves(pid, home) else None


def serves(pid: int, home: Path) -> bool:
    """Whether process `pid` is alive (a zombie is not) and is the postmaster of `home`."""
    return f"cluster_name={cluster_name(home)}".encode() in _command_line(pid)


def _command_line(pid: int) -> bytes:
    if not os.path.exists("/proc/self/cmdline"):  # macOS
        listing = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
        return subprocess.run(listing, capture_output=True, check=False).stdout
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def stop(pid: int, home: Path) -> None:
    """Shut the postmaster down (sessions end, what is committed is safe) and wait until it is gone."""
    # Where its home is gone a fast shutdown would wait for what can no longer be written.
    how = signal.SIGINT if home.exists() else signal.SIGQUIT
    if serves(pid, home):
        os.kill(pid, how)
    while serves(pid, home):
        time.sleep(0.01)
    if socket_folder(home) != home / "data":
        with suppress(OSError):  # gone already, or root's
            socket_folder(home).unlink()


def watch(home: Path, watching: int) -> None:
    """Stop the server when it is wanted no longer (nobody can come to use it then) or its home is gone."""
    leases = os.open(home / LEASES, os.O_RDWR)
    server, last_use = None, time.monotonic()
    while _is_still(home / WATCH, watching):
        server = postmaster(home) or server
        if not lock(leases, fcntl.LOCK_EX | fcntl.LOCK_NB):
            last_use = time.monotonic()
        elif time.monotonic() - last_use >= _linger(leases):
            break
        else:
            lock(leases, fcntl.LOCK_UN)
        time.sleep(POLL)
    if server:
        stop(server, home)
    os.close(watching)  # before the leases: who gets one next must not take us for a living watchdog
    os.close(leases)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _linger(leases: int) -> float:
    """Seconds, at least one: the server of a client killed while starting it may have no pid file yet."""
    return max(1.0, float(noted(leases)))


def main(home: Path) -> None:
    """Watch `home` in a process of its own, unless someone does already."""
    watching = os.open(home / WATCH, os.O_RDWR)
    if not lock(watching, fcntl.LOCK_EX | fcntl.LOCK_NB):
        return
    if child := os.fork():
        note(watching, str(child))
    else:
        os.setsid()
        watch(home, watching)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
