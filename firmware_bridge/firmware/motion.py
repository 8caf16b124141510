"""Which motion may begin, and what each edge means for the operation that it belongs to.

What may be taken on is judged by ``refusals``, what is under way kept in ``under_way`` and where tiles
lie in ``occupancy``, which edges alone change. Sessions, heartbeats and answers are left to ``firmware``.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.firmware import port
from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.occupancy import SEATS, Occupancy
from firmware_bridge.firmware.port import Edge, Lane, Plant, Sensor
from firmware_bridge.firmware.refusals import Refusals
from firmware_bridge.firmware.sizes import MachineSizes
from firmware_bridge.firmware.under_way import UnderWay
from firmware_bridge.firmware.watches import Watch, Watches
from firmware_bridge.messages import REAR_GATE, Bypass, Capabilities, NakCode, OpenWell, Place, Reject, Release, Result, Return, Sensors
from firmware_bridge.messages.routes import gate_of, is_exchanged


class Motion:
    """Jobs and occupancy; ``finish`` is called with each job whose last edge has come."""

    def __init__(self, plant: Plant, settings: MachineSizes, capabilities: Capabilities, finish: Callable[[Job], None]) -> None:
        self._plant = plant
        self._capabilities = capabilities
        self._finish = finish
        self.watches = Watches(settings)
        self.places = Occupancy(capabilities)
        self.under_way = UnderWay(capabilities)
        self._refusals = Refusals(capabilities, self.places, self.under_way)
        self.feeding = False
        """FEED was the last word."""
        self._motor_on = False
        self.homing = True

    @property
    def well_open(self) -> bool:
        """Whether the well is open, or about to open: nothing is fed then."""
        return self.places.door_open or self.under_way.opening_well

    def falling(self, seat: int) -> bool:
        """Whether the tiles of a seat's magazine are being dropped, or soon will be."""
        return (Sensor.MAGAZINE_FLOOR, seat) in self.under_way.floors

    # Beginning anew and giving up ------------------------------------------------------------------

    def give_up(self, watch: Watch) -> Job | None:
        """The job that a part is stuck with has failed; the others wait until the machine goes home."""
        first = [jobs[0] if jobs else None for jobs in self.under_way.shuttles]
        parts = (*self.watches.diverters, *self.watches.exchangers, *self.watches.shuttles, self.watches.lift, self.watches.door)
        held = (*self.under_way.lanes_active, *self.under_way.exchangers, *first, self.under_way.lift, self.under_way.door)
        stuck = next((job for part, job in zip(parts, held, strict=True) if part is watch), None)
        turning = (job for floor, job in self.under_way.floors.items() if self.watches.floors[floor] is watch)
        stuck = next(turning, stuck)
        if stuck is not None:
            self.under_way.drop(stuck)
        return stuck

    def go_home(self, now_s: float) -> None:
        """Every moving part comes to rest, what was on its way falls into the drum, and every job ends without being trusted."""
        jobs = self.under_way.jobs
        self.under_way.forget()
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
        refusal = NakCode.BUSY if self.homing else self._refusals.of(job.command)
        if refusal is None:
            job.exchanged = is_exchanged(self._capabilities, job.command)
            self.under_way.enqueue(job)
        return refusal

    # Beginning ------------------------------------------------------------------------------------

    def begin(self, now_s: float, *, allowed: bool, may_feed: bool) -> None:
        """Start every motion whose actuator is free; ``allowed`` is False while the firmware holds."""
        feed = allowed and may_feed and self.feeding and not self.well_open
        if feed is not self._motor_on:
            self._motor_on = feed
            self._plant.drive(port.FeedMotor(feed), now_s)
        if not allowed or self.homing:
            return
        for gate, waiting in enumerate(self.under_way.lanes_waiting):
            if waiting and self.under_way.lanes_active[gate] is None and (waiting[0].exchanged or self._chute_has_room(waiting[0])):
                self._begin_lane(gate, waiting.popleft(), now_s)
        self._begin_exchangers(now_s)
        for shuttle in range(len(self.under_way.shuttles)):
            self._begin_shuttle(shuttle, now_s)
        self._begin_cams(now_s)

    def _chute_has_room(self, job: Job) -> bool:
        if not isinstance(job.command, Place | Release):
            return True
        return self.under_way.in_chute(self.under_way.shuttle_of(job.command)) < self._capabilities.shuttle_queue

    def _begin_lane(self, gate: int, job: Job, now_s: float) -> None:
        self.under_way.lanes_active[gate] = job
        job.started = True
        self.watches.expect_arrival(gate, now_s)
        to_seat = Lane.POCKET if job.exchanged else Lane.CHUTE
        match job.command:
            case Place() as command:
                drive: port.Drive = port.Divert(to_seat, self.under_way.shuttle_of(command), gate)
            case Bypass(cell):
                drive = port.Divert(Lane.CELL, cell, gate)
            case Release(cell) as command:
                drive = port.ReleaseCell(cell, self.under_way.shuttle_of(command), to_seat)
            case Reject():
                drive = port.Divert(Lane.REJECT, 0, gate)
            case _:
                drive = port.Divert(Lane.DRUM, 0, gate)
        self._plant.drive(drive, now_s)

    def _begin_exchangers(self, now_s: float) -> None:
        """Send every exchanger that is free for the tile that came first and whose chute has room."""
        for exchanger, busy in enumerate(self.under_way.exchangers):
            job = None if busy else next((job for job in self.under_way.next_to_exchange() if self._chute_has_room(job)), None)
            if job is not None and isinstance(job.command, Place | Release):
                self.under_way.exchangers[exchanger] = job
                self.watches.expect_exchange(exchanger, now_s)
                gate = gate_of(self._capabilities, job.command)
                self._plant.drive(port.Exchange(exchanger, gate, self.under_way.shuttle_of(job.command)), now_s)

    def _begin_shuttle(self, shuttle: int, now_s: float) -> None:
        jobs = self.under_way.shuttles[shuttle]
        if not jobs:
            return
        job = jobs[0]
        if isinstance(job.command, Return):
            if not job.started:
                job.started = True
                self.watches.expect_grip(shuttle, now_s)
                self._plant.drive(port.Fetch(job.command.seat, job.command.position), now_s)
        elif isinstance(job.command, Place | Release) and Sensors.DIVERTED in job.sensors and not job.carrying:
            job.carrying = True
            self.watches.expect_grip(shuttle, now_s)
            self._plant.drive(port.Carry(job.command.seat, job.command.position), now_s)

    def _begin_cams(self, now_s: float) -> None:
        floors, lift, door = self.under_way.floors, self.under_way.lift, self.under_way.door
        falling = [(sensor, seat) for (sensor, seat), job in floors.items() if not job.started]
        for sensor, seat in falling:
            floors[sensor, seat].started = True
            self.watches.expect_fall((sensor, seat), now_s)
            self._plant.drive(port.DropTray(seat) if sensor is Sensor.FLOOR else port.DropMagazine(seat), now_s)
        if lift and not lift.started:
            lift.started = True
            self.watches.expect_rise(now_s)
            self._plant.drive(port.Lift(), now_s)
        if door and not door.started:
            door.started = True
            self.watches.expect_door(now_s)
            self._plant.drive(port.WellDoor(isinstance(door.command, OpenWell)), now_s)

    # Edges ------------------------------------------------------------------------------------------

    def take_edge(self, edge: Edge) -> int:
        """Move the job that the edge belongs to; return the RETURN that brought a tile into the gate, else 0."""
        match edge.sensor:
            case Sensor.GATE:
                return self._gate_edge(edge)
            case Sensor.CHUTE | Sensor.POCKET | Sensor.CELL | Sensor.DRUM_MOUTH | Sensor.REJECT:
                self._lane_edge(edge)
            case Sensor.EXCHANGER:
                self._exchanger_edge(edge.index, taken=edge.level)
            case Sensor.PICK:
                self.watches.expect_drop(edge.index, edge.at_s)
                self._picked(edge.index)
            case Sensor.TRAY:
                self.watches.shuttles[self._capabilities.shuttle_of(edge.index, edge.place)].rest()
                self._tray_edge(edge.index, edge.place, edge.level)
            case Sensor.FLOOR | Sensor.MAGAZINE_FLOOR:
                self._floor_edge(edge)
            case Sensor.LIFT:
                self.watches.lift.rest()
                self.places.raise_walls()
                job, self.under_way.lift = self.under_way.lift, None
                self._end(job, Sensors.RAISED)
            case Sensor.HAND | Sensor.DRAW:
                self.places.set_magazine(edge.index % REAR_GATE, edge.place, edge.level)
            case Sensor.DOOR:
                self.watches.door.rest()
                self.places.door_open = edge.level
                job, self.under_way.door = self.under_way.door, None
                self._end(job, Sensors.DOOR_MOVED)
            case Sensor.HOME:
                self.homing = False
            case Sensor.WELL | Sensor.LOCK | Sensor.LID | Sensor.ESTOP:
                pass
        return 0

    def _gate_edge(self, edge: Edge) -> int:
        gate = edge.index
        self.places.gates[gate] = edge.reading if edge.level else None
        leaving = self.under_way.gate_jobs[gate]
        if not edge.level:
            if leaving is not None:
                leaving.saw(Sensors.GATE_LEFT)
                self.under_way.gate_jobs[gate] = None
            return 0
        job = self.under_way.returning
        if edge.reading is None or not edge.reading.returned or job is None:
            return 0
        self.under_way.returning = None
        assert isinstance(job.command, Return)
        self.under_way.shuttles[self.under_way.shuttle_of(job.command)].remove(job)
        self._end(job, Sensors.GATE_ENTERED)
        return job.operation

    def _lane_edge(self, edge: Edge) -> None:
        gate = self._gate_of_lane(edge)
        job = self.under_way.lanes_active[gate]
        if edge.sensor is Sensor.CELL:
            self.places.set_cell(edge.index, edge.level)
        if job is None:
            return
        if edge.sensor is Sensor.CELL and not edge.level:
            job.saw(Sensors.CELL_OUT)
            return
        self.under_way.lanes_active[gate] = None
        self.watches.diverters[gate].rest()
        if edge.sensor is Sensor.CHUTE:
            self.under_way.come_to_chute(job)
            job.saw(Sensors.DIVERTED)
            return
        if edge.sensor is Sensor.POCKET:
            self.under_way.pocketed.append(job)
            return
        seen = {Sensor.CELL: Sensors.CELL_IN, Sensor.DRUM_MOUTH: Sensors.DRUM_IN, Sensor.REJECT: Sensors.REJECT_IN}
        self._end(job, seen[edge.sensor])

    def _gate_of_lane(self, edge: Edge) -> int:
        """The gate whose diverter an edge belongs to."""
        match edge.sensor:
            case Sensor.CHUTE:
                return self._capabilities.gate_of_seat(edge.index % len(SEATS))
            case Sensor.CELL:
                return self._capabilities.gate_of_cell(edge.index)
            case _:
                return edge.index

    def _exchanger_edge(self, exchanger: int, *, taken: bool) -> None:
        job = self.under_way.exchangers[exchanger]
        if job is None:
            return
        if taken:
            self.under_way.pocketed.remove(job)
            job.saw(Sensors.EXCHANGED)
            return
        self.under_way.exchangers[exchanger] = None
        self.watches.exchangers[exchanger].rest()
        self.under_way.come_to_chute(job)
        job.saw(Sensors.DIVERTED)

    def _tray_edge(self, seat: int, position: int, level: bool) -> None:
        shuttle = self._capabilities.shuttle_of(seat, position)
        jobs = self.under_way.shuttles[shuttle]
        self.places.set_tray(seat, position, level)
        if level:
            self._end(jobs.popleft() if jobs else None, Sensors.DROPPED)
        else:
            self._picked(shuttle)

    def _picked(self, shuttle: int) -> None:
        if self.under_way.shuttles[shuttle]:
            self.under_way.shuttles[shuttle][0].saw(Sensors.PICKED)

    def _floor_edge(self, edge: Edge) -> None:
        fallen = self.places.trays if edge.sensor is Sensor.FLOOR else self.places.magazines
        fallen[edge.index] = 0
        self.watches.floors[edge.sensor, edge.index].rest()
        job = self.under_way.floors.pop((edge.sensor, edge.index), None)
        if job is not None:
            job.parts_left -= 1
            if job.parts_left == 0:
                self._end(job, Sensors.FLOOR)

    def _end(self, job: Job | None, sensor: Sensors) -> None:
        if job is not None:
            job.saw(sensor)
            self._finish(job)
