"""What the link tells its user, and what its user asks of it.

Device events (``TileAtGate``, ``Taken`` …) arrive as the messages themselves, each exactly once and in order; the classes here add what
only the host can know: that the link is up or lost, how an operation was answered, and a status put together from its parts.
"""

from dataclasses import field

from firmware_bridge.messages import (
    Capabilities,
    Command,
    DeviceEvent,
    DoneReport,
    FaultCode,
    FeederState,
    Flags,
    HelloAck,
    NakCode,
    StatusCounters,
    StatusPlaces,
    StatusState,
)
from twinwall.values import frozen


@frozen
class OperationRequest:
    """One thing to do, under a number of the caller's choice.

    Numbers are 1 to 2³² − 1 and rise. The same number again means the same operation again: it is answered from memory and moves nothing.
    """

    operation: int
    command: Command


@frozen
class LinkUp:
    """A feeder has answered, its capabilities fit, and operations may be sent."""

    hello: HelloAck
    same_boot: bool
    """Whether this is the boot that the user knew; False also at the very first contact."""
    last_operation: int
    """The highest operation number that the firmware has seen since its boot."""
    capabilities: Capabilities = field(default_factory=Capabilities)
    unknown: tuple[int, ...] = ()
    """Operations in flight that a new boot has made unknown: compare with the occupancy in Status."""


@frozen
class LinkDown:
    """Nothing intelligible has come for a while, or the port has gone; the link goes on trying."""

    reason: str


@frozen
class NotAFeeder:
    """Something answers on this port, but it is not the feeder that is wanted; the link goes on trying.

    ``another`` tells that it is a feeder whose uid is not the one that the settings name.
    """

    reason: str
    another: bool = False


@frozen
class Acked:
    operation: int
    expected_ms: int = 0


@frozen
class OperationRefused:
    """The firmware has refused the operation and moved nothing; to try again, use a new number."""

    operation: int
    code: NakCode


@frozen
class Done(DoneReport):
    operation: int = field(kw_only=True)


@frozen
class FeederStatus:
    """The machine at one instant, as its sensors have it."""

    report: StatusState
    trays: tuple[frozenset[int], ...]
    """Occupied tray positions, per seat."""
    magazines: tuple[frozenset[int], ...]
    """Occupied magazine places, per seat."""
    counters: StatusCounters

    @property
    def state(self) -> FeederState:
        return self.report.state

    @property
    def flags(self) -> Flags:
        return self.report.flags

    @property
    def faults(self) -> frozenset[FaultCode]:
        return frozenset(code for code in FaultCode if self.report.faults >> code & 1)

    @property
    def open_locks(self) -> frozenset[int]:
        return places_in(self.report.open_locks)

    @property
    def bypass(self) -> frozenset[int]:
        return places_in(self.report.bypass)

    @property
    def gates(self) -> frozenset[int]:
        return places_in(self.report.gates) or frozenset({0} if self.gate_occupied else ())

    @property
    def gate_occupied(self) -> bool:
        """Whether a tile lies in any gate."""
        return Flags.GATE_OCCUPIED in self.flags

    @property
    def drum_empty(self) -> bool:
        """Whether neither the drum nor the row before the gate holds a tile."""
        return Flags.DRUM_EMPTY in self.flags


def places_in(mask: int) -> frozenset[int]:
    """The places whose bit ``1 << place`` is set."""
    return frozenset(bit for bit in range(mask.bit_length()) if mask >> bit & 1)


FeederEvent = LinkUp | LinkDown | NotAFeeder | Acked | OperationRefused | Done | FeederStatus | DeviceEvent
"""Everything that a FeederConnection posts."""


class StatusParts:
    """Collects parts until three of one snapshot are there; parts of another snapshot replace them."""

    def __init__(self) -> None:
        self._state: StatusState | None = None
        self._places: StatusPlaces | None = None
        self._counters: StatusCounters | None = None

    def take(self, part: StatusState | StatusPlaces | StatusCounters) -> FeederStatus | None:
        """Take one part; return the status when it is the last one missing."""
        match part:
            case StatusState():
                self._state = part
            case StatusPlaces():
                self._places = part
            case StatusCounters():
                self._counters = part
        state, places, counters = self._state, self._places, self._counters
        if state is None or places is None or counters is None:
            return None
        if not state.snapshot == places.snapshot == counters.snapshot:
            return None
        self._state = self._places = self._counters = None
        trays, magazines = (tuple(map(places_in, masks)) for masks in (places.trays, places.magazines))
        return FeederStatus(state, trays, magazines, counters)
