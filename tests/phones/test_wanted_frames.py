"""A phone's frames: exposed after they were wanted, each for the one who wanted it, or a sentence about the phone."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tableside.phones.wanted_frames import NoFrameError, PhoneCamera
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S

PART = (10, 20, 300, 200)


class Steps:
    """A clock that goes one on with each look."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        self.now += 1
        return self.now


def test_a_frame_has_the_time_at_which_the_phone_was_told_and_at_which_it_came() -> None:
    camera = PhoneCamera("the camera", Steps())
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(camera.frame, PART, PATIENCE_S)
        wanted = present(camera.next_wanted(0, PATIENCE_S))
        assert wanted.part == PART
        assert camera.give(wanted.number, b"picture", PART)
        frame = reading.result()
    assert (frame.picture, frame.part) == (b"picture", PART)
    assert 0 < frame.told_ns < frame.came_ns


def test_a_frame_for_which_nobody_waits_is_left_out_and_a_reader_who_comes_while_another_one_reads_takes_none() -> None:
    camera = PhoneCamera("the camera")
    assert not camera.give(1, b"picture", None)
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(camera.frame, None, PATIENCE_S)
        wanted = present(camera.next_wanted(0, PATIENCE_S))
        with pytest.raises(NoFrameError, match="gives frames to others"):
            camera.frame(None, 0.01)
        assert not camera.give(wanted.number - 1, b"older", None)
        assert camera.give(wanted.number, b"right", None)
        assert not camera.give(wanted.number, b"twice", None)
        assert reading.result().picture == b"right"
    assert camera.next_wanted(wanted.number, 0.0) is None


def test_a_frame_that_was_taken_before_the_phone_was_told_cannot_be_given() -> None:
    camera = PhoneCamera("the camera")
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(camera.frame, None, 0.2)
        with pytest.raises(NoFrameError):
            while not reading.done():
                assert not camera.give(1, b"unasked", None)
            reading.result()


def test_without_a_phone_it_says_to_let_one_in_and_one_that_takes_no_frame_is_told_apart_from_one_that_is_busy() -> None:
    camera = PhoneCamera("the camera")
    with pytest.raises(NoFrameError, match="no phone is connected as the camera: let one in by a code"):
        camera.frame(None, 0.0)
    camera.phone_came()
    with pytest.raises(NoFrameError, match="busy with an earlier frame"):
        camera.frame(None, 0.0)
    told = threading.Thread(target=lambda: camera.next_wanted(2, PATIENCE_S))
    told.start()
    with pytest.raises(NoFrameError, match="its page must be in front"):
        camera.frame(None, 0.5)
    told.join()
    camera.phone_went()
    assert not camera.is_joined
