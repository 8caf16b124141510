"""Side of the machine that belongs to one seat: its tray, its magazine, and the shuttles that serve the tray.

A shuttle takes tiles from its chute or from its seat's tray, and sets them down there or at the gate. The board moves the carriage itself,
so that only the gripper's work takes time here.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.electrics.wired_machine import RETURN_LANE, CollisionError, Sensor, capabilities_of
from firmware_bridge.electrics.wiring import SEATS
from firmware_bridge.messages import REAR_PLACES
from simulator.mechanics.mishaps import Mishaps
from simulator.mechanics.schedule import EdgeLog, Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.tabletop import PhysicalTile

_LANE_S, _REACH_S = 0.4, 0.1
"""Down a lane, where there are no shuttles, and until a hand can have the tile."""
DOWN_SHARE = 0.72
"""Of a gripper's time, when its fingers have worked: down to a tray's floor, at rest, and open (hardware/dimensions.toml)."""


class Shuttle:
    """``rank`` 0 is a seat's first shuttle; it works on the seat's ``tray``, which it changes."""

    def __init__(
        self,
        seat: int,
        rank: int,
        settings: MechanicsSettings,
        mishaps: Mishaps,
        schedule: Schedule,
        *,
        tray: list[PhysicalTile | None],
        log: EdgeLog,
        give_back: Callable[[PhysicalTile], None],
    ) -> None:
        """``give_back`` takes what is set down in the return lane, which brings it to the gate."""
        self._seat = seat
        self.number = seat + SEATS * rank
        self._tray = tray
        self._settings = settings
        self._sizes = capabilities_of(settings)
        self._mishaps = mishaps
        self._schedule = schedule
        self._log = log
        self._give_back = give_back
        self.chute: deque[PhysicalTile] = deque()
        self.carried: PhysicalTile | None = None
        self._ended = False
        """Without shuttles: the chute's tile lies at its end."""
        self._gripper_works = 0
        self.gripping = False
        """The gripper is let down, opens or closes, and is drawn up; the carriage must stand still."""
        self._misses: int | None = None
        """How often the gripper will still miss the chute's first tile, once it has tried."""

    def receive(self, tile: PhysicalTile) -> None:
        """A tile slides down the chute; raises CollisionError when it is full."""
        if len(self.chute) >= self._settings.shuttle_queue:
            raise CollisionError(f"a tile more than {self._settings.shuttle_queue} was led into the chute of shuttle {self.number}")
        self.chute.append(tile)
        if self._settings.lanes:
            self._schedule.after(_LANE_S, lambda: self._log.tell(Sensor.CELL, self.number))
            self._schedule.after(_LANE_S + _REACH_S, self._wait_for_hand)

    def take_by_hand(self) -> PhysicalTile | None:
        """A hand takes the tile that lies at the lane's end, None where none does."""
        if not self._ended:
            return None
        self._ended = False
        self._log.tell(Sensor.CELL, self.number, level=False)
        return self.chute.popleft()

    def _wait_for_hand(self) -> None:
        self._ended = True

    def grip(self, column: int | None) -> None:
        """Take hold of what lies under the carriage, which stands still; nothing is held where nothing lies.

        A stall is a gripper that misses the chute's tile this many times.
        """
        if column is None and self.chute and self._misses is None:
            self._misses = self._mishaps.stall()
        self._work_gripper(self._settings.pick_s, lambda: self._close_gripper(column))

    def let_go(self, column: int | None) -> None:
        """Set the tile in the gripper down, if there is one."""
        self._work_gripper(self._settings.drop_s, lambda: self._open_gripper(column))

    def home(self) -> list[PhysicalTile]:
        """Stop; what was in the chute or carried falls and is returned."""
        spilled = [*self.chute, *([self.carried] if self.carried else [])]
        self.chute.clear()
        self.carried = None
        self.gripping = False
        self._misses = None
        return spilled

    def _work_gripper(self, seconds: float, done: Callable[[], None]) -> None:
        """Let the gripper do one thing, when it is down; what it was about to do before is given up."""
        self._gripper_works += 1
        work = self._gripper_works
        self.gripping = True

        def come_up() -> None:
            self.gripping = self.gripping and work != self._gripper_works

        def finish() -> None:
            if work == self._gripper_works:
                done()

        self._schedule.after(DOWN_SHARE * seconds, finish)
        self._schedule.after(seconds, come_up)

    def _close_gripper(self, column: int | None) -> None:
        if self.carried is not None:
            return
        if column is None and self._misses:
            self._misses -= 1
        elif column is None and self.chute:
            self._misses = None
            self.carried = self.chute.popleft()
            self._log.tell(Sensor.PICK, self.number)
        elif column is not None and (stacked := self._stacked(column, there=True)):
            position = stacked[-1]
            self.carried, self._tray[position] = self._tray[position], None
            self._log.tell(Sensor.TRAY, self._seat, position, level=False)

    def _open_gripper(self, column: int | None) -> None:
        tile = self.carried
        if tile is None:
            return
        if column is None or column == RETURN_LANE:
            self.carried = None
            (self.chute.appendleft if column is None else self._give_back)(tile)
            return
        free = self._stacked(column, there=False)
        if not free:
            raise CollisionError(f"a tile was dropped where column {column} of seat {self._seat} has no room")
        self.carried = None
        self._tray[free[0]] = tile
        self._log.tell(Sensor.TRAY, self._seat, free[0])

    def _stacked(self, column: int, *, there: bool) -> list[int]:
        """The positions of a column that hold a tile, or those that do not, from the lowest up."""
        return [each for each in self._sizes.in_column(column) if (self._tray[each] is not None) is there]


@dataclass(slots=True)
class DrawGate:
    """A gate of a magazine; ``lifted_from`` is the place of the tile lifted last, to which one that is put back returns."""

    open: bool = False
    passed: bool = False
    """A tile has left since it was opened: the next one is barred until it opens again."""
    lifted_from: int | None = None

    @property
    def lets_pass(self) -> bool:
        return self.open and not self.passed


class Side:
    """The places of one seat; ``seat`` is the physical place 0 to 3."""

    def __init__(
        self,
        seat: int,
        settings: MechanicsSettings,
        mishaps: Mishaps,
        schedule: Schedule,
        *,
        log: EdgeLog,
        give_back: Callable[[PhysicalTile], None],
    ) -> None:
        """``give_back`` takes what a shuttle brings back to the gate."""
        self.seat = seat
        self._settings = settings
        self.tray: list[PhysicalTile | None] = [None] * settings.tray_places
        self.shuttles = tuple(
            Shuttle(seat, rank, settings, mishaps, schedule, tray=self.tray, log=log, give_back=give_back)
            for rank in range(settings.shuttles)
        )
        self.magazine: list[PhysicalTile | None] = [None] * settings.wall_places
        self.gates = (DrawGate(), DrawGate())
        """The draw gate, and the rear gate at the other end of the magazine; with a blind its shutter, and its bolt."""
        self.barred = settings.hand_places
        """By a blind: the first place that it has not freed."""

    def empty_tray(self) -> list[PhysicalTile]:
        return _emptied(self.tray)

    def empty_magazine(self) -> list[PhysicalTile]:
        self._forget_lifted()
        return _emptied(self.magazine)

    def lift(self) -> None:
        """The wall rises from tray to magazine; raises CollisionError when something is in the way there."""
        if any(tile is not None for tile in self.magazine):
            raise CollisionError(f"the walls were raised while the magazine of seat {self.seat} was not empty")
        wall = self._settings.wall_places
        self.barred = self._settings.hand_places
        self.magazine = self.tray[:wall]
        self.tray[:wall] = [None] * wall
        self._forget_lifted()

    def home(self) -> list[PhysicalTile]:
        """Stop and come to rest; what was in chutes or carried falls and is returned."""
        return [tile for shuttle in self.shuttles for tile in shuttle.home()]

    def next_at(self, gate: int) -> int | None:
        """Magazine place of the tile behind the draw gate (0) or the rear gate (1), None when there is none that can leave."""
        wall = self._settings.wall_places
        places = range(wall - REAR_PLACES if gate else self._settings.hand_places, self.barred if self._settings.blinds else wall)
        return next((place for place in places if self.magazine[place] is not None), None)

    def _forget_lifted(self) -> None:
        for gate in self.gates:
            gate.lifted_from = None


def _emptied(places: list[PhysicalTile | None]) -> list[PhysicalTile]:
    fallen = [tile for tile in places if tile is not None]
    places[:] = [None] * len(places)
    return fallen
