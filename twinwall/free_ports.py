"""Ports for servers that start later. Linux uses ports from 32768 on for outgoing connections, so a free one may be taken before its server
starts. This module gives lower ports, each to one process only."""

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
_MINE = set[int]()
"""Ports that this process has."""
_GIVING = threading.Lock()


def free_ports(count: int) -> list[int]:
    """Reserve different loopback ports that are not in use; raises OSError when too few are free. A port stays reserved until this process
    ends: it holds a record lock (fcntl(2)) on the byte with the port's number in a file that all processes of this user open."""
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
    """Lock the port's byte; return whether this process has the lock."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except (BlockingIOError, PermissionError):
        return False
    return True


@cache
def _file() -> int:
    """The lock file of this user's processes. Open it only here: closing another descriptor of it would release all locks."""
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
