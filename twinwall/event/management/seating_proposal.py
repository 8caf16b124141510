"""A seating that a director may take for the next session, what it reaches, and the same with two people swapped.

Constructions give the seats; who needs a seat then changes places with whoever holds it. Nothing is changed here: the director
saves a proposal as the change ``SessionSeated``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from twinwall.event.management.changes import EnteredPlayer, FourPlayers, SeatedGroup, SeatedPlayers, SessionSeated
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.movements import seating as movement
from twinwall.event.movements.balance import Balance, balance, team_balance
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.seating import MovementError, four
from twinwall.event.movements.teams import Members, in_groups, seat_players, team_schedule, team_tables

FOUR = 4
GROUP = 16
"""Players of a group of an individual event by standing."""


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A seat of a session: its table and place 0 to 3."""

    table: str
    place: int


def proposed_tables(event: ManagedEvent, count: int) -> tuple[str, ...]:
    """The names of so many tables: those that the event has, then the next numbers that no table has."""
    names = list(event.tables[:count])
    numbers = (str(number) for number in range(1, count + len(event.tables) + 1))
    free = [number for number in numbers if number not in event.tables]
    return (*names, *free[: count - len(names)])


def proposed_seating(event: ManagedEvent, session: int, standing: Sequence[str] = ()) -> SessionSeated:
    """Seats for a session that has not begun.

    Args:
        event: described, with its entrants.
        session: from 1.
        standing: the entrants, the best in front, where groups follow the standing; empty before the first session.

    Raises:
        MovementError: when fewer than four entrants are there.
    """
    entrants = event.entrants(session)
    playing, out = _playing(event, session, entrants)
    if len(playing) < FOUR:
        raise MovementError(f"four entrants are needed, {len(entrants)} are there")
    by_standing = event.description is not None and event.description.groups == "by-standing" and bool(standing)
    if by_standing:
        place = {entrant: index for index, entrant in enumerate(standing)}
        playing = tuple(sorted(playing, key=lambda entrant: place.get(entrant, len(place))))
    if event.is_team_event:
        seating = in_groups(session, _fours(playing)) if by_standing else team_schedule(playing, session)[session - 1]
        return _teams_seated(event, seating, out)
    drawn = [individual_schedule(members, session)[session - 1] for members in (_sixteens(playing) if by_standing else [playing])]
    names = iter(proposed_tables(event, len(playing) // FOUR))
    seated = [tuple(SeatedPlayers(next(names), table.places) for table in group.tables) for seating in drawn for group in seating.groups]
    groups = tuple(SeatedGroup(str(number), tables) for number, tables in enumerate(seated, 1))
    return _with_fixed_seats(event, SessionSeated(session, groups, out))


def unmet_needs(event: ManagedEvent, seating: SessionSeated) -> tuple[EnteredPlayer, ...]:
    """The players who play and do not have the table, or the place, that they need."""
    at = {player: seat for seat, player in _seats(seating).items()}
    needy = [player for player in event.players.values() if player.number in at and _needs_a_seat(player)]
    return tuple(player for player in needy if not _will_do(player, at[player.number]))


def swapped(seating: SessionSeated, one: str, other: str) -> SessionSeated:
    """The seating with two players in each other's place; one of them may sit out (in an individual event)."""
    instead = {one: other, other: one}

    def swap(player: str) -> str:
        return instead.get(player, player)

    groups = tuple(
        SeatedGroup(group.name, tuple(SeatedPlayers(at.table, four(map(swap, at.players))) for at in group.tables), group.teams)
        for group in seating.groups
    )
    return SessionSeated(seating.session, groups, tuple(map(swap, seating.sitting_out)))


def reached(event: ManagedEvent, seating: SessionSeated) -> tuple[Balance, ...]:
    """The balance of all sessions up to this one, each respect beside what theory allows."""
    before = [event.seatings[number] for number in sorted(event.seatings) if number < seating.session]
    every = [*before, seating]
    if event.is_team_event:
        return team_balance([_of_teams(each) for each in every])
    order = _table_order(event, every)
    return balance([_of_players(each, order) for each in every], 16 if event.description is None else event.description.hands)


def _playing(event: ManagedEvent, session: int, entrants: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those who play and those who sit out: as many as are over, who have sat out least so far; of these the last to be entered."""
    over = len(entrants) % FOUR
    before = Counter(who for number, seating in event.seatings.items() if number < session for who in seating.sitting_out)
    ranked = sorted(enumerate(entrants), key=lambda entered: (before[entered[1]], -entered[0]))
    out = {who for _index, who in ranked[:over]}
    return tuple(who for who in entrants if who not in out), tuple(who for who in entrants if who in out)


def _fours(entrants: Sequence[str]) -> list[Sequence[str]]:
    return [entrants[start : start + FOUR] for start in range(0, len(entrants), FOUR)]


def _sixteens(players: Sequence[str]) -> list[Sequence[str]]:
    """Groups of sixteen in their order; the last one takes the rest, up to 28."""
    groups = max(1, len(players) // GROUP)
    return [players[GROUP * index : GROUP * (index + 1) if index < groups - 1 else len(players)] for index in range(groups)]


def _teams_seated(event: ManagedEvent, seating: movement.SessionSeating[str], out: tuple[str, ...]) -> SessionSeated:
    names = proposed_tables(event, len(seating.tables))
    before = [event.seatings[number] for number in sorted(event.seatings) if number < seating.number]
    order = _table_order(event, before, names)
    played = [replace(_of_players(each, order), sitting_out=()).as_others(int) for each in before]
    members: dict[str, Members] = {name: _members(team.players) for name, team in event.teams.items()}
    players = seat_players(seating, members, played)
    groups = tuple(
        SeatedGroup(
            group.name,
            tuple(SeatedPlayers(names[table.number - 1], _numbers(table.places)) for table in group.tables),
            teams.tables[0].places,
        )
        for group, teams in zip(players.groups, seating.groups, strict=True)
    )
    return _with_fixed_seats(event, SessionSeated(seating.number, groups, out))


def _table_order(event: ManagedEvent, seatings: Sequence[SessionSeated], names: Sequence[str] = ()) -> tuple[str, ...]:
    """All tables that occur, each once: a table's place in it is its number in the movements."""
    seated = (at.table for each in seatings for group in each.groups for at in group.tables)
    return tuple(dict.fromkeys((*event.tables, *names, *seated)))


def _members(players: Sequence[str]) -> Members:
    first, second, third, fourth = (int(player) for player in players[:FOUR])
    return first, second, third, fourth


def _numbers(places: Sequence[int]) -> FourPlayers:
    return movement.four(str(player) for player in places)


def _seats(seating: SessionSeated) -> dict[SeatAt, str]:
    return {SeatAt(at.table, place): player for group in seating.groups for at in group.tables for place, player in enumerate(at.players)}


def _needs_a_seat(player: EnteredPlayer) -> bool:
    return player.table is not None or player.place is not None


def _will_do(player: EnteredPlayer, seat: SeatAt) -> bool:
    return player.table in (None, seat.table) and player.place in (None, seat.place)


def _with_fixed_seats(event: ManagedEvent, seating: SessionSeated) -> SessionSeated:
    """The seating in which whoever needs a seat has it, where that can be; in a team event players change places within their team."""
    settled: set[str] = set()
    for player in sorted(filter(_needs_a_seat, event.players.values()), key=lambda each: (each.table is None, each.place is None)):
        held = _seats(seating)
        if player.number not in held.values():
            continue
        free = (
            holder
            for seat, holder in held.items()
            if _will_do(player, seat)
            and holder not in settled
            and (not event.is_team_event or event.team_of(holder) == event.team_of(player.number))
        )
        own = next(seat for seat, holder in held.items() if holder == player.number)
        holder = player.number if _will_do(player, own) else next(free, None)
        if holder is not None:
            seating = swapped(seating, player.number, holder)
            settled.add(player.number)
    return seating


def _of_players(seating: SessionSeated, order: Sequence[str]) -> movement.SessionSeating[str]:
    """The seating as the movements have it; tables are numbered in this order."""
    groups = tuple(
        movement.SeatedGroup(group.name, tuple(movement.SeatedTable(order.index(at.table) + 1, at.players) for at in group.tables))
        for group in seating.groups
    )
    return movement.SessionSeating(seating.session, groups, seating.sitting_out)


def _of_teams(seating: SessionSeated) -> movement.SessionSeating[str]:
    groups = tuple(movement.SeatedGroup(group.name, team_tables(group.teams)) for group in seating.groups)
    return movement.SessionSeating(seating.session, groups, seating.sitting_out)
