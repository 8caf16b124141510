"""Answers to a picture that has changed in part."""

import numpy as np
from numpy.typing import NDArray

from vision.finder.changes import STEP_PX, Answers
from vision.finder.found import CELL_PX

Picture = NDArray[np.uint8]


class Network:
    """Answers with the mean of each square and of those beside it, and counts the pixels that it sees."""

    def __init__(self) -> None:
        self.seen_px = 0

    def ask(self, picture: Picture) -> NDArray[np.float32]:
        assert all(side % STEP_PX == 0 for side in picture.shape[:2])
        self.seen_px += picture[..., 0].size
        rows, columns = (side // CELL_PX for side in picture.shape[:2])
        squares = picture.reshape(rows, CELL_PX, columns, CELL_PX, 3).mean(axis=(1, 3, 4))
        padded = np.pad(squares, 1, mode="edge")
        return np.asarray(sum(padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)), np.float32)[None]


def test_a_picture_that_has_changed_in_part_is_looked_at_there_and_answered_as_a_whole() -> None:
    rng, network, whole = np.random.default_rng(1), Network(), Network()
    picture = rng.integers(0, 256, (480, 640, 3), np.uint8)
    answers = Answers(network.ask)
    for top, left in ((0, 0), (200, 300), (440, 600), (0, 500)):
        picture[top : top + 40, left : left + 30] = rng.integers(0, 256, 3)
        assert np.array_equal(answers.to(picture), whole.ask(picture))
    assert network.seen_px < 0.6 * whole.seen_px


def test_light_that_slowly_grows_is_seen_at_last() -> None:
    network = Network()
    answers = Answers(network.ask)
    for level in range(100, 130):
        found = answers.to(np.full((480, 640, 3), level, np.uint8))
    assert abs(found.max() / 9 - 129) < 8
