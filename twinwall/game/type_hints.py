"""Takes type hints apart for JSON: parts of a type, the key that names a class, and the allowed values in words."""

import re
import types
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Literal, Union, get_args, get_origin

import msgspec

from twinwall.game.tiles import Seat


@cache
def type_tag(cls: type) -> str:
    """A class's name on a line: ``HandTileTaken`` is ``hand-tile-taken``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()


def is_by_seat(hint: object) -> bool:
    """Whether the type has a value for each of the four seats."""
    return hasattr(hint, "__metadata__") and get_args(without_annotation(hint))[:1] == (Seat,)


@cache
def tags_of(choices: tuple[object, ...]) -> Mapping[object, type]:
    """The dataclasses of a union by their names."""
    return {type_tag(each): each for each in choices if isinstance(each, type) and is_dataclass(each)}


@cache
def item_of(hint: object) -> object:
    """The type of a tuple's items or a mapping's values."""
    items = [each for each in get_args(without_wrapping(hint)) if each is not Ellipsis]
    return items[-1] if items else object


@cache
def without_none(hint: object) -> object:
    """Return X for ``X | None``."""
    choices = [each for each in get_args(hint) if each is not types.NoneType]
    is_union = get_origin(hint) in (Union, types.UnionType)
    return choices[0] if is_union and len(choices) == 1 else hint


def without_annotation(hint: object) -> object:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def required(hint: object) -> str | None:
    """What a value must be, if the type describes it or lists it."""
    descriptions = [item.description for item in getattr(hint, "__metadata__", ()) if isinstance(item, msgspec.Meta) and item.description]
    kind = without_wrapping(hint)
    words = [member.value for member in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
    if words or get_origin(kind) is Literal:
        descriptions = ["one of " + ", ".join(map(str, words or get_args(kind)))]
    return f"must be {descriptions[0]}" if descriptions else None


@cache
def without_wrapping(hint: object) -> object:
    """The type without ``Annotated``, and without ``| None`` beside one other type."""
    while (origin := get_origin(hint)) in (Annotated, Union, types.UnionType):
        choices = [choice for choice in get_args(hint) if choice is not types.NoneType]
        if origin is not Annotated and len(choices) > 1:
            break
        hint = choices[0]
    return hint


def tag_of(shape: object) -> tuple[str, object] | None:
    """The key and value that name a class: a dataclass's ``FORMAT``, or a msgspec type's tag."""
    if (struct := struct_of(shape)) is not None:
        form = struct.__struct_config__
        return None if form.tag_field is None else (form.tag_field, form.tag)
    return ("format", shape.FORMAT) if hasattr(shape, "FORMAT") else None


@cache
def struct_of(hint: object) -> type[msgspec.Struct] | None:
    """The msgspec class, also of a generic type."""
    shape = get_origin(hint) or hint
    return shape if isinstance(shape, type) and issubclass(shape, msgspec.Struct) else None
