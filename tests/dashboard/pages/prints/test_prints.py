"""Prints: PDF files that have every name right, QR codes that a phone reads; and the press, one file at a time and none twice."""

import json
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dashboard.i18n.words import Words
from dashboard.prints.press import KEPT_BYTES, PrintError, PrintPress, run_writer
from dashboard.prints.results_file import lines_of
from dashboard.prints.sheets import ledger_marks
from dashboard.prints.slips import MM_A_POINT, SLIP_WIDTH_MM, fitted_name, slip_form
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.printed import codes_in, pictures_of, right_edges_of, text_of
from tests.support.dashboard.tables.tables_in_play import seat_address
from tests.support.dashboard.two_sessions import TEAMS
from tests.support.event.managed import INDIVIDUAL, PREPARED, TABLES
from tests.support.tiers import some
from tests.support.wire.streams import START, public_events
from twinwall.event.hands import HandSummary
from twinwall.event.management.changes import TablesChosen
from twinwall.wire.messages.assignment import TableKind

NAMES = {"1": "李娜", "2": "鈴木 一郎", "3": "Müller-Lüdenscheidt", "4": "x" * 80}


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    names = tmp_path_factory.mktemp("names") / "names.json"
    players = ", ".join(f'"{number}": "{name}"' for number, name in NAMES.items())
    names.write_text(f'{{"format": "twinwall-names-1", "players": {{{players}}}}}', encoding="utf-8")
    hall = Hall(settings=replace(OPEN, names=names))
    hall.manage(*PREPARED)
    hall.log_in()
    return hall


@pytest.fixture(scope="module")
def seating(hall: Hall) -> bytes:
    answer = hall.client.get("/print/seating/1.pdf")
    assert answer.mimetype == "application/pdf"
    content: bytes = answer.data
    return content


def test_seating_slips_have_every_player_with_table_and_wind_and_no_letter_of_a_long_name_is_cut(seating: bytes) -> None:
    must_say(unicodedata.normalize("NFKC", text_of(seating)), "李娜", "鈴木", "Müller-Lüdenscheidt", "16", "East")
    edges = [edge for page in right_edges_of(seating, "x") for edge in page]
    assert len(edges) == 80
    assert max(edges) <= 210 - 6


@pytest.mark.parametrize(("language", "wind"), some([("ja", "東"), ("zh-Hans", "东")], 1))
def test_seating_slips_name_the_winds_in_the_language_of_the_page(hall: Hall, language: str, wind: str) -> None:
    client = hall.new_client()
    hall.log_in(client=client)
    client.get(f"/?lang={language}")
    assert wind in unicodedata.normalize("NFKC", text_of(client.get("/print/seating/1.pdf").data))


def test_a_table_card_has_a_code_for_each_seat_that_a_phone_reads_and_names_the_winds_in_english_too(hall: Hall) -> None:
    content = hall.client.get("/print/tables.pdf").data
    pages = pictures_of(content)
    assert len(pages) == 4
    assert codes_in(pages[1]) == {f"http://localhost{seat_address(place, '2')}" for place in range(4)}
    text = unicodedata.normalize("NFKC", text_of(content))
    assert all(wind in text for wind in ("東 East", "南 South", "西 West", "北 North"))


@pytest.mark.parametrize(("path", "said"), [("seating/2", "Session 2 is not seated yet."), ("standings", "No deal has been released yet.")])
def test_without_seats_or_a_released_deal_there_is_a_sentence_and_no_file(hall: Hall, path: str, said: str) -> None:
    answer = hall.client.get(f"/print/{path}.pdf")
    assert (answer.status_code, said in answer.text) == (404, True)


@pytest.mark.parametrize(("address", "warned"), [(None, True), ("http://127.0.0.1:8080", True), ("https://hall.example", False)])
def test_codes_that_no_phone_can_open_are_named_before_they_are_printed(address: str | None, warned: bool) -> None:
    hall = Hall(settings=replace(OPEN, address=address))
    hall.manage(*PREPARED)
    hall.log_in()
    prints = hall.client.get("/event/prints").text
    for page in (prints, hall.submit("/staff", {"do": "invite", "name": "Ref", "role": "referee", "seen": "0"}).text):
        assert ("--host 192.168.1.20" in page) is warned


@pytest.mark.nightly
def test_score_slips_have_each_hand_of_each_table_with_the_names_by_wind_of_which_no_letter_is_cut(hall: Hall) -> None:
    scores = hall.client.get("/print/scores/1.pdf").data
    pages = unicodedata.normalize("NFKC", text_of(scores)).split("Table 1")
    assert len(pages) == 1 + 16
    first, second = pages[1:3]
    assert [line.strip() for line in first.splitlines() if line[:1] in "東南西北"][:2] == ["東 李娜", "南 鈴木 一郎"]
    assert [line.strip() for line in second.splitlines() if line[:1] in "東南西北"][:1] == ["東 鈴木 一郎"]
    assert [line.strip() for line in second.splitlines() if line[:2] in ("西 ", "北 ")][1:] == ["北 李娜"]
    edges = right_edges_of(scores, "x")[0]
    middle, column = 6 + SLIP_WIDTH_MM, 43.0
    assert len(edges) == 8 * 80
    assert max(edge for edge in edges if edge < middle) <= 6 + column
    assert max(edges) <= middle + column


def test_a_session_of_four_hands_has_four_slips_at_each_table() -> None:
    hall = Hall(settings=OPEN)
    hall.manage(structs.replace(INDIVIDUAL, hands=4), *PREPARED[1:])
    hall.log_in()
    text = unicodedata.normalize("NFKC", text_of(hall.client.get("/print/scores/1.pdf").data))
    assert [text.count(f"Table {table}") for table in TABLES] == [4] * 4
    assert "E4" in text
    assert "S1" not in text


@pytest.mark.parametrize(("rules", "words"), [("mcr-duplicate", ["Fan"]), ("sichuan", ["Fan ×", "Kongs"]), ("seigo", ["Han", "Fu"])])
def test_a_score_slip_asks_what_the_rule_set_counts(rules: str, words: list[str]) -> None:
    _, form = slip_form(rules, Words("en"))
    assert str(form["labels"]).split("\t") == ["Won", "From", *words, "Score ±"]


@pytest.fixture
def held(played: Hall) -> Iterator[Hall]:
    programme = played.desk.hall.programme
    played.desk.hall.set_programme(replace(programme, held_sessions=(2,)))
    yield played
    played.desk.hall.set_programme(programme)


@pytest.mark.nightly
def test_papers_have_the_standings_of_the_event_and_each_session_and_a_record_of_each_released_deal(played: Hall) -> None:
    text = text_of(played.client.get("/print/standings.pdf").data)
    assert "Whole event" in text
    assert [text.count(team) for team in TEAMS] == [3, 3, 3, 3]
    assert "Session 2" in text
    assert "Whole event" not in text_of(played.client.get("/print/standings.pdf?session=1").data)
    assert len(pictures_of(played.client.get("/print/deals.pdf").data, 0.2)) == 2
    second = text_of(played.client.get("/print/deals.pdf?session=2").data)
    assert "Deal 2" in second
    assert "Deal 1" not in second
    assert played.client.get("/print/deal/3.pdf").status_code == 404


def test_all_results_are_one_file_of_paper_a_table_and_a_document(played: Hall) -> None:
    text = text_of(played.client.get("/results.pdf").data)
    assert [text.count(team) for team in TEAMS] == [5, 5, 5, 5], "in the event, in each session, and in each deal"
    rows = played.client.get("/results.csv").text.splitlines()
    assert rows[0] == "deal,table,seat,score,team,group,session"
    assert len(rows) == 1 + 2 * 4 * 4
    document = json.loads(played.client.get("/results.json").data)
    assert [deal["deal"] for deal in document["deals"]] == [1, 2]
    assert {each["entrant"] for each in document["standings"]["event"]} == set(TEAMS)


def test_the_page_of_prints_lists_every_print_that_there_is(hall: Hall) -> None:
    page = hall.client.get("/event/prints").text
    for path in ("/print/tables.pdf", "/print/seating/1.pdf", "/print/scores/1.pdf"):
        assert f'href="{path}"' in page, path
    assert "/print/standings.pdf" not in page
    assert hall.app.test_client().get("/event/prints").status_code == 302


def test_the_page_of_prints_says_how_the_sheets_of_tables_without_a_camera_are_printed() -> None:
    hall = Hall(settings=OPEN)
    hall.log_in()
    hall.manage(*PREPARED[:-2])
    for kinds in ({}, {"3": TableKind.PAPER, "4": TableKind.GUIDED}):
        hall.manage(TablesChosen(TABLES, kinds))
        hall.manage(PREPARED[-1])
        page = hall.client.get("/event/prints").text
        assert ("Building sheets" in page) is bool(kinds)
    assert "twinwall vault sheets 3 --settings vault.toml --session 1 --language en --printer NAME" in page
    assert "vault sheets 4" not in page


@pytest.mark.parametrize(("size", "asked", "made"), [(1, "aba", "ab"), (KEPT_BYTES // 2, "abca", "abca")])
def test_a_page_that_was_printed_is_not_printed_again_unless_files_are_too_large_together(size: int, asked: str, made: str) -> None:
    printed: list[str] = []

    def write(html: str) -> bytes:
        printed.append(html)
        return html.encode() * size

    press = PrintPress(write)
    assert [press.pdf(page) for page in asked] == [page.encode() * size for page in asked]
    assert printed == list(made)


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


@pytest.mark.parametrize(
    ("name", "width_mm", "lines"),
    [
        ("李娜", 30, ("李娜",)),
        ("Anna-Maria Hohenlohe", 30, ("Anna-Maria", "Hohenlohe")),
        ("Müller-Lüdenscheidt", 25, ("Müller-", "Lüdenscheidt")),
        ("x" * 30, 30, ("x" * 16, "x" * 14)),
    ],
)
def test_a_name_is_broken_where_its_parts_meet_and_a_long_word_anywhere(name: str, width_mm: float, lines: tuple[str, ...]) -> None:
    fitted = fitted_name(name, width_mm, 8, SIZES)
    assert fitted.lines == lines
    assert len(lines) > 1 or (fitted.size_pt, fitted.line_mm) == (11.0, 8)


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Z")), max_size=80), st.floats(15, 90))
def test_no_character_of_a_name_is_lost_and_wide_ones_fit(name: str, width_mm: float) -> None:
    fitted = fitted_name(name, width_mm, 8, SIZES)
    assert "".join(fitted.lines) == name
    assert fitted.line_mm >= 1.05 * fitted.size_pt * MM_A_POINT or fitted.size_pt < SIZES[-1][1]
    assert all(len([each for each in line if each == "W"]) * 1.1 * fitted.size_pt * MM_A_POINT <= width_mm + 1e-6 for line in fitted.lines)


LONG = "Wolfeschlegelsteinhausenbergerdorff Müller"


def test_a_long_name_goes_on_below_in_its_own_column_and_nothing_of_it_is_cut() -> None:
    rows = [line.split("\t") for line in lines_of(["7 Drawn hand", *(f"{name} +16 (+3)" for name in ("Ito", LONG, "Kim", "Ng"))])]
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
