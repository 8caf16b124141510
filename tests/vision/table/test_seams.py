"""Seams between touching tiles, on drawn whiteness: through which poses one runs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.tiers import examples
from vision.table.lens import Points
from vision.table.seams import crossed
from vision.table.sides import Tried, Whiteness, clearness

SIZE_MM = np.array((26.0, 36.0))
PITCH_MM = 26.5
FOUR, SIX = ((-10.0, -3.0), (3.0, 10.0)), ((-11.0, -6.1), (-3.5, 3.5), (6.1, 11.0))
"""From where to where the columns of sticks of a 4s and a 6s reach, from the tile's middle."""
BETWEEN_MM = 10.0
"""Where a tile would lie whose sides are columns of sticks of a 4s and of the 6s beside it."""


def row(*, marks: bool = True, level: float = 0.9) -> Whiteness:
    """Tiles upright in a row, touching, one with its middle at 0: a 4s and a 6s by turns, or all blank."""

    def look(_: NDArray[np.intp], points: Points) -> NDArray[np.float32]:
        number = np.rint(points[..., 0] / PITCH_MM)
        x, y = points[..., 0] - number * PITCH_MM, np.abs(points[..., 1])
        depth = np.minimum(SIZE_MM[0] / 2 - np.abs(x), SIZE_MM[1] / 2 - y)
        face = level * np.clip(depth / 0.5 + 0.5, 0, 1)
        four, six = (np.any([(left < x) & (x < right) for left, right in columns], axis=0) for columns in (FOUR, SIX))
        stick = np.where(number % 2 == 0, four, six) & (y < 15.8)
        return np.where(marks & stick, 0.1, face).astype(np.float32)

    return look


def pose(aside_mm: float, *, sideways: bool = False) -> Tried:
    return Tried(np.array([(aside_mm, 0.0, 0.0, sideways)]), np.zeros(1, np.intp), np.zeros((1, 2)))


def test_a_pose_between_the_sticks_of_two_tiles_has_four_sides_but_a_seam_runs_through_it() -> None:
    between = pose(BETWEEN_MM)
    assert clearness(between, SIZE_MM, row())[0] > 0.58
    assert crossed(between, SIZE_MM, row())[0]


@given(st.floats(4.0, PITCH_MM - 4.0), st.booleans())
@settings(max_examples=examples(40))
def test_a_seam_runs_through_whatever_lies_across_two_tiles(aside_mm: float, marks: bool) -> None:
    assert crossed(pose(aside_mm), SIZE_MM, row(marks=marks))[0]


@given(st.floats(-0.8, 0.8), st.booleans(), st.floats(0.6, 1.2))
@settings(max_examples=examples(40))
def test_no_seam_runs_through_a_whole_tile(aside_mm: float, marks: bool, level: float) -> None:
    assert not crossed(pose(aside_mm), SIZE_MM, row(marks=marks, level=level))[0]


def test_a_shadow_over_half_of_a_tile_is_no_seam() -> None:
    lit = row()

    def shaded(numbers: NDArray[np.intp], points: Points) -> NDArray[np.float32]:
        return np.where(points[..., 0] > 2.0, np.float32(0.7), np.float32(1.0)) * lit(numbers, points)

    assert not crossed(pose(0.0), SIZE_MM, shaded)[0]


@pytest.mark.parametrize("marks", [False, True])
def test_a_sideways_pose_over_two_upright_tiles_is_crossed(*, marks: bool) -> None:
    assert crossed(pose(PITCH_MM / 2 + 2.0, sideways=True), SIZE_MM, row(marks=marks))[0]
