"""Players of a demo, seated as a team event seats them."""

import pytest

from cli.demo.people import MOST_TABLES, seat_people


@pytest.mark.parametrize("tables", range(1, MOST_TABLES + 1))
def test_every_place_of_every_table_has_a_person_of_its_own(tables: int) -> None:
    groups = seat_people(tables)
    names = [name for group in groups for table in group.tables for name in table.players]
    assert len(set(names)) == len(names) == 4 * tables
    assert [table.name for group in groups for table in group.tables] == [str(number + 1) for number in range(tables)]


def test_four_tables_are_compared_as_four_teams_and_the_rest_is_not() -> None:
    whole, rest = seat_people(6)
    assert len(whole.teams) == len(whole.tables) == 4
    assert rest.teams == ()
    assert len(rest.tables) == 2
