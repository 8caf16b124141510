"""PDF pages of true size, read back as far as this file writes them."""

import re

import pytest

from twinwall.art.pdf import Page, PdfLine, Rectangle, Text, pdf


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
