"""Printed outlines: seen through noise, and not seen in noise alone or under a sleeve."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.table.outlines import edged, ended, shown, shown_around, usual

SLOTS, PLACES = 400, 96
FREE = np.ones((SLOTS, PLACES), np.bool_)
DIM = 2.0
"""How much places differ for noise alone in little light, in contrasts of the print."""


def seen(contrast: float, noise: float) -> NDArray[np.float32]:
    """What outlines look like at their places."""
    return np.random.default_rng(5).normal(contrast, noise, (SLOTS, PLACES)).astype(np.float32)


@pytest.mark.parametrize(("noise", "least"), [(0.5, 0.995), (DIM, 0.95)])
def test_print_shows_in_good_light_and_in_little(noise: float, least: float) -> None:
    assert shown(seen(1.0, noise), FREE, 2).mean() >= least


@pytest.mark.parametrize("noise", [0.5, DIM])
def test_noise_on_a_sleeve_of_the_cloths_colour_is_no_print(noise: float) -> None:
    assert shown(seen(0.0, noise), FREE, 2).mean() <= 0.02


def test_a_side_that_a_sleeve_hides_is_missed_though_the_others_show() -> None:
    outlines = seen(1.0, 0.3)
    outlines[:, :24] -= 1.0
    assert shown(outlines, FREE, 2).mean() <= 0.1
    free = FREE.copy()
    free[:, :24] = False
    assert shown(outlines, free, 2).mean() >= 0.99


def test_three_sides_that_show_clearly_are_enough_and_two_are_not() -> None:
    outlines = seen(1.0, 0.3)
    outlines[:, :24] = -0.8
    assert shown_around(outlines, FREE).mean() >= 0.99
    outlines[:, 24:48] = 0.0
    assert not shown_around(outlines, FREE).any()


def test_noise_does_not_look_like_three_clear_sides() -> None:
    assert shown_around(seen(0.0, DIM), FREE).mean() <= 0.01


def test_the_bright_edge_of_a_tile_beside_a_finger_is_no_print() -> None:
    assert not shown(seen(6.0, 0.5), FREE, 2).any()


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
