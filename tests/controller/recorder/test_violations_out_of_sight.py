"""Violations that were committed while something lay over what tells of them: told once that is seen, or asked about."""

import pytest

from controller.recorder.violations import ViolationKind
from tests.support.recorder.violated_hands import violations_followed
from tests.support.simulator.mat_observations import MEASURED_NOISE
from tests.support.tiers import one_in


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "number"),
    one_in(
        3,
        [
            pytest.param("mcr-duplicate", 64148, id="a false win under an arm ended the hand, and what came after it was lost"),
            pytest.param("yangzhou", 51627, id="a hand that does not win was an open tile once it was taken up"),
            pytest.param("yangzhou", 52075, id="a claim below a phone made a false one of the next claim"),
            pytest.param("seigo", 56305, id="a false claim was one taken back, whatever its tiles were"),
            pytest.param("seigo", 52145, id="an open tile far from the river was the discard below a phone"),
            pytest.param("sichuan", 59014, id="a win by voice before a draw out of turn was not thought of"),
        ],
    ),
)
def test_people_are_told_of_what_they_committed_while_something_was_hidden(rules: str, number: int) -> None:
    hand = violations_followed(rules, number, MEASURED_NOISE)
    assert hand.is_exact
    told = sorted((each.violation for each in hand.decoder.reported_violations.values()), key=lambda violation: violation.at_ms)
    assert [(each.kind.value, each.seat) for each in told] == [(each.act.value, each.seat) for each in hand.committed]


@pytest.mark.slow
def test_a_hand_shown_for_a_win_under_a_paper_is_asked_about_and_no_accusation_of_open_tiles() -> None:
    """Two of its tiles were seen. East was said to have left them open, and its false win was in no record and no question."""
    hand = violations_followed("mcr-duplicate", 61568, MEASURED_NOISE)
    otherwise = next(found for found in hand.found if found.event != hand.events[found.number - 1])
    assert otherwise.number in {question.number for question in hand.decoder.questions}
    assert ViolationKind.EXPOSED_TILES not in {each.violation.kind for each in hand.decoder.reported_violations.values()}


@pytest.mark.slow
def test_one_tile_where_a_meld_belongs_is_asked_about_and_no_accusation_of_open_tiles() -> None:
    """Of a false claim that was called by key one tile was seen."""
    hand = violations_followed("mcr-duplicate", 71384, MEASURED_NOISE)
    assert hand.is_exact
    asked = [question.violation for question in hand.decoder.questions if question.violation is not None]
    false_claim = hand.committed[-1]
    assert [(each.kind, each.seat) for each in asked] == [(ViolationKind.EXPOSED_TILES, false_claim.seat)]
    assert ViolationKind.EXPOSED_TILES not in {each.violation.kind for each in hand.decoder.reported_violations.values()}


@pytest.mark.slow
def test_whether_a_second_draw_came_before_or_after_a_discard_that_nobody_saw_is_asked() -> None:
    """Two discards lay below a paper. South was accused of a draw out of turn, and had drawn twice."""
    hand = violations_followed("mcr-duplicate", 64312, MEASURED_NOISE)
    assert hand.is_exact
    asked = {(question.violation.at_ms, question.violation.kind) for question in hand.decoder.questions if question.violation is not None}
    told = {(each.violation.at_ms, each.violation.kind) for each in hand.decoder.reported_violations.values()}
    second = next(each.at_ms for each in hand.committed if each.act.value == ViolationKind.DREW_TWICE.value)
    assert (second, ViolationKind.DREW_TWICE) in asked
    assert (second, ViolationKind.DREW_OUT_OF_TURN) not in told
