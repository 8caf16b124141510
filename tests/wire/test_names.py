"""Numbers as people type them."""

from __future__ import annotations

import pytest

from twinwall.wire.names import whole_number


@pytest.mark.parametrize(
    ("typed", "number"),
    [(" 12", 12), ("１２", 12), ("१२", 12), ("＋３", 3), ("\N{MINUS SIGN}3", -3), ("²", None), ("①", None), ("1½", None), ("Ⅳ", None)],
)
def test_digits_of_any_script_are_a_number_and_raised_or_circled_ones_are_none(typed: str, number: int | None) -> None:
    assert whole_number(typed) == number
