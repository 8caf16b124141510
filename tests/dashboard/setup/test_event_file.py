"""The event as one file: taken away, looked into, and read into an event that has no entrants."""

import base64
import json
from io import BytesIO
from pathlib import Path

import pytest

from tests.support.dashboard.setup import SIXTEEN, TEAM_LIST, SetUp, says
from twinwall.event.management.changes import EventDescribed


@pytest.fixture
def other(tmp_path: Path) -> SetUp:
    """Another director, whose event is empty."""
    folder = tmp_path / "other"
    folder.mkdir()
    return SetUp(folder)


def taken_away(director: SetUp, names: bool) -> bytes:
    return director.hall.client.get(f"/event/file.json{'?names=1' if names else ''}").text.encode()


def read_in(director: SetUp, content: bytes) -> None:
    preview = director.send("/event/file", do="preview", file=(BytesIO(content), "event.json"))
    assert preview.status_code == 200
    assert director.event.version == 0
    assert director.send("/event/file", do="import", content=base64.b64encode(content).decode()).status_code == 303


@pytest.mark.parametrize("kind", ["team", "individual"])
@pytest.mark.parametrize("names", [True, False])
def test_an_event_that_was_taken_away_is_the_same_where_it_is_read(director: SetUp, other: SetUp, kind: str, names: bool) -> None:
    director.describe(EventDescribed("team" if kind == "team" else "individual", "mcr-duplicate", {"minimum": 6}))
    director.enter(TEAM_LIST if kind == "team" else "\n".join(SIXTEEN))
    director.send("/event/seating", do="save", plan=director.plan())
    content = taken_away(director, names)
    assert (SIXTEEN[3].encode() in content) == (names and kind == "individual")
    read_in(other, content)
    assert other.event.description == director.event.description
    assert (other.event.players, other.event.teams) == (director.event.players, director.event.teams)
    assert other.event.seatings == director.event.seatings
    assert other.names == (director.names if names else {})


def test_names_of_a_file_are_composed_and_without_what_cannot_be_seen(director: SetUp, other: SetUp) -> None:
    director.prepared()
    content = json.dumps({**json.loads(taken_away(director, names=True)), "names": {"1": "Zoe\u0308 \u200bK", "2": "Ida"}}).encode()
    read_in(other, content)
    assert other.names == {"1": "Zoë K", "2": "Ida"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "other"}, "format"),
        ({"colour": "red"}, "colour"),
        ({"players": [{"number": "0"}]}, "players"),
        ({"names": {"99": "Ida"}}, "99"),
        ({"names": {"1": "Ida", "2": "ida"}}, "look alike"),
    ],
)
def test_a_file_that_was_changed_is_refused_in_a_sentence_and_changes_nothing(
    director: SetUp, other: SetUp, change: dict[str, object], why: str
) -> None:
    director.prepared()
    content = json.dumps({**json.loads(taken_away(director, names=True)), **change}).encode()
    answer = other.send("/event/file", do="preview", file=(BytesIO(content), "event.json"))
    assert answer.status_code == 409
    assert why in answer.text
    assert (other.event.version, other.names) == (0, {})


def test_a_file_whose_changes_contradict_each_other_is_refused_before_any_is_made(director: SetUp, other: SetUp) -> None:
    director.prepared()
    director.send("/event/seating", do="save", plan=director.plan())
    document = {**json.loads(taken_away(director, names=False)), "tables": ["1", "2"]}
    content = base64.b64encode(json.dumps(document).encode()).decode()
    answer = other.send("/event/file", do="import", content=content)
    assert answer.status_code == 409
    assert says(answer, "refusal.unknown-table", name="\u20683\u2069")
    assert other.event.version == 0


def test_an_event_with_entrants_takes_no_file_and_one_that_is_not_described_has_none(director: SetUp) -> None:
    assert director.hall.client.get("/event/file.json").status_code == 404
    director.prepared()
    content = base64.b64encode(taken_away(director, names=True)).decode()
    answer = director.send("/event/file", do="import", content=content)
    assert answer.status_code == 409
    assert says(answer, "file.not-empty")
