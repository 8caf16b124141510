"""Simulated table frames: markers, tiles where they lie, and only changes drawn again."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras.ground import SIDE_PX
from simulator.cameras.table import TILE_THICKNESS_MM, TableCamera
from simulator.scene import LaidTile, TableScene
from twinwall.art.mat import Area, Mat, Slot

pytestmark = pytest.mark.slow

Picture = NDArray[np.uint8]
MAT = Mat()


def laid(
    slot: Slot, face: str = "E", *, sideways: bool = False, offset_mm: tuple[float, float] = (0.0, 0.0), angle_deg: float = 0.0
) -> LaidTile:
    return LaidTile(face, slot.place, slot.area.value, slot.index, sideways, offset_mm, angle_deg)


def scene(*tiles: LaidTile) -> TableScene:
    return TableScene(1, tiles)


def upright_crop(camera: TableCamera, picture: Picture, slot: Slot, *, turned_deg: float = 0.0) -> Picture:
    """What lies at a slot, turned so that it stands upright for its player; 4 px a millimetre."""
    spot = MAT.spot(slot)
    angle = np.deg2rad(spot.turn_deg + turned_deg)
    corners = np.array([(-13, -18), (13, -18), (13, 18), (-13, 18)], np.float64)
    turned = corners @ np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))]) + np.array([(spot.x_mm, spot.y_mm)])
    source = camera.view.project(turned, TILE_THICKNESS_MM).astype(np.float32)
    target = np.array([(0, 0), (104, 0), (104, 144), (0, 144)], np.float32) - np.float32(0.5)
    return np.asarray(cv2.warpPerspective(picture, cv2.getPerspectiveTransform(source, target), (104, 144)), np.uint8)


def likeness(one: Picture, other: Picture) -> float:
    greys = [cv2.GaussianBlur(picture, (0, 0), 2).mean(axis=2)[8:-8, 8:-8].ravel() for picture in (one, other)]
    return float(np.corrcoef(greys[0], greys[1])[0, 1])


@pytest.fixture(scope="module")
def camera() -> TableCamera:
    return TableCamera(5, MAT)


def test_the_four_markers_are_found_where_the_mat_has_them(camera: TableCamera) -> None:
    picture = camera.render(scene())
    assert picture.shape == (SIDE_PX, SIDE_PX, 3)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, numbers, _ = detector.detectMarkers(picture)
    assert sorted(int(number) for number in np.ravel(numbers)) == [0, 1, 2, 3]
    middle, half = MAT.marker_centre_mm, MAT.marker_mm / 2
    signs = {0: (-1, 1), 1: (1, 1), 2: (1, -1), 3: (-1, -1)}
    for found, number in zip(corners, np.ravel(numbers), strict=True):
        x, y = signs[int(number)]
        upright = np.array([(-half, -half), (half, -half), (half, half), (-half, half)]) + np.array([(x * middle, y * middle)])
        assert np.abs(found[0] - camera.view.project(upright)).max() < 2.5


def test_every_slot_of_the_mat_lies_in_view(camera: TableCamera) -> None:
    tiles = [laid(slot) for slot in MAT.all_slots(Area.RIVER, Area.MELD, Area.WIN)]
    camera.render(scene(*tiles))
    for place in range(4):
        for slot in MAT.slots(place, Area.MELD):
            spot = MAT.spot(slot)
            x, y = camera.view.project(np.array([(spot.x_mm, spot.y_mm)]), TILE_THICKNESS_MM)[0]
            assert 20 < x < SIDE_PX - 20 and 20 < y < SIDE_PX - 20


@pytest.mark.parametrize("place", range(4))
def test_a_tile_stands_upright_for_the_player_who_laid_it(camera: TableCamera, place: int) -> None:
    slot, model = Slot(place, Area.RIVER, 3), Slot(0, Area.RIVER, 3)
    expected = upright_crop(camera, camera.render(scene(laid(model, "7m"))), model)
    seen = upright_crop(camera, camera.render(scene(laid(slot, "7m"))), slot)
    assert likeness(seen, expected) > 0.9
    assert likeness(np.ascontiguousarray(seen[::-1, ::-1]), expected) < 0.7


def test_a_sideways_tile_is_turned_counter_clockwise_and_skew_adds_to_it(camera: TableCamera) -> None:
    slot = Slot(2, Area.MELD, 4)
    upright = upright_crop(camera, camera.render(scene(laid(slot, "9m"))), slot)
    sideways = upright_crop(camera, camera.render(scene(laid(slot, "9m", sideways=True))), slot, turned_deg=90)
    assert likeness(sideways, upright) > 0.85
    upside_down = upright_crop(camera, camera.render(scene(laid(slot, "9m", angle_deg=180.0))), slot, turned_deg=180)
    assert likeness(upside_down, upright) > 0.9


def test_an_offset_moves_the_tile_in_the_axes_of_the_mat(camera: TableCamera) -> None:
    slot = Slot(1, Area.RIVER, 8)
    still = upright_crop(camera, camera.render(scene(laid(slot, "C"))), Slot(1, Area.RIVER, 8))
    moved_picture = camera.render(scene(laid(slot, "C", offset_mm=(3.0, 0.0))))
    shift_px = (camera.view.project(np.array([(3.0, 0.0)])) - camera.view.project(np.array([(0.0, 0.0)])))[0]
    back = cv2.warpAffine(moved_picture, np.array([(1, 0, -shift_px[0]), (0, 1, -shift_px[1])]), (SIDE_PX, SIDE_PX))
    assert likeness(upright_crop(camera, np.asarray(back, np.uint8), slot), still) > 0.93


@pytest.mark.nightly
def test_a_table_built_step_by_step_looks_like_one_drawn_at_once() -> None:
    tiles = [
        laid(slot, face)
        for slot, face in zip(MAT.slots(0, Area.HAND), ["1m", "2m", "3m", "E", "S", "W", "N", "P", "F", "C", "1p", "2p", "3p"], strict=True)
    ]
    removed = [laid(Slot(0, Area.WIN, 0)), laid(Slot(3, Area.RIVER, 0))]
    stepwise, at_once = TableCamera(6, MAT), TableCamera(6, MAT)
    for count in range(len(tiles) + 1):
        stepwise.render(scene(*removed, *tiles[:count]))
    final = stepwise.render(scene(*tiles))
    for _ in range(len(tiles) + 1):
        at_once.render(scene())
    difference = np.abs(final.astype(int) - at_once.render(scene(*tiles)))
    assert difference.max() <= 1


@pytest.mark.parametrize(
    ("tile", "named"),
    [
        (LaidTile("0m", 0, "river", 0, False, (0, 0), 0), "'0m'"),
        (LaidTile("E", 0, "river", 99, False, (0, 0), 0), "no slot"),
        (LaidTile("E", 0, "wall", 0, False, (0, 0), 0), "wall"),
    ],
)
def test_a_tile_that_cannot_be_shown_is_named_and_the_next_frame_is_good(camera: TableCamera, tile: LaidTile, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        camera.render(scene(tile))
    assert camera.render(scene()).shape == (SIDE_PX, SIDE_PX, 3)


def test_a_tile_that_lies_face_down_shows_the_same_back_whatever_it_is(camera: TableCamera) -> None:
    slot = Slot(0, Area.MELD, 1)
    back = upright_crop(camera, camera.render(scene(laid(slot, "back"))), slot)
    height, width = back.shape[:2]
    middle = back[height // 4 : -height // 4, width // 4 : -width // 4].reshape(-1, 3)
    assert middle.std(axis=0).max() < 8
    assert middle.mean(axis=0)[1] > middle.mean(axis=0)[[0, 2]].max()
