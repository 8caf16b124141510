"""Changes between frames: what is looked at, what is left alone, and what waits until it has come to rest."""

import numpy as np
from numpy.typing import NDArray

from vision.sweep.changes import CellMemory
from vision.sweep.flat_mat import Mask, Pixels, moving_arms

CELLS = 40
SECOND_NS = 1_000_000_000


def cells(level: int = 100) -> Pixels:
    return np.full((CELLS, CELLS, 3), level, np.uint8)


def remembered(colours: Pixels) -> CellMemory:
    memory = CellMemory(CELLS)
    memory.seen(colours, 0)
    return memory


def looked_at_again(memory: CellMemory, colours: Pixels, seconds: range) -> list[int]:
    """The seconds at which all cells of a map that stays as it is are looked at."""
    changes = {second: memory.seen(colours, second * SECOND_NS) for second in seconds}
    return [second for second, change in changes.items() if change is not None and change.region.all()]


def strange(*parts: tuple[slice, slice]) -> Mask:
    marked: NDArray[np.bool_] = np.zeros((CELLS, CELLS), np.bool_)
    for part in parts:
        marked[part] = True
    return marked


def test_nothing_is_looked_at_in_a_frame_that_differs_by_noise_alone() -> None:
    noisy = np.clip(cells() + np.random.default_rng(1).normal(0, 2, (CELLS, CELLS, 3)), 0, 255).astype(np.uint8)
    assert remembered(cells()).seen(noisy, 1) is None


def test_cells_that_change_are_looked_at_once() -> None:
    memory, now = remembered(cells()), cells()
    now[10:20, 10:20] = 160
    change = memory.seen(now, 1)
    assert change is not None
    assert change.moved[15, 15]
    assert not change.region[30, 30]
    assert memory.seen(now, 2) is None


def test_the_soft_rim_of_a_change_is_no_change_in_the_frames_after() -> None:
    memory, now = remembered(cells()), cells()
    now[10:20, 10:20] = 160
    now[20:25, 10:20] = 107
    memory.seen(now, 1)
    now[20:25, 10:20] = 109
    assert memory.seen(now, 2) is None


def test_what_does_not_change_is_looked_at_again_each_second_three_times_and_then_each_fifth_second() -> None:
    assert looked_at_again(remembered(cells()), cells(), range(1, 16)) == [1, 2, 3, 5, 10, 15]


def test_a_change_is_looked_at_again_three_times_more() -> None:
    memory, now = remembered(cells()), cells()
    looked_at_again(memory, now, range(1, 7))
    now[:] = 160
    assert looked_at_again(memory, now, range(7, 12)) == [7, 8, 9, 10]


def test_cells_that_wait_are_looked_at_in_the_next_frame() -> None:
    memory = remembered(cells())
    memory.wait(strange((slice(5, 9), slice(5, 9))))
    change = memory.seen(cells(), 1)
    assert change is not None
    assert change.region[6, 6]
    assert not change.region[20, 20]
    assert not change.moved.any()
    assert memory.seen(cells(), 2) is None


def test_an_arm_is_large_reaches_the_mats_edge_and_moves() -> None:
    arm, row, thing = (slice(0, 20), slice(2, 8)), (slice(25, 30), slice(5, 35)), (slice(0, 3), slice(30, 33))
    everything = strange(arm, row, thing)
    assert np.array_equal(moving_arms(everything, everything, 50), strange(arm))
    assert not moving_arms(everything, strange(row), 50).any()
