"""Machines in memory whose firmware is the core in C, for the tests and the suite that the Python firmware passes."""

from __future__ import annotations

from firmware_bridge.electrics.electrics import Electrics
from tests.support.conformance.machine import MemoryMachine
from tests.support.link.pair import Pair
from twinwall.simulator.electrics.core import CoreFirmware


class CorePair(Pair):
    """A host link and the firmware in C."""

    wires: Electrics | None = None
    core: CoreFirmware
    kind = CoreFirmware

    def _boot(self) -> CoreFirmware:
        self.wires = self.wires or Electrics(self.mechanics, 1, self.now_s, in_step=True)
        self.core = self.kind(self.wires, self.mechanics, self.boot_id, self.now_s)
        return self.core


class FineFirmware(CoreFirmware):
    """Lets no more than a millisecond pass at a time."""

    def next_timer(self) -> float:
        return min(super().next_timer(), self.now_s + 0.001)


class FinePair(CorePair):
    """Every millisecond can be looked at."""

    kind = FineFirmware


class CoreMachine(MemoryMachine):
    """The conformance suite's wire and hands, with the firmware in C."""

    wires: Electrics | None = None

    def _boot(self) -> CoreFirmware:
        self.wires = self.wires or Electrics(self.mechanics, 1, self._now_s, in_step=True)
        return CoreFirmware(self.wires, self.mechanics, self.boot_id, self._now_s)
