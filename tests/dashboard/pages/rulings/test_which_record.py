"""The page on which a referee says what happened where the decoder doubts a record: what it shows, to whom, and what is sent."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass, field

import pytest

from dashboard.access.access_policy import Role
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES
from twinwall.game.play_json import PLAY_TYPES
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord, Command
from twinwall.wire.messages.tile_question import AskedRecord

PAGE = "/table/1/record/1"
HAND = closed_hand("1")
NUMBER = [index for index, (name, _) in enumerate((line for line in HAND if line[0] in PLAY_TYPES), 1) if name == "tile-discarded"][5]
ASKED: Line = (
    "record-questioned",
    {
        "n": 1,
        "number": NUMBER,
        "held": '{"type":"tile-discarded","seat":"S","tile":"5m"}',
        "read": '{"type":"tile-discarded","seat":"S","tile":"6m"}',
        "margin": 12.0,
    },
)
ANSWERED: Line = ("record-answered", {"n": 1, "number": NUMBER, "right": "decoder", "by": "Abe"})
RELEASED: Line = ("deal-released", {"n": 1})


@dataclass
class Referee:
    """A referee who has logged in at a hall whose one table has played a deal, and what was sent to the table."""

    sent: list[Command] = field(default_factory=list)
    reached: bool = True
    after: tuple[Line, ...] = (ASKED,)
    """What the table has told since the release."""

    def __post_init__(self) -> None:
        self.hall = Hall(settings=OPEN, send=self._send)
        enrol(self.hall.staff, "Abe", roles={Role.REFEREE})
        assert self.hall.log_in("Abe").status_code == 303
        self.hall.feed([*HAND, RELEASED, *self.after])
        self.hall.release()

    def _send(self, _table: str, command: Command) -> bool:
        self.sent.append(command)
        return self.reached

    def page(self, language: str = "en") -> str:
        answer = self.hall.client.get(f"{PAGE}?lang={language}")
        assert answer.status_code == 200
        return answer.text

    def answer(self, right: str, number: int | str = NUMBER) -> str:
        token = re.findall(r'name="token" value="([^"]+)"', self.page())[0]
        answer = self.hall.client.post(PAGE, data={"token": token, "number": str(number), "right": right})
        assert answer.status_code == 303
        return answer.headers["Location"].rpartition("answered=")[2]


@pytest.fixture
def referee() -> Referee:
    return Referee()


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_readings_stand_there_after_what_came_before_and_nothing_is_chosen(referee: Referee, language: str) -> None:
    page = referee.page(language)
    in_question = page[page.index("</ol>") :]
    assert re.findall(r"#t-(\w+)", in_question) == ["5m", "6m"]
    assert re.findall(r'name="right" id="[^"]+" value="([^"]+)"', page) == list(RecordVerdict)
    assert page.count("<li>") >= 4
    assert "checked" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_place_is_shown_from_before_and_after_where_the_table_has_pictures(referee: Referee, language: str) -> None:
    assert "data:image/jpeg" not in referee.page(language)
    for number in (NUMBER, NUMBER + 1):
        referee.hall.store.ask("1", AskedRecord(1, number, b"\xff\xd8\xff after", b"\xff\xd8\xff before"))
    shown = [b64decode(found) for found in re.findall(r'data:image/jpeg;base64,([^"]+)', referee.page(language))]
    assert shown == [b"\xff\xd8\xff before", b"\xff\xd8\xff after"]


def test_the_list_of_calls_leads_a_referee_there_until_he_has_answered(referee: Referee) -> None:
    assert f'href="{PAGE}"' in referee.hall.client.get("/calls").text
    referee.hall.feed([*HAND, RELEASED, ASKED, ANSWERED])
    assert PAGE not in referee.hall.client.get("/calls").text


def test_an_answer_is_sent_with_the_accounts_name(referee: Referee) -> None:
    assert referee.answer("decoder") == "sent"
    assert referee.sent == [AnswerRecord(1, NUMBER, RecordVerdict.DECODER, "Abe")]


@pytest.mark.parametrize(("right", "number"), [("", NUMBER), ("both", NUMBER), ("record", NUMBER + 1), ("record", "9" * 5000)])
def test_an_answer_to_nothing_or_with_no_choice_is_not_sent(referee: Referee, right: str, number: int | str) -> None:
    assert referee.answer(right, number) == "over"
    assert referee.sent == []


def test_an_answer_that_cannot_leave_is_said(referee: Referee) -> None:
    referee.reached = False
    assert referee.answer("record") == "offline"


def test_what_was_answered_stands_there_with_the_referees_name_and_is_asked_no_more(referee: Referee) -> None:
    referee.hall.feed([*HAND, RELEASED, ASKED, ANSWERED])
    page = referee.page()
    assert f"Abe on event {NUMBER} of deal 1: The decoder is right" in page
    assert 'name="right"' not in page


@pytest.mark.parametrize("role", [None, Role.DIRECTOR, Role.SCORER], ids=["spectator", "director", "scorer"])
def test_nobody_but_a_referee_is_asked(referee: Referee, role: Role | None) -> None:
    client = referee.hall.new_client()
    if role is not None:
        enrol(referee.hall.staff, "Bea", roles={role})
        referee.hall.log_in("Bea", client=client)
    assert client.get(PAGE).status_code in (302, 404)
    assert client.post(PAGE, data={"number": NUMBER, "right": "record"}).status_code in (400, 401, 404)
    assert PAGE not in client.get("/calls").text
    assert referee.sent == []


def test_a_hand_that_nobody_doubts_has_no_such_page() -> None:
    referee = Referee(after=())
    assert referee.hall.client.get(PAGE).status_code == 404
