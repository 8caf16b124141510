"""Reads plain JSON into typed values and writes it. Errors name the field's path, the value and what is allowed. msgspec reads its own
types. For frozen dataclasses, the type is the format: tiles in notation, seats by wind; ``type`` names the class of a union; an optional
None is left out; ``WrittenAs`` adds what a type cannot say. ``twinwall.game.documents`` parses the bytes."""

import contextlib
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Annotated, ClassVar, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from twinwall.game.documents import TOO_DEEP, DocumentError, json_text, parse_object, read_time, write_time
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow, format_tiles, parse_tile, parse_tiles
from twinwall.game.type_hints import (
    is_by_seat,
    item_of,
    required,
    struct_of,
    tag_of,
    tags_of,
    type_tag,
    without_annotation,
    without_none,
    without_wrapping,
)
from twinwall.values import frozen, prepare

_S = TypeVar("_S")
_PLAIN = frozenset((int, float, str, bool))
"""Types whose values need no conversion."""

Words = Annotated[str, msgspec.Meta(pattern=r"\S", description="text that is not empty")]
Number = Annotated[int, msgspec.Meta(ge=1)]
"""Counts from 1."""
Count = Annotated[int, msgspec.Meta(ge=0)]
Text = Annotated[str, msgspec.Meta(min_length=1)]
HexText = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})+\Z")]
"""Bytes in lower-case hex."""
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""32 bytes in lower-case hex: a hash or a public key."""


class HexBytes(bytes):
    """``SIZE`` bytes; in JSON, lower-case hex."""

    SIZE: ClassVar[int]

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the hex; raises ValueError."""
        if len(text) != 2 * cls.SIZE or not set(text) <= set("0123456789abcdef"):
            raise ValueError(f"must be {2 * cls.SIZE} lower-case hex digits ({cls.SIZE} bytes)")
        return cls.fromhex(text)


@frozen
class WrittenAs:
    """A field's form in JSON: ``Annotated[date, WrittenAs(read, write)]``. ``read`` takes a JSON value of type ``of`` and may raise
    ValueError; ``write`` returns one."""

    read: Callable[..., object]
    write: Callable[..., object]
    of: object = str


Time = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time in UTC, in a msgspec type."""
Moment = Annotated[datetime, WrittenAs(read_time, write_time)]
"""A time in UTC, in a dataclass."""
Tiles = Annotated[TileRow, WrittenAs(parse_tiles, format_tiles)]
"""Tiles in the order written, as one text."""
BySeat = Annotated[Mapping[Seat, _S], msgspec.Meta(min_length=len(SEATS))]
"""A value for each of the four seats."""


def read_document(
    text: bytes | str, shape: type[_S], name: str, parse: Callable[[bytes | str, str], dict[str, object]] = parse_object
) -> _S:
    """Read a JSON object (with ``parse_toml``: TOML) into a type; ``name`` is the document's name in errors."""
    value = parse(text, name)
    tag = tag_of(shape)
    if tag is not None and tag[0] not in value:  # msgspec does not require it
        raise DocumentError(f"{name}: the key '{tag[0]}' is missing")
    return read_as(value, shape, name)


def decode(text: bytes | str, shape: type[_S]) -> _S:
    """Decode JSON into a type, without paths in errors; raises msgspec.DecodeError, also for too deeply nested lists."""
    prepare(shape)
    try:
        return msgspec.json.decode(text, type=shape)
    except RecursionError:
        raise msgspec.DecodeError(TOO_DEEP) from None


def read_as(value: object, shape: type[_S], name: str = "") -> _S:
    """Read plain JSON into a type; raises DocumentError."""
    try:
        return cast(_S, read_at(value, shape))
    except _MisfitError as error:
        raise DocumentError(f"{name}: {error}" if name else str(error)) from None


class _MisfitError(DocumentError):
    """A value does not fit its type; the message begins with its path."""

    def __init__(self, value: object, path: str, expected: str) -> None:
        shown = path if isinstance(value, dict) else f"{path} {json_text(value)}"
        super().__init__(f"{shown}: {expected}".removeprefix(": ").lstrip(" ."))


def read_at(value: object, hint: object, path: str = "") -> object:
    """Read the value at a path into a class, union, tuple or mapping type; raises DocumentError."""
    return reader(hint)(value, path)


@cache
def reader(hint: object) -> Callable[[object, str], object]:
    """The function that reads a type's values, given value and path; it raises DocumentError."""
    if (form := _form(hint)) is not None:
        return lambda value, path: _read_form(value, form, path)
    if (inner := without_none(hint)) is not hint and _is_own(inner):
        of_inner = reader(inner)
        return lambda value, path: None if value is None else of_inner(value, path)
    if is_dataclass(hint):
        return lambda value, path: _walk_object(value, hint, path)
    if is_by_seat(hint) and not _is_own(item := item_of(hint)):
        return lambda value, path: _read_by_seat(value, hint, item, path)
    by_parts = _walk if _is_own(hint) else _read_msgspec
    return lambda value, path: by_parts(value, hint, path)


def _read_msgspec(value: object, hint: object, path: str) -> object:
    prepare(hint)
    try:
        return msgspec.convert(value, cast(type[object], hint), dec_hook=_read_text)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, DocumentError):
            raise error.__cause__ from None
        said = str(error).replace("`", "'")
    _walk(value, hint, path)  # raises an error that names the part: msgspec's is one text
    raise _MisfitError(value, path, required(hint) or said)


def _read_by_seat(value: object, hint: object, item: object, path: str) -> object:
    """Read a value for each seat in one msgspec call; on an error, find the part."""
    try:
        read = msgspec.convert(value, dict[Seat, item])  # type: ignore[valid-type]  # known at run time
    except msgspec.ValidationError:
        return _walk(value, hint, path)
    return {seat: read[seat] for seat in SEATS} if len(read) == len(SEATS) else _walk(value, hint, path)


def _read_form(value: object, form: WrittenAs, path: str) -> object:
    try:
        return form.read(value if type(value) is form.of else _read_msgspec(value, form.of, path))
    except DocumentError:
        raise
    except ValueError as error:
        raise _MisfitError(value, path, str(error)) from None


def _walk(value: object, hint: object, path: str) -> object:
    """Read a value part by part; a value without parts is returned unchanged."""
    kind = without_wrapping(hint)
    items, origin = get_args(kind), get_origin(kind)
    if origin in (Union, types.UnionType):
        return _walk_union(value, items, path)
    if struct_of(kind) or is_dataclass(kind):
        return _walk_object(value, origin or kind, path)
    if origin in (dict, Mapping):
        given = _of(dict[str, object], value, path)
        read = {read_at(key, items[0], f"{path}.{key}"): read_at(part, items[1], f"{path}.{key}") for key, part in given.items()}
        if not is_by_seat(hint):
            return read
        for seat in SEATS:
            if seat not in read:
                raise _MisfitError(given, path, f"the key '{seat.value}' is missing")
        return {seat: read[seat] for seat in SEATS}
    if origin in (tuple, list):
        if items[0] is Tile and not isinstance(value, list):
            return _read_form(value, _TILES, path)
        parts = _of(list[object], value, path)
        hints = items if origin is tuple and Ellipsis not in items else items[:1] * len(parts)
        if len(hints) != len(parts):
            raise _MisfitError(value, path, f"Expected 'array' of length {len(hints)}, got {len(parts)}")
        return tuple(read_at(part, of, f"{path}[{index}]") for index, (part, of) in enumerate(zip(parts, hints, strict=True)))
    return value


def _of(kind: type[_S], value: object, path: str) -> _S:
    """The value as an object or list; raises DocumentError for any other."""
    plain_kind = get_origin(kind) or kind
    return value if isinstance(value, plain_kind) else cast(_S, _read_msgspec(value, plain_kind, path))


def _walk_object(value: object, shape: object, path: str) -> object:
    """Read the keys into a dataclass; for a msgspec type, only check them."""
    given, known = _of(dict[str, object], value, path), _fields(shape)
    read = {}
    for key, part in given.items():
        if (field := known.get(key)) is not None:
            read[field.name] = part if type(part) is field.hint else field.read(part, f"{path}.{key}")
    struct, tag = struct_of(shape), tag_of(shape)
    if tag is not None and given.get(tag[0]) != tag[1]:
        raise _MisfitError(given, path, f"{tag[0]} must be {json_text(tag[1])}, not {json_text(given.get(tag[0]))}")
    if len(read) < len(given) and (struct is None or struct.__struct_config__.forbid_unknown_fields):
        for key in given:
            if key not in known and (tag is None or key != tag[0]):
                raise _MisfitError(given, path, f"the key '{key}' is not known")
    for key, field in known.items():
        if field.default is MISSING and key not in given:
            raise _MisfitError(given, path, f"the key '{key}' is missing")
    return None if struct is not None else cast(type, shape)(**read)


def _walk_union(value: object, choices: tuple[object, ...], path: str) -> object:
    """Read the class that ``type`` names, or else the first type that fits."""
    if isinstance(value, dict) and (tagged := tags_of(choices).get(value.get("type"))) is not None:
        return read_at({key: part for key, part in value.items() if key != "type"}, tagged, path)
    for choice in choices:
        tag = tag_of(choice)
        if tag is not None and isinstance(value, dict) and value.get(tag[0]) == tag[1]:
            return read_at(value, choice, path)
        with contextlib.suppress(_MisfitError):
            return read_at(value, choice, path)
    raise _MisfitError(value, path, "its type is not known here")


def plain(value: object) -> dict[str, object]:
    """The JSON of a document: a msgspec type with its tag, or a dataclass with its format."""
    if is_dataclass(value):
        tag = tag_of(type(value))
        return ({} if tag is None else {tag[0]: tag[1]}) | _object_json(value)
    found: dict[str, object] = msgspec.to_builtins(value, builtin_types=(bytes, datetime, date), enc_hook=_write_own)
    return found


def sent(message: msgspec.Struct) -> dict[str, object]:
    """The JSON of a message: bytes in base64, times as ``write_time`` writes them."""
    found: dict[str, object] = msgspec.to_builtins(message, builtin_types=(datetime,))
    return {key: write_time(value) if isinstance(value, datetime) else value for key, value in found.items()}


def written(value: object, hint: object = object) -> object:
    """The JSON of a value of this type."""
    cls: type = type(value)
    if cls in _PLAIN or value is None:
        return value
    if (form := _form(without_none(hint)) or _form(cls)) is not None:
        return form.write(value)
    if is_dataclass(value):
        return tagged(value) if len(tags_of(get_args(hint))) > 1 else _object_json(value)
    match value:
        case HexBytes():
            return value.hex()
        case Enum():
            return value.value
        case tuple():
            if value and all(isinstance(item, Tile) for item in value):
                return format_tiles(value)
            return [written(item, item_of(hint)) for item in value]
        case Mapping():
            return {str(written(key)): written(item, item_of(hint)) for key, item in value.items()}
        case _:
            return msgspec.to_builtins(value, enc_hook=_write_own)


def tagged(value: object) -> dict[str, object]:
    """The JSON of a dataclass with ``type``, its class's name."""
    cls: type = type(value)
    return {"type": type_tag(cls)} | _object_json(value)


def sparse(value: object) -> dict[str, object]:
    """The JSON of a dataclass without fields that have their defaults."""
    return _object_json(value, sparse=True)


def _object_json(value: object, *, sparse: bool = False) -> dict[str, object]:
    cls: type = type(value)
    found: dict[str, object] = {}
    for key, field in _fields(cls).items():
        item = getattr(value, field.name)
        if item != field.default if sparse else item is not None or field.default is MISSING:
            found[key] = item if type(item) in _PLAIN else written(item, field.hint)
    return found


def _write_own(value: object) -> str:
    if isinstance(value, HexBytes):
        return value.hex()
    raise DocumentError(f"{type(value).__name__} has no JSON form")


_TILES = WrittenAs(parse_tiles, format_tiles)
_FORMS: Mapping[object, WrittenAs] = {Tile: WrittenAs(parse_tile, lambda tile: tile.text)}


@frozen
class _Field:
    """A field: its type without foreign annotations, its reader, and its default."""

    name: str
    hint: object
    read: Callable[[object, str], object]
    default: object


@cache
def _fields(shape: object) -> dict[str, _Field]:
    """A class's fields by JSON key: the field's name, or the name in ``KEYS``."""
    if (struct := struct_of(shape)) is not None:
        known = [(each.encode_name, each.name, each.type, MISSING if each.required else None) for each in msgspec.structs.fields(struct)]
    else:
        cls = cast(type, shape)
        keys: Mapping[str, str] = getattr(cls, "KEYS", {})
        hints = get_type_hints(cls, include_extras=True)
        of_factory = ((f, None if f.default is MISSING and f.default_factory is not MISSING else f.default) for f in fields(cls))
        known = [(keys.get(f.name, f.name), f.name, _of_use(hints[f.name]), default) for f, default in of_factory]
    return {key: _Field(name, hint, reader(hint), default) for key, name, hint, default in known}


def _of_use(hint: object) -> object:
    """The type with only the annotations that reading and writing use."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *said = get_args(hint)
    used = [each for each in said if isinstance(each, WrittenAs | msgspec.Meta)]
    return Annotated[kind, *used] if used else kind


@cache
def _form(hint: object) -> WrittenAs | None:
    return next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, WrittenAs)), _FORMS.get(hint))


@cache
def _is_own(hint: object) -> bool:
    """Whether msgspec cannot read the type as it is written here: tiles, dataclasses, forms, unions of enums."""
    kind = without_annotation(hint)
    items = get_args(kind)
    words = sum(isinstance(item, type) and issubclass(item, Enum) for item in items) > 1 and get_origin(kind) is types.UnionType
    return _form(hint) is not None or is_dataclass(kind) or is_by_seat(hint) or words or any(map(_is_own, items))


def _read_text(kind: type, value: object) -> object:
    if kind is object:
        return value
    if not issubclass(kind, HexBytes):
        raise NotImplementedError
    if not isinstance(value, str):
        raise ValueError("must be text")
    return kind.read(value)
