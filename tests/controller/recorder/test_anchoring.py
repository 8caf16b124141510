"""Anchoring: the decoder goes on from the table's record, by all tiles on the mat; with other walls it publishes nothing wrong."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

import pytest

from controller.recorder.at_table.table_decoding import TableDecoding
from controller.recorder.decoder import HandDecoder
from controller.recorder.hypothesis import TileRole
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, GateEdge, KnownDeal, MarginBound
from controller.recorder.tracks import covers
from controller.state.messages import TilesDecoded
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from simulator.disturbances.kinds import NONE, Disturbance
from tests.support.recorder.kept_hand import a_hand, in_play
from tests.support.recorder.played_hands import FRAME_MS, PlayedHand, followed, messages_of, only, played
from tests.support.recorder.small_tables import tile_at
from tests.support.simulator.mat_observations import NO_NOISE
from tests.support.tiers import one_in
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    Meld,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, round_wind
from twinwall.game.walls import SeatWall
from vision.mat import MELD_SLOTS, Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

RECORD = (TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.P3))
DISCARD = Mat().spot(Slot(Seat.EAST.index, Area.RIVER, 0))
SHOWN = Mat().spot(Slot(Seat.SOUTH.index, Area.HAND, 0))
OVER_DISCARD = frozenset((x, y) for x in range(-30, 31) for y in range(-30, 31) if covers(frozenset({(x, y)}), DISCARD.x_mm, DISCARD.y_mm))


def show(decoder: HandDecoder, since_ms: int, tiles: tuple[ObservedTile, ...], covered: frozenset[tuple[int, int]] = frozenset()) -> None:
    """Five seconds in which these tiles lie there."""
    for at_ms in range(since_ms, since_ms + 5000, FRAME_MS):
        decoder.see(MatObservation(at_ms, tiles, covered))


def seeing(*tiles: ObservedTile, covered: frozenset[tuple[int, int]] = frozenset(), rules: str = "mcr-duplicate") -> HandDecoder:
    """A decoder that has missed the record, and sees tiles."""
    decoder = HandDecoder(rule_set(rules), all_seats(0), SEATS[0], None)
    show(decoder, 0, tiles, covered)
    return decoder


def shown(tile: Tile, *, sure: bool = True, share: float = 0.99) -> ObservedTile:
    return ObservedTile(SHOWN.x_mm, SHOWN.y_mm, SHOWN.turn_deg % 180, shares={tile: share, Tile.P3: 1 - share}, sure=sure)


def test_a_tile_that_is_surely_of_another_kind_is_none_of_the_record_whose_own_one_is_covered() -> None:
    """A tile of a shown hand was taken for a covered discard. So the hand lacked one, and its seat was told to have laid nothing."""
    decoder = seeing(shown(Tile.M3), covered=OVER_DISCARD)
    assert decoder.anchor(RECORD, 0)
    assert (decoder.held, len(decoder.unexplained)) == (RECORD, 1)


def test_the_decoder_does_not_go_on_from_a_record_whose_tile_is_not_found_where_nothing_covers_it() -> None:
    assert not seeing(shown(Tile.M3)).anchor(RECORD, 0)


def test_a_tile_of_which_no_frame_is_sure_may_be_the_one_of_the_record() -> None:
    decoder = seeing(shown(Tile.M3, sure=False, share=0.7))
    assert decoder.anchor(RECORD, 0)
    assert not decoder.unexplained


def test_a_shared_tile_of_the_record_is_known_where_it_lies() -> None:
    """It had no explanation, so nothing was certain from then on."""
    decoder = seeing(tile_at(Slot(0, Area.SHARED, 4), Tile.P3), rules="seigo")
    assert decoder.anchor((SharedTileTurned(4, Tile.P3),), 0)
    assert not decoder.unexplained


@pytest.mark.parametrize(
    ("events", "slot"),
    [
        pytest.param(
            (TileDrawn(Seat.EAST, from_end=False), WinDeclared(Seat.EAST, None, Tile.P3)),
            Slot(0, Area.WIN, 0),
            id="laid apart by its winner",
        ),
        pytest.param(
            (*RECORD, WinDeclared(Seat.SOUTH, Seat.EAST, Tile.P3), WinDeclared(Seat.WEST, Seat.EAST, Tile.P3)),
            Slot(0, Area.RIVER, 0),
            id="left in the river by two winners",
        ),
    ],
)
def test_a_winning_tile_is_known_where_it_lies_and_may_have_been_taken(events: tuple[PlayEvent, ...], slot: Slot) -> None:
    """Where play goes on after a win, its tile was taken for one of a hand left open, and its seat was accused."""
    lies, taken = seeing(tile_at(slot, Tile.P3), rules="sichuan"), seeing(rules="sichuan")
    assert lies.anchor(events, 0)
    assert not lies.unexplained
    assert taken.anchor(events, 0)


def test_a_tile_that_lies_nearer_to_the_next_slot_is_not_taken_for_the_next_discard() -> None:
    """The next discard was found nowhere then, and East was said to have discarded out of turn."""
    discards = ((Seat.EAST, Tile.P3), (Seat.SOUTH, Tile.M1), (Seat.WEST, Tile.M2), (Seat.NORTH, Tile.M4), (Seat.EAST, Tile.M3))
    turns = [(TileDrawn(seat, from_end=False), TileDiscarded(seat, tile), ClaimsPassed()) for seat, tile in discards]
    others = ((Mat().spot(Slot(seat.index, Area.RIVER, 0)), tile) for seat, tile in discards[1:4])
    lie = [ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={tile: 0.99}, sure=True) for spot, tile in others]
    first, second = (Mat().spot(Slot(Seat.EAST.index, Area.RIVER, index)) for index in range(2))
    off_mm = 0.6 * (second.x_mm - first.x_mm)
    lie.append(ObservedTile(first.x_mm + off_mm, first.y_mm, 0.0, shares={Tile.P3: 0.55, Tile.M3: 0.45}))
    lie.append(ObservedTile(second.x_mm + off_mm, second.y_mm, 0.0, shares={Tile.M3: 0.55, Tile.P3: 0.45}))
    decoder = seeing(*lie)
    assert decoder.anchor([event for turn in turns for event in turn], 0)
    found = [decoder.lying_as(TileRole(Seat.EAST.index, Area.RIVER, number)) for number in range(2)]
    assert [None if track is None else track.x_mm for track in found] == [lie[3].x_mm, lie[4].x_mm]


CLAIM = (*RECORD, Claimed(Seat.SOUTH, Meld(MeldType.PUNG, (Tile.P3,) * 3, Seat.EAST)), TileDiscarded(Seat.SOUTH, Tile.M9))
FIRST = {seat: Slot(seat.index, Area.RIVER, 0) for seat in SEATS}


def test_a_claimed_tile_whose_place_is_seen_bare_only_after_the_claim_accuses_nobody() -> None:
    """East was said to have discarded it out of turn (seigo 18033 and 18185)."""
    decoder = seeing(tile_at(FIRST[Seat.EAST], Tile.P3))
    meld = (tile_at(Slot(Seat.SOUTH.index, Area.MELD, index), Tile.P3) for index in range(3))
    lie = (*meld, tile_at(FIRST[Seat.SOUTH], Tile.M9))
    show(decoder, 6000, lie, OVER_DISCARD)
    assert decoder.anchor(CLAIM, 0)
    assert not decoder.unexplained
    decoder.draw_sensed(GateEdge(11_500, Seat.WEST.index))
    show(decoder, 12_000, (*lie, tile_at(FIRST[Seat.WEST], Tile.M1)))
    assert isinstance(decoder.held[-1], TileDiscarded)
    assert not decoder.reported_violations


def test_a_tile_beside_the_record_that_was_out_of_sight_is_asked_about_when_it_is_seen_again() -> None:
    """Whose turn it was when it came to lie is not known then: a second discard was told as one out of turn."""
    tiles = tile_at(FIRST[Seat.EAST], Tile.P3), tile_at(Slot(Seat.EAST.index, Area.RIVER, 1), Tile.M9)
    decoder = seeing(*tiles)
    show(decoder, 6000, tiles[1:], OVER_DISCARD)
    assert decoder.anchor((RECORD[0], TileDiscarded(Seat.EAST, Tile.M9)), 0)
    assert not decoder.unexplained
    show(decoder, 12_000, tiles)
    assert [found.violation.tracks for found in decoder.violations()] == [(0,)]
    assert not decoder.reported_violations


DISCARDED = [(number, event) for number, event in enumerate(a_hand().events[:13], start=1) if isinstance(event, TileDiscarded)]
HELD, LAST = next(one for one in reversed(DISCARDED) if [event.tile for _, event in DISCARDED].count(one[1].tile) == 1)
"""So many events are in the record; the last one is a discard of a kind that no other is."""
PLACE = in_play().deal.place(LAST.seat)
NUMBER = sum(event.seat is LAST.seat for number, event in DISCARDED if number < HELD)
WATCH = Watch(Awaited(Awaits.LAST_DISCARD, LAST.seat, NUMBER), (), version=WatchVersion(1, HELD, 1, 0))
OTHER = next(tile for tile in Tile if all(event.tile is not tile for _, event in DISCARDED))


def lying(*kinds: Disturbance) -> tuple[ObservedTile, ...]:
    """What lies when the last discard has been laid."""
    frames = [signal for signal in messages_of(a_hand().at_table(only(*kinds), HELD)) if isinstance(signal, MatObservation)]
    return frames[-1].tiles


def is_last(tile: ObservedTile) -> bool:
    return max(tile.shares, key=lambda kind: tile.shares[kind], default=None) is LAST.tile


def meld_of(*kinds: Tile) -> tuple[ObservedTile, ...]:
    """A meld before the next seat."""
    return tuple(tile_at(Slot((PLACE + 1) % 4, Area.MELD, index), kind) for index, kind in enumerate(kinds))


def answers(tiles: Iterable[ObservedTile], frames: int = 8, *, passed: bool = False) -> list[TilesDecoded]:
    """What is told of the last discard by a decoder that starts when these tiles lie."""
    decoding, seen = TableDecoding(a_hand().rules), tuple(tiles)
    after = (ClaimsPassed(),) if passed else ()
    hand = in_play(HELD)
    decoding.take_record(replace(hand, events=(*hand.events, *after), last_discard=WATCH))
    found = []
    for frame in range(frames):
        decoding.see(MatObservation(FRAME_MS * (1 + frame), seen))
        found.append(decoding.last_discard())
    return [each for each in found if each is not None]


@pytest.mark.parametrize("passed", [False, True], ids=["claims open", "claims passed"])
@pytest.mark.parametrize("kinds", [(), (Disturbance.DISCARD_OFF,), (Disturbance.DISCARD_IN_WRONG_PLACE,)], ids=["right", "off", "wrong"])
def test_a_discard_that_lies_where_it_lay_is_told_once_wherever_the_recorded_tiles_lie(kinds: Sequence[Disturbance], passed: bool) -> None:
    assert answers(lying(*kinds), passed=passed) == [TilesDecoded(WATCH, LAST)]


def test_a_discard_far_off_is_told_where_no_other_tile_lies_face_up() -> None:
    far = replace(next(filter(is_last, lying())), x_mm=0.0, y_mm=0.0)
    rest = [tile for tile in lying() if not is_last(tile)]
    assert answers([*rest, far]) == [TilesDecoded(WATCH, LAST)]
    assert answers([*rest, far, *meld_of(OTHER, OTHER)]) == []


Taken = Callable[[], tuple[ObservedTile, ...]]
TAKEN: dict[str, Taken] = {
    "into a hand": lambda: (),
    "into a pung": lambda: meld_of(*[LAST.tile] * (MELD_SLOTS - 1)),
    "another tile lies in its place": lambda: (tile_at(Slot(PLACE, Area.RIVER, NUMBER), OTHER),),
    "another tile lies elsewhere": lambda: meld_of(OTHER),
}


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
def test_of_a_discard_that_was_taken_nothing_is_told(taken: Taken) -> None:
    assert answers([*(tile for tile in lying() if not is_last(tile)), *taken()]) == []


def test_one_frame_tells_nothing_nor_many_in_which_another_tile_of_the_record_is_not_found() -> None:
    assert answers(lying(), frames=1) == answers(tile for tile in lying() if is_last(tile)) == []


def test_nothing_is_told_that_the_table_does_not_ask() -> None:
    decoding = TableDecoding(a_hand().rules)
    decoding.take_record(in_play(HELD))
    for frame in range(8):
        decoding.see(MatObservation(FRAME_MS * (1 + frame), lying()))
        assert decoding.last_discard() is None


def another_deal(hand: PlayedHand) -> KnownDeal:
    """The deal of a hand with the tiles of one kind of a wall, discarded in the middle of play, exchanged for some of another wall."""
    discards = [event for event in hand.events if isinstance(event, TileDiscarded)]
    middle = discards[len(discards) // 2]
    other = next(seat for seat in hand.walls if seat is not middle.seat)
    own, others = list(hand.walls[middle.seat].tiles), list(hand.walls[other].tiles)
    for place in [number for number, tile in enumerate(own) if tile is middle.tile]:
        given = next(number for number in reversed(range(len(others))) if others[number] is not middle.tile)
        own[place], others[given] = others[given], own[place]
    return KnownDeal({**hand.walls, middle.seat: _wall(own), other: _wall(others)}, hand.rest)


def _wall(tiles: list[Tile]) -> SeatWall:
    return SeatWall(tuple(tiles[:13]), tuple(tiles[13:]))


@cache
def decoded(rules: str, number: int) -> tuple[PlayedHand, HandDecoder, list[Decoded], Sequence[Decoded]]:
    """A hand with the walls of another deal: what was published on the way, and what was found in the end."""
    hand = played(rules, number)
    decoder = HandDecoder(hand.rules, all_seats(hand.east), round_wind(hand.to_play.hand), another_deal(hand))
    return hand, decoder, followed(decoder, messages_of(hand.at_table(NONE), NO_NOISE)), decoder.finish()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "number"),
    [
        ("sichuan", 30),  # a discard that is read surely would be another tile of the seat
        # in sichuan 0 a winner's hand has other tiles by that deal, with which it would not win: see test_violation_doubts.py
        *one_in(5, [("mcr-duplicate", 1), ("sichuan", 0), ("seigo", 1), ("sichuan", 1), ("yangzhou", 2)]),
    ],
)
def test_with_the_walls_of_another_deal_nothing_wrong_is_published_no_seat_accused_and_questions_are_asked(rules: str, number: int) -> None:
    hand, decoder, published, found = decoded(rules, number)
    assert [event.event for event in published] == [hand.events[event.number - 1] for event in published]
    wrong = [event for event, true in zip(found, hand.events, strict=False) if event.event != true]
    assert wrong
    assert any(question.number <= wrong[0].number for question in decoder.questions)
    assert decoder.reported_violations == {}


@pytest.mark.slow
def test_a_discard_that_the_deal_holds_for_another_kind_than_the_camera_surely_sees_is_asked_about_with_every_kind() -> None:
    hand, decoder, _, found = decoded("sichuan", 30)
    doubted = next(event for event in found if event.bound is MarginBound.OTHER_KIND)
    question = next(question for question in decoder.questions if question.number == doubted.number)
    true = hand.event(TileDiscarded, doubted.number - 1)
    assert (question.kinds[0], len(question.kinds)) == (true.tile, len(set(hand.rules.tiles)))
