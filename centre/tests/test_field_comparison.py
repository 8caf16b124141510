"""A field that is compared result by result has the same numbers as one that is compared from scratch."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centre.comparison.centre_comparison import WORLD, CentreComparison, FieldKind, FieldName
from centre.comparison.field_comparison import FieldComparison, UncomparedPointsError
from centre.custody.field_rules import EVERYWHERE
from centre.intake.venue_results import SeatResult, VenueTableResult
from tests.support.event.ledgers import team_results
from tests.support.tiers import law
from twinwall.event.comparison import Standing, compare_deal, compared_groups
from twinwall.event.field import EventField, field_of
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.points import Points, ranked
from twinwall.event.results import Basis, DealResult, EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.game.tiles import SEATS

SCALE = provisional_scale()
Played = tuple[int, str]
"""A deal and a table."""
COUNTED = [Points.IMP, Points.CROSS]


def from_scratch(
    state: Mapping[Played, Sequence[DealResult]], kind: EntrantKind, points: Points, unranked: Sequence[str] = ()
) -> tuple[Standing, ...]:
    """The ranking of all results as one group, by the comparison of halls."""
    deals: dict[int, list[DealResult]] = {}
    for (n, _), results in state.items():
        if results:
            deals.setdefault(n, []).extend(results)
    compared = compared_groups(((1, "1", compare_deal(n, results, kind, SCALE)) for n, results in deals.items()), kind, SCALE)
    groups = ranked(compared, points, unranked=unranked)
    return groups[0].ranking if groups else ()


def follow(
    steps: Sequence[tuple[Played, Sequence[DealResult], bool]], kind: EntrantKind, points: Points
) -> tuple[FieldComparison, dict[Played, Sequence[DealResult]]]:
    """The field after these steps, and what is left of them; after some of them somebody asks for the ranking."""
    field, state = FieldComparison(kind, SCALE, points), dict[Played, Sequence[DealResult]]()
    for (n, table), results, ask in steps:
        field.put(n, {table: results})
        state[n, table] = results
        if ask:
            field.ranking()
    return field, state


@st.composite
def players_results(draw: st.DrawFn) -> tuple[Played, Sequence[DealResult], bool]:
    """A table's result in a deal, of four players who change seats; also one that is left out, or taken away."""
    n, table = draw(st.integers(1, 3)), draw(st.sampled_from("12345"))
    scores = draw(st.lists(st.sampled_from([-32, -16, -8, 0, 8, 48]), min_size=4, max_size=4))
    basis = draw(st.sampled_from([Basis.PLAYED, Basis.PLAYED, Basis.ADJUSTED, Basis.AVERAGE]))
    first, penalty = draw(st.integers(0, 3)), draw(st.sampled_from([0, 0, 2]))
    results = [
        DealResult(n, table, seat, score, f"{table}-{(index + first) % 4}", basis=basis, penalty=penalty)
        for index, (seat, score) in enumerate(zip(SEATS, scores, strict=True))
    ]
    return (n, table), results if draw(st.integers(0, 5)) else (), draw(st.booleans())


@st.composite
def teams_results(draw: st.DrawFn) -> tuple[Played, Sequence[DealResult], bool]:
    """A table's result in a deal, of one of two groups of four teams."""
    n, group, table = draw(st.integers(1, 2)), draw(st.sampled_from("12")), draw(st.integers(1, 4))
    scores = draw(st.lists(st.sampled_from([-32, -8, 0, 48]), min_size=4, max_size=4))
    of_group = team_results(n, [scores] * 4, group)
    results = [
        DealResult(n, f"{group}/{table}", each.seat, each.score, f"{group}/{each.entrant}") for each in of_group if each.table == str(table)
    ]
    return (n, f"{group}/{table}"), results if draw(st.integers(0, 5)) else (), draw(st.booleans())


@pytest.mark.parametrize("points", COUNTED)
@law
@given(steps=st.lists(players_results(), max_size=20))
def test_players_are_ranked_as_from_scratch_in_any_order_with_repeats_and_corrections(
    points: Points, steps: list[tuple[Played, Sequence[DealResult], bool]]
) -> None:
    field, state = follow(steps, EntrantKind.INDIVIDUAL, points)
    assert field.ranking() == from_scratch(state, EntrantKind.INDIVIDUAL, points)


@pytest.mark.parametrize("points", COUNTED)
@law
@given(steps=st.lists(teams_results(), max_size=20))
def test_teams_are_ranked_as_from_scratch_though_tables_are_missing(
    points: Points, steps: list[tuple[Played, Sequence[DealResult], bool]]
) -> None:
    field, state = follow(steps, EntrantKind.TEAM, points)
    assert field.ranking() == from_scratch(state, EntrantKind.TEAM, points)


@pytest.mark.parametrize("points", COUNTED)
@pytest.mark.parametrize("corrected", ["12", "21"])
def test_players_whom_a_correction_puts_at_each_others_tables_are_ranked_as_from_scratch(points: Points, corrected: str) -> None:
    scores = {"1": (48, -16, -16, -16), "2": (-8, 24, -8, -8), "3": (0, 0, 0, 0)}

    def at(n: int, table: str, moved: bool) -> list[DealResult]:
        players = {"1": "2", "2": "1"}.get(table, table) if moved else table
        return [DealResult(n, table, seat, score, f"{players}-{seat.value}") for seat, score in zip(SEATS, scores[table], strict=True)]

    steps = [((n, table), at(n, table, moved=False), True) for n in (1, 2) for table in scores]
    steps += [((1, table), at(1, table, moved=True), True) for table in corrected]
    field, state = follow(steps, EntrantKind.INDIVIDUAL, points)
    assert field.ranking() == from_scratch(state, EntrantKind.INDIVIDUAL, points)


@pytest.mark.parametrize("points", COUNTED)
def test_of_players_whom_a_penalty_makes_level_the_one_who_won_more_in_the_same_wind_is_first(points: Points) -> None:
    scores = {"1": (48, -16, -16, -16), "2": (0, 0, 0, 0), "3": (0, 0, 0, 0)}
    state: dict[Played, Sequence[DealResult]] = {
        (1, table): [DealResult(1, table, seat, score, f"{table}-{seat.value}") for seat, score in zip(SEATS, of_table, strict=True)]
        for table, of_table in scores.items()
    }
    won = {standing.entrant: standing.total for standing in from_scratch(state, EntrantKind.INDIVIDUAL, points)}
    penalty = won["1-E"] - won["2-E"]
    assert penalty.denominator == 1, "penalties are whole"
    state[2, "1"] = [DealResult(2, "1", seat, 0, f"1-{seat.value}", penalty=int(penalty)) for seat in SEATS]
    field, _ = follow([(played, results, False) for played, results in state.items()], EntrantKind.INDIVIDUAL, points)
    ranks = {standing.entrant: standing.rank for standing in field.ranking()}
    assert field.ranking() == from_scratch(state, EntrantKind.INDIVIDUAL, points)
    assert ranks["1-E"] < ranks["2-E"]


@pytest.mark.parametrize("points", COUNTED)
def test_tables_that_join_and_leave_one_by_one_are_ranked_as_from_scratch_each_time(points: Points) -> None:
    field, state = FieldComparison(EntrantKind.INDIVIDUAL, SCALE, points), dict[Played, Sequence[DealResult]]()
    scores = [(48, -16, -16, -16), (-8, 24, -8, -8), (0, 0, 0, 0), (-32, 16, 8, 8), (8, 8, -24, 8), (-8, 24, -8, -8)]
    tables = list(enumerate(scores))
    for joins, (number, of_table) in [(True, each) for each in tables] + [(False, each) for each in tables]:
        for n in (1, 2) if number % 2 else (2,):
            results = [
                DealResult(n, str(number), seat, score, f"{number}-{seat.value}") for seat, score in zip(SEATS, of_table, strict=True)
            ]
            state[n, str(number)] = results if joins else ()
            field.put(n, {str(number): state[n, str(number)]})
            assert field.ranking() == from_scratch(state, EntrantKind.INDIVIDUAL, points)


VENUES = {"Kyoto": ("1", "2"), "Sendai": ("1",), "Haus 7": ("1", "2")}
REGIONS = {"Kyoto": "west", "Sendai": "east", "Haus 7": "west"}
FIELDS = (WORLD, *(FieldName(FieldKind.REGION, name) for name in ("west", "east")), *(FieldName(FieldKind.VENUE, name) for name in VENUES))
SUBSTITUTES = ("1-0", "2-3")
"""Who is in no ranking, at the tables of every venue."""
Step = tuple[str, tuple[int, str, str, tuple[int, ...]]]
"""What happens (a result, a venue that is withdrawn, a deal that is annulled), the deal, the venue, the table and its scores."""


@st.composite
def field_steps(draw: st.DrawFn) -> Step:
    """Something that changes the comparison of all venues."""
    what = draw(st.sampled_from(["result"] * 6 + ["annul", "annul everywhere", "withdraw"]))
    venue = draw(st.sampled_from(sorted(VENUES)))
    scores = draw(st.sampled_from([(0, 0, 0, 0), (48, -16, -16, -16), (-8, 24, -8, -8)]))
    return what, (draw(st.integers(1, 2)), venue, draw(st.sampled_from(VENUES[venue])), scores)


def carried_out(steps: Sequence[Step], points: Points, *, asks: bool) -> CentreComparison:
    """The comparison after these steps; it ``asks`` for a ranking after each of them, or never."""
    compared = CentreComparison(Programme("Autumn", EventField(EntrantKind.INDIVIDUAL), points=points), REGIONS)

    def play(unranked: tuple[str, ...]) -> None:
        for venue, tables in VENUES.items():
            compared.play(venue, Programme("Autumn", field_of(EntrantKind.INDIVIDUAL, tables), unranked=unranked))

    play(() if asks else SUBSTITUTES)
    for what, (n, venue, table, scores) in steps:
        if what == "result":
            seats = tuple(SeatResult(f"{table}-{place}", score) for place, score in enumerate(scores))
            compared.take(venue, table, n, VenueTableResult(1, "1", Basis.PLAYED, seats))
        elif what == "withdraw":
            compared.withdraw(venue)
        else:
            compared.annul(n, venue if what == "annul" else EVERYWHERE)
        if asks:
            compared.ranking(FIELDS[n])
    play(SUBSTITUTES)
    return compared


@pytest.mark.parametrize("points", COUNTED)
@law
@given(steps=st.lists(field_steps(), max_size=25))
def test_after_withdrawals_and_annulments_at_any_moment_all_fields_rank_as_from_scratch(points: Points, steps: list[Step]) -> None:
    compared = carried_out(steps, points, asks=True)
    orders = [step for step in steps if step[0] != "result"]
    last = {step[1][:3]: step for step in steps if step[0] == "result"}
    anew = carried_out([*orders, *last.values()], points, asks=False)
    assert compared.compared == anew.compared
    assert all(compared.ranking(field) == anew.ranking(field) for field in FIELDS)
    annulled = {(n, venue if what == "annul" else EVERYWHERE) for what, (n, venue, *_) in orders if what != "withdraw"}
    state: dict[Played, Sequence[DealResult]] = {}
    for n, venue, table in last:
        if n in compared.compared and not annulled & {(n, venue), (n, EVERYWHERE)}:
            scores = last[n, venue, table][1][3]
            state[n, f"{venue}/{table}"] = [
                DealResult(n, f"{venue}/{table}", seat, score, f"{venue}/{table}-{seat.index}")
                for seat, score in zip(SEATS, scores, strict=True)
            ]
    unranked = [f"{venue}/{player}" for venue in VENUES for player in SUBSTITUTES]
    assert compared.ranking() == from_scratch(state, EntrantKind.INDIVIDUAL, points, unranked)


def test_rank_points_compare_no_field_of_venues() -> None:
    with pytest.raises(UncomparedPointsError, match="within a group of four tables: compare venues by imp or cross-imp"):
        FieldComparison(EntrantKind.TEAM, SCALE, Points.RANK)
