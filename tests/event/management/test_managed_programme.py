"""The programme that follows from an event as its directors described it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tests.support.event.stored_event import PROGRAMME
from twinwall.event.event_standings import StandingRules
from twinwall.event.field import Group, SessionGroups
from twinwall.event.management.changes import EventDescribed, SeatedGroup, SeatedPlayers, SessionSeated
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.managed_programme import managed_programme
from twinwall.event.store.programme import Programme

PLAYERS = [str(number) for number in range(1, 17)]
TABLES = ("1", "2", "3", "4")


def seated(session: int, players: list[str]) -> SessionSeated:
    fours = [(players[i], players[i + 1], players[i + 2], players[i + 3]) for i in range(0, 16, 4)]
    at = [SeatedPlayers(table, four) for table, four in zip(TABLES, fours, strict=True)]
    return SessionSeated(session, (SeatedGroup("A", tuple(at)),))


EVENT = ManagedEvent(
    description=EventDescribed("individual", "mcr-duplicate", sessions=3, points="cross-imp", carry_over="1/2"),
    tables=TABLES,
    seatings={1: seated(1, PLAYERS), 2: seated(2, PLAYERS[::-1])},
    stood_in={2: {"99": "7"}},
    withdrawn={"3": 3},
    held=frozenset({2}),
)


def test_each_session_has_its_groups_and_substitutes_and_a_session_that_is_not_seated_has_none() -> None:
    field = managed_programme(PROGRAMME, EVENT).field
    group = (Group("A", TABLES),)
    assert field.kind is EntrantKind.INDIVIDUAL
    assert field.sessions == (SessionGroups(1, group), SessionGroups(2, group, {"99": "7"}))
    assert field.session(3).groups == ()


def test_points_share_and_held_sessions_are_those_of_the_event() -> None:
    programme = managed_programme(PROGRAMME, EVENT)
    assert (programme.points, programme.rules, programme.held_sessions) == (Points.CROSS, StandingRules(Fraction(1, 2)), (2,))
    assert managed_programme(programme, replace(EVENT, held=frozenset())).held_sessions == ()
    assert Programme.from_document(programme.document) == programme


def test_weights_part_those_who_are_level() -> None:
    described = EventDescribed("individual", "mcr-duplicate", sessions=3, weights=("1", "3/2"))
    rules = managed_programme(PROGRAMME, replace(EVENT, description=described)).rules
    assert rules.weights == {1: Fraction(1), 2: Fraction(3, 2)}


def test_who_withdraws_before_a_session_does_not_play_its_first_deal_nor_any_after_it() -> None:
    bare = Programme("e", PROGRAMME.field)
    assert managed_programme(bare, EVENT).withdrawn == {"3": 33}
    assert PROGRAMME.custody is not None
    after_all = len(PROGRAMME.custody.plan.deals) + 1
    assert managed_programme(PROGRAMME, EVENT).withdrawn == {"3": after_all}, "the plan has one session"


def test_an_event_that_nobody_has_described_leaves_the_programme_as_it_is() -> None:
    assert managed_programme(PROGRAMME, ManagedEvent()) is PROGRAMME
