"""The playing mat: places of rivers, melds, shown hands and corner markers, in millimetres. The mat is printed from these numbers, the
overhead reader looks for tiles at them, and simulated players lay tiles on them. Origin: the centre of the table; x to the right and y down
in a picture from above with place 0 at the bottom. Places 0 to 3 are counter-clockwise (bottom, right, top, left).

The building mat, on which people build walls: three rows before each seat, in millimetres, with corner markers. No tile covers another,
and any tile hides the white square in its slot, so a camera above sees which places are taken. The row nearest to the edge has the hand
tiles, the next the lower tiles of the stacks and the last single tile, the third the upper tiles. Two full rows become stacks in one
motion.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from config.reading import SettingKey
from twinwall.values import frozen

MELD_SLOTS = 4
"""The last slot of a meld is a kong's fourth tile."""


class Area(StrEnum):
    """A part of a seat's side of the mat; ``shared`` is the middle, which belongs to no seat."""

    RIVER = "river"
    MELD = "meld"
    HAND = "hand"
    WIN = "win"
    SHARED = "shared"
    WALL = "wall"
    """A hand-built wall, on its own mat (``twinwall.art.mat``)."""


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """One tile's place.

    - Rivers: 0 to 23 in the order laid. Shown hands: 0 to 12. Self-drawn winning tile: ``win`` 0. Walls: the feeder's tray positions.
    - Melds: 4 × group + position; position 3 is for kongs only.
    - Shared tiles: 0 to 11 as in the deal, laid as place 0 sees them; all are slots of place 0.
    """

    place: int
    area: Area
    index: int

    @property
    def fourth_of(self) -> int | None:
        """The meld (from 0) of a fourth tile's slot; None for other slots."""
        group, position = divmod(self.index, MELD_SLOTS)
        return group if self.area is Area.MELD and position == MELD_SLOTS - 1 else None


@frozen
class Spot:
    """The centre (mm) of a slot, tile or card, and its turn in degrees counter-clockwise from above. A tile in a slot is upright for its
    player at a turn of 90 × place."""

    x_mm: float
    y_mm: float
    turn_deg: float

    @property
    def far_mm(self) -> float:
        return math.hypot(self.x_mm, self.y_mm)

    def moved(self, x_mm: float, y_mm: float, turn_deg: float = 0.0) -> "Spot":
        """The spot shifted and turned."""
        return Spot(self.x_mm + x_mm, self.y_mm + y_mm, self.turn_deg + turn_deg)


@frozen
class Mat:
    """The printed mat, in millimetres from the centre of the table (docs/reference/mat.md). Change it only with the mat."""

    tile_width_mm: Annotated[float, SettingKey("Width of a tile.", 15.0, 45.0)] = 26.0
    tile_height_mm: Annotated[float, SettingKey("Height of a tile.", 20.0, 60.0)] = 36.0
    half_side_mm: Annotated[float, SettingKey("From the centre to an edge of the mat.", 250.0, 600.0)] = 365.0
    river_columns: Annotated[int, SettingKey("Tiles in a row of a river.", 4, 12)] = 6
    river_rows: Annotated[int, SettingKey("Rows of a river.", 2, 6)] = 4
    river_pitch_mm: Annotated[float, SettingKey("From tile to tile along a river's row.", 15.0, 60.0)] = 28.0
    river_first_row_mm: Annotated[float, SettingKey("From the centre to the middle of a river's first row.", 40.0, 600.0)] = 108.0
    row_pitch_mm: Annotated[float, SettingKey("From row to row of a river.", 20.0, 80.0)] = 38.0
    hand_row_mm: Annotated[float, SettingKey("From the centre to the middle of a shown hand.", 40.0, 600.0)] = 262.0
    hand_pitch_mm: Annotated[float, SettingKey("From tile to tile of a shown hand.", 15.0, 60.0)] = 27.0
    kong_row_mm: Annotated[float, SettingKey("From the centre to the middle of the fourth tiles of kongs.", 40.0, 600.0)] = 301.0
    meld_row_mm: Annotated[float, SettingKey("From the centre to the middle of the melds.", 40.0, 600.0)] = 340.0
    meld_pitch_mm: Annotated[float, SettingKey("From tile to tile of a meld.", 20.0, 60.0)] = 38.0
    meld_group_gap_mm: Annotated[float, SettingKey("Gap between two melds.", 0.0, 60.0)] = 6.0
    shared_row_mm: Annotated[
        float, SettingKey("From the centre to the middle of either row of shared tiles, such as dora indicators.", 20.0, 600.0)
    ] = 71.0
    """Stacks side by side: upper tiles in the row towards place 0, lower tiles in the row towards place 2."""
    marker_mm: Annotated[float, SettingKey("Side of a corner marker.", 15.0, 100.0)] = 44.0
    marker_centre_mm: Annotated[float, SettingKey("From either axis to the centre of a corner marker.", 100.0, 600.0)] = 330.0
    """Ids 0 to 3 (ArUco 4x4_50) at bottom left, bottom right, top right, top left."""
    table: str = ""
    """The table in the name marker (``mat_prints.name_marker``); empty for a mat of any table."""

    def spot(self, slot: Slot) -> Spot:
        """The slot's spot; raises ValueError for a slot that the mat does not have."""
        along, away = self.at_own_side(slot)
        x_mm, y_mm = ((along, away), (away, -along), (-along, -away), (-away, along))[slot.place]
        return Spot(x_mm, y_mm, 90 * slot.place)

    def slots(self, place: int, area: Area) -> tuple[Slot, ...]:
        return tuple(Slot(place, area, index) for index in range(self.count(place, area)))

    def all_slots(self, *areas: Area) -> tuple[Slot, ...]:
        """The slots of these areas (default: all), place by place."""
        return tuple(slot for place in range(4) for area in areas or Area for slot in self.slots(place, area))

    def tile_at(self, spot: Spot) -> tuple[float, float]:
        """Width and height (mm) on the mat of a tile in a slot."""
        size = self.tile_width_mm, self.tile_height_mm
        return size if spot.turn_deg % 180 == 0 else size[::-1]

    @property
    def slot_dot_mm(self) -> float:
        """Side of the white square in each slot; 0 for none."""
        return 0.0

    def count(self, place: int, area: Area) -> int:
        return 0 if area is Area.SHARED and place else _COUNTS.get(area, 0)

    def at_own_side(self, slot: Slot) -> tuple[float, float]:
        """Millimetres to the player's right of the centre line, and from the centre towards the player; raises ValueError."""
        if not (0 <= slot.place <= 3 and 0 <= slot.index < self.count(slot.place, slot.area)):
            raise ValueError(f"the mat has no slot {slot}")
        index = slot.index
        match slot.area:
            case Area.RIVER:
                row, column = divmod(index, self.river_columns)
                return (column - (self.river_columns - 1) / 2) * self.river_pitch_mm, self.river_first_row_mm + row * self.row_pitch_mm
            case Area.MELD:
                group, position = divmod(index, MELD_SLOTS)
                group_width = 3 * self.meld_pitch_mm + self.meld_group_gap_mm
                centre = (group - 1.5) * group_width
                if position == MELD_SLOTS - 1:
                    return centre, self.kong_row_mm
                return centre + (position - 1) * self.meld_pitch_mm, self.meld_row_mm
            case Area.HAND:
                return (index - 6.5) * self.hand_pitch_mm, self.hand_row_mm
            case Area.WIN:
                return 6.5 * self.hand_pitch_mm + 12.0, self.hand_row_mm
            case Area.SHARED:
                stack, lower = divmod(index, 2)
                along = (stack - (_STACKS - 1) / 2) * self.river_pitch_mm
                return along, -self.shared_row_mm if lower else self.shared_row_mm
            case Area.WALL:
                raise ValueError(f"no wall is built on the mat that is played on: it has no slot {slot}")


_STACKS = 6
_COUNTS = {Area.RIVER: 24, Area.MELD: 4 * MELD_SLOTS, Area.HAND: 13, Area.WIN: 1, Area.SHARED: 2 * _STACKS}


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
