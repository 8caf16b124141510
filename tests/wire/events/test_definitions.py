"""Event definitions: what of an event leaves the table, and for whom."""

import re
from contextlib import nullcontext
from typing import get_args

import pytest

from tests.support.game.random_hands import HAND_BY_NUMBER
from tests.support.narrowed import of_type
from tools.events_reference import FOLDER, files, json_schema, page
from twinwall.game.documents import DocumentError
from twinwall.game.play_json import from_json, to_json
from twinwall.wire.events.catalogue import EVENT_TYPES, PublishedEvent
from twinwall.wire.events.definitions import DEFINED, EVERYWHERE, TILE, TILES, Secrecy
from twinwall.wire.ledger import HEADER_KEYS, project, read_event

DIGEST = "ab" * 32


DISCARD: dict[str, object] = {"seat": "S", "tile": "5m"}
LEAVES_THE_TABLE: dict[str, tuple[str, dict[str, object], dict[str, object] | None]] = {
    "a ready wall without its digest": ("wall-ready", {"n": 3, "check": DIGEST, "digest": "cd" * 32}, {"n": 3, "check": DIGEST}),
    "a draw without its tile": ("tile-drawn", DISCARD, {"seat": "S"}),
    "nothing of a private event": ("gate-read", {"tile": "5m"}, None),
    "no field that the schema does not list": ("tile-discarded", {**DISCARD, "probability": 0.99}, DISCARD),
}
FOR_EVERYBODY: dict[str, tuple[str, dict[str, object], dict[str, object] | None]] = {
    "no play": ("tile-discarded", DISCARD, None),
    "no result": ("hand-ended", {"reason": "drawn", "scores": dict.fromkeys("ESWN", 0)}, None),
    "a refused deal without its sentence": ("deal-refused", {"n": 1, "reason": "seal", "sentence": "Deal 1 …"}, {"n": 1, "reason": "seal"}),
    "a call for the referee without a wind, since winds change with the hand": ("referee-called", {"seat": "E"}, {}),
    "no fault, since some come only once a hand is over": ("fault", {"code": "well-count", "where": "well", "sentence": "Two."}, None),
}


@pytest.mark.parametrize(("event_type", "fields", "public"), LEAVES_THE_TABLE.values(), ids=LEAVES_THE_TABLE)
def test_of_an_event_leaves_the_table(event_type: str, fields: dict[str, object], public: dict[str, object] | None) -> None:
    assert project(event_type, fields) == public


@pytest.mark.parametrize(("event_type", "fields", "public"), FOR_EVERYBODY.values(), ids=FOR_EVERYBODY)
def test_of_an_event_everybody_is_given(event_type: str, fields: dict[str, object], public: dict[str, object] | None) -> None:
    assert project(event_type, fields, EVERYWHERE) == public


def test_a_missing_public_field_is_an_error_that_names_it() -> None:
    with pytest.raises(DocumentError, match="tile-discarded lacks the field 'tile'"):
        read_event("tile-discarded", {"seat": "S"})


@pytest.mark.parametrize(
    ("event_type", "fields", "sentence"),
    [
        ("tile-discarded", {"seat": "S", "tile": "5z"}, "tile: '5z'"),
        ("tile-discarded", {"seat": "X", "tile": "5m"}, "seat: 'X'"),
        ("building", {"placed": True, "of": 136}, "placed: True"),
        ("building", {"placed": -1, "of": 136}, "placed: -1"),
        ("settled", {"payments": {"E": 8, "S": -8}}, "payments"),
        ("tile-drawn", {"seat": "S", "tile": "5m"}, "no public field 'tile'"),
        ("gate-unlocked", {"seat": None}, "seat: None"),
        ("sneezed", {}, "not known"),
    ],
)
def test_a_public_event_with_wrong_fields_is_named(event_type: str, fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(DocumentError, match=sentence):
        read_event(event_type, fields)


def test_no_field_collides_with_the_envelope() -> None:
    for event in EVENT_TYPES.values():
        assert not {field.name for field in event.fields} & set(HEADER_KEYS)


def test_an_event_of_the_table_has_no_field_for_everybody() -> None:
    """A P field in an event whose happening is T could only be read by mistake; deal numbers are the exception."""
    for event in EVENT_TYPES.values():
        if event.secrecy is Secrecy.TABLE:
            assert {field.name for field in event.fields if field.secrecy is Secrecy.PUBLIC} <= {"n"}


@pytest.mark.parametrize("rules", HAND_BY_NUMBER)
def test_an_event_of_play_is_public_exactly_as_the_game_writes_it(rules: str) -> None:
    for event in [event for number in range(6) for event in HAND_BY_NUMBER[rules](number).events]:
        written = to_json(event)
        event_type = str(written.pop("type"))
        assert project(event_type, written) == written
        assert from_json({"type": event_type, **written}) == event


@pytest.mark.parametrize(
    "text", ["no JSON", "[]", '{"seat":"S"}', '{"type":"tile-discarded","seat":"Q","tile":"5m"}', '{"type":' + "[" * 9999]
)
def test_what_a_table_writes_in_the_place_of_an_event_of_play_is_refused_by_name(text: str) -> None:
    with pytest.raises(DocumentError, match=r"is not JSON text of an event of play, as in a hand record, or nothing$"):
        read_event("record-questioned", {"n": 1, "number": 1, "held": text, "read": "", "margin": 1.0})


def test_every_published_event_is_in_a_group_so_that_its_lines_are_written_and_read() -> None:
    assert {DEFINED[cls].name for cls in get_args(PublishedEvent)} == set(EVENT_TYPES)


@pytest.mark.parametrize("name", list(files()))
def test_the_committed_file_is_up_to_date(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == files()[name], f"docs/reference/{name} is out of date: run python -m tools.events_reference"


def test_every_event_and_every_class_is_on_the_page() -> None:
    text = page()
    for event in EVENT_TYPES.values():
        assert f"### `{event.name}` ({event.secrecy.value})" in text


def test_concealed_fields_are_in_no_schema() -> None:
    definitions = of_type(dict, json_schema()["$defs"])
    for event in EVENT_TYPES.values():
        for field in event.fields:
            assert (field.name in definitions[event.name]["properties"]) == (field.secrecy is not Secrecy.CONCEALED)


@pytest.mark.parametrize("text", ["5p", "C", "1m 2m 3m", "123m 55p EE", "", "0m", "5x", "10m"])
def test_the_patterns_of_tiles_agree_with_the_notation(text: str) -> None:
    for kind in (TILE, TILES):
        pattern = of_type(str, kind.schema["pattern"])
        with nullcontext() if re.search(pattern, text) else pytest.raises(ValueError):
            kind.read(text)
