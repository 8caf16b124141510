"""Strewn tables: tiles anywhere on the mat at any angle, alone or touching in rows and blocks, under one fault of the real world."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator

from simulator.cameras.ground import Points
from simulator.cameras.optics import Picture
from simulator.cameras.table import TILE_THICKNESS_MM
from simulator.scene import BACK, LaidTile, TableScene
from tests.support.simulator.table_trials import Fault, TrialCamera, hidden_shares, outline_mm, trial_camera, trial_look
from twinwall.art.mat import Area, Mat, Slot, Spot
from twinwall.game.tiles import ALL_TILES

_ANCHOR = Slot(0, Area.RIVER, 0)
"""Tiles are told by their distance from this slot."""
_REACH_MM = 338.0
_MARKER_ROOM_MM = 34.0
_APART_MM = 3.0
_LEAST_GAP_MM, _MOST_GAP_MM = 0.15, 0.8
_BACK_SHARE = 0.08
_TRIES = 60
_GROUPS, _ALONE = 14, 16


@dataclass(frozen=True, slots=True)
class StrewnTile:
    """One tile as it lies: its middle on the mat, the turn of its long side anticlockwise from the mat's y axis (0 to 360)."""

    face: str
    x_mm: float
    y_mm: float
    angle_deg: float


@dataclass(frozen=True, slots=True, eq=False)
class StrewnTable:
    """Tiles, and the camera that sees them."""

    tiles: tuple[StrewnTile, ...]
    shown: TrialCamera
    mat: Mat

    def frames(self, count: int) -> Iterator[tuple[Picture, list[float]]]:
        """So many exposures: each picture, and how much of each tile an arm hides, 0 to 1."""
        scene = TableScene(1, tuple(laid_at(tile, self.mat) for tile in self.tiles))
        outlines = dict(enumerate(self.outlines_px()))
        for number in range(count):
            picture, layers = self.shown.shot(scene, number)
            yield picture, list(hidden_shares(layers, outlines).values())

    def outlines_px(self) -> list[Points]:
        """Where each tile's face is seen (4 × 2 px: its own upper left, upper right, lower right, lower left)."""
        return [self.shown.camera.view.project(_corners(tile, self.mat, 0.0), TILE_THICKNESS_MM) for tile in self.tiles]


def strewn_table(fault: Fault, seed: int, mat: Mat, *, frames: int = 4) -> StrewnTable:
    """A table of groups of touching tiles (2 to 7, in rows, bends and blocks) and tiles alone, as far as there is room."""
    rng = np.random.default_rng((seed, list(Fault).index(fault), 23))
    look, height_mm = trial_look(fault, rng)
    shown = trial_camera(fault, rng, mat, seed=seed, look=look, height_mm=height_mm, frames=frames)
    strewn = _Strewn(mat, rng)
    for _ in range(_GROUPS):
        strewn.throw(_group(mat, rng))
    for _ in range(_ALONE):
        strewn.throw([(0.0, 0.0, 0.0)])
    return StrewnTable(tuple(strewn.tiles), shown, mat)


def laid_at(tile: StrewnTile, mat: Mat) -> LaidTile:
    spot = mat.spot(_ANCHOR)
    offset = (tile.x_mm - spot.x_mm, tile.y_mm - spot.y_mm)
    return LaidTile(tile.face, _ANCHOR.place, _ANCHOR.area.value, _ANCHOR.index, False, offset, tile.angle_deg)


def _group(mat: Mat, rng: Generator) -> list[tuple[float, float, float]]:
    """Tiles that touch: x, y and angle of each about the first."""
    width, height = mat.tile_width_mm, mat.tile_height_mm

    def gap() -> float:
        return float(rng.uniform(_LEAST_GAP_MM, _MOST_GAP_MM))

    x, found = 0.0, [(0.0, 0.0, float(rng.uniform(-0.6, 0.6)))]
    for _ in range(int(rng.integers(1, 7))):
        x += width + gap()
        found.append((x, float(rng.uniform(-1.5, 1.5)), float(rng.uniform(-0.6, 0.6))))
    if rng.random() < 0.3:
        x += (width + height) / 2 + gap()
        found.append((x, (height - width) / 2, 90.0))
    if rng.random() < 0.3:
        found += [(at, height + 1.8 + gap(), turn) for at, _, turn in found[: int(rng.integers(1, 4))] if turn < 45]
    return found


class _Strewn:
    """Tiles thrown on a mat: refuses a group that would lie in another tile, on a marker or off the mat, and throws it again."""

    def __init__(self, mat: Mat, rng: Generator) -> None:
        self._mat, self._rng = mat, rng
        self.tiles: list[StrewnTile] = []
        self._outlines: list[Points] = []

    def throw(self, group: list[tuple[float, float, float]]) -> None:
        for _ in range(_TRIES):
            thrown = self._thrown(group)
            wider = [_corners(tile, self._mat, _APART_MM).astype(np.float32) for tile in thrown]
            if all(self._fits(tile) for tile in thrown) and not any(
                cv2.intersectConvexConvex(one, other)[0] > 0 for one in wider for other in self._outlines
            ):
                self.tiles += thrown
                self._outlines += [_corners(tile, self._mat, 0.0).astype(np.float32) for tile in thrown]
                return

    def _thrown(self, group: list[tuple[float, float, float]]) -> list[StrewnTile]:
        rng = self._rng
        x0, y0, turn = *rng.uniform(-_REACH_MM, _REACH_MM, 2), float(rng.uniform(0, 360))
        cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        tiles = []
        for x, y, angle in group:
            face = BACK if rng.random() < _BACK_SHARE else ALL_TILES[int(rng.integers(34))].text
            upside = 180.0 * int(rng.integers(2))
            at = (float(x0 + x * cosine + y * sine), float(y0 - x * sine + y * cosine))
            tiles.append(StrewnTile(face, *at, (turn + angle + upside) % 360.0))
        return tiles

    def _fits(self, tile: StrewnTile) -> bool:
        corners = np.abs(_corners(tile, self._mat, 0.0))
        off = np.abs(corners - self._mat.marker_centre_mm)
        inside = self._mat.half_side_mm - 8.0
        return bool(corners.max() < inside and not (off < self._mat.marker_mm / 2 + _MARKER_ROOM_MM / 2).all(axis=1).any())


def _corners(tile: StrewnTile, mat: Mat, wider_mm: float) -> Points:
    """The corners of a tile (4 × 2 mm), or of one so much wider on each side."""
    return outline_mm(mat, Spot(tile.x_mm, tile.y_mm, tile.angle_deg), wider_mm)
