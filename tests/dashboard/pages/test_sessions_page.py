"""The page of sessions: directors start, end, pause, hold, announce and close, each refused in a sentence where it cannot be."""

import re

import pytest

from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.event.managed import PREPARED
from tests.support.event.stored_event import STARTED
from twinwall.event.management.changes import SessionStarted


@pytest.fixture
def hall() -> Hall:
    hall = Hall(settings=OPEN)
    hall.manage(*PREPARED)
    hall.log_in()
    return hall


def order(hall: Hall, do: str, fields: dict[str, str] | None = None, *, seen: int | None = None) -> tuple[int, str]:
    version = re.search(r'name="seen" value="(\d+)"', hall.client.get("/event/sessions").text)
    shown = str(seen) if seen is not None else version[1] if version else "0"
    answer = hall.submit("/event/sessions", {"do": do, "seen": shown, **(fields or {})})
    return answer.status_code, answer.text


def test_a_session_is_started_paused_resumed_and_ended(hall: Hall) -> None:
    assert "Start session" in hall.client.get("/event/sessions").text
    assert order(hall, "start", {"session": "1"})[0] == 303
    assert order(hall, "pause")[0] == 303
    assert "no table begins another hand" in hall.client.get("/").text, "everybody is told"
    assert order(hall, "resume")[0] == 303
    assert order(hall, "end", {"session": "1"})[0] == 303
    must_say(hall.client.get("/event/sessions").text, "Over", "Not seated yet")
    assert order(hall, "close")[0] == 303
    assert "The event is closed." in hall.client.get("/event/sessions").text


def test_the_end_of_a_session_names_what_is_unplayed_and_can_be_taken_back() -> None:
    hall = Hall(settings=OPEN, desk=MemoryDesk(custody=STARTED))
    hall.manage(*PREPARED, SessionStarted(1))
    hall.log_in()
    for table in "1234":
        hall.feed([*closed_hand(table), *(closed_hand(table, 2) if table == "3" else ())], table)
    hall.release()
    asked = hall.client.get("/event/sessions").text
    must_say(
        asked, "2 of 3 deals", "<strong>E2</strong> not finished at 1 · 2 · 4", "no table has finished it", "End with 2 deals unplayed"
    )
    assert order(hall, "end", {"session": "1"})[0] == 303
    page = hall.client.get("/event/sessions").text
    assert "2 of 3 deals" in page
    for path in ("/", "/projector", "/table/1"):
        assert "begins no other" in hall.client.get(path).text, path
    assert 'name="do" value="reopen"' in page
    assert order(hall, "reopen", {"session": "1"})[0] == 303
    assert "Being played" in hall.client.get("/event/sessions").text
    assert "begins no other" not in hall.client.get("/").text


@pytest.mark.parametrize(
    ("do", "fields", "sentence"),
    [
        ("start", {"session": "2"}, "session 1 is next"),
        ("end", {"session": "1"}, "Sessions are played in their order"),
        ("resume", {}, "It is so already"),
        ("release", {"session": "1"}, "It is so already"),
    ],
)
def test_an_order_that_cannot_be_is_refused_in_a_sentence(hall: Hall, do: str, fields: dict[str, str], sentence: str) -> None:
    status, page = order(hall, do, fields)
    assert status == 409
    assert sentence in page


def test_the_second_of_two_directors_is_told_what_the_first_did(hall: Hall) -> None:
    seen = hall.desk.event.version
    assert order(hall, "announce", {"text-en": "Tea at four"})[0] == 303
    status, page = order(hall, "announce", {"text-en": "Tea at five"}, seen=seen)
    assert status == 409
    must_say(page, "Somebody has changed the event meanwhile", "<strong><bdi>Ota</bdi></strong>: changed the announcement")
    assert hall.desk.event.announcement == {"en": "Tea at four"}
    assert "Tea at five" in page, "what was written is not lost"


def test_an_announcement_is_on_every_page_and_on_the_projector_in_the_reader_s_language(hall: Hall) -> None:
    order(hall, "announce", {"text-en": "Tea <at> four", "text-ja": "お茶の時間です"})
    for page in ("/", "/standings", "/projector"):
        assert "Tea &lt;at&gt; four" in hall.client.get(page).text, page
        assert "お茶の時間です" in hall.client.get(f"{page}?lang=ja").text, page
        hall.client.get(f"{page}?lang=en")
    order(hall, "announce")
    assert "Tea" not in hall.client.get("/").text


@pytest.mark.parametrize("do", ["dance", ""])
def test_a_form_that_no_page_sends_is_answered_400(hall: Hall, do: str) -> None:
    assert order(hall, do)[0] == 400
    assert order(hall, "start", {"session": "x"})[0] == 400
