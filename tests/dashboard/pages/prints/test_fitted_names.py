"""Names fitted into a box on paper: nothing of them is left out, and short ones stay large."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dashboard.prints.fitted_names import MM_A_POINT, fitted_name

SIZES = ((1, 11.0), (2, 8.0), (4, 4.6))


def test_a_short_name_has_one_line_of_the_largest_size() -> None:
    fitted = fitted_name("李娜", 30, 8, SIZES)
    assert (fitted.lines, fitted.size_pt, fitted.line_mm) == (("李娜",), 11.0, 8)


def test_a_longer_name_is_broken_where_its_parts_meet() -> None:
    assert fitted_name("Anna-Maria Hohenlohe", 30, 8, SIZES).lines == ("Anna-Maria", "Hohenlohe")
    assert fitted_name("Müller-Lüdenscheidt", 25, 8, SIZES).lines == ("Müller-", "Lüdenscheidt")


def test_a_long_word_is_broken_anywhere() -> None:
    assert fitted_name("x" * 30, 30, 8, SIZES).lines == ("x" * 16, "x" * 14)


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Z")), max_size=80), st.floats(15, 90))
def test_no_character_of_a_name_is_lost_and_wide_ones_fit(name: str, width_mm: float) -> None:
    fitted = fitted_name(name, width_mm, 8, SIZES)
    assert "".join(fitted.lines) == name
    assert fitted.line_mm >= 1.05 * fitted.size_pt * MM_A_POINT or fitted.size_pt < SIZES[-1][1]
    assert all(len([each for each in line if each == "W"]) * 1.1 * fitted.size_pt * MM_A_POINT <= width_mm + 1e-6 for line in fitted.lines)
