"""Intake: one gate with its row of tiles, its window and its diverter, from the drum until a shuttle or an exchanger has the tile.

Caught tiles wait in a row before the window of the gate's camera while another lies in it, so catching costs time only when the drum is
nearly empty. Several gates catch at random from one drum, into which falling tiles are poured, each as often as its share of the
drum's tiles passes it.
"""

from collections import deque
from collections.abc import Callable, Iterable
from random import Random

from firmware_bridge.electrics.sensors import BELT_MM_PER_S
from firmware_bridge.electrics.wired_machine import CollisionError, GateReading, Lane, Sensor
from simulator.mechanics.mishaps import ONLY_BY_HAND, Mishaps, Snag
from simulator.mechanics.schedule import ROUNDING_S, EdgeLog, Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.scene import BACK, WindowTile
from simulator.tabletop import PhysicalTile
from twinwall.values import frozen


class Drum:
    """Tiles, and whether it turns; ``catchers`` are called at every change. A ``blocked`` one gives none."""

    def __init__(self) -> None:
        self.blocked = False
        self.tiles: list[PhysicalTile] = []
        self.turning = False
        self.catchers: list[Callable[[], None]] = []

    def turn(self, on: bool) -> None:
        """Turn or rest; tiles already caught stay in their rows."""
        self.turning = on
        self._stir()

    def block(self, blocked: bool) -> None:
        """Something gets between drum and gates, or is taken out."""
        self.blocked = blocked
        self._stir()

    def pour(self, tiles: Iterable[PhysicalTile]) -> None:
        self.tiles.extend(tiles)
        self._stir()

    def caught(self, chance: Random) -> PhysicalTile:
        """One of the tiles, which leaves the drum."""
        return self.tiles.pop(chance.randrange(len(self.tiles)))

    def _stir(self) -> None:
        for catcher in self.catchers:
            catcher()


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
        self.returned: deque[tuple[PhysicalTile, float]] = deque()
        """Let go by a shuttle, and what ``_belt_s`` will be when they come to the window; there they go before those of the row."""
        self.resting: Resting | None = None
        self._belt_on = True
        self._ran_s = self._since_s = 0.0
        """How long the belts ran until they were last switched, and when that was."""
        self._catch_planned = False
        self._entry_planned = False
        self._clear_s = float("-inf")
        """Machine time at which the window was last seen empty; ``_LEAVING_S`` while a tile is leaving it."""
        self._entered_s = float("-inf")
        self._slide_s = settings.gate_slide_s - settings.tile_width_mm / BELT_MM_PER_S
        """Without the last part of a tile's way, past the barrier: it enters the window then, and lies still in it afterwards."""
        drum.catchers.append(self.stir)

    def run_belt(self, on: bool) -> None:
        """Let tiles slide into the window, or wait before it and on their way back."""
        self._ran_s = self._belt_s()
        self._since_s = self._schedule.machine_s
        self._belt_on = on
        for _, at_s in self.returned:
            self._schedule.after(at_s - self._ran_s, self.stir)
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
            earliest_s = max(self._entered_s + self._settings.gate_period_s, self._clear_s + self._slide_s) - self._schedule.machine_s
            came_s = self.returned[0][1] - self._belt_s() + self._slide_s if self.waits else 0.0
            self._schedule.after(max(earliest_s, came_s), self._enter)

    def give_back(self, tile: PhysicalTile) -> None:
        """A shuttle has let a tile go onto the belt that brings it to the window."""
        self.returned.append((tile, self._belt_s() + self._settings.return_s))
        self.run_belt(self._belt_on)

    @property
    def waits(self) -> bool:
        """Whether a returned tile has come to the window."""
        return bool(self.returned) and self.returned[0][1] <= self._belt_s() + ROUNDING_S

    def release_tiles(self) -> tuple[PhysicalTile, ...]:
        """What rests there is on its way out; return it."""
        tiles = self.resting.tiles if self.resting else ()
        self.resting = None
        self._clear_s = _LEAVING_S
        self._schedule.after(self._settings.gate_clear_s, self._clear)
        return tiles

    def take_out(self) -> tuple[PhysicalTile, ...]:
        tiles = self.resting.tiles if self.resting else ()
        self.resting = None
        self._clear()
        return tiles

    def home(self) -> list[PhysicalTile]:
        """Stop; what lies at an end of the way back falls and is returned, what is between them, in window and row stays."""
        self._catch_planned = self._entry_planned = False
        here_s, mouth_s = self._belt_s() + ROUNDING_S, self._belt_s() + self._settings.return_s - ROUNDING_S
        spilled = [each for each in self.returned if not here_s < each[1] < mouth_s]
        self.returned = deque(each for each in self.returned if each not in spilled)
        if self._clear_s == _LEAVING_S:
            self._clear()
        self.run_belt(self._belt_on)
        return [tile for tile, _ in spilled]

    def _belt_s(self) -> float:
        return self._ran_s + (self._schedule.machine_s - self._since_s) * self._belt_on

    def _next_in_line(self) -> PhysicalTile | None:
        if not self._belt_on:
            return None
        if self.waits:
            return self.returned[0][0]
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
        returned = self.waits
        (self.returned if returned else self.row).popleft()
        self._entered_s = self._schedule.machine_s
        self.resting = self._rest(tile, returned)
        self._log.tell(Sensor.GATE, self._gate, reading=self.resting.reading)
        self.stir()

    def _rest(self, tile: PhysicalTile, returned: bool) -> Resting:
        settings, pose = self._settings, self._posing
        doubled = not returned and bool(self.row) and self._mishaps.doubles()
        tiles = (tile, self.row.popleft()) if doubled else (tile,)
        turned_down = not returned and self._mishaps.face_down()
        seen = posed(BACK if turned_down else tile.face, settings, pose, lambda: self._mishaps.unread() or doubled)
        width_mm = len(tiles) * settings.tile_width_mm + pose.uniform(-settings.width_noise_mm, settings.width_noise_mm)
        return Resting(tiles, seen, GateReading(round(10 * width_mm), len(tiles), 0 if turned_down else tile.back))

    def _clear(self) -> None:
        self._clear_s = self._schedule.machine_s
        self._log.tell(Sensor.GATE, self._gate, level=False)
        self.stir()


def posed(face: str, settings: MechanicsSettings, pose: Random, obscured: Callable[[], bool]) -> WindowTile:
    """A tile as it happens to lie before a gate's camera."""
    limit = settings.offset_limit_mm
    return WindowTile(
        face=face,
        turned=pose.random() < settings.turned_share,
        offset_mm=(pose.uniform(-limit, limit), pose.uniform(-limit, limit)),
        angle_deg=pose.uniform(-settings.angle_limit_deg, settings.angle_limit_deg),
        obscured=obscured(),
        light_seed=pose.randrange(2**31),
    )


class Intake:
    """Window, diverter, bypass cells, reject cell and pocket of one gate. A cell has the number here that it has at this gate."""

    def __init__(
        self,
        gate: int,
        settings: MechanicsSettings,
        mishaps: Mishaps,
        seed: int,
        *,
        drum: Drum,
        schedule: Schedule,
        log: EdgeLog,
        to_chute: Callable[[int, PhysicalTile], None],
    ) -> None:
        self.number = gate
        self._settings = settings
        self._mishaps = mishaps
        self._drum = drum
        self._schedule = schedule
        self._log = log
        self._to_chute = to_chute
        self._first_cell = gate * settings.bypass_cells
        self.snag = Snag(schedule, settings.loosen_s)
        """Whether a tile sticks in the window, in the diverter or in a cell."""
        self._stuck: tuple[PhysicalTile, ...] = ()
        """Tiles that stick on their way, halfway through the diverter."""
        self.window = GateWindow(gate, settings, mishaps, seed, drum=drum, schedule=schedule, log=log)
        self.moving: list[PhysicalTile] = []
        """Between the window or a cell and where they are led."""
        self.cells: list[PhysicalTile | None] = [None] * settings.bypass_cells
        self.rejected: list[PhysicalTile] = []
        self.pocket: deque[PhysicalTile] = deque()
        """Waiting for an exchanger."""

    def divert(self, lane: Lane, index: int) -> None:
        """Lead what lies in the window away; raises CollisionError when nothing does. While a tile sticks there, nothing moves."""
        if self.window.resting is None:
            raise CollisionError("the diverter was driven, but no tile lies in the gate")
        if self.snag.stuck:
            self.snag.then(lambda: self._lead_away(lane, index, 0))
            return
        attempts = self._mishaps.jam()
        if attempts and self._mishaps.before_leaving():
            self.snag.catch(attempts, lambda: self._lead_away(lane, index, 0))
        else:
            self._lead_away(lane, index, attempts)

    def release(self, cell: int, lane: Lane, index: int) -> None:
        """Let a cell's tile slide to a chute or the pocket; raises CollisionError when the cell is empty.

        While a tile sticks, nothing moves.
        """
        if self.cells[cell] is None:
            raise CollisionError(f"bypass cell {cell} was released, but holds no tile")
        self.snag.begin(lambda: self._let_slide(cell, lane, index), self._mishaps.jam)

    def hold(self) -> None:
        """A hand keeps what lies in the window from leaving it; ``free`` takes it out."""
        self.snag.catch(ONLY_BY_HAND, lambda: None)

    def free(self) -> list[PhysicalTile]:
        """A hand takes out what sticks, which is returned; a cell's tile only comes loose."""
        if not self.snag.stuck:
            return []
        falling, in_window = list(self._stuck), self.window.resting is not None and not self._stuck
        self._forget_stuck()
        self.snag.forget(lambda: None)
        self.snag.free()
        return [*falling, *(self.window.take_out() if in_window else ())]

    def take_from_pocket(self) -> PhysicalTile:
        """An exchanger takes the tile that came first; raises CollisionError when there is none."""
        if not self.pocket:
            raise CollisionError(f"an exchanger reached into the empty pocket of gate {self.number}")
        return self.pocket.popleft()

    def home(self) -> None:
        """What was on its way falls into the drum; what lies in the window, in the row or a cell stays."""
        returned = self.window.home()
        stuck = self._stuck
        spilled = [*(tile for tile in self.moving if tile not in stuck), *returned, *self.pocket]
        self.moving = list(stuck)
        self.pocket.clear()
        self.snag.forget(self._fall)
        self._drum.pour(spilled)

    def _lead_away(self, lane: Lane, index: int, attempts: int) -> None:
        """The window's tiles go their way; where that takes attempts, they stick halfway."""
        if self.window.resting is None:
            return
        tiles = self.window.release_tiles()
        self.moving.extend(tiles)
        seconds = self._settings.recirculate_s if lane is Lane.DRUM else self._settings.divert_s
        if attempts:
            self._stuck = tiles
            self.snag.catch(attempts, lambda: self._go_on(tiles, seconds, lane, index))
        else:
            self._schedule.after(seconds, lambda: self._arrive(tiles, lane, index))

    def _let_slide(self, cell: int, lane: Lane, index: int) -> None:
        tile = self.cells[cell]
        if tile is None:
            return
        self.cells[cell] = None
        self.moving.append(tile)
        self._log.tell(Sensor.CELL, self._first_cell + cell, level=False)
        self._schedule.after(self._settings.cell_release_s, lambda: self._arrive((tile,), lane, index))

    def _go_on(self, tiles: tuple[PhysicalTile, ...], seconds: float, lane: Lane, index: int) -> None:
        self._stuck = ()
        self._schedule.after(seconds, lambda: self._arrive(tiles, lane, index))

    def _fall(self) -> None:
        """What has come free has nowhere to go any more."""
        falling = self._stuck
        self._forget_stuck()
        self._drum.pour(list(falling))

    def _forget_stuck(self) -> None:
        self.moving = [tile for tile in self.moving if tile not in self._stuck]
        self._stuck = ()

    def _arrive(self, tiles: tuple[PhysicalTile, ...], lane: Lane, index: int) -> None:
        for tile in tiles:
            self.moving.remove(tile)
        match lane:
            case Lane.CHUTE:
                for tile in tiles:
                    self._to_chute(index, tile)
                self._log.tell(Sensor.CHUTE, index)
            case Lane.POCKET:
                if len(self.pocket) + len(tiles) > self._settings.pocket_places:
                    raise CollisionError(f"a tile more than {self._settings.pocket_places} was led into the pocket of gate {self.number}")
                self.pocket.extend(tiles)
                self._log.tell(Sensor.POCKET, self.number)
            case Lane.CELL:
                if self.cells[index] is not None or len(tiles) > 1:
                    raise CollisionError(f"a second tile was led into bypass cell {self._first_cell + index}")
                self.cells[index] = tiles[0]
                self._log.tell(Sensor.CELL, self._first_cell + index)
            case Lane.DRUM:
                self._drum.pour(list(tiles))
                self._log.tell(Sensor.DRUM_MOUTH, self.number)
            case Lane.REJECT:
                self.rejected.extend(tiles)
                self._log.tell(Sensor.REJECT, self.number)
