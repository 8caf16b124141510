"""Ports for servers that are started later.

Linux lends the ports from 32768 on to outgoing connections. A port of that range that is free now may belong to somebody's connection
before its server is started, so ports below it are given.
"""

import errno
import secrets
import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"
GIVEN = range(20_000, 32_768)
"""Above the ports of known services, below those of outgoing connections."""


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that are not in use, all different; raises OSError when there are too few."""
    ports: list[int] = []
    with ExitStack() as held:
        for port in secrets.SystemRandom().sample(GIVEN, len(GIVEN)):
            if len(ports) == count:
                break
            asked = socket.socket()
            try:
                asked.bind((LOOPBACK, port))
            except OSError as problem:
                asked.close()
                if problem.errno != errno.EADDRINUSE:
                    raise
            else:
                held.enter_context(asked)
                ports.append(port)
    if len(ports) < count:
        raise OSError(errno.EADDRINUSE, f"fewer than {count} of the ports {GIVEN.start} to {GIVEN.stop - 1} are free")
    return ports
