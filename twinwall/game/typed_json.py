"""Plain JSON read into msgspec types. An error names the field by its path, what stands there and what should.

What bytes are JSON at all, and how they are written, is in ``twinwall.wire.canonical_json``.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from datetime import date, datetime
from typing import Annotated, TypeVar

import msgspec

from twinwall.game.documents import json_text
from twinwall.wire.canonical_json import FormError

_S = TypeVar("_S")
_READ_ALREADY = (datetime, date)


def read_as(value: object, shape: type[_S]) -> _S:
    """Read plain JSON, in which times are read already, into a msgspec type; raises FormError."""
    try:
        return msgspec.convert(value, shape, builtin_types=_READ_ALREADY)
    except msgspec.ValidationError as error:
        raise FormError(_what_is_wrong(value, shape, "", error).removeprefix(".")) from None


def _what_is_wrong(value: object, hint: object, path: str, error: msgspec.ValidationError) -> str:
    """The first part that does not fit its type, by its path; the parts are read one by one, since msgspec's error is one text."""
    hint = _without_wrapping(hint)
    for step, part, part_hint in _parts(value, hint):
        try:
            msgspec.convert(part, typing.cast(type[object], part_hint), builtin_types=_READ_ALREADY)
        except msgspec.ValidationError as inner:
            return _what_is_wrong(part, part_hint, path + step, inner)
    said = str(error).replace("`", "'")
    if not isinstance(value, dict):
        return f"{path} {json_text(value)}: {said}".lstrip()
    return (f"{path}: " if path else "") + (_wrong_key(value, hint) or said)


def _wrong_key(value: dict[str, object], hint: object) -> str | None:
    """Which key of an object is not known, or missing."""
    if not _is_struct(hint):
        return None
    known = {field.encode_name: field.required for field in msgspec.structs.fields(hint)}
    form = hint.__struct_config__
    if form.forbid_unknown_fields and (unknown := [key for key in value if key not in known and key != form.tag_field]):
        return f"the key '{unknown[0]}' is not known"
    missing = [key for key, required in known.items() if required and key not in value]
    return f"the key '{missing[0]}' is missing" if missing else None


def _parts(value: object, hint: object) -> Iterator[tuple[str, object, object]]:
    """The parts of a value, each with its step in the path and its type, where the type of the whole says them."""
    items = typing.get_args(hint)
    if isinstance(value, dict) and _is_struct(hint):
        yield from ((f".{f.encode_name}", value[f.encode_name], f.type) for f in msgspec.structs.fields(hint) if f.encode_name in value)
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


def _is_struct(hint: object) -> typing.TypeGuard[type[msgspec.Struct]]:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)
