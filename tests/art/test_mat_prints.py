"""The playing mat: no two tiles have the same place; and its prints, as a printer puts them on paper, put together as the cut lines say."""

import re
import sys
from itertools import combinations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.dashboard.printed import grey_pages
from tests.support.tiers import one_in
from twinwall.art.mat import Area, Mat, Slot, Spot, WallMat
from twinwall.art.mat_prints.markers import COUNT, PrintedMarker, white_cells
from twinwall.art.mat_prints.mat_pages import RULER_MM, mat_pdf, sheets_pdf
from twinwall.art.mat_prints.name_marker import MOST, printed_number, why_unnamed
from twinwall.art.mat_prints.sheet_layout import LEFT_MM, TOP_MM, MatSheet, Paper, sheet_layout
from twinwall.art.pdf import Page, PdfLine, Rectangle, Text, pdf

MAT = Mat()
SLOTS = MAT.all_slots()


def half_mm(spot: Spot) -> tuple[float, float]:
    across, down = MAT.tile_at(spot)
    return across / 2, down / 2


def test_tiles_in_different_slots_do_not_lie_on_each_other() -> None:
    for one, other in combinations(SLOTS, 2):
        first, second = MAT.spot(one), MAT.spot(other)
        across = sum(half_mm(spot)[0] for spot in (first, second))
        down = sum(half_mm(spot)[1] for spot in (first, second))
        apart = abs(first.x_mm - second.x_mm) >= across or abs(first.y_mm - second.y_mm) >= down
        assert apart, f"{one} and {other}"


def test_every_tile_lies_on_the_mat() -> None:
    for slot in SLOTS:
        spot = MAT.spot(slot)
        across, down = half_mm(spot)
        assert max(abs(spot.x_mm) + across, abs(spot.y_mm) + down) <= MAT.half_side_mm, slot


def test_shared_tiles_lie_in_the_middle_stack_by_stack_the_lower_ones_beyond() -> None:
    upper, lower = (MAT.spot(Slot(0, Area.SHARED, number)) for number in (10, 11))
    assert upper.x_mm == lower.x_mm
    assert upper.y_mm == -lower.y_mm == MAT.shared_row_mm
    assert MAT.slots(1, Area.SHARED) == ()
    with pytest.raises(ValueError, match="no slot"):
        MAT.spot(Slot(1, Area.SHARED, 0))


def test_a_page_has_its_size_in_points() -> None:
    written = pdf([Page(210.0, 297.0, ())])
    box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", written)
    assert box is not None
    assert [float(side) for side in box.groups()] == pytest.approx([595.276, 841.89], abs=0.01)


def test_the_table_of_objects_says_where_each_begins() -> None:
    written = pdf([Page(100.0, 100.0, (Rectangle(1, 2, 3, 4),)), Page(50.0, 60.0, ())])
    table_at = int(re.findall(rb"startxref\n(\d+)", written)[0])
    assert written[table_at:].startswith(b"xref")
    begins = [int(number) for number in re.findall(rb"(\d{10}) 00000 n", written)]
    assert len(begins) == 7
    for number, begin in enumerate(begins, start=1):
        assert written[begin:].startswith(f"{number} 0 obj\n".encode())


def test_the_length_of_each_stream_is_right() -> None:
    written = pdf([Page(100.0, 100.0, (Rectangle(1, 2, 3, 4), PdfLine((0, 0), (5, 5), dash_mm=1.0), Text((3, 9), "one (two)")))])
    length, content = re.findall(rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", written, re.DOTALL)[0]
    assert int(length) == len(content)


def test_marks_count_from_the_upper_left_corner() -> None:
    written = pdf([Page(100.0, 80.0, (Rectangle(10, 5, 20, 15, (1.0, 0.0, 0.0)),))])
    assert b"1 0 0 rg 10 60 20 15 re f" in written


def test_brackets_in_a_text_do_not_end_it() -> None:
    assert rb"(a \(b\) \\ c) Tj" in pdf([Page(100.0, 80.0, (Text((0, 5), "a (b) \\ c"),))])


def test_a_text_that_the_readers_fonts_lack_is_refused() -> None:
    with pytest.raises(ValueError, match="萬"):
        pdf([Page(100.0, 80.0, (Text((0, 5), "萬"),))])


def test_a_file_without_a_page_is_refused() -> None:
    with pytest.raises(ValueError, match="page"):
        pdf([])


PX_PER_MM = 10
MOST_LEVELS = 12
PRINTS = [pytest.param(MAT, Paper.A4, id="A4"), pytest.param(MAT, Paper.A3, id="A3"), pytest.param(WallMat(), Paper.A3, id="walls A3")]
Grey = NDArray[np.uint8]


def px(mm: float) -> int:
    return round(mm * PX_PER_MM)


def put_together(mat: Mat, paper: Paper) -> Grey:
    """Each sheet cut along its edges and laid in its place, later ones over earlier ones."""
    _, *pages = grey_pages(sheets_pdf(mat, paper), PX_PER_MM)
    side = px(2 * mat.half_side_mm)
    whole = np.zeros((side, side), np.uint8)
    for page, sheet in zip(pages, sheet_layout(mat, paper).sheets, strict=True):
        left, top = px(sheet.left_mm + mat.half_side_mm), px(sheet.top_mm + mat.half_side_mm)
        cut = page[px(TOP_MM) :, px(LEFT_MM) :][: side - top, : side - left]
        whole[top : top + len(cut), left : left + cut.shape[1]] = cut
    return whole


def without_sheet_markers(picture: Grey, mat: Mat, paper: Paper) -> Grey:
    bare = picture.copy()
    for sheet in sheet_layout(mat, paper).sheets:
        for marker in sheet.markers:
            reach = marker.bordered_mm / 2 + 0.5
            x, y = marker.x_mm + mat.half_side_mm, marker.y_mm + mat.half_side_mm
            bare[px(y - reach) : px(y + reach), px(x - reach) : px(x + reach + 7)] = 0
    return bare


def same_within_a_tenth_of_a_millimetre(one: Grey, other: Grey) -> bool:
    """Whether every pixel is like one of those at most one pixel away in the other picture, and the other way round."""
    kernel = np.ones((3, 3), np.uint8)

    def like(picture: Grey, beside: Grey) -> bool:
        low, high = cv2.erode(beside, kernel), cv2.dilate(beside, kernel)
        return max(int(cv2.subtract(picture, high).max()), int(cv2.subtract(low, picture).max())) <= MOST_LEVELS

    return like(one, other) and like(other, one)


@pytest.mark.nightly
@pytest.mark.parametrize(("mat", "paper"), one_in(3, PRINTS))
def test_sheets_put_together_are_the_whole_mat(mat: Mat, paper: Paper) -> None:
    whole, sheets = grey_pages(mat_pdf(mat), PX_PER_MM)[0], put_together(mat, paper)
    assert whole.shape == sheets.shape
    there, here = (without_sheet_markers(picture, mat, paper) for picture in (whole, sheets))
    assert same_within_a_tenth_of_a_millimetre(there, here)


def test_control_a_mat_two_tenths_of_a_millimetre_off_is_not_the_same() -> None:
    whole = grey_pages(mat_pdf(MAT), PX_PER_MM)[0]
    assert not same_within_a_tenth_of_a_millimetre(whole, np.roll(whole, 2, axis=1))


@pytest.mark.parametrize(("mat", "paper"), one_in(2, PRINTS))
def test_a_cut_and_laid_print_has_every_marker_in_its_place(mat: Mat, paper: Paper) -> None:
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    coarse, around = 0.2, 8
    laid = cv2.resize(put_together(mat, paper), None, fx=coarse, fy=coarse, interpolation=cv2.INTER_AREA)
    corners, numbers, _ = detector.detectMarkers(cv2.copyMakeBorder(laid, around, around, around, around, cv2.BORDER_CONSTANT, value=(60,)))
    middles = {int(number): np.asarray(at).reshape(4, 2).mean(axis=0) for number, at in zip(numbers.ravel(), corners, strict=True)}
    wanted = {marker.number: marker for sheet in sheet_layout(mat, paper).sheets for marker in sheet.all_markers}
    assert sorted(middles) == sorted(wanted)
    for number, marker in wanted.items():
        seen_mm = (middles[number] + 0.5 - around) / (PX_PER_MM * coarse) - mat.half_side_mm
        assert seen_mm == pytest.approx((marker.x_mm, marker.y_mm), abs=0.5)


@pytest.mark.parametrize("paper", list(Paper))
def test_each_page_has_a_ruler_of_100_mm_beside_what_is_kept(paper: Paper) -> None:
    for page in grey_pages(sheets_pdf(MAT, paper), PX_PER_MM)[1:]:
        dark = page[: px(TOP_MM - 1)] < 128
        longest = max(_longest_run(row) for row in dark)
        assert longest == pytest.approx(RULER_MM * PX_PER_MM, abs=4)


def _longest_run(row: NDArray[np.bool_]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
    return int((edges[1::2] - edges[::2]).max(initial=0))


@pytest.mark.parametrize(("mat", "paper"), PRINTS)
def test_sheets_fit_on_their_paper_and_cover_the_mat_once(mat: Mat, paper: Paper) -> None:
    layout = sheet_layout(mat, paper)
    assert sum(sheet.width_mm * sheet.height_mm for sheet in layout.sheets) == pytest.approx((2 * mat.half_side_mm) ** 2)
    for sheet in layout.sheets:
        assert LEFT_MM + sheet.width_mm + 8 + 6 <= layout.page_width_mm
        assert TOP_MM + sheet.height_mm + 8 + 6 <= layout.page_height_mm
    for one, other in combinations(layout.sheets, 2):
        assert not (_meet(one, other, "left_mm", "right_mm") and _meet(one, other, "top_mm", "bottom_mm"))


def _meet(one: MatSheet, other: MatSheet, low: str, high: str) -> bool:
    return bool(getattr(one, low) < getattr(other, high) and getattr(other, low) < getattr(one, high))


@pytest.mark.parametrize(("mat", "paper"), PRINTS)
def test_a_sheets_markers_lie_on_it_and_on_no_slot(mat: Mat, paper: Paper) -> None:
    spots = [mat.spot(slot) for slot in mat.all_slots()]
    for sheet in sheet_layout(mat, paper).sheets:
        for marker in sheet.markers:
            half = marker.bordered_mm / 2
            assert sheet.left_mm < marker.x_mm - half and marker.x_mm + half < sheet.right_mm
            assert sheet.top_mm < marker.y_mm - half and marker.y_mm + half < sheet.bottom_mm
            for spot in spots:
                away = max(abs(spot.x_mm - marker.x_mm), abs(spot.y_mm - marker.y_mm))
                assert away > half + mat.tile_height_mm / 2, (marker, spot)


def test_numbers_of_markers_tell_the_paper() -> None:
    numbers = {paper: {one.number for sheet in sheet_layout(MAT, paper).sheets for one in sheet.markers} for paper in Paper}
    assert not numbers[Paper.A3] & numbers[Paper.A4]
    assert all(paper.is_of(number) for paper, some in numbers.items() for number in some)
    assert max(max(some) for some in numbers.values()) < COUNT


def test_a_marker_is_that_of_opencvs_dictionary() -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number in range(COUNT):
        drawn = np.zeros((6, 6), np.uint8)
        for row, column in white_cells(number):
            drawn[row, column] = 255
        assert (drawn == cv2.aruco.generateImageMarker(dictionary, number, 6)).all(), number


def test_a_marker_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no marker 50"):
        white_cells(50)
    assert PrintedMarker(0, 0, 0, 44).bordered_mm == pytest.approx(58.67, abs=0.01)


def test_a_mat_too_large_for_the_paper_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 12 sheets"):
        sheet_layout(Mat(half_side_mm=600.0), Paper.A4)


@pytest.mark.parametrize(("table", "number"), [("1", 1), (str(MOST), MOST), (str(MOST + 1), None), ("01", None), ("A1", None), ("", None)])
def test_a_mat_tells_the_number_of_its_table_where_that_is_a_name_marker(table: str, number: int | None) -> None:
    assert printed_number(Mat(table=table)) == number


def test_a_table_name_of_more_digits_than_python_reads_is_no_number() -> None:
    mat = Mat(table="9" * (sys.get_int_max_str_digits() + 1))
    assert printed_number(mat) is None
    assert "tables 1 to 1023 alone" in why_unnamed(mat)
