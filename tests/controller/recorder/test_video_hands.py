"""Hands of a video: where one ends, where East sits, where tiles would lie on a mat, and what becomes of a filmed hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from controller.recorder.observation_file import ordinary_hand
from controller.recorder.places import own_side
from controller.recorder.usual_places import UsualPlaces
from controller.recorder.video_hands import VideoHand, hand_number, parted
from tests.support.recorder.filmed_hands import FilmCamera, KnowingClassifier, KnowingFinder, filmed
from tests.support.recorder.played_hands import messages_of, only, played
from tests.support.tiers import TIER, Tier
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.play_events import PlayEvent, TileDrawn
from twinwall.game.tiles import Seat, Tile, parse_tiles, place_of, round_wind
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


@pytest.mark.parametrize(("faces", "hands"), [(4, [10]), (2, [10]), (1, [4, 6])])
def test_a_hand_ends_while_the_table_is_not_in_sight_where_most_of_its_faces_are_gone(faces: int, hands: list[int]) -> None:
    later = [replace(each, at_ms=each.at_ms + 10_000) for each in shown(faces, *5 * [4])]
    assert [len(hand) for hand in parted([*shown(*4 * [4]), *later])] == hands


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
            (laid(71, 49), None),
        ),
        *((laid(-78, 111, 61), 0), (laid(-111, -78, 29), 3)),
    ],
)
def test_the_first_discard_tells_where_east_sits(tile: ObservedTile, place: int | None) -> None:
    observations = [MatObservation(250 * number, (tile,) if number else ()) for number in range(3)]
    assert VideoHand(observations, "sichuan").east() == place


@pytest.mark.parametrize(("rules", "place"), [("sichuan", 0), ("seigo", 1)])
def test_a_discard_between_two_rivers_is_of_the_seat_it_is_upright_for_unless_it_may_call_riichi(rules: str, place: int) -> None:
    """A first discard laid at the corner of the next river made another seat East."""
    observations = [MatObservation(250 * number, (laid(109, 76),) if number else ()) for number in range(3)]
    assert VideoHand(observations, rules).east() == place


@pytest.mark.parametrize(("rules", "may_be_discard"), [("seigo", False), ("sichuan", True)])
def test_a_tile_turned_up_before_the_first_discard_is_none_where_the_rules_have_such_tiles(rules: str, *, may_be_discard: bool) -> None:
    tiles = laid(-83, 60, 95), laid(108, -70, 90)
    observations = [MatObservation(250 * number, tiles[: number // 4]) for number in range(4 * len(tiles) + 8)]
    assert (3 in VideoHand(observations, rules).first_places()) is may_be_discard


def test_a_first_tile_between_a_river_and_where_tiles_are_turned_up_leaves_both_possible() -> None:
    """A shared tile laid 27 mm off made another seat East, and no event of the hand was right (path-traced 685)."""
    tiles = laid(-96, 80, 95), laid(-70, 108), laid(108, 70, 90), laid(70, -108)
    observations = [MatObservation(250 * number, tiles[: number // 4]) for number in range(4 * len(tiles) + 8)]
    assert VideoHand(observations, "seigo").first_places() == [0, 3]


def test_one_frame_with_a_tile_in_a_hand_tells_nothing_and_a_river_from_the_beginning_neither() -> None:
    moving = [MatObservation(0, (laid(108, 70, 90),)), MatObservation(250), MatObservation(500, FOUR[:1]), MatObservation(750, FOUR[:1])]
    assert (VideoHand(moving, "sichuan").east(), VideoHand(shown(4, 4), "sichuan").east()) == (0, None)


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
        at_mm = x_mm + off_mm[0] + step * (turn == 0), y_mm + off_mm[1] + step * (turn == 90)
        tiles.append(ObservedTile(*at_mm, turn, shares={Tile(len(tiles) % 27): 0.99}, sure=True))
    return [MatObservation(250 * number, tuple(tiles[: number // 4])) for number in range(4 * len(tiles) + 8)]


@pytest.mark.parametrize(
    ("order", "east"), [("1023012", 0), ("0123", 0), ("2301", 2), ("3120", None), ("3012230123", 2), ("2230123", 2), ("201330122", 2)]
)
def test_discards_in_turn_tell_east_where_the_first_one_is_seen_late(order: str, east: int | None) -> None:
    assert VideoHand(discards(order), "sichuan").east() == east


@pytest.mark.parametrize(("at_once", "asked_from"), [(2, 35), (3, 8)], ids=["how the hand ends", "the third discard"])
def test_more_discards_at_once_than_can_be_laid_between_two_frames_are_asked_about(at_once: int, asked_from: int) -> None:
    filmed = [each for each in discards("0123" * 3) if not 2 < len(each.tiles) < 2 + at_once]
    asked = VideoHand(filmed, "sichuan").decoded(ordinary_hand("1", "sichuan", 1)).decoder.questions
    assert [question.number for question in asked if not question.kinds] == [asked_from]


@pytest.mark.parametrize("off_mm", [(0.0, 67.0), (-60.0, 0.0), (50.0, -70.0), (45.0, 110.0), (100.0, 129.0)])
def test_rivers_tell_where_the_middle_is_that_walls_and_hands_have_shown_elsewhere(off_mm: tuple[float, float]) -> None:
    at_home, moved = (VideoHand(discards("1230" * 3, off), "sichuan") for off in ((0, 0), off_mm))
    assert moved.east() == at_home.east() == 1
    spots = [[(round(tile.x_mm), round(tile.y_mm)) for tile in hand.observations[-1].tiles] for hand in (moved, at_home)]
    assert spots[0] == spots[1]
    x_mm, y_mm = at_home.seen_at(-70.0, 108.0)
    assert moved.seen_at(-70.0, 108.0) == pytest.approx((x_mm + off_mm[0], y_mm + off_mm[1]))


def corner(melds: int) -> tuple[ObservedTile, ...]:
    return (laid(-70.0, -71.0), *(laid(-291.0 + 28 * tile, -296.0) for tile in range(3 * melds)))


@pytest.mark.parametrize(
    ("order", "after", "more"),
    [
        pytest.param("1230" * 5, 4, corner(1), id="an early meld in a corner"),
        pytest.param("1230" * 5, 4, corner(2), id="two early melds in a corner"),
        pytest.param("3012" * 3, 12, tuple(laid(-330.0, -220.0 + 26 * tile, 90.0) for tile in range(10)), id="a hand after few discards"),
    ],
)
def test_melds_and_a_shown_hand_do_not_tell_the_middle_between_rivers(order: str, after: int, more: tuple[ObservedTile, ...]) -> None:
    rivers = discards(order)
    seen = [replace(one, tiles=(*one.tiles, *more)) if len(one.tiles) >= after else one for one in rivers]
    spots = [[(tile.x_mm, tile.y_mm) for tile in VideoHand(hand, "sichuan").observations[-1].tiles] for hand in (rivers, seen)]
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
    observations = (each for each in messages_of(hand.at_table(only(), first), frame_ms=1000) if isinstance(each, MatObservation))
    frames = list(filmed(observations, finder, FilmCamera(tilt_deg=22.0, from_deg=30.0)))
    watcher = TableWatcher(found_table(frames, finder), classifier, GeneralJudge(classifier.limits))
    looks = (watcher.observe(frame.image, finder.look(frame.image), frame.at_ms) for frame in frames)
    (seen,) = parted(each for each in looks if each is not None)
    video = VideoHand(seen, "sichuan", watcher.outlines_mm())
    assert video.east() == hand.east
    decoded = video.decoded(ordinary_hand("1", "sichuan", hand_number(hand.east)))

    def seen_of(events: tuple[PlayEvent, ...]) -> list[PlayEvent]:
        return [event for event in events if not isinstance(event, TileDrawn)]

    assert decoded.decoder.complete is (first is None)
    found, laid = seen_of(tuple(each.event for each in decoded.events)), seen_of(hand.events[:first])
    assert found == laid[: len(found)]
    assert len(found) >= len(laid) - (first is not None), "the end of the last claims shows with the next draw alone"


CORNER_MM, ROW_MM = 296.0, 345.0


def at_side(place: int, along_mm: float, away_mm: float, kind: Tile) -> ObservedTile:
    """A tile as its player lays it."""
    x_mm, y_mm = ((along_mm, away_mm), (away_mm, -along_mm), (-along_mm, -away_mm), (-away_mm, along_mm))[place]
    return ObservedTile(x_mm, y_mm, 90.0 * (place % 2), shares={kind: 0.99}, sure=True)


def row(place: int, kinds: str, middle_mm: float, away_mm: float = ROW_MM) -> list[ObservedTile]:
    """Tiles side by side, 27 mm apart."""
    tiles = parse_tiles(kinds)
    return [at_side(place, middle_mm + 27 * (number - (len(tiles) - 1) / 2), away_mm, kind) for number, kind in enumerate(tiles)]


def lying(*parts: Sequence[ObservedTile]) -> list[MatObservation]:
    """Each part is laid ten seconds after the one before, and they all stay."""
    times = range(0, 10_000 * (len(parts) + 1), 500)
    return [MatObservation(at_ms, tuple(tile for part in parts[: at_ms // 10_000] for tile in part)) for at_ms in times]


def in_places(seen: Sequence[MatObservation], place: int, area: Area, numbers: Sequence[int]) -> list[str]:
    """Of the tiles that were laid last, those that came to these places of a seat."""
    *_, last = UsualPlaces(seen, turned_up=False).laid()
    found = list[str]()
    for number in numbers:
        spot = Mat().spot(Slot(place, area, number))
        found += [max(tile.shares).text for tile in last.tiles if abs(tile.x_mm - spot.x_mm) + abs(tile.y_mm - spot.y_mm) < 0.1]
    return found


@pytest.mark.parametrize("corner_mm", [CORNER_MM, ROW_MM - 25, ROW_MM + 15], ids=["before the corner", "beyond its diagonal", "all of it"])
@pytest.mark.parametrize("place", range(4))
def test_melds_in_a_corner_come_to_the_mat_s_in_the_order_in_which_they_were_laid(place: int, corner_mm: float) -> None:
    seen = lying(row(place, "555p", corner_mm), row(place, "234m", corner_mm - 95))
    assert in_places(seen, place, Area.MELD, (0, 1, 2, 4, 5, 6)) == ["5p", "5p", "5p", "2m", "3m", "4m"]


PUNG, HAND = row(0, "555p", CORNER_MM), "123456789m11p"


def test_backs_that_were_gone_while_the_hand_went_on_are_no_meld() -> None:
    backs = tuple(replace(tile, face_up=False, shares={}, sure=False) for tile in row(0, "55p", 0.0))
    walls = [MatObservation(at_ms, backs) for at_ms in range(0, 5000, 500)]
    after = (replace(each, at_ms=each.at_ms + 5000) for each in lying(PUNG, [at_side(1, 0.0, 100.0, Tile.M1)]))
    assert in_places([*walls, *after], 0, Area.MELD, (0, 1, 2)) == ["5p", "5p", "5p"]


def test_a_concealed_kong_that_is_missed_for_a_moment_stays_a_meld() -> None:
    kong = tuple(replace(tile, face_up=False, shares={}, sure=False) for tile in row(0, "5555p", CORNER_MM))
    seen = lying(kong, row(0, "234m", CORNER_MM - 110), [at_side(1, 0.0, 100.0, Tile.M1)])
    missed = [replace(each, tiles=each.tiles[4:] if 24_000 < each.at_ms < 26_000 else each.tiles) for each in seen]
    assert in_places(missed, 0, Area.MELD, (4, 5, 6)) == in_places(seen, 0, Area.MELD, (4, 5, 6)) == ["2m", "3m", "4m"]


@pytest.mark.parametrize(
    ("place", "parts", "area", "numbers"),
    [
        pytest.param(1, [row(1, "535p", CORNER_MM)[::2]], Area.MELD, (0, 2), id="two tiles seen of a pung with a gap"),
        pytest.param(1, [row(1, "55p", CORNER_MM)], Area.MELD, (0, 1), id="two tiles seen of a pung"),
        pytest.param(1, [row(1, "234m", CORNER_MM)[::2]], Area.MELD, (0, 2), id="two tiles seen of a chow with a gap"),
        pytest.param(0, [[at_side(0, -20.0, 250.0, Tile.WHITE), *PUNG]], Area.MELD, (0, 1, 2), id="a meld beside a tile far from it"),
        pytest.param(0, [PUNG, [at_side(0, CORNER_MM, ROW_MM - 38, Tile.P5)]], Area.MELD, (3,), id="the fourth tile beside a pung"),
        pytest.param(2, [[at_side(2, -262, 330, Tile.P3)]], Area.WIN, (0,), id="a winning tile laid apart"),
        pytest.param(0, [[*row(0, HAND, 0.0, 330.0), at_side(0, -176.0, 330.0, Tile.P3)]], Area.WIN, (0,), id="a little apart on the left"),
        pytest.param(3, [[*row(3, HAND, 0.0, 330.0), at_side(3, 176.0, 330.0, Tile.P3)]], Area.WIN, (0,), id="a little apart on the right"),
        pytest.param(
            2,
            [[*row(2, "12345m", 0.0, 330.0), *row(2, "789m11p", 0.0, 368.0), at_side(2, -96.0, 330.0, Tile.P3)]],
            Area.WIN,
            (0,),
            id="a little apart from two rows",
        ),
    ],
)
def test_the_tiles_of_a_meld_and_a_winning_tile_that_were_laid_last_come_to_their_places(
    place: int, parts: Sequence[Sequence[ObservedTile]], area: Area, numbers: Sequence[int]
) -> None:
    assert in_places(lying(*parts), place, area, numbers) == [max(tile.shares).text for tile in parts[-1]][-len(numbers) :]


@pytest.mark.parametrize("side", range(4))
@pytest.mark.parametrize("off_mm", [0.0, 9.0])
@pytest.mark.parametrize("turned_up", [True, False], ids=["turned up", "in rules that turn no tile up"])
def test_a_tile_turned_up_by_the_middle_comes_to_the_first_shared_place(side: int, off_mm: float, *, turned_up: bool) -> None:
    first = Mat().spot(Slot(0, Area.SHARED, 10))
    x_mm, y_mm = own_side(side, first.x_mm, first.y_mm + off_mm)
    seen = lying([ObservedTile(x_mm, y_mm, 0.0, shares={Tile.RED: 0.99}, sure=True)])
    *_, last = UsualPlaces(seen, turned_up=turned_up).laid()
    place = (first.x_mm, first.y_mm + off_mm) if turned_up else (x_mm, y_mm)
    assert (last.tiles[0].x_mm, last.tiles[0].y_mm) == pytest.approx(place, abs=0.1)


def river(place: int, kinds: str, along_mm: float, away_mm: float) -> list[list[ObservedTile]]:
    """A seat's discards one after the other, so far from the mat's places."""
    slots = (Mat().at_own_side(Slot(place, Area.RIVER, index)) for index in range(len(kinds)))
    return [[at_side(place, x + along_mm, y + away_mm, kind)] for (x, y), kind in zip(slots, parse_tiles(kinds), strict=False)]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("off_mm", [(0.0, 22.0), (-17.0, -14.0), (26.0, 6.0)])
def test_a_river_that_begins_elsewhere_comes_to_the_mat_s(place: int, off_mm: tuple[float, float]) -> None:
    discards = river(place, "123456789m", *off_mm)
    seen, ninth, ((laid_at,),) = lying(*discards), Mat().spot(Slot(place, Area.RIVER, 8)), discards[8:]
    assert in_places(seen, place, Area.RIVER, range(9)) == [f"{rank}m" for rank in range(1, 10)]
    found = UsualPlaces(seen, turned_up=False).seen_at(ninth.x_mm, ninth.y_mm)
    assert found == pytest.approx((laid_at.x_mm, laid_at.y_mm), abs=0.1)


def test_one_discard_laid_astray_moves_no_river() -> None:
    discards = river(0, "123456789m", 0.0, 0.0)
    discards[4] = [replace(discards[4][0], x_mm=discards[4][0].x_mm + 20.0)]
    seen = lying(*discards)
    assert list(UsualPlaces(seen, turned_up=False).laid()) == seen


@pytest.mark.parametrize("place", range(4))
def test_a_shown_hand_comes_into_the_mat_s_row(place: int) -> None:
    seen = lying(row(place, "123456789m11p", 30.0, 330.0))
    *_, last = UsualPlaces(seen, turned_up=False).laid()
    assert [tile.shares for tile in last.tiles] == [tile.shares for tile in seen[-1].tiles]
    away = [(tile.y_mm, tile.x_mm, -tile.y_mm, -tile.x_mm)[place] for tile in last.tiles]
    assert away == pytest.approx([Mat().hand_row_mm] * 11, abs=0.1)


def test_what_covers_a_meld_covers_its_usual_place_and_a_question_finds_back() -> None:
    seen = lying(row(0, "555p", CORNER_MM))
    arm = frozenset((column, row_of) for column in range(12, 18) for row_of in range(15, 20))
    seen.append(MatObservation(20_000, (), arm))
    places = UsualPlaces(seen, turned_up=False)
    *_, last = places.laid()
    spot = Mat().spot(Slot(0, Area.MELD, 1))
    assert (round(spot.x_mm / 20), round(spot.y_mm / 20)) in last.covered
    assert places.seen_at(spot.x_mm, spot.y_mm) == pytest.approx((CORNER_MM, ROW_MM), abs=0.1)
    assert places.seen_at(-70.0, 108.0) == (-70.0, 108.0)


def test_a_hand_that_lies_as_the_mat_has_it_stays() -> None:
    hand = played("sichuan", 0).at_table(only())
    seen = [each for each in messages_of(hand, frame_ms=500) if isinstance(each, MatObservation)]
    assert list(UsualPlaces(seen, turned_up=False).laid()) == seen
