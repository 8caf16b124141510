"""Gaps among tiles: bare where no arm can reach them, and hidden where one can, or where a tile may lie that is not proved."""

from itertools import product

import numpy as np
import pytest

from tests.support.vision.pictures import MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture, printed_mat
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.table.bare_slots import enclosed
from vision.table.registration import Pose
from vision.table.slot_places import SlotPlace
from vision.table.slots import Presence
from vision.table.table_reader import TableGeometry, TableReader

MAT = Mat()
SIZE_MM = np.array((MAT.tile_width_mm, MAT.tile_height_mm))
GEOMETRY = TableGeometry(tile_thickness_mm=0.0)
GAP = Slot(0, Area.RIVER, 8)
AROUND = (1, 2, 3, 7, 9, 13, 14, 15)


def poses(without: tuple[tuple[int, int], ...] = ()) -> list[Pose]:
    """Tiles at all places around one in a river but some, by columns and rows from it."""
    around = [at for at in product((-1, 0, 1), (-1, 0, 1)) if at != (0, 0) and at not in without]
    return [Pose(column * MAT.river_pitch_mm, row * MAT.row_pitch_mm, 0.0, sideways=False, clearness=1.0) for column, row in around]


def place_of(slot: Slot, reader: TableReader) -> SlotPlace:
    """Where a reader sees a slot."""
    seen = reader.follower.seen_in(CameraFrame(printed_mat(MAT).picture, 0, 1))
    assert seen is not None
    return seen.placed.places[slot]


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
    reader = TableReader(MAT, classifier, GEOMETRY)
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
def test_no_arm_reaches_a_gap_that_tiles_close_on_three_sides(without: tuple[tuple[int, int], ...], classifier: Classifier) -> None:
    reader = TableReader(MAT, classifier, GEOMETRY)
    assert enclosed(place_of(GAP, reader), poses(without), SIZE_MM)


@pytest.mark.parametrize("without", [((1, 0), (1, 1), (0, 1)), ((0, 1), (0, -1), (1, 0), (1, 1), (1, -1))])
def test_an_arm_may_reach_a_gap_with_two_open_sides(without: tuple[tuple[int, int], ...], classifier: Classifier) -> None:
    reader = TableReader(MAT, classifier, GEOMETRY)
    assert not enclosed(place_of(GAP, reader), poses(without), SIZE_MM)


def test_among_melds_where_tiles_lie_face_down_no_gap_is_closed(classifier: Classifier) -> None:
    reader = TableReader(MAT, classifier, GEOMETRY)
    assert not enclosed(place_of(Slot(0, Area.MELD, 5), reader), poses(), SIZE_MM)


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
