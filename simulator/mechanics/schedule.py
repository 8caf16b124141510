"""Clock of the machine: runs ``speed`` times as fast as the wall's, and stands still without power.

An edge log has the edges of its sensors since they were taken last. ``FeederView`` is what is seen of the feeder without opening it.
"""

import heapq
from collections.abc import Callable

from firmware_bridge.electrics.wired_machine import Edge, GateReading, Sensor
from twinwall.values import frozen

SEEN = frozenset(
    {
        Sensor.HAND,
        Sensor.DRAW,
        Sensor.LOCK,
        Sensor.DOOR,
        Sensor.LIFT,
        Sensor.FLOOR,
        Sensor.MAGAZINE_FLOOR,
        Sensor.TRAY,
        Sensor.HOME,
    }
)
"""Edges after which a feeder may look different."""


@frozen
class FeederView:
    """The feeder at one moment; tuples have an entry for each place.

    ``waiting`` are the tiles in the hand places, ``draws_left`` those behind the draw gates.
    ``walls_ready`` holds while every tray has a whole wall; ``walls_raised`` counts the walls that have risen so far.
    """

    waiting: tuple[int, ...] = (0,) * 4
    draws_left: tuple[int, ...] = (0,) * 4
    gates_open: tuple[bool, ...] = (False,) * 4
    rear_gates_open: tuple[bool, ...] = (False,) * 4
    well_open: bool = False
    walls_ready: bool = False
    walls_raised: int = 0

    @property
    def clearing(self) -> bool:
        """The next walls are ready, the magazines empty and the well open: whatever lies on the table is to be pushed in.

        A well that is open for staff, who add a tile to an unfinished wall, is not for players.
        """
        return self.well_open and self.walls_ready and not any(self.waiting) and not any(self.draws_left)


ROUNDING_S = 1e-9


class Schedule:
    """Actions planned in machine time; wall time comes in with every call."""

    def __init__(self, speed: float, now_s: float) -> None:
        self._speed = speed
        self._powered = True
        self.now_s = now_s
        """The wall time that belongs to ``machine_s``."""
        self.machine_s = 0.0
        """Seconds that the machine has been running; while an action runs, the action's time."""
        self._planned: list[tuple[float, int, Callable[[], None], bool]] = []
        """When in machine time, in which order, what, and whether it is a cam's turn."""
        self._count = 0
        self.done = 0
        """How many actions have been carried out, planned or not."""

    def power(self, on: bool) -> None:
        """Let machine time run or stand still from the present moment on."""
        self._powered = on

    def after(self, machine_s: float, action: Callable[[], None], *, cam: bool = False) -> None:
        """Plan an action in this many machine seconds from the present moment; a ``cam`` ends its turn whatever else stops."""
        self._count += 1
        heapq.heappush(self._planned, (self.machine_s + max(machine_s, 0.0), self._count, action, cam))

    def act(self, now_s: float) -> None:
        """Hands or firmware do something at a wall time: what is due by then is done first."""
        self.run_until(now_s)
        self.done += 1

    def clear(self) -> None:
        """Forget everything that is planned, but turns of cams."""
        self._planned = [planned for planned in self._planned if planned[-1]]
        heapq.heapify(self._planned)

    def run_until(self, now_s: float) -> None:
        """Carry out, in order, what is due by a wall time that is not before the last one."""
        while self._powered and self._planned:
            due_s = self._wall_s(self._planned[0][0])
            if due_s > now_s + ROUNDING_S:
                break
            self.machine_s, _, action, _ = heapq.heappop(self._planned)
            self.now_s = max(due_s, self.now_s)
            self.done += 1
            action()
        if now_s > self.now_s:
            if self._powered:
                self.machine_s += (now_s - self.now_s) * self._speed
            self.now_s = now_s

    def next_s(self) -> float | None:
        """The wall time of the next action, None if there is none or no power."""
        if not self._powered or not self._planned:
            return None
        return self._wall_s(self._planned[0][0])

    def _wall_s(self, at_machine_s: float) -> float:
        return self.now_s + (at_machine_s - self.machine_s) / self._speed


class EdgeLog:
    """One for all parts of a machine; ``schedule`` says when an edge was."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._edges: list[Edge] = []
        self.looks = 0
        """Grows whenever the feeder may look different."""

    def tell(self, sensor: Sensor, index: int = 0, place: int = 0, *, level: bool = True, reading: GateReading | None = None) -> None:
        self._edges.append(Edge(sensor, self._schedule.now_s, index, place, level, reading))
        self.looks += sensor in SEEN

    def take(self) -> list[Edge]:
        edges, self._edges = self._edges, []
        return edges

    @property
    def waiting(self) -> bool:
        return bool(self._edges)
