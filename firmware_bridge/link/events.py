"""What the link tells its user, and what its user asks of it.

Device events (``TileAtGate``, ``Taken`` …) arrive as the messages themselves, each exactly once
and in order; the classes here add what only the host can know: that the link is up or lost, how
an operation was answered, and a status put together from its parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_bridge.messages import (
    Capabilities,
    Command,
    DeviceEvent,
    FaultCode,
    FeederState,
    Flags,
    HelloAck,
    NakCode,
    Result,
    Sensors,
    StatusCounters,
)


@dataclass(frozen=True, slots=True)
class OperationRequest:
    """One thing to do, under a number of the caller's choice.

    Numbers are 1 to 2³² − 1 and rise. The same number again means the same operation again: it
    is answered from memory and moves nothing.
    """

    operation: int
    command: Command


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class LinkDown:
    """Nothing intelligible has come for a while, or the port has gone; the link goes on trying."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotAFeeder:
    """Something answers on this port, but it is not the feeder that is wanted; the link goes on trying.

    ``another`` tells that it is a feeder whose uid is not the one that the settings name.
    """

    reason: str
    another: bool = False


@dataclass(frozen=True, slots=True)
class Acked:
    """The firmware has taken the operation on."""

    operation: int
    expected_ms: int = 0


@dataclass(frozen=True, slots=True)
class OperationRefused:
    """The firmware has refused the operation and moved nothing; to try again, use a new number."""

    operation: int
    code: NakCode


@dataclass(frozen=True, slots=True)
class Done:
    """The operation has ended."""

    operation: int
    result: Result
    sensors: Sensors
    ms: int


@dataclass(frozen=True, slots=True)
class FeederStatus:
    """The machine at one instant, as its sensors have it."""

    state: FeederState
    flags: Flags
    faults: frozenset[FaultCode]
    open_locks: frozenset[int]
    bypass: frozenset[int]
    """Cells that hold a tile."""
    waiting: tuple[int, ...]
    """Tiles on their way to a tray, per seat."""
    trays: tuple[frozenset[int], ...]
    """Occupied tray positions, per seat."""
    magazines: tuple[frozenset[int], ...]
    """Occupied magazine places, per seat."""
    well: int
    counters: StatusCounters
    last_operation: int
    boot_id: int
    gates: frozenset[int] = frozenset()
    """Gates in which a tile lies."""

    @property
    def gate_occupied(self) -> bool:
        """Whether a tile lies in any gate."""
        return Flags.GATE_OCCUPIED in self.flags

    @property
    def drum_empty(self) -> bool:
        """Whether neither the drum nor the row before the gate holds a tile."""
        return Flags.DRUM_EMPTY in self.flags


FeederEvent = LinkUp | LinkDown | NotAFeeder | Acked | OperationRefused | Done | FeederStatus | DeviceEvent
"""Everything that a FeederConnection posts."""
