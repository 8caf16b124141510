"""What a field of an event may hold: each kind of value with its check and its JSON Schema.

A kind is checked as plain JSON (text, numbers, lists, objects), so that this module serves
whoever writes an event and whoever receives one from the network alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from twinwall.game.play_events import RULED_ENDS, Claim, EndReason, MeldType
from twinwall.game.rulings import Offence
from twinwall.game.tiles import SEATS, NotationError, parse_tile, parse_tiles
from twinwall.wire.canonical_json import FormError
from twinwall.wire.messages.ruling import EFFECT_TYPES, LONGEST_TEXT, MOST_EFFECTS, effects_of, texts_of

_SEAT_TEXTS = tuple(seat.value for seat in SEATS)
_HEX_64 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A kind of value: how it is called in the reference, what it must be, and the same as JSON Schema."""

    name: str
    written: str
    check: Callable[[object], bool]
    schema: Mapping[str, object]


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_tile(value: object) -> bool:
    try:
        return isinstance(value, str) and parse_tile(value) is not None
    except NotationError:
        return False


def _is_tiles(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(parse_tiles(value))
    except NotationError:
        return False


def _is_seat(value: object) -> bool:
    return value in _SEAT_TEXTS


def _is_hex_64(value: object) -> bool:
    return isinstance(value, str) and _HEX_64.fullmatch(value) is not None


def _by_seat(check: Callable[[object], bool]) -> Callable[[object], bool]:
    def checked(value: object) -> bool:
        return isinstance(value, dict) and set(value) == set(_SEAT_TEXTS) and all(map(check, value.values()))

    return checked


def _is_options(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) and isinstance(item, bool | int | str) for key, item in value.items())


def _is_fan(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"id", "name", "value", "count"}
        and all(isinstance(value[key], str) for key in ("id", "name"))
        and all(_is_count(value[key]) for key in ("value", "count"))
    )


def _readable(read: Callable[[object], object]) -> Callable[[object], bool]:
    """A check by reading: whatever ``read`` does not refuse."""

    def checked(value: object) -> bool:
        try:
            read(value)
        except FormError:
            return False
        return True

    return checked


def _one_of(name: str, words: tuple[str, ...]) -> ValueKind:
    return ValueKind(name, "one of " + ", ".join(f"`{word}`" for word in words), lambda value: value in words, {"enum": list(words)})


def _object_by_seat(inner: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict.fromkeys(_SEAT_TEXTS, inner),
        "required": list(_SEAT_TEXTS),
        "additionalProperties": False,
    }


_TILE_PATTERN = "([1-9][mps]|[ESWNCFP])"
_FAN_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "value": {"type": "integer", "minimum": 0},
        "count": {"type": "integer", "minimum": 0},
    },
    "required": ["id", "name", "value", "count"],
    "additionalProperties": False,
}


def _effect_schema(name: str, fields: Mapping[str, object]) -> dict[str, object]:
    properties = {"type": {"const": name}, **fields}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_SEAT_SCHEMA: Mapping[str, object] = {"enum": list(_SEAT_TEXTS)}
_COUNT_SCHEMA: Mapping[str, object] = {"type": "integer", "minimum": 0}
_OFFENCE_SCHEMA: Mapping[str, object] = {"enum": [offence.value for offence in Offence]}
_EFFECTS_SCHEMA: dict[str, object] = {
    "type": "array",
    "maxItems": MOST_EFFECTS,
    "items": {
        "oneOf": [
            _effect_schema("hand-ruled-dead", {"seat": _SEAT_SCHEMA}),
            _effect_schema(
                "penalty-ruled", {"seat": _SEAT_SCHEMA, "offence": _OFFENCE_SCHEMA, "imp": _COUNT_SCHEMA, "points": _COUNT_SCHEMA}
            ),
            _effect_schema("result-excluded", {}),
            _effect_schema(
                "hand-ended", {"reason": {"enum": [reason.value for reason in RULED_ENDS]}, "scores": _object_by_seat({"type": "integer"})}
            ),
        ]
    },
}

SEAT = ValueKind("seat", "`E`, `S`, `W` or `N`", _is_seat, {"enum": list(_SEAT_TEXTS)})
TILE = ValueKind("tile", "one tile, `5p`", _is_tile, {"type": "string", "pattern": f"^{_TILE_PATTERN}$"})
TILES = ValueKind(
    "tiles", "tiles, `1m 2m 3m`", _is_tiles, {"type": "string", "pattern": "^([1-9]+[mps]|[ESWNCFP])( ?([1-9]+[mps]|[ESWNCFP]))*$"}
)
COUNT = ValueKind("count", "whole number from 0", _is_count, {"type": "integer", "minimum": 0})
TEXT = ValueKind("text", "text", _is_text, {"type": "string"})
FLAG = ValueKind("flag", "`true` or `false`", lambda value: isinstance(value, bool), {"type": "boolean"})
SECONDS = ValueKind(
    "seconds",
    "seconds",
    lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value >= 0,
    {"type": "number", "minimum": 0},
)
DIGEST = ValueKind("digest", "SHA-256 in lower-case hex", _is_hex_64, {"type": "string", "pattern": "^[0-9a-f]{64}$"})
MELD = _one_of("meld", tuple(meld.value for meld in MeldType))
CALL = _one_of("call", tuple(claim.value for claim in Claim))
END = _one_of("end", tuple(reason.value for reason in EndReason))
OFFENCE = _one_of("offence", tuple(offence.value for offence in Offence))
AMOUNTS = ValueKind("amounts", "an amount for each of the four seats", _by_seat(_is_integer), _object_by_seat({"type": "integer"}))
COUNTS = ValueKind("counts", "a count for each of the four seats", _by_seat(_is_count), _object_by_seat({"type": "integer", "minimum": 0}))
NAMES = ValueKind("names", "a name for each of the four seats", _by_seat(_is_text), _object_by_seat({"type": "string"}))
OPTIONS = ValueKind(
    "options",
    "an object of options by name: words, whole numbers, `true` or `false`",
    _is_options,
    {"type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]}},
)
FANS = ValueKind(
    "fans",
    "list of `{id, name, value, count}`",
    lambda value: isinstance(value, list) and all(map(_is_fan, value)),
    {"type": "array", "items": _FAN_SCHEMA},
)
TEXTS = ValueKind(
    "texts",
    "an object of texts by language, `en`, `ja`, `zh-Hans`",
    _readable(texts_of),
    {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"},
        "additionalProperties": {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT},
    },
)
EFFECTS = ValueKind(
    "effects",
    "list of the events " + ", ".join(f"`{name}`" for name in EFFECT_TYPES) + " (`ruled` or `annulled`), each with its `type` and fields",
    _readable(effects_of),
    _EFFECTS_SCHEMA,
)
