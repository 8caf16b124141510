"""The page on which a referee says which tile it is: who sees the pictures, in which order the kinds stand, and what is sent."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from html import unescape

import pytest

from dashboard.access.access_policy import Role
from dashboard.i18n.words import Words
from tests.support.dashboard.example import building, play
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from tests.support.dashboard.tables.questions import IN_DOUBT, IN_PLAY, KINDS, NUMBER, READ, question, unread
from tests.support.wire.streams import Line, public_events
from twinwall.art.names import LANGUAGES, Language
from twinwall.wire.messages.commands import AnswerTile, Command
from twinwall.wire.messages.tile_question import AskedArea, AskedTile

PAGE = "/table/1/which-tile"
AFTER_A_CHOW_IN_SEIGO: list[Line] = [
    *((kind, {**fields, "rules": "seigo"} if "rules" in fields else fields) for kind, fields in [*building(), *play("")]),
    ("shared-tile-turned", {"place": 10, "tile": "5m"}),
    ("tile-drawn", {"seat": "E"}),
    ("tile-discarded", {"seat": "E", "tile": "4s"}),
    ("claims-closed", {}),
    ("passed", {}),
    ("claimed", {"seat": "S", "meld": "chow", "tiles": "4s 5s 6s", "from": "E"}),
]


KONG_CALLED_ON_A_PUNG: list[Line] = [
    *building(),
    *play("E2p S:pung:2p.2p.2p S1m WW N1m E6m"),
    ("claims-closed", {}),
    ("passed", {}),
    ("gate-unlocked", {"seat": "S"}),
    ("tile-drawn", {"seat": "S"}),
    ("kong-called", {"seat": "S"}),
]


@dataclass
class Referee:
    """A referee who has logged in at a hall with one table in play, and what was sent to the tables."""

    sent: list[Command] = field(default_factory=list)
    reached: bool = True

    def __post_init__(self) -> None:
        self.hall = Hall(settings=OPEN, send=self._send)
        enrol(self.hall.staff, "Abe", roles={Role.REFEREE})
        assert self.hall.log_in("Abe").status_code == 303

    def _send(self, _table: str, command: Command) -> bool:
        self.sent.append(command)
        return self.reached

    def page(self, language: str = "en") -> str:
        answer = self.hall.client.get(f"{PAGE}?lang={language}")
        assert answer.status_code == 200
        return answer.text

    def answer(self, tile: str, n: int = 1, number: int = NUMBER, where: str = question().where) -> str:
        (token,) = set(re.findall(r'name="token" value="([^"]+)"', self.page()))
        answer = self.hall.client.post(PAGE, data={"token": token, "n": str(n), "number": str(number), "where": where, "tile": tile})
        assert answer.status_code == 303
        return answer.headers["Location"].rpartition("answered=")[2]


@pytest.fixture
def referee() -> Referee:
    asked = Referee()
    asked.hall.feed(IN_DOUBT)
    asked.hall.store.ask("1", question())
    return asked


def kinds(page: str) -> list[str]:
    return re.findall(r'name="tile" id="[^"]+" value="([^"]+)"', page)


def shown(page: str, picture: bytes) -> bool:
    return f"data:image/jpeg;base64,{b64encode(picture).decode()}" in page.replace("&#43;", "+")


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_pictures_and_every_kind_in_the_order_of_the_camera_are_on_the_page(referee: Referee, language: str) -> None:
    page = referee.page(language)
    assert shown(page, question().before)
    assert shown(page, question().after)
    assert kinds(page) == [tile.text for tile in KINDS]
    assert "checked" not in page, "nobody has chosen yet"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("area", ["meld", "hand"])
def test_a_tile_of_a_meld_or_a_shown_hand_is_asked_about_as_well(area: AskedArea, language: Language) -> None:
    asked = Referee()
    asked.hall.feed([*IN_PLAY, unread(area=area)])
    asked.hall.store.ask("1", question(area, before=b"" if area == "hand" else None))
    words = Words(language)
    page = asked.page(language)
    assert words(f"which.{area}") in page
    assert (words("which.before.hand") in page) is (area == "hand")
    assert kinds(page) == [tile.text for tile in KINDS]
    assert asked.answer("5m", where=f"2 {area} 4") == "sent"
    assert asked.sent == [AnswerTile(1, NUMBER, f"2 {area} 4", "5m", "Abe")]


def test_the_call_on_the_tables_page_leads_there_while_it_lasts(referee: Referee) -> None:
    assert f'href="{PAGE}"' in referee.hall.client.get("/table/1").text
    referee.hall.feed([*IN_DOUBT, READ])
    assert PAGE not in referee.hall.client.get("/table/1").text
    assert "no doubt about a tile" in referee.page()


def test_the_list_of_calls_leads_a_referee_there_while_it_lasts(referee: Referee) -> None:
    assert f'href="{PAGE}"' in referee.hall.client.get("/calls").text
    director = referee.hall.new_client()
    enrol(referee.hall.staff, "Dee", roles={Role.DIRECTOR})
    referee.hall.log_in("Dee", client=director)
    assert PAGE not in director.get("/calls").text, "a director sees no play of an unreleased deal"
    referee.hall.feed([*IN_DOUBT, READ])
    assert PAGE not in referee.hall.client.get("/calls").text


def test_an_answer_is_sent_with_the_accounts_name_and_is_not_yet_a_fact(referee: Referee) -> None:
    assert referee.answer("5m") == "sent"
    assert referee.sent == [AnswerTile(1, NUMBER, question().where, "5m", "Abe")]
    assert shown(referee.page(), question().after), "the table has not said yet that it is read"


@pytest.mark.parametrize(
    ("form", "how"),
    [
        ({"tile": ""}, "choose"),
        ({"tile": "0z"}, "choose"),
        ({"tile": "5m", "number": NUMBER - 1}, "over"),
        ({"tile": "5m", "n": 2}, "over"),
        ({"tile": "5m", "where": "2 meld 4"}, "over"),
    ],
    ids=str,
)
def test_an_answer_to_nothing_or_to_an_older_question_is_not_sent(referee: Referee, form: dict[str, object], how: str) -> None:
    assert referee.answer(**form) == how  # type: ignore[arg-type]  # each case names arguments of the form
    assert referee.sent == []


@pytest.mark.parametrize(("tile", "how"), [("4s", "barred"), ("7s", "barred"), ("1m", "sent")])
def test_an_answer_that_the_rules_do_not_allow_as_a_discard_is_refused_with_a_sentence(tile: str, how: str) -> None:
    """In Seigo South has made 4s 5s 6s of East's 4s: neither that tile nor the other end may be discarded now (swap calling)."""
    asked = Referee()
    asked.hall.feed([*AFTER_A_CHOW_IN_SEIGO, unread(1, slot=0)])
    asked.hall.store.ask("1", question(place=1, slot=0))
    assert asked.answer(tile, where=question(place=1, slot=0).where) == how
    assert len(asked.sent) == (how == "sent")
    page = unescape(asked.hall.client.get(f"{PAGE}?answered={how}").text)
    assert (Words("en")("which.barred") in page) == (how == "barred")


def test_an_answer_about_a_discard_is_refused_while_no_discard_is_awaited() -> None:
    """After a restart the table looks whether the last discard still lies there."""
    asked = Referee()
    asked.hall.feed([*IN_PLAY, ("tile-discarded", {"seat": "W", "tile": "3p"}), unread()])
    asked.hall.store.ask("1", question())
    assert asked.answer("3p") == "barred"
    assert asked.sent == []


@pytest.mark.parametrize(
    ("tile", "slot", "how"),
    [("5m", 3, "no-kong"), ("2p", 3, "sent"), ("2p", 7, "no-kong"), ("5m", 7, "sent"), ("5m", 1, "sent")],
    ids=["another than the pung's", "the pung's", "concealed, of five", "concealed", "no fourth tile"],
)
def test_an_answer_with_which_the_rules_allow_no_kong_is_refused_with_a_sentence(tile: str, slot: int, how: str) -> None:
    asked = Referee()
    asked.hall.feed([*KONG_CALLED_ON_A_PUNG, unread(1, "meld", slot)])
    asked.hall.store.ask("1", question("meld", slot, place=1))
    assert asked.answer(tile, where=question("meld", slot, place=1).where) == how
    assert len(asked.sent) == (how == "sent")
    page = unescape(asked.hall.client.get(f"{PAGE}?answered={how}").text)
    assert (Words("en")("which.no-kong") in page) == (how == "no-kong")


@pytest.mark.parametrize(
    ("tile", "place", "how"),
    [("3p", 1, "sent"), ("2p", 2, "sent"), ("3p", 2, "no-meld"), ("5m", 1, "no-meld")],
    ids=["of a chow", "of a pung", "of another seat's chow", "of no meld"],
)
def test_an_answer_with_which_the_seat_can_claim_no_discard_is_refused_with_a_sentence(tile: str, place: int, how: str) -> None:
    asked = Referee()
    asked.hall.feed([*building(), *play("E2p"), unread(place, "meld", 1)])
    asked.hall.store.ask("1", question("meld", 1, place=place))
    assert asked.answer(tile, where=question("meld", 1, place=place).where) == how
    assert len(asked.sent) == (how == "sent")
    page = unescape(asked.hall.client.get(f"{PAGE}?answered={how}").text)
    assert (Words("en")("which.no-meld") in page) == (how == "no-meld")


def test_an_answer_that_cannot_leave_is_said(referee: Referee) -> None:
    referee.reached = False
    assert referee.answer("5m") == "offline"


def test_newer_pictures_change_the_pictures_alone_so_that_nothing_moves_under_a_finger(referee: Referee) -> None:
    stream = "/events?table=1&page=which-tile"
    first = referee.hall.stream(stream)
    boot = re.findall(r"^data: (boot-1\S*)", first, flags=re.MULTILINE)[0]
    since = re.findall(r"^id: (\d+)", first, flags=re.MULTILINE)[-1]
    referee.hall.store.ask("1", question(after=question().before))
    then = referee.hall.stream(f"{stream}&boot={boot}&since={since}")
    assert 'id="pictures"' in then
    assert 'id="kinds"' not in then


@pytest.mark.parametrize("role", [None, Role.DIRECTOR, Role.SCORER], ids=["spectator", "director", "scorer"])
def test_nobody_but_a_referee_is_shown_the_pictures(referee: Referee, role: Role | None) -> None:
    hall = referee.hall
    client = hall.new_client()
    if role is not None:
        enrol(hall.staff, "Bea", roles={role})
        hall.log_in("Bea", client=client)
    assert client.get(PAGE).status_code in (302, 404)
    assert client.post(PAGE, data={"tile": "5m"}).status_code in (400, 401, 404)
    picture = b64encode(question().after)[:200]
    for path in ("/", "/table/1", "/calls", "/events?table=1&page=which-tile", "/seat/1/2"):
        hall.turns_left = 1
        assert picture not in client.get(path).data
    assert referee.sent == []


def test_each_referee_who_looks_is_written_down_and_where_that_fails_nothing_is_shown() -> None:
    asked = Referee()
    asked.hall.feed(IN_DOUBT)
    asked.hall.store.ask("1", question())
    asked.hall.desk.full = True
    assert asked.hall.client.get(PAGE).status_code == 404
    asked.hall.desk.full = False
    asked.page()
    assert [(look.table, look.n, look.by) for look in asked.hall.desk.looks] == [("1", 1, "Abe")]


def test_the_pictures_are_forgotten_when_the_table_says_that_the_tile_is_read(referee: Referee) -> None:
    referee.hall.feed([*IN_DOUBT, READ])
    status = referee.hall.store.table("1")
    assert status is not None
    assert status.asked is None


@pytest.mark.parametrize(
    "asked", [question(n=2), question(place=1), question(slot=5), question("meld")], ids=["deal", "place", "slot", "area"]
)
def test_a_question_about_another_tile_than_the_unread_one_is_not_shown(referee: Referee, asked: AskedTile) -> None:
    referee.hall.store.ask("1", asked)
    assert kinds(referee.page()) == []


def test_a_question_that_comes_before_the_tables_line_is_shown_with_it() -> None:
    asked = Referee()
    asked.hall.feed(IN_PLAY)
    asked.hall.store.ask("1", question())
    assert kinds(asked.page()) == []
    asked.hall.add(public_events(IN_DOUBT)[-1:])
    assert kinds(asked.page()) == [tile.text for tile in KINDS]


def test_the_tables_history_says_who_told_the_table_what(referee: Referee) -> None:
    answered: Line = ("tile-answered", {"seat": "E", "tile": "5m", "by": "Abe"})
    referee.hall.feed([*IN_DOUBT, answered, READ])
    page = referee.hall.client.get("/table/1").text
    assert "Abe says which tile East laid:" in page
