"""Picture of one slot and its neighbours, cut out of a whole frame for a referee.

It shows the mat at the height of a tile's face, as the player of that place sees it, and ends with the slot's own area: around a river it
shows no hand, meld or other river.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Area, Mat, Slot
from vision.cameras.port import encode_picture
from vision.table.lens import SQUARE, MatView, Points
from vision.table.slot_places import from_mat, on_mat

PX_PER_MM = 3.0
_MARGIN_MM = 1.0
"""Cloth shown around the area."""
SHOWN_AREAS = (Area.RIVER, Area.MELD, Area.HAND, Area.WIN)
"""A referee may be shown slots of these areas of a place."""
_NEIGHBOURS = 1
"""This many neighbours are shown on each side."""
_JPEG_QUALITY = 80


def shown_mm(mat: Mat, slot: Slot) -> Points:
    """Return the corners of the picture of a slot, in mm around its middle as its player sees it: 4 × 2, clockwise from the far left.
    Raises ValueError for a slot outside of ``SHOWN_AREAS``."""
    if slot.area not in SHOWN_AREAS:
        raise ValueError(f"only discards, melds and shown hands are shown to a referee, not {slot}")
    half = np.array([mat.tile_width_mm, mat.tile_height_mm]) / 2
    pitch = np.array([mat.river_pitch_mm, mat.row_pitch_mm])
    area = np.array([mat.at_own_side(each) for each in mat.slots(slot.place, slot.area)]) - mat.at_own_side(slot)
    least = np.maximum(area.min(axis=0), -_NEIGHBOURS * pitch) - half - _MARGIN_MM
    most = np.minimum(area.max(axis=0), _NEIGHBOURS * pitch) + half + _MARGIN_MM
    return np.array((least + most) / 2 + SQUARE * (most - least) / 2)


def is_shown(mat: Mat, slot: Slot, spot_mm: tuple[float, float]) -> bool:
    """Whether the picture of a slot would show most of a tile on a spot of the mat (``Mat.spot``)."""
    (across, along), corners = from_mat(mat.spot(slot), np.array([spot_mm]))[0], shown_mm(mat, slot)
    least, most = corners.min(axis=0) + mat.tile_width_mm / 4, corners.max(axis=0) - mat.tile_width_mm / 4
    return bool(least[0] < across < most[0] and least[1] < along < most[1])


def place_picture(image: NDArray[np.uint8], view: MatView, mat: Mat, slot: Slot, thickness_mm: float) -> bytes:
    """Return a JPEG file of a slot and its neighbours, from a whole frame (h × w × 3 BGR) in which ``view`` placed the mat."""
    corners_mm = shown_mm(mat, slot)
    seen_px = view.project(on_mat(mat.spot(slot), corners_mm), thickness_mm)
    width, height = (int(side) for side in np.rint((corners_mm[2] - corners_mm[0]) * PX_PER_MM))
    corners_px = ((SQUARE + 1) / 2 * (width, height)).astype(np.float32)
    plane = cv2.getPerspectiveTransform(seen_px.astype(np.float32), corners_px)
    picture = cv2.warpPerspective(image, plane, (width, height), flags=cv2.INTER_AREA)
    return encode_picture(np.asarray(picture, np.uint8), quality=_JPEG_QUALITY)
