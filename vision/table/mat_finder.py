"""Mat finder: the tiles that a frame shows on the mat, and what covers it, by the finder (``vision.finder``).

The finder looks at the flat picture, where all tiles have the same size, around places that changed since it looked at them. What it found
elsewhere stays. Every few seconds it looks at the whole mat.

Covering: whether something is over a tile's face, by the colours all around its rim.

A finger, a sleeve or a cup reaches a face only across its rim, where it changes the colour. Darkness alone says nothing, since shadows fall
on faces. A tint of a whole side says nothing if the opposite side has the opposite tint: edges are round, and one may face a window, the
other a lamp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.values import frozen_identity
from vision.cameras.port import CameraFrame, Region
from vision.finder.found import CELL_PX, PIECED, FoundTile, TileForm, pieced_faces
from vision.finder.tile_finder import TileFinder
from vision.table.lens import Points, grid_points
from vision.table.light import Colours, brightness, logarithms, tint_distance
from vision.table.seen_mat import COARSER, PX_PER_MM, MatInFrame, Pixels, PlacedMat
from vision.table.tile_pose import TilePose, fitted, poses_seen, sampled

_INSETS_MM = (1.2, 2.0)
"""How far inside a tile's sides the two rings of its rim are: poses may be 0.5 mm off, and marks may reach the inner ring."""
_PLACES = np.linspace(-0.9, 0.9, 15)
"""Places along each side, as shares of half its length."""
_OTHER_TINT = 0.08
"""A place is covered if its tint differs from its side's by this logarithm; on tiles with nothing over them it differs less."""
_LIGHTER, _LIGHTER_TINT = 0.05, 0.13
"""A place lighter by the first is in the light and the rest of the rim in the shade, unless its tint exceeds the second: things over faces
are darker than faces."""
_DARKER, _DARKER_TINT = 0.15, 0.045
"""A place darker by the first counts from the second tint on, like a pale finger's: a shadow alone has no tint."""
_OTHER_WAY = 0.02
"""The light tints a side if the opposite one has the opposite tint by at least this."""
_BLACK = 0.9
"""Logarithm by which a black sleeve, without tint, is darker than any shadow."""
_BEYOND_MM, _SEAM, _SEAM_SHARE = 4.8, 0.08, 0.8
"""Rim samples of a tile wider by this are beyond its sides; a face ends if they are darker by this logarithm, on this share of each
side."""
_LEAST_RUN = 4
"""Consecutive places (about 8 mm) that are no mere speck."""


def things_over(image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Return over which tiles something is (m); the image's first pixel is at ``corner`` of the whole picture."""
    return covered(sampled(image, tiles, corner, rim(*size_mm.tolist()))) if tiles else np.zeros(0, np.bool_)


def ends_around(image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Return around which tiles (m) it gets darker on each side, by a seam or the cloth, so that the face ends there."""
    inside, beyond = (
        brightness(sampled(image, tiles, corner, rim(*(size_mm + wider_mm).tolist()))).reshape(len(tiles), len(_INSETS_MM), 4, len(_PLACES))
        for wider_mm in (0.0, _BEYOND_MM)
    )
    darker = inside[:, 0] - beyond.min(axis=1) > _SEAM
    return np.asarray((darker.mean(axis=2) > _SEAM_SHARE).all(axis=1))


def rim(width_mm: float, height_mm: float) -> Points:
    """Return the sample places (2 n × 2 mm) of a tile upright about its middle: the outer ring, then the inner one."""
    rings = []
    for inset in _INSETS_MM:
        x, y = width_mm / 2 - inset, height_mm / 2 - inset
        across, down = np.full(len(_PLACES), x), np.full(len(_PLACES), y)
        sides = ((_PLACES * x, -down), (across, _PLACES * y), (-_PLACES * x, down), (-across, -_PLACES * y))
        rings += [np.stack(side, axis=1) for side in sides]
    return np.concatenate(rings)


def covered(rims: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which rims (m × 2 n × 3, in the order of ``rim``) something covers (m)."""
    levels = logarithms(rims).reshape(len(rims), len(_INSETS_MM), 4, -1, 3)
    off = levels - np.median(levels[:, :1], axis=(2, 3), keepdims=True)
    lighter = off.mean(axis=-1)
    tints = off - lighter[..., None]
    sides = np.median(tints, axis=3, keepdims=True)
    inner = sides[:, :1]
    of_light = (inner * np.roll(inner, 2, axis=2)).sum(axis=-1, keepdims=True) < -_OTHER_WAY * np.linalg.norm(inner, axis=-1, keepdims=True)
    tint = np.abs(tints - np.where(of_light, sides, 0)).max(axis=-1)
    most = np.where(lighter > _LIGHTER, _LIGHTER_TINT, np.where(lighter < -_DARKER, _DARKER_TINT, _OTHER_TINT))
    other = ((tint > most) | (lighter < -_BLACK)).all(axis=1).reshape(len(rims), -1)
    runs = np.logical_and.reduce([np.roll(other, shift, axis=1) for shift in range(_LEAST_RUN)])
    return np.asarray(runs.any(axis=1))


_LEAST_SCORE, _LEAST_BACK, _SURE = 0.2, 0.26, 0.4
"""Of 1,256 tiles of twelve path-traced tables one white dragon scores 0.23 and the others at least 0.5; false faces are below 0.1. An
unsure back counts if its colour is ``_ALIKE`` times nearer to the sure backs' than to the cloth's: similarly coloured things also look like
backs."""
_ALIKE = 4.0
_LEAST_AREA = 0.8
"""Share of a tile's area: a smaller one is partly covered, and may look like another kind."""
_LEAST_TINT = 0.1
"""Least difference between a tile's colour and the cloth's (``vision.table.light``), but for sure faces, whose marks may have the cloth's
colour: printed outlines look like backs."""
_CLOSER, _AROUND_PX, _MOST_CLOSER = (1.6, 2.2), 80, 6
"""Scales of two closer looks, of which the one with more whole faces counts; how far they reach; how many places a frame may have."""
_EDGE_PX = 25
"""A tile nearer to the picture's edge is cut off."""
_MOST_SHARED = 0.12
"""Share of a tile that may overlap a surer one, since poses are inexact; a greater overlap means that it is under that one."""
_LEAST_WHITE, _MOST_BESIDE_WHITE = 0.6, 0.12
"""The colour of a face without marks: how far towards white it is at least, and how far beside at most. On 24 path-traced tables
(``benchmarks.rendered make --first 813``) white dragons that look like backs are at 0.90 to 1.41 and at most 0.114 beside; of 343 looks at
backs none passes, the nearest at 0.92 and 0.123."""
_CHANGED = 8
"""Grey levels by which a moving thing changes a coarse picture; noise changes it less."""
_AGE_NS = 5_000_000_000
"""After this time the whole frame is looked at, even without changes."""
_NEAR_PX, _BESIDE_PX, _STEP_PX = 32, 64, 32
"""How far around a change tiles are searched again, how much further the network sees, and the step of both."""
_FITTED_MM = 80.0
"""Poses of tiles further from all places of interest stay as the finder gives them: they neither overlap nor hide what is there."""
_LARGE = 0.5
"""If the network would see a larger share of the picture, it sees all of it."""
_MOST_COVERED = 0.5
"""From this probability something covers a tile."""
_GRID: Points = grid_points(np.linspace(-1, 1, 5), np.linspace(-1, 1, 7))
_ALL_OVER, _INNER = 0.42 * _GRID, 0.3 * _GRID
"""Points of a tile, and of its middle, as shares of its size."""


@frozen_identity
class FoundOnMat:
    """One frame's findings: whole flat tiles with nothing over them; outlines (4 × 2 mm) of standing or partly seen tiles; and for each
    square of ``CELL_PX`` of the flat picture (rows × columns) the probability that something covers it, 0 outside of the frame."""

    tiles: tuple[TilePose, ...]
    parts: tuple[Points, ...]
    covering: NDArray[np.float32]
    picture: Pixels
    """The flat picture of what the frame shows."""


NOTHING = FoundOnMat((), (), np.zeros((1, 1), np.float32), np.empty((0, 0, 3), np.uint8))


_Posed = tuple[FoundTile, TilePose]
Places = Sequence[tuple[float, float]]
"""Places on the mat (x and y in mm)."""
_Asked = tuple[Region | None, Places]
"""The part of a picture that is looked at, and where poses are fitted; everywhere if there are no places."""


@frozen_identity
class _Looked:
    """The last look. ``coarse`` shows each part of the mat as it was when looked at, ``whole_ns`` is the time of the last look at all of
    it; ``tiles`` are in px of the flat picture."""

    frame: CameraFrame
    asked: _Asked
    placed: PlacedMat
    first: tuple[int, int]
    coarse: NDArray[np.int16]
    whole_ns: int
    tiles: Sequence[_Posed]
    found: FoundOnMat

    def changed(self, now: _Looked) -> NDArray[np.intp] | None:
        """Return where a frame differs (n × 2: column and row of ``coarse``); None if the two cannot be compared."""
        alike = now.asked == self.asked and now.placed is self.placed and now.first == self.first
        if not alike or now.coarse.shape != self.coarse.shape or not 0 <= now.whole_ns - self.whole_ns < _AGE_NS:
            return None
        return np.argwhere(np.abs(now.coarse - self.coarse) >= _CHANGED)[:, 1::-1]


class MatFinder:
    """Finds tiles and covered places on one mat, in frames of one camera."""

    def __init__(self, mat: Mat, thickness_mm: float) -> None:
        self._size_mm: Points = np.array((mat.tile_width_mm, mat.tile_height_mm))
        self._reach_mm, self._least_px2 = hypot(*self._size_mm), _LEAST_AREA * PX_PER_MM**2 * float(np.prod(self._size_mm))
        self._thickness_mm, self._finder = thickness_mm, TileFinder()
        self._last: _Looked | None = None

    def found(self, frame: CameraFrame, seen: MatInFrame, around: Region | None = None, near: Places = ()) -> FoundOnMat:
        """Return what a frame shows, given the mat's place in it; of a whole frame only the region ``around``, if given. If what is
        ``near`` some places is asked for, other poses are less exact."""
        image, asked = frame.image, (frame.region or around, near)
        if frame.region is None and around is not None:
            image = image[around.top : around.top + around.height, around.left : around.left + around.width]
            seen = replace(seen, corner=seen.corner + np.array((around.left, around.top)))
        if self._last is None or self._last.frame is not frame or self._last.asked != asked:
            self._last = self._looked(frame, image, asked, seen)
        return self._last.found

    def _looked(self, frame: CameraFrame, image: Pixels, asked: _Asked, seen: MatInFrame) -> _Looked:
        """Return the last look if nothing has changed since, else a new one around the changes."""
        last, flat = self._last, seen.placed.flat
        coarse, first = flat.coarse(image, seen.corner)
        now = _Looked(frame, asked, seen.placed, first, coarse, frame.exposure_end_ns, (), NOTHING)
        changed = None if last is None else last.changed(now)
        if last is not None and changed is not None and not len(changed):
            return last
        picture, _ = flat.picture(image, seen.corner)
        if not picture.size:
            return now
        whole: NDArray[np.intp] = np.array(((0, 0), picture.shape[1::-1]))
        parts = None if changed is None else _parts(changed, whole[1])
        inner, part = (whole, whole) if parts is None else parts
        looked_at = picture[_slices(part)]
        table = self._finder.at(looked_at, 1.0, _LEAST_SCORE)
        zone = inner + first + np.where(inner == whole, ((-CELL_PX,), (CELL_PX,)), 0)
        pieced = pieced_faces(table.tiles, self._size_mm * PX_PER_MM)
        found = (_moved(tile, part[0] + first) for tile in (*self._closer(looked_at, table.tiles), *pieced))
        fresh = [tile for tile in found if _within(tile, zone, CELL_PX)]
        tiles, whole_ns, covering = (
            self._posed(fresh, image, seen, asked[1]),
            now.whole_ns,
            np.zeros((flat.side // CELL_PX,) * 2, np.float32),
        )
        if last is not None and parts is not None:
            seen_now = [tile for tile, _ in tiles]
            tiles += [one for one in last.tiles if not _within(one[0], zone) and not _among(one[0], seen_now)]
            whole_ns, covering, coarse = last.whole_ns, last.found.covering.copy(), last.coarse.copy()
            coarse[_slices(inner, COARSER)] = now.coarse[_slices(inner, COARSER)]
        covering[_slices(inner + first, CELL_PX)] = table.covering[_slices(inner - part[0], CELL_PX)]
        tiles.sort(key=lambda one: -one[0].score)
        found_now = self._found(tiles, image, seen, covering, picture)
        return replace(now, coarse=coarse, whole_ns=whole_ns, tiles=tiles, found=found_now)

    def _posed(self, tiles: Sequence[FoundTile], image: Pixels, seen: MatInFrame, near: Places) -> list[_Posed]:
        """Return the tiles that are where tiles may be, with their poses, fitted ``near`` some places."""
        middles = seen.placed.flat.mm_of(np.array([(tile.x_px, tile.y_px) for tile in tiles]).reshape(-1, 2) - 0.5)
        there = zip(tiles, middles.tolist(), strict=True)
        placed = [(x, y, tile.angle_deg, tile.score, tile.form is TileForm.FACE) for tile, (x, y) in there]
        poses = poses_seen(seen.placed.view, placed, self._thickness_mm)
        in_room = seen.placed.flat.marked(seen.placed.flat.room, middles)
        posed = [one for one, lies in zip(zip(tiles, poses, strict=True), in_room, strict=True) if lies]
        far_mm = [min((hypot(pose.x_mm - x, pose.y_mm - y) for x, y in near), default=0.0) for _, pose in posed]
        flat = [number for number, (tile, pose) in enumerate(posed) if pose.face_up and self._is_flat(tile)]
        faces = [number for number in flat if far_mm[number] < _FITTED_MM]
        for number, pose in zip(faces, fitted(image, seen.corner, self._size_mm, [posed[number][1] for number in faces]), strict=True):
            posed[number] = posed[number][0], pose
        pieced = [pose for tile, pose in posed if tile.score == PIECED]
        is_whole = iter(ends_around(image, pieced, seen.corner, self._size_mm).tolist())
        return [one for one in posed if one[0].score > PIECED or next(is_whole)]

    def _found(
        self, found: Sequence[_Posed], image: Pixels, seen: MatInFrame, covering: NDArray[np.float32], picture: Pixels
    ) -> FoundOnMat:
        """Return the findings of a frame from its tiles, the surest first."""
        flat, poses = seen.placed.flat, [pose for _, pose in found]
        colours = np.median(logarithms(sampled(image, poses, seen.corner, _INNER * self._size_mm)), axis=1).astype(np.float32)
        ways = colours - seen.light.cloth_at(np.array([(pose.x_mm, pose.y_mm) for pose in poses]).reshape(-1, 2))
        backs = _backs([tile for tile, _ in found], ways).tolist()
        thing_over = things_over(image, poses, seen.corner, self._size_mm).tolist()
        tiles, parts = list[TilePose](), list[Points]()
        tints = tint_distance(ways).tolist()
        for (tile, _), pose, way, tint, back, covers in zip(found, poses, ways, tints, backs, thing_over, strict=True):
            face_up = pose.face_up or (tile.form is TileForm.BACK and _is_white(way, seen.light.white))
            if not (face_up or back) or (tint < _LEAST_TINT and not (pose.face_up and tile.score > _SURE)):
                continue
            points = flat.pixels_of(pose.points_mm(_ALL_OVER * self._size_mm)) // CELL_PX
            column, row = np.clip(points.astype(np.intp), 0, len(covering) - 1).T
            hidden = (face_up and covers) or covering[row, column].max() > _MOST_COVERED
            if self._is_flat(tile) and not hidden and not any(self._share(pose, other) > _MOST_SHARED for other in tiles):
                tiles.append(replace(pose, face_up=face_up))
            elif tile.score > PIECED:
                parts.append(flat.mm_of(tile.outline_px() - 0.5))
        return FoundOnMat(tuple(tiles), tuple(parts), covering, picture)

    def _closer(self, picture: Pixels, tiles: Sequence[FoundTile]) -> list[FoundTile]:
        """Look closer at faces of which only a part was seen, since the finder may take parts of two touching tiles for one. Return all
        tiles, the surest first; a whole face stays where the closer look finds nothing."""
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
            moved = [_moved(tile, np.array((left, top))) for tile in max(looks, key=self._whole_faces)]
            seen_now = [tile for tile in moved if _near(tile, middle)]
            found = [tile for tile in found if not _near(tile, middle) or self._is_missed(tile, seen_now)] + seen_now
        return sorted(found, key=lambda tile: -tile.score)

    def _is_missed(self, tile: FoundTile, seen_closer: Sequence[FoundTile]) -> bool:
        """Whether a tile is a whole face of which a closer look found nothing."""
        return tile.form is TileForm.FACE and self._is_flat(tile) and not _among(tile, seen_closer)

    def _whole_faces(self, tiles: Sequence[FoundTile]) -> float:
        return sum(tile.score for tile in tiles if tile.form is TileForm.FACE and self._is_flat(tile))

    def _is_flat(self, tile: FoundTile) -> bool:
        """Whether all of a tile is seen, and it does not stand."""
        return tile.form is not TileForm.STANDING and tile.width_px * tile.height_px >= self._least_px2

    def _share(self, pose: TilePose, other: TilePose) -> float:
        """Return the share of a tile that overlaps another."""
        if hypot(pose.x_mm - other.x_mm, pose.y_mm - other.y_mm) > self._reach_mm:
            return 0.0
        one, two = (np.asarray(each.corners_mm(self._size_mm), np.float32) for each in (pose, other))
        area, _ = cv2.intersectConvexConvex(one, two)
        return float(area) / float(np.prod(self._size_mm))


def _backs(tiles: Sequence[FoundTile], ways: Colours) -> NDArray[np.bool_]:
    """Return which tiles count (n), by their colours' differences from the cloth (n × 3): sure ones, and backs of nearly the sure backs'
    colour."""
    scores, backs = np.array([tile.score for tile in tiles]), np.array([tile.form is TileForm.BACK for tile in tiles], np.bool_)
    sure = scores > _SURE
    usual = ways[sure & backs]
    if not len(usual):
        return sure
    alike = _ALIKE * tint_distance(ways - np.median(usual, axis=0).astype(np.float32)) < tint_distance(ways)
    return np.asarray(sure | (backs & (scores > _LEAST_BACK) & alike))


def _is_white(way: Colours, white: Colours) -> bool:
    """Whether a colour that differs from the cloth's by ``way`` (3) is white enough (3) for a face without marks, which looks like a
    back."""
    along = way @ white / (white @ white)
    return bool(along > _LEAST_WHITE and tint_distance(np.asarray(way - along * white, np.float32)[None])[0] < _MOST_BESIDE_WHITE)


def _near(tile: FoundTile, middle_px: Points) -> bool:
    return bool(np.hypot(tile.x_px - middle_px[0], tile.y_px - middle_px[1]) < _AROUND_PX / 2)


def _parts(changed: NDArray[np.intp], size: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Return the part of a flat picture where tiles are searched again, and the part that the network sees: first and end columns and rows
    (2 × 2 × 2). None if so much has changed that it sees everything."""
    begin, end = COARSER * changed.min(axis=0), COARSER * (changed.max(axis=0) + 1)
    wider = [np.stack(((begin - by) // _STEP_PX, -((-end - by) // _STEP_PX))) for by in (_NEAR_PX, _NEAR_PX + _BESIDE_PX)]
    parts = np.clip(np.stack(wider) * _STEP_PX, 0, size)
    return parts if np.prod(parts[1, 1] - parts[1, 0]) <= _LARGE * np.prod(size) else None


def _slices(part: NDArray[np.intp], step_px: int = 1) -> tuple[slice, slice]:
    """Return the rows and columns of a part of a picture (2 × 2) of which every ``step_px``-th is kept."""
    (left, top), (right, bottom) = (part // step_px).tolist()
    return slice(top, bottom), slice(left, right)


def _moved(tile: FoundTile, by_px: NDArray[np.intp]) -> FoundTile:
    return replace(tile, x_px=tile.x_px + float(by_px[0]), y_px=tile.y_px + float(by_px[1]))


def _within(tile: FoundTile, part: NDArray[np.intp], wider_px: int = 0) -> bool:
    """Whether a tile's middle is in a part of a picture, or at most ``wider_px`` outside."""
    middle = (tile.x_px, tile.y_px)
    return bool((part[0] - wider_px <= middle).all() and (middle < part[1] + wider_px).all())


def _among(tile: FoundTile, tiles: Sequence[FoundTile]) -> bool:
    return any(hypot(tile.x_px - other.x_px, tile.y_px - other.y_px) < tile.width_px / 2 for other in tiles)
