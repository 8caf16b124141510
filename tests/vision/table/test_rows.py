"""Rows of proved tiles: none lies in another, and where one may lie that touches them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from twinwall.art.mat import Area, Mat, Slot
from vision.table.lens import Lens, MatView
from vision.table.registration import Pose
from vision.table.rows import Lying, apart, touching
from vision.table.slot_places import Places

MAT = Mat()
SIZE_MM = np.array((MAT.tile_width_mm, MAT.tile_height_mm))
STRAIGHT = MatView(
    np.array([(1.6, 0.0, 640.0), (0.0, 1.6, 640.0), (0.0, 0.0, 1.0)]), Lens((640.0, 640.0), 905.0, 0.0), (0.0, 0.0), 1500.0, 0.1
)
PLACES = Places(MAT, STRAIGHT, 16.0)
GAP_MM = MAT.hand_pitch_mm - MAT.tile_width_mm


def tile(place: int, index: int, aside_mm: float, *, clearness: float = 1.0, angle_deg: float = 0.0) -> Lying:
    pose = Pose(aside_mm, 0.0, angle_deg, sideways=False, clearness=clearness)
    return PLACES[Slot(place, Area.HAND, index)], pose


@given(st.integers(0, 3), st.floats(-2, 2), st.floats(-2, 2))
@settings(max_examples=examples(40))
def test_tiles_that_touch_or_nearly_so_stay_both(place: int, one_mm: float, other_mm: float) -> None:
    if other_mm - one_mm > -GAP_MM - 2.5:
        both = [tile(place, 5, one_mm, clearness=0.6), tile(place, 6, other_mm)]
        assert apart(both, SIZE_MM) == both


@given(st.integers(0, 3), st.sampled_from((-1, 1)), st.floats(4, 9))
@settings(max_examples=examples(40))
def test_of_two_poses_that_lie_in_one_another_the_likelier_one_stays(place: int, side: int, into_mm: float) -> None:
    true, false = tile(place, 5, 0.0), tile(place, 5 + side, -side * (GAP_MM + into_mm), clearness=0.7)
    assert apart([true, false], SIZE_MM) == [true]
    assert apart([false, true], SIZE_MM) == [true]


def test_a_pose_between_two_tiles_is_dropped_for_both_of_them_and_not_they_for_each_other() -> None:
    row = [tile(2, 5, 0.0), tile(2, 6, 8.0, clearness=0.9), tile(2, 7, 0.0)]
    assert apart(row, SIZE_MM) == [row[0], row[2]]


def test_no_tiles_are_apart() -> None:
    assert apart([], SIZE_MM) == []


@pytest.mark.parametrize("place", range(4))
def test_a_tile_may_lie_where_it_touches_a_proved_one_beside_it_and_nowhere_where_one_lies(place: int) -> None:
    proved = tile(place, 6, -3.0, angle_deg=1.0)
    tried = touching([PLACES[Slot(place, Area.HAND, index)] for index in range(5, 8)], [proved], SIZE_MM)
    assert {found.slot.index for found, _ in tried.starts} == {5, 7}
    for found, start in tried.starts:
        side = found.slot.index - 6
        assert start.x_mm == pytest.approx(-3.0 - side * GAP_MM + side * 0.4, abs=0.1)
        assert (start.angle_deg, start.y_mm) == pytest.approx((1.0, -side * 0.46), abs=0.1)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(("row", "side"), [(2, -1), (14, 1)])
def test_a_tile_may_lie_where_it_touches_one_in_the_row_before_or_behind_its_own(place: int, row: int, side: int) -> None:
    """Beside its own slot's middle: which way a row lies, the tile in the other row does not tell."""
    there, here = PLACES[Slot(place, Area.RIVER, row)], PLACES[Slot(place, Area.RIVER, 8)]
    proved = (there, Pose(4.0, -side * 2.0, 0.0, sideways=False, clearness=1.0))
    pitch_mm = MAT.spot(Slot(place, Area.RIVER, 8)), MAT.spot(Slot(place, Area.RIVER, row))
    apart_mm = float(np.hypot(pitch_mm[1].x_mm - pitch_mm[0].x_mm, pitch_mm[1].y_mm - pitch_mm[0].y_mm))
    ((found, start),) = [tried for tried in touching([here], [proved], SIZE_MM).starts if abs(tried[1].x_mm) < 1.0]
    assert found.slot == here.slot
    assert (start.x_mm, start.y_mm) == pytest.approx((0.0, side * (apart_mm - 2.0 - MAT.tile_height_mm - 0.4)), abs=0.1)


@pytest.mark.parametrize(("clearness", "again"), [(0.6, 1), (0.9, 0)])
def test_a_tile_that_is_hardly_proved_is_looked_at_again_beside_its_neighbours(clearness: float, again: int) -> None:
    place, pose = tile(0, 5, 0.0, clearness=clearness)
    tried = touching([place], [(place, pose), tile(0, 6, 0.0)], SIZE_MM)
    assert tried.starts == [(place, pose)] * again
    assert [len(beside) for beside in tried.beside] == [1] * again


def test_what_lies_under_a_tile_beside_counts_as_cloth() -> None:
    tried = touching([PLACES[Slot(1, Area.HAND, 7)]], [tile(1, 6, 0.0)], SIZE_MM)
    look = tried.look(lambda _, points: np.ones(points.shape[:2], np.float32), SIZE_MM)
    beside, own = (-MAT.hand_pitch_mm, 3.0), (0.0, 3.0)
    assert look(np.zeros(1, np.intp), np.array([[beside, own]])).tolist() == [[0.0, 1.0]]
