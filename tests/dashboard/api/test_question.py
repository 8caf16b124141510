"""A discard that a table cannot read, and a record that its decoder doubts, over the API: as on the referee's pages."""

from base64 import b64decode
from typing import cast

import pytest

from dashboard.access.api_tokens import TokenScope
from tests.support.dashboard.api import Program
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import NAME
from tests.support.dashboard.tables.tables_in_play import IN_DOUBT, KINDS, NUMBER, READ, question
from tests.support.wire.streams import Line
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord, AnswerTile

PATH = "/tables/1/question"
RECORD = "/tables/1/records/1/answer"
DOUBTED: Line = (
    "record-questioned",
    {"n": 1, "number": 6, "held": '{"type":"passed"}', "read": '{"type":"tile-discarded","seat":"S","tile":"6m"}', "margin": 12.0},
)
ANSWER: dict[str, object] = {"deal": 1, "number": NUMBER, "where": question().where, "tile": "5m"}


@pytest.fixture
def asking() -> Hall:
    hall = Hall(settings=OPEN, reached=True)
    hall.feed(IN_DOUBT)
    hall.store.ask("1", question())
    return hall


def referee(hall: Hall) -> Program:
    return Program(hall, TokenScope.REFEREE)


def test_a_referees_program_reads_what_the_camera_saw_and_the_look_is_recorded(asking: Hall) -> None:
    read = referee(asking).read(PATH)
    assert (read["deal"], read["number"], read["where"]) == (1, NUMBER, "2 river 4")
    assert read["kinds"] == [tile.text for tile in KINDS]
    assert b64decode(cast(str, read["after"])) == question().after
    assert [(look.table, look.by) for look in asking.desk.looks] == [("1", f"{NAME} (referee)")]


@pytest.mark.parametrize("scope", [TokenScope.VIEWER, TokenScope.SCORER, TokenScope.DIRECTOR])
def test_no_other_token_reads_or_answers(asking: Hall, scope: TokenScope) -> None:
    program = Program(asking, scope)
    assert program.refused(PATH, None, "GET")["status"] == 403
    assert program.refused(f"{PATH}/answer", ANSWER)["status"] == 403
    assert asking.sent == []


def test_an_answer_is_sent_under_the_tokens_name(asking: Hall) -> None:
    answered = referee(asking).do(f"{PATH}/answer", ANSWER)
    assert answered == {"deal": 1, "tile": "5m", "by": f"{NAME} (referee)"}
    assert asking.sent == [("1", AnswerTile(1, NUMBER, question().where, "5m", f"{NAME} (referee)"))]


def test_nothing_is_read_where_nothing_is_asked(asking: Hall) -> None:
    asking.feed([*IN_DOUBT, READ])
    problem = referee(asking).refused(PATH, None, "GET")
    assert (problem["status"], problem["detail"]) == (404, "Table 1 asks about no tile now.")


def released(asked: Line) -> Hall:
    """A record of a released deal is doubted."""
    hall = Hall(settings=OPEN, reached=True)
    hall.feed([*closed_hand("1"), ("deal-released", {"n": 1}), asked])
    hall.release()
    return hall


@pytest.fixture
def doubting() -> Hall:
    return released(DOUBTED)


def test_a_referees_program_says_what_happened_where_a_call_says_that_a_record_is_doubted(doubting: Hall) -> None:
    program = referee(doubting)
    (call,) = cast(list[dict[str, object]], program.read("/calls")["calls"])
    order: dict[str, object] = {"number": call["event"], "right": "decoder"}
    assert program.do(f"/tables/{call['table']}/records/{call['deal']}/answer", order) == {
        "deal": 1,
        "number": 6,
        "right": "decoder",
        "by": f"{NAME} (referee)",
    }
    assert doubting.sent == [("1", AnswerRecord(1, 6, RecordVerdict.DECODER, f"{NAME} (referee)"))]


def test_a_program_says_which_violation_it_was_where_a_call_says_that_one_is_in_doubt() -> None:
    of_south = {"n": 1, "number": 6, "held": "", "read": "", "margin": 3.0, "seat": "S", "violations": {"put-back": "rule"}}
    asking = released(("record-questioned", of_south))
    program = referee(asking)
    (call,) = cast(list[dict[str, object]], program.read("/calls")["calls"])
    assert (call["kind"], call["word"], call["event"]) == ("record", "violation", 6)
    order = {"number": 6, "right": "decoder", "seat": "S", "violation": "put-back"}
    for wrong in ({"violation": "false-win"}, {"violation": None}, {"seat": "W"}, {"right": "record"}):
        assert program.refused(RECORD, {**order, **wrong})["status"] == 409
    assert program.do(RECORD, order) == {"deal": 1, **order, "by": f"{NAME} (referee)"}
    assert asking.sent == [("1", AnswerRecord(1, 6, RecordVerdict.DECODER, f"{NAME} (referee)", Seat.SOUTH, "put-back"))]
