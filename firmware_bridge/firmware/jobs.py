"""An operation that moves something, from its acceptance to its last edge."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_bridge.messages import (
    Bypass,
    Command,
    DoneReport,
    Place,
    Recirculate,
    Reject,
    Release,
    Result,
    Return,
    Sensors,
)

_EDGES: dict[type[Command], tuple[Sensors, ...]] = {
    Place: (Sensors.GATE_LEFT, Sensors.DIVERTED, Sensors.PICKED, Sensors.DROPPED),
    Release: (Sensors.CELL_OUT, Sensors.DIVERTED, Sensors.PICKED, Sensors.DROPPED),
    Bypass: (Sensors.GATE_LEFT, Sensors.CELL_IN),
    Recirculate: (Sensors.GATE_LEFT, Sensors.DRUM_IN),
    Reject: (Sensors.GATE_LEFT, Sensors.REJECT_IN),
    Return: (Sensors.PICKED, Sensors.GATE_ENTERED),
}
"""The edges that make a tile's way trusted, in order (invariant I2)."""


@dataclass(slots=True)
class Job:
    """One accepted operation; it changes as edges come in."""

    operation: int
    command: Command
    accepted_s: float
    exchanged: bool = False
    """Its tile changes gates."""
    started: bool = False
    carrying: bool = False
    """The shuttle has been sent for its tile."""
    disturbed: bool = False
    ending: Result | None = None
    """How it has ended before its last edge."""
    parts_left: int = 1
    """Edges of the same kind still to come, for operations on several seats."""
    sensors: Sensors = field(default_factory=lambda: Sensors(0))
    edges_seen: int = 0

    def saw(self, sensor: Sensors) -> None:
        """Note an edge; one that does not follow its predecessor marks the job as out of order."""
        expected = _EDGES.get(type(self.command))
        if expected is not None:
            if self.exchanged:
                expected = (expected[0], Sensors.EXCHANGED, *expected[1:])
            in_order = self.edges_seen < len(expected) and expected[self.edges_seen] is sensor
            self.edges_seen += 1
            if not in_order:
                self.sensors |= Sensors.OUT_OF_ORDER
        self.sensors |= sensor

    def report(self, now_s: float) -> DoneReport:
        """The DONE of this job."""
        trusted = not self.disturbed and Sensors.OUT_OF_ORDER not in self.sensors
        ms = round(1000 * (now_s - self.accepted_s))
        return DoneReport(self.ending or (Result.OK if trusted else Result.DISTURBED), self.sensors, max(ms, 0))
