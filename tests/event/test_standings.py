"""Standings of a group and of a whole event: ranks and tie-breaks, sessions added up, shares carried over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.support.tiers import law
from twinwall.event.comparison import compare
from twinwall.event.event_standings import EventStandings, StandingRules, event_standings
from twinwall.event.points import Gain, Points, RankedGroup
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.scale import provisional_scale
from twinwall.event.standings import RankedDeals, Standing, TieBreak, carried_over, earlier_standing, known, same_wind, standings
from twinwall.game.tiles import SEATS, Seat

LEVEL = {"a": Fraction(5), "b": Fraction(5), "c": Fraction(7), "d": Fraction(5)}


def ranks(totals: dict[str, Fraction], ties: Sequence[TieBreak] = ()) -> dict[str, int]:
    return {standing.entrant: standing.rank for standing in standings(totals, ties)}


def test_those_who_are_level_share_a_rank_and_leave_the_next_ones_free() -> None:
    assert ranks({**LEVEL, "e": Fraction(1)}) == {"c": 1, "a": 2, "b": 2, "d": 2, "e": 5}


def test_tie_breaks_are_asked_in_turn_and_only_about_those_who_are_level() -> None:
    weighted = known({"a": Fraction(1), "b": Fraction(3), "c": Fraction(0), "d": Fraction(1)})
    before = earlier_standing([Standing("d", 1, Fraction(9)), Standing("a", 2, Fraction(4))])
    assert ranks(LEVEL, [weighted, before]) == {"c": 1, "b": 2, "d": 3, "a": 4}


def test_a_tie_break_that_does_not_know_everybody_who_is_level_is_passed_over() -> None:
    assert ranks(LEVEL, [known({"a": Fraction(9)}), known({"a": Fraction(0), "b": Fraction(1), "d": Fraction(0)})])["b"] == 2


def test_those_who_were_compared_in_the_same_wind_are_parted_by_it() -> None:
    east, west = (1, Seat.EAST), (1, Seat.WEST)
    held = {"a": {east: 3, (2, Seat.NORTH): 2}, "b": {east: -3, (2, Seat.EAST): 8}, "c": {west: 7}, "d": {west: 5}}
    assert ranks({"a": Fraction(5), "b": Fraction(5)}, [same_wind(held)]) == {"a": 1, "b": 2}


def test_the_same_wind_is_silent_unless_all_were_compared_equally_often() -> None:
    held = {"a": {(1, Seat.EAST): 3}, "b": {(1, Seat.EAST): -3}, "d": {(1, Seat.WEST): 9}}
    assert len(set(ranks({"a": Fraction(5), "b": Fraction(5), "d": Fraction(5)}, [same_wind(held)]).values())) == 1
    assert len(set(ranks({"a": Fraction(5), "d": Fraction(5)}, [same_wind(held)]).values())) == 1


def seated(deal: int, players: str, scores: Sequence[int]) -> list[DealResult]:
    """Two tables of one deal, players and scores in the order E S W N of the first and then of the second."""
    return [
        DealResult(deal, str(index // 4 + 1), SEATS[index % 4], score, player)
        for index, (player, score) in enumerate(zip(players, scores, strict=True))
    ]


def test_a_comparison_parts_level_players_by_the_deal_in_which_they_held_the_same_wind() -> None:
    first = seated(1, "abcdefgh", [8, -48, 0, 40, 0, 0, 0, 0])  # a and e are compared in the East: +2 and −2 IMP
    second = seated(2, "abcdfegh", [-8, 0, 8, 0, 0, 8, -8, 0])  # not here: a −2 in the East, e +2 in the South
    ranking = compare(first + second, EntrantKind.INDIVIDUAL, provisional_scale(), zero_sum=True).groups[0].ranking
    assert [(standing.entrant, standing.rank) for standing in ranking if standing.total == 0] == [("a", 4), ("e", 5)]


def test_an_exact_share_of_an_earlier_total_can_be_carried_over() -> None:
    carried = carried_over({"a": Fraction(10), "b": Fraction(10)}, {"a": Fraction(-4)}, Fraction(1, 3))
    assert carried == {"a": Fraction(26, 3), "b": Fraction(10)}
    assert ranks(carried) == {"b": 1, "a": 2}


def test_names_of_equals_are_listed_with_numbers_by_size() -> None:
    assert [standing.entrant for standing in standings(dict.fromkeys(["10", "9", "Team 2", "Team 10"], Fraction(0)))] == [
        "9",
        "10",
        "Team 2",
        "Team 10",
    ]


@law
@given(totals=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-3, 3).map(Fraction)))
def test_a_rank_is_one_more_than_the_number_of_those_with_a_better_total(totals: dict[str, Fraction]) -> None:
    for entrant, rank in ranks(totals).items():
        assert rank == 1 + sum(total > totals[entrant] for total in totals.values())


EAST, SOUTH, WEST = Seat.EAST, Seat.SOUTH, Seat.WEST


def group(session: int, points: Mapping[str, int], name: str = "1", seats: Mapping[str, Seat] | None = None) -> RankedGroup:
    """A group whose one deal, numbered as the session, brought these points."""
    gains = tuple(Gain(entrant, Fraction(won), Fraction(won), (seats or {}).get(entrant)) for entrant, won in points.items())
    return RankedDeals(name, ((session, gains),), standings({gain.entrant: gain.points for gain in gains}), session)


def ranks_of(found: EventStandings) -> dict[str, int]:
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
    assert ranks_of(event_standings([first, last], Points.IMP, weighed)) == {"a": 1, "b": 2}
    assert ranks_of(event_standings([first, last], Points.IMP, StandingRules())) == {"b": 1, "a": 2}  # b won more in the East of deal 1
    apart = [group(1, {"a": 1, "b": 3}, seats={"a": EAST, "b": WEST}), last]
    assert ranks_of(event_standings(apart, Points.IMP, StandingRules())) == {"b": 1, "a": 2}  # b stood before a
    assert ranks_of(event_standings([group(1, {"a": 1, "b": 1})], Points.IMP, StandingRules())) == {"a": 1, "b": 1}


def test_the_same_wind_counts_in_one_group_alone_unless_the_whole_field_is_compared() -> None:
    groups = [group(1, {"a": 2, "c": -2}, "1", {"a": EAST}), group(1, {"b": 2, "d": -2}, "2", {"b": EAST})]
    groups += [group(2, {"a": -1, "b": -1})]
    assert (
        ranks_of(event_standings(groups, Points.IMP, StandingRules()))["a"]
        == ranks_of(event_standings(groups, Points.IMP, StandingRules()))["b"]
    )


@law
@given(won=st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(-24, 24), min_size=1), min_size=1, max_size=5))
def test_without_a_share_the_totals_are_the_sums(won: list[dict[str, int]]) -> None:
    found = event_standings([group(number, points) for number, points in enumerate(won, 1)], Points.IMP, StandingRules())
    assert {standing.entrant: standing.total for standing in found.ranking} == {
        entrant: sum(points.get(entrant, 0) for points in won) for points in won for entrant in points
    }
