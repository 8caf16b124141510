"""A camera at the port that shows pictures of the test's own."""

import numpy as np

from tests.support.vision.pictures import Picture
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region


class ShownPictures:
    """Shows one picture after the other, None for none at all, and then the last one for good; a black one where it has none."""

    silence = "no picture comes"
    """What is said of it where none comes."""

    def __init__(self, *pictures: Picture | None) -> None:
        self._pictures = list(pictures) or [np.zeros((4, 4, 3), np.uint8)]
        self.asked, self.closed = 0, False

    def expose(self) -> Picture | None:
        return self._pictures.pop(0) if len(self._pictures) > 1 else self._pictures[0]

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        self.asked += 1
        picture = self.expose()
        if picture is None:
            raise CameraLostError(self.silence, CameraFault.SILENT)
        return CameraFrame(picture, moment_ns + 1, moment_ns + 2, region)

    def close(self) -> None:
        self.closed = True
