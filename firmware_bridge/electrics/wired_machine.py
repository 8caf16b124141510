"""The port of a machine that a board can be wired to: it takes drives, and returns edges and levels of its sensors."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol

from firmware_bridge.board.table_record import TableRecord
from firmware_bridge.electrics.drives import Drive
from firmware_bridge.electrics.edges import Edge, Levels
from firmware_bridge.messages import Capabilities
from twinwall.values import frozen


@frozen
class MachineSizes:
    """Sizes in places, by default those of the reference table; ``speed`` divides the gate's period."""

    speed: float = 1.0
    tray_places: int = 37
    wall_places: int = 34
    hand_places: int = 13
    bypass_cells: int = 4
    shuttle_queue: int = 2
    two_high: bool = True
    gate_period_s: float = 0.60
    gates: int = 1
    exchangers: int = 0
    pocket_places: int = 0
    shuttles: int = 1
    lanes: bool = False
    """Whether people take the tiles from the ends of the seats' lanes, and there are no shuttles."""
    blinds: bool = False
    """Whether blinds with bolts and shutters stand before the draws, and there are no rear gates."""


STEPS_PER_POSITION = 32
"""Of the reference table's shuttles."""
_AS_THEY_ARE = {each.name for each in fields(MachineSizes)} & {each.name for each in fields(Capabilities)}

BY_HAND = MachineSizes(speed=100.0, gate_period_s=175.0)
"""A table without motors. The firmware knows that people work here, so it holds nothing for late: motions that need no person take no time
that people notice, and tiles come every 1.75 s on the clock."""


def _as_they_are(sizes: MachineSizes) -> dict[str, Any]:
    """The sizes that CAPS and the table record have under the same names."""
    return {name: getattr(sizes, name) for name in _AS_THEY_ARE}


def capabilities_of(settings: MachineSizes) -> Capabilities:
    """What a machine with these sizes says of itself in CAPS."""
    return Capabilities(gate_period_ms=max(1, round(1000 * settings.gate_period_s / settings.speed)), **_as_they_are(settings))


def steps_per_position(speed: float) -> int:
    """Steps from one tray position to the next: a machine that runs ``speed`` times as fast as a real one is geared higher,
    so that the board's pulses stay what they are."""
    return max(1, round(STEPS_PER_POSITION / speed))


def record_of(sizes: MachineSizes, uid: bytes, *, manual: bool = False) -> bytes:
    """The 40 bytes for a machine of these sizes and an identity of 8 bytes; raises RecordError for what no firmware drives.

    ``manual``: people do what motors would.
    """
    return TableRecord(
        uid,
        gate_period_ms=capabilities_of(sizes).gate_period_ms,
        speed_percent=round(100 * sizes.speed),
        steps_per_position=steps_per_position(sizes.speed),
        manual=manual,
        lanes=sizes.lanes,
        blinds=sizes.blinds,
        **_as_they_are(sizes),
    ).encode()


class CollisionError(RuntimeError):
    """Firmware drove a part in a way that would break tiles or lose one; the message says which."""


class WiredMachine(Protocol):
    """The machine behind the wires. Besides edges, the wires read some sensors whenever ``changes`` has grown."""

    @property
    def settings(self) -> MachineSizes:
        """Its sizes."""

    @property
    def changes(self) -> int:
        """Grows whenever a sensor may have changed."""

    @property
    def carried(self) -> int:
        """Bit per shuttle that holds a tile."""

    @property
    def unplugged(self) -> Mapping[int, bool]:
        """Inputs, by their numbers, whose plugs are pulled: of end switches, place flags, the drivers' line, the drum's monitor,
        LIFT_DOWN, DOOR_IS_SHUT and grippers; of these, what each reads."""

    @property
    def drum_empty(self) -> bool:
        """Whether neither the drum nor a row before a gate holds a tile."""

    @property
    def door_open(self) -> bool:
        """Whether the well is open."""

    @property
    def held(self) -> bool:
        """Whether lid or emergency stop keep the motors without power."""

    def drive(self, drive: Drive, now_s: float) -> None:
        """Begin a motion; raises CollisionError where a real machine would break."""

    def advance(self, now_s: float) -> list[Edge]:
        """Let time pass until ``now_s``; return the edges since the last call, in order."""

    def next_edge_s(self) -> float | None:
        """When something is next due; at once when edges wait to be fetched; None if nothing moves."""

    def levels(self) -> Levels:
        """Read every lasting sensor."""

    def gate_tile(self, gate: int = 0) -> object | None:
        """What lies in a gate's window, None when it is empty."""

    def gripping(self, shuttle: int) -> bool:
        """Whether a gripper is not up just now, so that its carriage must stand still."""

    def returned_at(self, gate: int) -> bool:
        """Whether a tile that a shuttle has brought back waits before this gate."""

    def exchanging(self, exchanger: int) -> bool:
        """Whether an exchanger holds a tile."""
