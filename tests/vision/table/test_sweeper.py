"""Sweep of the mat through the simulated camera: tiles anywhere at any angle, backs, arms, and what lies still."""

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import product

import cv2
import numpy as np
import pytest
from msgspec import structs

from simulator.cameras.cover_layers import Arm, arm_layer
from simulator.cameras.ground import SIDE_PX, Cloth
from simulator.cameras.optics import Picture, jpeg
from simulator.cameras.table import USUAL_CLOTH, USUAL_TILES, TableCamera, TableLook, TileSet
from simulator.scene import BACK, LaidTile, TableScene
from tests.support.narrowed import present
from tests.support.simulator.strewn_tables import StrewnTile, laid_at, strewn_table
from tests.support.simulator.swept_tables import QUALITY
from tests.support.simulator.table_trials import Fault, hung_view, trial_camera, trial_look
from tests.support.tiers import one_in, some
from twinwall.art.mat import Area, Mat, Slot
from vision.cameras.port import CameraFrame, Region, decode_picture
from vision.finder.found import FoundTable
from vision.finder.tile_finder import TileFinder
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile
from vision.model.classifier import Classifier
from vision.table.mat_finder import MatFinder
from vision.table.placement import MatPlacement
from vision.table.seen_mat import MatFollower
from vision.table.slots import Presence
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

MAT = Mat()
HEIGHT_MM = 1600.0
GAINS: Picture = np.full((SIDE_PX, SIDE_PX, 3), 128, np.uint8)
BLUE = TileSet(back=(140, 84, 30))
FAR_APART = (
    StrewnTile("5m", -150.0, 40.0, 63.0),
    StrewnTile("3p", 30.0, -200.0, 131.0),
    StrewnTile("8s", 200.0, 90.0, 17.0),
    StrewnTile("E", -40.0, 250.0, 94.0),
    StrewnTile("C", 120.0, 180.0, 348.0),
)
ROW = tuple(StrewnTile(face, -60.0 + 26.3 * column, 10.0, 0.0) for column, face in enumerate(("2m", "7p", "F", "4s", "9m")))
FIRST_DISCARDS = (
    StrewnTile("7p", 70.3, 71.3, 0.0),
    StrewnTile("6p", 109.5, 72.2, 90.0),
    StrewnTile("N", 72.8, -103.6, 1.0),
    StrewnTile("6p", -108.4, -69.7, 91.0),
    StrewnTile("F", -70.1, 107.6, 179.0),
)

LOOSE_DISCARDS = (
    StrewnTile("6p", 107.9, 69.9, 228.9),
    StrewnTile("9m", 121.0, 0.7, 269.2),
    StrewnTile("5m", 114.5, 28.7, 270.0),
    StrewnTile("C", 103.4, -25.3, 270.7),
    StrewnTile("1p", 103.6, -53.5, 90.0),
)


@cache
def hung_camera() -> TableCamera:
    return TableCamera(3, MAT, TableLook(hung_view((4.0, -7.0), HEIGHT_MM, (2.0, -1.0), 0.6, 0.0), GAINS, tiles=BLUE))


@pytest.fixture
def camera() -> TableCamera:
    """One table for all: only what lies on it changes, and the noise is the same whatever was looked at before."""
    return deepcopy(hung_camera())


def sweeper(classifier: Classifier) -> MatSweeper:
    placement = MatPlacement(MAT, camera_height_mm=HEIGHT_MM)
    return MatSweeper(MAT, classifier, MatFollower(MAT, placement, 16.0))


def shown(table: TableCamera, tiles: Sequence[StrewnTile], number: int = 0, arms: Sequence[Arm] = ()) -> CameraFrame:
    layers = [arm_layer(arm, table.view, GAINS) for arm in arms]
    picture = table.render(TableScene(number, tuple(laid_at(tile, MAT) for tile in tiles)), over=layers)
    return CameraFrame(picture, number * 100_000_000, number * 100_000_000 + 1)


def swept(classifier: Classifier, table: TableCamera, tiles: Sequence[StrewnTile], arms: Sequence[Arm] = ()) -> MatObservation:
    return present(sweeper(classifier).observe(shown(table, tiles, arms=arms), 7))


def at(seen: MatObservation, tile: StrewnTile) -> ObservedTile | None:
    """The observed tile that lies where a tile was laid."""
    near = [one for one in seen.tiles if np.hypot(one.x_mm - tile.x_mm, one.y_mm - tile.y_mm) < 2.5]
    return near[0] if len(near) == 1 else None


def pushed_together(x_mm: float, y_mm: float, turn_deg: float) -> tuple[StrewnTile, ...]:
    """Three tiles end to end, the second one here, so close that no seam shows: the first two, then the one that came last."""
    turned, apart_mm = np.deg2rad(turn_deg), MAT.tile_height_mm - 0.45
    cosine, sine = float(np.cos(turned)), float(np.sin(turned))
    first, last = (
        StrewnTile("1s", x_mm + off * cosine + along * sine, y_mm - off * sine + along * cosine, (turn_deg + skew) % 360.0)
        for off, along, skew in ((3.0, -apart_mm, 0.0), (1.0, apart_mm, 180.0))
    )
    return first, StrewnTile("4p", x_mm, y_mm, turn_deg + 0.3), last


def read_as(one: ObservedTile | None) -> str | None:
    """The kind that a tile was read as for sure."""
    return max(one.shares, key=lambda kind: one.shares[kind]).text if one is not None and one.sure else None


@pytest.mark.parametrize("tiles", [FAR_APART, ROW], ids=["apart", "a touching row"])
def test_tiles_are_found_and_read_wherever_they_lie(classifier: Classifier, camera: TableCamera, tiles: tuple[StrewnTile, ...]) -> None:
    seen = swept(classifier, camera, tiles)
    assert len(seen.tiles) == len(tiles)
    assert [read_as(at(seen, tile)) for tile in tiles] == [tile.face for tile in tiles]
    for tile in tiles:
        one = present(at(seen, tile))
        assert np.hypot(one.x_mm - tile.x_mm, one.y_mm - tile.y_mm) < 1.0
        assert abs((one.angle_deg - tile.angle_deg + 90.0) % 180.0 - 90.0) < 1.2
        assert 0.0 <= one.angle_deg < 180.0
    assert (seen.at_ms, seen.covered) == (7, frozenset())


def test_a_camera_that_shakes_moves_no_tile_and_covers_nothing(classifier: Classifier, camera: TableCamera) -> None:
    sweep, still = sweeper(classifier), shown(camera, FIRST_DISCARDS)
    first = present(sweep.observe(still, 0))
    for number, (x_px, y_px) in enumerate(((1.6, 1.1), (-1.3, 1.5), (0.4, -1.6)), 1):
        to_frame = np.array([(1.0, 0.0, x_px), (0.0, 1.0, y_px)])
        picture = cv2.warpAffine(still.image, to_frame, still.image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
        seen = present(sweep.observe(CameraFrame(np.asarray(picture, np.uint8), number * 100_000_000, number * 100_000_000 + 1), number))
        assert seen.covered == first.covered
        for one, before in zip(sorted(seen.tiles, key=_place), sorted(first.tiles, key=_place), strict=True):
            assert (one.x_mm, one.y_mm) == pytest.approx((before.x_mm, before.y_mm), abs=0.4)


def _place(tile: ObservedTile) -> tuple[int, int]:
    return round(tile.x_mm / 20), round(tile.y_mm / 20)


def test_a_face_in_a_shadow_that_the_cloth_around_it_does_not_show_is_read_and_no_back(classifier: Classifier) -> None:
    view, gains, tile = hung_view((4.0, -7.0), HEIGHT_MM, (2.0, -1.0), 0.6, 0.0), GAINS.copy(), FAR_APART[1]
    x, y = np.rint(view.project(np.array([(tile.x_mm, tile.y_mm)]), 16.0)[0]).astype(int)
    gains[y - 32 : y + 33, x - 32 : x + 33] = 38
    dark = TableLook(view, gains, Cloth((30, 30, 32), (60, 60, 62), 6.0), BLUE)
    seen = swept(classifier, TableCamera(3, MAT, dark), (tile,))
    assert [read_as(one) for one in seen.tiles] == [tile.face]


def test_a_face_whose_marks_have_the_cloths_colour_is_found(classifier: Classifier, camera: TableCamera) -> None:
    """On dark cloth a bird of dark bamboo counted as printed cloth."""
    tile = StrewnTile("1p", 30.0, -200.0, 0.0)
    frame = shown(camera, (tile,))
    ((x, y),) = camera.view.project(np.array([(tile.x_mm, tile.y_mm)]), 16.0)
    cloth = np.median(frame.image[round(y) + 40 : round(y) + 60, round(x) - 10 : round(x) + 10], axis=(0, 1)).tolist()
    for off in (-13, 0, 13):
        cv2.rectangle(frame.image, (round(x) + off - 2, round(y) - 19), (round(x) + off + 2, round(y) + 19), cloth, -1)
    seen = present(sweeper(classifier).observe(frame, 0))
    assert at(seen, tile) is not None


def test_a_whole_face_beside_a_part_stays_where_a_closer_look_misses_it(
    classifier: Classifier, camera: TableCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at = TileFinder.at

    def one_narrow_and_nothing_closer(finder: TileFinder, image: Picture, scale: float, least_score: float) -> FoundTable:
        look = look_at(finder, image, scale, least_score)
        if scale != 1.0:
            return replace(look, tiles=())
        whole, part = sorted(look.tiles[:2], key=lambda tile: tile.x_px)
        return replace(look, tiles=(whole, replace(part, width_px=0.6 * part.width_px)))

    monkeypatch.setattr(TileFinder, "at", one_narrow_and_nothing_closer)
    assert read_as(at(swept(classifier, camera, ROW[:2]), ROW[0])) == ROW[0].face


@pytest.mark.parametrize("back", one_in(2, [(175, 160, 140), (150, 180, 150), (110, 130, 110)]), ids=str)
def test_a_back_that_light_washes_out_is_no_white_dragon(classifier: Classifier, back: tuple[int, int, int]) -> None:
    view, on_dark = hung_view((4.0, -7.0), HEIGHT_MM, (2.0, -1.0), 0.6, 0.0), Cloth((60, 60, 58), (90, 90, 88), 6.0)
    slots = Slot(1, Area.RIVER, 3), Slot(3, Area.RIVER, 3)
    laid = [
        LaidTile(face, slot.place, slot.area.value, slot.index, False, (0.0, 0.0), 0.0)
        for face, slot in zip((BACK, "P"), slots, strict=True)
    ]
    picture = TableCamera(3, MAT, TableLook(view, GAINS, on_dark, TileSet(back=back))).render(TableScene(1, tuple(laid)))
    reader = TableReader(MAT, classifier, MatPlacement(MAT, camera_height_mm=HEIGHT_MM))
    assert reader.look(CameraFrame(picture, 0, 1), slots) == (Presence.HIDDEN, Presence.TILE)


@pytest.mark.parametrize("skin", [(120, 152, 208), (80, 110, 170), (30, 40, 60)], ids=["pale", "brown", "dark"])
def test_a_hand_over_a_tile_hides_it_and_covers_the_squares_around(
    skin: tuple[int, int, int], classifier: Classifier, camera: TableCamera
) -> None:
    rng, eyes = np.random.default_rng(1), sweeper(classifier)
    for number in some(range(3), 1):
        (x_mm, y_mm), seat, turn = rng.uniform(-230, 230, 2).tolist(), int(rng.integers(4)), float(rng.uniform(-100, 100))
        tile = StrewnTile("5m", x_mm, y_mm, 30.0)
        seen = present(eyes.observe(shown(camera, (tile,), number, [Arm(seat, (x_mm, y_mm), turn, (90, 60, 160), skin)]), number * 100))
        assert at(seen, tile) is None
        column, row = round(x_mm / 20), round(y_mm / 20)
        assert {(column + right, row + down) for right in (-1, 0, 1) for down in (-1, 0, 1)} <= seen.covered


@pytest.mark.parametrize("light", one_in(2, [1.0, 0.3, 0.2]))
def test_a_tile_that_is_exchanged_between_two_frames_is_never_read_as_the_one_before(
    light: float, classifier: Classifier, camera: TableCamera
) -> None:
    pairs = [("2m", "3m"), ("6p", "9p"), ("8m", "6m"), ("1m", "2m")]
    places = [(-150.0, 40.0), (30.0, -200.0), (200.0, 90.0), (-40.0, 250.0)]
    before, after = ([StrewnTile(pair[number], *at, 60.0) for pair, at in zip(pairs, places, strict=True)] for number in (0, 1))
    eyes = sweeper(classifier)
    for number, tiles in enumerate((before, before, after)):
        frame = shown(camera, tiles, number)
        seen = eyes.observe(replace(frame, image=np.asarray(cv2.convertScaleAbs(frame.image, alpha=light), np.uint8)), number * 100)
    assert seen is not None
    assert all(read_as(at(seen, tile)) in (tile.face, None) for tile in after)


def test_a_tile_that_comes_goes_or_is_exchanged_is_seen_in_the_next_frame(classifier: Classifier, camera: TableCamera) -> None:
    eyes = sweeper(classifier)
    first, second, third = FAR_APART[:3]
    exchanged = StrewnTile("1p", third.x_mm, third.y_mm, third.angle_deg)
    eyes.observe(shown(camera, (first, third)), 0)
    seen = present(eyes.observe(shown(camera, (second, exchanged), 1), 100))
    assert (at(seen, first), read_as(at(seen, second)), read_as(at(seen, third))) == (None, "3p", "1p")


def test_the_finder_looks_around_what_has_changed_and_after_five_seconds_at_all(
    classifier: Classifier, camera: TableCamera, looks: list[int]
) -> None:
    eyes = sweeper(classifier)
    for number, count in ((0, 2), (1, 3), (30, 5), (51, 4)):
        seen = present(eyes.observe(shown(camera, FAR_APART[:count], number), number))
        assert sorted(str(read_as(one)) for one in seen.tiles) == sorted(tile.face for tile in FAR_APART[:count])
    whole, small, _, late = looks
    assert (small < whole / 4, late) == (True, whole)


def test_an_arm_that_rests_covers_as_much_while_a_tile_comes_elsewhere(camera: TableCamera) -> None:
    follower, finder = MatFollower(MAT, MatPlacement(MAT, camera_height_mm=HEIGHT_MM), 16.0), MatFinder(MAT, 16.0)
    frames = (shown(camera, FAR_APART[:count], count, [Arm(0, (0.0, 160.0), 0.0, (90, 60, 160), (140, 170, 220))]) for count in (1, 2))
    before, after = (finder.found(frame, present(follower.seen_in(frame))).covering > 0.5 for frame in frames)
    assert (before.sum() > 20, (after == before).all()) == (True, True)


def test_near_a_place_poses_are_as_exact_as_in_a_look_at_everything_and_elsewhere_as_the_finder_gives_them(camera: TableCamera) -> None:
    follower, frame, first = (
        MatFollower(MAT, MatPlacement(MAT, camera_height_mm=HEIGHT_MM), 16.0),
        shown(camera, FAR_APART[:4]),
        FAR_APART[0],
    )
    everywhere, nearby = (
        [
            (tile.x_mm, tile.y_mm, tile.angle_deg)
            for tile in MatFinder(MAT, 16.0).found(frame, present(follower.seen_in(frame)), near=near).tiles
        ]
        for near in ((), [(first.x_mm, first.y_mm)])
    )
    exact = {pose[:2] for pose in everywhere} & {pose[:2] for pose in nearby}
    assert [math.dist(at_mm, (first.x_mm, first.y_mm)) < 2.0 for at_mm in exact] == [True]
    assert len(nearby) == len(everywhere) == 4


def test_a_tile_that_creeps_is_found_where_it_lies_while_another_comes_and_goes(classifier: Classifier, camera: TableCamera) -> None:
    eyes, other = sweeper(classifier), FAR_APART[3:4]
    for number in range(21):
        tile = StrewnTile("5m", 0.18 * number - 150.0, 40.0, 63.0)
        seen = eyes.observe(shown(camera, (tile, *other[: number % 2]), number), number)
    assert seen is not None
    assert abs(next(one.x_mm for one in seen.tiles if read_as(one) == "5m") - tile.x_mm) < 1.5


@pytest.mark.parametrize(("across_mm", "down_mm"), one_in(2, [(9.5, 12.7), (-18.0, 1.0), (2.0, -20.0)]))
def test_a_tile_that_comes_to_lie_on_the_edge_of_one_that_lay_there_is_seen_in_the_next_frame(
    classifier: Classifier, camera: TableCamera, across_mm: float, down_mm: float
) -> None:
    below = StrewnTile("4p", -42.0, 108.0, 1.0)
    upper = StrewnTile("7p", below.x_mm + across_mm, below.y_mm + down_mm, 178.0)
    eyes = sweeper(classifier)
    eyes.observe(shown(camera, (below,)), 0)
    picture = camera.render(TableScene(1, (laid_at(below, MAT), structs.replace(laid_at(upper, MAT), level=1))))
    seen = present(eyes.observe(CameraFrame(picture, 100_000_000, 100_000_001), 100))
    assert [read_as(one) for one in seen.tiles] == ["7p"]


PUSHED_IN = [(68.0, -187.0, 90.0), (110.0, -8.0, 90.0), (20.0, 120.0, 0.0), (0.0, -150.0, 0.0)]


@pytest.mark.parametrize(("x_mm", "y_mm", "turn_deg"), one_in(2, PUSHED_IN))
def test_a_tile_pushed_in_between_two_others_is_found_though_no_seam_shows(
    classifier: Classifier, camera: TableCamera, x_mm: float, y_mm: float, turn_deg: float
) -> None:
    seen = swept(classifier, camera, pushed_together(x_mm, y_mm, turn_deg))
    assert sorted(read_as(one) or "" for one in seen.tiles) == ["1s", "1s", "4p"]


def test_a_tile_without_seams_since_another_was_pushed_against_it_is_found_within_a_second(
    classifier: Classifier, camera: TableCamera
) -> None:
    eyes, tiles = sweeper(classifier), pushed_together(20.0, 120.0, 0.0)
    eyes.observe(shown(camera, tiles[:2]), 0)
    eyes.observe(shown(camera, tiles, 1), 100)
    seen = present(eyes.observe(shown(camera, tiles, 11), 1100))
    assert sorted(read_as(one) or "" for one in seen.tiles) == ["1s", "1s", "4p"]


def test_a_back_whose_colour_is_near_the_cloths_is_told_as_such(classifier: Classifier) -> None:
    view = hung_view((4.0, -7.0), HEIGHT_MM, (2.0, -1.0), 0.6, 0.0)
    table = TableCamera(3, MAT, TableLook(view, GAINS, USUAL_CLOTH, TileSet(back=(58, 92, 39))))
    down = StrewnTile(BACK, 180.0, -335.0, 1.0), StrewnTile(BACK, -100.0, 60.0, 40.0)
    seen = swept(classifier, table, down)
    assert [(one.face_up, one.shares, one.sure) for one in seen.tiles] == 2 * [(False, {}, False)]
    assert all(at(seen, tile) for tile in down)


def test_backs_of_which_the_finder_is_not_sure_are_found_by_the_colour_of_the_others(classifier: Classifier) -> None:
    table = strewn_table(Fault.LENS, 752, MAT, frames=1)
    eyes = MatSweeper(MAT, classifier, MatFollower(MAT, MatPlacement(MAT, camera_height_mm=table.shown.height_mm), 16.0))
    (picture, _), *_ = table.frames(1)
    seen = present(eyes.observe(CameraFrame(decode_picture(jpeg(picture, QUALITY), "the table"), 0, 1), 0))
    backs = [tile for tile in table.tiles if tile.face == BACK]
    assert len(backs) > 5
    assert all((one := at(seen, back)) and not one.face_up for back in backs)


def test_part_of_a_picture_is_refused(classifier: Classifier) -> None:
    part = CameraFrame(np.zeros((8, 8, 3), np.uint8), 0, 1, region=Region(0, 0, 8, 8))
    with pytest.raises(ValueError, match="whole frames"):
        sweeper(classifier).observe(part, 0)


def test_under_a_sleeve_of_the_cloths_own_colour_squares_are_covered_and_not_bare(classifier: Classifier, camera: TableCamera) -> None:
    colour = USUAL_CLOTH.colour
    seen = swept(classifier, camera, (), [Arm(0, (0.0, 160.0), 0.0, colour, colour)])
    slot = MAT.spot(Slot(0, Area.HAND, 6))
    assert seen.tiles == ()
    assert (round(slot.x_mm / 20), round(slot.y_mm / 20)) in seen.covered


@pytest.mark.parametrize(("number", "discards"), [(21_001, FIRST_DISCARDS), (21_043, LOOSE_DISCARDS)])
def test_the_outline_of_a_slot_that_tiles_beside_it_hide_leaves_the_slot_bare(
    number: int, discards: tuple[StrewnTile, ...], classifier: Classifier
) -> None:
    """On these tables slots of rivers were told covered beside discards, and the recorder waited up to 54 s for a tile there."""
    rng = np.random.default_rng((number, 0, 31))
    look, height_mm = trial_look(Fault.NONE, rng)
    table = trial_camera(Fault.NONE, rng, MAT, seed=number, look=replace(look, tiles=USUAL_TILES), height_mm=height_mm, frames=1)
    follower = MatFollower(MAT, MatPlacement(MAT, camera_height_mm=table.height_mm), 16.0)
    sweeps = MatSweeper(MAT, classifier, follower)
    for lying in range(len(discards) + 1):
        seen = present(sweeps.observe(shown(table.camera, discards[:lying], lying), lying))
        assert len(seen.tiles) == lying
        assert not seen.covered


def test_tiles_that_lie_askew_over_slots_leave_the_rest_of_these_bare(classifier: Classifier, camera: TableCamera) -> None:
    """They take the colour from the middle of a slot, and sides from its outline; the rest was told covered."""
    rng, tiles = np.random.default_rng(2), list[StrewnTile]()
    for place, (area, index) in product(range(4), ((Area.HAND, 3), (Area.HAND, 10), (Area.RIVER, 8), (Area.RIVER, 2), (Area.MELD, 6))):
        spot, off = MAT.spot(Slot(place, area, index)), rng.uniform(-12, 12, 2)
        face = ("C", "9s", "4m")[rng.integers(3)]
        tiles.append(StrewnTile(face, spot.x_mm + off[0], spot.y_mm + off[1], float(rng.uniform(0, 360))))
    assert not swept(classifier, camera, tiles).covered


def test_a_sweep_follows_the_mat_with_the_table_reader_of_the_same_frames(classifier: Classifier, camera: TableCamera) -> None:
    reader = TableReader(MAT, classifier)
    frame = shown(camera, FAR_APART[:1])
    (reading,) = reader.read(frame, [Slot(0, Area.RIVER, 0)])
    seen = present(MatSweeper(MAT, classifier, reader.follower).observe(frame, 0))
    assert (reading.presence, read_as(at(seen, FAR_APART[0]))) == (Presence.EMPTY, FAR_APART[0].face)


def test_what_lies_outside_the_picture_is_covered(camera: TableCamera, classifier: Classifier) -> None:
    """The markers are in the picture, and the edge of the mat beside them is not: a tile there is not gone, and its place not bare."""
    frame = shown(camera, FAR_APART)
    ((edge_px, _),) = camera.view.project(np.array([(MAT.marker_centre_mm + MAT.marker_mm / 2 + 5.0, 0.0)]))
    cut = replace(frame, image=np.ascontiguousarray(frame.image[:, : round(edge_px)]))
    whole, seen = (sweeper(classifier).observe(each, 7) for each in (frame, cut))
    assert whole is not None
    assert seen is not None
    edge = round(MAT.half_side_mm / COVER_MM)
    assert {(edge, row) for row in range(-12, 13)} <= seen.covered - whole.covered
    assert not {(0, row) for row in range(-12, 13)} & seen.covered - whole.covered
