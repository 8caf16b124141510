"""After play a change is refused, or it changes no result that anybody saw: every kind of change × every stage of an event."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from dashboard.access.api_tokens import TokenScope, tokens_of
from dashboard.i18n.words import Words
from tests.support.dashboard.api import Program, api_token
from tests.support.dashboard.hall import Hall, must_say
from tests.support.dashboard.odd_events import OddEvent, Stage, odd_hall
from tests.support.dashboard.staff import NAME
from twinwall.event.management import change_checks
from twinwall.event.management.changes import (
    Announced,
    ClocksPaused,
    ClocksResumed,
    EnteredPlayer,
    EnteredTeam,
    EntrantAbsent,
    EntrantPresent,
    EntrantsEntered,
    EntrantsRemoved,
    EntrantWithdrawn,
    EventChange,
    EventClosed,
    EventDescribed,
    ResultsHeld,
    ResultsReleased,
    SessionEnded,
    SessionReopened,
    SessionStarted,
    SubstituteSeated,
    TablesChosen,
    change_document,
)

AFTER_START: tuple[Stage, ...] = ("started", "played", "released")
PLAYERS = OddEvent(stands_in=True, lacking=1)
TEAMS = OddEvent(team=True, stands_in=True, lacking=1)
A, B, RESERVE = ("1", "2", "3", "4"), ("5", "6", "7", "8"), TEAMS.stand_in
REFUSED: dict[str, tuple[OddEvent, EventChange]] = {
    "a team becomes a phantom": (TEAMS, EntrantsEntered(teams=(EnteredTeam("T2", B, phantom=True),))),
    "a phantom becomes a team": (TEAMS, EntrantsEntered(teams=(EnteredTeam("T4", ("13", "14", "15", "16")),))),
    "two teams swap their players": (TEAMS, EntrantsEntered(teams=(EnteredTeam("T1", B), EnteredTeam("T2", A)))),
    "a player goes to another team": (TEAMS, EntrantsEntered(teams=(EnteredTeam("T1", ("5", *A[1:])), EnteredTeam("T2", ("1", *B[1:]))))),
    "a team is removed": (TEAMS, EntrantsRemoved(teams=("T2",))),
    "teams become players": (TEAMS, EventDescribed("individual", "mcr-duplicate", sessions=2, hands=2)),
    "a player becomes a substitute": (PLAYERS, EntrantsEntered((EnteredPlayer("2", substitute=True),))),
    "a substitute becomes a player": (PLAYERS, EntrantsEntered((EnteredPlayer("16"),))),
    "a player is removed": (PLAYERS, EntrantsRemoved(("2",))),
    "other points": (PLAYERS, EventDescribed("individual", "mcr-duplicate", sessions=2, hands=2, points="rank")),
    "other rules": (PLAYERS, EventDescribed("individual", "sichuan", sessions=2, hands=2)),
}
"""What decides who is ranked, and for whom a result counts: free before the first session, refused from its start on."""
OTHERS: Sequence[EventChange] = (
    EntrantsEntered((EnteredPlayer("50"), EnteredPlayer("2", club="Riverside")), ()),
    EntrantsRemoved(("1",)),
    EntrantsRemoved((RESERVE,)),
    EntrantWithdrawn("2", 1, "left"),
    EntrantWithdrawn("2", 2, "left"),
    EntrantAbsent("2", 2, "ill"),
    EntrantPresent("2", 2),
    EventDescribed("individual", "mcr-duplicate", sessions=3, hands=2, names="number", play_order="staggered"),
    TablesChosen(("1", "2", "3")),
    TablesChosen(("4", "3", "2", "1")),
    replace(PLAYERS, stage="seated").seating(1),
    replace(PLAYERS, stage="seated").seating(2),
    SubstituteSeated(1, PLAYERS.stand_in, "1", "well again"),
    SubstituteSeated(1, "2", "1", "tired"),
    SubstituteSeated(1, "2", PLAYERS.stand_in, "ill"),
    SessionStarted(1),
    SessionEnded(1),
    SessionReopened(1),
    ClocksPaused(),
    ClocksResumed(),
    ResultsHeld(1),
    ResultsReleased(1),
    Announced({"en": "Tea"}),
    EventClosed(),
)


def results(hall: Hall) -> tuple[object, ...]:
    """What everybody sees of results: who is ranked where with what, each hand's scores, corrections, and each player's card."""
    program = program_of(hall, TokenScope.VIEWER)
    standings = {**program.read("/standings"), "withdrawn": (), "entered_again": ()}  # neither touches a place
    cards = [program.ask("GET", f"/players/{number}").get_json() for number in range(1, 17)]
    return standings, program.ask("GET", "/results.csv").text, [(card.get("team"), card.get("hands")) for card in cards]


@cache
def untouched(odd: OddEvent) -> tuple[object, ...]:
    """The results of an event of which nothing has been asked."""
    return results(odd_hall(odd))


def program_of(hall: Hall, scope: TokenScope) -> Program:
    """A program that has seen the event as it is; each has a token of its own."""
    label = f"{scope.value} {len(tokens_of(hall.staff, hall.settings.event))}"
    return Program(hall, scope, api_token(hall, scope, label), str(hall.desk.event.version))


def order(hall: Hall, change: EventChange) -> dict[str, object]:
    program = program_of(hall, TokenScope.DIRECTOR)
    document: dict[str, object] = program.ask("POST", "/changes", {"change": change_document(change)}).get_json()
    return document


@pytest.mark.parametrize(("odd", "change"), REFUSED.values(), ids=REFUSED)
def test_what_decides_whose_result_counts_is_fixed_by_the_start(odd: OddEvent, change: EventChange) -> None:
    assert "version" in order(odd_hall(replace(odd, stage="seated", stands_in=False)), change), "before the start it is free"
    for stage in AFTER_START:
        hall = odd_hall(staged := replace(odd, stage=stage))
        assert order(hall, change).get("reason") == "already-played", stage
        assert results(hall) == untouched(staged)


def test_control_without_this_refusal_a_rival_team_leaves_the_standings_and_no_correction_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_checks, "_afterwards", lambda _event, _change: ())
    odd, change = REFUSED["a team becomes a phantom"]
    hall = odd_hall(replace(odd, stage="released"))
    before = results(hall)
    assert "version" in order(hall, change)
    assert results(hall) != before
    assert program_of(hall, TokenScope.VIEWER).read("/standings")["corrections"] == []


@pytest.mark.parametrize("stage", ("seated", *AFTER_START, "second session"))
def test_no_other_change_touches_a_result_that_was_shown(stage: Stage) -> None:
    taken = set()
    for change in OTHERS:
        hall = odd_hall(staged := replace(PLAYERS, stage=stage))
        answer = order(hall, change)
        if "version" in answer:
            taken.add(type(change))
            if isinstance(change, ResultsHeld) and stage in ("released", "second session"):
                assert "held back" in hall.new_client().get("/standings").text, "everybody reads that results are held back"
            elif stage != "seated":
                assert results(hall) == untouched(staged), (stage, change)
        else:
            assert answer["reason"], (stage, change)
    assert {Announced, ResultsHeld, EntrantsEntered} <= taken


def test_everybody_reads_who_was_entered_again_after_play_since_another_name_looks_like_another_result(tmp_path: Path) -> None:
    hall = odd_hall(replace(PLAYERS, stage="seated"), names=tmp_path / "names.json")

    def enter(number: str, name: str) -> None:
        body = {"change": change_document(EntrantsEntered((EnteredPlayer(number),))), "names": {number: name}}
        assert program_of(hall, TokenScope.DIRECTOR).ask("POST", "/changes", body).status_code == 200

    def said() -> list[dict[str, object]]:
        found: list[dict[str, object]] = program_of(hall, TokenScope.VIEWER).ask("GET", "/standings").get_json()["entered_again"]
        return found

    enter("2", "Ada")
    order(hall, SessionStarted(1))
    assert said() == []
    enter("50", "Late Arrival")
    assert said() == [], "who has not sat has no result"
    enter("2", "Ben")
    (only,) = said()
    assert str(only["by"]).startswith(NAME)
    assert only["entrants"] == ["2 Ben"]
    for language in ("en", "ja", "zh-Hans"):
        must_say(hall.new_client().get(f"/standings?lang={language}").text, "2 Ben", Words(language)("entered-again"))


def test_every_kind_of_change_is_tried() -> None:
    assert {type(change) for change in (*OTHERS, *(change for _, change in REFUSED.values()))} == set(get_args(EventChange))


@pytest.mark.parametrize("stage", ("seated", *AFTER_START))
def test_whoever_has_a_seat_or_stood_in_stands_in_for_one_player_of_a_session_alone(stage: Stage) -> None:
    hall = odd_hall(replace(PLAYERS, stage=stage, stands_in=False))
    reserve = PLAYERS.stand_in
    assert "version" in order(hall, SubstituteSeated(1, "1", reserve, "late"))
    assert order(hall, SubstituteSeated(1, "2", "1", "tired")).get("reason") == "plays-for-another", "his results count for himself"
    assert "version" in order(hall, SubstituteSeated(1, reserve, "1", "back"))
    assert order(hall, SubstituteSeated(1, "2", reserve, "tired")).get("reason") == "plays-for-another", "they count for player 1"
    assert "version" in order(hall, SubstituteSeated(1, "1", reserve, "away again"))


def test_in_a_team_event_players_of_a_team_stand_in_for_each_other_as_often_as_they_like() -> None:
    hall = odd_hall(replace(TEAMS, stage="started"))
    for player, substitute in (("1", RESERVE), ("2", "1"), (RESERVE, "2")):
        assert "version" in order(hall, SubstituteSeated(1, player, substitute, "tired")), (player, substitute)
