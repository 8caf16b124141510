"""The decoder: whatever hands do to the tiles, the hand is recorded as it was played, or somebody is asked."""

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

import pytest

from controller.recorder import costs
from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import GateEdge, KnownDeal, Question
from simulator.disturbances.kinds import Disturbance, Disturbances
from tests.support.controller.game import walls_of
from tests.support.recorder.played_hands import (
    FRAME_MS,
    Message,
    PlayedHand,
    decoder_of,
    followed,
    messages_of,
    near,
    only,
    played,
    seen_as,
    without_passes,
)
from tests.support.simulator.mat_observations import NO_NOISE, ObservationNoise
from tests.support.tiers import TIER, Tier
from twinwall.game.play_events import Claimed, HandShown, KongDeclared, Meld, MeldType, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.tiles import SEATS, Tile, round_wind
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Area, Mat, Slot, Spot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

BEGINNING = 14
UNTIL_A_CLAIM = 17
"""There are so many events until two after the first claim of the hand."""
PUSHED = 24
"""Among so many events a river is pushed three times."""
LONGER = {Disturbance.RIVER_MOVED: PUSHED, Disturbance.RIVER_REARRANGED: PUSHED, Disturbance.CAMERA_BUMPED: 36}
"""Events of which some follow on that: a river is pushed or re-arranged, a bump takes the mat out of the picture until the camera is put
back."""


def a_hand(rules: str = "mcr-duplicate") -> PlayedHand:
    return played(rules, 0)


def disturbed(rules: str, number: int) -> tuple[PlayedHand, HandDecoder]:
    """A whole hand of people who disturb as assumed, and the decoder that has followed it until 2 s after the last event, whatever still
    lies over the tiles."""
    hand = played(rules, number)
    decoder, at_table = decoder_of(hand), hand.at_table(Disturbances(1))
    last_ms, _ = at_table.events[-1]
    followed(decoder, takewhile(lambda message: message.at_ms < last_ms + 2000, messages_of(at_table)))
    return hand, decoder


def best(decoder: HandDecoder) -> list[PlayEvent]:
    return without_passes(event.event for event in decoder.best())


TO_TILES = """discard-loose discard-off discard-far-off discard-in-wrong-place discard-turned discard-overlapping discard-face-down
river-moved river-rearranged call-taken-back draw-put-back draw-laid-down draw-laid-aside hand-tiles-dropped arm-over-mat arm-stays
thing-on-mat light-step light-ramp camera-bumped camera-silent two-drawn draw-from-other-wall"""
TO_CLAIMS = "call-by-voice wrong-key second-call claimed-tile-late meld-far-off wrong-tile-taken"
TO_SHOWN_HANDS = "hand-unsorted hand-in-two-rows won-tile-taken won-tile-taken+winning-tile-not-apart"
SHORT_HAND = ("seigo", 37)
"""A hand of 60 events that ends with a win on a discard."""


@pytest.mark.parametrize(("rules", "known"), [*((rules, True) for rules in rule_set_names()), ("mcr-duplicate", False)])
def test_the_beginning_of_a_hand_of_any_rule_set_is_recorded(rules: str, known: bool) -> None:
    hand = played(rules, 0)
    decoder = decoder_of(hand, deal=known, gates=known)
    followed(decoder, messages_of(hand.at_table(only(), UNTIL_A_CLAIM)), gates=known)
    assert best(decoder) == without_passes(hand.events[:UNTIL_A_CLAIM])
    assert not decoder.reported_violations


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ways", "hand", "first"),
    [
        *((way, ("mcr-duplicate", 0), LONGER.get(Disturbance(way), BEGINNING)) for way in TO_TILES.split()),
        *((way, ("mcr-duplicate", 0), UNTIL_A_CLAIM) for way in TO_CLAIMS.split()),
        ("kong-apart", ("mcr-duplicate", 11), 12),
        *((ways, SHORT_HAND, None) for ways in TO_SHOWN_HANDS.split()),
    ],
)
def test_what_people_do_to_tiles_and_camera_changes_nothing_in_the_record(ways: str, hand: tuple[str, int], first: int | None) -> None:
    """Of a hand that is played to its end nothing is asked either."""
    known, disturbances = played(*hand), set(map(Disturbance, ways.split("+")))
    decoder, at_table = decoder_of(known), known.at_table(only(*disturbances), first)
    assert set(at_table.counts) == disturbances
    followed(decoder, messages_of(at_table))
    if first is None:
        assert tuple(event.event for event in decoder.finish()) == known.events
        assert not decoder.questions
    assert best(decoder) == without_passes(known.events[:first])
    assert not decoder.reported_violations


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_where_every_discard_comes_to_lie_on_anothers_river_nothing_wrong_is_published_and_nobody_accused(seed: int) -> None:
    """Whose they are cannot be told of so many; every second one is moved back."""
    hand = a_hand()
    decoder, at_table = decoder_of(hand), hand.at_table(only(Disturbance.DISCARD_ON_OTHER_RIVER, seed=seed), BEGINNING)
    assert at_table.counts[Disturbance.DISCARD_ON_OTHER_RIVER] > 3
    published = followed(decoder, messages_of(at_table))
    assert published
    assert all(event.event == hand.events[event.number - 1] for event in published)
    assert not decoder.reported_violations


def with_keys(keys: Iterable[KeyEdge]) -> HandDecoder:
    """The decoder that has followed the hand until after its first claim, with further keys."""
    hand = a_hand()
    decoder = decoder_of(hand)
    followed(decoder, heapq.merge(messages_of(hand.at_table(only(), UNTIL_A_CLAIM)), sorted(keys, key=_at_ms), key=_at_ms))
    assert best(decoder) == without_passes(hand.events[:UNTIL_A_CLAIM])
    return decoder


def _at_ms(message: Message) -> int:
    return message.at_ms


def discarded_ms() -> list[int]:
    """When the discards until after the first claim came to lie."""
    return [at_ms for at_ms, event in a_hand().at_table(only(), UNTIL_A_CLAIM).events if isinstance(event, TileDiscarded)]


def test_all_keys_pressed_at_once_after_each_discard_change_nothing_in_the_record() -> None:
    pressed = [KeyEdge(at_ms + 300, place, key) for at_ms in discarded_ms() for place in range(4) for key in Key]
    assert len(pressed) > 100
    margins = [(event.number, event.event, event.margin) for event in with_keys(pressed).best()]
    assert margins == [(event.number, event.event, event.margin) for event in with_keys([]).best()]


@pytest.mark.parametrize(("every_ms", "for_ms"), [(20, 2000), (1, 12)], ids=["held", "bouncing"])
def test_a_key_that_is_held_or_bounces_counts_once_until_it_has_had_an_effect(every_ms: int, for_ms: int) -> None:
    """Nobody has claimed; a key that came to nothing costs the path that holds this, and each repetition would again."""
    pressed_ms = discarded_ms()[1] + 300
    times = range(pressed_ms, pressed_ms + for_ms, every_ms)
    decoder = with_keys(KeyEdge(at_ms, 3, Key.CHOW) for at_ms in times)
    (settled,) = [event.grounds for event in decoder.best() if any(why == "key without effect" for why, _ in event.grounds.costs)]
    assert dict(settled.costs)["key without effect"] == costs.SOMETIMES
    assert settled.keys == (KeyEdge(pressed_ms, 3, Key.CHOW),)


LAG_MS = 10_000


def test_frames_of_the_last_ten_seconds_that_come_again_change_nothing_in_the_record() -> None:
    """A camera serves its buffer once more after a claim: the tile that was claimed lies in its river there, and others do not lie yet."""
    hand = a_hand()
    at_table = hand.at_table(only(Disturbance.ARM_OVER_MAT), UNTIL_A_CLAIM)
    stream = list(messages_of(at_table))
    claimed_ms = next(at_ms for at_ms, event in at_table.events if isinstance(event, Claimed)) + 1000
    before, after = [each for each in stream if each.at_ms < claimed_ms], [each for each in stream if each.at_ms >= claimed_ms]
    again = [each for each in before if isinstance(each, MatObservation) and each.at_ms > claimed_ms - LAG_MS]
    decoders = [decoder_of(hand), decoder_of(hand)]
    published = [followed(decoder, each) for decoder, each in zip(decoders, (stream, [*before, *again, *after]), strict=True)]
    assert best(decoders[0]) == without_passes(hand.events[:UNTIL_A_CLAIM])
    assert decoders[1].best() == decoders[0].best()
    assert published[1] == published[0]
    assert len(decoders[1].tracks.all) == len(decoders[0].tracks.all)


@pytest.mark.parametrize("deal", [True, False])
def test_a_discard_in_its_slot_is_published_by_the_second_frame_that_shows_it(deal: bool) -> None:
    hand = a_hand()
    published = followed(decoder_of(hand, deal=deal), messages_of(hand.at_table(only(), BEGINNING), NO_NOISE))
    discards = [event for event in published if isinstance(event.event, TileDiscarded)]
    assert len(discards) == sum(isinstance(event, TileDiscarded) for event in hand.events[:BEGINNING])
    assert {event.published_ms - event.grounds.at_ms for event in discards} == {FRAME_MS}
    assert len({event.number for event in published}) == len(published) >= BEGINNING - 4, "soon, and once each"
    assert all(event.event == hand.events[event.number - 1] for event in published)


@pytest.mark.slow
def test_discards_up_to_three_centimetres_off_are_published_by_the_second_frame_that_shows_them() -> None:
    """Until the next seat has drawn such a tile is no discard of that seat, and one alone is not the first of a hand or a meld. In the last
    row, beside the hand, it may be a tile of the hand that was left open: what is certain then the next draw says."""
    hand, first = a_hand(), None if TIER is Tier.NIGHTLY else 40
    published = followed(decoder_of(hand, deal=False), messages_of(hand.at_table(only(Disturbance.DISCARD_OFF), first), NO_NOISE))
    assert all(event.event == hand.events[event.number - 1] for event in published)
    discards = [event for event in published if isinstance(event.event, TileDiscarded)]
    after_ms = [event.published_ms - event.grounds.at_ms for event in discards]
    before_last_row = after_ms[: 2 * 6 * len(SEATS)]  # two rows of six of each seat
    assert max(before_last_row) <= 2 * FRAME_MS
    assert sum(ms == FRAME_MS for ms in before_last_row) >= 0.95 * len(before_last_row)
    assert max(after_ms) <= 4000


def test_once_the_hand_is_over_an_event_is_asked_about_whose_margin_is_too_low() -> None:
    """That is a lower margin than the one from which events are published while play goes on."""
    hand, asked = a_hand(), []
    for least in (0.0, costs.ODD + 1.0):
        limits = DecoderLimits(ask=least)
        decoder = HandDecoder(hand.rules, all_seats(hand.east), round_wind(hand.to_play.hand), None, limits=limits)
        published = followed(decoder, messages_of(hand.at_table(only(), 12), NO_NOISE))
        decoder.finish()
        asked.append((len(published), bool(decoder.questions)))
    assert asked == [(asked[0][0], False), (asked[0][0], True)]
    assert asked[0][0]
    assert DecoderLimits().ask < DecoderLimits().publish


@pytest.mark.parametrize("deal", [True, False])
def test_a_discard_far_off_its_slot_is_published_later_and_as_it_was_laid(deal: bool) -> None:
    hand = a_hand()
    published = followed(decoder_of(hand, deal=deal), messages_of(hand.at_table(only(Disturbance.DISCARD_FAR_OFF), BEGINNING), NO_NOISE))
    discards = [event for event in published if isinstance(event.event, TileDiscarded)]
    assert any(event.published_ms - event.grounds.at_ms > FRAME_MS for event in discards)
    assert all(event.event == hand.events[event.number - 1] for event in published)


@pytest.mark.nightly
def test_a_discard_that_is_still_out_of_sight_when_the_hand_is_over_is_asked_about_and_the_hand_goes_on() -> None:
    """The next seat had drawn 6 s before the end, which is when such a discard counts as never seen, and the hand was shown meanwhile."""
    hand, decoder = disturbed("seigo", 765)
    decoder.finish()
    for question in decoder.questions:
        decoder.answered(question, hand.event(TileDiscarded, question.number - 1).tile)
    assert tuple(event.event for event in decoder.finish()) == hand.events


@pytest.mark.slow
def test_nothing_is_published_after_a_discard_that_is_taken_for_an_earlier_one_while_draws_wait() -> None:
    """South's first discard was never seen, and its second one, which West claimed, taken for it: each number after it was wrong."""
    hand = played("mcr-duplicate", 1112)
    hidden = ObservationNoise(confused=0.0001, unsure=0.0001, washed_out=0.0001, hidden=0.0005)
    published = followed(decoder_of(hand), messages_of(hand.at_table(Disturbances(1)), hidden))
    assert published
    assert [event for event in published if hand.events[event.number - 1] != event.event] == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(786, id="discards that were washed out and unsure are known once their seat's hand lies open"),
        pytest.param(870, id="the win before hands lie open, with which the discard before it comes to light"),
        pytest.param(742, id="hands laid open at the end, though a path with a win by voice looked better from 13 tiles on"),
    ],
)
def test_a_hand_that_a_wrong_path_explained_better_for_a_time_is_recorded_in_silence(number: int) -> None:
    hand, decoder = disturbed("sichuan", number)
    assert tuple(event.event for event in decoder.finish()) == hand.events
    assert not decoder.questions


def washed_out(frame: MatObservation, *, spot: Spot) -> MatObservation:
    """The frame that says nothing of the kind of what lies about a place."""
    return replace(frame, tiles=tuple(replace(tile, shares={}, sure=False) if near(tile, spot) else tile for tile in frame.tiles))


def test_a_tile_whose_face_no_frame_reads_is_asked_with_all_kinds_and_recorded_as_answered() -> None:
    hand, washed = a_hand(), 4
    discard = hand.event(TileDiscarded, washed)
    decoder = decoder_of(hand)
    followed(decoder, seen_as(messages_of(hand.at_table(only(), BEGINNING)), partial(washed_out, spot=spot_of(hand, washed))))
    decoder.finish()
    asked = next(question for question in decoder.questions if question.number == washed + 1)
    assert set(asked.kinds) == set(Tile)
    decoder.answered(asked, discard.tile)
    assert decoder.finish()[washed].event == discard


def elsewhere(frame: MatObservation, *, spot: Spot, to: Spot) -> MatObservation:
    """The frame in which what lies about a place lies about another one."""
    x_mm, y_mm = to.x_mm - spot.x_mm, to.y_mm - spot.y_mm
    moved = (replace(tile, x_mm=tile.x_mm + x_mm, y_mm=tile.y_mm + y_mm) if near(tile, spot) else tile for tile in frame.tiles)
    return replace(frame, tiles=tuple(moved))


@pytest.mark.parametrize("deal", [True, False])
def test_a_discard_on_anothers_river_is_certain_once_play_has_gone_on_from_it_where_the_deal_is_known(deal: bool) -> None:
    hand, astray = a_hand(), 4
    discard = hand.event(TileDiscarded, astray)
    decoder = decoder_of(hand, deal=deal, gates=deal)
    stream = messages_of(hand.at_table(only(), 2 * BEGINNING), NO_NOISE)
    another = Mat().spot(Slot((hand.place(discard.seat) + 2) % 4, Area.RIVER, 13))
    followed(decoder, seen_as(stream, partial(elsewhere, spot=spot_of(hand, astray), to=another)), gates=deal)
    assert decoder.best()[astray].margin < DecoderLimits().publish
    decoder.finish()
    assert decoder.best()[astray].event == discard
    assert any(question.number == astray + 1 for question in decoder.questions) is not deal


def test_where_the_decoder_does_not_come_to_the_end_of_a_hand_it_asks_what_happened_next() -> None:
    hand = a_hand()
    decoder = decoder_of(hand)
    followed(decoder, messages_of(hand.at_table(only(), 4)))
    found = decoder.finish()
    assert isinstance(found[-1].event, TileDrawn)
    assert found[-1].margin == 0
    assert decoder.questions


def test_a_discard_under_an_arm_is_found_once_the_arm_is_gone_though_the_next_seat_has_drawn() -> None:
    hand = a_hand()
    decoder = decoder_of(hand)
    followed(decoder, messages_of(hand.at_table(only(Disturbance.ARM_STAYS), 5)))
    assert best(decoder)[:3] == without_passes(hand.events[:4])


def spot_of(hand: PlayedHand, number: int) -> Spot:
    """Where the discard that is this event belongs."""
    discard = hand.event(TileDiscarded, number)
    before = sum(isinstance(event, TileDiscarded) and event.seat is discard.seat for event in hand.events[:number])
    return Mat().spot(Slot(hand.place(discard.seat), Area.RIVER, before))


def never_seen(frame: MatObservation, *, spot: Spot) -> MatObservation:
    """The frame in which whatever lies about a place is hidden."""
    seen = tuple(tile for tile in frame.tiles if not near(tile, spot))
    lies = (round(spot.x_mm / COVER_MM), round(spot.y_mm / COVER_MM))
    return replace(frame, tiles=seen, covered=frame.covered | ({lies} if len(seen) < len(frame.tiles) else set()))


@pytest.mark.slow
def test_a_discard_that_no_frame_sees_is_asked_about_and_the_hand_goes_on() -> None:
    hand, hidden, first = a_hand(), 4, 40
    discard = hand.event(TileDiscarded, hidden)
    decoder = decoder_of(hand)
    followed(decoder, seen_as(messages_of(hand.at_table(only(), first)), partial(never_seen, spot=spot_of(hand, hidden))))
    decoder.finish()
    found = [event.event for event in decoder.best()]
    assert without_passes(found[hidden + 1 :]) == without_passes(hand.events[hidden + 1 : len(found)])
    assert len(found) >= first - 1
    asked = next(question for question in decoder.questions if question.number == hidden + 1)
    assert set(asked.kinds) == set(Tile)
    assert not any(event.number == hidden + 1 for event in decoder.published.values())
    decoder.answered(asked, discard.tile)
    assert decoder.best()[hidden].event == discard


@pytest.mark.slow
def test_the_last_discard_that_no_frame_saw_is_known_once_the_hands_of_all_seats_lie_open() -> None:
    """One of the tiles that lay open was taken for that discard, and a tile of the hand for one that nobody saw."""
    hand = played("sichuan", 1370)
    last, _ = hand.last(TileDiscarded)
    decoder = decoder_of(hand)
    followed(decoder, seen_as(messages_of(hand.at_table(only())), partial(never_seen, spot=spot_of(hand, last))))
    assert tuple(event.event for event in decoder.finish()) == hand.events
    assert not decoder.questions


@pytest.mark.nightly
def test_a_discard_that_no_frame_saw_costs_no_later_one_among_people_who_disturb() -> None:
    """The path that had guessed it was dropped before it could explain the next discard, which a path that waits does not have to."""
    hand, unseen = played("mcr-duplicate", 40024), 107
    decoder = decoder_of(hand)
    followed(decoder, seen_as(messages_of(hand.at_table(Disturbances(1))), partial(never_seen, spot=spot_of(hand, unseen))))
    found = [event.event for event in decoder.finish()]
    assert [number for number, (one, event) in enumerate(zip(found, hand.events, strict=True)) if one != event] == [unseen]
    assert [question.number for question in decoder.questions] == [unseen + 1]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "number"),
    [
        pytest.param("sichuan", 2158, id="a last discard that was won on"),
        pytest.param("sichuan", 20526, id="a win by key"),
        pytest.param("yangzhou", 20587, id="a tile of a kong"),
    ],
)
def test_what_was_hidden_for_some_time_is_found_when_nothing_lies_over_it_any_more(rules: str, number: int) -> None:
    """A path that explained all that had waited at once knew no wins, and of a kong that lies face down all four tiles had to be seen: 21
    events were told with wrong numbers."""
    hand = played(rules, number)
    decoder = decoder_of(hand)
    published = followed(decoder, messages_of(hand.at_table(Disturbances(1)), NO_NOISE))
    assert all(event.event == hand.events[event.number - 1] for event in published)
    assert tuple(event.event for event in decoder.finish()) == hand.events
    assert not decoder.questions


@pytest.mark.slow
def test_a_shown_hand_of_which_an_arm_covers_one_half_at_first_is_recorded_when_the_arm_has_left() -> None:
    """Tiles that were seen before the others counted as laid before them, though their places were not in sight."""
    hand = played(*SHORT_HAND)
    at_table = hand.at_table(only())
    shown_ms, shown = next((at_ms, event) for at_ms, event in at_table.events if isinstance(event, HandShown))
    spots = [Mat().spot(Slot(hand.place(shown.seat), Area.HAND, index)) for index in range(6, 13)]
    stream = list(messages_of(at_table, NO_NOISE))
    last = next(message for message in reversed(stream) if isinstance(message, MatObservation))
    stream += [replace(last, at_ms=last.at_ms + FRAME_MS * number) for number in range(1, 40)]
    decoder = decoder_of(hand)
    followed(decoder, seen_as(stream, partial(arm_over, spots=spots, times=range(shown_ms - 3000, shown_ms + 3000))))
    assert tuple(event.event for event in decoder.finish()) == hand.events
    assert not decoder.questions


def arm_over(frame: MatObservation, *, spots: Sequence[Spot], times: range) -> MatObservation:
    """The frame with an arm over some places, at these times."""
    if frame.at_ms not in times:
        return frame
    points = [(spot.x_mm + x, spot.y_mm + y) for spot in spots for x in (-10, 10) for y in (-15, 15)]
    covered = {(round(x_mm / COVER_MM), round(y_mm / COVER_MM)) for x_mm, y_mm in points}
    tiles = tuple(tile for tile in frame.tiles if not any(near(tile, spot) for spot in spots))
    return replace(frame, tiles=tiles, covered=frame.covered | covered)


SQUARES = {(column, row) for column in range(-20, 21) for row in range(-20, 21)}


def paper_over(frame: MatObservation, *, spot: Spot, times: range) -> MatObservation:
    """The frame with a thing of 70 mm about a place, at these times."""
    if frame.at_ms not in times:
        return frame
    below = {one for one in SQUARES if math.hypot(one[0] * COVER_MM - spot.x_mm, one[1] * COVER_MM - spot.y_mm) < 35}
    return replace(frame, tiles=tuple(tile for tile in frame.tiles if not near(tile, spot, 50)), covered=frame.covered | below)


@pytest.mark.slow
def test_a_discard_that_lay_below_a_thing_for_turns_is_recorded_once_it_comes_to_light() -> None:
    """Meanwhile a path has guessed it."""
    hand, hidden, first = a_hand(), 4, 22
    at_table = hand.at_table(only(), first)
    times = [at_ms for at_ms, _ in at_table.events]
    decoder = decoder_of(hand)
    covered = range(times[hidden] - 2000, times[first - 2] + 1000)
    followed(decoder, seen_as(messages_of(at_table), partial(paper_over, spot=spot_of(hand, hidden), times=covered)))
    assert best(decoder) == without_passes(hand.events[:first])


@pytest.mark.slow
def test_a_discard_that_stays_below_a_thing_does_not_multiply_what_each_observation_weighs() -> None:
    hand, hidden, first = a_hand(), 4, 40
    at_table = hand.at_table(only(), first)
    decoder, weighed = decoder_of(hand), list[int]()
    covered = range(at_table.events[hidden][0] - 2000, at_table.events[first - 1][0])
    stream = seen_as(messages_of(at_table, ObservationNoise(seed=3)), partial(paper_over, spot=spot_of(hand, hidden), times=covered))
    followed(decoder, stream, after=lambda: weighed.append(decoder.weighed))
    assert max(weighed) < 150


@pytest.mark.parametrize("deal", [True, False])
def test_where_no_frame_sees_a_shared_tile_no_event_is_published_with_a_number_that_is_wrong(deal: bool) -> None:
    hand, first = a_hand("seigo"), 8
    decoder = decoder_of(hand, deal=deal)
    spot = Mat().spot(Slot(0, Area.SHARED, 10))
    published = followed(decoder, seen_as(messages_of(hand.at_table(only(), first)), partial(never_seen, spot=spot)))
    assert published == []
    found = decoder.finish()
    assert decoder.questions
    if deal:
        assert [event.event for event in found] == list(hand.events[: len(found)])


def test_an_answer_is_weightier_than_the_frames_where_the_deal_allows_it() -> None:
    hand = a_hand()
    decoder = decoder_of(hand)
    followed(decoder, messages_of(hand.at_table(only(), 5)))
    discarded = decoder.best()[1]
    assert isinstance(discarded.event, TileDiscarded)
    seat, laid = discarded.event.seat, discarded.event.tile
    held = next(kind for kind in hand.walls[seat].hand if kind is not laid)
    strange = next(kind for kind in Tile if kind not in (*hand.walls[seat].hand, *hand.walls[seat].draws[:1]))
    question = Question(2, 0.0, 0.0, 0, 0, (), discarded.grounds.tracks[0], (discarded.event, None), 0.0)
    decoder.answered(question, strange)
    assert decoder.best()[1].event == discarded.event
    decoder.answered(question, held)
    assert decoder.best()[1].event == TileDiscarded(seat, held)


@pytest.mark.parametrize("apart_mm", [0.0, 25.0])
def test_four_tiles_laid_face_down_with_the_key_are_a_kong_however_far_apart(apart_mm: float) -> None:
    rules, mat = rule_set("mcr-duplicate"), Mat()
    deal = KnownDeal(walls_of({SEATS[0]: "1m 1m 1m 2m 3m 4m 5m 6m 7m 8m 9m E S 1m 9p"}))
    decoder = HandDecoder(rules, all_seats(0), SEATS[0], deal)
    slots = [mat.spot(Slot(0, Area.MELD, index)) for index in range(4)]
    river = mat.spot(Slot(0, Area.RIVER, 0))
    shifts = [apart_mm * (index - 1.5) / 1.5 for index in range(4)]
    backs = tuple(ObservedTile(spot.x_mm + by, spot.y_mm - apart_mm, 0.0, face_up=False) for spot, by in zip(slots, shifts, strict=True))
    discard = ObservedTile(river.x_mm, river.y_mm, 0.0, shares={Tile.P9: 0.99}, sure=True)
    decoder.draw_sensed(GateEdge(1000, 0))
    decoder.key_pressed(KeyEdge(2000, 0, Key.KONG))
    for at_ms in range(2250, 6000, 250):
        if at_ms == 4000:
            decoder.draw_sensed(GateEdge(at_ms, 0))
        decoder.see(MatObservation(at_ms, backs if at_ms < 5000 else (*backs, discard)))
    kong = KongDeclared(SEATS[0], Meld(MeldType.CONCEALED_KONG, (), None))
    assert best(decoder)[:2] == [TileDrawn(SEATS[0], from_end=False), kong]
    assert [event.tile for event in best(decoder) if isinstance(event, TileDiscarded)] == [Tile.P9]
