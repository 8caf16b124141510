"""The seats of a session: proposed, swapped, saved, and refused where they cannot be."""

import pytest

from dashboard.i18n.words import Words
from dashboard.pages.setup.setup_steps import setup_steps
from tests.support.dashboard.setup import SIXTEEN, TEAM_LIST, SetUp, plan_in, says
from twinwall.event.management.changes import EnteredPlayer, EntrantsEntered, EventDescribed, SessionEnded, SessionStarted, TablesChosen


def test_a_proposal_is_saved_with_the_names_of_its_tables(director: SetUp) -> None:
    director.prepared()
    page = director.page("/event/seating")
    assert says(page, "seating.is-proposed")
    assert director.event.seatings == {}
    answer = director.send("/event/seating", do="save", plan=director.plan())
    assert answer.location == "/event/seating?session=1"
    assert director.event.tables == ("1", "2", "3", "4")
    assert len(director.event.seats(1)) == 4
    assert says(director.page("/event/seating"), "seating.is-saved")


def test_five_sessions_are_seated_one_after_the_other_and_everybody_meets_everybody_once(director: SetUp) -> None:
    director.prepared()
    for session in range(1, 6):
        assert director.send("/event/seating", do="save", plan=director.plan(session)).status_code == 303
    page = director.page("/event/seating?session=5")
    assert "<td>1–1</td><td>1–1" in page
    assert says(page, "balance.best")


def test_two_who_are_chosen_change_seats_and_nothing_is_saved_before_it_is_pressed(director: SetUp) -> None:
    director.prepared(*SIXTEEN, "Quin")
    plan = director.plan()
    answer = director.send("/event/seating", do="swap", plan=plan, seat=["1", "17"])
    assert answer.status_code == 200
    assert says(answer, "seating.is-proposed")
    assert director.event.seatings == {}
    swapped = plan.replace('"17"', '"x"').replace('"1",', '"17",', 1).replace('"x"', '"1"')
    director.send("/event/seating", do="save", plan=swapped)
    assert director.event.seatings[1].sitting_out == ("1",)


@pytest.mark.parametrize("chosen", [[], ["1"], ["1", "2", "3"], ["1", "99"]])
def test_two_must_be_chosen(director: SetUp, chosen: list[str]) -> None:
    director.prepared()
    answer = director.send("/event/seating", do="swap", plan=director.plan(), seat=chosen)
    assert answer.status_code == 409
    assert says(answer, "seating.choose-two")


def test_seats_that_are_saved_stay_so_where_a_swap_is_refused_and_the_choice_stays(director: SetUp) -> None:
    director.prepared()
    director.send("/event/seating", do="save", plan=director.plan())
    answer = director.send("/event/seating", do="swap", plan=director.plan(), seat=["3"])
    assert says(answer, "seating.is-saved")
    assert 'value="3" checked' in answer.text
    assert answer.text.count(" checked") == 1
    there = director.send("/event/seating", do="swap", plan=director.plan(), seat=["3", "5"])
    assert says(there, "seating.is-proposed")


def test_whoever_is_entered_after_the_seats_were_saved_is_named_until_they_are_seated_anew(director: SetUp) -> None:
    director.prepared()
    director.send("/event/seating", do="save", plan=director.plan())
    assert 'id="unseated"' not in director.page("/event/seating") + director.page("/event/sessions")
    director.enter("Quin")
    notice = Words("en")("seating.unseated", count=1, button=Words("en")("seating.propose"))
    for page in ("/event/seating", "/event/sessions"):
        assert notice in director.page(page), page
    assert "Quin" in director.page("/event/seating")
    assert 'class="button main"' not in director.page("/event/seating"), "the next step is this one"
    assert [step.key for step in setup_steps(director.event, deals_made=False, endpoints=()) if step.following] == ["seating"]
    answer = director.send("/event/seating", do="propose", plan=director.plan())
    assert notice not in answer.text
    director.send("/event/seating", do="save", plan=plan_in(answer.text))
    assert director.event.unseated(1) == ()


def test_a_team_that_is_entered_after_the_seats_were_saved_is_named_until_they_are_seated_anew(director: SetUp) -> None:
    director.describe(EventDescribed("team", "mcr-duplicate"))
    director.enter(TEAM_LIST)
    director.send("/event/seating", do="save", plan=director.plan())
    assert director.event.unseated(1) == ()
    director.enter("\n".join(["team,name", *(f"1,Late {number}" for number in "1234")]))
    assert director.event.unseated(1) == ("1",)
    page = director.page("/event/seating")
    assert page[page.index('id="unseated"') :].partition("</p>")[0].endswith("<bdi>1</bdi>")


def test_who_needs_a_seat_is_pinned_there(director: SetUp) -> None:
    director.prepared()
    director.manage(EntrantsEntered((EnteredPlayer("7", table="3", place=2), EnteredPlayer("9", table="12"))))
    page = director.page("/event/seating")
    assert 'id="seat-7"' not in page
    assert says(page, "seating.unmet")
    director.send("/event/seating", do="save", plan=director.plan())
    assert director.event.seat_of(1, "7") == ("3", 2)


def test_teams_are_seated_and_players_of_two_teams_are_not_swapped(director: SetUp) -> None:
    director.describe(EventDescribed("team", "mcr-duplicate"))
    director.enter(TEAM_LIST)
    plan = director.plan()
    wrong = plan.replace('"1"', '"x"').replace('"5"', '"1"').replace('"x"', '"5"')
    answer = director.send("/event/seating", do="save", plan=wrong)
    assert answer.status_code == 409
    assert director.event.seatings == {}
    assert director.send("/event/seating", do="save", plan=plan).status_code == 303
    assert set(director.event.seatings[1].groups[0].teams) == {"Plum", "Orchid", "Bamboo", "Rose"}


def test_a_session_that_has_begun_keeps_its_seats(director: SetUp) -> None:
    director.prepared()
    plan = director.plan()
    director.send("/event/seating", do="save", plan=plan)
    director.manage(SessionStarted(1))
    page = director.page("/event/seating?session=1")
    assert says(page, "seating.begun")
    assert 'value="save"' not in page
    answer = director.send("/event/seating", do="save", plan=plan)
    assert answer.status_code == 409
    assert says(answer, "refusal.already-played", session=1)


def test_when_all_planned_sessions_have_begun_another_one_is_proposed_only_where_it_is_asked_for(director: SetUp) -> None:
    director.describe(EventDescribed("individual", "mcr-duplicate", sessions=1))
    director.enter("\n".join(SIXTEEN))
    assert not says(director.page("/event/seating"), "seating.beyond", session=1)
    director.send("/event/seating", do="save", plan=director.plan())
    director.manage(SessionStarted(1), SessionEnded(1))
    page = director.page("/event/seating")
    assert says(page, "seating.begun")
    assert 'href="/event/seating?session=2"' in page
    assert says(director.page("/event/seating?session=2"), "seating.beyond", session=2)


def test_groups_by_standing_are_proposed_when_the_session_before_is_over(director: SetUp) -> None:
    director.describe(EventDescribed("individual", "mcr-duplicate", sessions=2, groups="by-standing"))
    director.enter("\n".join(SIXTEEN))
    assert says(director.page("/event/seating?session=2"), "seating.later")
    director.send("/event/seating", do="save", plan=director.plan())
    director.manage(SessionStarted(1), SessionEnded(1))
    assert says(director.page("/event/seating?session=2"), "seating.is-proposed")


def test_tables_that_are_chosen_give_their_names(director: SetUp) -> None:
    director.prepared()
    director.manage(TablesChosen(("Red", "Blue", "Jade", "Gold")))
    director.send("/event/seating", do="save", plan=director.plan())
    assert list(director.event.seats(1)) == ["Red", "Blue", "Jade", "Gold"]


def test_too_few_are_said_so(director: SetUp) -> None:
    director.prepared("Ida", "Jun")
    page = director.page("/event/seating")
    assert says(page, "seating.too-few")
    assert says(page, "plan.few.individual", entrants=2, missing=2)


def test_a_page_of_an_earlier_version_saves_nothing(director: SetUp) -> None:
    director.prepared()
    plan, seen = director.plan(), director.event.version
    director.enter("Quin")
    answer = director.send("/event/seating", seen, do="save", plan=plan)
    assert answer.status_code == 409
    assert says(answer, "refusal.changed")
    assert says(answer, "change.entrants-entered", count=1, names="17 \u2068Quin\u2069")
    assert director.event.tables == ()


@pytest.mark.parametrize("plan", ["", "{}", '{"type":"session-seated","session":0,"groups":[]}', '{"type":"clocks-paused"}', "\ud800"])
def test_seats_that_no_page_of_ours_carries_are_refused(director: SetUp, plan: str) -> None:
    director.prepared()
    assert director.send("/event/seating", do="save", plan=plan.encode("utf-8", "replace")).status_code == 400
    assert director.hall.client.get("/event/seating?session=99").status_code == 404
