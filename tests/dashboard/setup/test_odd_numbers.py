"""Players are no multiple of four, or the rule set turns out wrong after the start: the pages say what can be done, and do it."""

import html
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from dashboard.events_folder import EventsFolder
from dashboard.i18n.words import Words
from dashboard.pages.events.event_choice import EventChoice
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.setup import SIXTEEN, SetUp, says
from tests.support.event.managed import INDIVIDUAL, PREPARED, PREPARED_TEAMS, TABLES, rows
from tests.support.event.sessions import Play, paid, release, take
from tests.support.narrowed import of_type, present
from tests.support.wire.streams import START
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.field import EventField
from twinwall.event.management import changes
from twinwall.event.management.change_checks import Why, refusal
from twinwall.event.management.managed_event import EventStage, apply, managed_event
from twinwall.event.movements.solver import solve
from twinwall.event.player_names import PlayerNames, read_names
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_rows import read_store
from twinwall.game.documents import parse_object

SEVENTEEN = [*SIXTEEN, "Player Quin"]


def seated(director: SetUp, session: int) -> changes.SessionSeated:
    """Save the seats that the page proposes for a session."""
    plan = director.plan(session)
    assert director.send("/event/seating", do="save", plan=plan).status_code == 303
    return of_type(changes.SessionSeated, changes.read_change(parse_object(plan.encode())))


def rota(director: SetUp) -> list[list[str]]:
    """The names that the page of the entrants announces to sit out, session by session."""
    found = present(re.search(r'<ol class="rota">(.*?)</ol>', director.page("/event/entrants"), re.DOTALL))
    items = re.findall(r"<li[^>]*>(.*?)</li>", found[1], re.DOTALL)
    return [re.findall(r"Player \w+", re.sub(r"<[^>]+>", "", html.unescape(item))) for item in items]


@pytest.mark.parametrize(("count", "out"), [(13, 1), (14, 2), (15, 3), (17, 1)])
def test_those_sit_out_whom_the_page_has_named_before_anything_was_played(director: SetUp, count: int, out: int) -> None:
    director.prepared(*SEVENTEEN[:count])
    page, announced = director.page("/event/entrants"), rota(director)
    assert count < 17 or "nobody in more than 1 of them" in page
    assert re.findall(r"<li>(Session \d): ", page) == [f"Session {number}" for number in range(1, 6)]
    assert [len(names) for names in announced] == [out] * 5
    for session in (1, 2):
        sitting_out = seated(director, session).sitting_out
        assert sorted(director.names[number] for number in sitting_out) == sorted(announced[session - 1])


@pytest.mark.parametrize(("count", "more"), [(13, 3), (14, 2), (15, 1), (17, 3), (5, 3)])
def test_substitutes_fill_the_seats_where_the_director_chooses_so(director: SetUp, count: int, more: int) -> None:
    director.prepared(*SEVENTEEN[:count])
    assert director.send("/event/entrants", do="fill").status_code == 303
    assert len(director.event.unranked) == more
    seating = seated(director, 1)
    assert seating.sitting_out == ()
    sitting = {player for group in seating.groups for at in group.tables for player in at.players}
    assert sitting == set(director.event.players)
    assert says(director.page("/event/entrants"), "field.chosen")
    assert director.event.entrants(1) == tuple(map(str, range(1, count + 1))), "they are no entrants"


def test_phantom_teams_fill_groups_of_teams(director: SetUp) -> None:
    director.describe(changes.EventDescribed("team", "mcr-duplicate"))
    teams = ("Plum", "Orchid", "Bamboo")
    assert director.enter("\n".join(["team,name", *(f"{team},{team} {n}" for team in teams for n in "1234")])).status_code == 303
    assert director.send("/event/entrants", do="fill").status_code == 303
    assert director.event.unranked == {"Phantom team 1"}
    assert director.event.teams["Phantom team 1"].players == ("13", "14", "15", "16")
    (group,) = seated(director, 1).groups
    assert set(group.teams) == {*teams, "Phantom team 1"}


def test_the_choice_can_be_taken_back_until_seats_are_saved(director: SetUp) -> None:
    director.prepared(*SIXTEEN[:15])
    director.send("/event/entrants", do="fill")
    assert director.send("/event/entrants", do="fill").status_code == 409
    assert director.send("/event/entrants", do="sit-out").status_code == 303
    assert director.event.unranked == frozenset()
    assert len(seated(director, 1).sitting_out) == 3
    assert director.send("/event/entrants", do="sit-out").status_code == 409
    director.send("/event/entrants", do="fill")
    assert says(director.page("/event/seating?session=1"), "seating.is-saved"), "saved seats stay until the director saves others"


def test_a_substitute_is_in_no_standing_and_the_others_are_compared_with_him(director: SetUp) -> None:
    director.prepared(*SIXTEEN[:15])
    director.send("/event/entrants", do="fill")
    seating = seated(director, 1)
    director.manage(changes.SessionStarted(1))
    tables = [(at.table, at.players) for group in seating.groups for at in group.tables]
    plays = [Play(1, 1, 1, table, players, paid(0 if "16" in players else 1, 16, None)) for table, players in tables]
    hall = director.hall.desk.hall
    take(hall, plays)
    release(hall, plays)
    assert {at.entrant for at in hall.standings().ranking} == set(map(str, range(1, 16)))
    (group,) = hall.comparison().comparison.groups
    assert {at.entrant for at in group.ranking} == set(map(str, range(1, 16)))
    assert len(group.deals[0].entries) == 16, "the means count his results"


def test_without_the_solver_a_built_in_movement_is_offered_and_a_sentence_says_so(director: SetUp, monkeypatch: pytest.MonkeyPatch) -> None:
    director.prepared(*SEVENTEEN)
    assert not says(director.page("/event/seating?session=1"), "seating.without-solver")
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    monkeypatch.setattr(sys, "path", [])
    solve.cache_clear()
    assert says(director.page("/event/seating?session=2"), "seating.without-solver")
    assert len(seated(director, 2).groups[0].tables) == 4


def order(director: SetUp, do: str, session: int) -> int:
    return director.send("/event/sessions", do=do, session=session).status_code


@pytest.mark.parametrize("language", LANGUAGES)
def test_after_the_start_the_page_greys_out_what_is_fixed_and_says_the_way(director: SetUp, language: Language) -> None:
    words = Words(language)
    director.manage(*PREPARED)
    assert "disabled" not in director.page("/event/description")
    director.manage(changes.SessionStarted(1))
    page = html.unescape(director.page(f"/event/description?lang={language}"))
    must_say(page, words("describe.fixed"), 'href="/event/sessions"')
    assert re.search(r'<fieldset class="card rules" disabled>', page)
    director.manage(changes.SessionEnded(1))
    page = html.unescape(director.page("/event/description"))
    assert words("describe.fixed.between") in page
    assert re.search(r'<fieldset class="card rules">', page), "from the next session on there may be others"
    assert re.search(r'name="hands"[^>]* disabled', page)


def test_what_a_browser_does_not_send_of_fixed_fields_stays_and_what_is_free_is_saved(director: SetUp) -> None:
    director.manage(*PREPARED, changes.SessionStarted(1))
    free = {"sessions": "3", "groups": "fixed", "play_order": "barometer", "names": "initials", "seat_check": "true", "minutes": ""}
    assert director.send("/event/description", do="save", **free).status_code == 303
    described = present(director.event.description)
    assert (described.rules, described.sessions, described.names) == ("mcr-duplicate", 3, "initials")
    assert says(director.describe(described, rules="sichuan"), "refusal.already-played", session=1, name="")


@pytest.mark.parametrize("prepared", [PREPARED, PREPARED_TEAMS], ids=["individual", "team"])
@pytest.mark.parametrize("ended", [False, True])
def test_a_session_goes_on_as_a_new_one_with_the_same_people_and_other_rules(
    director: SetUp, prepared: Sequence[changes.EventChange], ended: bool
) -> None:
    director.manage(*prepared, changes.SessionStarted(1), *([changes.SessionEnded(1)] if ended else []))
    assert Words("en")("sessions.go-on") in director.page("/event/sessions")
    assert order(director, "go-on", 1) == 303
    event = director.event
    assert (event.stage, event.next_session, event.seats(2)) == (EventStage.BETWEEN, 2, event.seats(1))
    assert director.describe(present(event.description), **{"mcr-duplicate.minimum": "6"}).status_code == 303
    assert order(director, "start", 2) == 303
    assert present(director.event.description).options == {"minimum": 6}


def test_another_director_s_change_is_not_overrun_and_then_nothing_has_changed(director: SetUp) -> None:
    director.manage(*PREPARED, changes.SessionStarted(1))
    assert says(director.send("/event/sessions", director.event.version - 1, do="go-on", session=1), "refusal.changed")
    assert director.event.stage is EventStage.PLAYING


def test_a_session_of_other_rules_is_not_played_on() -> None:
    event = managed_event((*PREPARED, changes.SessionStarted(1), changes.SessionEnded(1)))
    assert refusal(event, changes.SessionReopened(1)) is None
    refused = present(refusal(apply(event, structs.replace(INDIVIDUAL, rules="sichuan")), changes.SessionReopened(1)))
    assert refused.why is Why.NOT_REOPENED


def test_a_new_event_begins_with_the_same_people_while_what_was_played_stays(tmp_path: Path) -> None:
    folder = EventsFolder(tmp_path / "events", TABLES, lambda name: Programme(name, EventField(EntrantKind.INDIVIDUAL, ())))
    choice = EventChoice(folder, lambda: START, None, lambda: None)
    names = tmp_path / "players.json"
    names.write_bytes(PlayerNames({"1": "Li Na"}).document)
    hall = Hall(settings=replace(OPEN, names=names), event_choice=choice)
    hall.manage(*PREPARED, changes.SessionStarted(1), changes.SessionEnded(1), rows(2))
    hall.log_in()
    assert Words("en")("events.same") in hall.client.get("/hall-events").text
    assert hall.submit("/hall-events", {"do": "new", "name": "Once more", "same": "1"}).status_code == 200
    begun = present(folder.opened())
    event = managed_event(step.change for step in load(read_store(begun.store)).steps)
    before = hall.desk.event
    assert (event.players, event.tables, event.seatings) == (before.players, before.tables, {1: before.seatings[1]})
    assert (event.description, event.sessions) == (before.description, ())
    assert read_names(begun.names.read_bytes()).by_number == {"1": "Li Na"}
