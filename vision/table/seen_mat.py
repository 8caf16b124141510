"""The mat in a camera's frames: where it lies by its markers, and how it is lit.

Lamps and shadows are measured in each whole frame. A part of a picture is placed where the last whole frames had the mat, and an even
change of the last one's light is followed.
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
"""The middle of the mat, which has no slots: a sample of the cloth in a part of a picture."""
_QUIET_PLACES = np.linspace(-QUIET_HALF_MM, QUIET_HALF_MM, 13)
_SHIFTS_KEPT = 5
"""This many whole frames show where a part of a picture shows the mat."""
_PART_OF_NOTHING = ReadRefusal(Reason.MARKERS, "a part of a picture came before any whole one: the mat's place is not known yet")


@frozen_identity
class MatInFrame:
    """One frame: where its first pixel lies in the whole picture in which the mat was placed, the mat's light in it, and what is known
    of the mat's place."""

    corner: Points
    light: Light
    placed: PlacedMat


class PlacedMat:
    """What the whole frames since the mat was last placed have shown, and what was worked out for its place."""

    def __init__(self, view: MatView, frame: CameraFrame, places: Places, meter: LightMeter, flat: FlatMat) -> None:
        self.view, self.flat = view, flat
        self.height_px, self.width_px = frame.image.shape[:2]
        self.places, self.meter = places, meter
        self.light: Light = meter.measure(frame.image)
        """That of the last whole frame."""
        self.print_contrast: float | None = None
        """How the printed outlines differ from the cloth; None until enough bare slots have been seen."""
        self._shifts_px: deque[Points] = deque(maxlen=_SHIFTS_KEPT)
        self.quiet_mm: Points = grid_points(_QUIET_PLACES, _QUIET_PLACES)
        self.quiet_px = view.project(self.quiet_mm)

    def bare_slots(self, image: NDArray[np.uint8], corner: Points, light: Light) -> BareSlots:
        """The slots in a frame (h × w × 3 BGR) whose first pixel lies there in the whole picture, in its light.

        The first whole frame that shows enough bare slots tells the contrast of their print.
        """
        slots = BareSlots(image, corner, light, self.places)
        if self.print_contrast is None and image.shape[:2] == (self.height_px, self.width_px):
            self.print_contrast = slots.usual_contrast()
        return replace(slots, print_contrast=self.print_contrast or 0.0)

    def followed(self, shift_px: Points | None) -> Points:
        """By how much the next frame shows the mat beside its place (x and y): ``shift_px``, which is kept, where the frame tells.

        One that does not, as a part of a picture, is taken to show it at the median of the last whole frames: between these a camera that
        shakes may be anywhere about there.
        """
        if shift_px is not None:
            self._shifts_px.append(shift_px)
            return shift_px
        return np.asarray(np.median(self._shifts_px, axis=0)) if self._shifts_px else np.zeros(2)


class MatFollower:
    """Follows one mat and its light through the frames of one camera."""

    def __init__(self, mat: Mat, placement: MatPlacement, thickness_mm: float) -> None:
        """``placement`` follows the markers; ``thickness_mm`` is how high a tile's face lies."""
        self._mat, self._placement, self._thickness_mm = mat, placement, thickness_mm
        self._name = MatName(mat, placement.corners_mm)
        self.trouble: ReadRefusal | None = None
        """Why the mat could not be placed in the last frame, or is another table's; None when it could."""
        self.placed: PlacedMat | None = None
        """Where the last whole frame showed the mat."""
        self._last: tuple[CameraFrame, MatInFrame | None] | None = None

    def seen_in(self, frame: CameraFrame) -> MatInFrame | None:
        """The mat in a frame, or None where ``trouble`` says why. Asked again for the same frame, it answers the same."""
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
        """Where the mat lies: by the markers of a whole frame, by the last whole one for a part."""
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
