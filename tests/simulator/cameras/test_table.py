"""Simulated table frames: markers, tiles where they lie, only changes drawn again, and what people who disturb do to them."""

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras.gate import HEIGHT, PX_PER_MM, WIDTH, GateCamera
from simulator.cameras.ground import SIDE_PX
from simulator.cameras.table import TILE_THICKNESS_MM, TableCamera
from simulator.scene import CLEAR, FREE, Between, Cover, CoverKind, GateScene, LaidTile, TableScene, WindowTile
from tests.support.tiers import some
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


def test_a_sideways_tile_is_turned_counter_clockwise_and_skew_adds_to_it(camera: TableCamera) -> None:
    slot = Slot(2, Area.MELD, 4)
    upright = upright_crop(camera, camera.render(scene(laid(slot, "9m"))), slot)
    sideways = upright_crop(camera, camera.render(scene(laid(slot, "9m", sideways=True))), slot, turned_deg=90)
    assert likeness(sideways, upright) > 0.85
    upside_down = upright_crop(camera, camera.render(scene(laid(slot, "9m", angle_deg=180.0))), slot, turned_deg=180)
    assert likeness(upside_down, upright) > 0.9


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


CAMERA = GateCamera(seed=4)


def tile(
    face: str = "E",
    *,
    turned: bool = False,
    offset_mm: tuple[float, float] = (0.0, 0.0),
    angle_deg: float = 0.0,
    obscured: bool = False,
    light_seed: int = 3,
) -> GateScene:
    return GateScene(WindowTile(face, turned, offset_mm, angle_deg, obscured, light_seed))


def outline(picture: Picture) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Middle, size (short, long) and clockwise angle of the brightest large region."""
    mask = (cv2.medianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 5) > 120).astype(np.uint8)
    filled = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((61, 61), np.uint8))
    contours, _ = cv2.findContours(filled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    (x, y), (width, height), angle = cv2.minAreaRect(max(contours, key=cv2.contourArea))
    if width > height:
        width, height, angle = height, width, angle - 90
    return (x, y), (width, height), (angle + 90) % 180 - 90


def grey(picture: Picture) -> NDArray[np.float64]:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.5).mean(axis=2), np.float64)


def test_the_tile_has_the_cameras_scale() -> None:
    _, (width, height), _ = outline(CAMERA.render(tile("9s")))
    assert 0.93 * 26 * PX_PER_MM <= width <= 1.05 * 26 * PX_PER_MM
    assert 0.93 * 36 * PX_PER_MM <= height <= 1.05 * 36 * PX_PER_MM


def test_the_tile_moves_and_turns_as_the_scene_says() -> None:
    (x0, y0), _, angle0 = outline(CAMERA.render(tile("9s")))
    (x1, y1), _, angle1 = outline(CAMERA.render(tile("9s", offset_mm=(2.0, -1.5), angle_deg=4.0)))
    assert x1 - x0 == pytest.approx(2.0 * PX_PER_MM, abs=3)
    assert y1 - y0 == pytest.approx(-1.5 * PX_PER_MM, abs=3)
    assert angle0 - angle1 == pytest.approx(4.0, abs=1.2)


def test_a_turned_tile_is_the_upright_one_upside_down() -> None:
    upright, turned = grey(CAMERA.render(tile("1m"))), grey(CAMERA.render(tile("1m", turned=True)))
    middle = (slice(90, 270), slice(173, 307))
    here, there = upright[middle], turned[middle]
    same = np.corrcoef(here.ravel(), there.ravel())[0, 1]
    reversed_ = max(
        np.corrcoef(here.ravel(), np.roll(there[::-1, ::-1], (dy, dx), (0, 1)).ravel())[0, 1]
        for dy in range(-9, 10, 3)
        for dx in range(-9, 10, 3)
    )
    assert reversed_ > 0.7 > same


def test_an_obscured_tile_cannot_be_told_even_from_six_known_pictures() -> None:
    camera = GateCamera(seed=4)
    faces = ("1m", "E", "8p", "2s", "P", "1s")
    told = 0
    for light_seed in some(range(6), 3):
        known = [strokes(camera.render(tile(face, light_seed=light_seed))) for face in faces]
        for index, face in enumerate(faces):
            spoilt = strokes(camera.render(tile(face, obscured=True, light_seed=light_seed)))
            told += int(np.argmax([np.corrcoef(spoilt.ravel(), picture.ravel())[0, 1] for picture in known])) == index
    assert told <= 0.35 * len(some(range(6), 3)) * len(faces)


def strokes(picture: Picture) -> NDArray[np.float64]:
    """The window's middle without its slow changes of light."""
    flat = grey(picture)
    return np.asarray(flat - cv2.GaussianBlur(flat, (0, 0), 10), np.float64)[68:292, 158:322]


def test_the_same_mounting_scene_and_frame_number_give_the_same_picture_and_noise_never_repeats() -> None:
    one, other = GateCamera(seed=9), GateCamera(seed=9)
    first = one.render(tile())
    assert np.array_equal(first, other.render(tile()))
    assert not np.array_equal(first, one.render(tile()))
    assert np.abs(first.astype(int) - one.render(tile())).mean() < 8


def test_a_camera_shows_the_faces_of_another_set_where_it_is_given_them() -> None:
    red = np.zeros((360, 260, 3), np.uint8)
    red[:, :, 2] = 200
    other, usual = GateCamera(4, {"E": red}), GateCamera(4)
    middle = other.render(tile("E"))[HEIGHT // 2 - 20 : HEIGHT // 2 + 20, WIDTH // 2 - 20 : WIDTH // 2 + 20].reshape(-1, 3).mean(axis=0)
    assert middle[2] > 100
    assert middle[:2].max() < 60
    usual.render(tile("E"))
    assert np.array_equal(other.render(tile("S")), usual.render(tile("S")))


LOOSE = LaidTile("P", 0, FREE, 0, False, (0.0, 0.0), 30.0)


def shot(camera: TableCamera, *tiles: LaidTile, between: Between = CLEAR) -> Picture:
    return camera.render(TableScene(1, tiles, between))


def around(camera: TableCamera, picture: Picture, x_mm: float, y_mm: float) -> float:
    """How bright a spot of the mat is."""
    x, y = camera.view.project(np.array([(x_mm, y_mm)]))[0].round().astype(int)
    return float(picture[y - 6 : y + 7, x - 6 : x + 7].mean())


def test_a_tile_on_the_edge_of_another_is_drawn_over_it(camera: TableCamera) -> None:
    """Whichever is nearer to the point below the camera."""
    back = LaidTile("back", 0, FREE, 0, False, (15.0, 0.0), 30.0)
    upper = shot(camera, LOOSE, msgspec.structs.replace(back, level=1))
    assert around(camera, upper, 3, 0) < around(camera, shot(camera, LOOSE), 3, 0) - 30


@pytest.mark.parametrize("kind", CoverKind)
def test_a_cover_hides_what_lies_below(camera: TableCamera, kind: CoverKind) -> None:
    over = Between((Cover(kind, 0, 0.0, 0.0),))
    with_tile, without = (shot(camera, *tiles, between=over) for tiles in ((LOOSE,), ()))
    assert abs(around(camera, with_tile, 0, 0) - around(camera, without, 0, 0)) < 3


def test_a_one_sided_light_is_brighter_there_and_darker_opposite(camera: TableCamera) -> None:
    usual, sided = shot(camera), shot(camera, between=Between(side_light=(0.3, 0.0)))
    brighter = [around(camera, sided, x_mm, 200) - around(camera, usual, x_mm, 200) for x_mm in (-300, 0, 300)]
    assert brighter[0] < -4
    assert abs(brighter[1]) < 1
    assert brighter[2] > 4


def test_a_camera_that_was_pushed_shows_the_tile_elsewhere(camera: TableCamera) -> None:
    pushed = shot(camera, LOOSE, between=Between(moved_mm=(60.0, 0.0)))
    assert pushed.shape == (SIDE_PX, SIDE_PX, 3)
    assert around(camera, pushed, 60, 0) == pytest.approx(around(camera, shot(camera, LOOSE), 0, 0), abs=6)
