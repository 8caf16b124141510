"""``twinwall record answer``: what is asked about recorded hands is answered on pages of this computer, and kept."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cli.record_files import records_in
from cli.rules import answer
from cli.rules.answer import Evening
from cli.rules.record import RecordingFolder, question_pictures
from cli.usage import UsageError, write_file
from controller.recorder.observation_file import decode_lines
from dashboard.evening_page import create_evening
from tableside.readiness.recorded_hands import RecordedHands
from tests.support.dashboard.staff import form_token
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S
from tests.support.recorder.doubted_hand import ALIKE, DOUBTED, OTHER, RIGHT, doubted_hand, record_doubted_hand
from tests.support.wire.brokers import eventually
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Seat

JPEG = b"\xff\xd8 not looked at here"


@cache
def recorded() -> bytes:
    with TemporaryDirectory() as folder:
        return record_doubted_hand(RecordedHands(Path(folder)), "hand-1").with_suffix(".json").read_bytes()


def keep_doubted_hand(folder: Path, name: str) -> None:
    """Keep the hand in doubt in a folder, as ``twinwall record`` does."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(doubted_hand())
    (folder / f"{name}.json").write_bytes(recorded())


class Answering:
    """A folder of recorded hands with its pages in a test's client."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder, self.out = folder, folder.parent / "hand.json"
        for name in names:
            keep_doubted_hand(folder, name)
        self.evening = Evening(folder, self.out)
        self.evening.begin()
        self.client: FlaskClient = create_evening(self.evening, "secret").test_client()

    def page(self, path: str = "hand-1") -> str:
        return self.client.get(f"/secret/{path}", follow_redirects=True).text

    def answer(self, hand: str = "hand-1", **fields: str) -> TestResponse:
        asked = {"number": str(DOUBTED), "about": "kind", "seen": "0"}
        return self.client.post(f"/secret/{hand}", data={"token": form_token(self.page(hand)), **asked, **fields})

    def discarded(self, hand: int = 0) -> TileDiscarded:
        return of_type(TileDiscarded, records_in(self.out)[hand].events[DOUBTED - 1])


@pytest.fixture
def answering(tmp_path: Path) -> Answering:
    return Answering(tmp_path / "evening", "hand-1")


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Answering:
    """The same, for answers that are refused."""
    return Answering(tmp_path_factory.mktemp("unchanged") / "evening", "hand-1")


def test_a_tile_is_answered_with_one_press_and_the_record_is_written_again(answering: Answering) -> None:
    page = answering.page("")
    assert "Which tile is this?" in page
    assert re.findall(r'<button name="tile" id="question-5-kind-form-\w+" value="(\w+)"', page)[:2] == [RIGHT.text, OTHER.text]
    assert answering.discarded() == TileDiscarded(Seat.SOUTH, RIGHT)
    answered = answering.answer(tile=OTHER.text)
    assert (answered.status_code, answered.location[:16]) == (303, "/secret/hand-1#q")
    assert answering.discarded() == TileDiscarded(Seat.SOUTH, OTHER)
    assert "has answered (" in answering.page()
    assert Answering(answering.folder).discarded().tile is OTHER, "a second run goes on"


def test_a_hand_without_an_open_question_shows_its_replay_with_backs_for_what_was_not_seen(answering: Answering) -> None:
    assert answering.answer(tile="unknown").status_code == 303
    (course,) = json.loads((answering.folder / "hand-1.json").read_bytes())["questions"]
    assert answering.answer(number=str(course["seq"]), about=course["about"], right="yes").location == "/secret/hand-1/replay"
    assert "Nothing is asked about this hand." in answering.page()
    page = answering.page("")
    assert "data-unseen" in page
    document = json.loads(page.partition('id="replay-document">')[2].partition("</script>")[0])
    assert document["walls"]["E"] == {"hand": " ".join(["back"] * 13), "ready": None, "draws": ""}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"tile": ALIKE.text}, "cannot be"),
        ({"tile": "6x"}, "answer unknown if it is not known"),
        ({}, "answer unknown if it is not known"),
        ({"right": "yes"}, "event 5"),
        ({"tile": OTHER.text, "number": "-1"}, "not asked about"),
        ({"tile": OTHER.text, "about": "course"}, "look again"),
        ({"tile": OTHER.text, "x_mm": "nan"}, "look again"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_in_a_sentence_and_changes_nothing(
    unchanged: Answering, fields: dict[str, str], why: str
) -> None:
    before = (unchanged.folder / "hand-1.jsonl").read_bytes(), unchanged.out.read_bytes()
    refused = unchanged.answer(**fields)
    assert refused.status_code == 409
    assert why in refused.text
    assert ((unchanged.folder / "hand-1.jsonl").read_bytes(), unchanged.out.read_bytes()) == before


def test_hands_of_an_evening_are_a_list_in_the_order_of_play(tmp_path: Path) -> None:
    answering = Answering(tmp_path / "evening", "hand-10", "hand-2", "hand-1")
    assert re.findall(r'href="/secret/(hand-\d+)"', answering.page("hand-2"))[:3] == ["hand-1", "hand-2", "hand-10"]
    assert answering.answer("hand-2", tile=OTHER.text).status_code == 303
    assert [answering.discarded(hand).tile for hand in range(3)] == [RIGHT, OTHER, RIGHT]


def test_answers_that_are_given_at_once_are_all_in_the_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering = Answering(tmp_path / "evening", "hand-1", "hand-2")
    beside = copy(answering)
    beside.client = create_evening(answering.evening, "secret").test_client()
    second, before = Thread(target=beside.answer, args=("hand-2",), kwargs={"tile": OTHER.text}), answering.evening.document("hand-2")

    def write_late(*content: Any, **how: Any) -> None:
        if second.ident is None:  # the first answer's records, which do not have the second one
            second.start()
            eventually(lambda: answering.evening.document("hand-2") != before, "the second answer was not taken")
            second.join(0.5)
        write_file(*content, **how)

    monkeypatch.setattr(answer, "write_file", write_late)
    answering.answer(tile=OTHER.text)
    second.join()
    assert [answering.discarded(hand).tile for hand in range(2)] == [OTHER, OTHER]


def test_pictures_come_from_the_folder_by_name_alone(answering: Answering) -> None:
    asked = json.loads((answering.folder / "hand-1.json").read_bytes())["questions"][0]
    names = question_pictures(1, asked["x_mm"], asked["y_mm"], asked["before_ms"])
    assert "<img" not in answering.page()
    for name in names:
        (answering.folder / name).write_bytes(JPEG)
    assert re.findall(r'<img src="/secret/picture/([^"]*)"', answering.page()) == list(names)
    assert answering.client.get(f"/secret/picture/{names[0]}").data == JPEG
    (answering.folder.parent / "question-1.jpg").write_bytes(JPEG)
    for other in ("hand-1.jsonl", "question-1.jpg", "..%2Fquestion-1.jpg", "../question-1.jpg", "question-*.jpg"):
        assert answering.client.get(f"/secret/picture/{other}").status_code == 404


def test_a_folder_that_is_taken_away_is_named(answering: Answering) -> None:
    shutil.rmtree(answering.folder)
    page = answering.client.get("/secret/")
    assert (page.status_code, str(answering.folder) in page.text) == (404, True)


def test_who_does_not_know_the_address_and_pages_elsewhere_are_refused(answering: Answering) -> None:
    for path in ("/", "/hand-1", "/other/hand-1", "/secret/hand-7", "/secret/..%2Fhand-1", "/secret/observations"):
        assert answering.client.get(path).status_code == 404
    assert answering.client.get("/secret/hand-1", headers={"Host": "evil.example"}).status_code == 400
    assert answering.answer(token="guessed").status_code == 400
    assert answering.discarded().tile is RIGHT
    headers = answering.client.application.test_client().get("/secret/hand-1").headers
    assert "SameSite=Strict" in headers["Set-Cookie"]
    assert (headers["Cache-Control"], headers["Referrer-Policy"]) == ("no-store", "same-origin")


def test_an_answer_whose_record_was_not_made_before_a_power_cut_is_there_at_the_next_start(answering: Answering) -> None:
    document = answering.folder / "hand-1.json"
    before = document.read_bytes()
    answering.answer(tile=OTHER.text)
    document.write_bytes(before)
    os.utime(document, ns=(0, 0))
    assert Answering(answering.folder).discarded().tile is OTHER
    document.unlink()
    assert Answering(answering.folder).discarded().tile is OTHER, "one of an earlier version has no document"


def test_a_second_recording_of_the_same_video_keeps_the_answers(answering: Answering) -> None:
    answering.answer(tile=OTHER.text)
    hand, _ = decode_lines(doubted_hand().splitlines(keepends=True))
    file = answering.folder / "hand-1.jsonl"
    lines = file.read_bytes().splitlines()
    with RecordingFolder(answering.folder, "table.mp4") as kept:
        (given,) = kept.hand(1, hand, ())
    assert given.said == OTHER.text
    assert file.read_bytes().splitlines() == [lines[0], lines[-1]]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"a photograph"])
def test_a_file_that_is_no_hand_record_is_not_overwritten(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "hand.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"hand\.json"):
        Answering(tmp_path / "evening", "hand-1")
    assert (tmp_path / "hand.json").read_bytes() == content


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command as a process, and its address."""
    words = ["record", "answer", str(folder), "--out", str(folder.parent / "hand.json"), "--no-browser"]
    with subprocess.Popen([sys.executable, "-m", "cli", *words], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process, next(line for line in process.stderr if "http" in line).split()[-1]
        finally:
            process.kill()


def test_an_answer_outlives_a_process_that_is_killed_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    folder = tmp_path / "evening"
    keep_doubted_hand(folder, "hand-1")
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with served(folder) as (process, address):
        with browser.open(address, timeout=PATIENCE_S) as page:
            fields = {"token": form_token(page.read().decode()), "number": DOUBTED, "about": "kind", "seen": 0, "tile": OTHER.text}
        browser.open(f"{address}hand-1", urllib.parse.urlencode(fields).encode(), timeout=PATIENCE_S).close()
        process.kill()
    with served(folder) as (process, address):
        with browser.open(address, timeout=PATIENCE_S) as page:
            assert "has answered (" in page.read().decode()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
