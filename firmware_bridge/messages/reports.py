"""What the firmware reports: answers to operations, and events that it keeps until they are acknowledged.

Events are numbered 1, 2, 3 … from each boot; ``number`` is last in every class because people and programs that use an event ask first what
happened. The operation that ACK, NAK and DONE answer stands in the frame's header.
"""

from firmware_bridge.messages.codes import FaultCode, NakCode, Result, Sensors
from twinwall.values import frozen


@frozen
class Ack:
    """The operation has been taken on; DONE will follow after about ``expected_ms``."""

    expected_ms: int


@frozen
class Nak:
    """The operation has been refused and has moved nothing."""

    code: NakCode


@frozen
class DoneReport:
    """The operation has ended, ``ms`` after it was taken on."""

    result: Result
    sensors: Sensors
    ms: int


@frozen
class TileAtGate:
    """A tile lies still in the gate's window."""

    number: int
    width: int
    """Measured while it slid in, in tenths of a millimetre."""
    edges: int
    """Leading edges seen: 1, or more for a double feed."""
    back: int
    """Colour of its back: the set that it belongs to."""
    operation: int = 0
    """The RETURN that brought it; 0 when it came from the drum."""
    gate: int = 0


@frozen
class Taken:
    """A player has taken the tile at a hand place of the magazine."""

    seat: int
    place: int
    number: int = 0


@frozen
class Drawn:
    """A player has lifted the tile at the draw gate; the lock has closed behind it."""

    seat: int
    number: int = 0


@frozen
class PutBack:
    """The tile lifted last has been put back into the draw gate."""

    seat: int
    number: int = 0


@frozen
class Well:
    """The number of tiles that fell through the well since it was opened; sent when they stop falling."""

    count: int
    number: int = 0


@frozen
class Lid:
    open: bool
    number: int = 0


@frozen
class Estop:
    on: bool
    number: int = 0


@frozen
class Fault:
    """Something is wrong with a part of the machine (``Where`` plus its number) while an operation ran."""

    code: FaultCode
    where: int
    operation: int
    number: int = 0


DeviceEvent = TileAtGate | Taken | Drawn | PutBack | Well | Lid | Estop | Fault
"""Every event; the buffer keeps them in order until EVENT_ACK."""

Answer = Ack | Nak | DoneReport
"""What an operation is answered with."""
