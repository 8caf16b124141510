"""Tables, calls, rulings and the making of deals over the API: the same functions as the pages."""

from collections.abc import Sequence
from typing import cast

import pytest

from cli.demo.command import PUBLIC
from dashboard.access.api_tokens import TokenScope
from tests.support.dashboard.api import Program
from tests.support.dashboard.custody.vaults import CommittingVaults
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import NAME
from tests.support.event.managed import PREPARED
from tests.support.wire.streams import Line
from twinwall.wire.messages.ruling import Ruling

PLAYING: Sequence[Line] = (*building(), *[*play(SELF_DRAWN)][:30])
WARNING = {"deal": 1, "choice": "warning", "seat": "W", "reason": "seen by the referee", "form": "f1"}


@pytest.fixture
def hall() -> Hall:
    """One table in play."""
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
