"""Markers that people have laid as cards: camera, lens and the cards' places are found together, or the card is named."""

from functools import cache

import cv2
import numpy as np
import pytest

from simulator.cameras.ground import View, as_seen
from tests.support.narrowed import of_type, present
from tests.support.simulator.laid_mat import Laid, cards_on_a_cloth
from tests.support.simulator.table_trials import hung_view
from vision.calibration.laid_markers import fitted_markers, laid_corners
from vision.calibration.mat_calibration import MatCalibration, calibrate_mat
from vision.mat import Mat, Spot
from vision.reading import ReadRefusal
from vision.table.lens import Lens, MatView, Points, fitted_view
from vision.table.markers import marker_corners
from vision.table.placement import MatPlacement

MAT = Mat()
HEIGHT_MM = 1600.0
CARDS = (Spot(3.0, -2.0, 1.5), Spot(-2.0, -3.0, -1.0), Spot(3.5, 2.0, 0.5), Spot(-1.0, 3.0, -2.0))
EVERYWHERE = np.stack(np.meshgrid(np.linspace(-340, 340, 9), np.linspace(-340, 340, 9)), axis=-1).reshape(-1, 2)
STRAIGHT = Lens.straight(1280, 1280)


def hung(bend: float = -0.08) -> View:
    return hung_view((60.0, -90.0), HEIGHT_MM, (2.0, 3.0), 1.0, bend)


def seen(cards: tuple[Spot, ...], view: View, noise_px: float = 0.1) -> dict[int, Points]:
    rng = np.random.default_rng(5)
    return {number: view.project(corners) + rng.normal(0, noise_px, (4, 2)) for number, corners in laid_corners(MAT, cards).items()}


def fitted(cards: tuple[Spot, ...]) -> tuple[MatView, tuple[Spot, ...]]:
    return present(fitted_markers(MAT, seen(cards, hung()), STRAIGHT, HEIGHT_MM, bends=True))


def bent_by_mm(view: MatView, truth: View) -> float:
    """How far the point of the mat that lies worst is from its place, but for a shift and turn of the whole mat."""
    off = (view.project(EVERYWHERE) - truth.project(EVERYWHERE)) / view.px_per_mm()
    at, error = EVERYWHERE[:, 0] + 1j * EVERYWHERE[:, 1], off[:, 0] + 1j * off[:, 1]
    turn = float((error * np.conj(1j * at)).real.sum() / (np.abs(at) ** 2).sum())
    return float(np.abs(error - error.mean() - 1j * turn * at).max())


def test_cards_a_few_millimetres_off_bend_the_mat_by_far_less_than_taken_as_printed() -> None:
    printed, corners = (np.concatenate(list(one.values())) for one in (marker_corners(MAT), seen(CARDS, hung())))
    as_printed = present(fitted_view(printed, corners, STRAIGHT, HEIGHT_MM, bends=True))
    assert bent_by_mm(as_printed, hung()) > 2.0
    view, _ = fitted(CARDS)
    assert bent_by_mm(view, hung()) < 1.4
    assert view.error_px < 0.2


def test_how_cards_are_turned_is_measured() -> None:
    turns = np.array([one.turn_deg for one in fitted(CARDS)[1]]) - [one.turn_deg for one in CARDS]
    assert turns - turns.mean() == pytest.approx(np.zeros(4), abs=0.3)


def test_three_cards_are_not_enough() -> None:
    three = {number: corners for number, corners in seen(CARDS, hung()).items() if number}
    assert fitted_markers(MAT, three, STRAIGHT, HEIGHT_MM, bends=True) is None


def photographed(laid: dict[int, Laid]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.asarray(cv2.cvtColor(as_seen(cards_on_a_cloth(MAT, laid), hung()), cv2.COLOR_BGR2GRAY), np.uint8)


@cache
def calibrated() -> MatCalibration:
    laid = {number: Laid((one.x_mm, one.y_mm), one.turn_deg) for number, one in enumerate(CARDS)}
    return of_type(MatCalibration, calibrate_mat([photographed(laid)], MAT, camera_height_mm=HEIGHT_MM, date="2026-11-21", cards=True))


def test_a_calibration_keeps_how_the_cards_lie() -> None:
    found = calibrated()
    assert found.laid is not None
    laid = {number: Laid((one.x_mm, one.y_mm), one.turn_deg) for number, one in enumerate(CARDS)}
    view = MatPlacement(MAT, lens=found.lens, corners_mm=found.corners_mm(MAT)).locate(photographed(laid))
    assert not isinstance(view, ReadRefusal)
    assert view.error_px < 0.3
    assert bent_by_mm(view, hung()) < 1.2


def test_a_printed_mats_calibration_has_no_cards_in_its_file() -> None:
    found = of_type(MatCalibration, calibrate_mat([photographed({})], MAT, camera_height_mm=HEIGHT_MM, date="2026-11-21"))
    assert found.laid is None
    assert found.corners_mm(MAT)[0] == pytest.approx(marker_corners(MAT)[0])


def test_a_card_too_far_off_is_named() -> None:
    refused = calibrate_mat([photographed({2: Laid((0.0, 0.0), 14.0)})], MAT, camera_height_mm=HEIGHT_MM, date="2026-11-21", cards=True)
    assert isinstance(refused, ReadRefusal)
    assert "marker 2" in refused.detail
