"""The change that enters the good lines of a list: entrants without a number get one, and the names go beside the change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count, islice

from twinwall.event.management.changes import EnteredPlayer, EnteredTeam, EntrantsEntered
from twinwall.event.management.entrant_list import KnownEntrants, ListedEntrant
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.wire.names import name_key


def known_entrants(event: ManagedEvent, names: Mapping[str, str]) -> KnownEntrants:
    """Who is in the event; a player without a name counts by number."""
    shown = {number: names.get(number, number) for number in event.players}
    return shown, {team.name: len(team.players) for team in event.teams.values()}


def entrant_batch(event: ManagedEvent, names: Mapping[str, str], lines: Sequence[ListedEntrant]) -> tuple[EntrantsEntered, dict[str, str]]:
    """Enter good lines: the change, and their names by number.

    A line's own number stands. A name that is known without being in the event keeps its number; everybody else gets the lowest
    number that is free.
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
    """Substitutes, or phantom teams of four of them, that fill a field up; ``name`` gives the name of the n-th.

    They get the lowest numbers that are free, and names that no team has.
    """
    numbers = (number for number in map(str, count(1)) if number not in event.players)
    names = (each for each in map(name, count(1)) if each not in event.teams)
    if not event.is_team_event:
        return EntrantsEntered(tuple(EnteredPlayer(next(numbers), substitute=True) for _ in range(missing)))
    fours = [(next(names), tuple(islice(numbers, 4))) for _ in range(missing)]
    players = tuple(EnteredPlayer(number) for _, four in fours for number in four)
    return EntrantsEntered(players, tuple(EnteredTeam(team, four, phantom=True) for team, four in fours))


def _teams(event: ManagedEvent, lines: Sequence[ListedEntrant], numbers: Mapping[int, str]) -> tuple[EnteredTeam, ...]:
    """The teams with their new players behind those that they have."""
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
