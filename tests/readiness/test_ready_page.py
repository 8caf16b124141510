"""The page on which a director gets a table ready, over the real server of its readiness."""

import html
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from dashboard.assignments import HallTable
from dashboard.pages.hall.ready_routes import ReadyOffice, ready_table_now
from dashboard.readiness.local_servers import LocalServerError, TableReadiness
from tableside.readiness.trial_run import HeardKeys
from tests.readiness.rig import KINDS, ReadinessRig
from tests.support.answering import Answering, answering, served
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.event.managed import PREPARED
from tests.support.game.toy_rules.added import NAME, toy_rules_added
from tests.support.recorder.doubted_hand import DOUBTED, OTHER, RIGHT, record_doubted_hand
from tests.support.wire.brokers import eventually
from tests.support.wire.streams import START
from twinwall.art.designs import Flower
from twinwall.event.management.changes import SessionEnded, SessionStarted
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.game.play_events import HandShown, TileDiscarded
from twinwall.game.play_json import to_json
from twinwall.game.record import HandRecord
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.messages.assignment import HallStage, JoinedTable
from twinwall.wire.shapes.panel import Lamps

HAND = "2026-11-22-200000"


@pytest.fixture
def hall(rig: ReadinessRig) -> Iterator[Hall]:
    with hall_of(rig) as made:
        yield made


@contextmanager
def hall_of(rig: ReadinessRig) -> Iterator[Hall]:
    """A hall whose director has logged in."""
    with served(rig.app) as url:
        made = Hall(settings=replace(OPEN, readiness=url))
        made.log_in()
        yield made


def shown(hall: Hall, path: str = "/ready/1") -> str:
    return html.unescape(hall.client.get(path).text)


def press(hall: Hall, do: str, **fields: str) -> int:
    return hall.submit("/ready/1", {"do": do, **fields}).status_code


def test_the_tables_are_listed_with_how_far_each_is_and_one_advice_at_a_time(hall: Hall) -> None:
    page = shown(hall, "/ready")
    assert "Table 1" in page
    assert "1 of 5 done" in page
    assert 'href="/ready"' in shown(hall, "/")
    page = shown(hall)
    assert "The table's program is not heard" in page
    assert "Show any tile to the camera" not in page


def test_a_mat_for_a_table_of_thousands_of_digits_is_printed_without_a_name(hall: Hall) -> None:
    table = "9" * (sys.get_int_max_str_digits() + 1)
    answer = hall.client.get(f"/ready/mat/markers.pdf?table={table}")
    assert (answer.status_code, answer.data[:5]) == (200, b"%PDF-")


def test_the_mat_is_shown_with_one_advice_before_a_session_and_never_in_it(hall: Hall) -> None:
    page = shown(hall, "/ready/1/mat")
    assert "The light is not right." in page, "the drawn picture has no clean white"
    for said in ("4 of 4", "660 mm from middle to middle along each side, 933 mm along both diagonals", 'src="/ready/1/mat/1.jpg"'):
        assert said in page, said
    assert hall.client.get("/ready/1/mat/1.jpg").data.startswith(b"\xff\xd8")
    hall.manage(*PREPARED, SessionStarted(1))
    page = shown(hall, "/ready/1/mat")
    assert "so that nobody sees a hand here" in page
    assert "/mat/" not in page.partition('id="ready"')[2].partition("ready/mat/a4.pdf")[0], "no picture is offered"
    assert hall.client.get("/ready/1/mat/1.jpg").status_code == 409
    hall.manage(SessionEnded(1))
    assert hall.client.get("/ready/1/mat").status_code == 200


@pytest.mark.parametrize(
    ("stage", "shows"), [(HallStage.WAITING, False), (HallStage.STARTING, True), (HallStage.PLAYING, True), (HallStage.FINISHED, False)]
)
def test_a_table_that_fell_silent_in_play_may_still_show_a_hand(stage: HallStage, shows: bool) -> None:
    table = HallTable("1", JoinedTable("1", START, "0.1.0", "a" * 64, stage), START, silent=True)
    office = ReadyOffice(TableReadiness("http://127.0.0.1:9"), None, lambda: (table,), ManagedEvent)
    assert office.may_show_hands("1") is shows
    assert not office.may_show_hands("2")


def test_a_set_is_enrolled_from_the_page_and_a_doubtful_tile_named_there(hall: Hall, rig: ReadinessRig) -> None:
    """What a person names and is unlike its kind is left out, and the page says of which kind."""
    rig.gate.show([*(tile for _ in range(3) for tile in KINDS), Flower.PLUM])
    assert press(hall, "enrol", set="first") == 303
    eventually(lambda: "10 of 12 tiles" in shown(hall), "the tiles that are pictured are counted")
    assert press(hall, "trial") == 409
    press(hall, "all-shown")
    eventually(lambda: "The likeliest kinds" in shown(hall) or "question/0.png" in shown(hall), "a person is asked")
    assert hall.client.get("/ready/1/question/0.png").data.startswith(b"\x89PNG")
    press(hall, "answer", number="0", tile="5p")
    eventually(lambda: "enrolled on 2026-11-21" in shown(hall), "the set is enrolled")
    assert "not in the profile: 5p." in shown(hall)


def test_a_trial_says_what_is_to_be_done_and_one_that_a_person_ends_has_not_failed(hall: Hall, rig: ReadinessRig) -> None:
    assert press(hall, "trial") == 303
    assert "Place 1: show a tile to the gate's camera." in shown(hall)
    rig.gate.lost = True
    eventually(lambda: "no picture comes" in shown(hall), "the page says why nothing happens")
    assert press(hall, "stop") == 303
    page = shown(hall)
    assert ("Place 1" in page, "did not come to its end" in page) == (False, False)


class BrokenKeys:
    """Keys whose lamps cannot be lit; how many hold the pins."""

    held = 0

    def open(self, _press: object) -> HeardKeys:
        if self.held:
            raise RuntimeError("the panel's pins cannot be used")
        self.held += 1
        return self

    def show(self, lamps: Lamps) -> None:
        raise RuntimeError(f"no lamp can be lit: {len(lamps.turn)}")

    def stop(self) -> None:
        self.held -= 1


@pytest.mark.parametrize(("held", "why"), [(1, "the panel's pins cannot be used"), (0, "no lamp can be lit: 0")])
def test_a_trial_whose_keys_cannot_be_used_ends_with_the_reason(tmp_path: Path, held: int, why: str) -> None:
    keys = BrokenKeys()
    keys.held = held
    rig = ReadinessRig(tmp_path, keys.open)
    with closing(rig.table), hall_of(rig) as hall:
        assert press(hall, "trial") == 303
        said = f'The trial did not come to its end. <small lang="en">{why}<'
        eventually(lambda: said in shown(hall), "the page says why")
        assert press(hall, "trial") == 303, "it can be tried again"
        eventually(lambda: said in shown(hall), "the page says why")
    assert keys.held == held


def test_a_table_in_use_is_said_and_a_form_without_token_refused(hall: Hall, rig: ReadinessRig) -> None:
    rig.in_use = True
    answer = hall.submit("/ready/1", {"do": "trial"})
    assert answer.status_code == 409
    assert "wait until its hands are over" in html.unescape(answer.text)
    assert hall.client.post("/ready/1", data={"do": "trial"}).status_code == 400


def test_a_server_that_is_away_is_said_and_without_one_in_the_settings_there_is_no_page() -> None:
    away, without = Hall(settings=replace(OPEN, readiness="http://127.0.0.1:9")), Hall(settings=OPEN)
    for hall in (away, without):
        hall.log_in()
    assert "does not answer: start twinwall hall readiness" in shown(away)
    assert "does not answer" in shown(away, "/ready")
    assert without.client.get("/ready").status_code == 404
    assert "/ready" not in without.client.get("/").text


def test_record_only_says_what_is_lacking_and_takes_no_hand_of_a_session(hall: Hall, rig: ReadinessRig) -> None:
    path = "/ready/1/record"
    page = shown(hall, path)
    assert "Start of hand" in page
    assert "Riichi from one common wall is none of these" in page
    with toy_rules_added():
        assert f'<option value="{NAME}">{NAME}</option>' in shown(hall, path)
    answer = hall.submit(path, {"do": "begin", "rules": "riichi", "hand": "1", "set": "first"})
    assert answer.status_code == 409
    assert "the rule set 'riichi' is not known" in html.unescape(answer.text)
    rig.mat.lost = True
    page = shown(hall, path)
    assert "A hand can be recorded once the camera above the table sees the mat." in page
    assert "Start of hand" not in page
    rig.mat.lost = False
    hall.manage(*PREPARED, SessionStarted(1))
    assert "A session is under way at this table" in shown(hall, path)
    answer = hall.submit(path, {"do": "begin", "rules": "sichuan", "hand": "1", "set": "first"})
    assert answer.status_code == 409
    assert rig.now()["recording"] is None
    assert hall.client.get("/ready/1/recorded/other").status_code == 404
    assert hall.client.get("/ready/1/recorded/other/record").status_code == 404


def test_a_running_recording_is_ended_from_the_page_also_while_a_session_plays(hall: Hall, rig: ReadinessRig) -> None:
    path = "/ready/1/record"
    begun = hall.submit(path, {"do": "begin", "rules": "sichuan", "hand": "1", "set": "first"})
    assert begun.status_code == 303
    assert "A hand is being recorded" in shown(hall)
    hall.manage(*PREPARED, SessionStarted(1))
    page = shown(hall, path)
    assert "A session is under way at this table" in page
    assert 'value="stop"' in page, "the recording holds the port that the session needs"
    name = re.search(r'name="name" value="([^"]+)"', page)
    assert name is not None
    other = hall.submit(path, {"do": "stop", "name": "2026-01-01-000000"})
    assert (other.status_code, "has begun since" in html.unescape(other.text)) == (409, True)
    assert hall.submit(path, {"do": "stop", "name": name[1]}).status_code == 303
    eventually(lambda: 'value="stop"' not in shown(hall, path), "the port is free")
    assert rig.recorded.listed() == ()


def test_a_running_recording_is_ended_also_while_the_phones_server_is_away(hall: Hall, rig: ReadinessRig) -> None:
    without_phones = Hall(settings=replace(hall.settings, phones="http://127.0.0.1:9"))
    without_phones.log_in()
    assert "does not answer" in shown(without_phones, "/ready/1/record")
    assert rig.client.post("/1/recording", json={"rules": "sichuan"}).status_code == 200
    assert 'value="stop"' in shown(without_phones, "/ready/1/record")


def test_a_table_that_plays_shows_that_a_hand_is_recorded_there(rig: ReadinessRig, hall: Hall) -> None:
    playing = HallTable("1", JoinedTable("1", START, "0.1.0", "a" * 64, HallStage.STARTING), START, silent=False)
    office = ReadyOffice(TableReadiness(str(hall.settings.readiness)), None, lambda: (playing,), ManagedEvent)
    assert not ready_table_now(office, "1")["is_recording"]
    assert rig.client.post("/1/recording", json={"rules": "sichuan"}).status_code == 200
    table = ready_table_now(office, "1")
    assert (table["plays"], table["is_recording"]) == (True, True)


def answered(hall: Hall, path: str, **fields: str) -> TestResponse:
    """A person answers on a hand's page."""
    return hall.submit(path, {**fields})


def test_a_question_of_a_recorded_hand_is_answered_on_its_page(hall: Hall, rig: ReadinessRig) -> None:
    record_doubted_hand(rig.recorded, HAND)
    path = f"/ready/1/recorded/{HAND}"
    page = shown(hall, path)
    assert "In doubt: 2" in page
    assert re.findall(r'id="question-5-kind-form-(\w+)"', page)[:2] == [RIGHT.text, OTHER.text], "in the order of the camera"
    assert "Nobody knows" in page
    assert 'class="ring"' in page
    answer = answered(hall, path, number=str(DOUBTED), about="kind", seen="0", tile=OTHER.text)
    assert (answer.status_code, answer.location) == (303, f"{path}#question-5-kind")
    page = shown(hall, path)
    assert "In doubt: 1" in page
    assert "Ota has answered (" in page
    record = HandRecord.from_json(hall.client.get(f"{path}/record").data)
    assert record.events[DOUBTED - 1] == TileDiscarded(Seat.SOUTH, OTHER), "the record to take away is made anew"
    assert b'"said":"9p","by":"Ota"' in hall.client.get(f"{path}/observations").data


def other_questions(hall: Hall, rig: ReadinessRig, *questions: dict[str, object], answered: Sequence[dict[str, object]] = ()) -> str:
    """The page of a hand with these questions instead of its own."""
    document = json.loads(record_doubted_hand(rig.recorded, HAND).with_suffix(".json").read_bytes())
    (rig.recorded.folder / f"{HAND}.json").write_text(json.dumps(document | {"questions": questions, "answered": answered}))
    return shown(hall, f"/ready/1/recorded/{HAND}")


def exposed(seat: str) -> dict[str, object]:
    violation = {"kind": "exposed-tiles", "seat": seat, "rule": "tiles of a hand are not shown"}
    return {"seq": DOUBTED, "about": f"exposed-tiles {seat} 9000", "kinds": [], "violation": violation}


COURSE = {"seq": DOUBTED, "about": "course", "kinds": []}
OF_A_KIND = {"seq": DOUBTED, "about": "kind", "kinds": ["8p", "9p"]}


@pytest.mark.parametrize("said", ["", "no", "unknown"])
def test_a_question_about_a_violation_leaves_no_move_in_doubt(hall: Hall, rig: ReadinessRig, said: str) -> None:
    if said:
        page = other_questions(hall, rig, answered=[exposed("W") | {"said": said, "by": "Anna", "at": "2026-11-22T20:40:00Z"}])
    else:
        page = other_questions(hall, rig, exposed("W"), exposed("N"))
        assert page.count('id="question-5-exposed-tiles-N-9000"') == 1, "each has its own place"
    assert 'id="question-5-exposed-tiles-W-9000"' in page
    assert 'href="#question' not in page


@pytest.mark.parametrize(
    "questions",
    [
        pytest.param((COURSE, OF_A_KIND), id="after the course of play"),
        pytest.param((OF_A_KIND, COURSE), id="before the course of play"),
        pytest.param((exposed("W"), OF_A_KIND), id="after a violation"),
        pytest.param((OF_A_KIND, exposed("W")), id="before a violation"),
    ],
)
def test_a_move_whose_tile_is_in_doubt_shows_its_kinds_whatever_else_is_asked_there(
    hall: Hall, rig: ReadinessRig, questions: tuple[dict[str, object], ...]
) -> None:
    page = other_questions(hall, rig, *questions)
    assert re.findall('href="#(question[^"]*)"', page) == ["question-5-kind"]
    assert "perhaps" in page


def test_a_move_leads_to_the_question_that_leaves_it_in_doubt_and_not_to_one_that_is_settled(hall: Hall, rig: ReadinessRig) -> None:
    settled = OF_A_KIND | {"said": "8p", "by": "Anna", "at": "2026-11-22T20:40:00Z", "given": 1}
    page = other_questions(hall, rig, COURSE, answered=[settled])
    assert re.findall('href="#(question[^"]*)"', page) == ["question-5-course"]


def test_the_tile_on_which_a_hand_may_have_won_as_well_is_shown_and_not_asked_about(hall: Hall, rig: ReadinessRig) -> None:
    file = record_doubted_hand(rig.recorded, HAND).with_suffix(".json")
    shown_hand = to_json(HandShown(Seat.EAST, (Tile.M1,), Tile.P7))
    left_open = {"questions": [], "open": [{"seq": DOUBTED, "events": [shown_hand]}]}
    file.write_text(json.dumps(json.loads(file.read_bytes()) | left_open))
    page = shown(hall, f"/ready/1/recorded/{HAND}")
    assert re.search("perhaps [^/]*7", page)
    assert 'href="#question' not in page


@pytest.mark.parametrize(("status", "body"), [(200, b"<html>"), (502, b"<html>"), (502, b"{}"), (502, b'{"error": "busy", "code": 7}')])
def test_another_server_at_the_address_is_named(status: int, body: bytes) -> None:
    class Other(Answering):
        def do_GET(self) -> None:
            self.answer(status, body)

    is_another = "is not the server of the tables' readiness: see what else has this port"
    with answering(Other) as url, pytest.raises(LocalServerError, match=is_another):
        TableReadiness(url).tables()
