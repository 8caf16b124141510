"""Printed outlines of slots: seen through noise, not in noise alone; they place the mat and stand in for a covered marker."""

from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.narrowed import of_type
from tests.support.tiers import examples
from tests.support.vision.pictures import MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture, noisy, printed_mat
from twinwall.art.mat import Area, Mat
from vision.reading import ReadRefusal, Reason
from vision.table.bare_slots import clear_sides, edged, ended, shown, usual
from vision.table.lens import Lens, MatView, Points, project
from vision.table.light import Light
from vision.table.markers import grey_of, marker_corners, seen_markers
from vision.table.placement import MatPlacement

MAT = Mat()
SIDE_PX = 1080
SPOTS = [MAT.spot(slot) for slot in MAT.all_slots(Area.RIVER, Area.MELD)]
MIDDLES: Points = np.array([(spot.x_mm, spot.y_mm) for spot in SPOTS])
HAND_COLOUR = (120, 150, 205)
Picture = NDArray[np.uint8]


def camera(bend: float = -0.06, tilt: float = 1e-4) -> MatView:
    """A view of the mat through a lens that bends."""
    middle = SIDE_PX / 2
    to_straight = np.array([(1.3, 0.03, 0.0), (-0.03, 1.3, 0.0), (tilt, -tilt / 2, 1.0)])
    to_straight = np.array([(1, 0, middle), (0, 1, middle), (0, 0, 1.0)]) @ to_straight
    return MatView(to_straight, Lens((middle, middle), middle * np.sqrt(2), bend), (0.0, 0.0), 1600.0, 0.0)


def photographed(view: MatView, mat: MatPicture | None = None, noise: float = 2.0) -> Picture:
    """What a camera shows of a mat, with a sensor's noise."""
    drawn = (mat or printed_mat(MAT, lighter=1.5)).picture
    pixels = np.stack(np.meshgrid(np.arange(SIDE_PX), np.arange(SIDE_PX)), axis=-1).reshape(-1, 2).astype(np.float64)
    mm = project(np.asarray(np.linalg.inv(view.to_straight), np.float64), view.lens.straightened(pixels))
    x, y = ((mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2).T.reshape(2, SIDE_PX, SIDE_PX)).astype(np.float32)
    seen = cv2.remap(drawn, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(70, 70, 70))
    return noisy(np.asarray(seen, np.uint8), noise, 1)


@cache
def photographed_once() -> tuple[MatView, Picture]:
    """The usual camera, and what it shows of the printed mat."""
    truth = camera()
    return truth, photographed(truth)


def covered(picture: Picture, view: MatView, points_mm: Points) -> Picture:
    """A hand over an area of the mat."""
    hidden = picture.copy()
    cv2.fillConvexPoly(hidden, cv2.convexHull(view.project(points_mm).astype(np.int32)), HAND_COLOUR)
    return hidden


def around(middle: Points, half_mm: float) -> Points:
    return middle + half_mm * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


def with_cards(mat: MatPicture) -> MatPicture:
    """White cards a little off three quarters of the slots."""
    rng = np.random.default_rng(3)
    for place in range(4):
        for slot in (*MAT.slots(place, Area.RIVER)[:18], *MAT.slots(place, Area.MELD)[:8]):
            spot = MAT.spot(slot)
            card = around(np.array((spot.x_mm, spot.y_mm)) + rng.uniform(-3, 3, 2), 15.0)
            cv2.fillConvexPoly(mat.picture, np.rint(card * MAT_PX_PER_MM + MAT_SIDE_PX / 2).astype(np.int32), (215, 232, 238))
    return mat


def off_px(found: MatView | ReadRefusal, truth: MatView) -> float:
    """How far the slot that is placed worst lies from its place."""
    assert isinstance(found, MatView)
    return float(np.linalg.norm(found.project(MIDDLES) - truth.project(MIDDLES), axis=1).max())


@given(st.floats(-0.12, 0.02), st.floats(-2e-4, 2e-4))
@settings(max_examples=examples(4), deadline=None)
def test_under_any_lens_every_slot_is_placed_to_a_third_of_a_pixel(bend: float, tilt: float) -> None:
    truth = camera(bend, tilt)
    assert off_px(MatPlacement(MAT).locate(photographed(truth)), truth) < 1 / 3


@pytest.mark.parametrize(("lighter", "noise", "most_px"), [(1.03, 12.0, 3 / 2), (1.1, 12.0, 1 / 3), (1.15, 20.0, 1 / 3)])
def test_print_that_hardly_shows_in_noise_helps_or_does_no_harm(lighter: float, noise: float, most_px: float) -> None:
    """The markers alone leave a slot 1.2 px off here."""
    truth = camera()
    picture = photographed(truth, with_cards(printed_mat(MAT, lighter=lighter)), noise=noise)
    assert off_px(MatPlacement(MAT).locate(picture), truth) < most_px


@pytest.mark.parametrize("number", range(4))
def test_while_a_marker_is_covered_the_outlines_stand_in_for_it(number: int) -> None:
    truth, picture = photographed_once()
    hidden = covered(picture, truth, around(marker_corners(MAT)[number].mean(axis=0), 40.0))
    assert off_px(MatPlacement(MAT).locate(hidden), truth) < 1 / 2


def test_a_marker_that_looks_larger_than_it_is_does_not_mislead() -> None:
    """Something dark lies beside one of its sides, and cards over most outlines: its corners are 3 px off."""
    truth, corners = camera(), marker_corners(MAT)[2]
    picture = photographed(truth, with_cards(printed_mat(MAT, lighter=1.5)))
    strip = np.array([corners[0] - (0.0, 1.9), corners[1] - (0.0, 1.9), corners[1], corners[0]])
    cv2.fillConvexPoly(picture, truth.project(strip).astype(np.int32), (30, 30, 30))
    assert 2 in seen_markers(grey_of(picture))
    assert off_px(MatPlacement(MAT).locate(picture), truth) < 1 / 3


@pytest.mark.parametrize("printed", [False, True], ids=["the mat has no outlines", "an arm lies over those near it"])
def test_where_no_outlines_tell_the_corner_the_covered_marker_is_named(printed: bool) -> None:
    truth = camera()
    picture = photographed(truth, printed_mat(MAT, lighter=1.5) if printed else MatPicture(MAT))
    middle = marker_corners(MAT)[1].mean(axis=0)
    quarter = around(middle / 2, 190.0) if printed else around(middle, 40.0)
    found = of_type(ReadRefusal, MatPlacement(MAT).locate(covered(picture, truth, quarter)))
    assert found.reason is Reason.MARKERS
    assert "markers 1 cannot be seen" in found.detail


def test_of_three_markers_that_lie_in_no_square_none_is_said_to_contradict_three_others() -> None:
    """Marker 3 is covered, and marker 1 was laid askew."""
    truth, corners = camera(), marker_corners(MAT)
    picture = covered(photographed(truth), truth, around(corners[3].mean(axis=0), 40.0))
    middle = truth.project(corners[1].mean(axis=0)[None])[0]
    x, y = np.rint(middle).astype(int) - 36
    turn = cv2.getRotationMatrix2D((36.0, 36.0), 14.0, 1.0)
    picture[y : y + 72, x : x + 72] = cv2.warpAffine(picture[y : y + 72, x : x + 72], turn, (72, 72), borderMode=cv2.BORDER_REPLICATE)
    found = of_type(ReadRefusal, MatPlacement(MAT).locate(picture))
    assert "3 cannot be seen" in found.detail


def test_tiles_over_most_outlines_do_no_harm() -> None:
    truth = camera()
    picture = photographed(truth, with_cards(printed_mat(MAT, lighter=1.5)))
    assert off_px(MatPlacement(MAT).locate(picture), truth) < 1 / 4


def test_with_three_markers_in_place_the_placement_holds_as_long_as_it_takes() -> None:
    truth = camera()
    picture = photographed(truth)
    placement = MatPlacement(MAT, most_blind_frames=3)
    view = placement.locate(picture)
    hidden = covered(picture, truth, around(marker_corners(MAT)[0].mean(axis=0), 40.0))
    assert all(placement.locate(hidden) is view for _ in range(8))
    assert placement.locate(picture) is view


def test_a_marker_that_is_uncovered_later_is_taken_where_the_outlines_had_it() -> None:
    truth = camera()
    picture = photographed(truth)
    placement = MatPlacement(MAT)
    view = placement.locate(covered(picture, truth, around(marker_corners(MAT)[3].mean(axis=0), 40.0)))
    assert placement.locate(picture) is view


SLOTS, PLACES = 400, 96
FREE = np.ones((SLOTS, PLACES), np.bool_)
DIM = 2.0
"""How much places differ for noise alone in little light, in contrasts of the print."""


def seen(contrast: float, noise: float) -> NDArray[np.float32]:
    """What outlines look like at their places."""
    return np.random.default_rng(5).normal(contrast, noise, (SLOTS, PLACES)).astype(np.float32)


@pytest.mark.parametrize(
    ("contrast", "noise", "least", "most"),
    [
        pytest.param(1.0, 0.5, 0.995, 1.0, id="in good light"),
        pytest.param(1.0, DIM, 0.95, 1.0, id="in little light"),
        pytest.param(0.0, 0.5, 0.0, 0.02, id="a sleeve of the cloth's colour"),
        pytest.param(0.0, DIM, 0.0, 0.02, id="a sleeve of the cloth's colour in little light"),
        pytest.param(6.0, 0.5, 0.0, 0.0, id="the bright edge of a tile beside a finger"),
    ],
)
def test_print_shows_in_any_light_and_noise_and_edges_of_tiles_are_no_print(
    contrast: float, noise: float, least: float, most: float
) -> None:
    assert least <= shown(seen(contrast, noise), FREE, 2).mean() <= most


def test_a_side_that_a_sleeve_hides_is_missed_though_the_others_show() -> None:
    outlines = seen(1.0, 0.3)
    outlines[:, :24] -= 1.0
    assert shown(outlines, FREE, 2).mean() <= 0.1
    free = FREE.copy()
    free[:, :24] = False
    assert shown(outlines, free, 2).mean() >= 0.99


def test_sides_count_that_show_clearly() -> None:
    outlines = seen(1.0, 0.3)
    outlines[:, :24] = -0.8
    assert (clear_sides(outlines, FREE) == 3).mean() >= 0.99
    outlines[:, 24:48] = 0.0
    assert (clear_sides(outlines, FREE) == 2).mean() >= 0.99


def test_noise_does_not_look_like_clear_sides() -> None:
    assert (clear_sides(seen(0.0, DIM), FREE) >= 2).mean() <= 0.001


@pytest.mark.parametrize(
    ("light_places", "covered_places", "told"),
    [(0, 0, False), (12, 0, False), (20, 0, True), (24, 0, True), (24, 24, False)],
    ids=["print alone", "half a side", "most of a side", "a side", "a side that a known tile covers"],
)
def test_a_side_much_lighter_than_print_may_be_the_white_edge_of_a_tile_on_its_face(
    light_places: int, covered_places: int, told: bool
) -> None:
    """In little light a back of nearly the cloth's colour was told bare: its edges lay where the print is."""
    contrasts_seen, beside_tiles = np.ones((1, 96), np.float32), np.ones((1, 96), np.bool_)
    contrasts_seen[0, 48 : 48 + light_places] = 4.0
    beside_tiles[0, 48 : 48 + covered_places] = False
    assert edged(contrasts_seen, beside_tiles).tolist() == [told]


@pytest.mark.parametrize(
    ("outside", "covered", "told"),
    [(60, False, False), (30, False, False), (14, False, True), (14, True, False)],
    ids=["as light as within", "the edge of a shadow", "where a tile ends", "a tile that is known"],
)
def test_a_side_beyond_which_it_is_as_much_darker_as_cloth_is_than_a_tile_is_where_one_ends(
    outside: int, covered: bool, told: bool
) -> None:
    pixels, beside_tiles = np.full((1, 5, 96, 3), 60, np.uint8), np.ones((1, 96), np.bool_)
    pixels[0, 0, 24:48] = outside
    beside_tiles[0, 24:48] = not covered
    assert ended(pixels, beside_tiles, 1.3).tolist() == [told]


@pytest.mark.parametrize("contrast", [0.15, -0.15])
@pytest.mark.parametrize("under_sleeves", [0.0, 0.6])
@pytest.mark.parametrize("beside_tiles", [0.0, 0.3])
def test_the_usual_contrast_is_that_of_outlines_in_sight(contrast: float, under_sleeves: float, beside_tiles: float) -> None:
    """Where sleeves of the cloth's colour lay over half the slots when the mat was placed, its print was held for a third as clear, and
    bare slots were left open."""
    levels = np.random.default_rng(3).normal(contrast, 0.02, 40)
    levels[: int(40 * under_sleeves)] = 0.0
    levels[40 - int(40 * beside_tiles * (1 - under_sleeves)) :] += 0.2
    assert usual(levels) == pytest.approx(contrast, rel=0.15)


def test_a_mat_without_print_has_no_contrast() -> None:
    assert usual(np.zeros(20)) == 0.0
    assert abs(usual(np.random.default_rng(3).normal(0.0, 0.005, 20))) < 0.02


@pytest.mark.parametrize("count", [0, 1, 40_000])
def test_the_cloths_light_changes_evenly_from_cell_to_cell(count: int) -> None:
    """It did so in steps of a centimetre, which look like the edges of things beside a shadow."""
    half_mm, slope = Mat().half_side_mm, 0.004
    cells = ((np.arange(72) + 0.5) * 2 / 72 - 1) * half_mm
    cloth = np.broadcast_to((4.0 + slope * cells)[None, :, None], (72, 72, 3)).astype(np.float32)
    points = np.random.default_rng(1).uniform(-half_mm * 0.98, half_mm * 0.98, (count, 2))
    seen = Light(np.ascontiguousarray(cloth), np.ones(3, np.float32), half_mm).cloth_at(points)
    assert seen.shape == (count, 3)
    assert np.allclose(seen, 4.0 + slope * points[:, :1], rtol=0.0, atol=0.002)
