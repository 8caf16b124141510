"""The operations that have been taken on and have not ended, each at the actuators that it waits for or holds.

Every actuator has one motion outstanding at most (rule 6): a diverter one tile, an exchanger one, each shuttle the tile
it carries and a short queue, a gate one command, the whole table one RETURN. A shuttle takes tiles as they come to its
chute: with one gate that is the order of their operations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.occupancy import SEATS
from firmware_bridge.firmware.port import Sensor
from firmware_bridge.messages import (
    ALL_SEATS,
    Capabilities,
    CloseWell,
    Container,
    Dump,
    OpenWell,
    Place,
    Raise,
    Release,
    Return,
    Sensors,
)
from firmware_bridge.messages.routes import AtGate, gate_of, is_exchanged


class UnderWay:
    """Jobs by actuator; one job may stand at several."""

    gate_jobs: list[Job | None]
    """Has the tile in the gate."""
    lanes_waiting: tuple[deque[Job], ...]
    lanes_active: list[Job | None]
    """Has the gate's diverter."""
    pocketed: list[Job]
    """Whose tile lies in a gate's pocket, in the order of their coming."""
    exchangers: list[Job | None]
    shuttles: tuple[deque[Job], ...]
    """By shuttle: what it carries, what has come to its chute, and what is on its way there."""
    returning: Job | None
    floors: dict[tuple[Sensor, int], Job]
    """By the floor's sensor and its seat."""
    lift: Job | None
    door: Job | None

    def __init__(self, capabilities: Capabilities) -> None:
        self._capabilities = capabilities
        self.forget()

    def forget(self) -> None:
        """Nothing is under way any more."""
        sizes = self._capabilities
        self.returning = self.lift = self.door = None
        self.gate_jobs, self.lanes_active = [None] * sizes.gates, [None] * sizes.gates
        self.lanes_waiting = tuple(deque() for _ in range(sizes.gates))
        self.pocketed, self.exchangers, self.floors = [], [None] * sizes.exchangers, {}
        self.shuttles = tuple(deque() for _ in range(sizes.seats * sizes.shuttles))

    @property
    def jobs(self) -> list[Job]:
        """Every operation that has been taken on and has not ended."""
        lone = [self.returning, self.lift, self.door, *self.lanes_active, *self.gate_jobs, *self.exchangers]
        waiting = [job for jobs in (*self.lanes_waiting, *self.shuttles) for job in jobs]
        every = [*waiting, *self.pocketed, *self.floors.values(), *(job for job in lone if job is not None)]
        return list({job.operation: job for job in every}.values())

    @property
    def cams_busy(self) -> bool:
        """Whether floors or the lift are turning, or soon will be."""
        return bool(self.floors or self.lift)

    @property
    def opening_well(self) -> bool:
        """Whether the well is about to open."""
        return self.door is not None and isinstance(self.door.command, OpenWell)

    def of_lane(self, gate: int) -> Iterator[Job]:
        """What a gate's diverter is doing and is about to do, in order."""
        active = self.lanes_active[gate]
        yield from (*([] if active is None else [active]), *self.lanes_waiting[gate])

    def of_seat(self, seat: int) -> Iterator[Job]:
        """What is on its way to a seat's tray, or back from it."""
        for shuttle in range(seat, len(self.shuttles), len(SEATS)):
            yield from self.shuttles[shuttle]

    def waiting(self) -> tuple[int, ...]:
        """Tiles on their way to a tray, per seat."""
        return tuple(sum(not isinstance(job.command, Return) for job in self.of_seat(seat)) for seat in SEATS)

    def waiting_at(self, shuttle: int) -> int:
        """Tiles on their way to a tray by a shuttle."""
        return sum(not isinstance(job.command, Return) for job in self.shuttles[shuttle])

    def targets(self, seat: int) -> int:
        """A bit mask of the positions of a seat's tray that are about to be filled."""
        return sum(1 << job.command.position for job in self.of_seat(seat) if isinstance(job.command, Place | Release))

    def pocket_filling(self, gate: int) -> int:
        """Tiles in a gate's pocket, and those that its diverter is to lead there."""
        coming = sum(is_exchanged(self._capabilities, job.command) for job in self.of_lane(gate))
        return coming + sum(gate_of(self._capabilities, job.command) == gate for job in self.pocketed)

    def in_chute(self, shuttle: int) -> int:
        """Tiles that a shuttle has not picked up yet, and those that a diverter or an exchanger is bringing just now."""
        return sum(self._is_near(job) for job in self.shuttles[shuttle])

    def _is_near(self, job: Job) -> bool:
        if Sensors.PICKED in job.sensors:
            return False
        led = job in self.lanes_active and not is_exchanged(self._capabilities, job.command)
        return led or job in self.exchangers or Sensors.DIVERTED in job.sensors

    def next_to_exchange(self) -> Iterator[Job]:
        """The first tile of every pocket into which no exchanger is reaching, in the order of their coming."""
        reached = {gate_of(self._capabilities, job.command) for job in self.exchangers if job is not None and job in self.pocketed}
        for job in self.pocketed:
            gate = gate_of(self._capabilities, job.command)
            if gate not in reached:
                reached.add(gate)
                yield job

    def enqueue(self, job: Job) -> None:
        """Put a job to every actuator that it needs."""
        command = job.command
        gate = gate_of(self._capabilities, command)
        if isinstance(command, AtGate):
            self.gate_jobs[gate] = job
        if isinstance(command, AtGate | Release):
            self.lanes_waiting[gate].append(job)
        if isinstance(command, Place | Release | Return):
            self.shuttles[self.shuttle_of(command)].append(job)
        if isinstance(command, Return):
            self.returning = job
        elif isinstance(command, Dump):
            sensor = Sensor.FLOOR if command.container is Container.TRAY else Sensor.MAGAZINE_FLOOR
            seats = seats_of(command.seat)
            job.parts_left = len(seats)
            self.floors = {(sensor, seat): job for seat in seats}
        elif isinstance(command, Raise):
            self.lift = job
        elif isinstance(command, OpenWell | CloseWell):
            self.door = job

    def shuttle_of(self, command: Place | Release | Return) -> int:
        """The shuttle that serves a command's position."""
        return self._capabilities.shuttle_of(command.seat, command.position)

    def come_to_chute(self, job: Job) -> None:
        """A job's tile lies in its shuttle's chute, behind those that have come before."""
        assert isinstance(job.command, Place | Release)
        jobs = self.shuttles[self.shuttle_of(job.command)]
        jobs.remove(job)
        before = sum(isinstance(each.command, Return) or Sensors.DIVERTED in each.sensors for each in jobs)
        jobs.insert(before, job)

    def drop(self, job: Job) -> None:
        """A job has failed: no part waits for it any more."""
        self.lanes_active = [None if job is each else each for each in self.lanes_active]
        self.gate_jobs = [None if job is each else each for each in self.gate_jobs]
        self.exchangers = [None if job is each else each for each in self.exchangers]
        self.pocketed = [each for each in self.pocketed if each is not job]
        self.returning = None if job is self.returning else self.returning
        self.lift = None if job is self.lift else self.lift
        self.door = None if job is self.door else self.door
        self.floors = {floor: each for floor, each in self.floors.items() if each is not job}
        for jobs in self.shuttles:
            if job in jobs:
                jobs.remove(job)


def seats_of(seat: int) -> tuple[int, ...]:
    """The seats that a command's seat means."""
    return tuple(SEATS) if seat == ALL_SEATS else (seat,)
