"""Play events as JSON objects and back: ``type`` is the event's name on the wire, the other keys are its fields.

Reading is strict: unknown types and keys are errors that name them. Envelopes, secrecy classes and all other events are left
to ``twinwall.wire``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, get_args

from msgspec import Meta

from twinwall.game.documents import DocumentError, object_of
from twinwall.game.play_events import Claimed, ClaimsPassed, KongDeclared, Meld, MeldType, PlayEvent
from twinwall.game.tiles import Seat
from twinwall.game.typed_json import Tiles, WrittenAs, read_as, sparse, type_tag

_CLASSES: Mapping[str, type[PlayEvent]] = {"passed" if cls is ClaimsPassed else type_tag(cls): cls for cls in get_args(PlayEvent)}
_NAMES = {cls: name for name, cls in _CLASSES.items()}
PLAY_TYPES = frozenset(_CLASSES)
"""The names of all events of play."""


@dataclass(frozen=True, slots=True)
class _ClaimedForm:
    KEYS: ClassVar = {"source": "from"}

    seat: Seat
    meld: Annotated[str, Meta(pattern=r"^(chow|pung|kong)\Z", description="one of chow, pung, kong")]
    tiles: Tiles
    source: Seat


@dataclass(frozen=True, slots=True)
class _DeclaredForm:
    seat: Seat
    meld: Annotated[str, Meta(pattern=r"^(added|concealed)_kong\Z", description="one of added_kong, concealed_kong")]
    tiles: Tiles | None
    late: bool = False


def to_json(event: PlayEvent) -> dict[str, object]:
    """Write an event as a JSON object with the key ``type``; raises ValueError for a meld that cannot be in such an event."""
    form: object = event
    match event:
        case Claimed(seat, Meld(MeldType.CHOW | MeldType.PUNG | MeldType.KONG as kind, tiles, Seat() as source)):
            form = _ClaimedForm(seat, kind.value, tiles, source)
        case Claimed():
            raise ValueError(f"a claim is a chow, pung or kong from another seat, not {event.meld}")
        case KongDeclared(seat, Meld(MeldType.ADDED_KONG | MeldType.CONCEALED_KONG as kind, tiles, None) as meld, late):
            form = _DeclaredForm(seat, kind.value, None if meld.face_down else tiles, late)
        case KongDeclared():
            raise ValueError(f"a declared kong is added or concealed and names no source (an added one has its pung's), not {event.meld}")
    return {"type": _NAMES[type(event)], **sparse(form)}


def from_json(document: Mapping[str, object]) -> PlayEvent:
    """Read an event; raises DocumentError naming an unknown type, an unknown or missing key, or a value that does not fit."""
    if "type" not in document:
        raise DocumentError("the event: the key 'type' is missing")
    kind = document["type"]
    if not isinstance(kind, str) or kind not in _CLASSES:
        raise DocumentError(f"the event type {kind!r} is not known; known are {', '.join(_CLASSES)}")
    fields, name = {key: value for key, value in document.items() if key != "type"}, f"the event {kind!r}"
    match _CLASSES[kind]:
        case cls if cls is Claimed:
            claim = read_as(fields, _ClaimedForm, name)
            return Claimed(claim.seat, Meld(MeldType(claim.meld), claim.tiles, claim.source))
        case cls if cls is KongDeclared:
            kong = read_as(fields, _DeclaredForm, name)
            if kong.tiles is None and kong.meld == MeldType.ADDED_KONG:
                raise DocumentError(f"{name}: tiles must be those of the kong")
            return KongDeclared(kong.seat, Meld(MeldType(kong.meld), kong.tiles or (), None), kong.late)
        case cls:
            return read_as(fields, cls, name)


def _read_events(events: list[object]) -> tuple[PlayEvent, ...]:
    read: list[PlayEvent] = []
    for number, event in enumerate(events, start=1):
        try:
            read.append(from_json(object_of(event, "the event")))
        except DocumentError as error:
            raise DocumentError(f"event {number} of the hand record: {error}") from None
    return tuple(read)


PlayEvents = Annotated[tuple[PlayEvent, ...], WrittenAs(_read_events, lambda events: [to_json(event) for event in events], list)]
"""The events of a hand record."""
