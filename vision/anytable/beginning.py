"""Beginning of a recording: finds the table in the first pictures that show enough tiles."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vision.anytable.plane import FLAT, LEAST_TILES, TILE_MM, TablePlane, fitted_plane
from vision.anytable.seats import TwoTablesError, seated
from vision.anytable.sources import TimedFrame
from vision.finder.found import Finder, FoundTile, TileForm

FIRST_EVERY_MS = 500
"""Time between the pictures in which the table is searched."""
LOOKED_MS = 60_000
"""Enough tiles must appear within this time."""
_BLACK = 10.0
"""Grey level below which no tile can be seen."""
_PICTURES = 5
"""The plane is fitted to the tiles of this many pictures together."""


class NoTableError(ValueError):
    """No table is found in the pictures; ``image`` is the last of them, None if there was none."""

    def __init__(self, message: str, image: NDArray[np.uint8] | None) -> None:
        super().__init__(message)
        self.image = image


def found_table(frames: Iterable[TimedFrame], finder: Finder, tile_mm: tuple[float, float] = TILE_MM) -> TablePlane:
    """Return the table's plane in the mat's axes; raises NoTableError."""
    looks, frame, most, began_ms = list[tuple[FoundTile, ...]](), None, 0, None
    for frame in frames:
        began_ms = frame.at_ms if began_ms is None else began_ms
        tiles = finder.look(frame.image).tiles
        most = max(most, len(tiles))
        if sum(tile.form in FLAT or tile.form is TileForm.WALL for tile in tiles) >= LEAST_TILES:
            looks.append(tiles)
        if len(looks) >= _PICTURES:
            plane = _found(looks, frame.image, tile_mm)
            if plane is not None:
                return plane
            looks = looks[1:]
        if frame.at_ms - began_ms > LOOKED_MS:
            break
    image = None if frame is None else frame.image
    plane = None if image is None else _found(looks, image, tile_mm)
    if plane is not None:
        return plane
    seconds = f"the first {LOOKED_MS // 1000} s"
    if image is None:
        raise NoTableError("no picture", None)
    if most == 0:
        raise NoTableError(f"no tile in {seconds}{'; the last picture is black' if image.mean() < _BLACK else ''}", image)
    raise NoTableError(f"the table cannot be found in {seconds} by its tiles, at most {most} in a picture", image)


def _found(looks: list[tuple[FoundTile, ...]], image: NDArray[np.uint8], tile_mm: tuple[float, float]) -> TablePlane | None:
    height, width = image.shape[:2]
    plane = fitted_plane([tile for tiles in looks for tile in tiles], width, height, tile_mm)
    try:
        return None if plane is None else seated(plane, max(looks, key=len), width, height)
    except TwoTablesError as error:
        raise NoTableError(str(error), image) from None
