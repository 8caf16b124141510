"""Survey: compares the sensors of trays and magazines with the journal, and declares a wall ready (``_ready_if_certain``).

The feeder is asked for its status after a lost link or a restart, at the end of a build, and while no tile comes. Where the two differ, the
sensors are right about places and know no kinds: the tiles there are doubted and read again. A wall is ready only when both agree. During
play the status shows draws that the feeder has forgotten, and no gate opens before it. One status serves both sides of the table.
"""

from collections.abc import Iterator

from controller.hand import draw_gates, referee
from controller.ledger.journal_events import DrumEmptied, Events, HandTileTaken, MagazinesSurveyed, PositionsDoubted, Surveyed, WallWeighed
from controller.state.faults import MISSING, NOT_RAISED, SET_FAULTS, WELL, tiles_not_raised
from controller.state.messages import Decision, Refused
from controller.state.sides import HAND_TILES, Build, OpenDeal, PlayStage, Position, WallStage
from controller.state.table_state import MOTIONS, OF_MAGAZINES, Setup, TableState, busy, issue, issue_all, may_begin
from controller.state.waits import Wait
from controller.wall import audit
from firmware_bridge.link import events as feeder
from firmware_bridge.messages import REAR_GATE, Clear, CloseWell, Feed, FeederState, Flags, Hold, OpenWell, Recirculate, Return
from twinwall.game.deals import walls_digest
from twinwall.game.play_events import TileDrawn
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.game.walls import SeatWall
from twinwall.wire.events.hand_events import SharedTileLifted, TileTakenAgain
from twinwall.wire.events.wall_events import ClearingBegan, WallReady

Positions = tuple[Position, ...]
Cells = tuple[int, ...]


def wants_status(setup: Setup, state: TableState) -> bool:
    """Whether the sensors are needed: after a lost link or start, at the end of a build, without a tile, and before the clearing."""
    return _wants_trays(setup, state) or wants_magazines(state)


def _wants_trays(setup: Setup, state: TableState) -> bool:
    making = state.making
    # A RETURN waits for a free gate: a tile in there that the journal does not know, after a power cut, only the sensors can tell of.
    under_way = MOTIONS if making.build.surveyed else tuple(motion for motion in MOTIONS if motion is not Return)
    if state.awaits(*under_way, Clear):
        return False
    match making.stage:
        case WallStage.NONE:
            return False
        case WallStage.BUILDING:
            return not making.build.surveyed or not making.build.gates
        case WallStage.READY | WallStage.CLEARING | WallStage.RAISING:
            return not (making.build.surveyed or state.has_fault(NOT_RAISED)) or clearing_is_due(setup, state)


def wants_magazines(state: TableState) -> bool:
    """Whether the sensors must report the magazines before a draw gate opens."""
    playing = state.playing
    return playing.stage in (PlayStage.TAKING, PlayStage.PLAYING) and not playing.surveyed and not state.awaits(*OF_MAGAZINES)


def trays_are_free(setup: Setup, state: TableState) -> bool:
    """Whether the next wall may begin: the players have taken the raised one. A wall of another session does not count, except while the
    table is cleared for it: it must rise first, since the drum fills with the other set."""
    making, playing = state.making, state.playing
    free = making.stage is WallStage.NONE or (making.stage in (WallStage.BUILDING, WallStage.READY) and setup.leaves(making.deal))
    return free and (playing.stage is not PlayStage.TAKING or setup.leaves(playing.deal))


def may_rise(setup: Setup, state: TableState) -> bool:
    """Whether a wall in the trays waits for no person. One of another session rises to make way, and no hand begins with it."""
    if setup.leaves(state.making.deal):
        return state.making.stage is WallStage.RAISING
    return state.playing.stage in (PlayStage.NONE, PlayStage.CLOSED) and may_begin(setup, state.seats, paused=state.paused)


def clearing_is_due(setup: Setup, state: TableState) -> bool:
    """Whether a ready wall waits for the table to be cleared of the last hand, or of the other set before the first of several hands."""
    making, playing = state.making, state.playing
    if making.stage is not WallStage.READY or making.deal is None or setup.leaves(making.deal):
        return False
    return playing.stage is PlayStage.CLOSED or (playing.stage is PlayStage.NONE and not setup.plays_only(making.deal.hand))


def surveyed(setup: Setup, state: TableState, status: feeder.FeederStatus) -> Decision:
    """Compare the sensors' report with the journal, and end or continue the build."""
    trays, magazines = _wants_trays(setup, state), wants_magazines(state)
    if not trays and not magazines:
        return Refused("no account of the sensors is needed now")
    return *(_magazines(setup, state, status) if magazines else ()), *(_trays(setup, state, status) if trays else ())


def _trays(setup: Setup, state: TableState, status: feeder.FeederStatus) -> Events:
    making, deal = state.making, state.making.deal
    assert deal is not None
    if status.state is FeederState.HOMING:  # places may change on the way, and every motion would be refused
        return ()
    match making.stage:
        case WallStage.CLEARING:
            return (_sensed(status),)
        case WallStage.RAISING:
            return _raised(making.build, deal, status)
        case WallStage.READY:
            return _compared(state, status) or (ClearingBegan(deal.n, sum(map(len, status.magazines))),)
        case _:
            return _compared(state, status) or _moved_on(setup, state, deal, status)


def _magazines(setup: Setup, state: TableState, status: feeder.FeederStatus) -> Events:
    deal = state.playing.deal
    assert deal is not None
    if state.playing.stage is PlayStage.TAKING:
        return MagazinesSurveyed(), *_taken(state, deal, status)
    return _drawn(setup, state, deal, status)


def _positions(sensed: tuple[frozenset[int], ...]) -> frozenset[Position]:
    return frozenset((place, index) for place, filled in enumerate(sensed) for index in filled)


def _sensed(
    status: feeder.FeederStatus, emptied: Positions = (), left: Cells = (), arrived: Cells = (), emptied_gates: tuple[int, ...] = ()
) -> Surveyed:
    feeding, well_open = Flags.FEEDING in status.flags, Flags.WELL_OPEN in status.flags
    return Surveyed(emptied, left, arrived, emptied_gates, feeding, well_open, sum(map(len, status.magazines)))


def _compared(state: TableState, status: feeder.FeederStatus) -> Events:
    """Return the differences: the sensors are right about places and know no kinds."""
    build = state.making.build
    sensed = _positions(status.trays)
    believed = build.placed.keys() | build.doubted | build.left
    strange, emptied = tuple(sorted(sensed - believed)), tuple(sorted(believed - sensed))
    arrived, left = tuple(sorted(status.bypass - build.bypass.keys())), tuple(sorted(build.bypass.keys() - status.bypass))
    emptied_gates = tuple(sorted(build.gates.keys() - status.gates))
    if build.surveyed and not (strange or emptied or arrived or left or emptied_gates):
        return ()
    events: Events = (_sensed(status, emptied, left, arrived, emptied_gates),)
    if strange:
        events = (*events, PositionsDoubted(strange, (), "sensed"))
    unannounced = () if build.surveyed else sorted(status.gates - build.gates.keys())
    return *events, *(issue_all(state, map(Recirculate, unannounced)) or _door(state, status))


def _door(state: TableState, status: feeder.FeederStatus) -> Events:
    """Open or close the well: during a build it is open only while staff must add missing tiles there."""
    naming = any(fault.code == MISSING and fault.where == WELL for fault in state.faults)
    if busy(state) or naming is (Flags.WELL_OPEN in status.flags):
        return ()
    return issue(state, OpenWell() if naming else CloseWell())


def _moved_on(setup: Setup, state: TableState, deal: OpenDeal, status: feeder.FeederStatus) -> Events:
    """Continue once sensors and journal agree: the well's door, a full wall, an empty drum."""
    build = state.making.build
    if door := _door(state, status):
        return door
    if wall_is_full(state, deal):
        return _ready_if_certain(setup, state, deal, status)
    if status.drum_empty and not status.gate_occupied and build.starved is None and build.feeding and not build.doubted:
        return (DrumEmptied(),)
    return ()


def _ready_if_certain(setup: Setup, state: TableState, deal: OpenDeal, status: feeder.FeederStatus) -> Events:
    """Finish a full wall: it is ready once the drum is empty (an extra tile would be in it) and staff are done."""
    build = state.making.build
    if build.gates or status.gate_occupied or busy(state):
        return ()
    if not status.drum_empty:
        return () if build.feeding or state.has_fault(Wait.TILE) else issue(state, Feed())
    resting = issue(state, Hold()) if build.feeding else ()
    if any(fault.code in SET_FAULTS for fault in state.faults):
        return resting
    verdict = audit.audit_full_wall(setup, build, deal)
    if not isinstance(verdict[0], WallWeighed):
        return *verdict, *resting
    return *verdict, *(audit.checked(build, agreed=True) or _ready(deal, build)), *resting


def _raised(build: Build, deal: OpenDeal, status: feeder.FeederStatus) -> Events:
    """RAISE may be done although its answer was lost: then the whole wall is in the magazines. If a part of it is not, a person is asked,
    and what then is in neither place counts as taken. Tiles in the magazines below a whole wall that is still in the trays must be
    cleared first."""
    wall, magazines = build.placed.keys(), _positions(status.magazines)
    in_trays = wall & _positions(status.trays)
    gone = wall - in_trays - magazines
    behind = gone if gone | in_trays == wall else gone | in_trays
    sensed = _sensed(status, tuple(sorted(gone)))
    if behind:
        named = ", ".join(f"{deal.seat(place).name.title()} {index + 1}" for place, index in sorted(behind))
        return sensed, tiles_not_raised(named, *min(behind))
    if not in_trays:
        return sensed, *audit.raised(build, deal)
    return (sensed, ClearingBegan(deal.n, len(magazines))) if magazines else (sensed,)


def _taken(state: TableState, deal: OpenDeal, status: feeder.FeederStatus) -> Events:
    """Return the hand tiles taken from the magazines while the controller was away."""
    hands = ((seat, index) for seat in SEATS for index in range(HAND_TILES) if index not in status.magazines[deal.place(seat)])
    return tuple(HandTileTaken(*tile) for tile in hands if tile not in state.playing.hand.taken)


def _drawn(setup: Setup, state: TableState, deal: OpenDeal, status: feeder.FeederStatus) -> Events:
    """Return the draws that left the magazines while the controller was away.

    The feeder reports every draw unless it restarts first: then one missing tile at the seat in turn is its draw. A draw sensed since its
    restart will be reported, and is awaited. Any other difference goes to the referee, once for each seat.
    """
    play = state.playing.hand.play
    assert play is not None
    fewer = {gate: count for gate, count in _fewer(state, deal, status) if count}
    different = [seat for seat in SEATS if seat not in state.playing.differing and _gates(deal, seat) & fewer.keys()]
    due = _may_have_passed(setup, state)
    if due is not None and fewer.get(due) == 1 and all(_gates(deal, seat) & fewer.keys() == {due} for seat in different):
        seat = deal.seat(due % REAR_GATE)
        again = state.playing.hand.put_back is not None
        missed = TileTakenAgain(seat) if again else TileDrawn(seat) if due < REAR_GATE else SharedTileLifted(seat)
        return () if status.counters.drawn else (MagazinesSurveyed(), missed)
    called = (event for seat in different for event in _differs(state, seat, sum(fewer.get(gate, 0) for gate in _gates(deal, seat))))
    return MagazinesSurveyed(), *called, *(referee.halt(state, referee.DIFFERS) if different else ())


def _may_have_passed(setup: Setup, state: TableState) -> int | None:
    """Return the gate that a tile may have passed while the controller was away: the one due, or that of a seat that has since claimed."""
    play, deal = state.playing.hand.play, state.playing.deal
    if state.playing.hand.claim is not None and play is not None and deal is not None:
        return deal.place(play.turn)
    return draw_gates.due(setup, state.playing)


def _gates(deal: OpenDeal, seat: Seat) -> frozenset[int]:
    place = deal.place(seat)
    return frozenset({place, REAR_GATE + place})


def _fewer(state: TableState, deal: OpenDeal, status: feeder.FeederStatus) -> Iterator[tuple[int, int]]:
    """Yield by gate how many tiles fewer are sensed behind it than should be."""
    play = state.playing.hand.play
    assert play is not None
    for seat in SEATS:
        place, last = deal.place(seat), len(deal.walls[seat].tiles)
        sensed = status.magazines[place]
        returned = state.playing.hand.put_back is seat
        yield place, play.seat(seat).draws_left + returned - sum(HAND_TILES <= index < last for index in sensed)
        yield REAR_GATE + place, draw_gates.tiles_behind(state.playing, seat) - sum(index >= last for index in sensed)


def _differs(state: TableState, seat: Seat, fewer: int) -> Events:
    sentence = f"{seat.name.title()}'s magazine holds {abs(fewer)} {'fewer' if fewer > 0 else 'more'} than it should: the referee rules"
    return referee.violated(state, seat, referee.DIFFERS, sentence)


def _ready(deal: OpenDeal, build: Build) -> Events:
    walls, shared = dict[Seat, SeatWall](), dict[int, Tile]()
    for seat in SEATS:
        place, last = deal.place(seat), len(deal.walls[seat].tiles)
        tiles = tuple(build.placed[place, index] for index in range(last))
        walls[seat] = SeatWall(tiles[:HAND_TILES], tiles[HAND_TILES:])
        shared |= {number: build.placed[place, last + index] for index, number in enumerate(deal.shared_row(seat))}
    digest = walls_digest(walls, tuple(shared[number] for number in sorted(shared))).hex()
    if digest != deal.digest:  # every position holds the tile it wants
        raise RuntimeError(f"the wall of deal {deal.n} has the digest {digest}, and the deal has {deal.digest}: the journal is damaged")
    return (WallReady(deal.n, deal.check, digest),)


def wall_is_full(state: TableState, deal: OpenDeal) -> bool:
    """Whether every place of the wall is filled and no tile waits or is doubted."""
    build = state.making.build
    return len(build.placed) == len(deal.positions) and not build.doubted and not build.bypass
