"""Defines events: frozen dataclasses whose fields say who may see them and what they mean.

``@event(T)`` makes an event class with fields such as ``seat: Annotated[Seat, T("the seat that did it")]``. The journal line, the public
line, the schemas and the reference page follow from the class. A field without class (P, T or C) stays in the private journal, so a
forgotten class keeps it secret. Play events are classes of the game, which knows no secrecy; ``describe`` gives them classes. ``catalogue``
lists all events.

A ``ValueKind`` has a JSON Schema and checks plain JSON by reading it (``twinwall.game.typed_json``), for writers and receivers alike.
"""

import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from enum import Enum, StrEnum
from functools import reduce
from operator import or_
from typing import Annotated

from msgspec import Meta

from twinwall.game.documents import parse_object
from twinwall.game.play_events import RULED_ENDS, Claim, EndReason, MeldType, Offence
from twinwall.game.play_json import from_json
from twinwall.game.rule_set import Fan
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow, format_tiles, parse_tiles
from twinwall.game.type_hints import type_tag
from twinwall.game.typed_json import BySeat, Count, Digest, WrittenAs, reader
from twinwall.values import frozen
from twinwall.wire.messages.ruling import EFFECT_TYPES, LONGEST_TEXT, MOST_EFFECTS, effects_of, texts_of


@frozen
class ValueKind:
    """A kind of value: its name, its words on the reference page, a reader that raises ValueError, and its JSON Schema."""

    name: str
    written: str
    read: Callable[[object], object]
    schema: Mapping[str, object]


def _play_text(text: str) -> str:
    if text:
        from_json(parse_object(text, "the event"))
    return text


def _some_tiles(text: str) -> TileRow:
    if not text.strip():
        raise ValueError("no tiles")
    return parse_tiles(text)


def _kind(name: str, written: str, hint: object, schema: Mapping[str, object]) -> ValueKind:
    read = reader(hint)
    return ValueKind(name, written, lambda value: read(value, ""), schema)


def word_kind(name: str, *words: type[StrEnum]) -> ValueKind:
    """The kind of a field with a word of one or more enumerations."""
    values = [word.value for each in words for word in each]
    return _kind(name, "one of " + ", ".join(f"`{value}`" for value in values), reduce(or_, words), {"enum": values})


def _closed(properties: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def _by_seat(name: str, written: str, hint: object, schema: Mapping[str, object]) -> ValueKind:
    return _kind(name, written, hint, _closed({seat.value: schema for seat in SEATS}))


_TILE_PATTERN = "([1-9][mps]|[ESWNCFP])"
_TILES_PATTERN = "([1-9]+[mps]|[ESWNCFP])"

SEAT = _kind("seat", "`E`, `S`, `W` or `N`", Seat, {"enum": [seat.value for seat in SEATS]})
TILE = _kind("tile", "one tile, `5p`", Tile, {"type": "string", "pattern": f"^{_TILE_PATTERN}$"})
TILES = _kind(
    "tiles",
    "tiles, `1m 2m 3m`",
    Annotated[TileRow, WrittenAs(_some_tiles, format_tiles)],
    {"type": "string", "pattern": f"^{_TILES_PATTERN}( ?{_TILES_PATTERN})*$"},
)
COUNT = _kind("count", "whole number from 0", Count, {"type": "integer", "minimum": 0})
TEXT = _kind("text", "text", str, {"type": "string"})
FLAG = _kind("flag", "`true` or `false`", bool, {"type": "boolean"})
SECONDS = _kind("seconds", "seconds", Annotated[float, Meta(ge=0)], {"type": "number", "minimum": 0})
DIGEST = _kind("digest", "SHA-256 in lower-case hex", Digest, {"type": "string", "pattern": "^[0-9a-f]{64}$"})
SALT = _kind(
    "salt", "16 bytes in lower-case hex", Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")], {"type": "string", "pattern": "^[0-9a-f]{32}$"}
)
HEADS = _kind(
    "heads",
    "list of signed heads (`twinwall-head-1`), each as the text that its table sent",
    Annotated[tuple[str, ...], Meta(min_length=1)],
    {"type": "array", "minItems": 1, "items": {"type": "string"}},
)
PLAY_TEXT = _kind(
    "play-text", "JSON text of an event of play, as in a hand record, or nothing", Annotated[str, WrittenAs(_play_text, str)], TEXT.schema
)
MELD, CALL, END = word_kind("meld", MeldType), word_kind("call", Claim), word_kind("end", EndReason)
OFFENCE = word_kind("offence", Offence)
AMOUNTS = _by_seat("amounts", "an amount for each of the four seats", BySeat[int], {"type": "integer"})
COUNTS = _by_seat("counts", "a count for each of the four seats", BySeat[Count], COUNT.schema)
NAMES = _by_seat("names", "a name for each of the four seats", BySeat[str], TEXT.schema)
PLAYERS = _kind(
    "players",
    "list of four players' numbers as text",
    Annotated[tuple[str, ...], Meta(min_length=4, max_length=4)],
    {"type": "array", "minItems": 4, "maxItems": 4, "items": {"type": "string"}},
)
OPTIONS = _kind(
    "options",
    "an object of options by name: words, whole numbers, `true` or `false`",
    dict[str, bool | int | str],
    {"type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]}},
)
FANS = _kind(
    "fans",
    "list of `{id, name, value, count}`",
    tuple[Fan, ...],
    {"type": "array", "items": _closed({"id": TEXT.schema, "name": TEXT.schema, "value": COUNT.schema, "count": COUNT.schema})},
)
RULES = _kind(
    "rules",
    "an object of sentences by stable word",
    Annotated[dict[str, str], Meta(min_length=1)],
    {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
)
TEXTS = ValueKind(
    "texts",
    "an object of texts by language, `en`, `ja`, `zh-Hans`",
    texts_of,
    {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"},
        "additionalProperties": {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT},
    },
)
_EFFECTS: Mapping[str, Mapping[str, object]] = {
    "hand-ruled-dead": {"seat": SEAT.schema},
    "penalty-ruled": {"seat": SEAT.schema, "offence": OFFENCE.schema, "imp": COUNT.schema, "points": COUNT.schema},
    "result-excluded": {},
    "seats-exchanged": {"seat": SEAT.schema, "other": SEAT.schema},
    "hand-ended": {"reason": {"enum": [reason.value for reason in RULED_ENDS]}, "scores": AMOUNTS.schema},
}
EFFECTS = ValueKind(
    "effects",
    "list of the events " + ", ".join(f"`{name}`" for name in EFFECT_TYPES) + " (`ruled` or `annulled`), each with its `type` and fields",
    effects_of,
    {
        "type": "array",
        "maxItems": MOST_EFFECTS,
        "items": {"oneOf": [_closed({"type": {"const": name}, **fields}) for name, fields in _EFFECTS.items()]},
    },
)

OF_ITS_TYPE = _kind("", "", object, {})
"""For a field whose type gives its kind."""
KIND_OF_TYPE: Mapping[object, ValueKind] = {
    Seat: SEAT,
    Tile: TILE,
    TileRow: TILES,
    int: COUNT,
    str: TEXT,
    bool: FLAG,
    float: SECONDS,
    Claim: CALL,
    EndReason: END,
    Offence: OFFENCE,
    tuple[Fan, ...]: FANS,
    Mapping[Seat, int]: AMOUNTS,
    Mapping[Seat, str]: NAMES,
    Mapping[str, bool | int | str]: OPTIONS,
}
"""A field's kind by its type, if the definition names none."""


_E = typing.TypeVar("_E")


class Secrecy(Enum):
    """The class of an event type or field: who may know it."""

    PUBLIC = "P"
    """Everybody, at once."""
    TABLE = "T"
    """The table and its referee; everybody else when all tables have finished the deal."""
    CONCEALED = "C"
    """Never leaves the table before the release."""

    def __call__(
        self, meaning: str, kind: ValueKind = OF_ITS_TYPE, *, nullable: bool = False, optional: bool | None = None
    ) -> "FieldDefinition":
        """A field of this class, with its meaning; ``kind`` if the field's type does not give it."""
        return FieldDefinition(self, meaning, kind, nullable, optional)


P, T, C = Secrecy.PUBLIC, Secrecy.TABLE, Secrecy.CONCEALED
AT_THE_TABLE = frozenset({P, T})
EVERYWHERE = frozenset({P})


@frozen
class FieldDefinition:
    """One field of an event type. ``nullable`` allows null; ``optional`` allows leaving it out (None: as the field's default says)."""

    secrecy: Secrecy
    meaning: str
    kind: ValueKind
    nullable: bool = False
    optional: bool | None = False
    name: str = ""

    def read(self, value: object) -> object:
        """Read the field's value; raises ValueError, which says what it must be."""
        if value is None and self.nullable:
            return None
        try:
            return self.kind.read(value)
        except ValueError:
            raise ValueError(f"{self.name}: {value!r} is not {self.kind.written}") from None


@frozen
class EventType:
    """One event type. ``secrecy`` is the class of its happening; each field has its own."""

    name: str
    secrecy: Secrecy
    meaning: str
    fields: tuple[FieldDefinition, ...] = ()

    def visible(self, to: frozenset[Secrecy]) -> tuple[FieldDefinition, ...]:
        """The fields of the given classes."""
        return tuple(field for field in self.fields if field.secrecy in to)


DEFINED: dict[type, EventType] = {}
"""Event types by class, filled by ``event`` and ``describe`` when the modules of this package are imported."""


@typing.dataclass_transform(frozen_default=True)
def event(secrecy: Secrecy, name: str | None = None) -> Callable[[type[_E]], type[_E]]:
    """Make a class an event: a frozen dataclass. The first paragraph of its docstring is its meaning on the reference page."""

    def define(cls: type[_E]) -> type[_E]:
        made = dataclass(frozen=True, slots=True)(cls)
        first = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
        describe(made, secrecy, first[:1].lower() + first[1:].removesuffix("."), dict(_annotated(made)), name)
        return made

    return define


def describe(cls: type, secrecy: Secrecy, meaning: str, said: Mapping[str, FieldDefinition], name: str | None = None) -> None:
    """Define the event type of a class from its fields' definitions; ``name`` if it differs from the class's."""
    hints = typing.get_type_hints(cls)
    defaulted = {field.name for field in fields(cls) if field.default is not MISSING}
    lines = (_field(key, hints.get(key), of_class, key in defaulted) for key, of_class in said.items())
    DEFINED[cls] = EventType(name or type_tag(cls), secrecy, meaning, tuple(lines))


def type_name(cls: type) -> str:
    """The name of an event or command on its line: ``HandTileTaken`` is ``hand-tile-taken``."""
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
