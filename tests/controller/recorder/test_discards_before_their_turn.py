"""Tiles that lay there before the turn of a seat began are the less likely to be its discard, the longer they lay there."""

from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.moves.melds import kongs
from controller.recorder.moves.turns import discards
from tests.controller.recorder.test_whole_hand import followed, with_open_tiles
from tests.support.recorder.played_hands import played
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, TileDiscarded, TileDrawn
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

BEFORE = pytest.mark.parametrize(
    ("before_ms", "times"), [(-1000, 0), (500, 0), (900, 1), (4800, 1), (5200, 2)], ids=["after", "at once", "before", "before it", "long"]
)


def price_of_discard(begun_by: type[TileDrawn | Claimed], before_ms: int, *, gates: bool = True) -> dict[str, float]:
    """What a discard has cost, by why, that lay there so long before the draw of its turn, or before the last discard: the one that its
    seat claimed, or where draws are not sensed."""
    hand = played("mcr-duplicate", 0)
    turns = zip(hand.events[1:], hand.events[2:], strict=False)
    began = next(number for number, (first, then) in enumerate(turns, 1) if isinstance(first, begun_by) and isinstance(then, TileDiscarded))
    discard = hand.events[began + 1]
    assert isinstance(discard, TileDiscarded)
    table, path = followed(hand, hand.events[: began + 1], {})
    slots = [event.tile for event in hand.events[:began] if isinstance(event, TileDiscarded) and event.seat is discard.seat]
    table, path = with_open_tiles(table, path, (hand.east + discard.seat.index) % 4, [*slots, discard.tile], area=Area.RIVER)
    lies = max(path.loose)
    path = replace(path, loose=frozenset({lies}))
    began_ms = table.track(lies).appeared_ms + before_ms
    if begun_by is TileDrawn and gates:
        path = replace(path, clock_ms=began_ms)
    else:
        last = max(number for number, event in enumerate(path.events) if isinstance(event, TileDiscarded))
        table.track(path.grounds[last].tracks[0]).bare_before_ms = began_ms
    table = replace(table, gates=gates, now_ms=began_ms + 10_000)
    (way,) = [after for after in discards(table, path, path.permissions(table)) if after.events[-1] == discard]
    return dict(way.grounds[-1].costs)


@BEFORE
def test_a_discard_that_lay_there_before_its_draw_is_unlikely_and_long_before_it_twice_as_much(before_ms: int, times: int) -> None:
    assert price_of_discard(TileDrawn, before_ms).get("lay there before the draw", 0.0) == times * costs.RARE


@BEFORE
def test_a_discard_that_lay_there_before_the_one_that_its_seat_claimed_is_as_unlikely(before_ms: int, times: int) -> None:
    assert price_of_discard(Claimed, before_ms).get("lay there before the claim", 0.0) == times * costs.RARE


@BEFORE
def test_without_gates_a_discard_that_lay_there_before_the_one_before_it_is_as_unlikely(before_ms: int, times: int) -> None:
    assert price_of_discard(TileDrawn, before_ms, gates=False).get("lay there before the draw", 0.0) == times * costs.RARE


@pytest.mark.parametrize("kind", [MeldType.ADDED_KONG, MeldType.CONCEALED_KONG])
@BEFORE
def test_tiles_that_lay_there_before_the_last_discard_are_as_unlikely_to_be_a_kong_after_it(
    before_ms: int, times: int, kind: MeldType
) -> None:
    """The fourth tile of a kong was laid with the others, and taken for one that was added to their pung turns later."""
    hand, number, declared = next(
        (hand, number, each)
        for hand in (played("mcr-duplicate", number) for number in range(700, 900))
        for number, each in enumerate(hand.events)
        if isinstance(each, KongDeclared) and each.meld.type is kind
    )
    table, path = followed(hand, hand.events[:number], {})
    melds, place = path.play.seat(declared.seat).melds, (hand.east + declared.seat.index) % 4
    added = kind is MeldType.ADDED_KONG
    group = next(at for at, meld in enumerate(melds) if meld.tiles == declared.meld.tiles[1:]) if added else len(melds)
    spots = [Mat().spot(Slot(place, Area.MELD, 4 * group + index)) for index in ((3,) if added else range(4))]
    laid = [ObservedTile(spot.x_mm, spot.y_mm, 0.0, added, dict.fromkeys(declared.meld.tiles, 1.0), sure=added) for spot in spots]
    before = set(table.tracks.all)
    for at_ms in (60_250, 60_500):
        table.tracks.see(MatObservation(at_ms, tuple(laid)))
    lies = frozenset(set(table.tracks.all) - before)
    last = max(number for number, event in enumerate(path.events) if isinstance(event, TileDiscarded))
    table.track(path.grounds[last].tracks[0]).bare_before_ms = 60_250 + before_ms
    table, path = replace(table, now_ms=70_000), replace(path, loose=lies)
    (way,) = [after for after in kongs(table, path, path.permissions(table)) if after.events[-1] == declared]
    assert dict(way.grounds[-1].costs).get("lay there before the last discard", 0.0) == times * costs.RARE
