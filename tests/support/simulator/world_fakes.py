"""Machine that a test drives in place of its firmware, with ready walls, and pins as in a controller's process."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from firmware_bridge.electrics.wired_machine import Drive, GateLock, WellDoor
from firmware_bridge.messages import REAR_GATE, ResetReason
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.panel.fake import lgpio
from simulator.tabletop import PhysicalTile
from twinwall.game.tiles import Tile
from twinwall.wire.shapes.panel import KEYS, Key, PanelPins

WALL, PLACES = 15, 18
"""Tiles of a wall, and its places with those behind the rear gate."""
SIZES = MechanicsSettings(speed=100.0, tray_places=PLACES, wall_places=PLACES, wall_tiles=WALL, rear_tiles=True, two_high=False)
ACT_S = 1.0
"""After this each thing that the machine is told is done."""


class NoFirmware:
    """Nothing drives the machine."""

    path = ""

    def __init__(self, now_s: Callable[[], float], touched: Callable[[], None] = lambda: None) -> None:
        self.now_s, self.wake = now_s, touched

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def settle(self, now_s: float) -> None: ...
    def reboot(self, reason: ResetReason) -> None: ...
    def unplug(self) -> None: ...
    def plug(self) -> None: ...


class ReadyWalls(FeederSimulator):
    """The simulated machine, whose walls stand when the test says so. The tiles of the ``k``-th walls that are raised have back 1 when k is
    odd, else 2."""

    def __init__(self, walls: Sequence[Sequence[Tile]]) -> None:
        super().__init__(SIZES, 1, FaultPlan(unread=0.0), (), firmware=lambda bench: NoFirmware(lambda: self._now_s, bench.exchanged))
        self._walls, self._parts = walls, self._mechanics._parts
        self._now_s = time.monotonic()
        self._drive(WellDoor(True, True))

    def raise_walls(self) -> None:
        """Trays to magazines."""
        self._parts.walls_raised += 1
        back = 2 - self._parts.walls_raised % 2
        for place, wall in enumerate(self._walls):
            tiles = [PhysicalTile(1000 * back + 34 * place + index, tile.text, back) for index, tile in enumerate(wall)]
            self._parts.sides[place].magazine = [*tiles, *[None] * (PLACES - WALL)]
            self._parts.sides[place].tray[:] = [None] * PLACES
        self._watcher()

    def clear(self) -> None:
        """The next walls are built; the magazines are dropped and the well opens."""
        for side in self._parts.sides:
            side.empty_magazine()
            side.tray[:] = [PhysicalTile(9000 + PLACES * side.seat + index, "1m", 1) for index in range(PLACES)]
        self._drive(WellDoor(True, True))

    def close_well(self) -> None:
        self._drive(WellDoor(False, True))

    def unlock(self, gate: int) -> None:
        """The draw gate of a place, or from ``REAR_GATE`` on its rear gate."""
        for opened in (False, True):
            self._drive(GateLock(gate, opened))

    def lay_at_rear(self, place: int, tile: PhysicalTile) -> None:
        self._parts.sides[place].magazine[WALL] = tile
        self.unlock(REAR_GATE + place)

    @property
    def pushed_in(self) -> tuple[PhysicalTile, ...]:
        """What came through the well."""
        return self.census()["drum"]

    def _drive(self, drive: Drive) -> None:
        with self.lock:
            self._mechanics.drive(drive, self._now_s)
            self._now_s += ACT_S
            self._mechanics.advance(self._now_s)
        self._watcher()


class Pins:
    """The controller's side of the panel file, in this process, over the fake lgpio."""

    def __init__(self, path: Path, pins: PanelPins, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TWINWALL_PANEL", str(path))
        self._pins = pins
        self._handle = lgpio.gpiochip_open(0)
        for row in pins.rows:
            lgpio.gpio_claim_output(self._handle, row, 1)
        for column in pins.columns:
            lgpio.gpio_claim_input(self._handle, column, lgpio.SET_PULL_UP)
        for lamp in (*pins.turn, *pins.call, pins.window, pins.fault, pins.buzzer):
            lgpio.gpio_claim_output(self._handle, lamp, 0)

    def close(self) -> None:
        lgpio.gpiochip_close(self._handle)

    def turn(self, *places: int) -> None:
        self._light(self._pins.turn, places)

    def call(self, *places: int) -> None:
        self._light(self._pins.call, places)

    def window(self, lit: bool) -> None:
        lgpio.gpio_write(self._handle, self._pins.window, lit)

    def fault(self, lit: bool) -> None:
        lgpio.gpio_write(self._handle, self._pins.fault, lit)

    def pressed(self) -> set[tuple[int, Key]]:
        """One scan of the matrix."""
        found = set()
        for place, row in enumerate(self._pins.rows):
            lgpio.gpio_write(self._handle, row, 0)
            found |= {
                (place, key) for key, column in zip(KEYS, self._pins.columns, strict=True) if not lgpio.gpio_read(self._handle, column)
            }
            lgpio.gpio_write(self._handle, row, 1)
        return found

    def _light(self, lamps: tuple[int, ...], places: tuple[int, ...]) -> None:
        for place, pin in enumerate(lamps):
            lgpio.gpio_write(self._handle, pin, place in places)
