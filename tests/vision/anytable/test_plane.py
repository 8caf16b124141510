"""The plane, the middle and the axes of a table, from the tiles that a camera sees on it; and the plane again, from a hand's faces."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.narrowed import present
from tests.support.recorder.filmed_hands import WALLS, FilmCamera
from tests.support.tiers import examples
from vision.anytable.beginning import flattened, flattening
from vision.anytable.plane import THICKNESS_MM, TILE_MM, TablePlane, fitted_plane, plane_of_corners
from vision.anytable.seats import TwoTablesError, seated
from vision.finder.found import FoundTile, TileForm
from vision.mat_observation import MatObservation, ObservedTile
from vision.table.lens import Points, project

GRID: Points = np.stack(np.meshgrid(np.linspace(-250, 250, 5), np.linspace(-250, 250, 5)), axis=-1).reshape(-1, 2)
RIVERS = tuple(
    ObservedTile(y if place % 2 else x, x if place % 2 else y, 90.0 * (place % 2))
    for place, y in enumerate((108.0, 108.0, -108.0, -108.0))
    for x in range(-70, 71, 28)
)
CAMERAS = st.builds(
    FilmCamera,
    focus=st.floats(0.9, 1.25),
    away_mm=st.floats(900, 1500),
    tilt_deg=st.floats(0, 35),
    from_deg=st.floats(-180, 180),
    turned_deg=st.floats(-30, 30),
)


def seen(camera: FilmCamera) -> list[FoundTile]:
    """Rivers and walls as a finder says them."""
    faces = camera.found(RIVERS, [TileForm.FACE] * len(RIVERS))
    return faces + camera.found(WALLS, [TileForm.WALL] * len(WALLS), THICKNESS_MM)


def off_px(plane: TablePlane, camera: FilmCamera) -> float:
    """How far points of the table are projected from where the camera sees them, with the plane's axes laid on the table's."""
    pixels = camera.project(np.column_stack((GRID, np.zeros(len(GRID)))))
    found = plane.points_mm(pixels)
    middle, own = found.mean(axis=0), GRID - GRID.mean(axis=0)
    left, _, right = np.linalg.svd((found - middle).T @ own)
    return float(np.abs(plane.project(own @ (left @ right).T + middle) - pixels).max())


@settings(max_examples=examples(25))
@given(CAMERAS)
def test_tiles_of_one_size_tell_the_plane_to_a_pixel(camera: FilmCamera) -> None:
    plane = present(fitted_plane(seen(camera), camera.width_px, camera.height_px))
    assert off_px(plane, camera) < 1.0


@pytest.mark.parametrize("size", [(960, 720), (854, 480), (720, 1280)])
@pytest.mark.parametrize("turned_deg", [-40.0, 0.0, 3.0, 40.0])
def test_walls_tell_the_middle_and_the_bottom_edge_of_the_picture_place_0(size: tuple[int, int], turned_deg: float) -> None:
    camera = FilmCamera(*size, away_mm=1150.0 if size[0] > size[1] else 1700.0, tilt_deg=20.0, turned_deg=turned_deg)
    plane = present(fitted_plane(seen(camera), *size))
    points = seated(plane, seen(camera), *size).points_mm(camera.project(np.array([(0.0, 0, 0), (-70, 108, 0), (262, 0, 0)])))
    assert np.abs(points - [(0, 0), (-70, 108), (262, 0)]).max() < 2.0


@pytest.mark.parametrize("side", range(4))
def test_where_the_wall_of_one_side_is_not_found_the_hands_tell_the_middle(side: int) -> None:
    camera = FilmCamera(away_mm=1300.0, tilt_deg=10.0)
    missed = [(wall.x_mm, -wall.y_mm, -wall.x_mm, wall.y_mm)[side] == max(abs(wall.x_mm), abs(wall.y_mm)) for wall in WALLS]
    walls = [wall for wall, is_missed in zip(WALLS, missed, strict=True) if not is_missed]
    hands = [ObservedTile(1.3 * wall.x_mm, 1.3 * wall.y_mm, wall.angle_deg) for wall in WALLS]
    tiles = camera.found(walls, [TileForm.WALL] * len(walls), THICKNESS_MM) + camera.found(hands, [TileForm.STANDING] * len(hands))
    plane = present(fitted_plane(seen(camera), camera.width_px, camera.height_px))
    assert len(walls) < len(WALLS)
    middle = seated(plane, tiles, camera.width_px, camera.height_px).points_mm(camera.project(np.zeros((1, 3))))
    assert np.abs(middle).max() < 10.0


def test_tiles_of_odd_sizes_and_two_tiles_tell_no_plane() -> None:
    rng = np.random.default_rng(1)
    odd = [
        replace(tile, width_px=tile.width_px * rng.uniform(0.3, 3), height_px=tile.height_px * rng.uniform(0.3, 3))
        for tile in seen(FilmCamera())
    ]
    assert fitted_plane(odd, 960, 720) is None
    assert fitted_plane(seen(FilmCamera())[:2], 960, 720) is None
    assert fitted_plane([*odd[:9], *seen(FilmCamera())[:7]], 960, 720) is None


def test_dice_between_walls_are_no_tiles_a_tile_s_height_below_a_camera() -> None:
    """They look half as large as a tile, as tiles do on a plane twice as far away as the tops of walls."""
    camera = FilmCamera(tilt_deg=8.0)
    (middle,) = camera.found((ObservedTile(0.0, 0.0, 0.0),), [TileForm.FACE])
    die = replace(middle, width_px=middle.width_px * 0.48, height_px=middle.height_px * 0.45)
    dice = [replace(die, x_px=die.x_px + 18 * (number % 2), y_px=die.y_px + 12 * (number % 2)) for number in range(12)]
    walls = camera.found(WALLS, [TileForm.WALL] * len(WALLS), THICKNESS_MM)
    plane = present(fitted_plane([*walls, *dice], camera.width_px, camera.height_px))
    across, along = np.ptp(plane.points_mm(middle.outline_px()), axis=0)
    assert 22 < across < 32
    assert 28 < along < 42


def test_a_few_misfits_among_the_tiles_move_nothing() -> None:
    camera = FilmCamera()
    tiles = [replace(tile, width_px=2 * tile.width_px) if number % 9 == 0 else tile for number, tile in enumerate(seen(camera))]
    plane = present(fitted_plane(tiles, camera.width_px, camera.height_px))
    assert off_px(plane, camera) < 2.0


@pytest.mark.parametrize("share", [0.2, 0.4])
@pytest.mark.parametrize("size", [0.45, 2.3])
def test_prints_of_the_cloth_that_pass_for_tiles_do_not_bend_the_plane(size: float, share: float) -> None:
    """All medallions of a cloth have one size, and lie on its near half here."""
    camera, rng = FilmCamera(tilt_deg=25.0), np.random.default_rng(1)
    tiles = seen(camera)
    places = [ObservedTile(x, y, 90.0) for x, y in rng.uniform((-300, 0), (300, 300), (int(share * len(tiles)), 2)).tolist()]
    prints = [
        replace(tile, width_px=size * tile.width_px * wide, height_px=size * tile.height_px)
        for tile, wide in zip(camera.found(places, [TileForm.FACE] * len(places)), rng.normal(1, 0.05, len(places)).tolist(), strict=True)
    ]
    plane = present(fitted_plane([*tiles, *prints], camera.width_px, camera.height_px))
    assert off_px(plane, camera) < 2.0


def test_corners_that_a_person_gives_are_the_table_s() -> None:
    camera = FilmCamera(turned_deg=0.0)
    corners = camera.project(np.array([(-350.0, -350, 0), (350, -350, 0), (350, 350, 0), (-350, 350, 0)]))
    points = plane_of_corners(corners.tolist(), 700.0).points_mm(camera.project(np.array([(-70.0, 108, 0), (262, 0, 0)])))
    assert np.abs(points - [(-70, 108), (262, 0)]).max() < 0.1


def test_two_tables_in_the_picture_are_refused() -> None:
    camera = FilmCamera(away_mm=3500.0, tilt_deg=0.0)
    beside = [replace(tile, x_mm=tile.x_mm + 1200) for tile in WALLS]
    tiles = camera.found([*WALLS, *beside], [TileForm.WALL] * 2 * len(WALLS), THICKNESS_MM)
    plane = present(fitted_plane(tiles, 960, 720))
    with pytest.raises(TwoTablesError, match="two tables"):
        seated(plane, tiles, 960, 720)


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
