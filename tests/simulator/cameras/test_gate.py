"""Simulated gate frames: they show the tile as it lies, differ where the world differs, and can be spoilt."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras.gate import HEIGHT, PX_PER_MM, WIDTH, GateCamera
from simulator.scene import GateScene, WindowTile
from tests.support.tiers import some
from twinwall.game.tiles import ALL_TILES

pytestmark = pytest.mark.slow

Picture = NDArray[np.uint8]
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
    grey = cv2.medianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 5)
    mask = (grey > 120).astype(np.uint8)
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


def test_every_face_of_the_set_looks_different() -> None:
    pictures = {face.text: grey(CAMERA.render(tile(face.text)))[68:292, 158:322] for face in ALL_TILES}
    pictures["flower"] = grey(CAMERA.render(tile("flower")))[68:292, 158:322]
    for one, seen in pictures.items():
        nearest = min(np.abs(seen - other).mean() for name, other in pictures.items() if name != one)
        assert nearest > 3.0, one


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
