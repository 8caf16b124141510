"""Building the wall: place, do not sort.

A tile is a kind, so a tile just read may go to any open position that wants its kind; the greedy
choice below is as good as any planner that looks ahead. Nothing is trusted that was not read,
moved and dropped under one operation, every kind must count four, and the sensors have the last
word before the wall is called ready. What is doubted goes back to the gate and is read again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from controller.apply import REFUSED
from controller.events import (
    Building,
    Fault,
    FaultCleared,
    JournalEvent,
    OperationDone,
    OperationIssued,
    PauseOver,
    PositionsDoubted,
    TileRead,
    TilesNamed,
    WallRaised,
)
from controller.faults import EXTRA, FOREIGN, MACHINE_FAULT, MISSING, STAFF_FAULTS, UNREADABLE
from controller.messages import GateSeen, Refused
from controller.operations import FEEDER, issue
from controller.planner import Candidate, best
from controller.play import Decision
from controller.state import HAND_TILES, Build, GateTile, OpenDeal, Position, Setup, Stage, TableState
from controller.survey import complete
from firmware_bridge import events as feeder
from firmware_bridge.messages import (
    Bypass,
    Clear,
    CloseWell,
    Command,
    FaultCode,
    Feed,
    Hold,
    NakCode,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Result,
    Return,
)
from twinwall.game.tiles import Tile, format_tiles

PROGRESS_STEP = 8
NOT_A_TILE = "not-a-tile"


def follow(setup: Setup, state: TableState) -> tuple[JournalEvent, ...]:
    """What the build does by itself next, given what is known now."""
    if state.deal is None or not state.build.surveyed or state.build.blocked or FEEDER in state.lost:
        return ()
    if state.stage is Stage.RAISING:
        return () if state.awaits(Raise) else issue(state, Raise())
    if state.stage is not Stage.BUILDING:
        return ()
    return (
        _release_bypassed(setup, state, state.deal)
        or _serve_gate(setup, state, state.deal)
        or _return_doubted(setup, state)
        or _feed(state, state.deal)
    )


def wants_frame(setup: Setup, state: TableState) -> tuple[int, int] | None:
    """Which reading of which gate tile is needed now: (number of its arrival, reading from 0)."""
    gate = state.build.gate
    if state.stage is not Stage.BUILDING or gate is None or gate.moving is not None:
        return None
    if _agreed(setup, gate) is not None or len(gate.reads) >= setup.frames_before_recirculating:
        return None
    return gate.number, len(gate.reads)


def seen(state: TableState, sight: GateSeen) -> Decision:
    """A reading of the gate's tile has come."""
    gate = state.build.gate
    if gate is None or gate.number != sight.number or len(gate.reads) != sight.frame or gate.moving is not None:
        return Refused(f"reading {sight.frame} of tile {sight.number} is no longer wanted")
    return (TileRead(sight.tile, sight.probability, sight.reason),)


def answered(state: TableState, answer: feeder.Done | feeder.Refused) -> Decision:
    """The feeder has ended or refused an operation."""
    pending = next((pending for pending in state.pending if pending.operation == answer.operation), None)
    if pending is None:
        return Refused(f"operation {answer.operation} is not waited for")
    if isinstance(answer, feeder.Refused):
        forgotten = answer.code is NakCode.STALE
        return (OperationDone(answer.operation, "unknown" if forgotten else f"{REFUSED}{answer.code.name.lower()}"),)
    done: tuple[JournalEvent, ...] = (OperationDone(answer.operation, answer.result.name.lower()),)
    if answer.result is not Result.OK:
        return done
    match pending.command:
        case Place() | Release():
            placed, of = len(state.build.placed) + 1, _wall_size(state)
            return (*done, Building(placed, of)) if placed % PROGRESS_STEP == 0 or placed == of else done
        case Raise() if state.deal is not None:
            return (*done, WallRaised(state.deal.n))
        case _:
            return done


def starved(setup: Setup, state: TableState) -> Decision:
    """The drum has been empty for so long that tiles must be missing."""
    deal = state.deal
    if deal is None or not state.build.starved or state.build.decoys:
        return Refused("the drum is no longer empty")
    per_place = -(-setup.decoys_before_naming // 4)
    chosen = tuple(position for place in range(4) for position in _decoys(state.build, deal, place)[:per_place])
    return *issue(state, Hold()), PositionsDoubted(chosen, (), "naming")


def staff_done(state: TableState) -> tuple[JournalEvent, ...]:
    """Staff say that they have dealt with what was asked of them: the well closes, the machine may move again."""
    events: tuple[JournalEvent, ...] = ()
    commands: list[Command] = []
    for fault in state.faults:
        if fault.code in STAFF_FAULTS:
            events = (*events, FaultCleared(fault.code))
            commands += [CloseWell()] if fault.code == MISSING else []
        elif fault.code.startswith(MACHINE_FAULT):
            events = (*events, FaultCleared(fault.code))
            commands.append(Clear(FaultCode[fault.code.removeprefix(MACHINE_FAULT).upper().replace("-", "_")]))
    numbered = enumerate(commands, state.next_operation)
    return (*events, *(OperationIssued(operation, command, None) for operation, command in numbered))


def pause_over(state: TableState) -> Decision:
    """A feeder that refused an operation may be asked again."""
    return (PauseOver(),) if state.build.blocked else Refused("the feeder is not being left alone")


def _serve_gate(setup: Setup, state: TableState, deal: OpenDeal) -> tuple[JournalEvent, ...]:
    gate = state.build.gate
    if gate is None or gate.moving is not None:
        return ()
    tile = _agreed(setup, gate)
    if tile is not None:
        return issue(state, Recirculate(), tile) if state.build.decoys else _place(setup, state, deal, tile)
    if len(gate.reads) < setup.frames_before_recirculating:
        return ()
    if gate.reason == NOT_A_TILE and state.build.refusals + 1 >= setup.showings_before_rejecting:
        sentence = "A tile that is none of the 34 kinds lies in the reject cell: take it out, then press CONFIRM"
        return *issue(state, Reject()), Fault(FOREIGN, "reject cell", sentence)
    if state.build.refusals + 1 >= setup.showings_before_staff:
        sentence = "A tile cannot be read however it is shown; it lies in the reject cell: clean or replace it, then press CONFIRM"
        return *issue(state, Reject()), Fault(UNREADABLE, "reject cell", sentence)
    return issue(state, Recirculate())


def _place(setup: Setup, state: TableState, deal: OpenDeal, tile: Tile) -> tuple[JournalEvent, ...]:
    """Where a tile just read goes: a position, a bypass cell, back to the drum, or, a fifth copy, to be counted again."""
    build = state.build
    wanting = [position for position in _open(state, deal) if deal.wanted(position) is tile]
    if len(wanting) <= sum(waiting is tile for waiting in build.bypass.values()):
        return _fifth_copy(state, tile)
    if (position := _choose(setup, state, wanting)) is not None:
        return issue(state, Place(*position), tile)
    if (cell := _free_cell(setup, state)) is not None:
        return issue(state, Bypass(cell), tile)
    if any(isinstance(pending.command, (Place, Release)) for pending in state.pending):
        return ()
    return issue(state, Recirculate(), tile)


def _fifth_copy(state: TableState, tile: Tile) -> tuple[JournalEvent, ...]:
    if any(pending.tile is tile for pending in state.pending):
        return ()
    if tile in state.build.recounted:
        sentence = f"A fifth {tile.text} lies in the reject cell: take it out, then press CONFIRM"
        return *issue(state, Reject(), tile), Fault(EXTRA, "reject cell", sentence)
    positions = tuple(sorted(position for position, placed in state.build.placed.items() if placed is tile))
    cells = tuple(sorted(cell for cell, waiting in state.build.bypass.items() if waiting is tile))
    return *issue(state, Recirculate(), tile), PositionsDoubted(positions, cells, "fifth-copy")


def _release_bypassed(setup: Setup, state: TableState, deal: OpenDeal) -> tuple[JournalEvent, ...]:
    leaving = {pending.command.cell for pending in state.pending if isinstance(pending.command, Release)}
    arriving = {pending.command.cell for pending in state.pending if isinstance(pending.command, Bypass)}
    for cell, tile in state.build.bypass.items():
        if cell in leaving | arriving:
            continue
        wanting = _spare(setup, state) if tile is None else [p for p in _open(state, deal) if deal.wanted(p) is tile]
        if (position := _choose(setup, state, wanting)) is not None:
            return issue(state, Release(cell, *position), tile)
    return ()


def _return_doubted(setup: Setup, state: TableState) -> tuple[JournalEvent, ...]:
    """Send doubted tiles back to the gate, one at a time, what lies on top first, with the drum held."""
    build = state.build
    if not build.doubted:
        return _name_missing(state) if build.decoys else ()
    if build.feeding:
        return issue(state, Hold())
    if build.gate is not None or state.pending:
        return ()
    place, index = max(build.doubted, key=lambda position: _lies_on_top(setup, position))
    above = setup.capabilities.covered_by(index)
    if above is not None and (place, above) in build.placed:
        return (PositionsDoubted(((place, above),), (), "covering"),)
    return issue(state, Return(place, index))


def _name_missing(state: TableState) -> tuple[JournalEvent, ...]:
    """Say what the set lacks, once enough places are open that this tells nothing of any wall."""
    deal = state.deal
    if deal is None or state.build.gate is not None or state.pending or any(fault.code == MISSING for fault in state.faults):
        return ()
    missing = tuple(sorted((_whole_set(deal) - _present(state, deal)).elements()))
    sentence = f"The set lacks {format_tiles(missing)}: put it into the well, then press CONFIRM"
    return TilesNamed(missing), Fault(MISSING, "drum", sentence), *issue(state, OpenWell())


def _feed(state: TableState, deal: OpenDeal) -> tuple[JournalEvent, ...]:
    build = state.build
    if build.decoys or build.doubted or state.awaits(Hold) or state.awaits(Feed) or state.awaits(CloseWell):
        return ()
    return () if build.feeding or complete(state, deal) else issue(state, Feed())


def _choose(setup: Setup, state: TableState, wanting: list[Position]) -> Position | None:
    """The best position for a tile, None when no seat can take it just now."""
    return best(_candidates(setup, state, wanting))


def _candidates(setup: Setup, state: TableState, wanting: list[Position]) -> Iterator[Candidate]:
    backlog = Counter(pending.command.seat for pending in state.pending if isinstance(pending.command, (Place, Release)))
    filled = Counter(place for place, _ in state.build.placed)
    for place, index in wanting:
        below = setup.capabilities.support_below(index)
        if backlog[place] > setup.capabilities.shuttle_queue or (below is not None and (place, below) not in state.build.placed):
            continue
        frees_upper = setup.capabilities.covered_by(index) is not None
        yield Candidate((place, index), backlog[place], index, filled[place], frees_upper)


def _open(state: TableState, deal: OpenDeal) -> list[Position]:
    """Positions that still want a tile and have none on its way."""
    busy = {(c.seat, c.position) for p in state.pending if isinstance(c := p.command, (Place, Release))}
    return [p for p in deal.positions if p not in state.build.placed and p not in state.build.doubted and p not in busy]


def _spare(setup: Setup, state: TableState) -> list[Position]:
    """Tray places beyond the walls: from there a tile of unknown kind can be returned to the gate."""
    taken = state.build.doubted | {(c.seat, c.position) for p in state.pending if isinstance(c := p.command, Release)}
    places = range(setup.capabilities.wall_places, setup.capabilities.tray_places)
    return [(place, index) for place in range(4) for index in places if (place, index) not in taken]


def _free_cell(setup: Setup, state: TableState) -> int | None:
    taken = set(state.build.bypass) | {c.cell for p in state.pending if isinstance(c := p.command, Bypass)}
    return next((cell for cell in range(setup.capabilities.bypass_cells) if cell not in taken), None)


def _agreed(setup: Setup, gate: GateTile) -> Tile | None:
    """The tile that the last readings agree on, None while they do not."""
    last = gate.reads[-setup.frames_to_agree :]
    return last[0] if len(last) == setup.frames_to_agree and len(set(last)) == 1 else None


def _lies_on_top(setup: Setup, position: Position) -> bool:
    return setup.capabilities.support_below(position[1]) is not None


def _decoys(build: Build, deal: OpenDeal, place: int) -> list[Position]:
    """Good positions of one place in the order of emptying before a missing kind is named; it depends on the deal's number alone."""
    hand = [position for position in build.placed if position[0] == place and position[1] < HAND_TILES]
    return sorted(hand, key=lambda position: hashlib.sha256(f"{deal.n} {position}".encode()).digest())


def _whole_set(deal: OpenDeal) -> Counter[Tile]:
    return Counter(tile for wall in deal.walls.values() for tile in wall.tiles)


def _present(state: TableState, deal: OpenDeal) -> Counter[Tile]:
    """Tiles accounted for while the missing ones are named: those in trays and cells, and those emptied for it."""
    emptied = Counter(deal.wanted(position) for position in state.build.decoys)
    return Counter(state.build.placed.values()) + Counter(tile for tile in state.build.bypass.values() if tile is not None) + emptied


def _wall_size(state: TableState) -> int:
    return len(state.deal.positions) if state.deal is not None else 0
