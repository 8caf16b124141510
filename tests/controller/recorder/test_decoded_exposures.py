"""Melds and shown hands that lie anywhere are told by the decoder without the deal, from the table's record on."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.at_table import reported_tiles
from controller.recorder.at_table.reported_tiles import DOUBT_MS, DoubtedTile
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.recorder.signals import Decoded, Grounds
from controller.state.messages import TilesDecoded
from controller.state.watches import Awaited, Awaits, HandToDecode, Watch, WatchVersion
from simulator.disturbances.kinds import Disturbance
from tests.support.controller.rigs import opened
from tests.support.narrowed import present
from tests.support.recorder.played_hands import FRAME_MS, PlayedHand, messages_of, only, played
from twinwall.game.play_events import Claimed, ClaimsPassed, HandShown, KongDeclared, Meld, MeldType, PlayEvent
from twinwall.game.tiles import ALL_TILES, Seat, Tile, parse_tiles
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

OFF_MM = 38.0
"""So far from its slots, towards the middle of the mat, a meld lies before its seat's hand."""
STILL = 16
"""So many frames more, in which nothing changes."""
DOUBTED = DOUBT_MS // FRAME_MS
"""So many frames more make a doubt."""
TOLD_OF: Mapping[Awaits, type[PlayEvent]] = {Awaits.MELD: Claimed, Awaits.HAND: HandShown, Awaits.KONG: KongDeclared}


def number_of(hand: PlayedHand, kind: type[PlayEvent]) -> int:
    """The index of the hand's first event of a kind."""
    return hand.first(kind)[0]


def frames_of(hand: PlayedHand, number: int, *kinds: Disturbance) -> list[MatObservation]:
    """What the camera sees from the turn of event ``number`` on, where people disturb in these ways, and while nothing changes then."""
    at_table = hand.at_table(only(*kinds), number + 1)
    began_ms = [at_ms for at_ms, _ in at_table.events][number - 1]
    frames = [signal for signal in messages_of(at_table) if isinstance(signal, MatObservation) and signal.at_ms >= began_ms]
    return still(frames, STILL)


def record_of(hand: PlayedHand, number: int, watch: Watch) -> HandToDecode:
    """The table's record before event ``number``, while it waits for this."""
    return HandToDecode(opened(hand.walls, hand=hand.to_play.hand), None, hand.events[:number], watch)


def told_of(hand: PlayedHand, number: int, awaited: Awaited, *kinds: Disturbance) -> list[TilesDecoded]:
    """What is told while the table's record stays before event ``number``. The decoder has seen nothing before that event's turn."""
    decoding = TableDecoding(hand.rules)
    decoding.take_record(record_of(hand, number, Watch(awaited, ())))
    answers = [decoding.see(frame) for frame in frames_of(hand, number, *kinds)]
    return [answer for answer in answers if isinstance(answer, TilesDecoded)]


def still(frames: Sequence[MatObservation], more: int) -> list[MatObservation]:
    """These frames, and so many in which nothing changes any more."""
    return [*frames, *(replace(frames[-1], at_ms=frames[-1].at_ms + FRAME_MS * number) for number in range(1, more + 1))]


def unsure(frames: Sequence[MatObservation], kind: Tile, other: Tile) -> list[MatObservation]:
    """The camera hesitates between two kinds at each tile of the first one that was not there in the first frame."""
    lay = {(tile.x_mm, tile.y_mm) for tile in frames[0].tiles}
    return [replace(frame, tiles=tuple(_hesitant(tile, kind, other, lay) for tile in frame.tiles)) for frame in frames]


def _hesitant(tile: ObservedTile, kind: Tile, other: Tile, lay: Collection[tuple[float, float]]) -> ObservedTile:
    fresh = tile.shares.get(kind, 0.0) > 0.5 and all(math.hypot(tile.x_mm - x_mm, tile.y_mm - y_mm) > 5 for x_mm, y_mm in lay)
    return replace(tile, shares={kind: 0.55, other: 0.4}, sure=False) if fresh else tile


def test_where_a_tile_of_the_called_meld_is_not_found_somebody_is_asked_to_look() -> None:
    """The table accuses a seat that lays nothing; this one has called a kong, and three of its tiles are seen."""
    hand = played("mcr-duplicate", 0)
    number, claimed = hand.first(Claimed)
    record = record_of(hand, number, Watch(Awaited(Awaits.MELD, claimed.seat, 0), tuple(Slot(0, Area.MELD, index) for index in range(4))))
    decoding = TableDecoding(hand.rules)
    decoding.take_record(record)
    answers = [decoding.see(frame) for frame in still(frames_of(hand, number), DOUBTED)]
    assert record.awaited is not None
    assert [answer for answer in answers if answer is not None] == [TilesDecoded(record.awaited, None)]


@pytest.mark.parametrize(("hidden", "asked"), [(DOUBTED, True), (1, False), (0, False)])
def test_where_something_unknown_lies_in_the_place_of_what_is_to_be_laid_somebody_is_asked_to_look(hidden: int, asked: bool) -> None:
    """Of a kong with backs of the cloth's colour no tile was found, and its seat was said to have laid nothing (seigo 21007)."""
    hand = played("mcr-duplicate", 0)
    slots = Slot(0, Area.MELD, 3), Slot(0, Area.RIVER, 0)
    spot, watch = Mat().spot(slots[0]), Watch(Awaited(Awaits.KONG, Seat.EAST, 0), slots, any_of=True)
    cover = frozenset({(round(spot.x_mm / COVER_MM), round(spot.y_mm / COVER_MM))})
    decoding = TableDecoding(hand.rules)
    decoding.take_record(HandToDecode(opened(hand.walls, hand=hand.to_play.hand), None, hand.events[:1], watch))
    seen = [MatObservation(FRAME_MS * number, (), cover if number > DOUBTED - hidden else frozenset()) for number in range(DOUBTED + 3)]
    assert [answer for frame in seen if (answer := decoding.see(frame)) is not None] == [TilesDecoded(watch, None)] * asked


@pytest.mark.parametrize("kinds", [(), (Disturbance.MELD_FAR_OFF,), (Disturbance.MELD_FAR_OFF, Disturbance.CLAIMED_TILE_LATE)], ids=str)
def test_a_meld_is_told_wherever_it_lies(kinds: Sequence[Disturbance]) -> None:
    hand = played("mcr-duplicate", 0)
    number, claimed = hand.first(Claimed)
    (answer,) = told_of(hand, number, Awaited(Awaits.MELD, claimed.seat, 0), *kinds)
    assert answer.event == claimed


@pytest.mark.parametrize("other", [0.0, 0.003])
def test_a_meld_whose_claimed_tile_lies_in_its_river_still_is_told_only_where_its_own_tiles_are_certain(other: float) -> None:
    """Which of several claims stands the table knows. Whether it was 4s or 7s that South laid beside 6s for a 5s it does not."""
    hand = played("mcr-duplicate", 0)
    number, place = number_of(hand, Claimed), hand.place(Seat.SOUTH)
    spots = [Mat().spot(Slot(place, Area.MELD, index)) for index in range(2)]
    own = zip(spots, ({Tile.S4: 0.99, Tile.S7: other}, {Tile.S6: 0.99}), strict=True)
    laid = [ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares=shares, sure=not other) for spot, shares in own]
    before = [signal for signal in messages_of(hand.at_table(only(), number)) if isinstance(signal, MatObservation)][-1]
    decoding, watch = TableDecoding(hand.rules), Watch(Awaited(Awaits.MELD, Seat.SOUTH, 0), ())
    decoding.take_record(record_of(hand, number, watch))
    decoding.see(before)
    frames = still([replace(before, at_ms=before.at_ms + FRAME_MS, tiles=(*before.tiles, *laid))], DOUBTED)
    answers = [answer for frame in frames if (answer := decoding.see(frame)) is not None]
    assert answers == [TilesDecoded(watch, None if other else hand.events[number])]


@pytest.mark.slow
def test_a_shown_hand_is_told_in_any_order_and_in_two_rows() -> None:
    kinds = (Disturbance.HAND_IN_TWO_ROWS, Disturbance.HAND_UNSORTED, Disturbance.WINNING_TILE_NOT_APART)
    hand = played("mcr-duplicate", 0)
    number, shown = hand.first(HandShown)
    (answer,) = told_of(hand, number, Awaited(Awaits.HAND, shown.seat, 0), *kinds)
    assert isinstance(answer.event, HandShown)
    assert sorted((*answer.event.concealed, answer.event.winning)) == sorted((*shown.concealed, shown.winning))


def test_nothing_is_told_of_a_seat_that_is_to_lay_nothing() -> None:
    hand = played("mcr-duplicate", 0)
    number, claimed = hand.first(Claimed)
    other = next(seat for seat in Seat if seat is not claimed.seat)
    assert told_of(hand, number, Awaited(Awaits.MELD, other, 0)) == []


def test_another_meld_is_told_where_the_table_has_not_taken_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fourth tile of a kong is laid late: the decoder was certain of a pung, which the table refused since a kong was called."""
    hand = played("mcr-duplicate", 0)
    number, claimed = hand.first(Claimed)
    kind = claimed.meld.tiles[0]
    read = [Claimed(claimed.seat, Meld(MeldType.PUNG, (kind,) * 3, claimed.meld.source))] * 3
    read += [Claimed(claimed.seat, Meld(MeldType.KONG, (kind,) * 4, claimed.meld.source))] * 3
    seen = iter(read)
    grounds = Grounds(0)
    monkeypatch.setattr(reported_tiles, "_next_laid", lambda *_: Decoded(1, next(seen, read[-1]), costs.MOST, grounds))
    assert [answer.event for answer in told_of(hand, number, Awaited(Awaits.MELD, claimed.seat, 0))] == [read[0], read[-1]]


def asked_about(hand: PlayedHand, watch: Watch, frames: Sequence[MatObservation]) -> tuple[TableDecoding, DoubtedTile]:
    """A decoder that has told of the one tile that is in doubt, and what it has told."""
    decoding = TableDecoding(hand.rules)
    decoding.take_record(record_of(hand, number_of(hand, TOLD_OF[watch.awaited.kind]), watch))
    (doubted,) = [answer for frame in still(frames, DOUBTED) if (answer := decoding.see(frame)) is not None]
    assert isinstance(doubted, DoubtedTile)
    assert doubted.report == TilesDecoded(watch, None, asked=doubted.report.asked)
    return decoding, doubted


def after_answer(hand: PlayedHand, decoding: TableDecoding, doubted: DoubtedTile, frame: MatObservation, tile: Tile) -> PlayEvent | None:
    """What is told once the referee has said which tile it is."""
    watch = replace(doubted.report.watch, answered=frozenset({present(doubted.report.asked)}))
    record = record_of(hand, number_of(hand, TOLD_OF[watch.awaited.kind]), watch)
    decoding.take_record(replace(record, answers={present(doubted.report.asked): tile}))
    later = replace(frame, at_ms=frame.at_ms + FRAME_MS * DOUBTED)
    (told_then,) = [answer for each in still([later], STILL) if (answer := decoding.see(each)) is not None]
    assert isinstance(told_then, TilesDecoded)
    return told_then.event


def doubted_chow() -> tuple[PlayedHand, tuple[Slot, ...], list[MatObservation], TableDecoding, DoubtedTile]:
    """South takes 5s with 4s and a tile that the camera takes for 6s or 3s: both make a chow."""
    hand = played("mcr-duplicate", 0)
    slots = tuple(Slot(hand.place(Seat.SOUTH), Area.MELD, index) for index in range(3))
    frames = unsure(frames_of(hand, number_of(hand, Claimed), Disturbance.MELD_FAR_OFF), Tile.S6, Tile.S3)
    return hand, slots, frames, *asked_about(hand, Watch(Awaited(Awaits.MELD, Seat.SOUTH, 0), slots), frames)


@pytest.mark.parametrize(("answer", "meld"), [(Tile.S6, "456s"), (Tile.S3, "345s")])
def test_a_tile_of_a_meld_off_its_slots_that_is_in_doubt_is_asked_about_and_the_answer_is_told(answer: Tile, meld: str) -> None:
    hand, slots, frames, decoding, doubted = doubted_chow()
    assert (doubted.report.asked, doubted.place.near.area, doubted.kinds[:2]) == (slots[2], Area.MELD, (Tile.S6, Tile.S3))
    assert set(doubted.kinds) == set(ALL_TILES)
    chow = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles(meld), Seat.EAST))
    assert after_answer(hand, decoding, doubted, frames[-1], answer) == chow


def test_an_answer_that_a_ruling_has_dropped_is_no_evidence_any_more_and_the_tile_is_asked_about_again() -> None:
    hand, _, frames, decoding, doubted = doubted_chow()
    wrong = after_answer(hand, decoding, doubted, frames[-1], Tile.S3)
    assert wrong == Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles("345s"), Seat.EAST))
    again = replace(doubted.report.watch, version=WatchVersion(1, len(hand.events), 1, 1))
    decoding.take_record(replace(record_of(hand, number_of(hand, Claimed), again), rulings=1))
    later = replace(frames[-1], at_ms=frames[-1].at_ms + 3 * FRAME_MS * DOUBTED)
    (told_then,) = [answer for each in still([later], DOUBTED) if (answer := decoding.see(each)) is not None]
    assert isinstance(told_then, DoubtedTile)
    assert told_then.report.asked == doubted.report.asked


@pytest.mark.slow
def test_a_tile_of_a_shown_hand_in_two_rows_that_is_in_doubt_is_asked_about_and_the_answer_is_told() -> None:
    kinds = (Disturbance.HAND_IN_TWO_ROWS, Disturbance.HAND_UNSORTED, Disturbance.WINNING_TILE_NOT_APART)
    hand = played("mcr-duplicate", 0)
    place = hand.place(Seat.SOUTH)
    slots = (*(Slot(place, Area.HAND, index) for index in range(4)), Slot(place, Area.WIN, 0))
    frames = unsure(frames_of(hand, number_of(hand, HandShown), *kinds), Tile.M7, Tile.M4)
    decoding, doubted = asked_about(hand, Watch(Awaited(Awaits.HAND, Seat.SOUTH, 0), slots), frames)
    assert doubted.place.near.place == place
    assert doubted.place.near.area in (Area.HAND, Area.WIN)
    assert after_answer(hand, decoding, doubted, frames[-1], Tile.M7) == hand.events[number_of(hand, HandShown)]


def test_nobody_is_asked_about_a_tile_where_it_is_not_a_tile_that_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was laid is read surely, and something else makes it uncertain: the staff look at the table."""
    hand = played("mcr-duplicate", 0)
    claimed = hand.events[number_of(hand, Claimed)]
    monkeypatch.setattr(reported_tiles, "_next_laid", lambda *_: Decoded(1, claimed, 1.0, Grounds(0)))
    decoding, watch = TableDecoding(hand.rules), Watch(Awaited(Awaits.MELD, Seat.SOUTH, 0), ())
    decoding.take_record(record_of(hand, number_of(hand, Claimed), watch))
    frames = still(frames_of(hand, number_of(hand, Claimed)), DOUBTED)
    assert [answer for frame in frames if (answer := decoding.see(frame)) is not None] == [TilesDecoded(watch, None)]


def test_the_fourth_tile_of_a_kong_far_from_its_pung_is_asked_about_where_it_belongs() -> None:
    """Its kind is read surely. The first place of any kong was asked about, where nothing lay, so the referee had no answer."""
    hand = played("yangzhou", 3451)
    number, place = number_of(hand, KongDeclared), hand.east
    slots = (*(Slot(place, Area.MELD, index) for index in (7, 3, 11, 15)), Slot(place, Area.RIVER, 9))
    frames = frames_of(hand, number)
    fourth = frames[-1].tiles[-1]
    apart = [replace(frame, tiles=tuple(_moved(tile, 50.0) if _is_at(tile, fourth) else tile for tile in frame.tiles)) for frame in frames]
    decoding, doubted = asked_about(hand, Watch(Awaited(Awaits.KONG, Seat.EAST, 9), slots, any_of=True), apart)
    assert (doubted.report.asked, doubted.kinds[0]) == (slots[1], Tile.EAST)
    assert after_answer(hand, decoding, doubted, apart[-1], Tile.EAST) == hand.events[number]


def _is_at(tile: ObservedTile, other: ObservedTile) -> bool:
    return math.hypot(tile.x_mm - other.x_mm, tile.y_mm - other.y_mm) < 5


def _moved(tile: ObservedTile, right_mm: float) -> ObservedTile:
    return replace(tile, x_mm=tile.x_mm + right_mm)


@pytest.mark.parametrize("named", ["456s", "457s", "45s"])
def test_a_meld_of_which_the_referee_has_named_each_tile_is_told_at_any_margin(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    """Nothing was left to ask, and its seat was said to have laid no tiles."""
    hand = played("mcr-duplicate", 0)
    claimed = hand.events[number_of(hand, Claimed)]
    monkeypatch.setattr(reported_tiles, "_next_laid", lambda *_: Decoded(1, claimed, 1.0, Grounds(0)))
    slots = tuple(Slot(hand.place(Seat.SOUTH), Area.MELD, index) for index in range(3))
    decoding, watch = TableDecoding(hand.rules), Watch(Awaited(Awaits.MELD, Seat.SOUTH, 0), slots)
    decoding.take_record(
        replace(record_of(hand, number_of(hand, Claimed), watch), answers=dict(zip(slots, parse_tiles(named), strict=False)))
    )
    answers = [answer for frame in frames_of(hand, number_of(hand, Claimed)) if (answer := decoding.see(frame)) is not None]
    assert answers == ([TilesDecoded(watch, claimed)] if named == "456s" else [])


def test_a_meld_of_a_discard_that_one_frame_saw_is_told_on_the_tables_record() -> None:
    """The discard was claimed at once. A path on which the three tiles are a false claim contradicts the record, which has the discard."""
    hand = played("seigo", 5)
    turns = zip(hand.events, hand.events[1:], strict=False)
    number, claimed = next((at, then) for at, (now, then) in enumerate(turns, 1) if (type(now), type(then)) == (ClaimsPassed, Claimed))
    assert isinstance(claimed, Claimed)
    place, laid_at = hand.place(claimed.seat), number - 2
    watch, decoding = Watch(Awaited(Awaits.MELD, claimed.seat, 0), ()), TableDecoding(hand.rules)
    decoding.take_record(replace(record_of(hand, 0, watch), awaited=None))
    before = [*messages_of(hand.at_table(only(), laid_at))]
    for signal in before:
        decoding.see(signal) if isinstance(signal, MatObservation) else decoding.hear(signal)
    discarded, last = (
        [signal for signal in messages_of(hand.at_table(only(), first)) if isinstance(signal, MatObservation)][-1]
        for first in (number - 1, laid_at)
    )
    decoding.see(replace(discarded, at_ms=last.at_ms + FRAME_MS))
    decoding.hear(KeyEdge(last.at_ms + FRAME_MS + 1, place, Key.CHOW))
    decoding.take_record(record_of(hand, number, watch))
    spots = [Mat().spot(Slot(place, Area.MELD, index)) for index in range(3)]
    in_x_mm, in_y_mm = ((0.0, -OFF_MM), (-OFF_MM, 0.0), (0.0, OFF_MM), (OFF_MM, 0.0))[place]
    meld = [
        ObservedTile(spot.x_mm + in_x_mm, spot.y_mm + in_y_mm, spot.turn_deg % 180, shares={tile: 0.995}, sure=True)
        for spot, tile in zip(spots, claimed.meld.tiles, strict=True)
    ]
    frames = still([replace(last, at_ms=last.at_ms + 2 * FRAME_MS, tiles=(*last.tiles, *meld))], DOUBTED + STILL)
    assert [answer for frame in frames if (answer := decoding.see(frame)) is not None] == [TilesDecoded(watch, claimed)]
