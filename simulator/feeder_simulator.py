"""Simulated feeder for one process: the machine, and any firmware that drives it behind a serial port.

Its methods may be called from several threads; ``handled_feeder`` has those of hands.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from firmware_bridge.messages import ResetReason
from simulator.core_firmware import ServedFirmware
from simulator.handled_feeder import HandledFeeder
from simulator.mechanics import FaultPlan, FeederView, Mechanics, MechanicsSettings
from simulator.physical_tiles import PhysicalTile, tile_set
from simulator.scene import WindowTile
from simulator.workbench import BootFirmware, Workbench


class FeederSimulator(HandledFeeder):
    """The reference table behind a serial port.

    ``tiles`` lie in the drum to begin with; without them it is one set with back 1 as the fault
    plan wants it. ``seed`` fixes the order in which the drum catches tiles and how they lie in
    the gate. ``link`` is a symbolic link to the port, for a path that stays the same; ``firmware`` is
    what drives the machine.
    """

    def __init__(
        self,
        settings: MechanicsSettings,
        seed: int,
        faults: FaultPlan | None = None,
        tiles: Iterable[PhysicalTile] | None = None,
        *,
        link: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        firmware: BootFirmware = ServedFirmware,
    ) -> None:
        plan = faults or FaultPlan()
        if tiles is None:
            tiles = tile_set(1, missing=plan.missing, extra=plan.extra, foreign=plan.foreign)
        lock, mechanics = threading.RLock(), Mechanics(settings, plan, tiles, seed, clock())
        self._watcher: Callable[[], None] = lambda: None
        self._looks_told = mechanics.looks
        super().__init__(mechanics, lock, firmware(Workbench(mechanics, lock, clock, link, seed, self._exchanged)))

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call ``watcher`` from the port's thread, with no lock held, whenever the machine has moved what people see."""
        self._watcher = watcher

    def start(self) -> str:
        """Serve the port; return its path."""
        self._firmware.start()
        return self._firmware.path

    def stop(self) -> None:
        """Close the port and end its thread."""
        self._firmware.stop()

    @property
    def path(self) -> str:
        """Where the port is: the link if there is one, else the port's own path."""
        return self._firmware.path

    # What a camera or a person sees -------------------------------------------------------------------

    @property
    def gates(self) -> int:
        """How many gates it has."""
        return self._mechanics.settings.gates

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        """The tile that lies in a gate now, as its camera sees it."""
        with self._acting():
            return self._mechanics.gate_tile(gate)

    def view(self) -> FeederView:
        """What people see of the feeder now."""
        with self.lock:
            return self._mechanics.view()

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        """Every tile, by where it is."""
        with self.lock:
            return self._mechanics.census()

    # What accidents do ----------------------------------------------------------------------------------

    def reboot(self, reason: ResetReason = ResetReason.BROWN_OUT) -> None:
        """Cut the firmware's power and bring it back: a new boot id, and nothing remembered."""
        self._firmware.reboot(reason)

    def unplug(self) -> None:
        """Pull the cable; the machine goes on until it misses the heartbeat."""
        self._firmware.unplug()

    def plug(self) -> str:
        """Put the cable back; return the port's path, which may be a new one."""
        self._firmware.plug()
        return self._firmware.path

    def _exchanged(self) -> None:
        with self.lock:
            looks, self._looks_told = self._looks_told, self._mechanics.looks
        if looks != self._looks_told:
            self._watcher()
