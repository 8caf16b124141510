"""How events change the side of the trays: the wall in the making. Pure, and free of judgement, as all of ``controller.core.apply``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, assert_never

from controller.ledger.journal_events import OperationIssued, PositionsChecked, PositionsDoubted, Surveyed, TileArrived, TileRead
from controller.state.faults import LID, MACHINE_FAULT, MISSING, WALL_DOUBTED, WELL_COUNT
from controller.state.making import Build, Clearing, GateTile, Making, WallStage
from controller.state.open_deal import OpenDeal, Position
from controller.state.operations import REFUSED, SURPRISES
from controller.state.playing import Playing
from controller.state.setup import Setup
from controller.state.table_state import Pending, replace
from controller.wall.audit import DOUBTFUL, SAMPLED
from controller.wall.missing import RECOUNT
from firmware_bridge.messages import (
    Bypass,
    Clear,
    CloseWell,
    Command,
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
from firmware_bridge.messages.routes import gate_of
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

Looks = tuple[TileRead, ...]

K = TypeVar("K")
V = TypeVar("V")


def apply_to_wall(setup: Setup, making: Making, playing: Playing, event: MakingEvent) -> Making:
    """The side of the trays after one of its events; ``playing`` is the other side as it was before."""
    match event:
        case TileArrived():
            return _arrived(setup, making, event)
        case TileRead() | PositionsDoubted():
            return _with_build(making, _building(making.build, event))
        case DealOpened():
            return _opened(setup, making, playing, event)
        case WallReady():
            return replace(making, stage=WallStage.READY, build=replace(making.build, recounted=frozenset()))
        case PositionsChecked():
            differed = making.build.differed + (not event.agreed)
            making = replace(making, build=replace(making.build, rereading=frozenset(), differed=differed))
            return replace(making, stage=WallStage.READY) if event.agreed else making
        case ClearingBegan():
            return replace(making, stage=WallStage.CLEARING, clearing=_cleared_again(making.clearing, event.dropped))
        case WellCounted():
            return _counted(making, event)
        case Cleared():
            return replace(making, stage=WallStage.RAISING)
        case WallRaised():
            return Making(well_open=making.well_open)
        case Surveyed():
            return _surveyed(making, event)
        case _:
            assert_never(event)


def _with_build(making: Making, build: Build) -> Making:
    """A wall that stood ready and is no longer as it should be is built on."""
    if making.stage is not WallStage.READY or making.deal is None:
        return replace(making, build=build)
    whole = len(build.placed) == len(making.deal.positions) and not build.doubted and not build.bypass and not build.gates
    return replace(making, build=build, stage=WallStage.READY if whole else WallStage.BUILDING)


def _opened(setup: Setup, making: Making, playing: Playing, event: DealOpened) -> Making:
    rows = setup.rules.shared_rows if event.rest else NO_SHARED_TILES
    deal = OpenDeal(event.n, event.session, event.hand, event.rules, event.check, event.walls, event.digest, event.rest, rows)
    gates = making.build.gates
    back = None if playing.back is None else next(other for other in setup.sets if other != playing.back)
    backs = tuple(gate.back for gate in gates.values() if gate.back in setup.sets)
    return replace(making, stage=WallStage.BUILDING, deal=deal, back=back, backs=backs, build=Build(gates=gates))


def _arrived(setup: Setup, making: Making, event: TileArrived) -> Making:
    arrived = GateTile(event.number, event.back, event.doubled)
    making = _with_build(making, replace(making.build, gates=_with(making.build.gates, event.gate, arrived), starved=None))
    if making.back is not None or making.deal is None or event.back not in setup.sets:
        return making
    backs = (*making.backs, event.back)
    if event.back not in making.backs:
        return replace(making, backs=backs)
    making = replace(making, back=event.back, backs=())
    return making if len(set(backs)) == 1 else _forgetting(making)


def _forgetting(making: Making) -> Making:
    """Of the tiles that wait, one or another is not what was thought, or of the other set: all are read again."""
    return replace(making, build=replace(making.build, bypass=dict.fromkeys(making.build.bypass)))


def _cleared_again(before: Clearing | None, dropped: int) -> Clearing:
    """What lies in the magazines adds to what has been counted, where the table was cleared for this wall before."""
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
    return replace(_with_build(making, _survey(making.build, event)), well_open=event.well_open, clearing=clearing)


def starved(making: Making, last_event: int) -> Making:
    """The drum has been found empty; ``last_event`` is the last that the feeder told before."""
    return replace(making, build=replace(making.build, starved=last_event))


def restarted(making: Making) -> Making:
    """A power cut may have taken the last lines of a build: the tiles in the gates and those in the cells may be others than
    the ones read there, and only that their places are occupied can be sensed. Their kinds are forgotten and read again."""
    return _forgetting(replace(making, build=replace(making.build, surveyed=False, gates={})))


def rebooted(making: Making) -> Making:
    """The feeder has started anew: it counts what falls into the well from nothing, and tells a tile in the gate again."""
    return recounted(replace(making, backs=(), build=replace(making.build, surveyed=False, gates={})))


def recounted(making: Making) -> Making:
    """The well counts from nothing; what has fallen so far is kept."""
    clearing = making.clearing
    if clearing is None:
        return making
    return replace(making, clearing=replace(clearing, counted_before=clearing.fallen))


def unsurveyed(making: Making) -> Making:
    """The sensors must say where things are: the line was lost for a while, or the machine has been put right."""
    return replace(making, build=replace(making.build, surveyed=False))


def after_staff(making: Making, code: str) -> Making:
    """A fault has been dealt with."""
    if code == MISSING:
        return replace(making, build=replace(making.build, decoys=frozenset(), starved=None))
    if code == WALL_DOUBTED:
        return replace(making, build=replace(making.build, reread=frozenset()))
    if code == WELL_COUNT and making.clearing is not None:
        return replace(making, clearing=replace(making.clearing, accepted=True))
    return _touched(making) if code.startswith(MACHINE_FAULT) or code == LID else making


def _touched(making: Making) -> Making:
    """A hand has been in the machine: what lies in a gate may be another tile, and the sensors must say where things are."""
    gates = {number: _to_be_read_again(gate) for number, gate in making.build.gates.items()}
    return replace(making, build=replace(making.build, surveyed=False, gates=gates))


def _to_be_read_again(gate: GateTile) -> GateTile:
    return replace(gate, reads=(), looks=(), reason="", moving=None)


def issued(setup: Setup, making: Making, event: OperationIssued) -> Making:
    """The feeder is told to move something on this side."""
    build = making.build
    match event.command:
        case Place() | Bypass() | Recirculate() | Reject():
            number = gate_of(setup.capabilities, event.command)
            gate = build.gates.get(number)
            if gate is None:
                return making
            refusals = 0 if isinstance(event.command, Reject) else build.refusals + (event.tile is None)
            looks = _with_looks(build.looks, event.command, gate.looks)
            gates = _with(build.gates, number, replace(gate, moving=event.operation))
            return replace(making, build=replace(build, gates=gates, refusals=refusals, looks=looks))
        case Feed() | Hold():
            return replace(making, build=replace(build, feeding=isinstance(event.command, Feed)))
        case Release(cell):
            looks = _with_looks(build.looks, event.command, build.looks.get(cell, ()))
            return replace(making, build=replace(build, bypass=_without(build.bypass, cell), looks=looks))
        case OpenWell():
            return recounted(making)
        case Raise():
            return replace(making, stage=WallStage.RAISING)
        case _:
            return making


def done(making: Making, pending: Pending) -> Making:
    """It has been done."""
    match pending.command:
        case Dump() if making.clearing is not None:
            return replace(making, clearing=replace(making.clearing, emptied=True))
        case OpenWell() | CloseWell():
            return replace(making, well_open=isinstance(pending.command, OpenWell))
        case Clear():
            return unsurveyed(making)
        case _:
            return replace(making, build=_moved(making.build, pending))


def not_done(making: Making, pending: Pending, result: str) -> Making:
    """A refused operation moved nothing and is tried again later; when it was refused because things are not where the
    journal has them, and after any other bad end, the sensors must say where they are."""
    build = making.build
    refused = result.startswith(REFUSED)
    trusted = refused and result not in SURPRISES
    if (number := _leaving(build, pending)) is not None:
        gate = build.gates[number]
        build = replace(build, gates=_with(build.gates, number, replace(gate, moving=None) if trusted else _to_be_read_again(gate)))
    if isinstance(pending.command, Feed | Hold):
        build = replace(build, feeding=isinstance(pending.command, Hold))
    if refused and isinstance(pending.command, Release):
        build = replace(build, bypass={pending.command.cell: pending.tile, **build.bypass})
    blocked = pending.operation if refused and build.blocked is None else build.blocked
    # a tile that nobody told of, still in its gate
    unannounced = isinstance(pending.command, Recirculate) and pending.command.gate not in build.gates
    surveyed = build.surveyed and trusted and not unannounced
    return replace(making, build=replace(build, blocked=blocked, surveyed=surveyed))


def pause_over(making: Making, operation: int) -> Making:
    """The feeder may be asked again, if it was this operation that it refused."""
    return replace(making, build=replace(making.build, blocked=None)) if making.build.blocked == operation else making


def _building(build: Build, event: TileRead | PositionsDoubted) -> Build:
    match event:
        case TileRead():
            gate = build.gates[event.gate]
            looks = gate.looks if event.tile is None else (*gate.looks, event)
            gate = replace(gate, reads=(*gate.reads, event.tile), reason=event.reason, looks=looks)
            gates = _with(build.gates, event.gate, gate)
            return replace(build, gates=gates, refusals=0 if event.tile is not None else build.refusals)
        case PositionsDoubted():
            return _doubt(build, event)


def _survey(build: Build, event: Surveyed) -> Build:
    bypass = {cell: tile for cell, tile in build.bypass.items() if cell not in event.emptied_cells}
    return replace(
        build,
        surveyed=True,
        placed={position: tile for position, tile in build.placed.items() if position not in event.emptied},
        doubted=build.doubted.difference(event.emptied),
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
        gates=_with(build.gates, event.gate, replace(gate, doubted=True)) if fifth and gate is not None else build.gates,
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


def _moved(build: Build, pending: Pending) -> Build:
    number = _leaving(build, pending)
    gates = build.gates if number is None else _without(build.gates, number)
    match pending.command:
        case Place(seat, position) | Release(_, seat, position) if pending.tile is not None:
            return replace(build, gates=gates, placed=_with(build.placed, (seat, position), pending.tile))
        case Bypass(cell):
            return replace(build, gates=gates, bypass=_with(build.bypass, cell, pending.tile))
        case Release(_, seat, position):
            return replace(build, gates=gates, doubted=build.doubted | {(seat, position)})
        case Return(seat, position):
            return replace(build, gates=gates, doubted=build.doubted - {(seat, position)})
        case _:
            return replace(build, gates=gates)


def _leaving(build: Build, pending: Pending) -> int | None:
    """The gate whose tile an operation takes away, None when it takes none away."""
    return next((number for number, gate in build.gates.items() if gate.moving == pending.operation), None)


def _with_looks(looks: Mapping[Position | int, Looks], command: Command, seen: Looks) -> Mapping[Position | int, Looks]:
    """The looks at a tile go where it goes."""
    match command:
        case Place(seat, position) | Release(_, seat, position):
            return _with(looks, (seat, position), seen)
        case Bypass(cell):
            return _with(looks, cell, seen)
        case _:
            return looks


def _without(mapping: Mapping[K, V], key: K) -> dict[K, V]:
    return {other: value for other, value in mapping.items() if other != key}


def _with(mapping: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    return {**mapping, key: value}
