"""Beginning of a recording: finds the table in the first pictures that show enough tiles."""

from collections.abc import Iterable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from vision.anytable.flattening import flattening
from vision.anytable.plane import FLAT, LEAST_TILES, TILE_MM, TablePlane, fitted_plane
from vision.anytable.seats import TwoTablesError, seated
from vision.anytable.sources import TimedFrame
from vision.anytable.watcher import TableWatcher
from vision.finder.found import Finder, FoundTile, TileForm
from vision.table.lens import project

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


_LEARN_EVERY_MS = 6000
"""Time between the pictures of the learning pass."""
_OTHER_SIZE, _FAR_MM = 0.16, 60.0
"""The plane is corrected only if the faces' area (logarithm) is off by more than the first, since the finder's boxes may be 7 % too small
along each side. The origin is moved only if the middle of all faces is further away than the second."""
_MANY = 20
"""The origin is moved only with at least this many faces: in a few, one meld weighs too much."""


def learn(frames: Iterable[TimedFrame], every_ms: int, finder: Finder, watcher: TableWatcher) -> TablePlane:
    """Show the watcher's judge pictures of the whole video, ``every_ms`` apart: a tile in doubt early is read by what later ones show.
    Return the watcher's plane, corrected by all faces; the watcher itself cannot be used afterwards."""
    plane = watcher.plane
    for frame in islice(frames, 0, None, max(1, _LEARN_EVERY_MS // every_ms)):
        watcher.observe(frame.image, finder.look(frame.image), frame.at_ms)
    outlines = watcher.outlines_mm()
    level = flattening(outlines)
    level = level if abs(np.log(np.linalg.det(level[:2, :2]))) > _OTHER_SIZE else np.eye(3)
    middles = project(level, np.array([(0.0, 0.0), *(outline.mean(axis=0) for outline in outlines)]))
    middle = np.percentile(middles, (25, 75), axis=0).mean(axis=0)
    far = np.hypot(*middle) > _FAR_MM and len(outlines) >= _MANY
    return plane.after(level).moved(middle, 0.0) if far else plane.after(level)
