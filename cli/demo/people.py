"""Players of a demo: invented people by number, in teams of four, seated as the movement of a team event seats them. Four tables make a
group; place s of table t is held by team (s − t) mod 4, so every team plays every seat of every deal once. Tables that fill no group have
players and no comparison."""

from twinwall.event.movements.teams import team_tables
from twinwall.event.player_names import PlayerNames
from twinwall.event.results import TEAMS
from twinwall.values import frozen

PLACES = 4
FAMILY = (
    "Aoki", "Bianchi", "Chen", "Dubois", "Eriksen", "Fujita", "García", "Hoffmann",
    "Ivanova", "Jansen", "Kowalski", "李", "Müller", "Nakamura", "Okafor", "鈴木",
)  # fmt: skip
GIVEN = (
    "Mei", "Luca", "Yu", "Anne", "Nils", "Haruka", "Inés", "Jonas",
    "Vera", "Piet", "Zofia", "娜", "Clara", "Ken", "Ada", "一郎",
)  # fmt: skip
TEAM_NAMES = (
    "Sparrows", "Cranes", "Swallows", "Herons", "Magpies", "Larks", "Wagtails", "Orioles",
    "Kestrels", "Owls", "Robins", "Thrushes", "Finches", "Plovers", "Terns", "Wrens",
)  # fmt: skip
MOST_TABLES = len(TEAM_NAMES)


Places = tuple[str, str, str, str]
"""The numbers of the people at a table's places 0 to 3."""


@frozen
class DemoGroup:
    """Tables by name that are compared with each other, and their teams in the order of the movement; no teams without a comparison."""

    tables: dict[str, Places]
    teams: tuple[str, ...]


def seat_people(tables: int) -> tuple[DemoGroup, ...]:
    """Groups of four tables in the order of the hall, and what is left over as a group without teams."""
    whole = [_team_group(group) for group in range(tables // TEAMS)]
    rest = {
        str(table + 1): _four([str(table * PLACES + place + 1) for place in range(PLACES)])
        for table in range(tables // TEAMS * TEAMS, tables)
    }
    return (*whole, DemoGroup(rest, ())) if rest else tuple(whole)


def _team_group(group: int) -> DemoGroup:
    """Team k of the group sends its player t to table t, at the place that the movement gives."""
    teams = TEAM_NAMES[group * TEAMS : (group + 1) * TEAMS]
    first = group * TEAMS * PLACES
    members = {team: [str(first + index * TEAMS + table + 1) for table in range(TEAMS)] for index, team in enumerate(teams)}
    tables = {
        str(group * TEAMS + seated.number): _four([members[team][seated.number - 1] for team in seated.places])
        for seated in team_tables(teams)
    }
    return DemoGroup(tables, teams)


def names_of(groups: tuple[DemoGroup, ...]) -> PlayerNames:
    """The players' names: each sixteen have the same families with other given names."""
    numbers = sorted(int(number) for group in groups for players in group.tables.values() for number in players)
    return PlayerNames({str(number): person_name(number - 1) for number in numbers})


def team_name(index: int) -> str:
    """A team's name; the seventeenth has that of the first and a number."""
    again, which = divmod(index, len(TEAM_NAMES))
    return f"{TEAM_NAMES[which]} {again + 1}" if again else TEAM_NAMES[which]


def person_name(index: int) -> str:
    """A player's name: 256 of them differ."""
    return f"{FAMILY[index % len(FAMILY)]} {GIVEN[(index + index // len(FAMILY)) % len(GIVEN)]}"


def _four(names: list[str]) -> Places:
    first, second, third, fourth = names
    return first, second, third, fourth
