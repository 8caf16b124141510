"""One seat's side of the machine: chute, shuttle, tray, and the magazine that the player takes from."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.firmware.port import Edge, Sensor
from firmware_bridge.messages import REAR_PLACES
from twinwall.simulator.mechanics.intake import CollisionError
from twinwall.simulator.mechanics.mishaps import Mishaps, Snag
from twinwall.simulator.mechanics.schedule import Schedule
from twinwall.simulator.mechanics.settings import MechanicsSettings
from twinwall.simulator.tiles import PhysicalTile


@dataclass(slots=True)
class Gate:
    """A gate of a magazine; ``lifted_from`` is the place of the tile lifted last, to which one that is put back returns."""

    open: bool = False
    lifted_from: int | None = None


class Side:
    """The tiles and moving parts of one seat; ``seat`` is the physical place 0 to 3."""

    def __init__(
        self,
        seat: int,
        settings: MechanicsSettings,
        mishaps: Mishaps,
        schedule: Schedule,
        *,
        edge: Callable[[Edge], None],
        give_back: Callable[[PhysicalTile], None],
    ) -> None:
        self.seat = seat
        self._settings = settings
        self._mishaps = mishaps
        self._schedule = schedule
        self._snag = Snag(schedule, settings.loosen_s)
        self._edge = edge
        self._give_back = give_back
        self.chute: deque[PhysicalTile] = deque()
        self.carried: PhysicalTile | None = None
        self._busy = False
        self._gripper_works = 0
        self.gripping = False
        """The gripper opens or closes, and the carriage must stand still."""
        self._misses: int | None = None
        """How often the gripper will still miss the chute's first tile, once it has tried."""
        self._left_at, self._left_s = 0, 0.0
        """Where the shuttle was when it was last left alone, and the machine's time then: it goes back to the mouth by itself."""
        self.tray: list[PhysicalTile | None] = [None] * settings.tray_places
        self.magazine: list[PhysicalTile | None] = [None] * settings.wall_places
        self.gates = (Gate(), Gate())
        """The draw gate, and the rear gate at the other end of the magazine."""

    def receive(self, tile: PhysicalTile) -> None:
        """A tile slides down the chute; raises CollisionError when it is full."""
        if len(self.chute) >= self._settings.shuttle_queue:
            raise CollisionError(f"a tile more than {self._settings.shuttle_queue} was led into the chute of seat {self.seat}")
        self.chute.append(tile)

    def carry(self, position: int) -> None:
        """Take the chute's first tile to a position; raises CollisionError when that cannot be."""
        if self._busy or not self.chute:
            raise CollisionError(f"the shuttle of seat {self.seat} was driven while it was {'busy' if self._busy else 'without a tile'}")
        self._busy = True
        seconds = self._travel_s(self._found_at(), 0) + self._settings.pick_s
        self._set_out(lambda: self._schedule.after(seconds, lambda: self._pick_up(position)), self._mishaps.stall())

    def fetch(self, position: int) -> None:
        """Bring the tile at a position back to the gate; raises CollisionError when that cannot be."""
        if self._busy or self.tray[position] is None:
            raise CollisionError(f"the shuttle of seat {self.seat} cannot fetch from position {position}")
        self._busy = True
        seconds = self._travel_s(self._found_at(), position) + self._settings.pick_s
        self._set_out(lambda: self._schedule.after(seconds, lambda: self._pick_from_tray(position)), 0)

    def _set_out(self, begin: Callable[[], None], attempts: int) -> None:
        """Begin a motion, as soon as the shuttle is free; it stalls where that takes attempts."""
        if self._snag.stuck:
            self._snag.then(begin)
        elif attempts:
            self._snag.catch(attempts, begin)
        else:
            begin()

    def loosen(self) -> None:
        """Run the shuttle to and fro, which may free it."""
        self._snag.loosen()

    @property
    def stuck(self) -> bool:
        """Whether the shuttle has stalled."""
        return self._snag.stuck

    def free(self) -> list[PhysicalTile]:
        """A hand frees the shuttle; what was in the chute or carried is taken out and returned."""
        self._snag.forget(lambda: None)
        self._snag.free()
        return self.home()

    def grip(self, position: int | None) -> None:
        """Take hold of what lies under the carriage, which stands still; nothing is held where nothing lies.

        A stall is a gripper that misses the chute's tile so many times.
        """
        if position is None and self.chute and self._misses is None:
            self._misses = self._mishaps.stall()
        self._work_gripper(self._settings.pick_s, lambda: self._close_gripper(position))

    def let_go(self, position: int | None) -> None:
        """Set the tile in the gripper down, if there is one."""
        self._work_gripper(self._settings.drop_s, lambda: self._open_gripper(position))

    def empty_tray(self) -> list[PhysicalTile]:
        """The tray's tiles, which fall."""
        fallen = [tile for tile in self.tray if tile is not None]
        self.tray = [None] * self._settings.tray_places
        return fallen

    def empty_magazine(self) -> list[PhysicalTile]:
        """The magazine's tiles, which fall."""
        fallen = [tile for tile in self.magazine if tile is not None]
        self.magazine = [None] * self._settings.wall_places
        self._forget_lifted()
        return fallen

    def lift(self) -> None:
        """The wall rises from tray to magazine; raises CollisionError when something is in the way there."""
        if any(tile is not None for tile in self.magazine):
            raise CollisionError(f"the walls were raised while the magazine of seat {self.seat} was not empty")
        wall = self._settings.wall_places
        self.magazine = self.tray[:wall]
        self.tray[:wall] = [None] * wall
        self._forget_lifted()

    def home(self) -> list[PhysicalTile]:
        """Stop and come to rest at the mouth; what was in the chute or carried falls and is returned."""
        spilled = [*self.chute, *([self.carried] if self.carried else [])]
        self.chute.clear()
        self.carried = None
        self.gripping = False
        self._misses = None
        self._snag.forget(lambda: None)
        self._rest_at(0)
        return spilled

    def next_at(self, gate: int) -> int | None:
        """Magazine place of the tile behind the draw gate (0) or the rear gate (1), None when there is none."""
        wall = self._settings.wall_places
        places = range(wall - REAR_PLACES if gate else self._settings.hand_places, wall)
        return next((place for place in places if self.magazine[place] is not None), None)

    def _forget_lifted(self) -> None:
        for gate in self.gates:
            gate.lifted_from = None

    def _rest_at(self, position: int) -> None:
        """The shuttle has nothing to do: it begins to go back to the mouth."""
        self._busy = False
        self._left_at, self._left_s = position, self._schedule.machine_s

    def _found_at(self) -> float:
        """Where on its way back to the mouth the shuttle is now."""
        return max(self._left_at - (self._schedule.machine_s - self._left_s) * self._settings.travel_positions_per_s, 0.0)

    def _travel_s(self, begin: float, end: float) -> float:
        return abs(end - begin) / self._settings.travel_positions_per_s

    def _work_gripper(self, seconds: float, done: Callable[[], None]) -> None:
        """Let the gripper do one thing; what it was about to do before is given up."""
        self._gripper_works += 1
        work = self._gripper_works
        self.gripping = True

        def finish() -> None:
            if work == self._gripper_works:
                self.gripping = False
                done()

        self._schedule.after(seconds, finish)

    def _close_gripper(self, position: int | None) -> None:
        if self.carried is not None:
            return
        if position is None and self._misses:
            self._misses -= 1
        elif position is None and self.chute:
            self._misses = None
            self._take_from_chute()
        elif position is not None and self.tray[position] is not None:
            self._take_from_tray(position)

    def _open_gripper(self, position: int | None) -> None:
        if self.carried is None:
            return
        if position is None:
            self._hand_over()
        else:
            self._drop(position)

    def _take_from_chute(self) -> None:
        self.carried = self.chute.popleft()
        self._tell(Sensor.PICK)

    def _take_from_tray(self, position: int) -> None:
        self.carried, self.tray[position] = self.tray[position], None
        self._tell(Sensor.TRAY, position, level=False)

    def _pick_up(self, position: int) -> None:
        self._take_from_chute()
        self._schedule.after(self._travel_s(0, position) + self._settings.drop_s, lambda: self._drop(position))

    def _drop(self, position: int) -> None:
        if self.tray[position] is not None:
            raise CollisionError(f"a tile was dropped on the one at position {position} of seat {self.seat}")
        self.tray[position], self.carried = self.carried, None
        self._rest_at(position)
        self._tell(Sensor.TRAY, position)

    def _pick_from_tray(self, position: int) -> None:
        self._take_from_tray(position)
        self._schedule.after(self._travel_s(position, 0) + self._settings.drop_s, self._hand_over)

    def _hand_over(self) -> None:
        tile, self.carried = self.carried, None
        self._rest_at(0)
        if tile is not None:
            self._give_back(tile)

    def _tell(self, sensor: Sensor, place: int = 0, *, level: bool = True) -> None:
        self._edge(Edge(sensor, self._schedule.now_s, self.seat, place, level))
