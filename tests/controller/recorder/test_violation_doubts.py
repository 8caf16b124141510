"""What is asked about violations after a hand, beside what the table has told of it: in doubt, or committed out of sight."""

import math
from dataclasses import replace

import pytest

from benchmarks.played_tables.violations import ViolationAct, violated_hand
from benchmarks.recorder_violations import SLIPS
from controller.recorder import costs
from controller.recorder.at_table.followed_hand import HandReview, doubted_violations
from controller.recorder.beam import Beam
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_order import lost_ms
from controller.recorder.margins.violation_margins import found_violations, violation_questions
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import Decoded, GateEdge, Grounds, Question
from controller.recorder.tracks import TrackList
from controller.recorder.violations import RULES, FoundViolation, PathViolation, ViolationKind
from controller.state.sides import KnownViolation
from controller.state.watches import HandToDecode
from simulator.disturbances.kinds import NONE, Disturbances
from tests.controller.recorder.test_violations import at_table
from tests.support.controller.rigs import opened
from tests.support.narrowed import of_type
from tests.support.recorder.doubted_hand import violations_followed
from tests.support.recorder.played_hands import FRAME_MS, Message, PlayedHand, decoder_of, messages_of, played
from tests.support.recorder.small_tables import a_table, path_at, tile_at, tracks_of
from tests.support.simulator.mat_observations import MEASURED_NOISE, NO_NOISE
from tests.support.tiers import some
from twinwall.game.play_events import ClaimsPassed, HandRuledDead, HandShown, PlayEvent, TileDiscarded, TileDrawn, WinDeclared, WinRefused
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

RULE_SET = "mcr-duplicate"
IN_DOUBT = ViolationKind.DREW_EARLY.value, ViolationKind.PUT_BACK.value


def asked(hand: PlayedHand, events: tuple[PlayEvent, ...], heard: list[Message], *table: KnownViolation) -> tuple[RecordDoubt, ...]:
    """What is asked of a hand with this record, of whose violations the table has told these."""
    deal = opened(hand.walls, hand=hand.to_play.hand, rules=RULE_SET, rest=hand.rest)
    review = HandReview(hand.rules, Mat(), HandToDecode(deal, None, events, closed=True, violations=table), tuple(heard))
    return tuple(each for each in review.compare() if each.violations)


def asked_after(act: ViolationAct, *table: KnownViolation) -> tuple[RecordDoubt, ...]:
    """What is asked of the beginning of a hand with one violation."""
    hand, _ = at_table(act)
    return asked(played(RULE_SET, 0), tuple(event for _, event in hand.events), list(messages_of(hand, NO_NOISE, backs=True)), *table)


@pytest.mark.parametrize("act", [ViolationAct.DREW_EARLY, ViolationAct.PUT_BACK, ViolationAct.DISCARDED_TWICE])
def test_a_violation_that_nobody_has_told_is_a_question_however_certain_it_is(act: ViolationAct) -> None:
    """It is asked before which event of the record it happened."""
    hand, (committed,) = at_table(act)
    (doubt,) = asked_after(act)
    assert (doubt.held, doubt.read, doubt.seat) == ("", "", committed.seat)
    if act is ViolationAct.DISCARDED_TWICE:
        assert doubt.number == 1 + sum(at_ms <= committed.at_ms for at_ms, _ in hand.events)
    assert doubt.violations == {act.value: RULES[ViolationKind(act.value)]}
    assert doubt.margin >= 9


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
    events, heard = [event for _, event in hand.events], list(messages_of(hand, NO_NOISE, backs=True))
    first = next(index for index, event in enumerate(events) if isinstance(event, TileDiscarded))
    discard = of_type(TileDiscarded, events[first])
    events[first] = replace(discard, tile=next(tile for tile in played(RULE_SET, 0).walls[discard.seat].hand if tile is not discard.tile))
    assert asked(played(RULE_SET, 0), tuple(events), heard) == ()


def test_before_a_ruling_on_the_hand_a_violation_is_asked_about_and_after_it_none() -> None:
    hand, _ = at_table(ViolationAct.DISCARDED_TWICE)
    events, heard = tuple(event for _, event in hand.events), list(messages_of(hand, NO_NOISE, backs=True))
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
    assert asked(hand, events, heard, KnownViolation(doubts[0].number - 1, seat, "drew-early")) == ()


@pytest.mark.parametrize(
    ("found", "drawn_ms"),
    [
        pytest.param(PathViolation(ViolationKind.DREW_EARLY, Seat.SOUTH, "", 10_000, back_ms=11_000), 13_000, id="found early"),
        pytest.param(PathViolation(ViolationKind.PUT_BACK, Seat.SOUTH, "", 11_000), 10_000, id="found lawful"),
    ],
)
def test_a_draw_put_back_near_a_discard_below_a_thing_is_asked_about_as_early_and_as_lawful(found: PathViolation, drawn_ms: int) -> None:
    """The gates tell the same of both."""
    tracks = tracks_of(tile_at(Slot(0, Area.RIVER, 0), Tile.M9), at_ms=(12_000, 12_250))
    table, events = a_table(tracks=tracks), (TileDiscarded(Seat.EAST, Tile.M9), TileDrawn(Seat.SOUTH, from_end=False))
    path = path_at(table, events=events, grounds=(Grounds(9000, tuple(tracks.all)), Grounds(drawn_ms)), loose=frozenset())
    in_doubt = [FoundViolation(found, costs.LINGERING)]
    questions = [each.violation for each in violation_questions(table, Beam([path], [0.0]), in_doubt, costs.ASK)]
    asked_about = {(each.kind, each.seat, each.at_ms) for each in questions if each is not None}
    assert asked_about == {(ViolationKind.DREW_EARLY, Seat.SOUTH, 10_000), (ViolationKind.PUT_BACK, Seat.SOUTH, 11_000)}


@pytest.mark.slow
@pytest.mark.parametrize("rules", some(rule_set_names(), 1))
def test_of_a_hand_in_which_people_disturb_and_break_no_rule_nothing_is_asked(rules: str) -> None:
    hand = played(rules, 8)
    at_table = hand.at_table(Disturbances(1))
    events = tuple(event for _, event in at_table.events)
    deal = opened(hand.walls, hand=hand.to_play.hand, rules=rules, rest=hand.rest)
    review = HandReview(hand.rules, Mat(), HandToDecode(deal, None, events, closed=True), tuple(messages_of(at_table)))
    assert not any(each.violations for each in review.compare())


@pytest.mark.slow
def test_each_of_several_violations_of_a_hand_is_a_question_unless_the_table_has_told_it() -> None:
    hand = played(RULE_SET, 41000)
    beginning = replace(hand.to_play, played=replace(hand.to_play.played, events=hand.events[:80]))
    at_table, committed = violated_hand(beginning, Disturbances(1, scales=dict.fromkeys(SLIPS, 0.0)), 5)
    assert len({each.act for each in committed}) > 3
    events, heard = tuple(event for _, event in at_table.events), list(messages_of(at_table, NO_NOISE, backs=True))
    so_far = [sum(at_ms <= each.at_ms + 5000 for at_ms, _ in at_table.events) for each in committed]
    live = [KnownViolation(after, each.seat, each.act.value) for after, each in zip(so_far, committed, strict=True)]
    doubts, untold = asked(hand, events, heard, *live[1::2]), committed[::2]
    assert [doubt.seat for doubt in doubts] == [each.seat for each in untold]
    assert all(each.act.value in (doubt.violations or ()) for doubt, each in zip(doubts, untold, strict=True))


@pytest.mark.parametrize("back_ms", [21_000, 0], ids=["back-later", "another-act"])
def test_a_tile_that_was_held_for_long_before_it_went_back_makes_one_question(back_ms: int) -> None:
    hand = played(RULE_SET, 0)
    decoder = decoder_of(hand)
    early = PathViolation(ViolationKind.DREW_EARLY, Seat.SOUTH, RULES[ViolationKind.DREW_EARLY], 1000, back_ms=back_ms)
    put_back = PathViolation(ViolationKind.PUT_BACK, Seat.SOUTH, RULES[ViolationKind.PUT_BACK], 21_000)
    decoder.questions = [Question(number, 0.0, 0.0, 0, 0, (), None, (None, None), 5.0, act) for number, act in ((4, early), (5, put_back))]
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
    laid_ms, place = at_table.events[drawn - 2][0], hand.place(event.seat)
    silent = range(laid_ms - 2500, laid_ms + 2500)
    seen = [each for each in messages_of(at_table, NO_NOISE) if not (isinstance(each, MatObservation) and each.at_ms in silent)]
    edges = [GateEdge(laid_ms + 500, place), GateEdge(laid_ms + 1500, place, back=True)]
    return event.seat, events, sorted((*seen, *edges), key=lambda message: message.at_ms)


SICHUAN = rule_set("sichuan")
TRACKS = TrackList()
for seen_ms, laid in ((9750, ()), (10_000, range(4)), (10_250, range(4))):
    TRACKS.see(MatObservation(seen_ms, tuple(ObservedTile(40.0 * at, 120.0, 0.0, shares={Tile.M1: 0.995}, sure=True) for at in laid)))
TABLE = TableContext(SICHUAN, Seat.EAST, MatPlaces(all_seats(0)), TRACKS, None, gates=True, now_ms=30_000)
CLAIM = PathViolation(ViolationKind.FALSE_CLAIM, Seat.SOUTH, "", 10_000, (1, 2, 3))
LAID = PathViolation(ViolationKind.DISCARDED_TWICE, Seat.SOUTH, "", 20_000, (4, 5))
OTHERS = PathViolation(ViolationKind.DISCARDED_TWICE, Seat.WEST, "", 20_000, (4, 5))
DREW = PathViolation(ViolationKind.DREW_TWICE, Seat.SOUTH, "", 20_000)


@pytest.mark.parametrize(
    ("doubt", "later", "told", "margin"),
    [
        pytest.param(4.0, LAID, False, costs.LINGERING, id="the earlier one is in doubt"),
        pytest.param(12.0, LAID, False, costs.ODD, id="the earlier one is certain"),
        pytest.param(4.0, LAID, True, costs.ODD, id="the earlier one has been told"),
        pytest.param(4.0, OTHERS, False, costs.ODD, id="the tiles are of another seat"),
        pytest.param(4.0, DREW, False, costs.ODD, id="the gates tell of the later one"),
    ],
)
def test_tiles_laid_after_a_seats_doubted_violation_are_asked_about(doubt: float, later: PathViolation, told: bool, margin: float) -> None:
    path = Hypothesis(SICHUAN.start(), None, violations=(CLAIM, later))
    found = found_violations(TABLE, Beam([path], [0.0], {}, {CLAIM.mark: doubt}), (), reported={CLAIM.mark} if told else set())
    assert [each.margin for each in found] == [doubt, margin]


@pytest.mark.parametrize(
    ("discard_ms", "margin"),
    [
        pytest.param(9700, costs.ODD, id="their place was seen bare since"),
        pytest.param(9900, costs.LINGERING, id="they may have lain below something"),
    ],
)
def test_nobody_is_accused_of_a_claim_with_tiles_that_may_have_lain_there_before_the_last_discard(discard_ms: int, margin: float) -> None:
    discarded = TileDiscarded(Seat.EAST, Tile.M9)
    path = Hypothesis(SICHUAN.start(), None, violations=(CLAIM,), events=(discarded,), grounds=(Grounds(discard_ms, (), ()),))
    assert [each.margin for each in found_violations(TABLE, Beam([path], [0.0]), ())] == [margin]


@pytest.mark.parametrize(("area", "margin"), [(Area.MELD, costs.LINGERING), (Area.HAND, costs.ODD)])
def test_nobody_is_accused_of_an_open_tile_that_lies_where_a_meld_belongs(area: Area, margin: float) -> None:
    """Of a false claim that was called by key one tile was seen (mcr-duplicate 71384)."""
    table = a_table(tracks=tracks_of(tile_at(Slot(1, area, 1), Tile.S6), at_ms=(10_000, 10_250)), now_ms=30_000)
    opened = PathViolation(ViolationKind.EXPOSED_TILES, Seat.SOUTH, "", 10_000, tuple(table.tracks.all))
    path = path_at(table, violations=(opened,), loose=frozenset())
    assert [each.margin for each in found_violations(table, Beam([path], [0.0]), ())] == [margin]


@pytest.mark.parametrize(
    ("seat", "opened_ms", "lost"), [(Seat.SOUTH, 6000, 5500), (Seat.SOUTH, 60_000, math.inf), (Seat.WEST, 6000, math.inf)]
)
def test_play_may_have_gone_on_otherwise_where_a_seat_pressed_win_and_left_tiles_open(seat: Seat, opened_ms: int, lost: float) -> None:
    """A paper left two tiles of a hand in sight that did not win; they were told as open tiles (mcr-duplicate 61568)."""
    table, drawn = a_table(now_ms=90_000), TileDrawn(Seat.EAST, from_end=False)
    key = KeyEdge(5000, table.places.places[Seat.SOUTH], Key.WIN)
    events = (drawn, TileDiscarded(Seat.EAST, Tile.M9), ClaimsPassed())
    grounds = (Grounds(3000), Grounds(5500), Grounds(8000, keys=(key,)))
    opened = PathViolation(ViolationKind.EXPOSED_TILES, seat, "", opened_ms)
    assert lost_ms(table, path_at(table, events=events, grounds=grounds, violations=(opened,))) == lost


@pytest.mark.parametrize(("kind", "margin"), [(Tile.M1, 12.0), (Tile.M2, costs.LINGERING)])
def test_nobody_is_accused_of_a_false_win_by_a_deal_of_which_a_tile_is_surely_another_one(kind: Tile, margin: float) -> None:
    table = a_table(tracks=tracks_of(tile_at(Slot(1, Area.HAND, 0), Tile.M1), at_ms=range(10_000, 20_000, FRAME_MS)), now_ms=20_000)
    events: tuple[PlayEvent, ...] = (WinDeclared(Seat.SOUTH, None, None), HandShown(Seat.SOUTH, (), kind), WinRefused(Seat.SOUTH, "no win"))
    grounds = (Grounds(9000), Grounds(10_000, tuple(table.tracks.all)), Grounds(10_000))
    path = path_at(table, events=events, grounds=grounds, kinds=dict.fromkeys(table.tracks.all, kind), loose=frozenset())
    found = [Decoded(number, event, 12.0, why) for number, (event, why) in enumerate(zip(events, grounds, strict=True), 1)]
    assert [each.margin for each in found_violations(table, Beam([path], [0.0]), found)] == [margin]


def told_among(since: str, at_ms: int) -> list[float]:
    """The margin of a draw that was put back, where a tile or a draw of this time has no explanation."""
    tracks = TrackList()
    for seen_ms in (at_ms, at_ms + 250):
        tracks.see(MatObservation(seen_ms, (ObservedTile(0.0, 120.0, 0.0, shares={Tile.M1: 0.995}, sure=True),)))
    table = replace(TABLE, tracks=tracks)
    loose, edges = (frozenset(tracks.all), ()) if since == "tile" else (frozenset[int](), (GateEdge(at_ms, 0),))
    path = Hypothesis(SICHUAN.start(), None, violations=(DREW,), loose=loose, edges=edges)
    return [each.margin for each in found_violations(table, Beam([path], [0.0]), ())]


@pytest.mark.parametrize("since", ["tile", "draw"])
def test_nobody_is_accused_while_what_came_after_the_act_has_no_explanation(since: str) -> None:
    assert told_among(since, DREW.at_ms + 2000) == [costs.LINGERING]
    assert told_among(since, DREW.at_ms - 2000) == [costs.ODD]
    assert told_among(since, TABLE.now_ms - costs.LINGERING_MS + 250) == [costs.ODD]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "number"),
    [
        pytest.param(*case, id=why)
        for *case, why in (
            ("mcr-duplicate", 64148, "a false win under an arm ended the hand, and what came after it was lost"),
            ("yangzhou", 51627, "a hand that does not win was an open tile once it was taken up"),
            ("yangzhou", 52075, "a claim below a phone made a false one of the next claim"),
            ("seigo", 56305, "a false claim was one taken back, whatever its tiles were"),
            ("seigo", 52145, "an open tile far from the river was the discard below a phone"),
            ("sichuan", 59014, "a win by voice before a draw out of turn was not thought of"),
        )
    ],
)
def test_people_are_told_of_what_they_committed_while_something_was_hidden(rules: str, number: int) -> None:
    hand = violations_followed(rules, number, MEASURED_NOISE)
    assert hand.is_exact
    told = sorted((each.violation for each in hand.decoder.reported_violations.values()), key=lambda violation: violation.at_ms)
    assert [(each.kind.value, each.seat) for each in told] == [(each.act.value, each.seat) for each in hand.committed]


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
