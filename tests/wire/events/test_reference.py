"""The generated event reference equals the definitions."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest

from tools.events_reference import FOLDER, files, json_schema, page
from twinwall.wire.events.catalogue import EVENT_TYPES
from twinwall.wire.events.definitions import Secrecy
from twinwall.wire.events.value_kinds import TILE, TILES


@pytest.mark.parametrize("name", list(files()))
def test_the_committed_file_is_up_to_date(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == files()[name], f"docs/reference/{name} is out of date: run python -m tools.events_reference"


def test_every_event_and_every_class_is_on_the_page() -> None:
    text = page()
    for event in EVENT_TYPES.values():
        assert f"### `{event.name}` · {event.secrecy.value}" in text


def test_concealed_fields_are_in_no_schema() -> None:
    definitions = json_schema()["$defs"]
    assert isinstance(definitions, dict)
    for event in EVENT_TYPES.values():
        for field in event.fields:
            assert (field.name in definitions[event.name]["properties"]) == (field.secrecy is not Secrecy.CONCEALED)


@pytest.mark.parametrize("text", ["5p", "C", "1m 2m 3m", "123m 55p EE", "", "0m", "5x", "10m"])
def test_the_patterns_of_tiles_agree_with_the_notation(text: str) -> None:
    for kind in (TILE, TILES):
        pattern = kind.schema["pattern"]
        assert isinstance(pattern, str)
        with nullcontext() if re.search(pattern, text) else pytest.raises(ValueError):
            kind.read(text)
