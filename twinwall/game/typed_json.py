"""Plain JSON read into msgspec types, and written from them. An error names the field by its path, what stands there and what should.

What bytes are JSON at all is in ``twinwall.game.documents``, and for what travels in ``twinwall.wire.canonical_json``.
"""

from __future__ import annotations

import threading
import types
import typing
from collections.abc import Iterator
from datetime import date, datetime
from enum import Enum
from typing import Annotated, ClassVar, Generic, Self, TypeVar

import msgspec

from twinwall.game.documents import TOO_DEEP, DocumentError, json_text, parse_object
from twinwall.game.tiles import Seat, Tile, parse_tiles

_S = TypeVar("_S")
_READ_ALREADY = (datetime, date)
_FIRST_USE = threading.Lock()
_prepared: set[type] = set()

Words = Annotated[str, msgspec.Meta(pattern=r"\S", description="text that is not empty")]
Number = Annotated[int, msgspec.Meta(ge=1)]
"""What is counted from 1."""


class HexBytes(bytes):
    """``SIZE`` bytes, which JSON writes in lower-case hex."""

    SIZE: ClassVar[int]

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the hex; raises ValueError."""
        if len(text) != 2 * cls.SIZE or not set(text) <= set("0123456789abcdef"):
            raise ValueError(f"must be {2 * cls.SIZE} lower-case hex digits ({cls.SIZE} bytes)")
        return cls.fromhex(text)


class Tiles(tuple[Tile, ...]):
    """Tiles in the order written, as one text in JSON."""

    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the notation; raises NotationError."""
        return cls(parse_tiles(text))


class FourSeats(msgspec.Struct, Generic[_S], forbid_unknown_fields=True):
    """Something for each of the four seats."""

    E: _S
    S: _S
    W: _S
    N: _S

    @property
    def by_seat(self) -> dict[Seat, _S]:
        """It by seat, in the order of the seats."""
        return {Seat.EAST: self.E, Seat.SOUTH: self.S, Seat.WEST: self.W, Seat.NORTH: self.N}


def read_document(text: bytes | str, shape: type[_S], name: str) -> _S:
    """Read the bytes of one JSON object into a msgspec type, which names its format; ``name`` is what the error calls the document."""
    value = parse_object(text, name)
    form = _struct(shape)
    if form is not None and (tag := form.__struct_config__.tag_field) is not None and tag not in value:  # msgspec does without
        raise DocumentError(f"{name}: the key '{tag}' is missing")
    return read_as(value, shape, name)


def decode(text: bytes | str, shape: type[_S]) -> _S:
    """Decode JSON of a type without paths in its errors; raises msgspec.DecodeError, also for lists in lists beyond all use."""
    _prepare(shape)
    try:
        return msgspec.json.decode(text, type=shape)
    except RecursionError:
        raise msgspec.DecodeError(TOO_DEEP) from None


def read_as(value: object, shape: type[_S], name: str = "") -> _S:
    """Read plain JSON, in which times are read already, into a msgspec type; raises DocumentError."""
    _prepare(shape)
    try:
        return _convert(value, shape)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, DocumentError):
            raise error.__cause__ from None
        sentence = _what_is_wrong(value, shape, "", error).removeprefix(".")
        raise DocumentError(f"{name}: {sentence}" if name else sentence) from None


def _prepare(shape: type) -> None:
    """Have msgspec describe a type to itself, in one thread at a time: a first use in two threads at once ends the process."""
    if shape in _prepared:
        return
    with _FIRST_USE:
        msgspec.json.Decoder(shape)
        _prepared.add(shape)


def plain(document: msgspec.Struct) -> dict[str, object]:
    """A document as ``json`` writes it."""
    written: dict[str, object] = msgspec.to_builtins(document, builtin_types=(bytes, *_READ_ALREADY), enc_hook=_written)
    return written


def _written(value: object) -> str:
    if isinstance(value, HexBytes):
        return value.hex()
    raise NotImplementedError


def _convert(value: object, shape: type[_S]) -> _S:
    return msgspec.convert(value, shape, builtin_types=_READ_ALREADY, dec_hook=_read_text)


def _read_text(kind: type, value: object) -> object:
    if kind is object:
        return value
    if not issubclass(kind, HexBytes | Tiles):
        raise NotImplementedError
    if not isinstance(value, str):
        raise ValueError("must be text")
    return kind.read(value)


def _what_is_wrong(value: object, hint: object, path: str, error: msgspec.ValidationError) -> str:
    """The first part that does not fit its type, by its path; the parts are read one by one, since msgspec's error is one text."""
    required = _required(hint)
    hint = _without_wrapping(hint)
    for step, part, part_hint in _parts(value, hint):
        try:
            _convert(part, typing.cast(type[object], part_hint))
        except msgspec.ValidationError as inner:
            return _what_is_wrong(part, part_hint, path + step, inner)
    said = required or str(error).replace("`", "'")
    if not isinstance(value, dict):
        return f"{path} {json_text(value)}: {said}".lstrip()
    return (f"{path}: " if path else "") + (_wrong_key(value, hint) or said)


def _required(hint: object) -> str | None:
    """What must stand where the type says it in words, or lists it."""
    descriptions = [item.description for item in getattr(hint, "__metadata__", ()) if isinstance(item, msgspec.Meta) and item.description]
    kind = _without_wrapping(hint)
    words = [member.value for member in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
    if words or typing.get_origin(kind) is typing.Literal:
        descriptions = ["one of " + ", ".join(map(str, words or typing.get_args(kind)))]
    return f"must be {descriptions[0]}" if descriptions else None


def _wrong_key(value: dict[str, object], hint: object) -> str | None:
    """Which key of an object is not known, or missing."""
    shape = _struct(hint)
    if shape is None:
        return None
    known = {field.encode_name: field.required for field in msgspec.structs.fields(shape)}
    form = shape.__struct_config__
    if form.tag_field and value.get(form.tag_field) != form.tag:
        return f"{form.tag_field} must be {json_text(form.tag)}, not {json_text(value.get(form.tag_field))}"
    if form.forbid_unknown_fields and (unknown := [key for key in value if key not in known and key != form.tag_field]):
        return f"the key '{unknown[0]}' is not known"
    missing = [key for key, required in known.items() if required and key not in value]
    return f"the key '{missing[0]}' is missing" if missing else None


def _parts(value: object, hint: object) -> Iterator[tuple[str, object, object]]:
    """The parts of a value, each with its step in the path and its type, where the type of the whole says them."""
    items = typing.get_args(hint)
    if isinstance(value, dict) and _struct(hint):
        fields = msgspec.structs.fields(typing.cast(type[msgspec.Struct], hint))
        yield from ((f".{f.encode_name}", value[f.encode_name], f.type) for f in fields if f.encode_name in value)
    elif isinstance(value, dict) and typing.get_origin(hint) is dict:
        yield from ((f".{key}", part, items[1]) for key, part in value.items())
    elif isinstance(value, list) and typing.get_origin(hint) in (list, tuple):
        of_item = items if typing.get_origin(hint) is tuple and Ellipsis not in items else items[:1] * len(value)
        if len(of_item) == len(value):
            yield from ((f"[{index}]", part, of) for index, (part, of) in enumerate(zip(value, of_item, strict=True)))


def _without_wrapping(hint: object) -> object:
    """A type without ``Annotated``, and without ``| None`` where one other type is left."""
    while (origin := typing.get_origin(hint)) in (Annotated, typing.Union, types.UnionType):
        choices = [choice for choice in typing.get_args(hint) if choice is not types.NoneType]
        if origin is not Annotated and len(choices) > 1:
            break
        hint = choices[0]
    return hint


def _struct(hint: object) -> type[msgspec.Struct] | None:
    """The class of an object with known keys, where the type is one or a generic one of given types."""
    shape = typing.get_origin(hint) or hint
    return shape if isinstance(shape, type) and issubclass(shape, msgspec.Struct) else None
