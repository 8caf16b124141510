"""What is asked about violations after a hand, beside what the table has told of it."""

from dataclasses import replace

import pytest

from benchmarks.played_tables.violations import ViolationAct, violated_hand
from benchmarks.recorder_violations import SLIPS
from controller.recorder.at_table.hand_review import HandReview
from controller.recorder.at_table.violation_doubts import doubted_violations
from controller.recorder.signals import GateEdge, Question
from controller.recorder.violations import RULES, PathViolation, ViolationKind
from controller.state.decoding import HandToDecode
from controller.state.playing import KnownViolation
from simulator.disturbances.draws import NONE, Disturbances
from tests.controller.recorder.test_violations import at_table
from tests.support.controller.rigs import opened
from tests.support.recorder.played_hands import Message, PlayedHand, decoder_of, played, told
from tests.support.simulator.mat_observations import NO_NOISE
from tests.support.tiers import some
from twinwall.game.play_events import ClaimsPassed, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.rules import rule_set_names
from twinwall.game.rulings import HandRuledDead
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordDoubt
from vision.mat import Mat
from vision.mat_observation import MatObservation

RULE_SET = "mcr-duplicate"
IN_DOUBT = ViolationKind.DREW_EARLY.value, ViolationKind.PUT_BACK.value


def asked(hand: PlayedHand, events: tuple[PlayEvent, ...], heard: list[Message], *table: KnownViolation) -> tuple[RecordDoubt, ...]:
    """What is asked of a hand with this record, of whose violations the table has told these."""
    deal = opened(hand.walls, hand=hand.to_play.hand, rules=RULE_SET, rest=hand.rest)
    return HandReview(hand.rules, Mat(), HandToDecode(deal, None, events, closed=True, violations=table), tuple(heard)).compare().violations


def asked_after(act: ViolationAct, *table: KnownViolation) -> tuple[RecordDoubt, ...]:
    """What is asked of the beginning of a hand with one violation."""
    hand, _ = at_table(act)
    return asked(played(RULE_SET, 0), tuple(event for _, event in hand.events), list(told(hand, NO_NOISE, backs=True)), *table)


@pytest.mark.parametrize("act", [ViolationAct.DREW_EARLY, ViolationAct.PUT_BACK, ViolationAct.DISCARDED_TWICE])
def test_a_violation_that_nobody_has_told_is_a_question_however_certain_it_is(act: ViolationAct) -> None:
    _, (committed,) = at_table(act)
    (doubt,) = asked_after(act)
    assert (doubt.held, doubt.read, doubt.seat) == ("", "", committed.seat)
    assert doubt.violations == {act.value: RULES[ViolationKind(act.value)]}
    assert doubt.margin >= 9


def test_it_is_asked_before_which_event_of_the_record_it_happened() -> None:
    hand, (committed,) = at_table(ViolationAct.DISCARDED_TWICE)
    (doubt,) = asked_after(ViolationAct.DISCARDED_TWICE)
    assert doubt.number == 1 + sum(at_ms <= committed.at_ms for at_ms, _ in hand.events)


@pytest.mark.parametrize(
    ("act", "word"),
    [
        (ViolationAct.DISCARDED_TWICE, "discarded-twice"),
        (ViolationAct.DISCARDED_TWICE, "exposed-tiles"),
        (ViolationAct.DREW_EARLY, "drew-out-of-turn"),
    ],
)
@pytest.mark.parametrize("later", [0, 5, 12])
def test_what_the_table_has_told_is_not_asked_again_whatever_its_word_for_it(act: ViolationAct, word: str, later: int) -> None:
    _, (committed,) = at_table(act)
    (doubt,) = asked_after(act)
    assert asked_after(act, KnownViolation(doubt.number - 1 + later, committed.seat, word)) == ()


@pytest.mark.parametrize(
    ("seat", "word", "later"),
    [(Seat.NORTH, "discarded-twice", 0), (None, "slow-play", 0), (None, "discarded-twice", 13), (None, "put-back", 0)],
)
def test_what_the_table_has_told_of_something_else_answers_nothing(seat: Seat | None, word: str, later: int) -> None:
    _, (committed,) = at_table(ViolationAct.DISCARDED_TWICE)
    (doubt,) = asked_after(ViolationAct.DISCARDED_TWICE)
    assert asked_after(ViolationAct.DISCARDED_TWICE, KnownViolation(doubt.number - 1 + later, seat or committed.seat, word)) == (doubt,)


def test_after_the_first_event_that_is_read_otherwise_nothing_is_asked() -> None:
    """What the decoder cannot explain that holds another hand than the table proves nothing."""
    hand, _ = at_table(ViolationAct.DISCARDED_TWICE)
    events, heard = [event for _, event in hand.events], list(told(hand, NO_NOISE, backs=True))
    first = next(index for index, event in enumerate(events) if isinstance(event, TileDiscarded))
    discard = events[first]
    assert isinstance(discard, TileDiscarded)
    events[first] = replace(discard, tile=next(tile for tile in played(RULE_SET, 0).walls[discard.seat].hand if tile is not discard.tile))
    assert asked(played(RULE_SET, 0), tuple(events), heard) == ()


def test_before_a_ruling_on_the_hand_a_violation_is_asked_about_and_after_it_none() -> None:
    hand, _ = at_table(ViolationAct.DISCARDED_TWICE)
    events, heard = tuple(event for _, event in hand.events), list(told(hand, NO_NOISE, backs=True))
    (doubt,) = asked(played(RULE_SET, 0), events, heard)
    for number in (1, len(events)):
        ruled = (*events[:number], HandRuledDead(Seat.WEST), *events[number:])
        assert asked(played(RULE_SET, 0), ruled, heard) == ((doubt,) if number > doubt.number else ())


def test_one_act_that_may_have_been_either_of_two_violations_is_one_question() -> None:
    """The camera was silent: the tile was drawn early, or drawn as the rules allow and put back."""
    hand = played(RULE_SET, 12)
    seat, events, heard = in_a_silence(hand)
    doubts = asked(hand, events, heard)
    assert [(doubt.seat, tuple(doubt.violations or ())) for doubt in doubts] == [(seat, IN_DOUBT)]
    assert doubts[0].margin < 9
    told_live = KnownViolation(doubts[0].number - 1, seat, "drew-early")
    assert asked(hand, events, heard, told_live) == ()


@pytest.mark.slow
@pytest.mark.parametrize("rules", some(rule_set_names(), 1))
def test_of_a_hand_in_which_people_disturb_and_break_no_rule_nothing_is_asked(rules: str) -> None:
    hand = played(rules, 3000)
    at_table = hand.at_table(Disturbances(1))
    events = tuple(event for _, event in at_table.events)
    deal = opened(hand.walls, hand=hand.to_play.hand, rules=rules, rest=hand.rest)
    review = HandReview(hand.rules, Mat(), HandToDecode(deal, None, events, closed=True), tuple(told(at_table)))
    assert review.compare().violations == ()


@pytest.mark.slow
def test_each_of_several_violations_of_a_hand_is_a_question_unless_the_table_has_told_it() -> None:
    hand = played(RULE_SET, 41000)
    at_table, committed = violated_hand(hand.to_play, Disturbances(1, scales=dict.fromkeys(SLIPS, 0.0)), 5)
    events, heard = tuple(event for _, event in at_table.events), list(told(at_table, NO_NOISE, backs=True))
    doubts = asked(hand, events, heard)
    assert [doubt.seat for doubt in doubts] == [each.seat for each in committed]
    assert all(each.act.value in (doubt.violations or ()) for doubt, each in zip(doubts, committed, strict=True))
    so_far = [sum(at_ms <= each.at_ms + 5000 for at_ms, _ in at_table.events) for each in committed]
    live = [KnownViolation(after, each.seat, each.act.value) for after, each in zip(so_far, committed, strict=True)]
    assert asked(hand, events, heard, *live[1:]) == doubts[:1]


@pytest.mark.parametrize("back_ms", [21_000, 0], ids=["back-later", "another-act"])
def test_a_tile_that_was_held_for_long_before_it_went_back_makes_one_question(back_ms: int) -> None:
    hand = played(RULE_SET, 0)
    decoder = decoder_of(hand)
    early = PathViolation(ViolationKind.DREW_EARLY, Seat.SOUTH, RULES[ViolationKind.DREW_EARLY], 1000, back_ms=back_ms)
    put_back = PathViolation(ViolationKind.PUT_BACK, Seat.SOUTH, RULES[ViolationKind.PUT_BACK], 21_000)
    decoder.questions = [
        Question(number, 0.0, 0.0, 0, 0, (), None, (None, None), 5.0, violation) for number, violation in ((4, early), (5, put_back))
    ]
    to_decode = HandToDecode(opened(hand.walls), None, hand.events[:9], closed=True)
    doubts = doubted_violations(decoder, to_decode, (), agreed=9, surely=9)
    assert [tuple(doubt.violations or ()) for doubt in doubts] == ([IN_DOUBT] if back_ms else [(kind,) for kind in IN_DOUBT])


def in_a_silence(hand: PlayedHand) -> tuple[Seat, tuple[PlayEvent, ...], list[Message]]:
    """A hand of 34 events or so, in which a tile left the wall of the seat to draw and went back while no frame came: whose wall, the
    record, and what was heard."""
    passed = [index for index, event in enumerate(hand.events) if isinstance(event, ClaimsPassed)]
    drawn = next(index for index in passed[5:] if isinstance(hand.events[index + 1], TileDrawn)) + 1
    event, events = hand.events[drawn], hand.events[: drawn + 16]
    assert isinstance(event, TileDrawn)
    at_table = hand.at_table(NONE, len(events))
    laid_ms, place = at_table.events[drawn - 2][0], (hand.east + event.seat.index) % 4
    silent = range(laid_ms - 2500, laid_ms + 2500)
    seen = [each for each in told(at_table, NO_NOISE) if not (isinstance(each, MatObservation) and each.at_ms in silent)]
    edges = [GateEdge(laid_ms + 500, place), GateEdge(laid_ms + 1500, place, back=True)]
    return event.seat, events, sorted((*seen, *edges), key=lambda message: message.at_ms)
