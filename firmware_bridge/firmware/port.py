"""The narrow port between a board's wires and a machine: drives go in, sensor edges come out, levels can be read.

The firmware decides how to move tiles; this side only moves them. ``firmware_bridge.electrics`` makes drives of the
firmware's outputs, and inputs of the edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol


class Lane(Enum):
    """Where a diverter can lead the tile that lies in its gate."""

    CHUTE = auto()
    POCKET = auto()
    """There an exchanger takes it up."""
    CELL = auto()
    DRUM = auto()
    REJECT = auto()


class Part(Enum):
    """A part in which a tile can stick."""

    DIVERTER = auto()
    """With the way out of the window and out of the bypass cells."""
    SHUTTLE = auto()
    EXCHANGER = auto()


class Way(Enum):
    """How a stuck part is loosened."""

    REVERSE = auto()
    JOG = auto()


@dataclass(frozen=True, slots=True)
class FeedMotor:
    """Turn the drum, so that tiles come to every gate, or let it rest."""

    on: bool


@dataclass(frozen=True, slots=True)
class Divert:
    """Lead a gate's tile into a lane; ``index`` is the shuttle whose chute it is, or the bypass cell."""

    lane: Lane
    index: int = 0
    gate: int = 0


@dataclass(frozen=True, slots=True)
class ReleaseCell:
    """Let a bypass cell's tile slide into a shuttle's chute, or into the pocket of its gate."""

    cell: int
    shuttle: int
    lane: Lane = Lane.CHUTE


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchanger takes the first tile in a gate's pocket to a shuttle's chute, and comes back."""

    exchanger: int
    gate: int
    shuttle: int


@dataclass(frozen=True, slots=True)
class Carry:
    """The shuttle that serves a tray position takes the first tile of its chute there."""

    seat: int
    position: int


@dataclass(frozen=True, slots=True)
class Fetch:
    """The shuttle brings the tile at a tray position back to the seat's own gate."""

    seat: int
    position: int


@dataclass(frozen=True, slots=True)
class GateBelt:
    """Let the next tile slide into an empty window, or let it wait. It runs until it is told otherwise."""

    on: bool


@dataclass(frozen=True, slots=True)
class Grip:
    """A shuttle that stands still takes hold of the tile under it: at a tray position, or (None) of the chute's first at the mouth.

    With ``LetGo`` it is what ``Carry`` and ``Fetch`` consist of, for firmware that moves the carriage itself.
    """

    seat: int
    position: int | None
    rank: int = 0
    """1 for the seat\'s second shuttle."""


@dataclass(frozen=True, slots=True)
class LetGo:
    """A shuttle that stands still sets its tile down: at a tray position, or (None) at the mouth, from where it slides back to the gate."""

    seat: int
    position: int | None
    rank: int = 0
    """1 for the seat\'s second shuttle."""


@dataclass(frozen=True, slots=True)
class Loosen:
    """Move a stuck part to and fro once; what comes free goes on with its motion, and its edges follow.

    ``index`` is a shuttle's or an exchanger's number, or the gate of a diverter.
    """

    part: Part
    index: int
    way: Way


@dataclass(frozen=True, slots=True)
class DropTray:
    """Open the floor of a tray."""

    seat: int


@dataclass(frozen=True, slots=True)
class DropMagazine:
    """Open the floor of a magazine."""

    seat: int


@dataclass(frozen=True, slots=True)
class Lift:
    """Lift the walls of all trays into the magazines."""


@dataclass(frozen=True, slots=True)
class WellDoor:
    """Open or close the well."""

    open: bool


@dataclass(frozen=True, slots=True)
class GateLock:
    """Hold a gate's lock open, or let it spring shut; ``seat`` is the gate's number, rear gates from 4."""

    seat: int
    open: bool


@dataclass(frozen=True, slots=True)
class Motors:
    """Power for every motor; without it everything stops where it is."""

    on: bool


@dataclass(frozen=True, slots=True)
class Home:
    """Bring every moving part to rest: tiles in chutes, lanes and shuttles fall into the drum."""


Drive = (
    FeedMotor | GateBelt | Divert | ReleaseCell | Exchange | Carry | Fetch | Grip | LetGo | Loosen | DropTray | DropMagazine | Lift
    | WellDoor | GateLock | Motors | Home
)  # fmt: skip


class Sensor(Enum):
    """The sensors; what ``index`` and ``place`` of an edge mean stands beside each."""

    GATE = auto()
    """index: the gate in whose window a tile lies, or has left it."""
    CHUTE = auto()
    """index: the shuttle whose chute a tile has reached through the diverter."""
    POCKET = auto()
    """index: the gate whose pocket a tile has reached."""
    EXCHANGER = auto()
    """index: the exchanger that has taken hold of a tile (high), or has let it into a chute (low)."""
    CELL = auto()
    """index: the bypass cell that has got or lost its tile."""
    DRUM_MOUTH = auto()
    """index: the gate from which a tile has come back."""
    REJECT = auto()
    """index: the gate from which a tile has come."""
    PICK = auto()
    """index: the shuttle that has taken hold of a tile."""
    TRAY = auto()
    """index: seat, place: tray position that has got or lost its tile."""
    FLOOR = auto()
    """index: the seat whose tray floor has closed again."""
    MAGAZINE_FLOOR = auto()
    """index: the seat whose magazine floor has closed again."""
    LIFT = auto()
    HAND = auto()
    """index: seat, place: hand place that has lost its tile."""
    DRAW = auto()
    """index: the gate (0 to 3 draw gates, 4 to 7 rear gates) at which a tile was lifted (low) or put back (high)."""
    WELL = auto()
    """One tile has fallen through."""
    DOOR = auto()
    LOCK = auto()
    """index: the gate that is open (high) or shut."""
    LID = auto()
    ESTOP = auto()
    HOME = auto()


@dataclass(frozen=True, slots=True)
class GateReading:
    """What the gate measures while a tile slides in: tenths of a millimetre, leading edges, colour of the back (0 where a face is)."""

    width: int
    edges: int
    back: int
    returned: bool
    """It came from a tray, not from the drum."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A sensor has changed: ``level`` is its new state."""

    sensor: Sensor
    at_s: float
    index: int = 0
    place: int = 0
    level: bool = True
    reading: GateReading | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """All sensors that have a lasting state; places are bit masks per seat, ``locks`` has a bit per gate."""

    gate: GateReading | None
    drum_empty: bool
    returned: bool
    """A tile that a shuttle has brought back waits before a gate."""
    cells: int
    carried: int
    """Bit per shuttle that holds a tile."""
    trays: tuple[int, ...]
    magazines: tuple[int, ...]
    locks: int
    lid_open: bool
    estop: bool
    door_open: bool
    other_gates: tuple[GateReading | None, ...] = ()
    """What lies in the gates after the first."""

    @property
    def gates(self) -> tuple[GateReading | None, ...]:
        """What lies in each gate."""
        return (self.gate, *self.other_gates)


class Plant(Protocol):
    """The machine as firmware sees it."""

    def drive(self, drive: Drive, now_s: float) -> None:
        """Begin a motion; edges tell how it goes."""

    def advance(self, now_s: float) -> list[Edge]:
        """Let time pass until ``now_s``; return the edges since the last call, in order."""

    def next_edge_s(self) -> float | None:
        """When the next edge is due if nobody interferes, None if nothing moves."""

    def levels(self) -> Levels:
        """Read every lasting sensor."""
