"""Starter: a process that imports what the parts of a demo need and then becomes each of them, by forks.

A part that is a program of its own imports some hundred modules before it does anything, the next one the same again. The starter
begins bare, with no secret: it is given none but the descriptors that a part reads, and these go to that part alone. It forks a
process for each command, which imports that command, forks each of its parts and ends. The parts are adopted by the process that asked,
have a session, a log, an environment and a command line of their own, and end with it as every child does. ``__main__`` is the
starter's own end.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from cli.commands import asked

ROOM = "-" * 4096
"""The last argument of a starter: its place in memory is where a part writes its command line."""
MOST_BYTES = 1 << 16
MOST_DESCRIPTORS = 64
_PR_SET_CHILD_SUBREAPER = 36
_LOOK_S = 0.005
_ADOPTION_S = 0.001
PATIENCE_S = 60.0
"""A group that says nothing for so long has not been forked."""


ToStart: TypeAlias = tuple[tuple[str, ...], dict[str, str], int]
"""A process that is to be: its words after ``twinwall``, what its environment has beyond the starter's, and of how many descriptors it
reads a passphrase; that of its log goes to it before them."""
Asked: TypeAlias = tuple[int, str, tuple[ToStart, ...]]
"""Processes of one command, after the number by which they are answered for."""
Answer: TypeAlias = tuple[int, tuple[int, ...]]
"""That number, and the ids of the processes in their order."""


class AdoptedProcess:
    """A process that the starter has forked, with what a supervisor asks of ``subprocess.Popen``."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """How it ended, as Popen says it; None while it runs."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; raises subprocess.TimeoutExpired."""
        until_s = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if until_s is not None and time.monotonic() > until_s:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(_LOOK_S)
        return code

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self.poll() is None:  # until it has been waited for, no other process can have its id
            os.kill(self.pid, number)


class Starter:
    """The asking end; the starter's process runs from the beginning to ``close``."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """``environment`` is that of the starter, and of all that it forks. Raises OSError where the system does not have children
        adopted."""
        if not sys.platform.startswith("linux") or _adopts(1):
            raise OSError("this system does not let a process adopt those that its children start")
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(PATIENCE_S)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "cli.demo.starter", str(theirs.fileno()), ROOM],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
            )

    def fork(self, parts: Sequence[tuple[ToStart, Sequence[int]]]) -> tuple[AdoptedProcess | None, ...]:
        """Start parts, each with its descriptors; None for those that could not be started so."""
        groups: dict[str, list[int]] = {}
        for index, (part, _) in enumerate(parts):
            groups.setdefault(asked(part[0])[0], []).append(index)
        found: list[AdoptedProcess | None] = [None] * len(parts)
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            for number, (command, indices) in enumerate(groups.items()):
                wanted: Asked = (number, command, tuple(parts[index][0] for index in indices))
                descriptors = [descriptor for index in indices for descriptor in parts[index][1]]
                socket.send_fds(self._socket, [msgspec.json.encode(wanted)], descriptors)
            for _ in groups:
                number, pids = msgspec.json.decode(self._socket.recv(MOST_BYTES), type=Answer)
                for index, pid in zip(list(groups.values())[number], pids, strict=False):
                    found[index] = _adopted(pid)
        return tuple(found)

    def close(self) -> None:
        """Let the starter end; what it has forked runs on."""
        self._socket.close()
        self._process.wait()
        _adopts(0)


def _adopts(whether: int) -> int:
    """Let this process adopt those whose parents end, or no longer; 0 where the system does so."""
    return int(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, whether, 0, 0, 0))


def _adopted(pid: int) -> AdoptedProcess:
    """A forked process, once its group's has ended and it is a child of this one."""
    until_s = time.monotonic() + PATIENCE_S
    while True:
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            return AdoptedProcess(pid)
        if time.monotonic() > until_s:
            raise TimeoutError(f"process {pid} has not been adopted")
        time.sleep(_ADOPTION_S)


def write_command_line(words: Sequence[str]) -> None:
    """Let this process have another command line, as far as there is room (/proc/PID/stat, fields 48 and 49: proc(5))."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    content = b"\0".join(os.fsencode(word) for word in words)[: end - begin - 1]
    ctypes.memmove(begin, content.ljust(end - begin, b"\0"), end - begin)
