"""Eight grounds on which no finder was trained, each 1.5 m square from above, 1 px a millimetre, and tile sets that it was not trained on:
the simulator's own design, and the published one in TWINWALL_DATA. The classifier knows the published set
(``vision/model/weights/CARD.md``), so its accepted reads say less."""

import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from tools.train.faces.published import svg_set
from tools.train.finder.faces import FaceBank, make_bank
from tools.train.finder.surroundings import bgr
from tools.train.finder.tabletop import DrawnSet, Eye, Picture
from twinwall.art.designs import SIMULATOR_DESIGN
from twinwall.art.raster import raster
from twinwall.game.tiles import ALL_TILES, Tile

_FACE_PX = 192


@cache
def unseen_banks() -> Mapping[str, FaceBank]:
    """Return a bank of one set each, by the set's name."""
    own = [np.ascontiguousarray(raster(SIMULATOR_DESIGN, tile, _FACE_PX)[..., 2::-1]) for tile in ALL_TILES]
    banks = {"simulator": make_bank([own], [])}
    folder = Path(os.environ.get("TWINWALL_DATA", "")) / "art"
    if (folder / "Regular").is_dir() and find_spec("resvg_py"):
        published = svg_set(folder)
        banks["published"] = make_bank([[published.faces[tile] for tile in ALL_TILES]], [])
    return banks


def unseen_set(name: str, rng: Generator) -> tuple[DrawnSet, dict[str, Picture]]:
    """Return a set with random colours of bodies and backs, and its faces by notation."""
    tile_set, faces = unseen_banks()[name].random_set(rng)
    by_kind: dict[Tile, Picture] = dict(zip(ALL_TILES, faces[-len(ALL_TILES) :], strict=True))
    return tile_set, {tile.text: face for tile, face in by_kind.items()}


SIDE = 1500
REACH_MM, FLOOR_MM = 460.0, -700.0
"""From the middle of the table to its edge, and the floor's height."""
_RIM_MM = 30
_RIMS = {"felt": (60, 85, 120), "automatic table": (45, 45, 48)}


def _f32(values: ArrayLike) -> NDArray[np.float32]:
    return np.asarray(values, np.float32)


def _waves(rng: Generator, down: int, across: int) -> NDArray[np.float32]:
    """Return smooth noise about 0 with this many waves down and across."""
    return np.asarray(cv2.resize(rng.normal(0, 1, (down, across)).astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC))


def _grain(rng: Generator, size: float) -> NDArray[np.float32]:
    return np.asarray(size * rng.standard_normal((SIDE, SIDE), np.float32))


def _felt(rng: Generator) -> NDArray[np.float32]:
    colour = bgr(rng.choice((0.36, 0.6, 0.97)), 0.72, rng.uniform(0.32, 0.5))
    return _f32(colour) + (3 * _waves(rng, 9, 9) + cv2.blur(_grain(rng, 9), (1, 3)) + _grain(rng, 4))[..., None]


def _planks(rng: Generator, colour: NDArray[np.float64], depth: float) -> NDArray[np.float32]:
    """Draw boards with rings around knots."""
    far = np.linspace(0, 60, SIDE, dtype=np.float32)[:, None] + 2.5 * _waves(rng, 7, 3) + 0.5 * _waves(rng, 40, 4)
    board = (np.arange(SIDE) // 140)[:, None]
    rings = np.sin(far + 11.0 * board) * 0.6 + np.sin(far * 2.7 + board) * 0.4 + 0.5 * _waves(rng, 700, 12)
    shade = 1 + depth * rings + rng.normal(0, 0.06, board.max() + 1)[board]
    shade[np.arange(SIDE) % 140 < 2] *= 0.45
    return np.asarray(_f32(colour) * _f32(shade)[..., None], np.float32)


def _wood(rng: Generator) -> NDArray[np.float32]:
    return _planks(rng, bgr(rng.uniform(0.07, 0.1), 0.5, 0.78), 0.07)


def _dark_wood(rng: Generator) -> NDArray[np.float32]:
    return _planks(rng, bgr(rng.uniform(0.03, 0.06), 0.6, 0.27), 0.16)


def _print(rng: Generator) -> NDArray[np.float32]:
    """Draw a cloth with sprigs of flowers and a border of checks."""
    ground = np.full((SIDE, SIDE, 3), bgr(rng.random(), 0.12, 0.9), np.float32)
    petal, leaf, line = (tuple(bgr(hue, 0.75, value).tolist()) for hue, value in ((rng.random(), 0.75), (0.33, 0.5), (0.6, 0.55)))
    for row in range(0, SIDE + 60, 58):
        for x in range(row % 116 // 2, SIDE + 60, 58):
            for turn in np.arange(6) * np.pi / 3 + 0.3 * row:
                petal_at = int(x + 9 * np.cos(turn)), int(row + 9 * np.sin(turn))
                cv2.ellipse(ground, petal_at, (7, 4), np.rad2deg(turn), 0, 360, petal, -1, cv2.LINE_AA)
            cv2.circle(ground, (x, row), 4, (60, 190, 230), -1, cv2.LINE_AA)
            cv2.ellipse(ground, (x + 24, row + 22), (13, 4), 40, 0, 360, leaf, -1, cv2.LINE_AA)
    for at in range(0, SIDE, 116):
        cv2.line(ground, (at, 0), (at, SIDE), line, 3)
        cv2.line(ground, (0, at), (SIDE, at), line, 3)
    return _f32(ground + (_grain(rng, 5) + 2 * _waves(rng, 6, 6))[..., None])


def _board(rng: Generator) -> NDArray[np.float32]:
    return _f32(bgr(0.1, rng.uniform(0.01, 0.05), 0.93)) + (2 * _waves(rng, 5, 5) + _grain(rng, 2))[..., None]


def _stone(rng: Generator) -> NDArray[np.float32]:
    """Draw marble with veins, or speckled granite."""
    ways = _waves(rng, 6, 6) + 0.5 * _waves(rng, 14, 14) + 0.25 * _waves(rng, 40, 40)
    veins = np.exp(-((ways / 0.05) ** 2)) + 0.6 * np.exp(-(((ways - 0.7) / 0.03) ** 2))
    specks = cv2.GaussianBlur(_grain(rng, 1), (0, 0), 1.3) * 26
    return _f32(bgr(rng.uniform(0.05, 0.6), 0.06, rng.uniform(0.55, 0.85)) - (70 * veins - specks - 8 * ways)[..., None])


def _automatic(rng: Generator) -> NDArray[np.float32]:
    """Draw a table that builds walls itself: cloth, the slits of its lifts, and a console with dice and lamps."""
    colour = bgr(rng.choice((0.4, 0.58)), 0.85, 0.3)
    ground = np.ascontiguousarray(_f32(colour) + (_grain(rng, 9) + 2 * _waves(rng, 9, 9))[..., None])
    middle, slit = SIDE // 2, tuple((colour * 0.35).tolist())
    for side in (-1, 1):
        for thick in (-20, 20):
            away = middle + side * 262 + thick
            cv2.line(ground, (middle - 250, away), (middle + 250, away), slit, 2)
            cv2.line(ground, (away, middle - 250), (away, middle + 250), slit, 2)
    cv2.rectangle(ground, (middle - 62, middle - 62), (middle + 62, middle + 62), (32, 30, 30), -1)
    cv2.rectangle(ground, (middle - 62, middle - 62), (middle + 62, middle + 62), (110, 112, 115), 3)
    cv2.circle(ground, (middle, middle), 30, (150, 150, 140), -1, cv2.LINE_AA)
    for x, y in ((-9, -7), (11, 8)):
        cv2.rectangle(ground, (middle + x - 7, middle + y - 7), (middle + x + 7, middle + y + 7), (235, 240, 240), -1)
        cv2.circle(ground, (middle + x, middle + y), 3, (40, 40, 200), -1, cv2.LINE_AA)
    for number, (x, y) in enumerate(((0, 50), (50, 0), (0, -50), (-50, 0))):
        colour_of_lamp = (60, 60, 235) if number else (80, 220, 90)
        cv2.rectangle(ground, (middle + x - 9, middle + y - 5), (middle + x + 9, middle + y + 5), colour_of_lamp, -1)
        at = middle + x - 34, middle + y + 6
        letter = np.zeros((SIDE, SIDE), np.uint8)  # OpenCV 5 writes on bytes alone
        cv2.putText(letter, "ESWN"[number], at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 255, 1, cv2.LINE_AA)
        ground += (letter[..., None] / np.float32(255)) * (200 - ground)
    return ground


def _bed(rng: Generator) -> NDArray[np.float32]:
    """Draw a sheet in folds with thin stripes."""
    folds = _waves(rng, 4, 9) + 0.6 * _waves(rng, 12, 3)
    light = np.gradient(folds, axis=1) * 900 + np.gradient(folds, axis=0) * 500
    sheet = _f32(bgr(rng.choice((0.58, 0.08, 0.95)), 0.14, 0.86)) + np.clip(light, -38, 26)[..., None] + _grain(rng, 3)[..., None]
    sheet[:, np.arange(SIDE) % 44 < 4] -= _f32((14, 26, 30))
    return np.asarray(sheet, np.float32)


SURFACES: dict[str, Callable[[Generator], NDArray[np.float32]]] = {
    "felt": _felt,
    "wood": _wood,
    "dark wood": _dark_wood,
    "printed cloth": _print,
    "white board": _board,
    "stone": _stone,
    "automatic table": _automatic,
    "bed sheet": _bed,
}


def ground(name: str, rng: Generator) -> tuple[Picture, Picture | None]:
    """Return the table from above, and the floor around it (None if the table fills the picture). Beyond their edges both are mirrored."""
    top = np.clip(SURFACES[name](rng), 0, 255).astype(np.uint8)
    if name == "bed sheet":
        return top, None
    if name in _RIMS:
        edge = SIDE // 2 - int(REACH_MM) + _RIM_MM
        inner = top[edge:-edge, edge:-edge].copy()
        top[:] = _RIMS[name]
        top[edge:-edge, edge:-edge] = inner
    return top, np.clip(_planks(rng, bgr(0.08, 0.35, rng.uniform(0.2, 0.6)), 0.05), 0, 255).astype(np.uint8)


def lay_surface(name: str, rng: Generator, eye: Eye, size_px: tuple[int, int]) -> Picture:
    """Return a table with this ground, and the floor around it, as the camera sees it (h × w × 3)."""
    top, floor = ground(name, rng)
    corners = np.array([(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)])
    ends = np.array([(0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE)], np.float32)

    def seen(reach_mm: float, z_mm: float = 0.0) -> NDArray[np.float32]:
        return eye.project(np.column_stack((corners * reach_mm, np.full(4, z_mm)))).astype(np.float32)

    def warped(picture: Picture, outline: NDArray[np.float32]) -> Picture:
        matrix = cv2.getPerspectiveTransform(ends, outline)
        return np.asarray(cv2.warpPerspective(picture, matrix, size_px, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT), np.uint8)

    image = warped(top, seen(SIDE / 2))
    if floor is not None:
        table = np.zeros(size_px[::-1], np.uint8)
        cv2.fillConvexPoly(table, seen(REACH_MM).astype(np.int32), 255)
        image[table == 0] = warped(floor, seen(SIDE / 2, FLOOR_MM))[table == 0]
    return image
