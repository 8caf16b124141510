"""What a legal event changes in the public state. Whether it is legal is ``legality``'s matter."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from twinwall.game.play import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandShown,
    KongDeclared,
    Phase,
    PlayEvent,
    PlayState,
    RiverTile,
    SeatState,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rules.mcr_duplicate.turns import LAP, moved_to
from twinwall.game.tiles import Seat, Tile

_NOBODY: frozenset[Seat] = frozenset()


def apply(state: PlayState, event: PlayEvent, end: str) -> PlayState:
    """The state after a legal event under an end rule."""
    match event:
        case TileDrawn(seat):
            return _drawn(state, seat, end)
        case TileDiscarded(seat, tile):
            return _discarded(state, seat, tile)
        case Claimed():
            return _claimed(state, event)
        case KongDeclared():
            raise ValueError("kongs are not played under these rules yet: ask illegal() before apply()")
        case ClaimsPassed():
            return replace(moved_to(state, state.turn.next), phase=Phase.DRAW, refused=_NOBODY)
        case WinDeclared(seat):
            return replace(state, phase=Phase.SHOW, winner=seat)
        case HandShown(seat, concealed):
            return _with_seat(state, seat, replace(state.seat(seat), shown=concealed))
        case WinRefused(seat):
            return _refused(state, seat)
        case HandEnded():
            return replace(state, phase=Phase.ENDED, ended=event)
        case _:
            assert_never(event)


def _with_seat(state: PlayState, seat: Seat, changed: SeatState) -> PlayState:
    first, second, third, fourth = (changed if index == seat.index else old for index, old in enumerate(state.seats))
    return replace(state, seats=(first, second, third, fourth))


def _drawn(state: PlayState, seat: Seat, end: str) -> PlayState:
    own = state.seat(seat)
    left = own.draws_left - 1
    after = replace(_with_seat(state, seat, replace(own, draws_left=left)), phase=Phase.DISCARD, drew=True, refused=_NOBODY)
    if left == 0 and end == LAP and state.final_lap_from is None:
        return replace(after, final_lap_from=seat, lap_turns=0)
    return after


def _discarded(state: PlayState, seat: Seat, tile: Tile) -> PlayState:
    own = state.seat(seat)
    after = _with_seat(state, seat, replace(own, river=(*own.river, RiverTile(tile))))
    return replace(after, phase=Phase.CLAIMS, last_discard=tile, drew=False, refused=_NOBODY)


def _claimed(state: PlayState, event: Claimed) -> PlayState:
    discarder, claimant = state.seat(state.turn), state.seat(event.seat)
    river = (*discarder.river[:-1], replace(discarder.river[-1], claimed_by=event.seat))
    after = _with_seat(state, state.turn, replace(discarder, river=river))
    after = _with_seat(after, event.seat, replace(claimant, melds=(*claimant.melds, event.meld)))
    return replace(moved_to(after, event.seat), phase=Phase.DISCARD, drew=False, refused=_NOBODY)


def _refused(state: PlayState, seat: Seat) -> PlayState:
    """A false win: the hand is taken up again and the seat may not call on this tile any more."""
    after = _with_seat(state, seat, replace(state.seat(seat), shown=None))
    phase = Phase.DISCARD if seat is state.turn else Phase.CLAIMS
    return replace(after, phase=phase, winner=None, refused=state.refused | {seat})
