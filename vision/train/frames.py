"""Training frames: a face on a tile among its surroundings, seen by a poor camera, cut imperfectly.

Every frame is CROP_H × CROP_W × 3 uint8 BGR, what a reader would cut for the network from a gate, a
mat or a photograph. Light, colour, focus, size, perspective and the crop's errors vary here; what is
on the tile comes from a sheet.
"""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile
from vision.classes import FOREIGN, Foreign, label_of
from vision.crop import CROP_H, CROP_W
from vision.train.sheets import SHEET_H, SHEET_W, Sheet

Picture: TypeAlias = NDArray[np.uint8]
Matrix: TypeAlias = NDArray[np.float32]

_MARGIN = 24
_SCENE_W, _SCENE_H = SHEET_W + 2 * _MARGIN, SHEET_H + 2 * _MARGIN
_FOREIGN_SHARE = {Foreign.FLOWER: 0.06, Foreign.BACK: 0.03, Foreign.PART: 0.07, Foreign.NOTHING: 0.04}
_HARD = (Tile.S1, Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.WEST, Tile.NORTH, Tile.NORTH, Tile.GREEN, Tile.GREEN, Tile.WHITE)
_OFTEN = (*ALL_TILES, *_HARD)
"""Kinds by how often they are shown: those whose faces differ most from set to set more than once."""


def random_frame(sheets: list[Sheet], rng: Generator) -> tuple[Picture, int]:
    """One frame and the output it should light."""
    sheet = sheets[int(rng.integers(len(sheets)))]
    draw = float(rng.random())
    for foreign, share in _FOREIGN_SHARE.items():
        if draw < share:
            return _foreign_frame(foreign, sheet, sheets, rng), FOREIGN[foreign]
        draw -= share
    tile = _OFTEN[int(rng.integers(len(_OFTEN)))]
    turned = bool(rng.random() < 0.5)
    scene = _scene(sheet.faces[tile], sheet, rng)
    if rng.random() < 0.06:
        _cover(scene, rng, 0.02, 0.1)
    return _seen(_cut(scene, rng, turned=turned), rng), label_of(tile, turned=turned)


def _foreign_frame(foreign: Foreign, sheet: Sheet, sheets: list[Sheet], rng: Generator) -> Picture:
    turned = bool(rng.random() < 0.5)
    match foreign:
        case Foreign.FLOWER:
            with_flowers = sheet if sheet.foreign else next((one for one in sheets if one.foreign), sheet)
            faces = with_flowers.foreign or (_ground(rng, SHEET_W, SHEET_H),)
            scene = _scene(faces[int(rng.integers(len(faces)))], sheet, rng)
        case Foreign.BACK:
            scene = _back(rng)
        case Foreign.PART:
            return _part(sheet, rng, turned=turned)
        case Foreign.NOTHING:
            scene = _ground(rng, _SCENE_W, _SCENE_H)
    return _seen(_cut(scene, rng, turned=turned), rng)


def _part(sheet: Sheet, rng: Generator, *, turned: bool) -> Picture:
    """Half of a tile, a tile lying across, or a tile largely covered."""
    tile = ALL_TILES[int(rng.integers(len(ALL_TILES) - 1))]
    scene = _scene(sheet.faces[tile], sheet, rng)
    form = rng.random()
    if form < 0.45:
        along = rng.choice((-1.0, 1.0)) * rng.uniform(0.32, 0.75)
        shift = (along, rng.uniform(-0.1, 0.1)) if rng.random() < 0.5 else (rng.uniform(-0.1, 0.1), along)
        return _seen(_cut(scene, rng, turned=turned, shift=shift), rng)
    if form < 0.7:
        return _seen(_cut(scene, rng, turned=turned, quarter=True), rng)
    _cover(scene, rng, 0.35, 0.8)
    return _seen(_cut(scene, rng, turned=turned), rng)


def _scene(face: Picture, sheet: Sheet, rng: Generator) -> Picture:
    """A face inked on a tile's body, with neighbours or the ground around it."""
    body = _body_colour(rng)
    scene = _ground(rng, _SCENE_W, _SCENE_H)
    if rng.random() < 0.35:
        _neighbours(scene, body, rng)
    left, top, right, bottom = _MARGIN, _MARGIN, _MARGIN + SHEET_W, _MARGIN + SHEET_H
    if rng.random() < 0.5:
        _rounded(
            scene,
            (
                left + int(rng.integers(-5, 6)),
                top + int(rng.integers(-5, 6)),
                right + int(rng.integers(-3, 7)),
                bottom + int(rng.integers(-3, 9)),
            ),
            9,
            body * rng.uniform(0.3, 0.85),
        )
    _rounded(scene, (left, top, right, bottom), int(rng.integers(2, 13)), body * rng.uniform(0.82, 1.0))
    rim = int(rng.integers(0, 6))
    _rounded(scene, (left + rim, top + rim, right - rim, bottom - rim), int(rng.integers(2, 12)), body)
    fill_x, fill_y = (rng.uniform(0.92, 1.0, 2) if sheet.with_margins else rng.uniform((0.68, 0.7), 0.95)).tolist()
    width, height = int(SHEET_W * fill_x), int(SHEET_H * fill_y)
    ink = cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    if rng.random() < 0.3:
        ink = 1 - (1 - ink) * rng.uniform(0.55, 0.95)
    x = left + (SHEET_W - width) // 2 + int(rng.integers(-3, 4))
    y = top + (SHEET_H - height) // 2 + int(rng.integers(-3, 4))
    patch = scene[y : y + height, x : x + width]
    patch[:] = (patch * ink).astype(np.uint8)
    return scene


def _body_colour(rng: Generator) -> Matrix:
    """White to ivory to light jade, BGR."""
    light = rng.uniform(185, 255)
    warmth = rng.uniform(0.0, 0.2) if rng.random() < 0.8 else rng.uniform(-0.05, 0.0)
    tint = rng.uniform(-0.04, 0.02)
    return np.clip(np.array([light * (1 - warmth), light * (1 - warmth * 0.3 + tint * 0.3), light], np.float32), 0, 255)


def _neighbours(scene: Picture, body: Matrix, rng: Generator) -> None:
    """Other tiles beside or above, behind a gap or a seam."""
    seam = int(rng.integers(1, 7))
    shade = body * rng.uniform(0.75, 1.03)
    for side in range(4):
        if rng.random() < 0.55:
            box = (
                (0, _MARGIN, _MARGIN - seam, _MARGIN + SHEET_H),
                (_MARGIN + SHEET_W + seam, _MARGIN, _SCENE_W, _MARGIN + SHEET_H),
                (0, 0, _SCENE_W, _MARGIN - seam),
                (0, _MARGIN + SHEET_H + seam, _SCENE_W, _SCENE_H),
            )[side]
            cv2.rectangle(scene, box[:2], box[2:], _bgr(np.clip(shade, 0, 255)), -1)
            if rng.random() < 0.6:
                for _ in range(int(rng.integers(1, 4))):
                    x, y = int(rng.integers(box[0], max(box[2], box[0] + 1))), int(rng.integers(box[1], max(box[3], box[1] + 1)))
                    cv2.circle(scene, (x, y), int(rng.integers(3, 9)), _random_bgr(rng, 0.6), -1)


def _ground(rng: Generator, width: int, height: int) -> Picture:
    """Felt, wood, plastic or something printed: never a flat light patch, which nobody could tell from a blank tile."""
    colour = np.array(_random_bgr(rng, 0.75), np.float32)
    grain = rng.normal(0, rng.uniform(1, 16), (height // 2 + 1, width // 2 + 1, 1)).astype(np.float32)
    if rng.random() < 0.3:
        grain = _soft(grain, rng.uniform(0.5, 4)).reshape(grain.shape) * 3
    picture = colour + cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
    if rng.random() < 0.4:
        direction = rng.uniform(-1, 1, 2)
        ramp = np.add.outer(np.linspace(-1, 1, height) * direction[0], np.linspace(-1, 1, width) * direction[1])
        picture = picture * (1 + 0.4 * ramp[..., None])
    out: Picture = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < 0.25:
        for _ in range(int(rng.integers(1, 5))):
            a, b = rng.integers(0, (width, height)), rng.integers(0, (width, height))
            cv2.line(out, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), _random_bgr(rng, 1.0), int(rng.integers(1, 18)))
    return out


def _back(rng: Generator) -> Picture:
    """A tile's back: strongly coloured, plain or patterned."""
    scene = _ground(rng, _SCENE_W, _SCENE_H)
    colour = _saturated_bgr(rng)
    _rounded(scene, (_MARGIN, _MARGIN, _SCENE_W - _MARGIN, _SCENE_H - _MARGIN), int(rng.integers(3, 12)), np.array(colour, np.float32))
    line = _bgr(np.clip(np.array(colour, np.float32) * rng.uniform(0.6, 1.6), 0, 255))
    form = rng.random()
    if form < 0.35:
        inset = _MARGIN + int(rng.integers(6, 22))
        cv2.rectangle(scene, (inset, inset), (_SCENE_W - inset, _SCENE_H - inset), line, int(rng.integers(1, 5)))
    elif form < 0.6:
        step = int(rng.integers(8, 24))
        for at in range(-_SCENE_H, _SCENE_W, step):
            cv2.line(scene, (at, _MARGIN), (at + SHEET_H, _SCENE_H - _MARGIN), line, 1)
            cv2.line(scene, (at + SHEET_H, _MARGIN), (at, _SCENE_H - _MARGIN), line, 1)
    return scene


def _cover(scene: Picture, rng: Generator, least: float, most: float) -> None:
    """Hide a share of the tile behind a finger, a sleeve, a shadow's dark or a smear."""
    share = rng.uniform(least, most)
    skin = (int(rng.integers(60, 170)), int(rng.integers(100, 190)), int(rng.integers(150, 240)))
    colour = skin if rng.random() < 0.6 else _random_bgr(rng, 1.0)
    side = int(rng.integers(4))
    depth = (SHEET_W if side < 2 else SHEET_H) * share
    middle = _MARGIN + rng.uniform(0.2, 0.8) * (SHEET_H if side < 2 else SHEET_W)
    reach = (SHEET_H if side < 2 else SHEET_W) * (1.6 if share > 0.3 else 0.7)
    start = (_MARGIN, _SCENE_W - _MARGIN, _MARGIN, _SCENE_H - _MARGIN)[side]
    centre = (start, middle) if side < 2 else (middle, start)
    axes = (2 * depth, reach) if side < 2 else (reach, 2 * depth)
    cv2.ellipse(scene, (centre, axes, float(rng.uniform(-12, 12))), colour, -1)


def _cut(scene: Picture, rng: Generator, *, turned: bool, shift: tuple[float, float] = (0.0, 0.0), quarter: bool = False) -> Picture:
    """Cut the tile as a reader would, a little wrong, at the size that a camera gave; then bring it to the network's size."""
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    spread = 0.075 if rng.random() < 0.8 else 0.11
    inward = np.array([rng.uniform(-spread, spread) for _ in range(4)], np.float32)
    corners[:, 0] += np.array([inward[0], -inward[1], -inward[1], inward[0]]) + shift[0]
    corners[:, 1] += np.array([inward[2], inward[2], -inward[3], -inward[3]]) + shift[1]
    corners += rng.normal(0, 0.018, (4, 2)).astype(np.float32)
    angle = np.deg2rad(rng.normal(0, 2.5))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], np.float32)
    source = (corners - 0.5) * (SHEET_W, SHEET_H) @ turn.T + (_SCENE_W / 2, _SCENE_H / 2)
    if quarter:
        source = np.roll(source, 1, axis=0)
    if turned:
        source = np.roll(source, 2, axis=0)
    width = int(np.clip(rng.lognormal(np.log(46), 0.32), 22, 96))
    height = int(width * rng.uniform(1.2, 1.5))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    blur = 0.42 * SHEET_W / width
    softened = cv2.GaussianBlur(scene, (0, 0), blur) if blur > 0.5 else scene
    transform = cv2.getPerspectiveTransform(source.astype(np.float32), target)
    return np.asarray(
        cv2.warpPerspective(softened, transform, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )


def _seen(picture: Picture, rng: Generator) -> Picture:
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
        out = np.asarray(
            cv2.imdecode(cv2.imencode(".jpg", out, (cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))))[1], cv2.IMREAD_COLOR),
            dtype=np.uint8,
        )
    if rng.random() < 0.1:
        out = np.repeat(out.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
    shrinks = width > CROP_W
    return np.asarray(cv2.resize(out, (CROP_W, CROP_H), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR), dtype=np.uint8)


def _soft(image: Matrix, sigma_px: float) -> Matrix:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), np.float32)


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


def _rounded(scene: Picture, box: tuple[int, int, int, int], radius: int, colour: Matrix) -> None:
    """A filled box with rounded corners."""
    left, top, right, bottom = box
    bgr = _bgr(np.clip(colour, 0, 255))
    cv2.rectangle(scene, (left + radius, top), (right - radius, bottom), bgr, -1)
    cv2.rectangle(scene, (left, top + radius), (right, bottom - radius), bgr, -1)
    for x in (left + radius, right - radius):
        for y in (top + radius, bottom - radius):
            cv2.circle(scene, (x, y), radius, bgr, -1, cv2.LINE_AA)


def _random_bgr(rng: Generator, brightest: float) -> tuple[int, int, int]:
    hsv = np.array([[[rng.integers(0, 180), rng.integers(0, 256), int(rng.uniform(0.02, brightest) * 255)]]], np.uint8)
    return _bgr(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32))


def _saturated_bgr(rng: Generator) -> tuple[int, int, int]:
    hsv = np.array([[[rng.integers(0, 180), rng.integers(110, 256), rng.integers(50, 245)]]], np.uint8)
    return _bgr(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32))


def _bgr(colour: Matrix) -> tuple[int, int, int]:
    return int(colour[0]), int(colour[1]), int(colour[2])
