"""Operations: what the host can tell the machine to do, each under a number of its own.

Seats are physical places 0 to 3, counter-clockwise. A seat's magazine has two gates: the draw gate, which has the
seat's number, and at its other end the rear gate, numbered from ``REAR_GATE``. Where tiles come up at several gates,
``gate`` says whose tile is meant; cells are numbered through all of them, and a tile that is returned comes to its
seat's own one (``Capabilities``). No message names a tile's kind: the firmware cannot leak what it never hears.
"""

from firmware_bridge.messages.codes import Container, FaultCode
from twinwall.values import frozen


@frozen
class Feed:
    """Go on bringing tiles from the drum to every gate, until HOLD."""


@frozen
class Hold:
    """Bring no further tile to any gate."""


@frozen
class Place:
    """The tile in the gate goes to a tray position."""

    seat: int
    position: int
    gate: int = 0


@frozen
class Bypass:
    """The tile in the gate goes to a bypass cell of that gate."""

    cell: int


@frozen
class Release:
    """The tile in a bypass cell goes to a tray position."""

    cell: int
    seat: int
    position: int


@frozen
class Return:
    """The tile at a tray position comes back to the gate, to be read again."""

    seat: int
    position: int


@frozen
class Recirculate:
    """The tile in the gate goes back into the drum."""

    gate: int = 0


@frozen
class Reject:
    """The tile in the gate goes to the gate's reject cell."""

    gate: int = 0


@frozen
class Dump:
    """All tiles of a tray or magazine fall into the drum; ``seat`` may be ``ALL_SEATS``."""

    container: Container
    seat: int


@frozen
class Raise:
    """The walls of all four trays are lifted into the (empty) magazines."""


@frozen
class OpenWell:
    """Open the well's door and count from 0; no tile is fed while it is open."""


@frozen
class CloseWell:
    """Close the well's door; what fell in is in the drum."""


@frozen
class Unlock:
    """Let one tile be lifted at a draw gate or a rear gate (``seat`` is the gate's number), for ``lease_ms`` of wall time at most."""

    seat: int
    lease_ms: int


@frozen
class Renew:
    """Prolong the lease of an open lock; a lock that has closed meanwhile stays closed."""

    seat: int
    lease_ms: int


@frozen
class Lock:
    """Close a gate now; ``seat`` is its number, or ``ALL_SEATS``."""

    seat: int


@frozen
class Sense:
    """Read every level sensor again and compare it with the reported edges."""


@frozen
class Clear:
    """A person has dealt with a fault; motion goes on once its cause is gone."""

    fault: FaultCode


@frozen
class Stop:
    """Stop every motor now, where it is; ``Clear(FaultCode.STOP)`` lets motion go on."""


@frozen
class BringUp:
    """From now on a person reads inputs and drives outputs one at a time; ``Stop`` ends it, and leaves a machine that has to home."""


@frozen
class Drive:
    """Drive one output of a machine in bring-up, then switch it off.

    ``output`` is a number of BOARD.md, "Outputs": ``amount`` is milliseconds, of a stepper steps, of the diverter its pulse in µs.
    """

    output: int
    amount: int


Command = (
    Feed | Hold | Place | Bypass | Release | Return | Recirculate | Reject | Dump | Raise
    | OpenWell | CloseWell | Unlock | Renew | Lock | Sense | Clear | Stop | BringUp | Drive
)  # fmt: skip
"""Every command that an operation can carry."""
