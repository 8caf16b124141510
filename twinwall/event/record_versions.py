"""Differing records of one hand (``differences``): which fields differ, and at which event the play does."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from itertools import zip_longest

from twinwall.event.forms.sheet import UNKNOWN
from twinwall.game.play_events import Claimed, HandLaidOpen, HandShown, PlayEvent
from twinwall.game.play_json import to_text
from twinwall.game.record import HandRecord
from twinwall.game.tiles import Seat

_NONE = "no such event"
_TILES = ("walls", "rest")
_UNTIL_RELEASE = ("digest", *_TILES)
"""Missing in a record made before the release of its deal, which is no difference."""

HandKey = tuple[str, int, int, str, bytes]
"""Event, session, deal and table of a hand; without the event's name, numbers mean nothing, so the deal's check is added."""


def hand_key(record: HandRecord) -> HandKey:
    """The hand of a record; records with equal keys should be equal."""
    return record.event, record.session, record.n, record.table, record.check if record.event == UNKNOWN else b""


def differences(first: HandRecord, second: HandRecord) -> Iterator[tuple[str, str, str]]:
    """What differs between two records of a hand, with both values: fields, then the first differing event."""
    for name in differing_fields(first, second):
        if name not in _UNTIL_RELEASE or None not in (getattr(first, name), getattr(second, name)):
            yield name, field_text(first, name), field_text(second, name)
    for number, (one, other) in enumerate(zip_longest(first.events, second.events), 1):
        if one is None or other is None or without_order(one) != without_order(other):
            yield f"event {number}", to_text(one, _NONE), to_text(other, _NONE)
            return


def differing_fields(first: HandRecord, second: HandRecord) -> list[str]:
    names = [field.name for field in fields(HandRecord) if field.name != "events"]
    return [name for name in names if _plain(getattr(first, name)) != _plain(getattr(second, name))]


def field_text(record: HandRecord, name: str) -> str:
    """A field's text; for tiles, which are long, only that they are others."""
    if name in _TILES:
        return "other tiles"
    value = getattr(record, name)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return ", ".join(f"{key.value if isinstance(key, Seat) else key} {of}" for key, of in value.items())
    return str(value)


def without_order(event: PlayEvent) -> PlayEvent:
    """An event without the order of tiles in a shown hand or a chow, which no form has."""
    match event:
        case HandShown() | HandLaidOpen():
            return replace(event, concealed=tuple(sorted(event.concealed)))
        case Claimed(_, meld):
            return replace(event, meld=replace(meld, tiles=tuple(sorted(meld.tiles))))
        case _:
            return event


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value
