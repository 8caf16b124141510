"""The operations that have been taken on and have not ended, each at the actuators that it waits for or holds.

Every actuator has one motion outstanding at most (rule 6): the diverter one tile, each shuttle the tile
it carries and a short queue, the gate one command, the whole table one RETURN.
"""

from __future__ import annotations

from collections import deque

from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.occupancy import SEATS
from firmware_bridge.firmware.port import Sensor
from firmware_bridge.messages import (
    ALL_SEATS,
    Bypass,
    CloseWell,
    Container,
    Dump,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Return,
    Sensors,
)


class UnderWay:
    """Jobs by actuator; one job may stand at several."""

    gate_job: Job | None
    """Has the tile in the gate."""
    lane_waiting: deque[Job]
    lane_active: Job | None
    """Has the diverter."""
    shuttles: tuple[deque[Job], ...]
    returning: Job | None
    floors: dict[tuple[Sensor, int], Job]
    """By the floor's sensor and its seat."""
    lift: Job | None
    door: Job | None

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Nothing is under way any more."""
        self.gate_job = self.lane_active = self.returning = self.lift = self.door = None
        self.lane_waiting, self.floors = deque(), {}
        self.shuttles = tuple(deque() for _ in SEATS)

    @property
    def jobs(self) -> list[Job]:
        """Every operation that has been taken on and has not ended."""
        lone = [self.returning, self.lift, self.door, self.lane_active, self.gate_job]
        every = [*self.lane_waiting, *(job for jobs in self.shuttles for job in jobs), *self.floors.values()]
        every += [job for job in lone if job is not None]
        return list({job.operation: job for job in every}.values())

    @property
    def cams_busy(self) -> bool:
        """Whether floors or the lift are turning, or soon will be."""
        return bool(self.floors or self.lift)

    @property
    def opening_well(self) -> bool:
        """Whether the well is about to open."""
        return self.door is not None and isinstance(self.door.command, OpenWell)

    def waiting(self) -> tuple[int, ...]:
        """Tiles on their way to a tray, per seat."""
        return tuple(sum(not isinstance(job.command, Return) for job in jobs) for jobs in self.shuttles)

    def targets(self, seat: int) -> int:
        """A bit mask of the positions of a seat's tray that are about to be filled."""
        return sum(1 << job.command.position for job in self.shuttles[seat] if isinstance(job.command, Place | Release))

    def in_chute(self, seat: int) -> int:
        """Tiles that a seat's shuttle has not picked up yet."""
        return sum(Sensors.DIVERTED in job.sensors and Sensors.PICKED not in job.sensors for job in self.shuttles[seat])

    def enqueue(self, job: Job) -> None:
        """Put a job to every actuator that it needs."""
        command = job.command
        if isinstance(command, Place | Bypass | Recirculate | Reject):
            self.gate_job = job
        if isinstance(command, Place | Bypass | Recirculate | Reject | Release):
            self.lane_waiting.append(job)
        if isinstance(command, Place | Release | Return):
            self.shuttles[command.seat].append(job)
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

    def drop(self, job: Job) -> None:
        """A job has failed: no part waits for it any more."""
        self.lane_active = None if job is self.lane_active else self.lane_active
        self.gate_job = None if job is self.gate_job else self.gate_job
        self.returning = None if job is self.returning else self.returning
        for jobs in self.shuttles:
            if job in jobs:
                jobs.remove(job)


def seats_of(seat: int) -> tuple[int, ...]:
    """The seats that a command's seat means."""
    return tuple(SEATS) if seat == ALL_SEATS else (seat,)
