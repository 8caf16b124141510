"""What of an event its readers may see, and whether fields are those that an event type allows.

``project`` keeps of a private journal event what anybody at that table could see (P and T); ``public_only`` keeps what
everybody may see at once (P). The lines that carry events are made in ``twinwall.wire.ledger``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from twinwall.wire.events.catalogue import EVENT_TYPES
from twinwall.wire.events.definitions import AT_THE_TABLE, EVERYWHERE, EventType, FieldDefinition, Secrecy


class EventError(ValueError):
    """An event that its type does not allow; the message names type, field and what is expected."""


def project(event_type: str, fields: Mapping[str, object]) -> dict[str, object] | None:
    """What of a private event may be seen at the table; None when the type is not public at all.

    Raises EventError when a public field is missing or is not what its kind allows.
    """
    return _keep(event_type, fields, AT_THE_TABLE)


def public_only(event_type: str, fields: Mapping[str, object]) -> dict[str, object] | None:
    """What of an event everybody may see at once; None when even its happening is not public."""
    return _keep(event_type, fields, EVERYWHERE)


def problem(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy] = AT_THE_TABLE) -> str | None:
    """Why the fields are not those that the given classes leave of this type, in one sentence; None when they are."""
    known = EVENT_TYPES.get(event_type)
    if known is None:
        return f"event type {event_type!r} is not known"
    visible = known.visible(classes)
    unknown = sorted(set(fields) - {field.name for field in visible})
    if unknown:
        return f"{event_type} has no public field {unknown[0]!r}"
    return next(_problems(known, visible, fields), None)


def _keep(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy]) -> dict[str, object] | None:
    known = EVENT_TYPES.get(event_type)
    if known is None or known.secrecy not in classes:
        return None
    visible = known.visible(classes)
    for sentence in _problems(known, visible, fields):
        raise EventError(sentence)
    return {field.name: fields[field.name] for field in visible if field.name in fields}


def _problems(known: EventType, visible: tuple[FieldDefinition, ...], fields: Mapping[str, object]) -> Iterator[str]:
    for field in visible:
        if field.name not in fields:
            if not field.optional:
                yield f"{known.name} lacks the field {field.name!r}"
        elif (sentence := field.problem(fields[field.name])) is not None:
            yield f"{known.name} {sentence}"
