"""What values are made of: frozen dataclasses, and the shapes that JSON documents are read into."""

import threading
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

import msgspec

_C = TypeVar("_C")
_FIRST_USE = threading.Lock()
_prepared: set[object] = set()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_C]) -> type[_C]:
    """A dataclass with slots whose instances never change; ``dataclasses.replace`` makes a changed copy."""
    return dataclass(frozen=True, slots=True)(cls)


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def frozen_identity(cls: type[_C]) -> type[_C]:
    """As ``frozen``, equal to itself alone: for what holds arrays, which have no equality of their own."""
    return dataclass(frozen=True, slots=True, eq=False)(cls)


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class FrozenStruct(msgspec.Struct, frozen=True):
    """A msgspec struct that never changes; ``msgspec.structs.replace`` makes a changed copy in a fraction of a dataclass's time."""


class Shape(FrozenStruct, forbid_unknown_fields=True):
    """What a JSON document is read into: it never changes, and an unknown key is refused."""


def prepare(shape: object) -> None:
    """Have msgspec describe a type to itself, in one thread at a time: a first use in two threads at once ends the process."""
    if shape in _prepared:
        return
    with _FIRST_USE:
        msgspec.json.Decoder(shape)
        _prepared.add(shape)
