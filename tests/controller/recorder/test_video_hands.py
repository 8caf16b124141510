"""Hands of a video: where one ends and the next begins, where East sits, and what becomes of a whole filmed hand."""

from dataclasses import replace

import pytest

from controller.recorder.observation_file import ordinary_hand
from controller.recorder.video_hands import VideoHand, hand_number, parted
from tests.support.recorder.filmed_hands import FilmCamera, KnowingClassifier, KnowingFinder, filmed
from tests.support.recorder.played_hands import only, played, told
from tests.support.tiers import TIER, Tier
from twinwall.game.play_events import PlayEvent, TileDrawn
from twinwall.game.session import place_of, round_wind
from twinwall.game.tiles import Seat
from vision.anytable.beginning import found_table
from vision.anytable.watcher import TableWatcher
from vision.mat_observation import MatObservation, ObservedTile
from vision.model.judge import GeneralJudge


def laid(x_mm: float, y_mm: float, angle_deg: float = 0.0) -> ObservedTile:
    return ObservedTile(x_mm, y_mm, angle_deg)


FOUR = tuple(laid(-70.0 + 28 * column, 108.0) for column in range(4))


def shown(*counts: int, every_ms: int = 1000) -> list[MatObservation]:
    """One observation a second, of so many faces."""
    return [MatObservation(every_ms * number, FOUR[:count]) for number, count in enumerate(counts)]


@pytest.mark.parametrize(
    ("counts", "hands"),
    [
        ((0, 1, 4, 4), [4]),
        ((0, 4, 0, 0, 0, 0, 4, 4), [8]),
        ((0, 4, 0, 0, 0, 0, 0, 0, 4, 4), [6, 4]),
        ((1, 0, 0, 0, 0, 0, 0, 4), [3]),
        ((0, 0, 0), []),
        ((0, 1, 2, 1), []),
    ],
)
def test_a_hand_ends_where_no_face_is_in_sight_for_five_seconds(counts: tuple[int, ...], hands: list[int]) -> None:
    assert [len(hand) for hand in parted(shown(*counts))] == hands


@pytest.mark.parametrize(
    ("tile", "place"),
    [
        *(
            (laid(-70, 108), 0),
            (laid(108, 70, 90), 1),
            (laid(70, -108), 2),
            (laid(-108, -70, 90), 3),
            (laid(90, 85), 0),
            (laid(0, 340), None),
            (laid(71, 79), None),
        ),
        *((laid(-78, 111, 61), 0), (laid(-111, -78, 29), 3)),
    ],
)
def test_the_first_discard_tells_where_east_sits(tile: ObservedTile, place: int | None) -> None:
    observations = [MatObservation(250 * number, (tile,) if number else ()) for number in range(3)]
    assert VideoHand(observations).east() == place


def test_one_frame_with_a_tile_in_a_hand_tells_nothing_and_a_river_from_the_beginning_neither() -> None:
    moving = [MatObservation(0, (laid(108, 70, 90),)), MatObservation(250), MatObservation(500, FOUR[:1]), MatObservation(750, FOUR[:1])]
    assert VideoHand(moving).east() == 0
    assert VideoHand(shown(4, 4)).east() is None


def discards(order: str, off_mm: tuple[float, float] = (0, 0)) -> list[MatObservation]:
    """One discard a second of the places in this order, around a middle that is ``off_mm`` from the camera's."""
    at, laid_by = (
        {0: (-70, 108, 0), 1: (108, 70, 90), 2: (70, -108, 0), 3: (-108, -70, 90)},
        [order[:n].count(place) for n, place in enumerate(order)],
    )
    tiles = list[ObservedTile]()
    for place, before in zip(map(int, order), laid_by, strict=True):
        x_mm, y_mm, turn = at[place]
        step = 28 * before * (1 if place in (0, 3) else -1)
        tiles.append(laid(x_mm + off_mm[0] + step * (turn == 0), y_mm + off_mm[1] + step * (turn == 90), turn))
    return [MatObservation(250 * number, tuple(tiles[: number // 4])) for number in range(4 * len(tiles) + 8)]


@pytest.mark.parametrize(("order", "east"), [("1023012", 0), ("0123", 0), ("2301", 2), ("3120", None), ("3012230123", 2), ("2230123", 2)])
def test_discards_in_turn_tell_east_where_the_first_one_is_seen_late(order: str, east: int | None) -> None:
    assert VideoHand(discards(order)).east() == east


@pytest.mark.parametrize("off_mm", [(0.0, 67.0), (-60.0, 0.0), (50.0, -70.0), (45.0, 110.0)])
def test_rivers_tell_where_the_middle_is_that_walls_and_hands_have_shown_elsewhere(off_mm: tuple[float, float]) -> None:
    at_home, moved = VideoHand(discards("1230" * 3)), VideoHand(discards("1230" * 3, off_mm))
    assert moved.east() == at_home.east() == 1
    spots = [[(round(tile.x_mm), round(tile.y_mm)) for tile in hand.observations[-1].tiles] for hand in (moved, at_home)]
    assert spots[0] == spots[1]
    x_mm, y_mm = at_home.seen_at(-70.0, 108.0)
    assert moved.seen_at(-70.0, 108.0) == pytest.approx((x_mm + off_mm[0], y_mm + off_mm[1]))


@pytest.mark.parametrize("melds", [1, 2])
def test_early_melds_in_a_corner_do_not_tell_where_the_middle_between_rivers_is(melds: int) -> None:
    more, at_home = (laid(-70.0, -71.0), *(laid(-291.0 + 28 * tile, -296.0) for tile in range(3 * melds))), discards("1230" * 5)
    with_meld = [replace(one, tiles=(*one.tiles, *more)) if len(one.tiles) > 3 else one for one in at_home]
    spots = [[(tile.x_mm, tile.y_mm) for tile in VideoHand(hand).observations[-1].tiles] for hand in (at_home, with_meld)]
    assert spots[0] == spots[1][: len(spots[0])]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("wind", list(Seat))
def test_the_number_of_a_hand_has_its_east_and_its_round(place: int, wind: Seat) -> None:
    number = hand_number(place, wind)
    assert (place_of(Seat.EAST, number), round_wind(number)) == (place, wind)


def test_a_filmed_hand_is_recorded_without_a_mat() -> None:
    """Sichuan's first simulated hand, to its end in ``make nightly``; with other rules and numbers wins without keys are asked about, as on
    the mat."""
    hand, finder, classifier = played("sichuan", 0), KnowingFinder(), KnowingClassifier()
    first = None if TIER is Tier.NIGHTLY else 45
    observations = (each for each in told(hand.at_table(only(), first), frame_ms=1000) if isinstance(each, MatObservation))
    frames = list(filmed(observations, finder, FilmCamera(tilt_deg=22.0, from_deg=30.0)))
    watcher = TableWatcher(found_table(frames, finder), classifier, GeneralJudge(classifier.limits))
    (seen,) = parted(watcher.observe(frame.image, finder.look(frame.image), frame.at_ms) for frame in frames)
    video = VideoHand(seen, watcher.outlines_mm())
    assert video.east() == hand.east
    decoded = video.decoded(ordinary_hand("1", "sichuan", hand_number(hand.east)))

    def seen_of(events: tuple[PlayEvent, ...]) -> list[PlayEvent]:
        return [event for event in events if not isinstance(event, TileDrawn)]

    assert decoded.decoder.complete is (first is None)
    found, laid = seen_of(tuple(each.event for each in decoded.events)), seen_of(hand.events[:first])
    assert found == laid[: len(found)]
    assert len(found) >= len(laid) - (first is not None), "the end of the last claims shows with the next draw alone"
