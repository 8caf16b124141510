"""Proposes a seating for the next session (``proposed_seating``), says what it reaches, and swaps two people in it.

``twinwall.event.movements`` makes the seats; here entrants and tables get their names. The director saves a proposal as the change
``SessionSeated``. Also what follows from a description and a number of entrants (``EventPlan``), which pages say before anything is played.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Literal

from msgspec import structs

from twinwall.event.management.changes import EnteredPlayer, EventDescribed, SeatedGroup, SeatedPlayers, SessionSeated
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.movements import seating as movement
from twinwall.event.movements.balance import Balance, balance, team_balance
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.next_session import following_individual_session, following_team_session, out_by_construction
from twinwall.event.movements.options import FieldOption, field_options
from twinwall.event.movements.seating import FixedSeat, MovementError, SeatingNeeds, four
from twinwall.event.movements.solver import EFFORT
from twinwall.event.movements.teams import seat_players, team_schedule, team_tables
from twinwall.event.results import EntrantKind
from twinwall.values import frozen
from twinwall.wire.names import name_key

FOUR = 4
MOST_ENTRANTS = 256
MOST_COMPUTED = 20_000
"""Most seats of all sessions for which the balance is computed; more would take too long."""


@frozen
class EventPlan:
    """An event in numbers. ``over``: entrants beyond the last multiple of four; this many sit out in every session. ``missing``: how many
    more would fill all tables. ``meetings``: how often two players share a table, or two teams a group; None if only each session's seats
    decide it (by standing, or without a construction for the number). ``options``: what can be done with the number; ``by_standing``:
    whether groups follow the standings."""

    kind: Literal["team", "individual"]
    entrants: int
    over: int
    missing: int
    tables: int
    sessions: int
    minutes: int
    meetings: Balance | None = None
    options: tuple[FieldOption, ...] = ()
    by_standing: bool = False

    @property
    def players(self) -> int:
        return FOUR * self.tables


def event_plan(description: EventDescribed, entrants: int) -> EventPlan:
    over = entrants % FOUR
    playing = entrants - over
    tables = playing if description.kind == "team" else playing // FOUR
    by_standing = description.groups == "by-standing"
    known = not by_standing and FOUR <= entrants <= MOST_ENTRANTS and playing * description.sessions <= MOST_COMPUTED
    return EventPlan(
        description.kind,
        entrants,
        over,
        -entrants % FOUR,
        tables,
        description.sessions,
        description.minutes,
        _meetings(description.kind, entrants, description.sessions) if known else None,
        field_options(EntrantKind(description.kind), entrants, description.sessions) if entrants <= MOST_ENTRANTS else (),
        by_standing,
    )


@lru_cache(maxsize=64)
def _meetings(kind: str, entrants: int, sessions: int) -> Balance | None:
    if out_by_construction(entrants, sessions) is None:
        return None
    if kind == "team":
        return team_balance(team_schedule(range(entrants), sessions))[0]
    return balance(individual_schedule(range(entrants), sessions))[0]


def proposed_tables(event: ManagedEvent, count: int) -> tuple[str, ...]:
    """This many table names: the event's, then the lowest free numbers."""
    names = list(event.tables[:count])
    numbers = (str(number) for number in range(1, count + len(event.tables) + 1))
    free = [number for number in numbers if number not in event.tables]
    return (*names, *free[: count - len(names)])


def proposed_seating(event: ManagedEvent, session: int, standing: Sequence[str] = (), effort: float = EFFORT) -> SessionSeated:
    """Seats for a session that has not begun: the next one of a construction, or the solver's for the entrants who are present. Earlier
    sessions without seats count as they would be proposed. ``standing``: the entrants, best first, if groups follow it; empty before the
    first session. ``effort``: of the solver. Raises MovementError with fewer than four entrants."""
    for earlier in sorted(set(range(1, session)) - set(event.seatings)):
        event = replace(event, seatings={**event.seatings, earlier: proposed_seating(event, earlier, standing, effort)})
    entrants = event.taking_part(session)
    if len(entrants) < FOUR:
        raise MovementError(f"four entrants are needed, {len(entrants)} are there")
    by_standing = event.description is not None and event.description.groups == "by-standing" and bool(standing)
    entrants = _by_standing(entrants, standing) if by_standing else entrants
    playing = len(entrants) - len(entrants) % FOUR
    names = proposed_tables(event, playing if event.is_team_event else playing // FOUR)
    before = [event.seatings[number] for number in sorted(event.seatings) if number < session]
    players = [_of_players(each, _table_order(event, before, names)) for each in before]
    needs = _fixed_seats(event, names)
    if event.is_team_event:
        clubs = _clubs(((team.name, team.club) for team in event.teams.values()), playing // FOUR)
        teams = [_of_teams(each) for each in before]
        seating = following_team_session(entrants, teams, SeatingNeeds(apart_at_first=clubs), by_standing=by_standing, effort=effort)
        drawn = seat_players(seating, {name: team.players for name, team in event.teams.items()}, players, needs)
        return _seated(drawn, session, names, event, seating.sitting_out)
    clubs = _clubs(((player.number, player.club) for player in event.players.values()), len(names))
    draw = partial(following_individual_session, entrants, players, by_standing=by_standing, effort=effort)
    try:
        drawn = draw(needs=replace(needs, apart_at_first=clubs))
    except MovementError:  # the needs contradict each other: ``unmet_needs`` names them
        drawn = draw(needs=SeatingNeeds(apart_at_first=clubs))
    return _seated(drawn, session, names, event, drawn.sitting_out)


def unmet_needs(event: ManagedEvent, seating: SessionSeated) -> tuple[EnteredPlayer, ...]:
    """Seated players without the table or place that they need."""
    at = {player: (seated.table, place) for seated in seating.tables for place, player in enumerate(seated.players)}
    here = ((player, *at[player.number]) for player in event.players.values() if player.number in at)
    return tuple(player for player, table, place in here if not (player.table in (None, table) and player.place in (None, place)))


def swapped(seating: SessionSeated, one: str, other: str) -> SessionSeated:
    """The seating with two players swapped; in an individual event one of them may sit out."""
    instead = {one: other, other: one}

    def swap(player: str) -> str:
        return instead.get(player, player)

    seated = seating.with_tables(lambda at: SeatedPlayers(at.table, four(map(swap, at.players))))
    return structs.replace(seated, sitting_out=tuple(map(swap, seating.sitting_out)))


def reached(event: ManagedEvent, seating: SessionSeated) -> tuple[Balance, ...]:
    """The balance of all sessions up to this one, with the theoretical bounds."""
    before = [event.seatings[number] for number in sorted(event.seatings) if number < seating.session]
    every = [*before, seating]
    if event.is_team_event:
        return team_balance([_of_teams(each) for each in every])
    order = _table_order(event, every)
    return balance([_of_players(each, order) for each in every], 16 if event.description is None else event.description.hands)


def _by_standing(entrants: Sequence[str], standing: Sequence[str]) -> tuple[str, ...]:
    """Entrants, best first; those without results come last."""
    place = {entrant: index for index, entrant in enumerate(standing)}
    return tuple(sorted(entrants, key=lambda entrant: place.get(entrant, len(place))))


def _fixed_seats(event: ManagedEvent, names: Sequence[str]) -> SeatingNeeds[str]:
    """Who needs which seat; a need for a table that does not play is ignored."""
    number = {name: index for index, name in enumerate(names, 1)}
    fixed = {
        player.number: FixedSeat(None if player.table is None else number[player.table], player.place)
        for player in filter(_needs_a_seat, event.players.values())
        if player.table is None or player.table in number
    }
    return SeatingNeeds(fixed)


def _clubs(entrants: Iterable[tuple[str, str]], parts: int) -> tuple[frozenset[str], ...]:
    """Clubs whose entrants can be kept apart: two or more, and no more than tables (or groups of teams)."""
    of_club: defaultdict[str, set[str]] = defaultdict(set)
    for entrant, club in entrants:
        of_club[name_key(club)].add(entrant)
    return tuple(frozenset(members) for club, members in of_club.items() if club and 2 <= len(members) <= parts)


def _seated(
    seating: movement.SessionSeating[str], session: int, names: Sequence[str], event: ManagedEvent, out: tuple[str, ...]
) -> SessionSeated:
    """The change that saves a seating; teams are in the order of the first table's places."""
    groups = tuple(
        SeatedGroup(
            group.name,
            tuple(SeatedPlayers(names[table.number - 1], table.places) for table in group.tables),
            tuple(event.team_of(player) or player for player in group.tables[0].places) if event.is_team_event else (),
        )
        for group in seating.groups
    )
    return SessionSeated(session, groups, out)


def _table_order(event: ManagedEvent, seatings: Sequence[SessionSeated], names: Sequence[str] = ()) -> tuple[str, ...]:
    """All tables that occur, once each; the position is the table's number in the movements."""
    seated = (at.table for each in seatings for at in each.tables)
    return tuple(dict.fromkeys((*event.tables, *names, *seated)))


def _needs_a_seat(player: EnteredPlayer) -> bool:
    return player.table is not None or player.place is not None


def _of_players(seating: SessionSeated, order: Sequence[str]) -> movement.SessionSeating[str]:
    """The seating for the movements, with tables numbered in this order."""
    groups = tuple(
        movement.GroupSeating(group.name, tuple(movement.SeatedTable(order.index(at.table) + 1, at.players) for at in group.tables))
        for group in seating.groups
    )
    return movement.SessionSeating(seating.session, groups, seating.sitting_out)


def _of_teams(seating: SessionSeated) -> movement.SessionSeating[str]:
    groups = tuple(movement.GroupSeating(group.name, team_tables(group.teams)) for group in seating.groups)
    return movement.SessionSeating(seating.session, groups, seating.sitting_out)
