"""The two ports of the conformance suite: ``Wire`` for bytes and time, ``Hands`` for what a person does at the machine.

Through them the same rules run on a serial port in wall time with a person, and in memory in simulated time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Wire(Protocol):
    """A line to one machine, opened for the suite alone."""

    def write(self, sent: bytes) -> None:
        """Send bytes; raises OSError when the line has gone."""

    def read(self, wait_s: float) -> bytes:
        """Bytes that have come, after waiting ``wait_s`` seconds at most for the first; empty when none came."""

    def now_s(self) -> float:
        """The clock by which ``wait_s`` is counted."""


@dataclass(frozen=True, slots=True)
class PressEstop:
    """Press the emergency stop."""


@dataclass(frozen=True, slots=True)
class ReleaseEstop:
    """Release the emergency stop."""


@dataclass(frozen=True, slots=True)
class OpenLid:
    """Open the drum's lid."""


@dataclass(frozen=True, slots=True)
class CloseLid:
    """Close the drum's lid."""


@dataclass(frozen=True, slots=True)
class TakeHand:
    """Take every tile from a seat's hand places, those in front first."""

    seat: int


@dataclass(frozen=True, slots=True)
class LiftDraw:
    """Lift the tile at a seat's draw gate, or pull at it where the gate is locked."""

    seat: int


@dataclass(frozen=True, slots=True)
class LiftRear:
    """Lift the tile at a seat's rear gate."""

    seat: int


@dataclass(frozen=True, slots=True)
class PutBackDraw:
    """Put the tile lifted last back into a seat's draw gate."""

    seat: int


@dataclass(frozen=True, slots=True)
class DropIntoWell:
    """Drop tiles into the open well, one after the other: all that were taken or lifted so far."""


@dataclass(frozen=True, slots=True)
class HoldGateTile:
    """Hold the tile in the gate, so that it cannot leave."""


@dataclass(frozen=True, slots=True)
class TakeGateTile:
    """Take the tile that was held out of the gate, and put it into the drum."""


@dataclass(frozen=True, slots=True)
class Restart:
    """Cut the power of the machine's controller and bring it back, or press its reset button."""


Deed = (
    PressEstop
    | ReleaseEstop
    | OpenLid
    | CloseLid
    | TakeHand
    | LiftDraw
    | LiftRear
    | PutBackDraw
    | DropIntoWell
    | HoldGateTile
    | TakeGateTile
    | Restart
)
"""Everything that the suite may ask for."""


class Hands(Protocol):
    """The person at the machine. The line is kept alive during an action."""

    def begin(self, deed: Deed) -> None:
        """Begin to do it; returns at once."""

    def finished(self) -> bool:
        """Whether what was begun last is done."""
