"""The port of a machine that a board can be wired to: it takes drives, and returns edges and levels of its sensors."""

from collections.abc import Mapping
from typing import Protocol

from firmware_bridge.electrics.drives import Drive
from firmware_bridge.electrics.edges import Edge, Levels
from firmware_bridge.electrics.sizes import MachineSizes


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
