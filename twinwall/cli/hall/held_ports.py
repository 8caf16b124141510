"""Ports for programs that the hall starts later, held from when they are chosen, so that nothing else takes one meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from twinwall.cli.demo.choices import HOST


@contextmanager
def held_ports(count: int) -> Iterator[tuple[int, ...]]:
    """So many free ports of this computer, all different, while the context lasts.

    Each is bound by a socket that does not listen: the kernel gives the port to nobody who asks for any port, and a program that asks
    for this one can listen on it, also a second time after its end.
    """
    with ExitStack() as sockets:
        yield tuple(_held(sockets.enter_context(socket.socket())) for _ in range(count))


def _held(opened: socket.socket) -> int:
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.bind((HOST, 0))
    port: int = opened.getsockname()[1]
    return port
