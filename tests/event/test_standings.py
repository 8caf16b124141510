"""Standings of a group and of a whole event: ranks and tie-breaks, sessions added up, shares carried over."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import main
from tests.support.event.ledgers import SCORES, csv_lines, player_results, team_results
from tests.support.tiers import law
from twinwall.event.comparison import (
    Comparison,
    RankedDeals,
    Standing,
    TieBreak,
    carried_over,
    compare,
    earlier_standing,
    known,
    same_wind,
    standings,
)
from twinwall.event.event_standings import EventStandings, StandingRules, event_standings
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.points import Gain, Points, PointsGroup, RankedGroup, rank_points, ranked
from twinwall.event.results import Basis, DealResult, EntrantKind
from twinwall.game.tiles import SEATS, Seat

LEVEL = {"a": Fraction(5), "b": Fraction(5), "c": Fraction(7), "d": Fraction(5)}


def ranks(totals: dict[str, Fraction], ties: Sequence[TieBreak] = ()) -> dict[str, int]:
    return {standing.entrant: standing.rank for standing in standings(totals, ties)}


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


@pytest.fixture
def comparison() -> Comparison:
    return compare(team_results(), EntrantKind.TEAM, provisional_scale(), zero_sum=False)


@pytest.mark.parametrize("points", Points)
def test_what_deals_brought_adds_up_to_the_ranking(comparison: Comparison, points: Points) -> None:
    for group in ranked(comparison, points):
        totals = dict.fromkeys((standing.entrant for standing in group.ranking), Fraction(0))
        for _, gains in group.deals:
            for gain in gains:
                totals[gain.entrant] += gain.points
        assert totals == {standing.entrant: standing.total for standing in group.ranking}


def test_a_swing_is_the_imp_themselves_or_what_lies_above_the_mean_of_rank_points(comparison: Comparison) -> None:
    for group in ranked(comparison, Points.IMP):
        assert all(gain.swing == gain.points for _, gains in group.deals for gain in gains)
    for group in ranked(comparison, Points.RANK):
        for _, gains in group.deals:
            assert sum(gain.swing for gain in gains) == 0
            assert {gain.points - gain.swing for gain in gains} == {Fraction(5, 2)}


@pytest.mark.parametrize("points", [Points.IMP, Points.CROSS])
def test_penalties_are_taken_off_and_told(points: Points) -> None:
    results, scale = player_results(), provisional_scale()
    fined = [replace(result, penalty=4) if result.entrant == "2W" else result for result in results]
    groups = (ranked(compare(of, EntrantKind.INDIVIDUAL, scale, zero_sum=True), points)[0] for of in (results, fined))
    before, after = ({gain.entrant: gain for gain in group.deals[0][1]} for group in groups)
    assert after == {**before, "2W": replace(before["2W"], points=before["2W"].points - 4, swing=before["2W"].points - 4, penalty=4)}


def test_who_is_unranked_is_compared_and_stands_in_no_ranking(comparison: Comparison) -> None:
    whole, without = (ranked(comparison, Points.IMP, unranked=unranked)[0] for unranked in ((), ("B",)))
    assert without.deals == whole.deals
    assert [(each.entrant, each.total) for each in without.ranking] == [
        (each.entrant, each.total) for each in whole.ranking if each.entrant != "B"
    ]


def rank_group(results: Sequence[DealResult], kind: EntrantKind) -> PointsGroup:
    return rank_points(compare(results, kind, provisional_scale(), zero_sum=False))[0]


def of_seat(group: PointsGroup, seat: str) -> list[str]:
    """The points of a seat at tables 1, 2, 3 …"""
    return [str(points) for entry, points in group.deals[0][1] if entry.entrant.endswith(seat)]


def test_players_of_a_seat_who_are_level_share_the_points_of_their_places() -> None:
    group = rank_group(player_results(), EntrantKind.INDIVIDUAL)
    assert of_seat(group, "E") == ["4", "5/2", "1", "5/2"]
    assert of_seat(group, "S") == ["1", "7/2", "2", "7/2"]


def test_a_result_left_out_earns_the_mean_and_the_others_are_ranked_without_it() -> None:
    results = [replace(result, basis=Basis.AVERAGE) if result.table == "1" else result for result in player_results()]
    assert of_seat(rank_group(results, EntrantKind.INDIVIDUAL), "E") == ["5/2", "3", "3/2", "3"]


@law
@given(st.lists(st.lists(st.integers(-400, 400), min_size=4, max_size=4), min_size=4, max_size=4))
def test_a_deal_gives_the_same_points_in_all_and_none_above_4_or_below_1(scores: list[list[int]]) -> None:
    for kind, results, entries in (
        (EntrantKind.TEAM, team_results(scores=scores), 4),
        (EntrantKind.INDIVIDUAL, player_results(scores=scores), 16),
    ):
        earned = [points for _, points in rank_group(results, kind).deals[0][1]]
        assert sum(earned) == Fraction(5, 2) * entries
        assert all(1 <= each <= 4 for each in earned)


def test_four_teams_earn_4_3_2_1_by_their_sums_and_points_of_several_deals_are_added() -> None:
    """The sums are +107, −33, −1 and −73; of a second deal all are level."""
    group = rank_group([*team_results(1), *team_results(2, scores=[[0, 0, 0, 0]] * 4)], EntrantKind.TEAM)
    found = [(standing.entrant, int(2 * standing.total), standing.rank) for standing in group.ranking]
    assert found == [("A", 13, 1), ("C", 11, 2), ("B", 9, 3), ("D", 7, 4)]


@pytest.mark.parametrize("words", [["--points", "rank"], ["--points", "rank", "--json"]])
def test_the_command_ranks_by_them(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.csv"
    path.write_text("\n".join(csv_lines(player_results(), "player")))
    assert main(["compare", str(path), "--individual", *words]) == 0
    out = capsys.readouterr().out
    if "--json" in words:
        document = json.loads(out)
        assert document["points"] == "rank"
        assert document["groups"][0]["deals"][0]["entries"][4] == {"entrant": "2E", "table": "2", "seat": "E", "score": -8, "points": "5/2"}
        assert document["groups"][0]["ranking"][0] == {"entrant": "1E", "points": "4", "rank": 1}
    else:
        assert "table 2 E    -8  points  2.5  2E" in out
        assert "IMP" not in out


IMP = provisional_scale().imp
TABLE = st.tuples(*[st.integers(-400, 400)] * 3).map(lambda scores: (*scores, -sum(scores)))
TABLES = st.lists(TABLE, min_size=4, max_size=4)


def gains(results: Sequence[DealResult], kind: EntrantKind) -> list[Gain]:
    compared = compare(results, kind, provisional_scale(), zero_sum=False)
    return [gain for group in ranked(compared, Points.CROSS) for _, of_deal in group.deals for gain in of_deal]


def in_group(results: Sequence[DealResult], group: str) -> list[DealResult]:
    return [
        DealResult(result.deal, group + result.table, result.seat, result.score, group + result.entrant, group, result.basis)
        for result in results
    ]


def test_a_team_is_compared_with_every_other_team_by_its_sum() -> None:
    sums = {"A": 107, "B": -33, "C": -1, "D": -73}
    for gain in gains(team_results(), EntrantKind.TEAM):
        others = [other for team, other in sums.items() if team != gain.entrant]
        assert gain.points == Fraction(sum(IMP(Fraction(sums[gain.entrant] - other)) for other in others), 3)


@law
@given(first=TABLES, second=TABLES)
def test_the_field_is_all_groups_and_its_cross_imp_sum_to_zero(first: list[tuple[int, ...]], second: list[tuple[int, ...]]) -> None:
    field = in_group(player_results(scores=first), "x") + in_group(player_results(scores=second), "y")
    for seat in SEATS:
        scores = {result.entrant: result.score for result in field if result.seat is seat}
        won = {gain.entrant: gain.points for gain in gains(field, EntrantKind.INDIVIDUAL) if gain.seat is seat}
        assert won == {
            own: Fraction(sum(IMP(Fraction(scores[own] - scores[other])) for other in scores if other != own), len(scores) - 1)
            for own in scores
        }
        assert sum(won.values()) == 0
    teams = in_group(team_results(scores=first), "x") + in_group(team_results(scores=second), "y")
    assert sum(gain.points for gain in gains(teams, EntrantKind.TEAM)) == 0


@pytest.mark.parametrize("kind", EntrantKind)
def test_a_table_that_a_referee_left_out_is_compared_with_nothing(kind: EntrantKind) -> None:
    results = team_results() if kind is EntrantKind.TEAM else player_results()
    fouled = [
        DealResult(result.deal, result.table, result.seat, 99, result.entrant, basis=Basis.AVERAGE) if result.table == "3" else result
        for result in results
    ]
    found = {gain.entrant: gain.points for gain in gains(fouled, kind)}
    assert sum(found.values()) == 0
    if kind is EntrantKind.INDIVIDUAL:
        assert [found[f"3{seat.value}"] for seat in SEATS] == [0, 0, 0, 0]
        others = [scores[0] for number, scores in enumerate(SCORES, 1) if number not in (1, 3)]
        assert found["1E"] == Fraction(sum(IMP(Fraction(75 - other)) for other in others), 2)
