"""Heart of the table's service: systemd, which a unit's ``WatchdogSec`` lets restart a program that hangs, hears that the loop goes round.

The thread that plays says it each time round, and also while it waits for an assignment or for its journal's key (sd_notify(3)).
"""

import contextlib
import os
import socket


def tell_alive() -> None:
    """Say that the service has started and goes on; nothing where no service manager listens, and no error where it does not hear."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heart:
            name = f"\0{address[1:]}" if address[0] == "@" else address
            heart.sendto(b"READY=1\nWATCHDOG=1", socket.MSG_DONTWAIT, name)
