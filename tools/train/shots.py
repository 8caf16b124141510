"""Camera shots of a scene: a poor camera and an inexact cut, as a reader would hand them to the network.

Light, colour, focus, size, pixels that are not square, perspective and errors of the crop vary.
"""

import cv2
import numpy as np
from numpy.random import Generator

from tools.train.faces.sheets import SHEET_H, SHEET_W
from tools.train.scenes import SCENE_H, SCENE_W, Matrix, Picture
from vision.model.crop import fit_crop

WHOLE = (0.0, 0.0, 1.0, 1.0)
_WITH_SIDE_SHARE, _ASKEW_SHARE = 0.15, 0.1
"""How often a whole tile is cut with one of its sides, and how often as an upright box around a tile that lies askew."""
_SIDES = (((2, 3), 1, 1), ((0, 1), 1, -1), ((1, 2), 0, 1), ((0, 3), 0, -1))
"""Which corners of a cut move along which axis and where to, to take in the lower, upper, right or left side."""


def cut(
    scene: Picture, rng: Generator, *, turned: bool, region: tuple[float, float, float, float] = WHOLE, quarter: bool = False
) -> Picture:
    """Cut the tile as a reader would, a little wrong, at a camera's size; a whole tile now and then with its side, or askew in its box.

    ``region`` is left, top, right and bottom as shares of the tile: half of it, say, or half of it and half of what lies beside it.
    ``quarter`` cuts the tile lying.
    """
    left, top, right, bottom = region
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    spread = 0.075 if rng.random() < 0.8 else 0.11
    inward = np.array([rng.uniform(-spread, spread) for _ in range(4)], np.float32)
    corners[:, 0] += np.array([inward[0], -inward[1], -inward[1], inward[0]])
    corners[:, 1] += np.array([inward[2], inward[2], -inward[3], -inward[3]])
    corners += rng.normal(0, 0.018, (4, 2)).astype(np.float32)
    angle = np.deg2rad(rng.normal(0, 2.5))
    if region == WHOLE:
        if rng.random() < _WITH_SIDE_SHARE:
            corners += _beyond_one_side(rng)
        elif rng.random() < _ASKEW_SHARE:
            angle = np.deg2rad(rng.uniform(-9, 9))
            corners = (corners - 0.5) * _boxed(float(abs(angle))) + np.float32(0.5)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], np.float32)
    if rng.random() < 0.3:
        turn = turn @ np.array([[1, rng.uniform(-0.13, 0.13)], [0, 1]], np.float32)  # seen aslant: sides lean, ends stay level
    source = (corners - 0.5) * (SHEET_W, SHEET_H) @ turn.T + (SCENE_W / 2, SCENE_H / 2)
    if quarter:
        source = np.roll(source, 1, axis=0)
    if turned:
        source = np.roll(source, 2, axis=0)
    width = int(np.clip(rng.lognormal(np.log(46), 0.32), 22, 96))
    height = int(width * (rng.uniform(1.2, 1.5) if rng.random() < 0.6 else rng.uniform(0.85, 2.3)))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    blur = 0.42 * SHEET_W / width
    softened = cv2.GaussianBlur(scene, (0, 0), blur) if blur > 0.5 else scene
    transform = cv2.getPerspectiveTransform(source.astype(np.float32), target)
    return np.asarray(
        cv2.warpPerspective(softened, transform, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )


def _beyond_one_side(rng: Generator) -> Matrix:
    """What moves a cut's corners (4 × 2, shares of the tile) beyond one side, mostly a lower or upper one."""
    corners, axis, outward = _SIDES[int(rng.choice(4, p=(0.4, 0.4, 0.1, 0.1)))]
    moved = np.zeros((4, 2), np.float32)
    moved[list(corners), axis] = outward * rng.uniform(0.05, 0.18)
    return moved


def _boxed(angle: float) -> Matrix:
    """How much wider and higher an upright box around the whole of a tile is when the tile lies askew by an angle in radians."""
    aspect = SHEET_H / SHEET_W
    wide, high = np.cos(angle) + aspect * np.sin(angle), np.cos(angle) + np.sin(angle) / aspect
    return np.array((wide, high), np.float32)


def seen(picture: Picture, rng: Generator) -> Picture:
    """What the camera makes of it: light, shadow, glare, focus, noise, compression, then the network's size."""
    height, width = picture.shape[:2]
    image = picture.astype(np.float32) * _light(rng, height, width)
    if rng.random() < 0.12:
        _glare(image, rng)
    image *= rng.uniform(0.86, 1.14, 3).astype(np.float32)
    contrast, lift = rng.uniform(0.65, 1.25), rng.uniform(-12, 25)
    image = (image - 128) * contrast + 128 + lift
    image = 255 * np.power(np.clip(image / 255, 0, 1), rng.uniform(0.65, 1.5))
    focus = rng.random()
    if focus < 0.4:
        image = _soft(image, float(rng.uniform(0.3, 1.3) * width / 48))
    elif focus < 0.5:
        image = np.asarray(cv2.blur(image, (int(rng.integers(1, 5)), int(rng.integers(1, 5)))), np.float32)
    elif focus < 0.65:
        image += (image - _soft(image, 1.0)) * rng.uniform(0.3, 1.5)
    image += rng.normal(0, rng.uniform(0, 9), image.shape)
    out = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        out = _compressed(out, int(rng.integers(35, 96)))
    if rng.random() < 0.1:
        out = np.repeat(out.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
    return fit_crop(out)


def seen_again(picture: Picture, rng: Generator) -> Picture:
    """A photograph as another day would show it: slightly other light and colour, sometimes compression."""
    height, width = picture.shape[:2]
    image = picture.astype(np.float32) * _light(rng, height, width) * rng.uniform(0.85, 1.15, 3).astype(np.float32)
    image = 255 * np.power(np.clip(image / 255, 0, 1), rng.uniform(0.7, 1.35))
    out = np.clip(image + rng.normal(0, rng.uniform(0, 4), image.shape), 0, 255).astype(np.uint8)
    return fit_crop(_compressed(out, int(rng.integers(50, 96))) if rng.random() < 0.3 else out)


def _compressed(picture: Picture, quality: int) -> Picture:
    """A picture through JPEG and back."""
    file = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))[1]
    return np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR), dtype=np.uint8)


def _light(rng: Generator, height: int, width: int) -> Matrix:
    """A gain for each pixel: a slope, and sometimes a shadow's edge; h × w × 1 float32."""
    slope = rng.normal(0, 0.13, 2)
    y, x = np.linspace(-1, 1, height), np.linspace(-1, 1, width)
    gain = rng.uniform(0.6, 1.1) * (1 + np.add.outer(y * slope[0], x * slope[1]))
    if rng.random() < 0.15:
        direction = rng.uniform(0, 2 * np.pi)
        distance = np.add.outer(y * np.sin(direction), x * np.cos(direction)) - rng.uniform(-0.7, 0.7)
        gain *= 1 - rng.uniform(0.15, 0.55) / (1 + np.exp(-distance * rng.uniform(4, 30)))
    return np.asarray(gain[..., None], np.float32)


def _glare(image: Matrix, rng: Generator) -> None:
    """Add a soft spot or band of light to a picture, in place."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    direction = rng.uniform(0, np.pi)
    u = (x - rng.uniform(0, width)) * np.cos(direction) + (y - rng.uniform(0, height)) * np.sin(direction)
    reach = rng.uniform(0.08, 0.35) * width
    v = u * 0 if rng.random() < 0.4 else (y - rng.uniform(0, height)) * np.cos(direction)
    image += (rng.uniform(30, 170) * np.exp(-(u**2 + v**2) / (2 * reach**2)))[..., None]


def _soft(image: Matrix, sigma_px: float) -> Matrix:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), np.float32)
