"""Which gate an operation's tile comes from, and whether an exchanger has to carry it to the other side of the table."""

from firmware_bridge.messages.commands import Bypass, Command, Place, Recirculate, Reject, Release, Return
from firmware_bridge.messages.session import Capabilities


def gate_of(capabilities: Capabilities, command: Command) -> int:
    """The gate at which a command's tile is, or to which it comes back; the machine may not have it."""
    match command:
        case Place(gate=gate) | Recirculate(gate) | Reject(gate):
            return gate
        case Bypass(cell) | Release(cell):
            return capabilities.gate_of_cell(cell)
        case Return(seat):
            return capabilities.gate_of_seat(seat)
        case _:
            return 0


def is_exchanged(capabilities: Capabilities, command: Command) -> bool:
    """Whether a command leads a tile to a seat of another gate."""
    return isinstance(command, Place | Release) and capabilities.gate_of_seat(command.seat) != gate_of(capabilities, command)
