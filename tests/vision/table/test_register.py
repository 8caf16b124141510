"""Registration of tiles near their slots, on drawn whiteness: outlines, seams, marks, flanks."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.tiers import examples
from vision.table.registration import COARSE_MM, PATCH_CELLS, Around, Pose, Registrar

Points = NDArray[np.float64]
Lying = tuple[float, float, float, bool]
"""A tile's middle (mm), its turn in degrees, whether it lies sideways."""
WIDTH_MM, HEIGHT_MM = 26.0, 36.0
SOFT_MM = 0.5
FITTED = Registrar(WIDTH_MM, HEIGHT_MM)


def inside_mm(points: Points, lying: Lying) -> Points:
    """How far inside of a tile's outline points (… × 2) lie; negative outside."""
    x, y, angle_deg, sideways = lying
    angle = math.radians(angle_deg + (90.0 if sideways else 0.0))
    off = points - (x, y)
    across = off[..., 0] * math.cos(angle) - off[..., 1] * math.sin(angle)
    down = off[..., 0] * math.sin(angle) + off[..., 1] * math.cos(angle)
    return np.asarray(np.minimum(WIDTH_MM / 2 - np.abs(across), HEIGHT_MM / 2 - np.abs(down)))


def tiles(lying: Sequence[Lying], *, marks: bool = True) -> Callable[[Points], NDArray[np.float32]]:
    """Whiteness of tiles on cloth: rounded off a little at their rims, with strokes in their middles."""

    def white(points: Points) -> NDArray[np.float32]:
        level = np.zeros(points.shape[:-1])
        for one in lying:
            depth = inside_mm(points, one)
            face = np.clip(depth / SOFT_MM + 0.5, 0, 1) * (0.85 + 0.15 * np.clip(depth / 1.2, 0, 1))
            if marks:
                face = np.where((depth > 4.5) & (np.sin(points[..., 0] * 1.3) > 0.3), 0.2 * face, face)
            level = np.maximum(level, face)
        return level.astype(np.float32)

    return white


def found(white: Callable[[Points], NDArray[np.float32]], *, sideways_too: bool = True, pitch_mm: float = 28.0) -> Pose | None:
    """What lies at one slot whose neighbours are ``pitch_mm`` beside it."""
    at = (np.arange(PATCH_CELLS) - (PATCH_CELLS - 1) / 2) * COARSE_MM
    patch = white(np.stack(np.meshgrid(at, at), axis=-1))[None]
    around = Around(
        patches=lambda numbers: patch[numbers],
        flanks_mm=np.zeros((1, 2)),
        may_lie_sideways=np.array([sideways_too]),
        owned=lambda _, middles: np.abs(middles[:, 0]) < pitch_mm / 2,
        look=lambda _, points: white(points),
    )
    return FITTED.find(around)[0]


def assert_lies(pose: Pose | None, lying: Lying, *, within_mm: float = 0.8, within_deg: float = 1.5) -> None:
    assert pose is not None
    assert (pose.x_mm, pose.y_mm) == pytest.approx(lying[:2], abs=within_mm)
    assert pose.angle_deg == pytest.approx(lying[2], abs=within_deg)
    assert pose.sideways is lying[3]


@given(st.floats(0, WIDTH_MM / 3), st.floats(0, 2 * math.pi), st.floats(-20, 20), st.booleans())
@settings(max_examples=examples(60))
def test_a_tile_is_found_wherever_it_lies_within_a_third_of_its_width_and_twenty_degrees(
    distance: float, direction: float, angle_deg: float, sideways: bool
) -> None:
    lying = (distance * math.cos(direction), distance * math.sin(direction), angle_deg, sideways)
    pose = found(tiles([lying]))
    assert_lies(pose, lying)
    assert pose is not None
    assert pose.clearness > 0.8


@given(st.floats(-4, 4), st.floats(0.1, 1.5))
@settings(max_examples=examples(30))
def test_a_tile_in_a_row_that_touches_is_found_by_its_seams(aside_mm: float, gap_mm: float) -> None:
    pitch = WIDTH_MM + gap_mm
    row = [(aside_mm + number * pitch, 0.5, 0.4, False) for number in range(-2, 3)]
    assert_lies(found(tiles(row, marks=False), sideways_too=False), row[2])


def test_a_tile_amid_tiles_on_all_sides_is_found() -> None:
    block = [(x * (WIDTH_MM + 0.4), y * (HEIGHT_MM + 0.4), 0.0, False) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    assert_lies(found(tiles(block)), (0.0, 0.0, 0.0, False))


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_an_even_surface_is_no_tile_however_white(level: float) -> None:
    assert found(lambda points: np.full(points.shape[:-1], level, np.float32)) is None


def test_the_edge_of_something_large_and_white_is_no_tile() -> None:
    pose = found(lambda points: np.clip(points[..., 0] / SOFT_MM, 0, 1).astype(np.float32))
    assert pose is None or pose.clearness < 0.3


def test_a_tile_that_is_half_covered_is_not_proved() -> None:
    whole = tiles([(0.0, 0.0, 0.0, False)])

    def covered(points: Points) -> NDArray[np.float32]:
        return np.where(points[..., 1] > 2.0, np.float32(0.6), whole(points)).astype(np.float32)

    pose = found(covered)
    assert pose is None or pose.clearness < 0.5


@pytest.mark.parametrize("seen", [True, False])
def test_a_tile_at_the_end_of_a_row_is_proved_where_little_of_its_seam_is_seen_and_not_where_none_is(*, seen: bool) -> None:
    """Marks that reach to a tile's side hide where it ends; three sides on cloth say where it lies. White paper has no seam."""
    row = tiles([(0.0, 0.0, 0.0, False), (-WIDTH_MM - 0.4, 0.0, 0.0, False)], marks=False)

    def white(points: Points) -> NDArray[np.float32]:
        in_seam = (np.abs(points[..., 0] + WIDTH_MM / 2 + 0.2) < 1.5) & (np.abs(points[..., 1]) < HEIGHT_MM / 2 - 0.8)
        hidden = in_seam & ((np.abs(points[..., 1]) > 5.0) | (not seen))
        return np.where(hidden, np.float32(1.0), row(points)).astype(np.float32)

    pose = found(white, sideways_too=False)
    if seen:
        assert_lies(pose, (0.0, 0.0, 0.0, False))
    assert (pose is not None and pose.clearness >= 0.58) is seen


def test_a_neighbours_tile_is_not_taken_for_ones_own() -> None:
    assert found(tiles([(20.0, 0.0, 0.0, False)])) is None


def test_in_a_shown_hand_no_tile_lies_sideways() -> None:
    pose = found(tiles([(0.0, 0.0, 0.0, True)]), sideways_too=False)
    assert pose is None or not pose.sideways
    assert pose is None or pose.clearness < 0.5


def test_a_tile_whose_far_edge_is_rounded_and_turns_away_from_the_camera_is_as_clear_as_it_is() -> None:
    flank_mm, turned_away_mm, marks_to_mm = 4.0, 0.5, 2.1

    def white(points: Points) -> NDArray[np.float32]:
        from_top, from_bottom = points[..., 1] + HEIGHT_MM / 2 + 0.65 * flank_mm, HEIGHT_MM / 2 - points[..., 1]
        depth = np.minimum(np.minimum(WIDTH_MM / 2 - np.abs(points[..., 0]), from_top), from_bottom - turned_away_mm)
        marks = (from_bottom > marks_to_mm) & (from_bottom < 9) & (np.abs(points[..., 0]) < 10)
        return np.asarray(np.where(marks, 0.1, np.clip(depth / SOFT_MM + 0.5, 0, 1)), np.float32)

    at = (np.arange(PATCH_CELLS) - (PATCH_CELLS - 1) / 2) * COARSE_MM
    patch = white(np.stack(np.meshgrid(at, at), axis=-1))[None]
    flanks_mm = np.array([(0.0, -flank_mm)])
    around = Around(
        lambda _: patch, flanks_mm, np.array([False]), lambda _, middles: np.ones(len(middles), np.bool_), lambda _, at: white(at)
    )
    pose = FITTED.find(around)[0]
    assert pose is not None
    assert pose.y_mm == pytest.approx(0.0, abs=0.3)
    assert pose.clearness > 0.9


def test_a_tile_much_duller_than_paper_is_found() -> None:
    """On light cloth a face in the shade is little lighter than the cloth, beside what paper is."""
    bright = tiles([(2.0, -1.0, 4.0, False)])
    assert_lies(found(lambda points: 0.42 * bright(points)), (2.0, -1.0, 4.0, False))


def test_a_tile_near_its_place_that_a_search_from_afar_does_not_see_is_found_from_its_place() -> None:
    white = tiles([(0.5, -0.5, 1.0, False)], marks=False)

    def one_side_in_part(points: Points) -> NDArray[np.float32]:
        dull = (np.abs(points[..., 1] - 16) < 8) & (np.abs(points[..., 0]) < 5)
        return np.where(dull, np.float32(0.3), white(points)).astype(np.float32)

    around = Around(
        lambda numbers: np.zeros((len(numbers), PATCH_CELLS, PATCH_CELLS), np.float32),
        np.zeros((1, 2)),
        np.array([True]),
        lambda _, middles: np.ones(len(middles), np.bool_),
        lambda _, points: one_side_in_part(points),
    )
    pose = FITTED.find(around)[0]
    assert_lies(pose, (0.5, -0.5, 1.0, False))
    assert pose is not None
    assert pose.clearness < 0.97
