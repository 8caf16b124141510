"""Play events as JSON objects and back: ``type`` is the event's name on the wire, the other keys are its fields.

Reading is strict: unknown types and keys are errors that name them. Envelopes, secrecy classes and all other events are left
to ``twinwall.wire``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, assert_never

from twinwall.game.documents import DocumentError, DocumentFields, integer_of, object_of
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
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled, ResultExcluded, Ruled
from twinwall.game.tiles import SEATS, Seat, format_tiles
from twinwall.game.typed_json import WrittenAs

_CLAIMABLE = (MeldType.CHOW, MeldType.PUNG, MeldType.KONG)
_DECLARABLE = (MeldType.ADDED_KONG, MeldType.CONCEALED_KONG)


def to_json(event: PlayEvent) -> dict[str, object]:
    """Write an event as a JSON object with the key ``type``; raises ValueError for a meld that cannot be in such an event."""
    match event:
        case TileDrawn(seat, from_end):
            return {"type": "tile-drawn", "seat": seat.value, **({"from_end": True} if from_end else {})}
        case TileDiscarded(seat, tile, riichi):
            return {"type": "tile-discarded", "seat": seat.value, "tile": tile.text, **({"riichi": True} if riichi else {})}
        case Claimed(seat, meld):
            return {"type": "claimed", "seat": seat.value, **_claimed_json(meld)}
        case KongDeclared(seat, meld, late):
            return {"type": "kong-declared", "seat": seat.value, **_declared_json(meld), **({"late": True} if late else {})}
        case ClaimsPassed():
            return {"type": "passed"}
        case WinDeclared(seat, source, winning):
            return {
                "type": "win-declared",
                "seat": seat.value,
                "from": None if source is None else source.value,
                "tile": None if winning is None else winning.text,
            }
        case HandShown(seat, concealed, winning, kongs):
            turned_up = {"kongs": format_tiles(kongs)} if kongs else {}
            return {"type": "hand-shown", "seat": seat.value, "concealed": format_tiles(concealed), "winning": winning.text, **turned_up}
        case HandLaidOpen(seat, concealed):
            return {"type": "hand-laid-open", "seat": seat.value, "concealed": format_tiles(concealed)}
        case WinRefused(seat, reason):
            return {"type": "win-refused", "seat": seat.value, "reason": reason}
        case HandRuledDead() | PenaltyRuled() | ResultExcluded():
            return _ruled_json(event)
        case SharedTileTurned(place, tile):
            return {"type": "shared-tile-turned", "place": place, "tile": tile.text}
        case HandEnded(ended, scores):
            return {"type": "hand-ended", "reason": ended.value, "scores": {seat.value: scores[seat] for seat in SEATS}}
        case _:
            assert_never(event)


def _ruled_json(event: Ruled) -> dict[str, object]:
    match event:
        case HandRuledDead(seat):
            return {"type": "hand-ruled-dead", "seat": seat.value}
        case PenaltyRuled(seat, offence, imp, points):
            return {"type": "penalty-ruled", "seat": seat.value, "offence": offence.value, "imp": imp, "points": points}
        case ResultExcluded():
            return {"type": "result-excluded"}
        case _:
            assert_never(event)


def _declared_json(meld: Meld) -> dict[str, object]:
    if meld.source is not None or meld.type not in _DECLARABLE:
        raise ValueError(f"a declared kong is added or concealed and names no source (an added one has its pung's), not {meld}")
    return _meld_json(meld)


def _claimed_json(meld: Meld) -> dict[str, object]:
    if meld.source is None or meld.type not in _CLAIMABLE:
        raise ValueError(f"a claim is a chow, pung or kong from another seat, not {meld}")
    return {**_meld_json(meld), "from": meld.source.value}


def _meld_json(meld: Meld) -> dict[str, object]:
    return {"meld": meld.type.value, "tiles": None if meld.face_down else format_tiles(meld.tiles)}


def from_json(document: Mapping[str, object]) -> PlayEvent:
    """Read an event; raises DocumentError naming an unknown type, an unknown or missing key, or a value that does not fit."""
    fields = DocumentFields(document, "the event")
    kind = fields.text("type")
    reader = _READERS.get(kind)
    if reader is None:
        raise DocumentError(f"the event type {kind!r} is not known; known are {', '.join(_READERS)}")
    named = DocumentFields({key: value for key, value in document.items() if key != "type"}, f"the event {kind!r}")
    event = reader(named)
    named.done()
    return event


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


def scores_of(fields: DocumentFields, key: str) -> dict[Seat, int]:
    """Read whole numbers for all four seats."""
    return {seat: integer_of(value, f"{fields.label(key)} for {seat.value}") for seat, value in fields.seats(key).items()}


def _claimed(fields: DocumentFields) -> PlayEvent:
    return Claimed(fields.seat("seat"), Meld(_meld_type(fields, _CLAIMABLE), fields.tiles("tiles"), fields.seat("from")))


def _kong_declared(fields: DocumentFields) -> PlayEvent:
    seat, meld_type, written = fields.seat("seat"), _meld_type(fields, _DECLARABLE), fields.take("tiles")
    late = fields.switch("late") if "late" in fields else False
    if written is None and meld_type is MeldType.CONCEALED_KONG:
        return KongDeclared(seat, Meld(meld_type, (), None), late)
    return KongDeclared(seat, Meld(meld_type, DocumentFields({"tiles": written}, "the event 'kong-declared'").tiles("tiles"), None), late)


def _meld_type(fields: DocumentFields, allowed: tuple[MeldType, ...]) -> MeldType:
    text = fields.text("meld")
    for meld_type in allowed:
        if meld_type.value == text:
            return meld_type
    raise DocumentError(f"{fields.label('meld')} must be one of {', '.join(allowed)}, not {text!r}")


def _tile_discarded(fields: DocumentFields) -> PlayEvent:
    return TileDiscarded(fields.seat("seat"), fields.tile("tile"), fields.switch("riichi") if "riichi" in fields else False)


def _win_declared(fields: DocumentFields) -> PlayEvent:
    seat, source, tile = fields.seat("seat"), fields.take("from"), fields.take("tile")
    again = DocumentFields({"from": source, "tile": tile}, "the event 'win-declared'")
    return WinDeclared(seat, None if source is None else again.seat("from"), None if tile is None else again.tile("tile"))


def _hand_shown(fields: DocumentFields) -> PlayEvent:
    kongs = fields.tiles("kongs") if "kongs" in fields else ()
    return HandShown(fields.seat("seat"), fields.tiles("concealed"), fields.tile("winning"), kongs)


def _penalty_ruled(fields: DocumentFields) -> PlayEvent:
    seat, text = fields.seat("seat"), fields.text("offence")
    if text not in list(Offence):
        raise DocumentError(f"{fields.label('offence')} must be one of {', '.join(Offence)}, not {text!r}")
    return PenaltyRuled(seat, Offence(text), fields.integer("imp", 0), fields.integer("points", 0))


def _hand_ended(fields: DocumentFields) -> PlayEvent:
    text = fields.text("reason")
    if text not in list(EndReason):
        raise DocumentError(f"{fields.label('reason')} must be one of {', '.join(EndReason)}, not {text!r}")
    return HandEnded(EndReason(text), scores_of(fields, "scores"))


_READERS: dict[str, Callable[[DocumentFields], PlayEvent]] = {
    "tile-drawn": lambda fields: TileDrawn(fields.seat("seat"), fields.switch("from_end") if "from_end" in fields else False),
    "tile-discarded": _tile_discarded,
    "claimed": _claimed,
    "kong-declared": _kong_declared,
    "passed": lambda _: ClaimsPassed(),
    "win-declared": _win_declared,
    "hand-shown": _hand_shown,
    "hand-laid-open": lambda fields: HandLaidOpen(fields.seat("seat"), fields.tiles("concealed")),
    "win-refused": lambda fields: WinRefused(fields.seat("seat"), fields.words("reason")),
    "hand-ruled-dead": lambda fields: HandRuledDead(fields.seat("seat")),
    "penalty-ruled": _penalty_ruled,
    "result-excluded": lambda _: ResultExcluded(),
    "shared-tile-turned": lambda fields: SharedTileTurned(fields.integer("place", 0), fields.tile("tile")),
    "hand-ended": _hand_ended,
}
PLAY_TYPES = frozenset(_READERS)
"""The names of all events of play."""
