"""Mat calibration: prints and markers, distortion of a lens, and what has moved since the day of calibration."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.dashboard.printed import grey_pages
from tests.support.narrowed import of_type, present
from tests.support.tiers import examples
from tests.support.vision.pictures import MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture, noisy, printed_mat
from twinwall.art.mat import Mat
from twinwall.art.mat_prints.mat_pages import markers_pdf, mat_pdf
from vision.calibration.mat_calibration import MatCalibration, calibrate_mat
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.reading import ReadRefusal, Reason
from vision.table.lens import Lens, Matrix, fitted_view, project
from vision.table.markers import marker_corners, seen_markers
from vision.table.placement import MatPlacement
from vision.table.table_reader import TableReader

MAT = Mat()
SIDE = 1280
HEIGHT_MM = 1500.0
EVERYWHERE = np.stack(np.meshgrid(np.linspace(-350, 350, 11), np.linspace(-350, 350, 11)), axis=-1).reshape(-1, 2)


def hung(eye_mm: tuple[float, float], looks_at_mm: tuple[float, float], roll_deg: float) -> Matrix:
    """The plane of a pinhole camera at a point above the mat: millimetres of the mat to pixels."""
    camera = np.array([*eye_mm, -HEIGHT_MM])
    forth = np.array([*looks_at_mm, 0.0]) - camera
    forth /= np.linalg.norm(forth)
    right = np.array([np.cos(np.deg2rad(roll_deg)), np.sin(np.deg2rad(roll_deg)), 0.0])
    right -= forth * (right @ forth)
    right /= np.linalg.norm(right)
    turn = np.stack((right, np.cross(forth, right), forth))
    focal = HEIGHT_MM * 1.6
    inner = np.array([(focal, 0, SIDE / 2), (0, focal, SIDE / 2), (0, 0, 1)])
    return np.asarray(inner @ np.column_stack((turn[:, 0], turn[:, 1], -turn @ camera)))


def lens(k1: float) -> Lens:
    return replace(Lens.straight(SIDE, SIDE), k1=k1)


@given(st.floats(-0.3, 0.3), st.floats(0, SIDE), st.floats(0, SIDE))
@settings(max_examples=examples(60))
def test_straightening_undoes_bending(k1: float, x: float, y: float) -> None:
    point = np.array([(x, y)])
    if k1 < -0.2:
        point = (point + SIDE) / 3  # a barrel folds over where it bends most
    assert lens(k1).straightened(lens(k1).bent(point)) == pytest.approx(point, abs=0.025)


@given(st.floats(-0.2, 0.12), st.tuples(st.floats(-150, 150), st.floats(-150, 150)), st.floats(-8, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=examples(25))
def test_the_markers_of_one_frame_tell_plane_lens_and_eye(k1: float, eye: tuple[float, float], roll_deg: float, seed: int) -> None:
    """With a tenth of a pixel of noise on every corner, no point of the mat is off by more than a pixel or so, nor the eye by a hand."""
    plane, corners = hung(eye, (4.0, -6.0), roll_deg), np.concatenate(list(marker_corners(MAT).values()))
    noise = np.random.default_rng(seed).normal(0, 0.1, corners.shape)
    view = present(fitted_view(corners, lens(k1).bent(project(plane, corners)) + noise, Lens.straight(SIDE, SIDE), HEIGHT_MM, bends=True))
    off = np.linalg.norm(view.project(EVERYWHERE) - lens(k1).bent(project(plane, EVERYWHERE)), axis=1)
    assert off.max() < 1.2
    assert off.mean() < 0.5
    assert view.eye_mm == pytest.approx(eye, abs=40)


def test_a_thicker_tile_is_seen_further_from_the_point_below_the_camera() -> None:
    corners = np.concatenate(list(marker_corners(MAT).values()))
    view = present(fitted_view(corners, project(hung((0, 0), (0, 0), 0), corners), Lens.straight(SIDE, SIDE), HEIGHT_MM, bends=False))
    low, high = view.project(np.array([(300.0, 0.0)])), view.project(np.array([(300.0, 0.0)]), 15.0)
    assert (high - low)[0] == pytest.approx((300 * 15 / 1485 * 1.6, 0.0), abs=0.02)


def test_a_camera_finds_the_printed_mats_markers_where_the_mat_has_them() -> None:
    around = 20
    on_a_table = cv2.copyMakeBorder(grey_pages(mat_pdf(MAT), 2.0)[0], around, around, around, around, cv2.BORDER_CONSTANT, value=(90,))
    seen = seen_markers(np.asarray(on_a_table, np.uint8))
    assert sorted(seen) == [0, 1, 2, 3]
    for number, corners in marker_corners(MAT).items():
        assert seen[number] == pytest.approx((corners + MAT.half_side_mm) * 2.0 + around - 0.5, abs=1.0)


def test_markers_to_cut_out_have_their_true_size() -> None:
    seen = seen_markers(grey_pages(markers_pdf(MAT), 4.0)[0])
    assert sorted(seen) == [0, 1, 2, 3]
    for corners in seen.values():
        assert np.linalg.norm(corners[1] - corners[0]) == pytest.approx(MAT.marker_mm * 4.0, abs=1.0)


def test_markers_too_large_for_a_page_are_refused() -> None:
    with pytest.raises(ValueError, match="A4"):
        markers_pdf(Mat(marker_mm=80.0))


def grey(picture: MatPicture) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(picture.picture, cv2.COLOR_BGR2GRAY), np.uint8)


@pytest.fixture(scope="module")
def calibrated() -> MatCalibration:
    still = grey(MatPicture(MAT))
    found = calibrate_mat([noisy(still, 2, seed) for seed in range(3)], MAT, camera_height_mm=HEIGHT_MM, date="2026-11-20")
    assert isinstance(found, MatCalibration)
    return found


def test_a_mat_that_moves_while_it_is_calibrated_gives_no_calibration() -> None:
    frames = [grey(MatPicture(MAT)), grey(MatPicture(MAT, shift_px=(9.0, 0.0)))]
    refused = of_type(ReadRefusal, calibrate_mat(frames, MAT, camera_height_mm=HEIGHT_MM, date="2026-11-20"))
    assert "moved" in refused.detail


@pytest.mark.parametrize("printed", [False, True])
def test_a_covered_marker_gives_no_calibration(printed: bool) -> None:
    """Not even on a mat whose outlines would place it: all four corners are measured."""
    picture = printed_mat(MAT, lighter=1.5) if printed else MatPicture(MAT)
    covered = round(MAT_SIDE_PX / 2 + MAT.marker_centre_mm * MAT_PX_PER_MM)
    picture.picture[covered - 60 :, covered - 60 :] = (120, 150, 205)
    refused = of_type(ReadRefusal, calibrate_mat([grey(picture)], MAT, camera_height_mm=HEIGHT_MM, date="2026-11-20"))
    assert "cannot be seen" in refused.detail


def test_a_camera_that_hangs_too_high_is_told_so() -> None:
    small = np.full((SIDE, SIDE), 60, np.uint8)
    small[340:940, 340:940] = cv2.resize(grey(MatPicture(MAT)), (600, 600), interpolation=cv2.INTER_AREA)
    refused = of_type(ReadRefusal, calibrate_mat([small], MAT, camera_height_mm=HEIGHT_MM, date="2026-11-20"))
    assert "lower" in refused.detail


def test_a_marker_stuck_in_the_wrong_place_is_named() -> None:
    """The mat's own marker 1 is covered, and lies 12 px further right and down."""
    picture = MatPicture(MAT)
    left = round(SIDE / 2 + (MAT.marker_centre_mm - 40) * 1.7)
    block = picture.picture[left : left + 136, left : left + 136].copy()
    picture.picture[left : left + 136, left : left + 136] = picture.picture[600:736, 600:736]
    picture.picture[left - 30 : left + 106, left - 18 : left + 118] = block
    refused = of_type(ReadRefusal, MatPlacement(MAT).locate(grey(picture)))
    assert "marker 1" in refused.detail
    assert refused.reason is Reason.MARKERS


def test_a_reader_tells_how_far_the_mat_lies_from_where_it_was_calibrated(calibrated: MatCalibration) -> None:
    reader = TableReader.calibrated(MAT, Classifier(), calibrated)
    assert reader.drift is None
    reader.look(CameraFrame(MatPicture(MAT, shift_px=(8.5, 0.0)).picture, 0, 1), [])
    assert reader.drift is not None
    assert reader.drift.shift_mm == pytest.approx(5.0, abs=0.3)


def test_a_calibration_with_other_pictures_is_not_used(calibrated: MatCalibration) -> None:
    reader = TableReader.calibrated(MAT, Classifier(), calibrated)
    small = np.asarray(cv2.resize(MatPicture(MAT).picture, (960, 960)), np.uint8)
    assert reader.look(CameraFrame(small, 0, 1), []) == ()
    assert reader.trouble is not None
    assert "1280 × 1280" in reader.trouble.detail
