"""Training frames of the finder: a drawn tabletop with its labels, as arrays that the network is trained on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.finder.faces import FaceBank
from tools.train.finder.layouts import random_layout
from tools.train.finder.surroundings import hands, lay_ground, prints, seen, shadows, things
from tools.train.finder.tabletop import Eye, Form, Label, Picture, Tile3D, draw, label_of, seen_share, turned_by
from twinwall.values import frozen_identity
from vision.finder.found import FoundTile, TileForm

SIDE_PX = 416
MOST_LABELS = 160
LABEL_FIELDS = 8
"""x, y, width, height (px), angle and lean (radians), form, state: 1 labelled, 2 doubtful, 3 an upright box of a photograph, 4 one around a
tile that stands upright or on its head; 0 fills up."""
_TABLE_HALF_MM = 420
_STRETCHED, _MOST_STRETCH = 0.4, 0.4
"""Share of frames that are stretched along one side, and the logarithm of how much at most: seen aslant, a tile may be as wide as high."""
_LEAST_LEFT, _WHOLE_LEFT = 0.15, 0.7
"""Share of a tile's upright box that stays in a stretched frame: below the first it has no label, below the second a doubtful one."""


@frozen_identity
class TabletopFrame:
    """One picture (h × w × 3 BGR), its labels (MOST_LABELS × LABEL_FIELDS float32), and what is covered (h/8 × w/8, 0 to 1).

    ``whole`` says that no tile is without a label."""

    image: Picture
    labels: NDArray[np.float32]
    covering: NDArray[np.float32]
    whole: bool = True


def drawn_frame(bank: FaceBank, rng: Generator) -> TabletopFrame:
    """A frame of a random tabletop."""
    tile_set, faces = bank.random_set(rng)
    tiles = random_layout(tile_set, faces, rng)
    eye = random_eye(tiles, rng, SIDE_PX)
    taken = rng.uniform(0, 0.3) if rng.random() < 0.4 else 0.0  # leaves gaps between tiles
    tiles = [tile for tile in tiles if max(abs(tile.x_mm), abs(tile.y_mm)) < _TABLE_HALF_MM]
    tiles = [tile for tile in tiles if tile.form is not Form.FACE or rng.random() >= taken]
    image = lay_ground(rng, eye, SIDE_PX, SIDE_PX, tile_set.body)
    scale_px = float(np.linalg.norm(np.diff(eye.project(np.array([(0.0, 0, 0), (tile_set.width_mm, 0, 0)])), axis=0)))
    if rng.random() < 0.25:
        prints(image, eye, rng)
    if rng.random() < 0.35:
        things(image, eye, rng, None)
    scale_px = min(scale_px, SIDE_PX / 4)
    shadows(image, [footprint(tile, tile_set.height_mm, eye) for tile in tiles if tile.z_mm == 0], rng, scale_px)
    light = np.array((rng.normal(0, 0.6), rng.normal(0, 0.6), 1.0))
    labels, _ = draw(image, tiles, tile_set, eye, light / np.linalg.norm(light))
    covering = np.zeros(image.shape[:2], np.uint8)
    if rng.random() < 0.1:
        things(image, eye, rng, covering)
    return _under_hands(image, labels, covering, scale_px, rng)


def keep_traced(path: Path, image: Picture, labels: list[Label]) -> None:
    """Keep a path-traced picture for ``traced_frame`` as .png, and its labels at ``path`` (.npy), which is there when both are whole."""
    aside = path.with_suffix(".aside.npy")
    cv2.imwrite(str(path.with_suffix(".png")), image)
    np.save(aside, as_rows(labels))
    aside.replace(path)


def traced_frame(pictures: Sequence[Path], rng: Generator) -> TabletopFrame:
    """A frame of one of the pictures that ``keep_traced`` kept, by the files of their labels."""
    path = pictures[int(rng.integers(len(pictures)))]
    image = np.asarray(cv2.imread(str(path.with_suffix(".png"))), np.uint8)
    labels = [_label(row) for row in np.load(path).tolist() if row[7]]
    return _under_hands(image, labels, np.zeros(image.shape[:2], np.uint8), len(image) / 4, rng)


def _under_hands(image: Picture, labels: list[Label], covering: Picture, scale_px: float, rng: Generator) -> TabletopFrame:
    """A picture of tiles as a camera sees it, at times with hands over it or stretched; ``covering`` has what is covered already."""
    cells = len(image) // 8
    if rng.random() < 0.4:
        hands(image, rng, covering, min(_usual_width(labels, scale_px), len(image) / 4))
    if covering.any():
        labels = _still_seen(labels, covering)
    shares = cv2.resize((covering > 0).astype(np.float32), (cells, cells), interpolation=cv2.INTER_AREA)
    frame = TabletopFrame(image, as_rows(labels), np.asarray(shares, np.float32))
    if rng.random() < _STRETCHED:
        frame = stretched(frame, float(np.exp(rng.uniform(0, _MOST_STRETCH))), tall=rng.random() < 0.5)
    return replace(frame, image=seen(frame.image, rng))


def stretched(frame: TabletopFrame, factor: float, *, tall: bool) -> TabletopFrame:
    """A drawn frame with one side made longer by ``factor``, its height where it is ``tall``, and cut to its size around the middle."""
    side, factors = frame.image.shape[0], np.array((1.0, factor) if tall else (factor, 1.0))

    def pulled(picture: NDArray[Any]) -> NDArray[Any]:
        length = picture.shape[0]
        matrix = np.array([(factors[0], 0, (1 - factors[0]) * (length - 1) / 2), (0, factors[1], (1 - factors[1]) * (length - 1) / 2)])
        return cv2.warpAffine(picture, matrix, (length, length), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

    rows = np.zeros_like(frame.labels)
    kept = 0
    for row in frame.labels[frame.labels[:, 7] > 0].tolist():
        label = _label(row)
        quad = (label.quad - side / 2) * factors + side / 2
        inside = np.clip(quad.max(axis=0), 0, side) - np.clip(quad.min(axis=0), 0, side)
        share = float(np.prod(inside / np.ptp(quad, axis=0)))
        if share > _LEAST_LEFT:
            one = label_of(quad, label.form, doubtful=label.doubtful or share < _WHOLE_LEFT)
            rows[kept] = _row(one)
            kept += 1
    return replace(
        frame, image=np.asarray(pulled(frame.image), np.uint8), labels=rows, covering=np.asarray(pulled(frame.covering), np.float32)
    )


def as_rows(labels: list[Label]) -> NDArray[np.float32]:
    """Labels as an array (MOST_LABELS × LABEL_FIELDS)."""
    rows = np.zeros((MOST_LABELS, LABEL_FIELDS), np.float32)
    for row, one in zip(rows, labels, strict=False):
        row[:] = _row(one)
    return rows


def _row(one: Label) -> tuple[float, ...]:
    return one.x, one.y, one.width, one.height, one.angle, one.lean, one.form, 2 if one.doubtful else 1


def _label(row: Sequence[float]) -> Label:
    """A label from its row."""
    x, y, width, height, angle, lean, form, state = row
    angle_deg, lean_deg = np.rad2deg((angle, lean)).tolist()
    quad = FoundTile(x, y, width, height, angle_deg, TileForm.FACE, 1.0, lean_deg).outline_px()
    return Label(x, y, width, height, angle, lean, Form(int(form)), state == 2, quad)


def random_eye(tiles: list[Tile3D], rng: Generator, side_px: int) -> Eye:
    width_px = float(np.exp(rng.triangular(np.log(13), np.log(26), np.log(78))))
    focal = rng.uniform(700, 1900)
    middle = side_px / 2 + rng.uniform(-380, 380, 2)
    tilt = abs(rng.normal(0, 9)) if rng.random() < 0.6 else rng.uniform(10, 58)
    yaw = rng.uniform(0, 360) if rng.random() < 0.7 else rng.normal(0, 6)
    far = focal * 26.0 / width_px
    eye = Eye.looking_at((0.0, 0.0), (tilt, yaw, rng.normal(0, 3)), focal, far, (float(middle[0]), float(middle[1])))
    # Move the camera so that a tile of the layout is in the picture.
    goal = tiles[int(rng.integers(len(tiles)))] if tiles and rng.random() < 0.97 else None
    aim = (goal.x_mm, goal.y_mm) if goal else (rng.uniform(-300, 300), rng.uniform(-300, 300))
    wanted = side_px * rng.uniform(0.15, 0.85, 2)
    ray = eye.ahead + ((wanted - middle) / focal) @ np.stack((eye.right, eye.down))
    hit = eye.at_mm - ray * (eye.at_mm[2] / min(ray[2], -0.05))
    moved = eye.at_mm + np.array((aim[0] - hit[0], aim[1] - hit[1], 0.0))
    return Eye(moved, eye.right, eye.down, eye.ahead, focal, eye.middle_px)


def footprint(tile: Tile3D, height_mm: float, eye: Eye) -> NDArray[np.float64]:
    """The outline of what a tile covers of the table (4 × 2 px)."""
    deep = 18.0 if tile.form is Form.STANDING else height_mm
    own = np.array([(-13, -deep / 2), (13, -deep / 2), (13, deep / 2), (-13, deep / 2)])
    spots = own @ turned_by(np.deg2rad(tile.turn_deg)) + (tile.x_mm, tile.y_mm)
    return eye.project(np.column_stack((spots, np.zeros(4))))


def _usual_width(labels: list[Label], otherwise_px: float) -> float:
    return float(np.median([label.width for label in labels])) if labels else otherwise_px


def _still_seen(labels: list[Label], covering: Picture) -> list[Label]:
    """Labels without those that something covers: a tile of which less than half is left is doubtful, then gone."""
    kept, hidden = [], (covering > 0).astype(np.int16)
    for one in labels:
        share = 1 - seen_share(one.quad, hidden, 1)
        if share > 0.25:
            doubtful = one.doubtful or share < 0.8
            kept.append(replace(one, doubtful=doubtful))
    return kept
