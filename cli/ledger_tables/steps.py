"""What happens next at a table without physics, from its state alone: which tiles the machine places, and what the four players do.

The controller decides everything else as at a real table: claims, whose claim stands, payments, the seat check, rulings. A step is
either a message for the controller (a key, a timer) or the events that feeder and cameras would have led to. The times are those of
people at a table; a faster play divides them. Pure.
"""

from collections.abc import Mapping

from controller.hand.play import CALLS
from controller.ledger.journal_events import Events, HandTileTaken, OperationDone, OperationIssued
from controller.state.keys import KeyPressed
from controller.state.making import WallStage
from controller.state.messages import Message, TimerFired
from controller.state.open_deal import HAND_TILES, OpenDeal
from controller.state.playing import PlayStage, Window
from controller.state.table_state import Setup, TableState, may_begin
from controller.state.timers import ClaimWindowTimer
from firmware_bridge.messages import Raise
from twinwall.game.play import PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    HandRuledDead,
    KongDeclared,
    PenaltyRuled,
    PlayEvent,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import GateUnlocked, KongCalled, RiichiCalled, SharedTileLifted
from twinwall.wire.events.wall_events import Building, Cleared, ClearingBegan, WallRaised, WallReady
from twinwall.wire.shapes.panel import Key

TOLD_EVERY = 34
"""Tiles between two lines that say how far a wall is built."""
TILE_S = 0.6
"""A tile's way through the gate, as at the reference table."""
TAKING_S, CLEARING_S, DRAW_S, DISCARD_S, CALL_S, LAY_S, SHOW_S, CONFIRM_S = 20.0, 25.0, 1.5, 4.0, 1.0, 2.0, 8.0, 5.0
_KEYS: Mapping[Claim, Key] = {claim: key for key, claim in CALLS.items()}
_RULED = (PenaltyRuled, HandRuledDead, ResultExcluded)


@frozen
class Step:
    """What happens ``after_s`` seconds of play: a message for the controller, or events that need no decision of it."""

    after_s: float
    message: Message | None = None
    events: Events = ()


def wall_step(setup: Setup, state: TableState, placed: int) -> Step | None:
    """What the machine does next, when ``placed`` tiles are in place; None while it waits for a deal or for the hand in play."""
    making = state.making
    if making.deal is None:
        return None
    match making.stage:
        case WallStage.BUILDING if placed < len(making.deal.positions):
            to = min(placed + TOLD_EVERY, len(making.deal.positions))
            return Step((to - placed) * TILE_S, events=(Building(to, len(making.deal.positions)),))
        case WallStage.BUILDING:
            return Step(TILE_S, events=(WallReady(making.deal.n, making.deal.check, making.deal.digest),))
        case WallStage.READY if _may_rise(setup, state):
            return Step(CLEARING_S, events=_raising(state, making.deal))
        case _:
            return None


def _may_rise(setup: Setup, state: TableState) -> bool:
    free = state.playing.stage in (PlayStage.NONE, PlayStage.CLOSED)
    return free and may_begin(setup, state.seats, paused=state.paused)


def _raising(state: TableState, deal: OpenDeal) -> Events:
    """The table is cleared of the hand before, if there was one, and the walls rise."""
    tiles = len(deal.positions)
    cleared = (ClearingBegan(deal.n, 0), Cleared(deal.n, tiles)) if state.playing.stage is PlayStage.CLOSED else ()
    operation = state.next_operation
    return *cleared, OperationIssued(operation, Raise(), None), OperationDone(operation, "ok"), WallRaised(deal.n)


def hand_step(setup: Setup, state: TableState, hand: tuple[PlayEvent, ...]) -> Step | None:
    """What the players do next, ``hand`` being the whole hand as they play it; None while no hand is in play or they wait."""
    playing = state.playing
    if playing.deal is None or playing.halted:
        return None
    match playing.stage:
        case PlayStage.TAKING:
            return _taking(setup, state)
        case PlayStage.PLAYING:
            return _playing(setup, state, playing.deal, hand)
        case PlayStage.SETTLING:
            return _settling(state, playing.deal)
        case PlayStage.NONE | PlayStage.CLOSED:
            return None


def _taking(setup: Setup, state: TableState) -> Step | None:
    if state.playing.hand.taken or not may_begin(setup, state.seats, paused=state.paused):
        return None
    return Step(TAKING_S, events=tuple(HandTileTaken(seat, index) for seat in SEATS for index in range(HAND_TILES)))


def _playing(setup: Setup, state: TableState, deal: OpenDeal, hand: tuple[PlayEvent, ...]) -> Step | None:
    play, window = state.playing.hand.play, state.playing.hand.window
    done = sum(not isinstance(event, _RULED) for event in state.playing.hand.events)
    if play is None or done >= len(hand):
        return None
    coming = hand[done]
    if window is not None and window.open:
        return _in_window(setup, deal, window, coming)
    if setup.rules.illegal(play, coming) is not None:  # a ruling has changed the hand: the referee ends it
        return Step(CALL_S, KeyPressed(deal.place(play.turn), Key.REFEREE))
    return _at_turn(deal, play, coming)


def _in_window(setup: Setup, deal: OpenDeal, window: Window, coming: PlayEvent) -> Step:
    """Claims are open: who wants the tile presses its key, then the window has its length."""
    called = _called(coming)
    if called is not None and called[0] not in window.bound:
        return Step(CALL_S, KeyPressed(deal.place(called[0]), _KEYS[called[1]]))
    return Step(setup.claim_window_s - CALL_S * bool(window.bound), TimerFired(ClaimWindowTimer(deal.n, window.number)))


def _called(coming: PlayEvent) -> tuple[Seat, Claim] | None:
    match coming:
        case Claimed(seat, meld):
            return seat, Claim(meld.type.value)
        case WinDeclared(seat, source, _) if source is not None:
            return seat, Claim.WIN
        case _:
            return None


def _at_turn(deal: OpenDeal, play: PlayState, coming: PlayEvent) -> Step:
    match coming:
        case TileDrawn(seat):
            return Step(DRAW_S, events=(GateUnlocked(seat), coming))
        case TileDiscarded(seat, riichi=riichi):
            return Step(DISCARD_S, events=(*((RiichiCalled(seat),) if riichi else ()), coming))
        case KongDeclared(seat):
            return Step(LAY_S, events=(KongCalled(seat), coming))
        case SharedTileTurned():
            return Step(LAY_S, events=(SharedTileLifted(play.turn), coming))
        case WinDeclared(seat, None, None):
            return Step(CALL_S, KeyPressed(deal.place(seat), Key.WIN))
        case Claimed():
            return Step(LAY_S, events=(coming,))
        case _:
            return Step(SHOW_S, events=(coming,))


def _settling(state: TableState, deal: OpenDeal) -> Step | None:
    """The winner enters the payments, and the player at the next place confirms them."""
    payments = state.playing.hand.payments
    if payments is None:
        return None
    place = deal.place(payments.seat)
    return Step(CONFIRM_S, KeyPressed((place + state.playing.hand.proposed) % len(SEATS), Key.CONFIRM))
