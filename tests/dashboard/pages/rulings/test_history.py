"""History of a table and of a player, for the staff: rulings, calls, substitutions; and the texts of rulings in three languages."""

import pytest

from dashboard.access.staff_schema import Role
from tests.support.dashboard.example import building, closed_hand, play
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from tests.support.dashboard.tables.at_seat import words_of
from tests.support.event.managed import PREPARED
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES
from twinwall.event.management.changes import (
    EnteredPlayer,
    EntrantAbsent,
    EntrantPresent,
    EntrantsEntered,
    SessionStarted,
    SubstituteSeated,
)
from twinwall.game.play_events import ResultExcluded
from twinwall.wire.messages.ruling import Effect, Ruling, ruling_fields


def ruled(identity: str, text: str, n: int, *effects: Effect, revokes: str = "") -> Line:
    return "ruling", ruling_fields(Ruling(identity, n, "Aono", {"en": text, "ja": f"裁定{identity}"}, effects, revokes))


CALLED: Line = ("referee-called", {"seat": "S"})
SCRIPT = [
    *closed_hand("1"),
    ruled("r1", "Average for all four.", 1, ResultExcluded()),
    ruled("r2", "That ruling is revoked.", 1, revokes="r1"),
    *building(2),
    *play("E2p", 2),
    CALLED,
    ruled("r3", "Warning: South.", 2),
]


@pytest.fixture
def hall() -> Hall:
    """Deal 1 is released; in deal 2 the referee was called and has ruled."""
    hall = Hall(settings=OPEN)
    hall.feed(SCRIPT)
    hall.release()
    return hall


def test_a_referee_sees_everything_that_happened_at_the_table_he_opens_the_newest_first(hall: Hall) -> None:
    hall.log_in()
    page = hall.client.get("/table/1/history").text
    words = words_of(page)
    places = [
        words.index(said) for said in ("Warning: South.", "The referee is called.", "That ruling is revoked.", "Average for all four.")
    ]
    assert places == sorted(places)
    assert "<del>Average for all four.</del>" in page
    assert "By Aono" in words
    assert any(look.table == "1" for look in hall.desk.looks), "the look at an unreleased deal is written down"


def test_others_of_the_staff_see_no_ruling_on_an_unreleased_deal(hall: Hall) -> None:
    enrol(hall.staff, "Dir", roles={Role.DIRECTOR})
    hall.log_in("Dir")
    words = words_of(hall.client.get("/table/1/history").text)
    assert "Average for all four." in words
    assert "The referee is called." in words
    assert "Warning: South." not in words


@pytest.mark.parametrize("path", ["/table/9/history", "/player/999/history"])
def test_the_history_of_nothing_is_a_sentence(hall: Hall, path: str) -> None:
    hall.log_in()
    assert hall.client.get(path).status_code == 404


def test_a_players_history_has_who_played_for_whom_and_why() -> None:
    hall = Hall(settings=OPEN)
    more = EntrantsEntered((EnteredPlayer("17", substitute=True),))
    hall.manage(*PREPARED, more, SessionStarted(1), SubstituteSeated(1, "1", "17", "fell ill"))
    hall.log_in()
    for number in ("1", "17"):
        words = words_of(hall.client.get(f"/player/{number}/history").text)
        assert "Session 1: 17 plays for 1. fell ill By Ota" in words
    assert "Nothing has happened here." in words_of(hall.client.get("/player/2/history").text)
    assert '<a href="/player/1/history">History</a>' in hall.client.get("/player/1").text
    assert "/history" not in hall.new_client().get("/player/1").text


def test_a_players_history_has_the_sessions_in_which_his_entrant_is_absent() -> None:
    hall = Hall(settings=OPEN)
    hall.manage(*PREPARED, EntrantAbsent("1", 2, "a train"), EntrantPresent("1", 2))
    hall.log_in()
    words = words_of(hall.client.get("/player/1/history").text)
    assert "1 is absent in session 2. a train By Ota" in words
    assert "1 plays session 2 after all. By Ota" in words


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_of_rulings_stand_in_three_languages_on_one_page(hall: Hall, language: str) -> None:
    hall.log_in()
    page = words_of(hall.client.get(f"/rulings?lang={language}").text)
    for text in ("Warning: South. Play goes on.", "南家", "The hand is annulled: average for all four."):
        assert text in page
