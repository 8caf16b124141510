"""The walls of a hand: what one seat's wall holds, and how a rule set divides its tiles into four of them.

Which layout a rule set has stands in its folder (``RuleSet.walls``); in which order the tiles lie is decided in ``deals``.
"""

from twinwall.game.tiles import SEATS, WHOLE_SET, TileRow
from twinwall.game.typed_json import Tiles
from twinwall.values import frozen

HAND_SIZE = 13
"""Tiles of a seat's wall that form its starting hand; the draws follow in draw order."""


@frozen
class WallLayout:
    """How a shuffled set is dealt: the set in canonical order, four of a kind together, and how many tiles make one seat's wall;
    what remains is the rest."""

    tiles: TileRow = WHOLE_SET
    wall_size: int = len(WHOLE_SET) // len(SEATS)

    @property
    def kinds(self) -> TileRow:
        """The kinds in the set, in canonical order."""
        return tuple(dict.fromkeys(self.tiles))

    @property
    def draws(self) -> int:
        """Draws in one seat's wall."""
        return self.wall_size - HAND_SIZE

    @property
    def rest_size(self) -> int:
        """Tiles that belong to no seat."""
        return len(self.tiles) - len(SEATS) * self.wall_size


@frozen
class SeatWall:
    """One seat's own tiles: the starting hand as dealt, and the draws in draw order."""

    hand: Tiles
    draws: Tiles

    @property
    def tiles(self) -> TileRow:
        """Hand and draws, as they go into the digest."""
        return self.hand + self.draws
