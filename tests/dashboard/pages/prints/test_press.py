"""The press: one file at a time, none twice, and a sentence where nothing can be printed; and pieces of sheets."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.prints.deal_sheets import SheetPlay, SheetSeat
from dashboard.prints.fitted_names import MM_A_POINT, fitted_name
from dashboard.prints.press import KEPT_BYTES, PrintError, PrintPress, run_writer
from dashboard.prints.results_file import play_lines
from dashboard.prints.verification import ledger_marks
from tests.support.dashboard.example import closed_hand
from tests.support.wire.streams import START, public_events
from twinwall.event.hands import HandSummary


def test_a_page_that_was_printed_is_not_printed_again() -> None:
    printed: list[str] = []

    def write(html: str) -> bytes:
        printed.append(html)
        return html.encode()

    press = PrintPress(write)
    assert [press.pdf("a"), press.pdf("b"), press.pdf("a")] == [b"a", b"b", b"a"]
    assert printed == ["a", "b"]


def test_the_oldest_files_are_forgotten_when_they_are_too_large_together() -> None:
    printed: list[str] = []

    def write(html: str) -> bytes:
        printed.append(html)
        return bytes(KEPT_BYTES // 2)

    press = PrintPress(write)
    for page in "abca":
        press.pdf(page)
    assert printed == ["a", "b", "c", "a"]


def test_who_waits_too_long_for_another_print_is_told_to_try_again() -> None:
    printing, done = threading.Event(), threading.Event()

    def write(_html: str) -> bytes:
        printing.set()
        done.wait()
        return b""

    press = PrintPress(write, patience_s=0.0)
    other = threading.Thread(target=press.pdf, args=("long",))
    other.start()
    printing.wait()
    with pytest.raises(PrintError) as refused:
        press.pdf("short")
    assert refused.value.key == "print.busy"
    done.set()
    other.join()
    assert press.pdf("short") == b""


def test_a_print_that_fails_keeps_nobody_else_waiting() -> None:
    def write(html: str) -> bytes:
        if html == "bad":
            raise PrintError("print.failed", "in the test")
        return b"good"

    press = PrintPress(write, patience_s=0.0)
    with pytest.raises(PrintError):
        press.pdf("bad")
    assert press.pdf("good") == b"good"


def test_a_page_that_names_a_picture_elsewhere_fails_and_nothing_is_fetched() -> None:
    with pytest.raises(PrintError) as refused:
        run_writer('<img src="http://127.0.0.1:1/picture.png">')
    assert refused.value.key == "print.failed"
    assert "127.0.0.1" in str(refused.value)


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


LONG = "Wolfeschlegelsteinhausenbergerdorff Müller"


def play(*names: str) -> SheetPlay:
    seats = tuple(SheetSeat(wind, name, "+16", "+3", (), ()) for wind, name in zip("東南西北", names, strict=True))
    return SheetPlay("7", "Drawn hand", "", seats, [], ())


def test_a_long_name_goes_on_below_in_its_own_column_and_nothing_of_it_is_cut() -> None:
    rows = [line.split("\t") for line in play_lines(play("Ito", LONG, "Kim", "Ng"))]
    assert len(rows) > 1
    assert {len(row) for row in rows} == {5}
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    assert columns[1] == "Ito +16 (+3)"
    assert columns[2].replace(" ", "") == f"{LONG} +16 (+3)".replace(" ", "")


def hand(table: str, journal: str) -> HandSummary:
    events = tuple(public_events(list(closed_hand("1")), table, journal))
    return HandSummary(table, 1, 1, 1, "mcr-duplicate", {}, "", {}, {}, START, events=events)


def test_the_journals_of_a_table_are_told_apart_and_tables_stand_in_their_order() -> None:
    marks = ledger_marks([hand("10", "a0" * 16), hand("2", "c1" * 16), hand("2", "b2" * 16)])
    assert [(table, mark.journal) for table, mark in marks] == [("2", "c1" * 4), ("2", "b2" * 4), ("10", "a0" * 4)]


def test_a_mark_names_the_line_with_which_the_hand_was_closed() -> None:
    closed = [event for event in hand("2", "c1" * 16).events if event.type == "hand-closed"][-1].position
    ((_table, mark),) = ledger_marks([hand("2", "c1" * 16)])
    assert (mark.seq, mark.digest.replace(" ", "")) == (closed.seq, closed.digest)
