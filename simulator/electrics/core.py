"""The firmware's C core at the wires of a simulated table, in this process and in simulated time.

Who serves the port is left to ``core_firmware``.
"""

from pathlib import Path

from firmware_bridge.board.library import LIBRARY
from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.electrics.record import record_of
from firmware_bridge.electrics.wired_core import WiredCore
from firmware_bridge.messages import ResetReason
from simulator.mechanics import Mechanics

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
