"""The feeder's firmware in this process: the C core at the wires of a simulated table, and behind a pseudo-terminal of its own."""

import secrets
from pathlib import Path

from firmware_bridge.board.library import LIBRARY
from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.electrics.sizes import record_of
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


class ServedFirmware(PtyServer):
    """Serves the port from a thread; ``stop`` ends it. Board and machine come as far as ``now_s`` whenever somebody asks: they stand still
    where this computer has no time for their line."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(self._answer, bench.link)
        self._bench = bench
        self._wires = Electrics(bench.mechanics, bench.seed, self.now_s(), in_step=True)
        self._firmware = self._boot(ResetReason.POWER_ON)

    def settle(self, now_s: float) -> None:
        """Take notice of what has happened by now; the lock is held."""
        self._firmware.handle_timer(now_s)

    def reboot(self, reason: ResetReason) -> None:
        """Cut the power and bring it back: a new boot id, and nothing remembered."""
        with self._bench.lock:
            self._firmware.handle_timer(self.now_s())
            self._firmware = self._boot(reason)
        self.wake()

    def _boot(self, reason: ResetReason) -> CoreFirmware:
        boot_id = secrets.randbelow((1 << 32) - 1) + 1
        return CoreFirmware(self._wires, self._bench.mechanics, boot_id, self.now_s(), reason)

    def _answer(self, received: bytes) -> tuple[bytes, float]:
        bench = self._bench
        with bench.lock:
            self._firmware.receive(received, self.now_s())
            answer = self._firmware.data_to_send()
            due_s = self._firmware.next_timer()
        bench.exchanged()
        return answer, max(due_s - self.now_s(), 0.0)
