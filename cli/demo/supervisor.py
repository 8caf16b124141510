"""Supervisor: starts processes, restarts those that die, and leaves none behind. Each process is this program with another command; with
``-P`` it imports nothing from the folder that it is started in. A process that dies is started again, as an init system does; one that dies
repeatedly ends the demo with the last lines of its log. Children end with the demo even when it is killed. ``MemoryMeter`` notes the
highest sum of the resident sets of a demo's processes at one moment. A page that several processes share (mostly libraries) counts once for
each, so less memory is really in use; ``python -m benchmarks.cost`` reports both."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import config
from cli.usage import EXIT_WRONG_USE, UsageError

PERIOD_S = 1.0
_PAGE_KIB = os.sysconf("SC_PAGE_SIZE") / 1024


class MemoryMeter:
    """Notes the highest sum of resident sets; looks once in ``period_s`` at most, however often it is called."""

    def __init__(self, period_s: float = PERIOD_S) -> None:
        self.peak_mib = 0.0
        self._period_s = period_s
        self._due_s = float("-inf")

    def look(self, pid: int) -> None:
        """Take the memory into account that a process and all that descend from it hold at this moment."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return
        self._due_s = now_s + self._period_s
        self.peak_mib = max(self.peak_mib, sum(map(resident_kib, family(pid))) / 1024)


def family(pid: int) -> tuple[int, ...]:
    """A process and all that descend from it: a web server's workers are children of a child (/proc/PID/task/TID/children: proc(5))."""
    try:
        born = [int(word) for task in Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()]
    except OSError:
        born = []
    return (pid, *(descendant for child in born for descendant in family(child)))


def resident_kib(pid: int) -> float:
    """A process's resident set, 0 when it has ended (/proc/PID/statm, second number, in pages: proc(5))."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_KIB
    except OSError:
        return 0.0


PARENT = "TWINWALL_PARENT"
"""Environment variable with the process id whose end a child does not outlive."""
LOOPBACK = "127.0.0.1"
READY_S = 300.0
"""So long a program may take to answer: the first start on a slow card reads and compiles everything."""
STOP_S = 5.0
TICK_S = 0.1
ANSWERS_S = 1.0
MOST_RESTARTS = 5
LOG_LINES = 12
_PR_SET_PDEATHSIG = 1


def end_in_order() -> None:
    """Let SIGTERM and SIGHUP end this program as Ctrl-C does; SIGHUP stays ignored where it was (nohup)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda received, _: sys.exit(128 + received))


def answers(port: int, host: str = LOOPBACK) -> Callable[[], bool]:
    """What says whether somebody listens at a port of this computer, at one of its addresses."""

    def ready() -> bool:
        try:
            socket.create_connection((host, port), ANSWERS_S).close()
        except OSError:
            return False
        return True

    return ready


class ProcessDiedError(UsageError):
    """A part of the demo ended and cannot be started again; the message holds the end of its log."""


def die_with_parent() -> None:
    """In a child: end when the starting process ends, however it ends (Linux)."""
    parent = os.environ.pop(PARENT, None)
    if parent is None or not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):
        os.kill(os.getpid(), signal.SIGTERM)


@dataclass(slots=True)
class Process:
    """One part: its command line after ``twinwall``, extra environment, and whether it may be started again. A ``passphrase`` goes to it by
    an open descriptor at every start: it stands in no argument, environment or file."""

    name: str
    words: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    restartable: bool = True
    passphrase: str | None = field(default=None, repr=False)
    popen: subprocess.Popen[bytes] | None = None
    restarts: int = 0


def process_with(folder: Path, name: str, words: Sequence[str], settings: object, *, passphrase: str | None = None) -> Process:
    """The process of a command whose settings are written into the folder, under the process's name."""
    file = folder / f"{name}.toml"
    config.write(file, settings)
    return Process(name, (*words, "--settings", str(file)), passphrase=passphrase)


class Supervisor:
    """Holds the processes of a demo; use as a context manager."""

    def __init__(self, logs: Path) -> None:
        """``logs`` is the folder of one log file a process."""
        self._logs = logs
        self.processes: list[Process] = []
        self.memory = MemoryMeter()
        self._environment = _MALLOC | os.environ | {"PYTHONUNBUFFERED": "1"}
        if sys.dont_write_bytecode and not (Path(__file__).parent / "__pycache__").exists():  # else each compiles all libraries again
            self._environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(logs / "compiled")}
        logs.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, *starting: tuple[Process, Callable[[], bool]]) -> None:
        """Start processes side by side and wait until each is ready; raises ProcessDiedError when one cannot run, dies again and again, or
        takes too long. Those that run already are looked after meanwhile."""
        for process, _ in starting:
            self.processes.append(process)
            self._spawn(process)
        deadline = time.monotonic() + READY_S
        for process, ready in starting:
            while not ready():
                for each in self.processes:
                    self._raise_again(each, is_new=each is process)
                if time.monotonic() > deadline:
                    raise ProcessDiedError(f"{process.name} did not get ready within {READY_S:.0f} s: {self._log_end(process)}")
                time.sleep(0.02)

    def look_after(self) -> None:
        """Start again what has died; note the memory of what lives and our own. Called a few times a second."""
        self.memory.look(os.getpid())
        for process in self.processes:
            self._raise_again(process)

    def stay(self) -> None:
        """Look after everything until Ctrl-C."""
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                self.look_after()
                time.sleep(TICK_S)

    def restart(self, name: str) -> None:
        """End the process of that name and start it again, with settings that have changed."""
        process = next(each for each in self.processes if each.name == name)
        _end(process, time.monotonic() + STOP_S)
        self._spawn(process)

    def stop(self) -> None:
        """End all processes, the last started first; kill what does not go."""
        for process in reversed(self.processes):
            if process.popen is not None:
                process.popen.terminate()
        deadline = time.monotonic() + STOP_S
        for process in reversed(self.processes):
            _end(process, deadline)
        self.processes.clear()

    def _raise_again(self, process: Process, *, is_new: bool = False) -> None:
        """Start a process again if it has died; raises ProcessDiedError for one that dies again and again, or a new one that cannot run."""
        if process.popen is None or process.popen.poll() is None:
            return
        cannot_run = is_new and process.popen.returncode == EXIT_WRONG_USE
        if not process.restartable or process.restarts >= MOST_RESTARTS or cannot_run:
            end = f"{process.name} ended with {process.popen.returncode}: {self._log_end(process)}"
            raise ProcessDiedError(f"{end} (whole log: {self.log_of(process)})")
        process.restarts += 1
        self._spawn(process)

    def _spawn(self, process: Process) -> None:
        environment = self._environment | dict(process.environment) | {PARENT: str(os.getpid())}
        with self.log_of(process).open("ab") as log, _secret(process.passphrase) as descriptors:
            process.popen = subprocess.Popen(
                [sys.executable, "-P", "-m", "cli", *process.words, *(f"--passphrase-fd={number}" for number in descriptors)],
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )

    def log_of(self, process: Process) -> Path:
        """The file into which a process writes its log, also when it is started again."""
        return self._logs / f"{process.name}.log"

    def _log_end(self, process: Process) -> str:
        lines = self.log_of(process).read_text(errors="replace").splitlines()[-LOG_LINES:]
        return "; ".join(lines) or "it wrote nothing"


_MALLOC = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "8388608", "MALLOC_TRIM_THRESHOLD_": "16777216"}
"""Threads share what is free, and what is more than a picture goes back to the system (mallopt(3)); with pictures too, each would be
cleared again by the kernel, and a frame cost twice as much."""


def _end(process: Process, deadline: float) -> None:
    """Ask a process to end, and kill it where it has not by then."""
    if process.popen is not None:
        process.popen.terminate()
        try:
            process.popen.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            process.popen.kill()
            process.popen.wait()


@contextlib.contextmanager
def _secret(passphrase: str | None) -> Iterator[tuple[int, ...]]:
    """A descriptor from which a child reads the passphrase once, closed here afterwards; none when there is no passphrase."""
    if passphrase is None:
        yield ()
        return
    reading, writing = os.pipe()
    try:
        os.write(writing, f"{passphrase}\n".encode())
        os.close(writing)
        yield (reading,)
    finally:
        os.close(reading)
