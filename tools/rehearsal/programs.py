"""A program of another project that a rehearsal runs: it is started, killed, started again, and does not outlive the rehearsal.

Viewers meet two of them: nginx with the published pages, and the publisher that writes them.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from centre.deploy.nginx_conf import NCHAN_MODULE, ViewerServer, nginx_conf
from twinwall.free_ports import free_ports
from twinwall.values import frozen

LOOPBACK = "127.0.0.1"
STOP_S = 20.0
LOG_LINES = 6
LOOK_AGAIN_S = 0.05


class ProgramError(Exception):
    """A program is not installed, ended, or does not answer; the message names it and says what to do."""


@frozen
class Usage:
    """What a program took: processor time in seconds, resident memory in MiB."""

    processor_s: float = 0.0
    memory_mib: float = 0.0


@dataclass(slots=True)
class ExternalProgram:
    """One program in a process group of its own.

    Attributes:
        folder: where it runs and writes its log.
        ready: whether it serves.
    """

    name: str
    command: Sequence[str]
    folder: Path
    ready: Callable[[], bool]
    environment: Mapping[str, str] = field(default_factory=dict)
    daemon: Callable[[], int | None] = lambda: None
    """The process group of a daemon that it has started and that would outlive it."""
    _process: subprocess.Popen[bytes] | None = None
    _spent: Usage = field(default_factory=Usage)

    @property
    def usage(self) -> Usage:
        """Processor time of all its processes since the first start, and their memory now or before they ended."""
        if self._process is None:
            return self._spent
        now = _usage_of_groups({self._process.pid, self.daemon() or self._process.pid})
        return Usage(self._spent.processor_s + now.processor_s, max(self._spent.memory_mib, now.memory_mib))

    @property
    def log(self) -> Path:
        """What it said."""
        return self.folder / f"{self.name}.log"

    @property
    def is_running(self) -> bool:
        """Whether its process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def has_ended(self) -> bool:
        """Whether it has ended although nobody asked it to."""
        return self._process is not None and not self.is_running

    @property
    def pid(self) -> int | None:
        """Its process; None while there is none."""
        return self._process.pid if self._process is not None and self.is_running else None

    def start(self) -> None:
        """Start it; returns at once. Told to end (SIGTERM) when the rehearsal's process ends, however that ends: prctl(2)."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *self.command],
                cwd=self.folder,
                env=os.environ | dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait(self, timeout_s: float) -> None:
        """Wait until it serves; raises ProgramError."""
        until_s = time.monotonic() + timeout_s
        while not self.ready():
            if not self.is_running:
                raise ProgramError(f"{self.name} ended at its start: {self._log_end()}")
            if time.monotonic() > until_s:
                raise ProgramError(f"{self.name} does not answer after {timeout_s:.0f} s: {self._log_end()}")
            time.sleep(LOOK_AGAIN_S)

    def kill(self) -> None:
        """Kill it outright with all its processes, as a power cut does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end, and kill what does not within ``STOP_S``."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        self._spent = self.usage
        process, self._process = self._process, None
        if process is None:
            return
        groups = process.pid, (number is signal.SIGKILL and self.daemon()) or process.pid
        for each in (number, signal.SIGKILL):
            for group in groups:
                _signal_group(group, each)
            if _have_ended(process, groups):
                return
        raise ProgramError(f"{self.name} was killed {STOP_S:.0f} s ago, and a process of it is still there: ps -eo pgid,pid,stat")

    def _log_end(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-LOG_LINES:]
        return f"{'; '.join(lines) or 'it said nothing'} (all of it: {self.log})"


def start_again(programs: Mapping[str, ExternalProgram]) -> Iterator[str]:
    """Start what has ended by itself, as systemd does; a sentence of each, with its last words."""
    for name, program in programs.items():
        if program.has_ended:
            yield f"{name} ended by itself and was started again: {program._log_end()}"
            program.stop()
            program.start()


def find_program(name: str, package: str) -> str:
    """Where a program lies; raises ProgramError with the package of Debian that brings it."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise ProgramError(f"{name} is not installed: apt-get install {package}")
    return found


def _have_ended(process: subprocess.Popen[bytes], groups: Collection[int]) -> bool:
    """Wait ``STOP_S`` until all processes of these groups have ended: one that is ending still holds its port and takes connections
    there."""
    until_s = time.monotonic() + STOP_S
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_S)
    while any(is_alive and fields[1] in groups for is_alive, fields in _processes().values()):
        if time.monotonic() > until_s:
            return False
        time.sleep(LOOK_AGAIN_S / 10)
    return True


def listens(port: int) -> bool:
    """Whether somebody takes connections at a port of this machine."""
    with socket.socket() as asked:
        return asked.connect_ex((LOOPBACK, port)) == 0


def _usage_of_groups(groups: Collection[int]) -> Usage:
    """Of all processes of these process groups and their children.

    PostgreSQL's server processes are in groups of their own. What a child that has ended took is in its parent's fields 16 and 17.
    """
    found = {pid: fields for pid, (_, fields) in _processes().items()}
    mine = {pid for pid, fields in found.items() if fields[1] in groups}
    mine |= {pid for pid, fields in found.items() if fields[0] in mine}
    ticks, pages = sum(sum(found[pid][10:14]) for pid in mine), sum(found[pid][20] for pid in mine)
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20))


def _processes() -> Mapping[int, tuple[bool, Sequence[int]]]:
    """All processes: whether each still holds its files (a zombie does not), and fields 4 to 24 of its ``stat``: proc(5)."""
    found: dict[int, tuple[bool, Sequence[int]]] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            with suppress(OSError):
                state, *fields = (each / "stat").read_text().rpartition(")")[2].split()
                found[int(each.name)] = state not in "ZX", [int(field) for field in fields[:21]]
    return found


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, number)


PublisherCommand = Callable[[ViewerServer], Sequence[str]]
"""The command that publishes into a server's folder and tells its nginx."""


def viewer_server(folder: Path, streams_each: int = 512) -> ViewerServer:
    """A server on loopback with its pages and files below this folder, which is made."""
    run = folder / "nginx"
    run.mkdir(parents=True)
    (port,) = free_ports(1)
    user = "root" if os.geteuid() == 0 else ""
    return ViewerServer(folder / "pages", run, LOOPBACK, port, user=user, streams_each=streams_each)


def nginx_program(server: ViewerServer, name: str = "nginx") -> ExternalProgram:
    """nginx with this server's configuration, not started; a socket that a killed one has left is removed at its start."""
    if not NCHAN_MODULE.exists():
        raise ProgramError(f"{NCHAN_MODULE} is not there: apt-get install libnginx-mod-nchan")
    conf = server.run / "nginx.conf"
    conf.write_text(nginx_conf(server))
    command = [find_program("nginx", "nginx"), "-c", str(conf), "-e", str(server.run / "begin.log")]
    return ExternalProgram(
        name, ["sh", "-c", 'rm -f "$0"; exec "$@"', str(server.socket), *command], server.run, lambda: listens(server.port)
    )


class ViewerPrograms:
    """One nginx and one publisher."""

    def __init__(self, folder: Path, publisher: PublisherCommand) -> None:
        """Write the files; nothing is started."""
        self.server = viewer_server(folder)
        self.nginx = nginx_program(self.server, "nginx-1")
        self.publisher = ExternalProgram("publisher-1", publisher(self.server), folder, (self.server.pages / "world.en.html").exists)

    @property
    def programs(self) -> tuple[ExternalProgram, ...]:
        """Both of them."""
        return self.nginx, self.publisher

    def start(self, timeout_s: float) -> None:
        """Start them, and wait until the first page is there; the store has to be there before."""
        for program in self.programs:
            program.start()
            program.wait(timeout_s)

    def stop(self) -> None:
        """End them."""
        for program in self.programs:
            program.stop()
