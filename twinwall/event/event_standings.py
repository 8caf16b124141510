"""Standings of a whole event: each entrant's points by session, and the ranks after the last.

The total after a session is its points plus a share of the total before it. Ties are broken by weighted IMP (if sessions have weights),
then by IMP in the same wind, then by the standing before the session.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from twinwall.event.comparison import Standing, TieBreak, carried_over, earlier_standing, known, standings
from twinwall.event.points import Points, RankedGroup, same_wind_of
from twinwall.values import frozen

SHARE_PATTERN = r"^-?[0-9]{1,6}(/[1-9][0-9]{0,5})?\Z"
"""A share or weight as written: a whole number or a fraction."""


@frozen
class StandingRules:
    """How sessions are added up. ``carry_over``: share of the previous total that is added to the session's points; 1 adds all sessions up.
    ``weights``: by session, for the first tie-break, which needs them. The sources leave the weights open."""

    carry_over: Fraction = Fraction(1)
    weights: Mapping[int, Fraction] = field(default_factory=dict)


@frozen
class EventRank(Standing):
    """An entrant's place in the event, with the points of each session played."""

    sessions: Mapping[int, Fraction] = field(default_factory=dict)


@frozen
class EventStandings:
    """Standings after the last of some sessions: ``ranking`` by the total after the last one, and ``before`` it (empty if there is only
    one). ``points`` are by session and entrant, without entrants who did not play; ``groups`` of every session, each with its own ranking.
    """

    sessions: tuple[int, ...]
    ranking: tuple[Standing, ...]
    before: tuple[Standing, ...]
    points: Mapping[int, Mapping[str, Fraction]]
    groups: tuple[RankedGroup, ...] = ()

    def points_of(self, n: int) -> dict[str, Fraction]:
        return {gain.entrant: gain.points for group in self.groups for number, gains in group.deals if number == n for gain in gains}

    def ranks(self) -> dict[str, int]:
        """The rank of each entrant: in the event, or in its group while there is one session."""
        rankings = [self.ranking] if len(self.sessions) > 1 else [group.ranking for group in self.groups]
        return {standing.entrant: standing.rank for ranking in rankings for standing in ranking}

    def ranks_by_session(self) -> tuple[EventRank, ...]:
        return tuple(
            EventRank(at.entrant, at.rank, at.total, {n: won[at.entrant] for n, won in self.points.items() if at.entrant in won})
            for at in self.ranking
        )

    def moved(self) -> dict[str, int]:
        """How many places each entrant went up (negative: down) with the last session; without those who had no place before."""
        before = {standing.entrant: standing.rank for standing in self.before}
        return {at.entrant: before[at.entrant] - at.rank for at in self.ranking if at.entrant in before}

    def to_json(self, rules: StandingRules) -> dict[str, object]:
        """The JSON document; points are text such as ``5/2``."""
        ranking = [
            {
                "entrant": at.entrant,
                "total": str(at.total),
                "rank": at.rank,
                "sessions": {str(number): str(won) for number, won in at.sessions.items()},
            }
            for at in self.ranks_by_session()
        ]
        weights = {"weights": {str(number): str(weight) for number, weight in rules.weights.items()}} if rules.weights else {}
        return {"carry_over": str(rules.carry_over), **weights, "ranking": ranking}


def event_standings(groups: Sequence[RankedGroup], points: Points, rules: StandingRules) -> EventStandings:
    won: defaultdict[int, defaultdict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for group in groups:
        for standing in group.ranking:
            won[group.session][standing.entrant] += standing.total
    sessions = tuple(sorted(won))
    totals: dict[str, Fraction] = {}
    ranking: tuple[Standing, ...] = ()
    before: tuple[Standing, ...] = ()
    for number in sessions:
        played = dict.fromkeys(totals, Fraction(0)) | won[number]
        totals, before = carried_over(played, totals, rules.carry_over), ranking
        so_far = [group for group in groups if group.session <= number]
        ranking = standings(totals, _ties(so_far, points, rules, before))
    return EventStandings(sessions, ranking, before, won, tuple(groups))


def _ties(groups: Sequence[RankedGroup], points: Points, rules: StandingRules, before: Sequence[Standing]) -> list[TieBreak]:
    """The tie-breaks in order; rank points, which are no IMP, use only the earlier standing."""
    ties: list[TieBreak] = []
    if points is not Points.RANK:
        if rules.weights:
            weighted: defaultdict[str, Fraction] = defaultdict(Fraction)
            for group in groups:
                for standing in group.ranking:
                    weighted[standing.entrant] += standing.total * rules.weights.get(group.session, 0)
            ties.append(known(weighted))
        ties.append(same_wind_of(groups, points))
    return [*ties, earlier_standing(before)]
