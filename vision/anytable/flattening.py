"""Flattening: fits the table's plane again, to all faces of a hand, since the walls of the first pictures measure it less well."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from vision.anytable.plane import TILE_MM, least_squares
from vision.anytable.seats import GRID, MOST, REACH_MM
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
    squares = [((i, j), (old_i, old_j)) for (i, j), (old_i, old_j) in zip(GRID.tolist(), before.tolist(), strict=True)]
    for observation in observations:
        covered = frozenset(square for square, old in squares if old in observation.covered or max(map(abs, old)) > MOST)
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
