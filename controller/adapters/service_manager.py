"""Heartbeat of the table's service: tells systemd, which restarts a hanging program by a unit's ``WatchdogSec``, that the loop runs.

The thread that plays sends it each time round, and while it waits for an assignment or for its journal's key (sd_notify(3)).
"""

import contextlib
import os
import socket


def tell_alive() -> None:
    """Report that the service has started and runs; does nothing without a service manager, and ignores errors."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heart:
            name = f"\0{address[1:]}" if address[0] == "@" else address
            heart.sendto(b"READY=1\nWATCHDOG=1", socket.MSG_DONTWAIT, name)
