"""The numbers that TWF gives to results, refusals, faults, states and sensors (PROTOCOL.md, "Codes")."""

from enum import IntEnum, IntFlag

ALL_SEATS = 255
"""In place of a seat: every seat at once (DUMP), or every gate (LOCK)."""

REAR_GATE = 4
"""A seat's rear gate has the seat's number plus this."""

REAR_PLACES = 3
"""This many of a magazine's last places are behind its rear gate."""


class Result(IntEnum):
    """How an operation ended."""

    OK = 0
    DISTURBED = 1
    """It ended, but motion was cut while it ran (stop, lid, power): what it moved must be looked at again."""
    FAILED = 2
    """A fault ended it."""
    ABORTED = 3
    """It was given up before anything moved."""


class NakCode(IntEnum):
    """Why an operation was refused; a refused operation has moved nothing."""

    BUSY = 1
    NO_TILE = 2
    OCCUPIED = 3
    EMPTY = 4
    UNSUPPORTED = 5
    """The place below it in the two-high tray is empty."""
    COVERED = 6
    """A tile lies on top of it in the two-high tray."""
    NO_SUCH_PLACE = 7
    NO_SESSION = 8
    """HELLO and CONFIG have not been exchanged since this boot or since the host fell silent."""
    STOPPED = 9
    """Emergency stop, lid or STOP: motion needs the cause gone and CLEAR."""
    STALE = 10
    """The number is not above the last one and its answer is no longer kept."""
    MISMATCH = 11
    """The number was used before for another command."""
    UNKNOWN_COMMAND = 12
    UNACKNOWLEDGED = 13
    """An event of that seat's gate has not been acknowledged yet."""
    WELL_OPEN = 14
    NOT_OPEN = 15
    """RENEW of a lock that is not open."""
    STILL_THERE = 16
    """CLEAR of a fault whose cause is still there."""
    SERVICE_SWITCH = 17
    """Firmware can be changed with the service switch only."""
    WRONG_MODE = 18
    """DRIVE outside the bring-up, or any operation but DRIVE and STOP in it."""


class FaultCode(IntEnum):
    """What is wrong with the machine; bit ``1 << code`` in STATUS_STATE ``faults``."""

    NONE = 0
    JAM = 1
    DOUBLE_FEED = 2
    SHUTTLE = 3
    SENSORS_DISAGREE = 4
    ESTOP = 5
    STOP = 6
    LID = 7
    WELL = 8
    LOCK = 9
    INTERNAL = 10
    NO_TILE = 11
    """Drum or belt run, and no tile comes to an empty gate."""
    HOME_OPEN = 12
    """A carriage has gone as far as it can towards its end switch, which has not closed."""
    HOME_SHUT = 13
    """A carriage has moved away from its end switch, which has not opened."""
    DRIVER = 14
    """A motor driver is hot, overloaded or stalled, or the motors have no supply, or have it when they must not."""


class Where(IntEnum):
    """A part of the machine in a FAULT; trays, magazines, shuttles and cells add their number."""

    SHUTTLE = 0x00
    GATE = 0x10
    DIVERTER = 0x11
    DRUM = 0x12
    WELL = 0x13
    TABLE = 0x14
    TRAY = 0x20
    MAGAZINE = 0x30
    CELL = 0x40
    OTHER_GATE = 0x50
    """The gates after the first, and below their diverters, add their number."""
    OTHER_DIVERTER = 0x60
    EXCHANGER = 0x70
    RETURN_LANE = 0x80
    """The way back from a shuttle to its gate."""


class FeederState(IntEnum):
    """What the firmware as a whole is doing."""

    HOMING = 0
    WAITING = 1
    """No session: HELLO and CONFIG have to come first."""
    READY = 2
    FEEDING = 3
    HOLDING = 4
    """What moves is finished and nothing new begins: the host is silent or the event buffer is full."""
    STOPPED = 5
    OFF = 6
    """The host has been silent for so long that the motors are off."""
    BRING_UP = 7
    """A person reads inputs and drives outputs one at a time."""


class ResetReason(IntEnum):
    POWER_ON = 0
    RESET_PIN = 1
    BROWN_OUT = 2
    WATCHDOG = 3
    SOFTWARE = 4


class Container(IntEnum):
    """What DUMP empties into the drum."""

    TRAY = 0
    MAGAZINE = 1


class Flags(IntFlag):
    """STATUS_STATE ``flags``: sensors and modes."""

    GATE_OCCUPIED = 1
    DRUM_EMPTY = 2
    LID_OPEN = 4
    ESTOP = 8
    WELL_OPEN = 16
    FEEDING = 32
    MOTORS_ON = 64
    SESSION = 128


class Sensors(IntFlag):
    """DONE ``sensors``: the edges seen under the operation."""

    GATE_LEFT = 1
    DIVERTED = 2
    PICKED = 4
    DROPPED = 8
    CELL_IN = 16
    CELL_OUT = 32
    DRUM_IN = 64
    REJECT_IN = 128
    GATE_ENTERED = 256
    FLOOR = 512
    RAISED = 1024
    LOCK_MOVED = 2048
    DOOR_MOVED = 4096
    EXCHANGED = 8192
    """An exchanger has taken the tile from a gate's pocket."""
    OUT_OF_ORDER = 32768
    """An edge came that did not follow its predecessor: the position must not be trusted."""


PLACE_EDGES = Sensors.GATE_LEFT | Sensors.DIVERTED | Sensors.PICKED | Sensors.DROPPED
"""Exactly these edges, in this order, make a placed position trusted; EXCHANGED stands after the first of a tile that changes gates."""

RELEASE_EDGES = Sensors.CELL_OUT | Sensors.DIVERTED | Sensors.PICKED | Sensors.DROPPED
"""The same for a tile that comes out of a bypass cell."""
