"""Why an event may not happen in a state of Sichuan, judged by what anybody at the table sees.

What is the same in every rule set is in ``checks``; duties that depend on concealed hands are in ``duties``.
"""

from __future__ import annotations

from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claimed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import Illegal
from twinwall.game.rules import checks, ruling_checks
from twinwall.game.rules.sichuan.state import SichuanState, seen_tiles
from twinwall.game.rules.sichuan.turns import end_reason, permissions
from twinwall.game.tiles import Seat


def illegal(state: SichuanState, event: PlayEvent) -> Illegal | None:
    """Why the event may not happen; None when it may."""
    match event:
        case TileDrawn():
            return checks.drawn(state, event, permissions(state))
        case SharedTileTurned() | TileDiscarded(riichi=True):
            return checks.unknown_here(event)
        case TileDiscarded(seat, tile):
            return checks.discarded(state, seat, tile, seen_tiles(state))
        case Claimed(seat, meld):
            return checks.claimed(state, event, permissions(state), _why_not(state, seat, meld.type), seen_tiles(state))
        case KongDeclared():
            return _kong(state, event)
        case WinDeclared():
            return _win(state, event)
        case HandShown() | HandLaidOpen():
            return _show(state, event)
        case WinRefused(seat):
            return _refuse(state, seat)
        case HandEnded():
            return ruling_checks.ended(state, event, lambda: _end(state, event))
        case _:
            return ruling_checks.usual(state, event)


def _why_not(state: SichuanState, seat: Seat, meld_type: MeldType) -> str:
    if seat is state.turn:
        return "the discard is its own"
    if seat in state.gone:
        return "it has won and left play"
    if state.seat(seat).dead:
        return checks.DEAD
    if meld_type is MeldType.CHOW:
        return "there is no chow in these rules"
    if state.robbing:
        return "a tile added to a kong can only be won on"
    if state.won_here:
        return "somebody has won on the tile"
    if meld_type is MeldType.KONG and not state.seat(seat).draws_left:
        return checks.NO_REPLACEMENT
    return "a pung or kong is claimed with fewer than four melds"


def _kong(state: SichuanState, event: KongDeclared) -> Illegal | None:
    seat, meld = event.seat, event.meld
    if state.seat(seat).dead:
        why = checks.DEAD
    else:
        why = "it has no newly drawn tile in question" if state.seat(seat).draws_left else checks.NO_REPLACEMENT
    problem = checks.declared_kong(state, event, permissions(state), why, seen_tiles(state))
    if problem is not None:
        return problem
    if meld.face_down:
        return Illegal(checks.WRONG_TILES, "one tile of a concealed kong lies face up: say of which kind it is")
    if event.late and meld.type is not MeldType.ADDED_KONG:
        return Illegal(checks.WRONG_TILES, "only a tile that is added to a pung can be late")
    return None


def _win(state: SichuanState, event: WinDeclared) -> Illegal | None:
    problem = checks.declared_win(state, event, permissions(state))
    if problem is not None or event.source is not None:
        return problem
    if event.tile is None:
        return Illegal(checks.WRONG_TILES, "a self-drawn winning tile is laid face up: say what it is")
    return checks.five_seen(seen_tiles(state), (event.tile,))


def _show(state: SichuanState, event: HandShown | HandLaidOpen) -> Illegal | None:
    seat, win = event.seat, state.win_of(event.seat)
    if permissions(state).show is not seat or isinstance(event, HandShown) is (win is None):
        return checks.not_now(state, f"{seat.value} has no {'win' if isinstance(event, HandShown) else 'hand without a win'} to show")
    if (wrong := ruling_checks.shown_wrongly(state, event)) is not None:
        return wrong
    if isinstance(event, HandShown) and win is not None:
        if event.winning is not win.tile:
            return Illegal(checks.WRONG_TILES, f"{seat.value} declared a win with {win.tile.text}, not {event.winning.text}")
        if event.kongs:
            return Illegal(checks.WRONG_TILES, "no kong lies face down")
    return None


def _refuse(state: SichuanState, seat: Seat) -> Illegal | None:
    win = state.win_of(seat)
    if state.phase is not Phase.SHOW or state.winner is not seat or win is None or not win.stands:
        return checks.not_now(state, f"no win of {seat.value} can be refused")
    return None


def _end(state: SichuanState, event: HandEnded) -> Illegal | None:
    if state.phase is not Phase.SHOW or state.to_show() is not None:
        return checks.not_now(state, "the hand cannot end")
    if event.reason is not end_reason(state):
        return Illegal(checks.NOT_ALLOWED, f"the hand is {end_reason(state).value}, not {event.reason.value}")
    return ruling_checks.not_zero_sum(event)
