"""The page that asks which tile a doubtful picture shows: one after the other, each answered once, in three languages."""

import re
import urllib.parse
import urllib.request

import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard.enrolment_page import TileQuestion, create_enrolment
from tests.support.patience import PATIENCE_S
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.web.loopback_server import HttpServer

PNG = b"\x89PNG not looked at here"


def page_of(answers: list[Tile | None], count: int) -> Flask:
    questions = [TileQuestion(f"tile {number}", PNG, (Tile.P6, Tile.P7, Tile.S1)) for number in range(count)]
    return create_enrolment(questions, answers.append, "secret")


def client() -> FlaskClient:
    return page_of([], 2).test_client()


@pytest.mark.parametrize(("language", "words"), [("en", "1 of 2"), ("ja", "この牌は何ですか"), ("zh-Hans", "这是哪张牌")])
def test_each_picture_is_shown_with_its_candidates_all_kinds_and_a_way_out_in_each_language(language: str, words: str) -> None:
    asked = client()
    page = asked.get(f"/secret/?lang={language}").text
    assert words in page
    assert f'<html lang="{language}">' in page
    values = re.findall(r'name="tile" value="([^"]+)"', page)
    assert (values[:3], values[-1]) == (["6p", "7p", "1s"], "-")
    assert {tile.text for tile in ALL_TILES} <= set(values)
    assert re.findall(r'data-key="([^"]+)"', page) == ["1", "2", "3", "-"]
    assert asked.post(f"/secret/0?lang={language}", data={"tile": "6p"}).headers["Location"].endswith(f"?lang={language}")


def test_nothing_is_shown_to_others_or_kept_by_browsers_and_scripts_come_from_here_alone() -> None:
    for path in ("/", "/other/", "/other/picture/0.png", "/secret/picture/7.png"):
        assert client().get(path).status_code == 404, path
    assert client().get("/secret/", headers={"Host": "evil.example"}).status_code == 400, "a page elsewhere cannot ask in our name"
    answer = client().get("/secret/picture/0.png")
    assert (answer.data, answer.headers["Cache-Control"]) == (PNG, "no-store")
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_answers_come_in_order_and_a_press_that_comes_twice_counts_once() -> None:
    answers: list[Tile | None] = []
    asked = page_of(answers, 3).test_client()
    for number, said in ((0, "7p"), (0, "7p"), (1, "-"), (2, "E")):
        assert asked.post(f"/secret/{number}", data={"tile": said}).status_code == 303
    assert answers == [Tile.P7, None, Tile.EAST]
    assert "being written" in asked.get("/secret/").get_data(as_text=True)


def test_what_is_no_tile_is_no_answer() -> None:
    answers: list[Tile | None] = []
    asked = page_of(answers, 1).test_client()
    for said in ("", "6x", "66p"):
        assert asked.post("/secret/0", data={"tile": said}).status_code == 400
    assert not answers


def test_the_page_is_served_on_loopback() -> None:
    answers: list[Tile | None] = []
    server = HttpServer(page_of(answers, 1), 0)
    server.start()
    page = f"{server.url}/secret/"
    with urllib.request.urlopen(page, timeout=PATIENCE_S) as answer:
        assert answer.status == 200
    urllib.request.urlopen(f"{page}0", urllib.parse.urlencode({"tile": "6p"}).encode(), timeout=PATIENCE_S).close()
    assert answers == [Tile.P6]
    server.stop()
