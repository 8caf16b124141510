"""Renders the gate: one tile of the simulator's set in the window, either way up, as a small camera sees it.

The tile lies a little off and askew under uneven light; now and then it cannot be read at all, by a smear, by a failing lamp or by glare.
The same camera (seed), scene and frame number give the same picture.
"""

import math
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.cameras.ground import rectangle
from simulator.cameras.optics import FOREIGN, Noise, Picture, as_picture, face_sprite, felt, light_map, lit
from simulator.scene import GateScene, WindowTile
from twinwall.art.designs import SIMULATOR_FLOWERS

WIDTH, HEIGHT = 480, 360
PX_PER_MM = 6.75
"""A tile is then 175 × 243 px: three to four times as large as the crop that it is read from."""
_TILE_WIDTH_MM, _TILE_HEIGHT_MM = 26.0, 36.0
_FLOOR = (70, 74, 72)
_WALL = (44, 47, 46)
_CHUTE_HALF_WIDTH_MM = 17.5
_BEVEL_MM = 1.3
_MARGIN_PX = round(5.3 * PX_PER_MM)
"""Room around the tile's picture, for its shadow."""

_OWN_SPRITES: dict[tuple[str, int], Picture] = {}
"""The simulator's own set, which looks alike to all cameras."""
Matrix = NDArray[np.float64]


class GateCamera:
    """The camera over the gate's window; ``seed`` fixes how it was mounted.

    ``faces`` are pictures (blue, green, red) of the faces of another set than the simulator's own, upright, by notation.
    """

    def __init__(self, seed: int, faces: Mapping[str, Picture] | None = None) -> None:
        rng = np.random.default_rng((seed, 1))
        self._faces = faces or {}
        self._mounting = _mounting(rng)
        self._ground = _chute(rng)
        self._noise = Noise(WIDTH, HEIGHT, 2.6, rng)
        self._still_light = light_map(WIDTH, HEIGHT, rng, uneven=0.12, vignette=0.18, level=0.95)
        self._sprites = dict[tuple[str, int], Picture]() if faces else _OWN_SPRITES
        self._still: tuple[WindowTile, Picture] | None = None
        """The last tile's picture as the lens gave it: every frame of one showing differs from the others by noise alone."""
        self._frame = 0

    def render(self, scene: GateScene) -> Picture:
        """One exposure: uint8 of shape (360, 480, 3), blue, green, red.

        Raises ValueError for a face that no tile has.
        """
        self._frame += 1
        if scene.tile is None:
            return self._noise.added(lit(self._ground, self._still_light), self._frame)
        if self._still is None or self._still[0] != scene.tile:
            self._still = (scene.tile, self._seen(scene.tile))
        return self._noise.added(self._still[1], self._frame)

    def _seen(self, tile: WindowTile) -> Picture:
        """The window with the tile in it under this showing's light, before the sensor's noise."""
        light = np.random.default_rng((tile.light_seed, 2))
        gains = light_map(WIDTH, HEIGHT, light, uneven=light.uniform(0.05, 0.25), vignette=0.18, level=light.uniform(0.82, 1.06))
        picture = lit(self._laid(tile), gains)
        defocus = light.uniform(0.45, 0.95)
        picture = as_picture(cv2.GaussianBlur(picture, (5, 5), defocus))
        if light.random() < 0.3:
            picture = _with_glare(picture, light, strength=light.uniform(10, 34), radius_px=light.uniform(45, 98))
        return _obscured(picture, light) if tile.obscured else picture

    def _laid(self, tile: WindowTile) -> Picture:
        """The window with the tile in it, before light."""
        variant = tile.light_seed % len(SIMULATOR_FLOWERS) if tile.face == FOREIGN else 0
        showing = tile.face, variant
        if showing not in self._sprites:
            self._sprites[showing] = _sprite(*showing, self._faces.get(tile.face))
        sprite = self._sprites[showing]
        to_frame = self._mounting @ _pose(tile) @ _sprite_to_mm()
        left, top, right, bottom = _reached(to_frame, sprite)
        to_part = np.array([(1.0, 0.0, -left), (0.0, 1.0, -top), (0.0, 0.0, 1.0)]) @ to_frame
        layer = as_picture(cv2.warpPerspective(sprite, to_part, (right - left, bottom - top), flags=cv2.INTER_LINEAR))
        rest = cv2.cvtColor(255 - layer[:, :, 3], cv2.COLOR_GRAY2BGR)
        window = self._ground.copy()
        part = window[top:bottom, left:right]
        part[:] = cv2.add(cv2.multiply(part, rest, scale=1.0 / 255), cv2.cvtColor(layer, cv2.COLOR_BGRA2BGR))
        return window


def _mounting(rng: np.random.Generator) -> Matrix:
    """Millimetres around the window's middle to pixels, through a camera that is not quite square to it."""
    corners = rectangle(WIDTH / 2, HEIGHT / 2).astype(np.float32)
    source = (corners / PX_PER_MM).astype(np.float32)
    turn = math.radians(rng.uniform(-1.2, 1.2))
    turned = corners @ np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))], np.float32)
    target = (
        turned
        + rng.uniform(-5, 5, (4, 2)).astype(np.float32)
        + rng.uniform(-4.5, 4.5, 2).astype(np.float32)
        + np.array((WIDTH / 2, HEIGHT / 2), np.float32)
    )
    return np.asarray(cv2.getPerspectiveTransform(source, target.astype(np.float32)), np.float64)


def _pose(tile: WindowTile) -> Matrix:
    """The tile's own millimetres (upright, around its middle) to those of the window."""
    angle = math.radians(tile.angle_deg + (180.0 if tile.turned else 0.0))
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([(cosine, sine, tile.offset_mm[0]), (-sine, cosine, tile.offset_mm[1]), (0.0, 0.0, 1.0)])


def _sprite_to_mm() -> Matrix:
    scale = 1.0 / PX_PER_MM
    x = -_TILE_WIDTH_MM / 2 - _MARGIN_PX * scale
    y = -_TILE_HEIGHT_MM / 2 - _MARGIN_PX * scale
    return np.array([(scale, 0.0, x), (0.0, scale, y), (0.0, 0.0, 1.0)])


def _reached(to_frame: Matrix, sprite: Picture) -> tuple[int, int, int, int]:
    """The part of the frame on which a sprite falls: left, top, and right and bottom excluded; at least one pixel."""
    height, width = sprite.shape[:2]
    corners = np.array([[(0, 0), (width, 0), (width, height), (0, height)]], np.float64)
    points = cv2.perspectiveTransform(corners, to_frame)[0]
    left, top = np.clip(np.floor(points.min(axis=0)).astype(int) - 1, 0, (WIDTH - 1, HEIGHT - 1))
    right, bottom = np.clip(np.ceil(points.max(axis=0)).astype(int) + 2, (left + 1, top + 1), (WIDTH, HEIGHT))
    return int(left), int(top), int(right), int(bottom)


def _sprite(face: str, variant: int, picture: Picture | None) -> Picture:
    """A tile with bevel and shadow at the camera's scale: colours times alpha, and alpha; ``picture`` is its face in another set."""
    tile = face_sprite(face, round(_TILE_HEIGHT_MM * PX_PER_MM), variant)
    height, width = tile.shape[:2]
    if picture is not None:
        tile[:, :, :3] = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    size = (height + 2 * _MARGIN_PX, width + 2 * _MARGIN_PX)
    inner = (slice(_MARGIN_PX, _MARGIN_PX + height), slice(_MARGIN_PX, _MARGIN_PX + width))
    body = np.zeros(size, np.float32)
    body[inner] = tile[:, :, 3] / 255.0
    depth = cv2.distanceTransform((body > 0.5).astype(np.uint8), cv2.DIST_L2, 5)
    round_off = np.clip(np.asarray(depth, np.float32) / (_BEVEL_MM * PX_PER_MM), 0, 1)
    shade = 0.62 + 0.38 * np.sin(round_off * np.pi / 2)
    shadow = np.asarray(cv2.GaussianBlur(np.roll(body, (5, 3), (0, 1)), (0, 0), 8), np.float32) * 0.55
    alpha = body + (1 - body) * shadow
    colour = np.zeros((*size, 3), np.float32)
    colour[inner] = tile[:, :, :3]
    colour *= (body * shade)[:, :, np.newaxis]
    return np.dstack((np.rint(colour), np.rint(alpha * 255))).astype(np.uint8)


def _chute(rng: np.random.Generator) -> Picture:
    ground = felt(WIDTH, HEIGHT, _FLOOR, 5.0, rng)
    half = round(_CHUTE_HALF_WIDTH_MM * PX_PER_MM)
    middle = WIDTH // 2 + int(rng.integers(-4, 5))
    for wall, edge in ((ground[:, : middle - half], middle - half), (ground[:, middle + half :], middle + half)):
        wall[:] = felt(wall.shape[1], HEIGHT, _WALL, 3.0, rng)
        cv2.line(ground, (edge, 0), (edge, HEIGHT), (120, 124, 122), 2, cv2.LINE_AA)
    return as_picture(cv2.GaussianBlur(ground, (0, 0), 0.8))


def _with_glare(picture: Picture, rng: np.random.Generator, *, strength: float, radius_px: float) -> Picture:
    x, y = WIDTH / 2 + rng.uniform(-68, 68), HEIGHT / 2 + rng.uniform(-98, 98)
    across = np.exp(-(((np.arange(0, WIDTH, 8) - x) / radius_px) ** 2))
    down = np.exp(-(((np.arange(0, HEIGHT, 8) - y) / radius_px) ** 2))
    blob = np.clip(np.rint(strength * np.outer(down, across)), 0, 255).astype(np.uint8)
    grey = cv2.resize(blob, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR)
    return as_picture(cv2.add(picture, cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR)))


def _obscured(picture: Picture, rng: np.random.Generator) -> Picture:
    match ("smear", "lamp", "glare")[int(rng.integers(3))]:
        case "smear":
            streaked = cv2.blur(picture, (int(rng.integers(98, 143)), 5))
            return as_picture(cv2.blur(streaked, (5, int(rng.integers(83, 120)))))
        case "lamp":
            return as_picture(cv2.convertScaleAbs(cv2.blur(picture, (69, 69)), alpha=rng.uniform(0.002, 0.006)))
        case _:
            washed = cv2.addWeighted(cv2.blur(picture, (53, 53)), 0.2, np.full_like(picture, 255), 0.4, 0)
            return _with_glare(as_picture(washed), rng, strength=200.0, radius_px=rng.uniform(172, 225))
