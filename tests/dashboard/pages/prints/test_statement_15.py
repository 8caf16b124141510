"""Statement 15 of the acceptance list, as far as paper: names, digits, tiles and QR codes of the prints are right.

That the verify page re-makes a deal from its slip is in ``tests/verify_page``.
"""

import json
import re
import unicodedata
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import cv2
import numpy as np
import pypdfium2
import pytest
from markupsafe import Markup
from numpy.typing import NDArray

from dashboard.access.shown_names import HandOfPlayer, PlayerCard
from dashboard.i18n.words import Words
from dashboard.prints.paper import STYLE
from dashboard.prints.pdf_writer import write_pdf
from dashboard.prints.results_file import hands_of_card
from dashboard.prints.sheets import sheet_group
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.printed import codes_in, pictures_of, text_of
from tests.support.event.stored_event import STARTED
from tests.support.tiers import one_in, pairs, some
from tests.support.wire.streams import public_events
from twinwall.art.designs import CLASSIC
from twinwall.art.names import Language
from twinwall.art.raster import raster
from twinwall.event.comparison import RankedDeals, Standing
from twinwall.event.points import Gain, Points
from twinwall.game.tiles import ALL_TILES, COPIES, SEATS, Tile

NAMES = {"1": "李娜", "2": "鈴木 一郎", "3": "Müller"}
SCALE = 4.0
"""Pixels of a rendered page for each point."""
WALL_TILE_MM = 6.7
WALLS = slice(0, 620), slice(175, None)
"""Where the walls stand in the page's picture, without the winds beside them."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    """Four tables that have played the example deal; its players are named by number."""
    names = tmp_path_factory.mktemp("names") / "names.json"
    names.write_text(json.dumps({"format": "twinwall-names-1", "players": NAMES}), encoding="utf-8")
    hall = Hall(desk=MemoryDesk(teams_of_four()), settings=replace(OPEN, names=names))
    for table in "1234":
        numbered = dict(zip("ESWN", NAMES | {"4": "吴敏"}, strict=True))
        script = [(kind, {**fields, "seats": numbered} if "seats" in fields else fields) for kind, fields in closed_hand(table)]
        hall.feed(script, table)
    hall.release()
    hall.log_in()
    return hall


@pytest.fixture(scope="module")
def record(hall: Hall) -> bytes:
    content: bytes = hall.client.get("/print/deal/1.pdf").data
    return content


def tiles_in(picture: NDArray[np.uint8]) -> Counter[Tile]:
    """The tiles of the height of a wall's tile that stand in a picture, each read as the face that fits best."""
    height = round(WALL_TILE_MM / 25.4 * 72 * SCALE)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    maps = []
    for kind in ALL_TILES:
        face = cv2.resize(np.ascontiguousarray(raster(CLASSIC, kind, 128)[:, :, 2::-1]), (round(height * 0.75), height))
        inner = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY)[4:-4, 4:-4]
        maps.append(cv2.matchTemplate(grey, inner, cv2.TM_CCOEFF_NORMED))
    best, fits = np.max(maps, axis=0), np.argmax(maps, axis=0)
    found = Counter[Tile]()
    while best.max() > 0.75:
        y, x = np.unravel_index(int(best.argmax()), best.shape)
        found[ALL_TILES[int(fits[y, x])]] += 1
        best[max(y - height // 2, 0) : y + height // 2, max(x - height // 3, 0) : x + height // 3] = 0
    return found


def test_statement_15_a_hand_record_has_names_and_digits_right(record: bytes) -> None:
    text = unicodedata.normalize("NFKC", text_of(record))
    for name in NAMES.values():
        assert text.count(name) == 4, name
    must_say(text, "+75", "−32", "10.75", "−24.25", "+107", "+16", "−10", "−14")


def test_statement_15_a_hand_record_shows_all_tiles_of_the_walls(record: bytes) -> None:
    assert tiles_in(np.full((400, 900, 3), 255, np.uint8)) == {}, "the control: a page without tiles shows none"
    assert tiles_in(pictures_of(record, SCALE)[0][WALLS]) == dict.fromkeys(ALL_TILES, COPIES)


def test_statement_15_a_verification_sheet_has_a_start_code_that_a_phone_reads() -> None:
    desk = MemoryDesk()
    desk.hall.set_programme(replace(desk.hall.programme, event=STARTED.plan.event, custody=STARTED))
    sheet = Hall(desk=desk, settings=OPEN).client.get("/print/verification.pdf").data
    assert codes_in(pictures_of(sheet)[0]) == {STARTED.start.words}
    text = text_of(sheet)
    assert all(group in text for group in STARTED.start.words.split("-"))
    assert STARTED.start.root.hex()[:8] in text
    assert text.count("Its slip is released when every table has finished it.") == len(STARTED.plan.deals)


def test_a_verification_sheet_has_the_line_with_which_each_table_closed_its_last_released_hand() -> None:
    desk = MemoryDesk(teams_of_four())
    desk.hall.set_programme(replace(desk.hall.programme, event=STARTED.plan.event, custody=STARTED))
    hall = Hall(desk=desk, settings=OPEN)
    for table in "12":
        hall.feed(closed_hand(table), table)
    sealed = text_of(hall.client.get("/print/verification.pdf").data)
    hall.release()
    text = text_of(hall.client.get("/print/verification.pdf").data)
    for table in "12":
        closed = [event for event in public_events(list(closed_hand(table)), table) if event.type == "hand-closed"][-1].position
        assert closed.digest[:8] in text and closed.digest[:8] not in sealed
        assert f"{closed.seq}" in text


MARGIN_MM, DEALS_FROM_MM = 12.0, 12.0 + 63.0
THIRDS = [Fraction(26, 3), Fraction(-31, 3), Fraction(0), Fraction(-5, 3), Fraction(44, 3)]
HALVES = [Fraction(13, 2), Fraction(-4), Fraction(-21, 2), Fraction(8), Fraction(0)]
WHOLE = [Fraction(won) for won in (24, -3, 0, 7, -12)]
RANKS = [Fraction(4), Fraction(5, 2), Fraction(1), Fraction(12), Fraction(21, 2)]

PAGE = """{% extends "prints/paper.html" %}{% from "prints/macros.html" import group_table, hands_of %}
{% block content %}BODY{% endblock %}"""


def printed(body: str, words: Words, **values: object) -> bytes:
    """The file of a template's body in the style of the prints."""
    page = PAGE.replace("BODY", body)
    style = Markup(STYLE.read_text(encoding="utf-8"))
    html: str = Hall(settings=OPEN).app.jinja_env.from_string(page).render(words=words, style=style, **values)
    return write_pdf(html)


def ends_of(content: bytes, pattern: str, from_mm: float = MARGIN_MM) -> list[list[float]]:
    """By line, where each match of the pattern right of ``from_mm`` ends, in mm from the left edge; without the page's number."""
    return [[end for _, end in line] for line in found_in(content, pattern, from_mm)]


def begins_of(content: bytes, pattern: str) -> list[list[float]]:
    """By line, where each match of the pattern begins, in mm from the left edge."""
    return [[begin for begin, _ in line] for line in found_in(content, pattern, MARGIN_MM)]


def found_in(content: bytes, pattern: str, from_mm: float) -> list[list[tuple[float, float]]]:
    """By line, where each match of the pattern right of ``from_mm`` begins and ends."""
    lines: dict[int, list[tuple[float, float]]] = {}
    document = pypdfium2.PdfDocument(content)
    try:
        page = next(iter(document)).get_textpage()
        letters = [page.get_text_range(place, 1) or " " for place in range(page.count_chars())]
        for found in re.finditer(pattern, "".join(letters)):
            left, bottom, _, _ = page.get_charbox(found.start())
            if left * 25.4 / 72 >= from_mm and bottom * 25.4 / 72 > MARGIN_MM:
                near = next((at for at in lines if abs(at - bottom) <= 4), round(bottom))
                lines.setdefault(near, []).append((left * 25.4 / 72, page.get_charbox(found.end() - 1)[2] * 25.4 / 72))
    finally:
        document.close()
    return [sorted(lines[at]) for at in sorted(lines, reverse=True)]


@pytest.mark.parametrize("language", some(["ja", "en"], 1))
@pytest.mark.parametrize(
    ("won", "plus", "deals"),
    [(*how, deals) for how, deals in pairs([(THIRDS, True), (HALVES, True), (WHOLE, True), (RANKS, False)], [20, 16, 4])],
)
def test_what_a_deal_brought_stands_below_its_name_on_the_paper(won: list[Fraction], plus: bool, deals: int, language: Language) -> None:
    teams = ["Aoi", "Bai", "Chun"]
    gains = [(n, tuple(Gain(team, won[(n + at) % len(won)], Fraction(0)) for at, team in enumerate(teams))) for n in range(1, deals + 1)]
    group = RankedDeals("A", tuple(gains), tuple(Standing(team, 1, Fraction(0)) for team in teams))
    words = Words(language)
    sheet = sheet_group(group, {n: words.hand(n) for n in range(1, deals + 1)}, plus)
    content = printed("{{ group_table(group, {'several': False, 'column': 'team'}, words) }}", words, group=sheet)
    lines = ends_of(content, r"[+−]?\d+(?:\.\d+)?(?!\d)", DEALS_FROM_MM)
    broken = len(lines) // (1 + len(teams))
    assert len(lines) == broken * (1 + len(teams))
    for part in range(broken):
        names, *figures = lines[part::broken]
        assert [len(line) for line in figures] == [len(names)] * len(teams)
        for column in zip(names, *figures, strict=True):
            assert max(column) - min(column) < 1.2
    assert sum(map(len, lines[:broken])) == deals
    assert max(map(max, lines)) <= 210 - MARGIN_MM


@pytest.mark.nightly
@pytest.mark.parametrize("points", one_in(3, [Fraction(11), Fraction(74, 3), Fraction(-12_345_678, 100)]))
@pytest.mark.parametrize("score", [-4_800, 100_000, -12_500_000])
def test_a_card_has_long_figures_below_their_titles(score: int, points: Fraction) -> None:
    hands = tuple(HandOfPlayer(n, session, 1, "7", SEATS[0], score, points) for n, session in enumerate((1, 2, 3, 4), start=1))
    lines = tuple(hands_of_card(PlayerCard("1", "Aoi", "", False, (), hands, None, None), Points.IMP, Words("en")))
    template = '<section class="card-of">{{ hands_of(card) }}</section>'
    content = printed(template, Words("en"), card={"hands": lines})
    titles, figures = begins_of(content, r"Score|IMP"), begins_of(content, r"[+−][0-9.]+")
    assert sum(map(len, titles)) == 8
    for under, title in zip(figures, titles, strict=True):
        assert under == pytest.approx(title, abs=1.2)
    assert max(map(max, ends_of(content, r"[+−][0-9.]+"))) <= 210 - MARGIN_MM
