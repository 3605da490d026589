"""The embedded server: made, started, shared and stopped, whatever dies in between."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from ledger import programs, server, watchdog
from ledger.errors import LedgerError

ROOT = Path(__file__).parent.parent.parent
PACKAGES = Path(psycopg.__file__).parent.parent
# Enters the ledger, leaves a chip there, says how many lie there now, and stays until its input ends.
CLIENT = """
import sys, psycopg
from ledger import server
with server.lease() as url, psycopg.connect(url, autocommit=True) as conn:
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(7)")
        conn.execute("CREATE TABLE IF NOT EXISTS chips (chip integer)")
        conn.execute("INSERT INTO chips VALUES (1)")
        chips = conn.execute("SELECT count(*) FROM chips").fetchone()[0]
    print(chips, flush=True)
    for line in sys.stdin:
        print(conn.execute(line).fetchone()[0], flush=True)
"""


class Whom(NamedTuple):
    """Who uses the server: a Python that he can run, and `subprocess` arguments that make us him."""

    python: str
    identity: dict[str, Any]


@pytest.fixture
def whom(request: pytest.FixtureRequest) -> Whom:
    """Whoever runs the tests, or an ordinary user where that is root."""
    if getattr(request, "param", "ourselves") == "ourselves":
        return Whom(sys.executable, {})
    if os.geteuid() != 0:
        pytest.skip("whoever runs the tests is the ordinary user")
    nobody = pwd.getpwnam("nobody")
    identity = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        if _can_use_the_ledger(python, identity):
            return Whom(python, identity)
    pytest.skip("this Python or this checkout lies where no ordinary user can reach it")


for_root_and_others = pytest.mark.parametrize("whom", ["ourselves", "an ordinary user"], indirect=True)


def _can_use_the_ledger(python: str, identity: dict[str, Any]) -> bool:
    command = [python, "-c", "from ledger import server"]
    try:
        subprocess.run(command, env=_environment(), cwd="/", check=True, capture_output=True, **identity)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{PACKAGES}"} | more


class Client:
    """A process that uses the server of `home`."""

    def __init__(self, home: Path | str, whom: Whom, **variables: str) -> None:
        self.process: subprocess.Popen[str] = subprocess.Popen(
            [whom.python, "-c", CLIENT],
            env=_environment(PITLEDGER_HOME=str(home), **{"PITLEDGER_LINGER": "1"} | variables),
            cwd="/",
            text=True,
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **whom.identity,
        )
        self.complaint = ""

    def chips(self) -> int:
        """How many chips there are, once it is in."""
        return int(self._read())

    def asks(self, query: str) -> str:
        assert self.process.stdin
        self.process.stdin.write(query + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline().strip()
        assert line, self.leave()
        return line

    def leave(self) -> str:
        """Go, if it has not gone yet; what it had to complain of."""
        if self.process.stdin and not self.process.stdin.closed:
            self.complaint = self.process.communicate(timeout=60)[1]
        return self.complaint

    def kill(self) -> None:
        self.process.kill()
        self.leave()


class Enter:
    """Has clients enter and sees them out."""

    def __init__(self, whom: Whom) -> None:
        self.whom = whom
        self.inside: list[Client] = []

    def __call__(self, home: Path | str, **variables: str) -> Client:
        self.inside.append(Client(home, self.whom, **variables))
        return self.inside[-1]

    def leave_all(self) -> None:
        while self.inside:
            self.inside.pop().leave()


@pytest.fixture
def enter(whom: Whom) -> Iterator[Enter]:
    """Has clients of that user enter, and sees them out at the end."""
    door = Enter(whom)
    yield door
    door.leave_all()


@pytest.fixture
def home(whom: Whom) -> Iterator[Path]:
    """A folder of that user's with nothing in it, from which every process has gone in the end."""
    with _folder() as folder:
        if whom.identity:
            os.chown(folder, whom.identity["user"], whom.identity["group"])
        yield folder


@pytest.fixture(scope="module")
def old_home() -> Iterator[Path]:
    """A home of ours with a ledger in it, for the tests that care for no first time. Spares each a second."""
    with _folder() as folder:
        yield folder


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pit-")).resolve()
    folder.chmod(0o755)  # PostgreSQL's account has to pass through to the homes below it
    yield folder
    server.stop(folder)
    shutil.rmtree(folder, ignore_errors=True)
    assert not processes(folder)


def processes(home: Path) -> list[int]:
    """The pids of the postmaster and the watchdog of `home`, as far as they run."""
    marks = (f"cluster_name={watchdog.cluster_name(home)}", f"watchdog.py {home}")
    return [pid for pid, command in _all_processes() if any(mark in command for mark in marks)]


def _all_processes() -> Iterator[tuple[int, str]]:
    if not Path("/proc/self/cmdline").exists():  # macOS
        listing = subprocess.run(["ps", "-axww", "-o", "pid=,command="], capture_output=True, check=True)
        for line in listing.stdout.decode(errors="replace").splitlines():
            pid, command = line.split(maxsplit=1)
            yield int(pid), command
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # gone meanwhile
        yield int(folder.name), os.fsdecode(b" ".join(words))


def watchdog_of(home: Path) -> int:
    """The pid of the watchdog."""
    [pid] = set(processes(home)) - {postmaster_of(home)}
    return pid


def postmaster_of(home: Path) -> int:
    pid = watchdog.postmaster(home)
    assert pid, "no postmaster"
    return pid


def eventually(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def all_gone(home: Path) -> bool:
    return eventually(lambda: not processes(home))


# A life without accidents


@for_root_and_others
def test_who_comes_finds_what_was_left_and_after_the_last_the_server_ends(home: Path, enter: Enter) -> None:
    first = enter(home)
    assert first.chips() == 1
    assert enter(home).chips() == 2
    enter.leave_all()
    assert len(processes(home)) == 2, "the server lingers for whoever comes next"
    assert all_gone(home)
    assert enter(home).chips() == 3


def test_with_no_linger_the_last_to_leave_leaves_no_process_behind(old_home: Path, enter: Enter) -> None:
    first, last = enter(old_home, PITLEDGER_LINGER="0"), enter(old_home, PITLEDGER_LINGER="0")
    assert first.chips() != last.chips()
    first.leave()
    assert last.asks("SELECT 'still open'") == "still open"
    last.leave()
    assert not processes(old_home)


def test_who_wants_it_to_stay_longer_gets_it_though_another_started_it(old_home: Path, enter: Enter) -> None:
    enter(old_home, PITLEDGER_LINGER="0.1").chips()
    enter(old_home, PITLEDGER_LINGER="600").chips()
    enter.leave_all()
    time.sleep(1.5)
    assert len(processes(old_home)) == 2


def test_ten_at_once_on_an_empty_home_share_one_server(home: Path, enter: Enter) -> None:
    clients = [enter(home) for _ in range(10)]
    assert {client.chips() for client in clients} == set(range(1, 11))
    assert len({client.asks("SELECT pg_postmaster_start_time()") for client in clients}) == 1
    assert len(processes(home)) == 2


def test_what_is_committed_is_on_disk_and_only_its_owner_reaches_it(old_home: Path, enter: Enter) -> None:
    client = enter(old_home)
    client.chips()
    for durable in ("fsync", "full_page_writes", "synchronous_commit", "data_checksums"):
        assert client.asks(f"SHOW {durable}") == "on"
    assert client.asks("SELECT current_setting('listen_addresses') = ''") == "True"
    assert stat.S_IMODE((old_home / "data").stat().st_mode) == 0o700


def test_its_status_can_be_asked_and_it_can_be_stopped_while_in_use(old_home: Path, enter: Enter) -> None:
    enter(old_home).chips()
    now = server.status(old_home)
    assert (now.running, now.pid, now.data_directory) == (True, postmaster_of(old_home), old_home / "data")
    assert now.version
    assert now.version.startswith((old_home / "data" / "PG_VERSION").read_text().strip() + ".")
    assert server.stop(old_home) is True
    assert not processes(old_home)
    after = server.status(old_home)
    assert (after.running, after.pid, after.url) == (False, None, now.url)
    assert server.stop(old_home) is False


def test_asking_for_the_status_of_a_server_that_never_was_makes_nothing(home: Path) -> None:
    assert server.status(home / "none")[3:] == (None, None)
    assert server.stop(home / "none") is False
    assert not list(home.iterdir())


def test_a_pipe_behind_the_client_ends_with_the_client(old_home: Path, enter: Enter) -> None:
    server.stop(old_home)
    client = enter(old_home, PITLEDGER_LINGER="600")
    client.leave()
    assert client.process.stdout
    assert client.process.stdout.closed, "read to its end, though the server that the client started is up"
    assert len(processes(old_home)) == 2


def test_an_interrupt_at_the_terminal_does_not_reach_the_server(old_home: Path, enter: Enter) -> None:
    server.stop(old_home)
    client = enter(old_home, PITLEDGER_LINGER="600")
    client.chips()
    os.killpg(client.process.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in client.leave()
    time.sleep(0.5)
    assert len(processes(old_home)) == 2


# Accidents


def test_a_killed_client_takes_the_server_from_nobody_and_leaves_none_behind(
    old_home: Path, enter: Enter
) -> None:
    killed, other = enter(old_home), enter(old_home)
    killed.chips()
    other.chips()
    killed.kill()
    time.sleep(1.5)
    assert other.asks("SELECT 'still open'") == "still open"
    other.kill()
    assert all_gone(old_home)


@for_root_and_others
def test_a_killed_postmaster_loses_nothing_that_was_committed(home: Path, enter: Enter) -> None:
    assert enter(home).chips() == 1
    os.kill(postmaster_of(home), signal.SIGKILL)
    assert enter(home).chips() == 2


def test_a_killed_watchdog_is_replaced_by_the_next_to_come_or_to_leave(old_home: Path, enter: Enter) -> None:
    enter(old_home).chips()
    os.kill(watchdog_of(old_home), signal.SIGKILL)
    enter(old_home).chips()
    os.kill(watchdog_of(old_home), signal.SIGKILL)
    enter.leave_all()
    assert len(processes(old_home)) == 2
    assert all_gone(old_home)


def test_everything_killed_at_once_is_recovered_by_the_next(old_home: Path, enter: Enter) -> None:
    client = enter(old_home)
    chips = client.chips()
    for pid in (*processes(old_home), client.process.pid):
        os.kill(pid, signal.SIGKILL)
    assert enter(old_home).chips() == chips + 1
    assert len(processes(old_home)) == 2


@pytest.mark.parametrize("stale", ["an unrelated process", "a zombie", "nothing at all"])
def test_a_stale_pid_file_is_not_believed(old_home: Path, enter: Enter, stale: str) -> None:
    chips = enter(old_home).chips()
    pid_files = [old_home / "data" / name for name in ("postmaster.pid", ".s.PGSQL.5432.lock")]
    for pid in processes(old_home):
        os.kill(pid, signal.SIGKILL)
    with bystander(ends=stale == "a zombie") as pid:
        for pid_file in pid_files:
            _, *rest = pid_file.read_text().splitlines(keepends=True)
            pid_file.write_text("" if stale == "nothing at all" else "".join([f"{pid}\n", *rest]))
        assert enter(old_home).chips() == chips + 1
        assert server.stop(old_home)


@contextmanager
def bystander(ends: bool) -> Iterator[int]:
    """An innocent process that must come to no harm, or one that has ended without anybody noticing."""
    with subprocess.Popen(["true" if ends else "cat"], stdin=subprocess.PIPE) as process:
        time.sleep(0.1)
        yield process.pid
        assert ends or process.poll() is None


@for_root_and_others
def test_killed_while_the_cluster_is_made_the_next_makes_it_whole(home: Path, enter: Enter) -> None:
    client = enter(home)
    assert eventually(lambda: any(home.glob("partial-*/*")))
    client.kill()
    assert enter(home).chips() == 1


def test_killed_at_any_moment_the_next_goes_on_from_the_last_commit(old_home: Path, enter: Enter) -> None:
    committed = enter(old_home).chips()
    enter.leave_all()
    server.stop(old_home)
    for milliseconds in (200, 300, 400, 500, 700):
        client = enter(old_home)
        time.sleep(milliseconds / 1000)
        for pid in (client.process.pid, *processes(old_home)[: milliseconds // 200 - 1]):
            os.kill(pid, signal.SIGKILL)
        assert client.process.stdout
        committed = int(client.process.stdout.read() or committed)
    assert enter(old_home).chips() > committed
    enter.leave_all()
    assert all_gone(old_home)


def test_a_home_that_is_deleted_takes_its_server_along(home: Path, enter: Enter) -> None:
    client = enter(home)
    client.chips()
    time.sleep(1)
    while home.exists():
        shutil.rmtree(home, ignore_errors=True)
    assert all_gone(home)


# Strange surroundings


def test_no_variable_meant_for_other_servers_or_languages_gets_in_the_way(home: Path, enter: Enter) -> None:
    libpq = {
        "PGHOST": "nowhere.invalid",
        "PGHOSTADDR": "203.0.113.1",
        "PGPORT": "1",
        "PGUSER": "eve",
        "PGDATABASE": "none",
        "PGSERVICE": "none",
        "PGOPTIONS": "-c no_such_setting=1",
        "PGREQUIREAUTH": "scram-sha-256",
        "PGTARGETSESSIONATTRS": "standby",
        "PGDATA": "/nowhere",
        "PGTZ": "Mars/Olympus",
    }
    languages = {"LANG": "tr_TR.UTF-8", "LC_ALL": "no_SUCH", "LANGUAGE": "de", "TZ": "Mars/Olympus"}
    client = enter(home, **libpq, **languages)
    assert client.chips() == 1
    assert client.asks("SELECT 'I' < 'i'") == "True"
    assert client.asks("SHOW timezone") == "UTC"


@for_root_and_others
@pytest.mark.parametrize("name", ["""the pit boss's "own", 100%&?#$HOME é 骰子""", "long" + 24 * " lane"])
def test_the_home_may_have_any_name(home: Path, enter: Enter, name: str) -> None:
    odd = home / name
    assert enter(odd).chips() == 1
    assert server.stop(odd)
    assert not processes(odd)
    assert not list(Path("/tmp").glob(f"{watchdog.cluster_name(odd)}*")), "nothing is left outside the home"


def test_a_home_is_one_home_by_whatever_way_it_is_reached(home: Path, enter: Enter) -> None:
    (home / "way").symlink_to(home / "there")
    assert enter(home / "there").chips() == 1
    assert enter(home / "way").chips() == 2
    assert server.stop(home / "way")
    assert not processes(home / "there")


@pytest.mark.parametrize("name", ["a file", "a folder below/a file"])
def test_a_home_that_cannot_be_is_said_in_one_line(home: Path, name: str) -> None:
    (home / "a file").write_text("")
    (home / "a folder below").symlink_to(home)
    what_to_do = r"set PITLEDGER_HOME to another folder, or set DATABASE_URL .*docker compose up -d db"
    with pytest.raises(LedgerError, match=f"a file.*{what_to_do}"), server.lease(home / name):
        pass


def test_data_of_another_postgresql_is_left_alone_and_said_in_one_line(home: Path) -> None:
    (home / "data").mkdir()
    (home / "data" / "PG_VERSION").write_text("9\n")
    with (
        pytest.raises(LedgerError, match=r"no PostgreSQL 9, which made .* \(found \d\d in "),
        server.lease(home),
    ):
        pass
    assert [path.name for path in (home / "data").iterdir()] == ["PG_VERSION"]


def test_what_postgresql_has_against_starting_is_said_in_one_line(old_home: Path) -> None:
    with server.lease(old_home):
        server.stop(old_home)
    settings = old_home / "data" / "postgresql.auto.conf"
    was = settings.read_text()
    settings.write_text("shared_buffers = 'plenty'\n")
    complaint = r"PostgreSQL does not start \(configuration file .* contains errors\): see .*server\.log"
    with pytest.raises(LedgerError, match=complaint), server.lease(old_home):
        pass
    settings.write_text(was)
    with server.lease(old_home) as url:
        assert url == server.status(old_home).url


def test_a_linger_that_is_no_number_is_said_in_one_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_LINGER", "a while")
    with pytest.raises(LedgerError, match="number of seconds, not 'a while'"), server.lease(home):
        pass
    assert not list(home.iterdir())


# Root, who cannot run PostgreSQL himself


only_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root may do, only root can try")


@only_root
def test_programs_where_no_other_account_can_enter_are_copied_and_no_door_is_opened(
    home: Path, enter: Enter
) -> None:
    private = home / "private"
    private.mkdir(mode=0o700)
    package = Path(str(programs.wheel())).parent.parent
    for part in (package, package.with_name(f"{package.name}.libs")):
        if part.exists():
            shutil.copytree(part, private / part.name)
    path = os.pathsep.join([str(private), _environment()["PYTHONPATH"]])
    client = enter(home / "home", PYTHONPATH=path)
    assert eventually(lambda: any((home / "home").glob("partial-*/*")))
    client.kill()
    client = enter(home / "home", PYTHONPATH=path)
    assert client.chips() == 1
    assert (home / "home" / "data").stat().st_uid != 0
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert private.stat().st_uid == 0
    server.stop(home / "home")


@only_root
@pytest.mark.parametrize("furnished", [True, False])
def test_a_folder_closed_to_others_is_only_taken_where_it_is_empty(home: Path, furnished: bool) -> None:
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    if not furnished:
        with server.lease(closed):
            server.stop(closed)
        return
    (closed / "letters").write_text("private")
    for _ in range(2):
        with pytest.raises(LedgerError, match=r"cannot enter .*closed"), server.lease(closed):
            pass
    server.stop(closed)
    assert (closed.stat().st_uid, stat.S_IMODE(closed.stat().st_mode)) == (0, 0o700)


@only_root
def test_root_is_not_led_to_write_elsewhere_by_a_link_in_somebodys_home(home: Path) -> None:
    victim = home / "victim"
    victim.write_text("precious")
    theirs = home / "theirs"
    theirs.mkdir()
    (theirs / watchdog.LEASES).symlink_to(victim)
    with pytest.raises(LedgerError), server.lease(theirs):
        pass
    assert (victim.read_text(), victim.stat().st_uid) == ("precious", 0)


# The tests themselves


def test_killed_tests_leave_no_server_behind(home: Path, tmp_path: Path) -> None:
    test = tmp_path / "test_long.py"
    test.write_text("def test_it(database_url):\n    print(database_url, flush=True)\n    input()\n")
    command = [sys.executable, "-m", "pytest", "-sq", "-p", "tests.conftest", "-c", os.devnull, str(test)]
    environment = _environment(TMPDIR=str(home), PITLEDGER_TEST_DB="embedded", PITLEDGER_LINGER="1")
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, cwd=ROOT, text=True, **pipes) as killed:
        assert killed.stdout
        assert any("postgresql://" in line for line in iter(killed.stdout.readline, ""))
        [inner] = home.glob("pitledger-test-*/server")
        assert len(processes(inner)) == 2
        killed.kill()
    assert all_gone(inner)
