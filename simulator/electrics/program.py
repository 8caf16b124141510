"""Process of a board's program: starts it, kills it, restarts it, and reports the path of its serial port.

``board`` wires it.
"""

import contextlib
import logging
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from firmware_bridge.pty import point_link, refuse_what_is_no_link
from twinwall.values import frozen

READY_LIMIT_S = 10.0
MOST_CUTS = 8
"""Number of times that a program may end by itself before it stays without power."""
_LOG = logging.getLogger(__name__)


class BoardError(RuntimeError):
    """A board's process cannot be started or has ended; the message says why and what to do."""


@frozen
class Program:
    """A board's program, and the firmware that it is given where it is an emulator."""

    name: str
    file: Path
    firmware: Path | None = None
    options: tuple[str, ...] = ()
    """Further words of its command line (PHYSICS.md)."""

    @property
    def files(self) -> tuple[Path, ...]:
        """All that must have been built."""
        return (self.file,) if self.firmware is None else (self.file, self.firmware)

    def command(self, physics: Path, memory: Path) -> tuple[str, ...]:
        """The command line; raises BoardError when something has not been built."""
        missing = [file for file in self.files if not file.exists()]
        if missing:
            raise BoardError(f"{missing[0]} has not been built: run `make firmware`")
        words = [self.file, "--physics", physics, "--memory", memory]
        if self.firmware is not None:
            words += ["--firmware", self.firmware]
        return (*map(str, words), *self.options)


class PoweredProgram:
    """One program, run again after a while whenever it ends; ``link`` is kept on its serial port's path."""

    def __init__(self, name: str, link: Path | None, power_back_s: float) -> None:
        """Raises FileExistsError where ``link`` is something else already."""
        if link is not None:
            refuse_what_is_no_link(link)
        self._name = name
        self._link = link
        self._power_back_s = power_back_s
        self._command: Sequence[str] = ()
        self._process: subprocess.Popen[bytes] | None = None
        self.path = ""
        """Where its serial port is, empty while there is none."""
        self._changed = threading.Condition()
        self._power = threading.Lock()
        self._ending = threading.Event()
        self.ends: list[int] = []
        """How it ended each time that its power was not cut here: return codes, negative for signals."""
        self.deepest_stack = 0
        """How many bytes deep the firmware's stack has been, where the program tells (PHYSICS.md)."""
        self.failure: str | None = None
        """Why it stays without power, if it does."""

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def power_on(self, command: Sequence[str]) -> None:
        """Start it and wait for its port; raises BoardError when that does not come up."""
        with self._power:
            self.failure, self._command = None, command
            self._spawn()
        self.wait_for_path()

    def power_off(self) -> None:
        with self._power:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _close_input(process)
            self._show_path("")

    def end(self) -> None:
        self._ending.set()
        self.power_off()
        self._show_path("")

    def pull_cable(self) -> None:
        self._show_path("")
        self.say("unplug")

    def put_cable_back(self) -> None:
        """Open its port again; raises BoardError when it does not."""
        self.say("plug")
        self.wait_for_path()

    def say(self, word: str) -> None:
        """Say a line on its standard input: what it knows stands in PHYSICS.md."""
        with contextlib.suppress(OSError, ValueError):  # it has just ended
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(f"{word}\n".encode())
                self._process.stdin.flush()

    def fail(self, why: str) -> None:
        _LOG.error("board: %s", why)
        with self._changed:
            self.failure = self.failure or why
            self._changed.notify_all()

    def wait_for_path(self) -> None:
        """Wait until its port is open; raises BoardError when that takes too long, or it has failed."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self.path or self.failure), READY_LIMIT_S)
            if not self.path:
                raise BoardError(self.failure or f"{self._name} has not opened its port within {READY_LIMIT_S:.0f} s")

    def _spawn(self) -> None:
        process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own program
        self._process = process
        assert process.stdout is not None
        threading.Thread(target=self._listen, args=(process, process.stdout), name="board paths", daemon=True).start()

    def _listen(self, process: subprocess.Popen[bytes], output: IO[bytes]) -> None:
        """Note the paths that it prints, until it ends."""
        with output:
            for line in output:
                word, _, path = line.decode(errors="replace").strip().partition(" ")
                if word == "PTY":
                    self._show_path(path)
                elif word == "STACK" and path.isdecimal():
                    self.deepest_stack = max(self.deepest_stack, int(path))
        self._lost_power(process, process.wait())

    def _lost_power(self, process: subprocess.Popen[bytes], code: int) -> None:
        """It has ended by itself, or somebody has killed it: bring its power back after a while."""
        if self._process is not process:
            return
        _close_input(process)
        self._show_path("")
        self.ends.append(code)
        if len(self.ends) > MOST_CUTS:
            self.fail(f"{self._name} has ended {len(self.ends)} times, with {code} at last")
        if self.failure is None and not self._ending.wait(self._power_back_s):
            with self._power:
                if self._process is process:
                    self._spawn()

    def _show_path(self, path: str) -> None:
        link = self._link
        with self._changed:
            self.path = path
            if link is not None and path:
                point_link(link, path)
            elif link is not None:
                link.unlink(missing_ok=True)
            self._changed.notify_all()


def _close_input(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
