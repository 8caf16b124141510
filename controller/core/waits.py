"""Which waits stand in a state (``waiting``), and the fault that calls staff when one has lasted too long.

The fault clears when the awaited thing comes or, for machine and cameras, by CONFIRM; then the time restarts. While a fault that stops the
machine or a call for the referee stands, the table waits for the called person.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from controller.assigning import is_between_hands
from controller.ledger.journal_events import Events, OperationIssued
from controller.state.faults import SET_FAULTS, UNREAD, WAIT_FAULTS, WELL_COUNT, overdue, stopped
from controller.state.messages import Decision, Refused
from controller.state.sides import HAND_TILES, PlayStage, WallStage
from controller.state.table_state import FEEDER, TABLE_CAMERA, Setup, TableState, are_awaited, issue
from controller.state.waits import WAITS, Wait, Waiting, stands
from controller.wall import build, clearing, survey
from firmware_bridge.messages import (
    Bypass,
    CloseWell,
    Feed,
    Hold,
    Lock,
    OpenWell,
    Place,
    Recirculate,
    Reject,
    Release,
    Renew,
    Return,
    Unlock,
)
from twinwall.game.tiles import SEATS
from twinwall.wire.events.trouble_events import FaultCleared, TablePart


def waiting(setup: Setup, state: TableState) -> Iterator[Waiting]:
    if not state.paused:
        yield from _for_people(setup, state)
    if setup.paper:
        return
    if setup.custody and survey.trays_are_free(setup, state) and is_between_hands(state):
        yield stands(Wait.DEAL)
    if FEEDER not in state.lost and not stopped(state.faults):
        yield from _for_machine(setup, state)


def uncalled(setup: Setup, state: TableState) -> tuple[Waiting, ...]:
    return tuple(each for each in waiting(setup, state) if not state.has_fault(each.wait))


def over(setup: Setup, state: TableState, waited: Waiting) -> Decision:
    """A wait has lasted too long; a drum that gives no tile is stopped, since a person will reach into it."""
    if waited not in uncalled(setup, state):
        return Refused(f"{waited.mark} is no longer waited for")
    stopping = issue(state, Hold()) if waited.wait is Wait.TILE and state.making.build.feeding else ()
    return overdue(waited), *stopping


def due_events(setup: Setup, state: TableState) -> Events:
    called = [fault for fault in state.faults if fault.code in WAIT_FAULTS]
    if not called:
        return ()
    standing = {overdue(each) for each in waiting(setup, state)}
    return tuple(FaultCleared(fault.code) for fault in called if fault not in standing)


def over_times(setup: Setup, before: Mapping[Waiting, float], waits: Iterable[Waiting], now_s: float) -> dict[Waiting, float]:
    """When each of these waits is over; one that stood ``before`` keeps its time. Not on disk: after a restart all times begin again."""
    return {each: before.get(each) or now_s + WAITS[each.wait].limit_s(setup) for each in waits}


def _for_machine(setup: Setup, state: TableState) -> Iterator[Waiting]:
    making, oldest = state.making, min(state.pending, key=lambda pending: pending.operation, default=None)
    if oldest is not None:
        yield _operation(setup, oldest)
    if (making.stage is not WallStage.NONE and not making.build.surveyed) or survey.wants_magazines(state):
        yield stands(Wait.SENSORS)
    if any(fault.code in SET_FAULTS or fault.code == WELL_COUNT for fault in state.faults):
        return
    looks = build.wants_frames(setup, state)
    if looks:
        yield stands(Wait.READING, f"{looks[0].gate} tile {looks[0].number} look {looks[0].frame}")
    if _waits_for_a_tile(state):
        yield stands(Wait.TILE)
    if _wall_is_due(setup, state):
        marks = (making.stage, len(making.build.placed), len(making.build.doubted), 0 if making.clearing is None else making.clearing.total)
        yield stands(Wait.WALL, " ".join(map(str, marks)))


def _waits_for_a_tile(state: TableState) -> bool:
    """Whether nothing is on its way and the drum must give the next tile; an empty drum has its own time."""
    making, of_the_drum = state.making, (Feed, Hold)
    moving = making.build.gates or any(not isinstance(pending.command, of_the_drum) for pending in state.pending)
    starved = making.build.starved is not None and not making.build.decoys
    return making.stage is WallStage.BUILDING and making.build.surveyed and not moving and not starved


def _wall_is_due(setup: Setup, state: TableState) -> bool:
    """Whether the wall must progress now: a whole one waits for the last hand and the players."""
    match state.making.stage:
        case WallStage.NONE:
            return False
        case WallStage.BUILDING:
            return True
        case WallStage.CLEARING:
            return clearing.waits_for_tiles(state.making) is None
        case WallStage.READY | WallStage.RAISING:
            return survey.may_rise(setup, state)
        case _:
            assert_never(state.making.stage)


def _for_people(setup: Setup, state: TableState) -> Iterator[Waiting]:
    playing, hand, seats = state.playing, state.playing.hand, state.seats
    if are_awaited(setup, seats) and is_between_hands(state) and seats.taken:
        yield stands(Wait.SEATS, " ".join(f"{place}:{player}" for place, player in sorted(seats.taken.items())))
    called = playing.referee or playing.fouled or playing.halted or state.has_fault(UNREAD)
    if playing.deal is None or called or {FEEDER, TABLE_CAMERA} & state.lost:
        return
    deal = f"deal {playing.deal.n}"
    match playing.stage:
        case PlayStage.TAKING | PlayStage.PLAYING if setup.paper:
            yield stands(Wait.SHEETS, f"{deal} {playing.stage}")
        case PlayStage.TAKING if len(hand.taken) < HAND_TILES * len(SEATS) and not setup.leaves(playing.deal):
            yield stands(Wait.HANDS, f"{deal} {len(hand.taken)}")
        case PlayStage.PLAYING:
            yield stands(Wait.PLAY, f"{deal} event {len(hand.events)} window {hand.windows}")
        case PlayStage.SETTLING:
            yield stands(Wait.SCORE, f"{deal} {'proposed' if hand.proposed else 'open'}")


def _operation(setup: Setup, pending: OperationIssued) -> Waiting:
    """Return the wait for an operation, with the part that it moves."""
    sizes, command, mark = setup.capabilities, pending.command, f"operation {pending.operation}"
    match command:
        case Place(seat, position) | Release(_, seat, position) | Return(seat, position):
            return stands(Wait.OPERATION, mark, TablePart.SHUTTLE, number=sizes.shuttle_of(seat, position))
        case Bypass() | Recirculate() | Reject():
            return stands(Wait.OPERATION, mark, TablePart.DIVERTER)
        case Unlock(gate) | Lock(gate) | Renew(gate):
            return stands(Wait.OPERATION, mark, TablePart.DRAW_GATE, place=gate % len(SEATS))
        case OpenWell() | CloseWell():
            return stands(Wait.OPERATION, mark, TablePart.WELL)
        case Feed() | Hold():
            return stands(Wait.OPERATION, mark, TablePart.DRUM)
        case _:
            return stands(Wait.OPERATION, mark)
