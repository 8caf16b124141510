"""A camera that shakes moves the picture by a pixel or two: the mat is followed, and printed outlines are as wide as that."""

from functools import lru_cache

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.narrowed import of_type
from tests.support.tiers import examples
from tests.support.vision.pictures import MAT_PX_PER_MM, MAT_SIDE_PX, noisy, printed_mat
from twinwall.art.mat import Area, Mat, Slot
from vision.cameras.port import CameraFrame, Region
from vision.model.classifier import Classifier
from vision.table.placement import MatPlacement
from vision.table.slots import Presence
from vision.table.table_reader import TableReader

MAT = Mat()
SLOTS = MAT.all_slots()
STILL = printed_mat(MAT, lighter=1.5).picture
HAND_COLOUR = (120, 150, 205)


@lru_cache(maxsize=8)
def moved(x_px: float, y_px: float, seed: int = 0) -> CameraFrame:
    """The mat seen so far beside its place, with a sensor's noise."""
    picture = cv2.warpAffine(STILL, np.array([(1.0, 0.0, x_px), (0.0, 1.0, y_px)]), STILL.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    seen = noisy(np.asarray(picture, np.uint8), 3, seed)
    seen.flags.writeable = False
    return CameraFrame(seen, 0, seed + 1)


@given(st.floats(-1.7, 1.7), st.floats(-1.7, 1.7))
@settings(max_examples=examples(20))
def test_by_how_much_the_picture_has_moved_is_told_to_a_sixth_of_a_pixel(x_px: float, y_px: float) -> None:
    placement = MatPlacement(MAT)
    view = placement.locate(moved(0, 0).image)
    assert placement.locate(moved(x_px, y_px, 1).image) is view
    assert placement.shift_px == pytest.approx((x_px, y_px), abs=1 / 6)


def test_it_is_told_by_the_markers_that_are_seen() -> None:
    placement, shaken = MatPlacement(MAT), moved(1.2, -0.9, 1).image.copy()
    view = placement.locate(moved(0, 0).image)
    covered = round(MAT.marker_centre_mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2)
    shaken[covered - 60 :, covered - 60 :] = HAND_COLOUR
    assert placement.locate(shaken) is view
    assert placement.shift_px == pytest.approx((1.2, -0.9), abs=1 / 6)


def test_every_bare_slot_is_told_bare_in_every_frame(classifier: Classifier) -> None:
    reader = TableReader(MAT, classifier, thickness_mm=0.0)
    for number, shift in enumerate(((0.0, 0.0), (1.5, 1.2), (-1.2, 1.6), (0.3, -1.7))):
        presences = reader.look(moved(*shift, number), SLOTS)
        assert [slot for slot, presence in zip(SLOTS, presences, strict=True) if presence is not Presence.EMPTY] == []


def part_of(reader: TableReader, slot: Slot, shift: tuple[float, float]) -> CameraFrame:
    """The part of a picture that reading a slot takes, so far beside its place."""
    region = of_type(Region, reader.region([slot]))
    whole = moved(*shift, 7).image
    return CameraFrame(whole[region.top : region.top + region.height, region.left : region.left + region.width], 0, 9, region)


@pytest.mark.parametrize(
    ("wholes", "part"),
    [
        pytest.param([(1.5, 1.5)] * 5, (1.5, 1.5), id="the camera was pushed"),
        pytest.param([(1.7, 1.7), (-1.2, 0.4), (0.3, -1.6), (1.5, 1.0), (-1.7, -1.5)], (0.2, 0.1), id="the camera shakes"),
    ],
)
def test_a_part_of_a_picture_is_read_where_the_last_whole_ones_had_the_mat(
    wholes: list[tuple[float, float]], part: tuple[float, float], classifier: Classifier
) -> None:
    reader, river = TableReader(MAT, classifier, thickness_mm=0.0), MAT.slots(0, Area.RIVER)
    reader.look(moved(0, 0), SLOTS)
    for number, shift in enumerate(wholes):
        reader.look(moved(*shift, number), SLOTS)
    assert [reader.look(part_of(reader, slot, part), [slot]) for slot in river] == [(Presence.EMPTY,)] * len(river)


def test_a_picture_that_has_moved_further_is_placed_anew() -> None:
    placement = MatPlacement(MAT)
    view = placement.locate(moved(0, 0).image)
    assert placement.locate(moved(9.0, 0, 1).image) is not view
    assert placement.shift_px == pytest.approx((0.0, 0.0))


def turned(angle_deg: float) -> NDArray[np.uint8]:
    """The mat seen by a camera that was turned about its axis."""
    middle = (MAT_SIDE_PX / 2, MAT_SIDE_PX / 2)
    return np.asarray(cv2.warpAffine(STILL, cv2.getRotationMatrix2D(middle, angle_deg, 1.0), STILL.shape[1::-1]), np.uint8)


def test_a_picture_that_was_turned_is_placed_anew_and_not_taken_for_one_that_has_moved() -> None:
    placement = MatPlacement(MAT)
    view = placement.locate(STILL)
    assert placement.locate(turned(0.1)) is not view


def test_two_markers_do_not_tell_a_shift_from_a_turn() -> None:
    placement, shaken = MatPlacement(MAT), turned(0.1)
    view = placement.locate(STILL)
    shaken[: MAT_SIDE_PX // 4] = HAND_COLOUR
    assert placement.locate(shaken) is view
    assert placement.shift_px is None


def test_a_turn_while_a_marker_is_covered_is_not_kept_for_longer_than_two_markers_are() -> None:
    placement, shaken = MatPlacement(MAT, most_blind_frames=3), turned(0.1)
    view = placement.locate(STILL)
    covered = round(MAT.marker_centre_mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2)
    shaken[covered - 60 :, covered - 60 :] = HAND_COLOUR
    assert [placement.locate(shaken) is view for _ in range(4)] == [True] * 3 + [False]


def test_a_marker_that_was_found_in_a_shadow_does_not_matter_once_the_light_is_on(classifier: Classifier) -> None:
    """It was found, though its rim stood out by less than a probe asks for."""
    reader, shadow = TableReader(MAT, classifier, thickness_mm=0.0), STILL.astype(np.float64)
    corner = round(MAT_SIDE_PX / 2 + MAT.marker_centre_mm * MAT_PX_PER_MM) - 100
    shadow[corner:, corner:] *= 0.12
    reader.look(CameraFrame(shadow.astype(np.uint8), 0, 1), SLOTS)
    assert reader.trouble is None
    assert reader.look(CameraFrame(STILL, 0, 2), SLOTS) == (Presence.EMPTY,) * len(SLOTS)
