"""A gate's camera before which a person shows tile after tile, and a camera above a mat: pictures drawn on request."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tests.support.vision.pictures import empty_gate, face, gate_with
from twinwall.art.flowers import Flower
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region

FRAMES_A_TILE = 3
"""So many frames a tile lies at the gate, and then as many of the empty gate."""
EMPTY_GATES = 5
"""So many pictures of the empty gate follow each other again and again."""


class ShownTilesCamera:
    """Shows tiles in turn, each for some frames and then the empty gate; at the end the gate stays empty."""

    def __init__(self, tiles: Sequence[Tile | Flower]) -> None:
        self.lost = False
        self.picture: NDArray[np.uint8] | None = None
        """What is shown in place of any tile."""
        self.show(tiles)

    def show(self, tiles: Sequence[Tile | Flower]) -> None:
        """Begin with these."""
        self._tiles, self._asked = tiles, 0

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """The next frame."""
        assert region is None
        if self.lost:
            raise CameraLostError("no phone is connected", CameraFault.SILENT)
        if self.picture is not None:
            return CameraFrame(self.picture, moment_ns + 1, moment_ns + 2)
        turn, frame = divmod(self._asked, 2 * FRAMES_A_TILE)
        self._asked += 1
        shows = turn < len(self._tiles) and frame < FRAMES_A_TILE
        picture = _with(self._tiles[turn], turn) if shows else _empty(self._asked % EMPTY_GATES)
        return CameraFrame(picture, moment_ns + 1, moment_ns + 2)

    def close(self) -> None:
        """Nothing."""


@cache
def _with(tile: Tile | Flower, seed: int) -> NDArray[np.uint8]:
    """A tile at the gate: the same picture in each of its frames, and in each test."""
    return gate_with(face(tile, 320), np.random.default_rng(seed))


@cache
def _empty(seed: int) -> NDArray[np.uint8]:
    return empty_gate(np.random.default_rng(seed))
