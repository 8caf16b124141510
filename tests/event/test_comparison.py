"""The comparison by the IMP scale: half-open intervals, the worked example, and laws for any scores (forgeries: ``tests/attacks``)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.event.ledgers import SCORES, TEAMS, player_results, team_results
from tests.support.game.worked_example import record_of
from tests.support.tiers import law
from twinwall.event.comparison import Comparison, TeamEntry, compare, derivation
from twinwall.event.imp_scale import ScaleStatus, parse_scale, provisional_scale
from twinwall.event.movements.teams import team_tables
from twinwall.event.results import Basis, DealResult, EntrantKind
from twinwall.game.documents import DocumentError
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS
from twinwall.wire.messages.file_signature import sign_file
from twinwall.wire.messages.signing import Signer

# Zero-sum tables of any size: three free scores, the fourth follows.
TABLE = st.tuples(*[st.integers(-400, 400)] * 3).map(lambda scores: (*scores, -sum(scores)))
TABLES = st.lists(TABLE, min_size=4, max_size=4)


def compared(results: Sequence[DealResult], kind: EntrantKind) -> Comparison:
    return compare(results, kind, provisional_scale(), zero_sum=True)


def test_the_document_has_the_contract_s_form_with_exact_fractions() -> None:
    document = compared(player_results(), EntrantKind.INDIVIDUAL).to_json()
    scale = provisional_scale()
    assert document["scale"] == {"name": "provisional", "status": "provisional", "digest": scale.digest}
    (group,) = json.loads(json.dumps(document))["groups"]
    assert list(group) == ["group", "deals", "ranking"]
    (deal,) = group["deals"]
    assert deal["datum"] == {"E": "43/4", "S": "63/4", "W": "-97/4", "N": "-9/4"}
    assert deal["entries"][0] == {"entrant": "1E", "table": "1", "seat": "E", "score": 75, "difference": "257/4", "imp": 13}
    assert group["ranking"][0] == {"entrant": "1E", "imp": 13, "rank": 1}


def test_a_team_s_entry_in_the_document_is_its_sum_and_imp() -> None:
    document = json.loads(json.dumps(compared(team_results(), EntrantKind.TEAM).to_json()))
    assert document["groups"][0]["deals"][0]["entries"][3] == {"entrant": "D", "sum": -73, "imp": -14}


@law
@given(order=st.permutations(team_results(1) + team_results(2)))
def test_the_order_of_the_results_changes_nothing(order: list[DealResult]) -> None:
    assert compared(order, EntrantKind.TEAM) == compared(team_results(1) + team_results(2), EntrantKind.TEAM)


@law
@given(scores=TABLES, tables=st.permutations(range(4)))
def test_permuting_the_tables_changes_nobody_s_imp(scores: list[tuple[int, ...]], tables: list[int]) -> None:
    plain = player_results(scores=scores)
    moved = [DealResult(result.deal, str(tables[int(result.table) - 1]), result.seat, result.score, result.entrant) for result in plain]
    assert compared(moved, EntrantKind.INDIVIDUAL).groups[0].ranking == compared(plain, EntrantKind.INDIVIDUAL).groups[0].ranking


def test_imp_are_added_over_deals_and_groups_are_compared_apart() -> None:
    reversed_scores = [tuple(-score for score in of_table) for of_table in SCORES]
    results = team_results(1) + team_results(2) + team_results(1, reversed_scores, group="2")
    first, second = compared([*results[:32], *(replaced(result) for result in results[32:])], EntrantKind.TEAM).groups
    assert {standing.entrant: standing.total for standing in first.ranking} == {"A": 32, "B": -20, "C": 0, "D": -28}
    assert {standing.entrant: standing.total for standing in second.ranking} == {"A'": -16, "B'": 10, "C'": 0, "D'": 14}


def replaced(result: DealResult) -> DealResult:
    """The same result of another team."""
    return DealResult(result.deal, result.table, result.seat, result.score, f"{result.entrant}'", result.group)


def test_where_rules_are_not_zero_sum_a_team_is_measured_from_the_mean_of_the_teams() -> None:
    scores = [(49, -20, -20, -20), *SCORES[1:]]  # a self-draw rounded up leaves a table at −11
    (deal,) = compare(team_results(scores=scores), EntrantKind.TEAM, provisional_scale(), zero_sum=False).groups[0].deals
    entries = [entry for entry in deal.entries if isinstance(entry, TeamEntry)]
    assert entries[0].difference == 81 + Fraction(11, 4)
    assert sum(entry.difference for entry in entries) == 0


@pytest.mark.parametrize("kind", EntrantKind)
@law
@given(scores=TABLES)
def test_every_step_of_a_derivation_follows_from_the_results(kind: EntrantKind, scores: list[tuple[int, ...]]) -> None:
    results = team_results(scores=scores) if kind is EntrantKind.TEAM else player_results(scores=scores)
    (deal,) = compared(results, kind).groups[0].deals
    for entry in deal.entries:
        steps = derivation(deal, entry, provisional_scale())
        numbers = [result.score for result in steps.compared]
        assert len(numbers) == 4
        if kind is EntrantKind.INDIVIDUAL:
            assert steps.datum == Fraction(sum(numbers), 4)
        else:
            assert (steps.score, steps.datum) == (sum(numbers), Fraction(0))
        assert entry.difference == steps.score - steps.datum
        assert steps.interval[0] <= abs(entry.difference)
        assert entry.imp == provisional_scale().imp(entry.difference)


@pytest.mark.parametrize("kind", EntrantKind)
def test_a_derivation_leaves_out_what_does_not_count(kind: EntrantKind) -> None:
    results = [
        replace(result, basis=Basis.AVERAGE) if result.table == "4" else result
        for result in (team_results() if kind is EntrantKind.TEAM else player_results())
    ]
    (deal,) = compared(results, kind).groups[0].deals
    for entry in deal.entries:
        steps = derivation(deal, entry, provisional_scale())
        assert [result.table for result in steps.compared if result.table == "4"] == []
        if kind is EntrantKind.INDIVIDUAL:
            assert steps.datum == Fraction(sum(result.score for result in steps.compared), 3)


def test_results_that_break_a_law_are_not_compared_wherever_they_came_from() -> None:
    with pytest.raises(ValueError, match="has no result for seat N"):
        compared(team_results()[:-1], EntrantKind.TEAM)


def test_the_records_of_four_tables_replay_to_the_payments_means_and_imp_of_the_paper() -> None:
    scores = {table: replay(record_of(table)).scores for table in "1234"}
    assert tuple(tuple(scores[table][seat] for seat in SEATS) for table in "1234") == SCORES
    results = [
        DealResult(1, str(table.number), seat, scores[str(table.number)][seat], team)
        for table in team_tables(TEAMS)
        for seat, team in zip(SEATS, table.places, strict=True)
    ]
    (group,) = compare(results, EntrantKind.TEAM, provisional_scale(), zero_sum=True).groups
    (deal,) = group.deals
    assert list(deal.datum.values()) == [Fraction(43, 4), Fraction(63, 4), Fraction(-97, 4), Fraction(-9, 4)]
    entries = [entry for entry in deal.entries if isinstance(entry, TeamEntry)]
    assert [(each.entrant, each.sum, each.imp) for each in entries] == [("A", 107, 16), ("B", -33, -10), ("C", -1, 0), ("D", -73, -14)]
    assert [(standing.entrant, standing.rank) for standing in group.ranking] == [("A", 1), ("C", 2), ("B", 3), ("D", 4)]


DIFFERENCES = st.fractions(min_value=-400, max_value=400, max_denominator=16)
HOUSE = 'format = "twinwall-scale-1"\nname = "house"\nstatus = "provisional"\nsource = "the club"\nbounds = [1, "3/2", 8]\n'
OFFICIAL = HOUSE.replace('"provisional"', '"official"')
LI_NA = Signer("", b"\x11" * 32)
TRUSTED = {"李娜": LI_NA.public}


@pytest.mark.parametrize(
    ("difference", "imp"),
    [
        ("0", 0), ("1", 0), ("7/4", 0), ("2", 1), ("15/4", 1), ("4", 2), ("-73", -14), ("-33", -10), ("107", 16), ("257/4", 13),
        ("302", 23), ("1211/4", 23), ("303", 24), ("-303", -24), ("5000", 24),
    ],
)  # fmt: skip
def test_a_difference_earns_the_imp_of_the_highest_bound_that_it_reaches(difference: str, imp: int) -> None:
    assert provisional_scale().imp(Fraction(difference)) == imp


@law
@given(difference=DIFFERENCES)
def test_the_interval_of_a_difference_holds_it_and_the_scale_is_odd(difference: Fraction) -> None:
    scale = provisional_scale()
    assert scale.imp(-difference) == -scale.imp(difference)
    lower, upper = scale.interval(difference)
    assert lower == (0, *scale.bounds)[abs(scale.imp(difference))]
    assert lower <= abs(difference)
    assert upper is None or abs(difference) < upper


def test_bounds_may_be_exact_fractions() -> None:
    scale = parse_scale(HOUSE.encode(), "house.toml")
    assert [scale.imp(Fraction(difference)) for difference in ("1", "149/100", "3/2", "8")] == [1, 1, 2, 3]
    assert scale.interval(Fraction(2)) == (Fraction(3, 2), Fraction(8))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('source = "the club"\n', "", "'source' is missing"),
        ('name = "house"', 'name = "house"\ncolour = 3', "'colour' is not known"),
        ("scale-1", "scale-2", "format"),
        ('"provisional"', '"final"', "provisional, official"),
        ('"3/2"', "1.5", "exact fraction"),
        ('"3/2"', '"3/0"', "exact fraction"),
        ('"3/2"', "true", "exact fraction"),
        ('"3/2"', "1", "1 does not lie above 1"),
        ("[1,", "[0,", "0 does not lie above 0"),
        ('[1, "3/2", 8]', "[]", "list"),
        ('"house"', '" "', "name"),
        ('"house"', '"The Official Scale"', "only a signed scale"),
        ("bounds = ", "bounds ", "not TOML"),
        ('"3/2"', "1" * 5000, "not TOML"),
    ],
)
def test_a_scale_that_is_not_as_its_format_says_is_refused_by_file_and_reason(old: str, new: str, said: str) -> None:
    assert old in HOUSE
    with pytest.raises(DocumentError, match=said) as refused:
        parse_scale(HOUSE.replace(old, new, 1).encode(), "house.toml")
    assert str(refused.value).startswith("house.toml")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DocumentError, match="not TOML"):
        parse_scale(b"\xff\xfe", "house.toml")


def test_a_scale_that_a_trusted_person_signed_is_official_in_its_name_too_unless_it_calls_itself_provisional() -> None:
    content = OFFICIAL.replace('"house"', '"The Official Scale"').encode()
    scale = parse_scale(content, "house.toml", sign_file(content, LI_NA), TRUSTED)
    assert (scale.name, scale.status, scale.signer, scale.doubt) == ("The Official Scale", ScaleStatus.OFFICIAL, "李娜", None)
    with pytest.raises(DocumentError, match=r"only a signed scale is.*it is not signed"):
        parse_scale(content, "house.toml", None, TRUSTED)
    assert parse_scale(HOUSE.encode(), "house.toml", sign_file(HOUSE.encode(), LI_NA), TRUSTED).status is ScaleStatus.PROVISIONAL
