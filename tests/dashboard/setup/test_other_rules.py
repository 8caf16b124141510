"""The rule set turns out wrong after the start: the page says the way, the session goes on as a new one, or the people as a new event."""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from dashboard.events_folder import EventsFolder
from dashboard.i18n.words import Words
from dashboard.pages.events.event_choice import EventChoice
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.setup import SetUp, says
from tests.support.event.managed import INDIVIDUAL, PREPARED, PREPARED_TEAMS, TABLES, rows
from tests.support.wire.streams import START
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.field import EventField
from twinwall.event.management.change_checks import Why, refusal
from twinwall.event.management.changes import EventChange, SessionEnded, SessionReopened, SessionStarted
from twinwall.event.management.managed_event import EventStage, apply, managed_event
from twinwall.event.player_names import PlayerNames, read_names
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_reading import read_store


def order(director: SetUp, do: str, session: int) -> int:
    return director.send("/event/sessions", do=do, session=session).status_code


@pytest.mark.parametrize("language", LANGUAGES)
def test_after_the_start_the_page_greys_out_what_is_fixed_and_says_the_way(director: SetUp, language: Language) -> None:
    words = Words(language)
    director.manage(*PREPARED)
    assert "disabled" not in director.page("/event/description")
    director.manage(SessionStarted(1))
    page = html.unescape(director.page(f"/event/description?lang={language}"))
    assert words("describe.fixed") in page
    assert 'href="/event/sessions"' in page
    assert re.search(r'<fieldset class="card rules" disabled>', page)
    director.manage(SessionEnded(1))
    page = html.unescape(director.page("/event/description"))
    assert words("describe.fixed.between") in page
    assert re.search(r'<fieldset class="card rules">', page), "from the next session on there may be others"
    assert re.search(r'name="hands"[^>]* disabled', page)


def test_what_a_browser_does_not_send_of_fixed_fields_stays_and_what_is_free_is_saved(director: SetUp) -> None:
    director.manage(*PREPARED, SessionStarted(1))
    free = {"sessions": "3", "groups": "fixed", "play_order": "barometer", "names": "initials", "seat_check": "true", "minutes": ""}
    assert director.send("/event/description", do="save", **free).status_code == 303
    described = director.event.description
    assert described is not None
    assert (described.rules, described.sessions, described.names) == ("mcr-duplicate", 3, "initials")
    assert says(director.describe(described, rules="sichuan"), "refusal.already-played", session=1, name="")


@pytest.mark.parametrize("prepared", [PREPARED, PREPARED_TEAMS], ids=["individual", "team"])
@pytest.mark.parametrize("ended", [False, True])
def test_a_session_goes_on_as_a_new_one_with_the_same_people_and_other_rules(
    director: SetUp, prepared: Sequence[EventChange], ended: bool
) -> None:
    director.manage(*prepared, SessionStarted(1), *([SessionEnded(1)] if ended else []))
    assert Words("en")("sessions.go-on") in director.page("/event/sessions")
    assert order(director, "go-on", 1) == 303
    event = director.event
    assert (event.stage, event.next_session, event.seats(2)) == (EventStage.BETWEEN, 2, event.seats(1))
    assert event.description is not None
    assert director.describe(event.description, **{"mcr-duplicate.minimum": "6"}).status_code == 303
    assert order(director, "start", 2) == 303
    assert director.event.description is not None
    assert director.event.description.options == {"minimum": 6}


def test_another_director_s_change_is_not_overrun_and_then_nothing_has_changed(director: SetUp) -> None:
    director.manage(*PREPARED, SessionStarted(1))
    answer = director.send("/event/sessions", director.event.version - 1, do="go-on", session=1)
    assert says(answer, "refusal.changed")
    assert director.event.stage is EventStage.PLAYING


def test_a_session_of_other_rules_is_not_played_on() -> None:
    event = managed_event((*PREPARED, SessionStarted(1), SessionEnded(1)))
    assert refusal(event, SessionReopened(1)) is None
    refused = refusal(apply(event, structs.replace(INDIVIDUAL, rules="sichuan")), SessionReopened(1))
    assert refused is not None
    assert refused.why is Why.NOT_REOPENED


def test_a_new_event_begins_with_the_same_people_while_what_was_played_stays(tmp_path: Path) -> None:
    folder = EventsFolder(tmp_path / "events", TABLES, lambda name: Programme(name, EventField(EntrantKind.INDIVIDUAL, ())))
    choice = EventChoice(folder, lambda: START, None, lambda: None)
    names = tmp_path / "players.json"
    names.write_bytes(PlayerNames({"1": "Li Na"}).document)
    hall = Hall(settings=replace(OPEN, names=names), event_choice=choice)
    hall.manage(*PREPARED, SessionStarted(1), SessionEnded(1), rows(2))
    hall.log_in()
    page = hall.client.get("/hall-events").text
    assert Words("en")("events.same") in page
    form = {"do": "new", "name": "Once more", "same": "1"}
    assert hall.submit("/hall-events", form).status_code == 200
    begun = folder.opened()
    assert begun is not None
    event = managed_event(step.change for step in load(read_store(begun.store)).steps)
    before = hall.desk.event
    assert (event.players, event.tables, event.seatings) == (before.players, before.tables, {1: before.seatings[1]})
    assert (event.description, event.sessions) == (before.description, ())
    assert read_names(begun.names.read_bytes()).by_number == {"1": "Li Na"}
