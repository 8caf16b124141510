"""Faces that lie on a watched table, from picture to picture, in sight or hidden."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.mat_observation import ObservedTile
from vision.table.lens import Points
from vision.table.proved_tiles import ProvedTile
from vision.table.tile_pose import TilePose

_SAME_PLACE_MM, _SAME_WAY_DEG = 12.0, 20.0
"""Boxes of a tile that lies differ by no more from picture to picture, but where the finder is mistaken about its way."""
UNDER_MM = 3.0, 21.0
"""Between these distances a tile lies on another's edge, as the camera sees it, since it lies higher."""
_CLEARER = 0.05
"""A box whose score is higher by this is the better one."""


@dataclass(slots=True, eq=False)
class LyingFace:
    """A face that lies."""

    proved: ProvedTile
    crop: NDArray[np.uint8]
    """How it looked when it was found first (CROP_H × CROP_W × 3)."""
    outlines: Points
    """Those of all looks added up (4 × 2 mm)."""
    since: int
    """The number with which its tile came to lie."""
    before: tuple[LyingFace, ...] = ()
    """What was hidden where it was found."""
    looks: int = 1
    missed: int = 0
    """How many pictures running show it though the finder does not find it."""
    otherwise: int = 0
    """How many pictures show a tile of another form there, parts of a wall beside it, or the table."""
    empty: bool = False
    """Whether it is blank and looked as the table does around it when that was last seen."""
    found: bool = True
    under: int | None = None
    """The number of the last face before something hid it; None: nothing hides it."""
    beside: bool = False
    """Whether what hides it was seen beside it alone, as a hand of which the finder misses the fingers: it may have been taken."""
    bare: frozenset[tuple[int, int]] = frozenset()
    """The squares around it that nothing covered when it was found last."""
    this_way: float = 0.0
    """By how much the votes for its way outweigh those for another."""
    read: ObservedTile | None = None

    @property
    def observed(self) -> ObservedTile | None:
        """What is reported: a face that two looks have read does not become a piece of a tile by a later one."""
        return self.proved.observed or self.read

    @property
    def came(self) -> int:
        """The number with which its tile came to lie, as far as one look tells: a tile of its kind lay here before something hid it."""
        seen = self.observed
        reads = ((each.since, each.read) for each in self.before if each.read is not None)
        return min((self.since, *(since for since, read in reads if seen is not None and likeliest(read) is likeliest(seen))))

    def note_read(self) -> None:
        """Remember what was read, from the second look on, and since when its tile lies there."""
        seen = self.proved.observed
        if seen is not None and seen.sure and self.proved.looks > 1:
            self.since, self.read, self.before = self.came, seen, ()

    def place_of(self, tile: TilePose) -> bool:
        """Whether a tile lies where this one lay, whichever way it is turned: the finder may be mistaken about that."""
        return self.off_mm(tile) < _SAME_PLACE_MM

    def off_mm(self, tile: TilePose) -> float:
        """How far from its middle that of a tile is."""
        return hypot(tile.x_mm - self.proved.tile.x_mm, tile.y_mm - self.proved.tile.y_mm)

    def may_be_under(self, tile: TilePose) -> bool:
        """Whether a tile may lie on its edge, or it on that of the tile."""
        return UNDER_MM[0] < self.off_mm(tile) < UNDER_MM[1]

    def gives_way_to(self, tile: TilePose) -> bool:
        """Whether a tile that is turned as this one, and not quite where it is, has been found better."""
        clearer = tile.clearness > self.proved.tile.clearness + _CLEARER
        return clearer and self.way_of(tile) and not self.proved.same_place(tile)

    def found_again(self, tile: TilePose, outline_mm: Points) -> None:
        """It was found where it lay, as clearly as on average: a finder that looks in several sizes sees it well in one of them."""
        if self.proved.same_place(tile):
            clearness = self.proved.tile.clearness
            self.proved.tile = replace(tile, clearness=clearness + (tile.clearness - clearness) / (self.looks + 1))
        about = np.roll(outline_mm, 2, axis=0)  # a box that is turned by half begins at the opposite corner
        off, off_about = (float(np.abs(each - self.outlines / self.looks).sum()) for each in (outline_mm, about))
        self.outlines += outline_mm if off <= off_about else about
        self.looks, self.missed = self.looks + 1, 0

    def way_of(self, tile: TilePose) -> bool:
        """Whether a tile is turned as this one."""
        return abs(self.proved.tile.off_deg(tile.angle_deg)) < _SAME_WAY_DEG


def likeliest(seen: ObservedTile) -> Tile | None:
    """The likeliest kind of a face; None: it could not be read."""
    return max(seen.shares, key=lambda kind: seen.shares[kind], default=None)
