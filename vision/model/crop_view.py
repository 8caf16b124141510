"""Crop view: the network's answer to one crop seen both ways up, and whether that is a read (``decide``), by calibrated probability,
margin, both views and all networks.

Gate, mat and photographs use the same decision. Its limits were fitted on designs that the network was not trained on; the model file holds
them.

Output classes of the network: one for each face at each turn, and some for things that are no tile.

A face that looks different upside down has two outputs, upright and turned, so the two views of a crop must agree. A face equal to its own
half-turn (most dots and bamboos, a white dragon) has one. Training and reading share this list; the model file holds its order, which is
checked when it is loaded.
"""

import json
from dataclasses import asdict
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile, parse_tiles
from twinwall.values import frozen
from vision.reading import Candidate, Read, ReadRefusal, Reason

HALF_TURN_SHAPES = frozenset(parse_tiles("123458 9p".replace(" ", "") + " 245689s P"))
"""Kinds whose marks keep their place under a half-turn in most sets; colours do not count."""


class Foreign(StrEnum):
    """Things on a crop other than one whole tile of the 34 kinds, face up."""

    FLOWER = "flower"
    BACK = "back"
    PART = "part"
    NOTHING = "nothing"


def _labels() -> tuple[str, ...]:
    upright = [tile.text for tile in ALL_TILES]
    turned = [f"{tile.text}/turned" for tile in ALL_TILES if tile not in HALF_TURN_SHAPES]
    return tuple(upright + turned + [str(foreign) for foreign in Foreign])


LABELS: tuple[str, ...] = _labels()
"""The network's outputs in order: 34 kinds upright, the turned ones, then things that are no tile."""

TURNED: dict[Tile, int] = {tile: LABELS.index(f"{tile.text}/turned") if tile not in HALF_TURN_SHAPES else int(tile) for tile in ALL_TILES}
"""The output of a kind seen upside down; the upright one if its shape is its own half-turn."""

FOREIGN: dict[Foreign, int] = {foreign: LABELS.index(str(foreign)) for foreign in Foreign}
"""The outputs of things that are no tile."""


def _half_turn() -> NDArray[np.intp]:
    order = np.arange(len(LABELS))
    for tile, turned in TURNED.items():
        order[int(tile)], order[turned] = turned, int(tile)
    return order


HALF_TURN: NDArray[np.intp] = _half_turn()
"""``HALF_TURN[i]`` is the output for a crop turned by 180° if ``i`` is the output for the crop."""


CROP_W, CROP_H = 48, 64
"""Size of a crop in px: tight from edge to edge of the tile, upright or upside down."""


def fit_crop(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale a picture of one tile (h × w × 3 BGR, any size) to CROP_H × CROP_W; raises ValueError for another form."""
    if image.ndim != 3 or image.shape[2] != 3 or min(image.shape[:2]) < 2:
        raise ValueError(f"a crop is a colour picture of at least 2 × 2 px, this one has the shape {image.shape}")
    shrinks = image.shape[1] > CROP_W
    scaled = cv2.resize(image, (CROP_W, CROP_H), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    return np.ascontiguousarray(scaled, dtype=np.uint8)


def to_input(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Convert crops (n × CROP_H × CROP_W × 3 uint8 BGR) to the network's input: n × 3 × CROP_H × CROP_W float32 about zero."""
    return np.ascontiguousarray((crops.astype(np.float32) - 127.5).transpose(0, 3, 1, 2) / 64.0)


@frozen
class CropView:
    """The network's answer to one crop seen both ways up. ``kinds`` are the probabilities of the 34 kinds in canonical order (float64);
    with ``foreign`` they sum to 1. ``first`` and ``second`` are the best kinds of each view alone, ``members`` those of each network alone
    over both views; ``embeddings`` describe each view before the decision (2 × numbers, float32, the crop as it is and turned)."""

    kinds: NDArray[np.float64]
    foreign: dict[Foreign, float]
    turned: bool
    first: Tile
    second: Tile
    embeddings: NDArray[np.float32]
    members: tuple[Tile, ...] = ()

    def best(self, count: int = 3) -> tuple[Candidate, ...]:
        """Return the likeliest kinds, best first."""
        order = np.argsort(-self.kinds, kind="stable")[:count]
        return tuple(Candidate(Tile(int(index)), float(self.kinds[index])) for index in order)


@frozen
class Limits:
    """A read needs at least ``probability``, this ``margin`` over the next kind, and at most ``foreign`` for everything that is no tile."""

    probability: float
    margin: float
    foreign: float

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def decide(view: CropView, limits: Limits) -> Read | ReadRefusal:
    """Return a read, or the reason why there is none."""
    candidates = view.best()
    best, second = candidates[0], candidates[1]
    foreign = sum(view.foreign.values())
    if foreign > max(limits.foreign, best.probability):
        likeliest = max(view.foreign, key=lambda one: view.foreign[one])
        return ReadRefusal(Reason.NOT_A_TILE, f"this looks like {_FOREIGN_WORDS[likeliest]} ({view.foreign[likeliest]:.0%})", candidates)
    if view.first is not view.second:
        return ReadRefusal(Reason.UNSURE, f"one way up it looks like {view.first.text}, the other way like {view.second.text}", candidates)
    if any(kind is not best.tile for kind in view.members):
        opinions = ", ".join(sorted({kind.text for kind in view.members}))
        return ReadRefusal(Reason.UNSURE, f"the networks do not agree: {opinions}", candidates)
    if best.probability < limits.probability or best.probability - second.probability < limits.margin or foreign > limits.foreign:
        return ReadRefusal(
            Reason.UNSURE,
            f"not sure enough: {best.tile.text} at {best.probability:.1%}, {second.tile.text} at {second.probability:.1%}",
            candidates,
        )
    return Read(best.tile, best.probability, view.turned, candidates[1:])


_FOREIGN_WORDS = {"flower": "a flower or another foreign face", "back": "a tile's back", "part": "part of a tile", "nothing": "no tile"}
