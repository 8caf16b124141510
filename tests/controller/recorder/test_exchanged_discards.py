"""Discards of one seat that came to light together: in which order they were laid is a question where the whole hand is possible so."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import decoded
from tests.controller.recorder.test_whole_hand import followed
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Seat
from vision.mat import Area, Mat, Slot

LIGHT_MS = 200_000
"""When the tiles came to light: after the hand."""
SEAT = Seat.SOUTH


def came_to_light(hand: PlayedHand, places_mm: Mapping[int, tuple[float, float]]) -> tuple[TableContext, Hypothesis]:
    """The whole hand, at whose end these discards, by index, came to light together, each lying there."""
    table, path = followed(hand, hand.events, {})
    for number, (x_mm, y_mm) in places_mm.items():
        track = table.track(path.grounds[number].tracks[0])
        track.x_mm, track.y_mm, track.appeared_ms, track.bare_before_ms = x_mm, y_mm, LIGHT_MS, 0
    timed = tuple(replace(grounds, at_ms=1000 * number) for number, grounds in enumerate(path.grounds))
    return replace(table, over=True), replace(path, grounds=timed)


def margins(table: TableContext, path: Hypothesis, discards: Sequence[int]) -> list[float]:
    """How certain these discards are."""
    found = decoded(table, [path], [0.0], {}, smoothed_below=costs.PUBLISH if table.over else 0.0)
    return [found[number].margin for number in discards]


def own_discards(hand: PlayedHand) -> list[int]:
    """The indices of the seat's discards."""
    return [number for number, event in enumerate(hand.events) if isinstance(event, TileDiscarded) and event.seat is SEAT]


def dealt(hand: PlayedHand, discard: int) -> bool:
    """Whether the seat held the tile of its discard from the start."""
    event = hand.events[discard]
    assert isinstance(event, TileDiscarded)
    return event.tile in hand.walls[SEAT].hand


def spot_of(hand: PlayedHand, place: int) -> tuple[float, float]:
    """Where a place of the seat's river is."""
    spot = Mat().spot(Slot((hand.east + SEAT.index) % 4, Area.RIVER, place))
    return spot.x_mm, spot.y_mm


def between(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """The middle of two places."""
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


@pytest.mark.parametrize(
    ("second", "over", "certain"),
    [
        pytest.param(1, True, True, id="drawn after the first was laid"),
        pytest.param(1, False, False, id="drawn after that, and the hand goes on"),
        pytest.param(2, True, False, id="dealt"),
    ],
)
def test_two_discards_that_came_to_light_together_are_in_doubt_unless_one_was_drawn_after_the_other_was_laid(
    second: int, over: bool, certain: bool
) -> None:
    hand = played("mcr-duplicate", 1)
    both = own_discards(hand)[0], own_discards(hand)[second]
    assert dealt(hand, both[1]) is (second == 2), "choose other discards"
    middle = between(spot_of(hand, 0), spot_of(hand, second))
    table, path = came_to_light(hand, dict.fromkeys(both, middle))
    assert [margin >= costs.PUBLISH for margin in margins(replace(table, over=over), path, both)] == [certain, certain]


def test_three_discards_that_came_to_light_together_are_in_doubt_where_each_fits_in_the_place_of_the_next_one() -> None:
    """If two of them alone change places, one lies far from its place."""
    hand, places = played("mcr-duplicate", 2), (4, 8, 11)
    discards = [own_discards(hand)[place] for place in places]
    assert all(dealt(hand, discard) for discard in discards), "choose other discards"
    spots = [spot_of(hand, place) for place in places]
    lie = {discard: between(spots[number], spots[(number + 1) % 3]) for number, discard in enumerate(discards)}
    assert margins(*came_to_light(hand, lie), discards) == pytest.approx([0.0] * 3, abs=0.1)
    for two in combinations(discards, 2):
        assert min(margins(*came_to_light(hand, {discard: lie[discard] for discard in two}), two)) > 1.0


def test_a_third_tile_that_was_laid_later_takes_no_doubt_from_two_others() -> None:
    """Its place was seen bare when they lay there, so it changes places with neither; they may with each other."""
    hand, places = played("mcr-duplicate", 1), (0, 2, 5)
    first, second, third = (own_discards(hand)[place] for place in places)
    assert dealt(hand, second), "choose other discards"
    middle = between(spot_of(hand, places[0]), spot_of(hand, places[1]))
    table, path = came_to_light(hand, {first: middle, second: middle, third: spot_of(hand, places[2])})
    table.track(path.grounds[third].tracks[0]).bare_before_ms = LIGHT_MS - 1
    assert margins(table, path, (first, second)) == pytest.approx([0.0] * 2, abs=0.1)


def test_of_many_tiles_the_first_and_the_last_may_have_been_exchanged() -> None:
    hand = played("mcr-duplicate", 2)
    discards = own_discards(hand)[4:12]
    lie = {discard: spot_of(hand, place) for place, discard in enumerate(discards, 4)}
    first, last = discards[0], discards[-1]
    assert dealt(hand, last), "choose other discards"
    lie[first] = lie[last] = between(lie[first], lie[last])
    assert margins(*came_to_light(hand, lie), (first, last)) == pytest.approx([0.0] * 2, abs=0.1)
