"""State changes that rule sets share: claims, kongs, false wins and rulings. A rule set's ``turns`` decides the next phase."""

from typing import TypeVar, assert_never

from msgspec.structs import replace

from twinwall.game.play import Phase, PlayState, RiverTile, is_pung_of
from twinwall.game.play_events import (
    Claim,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    Meld,
    MeldType,
    PenaltyRuled,
    ResultExcluded,
    Ruled,
    SharedTileTurned,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import Permissions
from twinwall.game.tiles import SEATS, Seat

State = TypeVar("State", bound=PlayState)
Usual = WinDeclared | HandShown | HandLaidOpen | WinRefused | PenaltyRuled | ResultExcluded | SharedTileTurned | HandEnded


def usual(state: State, event: Usual) -> State:
    """The state after an event that most rule sets treat alike."""
    match event:
        case WinDeclared(seat):
            return replace(state, phase=Phase.SHOW, winner=seat)
        case HandShown(seat, concealed) | HandLaidOpen(seat, concealed):
            return state.with_seat(seat, replace(state.seat(seat), shown=concealed))
        case WinRefused(seat):
            return without_false_win(state, seat)
        case PenaltyRuled() | ResultExcluded():
            return ruled(state, event)
        case SharedTileTurned():
            return state
        case HandEnded():
            return replace(state, phase=Phase.ENDED, ended=event)
        case _:
            assert_never(event)


def ruled(state: State, event: Ruled) -> State:
    """The state after a ruling. The rule set itself handles the win of a hand that is ruled dead."""
    match event:
        case HandRuledDead(seat):
            return state.with_seat(seat, replace(state.seat(seat), dead=True))
        case PenaltyRuled():
            return replace(state, penalties=(*state.penalties, event))
        case ResultExcluded():
            return replace(state, excluded=True)
        case _:
            assert_never(event)


def with_draw(state: State, seat: Seat) -> State:
    own = state.seat(seat)
    return replace(state.with_seat(seat, replace(own, draws_left=own.draws_left - 1)), phase=Phase.DISCARD, drew=True)


def with_discard(state: State, seat: Seat, laid: RiverTile) -> State:
    own = state.seat(seat)
    after = state.with_seat(seat, replace(own, river=(*own.river, laid)))
    return replace(after, phase=Phase.CLAIMS, last_discard=laid.tile, drew=False)


def with_meld(state: State, seat: Seat, meld: Meld) -> State:
    """A seat has exposed a meld or laid a concealed kong."""
    own = state.seat(seat)
    return state.with_seat(seat, replace(own, melds=(*own.melds, meld)))


def claimed_from(state: State, giver: Seat, taker: Seat) -> State:
    """Mark the giver's last discard as taken; its place in the river stays."""
    river = state.seat(giver).river
    return state.with_seat(giver, replace(state.seat(giver), river=(*river[:-1], replace(river[-1], claimed_by=taker))))


def with_own_kong(state: State, seat: Seat, kong: Meld) -> State:
    """Add a seat's concealed kong, or replace its pung by the added kong."""
    if kong.type is MeldType.CONCEALED_KONG:
        return with_meld(state, seat, kong)
    own, tile = state.seat(seat), kong.tiles[0]
    melds = tuple(Meld(kong.type, kong.tiles, meld.source) if is_pung_of(meld, tile) else meld for meld in own.melds)
    return state.with_seat(seat, replace(own, melds=melds))


def without_false_win(state: State, seat: Seat) -> State:
    """Undo a false win: the hand is concealed again and the seat may not call on this tile. Others' wins on it stay."""
    after = state.with_seat(seat, replace(state.seat(seat), shown=None))
    winners = [other for other in SEATS if after.seat(other).shown is not None]
    phase = Phase.SHOW if winners else Phase.DISCARD if seat is state.turn else Phase.CLAIMS
    return replace(after, phase=phase, winner=winners[-1] if winners else None, refused=state.refused | {seat})


def without_win(state: State, seat: Seat) -> State:
    """Cancel the win of a dead hand: a win being judged is treated as refused; a shown one beside others is undone."""
    if state.phase is not Phase.SHOW or state.winner is None:
        return state
    return without_false_win(state, seat) if state.winner is seat else state.with_seat(seat, replace(state.seat(seat), shown=None))


def replaced_or_robbed(state: State, kong: Meld) -> State:
    """After a concealed kong, its seat draws; after an added kong, others may first win on the tile."""
    if kong.type is MeldType.CONCEALED_KONG:
        return replace(state, phase=Phase.DRAW)
    return replace(state, phase=Phase.CLAIMS, last_discard=kong.tiles[0], robbing=True)


def others_may_win(state: PlayState) -> Permissions:
    """Who may also win on this tile, after the first winner has shown."""
    barred = {state.turn, *state.refused, *(seat for seat in SEATS if state.seat(seat).dead)}
    waiting = [seat for seat in SEATS if seat not in barred and state.seat(seat).shown is None]
    return Permissions(claims=dict.fromkeys(waiting, frozenset({Claim.WIN})))
