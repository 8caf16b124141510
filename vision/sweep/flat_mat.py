"""Flat mat: a frame's mat as a map of cells of 2 mm, seen squarely at the height of tiles' faces, with what each cell looks like."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.name_marker import PAPER_MM, name_place, printed_number
from vision.sweep.tints import tint_distance
from vision.table.lens import MatView, Points
from vision.table.light import Light, logarithms
from vision.table.registration import COARSE_MM
from vision.table.white import level_of

Mask = NDArray[np.bool_]
Cells = NDArray[np.float32]
Pixels = NDArray[np.uint8]

CELL_MM = COARSE_MM
_FINER = 2
"""Samples a cell along each side."""
_RIM_MM = 5.0
"""Strip along the mat's edge that is left out: there a face's height shows what lies beside the mat."""
_DARKEST, _LIGHTEST, _MOST_BESIDE = -0.5, 0.56, 0.2
"""Limits of the cloth's colour and of its print, as shares of the way to white and beside it."""
_LEAST_WHITE = 0.5
_MOST_TINT = 0.2
"""Difference in colour (``vision.sweep.tints``) from which a cell does not look like cloth."""
_PRINT_CELLS = 3
"""What is narrower is print."""
_SHIFT = 4
"""Outlines are drawn to a sixteenth of a cell."""
_MARKER_ROOM_MM = 12.0
"""Paper around a marker's black square, and what a face's height moves it by."""
_NAME_ROOM_MM = 8.0
"""Around the paper of the name marker: its heading, and what a face's height moves it by."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatFrame:
    """One frame's map (n × n): how white each cell is, which are white, and which look neither white nor like bare cloth."""

    whiteness: Cells
    white: Mask
    other: Mask


class FlatMat:
    """The map of one mat under one view."""

    def __init__(self, mat: Mat, view: MatView, thickness_mm: float) -> None:
        self.cells = int((mat.half_side_mm - _RIM_MM) * 2 / CELL_MM)
        self._half_mm = self.cells * CELL_MM / 2
        self._share = self._half_mm / mat.half_side_mm
        count = self.cells * _FINER
        along = (np.arange(count) + 0.5) * CELL_MM / _FINER - self._half_mm
        grid = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
        at = view.project(grid, thickness_mm).astype(np.float32).reshape(count, count, 2)
        self._maps = cv2.convertMaps(at[..., 0], at[..., 1], cv2.CV_16SC2)
        self._middles_px: NDArray[np.float32] = at.reshape(self.cells, _FINER, self.cells, _FINER, 2).mean(axis=(1, 3))
        halved_px: NDArray[np.float32] = (self._middles_px + 0.5) / 2 - 0.5
        self._rough_maps = cv2.convertMaps(halved_px[..., 0], halved_px[..., 1], cv2.CV_16SC2)
        off = np.abs(np.abs(self.middles_mm()) - mat.marker_centre_mm)
        self.markers: Mask = np.asarray((off < mat.marker_mm / 2 + _MARKER_ROOM_MM).all(axis=-1))
        """Where the corner markers and the name lie: no tile is looked for there."""
        place = name_place(mat)
        if place is not None and printed_number(mat) is not None:
            off = np.abs(self.middles_mm() - (place.x_mm, place.y_mm))
            self.markers |= (off < PAPER_MM / 2 + _NAME_ROOM_MM).all(axis=-1)

    def middles_mm(self) -> NDArray[np.float64]:
        """The middles of all cells on the mat (n × n × 2)."""
        along = (np.arange(self.cells) + 0.5) * CELL_MM - self._half_mm
        return np.stack(np.meshgrid(along, along), axis=-1)

    def outside(self, width_px: int, height_px: int) -> Mask:
        """The cells that lie outside a picture of this size (n × n): what it shows of them is its own edge, drawn out."""
        x, y = self._middles_px[..., 0], self._middles_px[..., 1]
        return np.asarray((x < 0) | (y < 0) | (x > width_px - 1) | (y > height_px - 1))

    def cells_of(self, points_mm: Points) -> Points:
        """Points of the mat (… × 2 mm) in cells, the middle of the first cell being 0."""
        return np.asarray((points_mm + self._half_mm) / CELL_MM - 0.5)

    def points_of(self, cells: Points) -> Points:
        """The inverse of ``cells_of``."""
        return np.asarray((cells + 0.5) * CELL_MM - self._half_mm)

    def colours(self, image: Pixels) -> Pixels:
        """The colour of each cell (n × n × 3 BGR) in a whole frame."""
        fine = cv2.remap(image, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.resize(fine, (self.cells, self.cells), interpolation=cv2.INTER_AREA), np.uint8)

    def rough_colours(self, image: Pixels) -> Pixels:
        """About the same from one sample a cell in a picture of half the size, for half the time: enough to tell that nothing changes."""
        height, width = image.shape[0] // 2, image.shape[1] // 2
        halved = np.asarray(cv2.resize(image[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        return np.asarray(cv2.remap(halved, *self._rough_maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def look(self, colours: Pixels, light: Light) -> FlatFrame:
        """What the cells of those colours are in a light."""
        cloth = self._cloth(light)
        white, beside = light.shares(colours, cloth)
        bare = (white > _DARKEST) & (white < _LIGHTEST) & (beside < _MOST_BESIDE)
        bare &= tint_distance(logarithms(colours) - cloth) < _MOST_TINT
        whiteness = level_of(white, beside)
        is_white = (whiteness > _LEAST_WHITE) & ~self.markers
        other = cv2.morphologyEx(
            (~(bare | is_white | self.markers)).astype(np.uint8), cv2.MORPH_OPEN, np.ones((_PRINT_CELLS, _PRINT_CELLS))
        )
        return FlatFrame(whiteness, is_white, np.asarray(other) > 0)

    def _cloth(self, light: Light) -> Cells:
        """The logarithm of the cloth's colour in each cell (n × n × 3)."""
        side = light.cloth.shape[0]
        scale = self._share * side / self.cells
        first = (side - 1) / 2 - (self.cells - 1) / 2 * scale
        to_light = np.array([(scale, 0, first), (0, scale, first)])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(light.cloth, to_light, (self.cells, self.cells), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )

    def draw(self, numbers: NDArray[np.int32], outline_mm: Points, number: int) -> None:
        """Write a number into the cells (n × n) within a convex outline on the mat (m × 2 mm)."""
        outline = np.rint(self.cells_of(outline_mm) * (1 << _SHIFT)).astype(np.int32)
        cv2.fillConvexPoly(numbers, outline, number, cv2.LINE_8, _SHIFT)

    def squares(self, cells: Mask, side_mm: float, least: float) -> frozenset[tuple[int, int]]:
        """The squares of a grid, its middle one on the mat's centre, of which more than a share is marked in a map (n × n)."""
        at = np.rint(self.points_of(np.arange(self.cells, dtype=np.float64)) / side_mm).astype(np.intp)
        starts = np.flatnonzero(np.diff(at, prepend=at[0] - 1))
        marked = np.add.reduceat(np.add.reduceat(cells.astype(np.int32), starts, axis=0), starts, axis=1)
        widths = np.diff(starts, append=self.cells)
        y, x = np.nonzero(marked > least * np.outer(widths, widths))
        return frozenset(zip(at[starts[x]].tolist(), at[starts[y]].tolist(), strict=True))


def touching(region: Mask, seed: Mask) -> Mask:
    """The connected parts of a region (n × n) that reach into a seed."""
    count, labels = cv2.connectedComponents(region.astype(np.uint8))
    chosen = np.zeros(count, np.bool_)
    chosen[labels[seed]] = True
    chosen[0] = False
    return np.asarray(chosen[labels])


def moving_arms(strange: Mask, moving: Mask, cells: float) -> Mask:
    """The connected parts of what is strange (n × n) with more than this many cells, reach the mat's edge, and move in some cell."""
    if not (strange & moving).any():
        return np.zeros_like(strange)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(strange.astype(np.uint8))
    chosen, at_edge = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    chosen[labels[moving]] = True
    for edge in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
        at_edge[edge] = True
    chosen &= at_edge & (stats[:, cv2.CC_STAT_AREA] > cells)
    chosen[0] = False
    return np.asarray(chosen[labels])
