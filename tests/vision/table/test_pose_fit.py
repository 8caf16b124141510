"""Edges found to a fraction of a pixel: corners of markers, however a lens blurs them, and sides of faces, of which one that was found
about right lies where these are."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.cameras.optics import to_light, to_picture
from simulator.cameras.table import TableCamera, usual_look
from simulator.scene import TableScene
from tests.support.tiers import examples, some
from twinwall.art.mat import Mat
from vision.finder.found import FoundTile, TileForm, pieced_faces
from vision.table.lens import Points
from vision.table.markers import marker_corners, refined, seen_markers
from vision.table.mat_finder import ends_around
from vision.table.tile_pose import TilePose, fitted, turned

SIZE_MM = np.array((26.0, 36.0))
PX_PER_MM = 2.0
NOWHERE = np.zeros(2)


def pose(x_mm: float, y_mm: float, angle_deg: float) -> TilePose:
    """A tile in a picture whose first pixel is at -60 mm."""
    plane = np.eye(3)
    plane[:2, :2], plane[:2, 2] = turned(angle_deg % 180.0) * PX_PER_MM, (np.array((x_mm, y_mm)) + 60.0) * PX_PER_MM
    return TilePose(x_mm, y_mm, angle_deg % 180.0, 1.0, face_up=True, plane=plane)


def face(tile: TilePose) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A face without marks on dark cloth."""
    picture = np.full((240, 240, 3), 60, np.uint8)
    corners = (tile.corners_mm(SIZE_MM) + 60.0) * PX_PER_MM
    return np.asarray(cv2.fillConvexPoly(picture, np.rint(corners * 16).astype(np.int32), (210, 214, 216), cv2.LINE_AA, 4))


OFF_MM = st.floats(-1.2, 1.2)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 179.9), st.tuples(OFF_MM, OFF_MM, st.floats(-2.5, 2.5)))
@settings(max_examples=examples(60))
def test_a_pose_that_is_about_right_becomes_right(x_mm: float, y_mm: float, angle: float, off: tuple[float, float, float]) -> None:
    about = pose(x_mm + off[0], y_mm + off[1], angle + off[2])
    (found,) = fitted(face(pose(x_mm, y_mm, angle)), NOWHERE, SIZE_MM, [about])
    assert (found.x_mm, found.y_mm) == pytest.approx((x_mm, y_mm), abs=0.5)
    assert abs(found.off_deg(angle)) < 1.3
    assert 0.0 <= found.angle_deg < 180.0
    across = found.plane[:2, :2] @ (1.0, 0.0)
    assert across / PX_PER_MM == pytest.approx(turned(found.angle_deg) @ (1.0, 0.0), abs=1e-6), "its plane is turned as it is"


def test_where_no_edge_is_seen_a_pose_stays_and_no_tile_is_no_error() -> None:
    (found,) = fitted(np.full((240, 240, 3), 90, np.uint8), NOWHERE, SIZE_MM, [pose(1.0, 2.0, 30.0)])
    assert (found.x_mm, found.y_mm, found.angle_deg) == (1.0, 2.0, 30.0)
    assert fitted(np.full((240, 240, 3), 90, np.uint8), NOWHERE, SIZE_MM, []) == []


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([(88.0, 12.0, 25.0, 90.0), (112.0, 12.0, 25.0, 90.0)], id="its first row and its last one"),
        pytest.param([(96.0, 25.0, 28.0, 0.0)], id="all but its last row"),
        pytest.param([(100.0, 31.0, 30.0, 90.0)], id="a face as wide as high"),
    ],
)
def test_a_face_may_lie_where_its_pieces_end(pieces: list[tuple[float, float, float, float]]) -> None:
    found = [FoundTile(100.0, y, width, height, angle_deg, TileForm.FACE, 0.7) for y, width, height, angle_deg in pieces]
    faces = pieced_faces(found, SIZE_MM)
    assert any(face.angle_deg == 0.0 and (face.x_px, face.y_px) == pytest.approx((100.0, 100.0), abs=1.5) for face in faces)


def test_whole_faces_are_no_pieces_of_others() -> None:
    assert not list(pieced_faces([FoundTile(100.0, 100.0, 25.0, 37.0, 3.0, TileForm.FACE, 0.7)], SIZE_MM))


@given(st.floats(0, 179.9), st.sampled_from([(0.0, 0.0, True), (6.0, 0.0, False), (-6.0, 0.0, False), (0.0, 8.0, False)]))
@settings(max_examples=examples(20))
def test_a_face_ends_on_all_sides_where_it_lies_and_nowhere_beside(angle: float, beside: tuple[float, float, bool]) -> None:
    lies = pose(0.0, 0.0, angle)
    x, y = lies.points_mm(np.array([beside[:2]]))[0].tolist()
    assert ends_around(face(lies), [pose(x, y, angle)], NOWHERE, SIZE_MM).tolist() == [beside[2]]


FINER = 4
SIDE_PX = 130
BLACK, WHITE = np.array(22, np.uint8), np.array(230, np.uint8)
SQUARE = np.array([(-40.0, -40.0), (40.0, -40.0), (40.0, 40.0), (-40.0, 40.0)])
STAGGERED = np.array([(0.6, -0.4), (-0.5, 0.7), (0.4, 0.5), (-0.7, -0.6)])


def square_seen(corners: Points, blur_px: float) -> NDArray[np.uint8]:
    """A black square with white around it through a lens that blurs: grey SIDE_PX × SIDE_PX."""
    y, x = ((np.mgrid[0 : SIDE_PX * FINER, 0 : SIDE_PX * FINER] + 0.5) / FINER - 0.5).astype(np.float32)
    inside = np.full(x.shape, np.inf, np.float32)
    for (left, top), (right, bottom) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        across = (y - top) * (right - left) - (x - left) * (bottom - top)
        inside = np.minimum(inside, (across / np.hypot(right - left, bottom - top)).astype(np.float32))
    black = np.clip(inside * FINER + 0.5, 0, 1)
    light = cv2.GaussianBlur(to_light(WHITE) + black * (to_light(BLACK) - to_light(WHITE)), (0, 0), blur_px * FINER)
    return to_picture(np.asarray(cv2.resize(light, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), np.float32))


@given(st.floats(-30, 30), st.floats(-1, 1), st.floats(-1, 1), st.floats(0.4, 1.4))
@settings(max_examples=examples(12), deadline=None)
def test_corners_are_found_to_a_tenth_of_a_pixel_however_the_lens_blurs(turn_deg: float, x: float, y: float, blur_px: float) -> None:
    angle = np.deg2rad(turn_deg)
    turned = SQUARE @ np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
    corners = turned + SIDE_PX / 2 + (x, y)
    found = refined(square_seen(corners, blur_px), corners + STAGGERED)
    assert np.abs(found - corners).max() < 0.1


def test_where_there_is_no_edge_the_corners_stay() -> None:
    corners = SQUARE + SIDE_PX / 2
    assert refined(np.full((SIDE_PX, SIDE_PX), 120, np.uint8), corners) == pytest.approx(corners)


def test_a_finger_over_a_part_of_an_edge_does_not_move_it() -> None:
    corners = SQUARE + SIDE_PX / 2
    picture = square_seen(corners, 0.8)
    picture[24:38, 60:74] = 120
    assert np.abs(refined(picture, corners + STAGGERED) - corners).max() < 0.2


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_markers_lie_where_the_simulated_camera_shows_them(seed: int) -> None:
    mat = Mat()
    look = replace(usual_look(np.random.default_rng(seed)), noise=1.0)
    picture = TableCamera(seed, mat, look).render(TableScene(1, ()))
    seen = seen_markers(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8))
    off = np.array([seen[number] - look.view.project(corners) for number, corners in marker_corners(mat).items()]).reshape(-1, 2)
    assert np.abs(off - off.mean(axis=0)).max() < 0.35
    sides = [np.linalg.norm(np.roll(corners, 1, axis=0) - corners, axis=1).mean() for corners in (*seen.values(),)]
    true = [np.linalg.norm(np.roll(q, 1, axis=0) - q, axis=1).mean() for q in (look.view.project(marker_corners(mat)[n]) for n in seen)]
    assert sides == pytest.approx(true, abs=0.3)
