"""Window of one reading gate, and the row of tiles before it: from the drum until a tile lies before the camera.

Caught tiles wait in a row before the window while another lies in it, so catching costs time only when the drum is
nearly empty. Several gates catch from one drum, each as often as its share of the drum's tiles passes it.
"""

from collections import deque
from random import Random

from firmware_bridge.electrics.edges import GateReading, Sensor
from firmware_bridge.electrics.sensors import BELT_MM_PER_S
from simulator.mechanics.drum import Drum
from simulator.mechanics.mishaps import Mishaps
from simulator.mechanics.schedule import EdgeLog, Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.physical_tiles import PhysicalTile
from simulator.scene import BACK, WindowTile
from twinwall.values import frozen

_LEAVING_S = float("inf")


@frozen
class Resting:
    """What lies still in the window (one tile, or two of a double feed): what the camera sees and what the sensors measured."""

    tiles: tuple[PhysicalTile, ...]
    seen: WindowTile
    reading: GateReading


class GateWindow:
    """Row and window of one gate; ``drum`` is what it catches from."""

    def __init__(
        self, gate: int, settings: MechanicsSettings, mishaps: Mishaps, seed: int, *, drum: Drum, schedule: Schedule, log: EdgeLog
    ) -> None:
        self._gate = gate
        self._settings = settings
        self._mishaps = mishaps
        self._drum = drum
        self._schedule = schedule
        self._log = log
        row = f"{seed} {gate}" if gate else f"{seed}"
        self._catching = Random(f"catch {row}")  # noqa: S311 - a simulated machine must be repeatable
        self._posing = Random(f"pose {row}")  # noqa: S311 - a simulated machine must be repeatable
        self.row: deque[PhysicalTile] = deque()
        """Caught and waiting before the window."""
        self.returned: deque[PhysicalTile] = deque()
        """Brought back by a shuttle; they go before those of the row."""
        self.resting: Resting | None = None
        self._belt_on = True
        self._catch_planned = False
        self._entry_planned = False
        self._clear_s = float("-inf")
        """Machine time at which the window was last seen empty; ``_LEAVING_S`` while a tile is leaving it."""
        self._entered_s = self._given_s = float("-inf")
        """When a tile entered last, and when a shuttle brought one."""
        self._passing_s = settings.tile_width_mm / BELT_MM_PER_S
        """The last part of a tile's way, past the barrier: it enters the window then, and lies still in it afterwards."""
        drum.catchers.append(self.stir)

    def run_belt(self, on: bool) -> None:
        """Let tiles slide into the window, or wait before it."""
        self._belt_on = on
        self.stir()

    def stir(self) -> None:
        """Begin whatever can begin: a catch, and the next tile's way into the window."""
        drum = self._drum
        if drum.turning and not drum.blocked and len(self.row) < self._settings.row_places and drum.tiles and not self._catch_planned:
            self._catch_planned = True
            settings = self._settings
            rate = min(len(drum.tiles) * settings.catches_per_tile_s, settings.catches_per_s) / settings.gates
            self._schedule.after(self._catching.expovariate(rate), self._catch)
        if self.resting is None and not self._entry_planned and self._clear_s != _LEAVING_S and self._next_in_line() is not None:
            self._entry_planned = True
            free_s = max(self._clear_s, self._given_s) if self.returned else self._clear_s
            earliest_s = max(self._entered_s + self._settings.gate_period_s, free_s + self._settings.gate_slide_s - self._passing_s)
            self._schedule.after(earliest_s - self._schedule.machine_s, self._enter)

    def give_back(self, tile: PhysicalTile) -> None:
        """A shuttle has brought a tile back: it slides to the window before anything from the drum."""
        self._given_s = self._schedule.machine_s
        self.returned.append(tile)
        self.stir()

    def let_leave(self) -> tuple[PhysicalTile, ...]:
        """What rests there is on its way out; return it."""
        tiles = self.resting.tiles if self.resting else ()
        self.resting = None
        self._clear_s = _LEAVING_S
        self._schedule.after(self._settings.gate_clear_s, self._clear)
        return tiles

    def take_out(self) -> tuple[PhysicalTile, ...]:
        """A hand takes out what rests there; return it."""
        tiles = self.resting.tiles if self.resting else ()
        self.resting = None
        self._clear()
        return tiles

    def home(self) -> list[PhysicalTile]:
        """Stop; what a shuttle has brought back falls and is returned, what lies in window and row stays."""
        self._catch_planned = self._entry_planned = False
        if self._clear_s == _LEAVING_S:
            self._clear_s = self._schedule.machine_s
            self._log.tell(Sensor.GATE, self._gate, level=False)
        spilled = list(self.returned)
        self.returned.clear()
        return spilled

    def _next_in_line(self) -> PhysicalTile | None:
        if not self._belt_on:
            return None
        if self.returned:
            return self.returned[0]
        return self.row[0] if self._drum.turning and self.row else None

    def _catch(self) -> None:
        self._catch_planned = False
        if self._drum.tiles:
            self.row.append(self._drum.caught(self._catching))
        self.stir()

    def _enter(self) -> None:
        self._entry_planned = False
        tile = self._next_in_line()
        if tile is None:
            return
        returned = bool(self.returned)
        (self.returned if returned else self.row).popleft()
        self._entered_s = self._schedule.machine_s
        self.resting = self._rest(tile, returned)
        self._log.tell(Sensor.GATE, self._gate, reading=self.resting.reading)
        self.stir()

    def _rest(self, tile: PhysicalTile, returned: bool) -> Resting:
        settings, pose = self._settings, self._posing
        limit = settings.offset_limit_mm
        doubled = not returned and bool(self.row) and self._mishaps.doubles()
        tiles = (tile, self.row.popleft()) if doubled else (tile,)
        turned_down = not returned and self._mishaps.face_down()
        seen = WindowTile(
            face=BACK if turned_down else tile.face,
            turned=pose.random() < settings.turned_share,
            offset_mm=(pose.uniform(-limit, limit), pose.uniform(-limit, limit)),
            angle_deg=pose.uniform(-settings.angle_limit_deg, settings.angle_limit_deg),
            obscured=self._mishaps.unread() or doubled,
            light_seed=pose.randrange(2**31),
        )
        width_mm = len(tiles) * settings.tile_width_mm + pose.uniform(-settings.width_noise_mm, settings.width_noise_mm)
        return Resting(tiles, seen, GateReading(round(10 * width_mm), len(tiles), 0 if turned_down else tile.back, returned))

    def _clear(self) -> None:
        self._clear_s = self._schedule.machine_s
        self._log.tell(Sensor.GATE, self._gate, level=False)
        self.stir()
