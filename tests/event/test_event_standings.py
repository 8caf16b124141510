"""Standings of a whole event: sessions added up, shares carried over, ties parted in the usual order."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.support.tiers import law
from twinwall.event.event_standings import EventStandings, StandingRules, event_standings
from twinwall.event.points import Gain, Points, RankedGroup
from twinwall.event.standings import standings
from twinwall.game.tiles import Seat

EAST, SOUTH, WEST = Seat.EAST, Seat.SOUTH, Seat.WEST


def group(session: int, points: Mapping[str, int], name: str = "1", seats: Mapping[str, Seat] | None = None) -> RankedGroup:
    """A group whose one deal, numbered as the session, brought these points."""
    gains = tuple(Gain(entrant, Fraction(won), Fraction(won), (seats or {}).get(entrant)) for entrant, won in points.items())
    return RankedGroup(name, standings({gain.entrant: gain.points for gain in gains}), ((session, gains),), session)


def ranks(found: EventStandings) -> dict[str, int]:
    return {standing.entrant: standing.rank for standing in found.ranking}


def test_points_of_all_sessions_are_added_whatever_the_groups() -> None:
    drawn = [group(1, {"a": 5, "b": 3}), group(1, {"c": -1, "d": 4}, "2"), group(2, {"a": -3, "d": 2}), group(2, {"b": 4, "c": 1}, "2")]
    found = event_standings(drawn, Points.IMP, StandingRules())
    assert {standing.entrant: standing.total for standing in found.ranking} == {"a": 2, "b": 7, "c": 0, "d": 6}
    assert found.sessions == (1, 2)
    assert dict(found.points[2]) == {"a": -3, "b": 4, "c": 1, "d": 2}
    assert {standing.entrant: standing.rank for standing in found.before} == {"a": 1, "d": 2, "b": 3, "c": 4}


def test_a_share_of_the_total_before_each_session_is_carried_over() -> None:
    drawn = [group(number, {"a": 9, "b": -9}) for number in (1, 2, 3)]
    totals = {standing.entrant: standing.total for standing in event_standings(drawn, Points.IMP, StandingRules(Fraction(1, 3))).ranking}
    assert totals["a"] == 9 + Fraction(9 + 3, 3)
    assert totals["b"] == -totals["a"]


def test_who_misses_a_session_keeps_the_points_and_a_latecomer_starts_with_none() -> None:
    found = event_standings([group(1, {"a": 5, "b": -5}), group(2, {"b": 1, "c": -1})], Points.IMP, StandingRules())
    assert {standing.entrant: standing.total for standing in found.ranking} == {"a": 5, "b": -4, "c": -1}
    assert "a" not in found.points[2]


def test_level_entrants_are_parted_by_weighted_points_then_by_the_same_wind_then_by_the_standing_before() -> None:
    first, last = group(1, {"a": 1, "b": 3}, seats={"a": EAST, "b": EAST}), group(2, {"a": 3, "b": 1}, seats={"a": EAST, "b": SOUTH})
    weighed = StandingRules(weights={1: Fraction(1), 2: Fraction(2)})
    assert ranks(event_standings([first, last], Points.IMP, weighed)) == {"a": 1, "b": 2}
    assert ranks(event_standings([first, last], Points.IMP, StandingRules())) == {"b": 1, "a": 2}  # b won more in the East of deal 1
    apart = [group(1, {"a": 1, "b": 3}, seats={"a": EAST, "b": WEST}), last]
    assert ranks(event_standings(apart, Points.IMP, StandingRules())) == {"b": 1, "a": 2}  # b stood before a
    assert ranks(event_standings([group(1, {"a": 1, "b": 1})], Points.IMP, StandingRules())) == {"a": 1, "b": 1}


def test_the_same_wind_counts_in_one_group_alone_unless_the_whole_field_is_compared() -> None:
    groups = [group(1, {"a": 2, "c": -2}, "1", {"a": EAST}), group(1, {"b": 2, "d": -2}, "2", {"b": EAST})]
    groups += [group(2, {"a": -1, "b": -1})]
    assert (
        ranks(event_standings(groups, Points.IMP, StandingRules()))["a"] == ranks(event_standings(groups, Points.IMP, StandingRules()))["b"]
    )


@law
@given(won=st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(-24, 24), min_size=1), min_size=1, max_size=5))
def test_without_a_share_the_totals_are_the_sums(won: list[dict[str, int]]) -> None:
    found = event_standings([group(number, points) for number, points in enumerate(won, 1)], Points.IMP, StandingRules())
    assert {standing.entrant: standing.total for standing in found.ranking} == {
        entrant: sum(points.get(entrant, 0) for points in won) for points in won for entrant in points
    }
