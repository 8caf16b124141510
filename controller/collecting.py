"""Collection of a set's pictures for enrolment: feeds each tile past the reading gate once, while no hand is played.

Pure: ``step`` takes a report of the feeder or an answer of the camera, and returns requests to both. A pictured tile goes into a tray, so
that none is pictured twice; at the end all drop back into the drum. This module never reads a picture.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Literal

from controller.state.transitions import next_stage
from firmware_bridge.link.events import Done, FeederEvent, FeederStatus, LinkDown, LinkUp, NotAFeeder, OperationRefused, OperationRequest
from firmware_bridge.messages import (
    ALL_SEATS,
    Clear,
    Command,
    Container,
    Dump,
    Fault,
    FaultCode,
    Feed,
    Hold,
    NakCode,
    Place,
    Recirculate,
    Result,
    TileAtGate,
)
from twinwall.values import frozen

DRUM_EMPTY_S = 8.0
"""After this long without a tile, with the drum reported empty, no tile is left."""
STILL_S = 60.0
"""After this long without a tile, a picture or the end of an operation, something is blocked."""
RETRY_S = 0.3
ANSWER_S = 10.0
"""After this long without an answer the feeder is missing, or another program has its port."""
STATUS_EVERY_S = 1.0
_LOOKS_A_TILE = 3
_FOUND_NOTHING = 12
"""If this many pictures in a row show no tile, the camera fails, not the tiles."""
_OTHERS = 400
"""If this many tiles in a row are of other sets, there are no others."""
_LATER = frozenset({NakCode.BUSY, NakCode.UNACKNOWLEDGED, NakCode.NO_SESSION})


class CollectingStage(StrEnum):
    WAITING = "waiting"
    """For the feeder and its status."""
    FEEDING = "feeding"
    EMPTYING = "emptying"
    """The trays drop into the drum."""
    ENDED = "ended"
    FAILED = "failed"


class CollectingStep(StrEnum):
    FOUND_EMPTY = "the feeder holds no tile outside its drum"
    SET_FED = "every tile is pictured, or the drum is empty"
    TRAYS_DUMPED = "the trays are empty again"
    FAILURE = "feeder, camera or set do not answer as they must"


COLLECTING_TRANSITIONS: Mapping[tuple[CollectingStage, CollectingStep], CollectingStage] = {
    (CollectingStage.WAITING, CollectingStep.FOUND_EMPTY): CollectingStage.FEEDING,
    (CollectingStage.FEEDING, CollectingStep.SET_FED): CollectingStage.EMPTYING,
    (CollectingStage.EMPTYING, CollectingStep.TRAYS_DUMPED): CollectingStage.ENDED,
    (CollectingStage.WAITING, CollectingStep.FAILURE): CollectingStage.FAILED,
    (CollectingStage.FEEDING, CollectingStep.FAILURE): CollectingStage.FAILED,
    (CollectingStage.EMPTYING, CollectingStep.FAILURE): CollectingStage.FAILED,
}


@frozen
class PictureTaken:
    """The camera's answer about the tile in the gate: whether its picture shows one, else why not."""

    found: bool
    why: str = ""


Message = FeederEvent | PictureTaken | None
"""None: time has passed."""
Action = OperationRequest | Literal["picture", "status"]
"""Operate, take a picture of the tile in the gate, exposed from now on, or ask the feeder for its status."""


@frozen
class Collecting:
    """``back`` and ``wanted``: backs and number of the tiles to picture; ``taken``: number pictured.

    ``gate``: the command for the tile in the gate that waits for its answer; ``again_s``: when to repeat it after a refusal; ``under_way``:
    the operations that have not ended; ``sentence``: why it failed.
    """

    back: int
    wanted: int
    stage: CollectingStage = CollectingStage.WAITING
    taken: int = 0
    operation: int = 0
    places: tuple[tuple[int, int], ...] = ()
    under_way: frozenset[int] = frozenset()
    gate: Command | None = None
    gate_operation: int = 0
    again_s: float | None = None
    looks: int = 0
    blind: int = 0
    others: int = 0
    begun_s: float | None = None
    quiet_since_s: float = 0.0
    asked_s: float = 0.0
    dumped: bool = False
    sentence: str = ""


Step = tuple[Collecting, tuple[Action, ...]]


def step(state: Collecting, message: Message, now_s: float) -> Step:
    """Return what follows from a message at ``now_s`` (s of any steady clock)."""
    if state.stage in {CollectingStage.ENDED, CollectingStage.FAILED}:
        return state, ()
    match message:
        case LinkUp():
            return _linked(state, message)
        case LinkDown(reason) | NotAFeeder(reason):
            return _unheard(state, reason), ()
        case FeederStatus():
            return _status(state, message, now_s)
        case TileAtGate() if state.stage is CollectingStage.FEEDING:
            return _at_gate(replace(state, looks=0, quiet_since_s=now_s), message)
        case PictureTaken():
            return _looked(state, message)
        case Done(result, operation=operation):
            return _done(state, operation, result, now_s)
        case OperationRefused(operation, code):
            return _refused(state, operation, code, now_s)
        case Fault(code, where):
            return _failed(state, f"The feeder stopped with {code.name} at place {where:#04x}: put it right and begin again"), ()
        case None:
            return _tick(state, now_s)
        case _:
            return state, ()


def _linked(state: Collecting, up: LinkUp) -> Step:
    if state.stage is not CollectingStage.WAITING:
        return _failed(state, "The feeder has restarted: empty its trays and begin again"), ()
    own = up.capabilities
    if own.gates > 1:
        return _failed(state, "This feeder has several gates, and pictures are taken at one: enrol the set at a table with one gate"), ()
    places = sorted(
        ((seat, position) for position in range(own.wall_places) for seat in range(own.seats)),
        key=lambda place: (own.support_below(place[1]) is not None, place[1]),
    )
    return replace(state, operation=up.last_operation, places=tuple(places)), ("status",)


def _unheard(state: Collecting, reason: str) -> Collecting:
    """At first the feeder may take its time; later its tiles are on their way, and where they are is unknown."""
    if state.stage is CollectingStage.WAITING:
        return replace(state, sentence=f"No feeder answers: {reason}")
    return _failed(state, f"The feeder is not heard any more: {reason}")


def _status(state: Collecting, status: FeederStatus, now_s: float) -> Step:
    if state.stage is CollectingStage.WAITING:
        if any(status.trays) or any(status.magazines) or status.bypass:
            return _failed(state, "The feeder holds tiles of a wall: end the hands, let all tiles fall into the drum, and begin again"), ()
        state, orders = _moved_on(replace(state, quiet_since_s=now_s), CollectingStep.FOUND_EMPTY), list[Action]()
        commands: list[Command] = [Clear(fault) for fault in sorted(status.faults - {FaultCode.NONE})]
        for command in (*commands, Feed()):  # the start clears the faults that stand
            state, ordered = _asked(state, command)
            orders += ordered
        return state, tuple(orders)
    empty = status.drum_empty and not status.gate_occupied and state.gate is None and not state.under_way
    if state.stage is CollectingStage.FEEDING and empty and now_s - state.quiet_since_s >= DRUM_EMPTY_S:
        return _emptying(state)
    return state, ()


def _at_gate(state: Collecting, tile: TileAtGate) -> Step:
    if tile.back != state.back:
        if state.others + 1 >= _OTHERS:
            return _failed(state, f"Only tiles with other backs than {state.back} come to the gate: put the set into the drum"), ()
        return _disposed(replace(state, others=state.others + 1), Recirculate())
    if tile.edges > 1:
        return _disposed(state, Recirculate())
    return replace(state, looks=1), ("picture",)


def _looked(state: Collecting, seen: PictureTaken) -> Step:
    if state.stage is not CollectingStage.FEEDING or state.looks == 0:
        return state, ()
    if seen.found and state.places:
        place, *others = state.places
        kept = replace(state, taken=state.taken + 1, blind=0, others=0, looks=0, places=tuple(others))
        return _disposed(kept, Place(*place))
    if state.looks < _LOOKS_A_TILE:
        return replace(state, looks=state.looks + 1), ("picture",)
    if state.blind + 1 >= _FOUND_NOTHING:
        return _failed(state, f"No tile is found on the gate's pictures ({seen.why}): look at lamp, lens and camera"), ()
    return _disposed(replace(state, looks=0, blind=state.blind + 1), Recirculate())


def _done(state: Collecting, operation: int, result: Result, now_s: float) -> Step:
    if operation not in state.under_way:
        return state, ()
    state = replace(state, under_way=state.under_way - {operation}, quiet_since_s=now_s)
    if operation == state.gate_operation:
        state = replace(state, gate=None, gate_operation=0)
    if result is not Result.OK:
        return _failed(state, f"An operation of the feeder ended as {result.name}: empty its trays and begin again"), ()
    if state.stage is CollectingStage.EMPTYING and not state.under_way:
        return _next_emptying(state)
    if state.stage is CollectingStage.FEEDING and state.taken == state.wanted and state.gate is None:
        return _emptying(state)
    return state, ()


def _refused(state: Collecting, operation: int, code: NakCode, now_s: float) -> Step:
    state = replace(state, under_way=state.under_way - {operation})
    if operation == state.gate_operation and code in _LATER:
        return replace(state, gate_operation=0, again_s=now_s + RETRY_S), ()
    if operation == state.gate_operation and code is NakCode.NO_TILE:
        return replace(state, gate=None, gate_operation=0), ()
    return _failed(state, f"The feeder refuses an operation ({code.name}): empty its trays and begin again"), ()


def _tick(state: Collecting, now_s: float) -> Step:
    if state.stage is CollectingStage.WAITING:
        if state.begun_s is None:
            return replace(state, begun_s=now_s), ()
        late = now_s - state.begun_s >= ANSWER_S
        return _failed(state, state.sentence or "No feeder answers: look at its cable and its power") if late else state, ()
    if now_s - state.quiet_since_s >= STILL_S:
        blocked = "free what blocks drum, gate or shuttles, look whether the gate's camera answers, empty the trays and begin again"
        return _failed(state, f"Nothing has moved for {STILL_S:.0f} s: {blocked}"), ()
    if state.gate is not None and state.again_s is not None and now_s >= state.again_s:
        return _disposed(replace(state, again_s=None), state.gate)
    if state.stage is CollectingStage.FEEDING and now_s - state.asked_s >= STATUS_EVERY_S:
        return replace(state, asked_s=now_s), ("status",)
    return state, ()


def _emptying(state: Collecting) -> Step:
    return _asked(_moved_on(state, CollectingStep.SET_FED), Hold())


def _next_emptying(state: Collecting) -> Step:
    """After HOLD dump the trays; after that the collection is over."""
    if state.dumped:
        return _moved_on(state, CollectingStep.TRAYS_DUMPED), ()
    return _asked(replace(state, dumped=True), Dump(Container.TRAY, ALL_SEATS))


def _disposed(state: Collecting, command: Command) -> Step:
    state, actions = _asked(state, command)
    return replace(state, gate=command, gate_operation=state.operation), actions


def _asked(state: Collecting, command: Command) -> Step:
    number = state.operation + 1
    return replace(state, operation=number, under_way=state.under_way | {number}), (OperationRequest(number, command),)


def _failed(state: Collecting, sentence: str) -> Collecting:
    return _moved_on(replace(state, sentence=sentence), CollectingStep.FAILURE)


def _moved_on(state: Collecting, step: CollectingStep) -> Collecting:
    return replace(state, stage=next_stage(COLLECTING_TRANSITIONS, state.stage, step))
