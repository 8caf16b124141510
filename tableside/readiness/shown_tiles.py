"""Tiles that a person shows to the gate's camera one after the other, each pictured once: for an enrolment without a feeder."""

import numpy as np
from numpy.typing import NDArray

from tableside.station.camera_worker import Stillness
from vision.cameras.port import CameraFrame
from vision.gate.rectify import cut_large, find_tile
from vision.reading import ReadRefusal

MOST_LOOKS = 15
"""Looks at a tile that was pictured already, before it is said: a person who took it away and laid the next one between two looks waits for
nothing else."""


class ShownTiles:
    """Takes frame after frame. A tile is pictured when it has come to rest; the next one only after the gate was seen empty."""

    def __init__(self) -> None:
        self._stillness = Stillness()
        self._awaited, self._lies = True, 0
        self.trouble = ""
        """Why the tile that lies at the gate is not pictured; empty where none lies there, or all is well."""

    def take(self, frame: CameraFrame) -> NDArray[np.uint8] | None:
        """The picture of a tile that was shown again, tight to it (h × w × 3 BGR); None while there is none."""
        at_rest = self._stillness.take(frame)
        if at_rest is False:
            self._awaited, self._lies, self.trouble = True, 0, ""
        if not at_rest:
            return None
        if not self._awaited:
            self._lies += 1
            if self._lies > MOST_LOOKS:
                self.trouble = (
                    "the gate was not seen empty since the last tile: take this tile away for a second; "
                    "if the count did not rise for it, show it again"
                )
            return None
        corners = find_tile(frame.image)
        if isinstance(corners, ReadRefusal):
            self.trouble = corners.detail
            return None
        self._awaited, self.trouble = False, ""
        return cut_large(frame.image, corners)
