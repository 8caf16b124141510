"""Answers to a picture that has changed in part."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.finder.changes import STEP_PX, Answers
from vision.finder.found import CELL_PX

Picture = NDArray[np.uint8]


class Network:
    """Answers with the mean of the squares that are up to eight away from each, and counts the pixels that it sees."""

    def __init__(self) -> None:
        self.seen_px = 0

    def ask(self, picture: Picture) -> NDArray[np.float32]:
        assert all(side % STEP_PX == 0 for side in picture.shape[:2])
        self.seen_px += picture[..., 0].size
        rows, columns = (side // CELL_PX for side in picture.shape[:2])
        squares = picture.reshape(rows, CELL_PX, columns, CELL_PX, 3).mean(axis=(1, 3, 4))
        return np.asarray(cv2.blur(squares, (17, 17), borderType=cv2.BORDER_REPLICATE), np.float32)[None]


def test_a_picture_that_has_changed_in_part_is_looked_at_there_and_answered_as_a_whole() -> None:
    rng, network, whole = np.random.default_rng(1), Network(), Network()
    picture = rng.integers(0, 256, (480, 640, 3), np.uint8)
    answers = Answers(network.ask)
    for top, left in ((0, 0), (200, 300), (440, 600), (0, 500)):
        picture[top : top + 40, left : left + 30] = rng.integers(0, 256, 3)
        assert np.allclose(answers.to(picture), whole.ask(picture), atol=0.01)
    assert network.seen_px < 0.6 * whole.seen_px


def test_light_that_slowly_grows_is_seen_at_last() -> None:
    network = Network()
    answers = Answers(network.ask)
    for level in range(100, 130):
        found = answers.to(np.full((480, 640, 3), level, np.uint8))
    assert abs(found.max() - 129) < 8


@pytest.mark.parametrize(("level", "by"), [(200, 7), (100, 7), (20, 5)])
def test_a_change_is_seen_in_bright_and_in_dark_pictures(level: int, by: int) -> None:
    answers, picture = Answers(Network().ask), np.full((480, 640, 3), level, np.uint8)
    answers.to(picture)
    picture[200:232, 300:332] += by
    assert answers.to(picture).max() > level


def test_a_change_far_from_all_that_was_asked_about_since_is_seen_though_it_comes_bit_by_bit() -> None:
    answers, picture = Answers(Network().ask), np.full((480, 640, 3), 100, np.uint8)
    answers.to(picture)
    for step in range(10):
        picture[:40, :40] = 100 + 20 * (step % 2)
        picture[400:, 560:] += 1
        found = answers.to(picture)
    assert found[0, -1, -1] > 104


def test_a_picture_of_another_size_is_looked_at_as_a_whole() -> None:
    answers = Answers(Network().ask)
    answers.to(np.full((480, 640, 3), 100, np.uint8))
    assert answers.to(np.full((512, 640, 3), 100, np.uint8)).shape == (1, 64, 80)
