"""Files of an event: taken away, looked into and read into one without entrants; a store's backup, and the decision about one put back."""

import base64
import json
from io import BytesIO
from pathlib import Path

import pytest

from dashboard.access.staff_schema import Role
from dashboard.actions.event_changes import change_sentence
from dashboard.i18n.words import Words
from tests.support.dashboard.setup import SIXTEEN, TEAM_LIST, SetUp, refused, says
from tests.support.dashboard.staff import enrol
from tests.support.event.ledgers import closing, playing, preparing, starting
from tests.support.wire.streams import START
from twinwall.event.management.changes import Announced, EventDescribed
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.store_records import Record
from twinwall.game.documents import write_time


@pytest.fixture
def other(tmp_path: Path) -> SetUp:
    """Another director, whose event is empty."""
    folder = tmp_path / "other"
    folder.mkdir()
    return SetUp(folder)


def taken_away(director: SetUp, names: bool) -> bytes:
    return director.hall.client.get(f"/event/file.json{'?names=1' if names else ''}").text.encode()


def read_in(director: SetUp, content: bytes) -> None:
    assert director.send("/event/file", do="preview", file=(BytesIO(content), "event.json")).status_code == 200
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
    answer = other.send("/event/file", do="import", content=base64.b64encode(json.dumps(document).encode()).decode())
    refused(answer, "refusal.unknown-table", name="\u20683\u2069")
    assert other.event.version == 0


def test_an_event_with_entrants_takes_no_file_and_one_that_is_not_described_has_none(director: SetUp) -> None:
    assert director.hall.client.get("/event/file.json").status_code == 404
    director.prepared()
    answer = director.send("/event/file", do="import", content=base64.b64encode(taken_away(director, names=True)).decode())
    refused(answer, "file.not-empty")


AT = write_time(START)
MISSING = (
    Record(7, "management", {"change": {"type": "announced", "texts": {"en": "Lunch at one"}}, "staff": "Li Na", "at": AT}),
    Record(8, "ruling", {"table": "3", "staff": "Ota", "at": AT, "ruling": {}}),
    Record(9, "deals", {"step": {}, "at": AT}),
    Record(10, "management", {"change": {"type": "no change that there is"}, "staff": "Li Na", "at": AT}),
)


def take(director: SetUp) -> tuple[int, bytes]:
    answer = director.hall.submit("/event/backup")
    content = answer.data
    answer.close()
    assert answer.cache_control.no_store
    assert not answer.cache_control.public
    return answer.status_code, content


def test_a_director_takes_a_backup_away_which_is_no_look_before_play_or_after_the_release(director: SetUp) -> None:
    assert take(director) == (200, b"a copy of the store")
    director.hall.feed([*preparing(1), *starting(1, "1"), *playing(), *closing(1, (24, -8, -8, -8))])
    director.hall.release(1)
    assert take(director)[0] == 200
    assert director.hall.desk.looks == []


def test_while_tables_play_a_backup_is_a_look_at_each_of_them_and_needs_a_referee(director: SetUp) -> None:
    for table in ("1", "2"):
        director.hall.feed([*preparing(1), *starting(1, table), *playing()], table)
    assert take(director)[0] == 200
    assert sorted((look.table, look.n, look.by) for look in director.hall.desk.looks) == [("1", 1, "Ota"), ("2", 1, "Ota")]
    enrol(director.hall.staff, "Li Na", "another password", {Role.DIRECTOR})
    director.hall.client = director.hall.new_client()
    director.hall.log_in("Li Na", "another password")
    status, page = take(director)
    assert (status, says(page.decode(), "store.backup.playing")) == (409, True)


def test_what_is_missing_stands_on_every_page_of_the_staff_and_is_named_until_a_director_decides(director: SetUp) -> None:
    director.hall.desk.lost = MISSING
    assert says(director.page("/"), "store.lost.notice", count=4)
    page = director.page("/event/store")
    announced = change_sentence(Words("en"), Announced({"en": "Lunch at one"}), PlayerNames({}))
    for seen in (announced, "Li Na", "ruled at table 3", "a step towards", "record 10"):
        assert seen in page
    assert director.hall.submit("/event/restored").status_code == 303
    assert not director.hall.desk.lost
    assert not says(director.page("/event/store"), "store.lost.notice", count=4)
