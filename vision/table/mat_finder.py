"""Mat finder: the tiles that a frame shows on the mat, and what covers it, by the finder of tiles (``vision.finder``).

The finder looks at the mat as it is seen squarely, where every tile has the same size. A frame in which nothing has
changed keeps what was found in the one before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import hypot

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from vision.cameras.port import CameraFrame, Region
from vision.finder.found import CELL_PX, FoundTile, TileForm
from vision.finder.network import TileFinder
from vision.table.covering import things_over
from vision.table.flat_mat import PX_PER_MM, Pixels
from vision.table.lens import Points, grid_points
from vision.table.light import Colours, logarithms, tint_distance
from vision.table.pose_fit import fitted
from vision.table.seen_mat import MatInFrame, PlacedMat
from vision.table.tile_pose import TilePose, poses_seen, sampled

_LEAST_SCORE, _LEAST_BACK, _SURE_BACK = 0.2, 0.26, 0.4
"""Of 1,256 tiles of twelve path-traced tables a white dragon has 0.23 and others 0.5 or more; where none is no face has 0.1. A back that is
not sure counts where its colour is at least ``_ALIKE`` times as near to that of the sure ones as to the cloth's: things of nearly their
colour look like backs as well."""
_ALIKE = 4.0
_LEAST_AREA = 0.8
"""Of a tile's area: what is smaller is the part of one that something leaves free, and may look like another kind."""
_LEAST_TINT = 0.1
"""How much a tile's colour differs from the cloth's (``vision.table.light``): outlines printed on the cloth look like backs."""
_CLOSER, _AROUND_PX, _MOST_CLOSER = (1.6, 2.2), 80, 6
"""By how much two closer looks are closer (the one that shows more whole faces counts), how far they reach, and at how many places of a
frame there are such."""
_EDGE_PX = 25
"""Nearer to a picture's edge a tile is cut off by it."""
_MOST_SHARED = 0.12
"""Share of a tile that may lie where a surer one does, as their poses are not quite right: more of it lies under that one."""
_LEAST_WHITE, _MOST_BESIDE_WHITE = 0.6, 0.12
"""How far on the way from cloth to white the colour of a face without marks lies, and how far beside it. Of 24 path-traced tables
(``benchmarks.rendered make --first 813``) white dragons that look like backs are at 0.90 to 1.41, and 0.114 beside at most; of 343 looks at
backs none is, the nearest at 0.92 and 0.123: light washes colours out."""
_CHANGED = 8
"""Grey levels by which a place of a coarse picture changes where something moves: noise changes it by less."""
_AGE_NS = 5_000_000_000
"""Time after which a frame is looked at though nothing has changed."""
_MOST_COVERED = 0.5
"""Probability from which something may lie over a tile."""
_GRID: Points = grid_points(np.linspace(-1, 1, 5), np.linspace(-1, 1, 7))
_ALL_OVER, _INNER = 0.42 * _GRID, 0.3 * _GRID
"""Points of a tile, and of its middle, as shares of its size."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundOnMat:
    """One frame: the flat whole tiles over which nothing lies; outlines (4 × 2 mm) of what stands, or is seen in part; and the
    probability that something covers the mat, or what lies on it, for each square of ``CELL_PX`` pixels of the flat picture (rows ×
    columns), 0 where the frame shows nothing."""

    tiles: tuple[TilePose, ...]
    parts: tuple[Points, ...]
    covering: NDArray[np.float32]
    picture: Pixels
    """The flat picture of what the frame shows."""


NOTHING = FoundOnMat((), (), np.zeros((1, 1), np.float32), np.empty((0, 0, 3), np.uint8))
"""No tile is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """What the last look was at, and what it found."""

    frame: CameraFrame
    region: Region | None
    placed: PlacedMat
    coarse: NDArray[np.int16]
    found: FoundOnMat


class MatFinder:
    """Finds what lies on one mat in frames of one camera."""

    def __init__(self, mat: Mat, thickness_mm: float) -> None:
        self._size_mm: Points = np.array((mat.tile_width_mm, mat.tile_height_mm))
        self._reach_mm = hypot(*self._size_mm)
        self._thickness_mm, self._finder = thickness_mm, TileFinder()
        self._last: _Looked | None = None

    def found(self, frame: CameraFrame, seen: MatInFrame, around: Region | None = None) -> FoundOnMat:
        """What a frame shows in which the mat was seen so: of a whole one what is ``around`` there, where that is given."""
        image, region = frame.image, frame.region or around
        if frame.region is None and region is not None:
            image = image[region.top : region.top + region.height, region.left : region.left + region.width]
            seen = replace(seen, corner=seen.corner + np.array((region.left, region.top)))
        last = self._last
        if last is None or last.frame is not frame or last.region != region:
            coarse = seen.placed.flat.coarse(image, seen.corner)
            if last is None or last.region != region or not _unchanged(last, frame, seen, coarse):
                last = _Looked(frame, region, seen.placed, coarse, self._look(image, seen))
        self._last = last
        return last.found

    def _look(self, image: Pixels, seen: MatInFrame) -> FoundOnMat:
        flat = seen.placed.flat
        picture, first = flat.picture(image, seen.corner)
        if not picture.size:
            return NOTHING
        table = self._finder.at(picture, 1.0, _LEAST_SCORE)
        covering, (left, top) = np.zeros((flat.side // CELL_PX, flat.side // CELL_PX), np.float32), (number // CELL_PX for number in first)
        rows, columns = table.covering.shape
        covering[top : top + rows, left : left + columns] = table.covering
        placed = self._placed(self._closer(picture, table.tiles), first, seen)
        found = [(tile, pose) for tile, pose in placed if flat.marked(flat.room, np.array((pose.x_mm, pose.y_mm)))]
        faces = {number: pose for number, (tile, pose) in enumerate(found) if pose.face_up and self._is_flat(tile)}
        faces = dict(zip(faces, fitted(image, seen.corner, self._size_mm, list(faces.values())), strict=True))
        poses = [faces.get(number, pose) for number, (_, pose) in enumerate(found)]
        colours = np.median(logarithms(sampled(image, poses, seen.corner, _INNER * self._size_mm)), axis=1).astype(np.float32)
        ways = colours - seen.light.cloth_at(np.array([(pose.x_mm, pose.y_mm) for pose in poses]).reshape(-1, 2))
        backs = _backs([tile for tile, _ in found], ways).tolist()
        thing_over = things_over(image, poses, seen.corner, self._size_mm).tolist()
        tiles, parts = list[TilePose](), list[Points]()
        tints = tint_distance(ways).tolist()
        for (tile, _), pose, way, tint, back, covers in zip(found, poses, ways, tints, backs, thing_over, strict=True):
            face_up = pose.face_up or (tile.form is TileForm.BACK and _is_white(way, seen.light.white))
            if tint < _LEAST_TINT or not (face_up or back):
                continue
            points = flat.pixels_of(pose.points_mm(_ALL_OVER * self._size_mm)) // CELL_PX
            column, row = np.clip(points.astype(np.intp), 0, len(covering) - 1).T
            hidden = (face_up and covers) or covering[row, column].max() > _MOST_COVERED
            if self._is_flat(tile) and not hidden and not any(self._share(pose, other) > _MOST_SHARED for other in tiles):
                tiles.append(replace(pose, face_up=face_up))
            else:
                parts.append(flat.mm_of(tile.outline_px() + first - 0.5))
        return FoundOnMat(tuple(tiles), tuple(parts), covering, picture)

    def _placed(self, tiles: Sequence[FoundTile], first: tuple[int, int], seen: MatInFrame) -> Iterable[tuple[FoundTile, TilePose]]:
        """Tiles of a flat picture that begins at a column and row, with where they are on the mat."""
        middles = seen.placed.flat.mm_of(np.array([(tile.x_px, tile.y_px) for tile in tiles]).reshape(-1, 2) + first - 0.5).tolist()
        placed = [(x, y, tile.angle_deg, tile.score, tile.form is TileForm.FACE) for tile, (x, y) in zip(tiles, middles, strict=True)]
        return zip(tiles, poses_seen(seen.placed.view, placed, self._thickness_mm), strict=True)

    def _closer(self, picture: Pixels, tiles: Sequence[FoundTile]) -> list[FoundTile]:
        """The tiles of a flat picture, the surest first, after a closer look around faces of which only a part was seen: where no seam
        shows between two, or one lies on another, the finder takes parts of both for one."""
        found = list(tiles)
        height, width = picture.shape[:2]
        seen = [tile for tile in tiles if _EDGE_PX < tile.x_px < width - _EDGE_PX and _EDGE_PX < tile.y_px < height - _EDGE_PX]
        for part in [tile for tile in seen if tile.form is TileForm.FACE and not self._is_flat(tile)][:_MOST_CLOSER]:
            if part not in found:
                continue
            middle = np.array((part.x_px, part.y_px))
            left, top = np.clip(middle - _AROUND_PX, 0, picture.shape[1::-1]).astype(int).tolist()
            around = np.ascontiguousarray(picture[top : top + 2 * _AROUND_PX, left : left + 2 * _AROUND_PX])
            looks = [self._finder.at(around, closer, _LEAST_SCORE).tiles for closer in _CLOSER]
            moved = [replace(tile, x_px=tile.x_px + left, y_px=tile.y_px + top) for tile in max(looks, key=self._whole_faces)]
            found = [tile for tile in found if not _near(tile, middle)] + [tile for tile in moved if _near(tile, middle)]
        return sorted(found, key=lambda tile: -tile.score)

    def _whole_faces(self, tiles: Sequence[FoundTile]) -> float:
        """How many whole faces were found, each as surely as it was."""
        return sum(tile.score for tile in tiles if tile.form is TileForm.FACE and self._is_flat(tile))

    def _is_flat(self, tile: FoundTile) -> bool:
        """Whether the whole of a tile is seen, and it does not stand."""
        return tile.form is not TileForm.STANDING and self._area(tile) >= _LEAST_AREA

    def _area(self, tile: FoundTile) -> float:
        """The area of a found tile, as a share of a tile's."""
        return tile.width_px * tile.height_px / PX_PER_MM**2 / float(np.prod(self._size_mm))

    def _share(self, pose: TilePose, other: TilePose) -> float:
        """The share of a tile that lies where another does."""
        if hypot(pose.x_mm - other.x_mm, pose.y_mm - other.y_mm) > self._reach_mm:
            return 0.0
        one, two = (np.asarray(each.corners_mm(self._size_mm), np.float32) for each in (pose, other))
        area, _ = cv2.intersectConvexConvex(one, two)
        return float(area) / float(np.prod(self._size_mm))


def _backs(tiles: Sequence[FoundTile], ways: Colours) -> NDArray[np.bool_]:
    """Which tiles are seen that show no face, by how much their colours differ from the cloth's (n × 3): the sure ones, and backs whose
    colour is nearly that of the sure backs."""
    scores, backs = np.array([tile.score for tile in tiles]), np.array([tile.form is TileForm.BACK for tile in tiles], np.bool_)
    sure = scores > _SURE_BACK
    usual = ways[sure & backs]
    if not len(usual):
        return sure
    alike = _ALIKE * tint_distance(ways - np.median(usual, axis=0).astype(np.float32)) < tint_distance(ways)
    return np.asarray(sure | (backs & (scores > _LEAST_BACK) & alike))


def _is_white(way: Colours, white: Colours) -> bool:
    """Whether a colour that differs from the cloth's by ``way`` (3) lies on the way to white (3), as that of a face without marks does,
    which looks like a back."""
    along = way @ white / (white @ white)
    return bool(along > _LEAST_WHITE and tint_distance(np.asarray(way - along * white, np.float32)[None])[0] < _MOST_BESIDE_WHITE)


def _near(tile: FoundTile, middle_px: Points) -> bool:
    return bool(np.hypot(tile.x_px - middle_px[0], tile.y_px - middle_px[1]) < _AROUND_PX / 2)


def _unchanged(last: _Looked, frame: CameraFrame, seen: MatInFrame, coarse: NDArray[np.int16]) -> bool:
    """Whether a frame shows everything there as the last one looked at did."""
    recent = 0 <= frame.exposure_end_ns - last.frame.exposure_end_ns < _AGE_NS
    alike = last.placed is seen.placed and recent and coarse.shape == last.coarse.shape
    return alike and int(np.abs(coarse - last.coarse).max(initial=0)) < _CHANGED
