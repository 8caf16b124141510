"""Simulated feeder for one process: the machine, and any firmware that drives it behind a serial port.

Its methods may be called from several threads. What a hand does takes the lock, happens at the firmware's present moment and wakes
the firmware at once, so that a lifted tile is reported when it is lifted.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware_bridge.messages import ResetReason
from simulator.core_firmware import ServedFirmware
from simulator.mechanics import FaultPlan, FeederView, Mechanics, MechanicsSettings, Stuck
from simulator.mechanics.hands import MachineHands
from simulator.physical_tiles import PhysicalTile, tile_set
from simulator.scene import WindowTile
from simulator.workbench import BootFirmware, Workbench


class FeederSimulator:
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
        firmware: BootFirmware = ServedFirmware,
    ) -> None:
        plan = faults or FaultPlan()
        if tiles is None:
            tiles = tile_set(1, missing=plan.missing, extra=plan.extra, foreign=plan.foreign)
        lock, mechanics = threading.RLock(), Mechanics(settings, plan, tiles, seed, time.monotonic())
        self._watcher: Callable[[], None] = lambda: None
        self._looks_reported = mechanics.looks
        self._mechanics = mechanics
        self.lock = lock
        """Held by every method; hold it to make several calls at one instant."""
        self._firmware = firmware(Workbench(mechanics, lock, link, seed, self._exchanged))
        self.stops_ended = 0
        """Times that the lid was shut or the emergency stop released, after which the feeder waits for a person's CONFIRM."""

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call ``watcher`` from the port's thread, with no lock held, whenever the machine has moved what people see."""
        self._watcher = watcher

    def start(self) -> str:
        self._firmware.start()
        return self._firmware.path

    def stop(self) -> None:
        self._firmware.stop()

    @property
    def path(self) -> str:
        """Where the port is: the link if there is one, else the port's own path."""
        return self._firmware.path

    # What a camera or a person sees -------------------------------------------------------------------

    @property
    def gates(self) -> int:
        return self._mechanics.settings.gates

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        with self.acting():
            return self._mechanics.gate_tile(gate)

    def view(self) -> FeederView:
        with self.lock:
            return self._mechanics.view()

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        with self.lock:
            return self._mechanics.census()

    # What people do -----------------------------------------------------------------------------------
    def stuck(self) -> tuple[Stuck, ...]:
        with self.lock:
            return self._mechanics.hands.stuck()

    def free(self, stuck: Stuck) -> None:
        with self.acting() as (hands, now_s):
            hands.free(stuck, now_s)

    def empty_reject_cell(self) -> tuple[PhysicalTile, ...]:
        with self.acting() as (hands, now_s):
            return hands.empty_reject_cell(now_s)

    def take_from_lane(self, place: int) -> PhysicalTile:
        with self.acting() as (hands, now_s):
            return hands.take_from_lane(place, now_s)

    def take_hand_tiles(self, place: int, count: int) -> tuple[PhysicalTile, ...]:
        with self.acting() as (hands, now_s):
            return hands.take_hand_tiles(place, count, now_s)

    def lift_draw(self, place: int) -> PhysicalTile | None:
        with self.acting() as (hands, now_s):
            return hands.lift_draw(place, now_s)

    def lift_at_rear(self, place: int) -> PhysicalTile | None:
        with self.acting() as (hands, now_s):
            return hands.lift_at_rear(place, now_s)

    def put_back(self, place: int, tile: PhysicalTile) -> None:
        with self.acting() as (hands, now_s):
            hands.put_back(place, tile, now_s)

    def drop_into_well(self, tiles: Iterable[PhysicalTile]) -> None:
        with self.acting() as (hands, now_s):
            hands.drop_into_well(tiles, now_s)

    def add_to_drum(self, tiles: Iterable[PhysicalTile]) -> None:
        with self.acting() as (hands, now_s):
            hands.add_to_drum(tiles, now_s)

    def set_lid(self, opened: bool) -> None:
        with self.acting() as (hands, now_s):
            hands.set_lid(opened, now_s)
            self.stops_ended += not opened

    def set_estop(self, on: bool) -> None:
        with self.acting() as (hands, now_s):
            hands.set_estop(on, now_s)
            self.stops_ended += not on

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
            looks, self._looks_reported = self._looks_reported, self._mechanics.looks
        if looks != self._looks_reported:
            self._watcher()

    @contextmanager
    def acting(self) -> Iterator[tuple[MachineHands, float]]:
        """The hands at the machine and its present moment, at which they act."""
        with self.lock:
            now_s = self._firmware.now_s()
            self._firmware.settle(now_s)
            yield self._mechanics.hands, now_s
        self._firmware.wake()
