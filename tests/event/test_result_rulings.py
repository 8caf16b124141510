"""Effect of rulings on results: adjusted scores, tables left out, penalties, and the IMP that follow."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.event.ledgers import (
    SCORES,
    TABLES,
    TEAMS,
    closing,
    csv_lines,
    events,
    player_results,
    playing,
    session,
    starting,
    team_results,
)
from tests.support.narrowed import present
from tests.support.tiers import law
from tests.support.wire.streams import Line
from twinwall.event.comparison import Comparison, Entry, TeamEntry, compare, derivation
from twinwall.event.field import field_of, results_of
from twinwall.event.hands import HandSummary, summaries
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.results import Basis, DealResult, EntrantKind, RuledResult, result_after_rulings, revocable, rulings_of
from twinwall.event.results_csv import RefusedResultsError, read_results
from twinwall.game.play_events import EndReason, HandEnded, HandRuledDead, Offence, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.messages.ruling import Effect, Ruling, effects_json, ruling_fields

E, S, W, N = SEATS
NOTHING = dict.fromkeys(SEATS, 0)
TABLE = st.tuples(*[st.integers(-400, 400)] * 3).map(lambda scores: (*scores, -sum(scores)))
FOUR = st.lists(TABLE, min_size=4, max_size=4)


def ruled(identity: str, *effects: Effect, n: int = 1) -> Line:
    return "ruling", ruling_fields(Ruling(identity, n, "Aono", {"en": f"Ruling {identity}."}, effects))


def happened(effect: Effect) -> Line:
    (fields,) = effects_json((effect,))
    assert isinstance(fields, dict)
    return str(fields.pop("type")), fields


def hand(*script: Line) -> HandSummary:
    return summaries(events(script))[0]


def judged(*script: Line) -> RuledResult:
    return present(result_after_rulings(hand(*script)))


PLAYED = (*starting(1), *playing(), *closing(1, SCORES[0]))
RULED_SCORES = {E: 10, S: -4, W: -4, N: -4}


def test_a_hand_without_rulings_counts_as_it_was_played_and_one_that_is_not_over_not_at_all() -> None:
    found = judged(*PLAYED)
    assert (found.basis, list(found.scores.values()), found.imp, found.rulings) == (Basis.PLAYED, [75, -25, -25, -25], {}, ())
    assert result_after_rulings(hand(*starting(1), *playing(), ruled("r1", ResultExcluded()))) is None


@pytest.mark.parametrize(
    ("effects", "basis", "scores", "imp"),
    [
        ([HandRuledDead(S)], Basis.PLAYED, (75, -25, -25, -25), {}),
        ([ResultExcluded()], Basis.AVERAGE, (75, -25, -25, -25), {}),
        ([PenaltyRuled(S, Offence.CONDUCT, 0, 5)], Basis.PLAYED, (80, -40, -20, -20), {}),
        ([PenaltyRuled(S, Offence.CONDUCT, 4, 0), PenaltyRuled(S, Offence.FALSE_WIN, 8, 0)], Basis.PLAYED, (75, -25, -25, -25), {S: 12}),
        ([HandEnded(EndReason.RULED, RULED_SCORES)], Basis.ADJUSTED, (10, -4, -4, -4), {}),
        ([HandEnded(EndReason.ANNULLED, NOTHING)], Basis.AVERAGE, (0, 0, 0, 0), {}),
    ],
)
def test_a_ruling_on_a_hand_that_is_over_changes_what_it_counts_for(
    effects: list[Effect], basis: Basis, scores: Sequence[int], imp: dict[Seat, int]
) -> None:
    found = judged(*PLAYED, ruled("r1", *effects))
    assert (found.basis, list(found.scores.values())) == (basis, list(scores))
    assert imp.items() <= found.imp.items()


def test_what_was_ruled_during_play_is_in_the_scores_already_and_is_not_revoked() -> None:
    penalty = PenaltyRuled(S, Offence.FALSE_WIN, imp=4, points=5)
    paid = judged(*starting(1), ruled("r1", penalty), happened(penalty), *playing(), *closing(1, (80, -40, -20, -20)))
    assert (list(paid.scores.values()), paid.imp) == ([80, -40, -20, -20], {S: 4})
    ended = HandEnded(EndReason.RULED, RULED_SCORES)
    script: list[Line] = [*starting(1), *playing(), ruled("r1", ended), happened(ended), ("hand-closed", {"n": 1})]
    for found in (judged(*script), judged(*script, revoking("r2", "r1"))):
        assert (found.basis, found.scores) == (Basis.ADJUSTED, RULED_SCORES)
    assert revocable(hand(*script)) == ()


def test_the_later_ruling_stands_and_all_are_kept_with_referee_words_and_time() -> None:
    found = judged(*PLAYED, ruled("r1", ResultExcluded()), ruled("r2", HandEnded(EndReason.RULED, RULED_SCORES)))
    assert (found.basis, found.scores) == (Basis.ADJUSTED, RULED_SCORES)
    assert [(given.ruling.by, given.ruling.texts["en"]) for given in found.rulings] == [("Aono", "Ruling r1."), ("Aono", "Ruling r2.")]
    assert found.rulings[0].at < found.rulings[1].at


def revoking(identity: str, revoked: str) -> Line:
    return "ruling", ruling_fields(Ruling(identity, 1, "Ota", {"en": f"Ruling {revoked} is revoked."}, revokes=revoked))


@pytest.mark.parametrize("effect", [ResultExcluded(), HandEnded(EndReason.RULED, RULED_SCORES), PenaltyRuled(E, Offence.CONDUCT, 3, 8)])
def test_a_ruling_that_is_revoked_counts_for_nothing_and_both_are_kept(effect: Effect) -> None:
    found = judged(*PLAYED, ruled("r1", effect), revoking("r2", "r1"))
    plain = judged(*PLAYED)
    assert (found.basis, found.scores, found.imp) == (plain.basis, plain.scores, plain.imp)
    assert [given.ruling.identity for given in found.rulings] == ["r1", "r2"]


def test_a_later_ruling_stands_though_an_earlier_one_is_revoked() -> None:
    found = judged(*PLAYED, ruled("r1", ResultExcluded()), ruled("r2", HandEnded(EndReason.RULED, RULED_SCORES)), revoking("r3", "r1"))
    assert (found.basis, found.scores) == (Basis.ADJUSTED, RULED_SCORES)


def test_a_ruling_can_be_revoked_once_and_a_revocation_cannot() -> None:
    script = (*PLAYED, ruled("r1", ResultExcluded()), ruled("r2"))
    assert [each.ruling.identity for each in revocable(hand(*script))] == ["r1", "r2"]
    assert [each.ruling.identity for each in revocable(hand(*script, revoking("r3", "r1")))] == ["r2"]


def test_a_ruling_given_while_the_next_hand_is_played_belongs_to_the_deal_that_it_names() -> None:
    script = [*session({1: SCORES[0], 2: SCORES[1]}, turns=4)]
    at = next(index for index, line in enumerate(script) if line[0] == "hand-started" and line[1]["n"] == 2) + 3
    first, second = summaries(events([*script[:at], ruled("r1", ResultExcluded()), *script[at:]]))
    assert (len(rulings_of(first)), len(rulings_of(second))) == (1, 0)


def teams(lines_of_table: dict[str, list[Line]]) -> Comparison:
    hands = summaries(event for table, script in lines_of_table.items() for event in events(script, table))
    return compare(results_of(hands, field_of(EntrantKind.TEAM, TABLES, TEAMS)), EntrantKind.TEAM, provisional_scale(), zero_sum=True)


def example(table: str, *more: Line) -> Comparison:
    """The worked example, with rulings at the end of one table's ledger."""
    scripts = {name: session({1: of_table}, name) for name, of_table in zip(TABLES, SCORES, strict=True)}
    scripts[table] += more
    return teams(scripts)


def test_a_table_that_was_fouled_is_left_out_and_the_others_are_compared_with_each_other() -> None:
    (deal,) = example("3", ruled("r1", ResultExcluded())).groups[0].deals
    assert [deal.datum[seat] for seat in SEATS] == [Fraction(59, 3), Fraction(71, 3), Fraction(-89, 3), Fraction(-41, 3)]
    entries = [entry for entry in deal.entries if isinstance(entry, TeamEntry)]
    assert sum(entry.difference for entry in entries) == 0
    a = entries[0]
    held = [result for result in deal.results if result.entrant == "A" and result.table != "3"]
    assert a.difference == sum(result.score - deal.datum[result.seat] for result in held)
    assert derivation(deal, a, provisional_scale()).compared == tuple(held)


def test_what_is_left_out_is_said_in_the_document_and_nothing_more_than_that() -> None:
    document = example("3", ruled("r1", ResultExcluded())).to_json()
    assert json.loads(json.dumps(document))["groups"][0]["deals"][0]["left_out"] == ["3"]
    plain = json.dumps(example("3").to_json())
    assert not [key for key in ("left_out", "penalty", "basis") if key in plain]


@law
@given(scores=FOUR, out=st.sets(st.integers(1, 4)))
def test_whoever_is_left_out_earns_nothing_and_changes_nobody_s_datum(scores: list[tuple[int, ...]], out: set[int]) -> None:
    tables = frozenset(map(str, out))
    results = [left_out(result) if result.table in tables else result for result in player_results(scores=scores)]
    (deal,) = compare(results, EntrantKind.INDIVIDUAL, provisional_scale(), zero_sum=True).groups[0].deals
    entries = [entry for entry in deal.entries if isinstance(entry, Entry)]
    for entry in entries:
        if entry.table in tables:
            assert (entry.difference, entry.imp, entry.basis) == (Fraction(0), 0, Basis.AVERAGE)
    counted = [result for result in results if result.table not in tables]
    if len(tables) <= 2:
        (without,) = compare(counted, EntrantKind.INDIVIDUAL, provisional_scale(), zero_sum=True).groups[0].deals
        assert without.datum == deal.datum
        assert [entry for entry in entries if entry.table not in tables] == [*without.entries]


def left_out(result: DealResult) -> DealResult:
    return replace(result, basis=Basis.AVERAGE)


def test_a_table_is_left_out_whole_or_not_at_all() -> None:
    results = player_results()
    with pytest.raises(ValueError, match="left out of the comparison in some seats and not in others"):
        compare([left_out(results[0]), *results[1:]], EntrantKind.INDIVIDUAL, provisional_scale(), zero_sum=True)


def test_a_file_of_results_may_say_what_was_ruled() -> None:
    header, *lines = csv_lines(team_results())
    marked = [f"{line},average,0" if line.startswith("1,3,") else f"{line},,8" if ",1,E," in line else f"{line},," for line in lines]
    results = read_results("\n".join([f"{header},basis,penalty", *marked]).encode(), EntrantKind.TEAM, zero_sum=True)
    assert {result.table for result in results if not result.counts} == {"3"}
    assert [result.penalty for result in results][:2] == [8, 0]


@pytest.mark.parametrize(("cells", "reason"), [("lucky,0", "basis 'lucky'"), ("played,-4", "penalty '-4'"), ("played,x", "penalty 'x'")])
def test_a_line_that_says_it_wrongly_is_refused(cells: str, reason: str) -> None:
    header, first, *rest = csv_lines(team_results())
    content = "\n".join([f"{header},basis,penalty", f"{first},{cells}", *(f"{line},," for line in rest)]).encode()
    with pytest.raises(RefusedResultsError, match=f"line 2: the {reason}"):
        read_results(content, EntrantKind.TEAM, zero_sum=True)
