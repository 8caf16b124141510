"""The locks of draw gates and rear gates: each is open on a lease only, counted in wall time (rule 3)."""

from __future__ import annotations

from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.port import Edge, GateLock, Plant
from firmware_bridge.messages import ALL_SEATS

GATES = range(8)
"""Draw gates by seat, then rear gates by seat."""


class Locks:
    """Leases of the eight locks; a lock without a lease is shut. ``seat`` is a gate's number."""

    def __init__(self, plant: Plant) -> None:
        self._plant = plant
        self._until_s: dict[int, float] = {}
        self._opening: dict[int, Job] = {}

    @property
    def open_mask(self) -> int:
        """Bit per gate whose lock is open."""
        return sum(1 << seat for seat in self._until_s)

    def open(self, job: Job, seat: int, until_s: float, now_s: float) -> None:
        """Open a lock on a lease; its edge ends the job."""
        self._until_s[seat] = until_s
        self._opening[seat] = job
        self._plant.drive(GateLock(seat, True), now_s)

    def renew(self, seat: int, until_s: float) -> bool:
        """Prolong a lease; False when the lock is not open."""
        if seat not in self._until_s:
            return False
        self._until_s[seat] = until_s
        return True

    def close(self, seat: int, now_s: float) -> None:
        """Let one lock or, with ``ALL_SEATS``, every lock spring shut."""
        for each in GATES if seat == ALL_SEATS else (seat,):
            self._until_s.pop(each, None)
            self._plant.drive(GateLock(each, False), now_s)

    def expire(self, now_s: float) -> None:
        """Shut every lock whose lease has run out."""
        for seat in [seat for seat, until_s in self._until_s.items() if now_s >= until_s]:
            self.close(seat, now_s)

    def next_s(self) -> float | None:
        """When the next lease runs out."""
        return min(self._until_s.values(), default=None)

    def take_edge(self, edge: Edge) -> Job | None:
        """Note that a lock has moved; return the UNLOCK that this ends, if any."""
        if not edge.level:
            self._until_s.pop(edge.index, None)
            return None
        return self._opening.pop(edge.index, None)
