"""Ports for servers that are started later.

Linux lends the ports from 32768 on to outgoing connections. A port of that range that is free now may belong to somebody's connection
before its server is started, so ports below it are given, and each to one process alone.
"""

import errno
import fcntl
import os
import secrets
import socket
import tempfile
import threading
from functools import cache
from pathlib import Path

LOOPBACK = "127.0.0.1"
GIVEN = range(20_000, 32_768)
"""The ports that are given."""
_MINE = set[int]()
"""Those that this process was given."""
_GIVING = threading.Lock()


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that are not in use, all different; raises OSError when there are too few.

    Until this process ends no process of this user is given them again: of a file that all of them have open it holds the lock of the
    byte with a port's number (fcntl(2), record locks).
    """
    ports: list[int] = []
    with _GIVING:
        for port in secrets.SystemRandom().sample(GIVEN, len(GIVEN)):
            if len(ports) == count:
                break
            if port not in _MINE and not _in_use(port) and _is_locked(_file(), port):
                ports.append(port)
                _MINE.add(port)
    if len(ports) < count:
        raise OSError(errno.EADDRINUSE, f"fewer than {count} of the ports {GIVEN.start} to {GIVEN.stop - 1} are free")
    return ports


def _is_locked(file: int, port: int) -> bool:
    """Whether this process has the lock of a port now."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except (BlockingIOError, PermissionError):
        return False
    return True


@cache
def _file() -> int:
    """The file of all processes of this user; it stays open, and is opened here alone: to close it elsewhere would end all locks."""
    path = Path(tempfile.gettempdir()) / f"twinwall-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _in_use(port: int) -> bool:
    with socket.socket() as asked:
        try:
            asked.bind((LOOPBACK, port))
        except OSError as problem:
            if problem.errno != errno.EADDRINUSE:
                raise
            return True
    return False
