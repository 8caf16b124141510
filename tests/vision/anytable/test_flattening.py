"""The plane of a table again, from the faces of a hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from vision.anytable.flattening import flattened, flattening
from vision.anytable.plane import TILE_MM
from vision.mat_observation import MatObservation, ObservedTile
from vision.table.lens import Points, project

HALF = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
PLACES = [(x, y) for x in range(-240, 241, 80) for y in range(-240, 241, 80)]


def outlines(long_side: float = 1.0) -> list[Points]:
    """Faces all over a table, half of them sideways."""
    upright = HALF * TILE_MM * (1.0, long_side)
    sideways = upright @ np.array([(0.0, -1.0), (1.0, 0.0)])
    return [(upright, sideways)[number % 2] + place for number, place in enumerate(PLACES)]


STRETCHED = st.builds(
    lambda x, y, shear, right, down: np.array([(x, shear, 0.0), (0.0, y, 0.0), (right, down, 1.0)]),
    st.floats(0.8, 1.2),
    st.floats(0.8, 1.2),
    st.floats(-0.05, 0.05),
    st.floats(-4e-4, 4e-4),
    st.floats(-4e-4, 4e-4),
)


@settings(max_examples=examples(25))
@given(STRETCHED, st.floats(0.96, 1.05))
def test_a_plane_that_is_wrong_is_put_right_by_the_sizes_of_faces(wrong: Points, long_side: float) -> None:
    true = outlines(long_side)
    found = flattening([project(wrong, outline) for outline in true])
    right = np.array([project(found, project(wrong, outline)).mean(axis=0) for outline in true])
    assert np.hypot(*(right - PLACES).T).max() < 6.0


def test_few_faces_change_nothing() -> None:
    assert np.array_equal(flattening(outlines()[:5]), np.eye(3))


def test_tiles_and_what_is_covered_are_moved_alike() -> None:
    matrix = np.array([(1.25, 0.0, 0.0), (0.0, 1.25, 0.0), (0.0, 0.0, 1.0)])
    seen = MatObservation(7, (ObservedTile(80.0, -160.0, 30.0),), frozenset({(4, -8)}))
    (moved,) = flattened([seen], matrix)
    assert (round(moved.tiles[0].x_mm), round(moved.tiles[0].y_mm), round(moved.tiles[0].angle_deg), moved.at_ms) == (100, -200, 30, 7)
    assert (5, -10) in moved.covered
    assert (24, 0) not in moved.covered


def test_what_comes_from_beyond_the_squares_of_a_picture_is_covered() -> None:
    (moved,) = flattened([MatObservation(0)], np.array([(0.8, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]))
    assert {column for column, _ in moved.covered} == {-24, -23, -22, -21, -20, 20, 21, 22, 23, 24}
