"""Intake: one gate's diverter, with the window before it, until a shuttle or an exchanger has the tile."""

from collections import deque
from collections.abc import Callable

from firmware_bridge.electrics.drives import Lane
from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.electrics.wired_machine import CollisionError
from simulator.mechanics.drum import Drum
from simulator.mechanics.mishaps import ONLY_BY_HAND, Mishaps, Snag
from simulator.mechanics.schedule import EdgeLog, Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.mechanics.window import GateWindow
from simulator.physical_tiles import PhysicalTile


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
        tiles = self.window.let_leave()
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
