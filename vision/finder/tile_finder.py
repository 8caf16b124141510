"""The finder's network, and the choice of sizes at which it looks: it is trained for tiles of one size.

Its outputs for each square of ``CELL`` px are, in this order: the logits that a tile of each form has its middle there; the middle's offset
from the square's (in squares); the logarithms of its sides (in ``SIZE_PX``); sine and cosine of twice its angle; its lean (radians); and
the logit that something covers the table. It is asked again only around changes of the picture.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.found import CELL_PX, LOOKS_IN_TURN, FoundTable, FoundTile, TileForm
from vision.loaded_network import loaded_network

STEP_PX = 32
"""The sides of a picture are multiples of this."""
_CHANGED, _IN_THE_DARK, _SHARE = 6, 4, 0.02
"""Grey levels by which a moving thing changes the mean of a square, and noise does not. In the dark it is the second number and this share
of the square's level."""
_REACH = 8
"""The network is asked again this many squares around a change, and sees as many more. Further away a tile's probability changes by at most
0.02 (a patch of 32 px on drawn tables)."""

Ask = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Returns the network's outputs (outputs × rows × columns) for a picture (h × w × 3)."""


class Answers:
    """The network's answers to consecutive pictures."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._asked = np.empty((0, 0, 3), np.uint8)
        """The squares of the picture as they were when the network saw them."""
        self._answers = np.empty((0, 0, 0), np.float32)

    def to(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the answers to a picture, valid until the next call."""
        size = np.array(picture.shape[:2]) // CELL_PX
        squares = np.asarray(cv2.resize(picture, size[::-1].tolist(), interpolation=cv2.INTER_AREA), np.uint8)
        if squares.shape != self._asked.shape:
            self._answers, self._asked = self._ask(picture), squares
            return self._answers
        least = np.minimum(_IN_THE_DARK + _SHARE * self._asked, _CHANGED)
        changed = np.argwhere((cv2.absdiff(squares, self._asked) > least).any(axis=2))
        if len(changed):
            step, first, last = STEP_PX // CELL_PX, changed.min(axis=0) - _REACH, changed.max(axis=0) + 1 + _REACH
            inner = np.clip((first, last), 0, size)
            seen = np.clip(((first - _REACH) // step * step, -((-last - _REACH) // step) * step), 0, size)
            part = self._ask(picture[_slices(seen * CELL_PX)])
            self._answers[:, *_slices(inner)] = part[:, *_slices(inner - seen[0])]
            self._asked[_slices(inner)] = squares[_slices(inner)]
        return self._answers


def _slices(part: NDArray[np.intp]) -> tuple[slice, slice]:
    (top, left), (bottom, right) = part.tolist()
    return slice(top, bottom), slice(left, right)


CELL = CELL_PX
SIZE_PX = 32.0
FORMS = tuple(TileForm)
OUTPUTS = len(FORMS) + 8
WEIGHTS = Path(__file__).parent / "finder.onnx"

_LEAST_SCORE = 0.45
_SAME = 0.55
"""Two tiles are one if their middles are nearer than this share of the larger one's shorter side."""
_MOST_SIDE_PX = 1280
_USUAL_WIDTH_PX = (20.0, 64.0)
"""The network is best at tiles of these widths: pictures are scaled until tiles have them."""
_UNUSUAL = 0.6
"""Weight of tiles of other widths in the choice of a size."""
_AIM_PX = 36.0
_SIZES_TRIED, _MOST_LARGER, _LEAST_TILES = (1.0, 0.5, 0.25), 4.0, 4
"""Scales tried on a first picture; the most enlargement; with fewer tiles no size is chosen."""
_CLOSER, _LARGE_PX = (1.0, 1.5, 1.25, 2.0), 52.0
"""Further scales, used in turn while tiles stay below this width: a tile missed, or found askew, at one scale is seldom so at the
others."""
_BESIDE = 3.0
"""At a larger scale only the surroundings of tiles are looked at, this many tile widths around."""
_RENEWED, _OTHER_SIZE = 80, 0.1
"""After this many pictures the next ones are looked at as a whole, despite few changes. The usual width stays until it changes by this
share."""
_AS_INPUT = (np.arange(256, dtype=np.float32) - np.float32(127.5)) / np.float32(64)
"""The network's input for each grey level."""


class TileFinder:
    """Finds tiles in pictures of one camera; the tiles of each picture choose the scale for the next."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """``weights`` is an ONNX file of the network; raises FileNotFoundError if it is missing."""
        _, self._session = loaded_network(weights)
        self._scale: float | None = None
        self._usual_px = _AIM_PX
        self._whole = FoundTable((), np.empty((0, 0), np.float32))
        """The findings in the last picture that was looked at as a whole."""
        self._begin_again()

    def _begin_again(self) -> None:
        """Forget the answers, so that the network sees all of the next pictures."""
        self._looks, self._answers = 0, [Answers(self._ask) for _ in _CLOSER]
        self._part = np.array((np.full(2, np.inf), np.full(2, -np.inf)))
        """The part looked at on a larger scale: first and end columns and rows (2 × 2)."""

    def look(self, image: NDArray[np.uint8]) -> FoundTable:
        """Return all tiles of a picture (h × w × 3 BGR), the surest first."""
        if self._scale is None or self._looks == _RENEWED:
            self._begin_again()
        if self._scale is None:
            whole = min(1.0, _MOST_SIDE_PX / max(image.shape[:2]))
            found, self._scale = max(((self.at(image, whole * share), whole * share) for share in _SIZES_TRIED), key=_seen)
        else:
            turn, self._looks = self._looks % LOOKS_IN_TURN, self._looks + 1
            scale = self._scale * max(1.0, min(_CLOSER[turn], _LARGE_PX / self._usual_px))
            if turn and self._whole.covering.shape == _cells(image):
                found = self._around_tiles(image, scale, self._answers[turn])
            else:
                found = self._whole = _table(image, scale, self._answers[turn].to, _LEAST_SCORE)
        widths = [tile.width_px * self._scale for tile in found.tiles]
        if len(widths) < _LEAST_TILES:
            self._scale = None  # the next picture may show them at another size
        else:
            usual_px = float(np.median(widths))
            if abs(usual_px / self._usual_px - 1) > _OTHER_SIZE:
                self._usual_px = usual_px
            if not _USUAL_WIDTH_PX[0] <= usual_px <= _USUAL_WIDTH_PX[1]:
                self._scale = min(self._scale * _AIM_PX / usual_px, _MOST_LARGER)
        return found

    def _around_tiles(self, image: NDArray[np.uint8], scale: float, answers: Answers) -> FoundTable:
        """Look around the tiles of the last whole picture; elsewhere its covered places stay."""
        middles = np.array([(tile.x_px, tile.y_px) for tile in self._whole.tiles])
        covering, beside = self._whole.covering.copy(), _BESIDE * self._usual_px / (self._scale or 1.0)
        first, last = (middles.min(axis=0) - beside) // CELL, (middles.max(axis=0) + beside) // CELL + 1
        self._part = np.clip((np.minimum(first, self._part[0]), np.maximum(last, self._part[1])), 0, covering.shape[::-1])
        (left, top), (right, bottom) = self._part.astype(int).tolist()
        part = image[top * CELL : bottom * CELL, left * CELL : right * CELL]
        seen = _table(part, scale, answers.to, _LEAST_SCORE, (left * CELL, top * CELL))
        covering[top:bottom, left:right] = seen.covering
        return replace(seen, covering=covering)

    def at(self, image: NDArray[np.uint8], scale: float, least_score: float = _LEAST_SCORE) -> FoundTable:
        """Scale a picture (h × w × 3 BGR) and return all tiles with at least this score, the surest first."""
        return _table(image, scale, self._ask, least_score)

    def _ask(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        (answers,) = self._session.run(None, {"pictures": to_input(picture[None])})
        return np.asarray(answers[0], np.float32)


def _table(image: NDArray[np.uint8], scale: float, ask: Ask, least_score: float, first_px: tuple[int, int] = (0, 0)) -> FoundTable:
    """Scale a picture (h × w × 3 BGR), ask the network, and return tiles with at least this score, in px of a larger picture in which its
    first pixel is at ``first_px``."""
    height, width = image.shape[:2]
    size = [max(round(side * scale / STEP_PX), 1) * STEP_PX for side in (width, height)]
    factors = np.array((width / size[0], height / size[1]))
    shrinks = size[0] < width
    resized = image if size == [width, height] else cv2.resize(image, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    answers = ask(np.asarray(resized, np.uint8))
    covering, cells = _probability(answers[-1]), _cells(image)
    if covering.shape != cells:
        covering = np.asarray(cv2.resize(covering, cells[::-1], interpolation=cv2.INTER_LINEAR), np.float32)
    return FoundTable(tuple(_scaled(tile, factors, first_px) for tile in tiles_of(answers, least_score)), covering)


def _cells(image: NDArray[np.uint8]) -> tuple[int, int]:
    height, width = image.shape[:2]
    return -(-height // CELL), -(-width // CELL)


def _seen(found: tuple[FoundTable, float]) -> float:
    """Return how much was found at a scale; halves of tiles too large for the network count less."""
    tiles, scale = found[0].tiles, found[1]
    usual = not tiles or _USUAL_WIDTH_PX[0] <= scale * np.median([tile.width_px for tile in tiles]) <= _USUAL_WIDTH_PX[1]
    return sum(tile.score for tile in tiles) * (1.0 if usual else _UNUSUAL)


def to_input(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Convert pictures (n × h × w × 3 uint8 BGR) to the network's input: n × 3 × h × w float32 about zero."""
    planes = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
    return np.asarray(cv2.LUT(planes.reshape(-1, 1), _AS_INPUT), np.float32).reshape(planes.shape)


def tiles_of(answers: NDArray[np.float32], least_score: float) -> list[FoundTile]:
    """Return the tiles in the network's outputs (OUTPUTS × rows × columns), the surest first, each once."""
    heat = answers[: len(FORMS)]
    best = heat.max(axis=0)
    around = cv2.dilate(best, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((best >= around) & (best >= np.log(least_score / (1 - least_score))))
    order = np.argsort(-best[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    x, y, width, height, sine, cosine, lean = answers[len(FORMS) : -1, rows, columns]
    middles = np.stack((columns + 0.5 + x, rows + 0.5 + y), axis=1) * CELL
    sizes = np.exp(np.clip(np.stack((width, height), axis=1), -3, 3)) * SIZE_PX
    angles = np.rad2deg(np.arctan2(sine, cosine) / 2) % 180
    forms, scores = heat[:, rows, columns].argmax(axis=0), _probability(best[rows, columns])
    kept: list[int] = []
    for number in range(len(rows)):
        near = np.hypot(*(middles[kept] - middles[number]).T) < _SAME * np.maximum(sizes[kept].min(axis=1), sizes[number].min())
        if not near.any():
            kept.append(number)
    numbers = np.column_stack((middles, sizes, angles, scores, np.rad2deg(lean)))[kept].tolist()
    return [
        FoundTile(x, y, width, height, angle, FORMS[form], score, lean)
        for (x, y, width, height, angle, score, lean), form in zip(numbers, forms[kept], strict=True)
    ]


def _probability(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


def _scaled(tile: FoundTile, factors: NDArray[np.float64], first_px: tuple[int, int]) -> FoundTile:
    x, y = (np.array((tile.x_px, tile.y_px)) * factors + first_px).tolist()
    size = np.sqrt(factors.prod()).item()
    return replace(tile, x_px=x, y_px=y, width_px=tile.width_px * size, height_px=tile.height_px * size)
