"""Play events as JSON objects: ``type`` is the event's name, the other keys are its fields. Reading is strict."""

import json
from collections.abc import Mapping
from typing import Annotated, ClassVar, get_args

from twinwall.game.documents import DocumentError, Reading
from twinwall.game.play_events import Claimed, ClaimsPassed, KongDeclared, Meld, MeldType, PlayEvent
from twinwall.game.tiles import Seat
from twinwall.game.type_hints import type_tag
from twinwall.game.typed_json import Tiles, WrittenAs, read_as, sparse
from twinwall.values import frozen

_CLASSES: Mapping[str, type[PlayEvent]] = {"passed" if cls is ClaimsPassed else type_tag(cls): cls for cls in get_args(PlayEvent)}
_NAMES = {cls: name for name, cls in _CLASSES.items()}
PLAY_TYPES = frozenset(_CLASSES)
"""The names of all play events."""


@frozen
class _MeldForm:
    """A claim or a kong: the meld's fields beside the seat."""

    KEYS: ClassVar = {"source": "from"}

    seat: Seat
    meld: MeldType
    tiles: Tiles | None
    source: Seat | None = None
    late: bool = False


def to_json(event: PlayEvent) -> dict[str, object]:
    """Write an event as a JSON object; raises ValueError for a meld that cannot be in such an event."""
    return {"type": _NAMES[type(event)], **sparse(_form_of(event))}


def to_text(event: PlayEvent | None, none: str = "") -> str:
    """An event's JSON on one line; ``none`` if there is no event."""
    return none if event is None else json.dumps(to_json(event), ensure_ascii=False)


def _form_of(event: PlayEvent) -> object:
    match event:
        case Claimed(seat, Meld(MeldType.CHOW | MeldType.PUNG | MeldType.KONG as kind, tiles, Seat() as source)):
            return _MeldForm(seat, kind, tiles, source)
        case Claimed():
            raise ValueError(f"a claim is a chow, pung or kong from another seat, not {event.meld}")
        case KongDeclared(seat, Meld(MeldType.ADDED_KONG | MeldType.CONCEALED_KONG as kind, tiles, None) as meld, late):
            return _MeldForm(seat, kind, None if meld.face_down else tiles, None, late)
        case KongDeclared():
            raise ValueError(f"a declared kong is added or concealed and names no source (an added one has its pung's), not {event.meld}")
        case _:
            return event


def from_json(document: Mapping[str, object]) -> PlayEvent:
    """Read an event; raises DocumentError, which names the type, key or value."""
    if "type" not in document:
        raise DocumentError("the event: the key 'type' is missing")
    kind = document["type"]
    if not isinstance(kind, str) or kind not in _CLASSES:
        raise DocumentError(f"the event type {kind!r} is not known; known are {', '.join(_CLASSES)}")
    cls, name = _CLASSES[kind], f"the event {kind!r}"
    fields = {key: value for key, value in document.items() if key != "type"}
    if cls is not Claimed and cls is not KongDeclared:
        return read_as(fields, cls, name)
    form = read_as(fields, _MeldForm, name)
    meld = Meld(form.meld, form.tiles or (), form.source)
    event = Claimed(form.seat, meld) if cls is Claimed else KongDeclared(form.seat, meld, form.late)
    try:
        if _form_of(event) != form:
            raise ValueError("its keys do not go together")
    except ValueError as error:
        raise DocumentError(f"{name}: {error}") from None
    return event


def _read_events(events: list[object]) -> tuple[PlayEvent, ...]:
    read: list[PlayEvent] = []
    for number, event in enumerate(events, start=1):
        with Reading(f"event {number} of the hand record"):
            read.append(from_json(read_as(event, dict[str, object], "the event")))
    return tuple(read)


PlayEvents = Annotated[tuple[PlayEvent, ...], WrittenAs(_read_events, lambda events: [to_json(event) for event in events], list)]
"""The events of a hand record."""
