"""Build of a wall: places each tile as it is read (``_place``), without sorting.

A tile is a kind, so a tile just read may go to any open position that wants its kind. A position counts only if its tile was read, moved
and dropped under one operation. The wall is ready when every kind counts four and the sensors agree. A doubted tile returns to the reading
gate and is read again.
"""

from controller.ledger.journal_events import Events, OperationDone, PauseOver, PositionsDoubted
from controller.state.faults import fifth_copy, foreign_tile, other_set_tile, stopped, tile_not_in_rules, unknown_backs, unreadable_tile
from controller.state.messages import Decision, GateLook, GateSeen, Refused
from controller.state.sides import GateTile, OpenDeal, WallStage
from controller.state.table_state import FEEDER, REFUSED, Setup, TableState, busy, issue
from controller.state.waits import Wait
from controller.wall import audit, clearing
from controller.wall.audit import name_missing
from controller.wall.placing import bypassed, choose, free_cell, has_room, open_for, spare, traffic, worth_waiting
from controller.wall.survey import clearing_is_due, may_rise, wall_is_full
from firmware_bridge.link import events as feeder
from firmware_bridge.messages import (
    ALL_SEATS,
    Bypass,
    CloseWell,
    Container,
    Dump,
    Feed,
    Hold,
    NakCode,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Result,
    Return,
)
from twinwall.game.tiles import Tile
from twinwall.wire.events.wall_events import Building

PROGRESS_STEP = 8
MANY_OPEN = 16
"""Of 16 tiles in the drum, a foreign one comes four times in a row once in some 5,000 cases: rather the sensor fails, or the set is another
one."""
NOT_A_TILE = "not-a-tile"


def due_events(setup: Setup, state: TableState) -> Events:
    making = state.making
    if (
        making.deal is None
        or not making.build.surveyed
        or making.build.blocked is not None
        or FEEDER in state.lost
        or stopped(state.faults)
    ):
        return ()
    match making.stage:
        case WallStage.BUILDING if making.build.left:
            return _serve_gates(setup, state, making.deal) or _drop_left(state)
        case WallStage.BUILDING:
            return (
                _release_bypassed(setup, state, making.deal)
                or _serve_gates(setup, state, making.deal)
                or _return_doubted(setup, state, making.deal)
                or _feed(state, making.deal)
            )
        case WallStage.READY:
            rises = may_rise(setup, state) and not clearing_is_due(setup, state) and not busy(state)
            return issue(state, Raise()) if rises else audit.sample(setup, state, making.deal)
        case WallStage.CLEARING:
            return clearing.due_events(state)
        case WallStage.RAISING:
            return issue(state, Raise()) if may_rise(setup, state) and not state.awaits(Raise) else ()
        case WallStage.NONE:
            return ()


def wants_frames(setup: Setup, state: TableState) -> tuple[GateLook, ...]:
    making = state.making
    if making.stage is not WallStage.BUILDING:
        return ()
    wanted = [(number, gate) for number, gate in making.build.gates.items() if _wants_frame(setup, gate)]
    return tuple([GateLook(gate.number, gate.back, gate=number, frame=len(gate.reads)) for number, gate in wanted])


def _wants_frame(setup: Setup, gate: GateTile) -> bool:
    if gate.moving is not None or gate.doubled or gate.doubted or gate.back not in setup.sets:
        return False
    return _agreed(setup, gate) is None and len(gate.reads) < setup.frames_before_recirculating


def seen(state: TableState, answer: GateSeen) -> Decision:
    for gate in state.making.build.gates.values():
        if gate.number == answer.look.number and len(gate.reads) == answer.look.frame and gate.moving is None:
            return (answer.read,)
    return Refused(f"reading {answer.look.frame} of tile {answer.look.number} is no longer wanted")


def answered(state: TableState, answer: feeder.Done | feeder.OperationRefused) -> Decision:
    pending = state.issued(answer.operation)
    if pending is None:
        return Refused(f"operation {answer.operation} is not waited for")
    if isinstance(answer, feeder.OperationRefused):
        forgotten = answer.code is NakCode.STALE
        return (OperationDone(answer.operation, "unknown" if forgotten else f"{REFUSED}{answer.code.name.lower()}"),)
    done: Events = (OperationDone(answer.operation, answer.result.name.lower()),)
    if answer.result is not Result.OK:
        return done
    match pending.command:
        case Place() | Release() if not state.making.build.rereading:
            placed = len(state.making.build.placed) + 1
            of = len(state.making.deal.positions) if state.making.deal is not None else 0
            return (*done, Building(placed, of)) if placed % PROGRESS_STEP == 0 or placed == of else done
        case Raise() if state.making.stage is WallStage.RAISING and state.making.deal is not None:
            return (*done, *audit.raised(state.making.build, state.making.deal))
        case _:
            return done


def pause_over(state: TableState, operation: int) -> Decision:
    """The feeder may be asked again after a refusal."""
    if operation not in (state.making.build.blocked, state.playing.blocked):
        return Refused(f"the feeder is not being left alone for operation {operation}")
    return (PauseOver(operation),)


def _serve_gates(setup: Setup, state: TableState, deal: OpenDeal) -> Events:
    """Dispose of the first gate tile that need not wait."""
    for number, gate in state.making.build.gates.items():
        if gate.moving is None and (served := _serve_gate(setup, state, deal, number, gate)):
            return served
    return ()


def _serve_gate(setup: Setup, state: TableState, deal: OpenDeal, number: int, gate: GateTile) -> Events:
    """Dispose of the tile in a gate as soon as its readings suffice."""
    build = state.making.build
    if gate.doubled or gate.doubted:
        return issue(state, Recirculate(number))
    tile = _agreed(setup, gate)
    if tile is not None and state.making.back is None:
        cell = free_cell(setup, state, number)  # no place wants it until it is known which set is being read
        return issue(state, Recirculate(number) if cell is None else Bypass(cell), tile)
    if tile is not None and gate.back != state.making.back:
        return *issue(state, Reject(number), tile), other_set_tile(tile, setup.sets[gate.back])
    if tile is not None:
        return issue(state, Recirculate(number), tile) if build.decoys or build.left else _place(setup, state, deal, tile, number)
    known_back = gate.back in setup.sets
    if known_back and len(gate.reads) < setup.frames_before_recirculating:
        return ()
    unknown, many_open = build.unknown_backs.get(number, 0), len(deal.positions) - len(build.placed) >= MANY_OPEN
    if not known_back and many_open and unknown + 1 >= setup.showings_before_rejecting:
        return *issue(state, Hold()), unknown_backs()
    if (gate.reason == NOT_A_TILE or not known_back) and build.refusals + 1 >= setup.showings_before_rejecting:
        return *issue(state, Reject(number)), foreign_tile()
    if build.refusals + 1 >= setup.showings_before_staff:
        return *issue(state, Reject(number)), unreadable_tile()
    return issue(state, Recirculate(number))


def _place(setup: Setup, state: TableState, deal: OpenDeal, tile: Tile, gate: int) -> Events:
    """Send a tile just read to a position, a bypass cell, the drum, or, as a fifth copy, to a recount."""
    moving = traffic(setup, state)
    wanting = open_for(state, deal, moving, tile)
    if len(wanting) <= bypassed(state, tile):
        if tile in setup.rules.tiles:
            return _fifth_copy(state, tile, gate)
        return *issue(state, Reject(gate), tile), tile_not_in_rules(tile, setup.rules.name)
    if (position := choose(setup, state, moving, wanting, gate)) is not None:
        return issue(state, Place(*position, gate), tile)
    if (cell := free_cell(setup, state, gate)) is not None:
        return issue(state, Bypass(cell), tile)
    return () if worth_waiting(setup, state, moving, wanting) else issue(state, Recirculate(gate), tile)


def _fifth_copy(state: TableState, tile: Tile, gate: int) -> Events:
    if any(pending.tile is tile for pending in state.pending):
        return ()
    if tile in state.making.build.recounted:
        return *issue(state, Reject(gate), tile), fifth_copy(tile)
    positions = tuple(sorted(position for position, placed in state.making.build.placed.items() if placed is tile))
    cells = tuple(sorted(cell for cell, waiting in state.making.build.bypass.items() if waiting is tile))
    differs = audit.checked(state.making.build, agreed=False)
    return *issue(state, Recirculate(gate), tile), *differs, PositionsDoubted(positions, cells, "fifth-copy", gate)


def _drop_left(state: TableState) -> Events:
    """Drop the whole abandoned wall into the drum at once, which tells nothing of it."""
    build = state.making.build
    if build.feeding:
        return issue(state, Hold())
    return () if build.gates or busy(state) else issue(state, Dump(Container.TRAY, ALL_SEATS))


def _release_bypassed(setup: Setup, state: TableState, deal: OpenDeal) -> Events:
    waiting = state.making.build.bypass
    if not waiting or state.making.back is None or _reread_below(state, deal):
        return ()
    moving = traffic(setup, state)
    if not has_room(setup, moving):
        return ()
    for cell, tile in waiting.items():
        wanting = spare(setup, state, moving) if tile is None else open_for(state, deal, moving, tile)
        if (position := choose(setup, state, moving, wanting, setup.capabilities.gate_of_cell(cell))) is not None:
            return issue(state, Release(cell, *position), tile)
    return ()


def _reread_below(state: TableState, deal: OpenDeal) -> bool:
    """Whether more tiles of a wall being read again are out than wait in cells. A tile moved from a cell to where the one below it came
    from would show that the two are alike."""
    build = state.making.build
    return bool(build.rereading) and len(build.placed) + len(build.bypass) < len(deal.positions)


def _return_doubted(setup: Setup, state: TableState, deal: OpenDeal) -> Events:
    """Return doubted tiles to the gate one at a time, upper ones first, with the drum held."""
    build = state.making.build
    if not build.doubted:
        return name_missing(setup, state, deal) if build.decoys else ()
    if build.feeding:
        return issue(state, Hold())
    if build.gates or busy(state):
        return ()
    place, index = max(build.doubted, key=lambda position: setup.capabilities.support_below(position[1]) is not None)
    above = setup.capabilities.covered_by(index)
    if above is not None and (place, above) in build.placed:
        return (PositionsDoubted(((place, above),), (), "covering"),)
    return issue(state, Return(place, index))


def _feed(state: TableState, deal: OpenDeal) -> Events:
    build = state.making.build
    if build.decoys or build.doubted or state.has_fault(Wait.TILE) or state.awaits(Hold, Feed, CloseWell):
        return ()
    if build.rereading and (build.gates or busy(state)):
        return ()  # the tile that is out comes by itself
    return () if build.feeding or wall_is_full(state, deal) else issue(state, Feed())


def _agreed(setup: Setup, gate: GateTile) -> Tile | None:
    """Return the tile on which the last readings agree; None if they do not."""
    last = gate.reads[-setup.frames_to_agree :]
    return last[0] if len(last) == setup.frames_to_agree and len(set(last)) == 1 else None
