"""The building mat, on which people build walls: three rows before each seat, in millimetres, with corner markers. No tile covers another,
and any tile hides the white square in its slot, so a camera above sees which places are taken. The row nearest to the edge has the hand
tiles, the next the lower tiles of the stacks and the last single tile, the third the upper tiles. Two full rows become stacks in one
motion."""

from twinwall.art.mat import Area, Mat, Slot
from twinwall.values import frozen


@frozen
class WallMat(Mat):
    """Sizes of the building mat in mm; ``hand_places``, ``wall_places`` and ``tray_places`` count positions as a feeder's tray does."""

    hand_places: int = 13
    wall_places: int = 34
    tray_places: int = 37
    pitch_mm: float = 30.0
    hand_away_mm: float = 312.0
    lower_away_mm: float = 272.0
    upper_away_mm: float = 232.0
    dot_mm: float = 8.0

    @property
    def slot_dot_mm(self) -> float:
        return self.dot_mm

    def count(self, place: int, area: Area) -> int:  # noqa: ARG002  # all seats are alike
        return self.tray_places if area is Area.WALL else 0

    def at_own_side(self, slot: Slot) -> tuple[float, float]:
        """As ``Mat.at_own_side``; stacks from the left in the order of drawing."""
        if not (0 <= slot.place <= 3 and slot.area is Area.WALL and 0 <= slot.index < self.tray_places):
            raise ValueError(f"the building mat has no slot {slot}")
        column, away = self._row(slot.index)
        return (column - (self.hand_places - 1) / 2) * self.pitch_mm, away

    def _row(self, index: int) -> tuple[int, float]:
        """The column of a position, and its row's distance from the centre."""
        if index < self.hand_places:
            return index, self.hand_away_mm
        stacks, single = divmod(self.wall_places - self.hand_places, 2)
        if index >= self.wall_places:
            return stacks + index - self.wall_places, self.upper_away_mm
        column, lower = divmod(index - self.hand_places, 2)
        last = bool(single) and column == stacks
        return column, self.lower_away_mm if lower or last else self.upper_away_mm
