"""Tables, calls, questions, rulings, the making of deals and results over the API: the same functions as the pages, and what they show."""

from base64 import b64decode
from collections.abc import Sequence
from typing import cast

import pytest

from cli.demo.command import PUBLIC
from dashboard.access.api_tokens import TokenScope
from tests.support.dashboard.api import Program
from tests.support.dashboard.custody.vaults import CommittingVaults
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import SELF_DRAWN, building, closed_hand, play
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import NAME
from tests.support.dashboard.tables.tables_in_play import IN_DOUBT, KINDS, NUMBER, READ, question
from tests.support.dashboard.two_sessions import FIELD, TEAMS, play_two_sessions, rule_late
from tests.support.event.managed import PREPARED
from tests.support.event.sessions import left_out
from tests.support.narrowed import of_type
from tests.support.wire.streams import Line
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord, AnswerTile
from twinwall.wire.messages.ruling import Ruling

PLAYING: Sequence[Line] = (*building(), *[*play(SELF_DRAWN)][:30])
WARNING = {"deal": 1, "choice": "warning", "seat": "W", "reason": "seen by the referee", "form": "f1"}


@pytest.fixture
def hall() -> Hall:
    hall = Hall(settings=OPEN, reached=True)
    hall.feed([*PLAYING, ("referee-called", {"seat": "W"})])
    return hall


def test_tables_are_read_as_everybody_may_know_them(hall: Hall) -> None:
    (read,) = cast(list[dict[str, object]], Program(hall, TokenScope.VIEWER).read("/tables")["tables"])
    assert (read["table"], read["stage"], read["deal"], read["calls_referee"]) == ("1", "playing", 1, True)


def test_a_call_is_taken_up_once_and_under_the_token_s_name(hall: Hall) -> None:
    program = Program(hall, TokenScope.SCORER)
    (call,) = cast(list[dict[str, object]], program.read("/calls")["calls"])
    taken = program.do("/calls/taken", {key: call[key] for key in ("table", "journal", "line")})
    assert cast(list[dict[str, object]], taken["calls"])[0]["taken_by"] == f"{NAME} (scorer)"
    assert program.refused("/calls/taken", {"table": "1", "journal": "j1", "line": 1})["status"] == 404
    assert Program(hall, TokenScope.VIEWER).refused("/calls", None, "GET")["status"] == 403


def test_a_referee_s_look_is_recorded_and_the_play_is_there(hall: Hall) -> None:
    play_of = Program(hall, TokenScope.REFEREE).read("/tables/1/play")
    assert (play_of["deal"], play_of["hand"]) == (1, 1)
    assert [(look.table, look.by) for look in hall.desk.looks] == [("1", f"{NAME} (referee)")]
    assert "warning" in cast(list[str], play_of["choices"])
    assert Program(hall, TokenScope.DIRECTOR).refused("/tables/1/play", None, "GET")["status"] == 403


def test_a_ruling_is_recorded_and_sent_and_is_one_however_often_it_comes(hall: Hall) -> None:
    program = Program(hall, TokenScope.REFEREE)
    first, again = program.do("/tables/1/rulings", WARNING), program.do("/tables/1/rulings", WARNING)
    assert first == again
    assert first["by"] == f"{NAME} (referee)"
    assert {(name, cast(Ruling, ruling).identity) for name, ruling in hall.sent} == {("1", first["identity"])}
    assert hall.desk.rulings[0].by == f"{NAME} (referee)"
    unnamed = {key: value for key, value in WARNING.items() if key != "form"}
    assert program.do("/tables/1/rulings", unnamed)["identity"] != program.do("/tables/1/rulings", unnamed)["identity"]


def test_deals_are_made_and_started_by_order_and_no_answer_has_the_passphrase() -> None:
    vaults = CommittingVaults()
    hall = Hall(settings=OPEN, deals=vaults)
    hall.manage(*PREPARED)
    program = Program(hall)
    assert program.read("/custody")["state"] == "none"
    answer = program.ask("POST", "/custody/deals", {"source": "tiles: 32", "passphrase": "correct horse battery"})
    assert b"battery" not in answer.data
    assert vaults.passphrases == ["correct horse battery"]
    custody = program.read("/custody")
    assert (custody["state"], custody["source"]) == ("made", "tiles: 32")
    assert custody["vaults"] == [{"holder": "server", "step": "ready", "sentence": ""}]
    assert program.refused("/custody/start", {"public": "1m 2m"})["status"] == 409
    program.do("/custody/start", {"public": PUBLIC})
    assert Program(hall, TokenScope.VIEWER).read("/custody")["vaults"] == []
    assert program.refused("/custody/unlocked", {"passphrase": ""})["status"] == 400
    program.do("/custody/unlocked", {"passphrase": "again"})


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
    hall.views.ask("1", question())
    return hall


def referee(hall: Hall) -> Program:
    return Program(hall, TokenScope.REFEREE)


def test_a_referees_program_reads_what_the_camera_saw_and_answers_under_its_tokens_name_while_it_is_asked(asking: Hall) -> None:
    program = referee(asking)
    read = program.read(PATH)
    assert (read["deal"], read["number"], read["where"]) == (1, NUMBER, "2 river 4")
    assert read["kinds"] == [tile.text for tile in KINDS]
    assert b64decode(cast(str, read["after"])) == question().after
    assert [(look.table, look.by) for look in asking.desk.looks] == [("1", f"{NAME} (referee)")]
    assert program.do(f"{PATH}/answer", ANSWER) == {"deal": 1, "tile": "5m", "by": f"{NAME} (referee)"}
    assert asking.sent == [("1", AnswerTile(1, NUMBER, question().where, "5m", f"{NAME} (referee)"))]
    asking.feed([*IN_DOUBT, READ])
    problem = program.refused(PATH, None, "GET")
    assert (problem["status"], problem["detail"]) == (404, "Table 1 asks about no tile now.")


@pytest.mark.parametrize("scope", [TokenScope.VIEWER, TokenScope.SCORER, TokenScope.DIRECTOR])
def test_no_other_token_reads_or_answers(asking: Hall, scope: TokenScope) -> None:
    program = Program(asking, scope)
    assert program.refused(PATH, None, "GET")["status"] == 403
    assert program.refused(f"{PATH}/answer", ANSWER)["status"] == 403
    assert asking.sent == []


def released(asked: Line) -> Hall:
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


@pytest.fixture
def compared() -> Hall:
    hall = Hall(desk=MemoryDesk(FIELD), settings=OPEN)
    play_two_sessions(hall)
    return hall


def listed(document: dict[str, object], key: str) -> list[dict[str, object]]:
    return cast(list[dict[str, object]], of_type(list, document[key]))


def test_standings_are_of_the_event_and_of_a_session(compared: Hall) -> None:
    program = Program(compared, TokenScope.VIEWER)
    ranks = listed(program.read("/standings"), "event")
    assert {rank["entrant"] for rank in ranks} == set(TEAMS)
    assert set(cast(dict[str, str], ranks[0]["sessions"])) == {"1", "2"}
    (group,) = listed(program.read("/standings?session=2"), "groups")
    assert group["group"] == "A"
    assert program.refused("/standings?session=3", None, "GET")["status"] == 404


def test_a_correction_stands_with_the_old_and_the_new_values_beside_the_standings_and_the_deal(compared: Hall) -> None:
    rule_late(compared, "4", left_out("r1", 1))
    program = Program(compared, TokenScope.VIEWER)
    for path in ("/standings", "/deals/1"):
        (correction,) = listed(program.read(path), "corrections")
        assert correction["deal"] == 1
        assert listed(correction, "changes")
