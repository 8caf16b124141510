"""The definition of an event: a frozen dataclass whose fields say who may see them, and what they mean.

``@event(T)`` makes the class of an event, and its field is ``seat: Annotated[Seat, T("the seat that did it")]``. The journal
line, the public line, the schemas and the reference page follow from the class. A field without a secrecy class
(P, T or C) stays in the private journal: a forgotten class keeps it secret. Events of play are classes of the game, which
knows no secrecy; ``describe`` gives them theirs. Which events there are is listed in ``catalogue``.
"""

import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from enum import Enum
from typing import Annotated

from twinwall.game.tiles import Seat
from twinwall.game.type_hints import type_tag
from twinwall.values import frozen
from twinwall.wire.events.value_kinds import DIGEST, KIND_OF_TYPE, OF_ITS_TYPE, ValueKind

_E = typing.TypeVar("_E")


class Secrecy(Enum):
    """Who may know: a class of the contracts, given to each event type and to each of its fields."""

    PUBLIC = "P"
    """Everybody, at once."""
    TABLE = "T"
    """That table and its referee; everybody else once all tables have finished the deal."""
    CONCEALED = "C"
    """Not published before release: it never leaves the table."""

    def __call__(
        self, meaning: str, kind: ValueKind = OF_ITS_TYPE, *, nullable: bool = False, optional: bool | None = None
    ) -> "FieldDefinition":
        """A field of this class, with its meaning; ``kind`` where the field's type does not say it."""
        return FieldDefinition(self, meaning, kind, nullable, optional)


P, T, C = Secrecy.PUBLIC, Secrecy.TABLE, Secrecy.CONCEALED
AT_THE_TABLE = frozenset({P, T})
EVERYWHERE = frozenset({P})


@frozen
class FieldDefinition:
    """One field of an event type, and what its annotation says, before the class gives it its name. ``nullable`` allows JSON null;
    ``optional`` allows it to be left out (in an annotation None where the field's default says it)."""

    secrecy: Secrecy
    meaning: str
    kind: ValueKind
    nullable: bool = False
    optional: bool | None = False
    name: str = ""

    def read(self, value: object) -> object:
        """The value as its class has it; raises ValueError that says why it is not what this field holds."""
        if value is None and self.nullable:
            return None
        try:
            return self.kind.read(value)
        except ValueError:
            raise ValueError(f"{self.name}: {value!r} is not {self.kind.written}") from None


@frozen
class EventType:
    """One event type. ``secrecy`` is that of its happening at all; the fields have their own."""

    name: str
    secrecy: Secrecy
    meaning: str
    fields: tuple[FieldDefinition, ...] = ()

    def visible(self, to: frozenset[Secrecy]) -> tuple[FieldDefinition, ...]:
        """The fields of the given classes."""
        return tuple(field for field in self.fields if field.secrecy in to)


DEFINED: dict[type, EventType] = {}
"""Every event type by its class, filled by ``event`` and ``describe`` while the modules of this package are imported."""


@typing.dataclass_transform(frozen_default=True)
def event(secrecy: Secrecy, name: str | None = None) -> Callable[[type[_E]], type[_E]]:
    """Make a class an event: a frozen dataclass; the first paragraph of its docstring is its meaning on the reference page."""

    def define(cls: type[_E]) -> type[_E]:
        made = dataclass(frozen=True, slots=True)(cls)
        first = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
        describe(made, secrecy, first[:1].lower() + first[1:].removesuffix("."), dict(_annotated(made)), name)
        return made

    return define


def describe(cls: type, secrecy: Secrecy, meaning: str, said: Mapping[str, FieldDefinition], name: str | None = None) -> None:
    """Define the event type of a class, whose fields have these classes on its line; ``name`` where it is not the class's."""
    hints = typing.get_type_hints(cls)
    defaulted = {field.name for field in fields(cls) if field.default is not MISSING}
    lines = (_field(key, hints.get(key), of_class, key in defaulted) for key, of_class in said.items())
    DEFINED[cls] = EventType(name or type_tag(cls), secrecy, meaning, tuple(lines))


def type_name(cls: type) -> str:
    """The name of an event, or of a command, on its line: that of its class, so that ``HandTileTaken`` is ``hand-tile-taken``."""
    return DEFINED[cls].name if cls in DEFINED else type_tag(cls)


def _annotated(cls: type) -> Iterator[tuple[str, FieldDefinition]]:
    for key, hint in typing.get_type_hints(cls, include_extras=True).items():
        yield from ((key, of_class) for of_class in getattr(hint, "__metadata__", ()) if isinstance(of_class, FieldDefinition))


def _field(name: str, hint: object, of_class: FieldDefinition, defaulted: bool) -> FieldDefinition:
    choices = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kind = KIND_OF_TYPE[choices[0]] if of_class.kind is OF_ITS_TYPE else of_class.kind
    optional = defaulted if of_class.optional is None else of_class.optional
    return replace(of_class, name=name, kind=kind, nullable=of_class.nullable or types.NoneType in choices, optional=optional)


ACTED = T("the seat that did it")
IN_PLAN = P("number of the deal in the plan")
Actor = Annotated[Seat, ACTED]
DealNumber = Annotated[int, IN_PLAN]
SessionNumber = Annotated[int, P("session of the event, from 1")]
HandNumber = Annotated[int, P("hand of the session, from 1: 1 to 4 are East 1 to East 4")]
RuleSetName = Annotated[str, P("name of the rule set")]
Check = Annotated[str, P("check of the deal, equal at every table that has it", DIGEST)]
Payments = Annotated[Mapping[Seat, int], T("what each seat receives (or pays, when negative)")]
Sentence = Annotated[str, T("what happened and what to do, for people")]
