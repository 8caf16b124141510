"""The walls of a hand: one seat's wall, and how a rule set divides its tiles into four walls. ``RuleSet.walls`` gives the layout; ``deals``
decides the order of the tiles."""

from twinwall.game.tiles import SEATS, WHOLE_SET, TileRow
from twinwall.game.typed_json import Tiles
from twinwall.values import frozen

HAND_SIZE = 13
"""Hand tiles of a wall; its draws follow."""


@frozen
class WallLayout:
    """The tiles of a set, in canonical order, and the number in one seat's wall. The remaining tiles are shared."""

    tiles: TileRow = WHOLE_SET
    wall_size: int = len(WHOLE_SET) // len(SEATS)

    @property
    def kinds(self) -> TileRow:
        """The kinds of the set, in canonical order."""
        return tuple(dict.fromkeys(self.tiles))

    @property
    def draws(self) -> int:
        return self.wall_size - HAND_SIZE

    @property
    def rest_size(self) -> int:
        return len(self.tiles) - len(SEATS) * self.wall_size


@frozen
class SeatWall:
    """One seat's wall: its hand tiles, and its draws in order."""

    hand: Tiles
    draws: Tiles

    @property
    def tiles(self) -> TileRow:
        """Hand tiles and draws, as the digest hashes them."""
        return self.hand + self.draws
