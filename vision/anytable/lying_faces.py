"""Faces that rest on a watched table, from picture to picture, in sight or hidden."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.anytable.plane import apart
from vision.anytable.seats import Squares, mostly_in, squares_around
from vision.finder.found import LOOKS_IN_TURN, PIECED
from vision.mat_observation import ObservedTile
from vision.model.bare_crop import stretched
from vision.model.classifier import Classifier
from vision.model.judge import Judge
from vision.table.lens import Points
from vision.table.proved_tiles import Crops, DoubtLimits, ProvedTile, observed_face
from vision.table.tile_pose import TilePose

_SAME_PLACE_MM, _SAME_WAY_DEG = 12.0, 20.0
"""The boxes of one resting tile differ by less from picture to picture, unless the finder mistakes its orientation."""
TOUCHING_MM = 46.0
"""The middles of touching tiles are no further apart."""
UNDER_MM = 3.0, 21.0
"""Between these distances one tile rests on another's edge: it is higher, so the camera sees it shifted."""
_CLEARER = 0.05
"""A box with a score higher by this is better."""


@dataclass(slots=True, eq=False)
class RestingFace:
    proved: ProvedTile
    crop: NDArray[np.uint8]
    """Its crop when it was first found (CROP_H × CROP_W × 3)."""
    outlines: Points
    """The sum of its outlines over all looks (4 × 2 mm)."""
    since: int
    """The watcher's number for the arrival of its tile."""
    before: tuple[RestingFace, ...] = ()
    """Faces that were hidden here when this one was found."""
    looks: int = 1
    missed: int = 0
    """Consecutive pictures that still show it although the finder misses it."""
    otherwise: int = 0
    """Pictures that speak against it: they show a tile of another form there, parts of a wall beside it, or the table."""
    empty: bool = False
    """Whether it is blank and looked like the table around it when this was last checked."""
    found: bool = True
    under: int | None = None
    """The number of the last face before something hid it; None while nothing hides it."""
    beside: bool = False
    """Whether the hiding thing was seen only beside it, like a hand whose fingers the finder misses: the tile may have been taken."""
    bare: frozenset[tuple[int, int]] = frozenset()
    """The squares around it that were uncovered when it was last found."""
    misturned: bool = False
    """Whether the finder's boxes have it a quarter off: it could be read only the other way."""
    turn_votes: float = 0.0
    """By how much the votes for its orientation outweigh those against it."""
    read: ObservedTile | None = None

    @property
    def observed(self) -> ObservedTile | None:
        """What is reported of it. A face read in two looks stays read when it is hidden, or a later look has a piece of a tile."""
        return self.read if self.under is not None else self.proved.observed or self.read

    @property
    def pieced(self) -> bool:
        """Whether the finder has had it in pieces alone."""
        return self.proved.tile.clearness == PIECED

    @property
    def came(self) -> int:
        """The number for the arrival of its tile; an earlier one if a hidden face of the same kind was here before."""
        seen = self.observed
        reads = ((each.since, each.read) for each in self.before if each.read is not None)
        return min((self.since, *(since for since, read in reads if seen is not None and likeliest(read) is likeliest(seen))))

    def note_read(self) -> None:
        """From the second sure look on, keep what was read and when the tile arrived."""
        seen = self.proved.observed
        if seen is not None and seen.sure and self.proved.looks > 1:
            self.since, self.read, self.before = self.came, seen, ()

    def place_of(self, tile: TilePose) -> bool:
        """Whether a tile is where this one is, in any orientation, since the finder may mistake that."""
        return self.off_mm(tile) < _SAME_PLACE_MM

    def off_mm(self, tile: TilePose) -> float:
        return hypot(tile.x_mm - self.proved.tile.x_mm, tile.y_mm - self.proved.tile.y_mm)

    def may_be_under(self, tile: TilePose) -> bool:
        """Whether one of the two may rest on the other's edge."""
        return UNDER_MM[0] < self.off_mm(tile) < UNDER_MM[1]

    def is_hidden(self, read: Iterable[RestingFace], tiles: Iterable[TilePose], hiding: tuple[Squares, Squares]) -> bool:
        """Whether what hid this face may still hide it: no face in sight was ``read`` there, and a tile is on its edge or something covers
        the place."""
        covered, may_be = hiding
        tile = self.proved.tile
        if any(self.off_mm(each.proved.tile) <= UNDER_MM[self.beside] for each in read):
            return False
        if self.beside:
            return bool(covered & self.bare)
        return any(map(self.may_be_under, tiles)) or bool(covered & squares_around(tile)) or mostly_in(may_be, tile)

    def is_seen_better_as(self, tile: TilePose) -> bool:
        """Whether a tile of the same orientation was found more clearly, a little beside this one."""
        clearer = tile.clearness > self.proved.tile.clearness + _CLEARER and not self.misturned
        return clearer and self.has_turn_of(tile) and not self.proved.same_place(tile)

    def add_look(self, tile: TilePose, outline_mm: Points) -> None:
        """Add a look. Its clearness becomes the mean of all looks: a finder that tries several sizes sees it well in only one of them."""
        if self.proved.same_place(tile):
            clearness = self.proved.tile.clearness
            self.proved.tile = replace(tile, clearness=clearness + (tile.clearness - clearness) / (self.looks + 1))
        about = np.roll(outline_mm, 2, axis=0)  # a box that is turned by half begins at the opposite corner
        off, off_about = (float(np.abs(each - self.outlines / self.looks).sum()) for each in (outline_mm, about))
        self.outlines += outline_mm if off <= off_about else about
        self.looks, self.missed = self.looks + 1, 0

    def has_turn_of(self, tile: TilePose) -> bool:
        """Whether a box has the orientation of this tile's boxes."""
        off_deg = abs(self.proved.tile.off_deg(tile.angle_deg))
        return off_deg < _SAME_WAY_DEG or (self.misturned and off_deg > 90.0 - _SAME_WAY_DEG)


def likeliest(seen: ObservedTile) -> Tile | None:
    """Return the likeliest kind of a face; None if it could not be read."""
    return max(seen.shares, key=lambda kind: seen.shares[kind], default=None)


def read_again(faces: Iterable[RestingFace], at_ms: int, cut: Crops, classifier: Classifier, judge: Judge, *, doubt: DoubtLimits) -> None:
    """Look otherwise at faces that a second or later look at ``at_ms`` has left in doubt: with more contrast, as light may have made their
    marks pale, and turned by a quarter, as the finder may take a tile's width for its length. Only a sure read counts, and with more
    contrast only of the kind that the networks held likeliest before."""
    now = [each for each in faces if each.proved.looked_ns == at_ms * 1_000_000 and each.proved.looks > 1]
    doubtful = [each for each in now if (seen := each.proved.observed) is None or not seen.sure]
    poses = [each.proved.tile for each in doubtful]
    turned = [pose.quartered() for pose in poses]
    crops = np.concatenate((stretched(cut(poses)), cut(turned)))
    for each, pose, crop, view in zip((*doubtful, *doubtful), (*poses, *turned), crops, classifier.look(crops), strict=True):
        seen, before = observed_face(view, pose, judge, doubt, is_washed=False), each.proved
        if seen is None or not seen.sure or likeliest(seen) is Tile.WHITE or (before.observed is not None and before.observed.sure):
            continue
        if pose is not before.tile:
            before.tile, before.observed, before.view, before.crop, each.crop = pose, seen, view, crop, crop
            each.misturned = not each.misturned
        elif before.observed is not None and before.view is not None and before.view.best(1)[0].tile is likeliest(seen):
            before.observed = seen


def without_doubles(faces: Sequence[RestingFace]) -> list[RestingFace]:
    """Of two faces of one kind in sight at one place, return only the one found now, or found more often: they are one tile, which the
    finder boxes now here, now there."""
    shown = [(each, likeliest(seen)) for each in faces if each.under is None and (seen := each.observed) is not None]
    shown.sort(key=lambda shows: (shows[0].found, shows[0].looks), reverse=True)
    at = np.array([(each.proved.tile.x_mm, each.proved.tile.y_mm) for each, _ in shown]).reshape(-1, 2)
    near = np.argwhere(np.triu(apart(at, at) < _SAME_PLACE_MM, 1)).tolist()
    doubles = {id(shown[less][0]) for better, less in near if shown[better][1] is shown[less][1]}
    return [each for each in faces if id(each) not in doubles]


class LoneParts:
    """Faces of which the finder has boxed a part only, with no other tile beside them. On a table of the tiles' colour it boxes the
    marks, not the outline."""

    def __init__(self) -> None:
        self._last = deque[Points](maxlen=LOOKS_IN_TURN)

    def whole(self, parts: Points, tiles: Points, clear: Sequence[bool]) -> list[bool]:
        """Note the middles of a picture's parts (n × 2 mm) and of all its tiles (m × 2 mm), and whether each part is clear of covering
        things. Return which parts stand for a whole face: alone and clear in every picture of a turn. A half is found at some sizes."""
        alone = (apart(parts, tiles) < TOUCHING_MM).sum(axis=1) == 1
        alone &= np.array(clear, bool)
        self._last.append(parts[alone])
        looks = sum((apart(parts, points) < _SAME_PLACE_MM).any(axis=1).astype(int) for points in self._last)
        whole: list[bool] = (alone & (looks == LOOKS_IN_TURN)).tolist()
        return whole
