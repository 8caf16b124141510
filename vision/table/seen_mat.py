"""The mat in a camera's frames: where its markers place it, and how it is lit.

Lamps and shadows are measured in each whole frame. A part of a picture takes the place of the mat from the last whole frames, and their
light, adapted as a whole.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.values import frozen_identity
from vision.cameras.port import CameraFrame
from vision.gate.presence import unlit
from vision.reading import ReadRefusal, Reason
from vision.table.bare_slots import BareSlots
from vision.table.flat_mat import FlatMat
from vision.table.lens import MatView, Points, grid_points
from vision.table.light import Light, LightMeter
from vision.table.mat_name import MatName
from vision.table.placement import MatPlacement
from vision.table.slot_places import Places

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
        self._mat, self._placement, self._thickness_mm = mat, placement, thickness_mm
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
        shift_px = placed.followed(self._placement.shift_px if frame.region is None else None)
        corner = np.array((frame.region.left, frame.region.top) if frame.region else (0.0, 0.0)) - shift_px
        if frame.region is None and placed is known:
            placed.light = placed.meter.measure(frame.image, corner)
        if frame.region is None:
            return MatInFrame(corner, placed.light, placed)
        return MatInFrame(corner, placed.light.adapted(frame.image, placed.quiet_px - corner, placed.quiet_mm), placed)

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
            places = Places(self._mat, view, self._thickness_mm)
            flat = FlatMat(self._mat, view, self._thickness_mm, (frame.image.shape[1], frame.image.shape[0]))
            self.placed = PlacedMat(view, frame, places, meter, flat)
        return self.placed
