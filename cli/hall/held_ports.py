"""Ports of a hall: those that are named have to be free, and others are held from when they are chosen, so that nothing takes one."""

import errno
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from cli.demo.choices import HOST
from cli.usage import UsageError, say

ENDING_S = 10.0
"""The parts of a hall that was killed end within this time."""


def refuse_taken(host: str, ports: Mapping[str, int]) -> None:
    """Raises UsageError for a host that is not this computer, and for a port, by its option, at which a program listens already and still
    does after ``ENDING_S``."""
    try:
        ((family, *_), *_) = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(f"--host {host}: {error.strerror}") from None
    end_s = time.monotonic() + ENDING_S
    for option, port in ports.items():
        waits = False
        while (taken := _taken(family, host, port)) is not None:
            if taken.errno != errno.EADDRINUSE or time.monotonic() >= end_s:
                raise UsageError(_refused(host, option, port, taken))
            if not waits:
                say(f"{option} {port}: a program has that port; a hall that was killed gives it back within {ENDING_S:.0f} s: waiting")
            waits = True
            time.sleep(0.1)


def _taken(family: int, host: str, port: int) -> OSError | None:
    with socket.socket(family) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host, port))
        except OSError as error:
            return error
    return None


def _refused(host: str, option: str, port: int, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"{option} {port}: a program of this computer has that port already, perhaps this hall: end it, or name another port"
        case errno.EADDRNOTAVAIL:
            return f"--host {host}: this computer has no such address; hostname -I says which it has"
        case _:
            return f"{option} {port}: {error.strerror}"


@contextmanager
def held_ports(count: int) -> Iterator[tuple[int, ...]]:
    """``count`` free ports of this computer, all different, while the context lasts. Each is bound by a socket that does not listen: the
    kernel does not give the port to a program that asks for any port, and a program that asks for this one can listen on it, also a second
    time after its end."""
    with ExitStack() as sockets:
        yield tuple(_held(sockets.enter_context(socket.socket())) for _ in range(count))


def _held(opened: socket.socket) -> int:
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.bind((HOST, 0))
    port: int = opened.getsockname()[1]
    return port
