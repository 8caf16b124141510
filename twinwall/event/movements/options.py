"""What an organiser can do, before the event, with a number of entrants that is no multiple of four (``field_options``).

Each option says how many play, at how many tables, who is missing and who sits out when. Chairs are never empty: a substitute takes a
missing person's seat, and his results are in no standing.
"""

from enum import Enum

from twinwall.event.movements.next_session import out_by_construction, seated_and_out
from twinwall.event.movements.seating import PLACES, SessionSeating
from twinwall.event.results import TEAMS, EntrantKind
from twinwall.values import frozen


class OptionKind(Enum):
    EVERYBODY = "everybody"
    """The number is a multiple of four: everybody plays in every session."""
    SUBSTITUTES = "substitutes"
    """Substitutes fill the number up to the next multiple of four."""
    PHANTOM_TEAMS = "phantom teams"
    """Groups of four substitutes form teams that are in no standing."""
    SIT_OUT = "sit out"
    """The surplus entrants sit out in turn."""


@frozen
class FieldOption:
    """One option: the players or teams that play at one time, with those who are added, at how many ``tables``; the ``substitutes`` needed
    in all; and for each session who sits ``out``, by position in the order of entry from 0."""

    kind: OptionKind
    entrants: int
    tables: int
    substitutes: int
    out: tuple[tuple[int, ...], ...]

    @property
    def most_out(self) -> int:
        return max((sum(who in session for session in self.out) for who in {who for session in self.out for who in session}), default=0)


def field_options(kind: EntrantKind, entrants: int, sessions: int) -> tuple[FieldOption, ...]:
    """The options for this many entrants, first the one without additional people; none for no entrants.

    Nothing can be compared at one table of an individual event, so substitutes fill up to eight players.
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
    """How many more entrants would let everybody play: up to a multiple of four that can be compared."""
    return max(-entrants % len(PLACES), _fewest(kind) - entrants)


def _fewest(kind: EntrantKind) -> int:
    return TEAMS if kind is EntrantKind.TEAM else 2 * len(PLACES)


def _option(kind: EntrantKind, option: OptionKind, entrants: int, added: int, out: tuple[tuple[int, ...], ...]) -> FieldOption:
    if kind is EntrantKind.TEAM:
        return FieldOption(option, entrants, entrants, TEAMS * added, out)
    return FieldOption(option, entrants, entrants // len(PLACES), added, out)


def _rota(entrants: int, sessions: int) -> tuple[tuple[int, ...], ...]:
    """Who sits out when, as the ``following_…_session`` functions decide while the entrants stay the same."""
    played: list[SessionSeating[int]] = []
    for number in range(1, sessions + 1):
        known = out_by_construction(entrants, number) or ()
        fits = known and list(known[:-1]) == [seating.sitting_out for seating in played]
        out = known[-1] if fits else seated_and_out(range(entrants), played)[1]
        played.append(SessionSeating(number, (), out))
    return tuple(seating.sitting_out for seating in played)
