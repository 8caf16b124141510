"""The lines of a deal in the file of all results."""

from __future__ import annotations

from dashboard.prints.deal_sheets import SheetPlay, SheetSeat
from dashboard.prints.results_file import play_lines

LONG = "Wolfeschlegelsteinhausenbergerdorff Müller"


def play(*names: str) -> SheetPlay:
    seats = tuple(SheetSeat(wind, name, "+16", "+3", (), ()) for wind, name in zip("東南西北", names, strict=True))
    return SheetPlay("7", "Drawn hand", "", seats, (), ())


def test_a_table_is_a_line_with_a_part_for_each_seat() -> None:
    assert list(play_lines(play("Ito", "李娜", "Kim", "Ng"))) == ["7 Drawn hand\tIto +16 (+3)\t李娜 +16 (+3)\tKim +16 (+3)\tNg +16 (+3)"]


def test_a_long_name_goes_on_below_in_its_own_column_and_nothing_of_it_is_cut() -> None:
    rows = [line.split("\t") for line in play_lines(play("Ito", LONG, "Kim", "Ng"))]
    assert len(rows) > 1
    assert {len(row) for row in rows} == {5}
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    assert columns[1] == "Ito +16 (+3)"
    assert columns[2].replace(" ", "") == f"{LONG} +16 (+3)".replace(" ", "")
