"""What can be done with a number of entrants that is no multiple of four, before anything is played.

Each option says how many play, at how many tables, who is missing and who sits out when. Chairs are never empty: where
somebody is missing, a substitute sits there whose results do not count in the standings.
"""

from collections import Counter
from collections.abc import Sequence
from enum import Enum

from twinwall.event.movements.balance import entrants_of
from twinwall.event.movements.constructions import draws, left_out
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.needs import SeatingNeeds, fixed_seats_hold, together
from twinwall.event.movements.next_session import next_individual_session, next_team_session, seated_and_out
from twinwall.event.movements.seating import PLACES, TABLES_IN_GROUP, SessionSeating, Who
from twinwall.event.movements.solver import EFFORT
from twinwall.event.movements.teams import team_schedule
from twinwall.event.results import TEAMS, EntrantKind
from twinwall.game.values import frozen

SIXTEEN = TABLES_IN_GROUP * len(PLACES)
"""Players of a group by standing."""


def following_individual_session(
    players: Sequence[Who],
    played: Sequence[SessionSeating[Who]] = (),
    needs: SeatingNeeds[Who] | None = None,
    *,
    by_standing: bool = False,
    effort: float = EFFORT,
) -> SessionSeating[Who]:
    """The session after those that were played, for the players who are present.

    Args:
        players: the best in front when ``by_standing``, otherwise in the same order for all sessions.
        played: the sessions before.
        needs: fixed seats, and people to keep apart.
        by_standing: whether groups of sixteen follow the standing.
        effort: of the solver, see ``EFFORT``.

    Raises:
        MovementError: for fewer than four players, a player twice, or needs that contradict each other.
    """
    needs = SeatingNeeds() if needs is None else needs.among(players)
    number = len(played) + 1
    if not by_standing and _has_construction(len(players)):
        schedule = individual_schedule(players, number, needs, played)
        if schedule[:-1] == tuple(played) and _fits(schedule, needs):
            return schedule[-1]
    return next_individual_session(players, played, needs, by_standing=by_standing, effort=effort)


def following_team_session(
    teams: Sequence[Who],
    played: Sequence[SessionSeating[Who]] = (),
    needs: SeatingNeeds[Who] | None = None,
    *,
    by_standing: bool = False,
    effort: float = EFFORT,
) -> SessionSeating[Who]:
    """The session of teams after those that were played; arguments and errors as for players, with groups of four teams."""
    needs = needs or SeatingNeeds()
    number = len(played) + 1
    if not by_standing and _has_construction(len(teams)):
        schedule = team_schedule(teams, number)
        if _groups(schedule[:-1]) == _groups(played) and not together(schedule[-1], needs) and _evenly_out(schedule):
            return schedule[-1]
    return next_team_session(teams, played, needs, effort=effort)


def out_by_construction(entrants: int, sessions: int) -> tuple[tuple[int, ...], ...] | None:
    """Who sits out in each session of a construction in which no entrant does so twice before all have once; None when there is none."""
    if not _has_construction(entrants):
        return None
    out = tuple(left_out(draw, entrants) for draw in draws(entrants, sessions))
    return out if _in_turn(out, range(entrants)) else None


def _has_construction(entrants: int) -> bool:
    """Whether there is one in which none sits out, or with one entrant less one in which none does so twice at first."""
    return entrants <= 256 and ((entrants % len(PLACES) == 0 and entrants > 0) or (entrants % len(PLACES) == 3 and entrants >= SIXTEEN - 1))


def _fits(schedule: Sequence[SessionSeating[Who]], needs: SeatingNeeds[Who]) -> bool:
    return fixed_seats_hold(schedule[-1], needs) and not together(schedule[-1], needs) and _evenly_out(schedule)


def _evenly_out(schedule: Sequence[SessionSeating[Who]]) -> bool:
    """Whether no entrant sits out twice before all have once."""
    return _in_turn([seating.sitting_out for seating in schedule], entrants_of(schedule))


def _in_turn(out: Sequence[Sequence[Who]], entrants: Sequence[Who]) -> bool:
    times = Counter(who for session in out for who in session)
    return not times or max(times.values()) - min(times[who] for who in entrants) <= 1


def _groups(schedule: Sequence[SessionSeating[Who]]) -> list[set[frozenset[Who]]]:
    return [{frozenset(group.members) for group in seating.groups} for seating in schedule]


class OptionKind(Enum):
    """What is done."""

    EVERYBODY = "everybody"
    """The number is a multiple of four: everybody plays in every session."""
    SUBSTITUTES = "substitutes"
    """As many people more play as are missing to the next multiple of four."""
    PHANTOM_TEAMS = "phantom teams"
    """Four substitutes each make a team that is in no standing."""
    SIT_OUT = "sit out"
    """As many as are over sit out in turn."""


@frozen
class FieldOption:
    """One thing to do.

    Attributes:
        kind: what is done.
        entrants: players, or teams, that play at one time, with those who are added.
        tables: that play.
        substitutes: people who are wanted, all together.
        out: for each session, who sits out, by position in the order of entry from 0.
    """

    kind: OptionKind
    entrants: int
    tables: int
    substitutes: int
    out: tuple[tuple[int, ...], ...]

    @property
    def most_out(self) -> int:
        """Sessions that somebody sits out at most."""
        return max((sum(who in session for session in self.out) for who in {who for session in self.out for who in session}), default=0)


def field_options(kind: EntrantKind, entrants: int, sessions: int) -> tuple[FieldOption, ...]:
    """The options for this many entrants, the one that asks for nothing in front; none for no entrants.

    With two tables or fewer nothing can be compared in an individual event, so substitutes fill up to eight players.
    """
    over, missing, fewest = entrants % len(PLACES), missing_entrants(kind, entrants), _fewest(kind)
    options = []
    if entrants >= fewest:
        out = _rota(entrants, sessions) if over else ((),) * sessions
        options.append(_option(kind, OptionKind.SIT_OUT if over else OptionKind.EVERYBODY, entrants - over, 0, out))
    if entrants and missing:
        added = OptionKind.PHANTOM_TEAMS if kind is EntrantKind.TEAM else OptionKind.SUBSTITUTES
        options.append(_option(kind, added, entrants + missing, missing, ((),) * sessions))
    return tuple(options)


def missing_entrants(kind: EntrantKind, entrants: int) -> int:
    """How many more would let everybody play in every session: to the next multiple of four, and to the fewest that can be compared."""
    return max(-entrants % len(PLACES), _fewest(kind) - entrants)


def _fewest(kind: EntrantKind) -> int:
    return TEAMS if kind is EntrantKind.TEAM else 2 * len(PLACES)


def _option(kind: EntrantKind, option: OptionKind, entrants: int, added: int, out: tuple[tuple[int, ...], ...]) -> FieldOption:
    if kind is EntrantKind.TEAM:
        return FieldOption(option, entrants, entrants, TEAMS * added, out)
    return FieldOption(option, entrants, entrants // len(PLACES), added, out)


def _rota(entrants: int, sessions: int) -> tuple[tuple[int, ...], ...]:
    """Who sits out when, as ``following_individual_session`` and its sister for teams have it while the entrants stay the same."""
    played: list[SessionSeating[int]] = []
    for number in range(1, sessions + 1):
        known = out_by_construction(entrants, number) or ()
        fits = known and list(known[:-1]) == [seating.sitting_out for seating in played]
        out = known[-1] if fits else seated_and_out(range(entrants), played)[1]
        played.append(SessionSeating(number, (), out))
    return tuple(seating.sitting_out for seating in played)
