"""The programme that follows from what an event's directors have said: which tables are compared with each other, and by what."""

from __future__ import annotations

from dataclasses import replace

from twinwall.event.field import EventField, Group
from twinwall.event.management.changes import SessionSeated
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme


def managed_programme(programme: Programme, event: ManagedEvent) -> Programme:
    """The programme with kind, points and groups as the event has them; unchanged for an event that nobody has described."""
    if event.description is None:
        return programme
    kind = EntrantKind(event.description.kind)
    seatings = [seating for _session, seating in sorted(event.seatings.items())]
    groups = session_groups(seatings[-1]) if seatings else ()
    return replace(programme, field=EventField(kind, groups), points=Points(event.description.points))


def session_groups(seating: SessionSeated) -> tuple[Group, ...]:
    """The groups of a session, as comparison takes them."""
    return tuple(Group(group.name, tuple(at.table for at in group.tables), group.teams) for group in seating.groups)
