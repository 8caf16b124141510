"""Every journal event survives being written and read, and what is not an event is refused."""

import json
import typing
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.ledger.journal_events import OperationIssued, event_from_json, event_to_json
from firmware_bridge.messages import Command
from tests.support.controller.journal_values import KINDS, events, values
from tests.support.tiers import examples
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import Seat, Tile
from twinwall.game.typed_json import plain, read_as, written
from twinwall.wire.events.definitions import type_name
from twinwall.wire.events.trouble_events import TableFault, Violation


@pytest.mark.parametrize("kind", KINDS, ids=type_name)
@given(data=st.data())
@settings(max_examples=examples(10))
def test_every_event_reads_back_as_it_was_written(kind: type, data: st.DataObject) -> None:
    event = data.draw(events(kind))
    written = json.loads(json.dumps(event_to_json(event), ensure_ascii=False))
    assert written["type"] == type_name(kind)
    assert event_from_json(written) == event


@pytest.mark.parametrize("command", typing.get_args(Command), ids=type_name)
@given(data=st.data())
@settings(max_examples=examples(10))
def test_every_command_survives_in_the_event_that_issues_it(command: type, data: st.DataObject) -> None:
    event = OperationIssued(7, typing.cast(Command, data.draw(values(command))), None)
    again = event_from_json(json.loads(json.dumps(event_to_json(event))))
    assert again == event
    assert isinstance(again, OperationIssued)
    assert type(again.command) is command


@pytest.mark.parametrize(
    ("hint", "value", "complaint"),
    [
        (int, True, "value: true: Expected 'int'"),
        (int, 1.5, "1.5: Expected 'int'"),
        (bool, 1, "1: Expected 'bool'"),
        (Tile, 5, "5: Expected 'str'"),
        (Tile, "5z", "value: \"5z\": '5z' is not a tile"),
        (Seat, "X", '"X": must be one of E, S, W, N'),
        (tuple[Tile, Tile], ["1m"], "Expected 'array' of length 2"),
        (tuple[int, ...], "12", "Expected 'array'"),
        (Mapping[Seat, Tile], [], "Expected 'object'"),
        (Mapping[Seat, Tile], {"E": "x"}, "value: E \"x\": 'x' is not a tile"),
        (OperationIssued, {"operation": 1, "command": {"type": "fly"}, "tile": None}, "value: command: its type is not known"),
        (OperationIssued, {"operation": 1, "tile": None}, "value: the key 'command' is missing"),
        (OperationIssued, {"operation": 1, "command": {"type": "feed"}, "tile": None, "speed": 3}, "the key 'speed' is not known"),
        (
            OperationIssued,
            {"operation": 1, "command": {"type": "place", "seat": 0}, "tile": None},
            "the key 'position' is missing",
        ),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(hint: type, value: object, complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint):
        read_as(value, hint, "value")


def test_a_thing_without_a_written_form_is_refused() -> None:
    with pytest.raises(DocumentError, match="complex has no JSON form"):
        written(1j)


def test_an_optional_field_without_a_value_is_left_out() -> None:
    without = TableFault("lid", "drum", "The lid is open: close it")
    assert plain(without) == {"code": "lid", "where": "drum", "sentence": "The lid is open: close it"}
    assert read_as(plain(without), TableFault) == without
    assert plain(TableFault("extra-tile", "reject cell", "A fifth 7p", (Tile.P7,))) == {
        "code": "extra-tile",
        "where": "reject cell",
        "sentence": "A fifth 7p",
        "tiles": "7p",
    }


def test_a_violation_from_before_tables_named_the_rule_is_read_and_written_as_it_stands() -> None:
    line = {"type": "violation", "seat": "W", "what": "put-back", "sentence": "West put a drawn tile back"}
    event = event_from_json(line)
    assert event == Violation(Seat.WEST, "put-back", "West put a drawn tile back")
    assert event_to_json(event) == line
