"""A station's camera for several threads: who waits too long for the others gets a sentence, and takes no frame."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tableside.station.camera_worker import SharedCamera
from tests.support.patience import PATIENCE_S
from vision.cameras.port import CameraFrame, CameraLostError, Region


class SlowCamera:
    """Gives its first frame when it is told to, and counts what is asked of it."""

    def __init__(self) -> None:
        self.asked, self.begun, self.may_give = 0, threading.Event(), threading.Event()

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        assert region is None
        self.asked += 1
        self.begun.set()
        assert self.may_give.wait(PATIENCE_S)
        return CameraFrame(np.zeros((4, 4, 3), np.uint8), moment_ns + 1, moment_ns + 2)

    def close(self) -> None:
        """Nothing."""


def test_somebody_who_waits_too_long_for_another_reader_takes_no_frame() -> None:
    slow = SlowCamera()
    shared = SharedCamera(slow)
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(shared.frame_after, 0)
        assert slow.begun.wait(PATIENCE_S)
        with pytest.raises(CameraLostError, match="others wait for its frames"):
            shared.frame_in_turn(0)
        slow.may_give.set()
        reading.result()
    assert slow.asked == 1
    assert shared.frame_in_turn(5).exposure_start_ns == 6
