"""What a legal event changes in the public state. Whether it is legal is ``legality``'s matter."""

from __future__ import annotations

from msgspec.structs import replace

from twinwall.game.play import Phase, PlayState, RiverTile
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    KongDeclared,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
)
from twinwall.game.rules import ruling_checks
from twinwall.game.rules.mcr_duplicate.scoring import McrOptions
from twinwall.game.rules.mcr_duplicate.turns import LAP, moved_to
from twinwall.game.rules.shared_transitions import claimed_from, usual, with_discard, with_draw, with_meld, with_own_kong, without_false_win
from twinwall.game.rulings import HandRuledDead
from twinwall.game.tiles import Seat

_NOBODY: frozenset[Seat] = frozenset()


def apply(state: PlayState, event: PlayEvent, options: McrOptions) -> PlayState:
    """The state after a legal event."""
    match event:
        case TileDrawn(seat):
            return _drawn(state, seat, options)
        case TileDiscarded(seat, tile):
            return replace(with_discard(state, seat, RiverTile(tile)), refused=_NOBODY)
        case Claimed():
            return _claimed(state, event)
        case KongDeclared():
            return _kong_declared(state, event)
        case ClaimsPassed():
            # The kong was not robbed: its seat draws the replacement.
            moved = replace(state, robbing=False) if state.robbing else moved_to(state, state.turn.next)
            return replace(moved, phase=Phase.DRAW, refused=_NOBODY)
        case HandRuledDead(seat):
            return _without_win(ruling_checks.apply(state, event), seat)
        case _:
            return usual(state, event)


def _drawn(state: PlayState, seat: Seat, options: McrOptions) -> PlayState:
    after = replace(with_draw(state, seat), refused=_NOBODY)
    if not after.seat(seat).draws_left and options.end == LAP and state.final_lap_from is None:
        return replace(after, final_lap_from=seat, lap_turns=0)
    return after


def _claimed(state: PlayState, event: Claimed) -> PlayState:
    after = state.with_seat(state.turn, claimed_from(state.seat(state.turn), event.seat))
    after = with_meld(after, event.seat, event.meld)
    kong = event.meld.type is MeldType.KONG
    phase = Phase.DRAW if kong else Phase.DISCARD
    return replace(moved_to(after, event.seat), phase=phase, drew=False, after_kong=kong, refused=_NOBODY)


def _kong_declared(state: PlayState, event: KongDeclared) -> PlayState:
    """A concealed kong is replaced at once; the tile of an added one may first be won on."""
    kong = event.meld
    after = state.with_seat(event.seat, with_own_kong(state.seat(event.seat), kong))
    after = replace(after, drew=False, after_kong=True, refused=_NOBODY)
    if kong.type is MeldType.CONCEALED_KONG:
        return replace(after, phase=Phase.DRAW)
    return replace(after, phase=Phase.CLAIMS, last_discard=kong.tiles[0], robbing=True)


def _without_win(state: PlayState, seat: Seat) -> PlayState:
    """A hand that is dead has not won: a declared win falls like one refused, one that stands beside others is taken back."""
    if state.phase is Phase.SHOW and state.winner is seat:
        return without_false_win(state, seat)
    return state.with_seat(seat, replace(state.seat(seat), shown=None))
