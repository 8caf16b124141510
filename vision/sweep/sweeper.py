"""Sweeper: turns whole frames into mat observations, with every tile wherever it lies and the squares that are covered.

White regions off the cloth are proposed as tiles, each is proved by its sides, and what is proved is taken off the
map before the rest is looked at again. What then looks neither white nor like cloth may lie face down. Between frames
only what has changed is looked for again; a tile that lies still is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat, Slot
from vision.cameras.port import CameraFrame
from vision.mat_observation import COVER_MM, MatObservation
from vision.model.classifier import Classifier
from vision.model.judge import GeneralJudge, Judge
from vision.reading import ReadRefusal
from vision.sweep.changes import CellMemory, MapChange
from vision.sweep.flat_mat import CELL_MM, FlatFrame, FlatMat, Mask, Pixels, moving_arms, touching
from vision.sweep.free_tiles import CLEAR_ENOUGH, FreeFrame, FreeTile
from vision.sweep.proposals import Proposer
from vision.sweep.proved_tiles import Looker, ProvedTile, observed_back
from vision.sweep.tints import is_white_in_shadow, own_colours, tint_distance
from vision.table.lens import SQUARE, Points
from vision.table.place_picture import is_shown, place_picture
from vision.table.seen_mat import MatFollower, PlacedMat
from vision.table.slot_places import on_mat
from vision.table.table_reader import TableGeometry

_ROUNDS = 3
"""So often what is left of white regions is looked at, after the tiles proved before are taken off."""
_AROUND_MM = 2.5
"""What is seen around a tile that is its blur, its rim and its shadow."""
_LEAST_COVERED = 0.08
"""Share of a square that must show neither cloth nor a tile."""
_MOST_MOVING_TILES = 5.0
"""What is larger than this many tiles, reaches the mat's edge and moves is an arm: backs are looked for in it when it has come to rest."""
_LEAST_WAY, _MOST_SPREAD = 0.2, 0.16
"""How much a back's colour differs from the cloth's (``vision.sweep.tints``), and how even it is."""
_INNER = np.stack(np.meshgrid(np.linspace(-0.3, 0.3, 5), np.linspace(-0.3, 0.3, 7)), axis=-1).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """One frame with its map; tiles are looked for where something reaches into the region of its ``change``."""

    flat: FlatMat
    look: FlatFrame
    free: FreeFrame
    colours: Pixels
    change: MapChange
    memory: CellMemory
    arms: Mask
    """Arms that move."""


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
        self._looker = Looker(classifier)
        self._general = GeneralJudge(classifier.limits)
        self._judges = judges or {}
        self._size_mm: Points = np.array((mat.tile_width_mm, mat.tile_height_mm))
        self._proposer = Proposer(mat.tile_width_mm, mat.tile_height_mm)
        self._known: _Known | None = None
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
            self._known = None
            return None
        view, thickness_mm = seen.placed.view, self._geometry.tile_thickness_mm
        if self._known is None or self._known.placed is not seen.placed:
            self._known = _Known(seen.placed, FlatMat(self._mat, view, thickness_mm))
        free = FreeFrame(seen.steadied(frame.image), seen.light, view, self._size_mm, thickness_mm, self._geometry.least_clearness)
        judge = self._general if back is None else self._judges.get(back, self._general)
        known = self._known
        changed = self._follow(known, free, frame.exposure_end_ns)
        if self._looker.look(known.tiles, free, judge, frame.exposure_end_ns) or changed:
            known.covered = self._covered(known, free)
        backs = (observed_back(one.tile) for one in known.tiles if not one.tile.face_up)
        faces = (one.observed for one in known.tiles if one.observed is not None)
        return MatObservation(at_ms, (*backs, *faces), known.covered)

    def picture(self, frame: CameraFrame, slot: Slot, showing_mm: tuple[float, float] | None = None) -> bytes | None:
        """A slot and its neighbours in a whole frame, as a JPEG file; None while the mat's place is unknown, and where a tile on the
        spot ``showing_mm`` of the mat would not be in the picture.

        Raises ValueError for a slot of which no picture may be shown (``place_picture.SHOWN_AREAS``).
        """
        if showing_mm is not None and not is_shown(self._mat, slot, showing_mm):
            return None
        placed, thickness_mm = self._follower.placed, self._geometry.tile_thickness_mm
        return None if placed is None else place_picture(frame.image, placed.view, self._mat, slot, thickness_mm)

    def _follow(self, known: _Known, free: FreeFrame, now_ns: int) -> bool:
        """Keep the tiles around which nothing changed, and look for others; whether anything was looked for."""
        change = known.cells.seen(known.flat.rough_colours(free.image), now_ns)
        if change is None:
            return False
        colours = known.flat.colours(free.image)
        look = known.flat.look(colours, free.light)
        touched = set(np.unique(known.labels[change.moved]).tolist())
        if change.again:
            due = set(np.unique(known.labels[change.region]).tolist())
            touched |= {one.number for one in known.tiles if one.tile.face_up and one.observed is None and one.number in due}
        still = [one for one in known.tiles if one.number not in touched]
        before = [one for one in known.tiles if one.number in touched]
        tiles = [one.tile for one in still]
        proved = free.proved(_poses([one.tile for one in before if one.tile.face_up]))
        tiles += free.apart([tile for tile in proved if tile.clearness >= CLEAR_ENOUGH], tiles)
        strange = (look.white | look.other) & ~self._shapes(known.flat, tiles)
        arms = moving_arms(strange, change.moving, _MOST_MOVING_TILES * float(np.prod(self._size_mm)) / CELL_MM**2)
        seen = _Seen(known.flat, look, free, colours, change, known.cells, arms)
        tiles = self._faces(seen, tiles)
        # A side that is no longer clear may lie below a tile that has come: what is found there goes first.
        tiles += free.apart(proved, tiles)
        tiles = self._backs(seen, tiles)
        fresh = free.uncovered(tiles[len(still) :])
        known.tiles = still + [self._numbered(before, tile) for tile in fresh]
        known.labels = self._drawn(known.flat, known.tiles)
        known.look = look
        return True

    def _faces(self, seen: _Seen, tiles: list[FreeTile]) -> list[FreeTile]:
        """These tiles and all others that lie face up."""
        for number in range(_ROUNDS):
            left = touching(seen.look.white & ~self._shapes(seen.flat, tiles), seen.change.region)
            if not left.any():
                break
            poses, together = self._proposer.alone(left)
            beside = tiles if number == _ROUNDS - 1 else []
            if number:
                level = np.where(self._faces_drawn(seen.flat, beside), np.float32(0), seen.look.whiteness)
                poses = np.concatenate((poses, self._proposer.together(level, together)))
            found = seen.free.apart(seen.free.proved(_in_mm(seen.flat, poses), beside=beside), tiles)
            if number and not found and not seen.change.again:
                break
            tiles = tiles + found
        return tiles

    def _backs(self, seen: _Seen, tiles: list[FreeTile]) -> list[FreeTile]:
        """These tiles and all others that lie face down."""
        for number in range(_ROUNDS - 1):
            left = touching(seen.look.other & ~self._shapes(seen.flat, tiles), seen.change.region)
            seen.memory.wait(left & seen.arms)
            left &= ~seen.arms
            poses, together = self._proposer.alone(left)
            if number:
                poses = np.concatenate((poses, self._proposer.together(left.astype(np.float32), together)))
            poses = _in_mm(seen.flat, poses)
            middle, spread = own_colours(self._inner(seen, poses))
            way = middle - seen.free.light.cloth_at(poses[:, :2])
            alike = (tint_distance(way) > _LEAST_WAY) & (spread < _MOST_SPREAD) & ~is_white_in_shadow(way, seen.free.light.white)
            tiles = tiles + seen.free.apart(seen.free.proved(poses[alike], middle[alike]), tiles)
        return tiles

    def _inner(self, seen: _Seen, poses: Points) -> Pixels:
        """The colours in the middle of each pose (m × k × 3)."""
        turned = np.deg2rad(poses[:, 2])[:, None]
        own = _INNER * self._size_mm
        x = poses[:, 0, None] + own[:, 0] * np.cos(turned) + own[:, 1] * np.sin(turned)
        y = poses[:, 1, None] - own[:, 0] * np.sin(turned) + own[:, 1] * np.cos(turned)
        at = np.clip(np.rint(seen.flat.cells_of(np.stack((x, y), axis=-1))).astype(np.intp), 0, seen.flat.cells - 1)
        return np.asarray(seen.colours[at[..., 1], at[..., 0]])

    def _numbered(self, before: Sequence[ProvedTile], tile: FreeTile) -> ProvedTile:
        """The tile by its number, the one that it had if it lay there before; it is looked at again."""
        for old in before:
            if old.same_place(tile):
                return ProvedTile(old.number, tile)
        self._next += 1
        return ProvedTile(self._next, tile)

    def _drawn(self, mat: FlatMat, tiles: Sequence[ProvedTile]) -> NDArray[np.int32]:
        """The number of the tile that covers each cell, flanks and rims included, 0 where there is none (n × n)."""
        drawn = np.zeros((mat.cells, mat.cells), np.int32)
        for one in tiles:
            mat.draw(drawn, one.tile.outline_mm(self._size_mm, _AROUND_MM), one.number)
        return drawn

    def _shapes(self, mat: FlatMat, tiles: Sequence[FreeTile]) -> Mask:
        """The cells that tiles cover, flanks and rims included (n × n)."""
        return self._drawn(mat, [ProvedTile(1, tile) for tile in tiles]) > 0

    def _faces_drawn(self, mat: FlatMat, tiles: Sequence[FreeTile]) -> Mask:
        """The cells that the faces of tiles cover, without flanks and rims (n × n)."""
        drawn = np.zeros((mat.cells, mat.cells), np.int32)
        for tile in tiles:
            mat.draw(drawn, tile.corners_mm(self._size_mm), 1)
        return drawn > 0

    def _covered(self, known: _Known, free: FreeFrame) -> frozenset[tuple[int, int]]:
        """The squares in which neither cloth nor a tile is seen, because something lies there or the picture ends before."""
        if known.look is None:
            return frozenset()
        tiles = [one.tile for one in known.tiles if one.observed is not None or not one.tile.face_up]
        hidden, shapes = np.zeros((known.flat.cells, known.flat.cells), np.int32), self._shapes(known.flat, tiles)
        for slot in self._outlines_unseen(known, free, shapes):
            spot = self._mat.spot(slot)
            known.flat.draw(hidden, on_mat(spot, SQUARE * self._size_mm / 2), 1)
        strange = (known.look.white | known.look.other | (hidden > 0) | known.outside) & ~shapes
        return known.flat.squares(strange, COVER_MM, _LEAST_COVERED)

    def _outlines_unseen(self, known: _Known, free: FreeFrame, shapes: Mask) -> list[Slot]:
        """The slots over which something of the cloth's own colour lies; ``shapes`` are the cells under tiles that are seen."""
        placed = known.placed

        def under_tiles(points_mm: Points) -> NDArray[np.bool_]:
            at = np.clip(np.rint(known.flat.cells_of(points_mm)).astype(np.intp), 0, known.flat.cells - 1)
            return np.asarray(shapes[at[..., 1], at[..., 0]])

        slots = placed.bare_slots(free.image, np.zeros(2), free.light)
        return slots.outlines_unseen(placed.places.slots, under_tiles)


class _Known:
    """What the frames since the mat was last placed have shown."""

    def __init__(self, placed: PlacedMat, flat: FlatMat) -> None:
        self.placed, self.flat = placed, flat
        self.tiles: list[ProvedTile] = []
        self.labels = np.zeros((flat.cells, flat.cells), np.int32)
        """The numbers of the tiles where they lie."""
        self.outside = flat.outside(placed.width_px, placed.height_px)
        self.cells = CellMemory(flat.cells)
        self.look: FlatFrame | None = None
        self.covered: frozenset[tuple[int, int]] = frozenset()


def _in_mm(mat: FlatMat, poses: Points) -> Points:
    """Poses in cells (m × 3) as poses in millimetres."""
    return np.column_stack((mat.points_of(poses[:, :2]), poses[:, 2]))


def _poses(tiles: Sequence[FreeTile]) -> Points:
    return np.array([(tile.x_mm, tile.y_mm, tile.angle_deg) for tile in tiles]).reshape(-1, 3)
