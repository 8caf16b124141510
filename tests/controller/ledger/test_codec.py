"""Every journal event survives being written and read, and what is not an event is refused."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.ledger.codec import CodecError, decode, encode
from controller.ledger.journal_events import EVENT_CLASSES, JournalEvent, OperationIssued, event_from_json, event_to_json
from firmware_bridge.messages import Command
from tests.support.tiers import examples
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.definitions import type_name
from twinwall.wire.events.trouble_events import TableFault
from twinwall.wire.messages.ruling import Ruling

SCALARS: Mapping[object, st.SearchStrategy[object]] = {
    int: st.integers(-(2**40), 2**40),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(st.characters(exclude_categories=["Cs"])),
    bool: st.booleans(),
    type(None): st.none(),
}


def values(hint: object) -> st.SearchStrategy[object]:
    """Any value of a type that a journal event may hold."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(values, arguments))
    if origin is tuple:
        if arguments[1:] == (Ellipsis,):
            return st.lists(values(arguments[0]), max_size=4).map(tuple)
        return st.tuples(*map(values, arguments))
    if origin is not None:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=4)
    if hint in SCALARS:
        return SCALARS[hint]
    assert isinstance(hint, type)
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    assert is_dataclass(hint)
    hints = typing.get_type_hints(hint)
    return st.builds(hint, **{field.name: values(hints[field.name]) for field in fields(hint)})


seats, tiles = st.sampled_from(SEATS), st.sampled_from(Tile)
some_tiles = st.lists(tiles, min_size=1, max_size=14).map(tuple)
PLAY: Mapping[type, st.SearchStrategy[object]] = {
    TileDrawn: st.builds(TileDrawn, seats),
    TileDiscarded: st.builds(TileDiscarded, seats, tiles),
    Claimed: st.builds(Claimed, seats, st.builds(Meld, st.sampled_from([MeldType.CHOW, MeldType.PUNG, MeldType.KONG]), some_tiles, seats)),
    KongDeclared: st.builds(
        KongDeclared, seats, st.builds(Meld, st.sampled_from([MeldType.ADDED_KONG, MeldType.CONCEALED_KONG]), some_tiles, st.none())
    ),
    ClaimsPassed: st.just(ClaimsPassed()),
    WinDeclared: st.builds(WinDeclared, seats, st.none() | seats, st.none() | tiles),
    HandShown: st.builds(HandShown, seats, some_tiles, tiles),
    HandRuledDead: st.builds(HandRuledDead, seats),
    PenaltyRuled: st.builds(PenaltyRuled, seats, st.sampled_from(Offence), st.integers(0), st.integers(0)),
    ResultExcluded: st.just(ResultExcluded()),
    HandLaidOpen: st.builds(HandLaidOpen, seats, some_tiles),
    SharedTileTurned: st.builds(SharedTileTurned, st.integers(0), tiles),
    WinRefused: st.builds(WinRefused, seats, st.sampled_from(["not-a-win", "below-minimum"])),
    HandEnded: st.builds(HandEnded, st.sampled_from(EndReason), st.fixed_dictionaries({seat: st.integers() for seat in SEATS})),
}
KINDS = tuple(kind for kind in EVENT_CLASSES.values() if kind is not Ruling)


@pytest.mark.parametrize("kind", KINDS, ids=type_name)
@given(data=st.data())
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.too_slow])
def test_every_event_reads_back_as_it_was_written(kind: type, data: st.DataObject) -> None:
    event = typing.cast(JournalEvent, data.draw(PLAY[kind] if kind in PLAY else values(kind)))
    written = json.loads(json.dumps(event_to_json(event), ensure_ascii=False))
    assert written["type"] == type_name(kind)
    assert event_from_json(written) == event


@pytest.mark.parametrize("command", typing.get_args(Command), ids=type_name)
@given(data=st.data())
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.too_slow])
def test_every_command_survives_in_the_event_that_issues_it(command: type, data: st.DataObject) -> None:
    event = OperationIssued(7, typing.cast(Command, data.draw(values(command))), None)
    again = event_from_json(json.loads(json.dumps(event_to_json(event))))
    assert again == event
    assert isinstance(again, OperationIssued)
    assert type(again.command) is command


@pytest.mark.parametrize(
    ("hint", "value", "complaint"),
    [
        (int, True, "True is not of type int"),
        (int, 1.5, "1.5 is not of type int"),
        (bool, 1, "1 is not of type bool"),
        (Tile, 5, "must be a tile"),
        (Seat, "X", "'X' is none of E, S, W, N"),
        (tuple[int, int], [1, 2, 3], "must have 2 items"),
        (tuple[int, ...], "12", "must be a list"),
        (Mapping[Seat, int], [], "must be an object"),
        (Mapping[Seat, int], {"E": "x"}, "value.E: 'x'"),
        (OperationIssued, {"operation": 1, "command": {"type": "fly"}, "tile": None}, "type 'fly' is not known"),
        (OperationIssued, {"operation": 1, "tile": None}, "no command"),
        (OperationIssued, {"operation": 1, "command": {"type": "feed"}, "tile": None, "speed": 3}, "unknown speed"),
        (OperationIssued, {"operation": 1, "command": {"type": "place", "seat": 0}, "tile": None}, "no position"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(hint: object, value: object, complaint: str) -> None:
    with pytest.raises(CodecError, match=complaint.replace("'", "'")):
        decode(hint, value)


def test_a_thing_without_a_written_form_is_refused() -> None:
    with pytest.raises(CodecError, match="set has no JSON form"):
        encode({1, 2})


def test_an_optional_field_without_a_value_is_left_out() -> None:
    without = TableFault("lid", "drum", "The lid is open: close it")
    assert encode(without) == {"code": "lid", "where": "drum", "sentence": "The lid is open: close it"}
    assert decode(TableFault, encode(without)) == without
    assert encode(TableFault("extra-tile", "reject cell", "A fifth 7p", (Tile.P7,))) == {
        "code": "extra-tile",
        "where": "reject cell",
        "sentence": "A fifth 7p",
        "tiles": "7p",
    }
