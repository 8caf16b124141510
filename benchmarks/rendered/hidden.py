"""What arms and tiles hide of each slot: shares of the slot's outline in the picture.

The rendered shapes are projected by the camera that renders them. An arm hides everything within its outline, since nothing is above it.
Tiles are side by side at one height, so they hide no faces, only bare places beside them.
"""

from collections.abc import Iterable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.rendered.camera import OverheadCamera, Points
from simulator.cameras.ground import SIDE_PX
from simulator.cameras.table import TILE_THICKNESS_MM
from simulator.scene import LaidTile
from twinwall.art.mat import Mat, Slot

Mask = NDArray[np.uint8]
"""SIDE_PX × SIDE_PX, 255 where something is."""
_SHIFT = 4
_FINER = 1 << _SHIFT


def tile_corners_mm(mat: Mat, slot: Slot, laid: LaidTile | None) -> Points:
    """Return the corners (4 × 2 mm: upper left, upper right, lower right, lower left) of an upright tile at a slot, or of the bare slot."""
    spot = mat.spot(slot)
    off, angle_deg = ((0.0, 0.0), 0.0) if laid is None else (laid.offset_mm, laid.angle_deg + 90.0 * laid.sideways)
    angle = np.deg2rad(spot.turn_deg + angle_deg)
    x, y = mat.tile_width_mm / 2, mat.tile_height_mm / 2
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    corners = np.array([(-x, -y), (x, -y), (x, y), (-x, y)]) @ turn
    return np.asarray(corners + np.array((spot.x_mm + off[0], spot.y_mm + off[1])), np.float64)


def outline_px(mat: Mat, slot: Slot, laid: LaidTile | None, camera: OverheadCamera) -> Points:
    """Return where the face of the tile at a slot, or the bare slot, is seen (4 × 2 px)."""
    return camera.project(tile_corners_mm(mat, slot, laid), 0.0 if laid is None else TILE_THICKNESS_MM)


def arms_mask(shapes: Iterable[tuple[Points, NDArray[np.int32]]], camera: OverheadCamera) -> Mask:
    """Return what arms cover, from points (n × 3 mm, the third above the mat) and triangles (m × 3) of each shape."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for points, triangles in shapes:
        pixels = np.rint(camera.project(points[:, :2], points[:, 2]) * _FINER).astype(np.int32)
        for corners in pixels[triangles]:
            cv2.fillConvexPoly(mask, corners, 255, cv2.LINE_8, _SHIFT)
    return mask


def tiles_mask(corners_mm: Iterable[Points], camera: OverheadCamera) -> Mask:
    """Return what tiles cover, each from its foot to its face."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for corners in corners_mm:
        seen = np.vstack((camera.project(corners), camera.project(corners, TILE_THICKNESS_MM)))
        hull = cv2.convexHull(np.rint(seen * _FINER).astype(np.int32))
        cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_8, _SHIFT)
    return mask


def share(mask: Mask, outline: Points) -> float:
    """Return the share of an outline (4 × 2 px) that a mask covers, 0 to 1; parts outside the picture count as free."""
    left, top = np.clip(np.floor(outline.min(axis=0)), 0, SIDE_PX - 1).astype(int)
    right, bottom = np.clip(np.ceil(outline.max(axis=0)) + 1, 1, SIDE_PX).astype(int)
    inside = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(inside, np.rint((outline - (left, top)) * _FINER).astype(np.int32), 255, cv2.LINE_8, _SHIFT)
    within = inside > 0
    return float((mask[top:bottom, left:right][within] > 0).mean()) if within.any() else 0.0


def hidden_shares(
    mat: Mat, slots: Iterable[Slot], laid: Mapping[Slot, LaidTile], camera: OverheadCamera, arms: Mask
) -> dict[Slot, tuple[float, float]]:
    """Return, for each slot, the shares of its tile's face or bare place that arms and other tiles hide."""
    tiles = tiles_mask((tile_corners_mm(mat, slot, one) for slot, one in laid.items()), camera)
    found = {}
    for slot in slots:
        outline = outline_px(mat, slot, laid.get(slot), camera)
        found[slot] = share(arms, outline), 0.0 if slot in laid else share(tiles, outline)
    return found
