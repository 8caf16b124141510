"""After a start in the middle of a hand the decoder says whether the last discard still lies there, by all tiles on the mat."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from controller.recorder.at_table.table_decoding import TableDecoding
from controller.state.messages import LastDiscardDecoded
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from simulator.disturbances.kinds import Disturbance
from tests.support.recorder.kept_hand import a_hand, in_play
from tests.support.recorder.played_hands import FRAME_MS, only, told
from tests.support.recorder.small_tables import tile_at
from twinwall.game.play_events import ClaimsPassed, TileDiscarded
from twinwall.game.tiles import Tile
from vision.mat import MELD_SLOTS, Area, Slot
from vision.mat_observation import MatObservation, ObservedTile

DISCARDED = [(number, event) for number, event in enumerate(a_hand().events[:13], start=1) if isinstance(event, TileDiscarded)]
RECORD, LAST = next(one for one in reversed(DISCARDED) if [event.tile for _, event in DISCARDED].count(one[1].tile) == 1)
"""So many events are in the record; the last one is a discard of a kind that no other is."""
PLACE = in_play().deal.place(LAST.seat)
NUMBER = sum(event.seat is LAST.seat for number, event in DISCARDED if number < RECORD)
WATCH = Watch(Awaited(Awaits.LAST_DISCARD, LAST.seat, NUMBER), (), version=WatchVersion(1, RECORD, 1, 0))
OTHER = next(tile for tile in Tile if all(event.tile is not tile for _, event in DISCARDED))


def lying(*kinds: Disturbance) -> tuple[ObservedTile, ...]:
    """What lies when the last discard has been laid."""
    frames = [signal for signal in told(a_hand().at_table(only(*kinds), RECORD)) if isinstance(signal, MatObservation)]
    return frames[-1].tiles


def is_last(tile: ObservedTile) -> bool:
    return max(tile.shares, key=lambda kind: tile.shares[kind], default=None) is LAST.tile


def meld_of(*kinds: Tile) -> tuple[ObservedTile, ...]:
    """A meld before the next seat."""
    return tuple(tile_at(Slot((PLACE + 1) % 4, Area.MELD, index), kind) for index, kind in enumerate(kinds))


def answers(tiles: Iterable[ObservedTile], frames: int = 8, *, passed: bool = False) -> list[LastDiscardDecoded]:
    """What is told of the last discard by a decoder that starts when these tiles lie."""
    decoding, seen = TableDecoding(a_hand().rules), tuple(tiles)
    after = (ClaimsPassed(),) if passed else ()
    hand = in_play(RECORD)
    decoding.follow(replace(hand, events=(*hand.events, *after), last_discard=WATCH))
    found = []
    for frame in range(frames):
        decoding.see(MatObservation(FRAME_MS * (1 + frame), seen))
        found.append(decoding.last_discard())
    return [each for each in found if each is not None]


@pytest.mark.parametrize("passed", [False, True], ids=["claims open", "claims passed"])
@pytest.mark.parametrize("kinds", [(), (Disturbance.DISCARD_OFF,), (Disturbance.DISCARD_IN_WRONG_PLACE,)], ids=["right", "off", "wrong"])
def test_a_discard_that_lies_where_it_lay_is_told_once_wherever_the_tiles_of_the_record_lie(
    kinds: Sequence[Disturbance], passed: bool
) -> None:
    assert answers(lying(*kinds), passed=passed) == [LastDiscardDecoded(WATCH)]


def test_a_discard_far_off_is_told_where_no_other_tile_lies_face_up() -> None:
    far = replace(next(filter(is_last, lying())), x_mm=0.0, y_mm=0.0)
    rest = [tile for tile in lying() if not is_last(tile)]
    assert answers([*rest, far]) == [LastDiscardDecoded(WATCH)]
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


def test_while_another_tile_of_the_record_is_not_found_nothing_is_told() -> None:
    assert answers(tile for tile in lying() if is_last(tile)) == []


def test_one_frame_tells_nothing() -> None:
    assert answers(lying(), frames=1) == []


def test_nothing_is_told_that_the_table_does_not_ask() -> None:
    decoding = TableDecoding(a_hand().rules)
    decoding.follow(in_play(RECORD))
    for frame in range(8):
        decoding.see(MatObservation(FRAME_MS * (1 + frame), lying()))
        assert decoding.last_discard() is None
