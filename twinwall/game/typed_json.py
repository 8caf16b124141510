"""Plain JSON read into typed values, and written from them. An error names the field by its path, what stands there and what should.

msgspec reads its own types. Frozen dataclasses are their own written form too: tiles stand there in notation, seats by wind; of several
classes in a union each has its name under ``type``; an optional field that is None is left out; what a type cannot say stands beside it
(``WrittenAs``). What bytes are JSON at all is in ``twinwall.game.documents``, and for what travels in ``twinwall.wire.canonical_json``.
"""

from __future__ import annotations

import contextlib
import re
import threading
import types
import typing
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Annotated, ClassVar, Self, TypeVar

import msgspec

from twinwall.game.documents import TOO_DEEP, DocumentError, json_text, parse_object
from twinwall.game.tiles import SEATS, Seat, Tile, format_tiles, parse_tile, parse_tiles

_S = TypeVar("_S")
_PLAIN = frozenset((int, float, str, bool))
"""Types whose values are written and read as they are."""
_READ_ALREADY = (datetime, date)
_FIRST_USE = threading.Lock()
_prepared: set[object] = set()

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


@dataclass(frozen=True, slots=True)
class WrittenAs:
    """How a dataclass's field is written: ``Annotated[date, WrittenAs(read, write)]``. ``read`` takes a value of JSON ``of`` this type and
    raises ValueError; ``write`` gives one."""

    read: Callable[..., object]
    write: Callable[..., object]
    of: type = str


Tiles = Annotated[tuple[Tile, ...], WrittenAs(parse_tiles, format_tiles)]
"""Tiles in the order written, as one text."""
BySeat = Annotated[Mapping[Seat, _S], msgspec.Meta(min_length=len(SEATS))]
"""Something for each of the four seats."""


def read_document(text: bytes | str, shape: type[_S], name: str) -> _S:
    """Read the bytes of one JSON object into a type, which names its format; ``name`` is what the error calls the document."""
    value = parse_object(text, name)
    form = _struct(shape)
    key = "format" if form is None else form.__struct_config__.tag_field
    if key is not None and key not in value:  # msgspec does without
        raise DocumentError(f"{name}: the key '{key}' is missing")
    if is_dataclass(shape) and (given := value.pop("format")) != (wanted := format_of(shape)):
        raise DocumentError(f"{name}: format must be {json_text(wanted)}, not {json_text(given)}")
    return read_as(value, shape, name)


def format_of(shape: type) -> str | None:
    """The format that a document of a dataclass names: its ``FORMAT``."""
    found: str | None = getattr(shape, "FORMAT", None)
    return found


def decode(text: bytes | str, shape: type[_S]) -> _S:
    """Decode JSON of a type without paths in its errors; raises msgspec.DecodeError, also for lists in lists beyond all use."""
    _prepare(shape)
    try:
        return msgspec.json.decode(text, type=shape)
    except RecursionError:
        raise msgspec.DecodeError(TOO_DEEP) from None


def read_as(value: object, shape: type[_S], name: str = "") -> _S:
    """Read plain JSON, in which times are read already, into a type; raises DocumentError."""
    try:
        return typing.cast(_S, read_at(value, shape))
    except _MisfitError as error:
        raise DocumentError(f"{name}: {error}" if name else str(error)) from None


class _MisfitError(DocumentError):
    """What does not fit its type; the message begins with its path."""


def read_at(value: object, hint: object, path: str = "") -> object:
    """Read a value of a type (a class, union, tuple or mapping type) that stands at a path; raises DocumentError."""
    if hint in _PLAIN and type(value) is hint:
        return value
    if (form := _form(hint)) is not None:
        return _read_form(value, form, path)
    if not _is_own(hint):
        return _read_msgspec(value, hint, path)
    kind = _without_annotation(hint)
    items = typing.get_args(kind)
    match typing.get_origin(kind):
        case None:
            return _read_object(value, typing.cast(type, kind), path)
        case typing.Union | types.UnionType:
            return _read_union(value, items, path)
        case origin if origin is tuple:
            return _read_tuple(value, items, path)
        case _:
            return _read_mapping(value, hint, path)


def _read_msgspec(value: object, hint: object, path: str) -> object:
    _prepare(hint)
    try:
        return _convert(value, typing.cast(type[object], hint))
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, DocumentError):
            raise error.__cause__ from None
        raise _MisfitError(_what_is_wrong(value, hint, path, error).removeprefix(".")) from None


def _read_form(value: object, form: WrittenAs, path: str) -> object:
    if not isinstance(value, form.of):
        raise _misfit(value, path, f"Expected '{_JSON_NAMES[form.of]}'")
    try:
        return form.read(value)
    except DocumentError:
        raise
    except ValueError as error:
        raise _MisfitError(f"{path}: {error}".removeprefix(": ").removeprefix(".")) from None


def _read_object(value: object, shape: type, path: str) -> object:
    if not isinstance(value, dict):
        raise _misfit(value, path, "Expected 'object'")
    known, required = _fields(shape), _required_keys(shape)
    if not (value.keys() <= known.keys() and value.keys() >= required):
        unknown = next((f"the key '{key}' is not known" for key in value if key not in known), "")
        missing = next((f"the key '{key}' is missing" for key in known if key in required and key not in value), "")
        raise _MisfitError(f"{path}: {unknown or missing}".removeprefix(": ").removeprefix("."))
    read = {
        key: part if type(part) is (hint := known[key].hint) and hint in _PLAIN else read_at(part, hint, f"{path}.{key}")
        for key, part in value.items()
    }
    return shape(**read)


def _read_union(value: object, choices: tuple[object, ...], path: str) -> object:
    if value is None and types.NoneType in choices:
        return None
    classes = [choice for choice in choices if choice is not types.NoneType]
    if len(classes) == 1:
        return read_at(value, classes[0], path)
    for choice in classes:
        if isinstance(value, dict) and type_tag(choice) == value.get("type"):
            return read_at({key: part for key, part in value.items() if key != "type"}, choice, path)
        with contextlib.suppress(_MisfitError):
            return read_at(value, choice, path)
    raise _misfit(value, path, "its type is not known here")


def _read_tuple(value: object, items: tuple[object, ...], path: str) -> object:
    if items[0] is Tile and isinstance(value, str):
        return _read_form(value, _TILES, path)
    if not isinstance(value, list):
        raise _misfit(value, path, "Expected 'array'")
    hints = items[:1] * len(value) if Ellipsis in items else items
    if len(hints) != len(value):
        raise _misfit(value, path, f"Expected 'array' of length {len(hints)}")
    return tuple(read_at(part, hint, f"{path}[{index}]") for index, (part, hint) in enumerate(zip(value, hints, strict=True)))


def _read_mapping(value: object, hint: object, path: str) -> object:
    key_hint, item_hint = typing.get_args(_without_annotation(hint))
    if not isinstance(value, dict):
        raise _misfit(value, path, "Expected 'object'")
    read = {read_at(key, key_hint, f"{path}.{key}"): read_at(part, item_hint, f"{path}.{key}") for key, part in value.items()}
    if _is_by_seat(hint):
        missing = [seat.value for seat in SEATS if seat not in read]
        if missing:
            raise _MisfitError(f"{path}: the key '{missing[0]}' is missing".removeprefix("."))
    return read


def _misfit(value: object, path: str, expected: str) -> _MisfitError:
    return _MisfitError(f"{path} {json_text(value)}: {expected}".removeprefix(".").lstrip())


def _prepare(shape: object) -> None:
    """Have msgspec describe a type to itself, in one thread at a time: a first use in two threads at once ends the process."""
    if shape in _prepared:
        return
    with _FIRST_USE:
        msgspec.json.Decoder(shape)
        _prepared.add(shape)


def plain(value: object) -> dict[str, object]:
    """A document as ``json`` writes it: a msgspec type with its tag, or a dataclass with its format."""
    if is_dataclass(value):
        form = format_of(type(value))
        return ({} if form is None else {"format": form}) | _object_json(value)
    found: dict[str, object] = msgspec.to_builtins(value, builtin_types=(bytes, *_READ_ALREADY), enc_hook=_write_own)
    return found


def written(value: object, hint: object = object) -> object:
    """A value of a type as ``json`` writes it."""
    cls: type = type(value)
    if cls in _PLAIN or value is None:
        return value
    if (form := _form(_without_none(hint)) or _form(cls)) is not None:
        return form.write(value)
    if is_dataclass(value):
        return _object_json(value) if len(_classes(hint)) < 2 else tagged(value)
    match value:
        case HexBytes():
            return value.hex()
        case Enum():
            return value.value
        case tuple():
            if value and all(isinstance(item, Tile) for item in value):
                return format_tiles(value)
            return [written(item, _item(hint)) for item in value]
        case Mapping():
            return {str(written(key)): written(item, _item(hint)) for key, item in value.items()}
        case _:
            return msgspec.to_builtins(value, enc_hook=_write_own)


def tagged(value: object) -> dict[str, object]:
    """A dataclass with the name of its class under ``type``."""
    cls: type = type(value)
    return {"type": type_tag(cls)} | _object_json(value)


def _object_json(value: object) -> dict[str, object]:
    cls: type = type(value)
    found: dict[str, object] = {}
    for name, field in _fields(cls).items():
        item = getattr(value, name)
        if item is not None or field.required:
            found[name] = item if type(item) in _PLAIN else written(item, field.hint)
    return found


def _write_own(value: object) -> str:
    if isinstance(value, HexBytes):
        return value.hex()
    raise DocumentError(f"{type(value).__name__} has no JSON form")


@cache
def type_tag(cls: Hashable) -> str:
    """The name of a class on a line: ``HandTileTaken`` is ``hand-tile-taken``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", typing.cast(type, cls).__name__).lower()


_TILES = WrittenAs(parse_tiles, format_tiles)
_FORMS: Mapping[object, WrittenAs] = {Tile: WrittenAs(parse_tile, lambda tile: tile.text)}
_JSON_NAMES: Mapping[type, str] = {str: "str", list: "array"}


@dataclass(frozen=True, slots=True)
class _Field:
    """A field's type, with no more beside it than is read or written by, and whether it has no default."""

    hint: object
    required: bool


@cache
def _fields(cls: Hashable) -> dict[str, _Field]:
    shape = typing.cast(type, cls)
    hints = typing.get_type_hints(shape, include_extras=True)
    return {f.name: _Field(_of_use(hints[f.name]), f.default is MISSING and f.default_factory is MISSING) for f in fields(shape)}


def _of_use(hint: object) -> object:
    """The type without what others say of it."""
    if typing.get_origin(hint) is not Annotated:
        return hint
    kind, *said = typing.get_args(hint)
    used = [each for each in said if isinstance(each, WrittenAs | msgspec.Meta)]
    return Annotated[kind, *used] if used else kind


@cache
def _required_keys(cls: type) -> frozenset[str]:
    return frozenset(name for name, field in _fields(cls).items() if field.required)


@cache
def _form(hint: object) -> WrittenAs | None:
    """The form that stands beside a type."""
    return next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, WrittenAs)), _FORMS.get(hint))


@cache
def _is_own(hint: object) -> bool:
    """Whether a type holds what msgspec does not read as it is written here: tiles, dataclasses, forms, words of several lists."""
    kind = _without_annotation(hint)
    items = typing.get_args(kind)
    words = sum(isinstance(item, type) and issubclass(item, Enum) for item in items) > 1 and typing.get_origin(kind) is types.UnionType
    return _form(hint) is not None or is_dataclass(kind) or _is_by_seat(hint) or words or any(map(_is_own, items))


def _is_by_seat(hint: object) -> bool:
    return hasattr(hint, "__metadata__") and typing.get_args(_without_annotation(hint))[:1] == (Seat,)


@cache
def _classes(hint: object) -> tuple[object, ...]:
    """The dataclasses of a union."""
    return tuple(each for each in typing.get_args(hint) if is_dataclass(each))


@cache
def _item(hint: object) -> object:
    """The type of an item of a tuple, or of a value of a mapping."""
    items = [each for each in typing.get_args(_without_wrapping(hint)) if each is not Ellipsis]
    return items[-1] if items else object


@cache
def _without_none(hint: object) -> object:
    """``X | None`` is X here."""
    choices = [each for each in typing.get_args(hint) if each is not types.NoneType]
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return choices[0] if is_union and len(choices) == 1 else hint


def _without_annotation(hint: object) -> object:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _convert(value: object, shape: type[_S]) -> _S:
    return msgspec.convert(value, shape, builtin_types=_READ_ALREADY, dec_hook=_read_text)


def _read_text(kind: type, value: object) -> object:
    if kind is object:
        return value
    if not issubclass(kind, HexBytes):
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
