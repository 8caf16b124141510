"""The table as its firmware knows it: operations are performed here, and edges become events.

It joins motion, locks, faults, well and counters. Frames, sessions and the host's silence are
left to ``firmware``, which says with each call whether motion is allowed.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.firmware import port
from firmware_bridge.firmware.answers import EventLog
from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.locks import GATES, Locks
from firmware_bridge.firmware.motion import Motion
from firmware_bridge.firmware.port import Edge, GateReading, Plant, Sensor
from firmware_bridge.firmware.settings import expected_ms
from firmware_bridge.firmware.sizes import MachineSizes
from firmware_bridge.firmware.watches import Watch
from firmware_bridge.messages import (
    ALL_SEATS,
    REAR_GATE,
    Ack,
    Answer,
    Capabilities,
    Clear,
    Container,
    DoneReport,
    Drawn,
    Dump,
    Estop,
    Fault,
    FaultCode,
    Feed,
    Flags,
    Hold,
    Lid,
    Lock,
    Nak,
    NakCode,
    OpenWell,
    PutBack,
    Renew,
    Result,
    Sense,
    Sensors,
    StatusCounters,
    Stop,
    Taken,
    TileAtGate,
    Unlock,
    Well,
)

_WELL_QUIET_S = 0.2
"""The well's count is told once no tile has fallen for this long."""
_STUCK = frozenset({FaultCode.JAM, FaultCode.SHUTTLE})
_STOPPING = frozenset({FaultCode.ESTOP, FaultCode.STOP}) | _STUCK
_DONE_AT_ONCE = DoneReport(Result.OK, Sensors(0), 0)
_COUNTED = {
    Sensors.DROPPED: "placed",
    Sensors.CELL_IN: "bypassed",
    Sensors.CELL_OUT: "released",
    Sensors.GATE_ENTERED: "returned",
    Sensors.DRUM_IN: "recirculated",
    Sensors.REJECT_IN: "rejected",
    Sensors.FLOOR: "dumped",
}


class Machine:
    """Everything between an operation and the plant's drives, and between its edges and events."""

    def __init__(
        self,
        plant: Plant,
        settings: MachineSizes,
        capabilities: Capabilities,
        events: EventLog,
        finished: Callable[[Job], None],
    ) -> None:
        self._plant = plant
        self._settings = settings
        self._events = events
        self._finished = finished
        self.motion = Motion(plant, settings, capabilities, self._end)
        self.locks = Locks(plant)
        self.faults: set[FaultCode] = set()
        self.well_count = 0
        self.motors_on = True
        self._lid_open = self._estop = False
        self._tell_well_at_s: float | None = None
        self._counts = dict.fromkeys(
            ("arrived", *_COUNTED.values(), "taken", "drawn", "put_back"),
            0,
        )

    # State ------------------------------------------------------------------------------------------

    @property
    def stopped(self) -> bool:
        """Whether emergency stop, lid, STOP or a part that is stuck forbids motion."""
        return self._lid_open or self._estop or bool(self.faults & _STOPPING)

    def flags(self, *, session: bool) -> Flags:
        """The flags of BEAT and STATUS_STATE."""
        states = {
            Flags.GATE_OCCUPIED: any(gate is not None for gate in self.motion.places.gates),
            Flags.DRUM_EMPTY: self._plant.levels().drum_empty,
            Flags.LID_OPEN: self._lid_open,
            Flags.ESTOP: self._estop,
            Flags.WELL_OPEN: self.motion.places.door_open,
            Flags.FEEDING: self.motion.feeding,
            Flags.MOTORS_ON: self.motors_on,
            Flags.SESSION: session,
        }
        return Flags(sum(flag for flag, on in states.items() if on))

    def counters(self, snapshot: int) -> StatusCounters:
        """What has been sensed since the boot."""
        return StatusCounters(snapshot, **{name: count % (1 << 32) for name, count in self._counts.items()})

    def next_s(self) -> float | None:
        """When something is next due: an edge, a lease, the well's count."""
        late_s = self.motion.watches.next_s if self.motors_on else None
        due = (self._plant.next_edge_s(), self.locks.next_s(), self._tell_well_at_s, late_s)
        return min((time_s for time_s in due if time_s is not None), default=None)

    # Boot, edges, time ------------------------------------------------------------------------------

    def boot(self, now_s: float) -> None:
        """Read every sensor, lock every gate and send every moving part home."""
        self._plant.advance(now_s)
        self._plant.drive(port.FeedMotor(False), now_s)
        self.locks.close(ALL_SEATS, now_s)
        self._plant.drive(port.Motors(True), now_s)
        self._plant.drive(port.Home(), now_s)
        self._plant.advance(now_s)
        levels = self._plant.levels()
        self.motion.places.adopt(levels)
        if levels.lid_open:
            self._take_edge(Edge(Sensor.LID, now_s))
        if levels.estop:
            self._take_edge(Edge(Sensor.ESTOP, now_s))
        for gate, reading in enumerate(levels.gates):
            if reading is not None:
                self._take_edge(Edge(Sensor.GATE, now_s, gate, reading=reading))

    def advance(self, now_s: float) -> None:
        """Take the edges that have come by now."""
        for edge in self._plant.advance(now_s):
            if edge.sensor is Sensor.DOOR:
                self._tell_well()  # before the operation that moved the door ends
            self._take_edge(edge)
            if edge.sensor is Sensor.WELL:
                self._tell_well_at_s = now_s + _WELL_QUIET_S
        if self._tell_well_at_s is not None and now_s >= self._tell_well_at_s:
            self._tell_well()

    def _tell_well(self) -> None:
        if self._tell_well_at_s is not None:
            self._tell_well_at_s = None
            self._events.append(Well(self.well_count % (1 << 16)))

    def settle(self, now_s: float, *, powered: bool, allowed: bool) -> None:
        """Bring locks, motors and motions into line with what has just happened.

        ``powered`` is False once the host has been silent for long, ``allowed`` while nothing new
        may begin.
        """
        self.locks.expire(now_s)
        motors = not self.stopped and (powered or self.motion.homing)
        if motors is not self.motors_on:
            self.motors_on = motors
            self._plant.drive(port.Motors(motors), now_s)
        self._watch(now_s)
        self.motion.begin(now_s, allowed=allowed and not self.stopped, may_feed=self._events.room > 0)
        self.advance(now_s)

    def _watch(self, now_s: float) -> None:
        """Free what is stuck, or say where a hand is needed; without power everything waits."""
        watches = self.motion.watches
        if not self.motors_on:
            watches.wait(now_s)
            return
        for watch in watches.overdue(now_s):
            drive = watch.loosen(now_s)
            if drive is not None:
                self._plant.drive(drive, now_s)
            elif (job := self.motion.give_up(watch)) is not None:
                self._stop_at(watch, job, now_s)

    def _stop_at(self, watch: Watch, job: Job, now_s: float) -> None:
        """The operation has failed; where a part is stuck nothing moves any more until a person has freed it."""
        code, where = watch.fault(job)
        self.faults.add(code)
        if code in _STUCK:
            self.motors_on = False
            self._plant.drive(port.Motors(False), now_s)
        self._events.append(Fault(code, where, job.operation))
        job.ending = Result.FAILED
        self._end(job)

    def disturb(self) -> None:
        """Motion is cut: what is on its way cannot be trusted any more."""
        for job in self.motion.under_way.jobs:
            job.disturbed |= job.started

    def _take_edge(self, edge: Edge) -> None:
        returned_by = self.motion.take_edge(edge)
        match edge.sensor:
            case Sensor.GATE if edge.reading is not None:
                self._tell_gate(edge.index, edge.reading, returned_by)
            case Sensor.HAND:
                self._counts["taken"] += 1
                self._events.append(Taken(edge.index, edge.place))
            case Sensor.DRAW:
                self._counts["put_back" if edge.level else "drawn"] += 1
                self._events.append(PutBack(edge.index) if edge.level else Drawn(edge.index))
            case Sensor.LOCK:
                job = self.locks.take_edge(edge)
                if job is not None:
                    job.saw(Sensors.LOCK_MOVED)
                    self._end(job)
            case Sensor.WELL:
                self.well_count += 1
            case Sensor.LID:
                self._lid_open = edge.level
                self._events.append(Lid(edge.level))
                self.disturb()
            case Sensor.ESTOP:
                self._estop = edge.level
                self._events.append(Estop(edge.level))
                self.disturb()
                if edge.level:
                    self.faults.add(FaultCode.ESTOP)
            case _:
                pass

    def _tell_gate(self, gate: int, reading: GateReading, returned_by: int) -> None:
        self._counts["arrived"] += 1
        self._events.append(TileAtGate(0, reading.width, reading.edges, reading.back, returned_by, gate))

    def _end(self, job: Job) -> None:
        for sensor, name in _COUNTED.items():
            self._counts[name] += sensor in job.sensors
        self._finished(job)

    # Operations -------------------------------------------------------------------------------------

    def perform(self, job: Job, now_s: float) -> Answer:
        """Take an operation on: DONE when it is instant, ACK when edges must follow, NAK when it cannot be."""
        match job.command:
            case Feed():
                return self._feed()
            case Hold():
                self.motion.feeding = False
            case Unlock(seat, lease_ms):
                return self._unlock(job, seat, now_s + lease_ms / 1000, now_s)
            case Renew(seat, lease_ms):
                return _DONE_AT_ONCE if self.locks.renew(seat, now_s + lease_ms / 1000) else Nak(NakCode.NOT_OPEN)
            case Lock(seat):
                if seat not in GATES and seat != ALL_SEATS:
                    return Nak(NakCode.NO_SUCH_PLACE)
                self.locks.close(seat, now_s)
            case Sense():
                self._sense(job.operation)
            case Clear(fault):
                if (fault is FaultCode.ESTOP and self._estop) or (fault is FaultCode.LID and self._lid_open):
                    return Nak(NakCode.STILL_THERE)
                if fault in _STUCK & self.faults:
                    self.motion.go_home(now_s)
                    self.motion.places.adopt(self._plant.levels())
                self.faults.discard(fault)
            case Stop():
                self.faults.add(FaultCode.STOP)
                self.disturb()
            case _:
                return self._move(job, now_s)
        return _DONE_AT_ONCE

    def _feed(self) -> Answer:
        if self.stopped:
            return Nak(NakCode.STOPPED)
        if self.motion.well_open:
            return Nak(NakCode.WELL_OPEN)
        self.motion.feeding = True
        return _DONE_AT_ONCE

    def _unlock(self, job: Job, seat: int, until_s: float, now_s: float) -> Answer:
        if seat not in GATES:
            return Nak(NakCode.NO_SUCH_PLACE)
        if self._estop:
            return Nak(NakCode.STOPPED)
        if any(isinstance(event, Drawn | PutBack) and event.seat == seat for event in self._events.kept):
            return Nak(NakCode.UNACKNOWLEDGED)
        if self.motion.falling(seat % REAR_GATE):
            return Nak(NakCode.BUSY)
        if not self.motion.places.tiles_behind(seat):
            return Nak(NakCode.EMPTY)
        if self.locks.renew(seat, until_s):
            return _DONE_AT_ONCE
        self.locks.open(job, seat, until_s, now_s)
        return Ack(0)

    def _sense(self, operation: int) -> None:
        for place in self.motion.places.adopt(self._plant.levels()):
            self.faults.add(FaultCode.SENSORS_DISAGREE)
            self._events.append(Fault(FaultCode.SENSORS_DISAGREE, place, operation))

    def _move(self, job: Job, now_s: float) -> Answer:
        if self.stopped:
            return Nak(NakCode.STOPPED)
        refusal = self.motion.take_on(job)
        if refusal is not None:
            return Nak(refusal)
        match job.command:
            case OpenWell():
                self.motion.feeding = False
                self.well_count = 0
            case Dump(Container.MAGAZINE, seat):
                self.locks.close(seat, now_s)
                if seat != ALL_SEATS:
                    self.locks.close(REAR_GATE + seat, now_s)
            case _:
                pass
        return Ack(expected_ms(self._settings, job.command))
