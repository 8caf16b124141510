"""Fake feeder with ready walls, and pins as in a controller's process."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from simulator.mechanics import FeederView
from simulator.panel.fake import lgpio
from simulator.physical_tiles import NotPossibleError, PhysicalTile
from simulator.scene import WindowTile
from twinwall.game.tiles import Tile
from twinwall.wire.shapes.panel import KEYS, Key, PanelPins

Walls = Sequence[Sequence[Tile]]
NO_WALLS: Walls = ((),) * 4


class FakeFeeder:
    """Magazines by place: 13 hand places and the draws behind a gate that locks itself behind every tile.

    The tiles of the ``k``-th walls that are raised have back 1 when k is odd, else 2.
    """

    def __init__(self, walls: Walls = NO_WALLS) -> None:
        self._lock = threading.RLock()
        self._walls = walls
        self._hands: list[list[PhysicalTile | None]] = [[None] * 13 for _ in range(4)]
        self._draws: list[list[PhysicalTile]] = [[] for _ in range(4)]
        self._open, self._rear_open = [False] * 4, [False] * 4
        self.shared: list[list[PhysicalTile]] = [[] for _ in range(4)]
        self._raised = 0
        self._watcher: Callable[[], None] = lambda: None
        self._well_open = True
        self._walls_ready = False
        self.gate: WindowTile | None = None
        self.well: list[PhysicalTile] = []
        self.deeds: list[str] = []

    # What a controller does -----------------------------------------------------------------------------

    def raise_walls(self, walls: Walls | None = None) -> None:
        """Trays to magazines."""
        with self._changing():
            self._raised += 1
            self._walls_ready = False
            back = 2 - self._raised % 2
            for place, wall in enumerate(self._walls if walls is None else walls):
                tiles = [PhysicalTile(1000 * back + 34 * place + index, tile.text, back) for index, tile in enumerate(wall)]
                self._hands[place] = list(tiles[:13])
                self._draws[place] = tiles[13:]

    def clear(self) -> None:
        """The next walls are built; the magazines are dropped and the well opens."""
        with self._changing():
            self._walls_ready = self._well_open = True
            self._hands, self._draws = [[None] * 13 for _ in range(4)], [[] for _ in range(4)]
            self.well = []

    def close_well(self) -> None:
        with self._changing():
            self._well_open = False

    def unlock(self, place: int) -> None:
        with self._changing():
            self._open[place] = True

    def unlock_rear(self, place: int) -> None:
        with self._changing():
            self._rear_open[place] = True

    # What people see and do -----------------------------------------------------------------------------

    gates = 1

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        return None if gate else self.gate

    def watch(self, watcher: Callable[[], None]) -> None:
        self._watcher = watcher

    def view(self) -> FeederView:
        with self._lock:
            return FeederView(
                waiting=tuple(sum(tile is not None for tile in hand) for hand in self._hands),
                draws_left=tuple(map(len, self._draws)),
                gates_open=tuple(self._open),
                rear_gates_open=tuple(self._rear_open),
                well_open=self._well_open,
                walls_ready=self._walls_ready,
                walls_raised=self._raised,
            )

    def take_hand_tiles(self, place: int, count: int) -> tuple[PhysicalTile, ...]:
        with self._changing():
            hand = self._hands[place]
            taken = [(index, tile) for index, tile in enumerate(hand) if tile is not None][:count]
            for index, _ in taken:
                hand[index] = None
            return tuple(tile for _, tile in taken)

    def lift_draw(self, place: int) -> PhysicalTile | None:
        with self._changing():
            if not self._open[place] or not self._draws[place]:
                return None
            self._open[place] = False
            return self._draws[place].pop(0)

    def lift_at_rear(self, place: int) -> PhysicalTile | None:
        with self._changing():
            if not self._rear_open[place] or not self.shared[place]:
                return None
            self._rear_open[place] = False
            return self.shared[place].pop(0)

    def put_back(self, place: int, tile: PhysicalTile) -> None:
        with self._changing():
            self._draws[place].insert(0, tile)

    def drop_into_well(self, tiles: Iterable[PhysicalTile]) -> None:
        if not self._well_open:
            raise NotPossibleError("the well is closed")
        self.well.extend(tiles)

    # Accidents ------------------------------------------------------------------------------------------

    def add_to_drum(self, tiles: Iterable[PhysicalTile]) -> None:
        self.deeds.append(f"add {' '.join(tile.face for tile in tiles)}")

    def set_lid(self, opened: bool) -> None:
        self.deeds.append(f"lid {opened}")

    def set_estop(self, on: bool) -> None:
        self.deeds.append(f"estop {on}")

    def reboot(self) -> None:
        self.deeds.append("reboot")

    def unplug(self) -> None:
        self.deeds.append("unplug")

    def plug(self) -> str:
        self.deeds.append("plug")
        return "/dev/pts/9"

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            yield
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
        lgpio.gpio_write(self._handle, self._pins.window, int(lit))

    def fault(self, lit: bool) -> None:
        lgpio.gpio_write(self._handle, self._pins.fault, int(lit))

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
            lgpio.gpio_write(self._handle, pin, int(place in places))
