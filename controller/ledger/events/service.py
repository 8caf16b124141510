"""Events of the table as a machine: who runs it, what it hears, what the feeder was told and answered, and what needs a person."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.messages import Command
from twinwall.game.tiles import Tile


@dataclass(frozen=True, slots=True)
class ControllerStarted:
    """A controller began to run on the journal with this id. Operation numbers below ``first_operation`` are never used again;
    ``custody`` says that the deals opened from now on come from a vault, which tells when each is released."""

    journal: str
    version: str
    resumed: bool
    first_operation: int
    custody: bool = False


@dataclass(frozen=True, slots=True)
class FeederBooted:
    """The feeder answers with a boot id not seen before: operations in flight are unknown to it."""

    uid: str
    boot: int


@dataclass(frozen=True, slots=True)
class LinkLost:
    """A part of the table is not heard."""

    what: str


@dataclass(frozen=True, slots=True)
class CameraTrouble:
    """What is wrong with a camera that is not heard: one of the words of ``vision.cameras.port.CameraFault``."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class LinkRestored:
    """The part is heard again."""

    what: str


@dataclass(frozen=True, slots=True)
class OperationIssued:
    """The feeder is told to do something; ``tile`` is the kind that moves, where one does."""

    operation: int
    command: Command
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class OperationDone:
    """The feeder has done it, or failed to; ``result`` is the protocol's result word."""

    operation: int
    result: str


@dataclass(frozen=True, slots=True)
class FeederEventTaken:
    """The feeder's event of this number is in the journal, with what follows from it, and need not be told again."""

    number: int


@dataclass(frozen=True, slots=True)
class PauseOver:
    """The feeder, which refused this operation, may be asked again."""

    operation: int


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of the table needs a person."""

    code: str
    where: str
    sentence: str


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """Staff have dealt with it."""

    code: str


ServiceEvent = (
    ControllerStarted
    | FeederBooted
    | LinkLost
    | CameraTrouble
    | LinkRestored
    | OperationIssued
    | OperationDone
    | FeederEventTaken
    | PauseOver
    | Fault
    | FaultCleared
)
