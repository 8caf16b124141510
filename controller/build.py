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
    DrumEmptied,
    Fault,
    FaultCleared,
    HandTileTaken,
    JournalEvent,
    OperationDone,
    OperationIssued,
    PauseOver,
    PositionsDoubted,
    Surveyed,
    TileRead,
    TilesNamed,
    WallRaised,
    WallReady,
)
from controller.messages import GateSeen, Refused
from controller.planner import Candidate, best
from controller.play import Decision
from controller.state import HAND_TILES, Build, GateTile, OpenDeal, Position, Setup, Stage, TableState
from firmware_bridge import events as feeder
from firmware_bridge.messages import (
    Bypass,
    CloseWell,
    Command,
    Feed,
    Flags,
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
from twinwall.game.deals import SeatWall, walls_digest
from twinwall.game.tiles import SEATS, Tile, format_tiles

FOREIGN, EXTRA, UNREADABLE, MISSING = "foreign-tile", "extra-tile", "unreadable-tile", "missing-tiles"
STAFF_FAULTS = frozenset({FOREIGN, EXTRA, UNREADABLE, MISSING})
PROGRESS_STEP = 8
NOT_A_TILE = "not-a-tile"

Positions = tuple[Position, ...]
Cells = tuple[int, ...]

FEEDER = "feeder"
MOTIONS = (Place, Bypass, Release, Return, Recirculate, Reject, Raise)


def follow(setup: Setup, state: TableState) -> tuple[JournalEvent, ...]:
    """What the build does by itself next, given what is known now."""
    if state.deal is None or not state.build.surveyed or state.build.blocked or FEEDER in state.lost:
        return ()
    if state.stage is Stage.RAISING:
        return () if state.awaits(Raise) else _issue(state, Raise())
    if state.stage is not Stage.BUILDING:
        return ()
    return (
        _release_bypassed(setup, state, state.deal)
        or _serve_gate(setup, state, state.deal)
        or _return_doubted(setup, state)
        or _feed(state, state.deal)
    )


def wants_status(state: TableState) -> bool:
    """Whether the sensors' own account is needed: after a lost link, at the end of a build, and while no tile comes."""
    moving = any(isinstance(pending.command, MOTIONS) for pending in state.pending)
    if state.deal is None or moving:
        return False
    match state.stage:
        case Stage.BUILDING | Stage.RAISING:
            return not state.build.surveyed or state.build.gate is None
        case Stage.TAKING:
            return not state.build.surveyed
        case _:
            return False


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


def surveyed(state: TableState, status: feeder.Status) -> Decision:
    """The sensors' account has come: compare it with the journal, and end or go on with the build accordingly."""
    deal = state.deal
    if deal is None or not wants_status(state):
        return Refused("no account of the sensors is needed now")
    match state.stage:
        case Stage.TAKING:
            return _sensed(status), *_taken(state, deal, status)
        case Stage.RAISING:
            return (_sensed(status), *_raised(deal, status)) if not state.build.surveyed else ()
        case _:
            return _compared(state, status) or _moved_on(state, deal, status)


def _sensed(status: feeder.Status, emptied: Positions = (), left: Cells = (), arrived: Cells = (), *, gate_empty: bool = False) -> Surveyed:
    return Surveyed(emptied, left, arrived, gate_empty, Flags.FEEDING in status.flags)


def _compared(state: TableState, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """Where sensors and journal differ, the sensors are right about places and say nothing of kinds."""
    build = state.build
    sensed = frozenset((place, index) for place in range(4) for index in status.trays[place])
    believed = build.placed.keys() | build.doubted
    strange, emptied = tuple(sorted(sensed - believed)), tuple(sorted(believed - sensed))
    arrived, left = tuple(sorted(status.bypass - build.bypass.keys())), tuple(sorted(build.bypass.keys() - status.bypass))
    gate_empty = build.gate is not None and not status.gate_occupied
    if build.surveyed and not (strange or emptied or arrived or left or gate_empty):
        return ()
    events: tuple[JournalEvent, ...] = (_sensed(status, emptied, left, arrived, gate_empty=gate_empty),)
    if strange:
        events = (*events, PositionsDoubted(strange, (), "sensed"))
    unannounced = not build.surveyed and build.gate is None and status.gate_occupied
    return (*events, *(_issue(state, Recirculate()) if unannounced else _door(state, status)))


def _door(state: TableState, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """The well stands open exactly while staff are to add what is missing."""
    naming = any(fault.code == MISSING for fault in state.faults)
    if state.pending or naming is (Flags.WELL_OPEN in status.flags):
        return ()
    return _issue(state, OpenWell() if naming else CloseWell())


def _moved_on(state: TableState, deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """With sensors and journal agreed: the well's door, a full wall, an empty drum."""
    build = state.build
    if door := _door(state, status):
        return door
    if _complete(state, deal):
        return _finished(state, deal, status)
    if status.drum_empty and not status.gate_occupied and not build.starved and build.feeding and not build.doubted:
        return (DrumEmptied(),)
    return ()


def _finished(state: TableState, deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """The wall is full: it is ready once the drum has been emptied (a tile too many would still lie there) and staff are done."""
    build = state.build
    if build.gate is not None or state.pending:
        return ()
    if not status.drum_empty:
        return () if build.feeding else _issue(state, Feed())
    if build.feeding:
        return _issue(state, Hold())
    return () if any(fault.code in STAFF_FAULTS for fault in state.faults) else _ready(deal, build)


def _raised(deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """A power cut may have taken the answer to RAISE, but not the walls out of the magazines."""
    in_trays = any(index in status.trays[place] for place, index in deal.positions)
    return () if in_trays else (WallRaised(deal.n),)


def _taken(state: TableState, deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """Hand tiles that left the magazines while nobody listened."""
    gone = ((deal.seat(place), index) for place in range(4) for index in range(HAND_TILES) if index not in status.magazines[place])
    return tuple(HandTileTaken(seat, index) for seat, index in gone if (seat, index) not in state.hand.taken)


def starved(setup: Setup, state: TableState) -> Decision:
    """The drum has been empty for so long that tiles must be missing."""
    deal = state.deal
    if deal is None or not state.build.starved or state.build.decoys:
        return Refused("the drum is no longer empty")
    per_place = -(-setup.decoys_before_naming // 4)
    chosen = tuple(position for place in range(4) for position in _decoys(state.build, deal, place)[:per_place])
    return *_issue(state, Hold()), PositionsDoubted(chosen, (), "naming")


def staff_done(state: TableState) -> tuple[JournalEvent, ...]:
    """Staff say that they have dealt with what was asked of them."""
    cleared = tuple(FaultCleared(fault.code) for fault in state.faults if fault.code in STAFF_FAULTS)
    return (*cleared, *_issue(state, CloseWell())) if any(fault.code == MISSING for fault in state.faults) else cleared


def pause_over(state: TableState) -> Decision:
    """A feeder that refused an operation may be asked again."""
    return (PauseOver(),) if state.build.blocked else Refused("the feeder is not being left alone")


def _serve_gate(setup: Setup, state: TableState, deal: OpenDeal) -> tuple[JournalEvent, ...]:
    gate = state.build.gate
    if gate is None or gate.moving is not None:
        return ()
    tile = _agreed(setup, gate)
    if tile is not None:
        return _issue(state, Recirculate(), tile) if state.build.decoys else _place(setup, state, deal, tile)
    if len(gate.reads) < setup.frames_before_recirculating:
        return ()
    if gate.reason == NOT_A_TILE and state.build.refusals + 1 >= setup.showings_before_rejecting:
        sentence = "A tile that is none of the 34 kinds lies in the reject cell: take it out, then press CONFIRM"
        return *_issue(state, Reject()), Fault(FOREIGN, "reject cell", sentence)
    if state.build.refusals + 1 >= setup.showings_before_staff:
        sentence = "A tile cannot be read however it is shown; it lies in the reject cell: clean or replace it, then press CONFIRM"
        return *_issue(state, Reject()), Fault(UNREADABLE, "reject cell", sentence)
    return _issue(state, Recirculate())


def _place(setup: Setup, state: TableState, deal: OpenDeal, tile: Tile) -> tuple[JournalEvent, ...]:
    """Where a tile just read goes: a position, a bypass cell, back to the drum, or, a fifth copy, to be counted again."""
    build = state.build
    wanting = [position for position in _open(state, deal) if deal.wanted(position) is tile]
    if len(wanting) <= sum(waiting is tile for waiting in build.bypass.values()):
        return _fifth_copy(state, tile)
    if (position := _choose(setup, state, wanting)) is not None:
        return _issue(state, Place(*position), tile)
    if (cell := _free_cell(setup, state)) is not None:
        return _issue(state, Bypass(cell), tile)
    if any(isinstance(pending.command, (Place, Release)) for pending in state.pending):
        return ()
    return _issue(state, Recirculate(), tile)


def _fifth_copy(state: TableState, tile: Tile) -> tuple[JournalEvent, ...]:
    if any(pending.tile is tile for pending in state.pending):
        return ()
    if tile in state.build.recounted:
        sentence = f"A fifth {tile.text} lies in the reject cell: take it out, then press CONFIRM"
        return *_issue(state, Reject(), tile), Fault(EXTRA, "reject cell", sentence)
    positions = tuple(sorted(position for position, placed in state.build.placed.items() if placed is tile))
    cells = tuple(sorted(cell for cell, waiting in state.build.bypass.items() if waiting is tile))
    return *_issue(state, Recirculate(), tile), PositionsDoubted(positions, cells, "fifth-copy")


def _release_bypassed(setup: Setup, state: TableState, deal: OpenDeal) -> tuple[JournalEvent, ...]:
    leaving = {pending.command.cell for pending in state.pending if isinstance(pending.command, Release)}
    arriving = {pending.command.cell for pending in state.pending if isinstance(pending.command, Bypass)}
    for cell, tile in state.build.bypass.items():
        if cell in leaving | arriving:
            continue
        wanting = _spare(setup, state) if tile is None else [p for p in _open(state, deal) if deal.wanted(p) is tile]
        if (position := _choose(setup, state, wanting)) is not None:
            return _issue(state, Release(cell, *position), tile)
    return ()


def _return_doubted(setup: Setup, state: TableState) -> tuple[JournalEvent, ...]:
    """Send doubted tiles back to the gate, one at a time, what lies on top first, with the drum held."""
    build = state.build
    if not build.doubted:
        return _name_missing(state) if build.decoys else ()
    if build.feeding:
        return _issue(state, Hold())
    if build.gate is not None or state.pending:
        return ()
    place, index = max(build.doubted, key=lambda position: _lies_on_top(setup, position))
    above = setup.capabilities.covered_by(index)
    if above is not None and (place, above) in build.placed:
        return (PositionsDoubted(((place, above),), (), "covering"),)
    return _issue(state, Return(place, index))


def _name_missing(state: TableState) -> tuple[JournalEvent, ...]:
    """Say what the set lacks, once enough places are open that this tells nothing of any wall."""
    deal = state.deal
    if deal is None or state.build.gate is not None or state.pending or any(fault.code == MISSING for fault in state.faults):
        return ()
    missing = tuple(sorted((_whole_set(deal) - _present(state, deal)).elements()))
    sentence = f"The set lacks {format_tiles(missing)}: put it into the well, then press CONFIRM"
    return TilesNamed(missing), Fault(MISSING, "drum", sentence), *_issue(state, OpenWell())


def _feed(state: TableState, deal: OpenDeal) -> tuple[JournalEvent, ...]:
    build = state.build
    if build.decoys or build.doubted or state.awaits(Hold) or state.awaits(Feed) or state.awaits(CloseWell):
        return ()
    return () if build.feeding or _complete(state, deal) else _issue(state, Feed())


def _ready(deal: OpenDeal, build: Build) -> tuple[JournalEvent, ...]:
    built = {seat: tuple(build.placed[deal.place(seat), index] for index in range(len(deal.walls[seat].tiles))) for seat in SEATS}
    digest = walls_digest({seat: SeatWall(tiles[:HAND_TILES], tiles[HAND_TILES:]) for seat, tiles in built.items()}, ()).hex()
    assert digest == deal.digest, "every position holds the tile it wants, so the digest is the deal's"
    return (WallReady(deal.n, deal.check, digest),)


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


def _complete(state: TableState, deal: OpenDeal) -> bool:
    return len(state.build.placed) == len(deal.positions) and not state.build.doubted and not state.build.bypass


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


def _issue(state: TableState, command: Command, tile: Tile | None = None) -> tuple[JournalEvent, ...]:
    return (OperationIssued(state.next_operation, command, tile),)
