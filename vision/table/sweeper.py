"""Sweeper: turns whole frames into mat observations: every tile, wherever it is, and the covered squares.

A tile that rests and looks the same keeps its read. A square is covered if the finder says so, its colour is not the cloth's, a tile stands
there or cannot be read, or a slot's printed outline is missing, as under a sleeve of the cloth's colour.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from twinwall.art.mat import Mat, Slot
from vision.cameras.port import CameraFrame
from vision.finder.found import CELL_PX
from vision.mat_observation import COVER_MM, MatObservation
from vision.model.classifier import Classifier
from vision.model.judge import GeneralJudge, Judge
from vision.reading import ReadRefusal
from vision.table.kept_views import looks_alike
from vision.table.lens import SQUARE, Points
from vision.table.mat_finder import FoundOnMat, MatFinder
from vision.table.place_picture import is_shown, place_picture
from vision.table.proved_tiles import Crops, ProvedTile, look_at, observed_back
from vision.table.seen_mat import MatFollower, MatInFrame
from vision.table.slot_places import on_mat
from vision.table.tile_pose import TilePose, cut

_AROUND_MM = 2.5
"""Strip around a tile that shows its blur, its edge and its shadow."""
_COVERED, _LEAST_COVERED = 0.5, 0.08
"""Probability from which a place is covered; least share of a square that must be."""


class MatSweeper:
    """One camera over one mat."""

    def __init__(self, mat: Mat, classifier: Classifier, follower: MatFollower, judges: Mapping[int, Judge] | None = None) -> None:
        """``follower`` places the mat; a table reader may use the same one. ``judges`` read the tiles of enrolled sets, by the number of
        their backs; the model alone reads others."""
        self._mat, self._follower = mat, follower
        self._finder, self._classifier = MatFinder(mat, follower.thickness_mm), classifier
        self._general = GeneralJudge(classifier.limits)
        self._judges = judges or {}
        self._size_mm: Points = np.array((mat.tile_width_mm, mat.tile_height_mm))
        self._tiles: list[ProvedTile] = []
        self._next = 0
        self._found: FoundOnMat | None = None
        """The findings of the last frame."""
        self._read: list[TilePose] = []
        self._covered = frozenset[tuple[int, int]]()
        """The squares that are covered, by things other than these tiles."""

    @property
    def trouble(self) -> ReadRefusal | None:
        """Why the last frame gave no observation; None if it did."""
        return self._follower.trouble

    def observe(self, frame: CameraFrame, at_ms: int, back: int | None = None) -> MatObservation | None:
        """Return what a whole frame shows on the mat; None if ``trouble`` says why. ``back`` is the number of the set's backs, which
        selects the judge; None if unknown. Raises ValueError for a part of a picture."""
        if frame.region is not None:
            raise ValueError("a part of a picture cannot be swept: ask the camera for whole frames")
        seen = self._follower.seen_in(frame)
        if seen is None:
            self._tiles, self._found = [], None
            return None
        found, before = self._finder.found(frame, seen), self._found
        crops = partial(cut, frame.image, seen.corner, self._size_mm)
        self._tiles, self._found = self._numbered(found.tiles, crops), found
        judge = self._general if back is None else self._judges.get(back, self._general)
        look_at(self._tiles, crops, self._classifier, judge, frame.exposure_end_ns)
        observed = [one.observed if one.tile.face_up else observed_back(one.tile) for one in self._tiles]
        read = [one.tile for one, said in zip(self._tiles, observed, strict=True) if said is not None]
        if found is not before or read != self._read:
            self._read, self._covered = read, self._covered_but_for(read, frame, seen, found)
        return MatObservation(at_ms, tuple(sorted(filter(None, observed), key=lambda said: said.face_up)), self._covered)

    def picture(self, frame: CameraFrame, slot: Slot, showing_mm: tuple[float, float] | None = None) -> bytes | None:
        """Return a JPEG file of a slot and its neighbours; None while the mat's place is unknown, or if a tile on the spot ``showing_mm``
        would be outside. Raises ValueError for a slot outside of ``place_picture.SHOWN_AREAS``."""
        if showing_mm is not None and not is_shown(self._mat, slot, showing_mm):
            return None
        placed = self._follower.placed
        return None if placed is None else place_picture(frame.image, placed.view, self._mat, slot, self._follower.thickness_mm)

    def _numbered(self, tiles: Sequence[TilePose], cut_from: Crops) -> list[ProvedTile]:
        """Give tiles their numbers: the old one for a tile at its old place that looks the same."""
        crops = cut_from([one.tile for one in self._tiles])
        still = [one for one, crop in zip(self._tiles, crops, strict=True) if one.crop is None or looks_alike(one.crop, crop)]
        numbered = []
        for tile in tiles:
            known = next((one for one in still if one.tile.face_up == tile.face_up and one.same_place(tile)), None)
            if known is None:
                self._next += 1
                known = ProvedTile(self._next, tile)
            numbered.append(known)
        return numbered

    def _covered_but_for(
        self, tiles: Sequence[TilePose], frame: CameraFrame, seen: MatInFrame, found: FoundOnMat
    ) -> frozenset[tuple[int, int]]:
        """Return the squares in which neither cloth nor one of the tiles is seen: something covers them, or the picture ends."""
        flat, placed = seen.placed.flat, seen.placed
        shapes = flat.drawn(tile.outline_mm(self._size_mm, _AROUND_MM) for tile in tiles)
        slots = placed.bare_slots(frame.image, seen.corner, seen.light)
        unseen = slots.outlines_unseen(placed.places.slots, lambda points_mm: flat.marked(shapes, points_mm))
        spots = (on_mat(self._mat.spot(slot), SQUARE * self._size_mm / 2) for slot in unseen)
        lying = (tile.corners_mm(self._size_mm) for tile in found.tiles)
        covering = np.repeat(np.repeat(found.covering > _COVERED, CELL_PX, axis=0), CELL_PX, axis=1)
        hidden = covering | flat.outside | flat.strange(found.picture, seen.light) | flat.drawn((*spots, *lying, *found.parts))
        return flat.squares(hidden & ~shapes & ~flat.printed, COVER_MM, _LEAST_COVERED)
