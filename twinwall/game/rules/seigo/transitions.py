"""What a legal event changes in the public state of Seigo. Whether it is legal is ``legality``'s matter."""

from __future__ import annotations

from msgspec.structs import replace

from twinwall.game.play import Phase, RiverTile
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    KongDeclared,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
)
from twinwall.game.rules import ruling_checks
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.state import SeigoState, changed, with_let_pass
from twinwall.game.rules.seigo.turns import barred_after, next_turn, waiting_discard
from twinwall.game.rules.shared_transitions import claimed_from, usual, with_discard, with_draw, with_meld, with_own_kong, without_false_win
from twinwall.game.rulings import HandRuledDead
from twinwall.game.tiles import Seat, Tile

_NOTHING: frozenset[Tile] = frozenset()


def apply(state: SeigoState, event: PlayEvent, options: SeigoOptions) -> SeigoState:
    """The state after a legal event."""
    match event:
        case TileDrawn(seat):
            return _acquired(with_draw(state, seat), seat)
        case TileDiscarded():
            return _discarded(state, event)
        case Claimed():
            return _claimed(state, event, options)
        case KongDeclared():
            return _kong_declared(state, event)
        case ClaimsPassed():
            return _passed(state)
        case SharedTileTurned():
            return _turned_up(state, event)
        case HandRuledDead(seat):
            return _ruled_dead(ruling_checks.apply(state, event), seat)
        case _:
            return usual(state, event)


def _acquired(state: SeigoState, seat: Seat) -> SeigoState:
    """A seat has its one tile of this turn; what it let pass before is forgotten, but not in riichi."""
    if state.riichi_turn(seat) is not None:
        return state
    return replace(state, let_pass=changed(state.let_pass, seat, _NOTHING))


def _discarded(state: SeigoState, event: TileDiscarded) -> SeigoState:
    seat = event.seat
    after = replace(with_discard(state, seat, RiverTile(event.tile, riichi=event.riichi)), barred=_NOTHING, refused=frozenset())
    if not event.riichi:
        return replace(after, takeable=after.takeable | {seat})
    return replace(after, riichi=changed(state.riichi, seat, state.turn_number), declaring=seat)


def _claimed(state: SeigoState, event: Claimed, options: SeigoOptions) -> SeigoState:
    seat, meld, source = event.seat, event.meld, event.meld.source
    assert source is not None
    tile = waiting_discard(state, source)
    after = with_meld(state.with_seat(source, claimed_from(state.seat(source), seat)), seat, meld)
    after = replace(_acquired(after, seat), takeable=state.takeable - {source}, drew=False)
    if meld.type is MeldType.KONG:
        return _after_kong(after, seat)
    return replace(after, phase=Phase.DISCARD, barred=barred_after(tile, meld.tiles, options))


def _kong_declared(state: SeigoState, event: KongDeclared) -> SeigoState:
    """A concealed kong ends the turn; the tile of an added one may first be won on."""
    seat, kong = event.seat, event.meld
    after = replace(state.with_seat(seat, with_own_kong(state.seat(seat), kong)), drew=False, refused=frozenset())
    if kong.type is MeldType.CONCEALED_KONG:
        return _after_kong(after, seat)
    return replace(after, phase=Phase.CLAIMS, last_discard=kong.tiles[0], robbing=True)


def _after_kong(state: SeigoState, seat: Seat) -> SeigoState:
    """A kong stands: nothing is drawn nor discarded, the place of this turn in the river stays empty (rule 5)."""
    own = state.seat(seat)
    return next_turn(replace(state.with_seat(seat, replace(own, gaps=(*own.gaps, own.next_place))), kongs=state.kongs + 1))


def _passed(state: SeigoState) -> SeigoState:
    assert state.last_discard is not None
    after = replace(with_let_pass(state, state.last_discard), declaring=None)
    return _after_kong(after, state.turn) if state.robbing else next_turn(after)


def _turned_up(state: SeigoState, event: SharedTileTurned) -> SeigoState:
    """Indicators and the tiles below them have places of different parity."""
    if event.place % 2:
        return replace(state, below=(*state.below, event.tile))
    return replace(state, turned=(*state.turned, event.tile))


def _ruled_dead(state: SeigoState, seat: Seat) -> SeigoState:
    """A hand that is dead has not won: a declared win falls like one refused, one that stands beside others is taken back."""
    if state.phase is not Phase.SHOW or state.winner is None:
        return state
    return without_false_win(state, seat) if state.winner is seat else state.with_seat(seat, replace(state.seat(seat), shown=None))
