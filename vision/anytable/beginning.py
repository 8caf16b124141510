"""Beginning of a recording: finds the table in the first pictures that show enough tiles (``found_table``). The plane is fitted again to
all faces of a hand, since the walls of the first pictures measure it less well."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from vision.anytable.plane import FLAT, LEAST_TILES, TILE_MM, TablePlane, fitted_plane
from vision.anytable.seats import GRID, MOST, REACH_MM, TwoTablesError, seated
from vision.anytable.sources import TimedFrame
from vision.anytable.watcher import TableWatcher
from vision.finder.found import Finder, FoundTile, TileForm
from vision.least_squares import least_squares
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile
from vision.table.lens import Matrix, Points, project

_LEAST_FACES = 12
_SIZE_SPREAD, _TURN_SPREAD = 0.03, 0.06
"""Standard errors: of the finder's side lengths (a share), and of the angle at which people lay tiles (radians)."""
_KNOWN = np.array((0.3, 0.3, 0.1, 0.1, 0.3, 0.3, 0.04))
"""Standard errors of the first plane: log sides, shear, turn (radians), perspective over the table's reach; log of the tiles' length."""
_STEP_MM = 5.0


def flattening(outlines: Sequence[Points]) -> Matrix:
    """Return the homography (3 × 3, mm to mm) that gives faces (4 × 2 mm, ``FoundTile.outline_px``) a tile's width, one length, and the
    axes' directions. The origin stays. With too few faces it is the identity."""
    if len(outlines) < _LEAST_FACES:
        return np.eye(3)
    corners = np.asarray(np.concatenate(outlines), np.float64)

    def errors(change: Points) -> Points:
        moved = project(_matrix(change), corners).reshape(-1, 4, 2)
        sides = (moved + np.roll(moved, -1, axis=1)) / 2
        across, along = sides[:, 1] - sides[:, 3], sides[:, 2] - sides[:, 0]
        sizes = np.log(np.hypot(*across.T) / TILE_MM[0]), np.log(np.hypot(*along.T) / TILE_MM[1]) - change[6]
        turns = (np.arctan2(*along.T) + np.pi / 4) % (np.pi / 2) - np.pi / 4
        return np.concatenate((*(size / _SIZE_SPREAD for size in sizes), turns / _TURN_SPREAD, change / _KNOWN))

    return _matrix(least_squares(errors, np.zeros(len(_KNOWN)), known=len(_KNOWN)))


def flattened(observations: Iterable[MatObservation], matrix: Matrix) -> Iterator[MatObservation]:
    """Apply a homography of ``flattening`` to observations; squares that were not observed before count as covered."""
    back = np.asarray(np.linalg.inv(matrix), np.float64)
    before = np.rint(project(back, GRID * COVER_MM) / COVER_MM).astype(int)
    known, unknown = defaultdict[tuple[int, int], list[tuple[int, int]]](list), list[tuple[int, int]]()
    for square, old in zip(map(tuple, GRID.tolist()), map(tuple, before.tolist()), strict=True):
        (unknown if max(map(abs, old)) > MOST else known[old]).append(square)
    for observation in observations:
        covered = frozenset(unknown).union(*(known[old] for old in known.keys() & observation.covered))
        yield replace(observation, tiles=tuple(_moved(observation.tiles, matrix)), covered=covered)


def _moved(tiles: Sequence[ObservedTile], matrix: Matrix) -> Iterator[ObservedTile]:
    if not tiles:
        return
    x, y, turn = np.array([(tile.x_mm, tile.y_mm, np.deg2rad(tile.angle_deg)) for tile in tiles]).T
    middles = np.column_stack((x, y))
    after, ends = project(matrix, middles), project(matrix, middles + _STEP_MM * np.column_stack((np.sin(turn), np.cos(turn))))
    angles = np.rad2deg(np.arctan2(*(ends - after).T)) % 180.0
    for tile, place, angle in zip(tiles, after.tolist(), angles.tolist(), strict=True):
        yield replace(tile, x_mm=place[0], y_mm=place[1], angle_deg=angle)


def _matrix(change: Points) -> Matrix:
    wide, high, shear, turn, right, down, _ = change.tolist()
    cosine, sine = np.cos(turn), np.sin(turn)
    stretched = np.array([(cosine, sine), (-sine, cosine)]) @ np.array([(np.exp(wide), shear), (0.0, np.exp(high))])
    matrix = np.eye(3)
    matrix[:2, :2], matrix[2, :2] = stretched, np.array((right, down)) / REACH_MM
    return matrix


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
            del looks[0]
        if frame.at_ms - began_ms > LOOKED_MS:
            break
    if frame is None:
        raise NoTableError("no picture", None)
    image = frame.image
    plane = _found(looks, image, tile_mm)
    if plane is not None:
        return plane
    seconds = f"the first {LOOKED_MS // 1000} s"
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
