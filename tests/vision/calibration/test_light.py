"""Light of a frame: cloth and white told apart by lamp, shadow and colour, whatever covers most of the mat."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.tiers import examples
from tests.support.vision.pictures import MAT_SIDE_PX, MatPicture
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import Tile
from vision.table.lens import Lens, MatView
from vision.table.light import Light, LightMeter

MAT = Mat()
VIEW = MatView(
    np.array([(1.7, 0, MAT_SIDE_PX / 2), (0, 1.7, MAT_SIDE_PX / 2), (0, 0, 1)]),
    Lens.straight(MAT_SIDE_PX, MAT_SIDE_PX),
    (0.0, 0.0),
    1600.0,
    0.0,
)
METER = LightMeter(MAT, VIEW)
POINTS = np.stack(np.meshgrid(np.linspace(-40, 40, 9), np.linspace(-40, 40, 9)), axis=-1).reshape(-1, 2)


def shares(light: Light, picture: NDArray[np.uint8], x_mm: float, y_mm: float) -> tuple[float, float]:
    """How white, and how far beside the way to it, the picture is around a point of the mat: medians over a square of 8 mm."""
    (x, y) = VIEW.project(np.array([(x_mm, y_mm)]))[0].round().astype(int)
    white, beside = light.shares(picture[y - 7 : y + 8, x - 7 : x + 8], light.cloth_at(np.array([(x_mm, y_mm)]))[0])
    return float(np.median(white)), float(np.median(beside))


def under(picture: NDArray[np.uint8], gains: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.clip(picture * gains, 0, 255).astype(np.uint8)


@given(st.floats(0.45, 1.05), st.floats(-0.4, 0.4))
@settings(max_examples=examples(6))
def test_a_lamp_at_one_side_makes_cloth_no_whiter_and_tiles_no_darker(level: float, slope: float) -> None:
    mat = MatPicture(MAT)
    slot = Slot(1, Area.RIVER, 9)
    mat.lay(Tile.WHITE, slot)
    picture = under(mat.picture, level * (1 + slope * np.linspace(-1, 1, MAT_SIDE_PX))[None, :, None])
    light = METER.measure(picture)
    assert shares(light, picture, -200.0, 40.0)[0] == pytest.approx(0.0, abs=0.12)
    spot = MAT.spot(slot)
    assert shares(light, picture, spot.x_mm, spot.y_mm + 11)[0] == pytest.approx(1.0, abs=0.25)


def test_a_shadow_on_the_cloth_is_cloth() -> None:
    picture = MatPicture(MAT).picture.copy()
    picture[:, :500] = under(picture[:, :500], np.array(0.5))
    light = METER.measure(picture)
    for x_mm in (-250.0, -120.0, 0.0, 200.0):
        white, beside = shares(light, picture, x_mm, 0.0)
        assert abs(white) < 0.2
        assert beside < 0.1


def test_the_light_under_something_large_is_carried_over_from_around_it() -> None:
    bare = MatPicture(MAT).picture
    covered = bare.copy()
    covered[400:800, 500:900] = (40, 60, 200)
    point = np.array([(30.0, -20.0)])
    assert METER.measure(covered).cloth_at(point) == pytest.approx(METER.measure(bare).cloth_at(point), abs=0.1)


def test_skin_lies_beside_the_way_from_cloth_to_white() -> None:
    picture = MatPicture(MAT).picture.copy()
    picture[600:680, 600:680] = (80, 110, 190)
    assert shares(METER.measure(picture), picture, 0.0, 0.0)[1] > 0.2


def test_a_part_of_a_picture_that_is_brighter_all_over_shows_the_same_cloth() -> None:
    picture = MatPicture(MAT).picture
    light = METER.measure(picture)
    brighter = under(picture, np.array(1.4))
    adapted = light.adapted(brighter, VIEW.project(POINTS), POINTS)
    assert shares(light, brighter, 0.0, 60.0)[0] > 0.15
    assert shares(adapted, brighter, 0.0, 60.0)[0] == pytest.approx(0.0, abs=0.1)


def test_an_arm_of_nearly_the_cloths_colour_over_the_middle_of_a_part_leaves_the_cloth_its_colour() -> None:
    picture = MatPicture(MAT).picture
    light = METER.measure(picture)
    covered = picture.copy()
    covered[500:780, 500:780] = under(covered[500:780, 500:780], np.array((0.92, 1.0, 1.14)))
    assert light.adapted(covered, VIEW.project(POINTS), POINTS) is not light
    before, after = (
        each.cloth - each.cloth.mean(axis=-1, keepdims=True) for each in (light, light.adapted(covered, VIEW.project(POINTS), POINTS))
    )
    assert after == pytest.approx(before, abs=1e-4)


def test_an_arm_over_the_middle_of_a_part_does_not_pass_for_cloth() -> None:
    picture = MatPicture(MAT).picture
    light = METER.measure(picture)
    covered = picture.copy()
    covered[500:780, 500:780] = (80, 110, 190)
    assert light.adapted(covered, VIEW.project(POINTS), POINTS) is light
