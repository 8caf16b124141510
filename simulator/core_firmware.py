"""The feeder's firmware in this process: the C core at the wires of a simulated table, and behind a pseudo-terminal of its own."""

import secrets
from pathlib import Path

from firmware_bridge.board.library import LIBRARY
from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.electrics.record import record_of
from firmware_bridge.electrics.wired_core import WiredCore
from firmware_bridge.messages import ResetReason
from firmware_bridge.pty import PtyServer
from simulator.mechanics import Mechanics
from simulator.workbench import Workbench

UID = b"TWSIM001"


class CoreFirmware(WiredCore):
    """One boot of the C core for a simulated table."""

    def __init__(
        self,
        wires: Electrics,
        mechanics: Mechanics,
        boot_id: int,
        now_s: float,
        reason: ResetReason = ResetReason.POWER_ON,
        *,
        clock_us: int = 0,
        program: Path = LIBRARY,
    ) -> None:
        super().__init__(wires, record_of(mechanics.settings, UID), boot_id, now_s, reason, clock_us=clock_us, program=program)


class ServedFirmware:
    """Serves the port from a thread; ``stop`` ends it. Board and machine come as far as ``now_s`` whenever somebody asks."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._server = PtyServer(self._exchange, bench.link)
        self._wires = Electrics(bench.mechanics, bench.seed, self.now_s(), in_step=True)
        self._firmware = self._boot(ResetReason.POWER_ON)

    @property
    def path(self) -> str:
        """Where the port is: the link if there is one, else the pty's own path."""
        return self._server.path

    def now_s(self) -> float:
        """The machine's present moment: board and machine stand still where this computer has no time for their line."""
        return self._server.now_s()

    def start(self) -> None:
        """Begin to serve the port."""
        self._server.start()

    def stop(self) -> None:
        """Close the port and end its thread."""
        self._server.stop()

    def settle(self, now_s: float) -> None:
        """Take notice of what has happened by now; the lock is held."""
        self._firmware.handle_timer(now_s)

    def wake(self) -> None:
        """Take notice soon."""
        self._server.wake()

    def reboot(self, reason: ResetReason) -> None:
        """Cut the power and bring it back: a new boot id, and nothing remembered."""
        with self._bench.lock:
            self._firmware.handle_timer(self.now_s())
            self._firmware = self._boot(reason)
        self._server.wake()

    def unplug(self) -> None:
        """Pull the cable; the machine goes on until it misses the heartbeat."""
        self._server.unplug()

    def plug(self) -> None:
        """Put the cable back; the port may have a new path then."""
        self._server.plug()

    def _boot(self, reason: ResetReason) -> CoreFirmware:
        boot_id = secrets.randbelow((1 << 32) - 1) + 1
        return CoreFirmware(self._wires, self._bench.mechanics, boot_id, self.now_s(), reason)

    def _exchange(self, received: bytes) -> tuple[bytes, float]:
        bench = self._bench
        with bench.lock:
            self._firmware.receive(received, self.now_s())
            answer = self._firmware.data_to_send()
            due_s = self._firmware.next_timer()
        bench.exchanged()
        return answer, max(due_s - self.now_s(), 0.0)
