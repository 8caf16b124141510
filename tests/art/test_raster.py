"""Rasters: right shape, faces told apart by form alone, the same every time."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.tiers import one_in
from tools.training_designs import DESIGNS
from twinwall.art.designs import CLASSIC, HOUSE, Design
from twinwall.art.faces import Face, draw_face
from twinwall.art.raster import paint, raster
from twinwall.art.shapes import Box, Circle, Path, Shape
from twinwall.game.tiles import ALL_TILES, Tile

FACES: tuple[Face, ...] = (*ALL_TILES, "back")
NAMED = pytest.mark.parametrize("design", one_in(3, DESIGNS.values()), ids=one_in(3, DESIGNS))


def grey(design: Design, tile: Face) -> NDArray[np.float64]:
    return np.asarray(raster(design, tile, 84)[:, :, :3].mean(axis=2), np.float64)


@NAMED
def test_every_face_has_the_designs_proportions_and_opaque_middle(design: Design) -> None:
    for face in FACES:
        pixels = raster(design, face, 84)
        assert pixels.dtype == np.uint8
        assert pixels.shape == (84, round(84 * 60 / design.face_height), 4)
        assert pixels[42, 30, 3] == 255
        assert pixels[0, 0, 3] < 128


@NAMED
def test_faces_are_told_apart_without_colour(design: Design) -> None:
    for one, other in itertools.combinations(ALL_TILES, 2):
        assert np.abs(grey(design, one) - grey(design, other)).mean() > 4.0, (one, other)


@NAMED
def test_drawings_stay_inside_the_face(design: Design) -> None:
    for tile in ALL_TILES:
        for shape in draw_face(design, tile):
            left, top, right, bottom = reach(shape)
            assert left >= 1.0 and top >= 1.0, (tile, shape)
            assert right <= 59.0 and bottom <= design.face_height - 1.0, (tile, shape)


@NAMED
def test_faces_are_centred(design: Design) -> None:
    for tile in ALL_TILES:
        ink = np.abs(grey(design, tile) - grey(design, tile)[6, 20]) > 40
        rows, columns = np.nonzero(ink)
        height, width = ink.shape
        assert abs((columns.min() + columns.max()) / 2 - (width - 1) / 2) <= 3.2, tile
        if tile not in {Tile.M1}:
            assert abs((rows.min() + rows.max()) / 2 - (height - 1) / 2) <= 5.0, tile


def test_three_dots_and_the_upper_dots_of_seven_fall_to_the_right() -> None:
    for design in DESIGNS.values():
        three = ~bright(design, Tile.P3)
        assert three[8:28, 6:24].any() and not three[8:28, 40:56].any()
        seven = ~bright(design, Tile.P7)
        assert seven[9:20, 6:20].any() and not seven[9:20, 44:56].any()


def bright(design: Design, tile: Tile) -> NDArray[np.bool_]:
    picture = grey(DESIGNS["classic"] if design.corner_index else design, tile)
    return np.asarray(picture > picture[6, 20] - 40, np.bool_)


def test_the_same_face_is_painted_the_same_every_time_and_kept() -> None:
    again = paint(draw_face(HOUSE, Tile.S1), HOUSE, Tile.S1, 90)
    assert np.array_equal(raster(HOUSE, Tile.S1, 90), again)
    assert raster(HOUSE, Tile.S1, 90) is raster(HOUSE, Tile.S1, 90)


def test_a_kept_raster_cannot_be_spoilt_by_its_user() -> None:
    with pytest.raises(ValueError, match="read-only"):
        raster(CLASSIC, Tile.EAST, 84)[0, 0, 0] = 1


def test_a_tile_too_small_to_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="7 px"):
        raster(CLASSIC, Tile.EAST, 7)


def reach(shape: Shape) -> tuple[float, float, float, float]:
    half = shape.style.width / 2 if shape.style.stroke else 0.0
    match shape:
        case Circle((x, y), radius, _):
            return x - radius - half, y - radius - half, x + radius + half, y + radius + half
        case Box(x, y, width, height, _, _):
            return x - half, y - half, x + width + half, y + height + half
        case Path():
            left, top, right, bottom = shape.bounds()
            return left - half, top - half, right + half, bottom + half
