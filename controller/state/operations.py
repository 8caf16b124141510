"""Feeder operations as events: an event gives the operation its number, and an output sends it."""

from collections.abc import Iterable

from controller.ledger.journal_events import Events, OperationIssued
from controller.state.table_state import TableState
from firmware_bridge.messages import Bypass, Command, Dump, Lock, NakCode, Place, Raise, Recirculate, Reject, Release, Renew, Return, Unlock
from twinwall.game.tiles import Tile

MOTIONS = (Place, Bypass, Release, Return, Recirculate, Reject, Dump, Raise)
"""Operations that move a tile: while one is unanswered the sensors are in the middle of something."""

OF_MAGAZINES = (Dump, Raise)
"""Those of them that fill or empty the magazines."""

AT_DRAW_GATES = (Unlock, Renew, Lock)
"""Operations of the side that plays; all others belong to the wall in the making."""

REFUSED = "refused-"
"""A result that begins so tells that the feeder refused; the protocol's own word follows."""

SURPRISES = frozenset(
    REFUSED + code.name.lower()
    for code in (NakCode.NO_TILE, NakCode.OCCUPIED, NakCode.EMPTY, NakCode.UNSUPPORTED, NakCode.COVERED, NakCode.WELL_OPEN)
)
"""Refusals that tell of a machine which is not as the journal has it."""


def busy(state: TableState) -> bool:
    """Whether an operation on the wall in the making is unanswered."""
    return any(not isinstance(pending.command, AT_DRAW_GATES) for pending in state.pending)


def issue(state: TableState, command: Command, tile: Tile | None = None) -> Events:
    """The event that tells the feeder to do this; ``tile`` is the kind that moves."""
    return (OperationIssued(state.next_operation, command, tile),)


def issue_all(state: TableState, commands: Iterable[Command]) -> Events:
    """The events that tell the feeder to do all this; none of it moves a tile whose kind is known."""
    return tuple(OperationIssued(number, command, None) for number, command in enumerate(commands, state.next_operation))
