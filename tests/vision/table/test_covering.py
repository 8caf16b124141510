"""Gaps and fingers: a gap is bare where no arm can reach it; a tile of which a part is covered has not been seen."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras.optics import Light, to_light, to_picture
from simulator.cameras.table import TILE_THICKNESS_MM, TableCamera
from simulator.scene import LaidTile, TableScene
from tests.support.narrowed import present
from tests.support.tiers import one_in, some
from tests.support.vision.pictures import MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture, printed_mat
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.table.bare_slots import enclosed
from vision.table.mat_finder import covered
from vision.table.slot_places import Places, on_mat
from vision.table.slots import Presence
from vision.table.table_reader import TableReader
from vision.table.tile_pose import TilePose

MAT = Mat()
SLOTS = [Slot(place, Area.RIVER, index) for place in range(4) for index in (1, 4, 13, 16)]
SEEDS = some(range(3), 1)
WHITE = 0.72
"""Light that a tile's face returns."""
SKINS = {
    "fair": (0.68, 0.48, 0.37),
    "pale": (0.75, 0.60, 0.48),
    "yellow": (0.70, 0.56, 0.40),
    "khaki glove": (0.55, 0.46, 0.32),
    "beige glove": (0.75, 0.66, 0.52),
    "olive": (0.50, 0.34, 0.24),
    "brown": (0.28, 0.165, 0.10),
    "dark": (0.11, 0.062, 0.042),
    "blue sleeve": (0.10, 0.16, 0.38),
    "black sleeve": (0.035, 0.028, 0.03),
}
"""What of red, green and blue light comes back."""


@dataclass(frozen=True)
class LaidTable:
    """A table with a tile at each of the slots, and where the middles of their faces are seen (px)."""

    picture: NDArray[np.uint8]
    middles: dict[Slot, NDArray[np.float64]]
    px_per_mm: float


@pytest.fixture(scope="module")
def laid() -> LaidTable:
    camera = TableCamera(5, MAT)
    tiles = [
        LaidTile(ALL_TILES[2 * n].text, slot.place, slot.area.value, slot.index, False, (0.0, 0.0), 0.0) for n, slot in enumerate(SLOTS)
    ]
    spots = np.array([(MAT.spot(slot).x_mm, MAT.spot(slot).y_mm) for slot in SLOTS])
    middles = camera.view.project(spots, TILE_THICKNESS_MM)
    across = np.linalg.norm(middles[0] - middles[1]) / np.linalg.norm(spots[0] - spots[1])
    return LaidTable(camera.render(TableScene(1, tuple(tiles))), dict(zip(SLOTS, middles, strict=True)), float(across))


def under_fingers(table: LaidTable, skin: tuple[float, float, float], seed: int) -> NDArray[np.uint8]:
    """The table with a finger over every tile: its tip near the middle of the face, reaching in from anywhere."""
    rng, light = np.random.default_rng(seed), to_light(table.picture)
    for middle in table.middles.values():
        tip = middle + rng.uniform(-5, 5, 2) * table.px_per_mm
        angle = rng.uniform(0, 2 * np.pi)
        lay_finger(light, tip, np.array((np.cos(angle), np.sin(angle))), float(rng.uniform(6, 9.5)) * table.px_per_mm, skin)
    return to_picture(light)


def lay_finger(light: Light, tip: NDArray[np.float64], away: NDArray[np.float64], radius: float, skin: tuple[float, float, float]) -> None:
    """A finger of 60 px, round and so darker at its sides, over a part of the light."""
    left, top = (int(value) for value in tip - 90)
    part = light[top : top + 180, left : left + 180]
    y, x = np.mgrid[0 : part.shape[0], 0 : part.shape[1]]
    off = np.stack((x + left - tip[0], y + top - tip[1]), axis=-1)
    along = np.clip(off @ away, 0, 60)[..., None] * away
    beside = np.linalg.norm(off - along, axis=2) / radius
    cover = cv2.GaussianBlur(np.clip((1 - beside) * radius + 0.5, 0, 1).astype(np.float32), (0, 0), 0.7)[..., None]
    round_light = 0.6 + 0.45 * np.sqrt(np.clip(1 - beside**2, 0, 1))[..., None]
    part += cover * ((np.array(skin[::-1]) * WHITE * round_light).astype(np.float32) - part)


def readings(reader: TableReader, picture: NDArray[np.uint8]) -> Iterator[tuple[Tile, Presence, Tile | None]]:
    """What was laid, the presence, and the kind that was read for sure."""
    for (number, _), reading in zip(enumerate(SLOTS), reader.read(CameraFrame(picture, 0, 1), SLOTS), strict=True):
        yield ALL_TILES[2 * number], reading.presence, reading.tile if reading.reason is None else None


@pytest.mark.parametrize("skin", one_in(2, SKINS))
def test_a_finger_or_sleeve_over_a_face_hides_it(skin: str, laid: LaidTable, classifier: Classifier) -> None:
    reader, hidden = TableReader(MAT, classifier), 0
    assert all(tile is kind for tile, _, kind in readings(reader, laid.picture))
    for seed in SEEDS:
        for _, presence, kind in readings(reader, under_fingers(laid, SKINS[skin], seed)):
            assert kind is None
            assert presence is not Presence.EMPTY
            hidden += presence is Presence.HIDDEN
    assert hidden >= 0.93 * len(SEEDS) * len(SLOTS)


def test_a_shadow_over_a_part_of_a_face_does_not_hide_it(laid: LaidTable, classifier: Classifier) -> None:
    light = to_light(laid.picture)
    for middle in laid.middles.values():
        x = int(middle[0])
        light[int(middle[1]) - 60 : int(middle[1]) + 60, x - 60 : x] *= 0.75
    reader = TableReader(MAT, classifier)
    assert sum(presence is Presence.TILE for _, presence, _ in readings(reader, to_picture(light))) >= len(SLOTS) - 2


def test_a_rim_is_covered_where_several_places_in_a_row_are_tinted() -> None:
    plain = np.full((4, 60, 3), (200, 206, 208), np.uint8)
    plain[1, 10:14] = (120, 150, 190)
    plain[2, 10::20] = (120, 150, 190)
    plain[3, 58:] = plain[3, :2] = (120, 150, 190)
    assert covered(np.concatenate((plain, plain), axis=1)).tolist() == [False, True, False, True]


def test_a_mark_that_reaches_nearly_to_a_side_is_no_thing() -> None:
    """A thing lies over the side as well."""
    rims = np.full((1, 120, 3), (200, 206, 208), np.uint8)
    rims[0, 10:24] = (90, 80, 140)
    assert not covered(rims)[0]
    rims[0, 60 + 10 : 60 + 24] = (120, 150, 190)
    assert covered(rims)[0]


@pytest.mark.parametrize(
    ("part", "is_covered"),
    [
        pytest.param((205, 220, 255), False, id="a part in the light of a shaded face"),
        pytest.param((190, 212, 255), True, id="a thing as warm as skin in the light of a shaded face"),
        pytest.param((200, 206, 255), True, id="a red thing in the light"),
        pytest.param((150, 160, 185), True, id="a part as warm as the first, and darker than the rest"),
    ],
)
def test_what_is_lighter_than_the_rest_of_a_rim_must_be_tinted_more_to_be_a_thing(part: tuple[int, int, int], *, is_covered: bool) -> None:
    rims = np.full((1, 120, 3), (200, 206, 208), np.uint8)
    rims[0, 10:24] = rims[0, 60 + 10 : 60 + 24] = part
    assert covered(rims).tolist() == [is_covered]


SIDES = np.array([(-0.18, 0.02, 0.16), (0, 0, 0), (0.08, -0.02, -0.06), (0, 0, 0)])
"""How a warm lamp before the first side and a window before the third tint each side's rim (logarithms)."""


@pytest.mark.parametrize(("at", "is_covered"), [(None, False), (33, True), (12, True)], ids=["bare", "within a side", "around a corner"])
def test_a_tint_of_whole_sides_is_the_light_and_what_differs_from_its_side_a_thing(at: int | None, *, is_covered: bool) -> None:
    ring = np.array([200, 206, 208]) * np.exp(np.repeat(SIDES, 15, axis=0))
    if at is not None:
        ring[at : at + 8] *= np.exp((-0.27, -0.2, -0.13))
    assert covered(np.concatenate((ring, ring))[None].round().astype(np.uint8)).tolist() == [is_covered]


def test_a_tint_of_one_side_alone_is_a_thing() -> None:
    ring = np.array([200, 206, 208]) * np.exp(np.repeat(SIDES * ((1.0,), (0,), (0,), (0,)), 15, axis=0))
    assert covered(np.concatenate((ring, ring))[None].round().astype(np.uint8)).all()


SIZE_MM = np.array((MAT.tile_width_mm, MAT.tile_height_mm))
GAP = Slot(0, Area.RIVER, 8)
AROUND = (1, 2, 3, 7, 9, 13, 14, 15)


def poses(without: tuple[tuple[int, int], ...] = (), around: Slot = GAP) -> list[TilePose]:
    """Tiles at all places around one in a river but some, by columns and rows from it."""
    beside = [at for at in product((-1, 0, 1), (-1, 0, 1)) if at != (0, 0) and at not in without]
    pitch, spot = (MAT.river_pitch_mm, MAT.row_pitch_mm), MAT.spot(around)
    middles = on_mat(spot, np.array(beside) * pitch).tolist()
    return [TilePose(x, y, spot.turn_deg % 180.0, 1.0, face_up=True, plane=np.eye(3)) for x, y in middles]


@pytest.fixture(scope="module")
def places(classifier: Classifier) -> Places:
    """Where a reader sees the slots."""
    frame = CameraFrame(printed_mat(MAT).picture, 0, 1)
    return present(TableReader(MAT, classifier, thickness_mm=0.0).follower.seen_in(frame)).placed.places


def region(slot: Slot, reach_mm: tuple[float, float]) -> tuple[slice, slice]:
    """The pixels so far to both sides of the middle of a slot of place 0, and before and behind it."""
    spot = MAT.spot(slot)
    (left, right), (top, bottom) = (
        (round((at - reach) * MAT_PX_PER_MM + MAT_SIDE_PX / 2), round((at + reach) * MAT_PX_PER_MM + MAT_SIDE_PX / 2))
        for at, reach in zip((spot.x_mm, spot.y_mm), reach_mm, strict=True)
    )
    return slice(top, bottom), slice(left, right)


def told(picture: MatPicture, classifier: Classifier) -> Presence:
    """What a reader tells of the gap when it is asked for every slot."""
    reader = TableReader(MAT, classifier, thickness_mm=0.0)
    slots = MAT.all_slots()
    return dict(zip(slots, reader.look(CameraFrame(picture.picture, 0, 1), slots), strict=True))[GAP]


def in_the_midst(*, without: tuple[int, ...] = ()) -> MatPicture:
    """Tiles around the gap, whose outline does not show."""
    picture = printed_mat(MAT)
    rows = region(GAP, (14.0, 19.0))
    picture.picture[rows] = np.median(picture.picture[region(GAP, (10.0, 15.0))].reshape(-1, 3), axis=0)
    for number in AROUND:
        if number not in without:
            picture.lay(Tile.M5, Slot(0, Area.RIVER, number))
    return picture


@pytest.mark.parametrize("without", [(), ((1, 0),), ((0, -1),), ((-1, -1), (1, 1)), ((1, 0), (1, -1), (1, 1))])
def test_no_arm_reaches_a_gap_that_tiles_close_on_three_sides(without: tuple[tuple[int, int], ...], places: Places) -> None:
    assert enclosed(places[GAP], poses(without), SIZE_MM)


@pytest.mark.parametrize("without", [((1, 0), (1, 1), (0, 1)), ((0, 1), (0, -1), (1, 0), (1, 1), (1, -1))])
def test_an_arm_may_reach_a_gap_with_two_open_sides(without: tuple[tuple[int, int], ...], places: Places) -> None:
    assert not enclosed(places[GAP], poses(without), SIZE_MM)


def test_among_melds_where_tiles_lie_face_down_no_gap_is_closed(places: Places) -> None:
    assert not enclosed(places[Slot(0, Area.MELD, 5)], poses(around=Slot(0, Area.MELD, 5)), SIZE_MM)


def test_a_gap_among_tiles_is_bare_though_they_hide_its_outline(classifier: Classifier) -> None:
    assert told(in_the_midst(), classifier) is Presence.EMPTY


def test_a_slot_whose_outline_does_not_show_is_hidden_where_an_arm_reaches_it(classifier: Classifier) -> None:
    assert told(in_the_midst(without=(2, 3, 9)), classifier) is Presence.HIDDEN


def test_a_tile_that_is_not_proved_and_whose_marks_look_like_cloth_is_no_gap(classifier: Classifier) -> None:
    picture = in_the_midst()
    cloth = np.median(picture.picture[region(Slot(0, Area.RIVER, 21), (8.0, 13.0))].reshape(-1, 3), axis=0)
    finger = (120, 150, 205)
    for reach_mm, colour in (((13.0, 18.0), (190, 190, 190)), ((8.0, 13.0), cloth), ((3.0, 18.0), finger), ((3.0, 13.0), cloth)):
        picture.picture[region(GAP, reach_mm)] = colour
    assert told(picture, classifier) is Presence.HIDDEN


@pytest.mark.parametrize("sides", [1, 2])
def test_a_slot_with_the_edge_of_a_shadow_along_one_side_is_bare_and_not_with_a_sleeve_over_two(sides: int, classifier: Classifier) -> None:
    picture = printed_mat(MAT)
    top, left = region(GAP, (13.0, 18.0))
    shadow = slice(top.start - 20, top.start + 2)
    picture.picture[shadow, left] = np.rint(picture.picture[shadow, left] * 0.75)
    if sides == 2:
        picture.picture[top.start + 3 :, left.stop - 4 : left.stop + 80] = np.median(picture.picture[top, left].reshape(-1, 3), axis=0)
    assert told(picture, classifier) is (Presence.EMPTY if sides == 1 else Presence.HIDDEN)


def test_the_shade_of_a_tile_along_one_side_says_nothing_where_the_three_others_show(classifier: Classifier) -> None:
    picture = printed_mat(MAT, lighter=1.5)
    top, left = region(GAP, (13.0, 18.0))
    line = slice(top.start - 1, top.start + 2)
    picture.picture[line, left] = np.rint(picture.picture[line, left] * 0.85)
    assert told(picture, classifier) is Presence.EMPTY


def test_a_gap_that_tiles_beside_it_have_made_narrow_is_bare(classifier: Classifier) -> None:
    picture = in_the_midst(without=(7, 9))
    picture.lay(Tile.M5, Slot(0, Area.RIVER, 7), (5.0, 0.0))
    picture.lay(Tile.M5, Slot(0, Area.RIVER, 9), (-5.0, 0.0))
    assert told(picture, classifier) is Presence.EMPTY
