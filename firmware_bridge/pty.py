"""A pseudo-terminal that looks like the feeder's serial port, and the loop that serves it.

The loop sleeps until a byte comes, an edge or timer is due, or somebody wakes it. The user of the port may close and open it as often as
they like: this side keeps it alive, and bytes that without a reader are lost, as on a real line.
"""

import contextlib
import errno
import os
import select
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.wakeup import Wakeup

_CHUNK = 4096
_LATE_S = 0.2
"""How long a board's time goes on unserved; less than what it takes for a host's silence."""


def refuse_what_is_no_link(path: Path) -> None:
    """Raise FileExistsError where anything but a symbolic link is at the path of one: it is somebody's, and stays."""
    if not path.is_symlink() and path.exists():
        raise FileExistsError(errno.EEXIST, "a link to the feeder can only stand where nothing else is: name another path", str(path))


def point_link(link: Path, device: str) -> None:
    """Make ``link`` a symbolic link to a device, in one step where it led elsewhere."""
    beside = link.with_name(f"{link.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.symlink_to(device)
    beside.replace(link)


class PtyServer(threading.Thread):
    """Serves bytes on a pty in a thread of its own.

    ``exchange`` takes received bytes (maybe none) and returns what to write and how many seconds may pass until it wants to be called
    again. ``link`` is a symbolic link kept on the pty's path, for a name that stays the same.
    """

    def __init__(self, exchange: Callable[[bytes], tuple[bytes, float]], link: Path | None = None) -> None:
        """Raises FileExistsError where ``link`` is something else already."""
        if link is not None:
            refuse_what_is_no_link(link)
        super().__init__(name="feeder-pty", daemon=True)
        self._exchange = exchange
        self._link = link
        self._wakeup = Wakeup()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._times = 0.0, time.monotonic()
        """How long the line was not served, and when it was last, without that."""
        self._master, self._slave = -1, -1
        self.path = ""
        self.plug()

    def now_s(self) -> float:
        """The time of the wall's clock without the moments in which the line was not served: a board that goes by it never takes a host
        for silent whose bytes are waiting."""
        late_s, served_s = self._times
        return min(time.monotonic() - late_s, served_s + _LATE_S)

    def wake(self) -> None:
        """Call ``exchange`` soon: something outside has changed."""
        self._wakeup.wake()

    def plug(self) -> None:
        """Open a pty, as when a cable is put in; its path may differ from the last one's."""
        with self._lock:
            if self._master >= 0:
                return
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            device = f"/proc/{os.getpid()}/fd/{self._slave}"  # ends with this process: the terminal's number goes to another one then
            if self._link is not None:
                point_link(self._link, device)
            self.path = str(self._link) if self._link else device
        self._wakeup.wake()

    def unplug(self) -> None:
        """Close the pty, as when the cable is pulled: its user gets an error."""
        with self._lock:
            if self._master < 0:
                return
            if self._link is not None:  # first, since the next pty of this computer may get the same name
                self._link.unlink(missing_ok=True)
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1
        self._wakeup.wake()

    def stop(self) -> None:
        self._stopping.set()
        self._wakeup.wake()
        if self.ident is not None:
            self.join()
        self.unplug()
        self._wakeup.close()

    def run(self) -> None:
        wait_s = 0.0
        while not self._stopping.is_set():
            received = self._wait(wait_s)
            (late_s, served_s), wall_s = self._times, time.monotonic()
            now_s = min(wall_s - late_s, served_s + _LATE_S)
            self._times = wall_s - now_s, now_s
            answer, wait_s = self._exchange(received)
            self._write(answer)

    def _wait(self, wait_s: float) -> bytes:
        with self._lock:
            master = self._master
        watched = [self._wakeup.fileno(), *([master] if master >= 0 else [])]
        try:
            ready, _, _ = select.select(watched, [], [], wait_s)
        except (OSError, ValueError):
            return b""  # unplugged while asleep
        if self._wakeup.fileno() in ready:
            self._wakeup.drain()
        if master not in ready:
            return b""
        with self._lock:
            if self._master != master:
                return b""
            with contextlib.suppress(OSError):
                return os.read(master, _CHUNK)
        return b""

    def _write(self, answer: bytes) -> None:
        with self._lock:
            if self._master < 0 or not answer:
                return
            with contextlib.suppress(OSError):  # bytes on a line without a reader are lost
                os.write(self._master, answer)
