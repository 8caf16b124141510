"""How each event changes the table's state. Pure, total over all events, and free of judgement: whether an
event may happen was decided before it was written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from controller.events import (
    Building,
    ClaimBound,
    ClaimRefused,
    ClaimsClosed,
    ClaimsOpened,
    ControllerStarted,
    DealFouled,
    DealOpened,
    DealRefused,
    DealReleased,
    DrumEmptied,
    Fault,
    FaultCleared,
    FeederBooted,
    FeederEventTaken,
    GateUnlocked,
    HandClosed,
    HandsTaken,
    HandStarted,
    HandTileTaken,
    JournalEvent,
    KongCalled,
    KongRefused,
    LinkLost,
    LinkRestored,
    OperationDone,
    OperationIssued,
    PauseOver,
    PaymentsComputed,
    PaymentsConfirmed,
    PaymentsProposed,
    PositionsDoubted,
    RefereeCalled,
    Settled,
    SightDoubted,
    Surveyed,
    TileArrived,
    TileRead,
    TilesNamed,
    Violation,
    WallRaised,
    WallReady,
)
from controller.operations import FEEDER
from controller.state import Build, GateTile, Hand, OpenDeal, Pending, Setup, Stage, TableState, Window
from firmware_bridge.messages import Bypass, Feed, Hold, NakCode, Place, Recirculate, Reject, Release, Renew, Return, Unlock
from twinwall.game.play import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rulings import HandRuledDead, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import Seat

DEAL_REFUSED = "deal-refused"
REFUSED = "refused-"
SURPRISES = frozenset(
    REFUSED + code.name.lower()
    for code in (NakCode.NO_TILE, NakCode.OCCUPIED, NakCode.EMPTY, NakCode.UNSUPPORTED, NakCode.COVERED, NakCode.WELL_OPEN)
)
"""Refusals that tell of a machine which is not as the journal has it."""

K = TypeVar("K")
V = TypeVar("V")


def apply(setup: Setup, state: TableState, event: JournalEvent) -> TableState:  # noqa: PLR0912 — one case an event, no logic between them
    """The state after ``event``."""
    match event:
        case ControllerStarted():
            return _started(state, event)
        case FeederBooted():
            return replace(state, boot=event.boot, last_event=0, build=replace(state.build, surveyed=False, gate=None))
        case FeederEventTaken():
            return replace(state, last_event=event.number)
        case LinkLost():
            return replace(state, lost=state.lost | {event.what})
        case LinkRestored():
            surveyed = state.build.surveyed and event.what != FEEDER
            return replace(state, lost=state.lost - {event.what}, build=replace(state.build, surveyed=surveyed))
        case DealOpened():
            return _opened(state, event)
        case DealReleased():
            return replace(state, released=state.released | {event.n})
        case DealRefused():
            return replace(state, faults=_with_fault(state, Fault(DEAL_REFUSED, f"deal {event.n}", event.sentence)))
        case TileArrived() | TileRead() | PositionsDoubted() | Surveyed() | DrumEmptied() | PauseOver():
            return replace(state, build=_building(state.build, event))
        case OperationIssued():
            return _issued(state, event)
        case OperationDone():
            return _done(state, event)
        case WallReady():
            return replace(state, stage=Stage.RAISING)
        case WallRaised():
            return replace(state, stage=Stage.TAKING, build=Build())
        case HandTileTaken():
            return _hand(state, replace(state.hand, taken=state.hand.taken | {(event.seat, event.index)}))
        case HandStarted():
            return replace(state, stage=Stage.PLAYING, hand=replace(state.hand, play=setup.rules.start()))
        case GateUnlocked() | Building() | TilesNamed() | HandsTaken() | Violation() | Settled() | PaymentsConfirmed():
            return state
        case ClaimsOpened():
            number = state.hand.windows + 1
            return _hand(state, replace(state.hand, windows=number, window=Window(number)))
        case ClaimBound() | ClaimsClosed() | ClaimRefused():
            return _hand(state, replace(state.hand, window=_window(state.hand.window, event), doubted_looks=0))
        case SightDoubted():
            return _hand(state, replace(state.hand, doubted_looks=state.hand.doubted_looks + 1))
        case KongCalled():
            return _hand(state, replace(state.hand, kong=event.seat, doubted_looks=0))
        case KongRefused():
            return _hand(state, replace(state.hand, kong=None, doubted_looks=0))
        case PaymentsComputed():
            return replace(state, stage=Stage.SETTLING, hand=replace(state.hand, payments=event))
        case PaymentsProposed():
            return _hand(state, replace(state.hand, proposed=True))
        case HandClosed():
            return replace(state, stage=Stage.CLOSED, closed=(*state.closed, event.n))
        case RefereeCalled():
            return replace(state, referee=state.referee | {event.seat})
        case DealFouled():
            return replace(state, fouled=True)
        case Fault():
            return replace(state, faults=_with_fault(state, event))
        case FaultCleared():
            return replace(state, faults=_without_fault(state, event.code), build=_after_staff(state.build, event.code))
        case _:
            return _played(setup, state, event)


def _started(state: TableState, event: ControllerStarted) -> TableState:
    """A power cut may have taken the last lines of a build: the tile in the gate and those in the cells may be others than
    the ones read there, and only that their places are occupied can be sensed. Their kinds are forgotten and read again."""
    forgotten = tuple(replace(pending, tile=None) if isinstance(pending.command, Bypass) else pending for pending in state.pending)
    build = replace(state.build, surveyed=False, gate=None, bypass=dict.fromkeys(state.build.bypass))
    return replace(state, next_operation=max(state.next_operation, event.first_operation), pending=forgotten, build=build)


def _opened(state: TableState, event: DealOpened) -> TableState:
    return replace(
        state,
        stage=Stage.BUILDING,
        deal=OpenDeal(event.n, event.session, event.hand, event.rules, event.check, event.walls, event.digest),
        build=Build(gate=state.build.gate),
        hand=Hand(),
        fouled=False,
        referee=frozenset(),
        faults=_without_fault(state, DEAL_REFUSED),
    )


def _played(setup: Setup, state: TableState, event: PlayEvent) -> TableState:
    hand = state.hand
    assert hand.play is not None
    hand = replace(hand, play=setup.rules.apply(hand.play, event), events=(*hand.events, event))
    match event:
        case TileDrawn():
            hand = replace(hand, unlock=None)
        case TileDiscarded() | Claimed() | ClaimsPassed() | KongDeclared():
            hand = replace(hand, window=None, kong=None, doubted_looks=0)
        case WinRefused(seat) if hand.window is not None:
            hand = replace(hand, window=_without_claim(hand.window, seat))
        case WinDeclared() | HandShown() | HandLaidOpen():
            hand = replace(hand, doubted_looks=0)
        case WinRefused() | HandRuledDead() | PenaltyRuled() | ResultExcluded() | HandEnded():
            pass
        case _:
            assert_never(event)
    return _hand(state, hand)


def _window(window: Window | None, event: ClaimBound | ClaimsClosed | ClaimRefused) -> Window:
    assert window is not None
    match event:
        case ClaimBound():
            return replace(window, bound=_with(window.bound, event.seat, event.call))
        case ClaimsClosed():
            return replace(window, open=False, granted=event.granted)
        case ClaimRefused():
            return _without_claim(window, event.seat)


def _without_claim(window: Window, seat: Seat) -> Window:
    return replace(window, granted=tuple(other for other in window.granted if other is not seat))


def _building(build: Build, event: TileArrived | TileRead | PositionsDoubted | Surveyed | DrumEmptied | PauseOver) -> Build:
    match event:
        case TileArrived():
            return replace(build, gate=GateTile(event.number, event.back), starved=False)
        case TileRead():
            assert build.gate is not None
            gate = replace(build.gate, reads=(*build.gate.reads, event.tile), reason=event.reason)
            return replace(build, gate=gate, refusals=0 if event.tile is not None else build.refusals)
        case PositionsDoubted():
            return _doubt(build, event)
        case Surveyed():
            return _survey(build, event)
        case DrumEmptied():
            return replace(build, starved=True)
        case PauseOver():
            return replace(build, blocked=False)


def _survey(build: Build, event: Surveyed) -> Build:
    bypass = {cell: tile for cell, tile in build.bypass.items() if cell not in event.emptied_cells}
    return replace(
        build,
        surveyed=True,
        placed={position: tile for position, tile in build.placed.items() if position not in event.emptied},
        doubted=build.doubted.difference(event.emptied),
        bypass=bypass | dict.fromkeys(event.unknown_cells),
        gate=None if event.gate_empty else build.gate,
        feeding=event.feeding,
    )


def _doubt(build: Build, event: PositionsDoubted) -> Build:
    doubted = frozenset(event.positions)
    kinds = {build.placed[position] for position in doubted if position in build.placed}
    kinds |= {tile for cell in event.cells if (tile := build.bypass.get(cell)) is not None}
    return replace(
        build,
        placed={position: tile for position, tile in build.placed.items() if position not in doubted},
        doubted=build.doubted | doubted,
        bypass={cell: None if cell in event.cells else tile for cell, tile in build.bypass.items()},
        recounted=build.recounted | kinds if event.reason == "fifth-copy" else build.recounted,
        decoys=doubted if event.reason == "naming" else build.decoys,
    )


def _after_staff(build: Build, code: str) -> Build:
    return replace(build, decoys=frozenset(), starved=False) if code == "missing-tiles" else build


def _issued(state: TableState, event: OperationIssued) -> TableState:
    pending = Pending(event.operation, event.command, event.tile)
    state = replace(state, pending=(*state.pending, pending), next_operation=event.operation + 1)
    build = state.build
    match event.command:
        case Unlock() | Renew():
            return _hand(state, replace(state.hand, unlock=event.operation))
        case Place() | Bypass() | Recirculate() | Reject() if build.gate is not None:
            refusals = 0 if isinstance(event.command, Reject) else build.refusals + (event.tile is None)
            return replace(state, build=replace(build, gate=replace(build.gate, moving=event.operation), refusals=refusals))
        case Feed() | Hold():
            return replace(state, build=replace(build, feeding=isinstance(event.command, Feed)))
        case _:
            return state


def _done(state: TableState, event: OperationDone) -> TableState:
    pending = next((pending for pending in state.pending if pending.operation == event.operation), None)
    if pending is None:
        return state
    state = replace(state, pending=tuple(other for other in state.pending if other is not pending))
    if event.result == "ok":
        return replace(state, build=_moved(state.build, pending))
    return _not_moved(state, pending, event.result)


def _moved(build: Build, pending: Pending) -> Build:
    if build.gate is not None and build.gate.moving == pending.operation:
        build = replace(build, gate=None)
    match pending.command:
        case Place(seat, position) if pending.tile is not None:
            return replace(build, placed=_with(build.placed, (seat, position), pending.tile))
        case Bypass(cell):
            return replace(build, bypass=_with(build.bypass, cell, pending.tile))
        case Release(cell, seat, position):
            bypass = {other: tile for other, tile in build.bypass.items() if other != cell}
            if pending.tile is None:
                return replace(build, bypass=bypass, doubted=build.doubted | {(seat, position)})
            return replace(build, bypass=bypass, placed=_with(build.placed, (seat, position), pending.tile))
        case Return(seat, position):
            return replace(build, doubted=build.doubted - {(seat, position)})
        case _:
            return build


def _not_moved(state: TableState, pending: Pending, result: str) -> TableState:
    """A refused operation moved nothing and is tried again later; when it was refused because things are not where the
    journal has them, and after any other bad end, the sensors must say where they are."""
    build, hand = state.build, state.hand
    if build.gate is not None and build.gate.moving == pending.operation:
        build = replace(build, gate=replace(build.gate, moving=None))
    match pending.command:
        case Feed() | Hold():
            build = replace(build, feeding=isinstance(pending.command, Hold))
        case Unlock() | Renew() if hand.unlock == pending.operation:
            hand = replace(hand, unlock=None)
        case _:
            pass
    refused = result.startswith(REFUSED)
    surveyed = build.surveyed and refused and result not in SURPRISES
    return replace(state, build=replace(build, blocked=refused or build.blocked, surveyed=surveyed), hand=hand)


def _hand(state: TableState, hand: Hand) -> TableState:
    return replace(state, hand=hand)


def _with_fault(state: TableState, fault: Fault) -> tuple[Fault, ...]:
    return (*_without_fault(state, fault.code), fault)


def _without_fault(state: TableState, code: str) -> tuple[Fault, ...]:
    return tuple(fault for fault in state.faults if fault.code != code)


def _with(mapping: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    return {**mapping, key: value}
