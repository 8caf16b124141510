"""The view that a player decides by: own tiles, everybody's melds and rivers, and how many draws each wall has left.

A decision depends on nothing else: no clock, no other hand, no order of arrival. Two equal views and tastes give equal
decisions.
"""

from collections.abc import Iterable

from twinwall.game.play_events import Meld
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile
from twinwall.values import frozen

KINDS = len(Tile)


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
    seats: tuple[SeatView, SeatView, SeatView, SeatView]
    barred: frozenset[Tile] = frozenset()
    """What may not be discarded now, since it would undo the claim just made."""

    @property
    def melds(self) -> tuple[Meld, ...]:
        """The player's own melds."""
        return self.seats[self.seat.index].melds

    @property
    def draws_left(self) -> int:
        """Draws left in the player's own wall."""
        return self.seats[self.seat.index].draws_left

    @property
    def others_draws_left(self) -> int:
        """Draws left in the three other walls together."""
        return sum(seat.draws_left for seat in self.seats) - self.draws_left

    def others(self) -> Iterable[SeatView]:
        """The three other seats."""
        return (self.seats[seat.index] for seat in SEATS if seat is not self.seat)

    def visible(self) -> list[int]:
        """How many copies of each kind lie open on the table, by kind."""
        counts = [0] * KINDS
        for seat in self.seats:
            for tile in seat.river:
                if tile is not None:
                    counts[tile] += 1
            for meld in seat.melds:
                for tile in meld.tiles:
                    counts[tile] += 1
        return counts

    def unseen(self) -> list[int]:
        """How many copies of each kind this player cannot see, by kind (never below 0)."""
        held = count_kinds(self.concealed)
        return [max(0, COPIES - seen - own) for seen, own in zip(self.visible(), held, strict=True)]


def count_kinds(tiles: Iterable[Tile]) -> list[int]:
    """How many of each of the 34 kinds."""
    counts = [0] * KINDS
    for tile in tiles:
        counts[tile] += 1
    return counts
