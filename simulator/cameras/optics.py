"""Optics of a lens and a sensor, fast enough for every frame: light, glare, noise, image files.

Pictures are uint8 of shape (height, width, 3) in OpenCV's order blue, green, red. A lens blurs light and edges mix
light, of which a picture's levels are a power: both are done on ``Light``, float32 of the same shape, 0 to 1. Lamps
are a small map of gains of the levels in 1/128, so that one integer multiplication applies it.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.scene import BACK
from twinwall.art.designs import SIMULATOR_DESIGN, SIMULATOR_FLOWERS, Design
from twinwall.art.raster import raster
from twinwall.game.tiles import NotationError, Tile, parse_tile

Picture = NDArray[np.uint8]
Light = NDArray[np.float32]
UNIT_GAIN = 128
_GAMMA = 2.2
_LIGHT_OF_LEVEL = ((np.arange(256) / 255) ** _GAMMA).astype(np.float32)
_LIGHT_OF_GAIN = ((np.arange(256) / UNIT_GAIN) ** _GAMMA).astype(np.float32)
_SHADES = 1 << 16
_LEVEL_OF_SHADE = np.rint((np.arange(_SHADES) / (_SHADES - 1)) ** (1 / _GAMMA) * 255).astype(np.uint8)
_NOISE_MIDDLE = 128
_NOISE_MARGIN_PX = 64
FOREIGN = "flower"
BACK_COLOUR = (58, 92, 40)


class Noise:
    """A sheet of sensor noise, from which every frame takes another cut."""

    def __init__(self, width: int, height: int, deviation: float, rng: np.random.Generator) -> None:
        shape = (height + _NOISE_MARGIN_PX, width + _NOISE_MARGIN_PX)
        self._sheet: Picture = np.empty((*shape, 3), np.uint8)
        grey = rng.standard_normal(shape, np.float32) * (deviation * 0.8) + _NOISE_MIDDLE
        for channel in range(3):
            noise = rng.standard_normal(shape, np.float32) * (deviation * 0.6) + grey
            self._sheet[:, :, channel] = cv2.convertScaleAbs(np.maximum(noise, 0.0))

    def added(self, picture: Picture, frame: int, corner: tuple[int, int] = (0, 0)) -> Picture:
        """The picture as the sensor reads it out in this frame; a part of it lies with its upper left pixel at ``corner`` (x, y)."""
        height, width = picture.shape[:2]
        x, y = frame * 37 % _NOISE_MARGIN_PX + corner[0], frame * 23 % _NOISE_MARGIN_PX + corner[1]
        return as_picture(cv2.addWeighted(picture, 1.0, self._sheet[y : y + height, x : x + width], 1.0, -_NOISE_MIDDLE))


def light_map(width: int, height: int, rng: np.random.Generator, *, uneven: float, vignette: float, level: float) -> Picture:
    """Gains of an unevenly lit picture: a slope in a random direction, darker corners, a faint tint.

    ``uneven`` and ``vignette`` are shares of the light; ``level`` is the gain in the middle.
    Answers uint8 of shape (height, width, 3) in 1/128.
    """
    y, x = np.mgrid[-1 : 1 : complex(0, 31), -1 : 1 : complex(0, 31)]
    angle = rng.uniform(0, 2 * np.pi)
    slope = 1.0 + uneven * (np.cos(angle) * x + np.sin(angle) * y) / 1.2
    fall = 1.0 - vignette * (x * x + y * y) / 2
    tint = 1.0 + rng.uniform(-0.03, 0.03, 3)
    coarse = (level * slope * fall)[:, :, np.newaxis] * tint * UNIT_GAIN
    return as_picture(cv2.resize(np.clip(np.rint(coarse), 0, 255).astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR))


def lit(picture: Picture, gains: Picture) -> Picture:
    return as_picture(cv2.multiply(picture, gains, scale=1.0 / UNIT_GAIN))


def to_light(picture: Picture) -> Light:
    """The light that a picture's levels stand for; a share of the levels becomes one of the light."""
    return np.asarray(cv2.LUT(picture, _LIGHT_OF_LEVEL), np.float32).reshape(picture.shape)


def to_picture(light: Light) -> Picture:
    shades = np.clip(light, 0, 1)
    shades *= _SHADES - 1
    shades += 0.5
    return _LEVEL_OF_SHADE.take(shades.astype(np.uint16), mode="clip")


def lit_up(light: Light, gains: Picture) -> Light:
    return np.asarray(light * cv2.LUT(gains, _LIGHT_OF_GAIN), np.float32)


def felt(width: int, height: int, colour: tuple[int, int, int], roughness: float, rng: np.random.Generator) -> Picture:
    """Woven ground of a colour (blue, green, red): fine grain over slow blotches."""
    fine = rng.standard_normal((height, width), np.float32)
    slow = rng.standard_normal((height // 24 + 2, width // 24 + 2), np.float32)
    grain = cv2.GaussianBlur(fine, (0, 0), 0.7) * (1.6 * roughness)
    grain += cv2.resize(slow, (width, height), interpolation=cv2.INTER_CUBIC) * (0.7 * roughness)
    return as_picture(cv2.merge([cv2.convertScaleAbs(np.maximum(grain + part, 0.0)) for part in colour]))


def face_sprite(
    face: str, height_px: int, variant: int, design: Design = SIMULATOR_DESIGN, back: tuple[int, int, int] = BACK_COLOUR
) -> Picture:
    """A face of a set (the simulator's own where no other is named) as blue, green, red, alpha; ``variant`` picks among foreign tiles.

    Raises ValueError for a face that is neither notation, ``flower`` nor ``back``.
    """
    if face == BACK:
        return _back(height_px, design, back)
    if face == FOREIGN:
        return _bgra(raster(design, SIMULATOR_FLOWERS[variant % len(SIMULATOR_FLOWERS)], height_px))
    try:
        return _bgra(raster(design, parse_tile(face), height_px))
    except NotationError as error:
        raise ValueError(f"a camera cannot show {face!r}: {error}, {FOREIGN!r} or {BACK!r}") from None


def _back(height_px: int, design: Design, colour: tuple[int, int, int]) -> Picture:
    """A tile's plain back, in the outline of a face."""
    sprite = _bgra(raster(design, Tile.WHITE, height_px))
    sprite[:, :, :3] = colour
    return sprite


def _bgra(pixels: Picture) -> Picture:
    return np.ascontiguousarray(pixels[:, :, (2, 1, 0, 3)])


def jpeg(picture: Picture, quality: int) -> bytes:
    return _encoded(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))


def png(picture: Picture) -> bytes:
    return _encoded(".png", picture, (cv2.IMWRITE_PNG_COMPRESSION, 1))


def _encoded(suffix: str, picture: Picture, options: tuple[int, int]) -> bytes:
    good, encoded = cv2.imencode(suffix, picture, options)
    if not good:
        raise RuntimeError(f"OpenCV could not write a {suffix} file of {picture.shape}")
    return encoded.tobytes()


def as_picture(array: object) -> Picture:
    picture = np.asarray(array)
    assert picture.dtype == np.uint8
    return picture
