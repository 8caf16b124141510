"""State changes that several rule sets share: a claimed discard, a kong, a win that turned out false.

Which phase follows, and what a rule set remembers besides, is left to its own ``transitions``.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from twinwall.game.melds import is_pung_of
from twinwall.game.play import Phase, PlayState, SeatState
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.tiles import SEATS, Seat

State = TypeVar("State", bound=PlayState)


def claimed_from(giver: SeatState, taker: Seat) -> SeatState:
    """The giver after its last discard was taken: the tile's place in the river stays, marked."""
    return replace(giver, river=(*giver.river[:-1], replace(giver.river[-1], claimed_by=taker)))


def with_own_kong(own: SeatState, kong: Meld) -> SeatState:
    """A seat after a kong at its own turn: a concealed one is a new meld, an added one takes the place of its pung."""
    if kong.type is MeldType.CONCEALED_KONG:
        return replace(own, melds=(*own.melds, kong))
    tile = kong.tiles[0]
    return replace(own, melds=tuple(Meld(kong.type, kong.tiles, meld.source) if is_pung_of(meld, tile) else meld for meld in own.melds))


def without_false_win(state: State, seat: Seat) -> State:
    """A false win: the hand is taken up again and the seat may not call on this tile any more; those who have won on it stay."""
    after = state.with_seat(seat, replace(state.seat(seat), shown=None))
    winners = [other for other in SEATS if after.seat(other).shown is not None]
    phase = Phase.SHOW if winners else Phase.DISCARD if seat is state.turn else Phase.CLAIMS
    return replace(after, phase=phase, winner=winners[-1] if winners else None, refused=state.refused | {seat})
