"""The programme that follows from what an event's directors have said: which tables are compared with each other, and by what."""

from dataclasses import replace
from fractions import Fraction

from twinwall.event.event_standings import StandingRules
from twinwall.event.field import EventField, Group, SessionGroups
from twinwall.event.management.changes import SessionSeated
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.natural_order import natural
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme


def managed_programme(programme: Programme, event: ManagedEvent) -> Programme:
    """The programme as directors have described the event and seated its sessions; unchanged for an event without a description."""
    described = event.description
    if described is None:
        return programme
    sessions = tuple(
        SessionGroups(session, session_groups(seating), {} if event.is_team_event else dict(event.stood_in.get(session, {})))
        for session, seating in sorted(event.seatings.items())
    )
    return replace(
        programme,
        field=EventField(EntrantKind(described.kind), (), sessions),
        points=Points(described.points),
        rules=StandingRules(Fraction(described.carry_over), {n: Fraction(weight) for n, weight in enumerate(described.weights, 1)}),
        withdrawn={entrant: _first_deal(programme, session, described.hands) for entrant, session in event.withdrawn.items()},
        held_sessions=tuple(sorted(event.held)),
        unranked=tuple(sorted(event.unranked, key=natural)),
    )


def session_groups(seating: SessionSeated) -> tuple[Group, ...]:
    """The groups of a session, as comparison takes them."""
    return tuple(Group(group.name, tuple(at.table for at in group.tables), group.teams) for group in seating.groups)


def _first_deal(programme: Programme, session: int, hands: int) -> int:
    """The first deal of a session; deals count through the sessions."""
    if programme.custody is not None:
        planned = [deal.n for deal in programme.custody.plan.deals if deal.session >= session]
        return min(planned, default=len(programme.custody.plan.deals) + 1)
    return (session - 1) * hands + 1
