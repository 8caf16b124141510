"""Shuttle with its chute: carries tiles from the chute to its part of a seat's tray, and back to the gate."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from firmware_bridge.electrics.wired_machine import CollisionError
from firmware_bridge.firmware.port import Edge, Sensor
from twinwall.simulator.mechanics.mishaps import Mishaps, Snag
from twinwall.simulator.mechanics.schedule import Schedule
from twinwall.simulator.mechanics.settings import MechanicsSettings
from twinwall.simulator.physical_tiles import PhysicalTile

_SEATS = 4


class Shuttle:
    """``rank`` 0 is a seat's first shuttle; it begins at position ``mouth`` and works on the seat's ``tray``, which it changes."""

    def __init__(
        self,
        seat: int,
        rank: int,
        settings: MechanicsSettings,
        mishaps: Mishaps,
        schedule: Schedule,
        *,
        mouth: int,
        tray: list[PhysicalTile | None],
        edge: Callable[[Edge], None],
        give_back: Callable[[PhysicalTile], None],
    ) -> None:
        self._seat = seat
        self.number = seat + _SEATS * rank
        self._mouth = mouth
        self._tray = tray
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
        self._left_at, self._left_s = mouth, 0.0
        """Where the shuttle was when it was last left alone, and the machine's time then: it goes back to the mouth by itself."""

    def receive(self, tile: PhysicalTile) -> None:
        """A tile slides down the chute; raises CollisionError when it is full."""
        if len(self.chute) >= self._settings.shuttle_queue:
            raise CollisionError(f"a tile more than {self._settings.shuttle_queue} was led into the chute of shuttle {self.number}")
        self.chute.append(tile)

    def carry(self, position: int) -> None:
        """Take the chute's first tile to a position; raises CollisionError when that cannot be."""
        if self._busy or not self.chute:
            raise CollisionError(f"shuttle {self.number} was driven while it was {'busy' if self._busy else 'without a tile'}")
        self._busy = True
        seconds = self._travel_s(self._found_at(), self._mouth) + self._settings.pick_s
        self._snag.begin(lambda: self._schedule.after(seconds, lambda: self._pick_up(position)), self._mishaps.stall())

    def fetch(self, position: int) -> None:
        """Bring the tile at a position back to the gate; raises CollisionError when that cannot be."""
        if self._busy or self._tray[position] is None:
            raise CollisionError(f"shuttle {self.number} cannot fetch from position {position}")
        self._busy = True
        seconds = self._travel_s(self._found_at(), position) + self._settings.pick_s
        self._snag.begin(lambda: self._schedule.after(seconds, lambda: self._pick_from_tray(position)), 0)

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

    def home(self) -> list[PhysicalTile]:
        """Stop and come to rest at the mouth; what was in the chute or carried falls and is returned."""
        spilled = [*self.chute, *([self.carried] if self.carried else [])]
        self.chute.clear()
        self.carried = None
        self.gripping = False
        self._misses = None
        self._snag.forget(lambda: None)
        self._rest_at(self._mouth)
        return spilled

    def _rest_at(self, position: int) -> None:
        """The shuttle has nothing to do: it begins to go back to the mouth."""
        self._busy = False
        self._left_at, self._left_s = position, self._schedule.machine_s

    def _found_at(self) -> float:
        """Where on its way back to the mouth the shuttle is now."""
        way = self._left_at - self._mouth
        left = max(abs(way) - (self._schedule.machine_s - self._left_s) * self._settings.travel_positions_per_s, 0.0)
        return self._mouth + (left if way > 0 else -left)

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
        elif position is not None and self._tray[position] is not None:
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
        self.carried, self._tray[position] = self._tray[position], None
        self._tell(Sensor.TRAY, position, level=False)

    def _pick_up(self, position: int) -> None:
        self._take_from_chute()
        self._schedule.after(self._travel_s(self._mouth, position) + self._settings.drop_s, lambda: self._drop(position))

    def _drop(self, position: int) -> None:
        if self._tray[position] is not None:
            raise CollisionError(f"a tile was dropped on the one at position {position} of seat {self._seat}")
        self._tray[position], self.carried = self.carried, None
        self._rest_at(position)
        self._tell(Sensor.TRAY, position)

    def _pick_from_tray(self, position: int) -> None:
        self._take_from_tray(position)
        self._schedule.after(self._travel_s(position, self._mouth) + self._settings.drop_s, self._hand_over)

    def _hand_over(self) -> None:
        tile, self.carried = self.carried, None
        self._rest_at(self._mouth)
        if tile is not None:
            self._give_back(tile)

    def _tell(self, sensor: Sensor, place: int = 0, *, level: bool = True) -> None:
        index = self._seat if sensor is Sensor.TRAY else self.number
        self._edge(Edge(sensor, self._schedule.now_s, index, place, level))
