"""The mat in a camera's frames: where its markers place it, how it is lit, and how it looks from straight above.

Lamps and shadows are measured in each whole frame. A part of a picture takes the place of the mat from the last whole frames, and their
light, adapted as a whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.name_marker import PAPER_MM, name_place, printed_number
from twinwall.values import frozen_identity
from vision.cameras.port import CameraFrame
from vision.gate.presence import unlit
from vision.reading import ReadRefusal, Reason
from vision.sampling import between
from vision.table.bare_slots import BareSlots
from vision.table.lens import SQUARE, MatView, Points, grid_points
from vision.table.light import Light, LightMeter, logarithms, tint_distance
from vision.table.mat_name import MatName
from vision.table.placement import MatPlacement
from vision.table.slot_places import Places

Mask = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

PX_PER_MM = 1.25
"""The finder misses no more tiles at this scale than at a larger one."""
_BLOCK_PX = 32
"""Parts of the flat picture begin and end at multiples of this, as the finder takes pictures."""
_RIM_MM = 5.0
"""This strip along the mat's edge is left out: at a face's height it shows what is beside the mat."""
_MARKER_ROOM_MM, _NAME_ROOM_MM = 12.0, 8.0
"""Room around a marker's black square, and around the mat's name: paper, and the shift by a face's height."""
COARSER = 4
"""Pictures are compared by every fourth pixel along each axis."""
_CELL_MM = 2.0
"""Side of the squares in which colours are compared with the cloth's."""
_DARKEST, _LIGHTEST, _MOST_BESIDE = -0.5, 0.56, 0.2
"""Limits of the cloth's colour and of its print: shares of the way to white, and distance beside that way."""
_MOST_TINT = 0.2
"""From this difference in colour (``vision.table.light``) a square is not cloth."""
_PRINT_CELLS = 3
"""Narrower things are print."""
_COARSE = 8
"""Every eighth pixel along each axis decides which part of the mat a picture shows."""
_SHIFT = 4
"""Outlines are drawn to a sixteenth of a pixel."""


class FlatMat:
    """The flat picture (side × side) of a mat under one view."""

    def __init__(self, mat: Mat, view: MatView, thickness_mm: float, size_px: tuple[int, int]) -> None:
        """``size_px``: width and height of whole pictures."""
        self.side, self._size_px = -(-int(2 * mat.half_side_mm * PX_PER_MM) // _BLOCK_PX) * _BLOCK_PX, size_px
        along = self.mm_of(np.arange(self.side))
        strips = np.split(along, self.side // _BLOCK_PX)  # what is worked out at once stays in the processor's cache
        at = np.concatenate([view.project(grid_points(along, strip), thickness_mm).astype(np.float32) for strip in strips])
        self._at: NDArray[np.float32] = at.reshape(self.side, self.side, 2)
        self.outside: Mask = np.asarray(cv2.inRange(self._at, (0, 0), np.array(size_px) - 1.0) == 0)
        """The pixels outside of whole pictures."""
        on_mat = np.abs(along) < mat.half_side_mm - _RIM_MM
        self._on_mat: Mask = on_mat[:, None] & on_mat
        printed = np.abs(np.abs(along) - mat.marker_centre_mm) < mat.marker_mm / 2 + _MARKER_ROOM_MM
        self.printed: Mask = printed[:, None] & printed
        """The pixels where markers and the mat's name are printed."""
        place = name_place(mat)
        if place is not None and printed_number(mat) is not None:
            name = SQUARE * (PAPER_MM / 2 + _NAME_ROOM_MM) + (place.x_mm, place.y_mm)
            self.printed |= self.drawn([name])
        self.room: Mask = self._on_mat & ~self.printed
        """Where tiles may have their middles."""

    def mm_of(self, pixels: NDArray[np.intp] | Points) -> Points:
        """Return where pixels (… × 2) of the flat picture are on the mat."""
        return np.asarray((pixels - (self.side - 1) / 2) / PX_PER_MM, np.float64)

    def pixels_of(self, points_mm: Points) -> Points:
        """The inverse of ``mm_of``."""
        return np.asarray(points_mm * PX_PER_MM + (self.side - 1) / 2)

    def picture(self, image: Pixels, corner: Points) -> tuple[Pixels, tuple[int, int]]:
        """Return the flat picture of an image (h × w × 3), and the column and row where it begins; ``corner`` is the image's first pixel in
        the whole picture. Empty if the image shows nothing of the mat."""
        (top, bottom), (left, right) = self._shown(image, corner)
        part = self._at[top:bottom, left:right]
        if not part.size:
            return np.empty((0, 0, 3), np.uint8), (0, 0)
        return between(image, np.asarray(cv2.subtract(part, np.append(corner, (0, 0))), np.float32)), (left, top)

    def _shown(self, image: Pixels, corner: Points) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the rows and the columns of the flat picture that an image shows, as half-open ranges."""
        height, width = image.shape[:2]
        if (width, height) == self._size_px:
            return (0, self.side), (0, self.side)
        at = self._at[::_COARSE, ::_COARSE] - corner
        shown = np.asarray(((at > -1) & (at < (width, height))).all(axis=2), np.bool_)
        if not shown.any():
            return (0, 0), (0, 0)
        rows, columns = (_blocks(np.flatnonzero(shown.any(axis=axis)) * _COARSE) for axis in (1, 0))
        return rows, columns

    def strange(self, picture: Pixels, light: Light) -> Mask:
        """Return the pixels of a flat picture that look neither like bare cloth nor like its print."""
        count = round(self.side / PX_PER_MM / _CELL_MM)
        along = ((np.arange(count) + 0.5) / count - 0.5) * self.side / PX_PER_MM
        cloth = light.cloth_at(grid_points(along, along)).reshape(count, count, 3)
        cells = np.asarray(cv2.resize(picture, (count, count), interpolation=cv2.INTER_AREA), np.uint8)
        white, beside = light.shares(cells, cloth)
        bare = (white > _DARKEST) & (white < _LIGHTEST) & (beside < _MOST_BESIDE) & (tint_distance(logarithms(cells) - cloth) < _MOST_TINT)
        in_room = cv2.resize(self.room.astype(np.uint8), (count, count), interpolation=cv2.INTER_NEAREST) > 0
        other = cv2.morphologyEx((in_room & ~bare).astype(np.uint8), cv2.MORPH_OPEN, np.ones((_PRINT_CELLS, _PRINT_CELLS)))
        return np.asarray(cv2.resize(other, (self.side, self.side), interpolation=cv2.INTER_NEAREST)) > 0

    def coarse(self, image: Pixels, corner: Points) -> tuple[NDArray[np.int16], tuple[int, int]]:
        """As ``picture``, with one pixel in ``COARSER`` along each axis and noise averaged, for comparison."""
        (top, bottom), (left, right) = self._shown(image, corner)
        at = (self._at[top:bottom:COARSER, left:right:COARSER] - corner.astype(np.float32)) / 2
        if not at.size:
            return np.empty((0, 0, 3), np.int16), (0, 0)
        half = cv2.resize(image, (image.shape[1] // 2, image.shape[0] // 2), interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.blur(between(np.asarray(half, np.uint8), at), (3, 3)), np.int16), (left, top)

    def drawn(self, outlines_mm: Iterable[Points]) -> Mask:
        """Return the pixels inside convex outlines (n × 2 each)."""
        drawn = np.zeros((self.side, self.side), np.uint8)
        for outline in outlines_mm:
            cv2.fillConvexPoly(drawn, np.rint(self.pixels_of(outline) * (1 << _SHIFT)).astype(np.int32), 1, cv2.LINE_8, _SHIFT)
        return drawn > 0

    def marked(self, mask: Mask, points_mm: Points) -> NDArray[np.bool_]:
        """Return a mask's values at points of the mat (… × 2)."""
        at = np.clip(np.rint(self.pixels_of(points_mm)).astype(np.intp), 0, self.side - 1)
        return np.asarray(mask[at[..., 1], at[..., 0]])

    def squares(self, mask: Mask, side_mm: float, least: float) -> frozenset[tuple[int, int]]:
        """Return the squares, of a grid centred on the mat, of which more than the share ``least`` is marked."""
        along = np.flatnonzero(self._on_mat.any(axis=0))
        at = np.rint(self.mm_of(along) / side_mm).astype(np.intp)
        starts = np.flatnonzero(np.diff(at, prepend=at[0] - 1))
        inner = mask[along[0] : along[-1] + 1, along[0] : along[-1] + 1].astype(np.int32)
        marked = np.add.reduceat(np.add.reduceat(inner, starts, axis=0), starts, axis=1)
        widths = np.diff(starts, append=len(along))
        y, x = np.nonzero(marked > least * np.outer(widths, widths))
        return frozenset(zip(at[starts[x]].tolist(), at[starts[y]].tolist(), strict=True))


def _blocks(numbers: NDArray[np.intp]) -> tuple[int, int]:
    return int(numbers[0]) // _BLOCK_PX * _BLOCK_PX, (int(numbers[-1]) // _BLOCK_PX + 1) * _BLOCK_PX


QUIET_HALF_MM = 45.0
"""The middle of the mat, without slots: a sample of the cloth in a part of a picture."""
_QUIET_PLACES = np.linspace(-QUIET_HALF_MM, QUIET_HALF_MM, 13)
_SHIFTS_KEPT = 5
"""Whole frames that give the mat's place in parts of pictures."""
_PART_OF_NOTHING = ReadRefusal(Reason.MARKERS, "a part of a picture came before any whole one: the mat's place is not known yet")


@frozen_identity
class MatInFrame:
    """One frame: its first pixel's place in the whole picture in which the mat was placed, the mat's light, and its placement."""

    corner: Points
    light: Light
    placed: PlacedMat


class PlacedMat:
    """What whole frames showed since the mat was last placed, and what follows from its place."""

    def __init__(self, view: MatView, frame: CameraFrame, places: Places, meter: LightMeter, flat: FlatMat) -> None:
        self.view, self.flat = view, flat
        self.height_px, self.width_px = frame.image.shape[:2]
        self.places, self.meter = places, meter
        self.light: Light = meter.measure(frame.image)
        """Of the last whole frame."""
        self.print_contrast: float | None = None
        """The contrast of the printed outlines with the cloth; None until enough bare slots were seen."""
        self._shifts_px: deque[Points] = deque(maxlen=_SHIFTS_KEPT)
        self.quiet_mm: Points = grid_points(_QUIET_PLACES, _QUIET_PLACES)
        self.quiet_px = view.project(self.quiet_mm)

    def bare_slots(self, image: NDArray[np.uint8], corner: Points, light: Light) -> BareSlots:
        """Return the slots in a frame (h × w × 3 BGR) with its first pixel at ``corner`` of the whole picture. The first whole frame with
        enough bare slots gives the contrast of their print."""
        slots = BareSlots(image, corner, light, self.places)
        if self.print_contrast is None and image.shape[:2] == (self.height_px, self.width_px):
            self.print_contrast = slots.usual_contrast()
        return replace(slots, print_contrast=self.print_contrast or 0.0)

    def followed(self, shift_px: Points | None) -> Points:
        """Return how far (x, y) the next frame shows the mat beside its place: ``shift_px``, which is kept, if known. Otherwise, as for
        parts of pictures, the median of the last whole frames, about which a shaking camera moves."""
        if shift_px is not None:
            self._shifts_px.append(shift_px)
            return shift_px
        return np.asarray(np.median(self._shifts_px, axis=0)) if self._shifts_px else np.zeros(2)


class MatFollower:
    """Follows one mat and its light through the frames of one camera."""

    def __init__(self, mat: Mat, placement: MatPlacement, thickness_mm: float) -> None:
        """``placement`` follows the markers; ``thickness_mm`` is the height of a tile's face."""
        self._mat, self._placement, self.thickness_mm = mat, placement, thickness_mm
        self._name = MatName(mat, placement.corners_mm)
        self.trouble: ReadRefusal | None = None
        """Why the last frame showed no mat of this table; None if it did."""
        self.placed: PlacedMat | None = None
        """The mat's place in the last whole frame."""
        self._last: tuple[CameraFrame, MatInFrame | None] | None = None

    def seen_in(self, frame: CameraFrame) -> MatInFrame | None:
        """Return the mat in a frame, the same for repeated calls; None if ``trouble`` says why."""
        if self._last is None or self._last[0] is not frame:
            self._last = frame, self._look(frame)
        return self._last[1]

    def _look(self, frame: CameraFrame) -> MatInFrame | None:
        known = self.placed
        placed = self._placed_in(frame)
        self.trouble = (unlit(frame.image) or placed) if isinstance(placed, ReadRefusal) else None
        if isinstance(placed, ReadRefusal):
            return None
        if frame.region is not None:
            corner = np.array((frame.region.left, frame.region.top)) - placed.followed(None)
            return MatInFrame(corner, placed.light.adapted(frame.image, placed.quiet_px - corner, placed.quiet_mm), placed)
        corner = np.zeros(2) - placed.followed(self._placement.shift_px)
        if placed is known:
            placed.light = placed.meter.measure(frame.image, corner)
        return MatInFrame(corner, placed.light, placed)

    def _placed_in(self, frame: CameraFrame) -> PlacedMat | ReadRefusal:
        """Return the mat's place: of a whole frame by its markers, of a part by the last whole frame."""
        if frame.region is not None:
            return self.placed or _PART_OF_NOTHING
        view = self._placement.locate(frame.image)
        refused = view if isinstance(view, ReadRefusal) else self._name.refusal(frame.image, view)
        if refused is not None or isinstance(view, ReadRefusal):
            self.placed = None
            return refused or _PART_OF_NOTHING
        if self.placed is None or self.placed.view is not view:
            meter = LightMeter(self._mat, view, self._placement.corners_mm)
            places = Places(self._mat, view, self.thickness_mm)
            flat = FlatMat(self._mat, view, self.thickness_mm, (frame.image.shape[1], frame.image.shape[0]))
            self.placed = PlacedMat(view, frame, places, meter, flat)
        return self.placed
