"""Port between firmware and machine: what any firmware is given, and what it must do."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from firmware_bridge.messages import ResetReason
from simulator.mechanics import Mechanics
from twinwall.values import frozen


@frozen
class Workbench:
    """What firmware is given: the machine, which has stood until now, and its lock, where to put a symbolic link to the serial
    port (or None), the seed of whatever is random in its wiring, and whom to call, with no lock held, after every exchange."""

    mechanics: Mechanics
    lock: threading.RLock
    link: Path | None
    seed: int
    exchanged: Callable[[], None]


class Firmware(Protocol):
    """What drives the machine, behind a serial port. It takes the workbench's lock whenever it touches the machine."""

    @property
    def path(self) -> str:
        """Where the port is: the link if there is one, else the port's own path."""

    def now_s(self) -> float:
        """The machine's present moment, in seconds: that of ``time.monotonic``, or behind it by what firmware and machine have lost."""

    def start(self) -> None:
        """Begin to serve the port."""

    def stop(self) -> None:
        """Close the port and end whatever was started."""

    def settle(self, now_s: float) -> None:
        """Take notice of what has happened by now; the lock is held."""

    def wake(self) -> None:
        """Something has happened at the machine: take notice soon."""

    def reboot(self, reason: ResetReason) -> None:
        """Lose power and get it back; the lock is not held."""

    def unplug(self) -> None:
        """Pull the serial cable."""

    def plug(self) -> None:
        """Put it back."""


BootFirmware = Callable[[Workbench], Firmware]
