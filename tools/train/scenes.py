"""Scenes around a face: the tile's body and what lies beside it, backs, and grounds without a tile.

A scene shows one tile upright with a margin wide enough for any wrong cut. ``tools.train.frames`` makes camera
pictures of it.
"""

from typing import TypeAlias

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.faces.sheets import SHEET_H, SHEET_W

Picture: TypeAlias = NDArray[np.uint8]
Matrix: TypeAlias = NDArray[np.float32]

MARGIN = 24
SCENE_W, SCENE_H = SHEET_W + 2 * MARGIN, SHEET_H + 2 * MARGIN
"""Size in px of a scene; the tile lies MARGIN px inside."""


def tile_scene(face: Picture, rng: Generator, *, with_margins: bool) -> Picture:
    """A face inked on a tile's body, with neighbours or the ground around it."""
    body = _body_colour(rng)
    scene = ground(rng, SCENE_W, SCENE_H)
    if rng.random() < 0.35:
        _neighbours(scene, body, rng)
    if rng.random() < 0.2:
        _backs_beside(scene, rng)
    left, top, right, bottom = MARGIN, MARGIN, MARGIN + SHEET_W, MARGIN + SHEET_H
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
    if rng.random() < 0.25:
        _side(scene, body, rng)
    _rounded(scene, (left, top, right, bottom), int(rng.integers(2, 13)), body * rng.uniform(0.82, 1.0))
    rim = int(rng.integers(0, 6))
    _rounded(scene, (left + rim, top + rim, right - rim, bottom - rim), int(rng.integers(2, 12)), body)
    fill_x, fill_y = (rng.uniform(0.92, 1.0, 2) if with_margins else rng.uniform((0.68, 0.7), 0.95)).tolist()
    width, height = int(SHEET_W * fill_x), int(SHEET_H * fill_y)
    ink = _inked(np.asarray(cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA), np.uint8), rng)
    x = left + (SHEET_W - width) // 2 + int(rng.integers(-3, 4))
    y = top + (SHEET_H - height) // 2 + int(rng.integers(-3, 4))
    patch = scene[y : y + height, x : x + width]
    lit = patch * ink
    if rng.random() < 0.3:
        lit += _engraved(ink, rng)
    patch[:] = np.clip(lit, 0, 255).astype(np.uint8)
    return scene


def _side(scene: Picture, body: Matrix, rng: Generator) -> None:
    """A standing tile's side below or above its face, as a camera in front sees it: the body's own shade, then often the back's colour."""
    depth, radius = int(rng.integers(8, MARGIN)), int(rng.integers(2, 10))
    below = rng.random() < 0.5
    top, bottom = (MARGIN + SHEET_H // 2, MARGIN + SHEET_H + depth) if below else (MARGIN - depth, MARGIN + SHEET_H // 2)
    shade = body * rng.uniform(0.45, 1.05)
    if rng.random() < 0.6:
        _rounded(scene, (MARGIN, top, MARGIN + SHEET_W, bottom), radius, np.array(_saturated_bgr(rng), np.float32))
        kept = int(depth * rng.uniform(0.35, 0.8))
        top, bottom = (top, bottom - depth + kept) if below else (top + depth - kept, bottom)
    _rounded(scene, (MARGIN, top, MARGIN + SHEET_W, bottom), radius, shade)


def _inked(face: Picture, rng: Generator) -> Matrix:
    """What share of the light a face's ink leaves (h × w × 3, 0 to 1): sometimes of other colours, pale, or worn away in places."""
    if rng.random() < 0.2:
        face = recoloured(face, rng)
    ink = face.astype(np.float32) / 255
    if rng.random() < 0.3:
        ink = 1 - (1 - ink) * rng.uniform(0.5, 0.95)
    if rng.random() < 0.12:
        height, width = face.shape[:2]
        patches = cv2.resize(rng.random((int(rng.integers(4, 14)), int(rng.integers(4, 14)))).astype(np.float32), (width, height))
        kept = np.clip(0.5 + (patches - rng.uniform(0.1, 0.4)) * rng.uniform(2, 8), 0.15, 1)
        ink = 1 - (1 - ink) * kept[..., None]
    return np.asarray(ink, np.float32)


def recoloured(picture: Picture, rng: Generator) -> Picture:
    """The same picture with all hues turned and more or less colour: kinds are told by form."""
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV).astype(np.int32)
    hsv[..., 0] = (hsv[..., 0] + int(rng.integers(180))) % 180
    hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.1, 1.2), 0, 255)
    return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)


def _engraved(ink: Matrix, rng: Generator) -> Matrix:
    """Light and shade at the rims of marks cut into the tile, in grey levels (h × w × 1)."""
    depth = np.asarray(cv2.GaussianBlur(ink.mean(axis=2), (0, 0), 1.0), np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    slope = cv2.Sobel(depth, cv2.CV_32F, 1, 0) * np.cos(angle) + cv2.Sobel(depth, cv2.CV_32F, 0, 1) * np.sin(angle)
    return np.asarray(slope[..., None] * rng.uniform(8, 30), np.float32)


def _backs_beside(scene: Picture, rng: Generator) -> None:
    """The coloured back of the tile itself or of one behind it, peeking out at one side or two."""
    colour = _saturated_bgr(rng)
    for side in rng.choice(4, int(rng.integers(1, 3)), replace=False):
        depth = int(rng.integers(2, 14))
        box = (
            (MARGIN - depth, MARGIN, MARGIN, MARGIN + SHEET_H),
            (MARGIN + SHEET_W, MARGIN, MARGIN + SHEET_W + depth, MARGIN + SHEET_H),
            (MARGIN, MARGIN - depth, MARGIN + SHEET_W, MARGIN),
            (MARGIN, MARGIN + SHEET_H, MARGIN + SHEET_W, MARGIN + SHEET_H + depth),
        )[int(side)]
        cv2.rectangle(scene, box[:2], box[2:], colour, -1)


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
                (0, MARGIN, MARGIN - seam, MARGIN + SHEET_H),
                (MARGIN + SHEET_W + seam, MARGIN, SCENE_W, MARGIN + SHEET_H),
                (0, 0, SCENE_W, MARGIN - seam),
                (0, MARGIN + SHEET_H + seam, SCENE_W, SCENE_H),
            )[side]
            cv2.rectangle(scene, box[:2], box[2:], _bgr(np.clip(shade, 0, 255)), -1)
            if rng.random() < 0.6:
                for _ in range(int(rng.integers(1, 4))):
                    x, y = int(rng.integers(box[0], max(box[2], box[0] + 1))), int(rng.integers(box[1], max(box[3], box[1] + 1)))
                    cv2.circle(scene, (x, y), int(rng.integers(3, 9)), _random_bgr(rng, 0.6), -1)


def ground(rng: Generator, width: int, height: int) -> Picture:
    """Felt, wood, plastic or something printed: never a flat light patch, which nobody could tell from a blank tile."""
    colour = np.array(_random_bgr(rng, 0.75), np.float32)
    grain: Matrix = rng.normal(0, rng.uniform(1, 16), (height // 2 + 1, width // 2 + 1, 1)).astype(np.float32)
    if rng.random() < 0.3:
        grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.5, 4)).reshape(grain.shape) * 3, np.float32)
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


def back_scene(rng: Generator) -> Picture:
    """A tile's back: strongly coloured, plain or patterned."""
    scene = ground(rng, SCENE_W, SCENE_H)
    colour = _saturated_bgr(rng)
    _rounded(scene, (MARGIN, MARGIN, SCENE_W - MARGIN, SCENE_H - MARGIN), int(rng.integers(3, 12)), np.array(colour, np.float32))
    line = _bgr(np.clip(np.array(colour, np.float32) * rng.uniform(0.6, 1.6), 0, 255))
    form = rng.random()
    if form < 0.35:
        inset = MARGIN + int(rng.integers(6, 22))
        cv2.rectangle(scene, (inset, inset), (SCENE_W - inset, SCENE_H - inset), line, int(rng.integers(1, 5)))
    elif form < 0.6:
        step = int(rng.integers(8, 24))
        for at in range(-SCENE_H, SCENE_W, step):
            cv2.line(scene, (at, MARGIN), (at + SHEET_H, SCENE_H - MARGIN), line, 1)
            cv2.line(scene, (at + SHEET_H, MARGIN), (at, SCENE_H - MARGIN), line, 1)
    return scene


def cover(scene: Picture, rng: Generator, least: float, most: float) -> None:
    """Hide a share of the tile behind a finger, a sleeve, a shadow's dark or a smear."""
    share = rng.uniform(least, most)
    skin = (int(rng.integers(60, 170)), int(rng.integers(100, 190)), int(rng.integers(150, 240)))
    colour = skin if rng.random() < 0.6 else _random_bgr(rng, 1.0)
    side = int(rng.integers(4))
    depth = (SHEET_W if side < 2 else SHEET_H) * share
    middle = MARGIN + rng.uniform(0.2, 0.8) * (SHEET_H if side < 2 else SHEET_W)
    reach = (SHEET_H if side < 2 else SHEET_W) * (1.6 if share > 0.3 else 0.7)
    start = (MARGIN, SCENE_W - MARGIN, MARGIN, SCENE_H - MARGIN)[side]
    centre = (start, middle) if side < 2 else (middle, start)
    axes = (2 * depth, reach) if side < 2 else (reach, 2 * depth)
    cv2.ellipse(scene, (centre, axes, float(rng.uniform(-12, 12))), colour, -1)


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
