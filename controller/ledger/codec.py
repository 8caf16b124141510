"""JSON codec of journal events and feeder commands, derived from their dataclasses.

A field that was renamed, dropped or mistyped is an error that names it. An optional field that is None is left out. Tiles are written
in notation, seats by wind; a member of a union of dataclasses carries the kebab-case class name under ``type``.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache

from twinwall.game.tiles import Tile, format_tiles, parse_tile, parse_tiles
from twinwall.wire.events.definitions import type_name

Json = object
"""What ``json`` reads and writes; checked where it is read."""


_PLAIN = frozenset((int, float, str, bool))
"""Types whose values are written and read as they are."""


class CodecError(ValueError):
    """JSON that does not fit the type it should be; the message names the field."""


def encode(value: object, *, tagged: bool = False) -> Json:
    """Turn a dataclass, tile, seat, enum, tuple or mapping into JSON; ``tagged`` writes a dataclass's ``type`` too."""
    cls: type = type(value)
    if _is_form(cls):
        return _encode_dataclass(value, tagged=tagged)
    match value:
        case Tile():
            return value.text
        case Enum():
            return encode(value.value)
        case None | bool() | int() | float() | str():
            return value
        case tuple():
            return format_tiles(value) if value and all(isinstance(item, Tile) for item in value) else [encode(item) for item in value]
        case Mapping():
            return {_key(key): encode(item) for key, item in value.items()}
        case _:
            raise CodecError(f"{type(value).__name__} has no JSON form")


def _encode_dataclass(value: object, *, tagged: bool) -> Json:
    cls: type = type(value)
    optional = _optional(cls)
    written: dict[str, Json] = {"type": type_name(cls)} if tagged else {}
    for name, union in _unions(cls).items():
        item = getattr(value, name)
        if item is not None or name not in optional:
            written[name] = item if type(item) in _PLAIN else encode(item, tagged=union)
    return written


def decode(hint: object, value: Json, where: str = "value") -> object:
    """Read a value of type ``hint`` (a class, union, tuple or mapping type) from JSON.

    Raises CodecError naming the place (``where``) that does not fit.
    """
    if hint in _PLAIN and type(value) is hint:
        return value
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(typing.get_args(hint), value, where)
    if origin is tuple:
        return _decode_tuple(typing.get_args(hint), value, where)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key_hint, item_hint = typing.get_args(hint)
        if not isinstance(value, dict):
            raise CodecError(f"{where} must be an object")
        return {decode(key_hint, key, where): decode(item_hint, item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(hint, type):
        return _decode_class(hint, value, where)
    raise CodecError(f"{where}: {hint} cannot be read")


def _decode_class(hint: type, value: Json, where: str) -> object:
    if hint is Tile:
        if not isinstance(value, str):
            raise CodecError(f"{where} must be a tile")
        return parse_tile(value)
    if issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            raise CodecError(f"{where}: {value!r} is none of {', '.join(str(member.value) for member in hint)}") from None
    if is_dataclass(hint):
        return _decode_dataclass(hint, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is type(None) and value is None:
        return None
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise CodecError(f"{where}: {value!r} is not of type {hint.__name__}")
    return value


def _decode_dataclass(hint: type, value: Json, where: str) -> object:
    if not isinstance(value, dict):
        raise CodecError(f"{where} must be an object")
    hints = _hints(hint)
    if not (value.keys() <= _known(hint) and value.keys() >= _required(hint)):
        unknown, missing = value.keys() - _known(hint), _required(hint) - value.keys()
        raise CodecError(f"{where}: {type_name(hint)} has {_named('unknown', unknown)}{_named('no', missing)}".rstrip("; "))
    return hint(**{name: decode(hints[name], item, f"{where}.{name}") for name, item in value.items() if name in hints})


def _decode_union(choices: tuple[object, ...], value: Json, where: str) -> object:
    if value is None and type(None) in choices:
        return None
    if isinstance(value, dict) and "type" in value:
        for choice in choices:
            if isinstance(choice, type) and is_dataclass(choice) and type_name(choice) == value["type"]:
                return decode(choice, value, where)
        raise CodecError(f"{where}: type {value['type']!r} is not known here")
    for choice in choices:
        try:
            return decode(choice, value, where)
        except (CodecError, ValueError):
            continue
    raise CodecError(f"{where}: {value!r} fits none of the allowed types")


def _decode_tuple(hints: tuple[object, ...], value: Json, where: str) -> tuple[object, ...]:
    if hints[0] is Tile and isinstance(value, str):
        return parse_tiles(value)
    if not isinstance(value, list):
        raise CodecError(f"{where} must be a list")
    if len(hints) == 2 and hints[1] is Ellipsis:
        return tuple(decode(hints[0], item, f"{where}[{index}]") for index, item in enumerate(value))
    if len(hints) != len(value):
        raise CodecError(f"{where} must have {len(hints)} items")
    return tuple(decode(hint, item, f"{where}[{index}]") for index, (hint, item) in enumerate(zip(hints, value, strict=True)))


def _is_union(hint: object) -> bool:
    """Whether a value of this hint needs its type written to be read again."""
    return sum(is_dataclass(choice) for choice in typing.get_args(hint)) > 1


def _key(key: object) -> str:
    written = encode(key)
    return written if isinstance(written, str) else str(written)


def _named(what: str, names: AbstractSet[str]) -> str:
    return f"{what} {', '.join(sorted(names))}; " if names else ""


@cache
def _is_form(cls: type) -> bool:
    return is_dataclass(cls)


@cache
def _hints(cls: type) -> dict[str, object]:
    hints = typing.get_type_hints(cls)
    return {f.name: hints[f.name] for f in fields(cls)}


@cache
def _known(cls: type) -> frozenset[str]:
    """The keys that a written value of this class may have."""
    return frozenset((*_hints(cls), "type"))


@cache
def _required(cls: type) -> frozenset[str]:
    """The keys that it must have."""
    return frozenset(_hints(cls)) - _optional(cls)


@cache
def _optional(cls: type) -> frozenset[str]:
    """Fields that a line from before they were thought of may lack."""
    return frozenset(f.name for f in fields(cls) if f.default is not MISSING)


@cache
def _unions(cls: type) -> dict[str, bool]:
    """A dataclass's fields, and which of them hold one of several classes."""
    return {name: _is_union(hint) for name, hint in _hints(cls).items()}
