"""Reducer of the wall: how events change the side of the trays, and how a feeder operation issued, done, refused or failed does. Pure; it
never refuses (``controller.core.apply``). ``controller.wall.build`` decides which operation is issued."""

from collections.abc import Mapping
from typing import TypeVar, assert_never

from controller.ledger.journal_events import OperationIssued, PositionsChecked, PositionsDoubted, Surveyed, TileArrived, TileRead
from controller.state.faults import FEEDER_FAULTS, LID, MISSING, NOT_RAISED, WALL_DOUBTED, WELL_COUNT
from controller.state.sides import Build, Clearing, GateTile, Making, OpenDeal, Playing, Position, WallStage
from controller.state.table_state import REFUSED, SURPRISES, Setup, replace
from controller.state.transitions import WALL_TRANSITIONS, WallStep, next_stage
from controller.wall.audit import DOUBTFUL, RECOUNT, SAMPLED
from controller.wall.placing import gate_of
from firmware_bridge.messages import (
    Bypass,
    Clear,
    CloseWell,
    Command,
    Container,
    Dump,
    Feed,
    Hold,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Return,
)
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.wire.events.wall_events import Cleared, ClearingBegan, DealOpened, WallRaised, WallReady, WellCounted

MakingEvent = (
    DealOpened
    | TileArrived
    | TileRead
    | PositionsDoubted
    | PositionsChecked
    | Surveyed
    | WallReady
    | ClearingBegan
    | WellCounted
    | Cleared
    | WallRaised
)

K = TypeVar("K")
V = TypeVar("V")


def apply_to_wall(setup: Setup, making: Making, playing: Playing, event: MakingEvent) -> Making:
    """Return the side of the trays after one of its events; ``playing``: the other side before it."""
    match event:
        case TileArrived():
            return _perhaps_whole(_arrived(setup, making, event))
        case TileRead():
            return _perhaps_whole(replace(making, build=_read(making.build, event)))
        case PositionsDoubted():
            return _perhaps_whole(replace(making, build=_doubt(making.build, event)))
        case Surveyed():
            return _perhaps_whole(_surveyed(making, event))
        case DealOpened():
            return moved_on(_opened(setup, making, playing, event), WallStep.DEAL_OPENED)
        case WallReady():
            return moved_on(replace(making, build=replace(making.build, recounted=frozenset())), WallStep.WALL_READY)
        case PositionsChecked():
            differed = making.build.differed + (not event.agreed)
            making = replace(making, build=replace(making.build, rereading=frozenset(), differed=differed))
            return moved_on(making, WallStep.READ_AGAIN) if event.agreed else making
        case ClearingBegan():
            return moved_on(replace(making, clearing=_cleared_again(making.clearing, event.dropped)), WallStep.CLEARING_BEGAN)
        case WellCounted():
            return _counted(making, event)
        case Cleared():
            return moved_on(making, WallStep.CLEARED)
        case WallRaised():
            return moved_on(Making(stage=making.stage, well_open=making.well_open), WallStep.WALL_RAISED)
        case _:
            assert_never(event)


def moved_on(making: Making, step: WallStep) -> Making:
    """Change the stage of a wall; no other function does."""
    return replace(making, stage=next_stage(WALL_TRANSITIONS, making.stage, step))


def _perhaps_whole(making: Making) -> Making:
    """Return a ready wall to BUILDING if a position is empty, or a tile is doubted, in a cell or in a gate."""
    build, deal = making.build, making.deal
    full = deal is None or len(build.placed) == len(deal.positions)
    whole = full and not (build.doubted or build.bypass or build.gates)
    return making if whole or making.stage is not WallStage.READY else moved_on(making, WallStep.NO_LONGER_WHOLE)


def _opened(setup: Setup, making: Making, playing: Playing, event: DealOpened) -> Making:
    rows = setup.rules.shared_rows if event.rest else NO_SHARED_TILES
    deal = OpenDeal(event.n, event.session, event.hand, event.rules, event.check, event.walls, event.digest, event.rest, rows)
    gates = making.build.gates
    back = None if playing.back is None else next(other for other in setup.sets if other != playing.back)
    backs = tuple(gate.back for gate in gates.values() if gate.back in setup.sets)
    left = frozenset(() if making.deal is None else making.deal.positions)
    return replace(making, deal=deal, back=back, backs=backs, build=Build(gates=gates, left=left))


def _arrived(setup: Setup, making: Making, event: TileArrived) -> Making:
    arrived = GateTile(event.number, event.back, event.doubled)
    making = replace(making, build=replace(making.build, gates={**making.build.gates, event.gate: arrived}, starved=None))
    if making.back is not None or making.deal is None or event.back not in setup.sets:
        return making
    backs = (*making.backs, event.back)
    if event.back not in making.backs:
        return replace(making, backs=backs)
    making = replace(making, back=event.back, backs=())
    return making if len(set(backs)) == 1 else _forgetting(making)


def _forgetting(making: Making) -> Making:
    """Forget the kinds of the waiting tiles, so that they are read again: one of them is misread, or of the other set."""
    return replace(making, build=replace(making.build, bypass=dict.fromkeys(making.build.bypass)))


def _cleared_again(before: Clearing | None, dropped: int) -> Clearing:
    """If the table was cleared for this wall before, add the magazines to the count."""
    if before is None:
        return Clearing(dropped, emptied=dropped == 0)
    return replace(before, dropped=before.dropped + dropped, emptied=dropped == 0)


def _counted(making: Making, event: WellCounted) -> Making:
    clearing = making.clearing
    assert clearing is not None
    return replace(making, clearing=replace(clearing, fallen=event.counted - clearing.dropped))


def _surveyed(making: Making, event: Surveyed) -> Making:
    clearing = making.clearing
    if clearing is not None and event.magazines == 0:
        clearing = replace(clearing, emptied=True)
    return replace(making, build=_survey(making.build, event), well_open=event.well_open, clearing=clearing)


def starved(making: Making, last_event: int) -> Making:
    """The drum is empty; ``last_event``: the feeder's last event before."""
    return replace(making, build=replace(making.build, starved=last_event))


def restarted(making: Making) -> Making:
    """Forget the kinds of tiles in gates and cells, so that they are read again: a power cut may have taken the last lines of the journal,
    and sensors only show that a place is occupied."""
    return _forgetting(replace(making, build=replace(making.build, surveyed=False, gates={})))


def rebooted(making: Making) -> Making:
    """The feeder has restarted: it counts the well from 0, and reports a tile in the gate again."""
    return recounted(replace(making, backs=(), build=replace(making.build, surveyed=False, gates={})))


def recounted(making: Making) -> Making:
    """The well counts from 0; keep the count so far."""
    clearing = making.clearing
    if clearing is None:
        return making
    return replace(making, clearing=replace(clearing, counted_before=clearing.fallen))


def unsurveyed(making: Making) -> Making:
    """The sensors must be asked: the link was lost, or the machine was repaired."""
    return replace(making, build=replace(making.build, surveyed=False))


def after_staff(making: Making, code: str) -> Making:
    if code == MISSING:
        return replace(making, build=replace(making.build, decoys=frozenset(), starved=None))
    if code == WALL_DOUBTED:
        return replace(making, build=replace(making.build, reread=frozenset()))
    if code == WELL_COUNT and making.clearing is not None:
        return replace(making, clearing=replace(making.clearing, accepted=True))
    return _touched(making) if code in FEEDER_FAULTS or code in (LID, NOT_RAISED) else making


def _touched(making: Making) -> Making:
    """A person has reached into the machine: a gate may hold another tile, and the sensors must be asked."""
    gates = {number: to_be_read_again(gate) for number, gate in making.build.gates.items()}
    return replace(making, build=replace(making.build, surveyed=False, gates=gates, refusals=0, unknown_backs={}))


def to_be_read_again(gate: GateTile) -> GateTile:
    return replace(gate, reads=(), looks=(), reason="", moving=None)


def _read(build: Build, event: TileRead) -> Build:
    gate = build.gates[event.gate]
    looks = gate.looks if event.tile is None else (*gate.looks, event)
    gate = replace(gate, reads=(*gate.reads, event.tile), reason=event.reason, looks=looks)
    return replace(build, gates={**build.gates, event.gate: gate}, refusals=0 if event.tile is not None else build.refusals)


def _survey(build: Build, event: Surveyed) -> Build:
    bypass = {cell: tile for cell, tile in build.bypass.items() if cell not in event.emptied_cells}
    return replace(
        build,
        surveyed=True,
        placed={position: tile for position, tile in build.placed.items() if position not in event.emptied},
        doubted=build.doubted.difference(event.emptied),
        left=build.left.difference(event.emptied),
        bypass=bypass | dict.fromkeys(event.unknown_cells),
        gates={number: gate for number, gate in build.gates.items() if number not in event.emptied_gates},
        feeding=event.feeding,
    )


def _doubt(build: Build, event: PositionsDoubted) -> Build:
    doubted = frozenset(event.positions)
    kinds = {build.placed[position] for position in doubted if position in build.placed}
    kinds |= {tile for cell in event.cells if (tile := build.bypass.get(cell)) is not None}
    gate, fifth, recount = build.gates.get(event.gate), event.reason == "fifth-copy", event.reason == RECOUNT
    return replace(
        build,
        gates={**build.gates, event.gate: replace(gate, doubted=True)} if fifth and gate is not None else build.gates,
        placed={position: tile for position, tile in build.placed.items() if position not in doubted},
        doubted=build.doubted | doubted,
        bypass={cell: None if cell in event.cells else tile for cell, tile in build.bypass.items()},
        recounted=build.recounted | kinds if fifth else frozenset() if recount else build.recounted,
        starved=None if recount else build.starved,
        decoys=doubted if event.reason == "naming" else build.decoys,
        reread=build.reread | doubted if event.reason in (DOUBTFUL, SAMPLED) else build.reread,
        rereading=doubted if event.reason == SAMPLED else build.rereading,
        sampled=build.sampled + (len(doubted) if event.reason == SAMPLED else 0),
    )


def without_item(mapping: Mapping[K, V], key: K) -> dict[K, V]:
    return {other: value for other, value in mapping.items() if other != key}


Looks = tuple[TileRead, ...]


def issued(setup: Setup, making: Making, event: OperationIssued) -> Making:
    """The feeder gets a command that moves something in the wall in the making."""
    build = making.build
    match event.command:
        case Place() | Bypass() | Recirculate() | Reject():
            number = gate_of(setup.capabilities, event.command)
            gate = build.gates.get(number)
            if gate is None:
                return making
            refusals = 0 if isinstance(event.command, Reject) else build.refusals + (event.tile is None)
            looks = _with_looks(build.looks, event.command, gate.looks)
            gates = {**build.gates, number: replace(gate, moving=event.operation)}
            unknown = 0 if gate.back in setup.sets else build.unknown_backs.get(number, 0) + 1
            unknown_backs = {**build.unknown_backs, number: unknown}
            return replace(making, build=replace(build, gates=gates, refusals=refusals, unknown_backs=unknown_backs, looks=looks))
        case Feed() | Hold():
            return replace(making, build=replace(build, feeding=isinstance(event.command, Feed)))
        case Release(cell):
            looks = _with_looks(build.looks, event.command, build.looks.get(cell, ()))
            return replace(making, build=replace(build, bypass=without_item(build.bypass, cell), looks=looks))
        case OpenWell():
            return recounted(making)
        case Raise():
            return moved_on(making, WallStep.RAISE_ISSUED)
        case _:
            return making


def done(making: Making, pending: OperationIssued) -> Making:
    match pending.command:
        case Dump(Container.TRAY):
            return replace(making, build=replace(making.build, placed={}, doubted=frozenset(), left=frozenset()))
        case Dump() if making.clearing is not None:
            return replace(making, clearing=replace(making.clearing, emptied=True))
        case OpenWell() | CloseWell():
            return replace(making, well_open=isinstance(pending.command, OpenWell))
        case Clear():
            return unsurveyed(making)
        case _:
            return replace(making, build=_moved(making.build, pending))


def not_done(making: Making, pending: OperationIssued, result: str) -> Making:
    """A refused operation moved nothing and is tried again later. If it was refused because places differ from the journal, or ended badly
    otherwise, the sensors are asked."""
    build = making.build
    refused = result.startswith(REFUSED)
    trusted = refused and result not in SURPRISES
    if (number := _leaving(build, pending)) is not None:
        gate = build.gates[number]
        build = replace(build, gates={**build.gates, number: replace(gate, moving=None) if trusted else to_be_read_again(gate)})
    if isinstance(pending.command, Feed | Hold):
        build = replace(build, feeding=isinstance(pending.command, Hold))
    if refused and isinstance(pending.command, Release):
        build = replace(build, bypass={pending.command.cell: pending.tile, **build.bypass})
    blocked = pending.operation if refused and build.blocked is None else build.blocked
    # an unreported tile, still in its gate
    unannounced = isinstance(pending.command, Recirculate) and pending.command.gate not in build.gates
    surveyed = build.surveyed and trusted and not unannounced
    return replace(making, build=replace(build, blocked=blocked, surveyed=surveyed))


def pause_over(making: Making, operation: int) -> Making:
    """The feeder may be asked again, if it refused this operation."""
    return replace(making, build=replace(making.build, blocked=None)) if making.build.blocked == operation else making


def _moved(build: Build, pending: OperationIssued) -> Build:
    if (number := _leaving(build, pending)) is not None:
        build = replace(build, gates=without_item(build.gates, number))
    match pending.command:
        case Place(seat, position) | Release(_, seat, position) if pending.tile is not None:
            return replace(build, placed={**build.placed, (seat, position): pending.tile})
        case Bypass(cell):
            return replace(build, bypass={**build.bypass, cell: pending.tile})
        case Release(_, seat, position):
            return replace(build, doubted=build.doubted | {(seat, position)})
        case Return(seat, position):
            return replace(build, doubted=build.doubted - {(seat, position)})
        case _:
            return build


def _leaving(build: Build, pending: OperationIssued) -> int | None:
    """Return the gate from which an operation takes the tile; None without one."""
    return next((number for number, gate in build.gates.items() if gate.moving == pending.operation), None)


def _with_looks(looks: Mapping[Position | int, Looks], command: Command, seen: Looks) -> Mapping[Position | int, Looks]:
    """Move the looks at a tile along with it."""
    match command:
        case Place(seat, position) | Release(_, seat, position):
            return {**looks, (seat, position): seen}
        case Bypass(cell):
            return {**looks, cell: seen}
        case _:
            return looks
