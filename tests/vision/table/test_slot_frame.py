"""Slots of a frame: those that shadows and backs make doubtful, pictures of one for a referee, and views that are used again while their
picture stays."""

from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.tiers import examples, one_in
from tests.support.vision.pictures import FELT, MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture, face, noisy, printed_mat
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.model.crop_view import CROP_H, CropView, fit_crop
from vision.table.kept_views import KeptView, KeptViews
from vision.table.lens import Lens, MatView, project
from vision.table.place_picture import PX_PER_MM, SHOWN_AREAS, is_shown, place_picture, shown_mm
from vision.table.slot_places import Places, from_mat, on_mat
from vision.table.slots import Presence
from vision.table.table_reader import SlotReading, TableReader
from vision.table.tile_pose import TilePose, poses_seen

MAT = Mat()


def test_a_deep_shadow_beyond_one_side_of_a_bare_slot_leaves_it_bare(classifier: Classifier) -> None:
    """It ends there as a tile in the shade does, and print shows on the three other sides."""
    picture, slot = printed_mat(MAT, lighter=1.5), Slot(0, Area.RIVER, 20)
    spot = MAT.spot(slot)
    middle, edge = (round(mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2) for mm in (spot.x_mm, spot.y_mm - MAT.tile_height_mm / 2))
    half, deep = (round(mm * MAT_PX_PER_MM) for mm in (MAT.tile_width_mm / 2 + 1, 4.0))
    picture.picture[edge - deep : edge + 1, middle - half : middle + half] //= 4
    assert TableReader(MAT, classifier, thickness_mm=0.0).look(CameraFrame(picture.picture, 0, 1), [slot]) == (Presence.EMPTY,)


@pytest.mark.parametrize(("sides", "presence"), [((0,), Presence.EMPTY), ((0, 1), Presence.HIDDEN)])
def test_print_on_two_sides_beside_a_tile_is_enough_and_on_one_is_not(
    sides: tuple[int, ...], presence: Presence, classifier: Classifier
) -> None:
    picture, slot = printed_mat(MAT, lighter=1.5), Slot(0, Area.RIVER, 20)
    spot, size_mm = MAT.spot(slot), np.array((MAT.tile_width_mm, MAT.tile_height_mm))
    for way in np.array(((1, 0), (0, -1)))[list(sides)]:
        middle, half = (spot.x_mm, spot.y_mm) + way * size_mm / 2, np.where(way, 0.8, size_mm / 2)
        (left, top), (right, bottom) = np.rint((np.stack((middle - half, middle + half))) * MAT_PX_PER_MM + MAT_SIDE_PX / 2).astype(int)
        picture.picture[top:bottom, left:right] = np.rint(np.array(FELT) * 0.85)
    picture.lay(Tile.M5, Slot(0, Area.RIVER, 19), (4.0, 0.0))
    assert TableReader(MAT, classifier, thickness_mm=0.0).look(CameraFrame(picture.picture, 0, 1), [slot]) == (presence,)


def test_a_back_of_nearly_the_cloths_colour_with_two_sides_like_print_is_not_bare(classifier: Classifier) -> None:
    """Its two other sides are in the shadow that it casts, and tell nothing of the print."""
    picture, slot = printed_mat(MAT, lighter=1.5), Slot(0, Area.MELD, 9)
    spot = MAT.spot(slot)
    left, right = (round((spot.x_mm + sign * MAT.tile_width_mm / 2) * MAT_PX_PER_MM + MAT_SIDE_PX / 2) for sign in (-1, 1))
    top, bottom = (round((spot.y_mm + sign * MAT.tile_height_mm / 2) * MAT_PX_PER_MM + MAT_SIDE_PX / 2) for sign in (-1, 1))
    cloth = MatPicture(MAT).picture[top : bottom + 1, left : right + 1]
    back = np.rint(cloth * np.array((0.86, 1.06, 1.08))).astype(np.uint8)
    back[0], back[:, 0] = np.rint(back[0] * 1.5), np.rint(back[:, 0] * 1.5)
    shadow = picture.picture[top : bottom + 5, left : right + 5]
    shadow[:] = shadow // 2
    picture.picture[top : bottom + 1, left : right + 1] = back
    assert TableReader(MAT, classifier, thickness_mm=0.0).look(CameraFrame(picture.picture, 0, 1), [slot]) == (Presence.HIDDEN,)


THICKNESS_MM = 16.0
WIDE = MatView(
    np.array([(1.6, 0.02, 640.0), (-0.02, 1.6, 640.0), (1e-5, -2e-5, 1.0)]), Lens((640.0, 640.0), 905.0, -0.12), (60.0, -40.0), 1500.0, 0.1
)
PLACES = Places(MAT, WIDE, THICKNESS_MM)
SLOTS = st.sampled_from(PLACES.slots)


@given(SLOTS, st.floats(-300, 300), st.floats(-300, 300))
@settings(max_examples=examples(40))
def test_what_is_taken_from_the_mat_comes_back_to_it(slot: Slot, x_mm: float, y_mm: float) -> None:
    point = np.array([(x_mm, y_mm)])
    assert on_mat(PLACES[slot].spot, from_mat(PLACES[slot].spot, point)) == pytest.approx(point, abs=1e-9)


@given(SLOTS, st.floats(0, MAT.tile_width_mm / 3), st.floats(0, 2 * np.pi))
@settings(max_examples=examples(60))
def test_a_tile_a_third_of_its_width_off_still_belongs_to_its_slot_and_to_no_other(slot: Slot, off_mm: float, direction: float) -> None:
    ((x_mm, y_mm),) = on_mat(MAT.spot(slot), np.array([(off_mm * np.cos(direction), off_mm * np.sin(direction))]))
    assert PLACES.nearest((x_mm, y_mm), 15.0) == slot


TILES = st.tuples(st.floats(-330, 330), st.floats(-330, 330), st.floats(0, 180), st.just(1.0), st.booleans())


@given(TILES, st.floats(-13, 13), st.floats(-18, 18))
@example((0.0, 0.0, 180.0, 1.0, False), 0.0, 1.0)
@settings(max_examples=examples(60))
def test_the_plane_of_a_tile_stands_for_the_lens_to_half_a_pixel(
    placed: tuple[float, float, float, float, bool], x: float, y: float
) -> None:
    (tile,) = poses_seen(WIDE, [placed], THICKNESS_MM)
    own = np.array([(x, y)])
    assert project(tile.plane, own) == pytest.approx(WIDE.project(tile.points_mm(own), THICKNESS_MM), abs=0.5)
    assert tile.own_mm(tile.points_mm(own)) == pytest.approx(own, abs=1e-9)


def test_the_foot_of_a_tile_is_seen_towards_the_point_below_the_camera() -> None:
    (tile,) = poses_seen(WIDE, [(-250.0, 200.0, 30.0, 1.0, True)], THICKNESS_MM)
    flank, towards = np.array(tile.flank_mm), np.array(WIDE.eye_mm) - (tile.x_mm, tile.y_mm)
    assert float(flank @ towards) / float(np.linalg.norm(flank) * np.linalg.norm(towards)) > 0.98
    assert np.linalg.norm(flank) == pytest.approx(np.linalg.norm(towards) * THICKNESS_MM / WIDE.height_mm, rel=0.08)


def test_a_slot_that_the_mat_does_not_have_has_no_place() -> None:
    with pytest.raises(ValueError, match="no slot"):
        PLACES[Slot(0, Area.RIVER, 24)]


PICTURED = MAT.all_slots(*SHOWN_AREAS)
SQUARE = MatView(
    np.array([(MAT_PX_PER_MM, 0, MAT_SIDE_PX / 2), (0, MAT_PX_PER_MM, MAT_SIDE_PX / 2), (0, 0, 1)]),
    Lens.straight(MAT_SIDE_PX, MAT_SIDE_PX),
    (0.0, 0.0),
    1500.0,
    0.1,
)
SLOT = Slot(1, Area.RIVER, 8)


def shown(mat: MatPicture, slot: Slot = SLOT) -> NDArray[np.uint8]:
    picture = cv2.imdecode(np.frombuffer(place_picture(mat.picture, SQUARE, MAT, slot, 0.0), np.uint8), cv2.IMREAD_COLOR)
    return np.asarray(picture, np.uint8)


CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]) * (MAT.tile_width_mm / 2, MAT.tile_height_mm / 2)
LAID = np.concatenate([on_mat(MAT.spot(slot), CORNERS) for slot in MAT.all_slots()])
"""The corners of tiles that lie squarely in every slot."""


def in_sight(slot: Slot) -> set[Slot]:
    """The slots whose tiles reach into what is shown of one."""
    tiles, window = from_mat(MAT.spot(slot), LAID).reshape(-1, 4, 2), shown_mm(MAT, slot)
    reach = (tiles.max(axis=1) > window.min(axis=0) + 1e-6) & (tiles.min(axis=1) < window.max(axis=0) - 1e-6)
    return {other for other, seen in zip(MAT.all_slots(), reach.all(axis=1), strict=True) if seen}


@pytest.mark.parametrize("slot", one_in(8, PICTURED), ids=str)
def test_no_place_of_another_area_or_seat_is_shown(slot: Slot) -> None:
    seen = in_sight(slot)
    assert slot in seen
    assert {(other.place, other.area) for other in seen} == {(slot.place, slot.area)}
    assert len(seen) <= 9


def test_no_shared_tile_and_no_place_of_a_wall_is_shown() -> None:
    with pytest.raises(ValueError, match="only discards, melds and shown hands"):
        shown_mm(MAT, Slot(0, Area.SHARED, 3))


def test_the_tile_stands_upright_in_the_middle_as_its_player_sees_it() -> None:
    upright, turned = MatPicture(MAT), MatPicture(MAT)
    upright.lay(Tile.S1, SLOT)
    turned.lay(Tile.S1, Slot(0, Area.RIVER, 8))
    pictures = [shown(upright).astype(np.int16), shown(turned, Slot(0, Area.RIVER, 8)).astype(np.int16)]
    assert pictures[0].shape == pictures[1].shape == (round(114 * PX_PER_MM), round(84 * PX_PER_MM), 3)
    assert np.abs(pictures[0] - pictures[1]).mean() < 12


@pytest.mark.parametrize(
    ("off_mm", "shows"), [((0, 0), True), ((30, -20), True), ((0, -30), True), ((0, 20), False), ((60, 0), False)], ids=str
)
def test_a_tile_apart_from_its_slot_is_in_the_picture_as_far_as_that_reaches(off_mm: tuple[float, float], shows: bool) -> None:
    """Beyond the row of the melds the picture ends; towards the middle there is the row of fourth tiles."""
    slot = Slot(1, Area.MELD, 4)
    x_mm, y_mm = on_mat(MAT.spot(slot), np.array([off_mm], np.float64))[0]
    assert is_shown(MAT, slot, (float(x_mm), float(y_mm))) is shows


def test_what_lies_elsewhere_does_not_change_the_picture() -> None:
    alone, among = MatPicture(MAT), MatPicture(MAT)
    for mat in (alone, among):
        mat.lay(Tile.M5, SLOT)
    for index in range(13):
        among.lay(Tile.EAST, Slot(1, Area.HAND, index))
    assert np.array_equal(shown(alone), shown(among))
    among.lay(Tile.P7, Slot(1, Area.RIVER, 7))
    assert not np.array_equal(shown(alone), shown(among))


STILL, BESIDE = Slot(0, Area.RIVER, 8), Slot(0, Area.RIVER, 9)
SKIN = (120, 150, 205)
FRAME_NS = 100_000_000


class Watched:
    """A table with one tile, read frame after frame."""

    def __init__(self, classifier: Classifier, noise: float = 2.0) -> None:
        self._noise = noise
        self._reader = TableReader(MAT, classifier, thickness_mm=0.0)
        self._number = 0

    def read(self, picture: NDArray[np.uint8]) -> SlotReading:
        """What the next frame shows, with a sensor's noise."""
        self._number += 1
        frame = CameraFrame(noisy(picture, self._noise, self._number), 0, self._number * FRAME_NS)
        return self._reader.read(frame, [STILL, BESIDE])[0]


@cache
def with_tile(tile: Tile = Tile.M4, x_mm: float = 0.0) -> NDArray[np.uint8]:
    """The mat with a tile so far beside its slot."""
    picture = MatPicture(MAT)
    picture.lay(tile, STILL, (x_mm, 0.0), 2.0)
    return picture.picture


def with_sleeve(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A sleeve over the side of the tile that is nearer to its player."""
    spot, covered = MAT.spot(STILL), picture.copy()
    x, y = (round(mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2) for mm in (spot.x_mm, spot.y_mm))
    covered[y + 14 :, x - 60 : x + 60] = SKIN
    return covered


def test_a_tile_exchanged_below_a_sleeve_is_told_in_the_first_frame(classifier: Classifier) -> None:
    watched = Watched(classifier)
    watched.read(with_tile())
    watched.read(with_sleeve(with_tile()))
    assert watched.read(with_tile(Tile.M5)).tile is Tile.M5


@pytest.mark.parametrize("frames", one_in(3, [1, 4, 2, 3]))
def test_a_sleeve_over_it_hides_it_in_the_first_frame(frames: int, classifier: Classifier) -> None:
    watched = Watched(classifier)
    for _ in range(frames):
        watched.read(with_tile())
    assert watched.read(with_sleeve(with_tile())).presence is Presence.HIDDEN


@pytest.mark.parametrize("frames", one_in(3, [1, 4, 2, 3]))
def test_another_tile_no_tile_and_a_tile_pushed_aside_are_told_in_the_first_frame(frames: int, classifier: Classifier) -> None:
    watched = Watched(classifier)
    for picture, tile in ((with_tile(), Tile.M4), (with_tile(Tile.M5), Tile.M5), (with_tile(Tile.M5, 5.0), Tile.M5)):
        for _ in range(frames):
            reading = watched.read(picture)
            assert (reading.tile, reading.reason) == (tile, None)
    assert watched.read(MatPicture(MAT).picture).presence is Presence.EMPTY


@pytest.mark.parametrize("tile", [Tile.S8, Tile.WHITE])
def test_a_tile_that_was_taken_up_in_little_light_is_gone_in_the_first_frame(tile: Tile, classifier: Classifier) -> None:
    """Bare cloth differed by fewer grey levels from the tile than noise does in good light."""
    bare, watched = MatPicture(MAT).picture, Watched(classifier, noise=1.0)
    laid = with_tile(tile)
    for _ in range(3):
        assert watched.read(dim(laid)).occupied
    assert not watched.read(dim(bare)).occupied


def dim(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same on grey cloth in little light."""
    grey = picture.copy()
    grey[cv2.inRange(picture, np.array(FELT) - 19, np.array(FELT) + 19) > 0] = 75
    return np.asarray(cv2.convertScaleAbs(grey, alpha=0.115), np.uint8)


KEPT_SLOT = Slot(1, Area.RIVER, 4)
SECOND_NS = 1_000_000_000
POSE = TilePose(0.5, -0.5, 2.0, clearness=1.0, face_up=True, plane=np.eye(3))


class CountingClassifier(Classifier):
    """The shipped model, which says how many crops it has looked at."""

    looked = 0

    def look(self, crops: NDArray[np.uint8]) -> list[CropView]:
        self.looked += len(crops)
        return super().look(crops)


@pytest.fixture(scope="module")
def counting() -> CountingClassifier:
    return CountingClassifier()


def crop_of(tile: Tile, rng: Generator) -> NDArray[np.uint8]:
    drawn = fit_crop(np.ascontiguousarray(face(tile, 96)[:, :, :3]))
    return np.clip(drawn + rng.normal(0, 2.2, drawn.shape), 0, 255).astype(np.uint8)


def unsure_of(rng: Generator) -> NDArray[np.uint8]:
    """A crop that shows one tile above and another below, which the model alone refuses."""
    return np.vstack((crop_of(Tile.P6, rng)[: CROP_H // 2], crop_of(Tile.M4, rng)[CROP_H // 2 :]))


def seen(kept: KeptViews, crop: NDArray[np.uint8], exposed_ns: int) -> KeptView:
    """The view of a tile in a frame, as a reader asks for it."""
    again = kept.used_again(dict.fromkeys(kept.usable([KEPT_SLOT], exposed_ns), crop), exposed_ns)
    return (again or kept.look({KEPT_SLOT: POSE}, crop[None], exposed_ns))[KEPT_SLOT]


def test_a_tile_that_lies_still_is_looked_at_once_in_four_frames(counting: CountingClassifier, rng: Generator) -> None:
    kept, before = KeptViews(counting), counting.looked
    for number in range(10):
        tile = seen(kept, crop_of(Tile.P6, rng), number * SECOND_NS)
        assert tile.view.best(1)[0].tile is Tile.P6
        assert (tile.pose, tile.is_washed) == (POSE, False)
    assert counting.looked - before == 3


def test_one_of_which_the_model_is_unsure_is_looked_at_twice_before(counting: CountingClassifier, rng: Generator) -> None:
    kept, before = KeptViews(counting), counting.looked
    for number in range(10):
        seen(kept, unsure_of(rng), number * SECOND_NS)
    assert counting.looked - before == 4


@pytest.mark.parametrize("number", range(0, 34, 3))
def test_another_tile_in_its_place_is_looked_at(number: int, counting: CountingClassifier, rng: Generator) -> None:
    first, second = ALL_TILES[number], ALL_TILES[(number + 1) % 34]
    kept = KeptViews(counting)
    for moment in range(3):
        seen(kept, crop_of(first, rng), moment)
    assert seen(kept, crop_of(second, rng), 3).view.best(1)[0].tile is second


def test_a_tile_that_was_gone_or_not_seen_for_long_is_looked_at_again(counting: CountingClassifier, rng: Generator) -> None:
    kept, crop = KeptViews(counting), crop_of(Tile.S4, rng)
    for moment in range(3):
        seen(kept, crop, moment)
    before = counting.looked
    seen(kept, crop, 60 * SECOND_NS)
    assert counting.looked - before == 1
    kept.forget([KEPT_SLOT])
    seen(kept, crop, 60 * SECOND_NS + 1)
    assert counting.looked - before == 2
