"""Edges that are late: a part that is stuck is reversed twice and jogged once, then a person is needed.

An edge is late when it has not come within one and a half times the motion's longest time. Without motor
power nothing can come, so then the time does not run.
"""

from __future__ import annotations

from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.port import Loosen, Part, Way
from firmware_bridge.firmware.sizes import MachineSizes
from firmware_bridge.messages import FaultCode, Release, Sensors, Where

LATE = 1.5
WAYS = (Way.REVERSE, Way.REVERSE, Way.JOG)


class Watch:
    """Watches one part; ``expect`` begins with each motion of it."""

    def __init__(self, part: Part, index: int, settings: MachineSizes) -> None:
        """``index`` is a shuttle's or an exchanger's number, or a diverter's gate.

        The times of ``settings`` are the machine's own, those of the calls are wall time.
        """
        self._part, self._index = part, index
        self._speed = settings.speed
        self._loosen_s = settings.loosen_s / settings.speed
        self._patience_s = self._allowed_s = 0.0
        self._due_s: float | None = None
        self._attempts = 0

    @property
    def next_s(self) -> float | None:
        """When something is to be done if no edge comes until then."""
        return self._due_s

    def expect(self, machine_s: float, now_s: float) -> None:
        """A motion has begun whose edge comes after so many machine seconds at most."""
        self._patience_s = self._allowed_s = LATE * machine_s / self._speed
        self._due_s = now_s + self._allowed_s
        self._attempts = 0

    def rest(self) -> None:
        """The edge has come, or nothing is waited for any more."""
        self._due_s = None

    def wait(self, now_s: float) -> None:
        """There is no power: whatever is waited for may take its full time from now on."""
        if self._due_s is not None:
            self._due_s = now_s + self._allowed_s

    def overdue(self, now_s: float) -> bool:
        """Whether the edge is late."""
        return self._due_s is not None and now_s >= self._due_s

    def loosen(self, now_s: float) -> Loosen | None:
        """The next attempt to free the part, None when all have been made."""
        if self._attempts == len(WAYS):
            self.rest()
            return None
        way = WAYS[self._attempts]
        self._attempts += 1
        self._allowed_s = self._loosen_s + self._patience_s
        self._due_s = now_s + self._allowed_s
        return Loosen(self._part, self._index, way)

    def fault(self, job: Job) -> tuple[FaultCode, int]:
        """What is told of the part when nothing has helped, and where (``Where``): as near to the tile as its edges tell."""
        if self._part is not Part.DIVERTER:
            return FaultCode.SHUTTLE, self._index + (Where.SHUTTLE if self._part is Part.SHUTTLE else Where.EXCHANGER)
        if job.sensors & (Sensors.GATE_LEFT | Sensors.CELL_OUT):
            return FaultCode.JAM, Where.OTHER_DIVERTER + self._index if self._index else Where.DIVERTER
        if isinstance(job.command, Release):
            return FaultCode.JAM, Where.CELL + job.command.cell
        return FaultCode.JAM, Where.OTHER_GATE + self._index if self._index else Where.GATE


class Watches:
    """The watches over all parts in which a tile can stick."""

    def __init__(self, settings: MachineSizes) -> None:
        self._settings = settings
        self.diverters = tuple(Watch(Part.DIVERTER, gate, settings) for gate in range(settings.gates))
        self.shuttles = tuple(Watch(Part.SHUTTLE, number, settings) for number in range(4 * settings.shuttles))
        self.exchangers = tuple(Watch(Part.EXCHANGER, number, settings) for number in range(settings.exchangers))
        self._all = (*self.diverters, *self.shuttles, *self.exchangers)

    def expect_arrival(self, gate: int, now_s: float) -> None:
        """A gate's diverter has begun to lead a tile somewhere."""
        settings = self._settings
        self.diverters[gate].expect(max(settings.divert_s, settings.recirculate_s, settings.cell_release_s), now_s)

    def expect_exchange(self, exchanger: int, now_s: float) -> None:
        """An exchanger has set out for a tile."""
        self.exchangers[exchanger].expect(self._settings.exchange_s, now_s)

    def expect_grip(self, shuttle: int, now_s: float) -> None:
        """A shuttle has set out for a tile."""
        self.shuttles[shuttle].expect(self._way_s + self._settings.pick_s, now_s)

    def expect_drop(self, shuttle: int, now_s: float) -> None:
        """A shuttle carries a tile away."""
        self.shuttles[shuttle].expect(self._way_s + self._settings.drop_s, now_s)

    @property
    def next_s(self) -> float | None:
        """When something is next to be done."""
        return min((watch.next_s for watch in self._all if watch.next_s is not None), default=None)

    def overdue(self, now_s: float) -> tuple[Watch, ...]:
        """The parts whose edge is late."""
        return tuple(watch for watch in self._all if watch.overdue(now_s))

    def wait(self, now_s: float) -> None:
        """There is no motor power."""
        for watch in self._all:
            watch.wait(now_s)

    def rest(self) -> None:
        """Nothing moves any more."""
        for watch in self._all:
            watch.rest()

    @property
    def _way_s(self) -> float:
        return self._settings.tray_places / self._settings.travel_positions_per_s
