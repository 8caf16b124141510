"""The steps, the description and the seats of an event: what they save, what is refused, and what two directors at once see."""

import pytest

from dashboard.i18n.words import Words
from dashboard.pages.setup.description_form import CHOICES, NEW_EVENT, NUMBERS, all_options, read_description, shown_values
from dashboard.pages.setup.setup_frame import setup_steps
from tests.support.dashboard.setup import SIXTEEN, TEAM_LIST, SetUp, plan_in, refused, says
from tests.support.game.toy_rules.added import NAME, toy_rules_added
from tests.support.narrowed import present
from twinwall.art.names import LANGUAGES
from twinwall.event.management.change_checks import Why
from twinwall.event.management.changes import (
    EnteredPlayer,
    EntrantsEntered,
    EventChange,
    EventDescribed,
    SessionEnded,
    SessionStarted,
    TablesChosen,
)
from twinwall.event.management.entrant_list import LineProblem
from twinwall.event.movements.balance import Respect
from twinwall.game.rules import rule_set_names


def test_the_steps_say_which_is_next(director: SetUp) -> None:
    assert director.page("/event").count(Words("en")("step.is.following")) == 2
    director.prepared()
    overview = director.page("/event")
    assert 'class="done"' in overview
    assert "16 players, 4 tables, 5 sessions, every pair meets once; about 2 h 10 a session." in overview


def test_an_event_with_the_values_that_the_page_offers_is_individual_mcr_over_the_whole_field(director: SetUp) -> None:
    assert "An example" in director.page("/event/description")
    assert director.describe().location == "/event/entrants"
    assert director.event.description == NEW_EVENT
    assert NEW_EVENT.points == "cross-imp"
    director.describe(kind="team")
    assert present(director.event.description).points == "imp"
    director.describe(sessions="３", hands="８", weights="１，２\u3000３／２")
    described = present(director.event.description)
    assert (described.sessions, described.hands, described.weights) == (3, 8, ("1", "2", "3/2")), "numbers may be typed full-width"


@pytest.mark.parametrize(
    "described",
    [
        EventDescribed("team", "sichuan", {"cap": "none", "rate": 2, "jiang_dui": True}, sessions=3, points="rank", seat_check=False),
        EventDescribed("individual", "sichuan", sessions=3, weights=("1", "3/2", "2")),
        EventDescribed("individual", "mcr-duplicate", points="imp"),
        EventDescribed("individual", "yangzhou", {"minimum": 18, "values": 7}, hands=8, minutes=45, groups="by-standing", names="number"),
        EventDescribed(
            "individual", "mcr-duplicate", {"false_win": "imp-8", "mixed_kongs": False}, carry_over="1/3", play_order="staggered"
        ),
    ],
)
def test_every_value_comes_back_as_it_was_saved(director: SetUp, described: EventDescribed) -> None:
    assert director.describe(described).status_code == 303
    assert director.event.description == described
    assert read_description(shown_values(described)) == described


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sessions", "0"),
        ("hands", "17"),
        ("minutes", "2 h"),
        ("kind", "pairs"),
        ("rules", "poker"),
        ("mcr-duplicate.minimum", "-1"),
        ("weights", "1, 1/0"),
        ("weights", "1 1 1 1 1 1"),
        ("weights", "much"),
    ],
)
def test_a_value_that_cannot_be_is_marked_and_nothing_is_saved(director: SetUp, field: str, value: str) -> None:
    answer = director.describe(**{field: value})
    refused(answer, "describe.problem")
    assert f'id="problem-{field}"' in answer.text
    assert director.event.version == 0


@pytest.mark.parametrize(
    ("typed", "time"),
    [({}, "2 h 10"), ({"hands": "8"}, "1 h 05"), ({"hands": "4"}, "32 minutes"), ({"hands": "4", "minutes": "50"}, "50 minutes")],
)
def test_the_summary_follows_the_form_without_saving(director: SetUp, typed: dict[str, str], time: str) -> None:
    answer = director.send("/event/description", do="look", **{**shown_values(NEW_EVENT), "sessions": "3", **typed})
    assert f"16 players, 4 tables, 3 sessions, no pair meets twice; about {time} a session." in answer.text
    assert director.event.description is None


@pytest.mark.parametrize("page", ["description", "seating"])
def test_a_page_of_an_earlier_version_overwrites_nothing_and_says_what_another_director_changed(director: SetUp, page: str) -> None:
    director.prepared()
    fields = {"plan": director.plan()} if page == "seating" else shown_values(EventDescribed("team", "mcr-duplicate"))
    seen = director.event.version
    director.enter("Quin")
    answer = director.send(f"/event/{page}", seen, do="save", **fields)
    refused(answer, "refusal.changed")
    assert says(answer, "change.entrants-entered", count=1, names="17 \u2068Quin\u2069")
    assert (director.event.description, director.event.tables) == (NEW_EVENT, ())


def test_options_that_contradict_each_other_and_what_no_page_of_ours_sends_are_refused(director: SetUp) -> None:
    answer = director.describe(rules="yangzhou", **{"yangzhou.minimum": "9"})
    assert (answer.status_code, says(answer, "describe.problem.options")) == (409, True)
    assert director.send("/event/description", do="save").status_code == 409
    assert director.hall.submit("/event/description", {"seen": "x"}).status_code == 400
    director.prepared()
    for plan in ("", "{}", '{"type":"session-seated","session":0,"groups":[]}', '{"type":"clocks-paused"}', "\ud800"):
        assert director.send("/event/seating", do="save", plan=plan.encode("utf-8", "replace")).status_code == 400, plan
    assert director.hall.client.get("/event/seating?session=99").status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_a_page_can_say_has_its_words(language: str) -> None:
    words = Words("en" if language == "en" else "ja" if language == "ja" else "zh-Hans")
    keys = [f"refusal.{why.value}" for why in Why] + [f"line.{problem.value}" for problem in LineProblem]
    keys += [f"balance.{respect.value.replace(' ', '-')}" for respect in Respect]
    keys += [f"describe.{field}.{choice}{end}" for field, choices in CHOICES.items() for choice in choices for end in ("", ".follows")]
    keys += [f"describe.{field}{end}" for field in NUMBERS for end in ("", ".follows")]
    keys += [f"rules.{rules}{end}" for rules in rule_set_names() for end in ("", ".follows")]
    for fields in all_options().values():
        keys += [each.key for each in fields]
        words_of = [(each, choice) for each in fields if each.shape == "choice" for choice in each.option.choices]
        keys += [f"{each.key}.{choice}" for each, choice in words_of if isinstance(choice, str) and choice != "none"]
    keys += [f"change.{change.__struct_config__.tag}" for change in EventChange.__args__]
    assert [key for key in keys if key not in words] == []


def test_a_rule_set_that_somebody_has_added_is_offered_by_its_name(director: SetUp) -> None:
    with toy_rules_added():
        page = director.page("/event/description")
        assert f'value="{NAME}"> <span>{NAME} ' in page
        assert f'<label for="{NAME}-points">points</label>' in page
        described = EventDescribed("individual", NAME, {"points": 5}, sessions=2)
        assert director.describe(described).status_code == 303
        assert director.event.description == described
        assert f'value="{NAME}" checked' in director.page("/event/description")


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


def test_two_must_be_chosen_and_where_a_swap_is_refused_seats_that_are_saved_stay_so_with_the_choice(director: SetUp) -> None:
    director.prepared()
    director.send("/event/seating", do="save", plan=director.plan())
    for chosen in ([], ["1"], ["1", "2", "3"], ["1", "99"]):
        refused = director.send("/event/seating", do="swap", plan=director.plan(), seat=chosen)
        assert (refused.status_code, says(refused, "seating.choose-two"), says(refused, "seating.is-saved")) == (409, True, True)
        assert refused.text.count(" checked") == len({*chosen} - {"99"})
        assert all(f'value="{number}" checked' in refused.text for number in chosen if number != "99")
    assert says(director.send("/event/seating", do="swap", plan=director.plan(), seat=["3", "5"]), "seating.is-proposed")


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
    assert [step["key"] for step in setup_steps(director.event, deals_made=False, endpoints=()) if step["following"]] == ["seating"]
    answer = director.send("/event/seating", do="propose", plan=director.plan())
    assert notice not in answer.text
    director.send("/event/seating", do="save", plan=plan_in(answer.text))
    assert director.event.unseated(1) == ()


def test_teams_are_seated_without_swaps_between_them_and_one_that_is_entered_later_is_named(director: SetUp) -> None:
    director.describe(EventDescribed("team", "mcr-duplicate"))
    director.enter(TEAM_LIST)
    plan = director.plan()
    answer = director.send("/event/seating", do="save", plan=plan.replace('"1"', '"x"').replace('"5"', '"1"').replace('"x"', '"5"'))
    assert (answer.status_code, director.event.seatings) == (409, {})
    assert director.send("/event/seating", do="save", plan=plan).status_code == 303
    assert set(director.event.seatings[1].groups[0].teams) == {"Plum", "Orchid", "Bamboo", "Rose"}
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


def test_a_session_that_has_begun_keeps_its_seats(director: SetUp) -> None:
    director.prepared()
    plan = director.plan()
    director.send("/event/seating", do="save", plan=plan)
    director.manage(SessionStarted(1))
    page = director.page("/event/seating?session=1")
    assert says(page, "seating.begun")
    assert 'value="save"' not in page
    refused(director.send("/event/seating", do="save", plan=plan), "refusal.already-played", session=1)


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


def test_too_few_are_said_so_and_groups_by_standing_are_proposed_when_the_session_before_is_over(director: SetUp) -> None:
    director.describe(EventDescribed("individual", "mcr-duplicate", sessions=2, groups="by-standing"))
    director.enter("Ida\nJun")
    page = director.page("/event/seating")
    assert says(page, "seating.too-few")
    assert says(page, "plan.few.individual", entrants=2, missing=2)
    director.enter("\n".join(SIXTEEN[2:]))
    assert says(director.page("/event/seating?session=2"), "seating.later")
    director.send("/event/seating", do="save", plan=director.plan())
    director.manage(SessionStarted(1), SessionEnded(1))
    assert says(director.page("/event/seating?session=2"), "seating.is-proposed")


@pytest.mark.parametrize("tables", [("1", "2", "3", "4"), ("Red", "Blue", "Jade", "Gold")])
def test_a_proposal_is_saved_with_the_names_of_its_tables(director: SetUp, tables: tuple[str, ...]) -> None:
    director.prepared()
    if tables[0] == "Red":
        director.manage(TablesChosen(tables))
    assert says(director.page("/event/seating"), "seating.is-proposed")
    assert director.event.seatings == {}
    assert director.send("/event/seating", do="save", plan=director.plan()).location == "/event/seating?session=1"
    assert (director.event.tables, tuple(director.event.seats(1))) == (tables, tables)
    assert says(director.page("/event/seating"), "seating.is-saved")
