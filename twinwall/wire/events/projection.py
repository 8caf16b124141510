"""What of an event its readers may see, and the event that a line's fields are.

``project`` keeps of a private journal event what anybody at that table could see (P and T); ``public_only`` keeps what
everybody may see at once (P); ``read_event`` decodes them. The lines that carry events are made in ``twinwall.wire.ledger``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from dataclasses import fields as dataclass_fields
from functools import cache

from twinwall.game.documents import DocumentError
from twinwall.game.play_events import Claimed, KongDeclared, WinDeclared
from twinwall.game.play_json import from_json
from twinwall.wire.events.catalogue import EVENT_TYPES, PublishedEvent
from twinwall.wire.events.definitions import AT_THE_TABLE, DEFINED, EVERYWHERE, FieldDefinition, Secrecy
from twinwall.wire.events.value_kinds import OPTIONS
from twinwall.wire.messages.ruling import Ruling, read_ruling


def project(event_type: str, fields: Mapping[str, object]) -> dict[str, object] | None:
    """What of a private event may be seen at the table; None when the type is not public at all.

    Raises DocumentError when a public field is missing or is not what its kind allows.
    """
    return _keep(event_type, fields, AT_THE_TABLE)


def public_only(event_type: str, fields: Mapping[str, object]) -> dict[str, object] | None:
    """What of an event everybody may see at once; None when even its happening is not public."""
    return _keep(event_type, fields, EVERYWHERE)


def problem(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy] = AT_THE_TABLE) -> str | None:
    """Why the fields are not those that the given classes leave of this type, in one sentence; None when they are."""
    try:
        read_event(event_type, fields, classes)
    except DocumentError as error:
        return str(error)
    return None


def read_event(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy] = AT_THE_TABLE) -> PublishedEvent:
    """The event of a line that shows these classes. What the line does not show is not set: to read it is an AttributeError.

    Raises DocumentError when the fields are not exactly those that the classes leave of this type.
    """
    if event_type not in EVENT_TYPES:
        raise DocumentError(f"event type {event_type!r} is not known")
    visible, cls, defaults, partial = _form(event_type, classes)
    if not fields.keys() <= visible.keys():
        raise DocumentError(f"{event_type} has no public field {min(fields.keys() - visible.keys())!r}")
    values = _values(event_type, visible.values(), fields)
    if cls in _OTHER_ON_LINE and len(visible) == len(EVENT_TYPES[event_type].fields):
        try:
            return read_ruling(fields) if cls is Ruling else from_json({**fields, "type": event_type})
        except ValueError as error:
            raise DocumentError(f"{event_type}: {error}") from None
    made: PublishedEvent = object.__new__(cls) if partial else cls(**(defaults | values))
    if partial:
        for name, value in (defaults | values).items():
            object.__setattr__(made, name, value)
    return made


_OTHER_ON_LINE = frozenset({Claimed, KongDeclared, WinDeclared, Ruling})
"""Events whose keys on the line are not their fields."""


@cache
def _form(event_type: str, classes: frozenset[Secrecy]) -> tuple[dict[str, FieldDefinition], type, dict[str, object], bool]:
    """The visible fields of a type by name, its class, the values of fields that may be left out, and whether others are hidden."""
    visible = {field.name: field for field in EVENT_TYPES[event_type].visible(classes)}
    cls = next(cls for cls, defined in DEFINED.items() if defined.name == event_type)
    defaults = {field.name: field.default for field in dataclass_fields(cls) if field.default is not MISSING}
    left_out: dict[str, object] = {name: {} for name, field in visible.items() if field.kind is OPTIONS}
    hides = any(field.name not in visible and field.name not in defaults for field in dataclass_fields(cls))
    return visible, cls, left_out | defaults, hides


def _keep(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy]) -> dict[str, object] | None:
    known = EVENT_TYPES.get(event_type)
    if known is None or known.secrecy not in classes:
        return None
    visible = known.visible(classes)
    _values(event_type, visible, fields)
    return {field.name: fields[field.name] for field in visible if field.name in fields}


def _values(event_type: str, visible: Iterable[FieldDefinition], fields: Mapping[str, object]) -> dict[str, object]:
    values = {}
    for field in visible:
        if field.name in fields:
            try:
                values[field.name] = field.read(fields[field.name])
            except ValueError as error:
                raise DocumentError(f"{event_type} {error}") from None
        elif not field.optional:
            raise DocumentError(f"{event_type} lacks the field {field.name!r}")
    return values
