"""Edges: how a machine reports its sensors. An edge tells a change; sensors with a lasting state also have a level.

``sensors`` turns them into levels of the board's inputs.
"""

from enum import Enum, auto

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
