"""Ground: how the bare table looks. What looks like a tile and looked the same before is a print, a seam or a bright spot of it, and a
blank face with the table's colour is a gap between tiles."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.anytable.plane import TILE_MM
from vision.finder.found import CELL_PX, FoundTable, TileForm, outlines_px
from vision.table.lens import Matrix, Points, grid_points, project
from vision.table.light import logarithms, tint_distance
from vision.table.proved_tiles import Crops
from vision.table.tile_pose import TilePose, cut

_COVERED = 0.2
"""Probability from which a square may be covered."""
_BARE_LOOKS = 8
"""A square that is neither covered nor under a tile in this number of pictures running is bare."""
_KNOWN_SHARE = 0.5
_ALL_OVER: Points = grid_points(np.linspace(-0.5, 0.5, 13), np.linspace(-0.5, 0.5, 17))
"""Points of a tile, as shares of its size."""
_ALIKE_LEVELS, _MOST_LIGHT = 7.0, 1.3
"""Where pixels differ less on average, apart from light that is at most so much brighter or darker, nothing has come to lie."""
_FACES, _SQUARES, _LEAST_FACES = 8, 40, 3
"""A blank face is compared with the nearest faces and bare squares, these numbers of them; with fewer faces it is not."""
_LEAST_UNLIKE, _AS_TABLE = 0.025, 0.6
"""How unlike tiles a gap is at least (``vision.table.light``), and how unlike the table at most, as a share of that. Of 17 looks at gaps
on drawn tables of eight surfaces none has more than 0.3; white dragons have 1.5 and more, 103 in photographs 1.1 and more."""
_EDGE, _MIDDLE = 0.2, 0.375
"""What is left out of a crop on each side: shadows of neighbours; the frame of a white dragon."""


class Ground:
    """The table before anything lay on it, as the first picture shows most of it."""

    def __init__(self, image: NDArray[np.uint8], look: FoundTable, faces_px: Sequence[NDArray[np.float64]] = ()) -> None:
        """``faces_px`` are the outlines (4 × 2 px each) of faces that lie on it in the first picture."""
        self._image = image.copy()
        hidden = hidden_squares(look, faces=False).astype(np.uint8)
        _fill(hidden, faces_px)
        self._known = hidden == 0
        self._bare = np.zeros(self._known.shape, np.uint8)
        self.to_first: Matrix = np.eye(3)
        """Takes pixels of the pictures now to those of the first one (3 × 3)."""

    def see(self, image: NDArray[np.uint8], hidden: NDArray[np.bool_]) -> None:
        """Learn what is bare now and was not before; ``hidden`` are the squares that are not, from ``hidden_squares``."""
        squares = np.diag((CELL_PX, CELL_PX, 1.0))
        to_first = np.linalg.inv(squares) @ self.to_first @ squares
        covered = cv2.warpPerspective(hidden.astype(np.uint8), to_first, hidden.shape[::-1], flags=cv2.INTER_NEAREST, borderValue=1)
        self._bare = np.where(covered, 0, np.minimum(self._bare, _BARE_LOOKS) + 1).astype(np.uint8)
        fresh = (self._bare >= _BARE_LOOKS) & ~self._known
        if fresh.any():
            image = np.asarray(cv2.warpPerspective(image, self.to_first, image.shape[1::-1]), np.uint8)
            pixels = fresh.repeat(CELL_PX, axis=0).repeat(CELL_PX, axis=1)[: image.shape[0], : image.shape[1]]
            self._image[pixels] = image[pixels]
            self._known |= fresh

    def shows(self, tiles: Sequence[TilePose], crops: NDArray[np.uint8]) -> list[bool | None]:
        """Of tiles, which look like these crops (n × h × w × 3), whether the bare table looks the same there, or does where no shadow of a
        neighbour falls; None where it is not known."""
        tiles = [replace(tile, plane=self.to_first @ tile.plane) for tile in tiles]
        places = (project(tile.plane, _ALL_OVER * TILE_MM) // CELL_PX for tile in tiles)
        columns_rows = (np.clip(place.astype(np.intp), 0, np.array(self._known.shape[::-1]) - 1).T for place in places)
        shares = [self._known[rows, columns].mean() for columns, rows in columns_rows]
        return [
            bool(min(_differ(before, now), _differ(_inner(before, _EDGE), _inner(now, _EDGE))) < _ALIKE_LEVELS)
            if share > _KNOWN_SHARE
            else None
            for share, before, now in zip(shares, cut(self._image, np.zeros(2), np.array(TILE_MM), tiles), crops, strict=True)
        ]


def gaps(
    image: NDArray[np.uint8], hidden: NDArray[np.bool_], cut_from: Crops, blanks: Sequence[TilePose], faces: Sequence[TilePose]
) -> list[bool]:
    """Of blank faces in an image (h × w × 3), whether the middle has the colour of the bare table around it, and not that of the tiles
    whose faces lie near it, in whichever light: cloth between tiles looks like a white dragon. ``hidden`` are from ``hidden_squares``."""
    rows, columns = np.nonzero(~hidden) if blanks else ((), ())
    if len(faces) < _LEAST_FACES or not len(rows):
        return [False] * len(blanks)
    squares = np.asarray(cv2.resize(image, hidden.shape[::-1], interpolation=cv2.INTER_AREA), np.uint8)[rows, columns]
    found = []
    for blank, crop in zip(blanks, cut_from(blanks), strict=True):
        x, y = project(blank.plane, np.zeros((1, 2)))[0] / CELL_PX - 0.5
        around = squares[np.argpartition(np.hypot(columns - x, rows - y), min(_SQUARES, len(rows)) - 1)[:_SQUARES]]
        near = sorted(faces, key=lambda face: np.hypot(face.x_mm - blank.x_mm, face.y_mm - blank.y_mm))[:_FACES]
        middle = _usual_colour(_inner(crop, _MIDDLE))
        table, *tiles = tint_distance(np.stack([_usual_colour(each) - middle for each in (around, *cut_from(near))])).tolist()
        unlike = sorted(tiles)[1]
        found.append(unlike > _LEAST_UNLIKE and table < _AS_TABLE * unlike)
    return found


def _usual_colour(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The median of pixels (… × 3), as logarithms."""
    return np.asarray(np.median(logarithms(pixels).reshape(-1, 3), axis=0), np.float32)


def _inner(crop: NDArray[np.uint8], edge: float) -> NDArray[np.uint8]:
    """A crop without such a share on each side."""
    down, across = (int(edge * side) for side in crop.shape[:2])
    return crop[down:-down, across:-across]


def _differ(before: NDArray[np.uint8], now: NDArray[np.uint8]) -> float:
    """By how many levels pixels differ once the light is the same."""
    x, y = before.reshape(-1, 3).astype(np.float64), now.reshape(-1, 3).astype(np.float64)
    light = np.clip(y.mean(axis=0) / np.maximum(x.mean(axis=0), 1.0), 1 / _MOST_LIGHT, _MOST_LIGHT)
    return float(np.abs(y - light * x).mean())


def hidden_squares(look: FoundTable, *, faces: bool) -> NDArray[np.bool_]:
    """The squares that something may cover, or on which a tile lies; without ``faces`` those that lie face up are not counted."""
    hidden = (look.covering > _COVERED).astype(np.uint8)
    _fill(hidden, outlines_px([tile for tile in look.tiles if faces or tile.form is not TileForm.FACE]))
    return np.asarray(cv2.dilate(hidden, np.ones((3, 3), np.uint8)) > 0)


def _fill(squares: NDArray[np.uint8], outlines: Iterable[NDArray[np.float64]]) -> None:
    for outline in np.rint(np.array([*outlines]) / CELL_PX - 0.5).astype(np.int32):
        cv2.fillConvexPoly(squares, outline, 1)
