"""Edges that are late: a part in which a tile sticks is reversed twice and jogged once, then a person is needed.

An edge is late when it has not come within one and a half times the motion's longest time. Without motor
power nothing can come, so then the time does not run. Floors, lift and door are never tried again without
a person: what they carry would fall twice.
"""

from __future__ import annotations

from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.port import Loosen, Part, Sensor, Way
from firmware_bridge.firmware.sizes import MachineSizes
from firmware_bridge.messages import FaultCode, Release, Sensors, Where

LATE = 1.5
WAYS = (Way.REVERSE, Way.REVERSE, Way.JOG)


class Watch:
    """Watches one part that moves once or from end to end, and knows what it is called; ``expect`` begins with each motion of it."""

    def __init__(self, settings: MachineSizes, called: tuple[FaultCode, int]) -> None:
        """``called`` is what is told when it is late: the fault and where (``Where``).

        The times of ``settings`` are the machine's own, those of the calls are wall time.
        """
        self._called = called
        self._speed = settings.speed
        self._patience_s = self._allowed_s = 0.0
        self._due_s: float | None = None

    @property
    def next_s(self) -> float | None:
        """When something is to be done if no edge comes until then."""
        return self._due_s

    def expect(self, machine_s: float, now_s: float) -> None:
        """A motion has begun whose edge comes after so many machine seconds at most."""
        self._patience_s = self._allowed_s = LATE * machine_s / self._speed
        self._due_s = now_s + self._allowed_s

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

    def loosen(self, now_s: float) -> Loosen | None:  # noqa: ARG002 - a tile that sticks is tried for
        """The next attempt to free the part: there is none."""
        self.rest()
        return None

    def fault(self, job: Job) -> tuple[FaultCode, int]:  # noqa: ARG002 - where a tile sticks its edges tell
        """What is told of the part when nothing has helped, and where (``Where``)."""
        return self._called


class TileWatch(Watch):
    """Watches a part in which a tile can stick, and which is moved to and fro then."""

    def __init__(self, part: Part, index: int, settings: MachineSizes) -> None:
        """``index`` is a shuttle's or an exchanger's number, or a diverter's gate."""
        super().__init__(settings, (FaultCode.JAM, Where.GATE))
        self._part, self._index = part, index
        self._loosen_s = settings.loosen_s / settings.speed
        self._attempts = 0

    def expect(self, machine_s: float, now_s: float) -> None:
        """A motion has begun whose edge comes after so many machine seconds at most."""
        super().expect(machine_s, now_s)
        self._attempts = 0

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
    """The watches over all parts that move."""

    def __init__(self, settings: MachineSizes) -> None:
        self._settings = settings
        self.diverters = tuple(TileWatch(Part.DIVERTER, gate, settings) for gate in range(settings.gates))
        self.shuttles = tuple(TileWatch(Part.SHUTTLE, number, settings) for number in range(4 * settings.shuttles))
        self.exchangers = tuple(TileWatch(Part.EXCHANGER, number, settings) for number in range(settings.exchangers))
        self.floors = {
            (sensor, seat): Watch(settings, (FaultCode.JAM, where + seat))
            for sensor, where in ((Sensor.FLOOR, Where.TRAY), (Sensor.MAGAZINE_FLOOR, Where.MAGAZINE))
            for seat in range(4)
        }
        self.lift = Watch(settings, (FaultCode.JAM, Where.TABLE))
        self.door = Watch(settings, (FaultCode.WELL, Where.WELL))
        self._all = (*self.diverters, *self.shuttles, *self.exchangers, *self.floors.values(), self.lift, self.door)

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

    def expect_fall(self, floor: tuple[Sensor, int], now_s: float) -> None:
        """A floor has begun its turn."""
        self.floors[floor].expect(self._settings.dump_s, now_s)

    def expect_rise(self, now_s: float) -> None:
        """The lift has begun its turn."""
        self.lift.expect(self._settings.raise_s, now_s)

    def expect_door(self, now_s: float) -> None:
        """The well's door has begun to move."""
        self.door.expect(self._settings.door_s, now_s)

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
