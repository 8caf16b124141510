"""Standings (``standings``): ranks by total, ties broken by the event's tie-breaks in order, and totals of earlier sessions.

Totals are exact. A tie-break applies only if it has a value for everybody who is level; entrants whom no rule separates share a rank. Each
event chooses its tie-breaks; the usual order is weighted IMP, IMP in the same wind, earlier standing.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from twinwall.event.natural_order import natural
from twinwall.values import frozen

_Place = TypeVar("_Place", bound=Hashable)
_Deal = TypeVar("_Deal")
TieBreak = Callable[[frozenset[str]], Mapping[str, Fraction] | None]
"""Values for those who are level, more is better; None if it lacks one of them."""


@frozen
class Standing:
    """An entrant's place: rank 1 leads, and a shared rank leaves the next ranks free (1, 2, 2, 4)."""

    entrant: str
    rank: int
    total: Fraction


@frozen
class RankedDeals(Generic[_Deal]):
    """A group of a session: its deals by number, and its ranking."""

    name: str
    deals: tuple[_Deal, ...]
    ranking: tuple[Standing, ...]
    session: int = 1


def standings(totals: Mapping[str, Fraction], ties: Sequence[TieBreak] = ()) -> tuple[Standing, ...]:
    """Rank entrants by totals, then by each tie-break in turn; equals are in the order of their names."""
    placed: list[Standing] = []
    for level in _parted(frozenset(totals), [known(totals), *ties]):
        rank = len(placed) + 1
        placed += [Standing(entrant, rank, totals[entrant]) for entrant in sorted(level, key=natural)]
    return tuple(placed)


def carried_over(totals: Mapping[str, Fraction], earlier: Mapping[str, Fraction], share: Fraction) -> dict[str, Fraction]:
    """Exact totals plus a share of the earlier ones; an entrant without an earlier total carries nothing over."""
    return {entrant: total + share * earlier.get(entrant, Fraction(0)) for entrant, total in totals.items()}


def known(values: Mapping[str, Fraction]) -> TieBreak:
    def speaks_for(level: frozenset[str]) -> Mapping[str, Fraction] | None:
        return values if level <= values.keys() else None

    return speaks_for


def earlier_standing(before: Iterable[Standing]) -> TieBreak:
    return known({standing.entrant: Fraction(-standing.rank) for standing in before})


def same_wind(held: Mapping[str, Mapping[_Place, Fraction | int]]) -> TieBreak:
    """A tie-break by the IMP from results in which those who are level were compared: same deal, same wind, another table. ``held``: each
    entrant's IMP by what makes two results comparable: deal and seat, and group if there are several. Does not apply unless all of them
    were compared equally often."""

    def speaks_for(level: frozenset[str]) -> Mapping[str, Fraction] | None:
        if not level <= held.keys():
            return None
        shared = {place for place, times in Counter(place for entrant in level for place in held[entrant]).items() if times > 1}
        won = {entrant: [imp for place, imp in held[entrant].items() if place in shared] for entrant in level}
        if len({len(imps) for imps in won.values()}) != 1 or not shared:
            return None
        return {entrant: Fraction(sum(imps)) for entrant, imps in won.items()}

    return speaks_for


def _parted(level: frozenset[str], ties: Sequence[TieBreak]) -> list[frozenset[str]]:
    """Those who are level, separated as far as the tie-breaks go, the best first."""
    if len(level) < 2 or not ties:
        return [level] if level else []
    values = ties[0](level)
    if values is None:
        return _parted(level, ties[1:])
    of_value: defaultdict[Fraction, set[str]] = defaultdict(set)
    for entrant in level:
        of_value[values[entrant]].add(entrant)
    return [part for value in sorted(of_value, reverse=True) for part in _parted(frozenset(of_value[value]), ties[1:])]
