"""A PostgreSQL server of the tests' own: ``python -m tests.support.event.postgres`` keeps one until its standard input ends."""

import atexit
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.support.wire.brokers import eventually

TOP = Path(__file__).parents[3]
_NOBODY = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")
_SMALL = ("listen_addresses=", "shared_buffers=16MB", "max_connections=60", "autovacuum=off", "jit=off")


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL server; Debian keeps one for each version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else None if on_path is None else Path(on_path).parent


class PostgresServer:
    """A server in a folder of its own, reached over a Unix socket; it refuses to run as root and runs as nobody then."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        """``durable`` keeps what was committed when the server is killed outright."""
        found = binaries()
        assert found is not None, "postgresql is not installed (apt-get install postgresql)"
        self.folder, self._binaries = folder, found
        self._settings = _SMALL if durable else (*_SMALL, *_FAST)
        self._as_user = _NOBODY if os.geteuid() == 0 else []
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody", "nogroup")
        made = [str(found / "initdb"), "-D", str(folder / "data"), "-U", "twinwall", "-A", "trust", "--locale=C", "-E", "UTF8", "--no-sync"]
        subprocess.run([*self._as_user, *made], check=True, stdout=subprocess.DEVNULL, cwd="/")

    @property
    def url(self) -> str:
        return f"postgresql://twinwall@/postgres?host={self.folder}"

    def start(self, *settings: str) -> None:
        options = [word for setting in (*self._settings, *settings) for word in ("-c", setting)]
        command = [*self._as_user, str(self._binaries / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder), *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stderr=log, stdout=log, cwd="/", start_new_session=True)
        self.wait()

    def wait(self) -> None:
        asked = [str(self._binaries / "pg_isready"), "-q", "-h", str(self.folder)]
        eventually(lambda: subprocess.run(asked, check=False).returncode == 0, f"PostgreSQL answers; its log is in {self.folder}")

    def kill(self) -> None:
        """Kill it outright with all its processes, as a power cut does.

        Each of its processes is a session of its own, so that none is in the server's process group; one of a connection would answer on.
        """
        assert self._process is not None
        server = self._process.pid
        os.kill(server, signal.SIGSTOP)
        children = [int(each) for each in Path(f"/proc/{server}/task/{server}/children").read_text().split()]
        for process in (*children, server):
            os.kill(process, signal.SIGKILL)
        self._process.wait()
        eventually(lambda: not any(_is_alive(each) for each in children), "they have ended")
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """End it at once."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()


def _is_alive(process: int) -> bool:
    """Whether it still holds its files; a zombie does not: proc(5)."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def shared_url(shared: Path) -> str:
    """The address of the one server of a test run; ``shared`` is a folder of all its workers. The first to ask starts it."""
    with (shared / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        address = shared / "postgres.url"
        if not address.exists():
            command = [sys.executable, "-m", "tests.support.event.postgres"]
            keeper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=TOP)
            assert keeper.stdout is not None
            _KEEPERS.append(keeper)
            address.write_text(keeper.stdout.readline().strip())
        return address.read_text()


@cache
def own_database(url: str, name: str) -> str:
    """The address of this process's database at the same server: a writer's locks are those of its database, whatever its schema is."""
    import psycopg  # noqa: PLC0415 - only who needs a server loads it

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return url.replace("/postgres?", f"/{name}?")


_KEEPERS: list[subprocess.Popen[str]] = []
"""The process that keeps the server ends when this one does, however it ends: its standard input is closed then."""


@atexit.register
def _end_keepers() -> None:
    for keeper in _KEEPERS:
        keeper.communicate()


def main() -> None:
    """Keep a server until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder = Path(tempfile.mkdtemp(prefix="twinwall-postgres-"))
    try:
        server = PostgresServer(folder)
        server.start()
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        sys.stdin.read()
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
