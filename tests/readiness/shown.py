"""A gate's camera before which a person shows tile after tile, and a camera above a mat: pictures drawn on request."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from tests.support.vision.cameras import ShownPictures
from tests.support.vision.pictures import Picture, empty_gate, face, gate_with
from twinwall.art.designs import Flower
from twinwall.game.tiles import Tile

FRAMES_A_TILE = 3
"""So many frames a tile lies at the gate, and then as many of the empty gate."""
EMPTY_GATES = 5
"""So many pictures of the empty gate follow each other again and again."""


class ShownTilesCamera(ShownPictures):
    """Shows tiles in turn, each for some frames and then the empty gate; at the end the gate stays empty."""

    lost = False

    def __init__(self, tiles: Sequence[Tile | Flower]) -> None:
        super().__init__()
        self.picture: Picture | None = None
        """What is shown in place of any tile."""
        self.show(tiles)

    def show(self, tiles: Sequence[Tile | Flower]) -> None:
        self._tiles, self._shown = tiles, 0

    def expose(self) -> Picture | None:
        if self.lost or self.picture is not None:
            return None if self.lost else self.picture
        turn, frame = divmod(self._shown, 2 * FRAMES_A_TILE)
        self._shown += 1
        shows = turn < len(self._tiles) and frame < FRAMES_A_TILE
        return _with(self._tiles[turn], turn) if shows else _empty(self._shown % EMPTY_GATES)


@cache
def _with(tile: Tile | Flower, seed: int) -> Picture:
    """A tile at the gate: the same picture in each of its frames, and in each test."""
    return gate_with(face(tile, 320), np.random.default_rng(seed))


@cache
def _empty(seed: int) -> Picture:
    return empty_gate(np.random.default_rng(seed))
