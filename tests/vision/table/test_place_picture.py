"""Pictures of a slot for a referee: the slot and its neighbours in its own area, and nothing of other areas or places."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.tiers import one_in
from tests.support.vision.pictures import MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import Tile
from vision.table.lens import Lens, MatView
from vision.table.place_picture import PX_PER_MM, SHOWN_AREAS, is_shown, place_picture, shown_mm
from vision.table.slot_places import from_mat, on_mat

MAT = Mat()
SLOTS = MAT.all_slots(*SHOWN_AREAS)
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


def overlaps(slot: Slot, other: Slot) -> bool:
    """Whether a tile that lies squarely in the other slot reaches into what is shown of the first."""
    half = np.array([MAT.tile_width_mm, MAT.tile_height_mm]) / 2
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]) * half
    tile = from_mat(MAT.spot(slot), on_mat(MAT.spot(other), corners))
    window = shown_mm(MAT, slot)
    return bool((tile.max(axis=0) > window.min(axis=0) + 1e-6).all() and (tile.min(axis=0) < window.max(axis=0) - 1e-6).all())


@pytest.mark.parametrize("slot", one_in(8, SLOTS), ids=str)
def test_no_place_of_another_area_or_seat_is_shown(slot: Slot) -> None:
    seen = {other for other in MAT.all_slots() if overlaps(slot, other)}
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
