"""From the drum to the gate and through the diverter: everything a tile passes before a shuttle has it.

The drum catches tiles at random, faster the more it holds. Caught tiles wait in a row before the
gate while another lies in it, so that catching costs time only when the drum is nearly empty.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from twinwall.simulator.mechanics.port import Edge, GateReading, Lane, Sensor
from twinwall.simulator.mechanics.schedule import Schedule
from twinwall.simulator.mechanics.settings import FaultPlan, MechanicsSettings
from twinwall.simulator.scene import GateTile
from twinwall.simulator.tiles import PhysicalTile


class CollisionError(RuntimeError):
    """Firmware drove a part in a way that would break tiles or lose one; the message says which."""


@dataclass(frozen=True, slots=True)
class Resting:
    """A tile that lies still in the gate: what the camera sees and what the sensors measured."""

    tile: PhysicalTile
    seen: GateTile
    reading: GateReading


class Intake:
    """Drum, row, gate, diverter, bypass cells and reject cell."""

    def __init__(
        self,
        settings: MechanicsSettings,
        faults: FaultPlan,
        seed: int,
        *,
        schedule: Schedule,
        edge: Callable[[Edge], None],
        to_chute: Callable[[int, PhysicalTile], None],
    ) -> None:
        self._settings = settings
        self._faults = faults
        self._schedule = schedule
        self._edge = edge
        self._to_chute = to_chute
        self._catching = Random(f"catch {seed}")  # noqa: S311 - a simulated machine must be repeatable
        self._posing = Random(f"pose {seed}")  # noqa: S311 - a simulated machine must be repeatable
        self._reading = Random(f"read {seed}")  # noqa: S311 - a simulated machine must be repeatable
        self.drum: list[PhysicalTile] = []
        self.row: deque[PhysicalTile] = deque()
        """Caught and waiting before the gate."""
        self.returned: deque[PhysicalTile] = deque()
        self.gate: Resting | None = None
        self.moving: list[PhysicalTile] = []
        """Between the gate or a cell and where they are led."""
        self.cells: list[PhysicalTile | None] = [None] * settings.bypass_cells
        self.rejected: list[PhysicalTile] = []
        self._feeding = False
        self._belt_on = True
        self._catch_planned = False
        self._entry_planned = False
        self._window_clear_s = float("-inf")
        """Machine time at which the window was last seen empty; infinite while a tile is leaving it."""
        self._entered_s = float("-inf")

    def feed(self, on: bool) -> None:
        """Turn the drum or let it rest; tiles already caught stay in their row."""
        self._feeding = on
        self.stir()

    def run_belt(self, on: bool) -> None:
        """Let tiles slide into the window, or wait before it."""
        self._belt_on = on
        self.stir()

    def stir(self) -> None:
        """Begin whatever can begin: a catch, and the next tile's way into the window."""
        if self._feeding and len(self.row) < self._settings.row_places and self.drum and not self._catch_planned:
            self._catch_planned = True
            rate = len(self.drum) * self._settings.catches_per_tile_s
            self._schedule.after(self._catching.expovariate(rate), self._catch)
        if self.gate is None and not self._entry_planned and self._window_clear_s != float("inf") and self._next_in_line() is not None:
            self._entry_planned = True
            earliest_s = max(self._entered_s + self._settings.gate_period_s, self._window_clear_s + self._settings.gate_slide_s)
            self._schedule.after(earliest_s - self._schedule.machine_s, self._enter)

    def divert(self, lane: Lane, index: int) -> None:
        """Lead the gate's tile away; raises CollisionError when there is none."""
        if self.gate is None:
            raise CollisionError("the diverter was driven, but no tile lies in the gate")
        tile = self.gate.tile
        self.gate = None
        self.moving.append(tile)
        self._window_clear_s = float("inf")
        self._schedule.after(self._settings.gate_clear_s, self._clear_window)
        seconds = self._settings.recirculate_s if lane is Lane.DRUM else self._settings.divert_s
        self._schedule.after(seconds, lambda: self._arrive(tile, lane, index))

    def release(self, cell: int, seat: int) -> None:
        """Let a cell's tile slide to a chute; raises CollisionError when the cell is empty."""
        tile = self.cells[cell]
        if tile is None:
            raise CollisionError(f"bypass cell {cell} was released, but holds no tile")
        self.cells[cell] = None
        self.moving.append(tile)
        self._tell(Sensor.CELL, cell, level=False)
        self._schedule.after(self._settings.cell_release_s, lambda: self._arrive(tile, Lane.CHUTE, seat))

    def give_back(self, tile: PhysicalTile) -> None:
        """A shuttle has brought a tile back: it goes before anything from the drum."""
        self.returned.append(tile)
        self.stir()

    def pour(self, tiles: list[PhysicalTile]) -> None:
        """Tiles fall into the drum."""
        self.drum.extend(tiles)
        self.stir()

    def home(self) -> None:
        """What was on its way falls into the drum; what lies in the gate, in the row or a cell stays."""
        self._catch_planned = self._entry_planned = self._feeding = False
        if self._window_clear_s == float("inf"):
            self._window_clear_s = self._schedule.machine_s
            self._tell(Sensor.GATE, level=False)
        spilled = [*self.moving, *self.returned]
        self.moving.clear()
        self.returned.clear()
        self.pour(spilled)

    def _next_in_line(self) -> PhysicalTile | None:
        if not self._belt_on:
            return None
        if self.returned:
            return self.returned[0]
        return self.row[0] if self._feeding and self.row else None

    def _catch(self) -> None:
        self._catch_planned = False
        if self.drum:
            self.row.append(self.drum.pop(self._catching.randrange(len(self.drum))))
        self.stir()

    def _enter(self) -> None:
        self._entry_planned = False
        tile = self._next_in_line()
        if tile is None:
            return
        returned = bool(self.returned)
        (self.returned if returned else self.row).popleft()
        self._entered_s = self._schedule.machine_s
        self.gate = self._rest(tile, returned)
        self._tell(Sensor.GATE, reading=self.gate.reading)
        self.stir()

    def _rest(self, tile: PhysicalTile, returned: bool) -> Resting:
        settings, pose = self._settings, self._posing
        limit = settings.offset_limit_mm
        seen = GateTile(
            face=tile.face,
            turned=pose.random() < settings.turned_share,
            offset_mm=(pose.uniform(-limit, limit), pose.uniform(-limit, limit)),
            angle_deg=pose.uniform(-settings.angle_limit_deg, settings.angle_limit_deg),
            obscured=self._reading.random() < self._faults.unread,
            light_seed=pose.randrange(2**31),
        )
        width_mm = settings.tile_width_mm + pose.uniform(-settings.width_noise_mm, settings.width_noise_mm)
        return Resting(tile, seen, GateReading(round(10 * width_mm), 1, tile.back, returned))

    def _clear_window(self) -> None:
        self._window_clear_s = self._schedule.machine_s
        self._tell(Sensor.GATE, level=False)
        self.stir()

    def _arrive(self, tile: PhysicalTile, lane: Lane, index: int) -> None:
        self.moving.remove(tile)
        match lane:
            case Lane.CHUTE:
                self._to_chute(index, tile)
                self._tell(Sensor.CHUTE, index)
            case Lane.CELL:
                if self.cells[index] is not None:
                    raise CollisionError(f"a second tile was led into bypass cell {index}")
                self.cells[index] = tile
                self._tell(Sensor.CELL, index)
            case Lane.DRUM:
                self.pour([tile])
                self._tell(Sensor.DRUM_MOUTH)
            case Lane.REJECT:
                self.rejected.append(tile)
                self._tell(Sensor.REJECT)

    def _tell(self, sensor: Sensor, index: int = 0, *, level: bool = True, reading: GateReading | None = None) -> None:
        self._edge(Edge(sensor, self._schedule.now_s, index, 0, level, reading))
