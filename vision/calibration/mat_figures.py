"""Figures of a picture of a bare mat: its sharpness and light by the markers, and the slots seen bare with their outline."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat, Slot
from vision.calibration.mat_pieces import SeenMarker
from vision.cameras.port import CameraFrame
from vision.reading import ReadRefusal
from vision.sampling import between
from vision.table.bare_slots import BareSlots
from vision.table.building_mat import BuildingMatCamera
from vision.table.lens import MatView, Points
from vision.table.light import LightMeter
from vision.table.mat_finder import NOTHING
from vision.table.slot_places import Places
from vision.table.slots import Presence, SlotFrame

_THICKNESS_MM = 16.0
_EDGE_PX = np.arange(-4.0, 4.1, 0.5)
_ALONG = np.linspace(-0.7, 0.7, 9)


def bare_slots(image: NDArray[np.uint8], mat: Mat, view: MatView) -> tuple[tuple[Slot, ...], frozenset[Slot], float]:
    """Return all slots, the bare ones, and the printed outlines' contrast with the cloth (logarithm; of squares 1 if any shows, else 0)."""
    slots = mat.all_slots()
    if mat.slot_dot_mm:
        occupied = BuildingMatCamera(mat, view.height_mm).look(CameraFrame(image, 0, 1))
        free = frozenset() if isinstance(occupied, ReadRefusal) else occupied.free
        return slots, frozenset(slot for slot in slots if (slot.place, slot.index) in free), float(bool(free))
    places = Places(mat, view, _THICKNESS_MM)
    cloth = BareSlots(image, np.zeros(2), LightMeter(mat, view).measure(image), places)
    contrasts = cloth.outline_contrasts(slots)
    contrast = float(np.median(contrasts)) if len(contrasts) else 0.0
    found = SlotFrame(replace(cloth, print_contrast=contrast), lambda: NOTHING).look(slots)
    return slots, frozenset(slot for slot, one in found.items() if one is Presence.EMPTY), contrast


def edge_px(grey: NDArray[np.uint8], seen: Sequence[SeenMarker]) -> float:
    """Return the width (px) of the step from black rim to white border: the median of all markers' edges."""
    widths = []
    for corners in (one.corners_px for one in seen):
        ends = np.roll(corners, -1, axis=0)
        half = (ends - corners) / 2
        outwards = np.stack((half[:, 1], -half[:, 0]), axis=1) / np.linalg.norm(half, axis=1, keepdims=True)
        on_edge = (corners + half)[:, None] + half[:, None] * _ALONG[:, None]
        at = (on_edge[:, :, None] + outwards[:, None, None] * _EDGE_PX[:, None]).reshape(-1, len(_EDGE_PX), 2)
        levels = between(grey, at).astype(np.float64)
        steps = np.abs(np.diff(levels, axis=1)).max(axis=1) / (_EDGE_PX[1] - _EDGE_PX[0])
        widths += (np.ptp(levels, axis=1) / np.maximum(steps, 1e-3)).tolist()
    return float(np.median(widths)) if widths else 0.0


def paper_level(grey: NDArray[np.uint8], seen: Sequence[SeenMarker]) -> float:
    """Return the grey level of the markers' white: the median of their lightest parts."""
    levels = [float(np.percentile(inside(grey, one.corners_px), 95)) for one in seen]
    return float(np.median(levels))


def inside(grey: NDArray[np.uint8], corners: Points) -> NDArray[np.uint8]:
    """Return the pixels within a marker's corners; at least one."""
    left, top = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, (grey.shape[1] - 1, grey.shape[0] - 1))
    right, bottom = np.maximum(np.ceil(corners.max(axis=0)).astype(int), (left + 1, top + 1))
    part = grey[top:bottom, left:right]
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.rint(corners - (left, top)).astype(np.int32), 1)
    return part[mask > 0] if mask.any() else part.ravel()
