"""Places of the slots in a camera's picture, computed once per view of the mat, for slots as they are asked for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat, Slot, Spot
from twinwall.values import frozen_identity
from vision.table.lens import MatView, Points, grid_points
from vision.table.tile_pose import turned

NEIGHBOUR_MM = 56.0
"""Tiles on slots closer than this may be in each other's way."""
_CORE_X_MM, _CORE_Y_MM = np.linspace(-4.5, 4.5, 6), np.linspace(-10, 10, 9)
_OUTLINE_PLACES = np.linspace(-0.87, 0.87, 24)
"""Where each side of a printed outline is sampled, as shares of half its length."""
_OUTSIDE_MM = (1.25, 0.5, 0.0, -0.5, -2.4)
"""How far outside of the outline: cloth, the print in three rows, and cloth inside; the next outline may begin at 2 mm."""


@frozen_identity
class SlotPlace:
    """One slot as a camera sees it. ``core_px`` is a grid in its middle at the height of a tile's face, mostly covered by any tile on the
    slot; ``print_px`` (5 × n × 2) is outside of the printed outline, across it in three rows, and inside."""

    slot: Slot
    spot: Spot
    neighbours: tuple[Slot, ...]
    core_mm: Points
    core_px: Points
    print_px: Points
    print_on_mat_mm: Points
    core_on_mat_mm: Points


class Places:
    """All slots of a mat under one view."""

    def __init__(self, mat: Mat, view: MatView, thickness_mm: float) -> None:
        self._mat, self._view, self._thickness_mm = mat, view, thickness_mm
        self.tile_size_mm: Points = np.array((mat.tile_width_mm, mat.tile_height_mm))
        self.slots = mat.all_slots()
        self._middles = np.array([(spot.x_mm, spot.y_mm) for spot in map(mat.spot, self.slots)])
        self._core_mm = grid_points(_CORE_X_MM, _CORE_Y_MM)
        self._print_mm = around_outline(mat.tile_width_mm / 2, mat.tile_height_mm / 2, _OUTLINE_PLACES, _OUTSIDE_MM)
        self._known: dict[Slot, SlotPlace] = {}
        self._outlines: tuple[tuple[Slot, ...], tuple[Points, Points]] | None = None

    def __getitem__(self, slot: Slot) -> SlotPlace:
        """Raises ValueError for a slot that the mat does not have."""
        return self._known.get(slot) or self._known.setdefault(slot, self._place(slot))

    def nearest(self, point_mm: tuple[float, float], most_mm: float) -> Slot | None:
        """Return the slot with the middle nearest to a point of the mat; None if it is further than ``most_mm``."""
        apart = np.linalg.norm(self._middles - point_mm, axis=1)
        number = int(apart.argmin())
        return self.slots[number] if apart[number] <= most_mm else None

    def turn_deg(self, slot: Slot) -> float:
        return self._mat.spot(slot).turn_deg

    def outlines(self, slots: Sequence[Slot]) -> tuple[Points, Points]:
        """Return ``print_px`` (m × 5 × n × 2) and ``print_on_mat_mm`` (m × n × 2) of slots. The last answer is kept, since a sweep asks for
        all slots in each frame."""
        asked = tuple(slots)
        if self._outlines is None or self._outlines[0] != asked:
            places = [self[slot] for slot in asked]
            stacked = np.stack([place.print_px for place in places]), np.stack([place.print_on_mat_mm for place in places])
            self._outlines = asked, stacked
        return self._outlines[1]

    def _place(self, slot: Slot) -> SlotPlace:
        """Project all points of one height together, since hundreds of slots are asked for at once."""
        spot, core, printed = self._mat.spot(slot), self._core_mm, self._print_mm
        core_on_mat, print_on_mat = on_mat(spot, core), on_mat(spot, printed.reshape(-1, 2))
        on_cloth = self._view.project(print_on_mat)
        apart = np.linalg.norm(self._middles - (spot.x_mm, spot.y_mm), axis=1)
        near = np.flatnonzero((apart > 0.1) & (apart < NEIGHBOUR_MM))
        return SlotPlace(
            slot,
            spot,
            tuple(self.slots[number] for number in near),
            core,
            self._view.project(core_on_mat, self._thickness_mm),
            on_cloth.reshape(printed.shape),
            print_on_mat[: printed.shape[1]],
            core_on_mat,
        )


def around_outline(x: float, y: float, places: NDArray[np.float64], outside_mm: Sequence[float]) -> NDArray[np.float64]:
    """Return points along the outline of a tile of half width ``x`` and half height ``y``, at each distance outside of it (m × 4 n × 2 mm):
    left, right, upper and lower side, each at ``places`` (n, shares of half its length)."""

    def rectangle(outside: float) -> list[tuple[float, float]]:
        upright = [(sign * (x + outside), place * y) for sign in (-1, 1) for place in places]
        return upright + [(place * x, sign * (y + outside)) for sign in (-1, 1) for place in places]

    return np.array([rectangle(outside) for outside in outside_mm])


def on_mat(spot: Spot, points_mm: Points) -> Points:
    """Convert points around a spot, as its player sees them, to points of the mat (n × 2 mm)."""
    return np.asarray(points_mm @ turned(spot.turn_deg).T + (spot.x_mm, spot.y_mm))


def from_mat(spot: Spot, points_mm: Points) -> Points:
    """The inverse of ``on_mat``."""
    return np.asarray((points_mm - (spot.x_mm, spot.y_mm)) @ turned(spot.turn_deg))
