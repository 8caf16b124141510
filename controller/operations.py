"""Telling the feeder to do something, as an event: the number is the state's next, the sending is an output."""

from __future__ import annotations

from controller.events import JournalEvent, OperationIssued
from controller.state import TableState
from firmware_bridge.messages import Bypass, Command, Place, Raise, Recirculate, Reject, Release, Return
from twinwall.game.tiles import Tile

FEEDER = "feeder"
"""The feeder's name among the parts of a table that can be lost."""

MOTIONS = (Place, Bypass, Release, Return, Recirculate, Reject, Raise)
"""Operations that move a tile: while one is unanswered the sensors are in the middle of something."""


def issue(state: TableState, command: Command, tile: Tile | None = None) -> tuple[JournalEvent, ...]:
    """The event that tells the feeder to do this; ``tile`` is the kind that moves."""
    return (OperationIssued(state.next_operation, command, tile),)
