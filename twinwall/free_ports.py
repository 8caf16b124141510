"""Ports for servers that are started later.

Linux lends the ports from 32768 on to outgoing connections. A port of that range that is free now may belong to somebody's connection
before its server is started, so ports below it are given.
"""

from __future__ import annotations

import errno
import secrets
import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"
LENT = range(20_000, 32_768)
"""Ports that are given: above those of known services, below those of outgoing connections."""


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody uses now, all different; raises OSError when there are not so many."""
    ports: list[int] = []
    with ExitStack() as held:
        for port in secrets.SystemRandom().sample(LENT, len(LENT)):
            asked = held.enter_context(socket.socket())
            try:
                asked.bind((LOOPBACK, port))
            except OSError as problem:
                if problem.errno != errno.EADDRINUSE:
                    raise
                continue
            ports.append(port)
            if len(ports) == count:
                return ports
    raise OSError(errno.EADDRINUSE, f"fewer than {count} of the ports {LENT.start} to {LENT.stop - 1} are free")
