"""Output classes of the network: one for each face at each turn, and some for things that are no tile.

A face that looks different upside down has two outputs, upright and turned, so the two views of a crop must agree. A face equal to its own
half-turn (most dots and bamboos, a white dragon) has one. Training and reading share this list; the model file holds its order, which is
checked when it is loaded.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile, parse_tiles

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
