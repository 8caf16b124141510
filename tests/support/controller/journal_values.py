"""Any value that an event of the journal may hold, for properties of its lines."""

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from hypothesis import strategies as st

from controller.ledger.journal_events import EVENT_CLASSES, JournalEvent
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    Offence,
    PenaltyRuled,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.tiles import SEATS, Tile
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


def events(kind: type) -> st.SearchStrategy[JournalEvent]:
    """Any event of this kind."""
    return typing.cast(st.SearchStrategy[JournalEvent], PLAY[kind] if kind in PLAY else values(kind))
