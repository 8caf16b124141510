"""Which motion may begin, and what each edge means for the operation that it belongs to.

Every actuator has one motion outstanding at most (rule 6): the diverter one tile, each shuttle
the tile it carries and a short queue, the gate one command. Occupancy is moved by edges alone.
Sessions, heartbeats and answers are left to ``firmware``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from firmware_bridge.firmware import port
from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.port import Edge, GateReading, Lane, Levels, Plant, Sensor
from firmware_bridge.firmware.sizes import MachineSizes
from firmware_bridge.firmware.watches import Watch, Watches
from firmware_bridge.messages import (
    ALL_SEATS,
    REAR_GATE,
    REAR_PLACES,
    Bypass,
    Capabilities,
    CloseWell,
    Container,
    Dump,
    NakCode,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Result,
    Return,
    Sensors,
    Where,
)

SEATS = range(4)
Moving = Place | Bypass | Release | Return | Recirculate | Reject | Dump | Raise | OpenWell | CloseWell


class Motion:
    """Jobs and occupancy; ``finish`` is called with each job whose last edge has come."""

    _gate_job: Job | None
    _lane_waiting: deque[Job]
    _lane_active: Job | None
    _shuttles: tuple[deque[Job], ...]
    _returning: Job | None
    _floors: dict[tuple[Sensor, int], Job]
    _lift: Job | None
    _door: Job | None

    def __init__(self, plant: Plant, settings: MachineSizes, capabilities: Capabilities, finish: Callable[[Job], None]) -> None:
        self._plant = plant
        self._capabilities = capabilities
        self._finish = finish
        self.watches = Watches(settings)
        self.feeding = False
        """FEED was the last word."""
        self._motor_on = False
        self.homing = True
        self.gate: GateReading | None = None
        self._forget_jobs()
        self.door_open = False
        self.cells = 0
        self.trays = [0] * 4
        self.magazines = [0] * 4

    # Occupancy ------------------------------------------------------------------------------------

    def adopt(self, levels: Levels) -> list[int]:
        """Take occupancy from the level sensors; return the places (``Where``) that had been believed otherwise."""
        wrong = [Where.TRAY + seat for seat in SEATS if self.trays[seat] != levels.trays[seat]]
        wrong += [Where.MAGAZINE + seat for seat in SEATS if self.magazines[seat] != levels.magazines[seat]]
        wrong += [Where.CELL + cell for cell in range(self._capabilities.bypass_cells) if (self.cells ^ levels.cells) >> cell & 1]
        self.trays, self.magazines = list(levels.trays), list(levels.magazines)
        self.cells, self.door_open = levels.cells, levels.door_open
        return wrong

    def tiles_behind(self, gate: int) -> bool:
        """Whether anything lies behind a draw gate, or a rear gate."""
        first = self._capabilities.hand_places if gate < REAR_GATE else self._capabilities.wall_places - REAR_PLACES
        return self.magazines[gate % REAR_GATE] >> first != 0

    @property
    def well_open(self) -> bool:
        """Whether the well is open, or about to open: nothing is fed then."""
        return self.door_open or (self._door is not None and isinstance(self._door.command, OpenWell))

    def falling(self, seat: int) -> bool:
        """Whether the tiles of a seat's magazine are being dropped, or soon will be."""
        return (Sensor.MAGAZINE_FLOOR, seat) in self._floors

    def waiting(self) -> tuple[int, ...]:
        """Tiles on their way to a tray, per seat."""
        return tuple(sum(not isinstance(job.command, Return) for job in jobs) for jobs in self._shuttles)

    @property
    def jobs(self) -> list[Job]:
        """Every operation that has been taken on and has not ended."""
        lone = [self._returning, self._lift, self._door, self._lane_active, self._gate_job]
        every = [*self._lane_waiting, *(job for jobs in self._shuttles for job in jobs), *self._floors.values()]
        every += [job for job in lone if job is not None]
        return list({job.operation: job for job in every}.values())

    # Beginning anew and giving up ------------------------------------------------------------------

    def _forget_jobs(self) -> None:
        self._gate_job = self._lane_active = self._returning = self._lift = self._door = None
        self._lane_waiting, self._floors = deque(), {}
        self._shuttles = tuple(deque() for _ in SEATS)

    def give_up(self, watch: Watch) -> Job | None:
        """The job that a part is stuck with has failed; the others wait until the machine goes home."""
        stuck = self._lane_active if watch is self.watches.diverter else None
        for seat in SEATS:
            if watch is self.watches.shuttles[seat] and self._shuttles[seat]:
                stuck = self._shuttles[seat][0]
        if stuck is None:
            return None
        self._lane_active = None if stuck is self._lane_active else self._lane_active
        self._gate_job = None if stuck is self._gate_job else self._gate_job
        self._returning = None if stuck is self._returning else self._returning
        for jobs in self._shuttles:
            if stuck in jobs:
                jobs.remove(stuck)
        return stuck

    def go_home(self, now_s: float) -> None:
        """Every moving part comes to rest, what was on its way falls into the drum, and every job ends without being trusted."""
        jobs = self.jobs
        self._forget_jobs()
        self.watches.rest()
        self.feeding = self._motor_on = False
        self.homing = True
        self._plant.drive(port.Home(), now_s)
        for job in jobs:
            job.ending = Result.DISTURBED if job.started else Result.ABORTED
            self._finish(job)

    # Taking on ------------------------------------------------------------------------------------

    def take_on(self, job: Job) -> NakCode | None:
        """Accept a job, or say why not."""
        if self.homing:
            return NakCode.BUSY
        command = job.command
        match command:
            case Place(seat, position):
                refusal = self._gate_refusal() or self._place_refusal(seat, position)
            case Bypass(cell):
                refusal = self._gate_refusal() or self._cell_refusal(cell, filled=False)
            case Recirculate() | Reject():
                refusal = self._gate_refusal()
            case Release(cell, seat, position):
                refusal = self._cell_refusal(cell, filled=True) or self._place_refusal(seat, position)
            case Return(seat, position):
                refusal = self._return_refusal(seat, position)
            case Dump(container, seat):
                refusal = self._dump_refusal(container, seat)
            case Raise():
                refusal = self._raise_refusal()
            case OpenWell() | CloseWell():
                refusal = NakCode.BUSY if self._door else None
            case _:
                refusal = NakCode.UNKNOWN_COMMAND
        if refusal is None:
            self._enqueue(job)
        return refusal

    def _gate_refusal(self) -> NakCode | None:
        if self._gate_job is not None:
            return NakCode.BUSY
        return NakCode.NO_TILE if self.gate is None else None

    def _place_refusal(self, seat: int, position: int) -> NakCode | None:
        if seat not in SEATS or position >= self._capabilities.tray_places:
            return NakCode.NO_SUCH_PLACE
        if self._floors or self._lift:
            return NakCode.BUSY
        filled = self.trays[seat] | self._targets(seat)
        if filled >> position & 1:
            return NakCode.OCCUPIED
        below = self._capabilities.support_below(position)
        if below is not None and not filled >> below & 1:
            return NakCode.UNSUPPORTED
        return NakCode.BUSY if self.waiting()[seat] > self._capabilities.shuttle_queue else None

    def _targets(self, seat: int) -> int:
        return sum(1 << job.command.position for job in self._shuttles[seat] if isinstance(job.command, Place | Release))

    def _cell_refusal(self, cell: int, *, filled: bool) -> NakCode | None:
        """Judge a cell as it will be when the lane, which works in order, comes to this job."""
        if cell >= self._capabilities.bypass_cells:
            return NakCode.NO_SUCH_PLACE
        will_be_filled = bool(self.cells >> cell & 1)
        for job in (*([self._lane_active] if self._lane_active else []), *self._lane_waiting):
            if isinstance(job.command, Bypass | Release) and job.command.cell == cell:
                will_be_filled = isinstance(job.command, Bypass)
        if will_be_filled is filled:
            return None
        return NakCode.EMPTY if filled else NakCode.OCCUPIED

    def _return_refusal(self, seat: int, position: int) -> NakCode | None:
        if seat not in SEATS or position >= self._capabilities.tray_places:
            return NakCode.NO_SUCH_PLACE
        if self._returning or self._shuttles[seat] or self._floors or self._lift:
            return NakCode.BUSY
        if not self.trays[seat] >> position & 1:
            return NakCode.EMPTY
        above = self._capabilities.covered_by(position)
        return NakCode.COVERED if above is not None and self.trays[seat] >> above & 1 else None

    def _dump_refusal(self, container: Container, seat: int) -> NakCode | None:
        if seat not in SEATS and seat != ALL_SEATS:
            return NakCode.NO_SUCH_PLACE
        if self._floors or self._lift or (container is Container.TRAY and any(self._shuttles[each] for each in _seats(seat))):
            return NakCode.BUSY
        return None

    def _raise_refusal(self) -> NakCode | None:
        if self._floors or self._lift or any(self._shuttles):
            return NakCode.BUSY
        return NakCode.OCCUPIED if any(self.magazines) else None

    def _enqueue(self, job: Job) -> None:
        command = job.command
        if isinstance(command, Place | Bypass | Recirculate | Reject):
            self._gate_job = job
        if isinstance(command, Place | Bypass | Recirculate | Reject | Release):
            self._lane_waiting.append(job)
        if isinstance(command, Place | Release | Return):
            self._shuttles[command.seat].append(job)
        if isinstance(command, Return):
            self._returning = job
        elif isinstance(command, Dump):
            sensor = Sensor.FLOOR if command.container is Container.TRAY else Sensor.MAGAZINE_FLOOR
            seats = _seats(command.seat)
            job.parts_left = len(seats)
            self._floors = {(sensor, seat): job for seat in seats}
        elif isinstance(command, Raise):
            self._lift = job
        elif isinstance(command, OpenWell | CloseWell):
            self._door = job

    # Beginning ------------------------------------------------------------------------------------

    def begin(self, now_s: float, *, allowed: bool, may_feed: bool) -> None:
        """Start every motion whose actuator is free; ``allowed`` is False while the firmware holds."""
        feed = allowed and may_feed and self.feeding and not self.well_open
        if feed is not self._motor_on:
            self._motor_on = feed
            self._plant.drive(port.FeedMotor(feed), now_s)
        if not allowed or self.homing:
            return
        if self._lane_waiting and self._lane_active is None and self._chute_has_room(self._lane_waiting[0]):
            self._begin_lane(self._lane_waiting.popleft(), now_s)
        for seat in SEATS:
            self._begin_shuttle(seat, now_s)
        falling = [(sensor, seat) for (sensor, seat), job in self._floors.items() if not job.started]
        for sensor, seat in falling:
            self._floors[sensor, seat].started = True
            self._plant.drive(port.DropTray(seat) if sensor is Sensor.FLOOR else port.DropMagazine(seat), now_s)
        if self._lift and not self._lift.started:
            self._lift.started = True
            self._plant.drive(port.Lift(), now_s)
        if self._door and not self._door.started:
            self._door.started = True
            self._plant.drive(port.WellDoor(isinstance(self._door.command, OpenWell)), now_s)

    def _chute_has_room(self, job: Job) -> bool:
        if not isinstance(job.command, Place | Release):
            return True
        in_chute = sum(Sensors.DIVERTED in each.sensors and Sensors.PICKED not in each.sensors for each in self._shuttles[job.command.seat])
        return in_chute < self._capabilities.shuttle_queue

    def _begin_lane(self, job: Job, now_s: float) -> None:
        self._lane_active = job
        job.started = True
        self.watches.expect_arrival(now_s)
        match job.command:
            case Place(seat, _):
                drive: port.Drive = port.Divert(Lane.CHUTE, seat)
            case Bypass(cell):
                drive = port.Divert(Lane.CELL, cell)
            case Release(cell, seat, _):
                drive = port.ReleaseCell(cell, seat)
            case Reject():
                drive = port.Divert(Lane.REJECT)
            case _:
                drive = port.Divert(Lane.DRUM)
        self._plant.drive(drive, now_s)

    def _begin_shuttle(self, seat: int, now_s: float) -> None:
        jobs = self._shuttles[seat]
        if not jobs:
            return
        job = jobs[0]
        if isinstance(job.command, Return):
            if not job.started:
                job.started = True
                self.watches.expect_grip(seat, now_s)
                self._plant.drive(port.Fetch(seat, job.command.position), now_s)
        elif isinstance(job.command, Place | Release) and Sensors.DIVERTED in job.sensors and not job.carrying:
            job.carrying = True
            self.watches.expect_grip(seat, now_s)
            self._plant.drive(port.Carry(seat, job.command.position), now_s)

    # Edges ------------------------------------------------------------------------------------------

    def take_edge(self, edge: Edge) -> int:
        """Move the job that the edge belongs to; return the RETURN that brought a tile into the gate, else 0."""
        match edge.sensor:
            case Sensor.GATE:
                return self._gate_edge(edge)
            case Sensor.CHUTE | Sensor.CELL | Sensor.DRUM_MOUTH | Sensor.REJECT:
                self._lane_edge(edge)
            case Sensor.PICK:
                self.watches.expect_drop(edge.index, edge.at_s)
                self._picked(edge.index)
            case Sensor.TRAY:
                self.watches.shuttles[edge.index].rest()
                self._tray_edge(edge.index, edge.place, edge.level)
            case Sensor.FLOOR | Sensor.MAGAZINE_FLOOR:
                self._floor_edge(edge)
            case Sensor.LIFT:
                self._lift_edge()
            case Sensor.HAND | Sensor.DRAW:
                seat, mask = edge.index % REAR_GATE, 1 << edge.place
                self.magazines[seat] = self.magazines[seat] | mask if edge.level else self.magazines[seat] & ~mask
            case Sensor.DOOR:
                self.door_open = edge.level
                job, self._door = self._door, None
                self._end(job, Sensors.DOOR_MOVED)
            case Sensor.HOME:
                self.homing = False
            case Sensor.WELL | Sensor.LOCK | Sensor.LID | Sensor.ESTOP:
                pass
        return 0

    def _gate_edge(self, edge: Edge) -> int:
        self.gate = edge.reading if edge.level else None
        if not edge.level:
            if self._gate_job is not None:
                self._gate_job.saw(Sensors.GATE_LEFT)
                self._gate_job = None
            return 0
        job = self._returning
        if edge.reading is None or not edge.reading.returned or job is None:
            return 0
        self._returning = None
        assert isinstance(job.command, Return)
        self._shuttles[job.command.seat].remove(job)
        self._end(job, Sensors.GATE_ENTERED)
        return job.operation

    def _lane_edge(self, edge: Edge) -> None:
        job = self._lane_active
        if edge.sensor is Sensor.CELL:
            mask = 1 << edge.index
            self.cells = self.cells | mask if edge.level else self.cells & ~mask
        if job is None:
            return
        if edge.sensor is Sensor.CELL and not edge.level:
            job.saw(Sensors.CELL_OUT)
            return
        self._lane_active = None
        self.watches.diverter.rest()
        if edge.sensor is Sensor.CHUTE:
            job.saw(Sensors.DIVERTED)
            return
        seen = {Sensor.CELL: Sensors.CELL_IN, Sensor.DRUM_MOUTH: Sensors.DRUM_IN, Sensor.REJECT: Sensors.REJECT_IN}
        self._end(job, seen[edge.sensor])

    def _tray_edge(self, seat: int, position: int, level: bool) -> None:
        jobs = self._shuttles[seat]
        if level:
            self.trays[seat] |= 1 << position
            self._end(jobs.popleft() if jobs else None, Sensors.DROPPED)
        else:
            self.trays[seat] &= ~(1 << position)
            self._picked(seat)

    def _picked(self, seat: int) -> None:
        if self._shuttles[seat]:
            self._shuttles[seat][0].saw(Sensors.PICKED)

    def _floor_edge(self, edge: Edge) -> None:
        places = self.trays if edge.sensor is Sensor.FLOOR else self.magazines
        places[edge.index] = 0
        job = self._floors.pop((edge.sensor, edge.index), None)
        if job is not None:
            job.parts_left -= 1
            if job.parts_left == 0:
                self._end(job, Sensors.FLOOR)

    def _lift_edge(self) -> None:
        wall = (1 << self._capabilities.wall_places) - 1
        for seat in SEATS:
            self.magazines[seat] = self.trays[seat] & wall
            self.trays[seat] &= ~wall
        job, self._lift = self._lift, None
        self._end(job, Sensors.RAISED)

    def _end(self, job: Job | None, sensor: Sensors) -> None:
        if job is not None:
            job.saw(sensor)
            self._finish(job)


def _seats(seat: int) -> tuple[int, ...]:
    return tuple(SEATS) if seat == ALL_SEATS else (seat,)
