"""Reads a pasted or uploaded list of entrants into lines, each with the reason if it cannot be entered.

Tabs, semicolons or commas separate columns. An English, Japanese or Chinese heading names them; without one they are guessed. Nothing is
entered here: a page shows the lines, and a person decides.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from itertools import count, islice

from twinwall.event.management.changes import EnteredPlayer, EnteredTeam, EntrantsEntered
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.player_names import NUMBER_PATTERN
from twinwall.event.results_csv import plain_cell
from twinwall.values import frozen
from twinwall.wire.names import looks_like, name_key, name_problem, typed_number

MOST_LINES = 600
MOST_CHARACTERS = 128 * 1024
LEAST_IN_TEAM, MOST_IN_TEAM = 4, 12
_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)
_DELIMITERS = "\t;,"


class ListColumn(Enum):
    NUMBER = "number"
    NAME = "name"
    TEAM = "team"
    CLUB = "club"
    IGNORED = "ignored"


_NAMES = {
    ListColumn.NUMBER: "number no nr # id 番号 選手番号 号码 编号 序号 選手no",
    ListColumn.NAME: "name player player_name full_name 氏名 名前 選手 選手名 お名前 姓名 名字 选手 选手姓名",
    ListColumn.TEAM: "team team_name チーム チーム名 队 队伍 队名 球队",
    ListColumn.CLUB: "club country nation クラブ 所属 国 国名 俱乐部 单位 国家 协会",
}
HEADINGS = {name.replace("_", " "): column for column, names in _NAMES.items() for name in names.split()}


class LineProblem(Enum):
    NAME_MISSING = "name-missing"
    NAME_TWICE = "name-twice"
    """An earlier line of the list has the name."""
    NAME_ENTERED = "name-entered"
    """A player of the event has the name."""
    NAME_ALIKE = "name-alike"
    """The name looks so much like another that screens would not tell them apart."""
    NAME_LONG = "name-long"
    NAME_UNSEEN = "name-unseen"
    """The name has control characters or changes the text direction."""
    NUMBER_WRONG = "number-wrong"
    NUMBER_TWICE = "number-twice"
    NUMBER_ENTERED = "number-entered"
    TEAM_MISSING = "team-missing"
    TEAM_LONG = "team-long"
    TEAM_SMALL = "team-small"
    TEAM_LARGE = "team-large"
    CLUB_LONG = "club-long"
    QUOTE = "quote"
    """A quotation mark is not closed."""


class ListTooLongError(ValueError):
    """A text with more lines or characters than the largest event needs."""


@frozen
class ListedEntrant:
    """A line of the list; ``line`` counts from 1 with blank lines. ``text``: the line as given. ``problem``: why it cannot be entered, or
    None. ``values``: what the reason names: ``other`` a name, ``line`` an earlier line, ``number``, ``team``, ``count``."""

    line: int
    text: str
    number: str = ""
    name: str = ""
    team: str = ""
    club: str = ""
    problem: LineProblem | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def refused(self, problem: LineProblem, **values: object) -> "ListedEntrant":
        return replace(self, problem=problem, values={key: str(value) for key, value in values.items()})


@frozen
class EntrantList:
    """A list as read: its heading, what each column holds, and the lines that are not blank."""

    heading: str | None
    columns: tuple[ListColumn, ...]
    lines: tuple[ListedEntrant, ...]

    @property
    def good(self) -> tuple[ListedEntrant, ...]:
        return tuple(line for line in self.lines if line.problem is None)

    @property
    def bad(self) -> tuple[ListedEntrant, ...]:
        return tuple(line for line in self.lines if line.problem is not None)


KnownEntrants = tuple[Mapping[str, str], Mapping[str, int]]
"""Who is in the event: names by number, and each team's number of players."""


def read_entrants(text: str, *, teams: bool, known: KnownEntrants = ({}, {}), columns: Sequence[ListColumn] | None = None) -> EntrantList:
    """Read a list. ``text``: the list. ``teams``: whether every line must name a team. ``known``: who is in the event. ``columns``: what
    the columns hold; None to guess. Raises ListTooLongError for more than ``MOST_LINES`` lines or ``MOST_CHARACTERS`` characters."""
    given = re.split(r"\r\n?|\n", text.removeprefix("\ufeff"))
    if len(given) > MOST_LINES + 1 or len(text) > MOST_CHARACTERS:
        raise ListTooLongError(f"a list has up to {MOST_LINES} lines")
    rows = [(number, line) for number, line in enumerate(given, 1) if line.strip(" \t\u3000;,\ufeff")]
    delimiter = _delimiter([line for _number, line in rows])
    cells = [_cells(line, delimiter) for _number, line in rows]
    named = _heading(cells[0]) if cells and cells[0] is not None else None
    heading = rows.pop(0)[1] if named is not None else None
    cells = cells[1:] if named is not None else cells
    whole = [row for row in cells if row is not None]
    holds = tuple(columns) if columns else _guessed(named or (), whole, teams)
    lines = [
        ListedEntrant(number, line).refused(LineProblem.QUOTE) if row is None else _line(number, line, row, holds)
        for (number, line), row in zip(rows, cells, strict=True)
    ]
    return EntrantList(heading, holds, tuple(_checked(lines, teams, *known)))


def named_entrant(name: str, club: str, known: KnownEntrants) -> ListedEntrant:
    """A player as one line of a list, with the problem of name or club."""
    return next(_checked([ListedEntrant(1, "", name=name, club=club)], False, *known))


def _delimiter(lines: Sequence[str]) -> str:
    """The separator in most lines; with equal numbers, tabs before semicolons before commas."""
    return max(_DELIMITERS, key=lambda mark: (sum(mark in line for line in lines), -_DELIMITERS.index(mark)))


def _cells(line: str, delimiter: str) -> tuple[str, ...] | None:
    try:
        (row,) = csv.reader([line], delimiter=delimiter, strict=True, skipinitialspace=True)
    except (csv.Error, ValueError):
        return None
    return tuple(plain_cell(cell) for cell in row)


def _heading(cells: Sequence[str]) -> tuple[ListColumn, ...] | None:
    """The columns that a heading names; None for a line that is no heading."""
    found = [HEADINGS.get(cell.casefold().rstrip(".:："), ListColumn.IGNORED) for cell in cells]
    named = sum(column is not ListColumn.IGNORED for column in found)
    if named < 2 and not (named and ListColumn.NAME in found):
        return None
    return tuple(column if column not in found[:index] else ListColumn.IGNORED for index, column in enumerate(found))


def _guessed(named: Sequence[ListColumn], rows: Sequence[Sequence[str]], teams: bool) -> tuple[ListColumn, ...]:
    """What the columns hold: by the heading, or by their values: numbers, then the most different names, then team and club."""
    width = max((len(row) for row in rows), default=1)
    holds = [*named, *[ListColumn.IGNORED] * (width - len(named))]
    values = [[row[column] for row in rows if column < len(row) and row[column]] for column in range(len(holds))]
    free = [column for column in range(len(holds)) if column >= len(named) and values[column]]
    if not named:
        numbers = [column for column in free if all(_NUMBER.fullmatch(typed_number(value)) for value in values[column])]
        if numbers and len(free) > 1:
            holds[numbers[0]] = ListColumn.NUMBER
            free.remove(numbers[0])
    if ListColumn.NAME not in holds:
        free = free or [column for column in range(len(holds)) if holds[column] is ListColumn.IGNORED]
        name = max(free, key=lambda column: (len(set(values[column])), -column), default=None)
        if name is not None:
            holds[name] = ListColumn.NAME
            free.remove(name)
    if not named:
        for column, holding in zip(free, [*([ListColumn.TEAM] if teams else []), ListColumn.CLUB], strict=False):
            holds[column] = holding
    return tuple(holds)


def _line(number: int, text: str, cells: Sequence[str], holds: Sequence[ListColumn]) -> ListedEntrant:
    of = {column: cell for column, cell in zip(holds, cells, strict=False) if column is not ListColumn.IGNORED}
    return ListedEntrant(
        number,
        text,
        typed_number(of.get(ListColumn.NUMBER, "")),
        of.get(ListColumn.NAME, ""),
        of.get(ListColumn.TEAM, ""),
        of.get(ListColumn.CLUB, ""),
    )


def _checked(lines: Sequence[ListedEntrant], teams: bool, names: Mapping[str, str], sizes: Mapping[str, int]) -> Iterator[ListedEntrant]:
    """Yield the lines, each with its first problem."""
    alike = {looks_like(name): name for name in names.values()}
    teams_by_key = {name_key(name): name for name in sizes}
    at: dict[str, int] = {}
    numbers: dict[str, int] = {}
    checked: list[ListedEntrant] = []
    for given in lines:
        line = replace(given, team=teams_by_key.setdefault(name_key(given.team), given.team))
        found = line if line.problem is not None else _alone(line, teams)
        if found.problem is None:
            found = _beside(found, alike, at)
        if found.problem is None and found.number in names:
            found = found.refused(LineProblem.NUMBER_ENTERED, number=found.number, other=names[found.number])
        if found.problem is None and found.number in numbers:
            found = found.refused(LineProblem.NUMBER_TWICE, number=found.number, line=numbers[found.number])
        if found.problem is None:
            at[found.name], alike[looks_like(found.name)] = found.line, found.name
            if found.number:
                numbers[found.number] = found.line
        checked.append(found)
    return iter(_in_teams(checked, sizes) if teams else checked)


def _alone(line: ListedEntrant, teams: bool) -> ListedEntrant:
    """The line, with a problem that does not depend on others."""
    problem = name_problem(line.name)
    if problem is not None:
        return line.refused(LineProblem(f"name-{problem}"), count=len(line.name))
    if line.number and _NUMBER.fullmatch(line.number) is None:
        return line.refused(LineProblem.NUMBER_WRONG, number=line.number[:20])
    for value, long, sign in ((line.team, LineProblem.TEAM_LONG, None), (line.club, LineProblem.CLUB_LONG, "missing")):
        if value and name_problem(value) not in (None, sign):
            return line.refused(long, count=len(value))
    return line.refused(LineProblem.TEAM_MISSING) if teams and not line.team else line


def _beside(line: ListedEntrant, alike: Mapping[str, str], at: Mapping[str, int]) -> ListedEntrant:
    """The line, with a problem of its name among those of the event and of earlier lines."""
    other = alike.get(looks_like(line.name))
    if line.name in at:
        return line.refused(LineProblem.NAME_TWICE, other=line.name, line=at[line.name])
    if other == line.name:
        return line.refused(LineProblem.NAME_ENTERED, other=other)
    return line if other is None else line.refused(LineProblem.NAME_ALIKE, other=other)


def _in_teams(lines: Sequence[ListedEntrant], before: Mapping[str, int]) -> Iterator[ListedEntrant]:
    """Refuse teams outside four to twelve players; the lines of a smaller one wait for the others."""
    sizes = Counter(before)
    sizes.update(line.team for line in lines if line.problem is None)
    entered = Counter(before)
    for line in lines:
        if line.problem is not None:
            yield line
            continue
        entered[line.team] += 1
        if sizes[line.team] < LEAST_IN_TEAM:
            yield line.refused(LineProblem.TEAM_SMALL, team=line.team, count=sizes[line.team])
        elif entered[line.team] > MOST_IN_TEAM:
            yield line.refused(LineProblem.TEAM_LARGE, team=line.team, count=MOST_IN_TEAM)
        else:
            yield line


def known_entrants(event: ManagedEvent, names: Mapping[str, str]) -> KnownEntrants:
    """Who is in the event; a player without a name is listed by number."""
    shown = {number: names.get(number, number) for number in event.players}
    return shown, {team.name: len(team.players) for team in event.teams.values()}


def entrant_batch(event: ManagedEvent, names: Mapping[str, str], lines: Sequence[ListedEntrant]) -> tuple[EntrantsEntered, dict[str, str]]:
    """Enter good lines: the change, and their names by number.

    A line's own number is used. A known name that is not in the event keeps its number; others get the lowest free numbers.
    """
    taken = {*event.players, *(line.number for line in lines if line.number)}
    kept = {name_key(name): number for number, name in names.items() if number not in taken}
    given = {line.line: line.number or kept.get(name_key(line.name), "") for line in lines}
    taken |= {*given.values(), *names}
    free = (number for number in map(str, count(1)) if number not in taken)
    numbers = {line.line: given[line.line] or next(free) for line in lines}
    players = tuple(EnteredPlayer(numbers[line.line], "" if line.team and event.is_team_event else line.club) for line in lines)
    change = EntrantsEntered(players, _teams(event, lines, numbers) if event.is_team_event else ())
    return change, {numbers[line.line]: line.name for line in lines}


def filling_batch(event: ManagedEvent, missing: int, name: Callable[[int], str]) -> EntrantsEntered:
    """Substitutes, or phantom teams of four, that fill the field; ``name`` names the n-th team.

    They get the lowest free numbers and unused names.
    """
    numbers = (number for number in map(str, count(1)) if number not in event.players)
    names = (each for each in map(name, count(1)) if each not in event.teams)
    if not event.is_team_event:
        return EntrantsEntered(tuple(EnteredPlayer(next(numbers), substitute=True) for _ in range(missing)))
    fours = [(next(names), tuple(islice(numbers, 4))) for _ in range(missing)]
    players = tuple(EnteredPlayer(number) for _, four in fours for number in four)
    return EntrantsEntered(players, tuple(EnteredTeam(team, four, phantom=True) for team, four in fours))


def _teams(event: ManagedEvent, lines: Sequence[ListedEntrant], numbers: Mapping[int, str]) -> tuple[EnteredTeam, ...]:
    of_team: dict[str, list[ListedEntrant]] = {}
    for line in lines:
        of_team.setdefault(line.team, []).append(line)
    teams = []
    for name, members in of_team.items():
        before = event.teams.get(name)
        club = next((line.club for line in members if line.club), before.club if before else "")
        players = (*(before.players if before else ()), *(numbers[line.line] for line in members))
        teams.append(EnteredTeam(name, players, club, phantom=before is not None and before.phantom))
    return tuple(teams)
