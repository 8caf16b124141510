"""Ports for servers that are started later.

Linux lends the ports from 32768 on to outgoing connections. A port of that range that is free now may belong to somebody's connection
before its server is started, so ports below it are given, and each to one process alone.
"""

import errno
import secrets
import socket

LOOPBACK = "127.0.0.1"
GIVEN = range(20_000, 32_768)
"""Above the ports of known services, below those of outgoing connections."""


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that are not in use, all different; raises OSError when there are too few.

    Until this process ends no process of this computer is given them again: each has a name that is in use so long (unix(7), abstract).
    """
    ports: list[int] = []
    for port in secrets.SystemRandom().sample(GIVEN, len(GIVEN)):
        if len(ports) == count:
            break
        if asked := _bound(socket.AF_INET, (LOOPBACK, port)):
            with asked:
                if name := _bound(socket.AF_UNIX, f"\0twinwall port {port}"):
                    name.detach()
                    ports.append(port)
    if len(ports) < count:
        raise OSError(errno.EADDRINUSE, f"fewer than {count} of the ports {GIVEN.start} to {GIVEN.stop - 1} are free")
    return ports


def _bound(family: socket.AddressFamily, address: str | tuple[str, int]) -> socket.socket | None:
    """A socket at an address; None where that is in use."""
    asked = socket.socket(family)
    try:
        asked.bind(address)
    except OSError as problem:
        asked.close()
        if problem.errno != errno.EADDRINUSE:
            raise
        return None
    return asked
