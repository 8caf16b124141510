"""Edges of the machine's sensors since they were taken last."""

from firmware_bridge.electrics.edges import Edge, GateReading, Sensor
from simulator.mechanics.feeder_view import SEEN
from simulator.mechanics.schedule import Schedule


class EdgeLog:
    """One for all parts of a machine; ``schedule`` says when an edge was."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._edges: list[Edge] = []
        self.looks = 0
        """Grows whenever the feeder may look different."""

    def tell(self, sensor: Sensor, index: int = 0, place: int = 0, *, level: bool = True, reading: GateReading | None = None) -> None:
        """A sensor changes now."""
        self._edges.append(Edge(sensor, self._schedule.now_s, index, place, level, reading))
        self.looks += sensor in SEEN

    def take(self) -> list[Edge]:
        """The edges since the last call, in order."""
        edges, self._edges = self._edges, []
        return edges

    @property
    def waiting(self) -> bool:
        """Whether edges wait to be taken."""
        return bool(self._edges)
