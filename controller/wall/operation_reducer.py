"""Reducer of feeder operations: how an operation issued, done, refused or failed changes the wall in the making.

Other events are in ``controller.wall.wall_reducer``; ``controller.wall.build`` decides which operation is issued.
"""

from collections.abc import Mapping

from controller.ledger.journal_events import OperationIssued, TileRead
from controller.state.making import Build, Making, Position
from controller.state.table_state import REFUSED, SURPRISES, Setup, replace
from controller.state.transitions import WallStep
from controller.wall.placing import gate_of
from controller.wall.wall_reducer import moved_on, recounted, to_be_read_again, unsurveyed, without_item
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
