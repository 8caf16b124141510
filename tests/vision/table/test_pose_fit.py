"""Pose fit: a face that was found about right lies where its sides are, and one of which pieces were found where these end."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from vision.finder.found import FoundTile, TileForm
from vision.finder.pieced_faces import pieced_faces
from vision.table.covering import ends_around
from vision.table.pose_fit import fitted
from vision.table.tile_pose import TilePose, turned

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
