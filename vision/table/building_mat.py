"""Building mat seen from above: which positions of its walls are taken, by tiles face down with backs of any colour.

A white square is printed in the middle of each slot. If it does not show, a tile or a hand covers it; the caller decides which by time.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.values import frozen
from vision.cameras.port import CameraFrame
from vision.reading import ReadRefusal
from vision.sampling import nearest
from vision.table.lens import MatView, Points, grid_points
from vision.table.light import logarithms
from vision.table.placement import MatPlacement
from vision.table.slot_places import on_mat

_FREE, _TAKEN = 0.5, 0.2
"""A square is visible if it is lighter than the mat around it by the first logarithm, and surely covered below the second."""
_WITHIN = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""Sample points in the square, as shares of half its side."""
_AROUND = 1.9
"""Sample points around it, as shares of half its side: any tile on this slot covers them, and no tile beside it does."""
_LEAST_LEVEL = 12.0
"""Darker places say nothing (grey level)."""


Position = tuple[int, int]
"""A seat and a tray position."""


@frozen
class SeenPositions:
    """The positions of one frame that are surely taken, and those that are surely free."""

    taken: frozenset[Position]
    free: frozenset[Position]


class BuildingMatCamera:
    """One camera over one mat with such squares; whole frames only."""

    def __init__(self, mat: Mat, camera_height_mm: float = 1600.0) -> None:
        """Raises ValueError for a mat without squares."""
        if not mat.slot_dot_mm:
            raise ValueError("this mat has no squares in its slots by which a free one could be recognised")
        self._mat = mat
        self._placement = MatPlacement(mat, camera_height_mm=camera_height_mm)
        self._slots = mat.all_slots()
        half = mat.slot_dot_mm / 2
        self._square_mm = grid_points(*2 * [np.array(_WITHIN)]) * half
        self._ring_mm = np.array([point for point in grid_points(*2 * [np.array((-1.0, 0.0, 1.0))]) if point.any()]) * half * _AROUND
        self._view: MatView | None = None

    def look(self, frame: CameraFrame) -> SeenPositions | ReadRefusal:
        """Return the positions in a whole frame, or a refusal if the mat cannot be placed in it."""
        grey = np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8)
        view = self._placement.locate(grey)
        if isinstance(view, ReadRefusal):
            return view
        if view is not self._view:
            self._view = view
            self._square_px, self._ring_px = (self._seen(view, points) for points in (self._square_mm, self._ring_mm))
        square, ring = (nearest(grey, points) for points in (self._square_px, self._ring_px))
        lighter = np.median(logarithms(square), axis=1) - np.median(logarithms(ring), axis=1)
        clear = square.max(axis=1) >= _LEAST_LEVEL
        return SeenPositions(self._chosen(clear & (lighter <= _TAKEN)), self._chosen(clear & (lighter >= _FREE)))

    def _seen(self, view: MatView, points_mm: Points) -> Points:
        """Return where points around each slot's middle are seen (slots × points × 2 px)."""
        around = np.concatenate([on_mat(self._mat.spot(slot), points_mm) for slot in self._slots])
        return np.asarray(view.project(around)).reshape(len(self._slots), len(points_mm), 2)

    def _chosen(self, which: NDArray[np.bool_]) -> frozenset[Position]:
        return frozenset((slot.place, slot.index) for slot, chosen in zip(self._slots, which.tolist(), strict=True) if chosen)
