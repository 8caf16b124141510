"""The field: which groups an event can have, and who holds a seat of a table."""

from __future__ import annotations

import pytest

from tests.support.event.example import TEAMS
from tests.support.event.ledgers import TABLES, closing, events, starting
from twinwall.event.field import EventField, FieldError, Group, field_of
from twinwall.event.hands import summaries
from twinwall.event.movements.seating import MovementError
from twinwall.event.results import EntrantKind
from twinwall.game.tiles import SEATS


def test_each_team_holds_each_seat_of_a_deal_once_whatever_the_hand() -> None:
    teams = field_of(EntrantKind.TEAM, TABLES, TEAMS)
    for n in (1, 2, 7, 16):
        hands = summaries(event for table in TABLES for event in events([*starting(n, table), *closing(n, (0, 0, 0, 0))], table))
        held = [(teams.entrant(hand, seat), seat) for hand in hands for seat in SEATS]
        assert len(set(held)) == 16, f"deal {n}"


def test_rows_of_tables_and_teams_make_groups() -> None:
    tables, teams = [str(number) for number in range(1, 9)], [f"team {number}" for number in range(1, 9)]
    eight = field_of(EntrantKind.TEAM, tables, teams)
    assert [(group.name, group.tables[0], group.teams[0]) for group in eight.groups] == [("1", "1", "team 1"), ("2", "5", "team 5")]
    assert eight.tables == tuple(tables)
    assert eight.session(1).group_of("6") is eight.groups[1]
    assert eight.session(1).group_of("9") is None


@pytest.mark.parametrize(
    ("tables", "teams", "sentence"),
    [
        (("1", "2", "3"), TEAMS, "group 1 has 3 tables and 4 teams"),
        (TABLES, (), "need as many groups of 4 teams, not 0"),
        ((*TABLES, "1", "6", "7", "8"), (*TEAMS, "e", "f", "g", "h"), "table 1 is in group 1 and in group 2"),
    ],
)
def test_a_field_that_no_team_event_can_have_is_refused(tables: tuple[str, ...], teams: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(FieldError, match=sentence):
        field_of(EntrantKind.TEAM, tables, teams)


def test_a_team_named_twice_is_refused() -> None:
    with pytest.raises(MovementError, match="A is there more than once"):
        field_of(EntrantKind.TEAM, TABLES, ("A", "B", "C", "A"))


def test_groups_need_names_of_their_own_and_tables_and_an_individual_event_has_no_teams() -> None:
    with pytest.raises(FieldError, match="the group a is there more than once"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", ("1",)), Group("a", ("2",))))
    with pytest.raises(FieldError, match="group a has no tables"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", ()),))
    with pytest.raises(FieldError, match="names teams"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", TABLES, TEAMS),))


def test_a_table_outside_the_field_has_no_entrants() -> None:
    (hand,) = summaries(events([*starting(1)], "99"))
    with pytest.raises(FieldError, match="table 99 is in no group"):
        field_of(EntrantKind.TEAM, TABLES, TEAMS).entrant(hand, SEATS[0])
