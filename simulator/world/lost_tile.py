"""Lost tile: falls under the table while a place's tiles are pushed into the well, at most once in a session."""

from simulator.physical_tiles import PhysicalTile


class LostTile:
    """It falls at ``place`` after the hand numbered ``hand`` (0: none does); a search ``finds`` it or not."""

    def __init__(self, hand: int = 0, place: int = 0, *, finds: bool = True) -> None:
        self._hand, self._place, self._finds = hand, place, finds
        self._has_slipped = False
        self._under_table: tuple[PhysicalTile, ...] = ()

    def slipping(self, hand: int, place: int, tiles: tuple[PhysicalTile, ...]) -> tuple[PhysicalTile, ...]:
        """Which of the tiles that ``place`` pushes in would fall under the table."""
        return () if self._has_slipped or (hand, place) != (self._hand, self._place) else tiles[:1]

    def slip(self, tiles: tuple[PhysicalTile, ...]) -> None:
        self._under_table += tiles
        self._has_slipped |= bool(tiles)

    def search(self) -> tuple[PhysicalTile, ...]:
        """What somebody who looks under the table takes from there."""
        found = self._under_table if self._finds else ()
        self._under_table = self._under_table[len(found) :]
        return found
