"""Reducer of the table's state: how each event changes it (``apply``).

Pure and total over all events. It never refuses: ``controller.core.decide`` has judged an event before it was written. Events of one side
of the table are in ``controller.wall.wall_reducer`` and ``controller.hand.hand_reducer``.
"""

import dataclasses

from controller.hand import hand_reducer
from controller.hand.hand_reducer import PlayingEvent
from controller.hand.seat_check import apply_to_seats
from controller.ledger.journal_events import (
    DrumEmptied,
    FeederBooted,
    FeederEventTaken,
    JournalEvent,
    OperationDone,
    OperationIssued,
    PauseOver,
    RecordDisputed,
    TileArrived,
    TileRead,
    TilesNamed,
    WallWeighed,
)
from controller.state.faults import DEAL_REFUSED, UNREAD, refused_deal
from controller.state.table_state import AT_DRAW_GATES, FEEDER, Setup, TableState, replace
from controller.wall import wall_reducer
from controller.wall.wall_reducer import MakingEvent
from firmware_bridge.messages import Bypass
from twinwall.game.play_events import HandEnded, PlayEvent
from twinwall.wire.events.hand_events import (
    DealReleased,
    GateUnlocked,
    HandClosed,
    HeadsNoted,
    PaymentsConfirmed,
    RecordAnswered,
    RecordQuestioned,
    ResultEntered,
    RulingRefused,
    Settled,
)
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed, SeatsAwaited, SeatsConfirmed, SeatTaken, SeatWrong
from twinwall.wire.events.trouble_events import CameraTrouble, FaultCleared, LinkLost, LinkRestored, TableFault
from twinwall.wire.events.wall_events import (
    Building,
    ControllerStarted,
    DealOpened,
    DealRefused,
    HandsTaken,
    StartFixed,
    TilesWorn,
    WallChecked,
    WallRaised,
)
from twinwall.wire.messages.ruling import Ruling

PeopleEvent = ClockPaused | ClockResumed | RulingRefused | Ruling | RecordDisputed | RecordAnswered
"""Disputes by players, and actions of directors and referees on the pages."""
UNCHANGING = (
    GateUnlocked,
    Building,
    WallWeighed,
    WallChecked,
    TilesNamed,
    HandsTaken,
    Settled,
    PaymentsConfirmed,
    HeadsNoted,
    RecordQuestioned,
    ResultEntered,
)
"""Events that are only journalled."""


def apply(setup: Setup, state: TableState, event: JournalEvent) -> TableState:
    match event:  # what a build is full of comes first: all of them together are asked for some thousand times a wall
        case FeederEventTaken():
            return replace(state, last_event=event.number)
        case OperationIssued():
            return _issued(setup, state, event)
        case OperationDone():
            return _done(state, event)
        case TileArrived() | TileRead():
            return _one_side(setup, state, event)
        case StartFixed(finished=finished):
            return replace(state, closed=finished or ())
        case ControllerStarted():
            return _started(state, event)
        case FeederBooted():
            return _rebooted(state, event)
        case LinkLost() | CameraTrouble() | LinkRestored():
            return _link_changed(state, event)
        case TableFault() | FaultCleared() | DealRefused():
            return _fault_changed(state, event)
        case DealReleased(n):
            return replace(state, released=state.released | {n})
        case PauseOver(operation):
            making, playing = wall_reducer.pause_over(state.making, operation), hand_reducer.pause_over(state.playing, operation)
            return replace(state, making=making, playing=playing)
        case TilesWorn():
            return replace(state, worn={**state.worn, event.back: event.tiles or ()})
        case DrumEmptied():
            return replace(state, making=wall_reducer.starved(state.making, state.last_event))
        case _ if isinstance(event, UNCHANGING):
            return state
        case ClockPaused() | ClockResumed() | RulingRefused() | Ruling() | RecordDisputed() | RecordAnswered():
            return _said_by_people(state, event)
        case SeatsAwaited() | SeatTaken() | SeatWrong() | SeatsConfirmed():
            return replace(state, seats=apply_to_seats(state.seats, event))
        case HandEnded() | HandClosed() if state.playing.deal is None:  # of the hand that a lost controller had in play
            return replace(state, closed=(*state.closed, event.n)) if isinstance(event, HandClosed) else state
        case _:
            return _one_side(setup, state, event)


def _said_by_people(state: TableState, event: PeopleEvent) -> TableState:
    match event:
        case ClockPaused() | ClockResumed():
            return replace(state, paused=isinstance(event, ClockPaused))
        case RulingRefused():
            return replace(state, rulings=state.rulings | {event.ruling})
        case Ruling():
            return _ruled(state, event)
        case RecordDisputed() | RecordAnswered():
            return _disputed(state, event)


def _disputed(state: TableState, event: RecordDisputed | RecordAnswered) -> TableState:
    """A dispute stands until a referee has answered it."""
    if isinstance(event, RecordDisputed):
        return replace(state, disputes=(*state.disputes, event))
    left = tuple(dispute for dispute in state.disputes if dispute.key != (event.n, event.number, event.seat))
    return replace(state, disputes=left)


def _one_side(setup: Setup, state: TableState, event: MakingEvent | PlayingEvent | PlayEvent) -> TableState:
    """An event of one side; a few of them also concern the rest of the table."""
    if isinstance(event, MakingEvent):
        making = wall_reducer.apply_to_wall(setup, state.making, state.playing, event)
        match event:
            case DealOpened():
                playing = hand_reducer.left(state.playing, event)
                return replace(state, making=making, playing=playing, faults=_without_fault(state, DEAL_REFUSED))
            case WallRaised():
                return replace(state, making=making, playing=hand_reducer.raised(state.playing, state.making))
            case TileArrived() if making.back is not None and len(state.making.backs) > 1:
                return replace(state, making=making, pending=_kinds_forgotten(state.pending))
            case _:
                return replace(state, making=making)
    if isinstance(event, PlayEvent):
        return replace(state, playing=hand_reducer.apply_play(setup, state.playing, event))
    playing = hand_reducer.apply_to_hand(setup, state.playing, event)
    closed = (*state.closed, event.n) if isinstance(event, HandClosed) else state.closed
    return replace(state, playing=playing, closed=closed)


def _ruled(state: TableState, ruling: Ruling) -> TableState:
    """A ruling answers the calls of its hand; the events after it have its other effects."""
    deal = state.playing.deal
    about = deal is not None and deal.n == ruling.n
    playing = hand_reducer.ruled(state.playing, straightened=state.has_fault(UNREAD)) if about else state.playing
    return replace(state, playing=playing, rulings=state.rulings | {ruling.identity})


def _started(state: TableState, event: ControllerStarted) -> TableState:
    """A new process does not rely on what the last lines said of tiles on their way."""
    return replace(
        state,
        journal=event.journal,
        next_operation=max(state.next_operation, event.first_operation),
        pending=_kinds_forgotten(state.pending),
        making=wall_reducer.restarted(state.making),
        playing=hand_reducer.restarted(state.playing),
    )


def _rebooted(state: TableState, event: FeederBooted) -> TableState:
    """A restarted firmware counts its events from 1, and its operations from its last one."""
    making, playing = wall_reducer.rebooted(state.making), hand_reducer.unsurveyed(state.playing)
    first = max(state.next_operation, (event.last_operation or 0) + 1)
    return replace(state, boot=event.boot, last_event=0, next_operation=first, making=making, playing=playing)


def _kinds_forgotten(pending: tuple[OperationIssued, ...]) -> tuple[OperationIssued, ...]:
    """Forget the kinds of tiles on their way into cells: they are read again."""
    return tuple(dataclasses.replace(each, tile=None) if isinstance(each.command, Bypass) else each for each in pending)


def _link_changed(state: TableState, event: LinkLost | CameraTrouble | LinkRestored) -> TableState:
    if isinstance(event, LinkLost):
        return replace(state, lost=state.lost | {event.what})
    if isinstance(event, CameraTrouble):
        return replace(state, troubles={**state.troubles, event.what: event.why})
    troubles = {what: why for what, why in state.troubles.items() if what != event.what}
    state = replace(state, lost=state.lost - {event.what}, troubles=troubles)
    if event.what != FEEDER:
        return state
    return replace(state, making=wall_reducer.unsurveyed(state.making), playing=hand_reducer.unsurveyed(state.playing))


def _issued(setup: Setup, state: TableState, event: OperationIssued) -> TableState:
    pending = (*state.pending, event)
    making, playing = state.making, state.playing
    if isinstance(event.command, AT_DRAW_GATES):
        playing = hand_reducer.issued(playing, event)
    else:
        making = wall_reducer.issued(setup, making, event)
    return replace(state, pending=pending, next_operation=event.operation + 1, making=making, playing=playing)


def _done(state: TableState, event: OperationDone) -> TableState:
    pending = state.issued(event.operation)
    if pending is None:
        return state
    making, playing, ok = state.making, state.playing, event.result == "ok"
    if not isinstance(pending.command, AT_DRAW_GATES):
        making = wall_reducer.done(making, pending) if ok else wall_reducer.not_done(making, pending, event.result)
    elif not ok:
        playing = hand_reducer.not_done(playing, pending, event.result)
    others = tuple([other for other in state.pending if other is not pending])
    return replace(state, pending=others, making=making, playing=playing)


def _fault_changed(state: TableState, event: TableFault | FaultCleared | DealRefused) -> TableState:
    if isinstance(event, FaultCleared):
        return replace(state, faults=_without_fault(state, event.code), making=wall_reducer.after_staff(state.making, event.code))
    fault = event if isinstance(event, TableFault) else refused_deal(event.n, event.sentence)
    return replace(state, faults=(*_without_fault(state, fault.code), fault))


def _without_fault(state: TableState, code: str) -> tuple[TableFault, ...]:
    return tuple(fault for fault in state.faults if fault.code != code)
