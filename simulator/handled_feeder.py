"""Hands at the simulated feeder: each deed takes the lock, happens by the wall clock and wakes the firmware at once, so that a
lifted tile is reported when it is lifted."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from firmware_bridge.electrics.drives import Part
from simulator.mechanics import Mechanics, Stuck
from simulator.physical_tiles import PhysicalTile
from simulator.workbench import Firmware


class HandledFeeder:
    """What people do at a feeder that somebody else serves; any thread may call."""

    def __init__(self, mechanics: Mechanics, lock: threading.RLock, firmware: Firmware) -> None:
        self._mechanics = mechanics
        self._firmware = firmware
        self.lock = lock
        """Held by every method; hold it to make several calls at one instant."""
        self.let_go = 0
        """Times that the lid was shut or the emergency stop released, after which the feeder waits for a person's CONFIRM."""

    def stuck(self) -> tuple[Stuck, ...]:
        """The parts in which something sticks, for the person who opens the machine."""
        with self.lock:
            return self._mechanics.hands.stuck()

    def free(self, stuck: Stuck) -> None:
        """Take out what sticks in a part; raises NotPossibleError when nothing does."""
        with self._acting() as now_s:
            self._mechanics.hands.free(stuck, now_s)

    def hold_gate_tile(self) -> None:
        """Keep the tile in the gate from leaving it; raises NotPossibleError when none lies there."""
        with self._acting() as now_s:
            self._mechanics.hands.hold_gate_tile(now_s)

    def take_gate_tile(self) -> None:
        """Take the tile that is held out of the gate and put it into the drum."""
        self.free(Stuck(Part.DIVERTER, 0))

    def empty_reject_cell(self) -> tuple[PhysicalTile, ...]:
        """Take out what lies in the reject cell."""
        with self._acting() as now_s:
            return self._mechanics.hands.empty_reject_cell(now_s)

    def take_hand_tiles(self, place: int, count: int) -> tuple[PhysicalTile, ...]:
        """Take up to ``count`` tiles from the hand places of a seat, those in front first."""
        with self._acting() as now_s:
            return self._mechanics.hands.take_hand_tiles(place, count, now_s)

    def lift_draw(self, place: int) -> PhysicalTile | None:
        """Lift the tile at a draw gate; None when it is locked or nothing is left."""
        with self._acting() as now_s:
            return self._mechanics.hands.lift_draw(place, now_s)

    def lift_at_rear(self, place: int) -> PhysicalTile | None:
        """Lift the tile at a rear gate; None when it is locked or nothing lies there."""
        with self._acting() as now_s:
            return self._mechanics.hands.lift_at_rear(place, now_s)

    def put_back(self, place: int, tile: PhysicalTile) -> None:
        """Put a tile back into the draw gate; raises NotPossibleError when nothing was lifted there."""
        with self._acting() as now_s:
            self._mechanics.hands.put_back(place, tile, now_s)

    def drop_into_well(self, tiles: Iterable[PhysicalTile]) -> None:
        """Push tiles into the well; raises NotPossibleError when it is closed."""
        with self._acting() as now_s:
            self._mechanics.hands.drop_into_well(tiles, now_s)

    def add_to_drum(self, tiles: Iterable[PhysicalTile]) -> None:
        """Drop tiles through the open lid; raises NotPossibleError when it is closed."""
        with self._acting() as now_s:
            self._mechanics.hands.add_to_drum(tiles, now_s)

    def block_drum(self, blocked: bool) -> None:
        """Get something between drum and gate, or take it out."""
        with self._acting() as now_s:
            self._mechanics.hands.block_drum(now_s, blocked=blocked)

    def pull_plug(self, number: int, pulled: bool, reads: bool = False) -> None:
        """Pull the plug of an input, by its number, or put it back."""
        with self._acting() as now_s:
            self._mechanics.hands.pull_plug(number, now_s, pulled=pulled, reads=reads)

    def set_lid(self, opened: bool) -> None:
        """Open or close the drum's lid."""
        with self._acting() as now_s:
            self._mechanics.hands.set_lid(opened, now_s)
            self.let_go += not opened

    def set_estop(self, on: bool) -> None:
        """Press or release the emergency stop."""
        with self._acting() as now_s:
            self._mechanics.hands.set_estop(on, now_s)
            self.let_go += not on

    @contextmanager
    def _acting(self) -> Iterator[float]:
        with self.lock:
            now_s = self._firmware.now_s()
            self._firmware.settle(now_s)
            yield now_s
        self._firmware.wake()
