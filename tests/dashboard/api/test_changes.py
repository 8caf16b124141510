"""An event is changed by a program as by its pages: the same checks, the same records, and nothing is overwritten."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.dashboard.api import Program
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.setup import SIXTEEN
from tests.support.dashboard.staff import NAME
from tests.support.narrowed import of_type, present
from twinwall.event.player_names import read_names

DESCRIBED = {"kind": "individual", "rules": "mcr-duplicate", "sessions": 2, "hands": 4}


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(settings=replace(OPEN, names=tmp_path / "names.json"))


@pytest.fixture
def program(hall: Hall) -> Program:
    return Program(hall)


def names_of(hall: Hall) -> dict[str, str]:
    return dict(read_names(present(hall.settings.names).read_bytes()).by_number)


def test_an_event_is_described_filled_and_seated(hall: Hall, program: Program) -> None:
    program.change("event-described", **DESCRIBED)
    entered = program.do("/entrants", {"list": "\n".join(SIXTEEN)})
    assert list(names_of(hall).values()) == SIXTEEN
    assert entered["entered"] == names_of(hall)
    program.do("/changes", {"change": program.read("/sessions/1/proposal")["seating"]})
    assert hall.desk.event.tables == ("1", "2", "3", "4"), "the tables of the seats are chosen first"
    assert {seat["name"] for seat in of_type(list, program.read("/sessions/1/seats")["seats"])} == set(SIXTEEN)
    event = program.read("/event")
    assert event["stage"] == "described"
    assert event["version"] == hall.desk.event.version == 4


def test_a_change_of_an_event_that_has_changed_is_refused_and_says_what_changed_and_who_changed_it(hall: Hall, program: Program) -> None:
    other = Program(hall, token=program.token)
    program.change("event-described", **DESCRIBED)
    problem = other.refused("/changes", {"change": {"type": "event-described", **DESCRIBED, "sessions": 5}})
    assert (problem["status"], problem["type"], problem["event_version"]) == (409, "urn:twinwall:problem:changed", 1)
    assert problem["changes"] == [{"by": f"{NAME} (director)", "change": "described the event"}]
    assert present(hall.desk.event.description).sessions == 2
    assert hall.desk.steps[-1].by == f"{NAME} (director)", "the account's name, and the token's label"
    history = of_type(list, program.read("/changes")["changes"])
    assert [(each["version"], each["by"], each["change"]["type"]) for each in history] == [(1, f"{NAME} (director)", "event-described")]
    other.seen = "1"
    other.change("event-described", **{**DESCRIBED, "sessions": 5})


def test_a_change_without_a_version_is_not_made(hall: Hall, program: Program) -> None:
    answer = hall.client.post(
        "/api/v1/changes",
        data=json.dumps({"change": {"type": "event-described", **DESCRIBED}}),
        headers={"Authorization": f"Bearer {program.token}"},
    )
    assert answer.status_code == 428
    assert hall.desk.event.version == 0


def test_what_the_event_cannot_take_is_refused_in_the_pages_sentence_and_language(program: Program) -> None:
    body = {"change": {"type": "session-started", "session": 1}}
    assert program.refused("/changes", body)["reason"] == "not-described"
    english = program.refused("/changes", body)["detail"]
    assert english == "The event is not described yet: say first what is played."
    assert program.refused("/changes", body, Accept_Language="ja")["detail"] != english


def test_a_list_is_entered_whole_or_not_at_all(hall: Hall, program: Program) -> None:
    program.change("event-described", **DESCRIBED)
    problem = program.refused("/entrants", {"list": "Ada\nBen\nAda"})
    assert problem["status"] == 422
    assert [line["line"] for line in of_type(list, problem["lines"])] == [3]
    assert hall.desk.event.players == {}


def test_a_team_of_a_program_is_one_in_every_form_of_its_name(hall: Hall, program: Program) -> None:
    program.change("event-described", **{**DESCRIBED, "kind": "team"})
    players, four = [{"number": str(number)} for number in range(1, 9)], ["1", "2", "3", "4"]
    for name in ("Café", "Cafe\u0301"):
        program.change("entrants-entered", players=players, teams=[{"name": name, "players": four, "club": name}])
    assert {name: team.club for name, team in hall.desk.event.teams.items()} == {"Café": "Café"}
    for name, why in (("CAFÉ", "twice"), ("Ｃａｆé", "twice"), ("C\u200bafé", "value"), ("a\u202eb", "value")):
        change = {"type": "entrants-entered", "teams": [{"name": name, "players": ["5", "6", "7", "8"]}]}
        assert program.refused("/changes", {"change": change})["reason"] == why


@pytest.mark.parametrize("name", ["a\u202eb", "1\u200b", "a\x01b"])
def test_no_table_club_or_group_has_a_name_that_is_not_as_people_see_it(hall: Hall, program: Program, name: str) -> None:
    program.change("event-described", **DESCRIBED)
    program.do("/entrants", {"list": "\n".join(SIXTEEN)})
    seating = of_type(dict, program.read("/sessions/1/proposal")["seating"])
    seating["groups"][0]["name"] = name
    for change in (
        {"type": "tables-chosen", "tables": [name]},
        {"type": "entrants-entered", "players": [{"number": "1", "club": name}]},
        {"type": "session-seated", **seating},
    ):
        assert program.refused("/changes", {"change": change})["reason"] == "value"


def test_players_are_entered_with_their_names_which_no_reason_names_and_forgotten_when_they_are_removed(
    hall: Hall, program: Program
) -> None:
    program.change("event-described", **DESCRIBED)
    entering = {"type": "entrants-entered", "players": [{"number": "7"}, {"number": "8"}]}
    program.do("/changes", {"change": entering, "names": {"7": "Ada Okafor", "8": " Ben "}})
    assert names_of(hall) == {"7": "Ada Okafor", "8": "Ben"}
    assert program.refused("/changes", {"change": entering, "names": {"7": "BEN"}})["reason"] == "name-alike"
    assert program.refused("/changes", {"change": entering, "names": {"9": "Cleo"}})["status"] == 400
    assert program.refused("/changes", {"change": entering, "names": {"7": "\u202e"}})["status"] == 400
    left = {"type": "entrant-withdrawn", "entrant": "8", "session": 1, "reason": "Ada Okafor saw him leave"}
    assert program.refused("/changes", {"change": left})["reason"] == "reason-names"
    program.do("/changes", {"change": {**left, "reason": "ill"}})
    program.change("entrants-removed", players=["7"])
    assert names_of(hall) == {"8": "Ben"}
    path = present(hall.settings.names)
    program.do("/changes", {"change": entering, "names": {"7": "Ida Berg"}})
    path.write_bytes(read_names(path.read_bytes()).with_name("8", "Berg Ida").document)
    program.change("announced", texts={"en": "Names that look alike may come by command."})


def test_an_event_is_taken_away_as_a_file_and_read_into_an_empty_one(hall: Hall, program: Program, tmp_path: Path) -> None:
    program.change("event-described", **DESCRIBED)
    program.do("/entrants", {"list": "\n".join(SIXTEEN)})
    file = program.read("/event/file?names=true")
    assert "names" not in program.read("/event/file") or program.read("/event/file")["names"] == {}
    other_hall = Hall(settings=replace(OPEN, names=tmp_path / "others.json"))
    other = Program(other_hall)
    other.do("/event/file", file)
    assert other_hall.desk.event.players == hall.desk.event.players
    assert names_of(other_hall) == names_of(hall)
    assert other.refused("/event/file", file)["reason"] == "not-empty"
    assert other.refused("/event/file", {"format": "other"})["status"] == 400
