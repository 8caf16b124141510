"""The check of a mat by one picture from above: printed sheets and cards are laid with a fault, and the fault is named with its figure."""

from collections.abc import Mapping
from functools import cache

import cv2
import numpy as np
import pytest

from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import Picture, light_map
from simulator.cameras.table import TableCamera, TableLook
from simulator.scene import LaidTile, TableScene
from tests.support.narrowed import present
from tests.support.simulator.laid_mat import Laid, cards_on_a_cloth, sheets_on_a_table
from tests.support.simulator.table_trials import hung_view
from tests.support.tiers import some
from twinwall.art.mat import Area, Mat, Slot, WallMat
from twinwall.art.mat_prints.sheet_layout import Paper
from vision.calibration.mat_check import MatCheck, MatFault, check_mat, drawn_png

pytestmark = pytest.mark.slow

MAT = Mat()
HEIGHT_MM = 1600.0


def photographed(canvas: Picture, mat: Mat = MAT, bend: float = -0.08, tiles: tuple[LaidTile, ...] = ()) -> Picture:
    """What a wide camera sees that hangs a little beside the middle."""
    gains = light_map(SIDE_PX, SIDE_PX, np.random.default_rng(4), uneven=0.1, vignette=0.15, level=1.0)
    look = TableLook(hung_view((20.0, -30.0), HEIGHT_MM, (2.0, 3.0), 1.0, bend), gains, canvas=canvas)
    return TableCamera(1, mat, look).render(TableScene(1, tiles))


def sheets(paper: Paper, laid: Mapping[int, Laid] | None = None, mat: Mat = MAT) -> MatCheck:
    return check_mat(photographed(sheets_on_a_table(mat, paper, laid), mat), mat, HEIGHT_MM)


def cards(laid: Mapping[int, Laid] | None = None) -> MatCheck:
    return check_mat(photographed(cards_on_a_cloth(MAT, laid)), MAT, HEIGHT_MM)


@cache
def good_picture() -> Picture:
    return photographed(sheets_on_a_table(MAT, Paper.A3))


@pytest.mark.parametrize(
    ("mat", "paper", "bend"),
    some([(WallMat(), Paper.A3, -0.08), (MAT, Paper.A4, -0.13), (MAT, Paper.A3, 0.0)], 1),
)
def test_nothing_is_said_of_sheets_that_lie_well(mat: Mat, paper: Paper, bend: float) -> None:
    check = check_mat(photographed(sheets_on_a_table(mat, paper), mat, bend), mat, HEIGHT_MM)
    assert check.findings == ()
    assert check.pieces.paper is paper
    assert check.slots_bare == set(check.slots)
    for fit in check.pieces.fits:
        assert fit.off_mm == pytest.approx((0, 0), abs=0.5)
        assert fit.scale == pytest.approx(1, abs=0.003)


@pytest.mark.nightly
def test_a_turned_sheet_is_named() -> None:
    worst = sheets(Paper.A3, {4: Laid(turn_deg=180.0)}).findings[0]
    assert (worst.fault, worst.numbers) == (MatFault.TURNED, (4,))
    assert abs(worst.figure) == pytest.approx(180, abs=1)


@pytest.mark.nightly
def test_a_sheet_that_lies_askew_is_told_which_way_to_turn() -> None:
    (finding,) = sheets(Paper.A3, {6: Laid(turn_deg=1.5)}).findings
    assert (finding.fault, finding.numbers) == (MatFault.ASKEW, (6,))
    assert finding.figure == pytest.approx(1.5, abs=0.2)
    assert "1.5° clockwise" in finding.advice


def test_a_missing_sheet_is_one_finding_and_a_covered_marker_another() -> None:
    (whole,) = sheets(Paper.A4, {12: Laid(missing=True)}).findings
    assert (whole.fault, "sheet 12 is not seen" in whole.advice) == (MatFault.COVERED, True)
    picture = good_picture().copy()
    seen = next(one for one in check_mat(picture, MAT, HEIGHT_MM).pieces.seen if one.number == 7)
    x, y = np.rint(seen.corners_px.mean(axis=0)).astype(int)
    cv2.circle(picture, (int(x), int(y)), 30, (60, 80, 140), cv2.FILLED)
    (covered,) = check_mat(picture, MAT, HEIGHT_MM).findings
    assert (covered.fault, covered.numbers) == (MatFault.COVERED, (7,))
    cv2.circle(picture, (int(x), int(y)), 30, (255, 255, 255), cv2.FILLED)
    (glare,) = check_mat(picture, MAT, HEIGHT_MM).findings
    assert (glare.fault, glare.numbers) == (MatFault.GLARE, (7,))


@pytest.mark.nightly
def test_each_of_several_faults_is_named_and_the_worst_comes_first() -> None:
    """One picture with three faults."""
    laid = {3: Laid(off_mm=(-3.0, 1.0)), 6: Laid(scale=0.985), 9: Laid(in_place_of=12), 12: Laid(in_place_of=9)}
    exchanged, size, shifted = sheets(Paper.A4, laid).findings
    assert (exchanged.fault, exchanged.numbers) == (MatFault.EXCHANGED, (9, 12))
    assert exchanged.advice.startswith("sheets 9 and 12 are exchanged")
    assert (size.fault, size.numbers) == (MatFault.SIZE, (6,))
    assert size.figure == pytest.approx(-0.015 * 253, abs=0.8)
    assert "100 %" in size.advice
    assert (shifted.fault, shifted.numbers) == (MatFault.SHIFTED, (3,))
    assert shifted.figure == pytest.approx(3.2, abs=0.4)
    assert "left" in shifted.advice


def test_a_sheet_that_was_printed_twice_is_named() -> None:
    picture = good_picture().copy()
    size = 60
    seen = {one.number: np.rint(one.corners_px.mean(axis=0)).astype(int) for one in check_mat(picture, MAT, HEIGHT_MM).pieces.seen}
    (x1, y1), (x2, y2) = seen[7], seen[9]
    picture[y2 - size // 2 : y2 + size // 2, x2 - size // 2 : x2 + size // 2] = picture[
        y1 - size // 2 : y1 + size // 2, x1 - size // 2 : x1 + size // 2
    ]
    assert check_mat(picture, MAT, HEIGHT_MM).findings[0].fault is MatFault.TWICE


@pytest.mark.nightly
def test_a_picture_that_is_no_good_is_said_before_the_sheets() -> None:
    picture = photographed(sheets_on_a_table(MAT, Paper.A3, {3: Laid(scale=0.985)}))
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), 3.0), np.uint8)
    small = np.asarray(cv2.resize(picture, (700, 700), interpolation=cv2.INTER_AREA), np.uint8)
    for spoilt, fault in ((blurred, MatFault.BLURRED), (small, MatFault.COARSE), (picture // np.uint8(6), MatFault.LIGHT)):
        assert check_mat(spoilt, MAT, HEIGHT_MM).findings[0].fault is fault


def test_a_picture_without_a_mat_says_so() -> None:
    (nothing,) = check_mat(np.full((SIDE_PX, SIDE_PX, 3), 90, np.uint8), MAT, HEIGHT_MM).findings
    assert nothing.fault is MatFault.UNSEEN
    (dark,) = check_mat(np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8), MAT, HEIGHT_MM).findings
    assert dark.fault is MatFault.LIGHT


def test_a_marker_beyond_the_picture_is_told_from_a_covered_one() -> None:
    check = check_mat(np.ascontiguousarray(good_picture()[:, 150:]), MAT, HEIGHT_MM)
    assert check.findings[0].fault is MatFault.OUTSIDE


@pytest.mark.nightly
def test_tiles_on_the_mat_are_not_a_bare_mat() -> None:
    tiles = tuple(LaidTile("E", 0, Area.RIVER.value, number, sideways=False, offset_mm=(0.0, 0.0), angle_deg=0.0) for number in range(24))
    check = check_mat(photographed(sheets_on_a_table(MAT, Paper.A3), tiles=tiles), MAT, HEIGHT_MM)
    assert [finding.fault for finding in check.findings] == [MatFault.NOT_BARE]
    assert Slot(0, Area.RIVER, 5) not in check.slots_bare


def test_cards_a_few_millimetres_off_lie_well() -> None:
    assert cards({0: Laid((3.0, 2.0), 2.0), 2: Laid((-2.0, 3.0), -2.0)}).findings == ()


@pytest.mark.nightly
def test_a_turned_card_is_named() -> None:
    finding = cards({2: Laid(turn_deg=90.0)}).findings[0]
    assert (finding.fault, finding.numbers) == (MatFault.TURNED, (2,))


@pytest.mark.nightly
def test_the_drawn_picture_marks_the_worst_finding_red() -> None:
    picture = photographed(sheets_on_a_table(MAT, Paper.A3, {3: Laid(scale=0.985)}))
    check = check_mat(picture, MAT, HEIGHT_MM)
    drawn = present(cv2.imdecode(np.frombuffer(drawn_png(picture, MAT, check), np.uint8), cv2.IMREAD_COLOR))
    assert (drawn == (60, 60, 255)).all(axis=2).sum() > 500


@cache
def whole_mat(table: str) -> Picture:
    """What a camera sees of the bare mat of a table, printed in one piece."""
    return TableCamera(3, Mat(table=table)).render(TableScene(1, ()))


def sheets_of_another_table() -> Picture:
    mat = Mat(table="12")
    return photographed(sheets_on_a_table(mat, Paper.A4, {7: Laid(off_mm=(-3.0, 1.0))}), mat)


@pytest.mark.parametrize(("own", "whole"), [("1", False), ("A1", True)], ids=["sheets", "one piece, and a table that is no number"])
def test_another_tables_mat_is_the_first_thing_that_is_said_of_it(own: str, whole: bool) -> None:
    worst = check_mat(whole_mat("12") if whole else sheets_of_another_table(), Mat(table=own), HEIGHT_MM).findings[0]
    assert (worst.fault, worst.numbers) == (MatFault.OTHER_TABLE, (12,))
    assert f"this is the camera of table {own}, and the mat that it sees names table 12" in worst.advice


@pytest.mark.parametrize(("own", "printed"), [("12", "12"), ("1", ""), ("", "12")])
def test_the_own_mat_and_one_without_a_name_are_no_other_tables(own: str, printed: str) -> None:
    findings = check_mat(whole_mat(printed), Mat(table=own), HEIGHT_MM).findings
    assert MatFault.OTHER_TABLE not in {one.fault for one in findings}


def test_the_number_of_another_table_marks_no_piece_of_its_mat() -> None:
    picture = whole_mat("2")
    check = check_mat(picture, Mat(table="1"), HEIGHT_MM)
    assert check.findings[0].numbers == (2,)
    red = (60, 60, 255)
    drawn = cv2.imdecode(np.frombuffer(drawn_png(picture, MAT, check), np.uint8), cv2.IMREAD_COLOR)
    assert not (np.asarray(drawn) == red).all(axis=-1).any()
