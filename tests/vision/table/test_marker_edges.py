"""Corners of markers, whose edges a lens has blurred as lenses do: in light, not in a picture's levels."""

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
from vision.table.lens import Points
from vision.table.marker_edges import refined
from vision.table.markers import marker_corners, seen_markers

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
