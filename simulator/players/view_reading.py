"""Translates what is visible on the table into a player's view: places become seats, groups of tiles become melds."""

from simulator.players.player_view import PlayerView, SeatView
from simulator.scene import BACK
from simulator.seen_tiles import MeldSeen
from simulator.world.visible_table import VisibleTable
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, parse_tile

_FROM_SIDEWAYS = {0: 3, 1: 2, 2: 1}
"""Turns from the claimant on to the seat that discarded: left neighbour, across, right neighbour."""


def east_place(hand: int) -> int:
    """Where East sits in hand 1–16 of a session: the dealer moves on after every hand."""
    return (hand - 1) % 4


def round_wind(hand: int) -> Seat:
    """The prevailing wind of hand 1–16 of a session: a block of four hands each."""
    return SEATS[(hand - 1) // 4 % 4]


def seat_at(place: int, hand: int) -> Seat:
    """The wind of a place in a hand."""
    return SEATS[(place - east_place(hand)) % 4]


def place_at(seat: Seat, hand: int) -> int:
    """The place of a wind in a hand."""
    return (east_place(hand) + seat.index) % 4


def view_from(visible: VisibleTable) -> PlayerView:
    """The decision's view of what is visible; raises NotationError for a face that is no tile."""
    hand = visible.hand
    places = [(east_place(hand) + turn) % 4 for turn in range(4)]
    east, south, west, north = (_seat_view(visible, place, hand) for place in places)
    concealed = tuple(sorted(parse_tile(face) for face in visible.rack))
    return PlayerView(seat_at(visible.place, hand), round_wind(hand), concealed, (east, south, west, north))


def _seat_view(visible: VisibleTable, place: int, hand: int) -> SeatView:
    seat = seat_at(place, hand)
    river: tuple[Tile | None, ...] = tuple(None if face is None else parse_tile(face) for face in visible.rivers[place])
    melds = tuple(_meld(meld, seat) for meld in visible.melds[place])
    return SeatView(river, melds, visible.draws_left[place], visible.sticks[place] is not None)


def _meld(seen: MeldSeen, seat: Seat) -> Meld:
    if BACK in seen.tiles:
        up = [parse_tile(face) for face in seen.tiles if face != BACK]
        return Meld(MeldType.CONCEALED_KONG, (up[0],) * COPIES if up else (), None)
    tiles = tuple(sorted(parse_tile(face) for face in seen.tiles))
    source = None if seen.sideways is None else SEATS[(seat.index + _FROM_SIDEWAYS.get(seen.sideways, 1)) % 4]
    if len(tiles) == 4:
        return Meld(MeldType.CONCEALED_KONG if source is None else MeldType.KONG, tiles, source)
    return Meld(MeldType.PUNG if tiles[0] == tiles[-1] else MeldType.CHOW, tiles, source)
