"""Numbers that are no multiple of four: what can be done is said with who sits out when, chosen on the page, seated, and scored so."""

import html
import re
import sys
from pathlib import Path

import pytest

from tests.support.dashboard.setup import SIXTEEN, SetUp, says
from tests.support.event.sessions import Play, paid, release, take
from twinwall.event.management.changes import EventDescribed, SessionSeated, SessionStarted, read_change
from twinwall.event.movements.solver import solve
from twinwall.game.documents import parse_object

SEVENTEEN = [*SIXTEEN, "Player Quin"]


@pytest.fixture
def director(tmp_path: Path) -> SetUp:
    return SetUp(tmp_path)


def seated(director: SetUp, session: int) -> SessionSeated:
    """Save the seats that the page proposes for a session."""
    plan = director.plan(session)
    assert director.send("/event/seating", do="save", plan=plan).status_code == 303
    change = read_change(parse_object(plan.encode()))
    assert isinstance(change, SessionSeated)
    return change


def rota(director: SetUp) -> list[list[str]]:
    """The names that the page of the entrants announces to sit out, session by session."""
    found = re.search(r'<ol class="rota">(.*?)</ol>', director.page("/event/entrants"), re.DOTALL)
    assert found is not None
    items = re.findall(r"<li[^>]*>(.*?)</li>", found[1], re.DOTALL)
    return [re.findall(r"Player \w+", re.sub(r"<[^>]+>", "", html.unescape(item))) for item in items]


def test_the_sessions_in_which_people_sit_out_are_named(director: SetUp) -> None:
    director.prepared(*SIXTEEN, "Quin")
    page = director.page("/event/entrants")
    assert "nobody in more than 1 of them" in page
    assert re.findall(r"<li>(Session \d): ", page) == [f"Session {number}" for number in range(1, 6)]


@pytest.mark.parametrize(("count", "out"), [(13, 1), (14, 2), (15, 3), (17, 1)])
def test_those_sit_out_whom_the_page_has_named_before_anything_was_played(director: SetUp, count: int, out: int) -> None:
    director.prepared(*SEVENTEEN[:count])
    announced = rota(director)
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
    director.describe(EventDescribed("team", "mcr-duplicate"))
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
    director.manage(SessionStarted(1))
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
    page = director.page("/event/seating?session=2")
    assert says(page, "seating.without-solver")
    assert len(seated(director, 2).groups[0].tables) == 4
