"""The port of a machine that a board can be wired to: it takes drives, and returns edges and levels of its sensors.

An edge tells a change; sensors with a lasting state also have a level, which ``sensors`` puts on the board's inputs. Drives are the
motions that the board's outputs ask for; ``actuators`` makes them. The firmware decides where tiles go; the machine carries it out.
"""

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum, auto
from typing import Any, Protocol

from firmware_bridge.board.table_record import TableRecord
from firmware_bridge.electrics.wiring import Output
from firmware_bridge.messages import Capabilities
from twinwall.values import frozen


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
    """index: the bypass cell, or without shuttles the end of a seat's lane, that has got or lost its tile."""
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


@frozen
class GateReading:
    """What the gate measures while a tile slides in: tenths of a millimetre, leading edges, colour of the back (0 where a face is)."""

    width: int
    edges: int
    back: int


@frozen
class Edge:
    """A sensor has changed: ``level`` is its new state."""

    sensor: Sensor
    at_s: float
    index: int = 0
    place: int = 0
    level: bool = True
    reading: GateReading | None = None


@frozen
class Levels:
    """Sensors that are looked at all at once when many tiles have moved; places are bit masks per seat."""

    cells: int
    trays: tuple[int, ...]
    magazines: tuple[int, ...]
    locks: int
    """A bit per gate, rear gates from the fifth."""
    lid_open: bool
    estop: bool


RETURN_LANE = -1
"""Where a shuttle stands at step 0, before the chute."""


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
    EXCHANGER = auto()


@frozen
class Switch:
    """Switch what runs until the next command: DRUM, so that tiles come to every gate; BELT, so that the next tile slides into an empty
    window; MOTOR_POWER, without which every motor stops where it is."""

    output: Output
    on: bool


@frozen
class Divert:
    """Lead a gate's tile into a lane; ``index`` is the shuttle whose chute it is, or the bypass cell."""

    lane: Lane
    index: int = 0
    gate: int = 0


@frozen
class ReleaseCell:
    """Let a bypass cell's tile slide into a shuttle's chute, or into the pocket of its gate."""

    cell: int
    shuttle: int
    lane: Lane


@frozen
class Exchange:
    """An exchanger takes the first tile in a gate's pocket to a shuttle's chute, and comes back."""

    exchanger: int
    gate: int
    shuttle: int


@frozen
class Grip:
    """A shuttle that stands still takes hold of the highest tile under it, or sets its tile down on what is there: at a column of the
    tray, at the chute (None), whose first tile it takes, or at RETURN_LANE, from where a tile goes back to the gate."""

    seat: int
    column: int | None
    on: bool
    rank: int = 0
    """1 for the seat's second shuttle."""


@frozen
class Loosen:
    """Move a stuck part to and fro once; what comes free goes on with its motion, and its edges follow.

    ``index`` is the gate of a diverter, or an exchanger's number.
    """

    part: Part
    index: int


@frozen
class Turn:
    """Turn a cam once; ``cam`` is the sensor that tells when it is home again.

    FLOOR and MAGAZINE_FLOOR open the floor of a seat's tray or magazine. LIFT lifts the walls of all trays into the magazines. HOME brings
    every moving part to rest: tiles in chutes, lanes and shuttles fall into the drum.
    """

    cam: Sensor
    seat: int = 0


@frozen
class WellDoor:
    """The well's door runs to one side, or stands still wherever it is."""

    open: bool
    runs: bool


@frozen
class GateLock:
    """Hold a gate's lock open, or let it spring shut; ``seat`` is the gate's number, rear gates from 4."""

    seat: int
    open: bool


Drive = Switch | Divert | ReleaseCell | Exchange | Grip | Loosen | Turn | WellDoor | GateLock


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
