"""Filmed hands: observations of a simulated hand as frames of a camera over a table without a mat, with a finder and a classifier that
know the truth, as far as a frame shows it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile
from vision.anytable.plane import THICKNESS_MM, TILE_MM
from vision.anytable.sources import TimedFrame
from vision.finder.found import CELL_PX, FoundTable, FoundTile, TileForm
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView, Foreign, Limits
from vision.table.lens import Points

CLOTH = (70, 90, 40)
_SURE_LEVEL, _UNSURE_LEVEL, _KIND_STEP = 250, 120, 6


@dataclass(frozen=True, slots=True)
class FilmCamera:
    """A camera over a table: the size of its pictures, its focal length in long sides of them, how far it is from the middle of the
    table, from which side and at which angle to the vertical it looks there, and how it is turned and moved (px)."""

    width_px: int = 960
    height_px: int = 720
    focus: float = 1.05
    away_mm: float = 1150.0
    tilt_deg: float = 15.0
    from_deg: float = 0.0
    turned_deg: float = 3.0
    moved_px: tuple[float, float] = (0.0, 0.0)

    def project(self, points: Points) -> Points:
        """Points (n × 3: x, y on the table and mm above it) in the picture."""
        tilt, side, turn = np.deg2rad((self.tilt_deg, self.from_deg, self.turned_deg))
        toward = np.array((np.sin(side), np.cos(side)))
        turned = points[:, :2] @ np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
        off, up = turned @ toward, points[:, 2]
        across = turned - off[:, None] * toward
        seen = across + (off * np.cos(tilt) - up * np.sin(tilt))[:, None] * toward
        depth = self.away_mm - off * np.sin(tilt) - up * np.cos(tilt)
        scale = self.focus * max(self.width_px, self.height_px)
        return np.asarray(seen / depth[:, None] * scale + np.array((self.width_px, self.height_px)) / 2 + self.moved_px)

    def found(self, tiles: Sequence[ObservedTile], forms: Sequence[TileForm], above_mm: float = 0.0) -> list[FoundTile]:
        """Tiles as a finder that makes no mistake says them."""
        half = np.array(TILE_MM) / 2 * [(0.0, -1.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 0.0)]
        top, bottom, left, right = self._seen(tiles, half, above_mm).transpose(1, 0, 2)
        way, middle = bottom - top, (top + bottom) / 2
        sides = np.column_stack((np.hypot(*(right - left).T), np.hypot(*way.T), np.rad2deg(np.arctan2(*way.T)) % 180))
        rows = zip(middle.tolist(), sides.tolist(), forms, strict=True)
        return [FoundTile(x, y, width, height, turn, form, 0.99) for (x, y), (width, height, turn), form in rows]

    def outlines(self, tiles: Sequence[ObservedTile]) -> Points:
        """The corners of the faces of tiles in the picture (n × 4 × 2)."""
        return self._seen(tiles, np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * TILE_MM, 0.0)

    def _seen(self, tiles: Sequence[ObservedTile], own: Points, above_mm: float) -> Points:
        """Points of tiles, in their own millimetres (k × 2), in the picture (n × k × 2)."""
        poses = np.array([(tile.x_mm, tile.y_mm, np.deg2rad(tile.angle_deg)) for tile in tiles]).reshape(-1, 3)
        cosine, sine = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
        x, y = own.T
        points = np.stack((poses[:, :1] + x * cosine + y * sine, poses[:, 1:2] - x * sine + y * cosine), axis=-1).reshape(-1, 2)
        return self.project(np.column_stack((points, np.full(len(points), above_mm)))).reshape(-1, len(own), 2)


WALLS = tuple(
    ObservedTile(y if side % 2 else x, x if side % 2 else y, 90.0 * (side % 2), face_up=False)
    for side in range(4)
    for x, y in ((26.0 * (number - 8), (228.0, -228.0)[side // 2]) for number in range(17))
)
"""Four walls of 17 stacks."""


class KnowingFinder:
    """Knows what each frame shows, by the number that is drawn in it."""

    def __init__(self) -> None:
        self.looks: list[FoundTable] = []

    def look(self, image: NDArray[np.uint8]) -> FoundTable:
        """What was noted of a frame."""
        number = int(np.median(image[0:8, 0:8, 0])) // 8 * 1024 + int(np.median(image[0:8, 8:16, 0])) // 8 * 32
        return self.looks[number + int(np.median(image[0:8, 16:24, 0])) // 8]


class KnowingClassifier(Classifier):
    """Reads the colour in which a tile's face was drawn."""

    def __init__(self) -> None:
        self.limits, self.digest = Limits(0.9, 0.5, 0.2), ""

    def look(self, crops: NDArray[np.uint8]) -> list[CropView]:
        """The kind of each."""
        return [_view(np.median(crop[16:48, 12:36].reshape(-1, 3), axis=0)) for crop in crops]


def _view(colour: NDArray[np.float64]) -> CropView:
    kind = Tile(int(np.clip(np.rint((colour[0] - 20) / _KIND_STEP), 0, len(ALL_TILES) - 1)))
    sure = colour[2] > (_SURE_LEVEL + _UNSURE_LEVEL) / 2
    kinds = np.full(len(ALL_TILES), 1e-5)
    kinds[kind], kinds[Tile((kind + 1) % len(ALL_TILES))] = (0.995, 0.003) if sure else (0.7, 0.3)
    embeddings = np.stack(2 * [np.eye(len(ALL_TILES), dtype=np.float32)[kind]])
    return CropView(kinds, dict.fromkeys(Foreign, 0.0), turned=False, first=kind, second=kind, embeddings=embeddings)


def filmed(
    observations: Iterable[MatObservation], finder: KnowingFinder, camera: FilmCamera | Sequence[FilmCamera] = ()
) -> Iterator[TimedFrame]:
    """Frames of what was observed. Of several cameras each has an equal share of the frames, one after the other."""
    cameras = [camera] if isinstance(camera, FilmCamera) else list(camera) or [FilmCamera()]
    seen = list(observations) if len(cameras) > 1 else observations
    share = len(seen) / len(cameras) if isinstance(seen, list) else np.inf
    for number, observation in enumerate(seen):
        now = cameras[int(number // share)]
        finder.looks.append(_look(observation, now))
        yield TimedFrame(observation.at_ms, _drawn(observation, now, len(finder.looks) - 1))


def _look(observation: MatObservation, camera: FilmCamera) -> FoundTable:
    forms = [TileForm.FACE if tile.face_up else TileForm.BACK for tile in observation.tiles]
    tiles, walls = camera.found(observation.tiles, forms), camera.found(WALLS, [TileForm.WALL] * len(WALLS), THICKNESS_MM)
    return FoundTable((*tiles, *walls), _covering(observation.covered, camera))


def _covering(covered: frozenset[tuple[int, int]], camera: FilmCamera) -> NDArray[np.float32]:
    cells = np.zeros((-(-camera.height_px // CELL_PX), -(-camera.width_px // CELL_PX)), np.uint8)
    for column, row in covered:
        corners = np.array([(column - 0.5, row - 0.5), (column + 0.5, row - 0.5), (column + 0.5, row + 0.5), (column - 0.5, row + 0.5)])
        outline = camera.project(np.column_stack((corners * COVER_MM, np.zeros(4)))) / CELL_PX - 0.5
        cv2.fillPoly(cells, [np.rint(outline).astype(np.int32)], 1)
    return cells.astype(np.float32)


def _drawn(observation: MatObservation, camera: FilmCamera, number: int) -> NDArray[np.uint8]:
    image = _bare((camera.height_px, camera.width_px)).copy()
    for tile, outline in zip(observation.tiles, camera.outlines(observation.tiles), strict=True):
        cv2.fillPoly(image, [np.rint(outline).astype(np.int32)], _colour(tile))
    for place, digit in enumerate((number // 1024, number // 32 % 32, number % 32)):
        image[0:8, 8 * place : 8 * place + 8] = 8 * digit + 4
    return image


@cache
def _bare(size_px: tuple[int, int]) -> NDArray[np.uint8]:
    return np.full((*size_px, 3), CLOTH, np.uint8)


def _colour(tile: ObservedTile) -> tuple[int, int, int]:
    if not tile.face_up:
        return 60, 120, 30
    if not tile.shares:
        return 255, 255, 255
    kind = max(tile.shares, key=lambda one: tile.shares[one])
    return 20 + _KIND_STEP * kind, 128, _SURE_LEVEL if tile.sure else _UNSURE_LEVEL
