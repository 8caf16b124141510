"""Ground: remembers the bare table. A supposed tile that looks the same as the table there is a print, a seam or a bright spot. A blank
face of the table's colour is a gap between tiles."""

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
"""A square may be covered from this probability."""
_BARE_LOOKS = 8
"""A square is bare after this many consecutive pictures in which nothing covers it and no tile is on it."""
_KNOWN_SHARE = 0.5
_ALL_OVER: Points = grid_points(np.linspace(-0.5, 0.5, 13), np.linspace(-0.5, 0.5, 17))
"""Sample points of a tile, as shares of its size."""
_ALIKE_LEVELS, _MOST_LIGHT = 7.0, 1.3
"""Two crops look the same if their mean difference is below this many grey levels, after a change of light by at most this factor."""
_FACES, _SQUARES, _LEAST_FACES = 8, 40, 3
"""A blank face is compared with this many nearest faces and nearest bare squares, and only if there are at least this many faces."""
_LEAST_UNLIKE, _AS_TABLE = 0.025, 0.6
"""A gap differs from tiles by at least the first (``vision.table.light``), and from the table by at most this share of that. On drawn
tables of eight surfaces the share was at most 0.3 in 17 looks at gaps, and at least 1.5 for white dragons (1.1 in 103 photographs)."""
_EDGE, _MIDDLE = 0.2, 0.375
"""Share of a crop that is cut off on each side: for shadows of neighbours; for the frame of a white dragon."""


class Ground:
    """The bare table, as the first picture shows it; places covered there are added when they are seen bare."""

    def __init__(self, image: NDArray[np.uint8], look: FoundTable, faces_px: Sequence[NDArray[np.float64]] = ()) -> None:
        """``faces_px`` are the outlines (4 × 2 px each) of the faces that are on the table in the first picture."""
        self._image = image.copy()
        hidden = hidden_squares(look, faces=False).astype(np.uint8)
        _fill(hidden, faces_px)
        self._known = hidden == 0
        self._bare = np.zeros(self._known.shape, np.uint8)
        self.to_first: Matrix = np.eye(3)
        """Takes pixels of current pictures to those of the first one (3 × 3)."""

    def see(self, image: NDArray[np.uint8], hidden: NDArray[np.bool_]) -> None:
        """Add places that are now seen bare for the first time; ``hidden`` is from ``hidden_squares``."""
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
        """For each tile with its crop (n × h × w × 3): whether the bare table looks the same there, perhaps but for the rim, where shadows
        fall. None if the table there is unknown."""
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
    """For each blank face in an image (h × w × 3): whether its middle has the colour of the bare table around it, and not that of faces
    nearby, brightness apart. Cloth between tiles looks like a white dragon. ``hidden`` is from ``hidden_squares``."""
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
    return np.asarray(np.median(logarithms(pixels).reshape(-1, 3), axis=0), np.float32)


def _inner(crop: NDArray[np.uint8], edge: float) -> NDArray[np.uint8]:
    down, across = (int(edge * side) for side in crop.shape[:2])
    return crop[down:-down, across:-across]


def _differ(before: NDArray[np.uint8], now: NDArray[np.uint8]) -> float:
    """Return the mean difference of two crops in grey levels, after their light is made equal."""
    x, y = before.reshape(-1, 3).astype(np.float64), now.reshape(-1, 3).astype(np.float64)
    light = np.clip(y.mean(axis=0) / np.maximum(x.mean(axis=0), 1.0), 1 / _MOST_LIGHT, _MOST_LIGHT)
    return float(np.abs(y - light * x).mean())


def hidden_squares(look: FoundTable, *, faces: bool) -> NDArray[np.bool_]:
    """Return the squares that something may cover or on which a tile is; ``faces`` False leaves out tiles that are face up."""
    hidden = (look.covering > _COVERED).astype(np.uint8)
    _fill(hidden, outlines_px([tile for tile in look.tiles if faces or tile.form is not TileForm.FACE]))
    return np.asarray(cv2.dilate(hidden, np.ones((3, 3), np.uint8)) > 0)


def _fill(squares: NDArray[np.uint8], outlines: Iterable[NDArray[np.float64]]) -> None:
    for outline in np.rint(np.array([*outlines]) / CELL_PX - 0.5).astype(np.int32):
        cv2.fillConvexPoly(squares, outline, 1)
