"""A director lets phones in from a page of the dashboard: code, state, replacement, and what others see."""

import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import segno
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.phones.conftest import TablePhones
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.patience import PATIENCE_S


@pytest.fixture
def hall(phones: TablePhones) -> Hall:
    """A hall whose director has logged in."""
    made = Hall(settings=replace(OPEN, phones=phones.servers.local.url))
    made.log_in()
    return made


def press(hall: Hall, path: str) -> str:
    answer = hall.submit(path)
    assert answer.status_code == 200
    return html.unescape(answer.text)


@contextmanager
def joined(hall: Hall, role: str) -> Iterator[tuple[Connection, dict[str, str]]]:
    """A phone that opens the code of the page."""
    link = re.search(r"http://(127\.0\.0\.1:\d+)/#([0-9a-f]{32})", press(hall, f"/phones/{role}/code"))
    assert link is not None
    with connect(f"ws://{link[1]}/phone") as phone:
        phone.send(json.dumps({"type": "hello", "code": link[2]}))
        yield phone, json.loads(phone.recv(PATIENCE_S))


def test_the_page_lists_every_role_without_a_phone(hall: Hall) -> None:
    page = html.unescape(hall.client.get("/phones").text)
    assert page.count("No phone") == 7
    for role in ("Gate camera", "Camera above the table", "Keys of all places (tablet)", "Keys of place 4"):
        assert role in page


def test_the_projectors_address_is_a_code_too(phones: TablePhones) -> None:
    hall = Hall(settings=replace(OPEN, phones=phones.servers.local.url, address="http://hall.example"))
    hall.log_in()
    page = html.unescape(hall.client.get("/phones").text)
    assert 'href="http://hall.example/projector"' in page
    picture = segno.make("http://hall.example/projector", error="m").svg_data_uri(scale=8, border=4, light="#fff")
    assert picture in page


def test_an_address_of_this_computer_alone_is_no_code(hall: Hall) -> None:
    page = html.unescape(hall.client.get("/phones").text)
    assert 'href="http://localhost/projector"' in page
    assert "This address works on this computer alone" in page
    assert "<img" not in page


def test_a_code_lets_a_phone_in_and_the_page_says_what_it_says_of_itself(hall: Hall, phones: TablePhones) -> None:
    with joined(hall, "1/gate") as (phone, answer):
        phone.send(json.dumps({"type": "state", "battery": 0.12, "charging": False, "in_front": False, "facing": "user"}))
        while not any(each.state for each in phones.parts.book.now()):
            phone.ping().wait(PATIENCE_S)
        page = html.unescape(hall.client.get("/phones").text)
        assert "Connected" in page
        assert answer["words"] in page
        for sentence in ("Battery 12 %", "charge it soon", "its page is not in front", "it uses the camera on the screen's side"):
            assert sentence in page


def ended(phone: Connection) -> str:
    """Why a phone has its role no more, once it is told."""
    while True:
        message = json.loads(phone.recv(PATIENCE_S))
        if message["type"] == "refused":
            return str(message["why"])


def test_the_next_code_replaces_a_phone_and_a_role_can_be_taken_away(hall: Hall) -> None:
    with joined(hall, "1/keys-0") as (first, _), joined(hall, "1/keys-0") as (second, _):
        assert ended(first) == "replaced"
        press(hall, "/phones/1/keys-0/dismiss")
        assert ended(second) == "dismissed"
    assert "Not connected" not in hall.client.get("/phones").text


def test_a_server_of_phones_that_does_not_answer_is_said(phones: TablePhones) -> None:
    hall = Hall(settings=replace(OPEN, phones="http://127.0.0.1:9"))
    hall.log_in()
    assert "does not answer: start twinwall table phones serve" in hall.client.get("/phones").text


def test_without_phones_in_the_settings_there_is_no_page_and_no_link() -> None:
    hall = Hall(settings=OPEN)
    hall.log_in()
    assert hall.client.get("/phones").status_code == 404
    assert "/phones" not in hall.client.get("/").text
