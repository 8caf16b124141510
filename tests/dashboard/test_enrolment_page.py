"""The page that asks which tile a doubtful picture shows: one after the other, each answered once, in three languages."""

import re
import threading
import urllib.parse
import urllib.request

import pytest
from flask.testing import FlaskClient

from dashboard.enrolment_page import TileQuestion, TileQuestions, create_enrolment
from tests.support.patience import PATIENCE_S
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.web.http_server import HttpServer

PNG = b"\x89PNG not looked at here"


def some(count: int = 2) -> TileQuestions:
    return TileQuestions([TileQuestion(f"tile {number}", PNG, (Tile.P6, Tile.P7, Tile.S1)) for number in range(count)])


def client(questions: TileQuestions) -> FlaskClient:
    return create_enrolment(questions, "secret").test_client()


def test_each_picture_is_shown_with_its_candidates_all_kinds_and_a_way_out() -> None:
    page = client(some()).get("/secret/").get_data(as_text=True)
    assert "1 of 2" in page
    values = re.findall(r'name="tile" value="([^"]+)"', page)
    assert values[:3] == ["6p", "7p", "1s"]
    assert values[-1] == "-"
    assert {tile.text for tile in ALL_TILES} <= set(values)
    assert re.findall(r'data-key="([^"]+)"', page) == ["1", "2", "3", "-"]


def test_answers_come_in_order_and_a_press_that_comes_twice_counts_once() -> None:
    questions = some(3)
    asked = client(questions)
    for number, said in ((0, "7p"), (0, "7p"), (1, "-"), (2, "E")):
        assert asked.post(f"/secret/{number}", data={"tile": said}).status_code == 303
    assert questions.wait(0) == [Tile.P7, None, Tile.EAST]
    assert "being written" in asked.get("/secret/").get_data(as_text=True)


def test_what_is_no_tile_is_no_answer() -> None:
    questions = some()
    for said in ("", "6x", "66p"):
        assert client(questions).post("/secret/0", data={"tile": said}).status_code == 400
    assert questions.open == 0


def test_questions_without_an_answer_are_left_out_when_nobody_waits_longer() -> None:
    questions = some(3)
    questions.answer(0, Tile.P6)
    assert questions.wait(0.01) == [Tile.P6, None, None]
    assert TileQuestions([]).wait() == []


@pytest.mark.parametrize("path", ["/", "/other/", "/other/picture/0.png", "/secret/picture/7.png"])
def test_nothing_is_shown_without_the_address_that_was_told(path: str) -> None:
    assert client(some()).get(path).status_code == 404


def test_a_page_elsewhere_cannot_ask_in_our_name() -> None:
    assert client(some()).get("/secret/", headers={"Host": "evil.example"}).status_code == 400


def test_the_pictures_are_not_kept_by_browsers_and_scripts_come_from_here_alone() -> None:
    answer = client(some()).get("/secret/picture/0.png")
    assert answer.data == PNG
    assert answer.headers["Cache-Control"] == "no-store"
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(("language", "words"), [("ja", "この牌は何ですか"), ("zh-Hans", "这是哪张牌")])
def test_the_page_speaks_the_languages_of_the_pages(language: str, words: str) -> None:
    asked = client(some())
    page = asked.get(f"/secret/?lang={language}").get_data(as_text=True)
    assert words in page
    assert f'<html lang="{language}">' in page
    after = asked.post(f"/secret/0?lang={language}", data={"tile": "6p"})
    assert after.headers["Location"].endswith(f"?lang={language}")


def test_the_page_is_served_on_loopback() -> None:
    questions = some(1)
    server = HttpServer(create_enrolment(questions, "secret"), 0)
    server.start()
    page = f"{server.url}/secret/"
    with urllib.request.urlopen(page, timeout=PATIENCE_S) as answer:
        assert answer.status == 200
    fields = urllib.parse.urlencode({"tile": "6p"}).encode()
    answered = threading.Thread(target=lambda: urllib.request.urlopen(f"{page}0", fields, timeout=PATIENCE_S).close())
    answered.start()
    assert questions.wait(PATIENCE_S) == [Tile.P6]
    answered.join()
    server.stop()
