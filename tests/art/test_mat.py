"""The playing mat: no two tiles have the same place, and none lies on the edge."""

from itertools import combinations

import pytest

from twinwall.art.mat import Area, Mat, Slot, Spot

MAT = Mat()
SLOTS = MAT.all_slots()


def half_mm(spot: Spot) -> tuple[float, float]:
    across, down = MAT.tile_at(spot)
    return across / 2, down / 2


def test_tiles_in_different_slots_do_not_lie_on_each_other() -> None:
    for one, other in combinations(SLOTS, 2):
        first, second = MAT.spot(one), MAT.spot(other)
        across = sum(half_mm(spot)[0] for spot in (first, second))
        down = sum(half_mm(spot)[1] for spot in (first, second))
        apart = abs(first.x_mm - second.x_mm) >= across or abs(first.y_mm - second.y_mm) >= down
        assert apart, f"{one} and {other}"


def test_every_tile_lies_on_the_mat() -> None:
    for slot in SLOTS:
        spot = MAT.spot(slot)
        across, down = half_mm(spot)
        assert max(abs(spot.x_mm) + across, abs(spot.y_mm) + down) <= MAT.half_side_mm, slot


def test_shared_tiles_lie_in_the_middle_stack_by_stack_the_lower_ones_beyond() -> None:
    upper, lower = (MAT.spot(Slot(0, Area.SHARED, number)) for number in (10, 11))
    assert upper.x_mm == lower.x_mm
    assert upper.y_mm == -lower.y_mm == MAT.shared_row_mm
    assert MAT.slots(1, Area.SHARED) == ()
    with pytest.raises(ValueError, match="no slot"):
        MAT.spot(Slot(1, Area.SHARED, 0))
