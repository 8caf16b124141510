"""Labelled photographs as training frames: upright boxes of tiles that may be slanted, on pictures that may hold tiles without a label."""

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.finder.frames import LABEL_FIELDS, MOST_LABELS, SIDE_PX, TabletopFrame
from tools.train.finder.surroundings import seen
from tools.train.finder.tabletop import Form, Picture
from twinwall.values import frozen_identity

_WHOLLY_LABELLED = frozenset({"indexed"})
"""Sets of ``photographs.json`` in whose pictures every face has its box."""


@frozen_identity
class BoxedPhotograph:
    """A picture (h × w × 3 BGR) with its boxes (n × 4: x, y, width, height in px).

    ``whole``: no face is without a box. ``upright`` (n): whether a tile stands upright or on its head.
    """

    image: Picture
    boxes: NDArray[np.float64]
    whole: bool
    upright: NDArray[np.bool_]


def read_photographs(folder: Path, notes: Path) -> tuple[list[BoxedPhotograph], list[BoxedPhotograph]]:
    """The photographs to train on, and those held back, by ``tools/train/photographs.json``."""
    known = json.loads(notes.read_text(encoding="utf-8"))
    set_of = {name: label for label, names in known["sets"].items() for name in names}
    askew = {(one["file"], tuple(one["box"])) for one in known["corrections"] if one["kind"] is None}
    trained, held = list[BoxedPhotograph](), list[BoxedPhotograph]()
    for photo in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        label = set_of.get(photo["file"])
        image = cv2.imread(str(folder / photo["file"]))
        if label is None or image is None:
            continue
        boxes = np.array([tile["box"] for tile in photo["tiles"]], np.float64).reshape(-1, 4)
        straight = [photo["file"] not in known["askew"] and (photo["file"], tuple(tile["box"])) not in askew for tile in photo["tiles"]]
        away = label in known["never_trained"] or photo["file"] in known["held"]
        (held if away else trained).append(
            BoxedPhotograph(np.asarray(image, np.uint8), boxes, label in _WHOLLY_LABELLED or away, np.array(straight, bool))
        )
    return trained, held


def photographed_frame(photographs: Sequence[BoxedPhotograph], rng: Generator) -> TabletopFrame:
    """A part of a photograph, at another size, with other light."""
    photo = photographs[int(rng.integers(len(photographs)))]
    usual = float(np.median(photo.boxes[:, 2])) if len(photo.boxes) else 50.0
    scale = np.exp(rng.uniform(np.log(14), np.log(80))) / usual
    ratio = np.exp(rng.normal(0, 0.12))
    goal = photo.boxes[int(rng.integers(len(photo.boxes)))] if len(photo.boxes) else np.array((0, 0, *photo.image.shape[1::-1]))
    middle = goal[:2] + goal[2:] / 2
    matrix = np.array([(scale * ratio, 0, 0), (0, scale / ratio, 0)])
    matrix[:, 2] = SIDE_PX * rng.uniform(0.15, 0.85, 2) - matrix[:, :2] @ middle
    source = photo.image if scale > 0.7 else np.asarray(cv2.GaussianBlur(photo.image, (0, 0), 0.4 / scale), np.uint8)
    fill = tuple(rng.integers(0, 255, 3).tolist())
    border = cv2.BORDER_CONSTANT
    image = cv2.warpAffine(source, matrix, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR, borderMode=border, borderValue=fill)
    rows = np.zeros((MOST_LABELS, LABEL_FIELDS), np.float32)
    factors = np.array((scale * ratio, scale / ratio))
    for row, box, upright in zip(rows, photo.boxes, photo.upright, strict=False):
        size = box[2:] * factors
        x, y = matrix[:, :2] @ (box[:2] + box[2:] / 2) + matrix[:, 2]
        inside = -0.1 * size[0] < x < SIDE_PX + 0.1 * size[0] and -0.1 * size[1] < y < SIDE_PX + 0.1 * size[1]
        cut = not (size[0] * 0.35 < x < SIDE_PX - size[0] * 0.35 and size[1] * 0.35 < y < SIDE_PX - size[1] * 0.35)
        if inside:
            row[:] = x, y, *size, 0, 0, Form.FACE, 2 if cut else 4 if upright else 3
    return TabletopFrame(seen(np.asarray(image, np.uint8), rng), rows, np.zeros((SIDE_PX // 8, SIDE_PX // 8), np.float32), photo.whole)
