"""Machines in memory whose firmware is the core in C, for the tests and the suite that the Python firmware passes."""

from __future__ import annotations

from tests.support.conformance.machine import MemoryMachine
from tests.support.firmware.core_board import CoreFirmware
from tests.support.link.pair import Pair
from twinwall.simulator.electrics.electrics import Electrics


class CorePair(Pair):
    """A host link and the firmware in C."""

    wires: Electrics | None = None
    core: CoreFirmware

    def _boot(self) -> CoreFirmware:
        self.wires = self.wires or Electrics(self.mechanics, 1, self.now_s)
        self.core = CoreFirmware(self.wires, self.mechanics, self.boot_id, self.now_s)
        return self.core


class CoreMachine(MemoryMachine):
    """The conformance suite's wire and hands, with the firmware in C."""

    wires: Electrics | None = None

    def _boot(self) -> CoreFirmware:
        self.wires = self.wires or Electrics(self.mechanics, 1, self._now_s)
        return CoreFirmware(self.wires, self.mechanics, self.boot_id, self._now_s)
