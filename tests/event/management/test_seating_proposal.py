"""Seatings that are proposed: everybody has one seat, needs are met, and the balance stands beside its bound."""

from collections.abc import Sequence
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples, some
from twinwall.event.management.change_checks import refusal
from twinwall.event.management.changes import (
    EnteredPlayer,
    EnteredTeam,
    EntrantAbsent,
    EntrantsEntered,
    EntrantWithdrawn,
    EventChange,
    EventDescribed,
    SeatedGroup,
    SeatedPlayers,
    SessionSeated,
    TablesChosen,
)
from twinwall.event.management.managed_event import ManagedEvent, apply, managed_event
from twinwall.event.management.seating_proposal import event_plan, proposed_seating, proposed_tables, reached, swapped, unmet_needs
from twinwall.event.movements.balance import Respect
from twinwall.event.movements.seating import four

pytestmark = pytest.mark.slow
RULES = "mcr-duplicate"


def individual(count: int, *needy: EnteredPlayer, groups: Literal["fixed", "by-standing"] = "fixed") -> ManagedEvent:
    players = {str(number): EnteredPlayer(str(number)) for number in range(1, count + 1)} | {each.number: each for each in needy}
    return managed_event([EventDescribed("individual", RULES, sessions=5, groups=groups), EntrantsEntered(tuple(players.values()))])


def of_teams(count: int, *needy: EnteredPlayer) -> ManagedEvent:
    players = {str(number): EnteredPlayer(str(number)) for number in range(1, 4 * count + 1)} | {each.number: each for each in needy}
    teams = tuple(EnteredTeam(f"Team {k}", tuple(str(4 * k + i) for i in range(1, 5))) for k in range(count))
    return managed_event([EventDescribed("team", RULES, sessions=4), EntrantsEntered(tuple(players.values()), teams)])


def taken(event: ManagedEvent, seating: SessionSeated) -> ManagedEvent:
    """The event after the seating was saved, with the tables that it names; nothing of it is refused."""
    names = tuple(at.table for group in seating.groups for at in group.tables)
    changes: list[EventChange] = [seating] if set(names) <= set(event.tables) else [TablesChosen(names), seating]
    for change in changes:
        assert refusal(event, change) is None, refusal(event, change)
        event = apply(event, change)
    return event


def proposed(event: ManagedEvent, session: int, standing: Sequence[str] = ()) -> SessionSeated:
    """The proposal after little effort of the solver."""
    return proposed_seating(event, session, standing, 0.1)


def seated(seating: SessionSeated) -> list[str]:
    return [player for group in seating.groups for at in group.tables for player in at.players]


@settings(max_examples=examples(6))
@given(st.integers(4, 24), st.integers(1, 2))
def test_every_player_has_one_seat_or_sits_out_and_the_event_takes_it(count: int, sessions: int) -> None:
    event = individual(count)
    for session in range(1, sessions + 1):
        seating = proposed(event, session)
        assert sorted([*seated(seating), *seating.sitting_out], key=int) == [str(number) for number in range(1, count + 1)]
        assert len(seating.sitting_out) == count % 4
        event = taken(event, seating)
    out = [who for seating in event.seatings.values() for who in seating.sitting_out]
    assert max((out.count(who) for who in out), default=0) <= 1 or sessions * (count % 4) > count


@settings(max_examples=examples(6))
@given(st.integers(4, 14), st.integers(1, 2))
def test_teams_are_seated_in_latin_squares(count: int, sessions: int) -> None:
    event = of_teams(count)
    for session in range(1, sessions + 1):
        seating = proposed(event, session)
        assert len(seating.sitting_out) == count % 4
        event = taken(event, seating)
    assert reached(event, proposed(event, sessions))[0].respect is Respect.MEETINGS


@pytest.mark.parametrize("need", [EnteredPlayer("7", table="3", place=2), EnteredPlayer("7", table="3"), EnteredPlayer("7", place=0)])
def test_who_needs_a_seat_has_it_in_every_session(need: EnteredPlayer) -> None:
    event = individual(16, need, EnteredPlayer("9", table="3"), EnteredPlayer("2", table="1", place=1))
    for session in some(range(1, 6), 2):
        seating = proposed(event, session)
        assert unmet_needs(event, seating) == ()
        event = taken(event, seating)


def test_in_a_team_event_players_of_a_team_change_places_for_a_need() -> None:
    event = of_teams(4, EnteredPlayer("3", table="2"))
    seating = proposed(event, 1)
    assert unmet_needs(event, seating) == ()
    taken(event, seating)


def test_needs_that_no_seat_meets_or_that_contradict_each_other_are_named() -> None:
    event = individual(16, EnteredPlayer("7", table="9"))
    assert [player.number for player in unmet_needs(event, proposed(event, 1))] == ["7"]
    event = individual(16, *(EnteredPlayer(str(number), table="3") for number in range(1, 6)))
    assert len(unmet_needs(event, proposed(event, 1))) > 0


CLUB_FORMS = ("Café {}", "Cafe\u0301 {}", "CAFÉ {}", "Ｃａｆé\u3000{}")
"""One club as different people type it."""


def test_members_of_a_club_sit_at_different_tables_in_the_first_session() -> None:
    event = individual(16, *(EnteredPlayer(str(number), club=CLUB_FORMS[number % 4].format((number - 1) // 4)) for number in range(1, 17)))
    for at in (at for group in proposed(event, 1).groups for at in group.tables):
        assert len({(int(player) - 1) // 4 for player in at.players}) == 4


def test_after_two_people_were_swapped_the_next_session_has_no_pair_again() -> None:
    event = individual(16)
    event = taken(event, swapped(proposed(event, 1), "1", "2"))
    assert {each.respect: (each.fewest, each.most) for each in reached(event, proposed(event, 2))}[Respect.MEETINGS] == (0, 1)


def test_after_a_withdrawal_those_who_are_left_are_seated_and_who_is_absent_in_the_session_after() -> None:
    seated_once = individual(16)
    seated_once = taken(seated_once, proposed(seated_once, 1))
    for event, session in (
        (apply(seated_once, EntrantWithdrawn("7", 2, "ill")), 2),
        (apply(individual(16), EntrantAbsent("7", 1, "ill")), 1),
    ):
        seating = proposed(event, session)
        assert "7" not in {*seated(seating), *seating.sitting_out}
        assert len(seating.sitting_out) == 3
    assert sorted(seated(proposed(taken(event, seating), 2))) == sorted(event.players)


def test_groups_follow_the_standing() -> None:
    event = individual(32, groups="by-standing")
    event = taken(event, proposed(event, 1))
    standing = [str(number) for number in range(32, 0, -1)]
    first, second = proposed(event, 2, standing).groups
    assert {player for at in first.tables for player in at.players} == set(standing[:16])
    assert {player for at in second.tables for player in at.players} == set(standing[16:])


SEVENTEEN = SessionSeated(
    1, (SeatedGroup("1", tuple(SeatedPlayers(str(t), four(str(4 * t + place) for place in range(-3, 1))) for t in range(1, 5))),), ("17",)
)


@given(st.permutations(range(1, 18)))
def test_swapping_twice_changes_nothing(order: Sequence[int]) -> None:
    seating = SEVENTEEN
    one, other = str(order[0]), str(order[1])
    changed = swapped(seating, one, other)
    assert swapped(changed, other, one) == seating
    assert sorted([*seated(changed), *changed.sitting_out]) == sorted([*seated(seating), *seating.sitting_out])


def test_tables_are_named_on_from_those_that_are_there() -> None:
    event = managed_event([EventDescribed("individual", RULES), TablesChosen(("2", "Red"))])
    assert proposed_tables(event, 4) == ("2", "Red", "1", "3")
    assert proposed_tables(event, 1) == ("2",)


def test_a_plan_says_what_follows_from_the_numbers() -> None:
    individuals, teams = EventDescribed("individual", RULES, sessions=5), EventDescribed("team", RULES, sessions=5)
    plans = [event_plan(described, count) for described, count in ((individuals, 17), (teams, 16))]
    assert [(plan.tables, plan.players, plan.over, plan.missing) for plan in plans] == [(4, 16, 1, 3), (16, 64, 0, 0)]
    assert plans[0].meetings is None, "who sits out does not meet everybody"
    assert [met.most if (met := event_plan(individuals, count).meetings) else None for count in (15, 16, 3)] == [1, 1, None]
    assert event_plan(EventDescribed("individual", RULES, groups="by-standing"), 16).meetings is None
