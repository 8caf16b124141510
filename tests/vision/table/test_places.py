"""Places of slots in a picture: planes at the height of the faces, and which slot a tile belongs to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from twinwall.art.mat import Area, Mat, Slot
from vision.table.lens import Lens, MatView, project
from vision.table.slot_places import Places, from_mat, on_mat

MAT = Mat()
THICKNESS_MM = 16.0
WIDE = MatView(
    np.array([(1.6, 0.02, 640.0), (-0.02, 1.6, 640.0), (1e-5, -2e-5, 1.0)]), Lens((640.0, 640.0), 905.0, -0.12), (60.0, -40.0), 1500.0, 0.1
)
PLACES = Places(MAT, WIDE, THICKNESS_MM)
SLOTS = st.sampled_from(PLACES.slots)


@given(SLOTS, st.floats(-18, 18), st.floats(-18, 18))
@settings(max_examples=examples(60))
def test_around_a_slot_a_plane_stands_for_the_lens_to_half_a_pixel(slot: Slot, x_mm: float, y_mm: float) -> None:
    place, point = PLACES[slot], np.array([(x_mm, y_mm)])
    seen = WIDE.project(on_mat(place.spot, point), THICKNESS_MM)
    assert project(place.plane, point) == pytest.approx(seen, abs=0.5)


@given(SLOTS, st.floats(-300, 300), st.floats(-300, 300))
@settings(max_examples=examples(40))
def test_what_is_taken_from_the_mat_comes_back_to_it(slot: Slot, x_mm: float, y_mm: float) -> None:
    point = np.array([(x_mm, y_mm)])
    assert on_mat(PLACES[slot].spot, from_mat(PLACES[slot].spot, point)) == pytest.approx(point, abs=1e-9)


@given(SLOTS, st.floats(0, MAT.tile_width_mm / 3), st.floats(0, 2 * np.pi))
@settings(max_examples=examples(60))
def test_a_tile_a_third_of_its_width_off_still_belongs_to_its_slot_and_to_no_other(slot: Slot, off_mm: float, direction: float) -> None:
    middle = np.array([(off_mm * np.cos(direction), off_mm * np.sin(direction))])
    assert PLACES[slot].owns(middle)[0]
    for other in PLACES[slot].neighbours:
        assert not PLACES[other].owns(from_mat(PLACES[other].spot, on_mat(PLACES[slot].spot, middle)))[0]


def test_the_foot_of_a_tile_is_seen_towards_the_point_below_the_camera() -> None:
    place = PLACES[Slot(0, Area.MELD, 0)]
    towards = from_mat(place.spot, np.array([WIDE.eye_mm]))[0]
    cosine = float(place.flank_mm @ towards) / float(np.linalg.norm(place.flank_mm) * np.linalg.norm(towards))
    assert cosine > 0.98
    assert np.linalg.norm(place.flank_mm) == pytest.approx(np.linalg.norm(towards) * THICKNESS_MM / WIDE.height_mm, rel=0.08)


def test_a_slot_that_the_mat_does_not_have_has_no_place() -> None:
    with pytest.raises(ValueError, match="no slot"):
        PLACES[Slot(0, Area.RIVER, 24)]
