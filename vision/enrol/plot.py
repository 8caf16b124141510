"""Confusion plot of an evaluation: true kinds down, what was read across, one square for each pair.

Green squares on the diagonal are right reads. Orange squares off it came first and were refused. Red squares were
accepted: misreads that would enter a wall. The last column counts refusals.
"""

from collections import Counter
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile
from vision.enrol.evaluate import EvaluatedView

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

_CELL = 24
_LEFT, _TOP = 64, 64
_COLUMNS = len(ALL_TILES) + 1
_INK: Colour = (40, 40, 40)
_RIGHT: Colour = (90, 160, 60)
_REFUSED: Colour = (60, 150, 240)
_MISREAD: Colour = (40, 40, 220)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def confusion_plot(looks: Iterable[EvaluatedView]) -> Picture:
    """The plot of all looks at tiles, both turns together: h × w × 3 uint8 BGR. Foreign crops are the row below the kinds."""
    firsts, accepted, refused, shown = _counts(looks)
    rows = len(ALL_TILES) + 1
    picture = np.full((_TOP + rows * _CELL + 16, _LEFT + _COLUMNS * _CELL + 16, 3), 255, np.uint8)
    _axes(picture, rows)
    for (true, read), count in firsts.items():
        bad = accepted.get((true, read), 0)
        colour = _RIGHT if true is read else _MISREAD if bad else _REFUSED
        share = count / shown[true]
        _square(picture, (_row(true), int(read)), colour, share, "" if true is read else str(count))
    for true, count in refused.items():
        _square(picture, (_row(true), len(ALL_TILES)), _REFUSED if true is not None else _RIGHT, count / shown[true], str(count))
    return picture


def _counts(
    looks: Iterable[EvaluatedView],
) -> tuple[Counter[tuple[Tile | None, Tile]], Counter[tuple[Tile | None, Tile]], Counter[Tile | None], Counter[Tile | None]]:
    """What came first and what was accepted by (true, read), and refusals and looks by true kind; foreign crops only where accepted."""
    firsts: Counter[tuple[Tile | None, Tile]] = Counter()
    accepted: Counter[tuple[Tile | None, Tile]] = Counter()
    refused: Counter[Tile | None] = Counter()
    shown: Counter[Tile | None] = Counter()
    for look in looks:
        shown[look.tile] += 1
        if look.tile is not None or look.accepted is not None:
            firsts[look.tile, look.first] += 1
        if look.accepted is None:
            refused[look.tile] += 1
        else:
            accepted[look.tile, look.accepted] += 1
    return firsts, accepted, refused, shown


def _row(tile: Tile | None) -> int:
    return len(ALL_TILES) if tile is None else int(tile)


def _axes(picture: Picture, rows: int) -> None:
    """Names and a fine grid."""
    cv2.putText(picture, "read", (_LEFT, 20), _FONT, 0.5, _INK, 1, cv2.LINE_AA)
    cv2.putText(picture, "true", (8, _TOP - 6), _FONT, 0.5, _INK, 1, cv2.LINE_AA)
    for index in range(_COLUMNS):
        name = ALL_TILES[index].text if index < len(ALL_TILES) else "ref."
        cv2.putText(picture, name, (_LEFT + index * _CELL + 2, _TOP - 6), _FONT, 0.36, _INK, 1, cv2.LINE_AA)
    for index in range(rows):
        name = ALL_TILES[index].text if index < len(ALL_TILES) else "no tile"
        cv2.putText(picture, name, (8, _TOP + index * _CELL + 16), _FONT, 0.36, _INK, 1, cv2.LINE_AA)
    for index in range(_COLUMNS + 1):
        x = _LEFT + index * _CELL
        cv2.line(picture, (x, _TOP), (x, _TOP + rows * _CELL), (225, 225, 225), 1)
    for index in range(rows + 1):
        y = _TOP + index * _CELL
        cv2.line(picture, (_LEFT, y), (_LEFT + _COLUMNS * _CELL, y), (225, 225, 225), 1)


def _square(picture: Picture, place: tuple[int, int], colour: Colour, share: float, text: str) -> None:
    """One square, fuller the larger the share of its row; a count is written on it."""
    row, column = place
    x, y = _LEFT + column * _CELL, _TOP + row * _CELL
    strength = 0.25 + 0.75 * min(share, 1.0)
    faded = tuple(int(255 - (255 - part) * strength) for part in colour)
    cv2.rectangle(picture, (x + 2, y + 2), (x + _CELL - 2, y + _CELL - 2), faded, -1)
    cv2.putText(picture, text, (x + 3, y + 16), _FONT, 0.34, _INK, 1, cv2.LINE_AA)
