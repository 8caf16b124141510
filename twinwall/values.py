"""Base types of values: frozen dataclasses, and msgspec structs for JSON documents."""

import threading
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

import msgspec

_C = TypeVar("_C")
_FIRST_USE = threading.Lock()
_prepared: set[object] = set()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_C]) -> type[_C]:
    """Make a class a frozen dataclass with slots; ``dataclasses.replace`` makes a changed copy."""
    return dataclass(frozen=True, slots=True)(cls)


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def frozen_identity(cls: type[_C]) -> type[_C]:
    """As ``frozen``, but equal only to itself: for classes that hold arrays."""
    return dataclass(frozen=True, slots=True, eq=False)(cls)


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class FrozenStruct(msgspec.Struct, frozen=True):
    """A frozen msgspec struct. ``msgspec.structs.replace`` copies it in a fraction of a dataclass's time."""


class Shape(FrozenStruct, forbid_unknown_fields=True):
    """The form of a JSON document; an unknown key is refused."""


def prepare(shape: object) -> None:
    """Build msgspec's description of a type, in one thread at a time: two threads that build it at once crash the process."""
    if shape in _prepared:
        return
    with _FIRST_USE:
        msgspec.json.Decoder(shape)
        _prepared.add(shape)
