"""Reads requested slots of the mat from a frame taken from above: occupied or not, and what lies there.

Markers place the mat in the picture, a tile's thickness lifts its face a little towards the camera, and
each tile is registered near its spot before it is classified. What comes out are observations with
probabilities; which of them to believe is for votes over frames and for the rules of play. Between
whole frames a part of one will do: it is read where the last whole frame found the mat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Area, Mat, Slot, Spot
from twinwall.game.tiles import Tile
from vision.accept import decide
from vision.camera import Frame, Region
from vision.classify import MODEL_PATH, Classifier
from vision.crop import CROP_H, CROP_W
from vision.lens import Matrix, MatView, Points
from vision.markers import MatPlacement
from vision.reading import Candidate, Reason, Refusal
from vision.register import Pose, Registrar

_LEAST_CANDIDATE = 1e-4
_CENTRE_MM = 8
"""Half the side of the square in which occupancy is looked at."""
_QUIET_HALF_MM = 60.0
"""The middle of the mat, where no slot is: the felt as it looks in this frame."""
_PLANE_MM = 30.0
"""Half the side of the square over which a slot's surroundings count as a plane of the picture."""
_BLOCK_PX = 16
"""Regions begin and end at multiples of this, so that a JPEG of a part has the same blocks as one of the whole."""
_PART_OF_NOTHING = Refusal(Reason.MARKERS, "a part of a picture came before any whole one: nobody knows yet where the mat lies")


@dataclass(frozen=True, slots=True)
class TableView:
    """Facts of a table: camera height over the mat and tile thickness in mm.

    ``least_covered`` is how much of a spot's middle must look like tile, ``least_clearness`` how clear an outline must be, 0 to 1.
    """

    camera_height_mm: float = 1600.0
    tile_thickness_mm: float = 16.0
    least_covered: float = 0.25
    least_clearness: float = 0.15


@dataclass(frozen=True, slots=True)
class SlotReading:
    """One slot in one frame.

    ``tile`` is the likeliest kind with its calibrated ``probability`` and ``candidates`` all kinds of
    some likelihood, best first. ``reason`` is None for a reading sure enough to stand by itself, else
    why it is not; ``tile`` is None where nothing was classified or what lies there is no tile.
    """

    slot: Slot
    occupied: bool
    tile: Tile | None
    probability: float
    sideways: bool
    reason: Reason | None
    candidates: tuple[Candidate, ...] = ()


class TableReader:
    """One camera over one mat."""

    def __init__(self, mat: Mat, classifier: Classifier, view: TableView | None = None, placement: MatPlacement | None = None) -> None:
        """``placement`` follows the markers; give one to set how long covered markers are tolerated."""
        self._mat = mat
        self._classifier = classifier
        self._view = view or TableView()
        self._placement = placement or MatPlacement(mat, camera_height_mm=self._view.camera_height_mm)
        self._trouble: Refusal | None = None
        self._placed: _Placed | None = None
        self._registrar = Registrar(mat.tile_width_mm, mat.tile_height_mm)

    @classmethod
    def load(cls, mat: Mat, model: Path | None = None) -> TableReader:
        """A reader with the shipped model or another; raises ModelError."""
        return cls(mat, Classifier(model or MODEL_PATH))

    @property
    def trouble(self) -> Refusal | None:
        """Why the last frame said nothing: the mat could not be placed in it. None when it could."""
        return self._trouble

    def region(self, slots: Sequence[Slot]) -> Region | None:
        """The part of the picture that reading these slots takes, as long as the mat lies where the last whole frame had it.

        None while that is not known. Raises ValueError for a slot that the mat does not have.
        """
        placed = self._placed
        if placed is None:
            return None
        reach_mm = self._registrar.patch_px[0] / 2 + 1
        corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
        spots = [self._mat.spot(slot) for slot in slots]
        middle = placed.view.project(corners * _QUIET_HALF_MM)
        faces = np.concatenate([corners * reach_mm + (spot.x_mm, spot.y_mm) for spot in spots])
        points = np.concatenate((middle, placed.view.project(faces, self._view.tile_thickness_mm))) / _BLOCK_PX
        left, top = (max(int(low), 0) * _BLOCK_PX for low in np.floor(points.min(axis=0)))
        ends = np.ceil(points.max(axis=0)).astype(int) * _BLOCK_PX
        right, bottom = min(int(ends[0]), placed.width_px), min(int(ends[1]), placed.height_px)
        return Region(left, top, right - left, bottom - top) if left < right and top < bottom else None

    def occupied(self, frame: Frame, slots: Sequence[Slot]) -> tuple[bool, ...]:
        """Whether something lies on each slot, in the order asked; cheap, nothing is classified. Empty where ``trouble`` says why."""
        sight = self._sight(frame)
        return tuple(sight.covered(slot) for slot in slots) if sight else ()

    def read(self, frame: Frame, slots: Sequence[Slot]) -> tuple[SlotReading, ...]:
        """Observations of the slots in the order asked; none at all where ``trouble`` says why.

        Raises ValueError for a slot that the mat does not have.
        """
        sight = self._sight(frame)
        if sight is None:
            return ()
        poses = {slot: sight.pose(slot) for slot in slots if sight.covered(slot)}
        clear = [slot for slot, pose in poses.items() if pose.clearness >= self._view.least_clearness]
        crops = np.array([sight.crop(slot, poses[slot]) for slot in clear], np.uint8).reshape(-1, CROP_H, CROP_W, 3)
        views = dict(zip(clear, self._classifier.look(crops), strict=True))
        readings = []
        for slot in slots:
            pose, view = poses.get(slot), views.get(slot)
            if pose is None:
                readings.append(SlotReading(slot, False, None, 0.0, False, Reason.EMPTY))
            elif view is None:
                readings.append(SlotReading(slot, True, None, 0.0, pose.sideways, Reason.SHAPE))
            else:
                answer = decide(view, self._classifier.limits)
                reason = answer.reason if isinstance(answer, Refusal) else None
                candidates = tuple(one for one in view.best(len(Tile)) if one.probability >= _LEAST_CANDIDATE)
                known = candidates[0] if candidates and reason is not Reason.NOT_A_TILE else None
                readings.append(
                    SlotReading(
                        slot, True, known.tile if known else None, known.probability if known else 0.0, pose.sideways, reason, candidates
                    )
                )
        return tuple(readings)

    def _sight(self, frame: Frame) -> _Sight | None:
        image, placed = frame.image, self._mat_in(frame)
        self._trouble = placed if isinstance(placed, Refusal) else None
        if isinstance(placed, Refusal):
            return None
        corner = np.array((frame.region.left, frame.region.top) if frame.region else (0.0, 0.0))
        middle = placed.view.project(np.array([(-_QUIET_HALF_MM, -_QUIET_HALF_MM), (_QUIET_HALF_MM, _QUIET_HALF_MM)])) - corner
        (left, top), (right, bottom) = np.sort(middle, axis=0).round().astype(int)
        felt = np.median(image[max(top, 0) : bottom : 3, max(left, 0) : right : 3].max(axis=2)) if bottom > top and right > left else 0.0
        return _Sight(
            image, corner, placed, float(felt), self._mat, self._view.tile_thickness_mm, self._registrar, self._view.least_covered
        )

    def _mat_in(self, frame: Frame) -> _Placed | Refusal:
        """Where the mat lies: by the markers of a whole frame, by the last whole one for a part."""
        if frame.region is not None:
            return self._placed or _PART_OF_NOTHING
        view = self._placement.locate(np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8))
        if isinstance(view, Refusal):
            self._placed = None
            return view
        if self._placed is None or self._placed.view is not view:
            height_px, width_px = frame.image.shape[:2]
            self._placed = _Placed(view, width_px, height_px, {})
        return self._placed


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """Where the last whole frame had the mat, how large that frame was, and the planes around slots that were worked out for it."""

    view: MatView
    width_px: int
    height_px: int
    planes: dict[Slot, Matrix]

    def plane(self, slot: Slot, spot: Spot, above_mm: float) -> Matrix:
        """Millimetres around a spot, in its player's sense and at the height of the faces, to pixels of the whole picture.

        A lens bends little over the reach of one tile, so that a plane stands for it.
        """
        known = self.planes.get(slot)
        if known is None:
            square = np.array([(-_PLANE_MM, -_PLANE_MM), (_PLANE_MM, -_PLANE_MM), (_PLANE_MM, _PLANE_MM), (-_PLANE_MM, _PLANE_MM)])
            turned = square @ _turned(0.0, 0.0, spot.turn_deg)[:2, :2].T + (spot.x_mm, spot.y_mm)
            seen = self.view.project(np.asarray(turned, np.float64), above_mm)
            known = np.asarray(cv2.getPerspectiveTransform(square.astype(np.float32), seen.astype(np.float32)), np.float64)
            self.planes[slot] = known
        return known


@dataclass(frozen=True, slots=True, eq=False)
class _Sight:
    """One frame with the mat placed in it; ``corner`` is where its first pixel lies in the whole picture, ``felt`` the grey level of
    the bare mat's middle."""

    image: NDArray[np.uint8]
    corner: Points
    placed: _Placed
    felt: float
    mat: Mat
    thickness_mm: float
    registrar: Registrar
    least_covered: float

    def covered(self, slot: Slot) -> bool:
        """Whether a spot's middle is lighter than felt over a fair part."""
        size = 2 * _CENTRE_MM + 1
        return bool((self._brightness(slot, (size, size)) > 0.5).mean() >= self.least_covered)

    def pose(self, slot: Slot) -> Pose:
        """How the tile at a slot lies; claimed tiles may lie sideways, on a meld only."""
        brightness = self._brightness(slot, self.registrar.patch_px)
        return self.registrar.find(brightness, sideways_allowed=slot.area is Area.MELD)

    def crop(self, slot: Slot, pose: Pose) -> NDArray[np.uint8]:
        """The tile at a pose, cut for the network; a tile that lies sideways comes out upright or upside down."""
        across, down = self.mat.tile_width_mm / CROP_W, self.mat.tile_height_mm / CROP_H
        to_tile = np.array(
            [(across, 0, -self.mat.tile_width_mm / 2 + across / 2), (0, down, -self.mat.tile_height_mm / 2 + down / 2), (0, 0, 1)]
        )
        lies = _turned(pose.x_mm, pose.y_mm, pose.angle_deg + (90.0 if pose.sideways else 0.0))
        return self._warped(slot, lies @ to_tile, (CROP_W, CROP_H))

    def _brightness(self, slot: Slot, size: tuple[int, int]) -> NDArray[np.float32]:
        """Around a spot at 1 px a mm in the player's sense: 0 as dark as the felt, 1 as light as a tile at least is."""
        centred = np.array([(1, 0, -(size[0] // 2)), (0, 1, -(size[1] // 2)), (0, 0, 1)], np.float64)
        patch = self._warped(slot, centred, size).max(axis=2).astype(np.float32)
        white = self.felt * 1.7 + 40.0
        return np.asarray(np.clip((patch - self.felt) / (white - self.felt), 0, 1), np.float32)

    def _warped(self, slot: Slot, to_spot_mm: Matrix, size: tuple[int, int]) -> NDArray[np.uint8]:
        """A picture of ``size`` whose pixels ``to_spot_mm`` takes to millimetres around the spot, at the height of the tiles' faces."""
        to_part = np.array([(1, 0, -self.corner[0]), (0, 1, -self.corner[1]), (0, 0, 1)], np.float64)
        to_frame = to_part @ self.placed.plane(slot, self.mat.spot(slot), self.thickness_mm) @ to_spot_mm
        return np.asarray(
            cv2.warpPerspective(self.image, to_frame, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )


def _turned(x_mm: float, y_mm: float, angle_deg: float) -> Matrix:
    """A turn counter-clockwise as seen from above (y points down), then a shift."""
    angle = np.deg2rad(angle_deg)
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([(cosine, sine, x_mm), (-sine, cosine, y_mm), (0.0, 0.0, 1.0)])
