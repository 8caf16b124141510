"""People answer the questions of a hand that is over: the decoder makes the hand anew, and what cannot be is refused."""

import math
from dataclasses import replace
from functools import cache, partial
from itertools import permutations

import msgspec
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from controller.recorder.hand_answers import NO, UNKNOWN, YES, AnswerRefusedError, DecodedHand, GivenAnswer, SettledQuestion, question_about
from controller.recorder.margins.event_questions import COURSE, KIND, with_subjects
from controller.recorder.observation_file import decode_lines, decode_signals, signals
from controller.recorder.signals import Question
from controller.recorder.violations import PathViolation, ViolationKind
from tests.support.narrowed import of_type
from tests.support.recorder.doubted_hand import ALIKE, DOUBTED, EVENTS, KINDS, OTHER, RIGHT, doubted_hand, hand_with_doubts
from tests.support.recorder.played_hands import Message, decoder_of, followed, messages_of, only, played
from tests.support.tiers import examples
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import TileDiscarded
from twinwall.game.rules import rule_set_names
from twinwall.game.tiles import ALL_TILES, Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

OTHER_DOUBTED, LAST_DOUBTED = 8, 14
"""Later discards that are in doubt as well."""
DOUBTS = ((DOUBTED, (Tile.P9, ALIKE)), (OTHER_DOUBTED, (ALIKE, Tile.M9)), (LAST_DOUBTED, (Tile.M2, Tile.M1)))
ONE_TILE_MM = 12
AT = "2026-11-23T20:00:00.000Z"


@cache
def alone() -> DecodedHand:
    """The hand without any answer."""
    return decoded_alone(doubted_hand())


@cache
def in_three_doubts() -> DecodedHand:
    """The same with two further discards in doubt, of which one may be alike as well; two others are alike for sure."""
    return decoded_alone(hand_with_doubts(DOUBTS))


@cache
def alike_for_sure() -> DecodedHand:
    """A hand with three discards that are alike for sure, and two that may be: a fifth one there cannot be."""
    return decoded_alone(hand_with_doubts(((DOUBTED, (Tile.P9, ALIKE)), (OTHER_DOUBTED, (Tile.M9, ALIKE)))))


def decoded_alone(content: bytes) -> DecodedHand:
    """The hand of a file without answers."""
    return decode_signals(content.splitlines(keepends=True))[1]


def first_discard_taken_for(other: Tile, east: int, message: Message) -> Message:
    """What the camera tells, in doubt whether the tile that East, at this place, laid first is another one."""
    if not isinstance(message, MatObservation) or not message.tiles:
        return message
    laid = Mat().spot(Slot(east, Area.RIVER, 0))
    doubted = tuple(
        replace(tile, shares={**dict.fromkeys(tile.shares, 0.49), other: 0.5}, sure=False)
        if math.dist((tile.x_mm, tile.y_mm), (laid.x_mm, laid.y_mm)) < ONE_TILE_MM
        else tile
        for tile in message.tiles
    )
    return replace(message, tiles=doubted)


def said(what: str, number: int = DOUBTED, about: str = KIND, by: str = "Anna") -> GivenAnswer:
    return GivenAnswer(number, about, what, by, AT)


def discarded(decoded: DecodedHand) -> str:
    return of_type(TileDiscarded, decoded.events[DOUBTED - 1].event).tile.text


def open_in(decoded: DecodedHand) -> set[tuple[int, str]]:
    return {question.subject for question in decoded.open}


@pytest.mark.parametrize("what", [*(kind.text for kind in KINDS), "1m"])
def test_a_discard_is_of_the_kind_that_somebody_says_and_is_asked_about_no_more(what: str) -> None:
    """Also of one that the camera did not think of."""
    after = alone().answered((), said(what))
    assert discarded(after) == what
    assert (DOUBTED, KIND) in open_in(alone())
    assert open_in(after) == open_in(alone()) - {(DOUBTED, KIND)}
    assert discarded(alone()) == RIGHT.text, "the hand without the answer stays as it was"
    assert question_about(alone(), DOUBTED).kinds[:2] == KINDS, "in the order of the camera"


@pytest.mark.parametrize("rules", rule_set_names())
def test_a_hand_of_each_rule_set_can_be_answered_and_stays_as_it_was_without_the_answer(rules: str) -> None:
    hand = played(rules, 0)
    decoder = decoder_of(hand, deal=False, gates=False)
    followed(decoder, messages_of(hand.at_table(only(), 12)), gates=False)
    whole = DecodedHand(decoder, decoder.finish())
    question = next(each for each in whole.open if not each.kinds)
    after = whole.answered((), said(YES, *question.subject))
    assert after.events == whole.events
    assert (question in whole.open, question.number in {each.number for each in after.open}) == (True, False)


@pytest.mark.slow
def test_a_hand_that_came_to_its_end_is_answered() -> None:
    hand = played("yangzhou", 38)  # a short one
    decoder = decoder_of(hand, deal=False, gates=False)
    laid = hand.first(TileDiscarded)[1]
    doubted = partial(first_discard_taken_for, ALL_TILES[laid.tile is ALL_TILES[0]], hand.east)
    followed(decoder, map(doubted, messages_of(hand.at_table(only()))), gates=False)
    whole = DecodedHand(decoder, decoder.finish())
    assert whole.decoder.complete
    question = next(each for each in whole.open if each.kinds)
    after = whole.answered((), said(laid.tile.text, *question.subject))
    assert after.decoder.complete
    assert after.events[question.number - 1].event == laid
    assert (question in whole.open, question.number in {each.number for each in after.open}) == (True, False)


def test_the_last_answer_to_a_question_counts_and_all_are_counted() -> None:
    first, second = RIGHT.text, OTHER.text
    given = (said(second), said(first, by="Ben"))
    after = alone().with_answers(given)
    assert discarded(after) == first
    ((settled,),) = [after.settled]
    assert (settled.answer.by, settled.given) == ("Ben", 2)


@pytest.mark.parametrize(("about", "what"), [(COURSE, YES), (COURSE, NO), (COURSE, UNKNOWN), (KIND, UNKNOWN)])
def test_an_answer_about_the_course_of_play_or_that_nobody_knows_is_noted_and_changes_nothing(about: str, what: str) -> None:
    (subject,) = (each for each in open_in(alone()) if each[1] == about)
    after = alone().answered((), said(what, *subject))
    assert after.events == alone().events
    assert subject not in open_in(after)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (said("1m", number=2), f"event 2 is not asked about; asked about: {DOUBTED}, "),
        (said(YES, about=COURSE), f"something else is asked about event {DOUBTED}"),
        (said("E"), "E is none of the tiles of these rules"),
        (said("5z"), "'5z' is not a tile"),
        (said(YES), "answer unknown if it is not known"),
        (said(ALIKE.text), f"event {DOUBTED} cannot be {ALIKE.text}: no hand that the rules allow has that"),
        (said("5m", EVENTS, COURSE), "the answer is yes, no, unknown, not '5m'"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_the_reason(answer: GivenAnswer, why: str) -> None:
    with pytest.raises(AnswerRefusedError, match=why):
        alone().answered((), answer)


def test_a_correction_that_makes_a_fifth_tile_of_a_kind_is_refused_and_invents_no_win() -> None:
    """With the last answer alone the best path leaves a discard unexplained, or is another one than Anna has said."""
    hand, given = alike_for_sure(), (said(Tile.P9.text), said(ALIKE.text, number=OTHER_DOUBTED))
    for number, answer in enumerate(given):
        hand.answered(given[:number], answer)
    no_hand, of_anna = (
        f"event {DOUBTED} cannot be {ALIKE.text}: no hand",
        f"event {OTHER_DOUBTED} would not be {ALIKE.text}, as Anna has said",
    )
    with pytest.raises(AnswerRefusedError, match=f"{no_hand}|{of_anna}"):
        hand.answered(given, said(ALIKE.text, by="Ben"))


def test_an_answer_that_makes_an_earlier_answer_untrue_is_refused_and_names_it() -> None:
    hand = decoded_alone(hand_with_doubts(((DOUBTED, (Tile.P9, ALIKE)), (OTHER_DOUBTED, (ALIKE, Tile.M9)), (11, (Tile.M9, ALIKE)))))
    given = (said(ALIKE.text, number=11, by="Ben"), said(Tile.M9.text, OTHER_DOUBTED), said(ALIKE.text))
    for number, answer in enumerate(given):
        hand.answered(given[:number], answer)
    of_anna, of_ben = (f"event {number} would not be {ALIKE.text}, as {by} has said" for number, by in ((DOUBTED, "Anna"), (11, "Ben")))
    with pytest.raises(AnswerRefusedError, match=f"({of_anna}|{of_ben}): answer the question"):
        hand.answered(given, said(ALIKE.text, OTHER_DOUBTED))


TRUE = (said(ALIKE.text), said(Tile.M9.text, OTHER_DOUBTED), said(Tile.M1.text, LAST_DOUBTED))
"""What the camera takes for another tile each time."""
ANSWERS = st.sampled_from([said(kind.text, number) for number, kinds in DOUBTS for kind in kinds])


@settings(max_examples=examples(6))
@drawn(st.lists(ANSWERS, max_size=4), st.permutations(TRUE))
def test_true_answers_end_in_one_record_in_any_order_and_after_any_others(others: list[GivenAnswer], true: list[GivenAnswer]) -> None:
    hand, given = in_three_doubts(), list[GivenAnswer]()
    for answer in (*others, *true, *true):  # the second time also what was refused because of another answer
        try:
            after = hand.answered(given, answer)
        except AnswerRefusedError:
            continue
        given.append(answer)
        assert all(settled.is_so_in(after) for settled in after.settled)
        assert not after.decoder.unexplained
        assert len(after.events) == EVENTS
    assert [each.event for each in after.events] == [each.event for each in hand.with_answers(TRUE).events]
    assert {(*each.question.subject, each.answer.said) for each in after.settled} == {(*each.subject, each.said) for each in TRUE}


def test_true_answers_are_all_taken_whatever_is_answered_first() -> None:
    for order in permutations(TRUE):
        for number, answer in enumerate(order):
            assert len(in_three_doubts().answered(order[:number], answer).settled) == number + 1


def asked_also(*questions: Question) -> DecodedHand:
    decoder = alone().decoder.copied()
    decoder.questions = list(with_subjects((*decoder.questions, *questions)))
    return replace(alone(), decoder=decoder)


def test_an_answer_about_one_seats_open_tiles_leaves_the_question_about_anothers() -> None:
    tiles = Question(DOUBTED, 0.0, 0.0, 9000, 20_000, (), None, (None, None), 0.0)
    seats = (replace(tiles, violation=PathViolation(ViolationKind.EXPOSED_TILES, seat, "", 10_000)) for seat in (Seat.WEST, Seat.NORTH))
    hand = asked_also(*seats)
    after = hand.answered((), said(YES, about="exposed-tiles W 9000"))
    assert open_in(hand) - open_in(after) == {(DOUBTED, "exposed-tiles W 9000")}
    assert (DOUBTED, "exposed-tiles N 9000") in open_in(after)


def test_an_answer_about_tiles_that_nothing_explains_leaves_the_question_about_later_ones() -> None:
    tiles = Question(DOUBTED, 0.0, 0.0, 9000, 20_000, (), None, (None, None), 0.0)
    hand = asked_also(tiles, replace(tiles, before_ms=25_000))
    after = hand.answered((), said(NO, about="course 25000"))
    assert open_in(hand) - open_in(after) == {(DOUBTED, "course 25000")}


def said_of_a_tile_near(right_mm: float, later_ms: int) -> GivenAnswer:
    """The other kind, said of a tile beside the doubted one, or of another time."""
    question = question_about(alone(), DOUBTED)
    return said(OTHER.text).placed(replace(question, x_mm=question.x_mm + right_mm, before_ms=question.before_ms + later_ms))


@pytest.mark.parametrize(("right_mm", "later_ms"), [(-4, 0), (0, 500)])
def test_an_answer_holds_where_its_tile_is_measured_a_little_otherwise(right_mm: float, later_ms: int) -> None:
    answer = said_of_a_tile_near(right_mm, later_ms)
    assert discarded(alone().with_answers([answer])) == answer.said


@pytest.mark.parametrize(("right_mm", "later_ms"), [(-26, 0), (0, 5000)])
def test_an_answer_to_another_tile_that_had_the_number_has_no_effect_and_the_question_is_open(right_mm: float, later_ms: int) -> None:
    answer = said_of_a_tile_near(right_mm, later_ms)
    after = alone().with_answers([answer])
    assert (after.events, after.settled, open_in(after)) == (alone().events, (), open_in(alone()))
    with pytest.raises(AnswerRefusedError, match="something else is asked about event"):
        alone().answered([], answer)


def test_a_question_that_gets_the_number_of_an_answered_one_is_open_and_is_answered() -> None:
    elsewhere = Question(DOUBTED, 150.0, 0.0, 60_000, 70_000, (), None, (None, None), 0.0)
    (moved,) = with_subjects([elsewhere])
    answer = GivenAnswer(*moved.subject, YES, "Ben", AT).placed(replace(moved, x_mm=0.0))
    hand = asked_also(elsewhere)
    hand = replace(hand, settled=(SettledQuestion(replace(moved, x_mm=0.0), answer, 1),))
    assert moved in hand.open
    assert hand.question_of(GivenAnswer(*moved.subject, NO, "Anna", AT)) == moved


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (said(ALIKE.text), f"event {DOUBTED} cannot be {ALIKE.text}: no hand that the rules allow has that"),
        (said("5m", EVENTS, COURSE), "the answer is yes, no, unknown, not '5m'"),
    ],
)
def test_an_answer_in_a_file_that_cannot_be_has_no_effect_and_its_line_is_told(answer: GivenAnswer, why: str) -> None:
    """An answer after it has its effect, and so has one before it that it was to correct."""
    before, after = said(OTHER.text), said(UNKNOWN, EVENTS, COURSE, by="Ben")
    lines, told_of = doubted_hand().splitlines(keepends=True), list[str]()
    answers = [msgspec.json.encode(each) + b"\n" for each in (before, answer, after)]
    _, hand, given = decode_signals([*lines, *answers], told_of.append)
    (sentence,) = told_of
    assert sentence.startswith(f"line {len(lines) + 2} of the observations is an answer that has no effect: ")
    assert why in sentence
    assert given == (before, after)
    assert hand.events == alone().events
    _, decoded = decode_lines([*lines, msgspec.json.encode(answer)])
    assert (decoded.events, open_in(decoded)) == (alone().events, open_in(alone()))


@pytest.mark.parametrize(("answer", "taken"), [(said(OTHER.text), True), (said("1m", number=2), False)], ids=["asked", "not asked"])
def test_a_file_with_an_answer_is_the_hand_with_that_answer_where_it_is_asked_about(answer: GivenAnswer, taken: bool) -> None:
    _, decoded = decode_lines([*doubted_hand().splitlines(keepends=True), msgspec.json.encode(answer)])
    assert [settled.answer for settled in decoded.settled] == [answer] * taken
    assert discarded(decoded) == (OTHER if taken else RIGHT).text
    assert (decoded.events == alone().events) is not taken


@settings(max_examples=examples(6))
@drawn(st.lists(ANSWERS, max_size=5))
def test_a_file_takes_the_answers_that_were_taken_one_by_one(answers: list[GivenAnswer]) -> None:
    hand, given = in_three_doubts(), list[GivenAnswer]()
    for answer in answers:
        try:
            hand.answered(given, answer)
        except AnswerRefusedError:
            continue
        given.append(answer)
    (decoded, taken, refused), again = hand.read(answers), hand.with_answers(given)
    assert taken == tuple(given)
    assert len(refused) == len(answers) - len(given)
    assert (decoded.events, decoded.settled) == (again.events, again.settled)


def test_answers_are_the_last_lines_of_a_file_and_no_signals() -> None:
    first, second, *rest = doubted_hand().splitlines(keepends=True)
    answer = msgspec.json.encode(said("1m"))
    with pytest.raises(DocumentError, match="line 4 of the observations comes after an answer"):
        decode_lines([first, second, answer, *rest])
    with pytest.raises(DocumentError, match="line 2 of the observations is an answer"):
        tuple(signals([answer]))
    with pytest.raises(DocumentError, match="line 3 of the observations: '5z' is not a tile"):
        decode_lines([first, second, msgspec.json.encode(said("5z"))])
