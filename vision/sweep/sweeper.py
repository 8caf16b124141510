"""Sweeper: turns whole frames into mat observations, with every tile wherever it lies and the squares that are covered.

White regions off the cloth are proposed as tiles, each is proved by its sides, and what is proved is taken off the
map before the rest is looked at again. What then looks neither white nor like cloth may lie face down. Between frames
only what has changed is looked for again; a tile that lies still is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFrame
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile
from vision.model.bare_crop import washed
from vision.model.classes import Foreign
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView
from vision.model.judge import GeneralJudge, Judge
from vision.reading import ReadRefusal, Reason
from vision.sweep.flat_mat import FlatFrame, FlatMat, Mask, changed
from vision.sweep.free_tiles import FreeFrame, FreeTile
from vision.sweep.proposals import Proposer
from vision.sweep.tints import own_colours, tint_distance
from vision.table.kept_views import KeptViews
from vision.table.lens import Points
from vision.table.seen_mat import MatFollower, PlacedMat
from vision.table.table_reader import TableGeometry

_ROUNDS = 3
"""So often what is left of white regions is looked at, after the tiles proved before are taken off."""
_AROUND_MM = 2.5
"""What is seen around a tile that is its blur, its rim and its shadow."""
_LEAST_COVERED = 0.08
"""Share of a square that must show neither cloth nor a tile."""
_WHOLE_NS = 1_000_000_000
"""Time after which everything is looked for again."""
_LEAST_WAY, _MOST_SPREAD = 0.25, 0.16
"""How much a back's colour differs from the cloth's (``vision.sweep.tints``), and how even it is."""
_INNER = np.stack(np.meshgrid(np.linspace(-0.3, 0.3, 5), np.linspace(-0.3, 0.3, 7)), axis=-1).reshape(-1, 2)
_SAME_MM, _SAME_DEG = 3.0, 6.0
_LEAST_SHARE = 1e-4
_FAINT_AND_UNSURE = 0.75
_BACK_SHARE = 0.5
_NO_TILE_SHARE = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class _Track:
    """A tile that was proved, by a number that it keeps as long as it lies there."""

    number: int
    tile: FreeTile


class MatSweeper:
    """One camera over one mat."""

    def __init__(
        self,
        mat: Mat,
        classifier: Classifier,
        follower: MatFollower,
        geometry: TableGeometry | None = None,
        judges: Mapping[int, Judge] | None = None,
    ) -> None:
        """``follower`` places the mat; one that a table reader uses as well is asked once a frame.

        ``judges`` read the tiles of enrolled sets, by the numbers of their backs; others are read by the model alone.
        """
        self._mat, self._follower = mat, follower
        self._geometry = geometry or TableGeometry()
        self._kept: KeptViews[int] = KeptViews(classifier)
        self._general = GeneralJudge(classifier.limits)
        self._judges = judges or {}
        self._size_mm: Points = np.array((mat.tile_width_mm, mat.tile_height_mm))
        self._proposer = Proposer(mat.tile_width_mm, mat.tile_height_mm)
        self._state: _State | None = None
        self._next = 0

    @property
    def trouble(self) -> ReadRefusal | None:
        """Why the last frame said nothing: the mat could not be placed in it. None when it could."""
        return self._follower.trouble

    def observe(self, frame: CameraFrame, at_ms: int, back: int | None = None) -> MatObservation | None:
        """What a whole frame shows anywhere on the mat; None where ``trouble`` says why.

        ``back`` is the number of the backs of the set that lies there, None where that is not known: by it the tiles are judged.
        Raises ValueError for a part of a picture.
        """
        if frame.region is not None:
            raise ValueError("a part of a picture cannot be swept: ask the camera for whole frames")
        seen = self._follower.seen_in(frame)
        if seen is None:
            self._state = None
            return None
        state = self._state_of(seen.placed)
        geometry = self._geometry
        free = FreeFrame(frame.image, seen.light, seen.placed.view, self._size_mm, geometry.tile_thickness_mm, geometry.least_clearness)
        self._follow(state, free, frame.exposure_end_ns)
        judge = self._general if back is None else self._judges.get(back, self._general)
        return self._observation(state, free, frame.exposure_end_ns, at_ms, judge)

    def _state_of(self, placed: PlacedMat) -> _State:
        if self._state is None or self._state.placed is not placed:
            self._state = _State(placed, FlatMat(self._mat, placed.view, self._geometry.tile_thickness_mm))
        return self._state

    def _follow(self, state: _State, free: FreeFrame, now_ns: int) -> None:
        """Keep the tiles around which nothing changed, and look for others."""
        colours = state.flat.colours(free.image)
        whole = state.colours is None or not 0 <= now_ns - state.whole_ns < _WHOLE_NS
        moved = np.ones(colours.shape[:2], np.bool_) if whole or state.colours is None else changed(state.colours, colours)
        if not moved.any():
            return
        flat = state.flat.look(colours, free.light)
        still = [] if whole else [track for track in state.tracks if not moved[self._shape(state.flat, track.tile)].any()]
        tiles = [track.tile for track in still]
        before = np.array([(one.tile.x_mm, one.tile.y_mm, one.tile.angle_deg) for one in state.tracks if one.tile.face_up]).reshape(-1, 3)
        if before.size:
            tiles += free.apart(free.proved(before), tiles)
        tiles = self._faces(state.flat, flat, free, tiles)
        tiles = self._backs(state.flat, flat, free, tiles, colours)
        known = {id(tile) for tile in tiles} & {id(track.tile) for track in still}
        fresh = free.uncovered([tile for tile in tiles if id(tile) not in known])
        state.tracks = still + [self._track(state.tracks, tile) for tile in fresh]
        state.look, state.colours = flat, colours
        state.whole_ns = now_ns if whole else state.whole_ns

    def _faces(self, mat: FlatMat, flat: FlatFrame, free: FreeFrame, tiles: list[FreeTile]) -> list[FreeTile]:
        """These tiles and all others that lie face up."""
        for number in range(_ROUNDS):
            left = flat.white & ~self._shapes(mat, tiles)
            poses, regions = self._proposer.alone(left)
            if number:
                poses = np.concatenate((poses, self._proposer.together(flat.whiteness, regions)))
            found = free.apart(free.proved(_in_mm(mat, poses)), tiles)
            if number and not found:
                break
            tiles = tiles + found
        return tiles

    def _backs(self, mat: FlatMat, flat: FlatFrame, free: FreeFrame, tiles: list[FreeTile], colours: NDArray[np.uint8]) -> list[FreeTile]:
        """These tiles and all others that lie face down."""
        for number in range(_ROUNDS - 1):
            left = flat.other & ~self._shapes(mat, tiles)
            poses, regions = self._proposer.alone(left)
            if number:
                poses = np.concatenate((poses, self._proposer.together(left.astype(np.float32), regions)))
            poses = _in_mm(mat, poses)
            middle, spread = own_colours(self._inner(mat, colours, poses))
            cloth = free.light.cloth_at(poses[:, :2])
            way = middle - cloth
            alike = (tint_distance(way) > _LEAST_WAY) & (spread < _MOST_SPREAD)
            tiles = tiles + free.apart(free.proved(poses[alike], middle[alike]), tiles)
        return tiles

    def _inner(self, mat: FlatMat, colours: NDArray[np.uint8], poses: Points) -> NDArray[np.uint8]:
        """The colours in the middle of each pose (m × k × 3)."""
        turned = np.deg2rad(poses[:, 2])[:, None]
        own = _INNER * self._size_mm
        x = poses[:, 0, None] + own[:, 0] * np.cos(turned) + own[:, 1] * np.sin(turned)
        y = poses[:, 1, None] - own[:, 0] * np.sin(turned) + own[:, 1] * np.cos(turned)
        at = np.clip(np.rint(mat.cells_of(np.stack((x, y), axis=-1))).astype(np.intp), 0, mat.cells - 1)
        return np.asarray(colours[at[..., 1], at[..., 0]])

    def _track(self, before: Sequence[_Track], tile: FreeTile) -> _Track:
        """The tile by its number, the one that it had if it lay there before."""
        for old in before:
            turned = abs((old.tile.angle_deg - tile.angle_deg + 90.0) % 180.0 - 90.0)
            if turned < _SAME_DEG and np.hypot(old.tile.x_mm - tile.x_mm, old.tile.y_mm - tile.y_mm) < _SAME_MM:
                return _Track(old.number, tile)
        self._next += 1
        return _Track(self._next, tile)

    def _shapes(self, mat: FlatMat, tiles: Sequence[FreeTile]) -> Mask:
        """The cells that tiles cover, flanks and rims included (n × n)."""
        drawn = np.zeros((mat.cells, mat.cells), np.uint8)
        for tile in tiles:
            corners = tile.corners_mm(self._size_mm, _AROUND_MM)
            outline = cv2.convexHull(mat.cells_of(np.concatenate((corners, corners + tile.flank_mm))).astype(np.float32))
            cv2.fillConvexPoly(drawn, np.rint(np.asarray(outline) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        return drawn.astype(np.bool_)

    def _shape(self, mat: FlatMat, tile: FreeTile) -> Mask:
        return self._shapes(mat, [tile])

    def _observation(self, state: _State, free: FreeFrame, exposed_ns: int, at_ms: int, judge: Judge) -> MatObservation:
        upward = [track for track in state.tracks if track.tile.face_up]
        crops = free.crops([track.tile for track in upward])
        numbers = [track.number for track in upward]
        self._kept.forget_others(numbers)
        views = self._kept.look(numbers, crops, exposed_ns)
        tiles, proved = [], [track.tile for track in state.tracks if not track.tile.face_up]
        tiles += [_observed(tile, ObservedTile(0.0, 0.0, 0.0, face_up=False)) for tile in proved]
        for track, view, crop in zip(upward, views, crops, strict=True):
            face = _face(view, track.tile.clearness, judge, is_washed=washed(crop))
            if face is not None:
                tiles.append(_observed(track.tile, face))
                proved.append(track.tile)
        return MatObservation(at_ms, tuple(tiles), self._covered(state, proved))

    def _covered(self, state: _State, tiles: Sequence[FreeTile]) -> frozenset[tuple[int, int]]:
        """The squares in which neither cloth nor a tile is seen."""
        if state.look is None:
            return frozenset()
        strange = (state.look.white | state.look.other) & ~self._shapes(state.flat, tiles)
        x, y = np.moveaxis(np.rint(state.flat.middles_mm() / COVER_MM).astype(int), -1, 0)
        least = int(min(x.min(), y.min()))
        side = int(max(x.max(), y.max())) - least + 1
        at = (y - least) * side + x - least
        count = np.bincount(at.ravel(), minlength=side * side)
        seen = np.bincount(at.ravel(), strange.ravel(), minlength=side * side)
        taken = np.flatnonzero(seen > _LEAST_COVERED * np.maximum(count, 1))
        return frozenset((int(number) % side + least, int(number) // side + least) for number in taken)


class _State:
    """What the frames since the mat was last placed have told."""

    def __init__(self, placed: PlacedMat, flat: FlatMat) -> None:
        self.placed, self.flat = placed, flat
        self.tracks: list[_Track] = []
        self.colours: NDArray[np.uint8] | None = None
        """What the map looked like when it was last looked at."""
        self.look: FlatFrame | None = None
        self.whole_ns = 0


def _in_mm(mat: FlatMat, poses: Points) -> Points:
    """Poses in cells (m × 3) as poses in millimetres."""
    return np.column_stack((mat.points_of(poses[:, :2]), poses[:, 2]))


def _face(view: CropView, clear: float, judge: Judge, *, is_washed: bool) -> ObservedTile | None:
    """What the judge makes of a face, at no place yet; None for what is no whole tile."""
    answer = judge.decide(view)
    reason = answer.reason if isinstance(answer, ReadRefusal) else None
    likeliest = judge.rank(view, 1)[0].tile
    if is_washed and likeliest is Tile.WHITE:
        return ObservedTile(0.0, 0.0, 0.0)
    no_tile = view.foreign[Foreign.PART] + view.foreign[Foreign.NOTHING] > _NO_TILE_SHARE
    if reason is not None and (clear < _FAINT_AND_UNSURE or no_tile):
        return None
    if reason is Reason.NOT_A_TILE and view.foreign[Foreign.BACK] > _BACK_SHARE:
        return ObservedTile(0.0, 0.0, 0.0, face_up=False)
    shares = {one.tile: one.probability for one in judge.rank(view, len(Tile)) if one.probability >= _LEAST_SHARE}
    return ObservedTile(0.0, 0.0, 0.0, True, shares, reason is None)


def _observed(tile: FreeTile, face: ObservedTile) -> ObservedTile:
    return replace(face, x_mm=tile.x_mm, y_mm=tile.y_mm, angle_deg=tile.angle_deg)
