"""The view that a player decides by: own tiles, everybody's melds and rivers, and how many draws each wall has left.

A decision depends on nothing else: no clock, no other hand, no order of arrival. Two equal views and tastes give equal
decisions. ``view_from`` makes the view of what is visible on the table: places become seats, groups of tiles become melds.
"""

from collections.abc import Iterable

from simulator.scene import BACK
from simulator.world.visible_table import MeldSeen, VisibleTable
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rules.divisions import counts_of
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, parse_tile, place_of, round_wind, seat_at
from twinwall.values import frozen


@frozen
class SeatView:
    """What anybody sees of one seat: the river's gaps (None) are tiles that were claimed and lie in a meld now."""

    river: tuple[Tile | None, ...] = ()
    melds: tuple[Meld, ...] = ()
    draws_left: int = 0
    riichi: bool = False
    """Whether it has declared riichi."""


@frozen
class PlayerView:
    """The table as one seat sees it; ``seats`` is indexed by ``Seat.index``, ``concealed`` holds a drawn tile too."""

    seat: Seat
    round: Seat
    concealed: tuple[Tile, ...]
    seats: tuple[SeatView, ...]
    barred: frozenset[Tile] = frozenset()
    """What may not be discarded now, since it would undo the claim just made."""

    @property
    def melds(self) -> tuple[Meld, ...]:
        return self.seats[self.seat.index].melds

    @property
    def pungs(self) -> list[Tile]:
        return [meld.tiles[0] for meld in self.melds if meld.type is MeldType.PUNG]

    @property
    def draws_left(self) -> int:
        return self.seats[self.seat.index].draws_left

    @property
    def others_draws_left(self) -> int:
        return sum(seat.draws_left for seat in self.seats) - self.draws_left

    def others(self) -> Iterable[SeatView]:
        return (self.seats[seat.index] for seat in SEATS if seat is not self.seat)

    def visible(self) -> list[int]:
        """How many copies of each kind lie open on the table, by kind."""
        discarded = (tile for seat in self.seats for tile in seat.river if tile is not None)
        return counts_of((*discarded, *(tile for seat in self.seats for meld in seat.melds for tile in meld.tiles)))

    def unseen(self) -> list[int]:
        """How many copies of each kind this player cannot see, by kind (never below 0)."""
        held = counts_of(self.concealed)
        return [max(0, COPIES - seen - own) for seen, own in zip(self.visible(), held, strict=True)]


_FROM_SIDEWAYS = {0: 3, 1: 2, 2: 1}
"""Turns from the claimant on to the seat that discarded: left neighbour, across, right neighbour."""


def view_from(visible: VisibleTable) -> PlayerView:
    """The decision's view of what is visible; raises NotationError for a face that is no tile."""
    hand = visible.hand
    concealed = tuple(sorted(parse_tile(face) for face in visible.rack))
    return PlayerView(seat_at(visible.place, hand), round_wind(hand), concealed, tuple(_seat_view(visible, seat) for seat in SEATS))


def _seat_view(visible: VisibleTable, seat: Seat) -> SeatView:
    place = place_of(seat, visible.hand)
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
