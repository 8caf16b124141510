"""Drives: the motions that the board's outputs ask of the machine. ``actuators`` makes them.

The firmware decides where tiles go; the machine carries out the motions.
"""

from enum import Enum, auto

from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.electrics.wiring import Output
from twinwall.values import frozen

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
