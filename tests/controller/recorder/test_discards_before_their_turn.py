"""Tiles that lay there before the turn of a seat began are the less likely to be its discard, the longer they lay there."""

from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.moves.melds import kongs
from controller.recorder.moves.turns import discards
from tests.controller.recorder.test_whole_hand import followed, with_open_tiles
from tests.support.recorder.played_hands import played
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, TileDiscarded, TileDrawn
from vision.mat import Area

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


@BEFORE
def test_a_tile_that_lay_there_before_the_last_discard_is_as_unlikely_to_have_been_added_to_a_pung(before_ms: int, times: int) -> None:
    """The fourth tile of a kong was laid with the others, and taken for one that was added to their pung turns later."""
    hand, kong = next(
        (hand, at)
        for hand in (played("mcr-duplicate", number) for number in range(700, 900))
        for at, each in enumerate(hand.events)
        if isinstance(each, KongDeclared) and each.meld.type is MeldType.ADDED_KONG
    )
    declared = hand.events[kong]
    assert isinstance(declared, KongDeclared)
    table, path = followed(hand, hand.events[:kong], {})
    group = next(at for at, meld in enumerate(path.play.seat(declared.seat).melds) if meld.tiles == declared.meld.tiles[1:])
    kinds = [declared.meld.tiles[0]] * (4 * group + 4)
    table, path = with_open_tiles(table, path, (hand.east + declared.seat.index) % 4, kinds, area=Area.MELD)
    lies = max(path.loose)
    path = replace(path, loose=frozenset({lies}))
    last = max(number for number, event in enumerate(path.events) if isinstance(event, TileDiscarded))
    table.track(path.grounds[last].tracks[0]).bare_before_ms = table.track(lies).appeared_ms + before_ms
    (way,) = [after for after in kongs(table, path, path.permissions(table)) if after.events[-1] == declared]
    assert dict(way.grounds[-1].costs).get("lay there before the last discard", 0.0) == times * costs.RARE
