"""The station's camera: what keeps a tile from being read is said, whatever its kind; several threads use it in turn."""

import threading
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tableside.station.camera_worker import FrameWatcher, SharedCamera, unreadable
from tableside.station.tasks import Unread
from tests.support.patience import PATIENCE_S
from tests.support.vision.cameras import ShownPictures
from tests.support.vision.pictures import Picture, empty_gate, face, gate_with
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFrame, CameraLostError

TILE = gate_with(face(Tile.P5, 320), np.random.default_rng(1))
COVERED = cv2.circle(TILE.copy(), (205, 175), 120, (60, 60, 60), -1)
"""Something dark lies over a part of the tile."""
WASHED = np.clip(cv2.GaussianBlur(TILE.astype(np.float32), (0, 0), 14) * 0.3 + 190, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (TILE, None),
        (cv2.GaussianBlur(TILE, (0, 0), 7), Unread.BLURRED),
        (TILE // 20, Unread.DARK),
        (WASHED, Unread.GLARE),
        (COVERED, Unread.COVERED),
    ],
)
def test_a_tile_that_cannot_be_seen_well_is_told_with_the_reason(shown: NDArray[np.uint8], why: Unread | None) -> None:
    told, troubles, heard = list[tuple[bool, Unread | None]](), list[Unread | None](), threading.Event()

    def saw(occupied: bool, reason: Unread | None) -> None:
        told.append((occupied, reason))
        heard.set()

    def troubled(reason: Unread | None) -> None:
        troubles.append(reason)
        heard.set()

    watcher = FrameWatcher(SharedCamera(ShownPictures(shown)), 0.001, saw, lambda _good: None, troubled=troubled)
    watcher.start()
    assert heard.wait(PATIENCE_S)
    watcher.stop()
    assert (told, troubles) in (([(True, why)], []), ([], [why])), "once it lies there, or once nothing can be seen for a while"


@pytest.mark.parametrize("kind", [Tile.WHITE, Tile.P5, Tile.S1, Tile.RED])
def test_the_reason_does_not_depend_on_the_tiles_kind(kind: Tile) -> None:
    tile = gate_with(face(kind, 320), np.random.default_rng(1))
    smeared = np.asarray(cv2.GaussianBlur(tile, (0, 0), 7), np.uint8)
    reasons = [unreadable(CameraFrame(shown, 0, 1)) for shown in (tile, smeared)]
    assert reasons == [None, Unread.BLURRED]


def test_a_passing_hand_is_no_trouble_and_one_that_is_over_is_told() -> None:
    dark, empty = TILE // 20, empty_gate(np.random.default_rng(2))
    troubles, over = list[Unread | None](), threading.Event()

    def troubled(reason: Unread | None) -> None:
        troubles.append(reason)
        if reason is None:
            over.set()

    shown = ShownPictures(*[dark] * 3, *[empty] * 3, *[dark] * 12, empty)
    watcher = FrameWatcher(SharedCamera(shown), 0.001, lambda _seen, _why: None, lambda _good: None, troubled=troubled)
    watcher.start()
    assert over.wait(PATIENCE_S)
    watcher.stop()
    assert troubles == [Unread.DARK, None]


class SlowCamera(ShownPictures):
    """Gives its first frame when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_give = threading.Event(), threading.Event()

    def expose(self) -> Picture | None:
        self.begun.set()
        assert self.may_give.wait(PATIENCE_S)
        return super().expose()


def test_somebody_who_waits_too_long_for_another_reader_takes_no_frame() -> None:
    slow = SlowCamera()
    shared = SharedCamera(slow)
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(shared.frame_after, 0)
        assert slow.begun.wait(PATIENCE_S)
        with pytest.raises(CameraLostError, match="others wait for its frames"):
            shared.frame_after(0, turn_s=0.0)
        slow.may_give.set()
        reading.result()
    assert slow.asked == 1
    assert shared.frame_after(5).exposure_start_ns == 6


@pytest.mark.parametrize("is_read", [False, True])
def test_a_camera_that_gives_no_picture_is_told_once_and_told_again_when_it_is_back(is_read: bool) -> None:
    shared, told, back = SharedCamera(ShownPictures(None, None, None, TILE)), list[bool](), threading.Event()
    with pytest.raises(CameraLostError):
        shared.frame_after(0)

    def sees(good: bool) -> None:
        told.append(good)
        if good:
            back.set()

    watcher = FrameWatcher(shared, 0.001, lambda _occupied, _why: None, sees, is_read=lambda: is_read)
    watcher.start()
    assert back.wait(PATIENCE_S)
    watcher.stop()
    assert told == [False, True]


def test_while_a_tile_is_read_the_watcher_leaves_the_camera_to_the_reader() -> None:
    camera, answers, asked = SlowCamera(), [True, True, True, False], list[int]()
    """With how many frames it had given when that was asked."""

    def is_read() -> bool:
        asked.append(camera.asked)
        return answers[min(len(asked), 4) - 1]

    camera.may_give.set()
    watcher = FrameWatcher(SharedCamera(camera), 0.001, lambda _occupied, _why: None, lambda _good: None, is_read=is_read)
    watcher.start()
    assert camera.begun.wait(PATIENCE_S)
    watcher.stop()
    assert asked[:4] == [0, 0, 0, 0]
