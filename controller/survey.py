"""What the sensors say of the trays, held against what the journal believes.

After a lost link or a new start, at the end of a build and while no tile comes, the feeder's own
account is asked for. Where the two differ the sensors are right about places and say nothing of
kinds: what was believed there is doubted and read again. Only when both agree is a wall called
ready. In play the account tells of draws that a feeder forgot, and no gate opens before it.
"""

from __future__ import annotations

from controller.events import (
    DrumEmptied,
    HandTileTaken,
    JournalEvent,
    PositionsDoubted,
    RefereeCalled,
    Surveyed,
    Violation,
    WallRaised,
    WallReady,
)
from controller.faults import MISSING, STAFF_FAULTS
from controller.messages import Refused
from controller.operations import MOTIONS, issue
from controller.sights import Decision
from controller.state import HAND_TILES, Build, OpenDeal, Position, Stage, TableState
from firmware_bridge import events as feeder
from firmware_bridge.messages import CloseWell, Feed, Flags, Hold, OpenWell, Recirculate
from twinwall.game.deals import SeatWall, walls_digest
from twinwall.game.play import Phase, TileDrawn
from twinwall.game.tiles import SEATS, Seat

Positions = tuple[Position, ...]
Cells = tuple[int, ...]


def wants_status(state: TableState) -> bool:
    """Whether the sensors' own account is needed: after a lost link or a new start, at the end of a build, and while no tile comes."""
    moving = any(isinstance(pending.command, MOTIONS) for pending in state.pending)
    if state.deal is None or moving:
        return False
    match state.stage:
        case Stage.BUILDING | Stage.RAISING:
            return not state.build.surveyed or state.build.gate is None
        case Stage.TAKING | Stage.PLAYING:
            return not state.build.surveyed
        case _:
            return False


def surveyed(state: TableState, status: feeder.Status) -> Decision:
    """The sensors' account has come: compare it with the journal, and end or go on with the build accordingly."""
    deal = state.deal
    if deal is None or not wants_status(state):
        return Refused("no account of the sensors is needed now")
    match state.stage:
        case Stage.TAKING:
            return _sensed(status), *_taken(state, deal, status)
        case Stage.PLAYING:
            return _drawn(state, deal, status)
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
    return (*events, *(issue(state, Recirculate()) if unannounced else _door(state, status)))


def _door(state: TableState, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """The well stands open exactly while staff are to add what is missing."""
    naming = any(fault.code == MISSING for fault in state.faults)
    if state.pending or naming is (Flags.WELL_OPEN in status.flags):
        return ()
    return issue(state, OpenWell() if naming else CloseWell())


def _moved_on(state: TableState, deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """With sensors and journal agreed: the well's door, a full wall, an empty drum."""
    build = state.build
    if door := _door(state, status):
        return door
    if complete(state, deal):
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
        return () if build.feeding else issue(state, Feed())
    if build.feeding:
        return issue(state, Hold())
    return () if any(fault.code in STAFF_FAULTS for fault in state.faults) else _ready(deal, build)


def _raised(deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """A power cut may have taken the answer to RAISE, but not the walls out of the magazines."""
    in_trays = any(index in status.trays[place] for place, index in deal.positions)
    return () if in_trays else (WallRaised(deal.n),)


def _taken(state: TableState, deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """Hand tiles that left the magazines while nobody listened."""
    gone = ((deal.seat(place), index) for place in range(4) for index in range(HAND_TILES) if index not in status.magazines[place])
    return tuple(HandTileTaken(seat, index) for seat, index in gone if (seat, index) not in state.hand.taken)


def _drawn(state: TableState, deal: OpenDeal, status: feeder.Status) -> tuple[JournalEvent, ...]:
    """Draws that left the magazines while nobody listened.

    The feeder tells every draw, unless it starts anew before it could: then one tile fewer at the seat whose turn it is
    is its draw. A draw sensed since the feeder started is still to be told, and waited for. Anything else is for the
    referee, once for each seat.
    """
    play = state.hand.play
    assert play is not None
    fewer = {seat: play.seat(seat).draws_left - _draws_sensed(deal, status, seat) for seat in SEATS}
    different = tuple(seat for seat in SEATS if fewer[seat] and seat not in state.referee)
    if play.phase is Phase.DRAW and fewer[play.turn] == 1 and set(different) <= {play.turn}:
        return () if status.counters.drawn else (_sensed(status), TileDrawn(play.turn))
    called = (event for seat in different for event in _differs(seat, fewer[seat]))
    return _sensed(status), *called


def _draws_sensed(deal: OpenDeal, status: feeder.Status, seat: Seat) -> int:
    return sum(index >= HAND_TILES for index in status.magazines[deal.place(seat)])


def _differs(seat: Seat, fewer: int) -> tuple[JournalEvent, ...]:
    sentence = f"{seat.name.title()}'s magazine holds {abs(fewer)} {'fewer' if fewer > 0 else 'more'} than it should: the referee rules"
    return Violation(seat, "magazine-differs", sentence), RefereeCalled(seat)


def _ready(deal: OpenDeal, build: Build) -> tuple[JournalEvent, ...]:
    built = {seat: tuple(build.placed[deal.place(seat), index] for index in range(len(deal.walls[seat].tiles))) for seat in SEATS}
    digest = walls_digest({seat: SeatWall(tiles[:HAND_TILES], tiles[HAND_TILES:]) for seat, tiles in built.items()}, ()).hex()
    assert digest == deal.digest, "every position holds the tile it wants, so the digest is the deal's"
    return (WallReady(deal.n, deal.check, digest),)


def complete(state: TableState, deal: OpenDeal) -> bool:
    return len(state.build.placed) == len(deal.positions) and not state.build.doubted and not state.build.bypass
