"""A gate's camera before which a person shows tile after tile, and a camera above a mat: pictures drawn on request."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.support.vision.pictures import empty_gate, face, gate_with
from twinwall.art.flowers import Flower
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region

FRAMES_A_TILE = 3
"""So many frames a tile lies at the gate, and then as many of the empty gate."""


class ShownTilesCamera:
    """Shows tiles in turn, each for some frames and then the empty gate; at the end the gate stays empty."""

    def __init__(self, tiles: Sequence[Tile | Flower]) -> None:
        self.lost = False
        self.show(tiles)

    def show(self, tiles: Sequence[Tile | Flower]) -> None:
        """Begin with these."""
        self._tiles, self._asked = tiles, 0

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """The next frame."""
        assert region is None
        if self.lost:
            raise CameraLostError("no phone is connected", CameraFault.SILENT)
        turn, frame = divmod(self._asked, 2 * FRAMES_A_TILE)
        self._asked += 1
        shows = turn < len(self._tiles) and frame < FRAMES_A_TILE
        picture = self._with(self._tiles[turn], turn) if shows else empty_gate(np.random.default_rng(self._asked))
        return CameraFrame(np.asarray(picture, np.uint8), moment_ns + 1, moment_ns + 2)

    def close(self) -> None:
        """Nothing."""

    @staticmethod
    def _with(tile: Tile | Flower, seed: int) -> NDArray[np.uint8]:
        return gate_with(face(tile, 320), np.random.default_rng(seed))
