"""Frames of a table that people disturb: tiles anywhere, things between camera and mat, a camera that was pushed or is silent."""

from contextlib import closing

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras.ground import SIDE_PX
from simulator.cameras.source import HttpScenes, WorldSilentError
from simulator.cameras.table import TableCamera
from simulator.scene import CLEAR, FREE, Between, Cover, CoverKind, LaidTile, TableScene
from tests.simulator.cameras.test_server import world, written
from tests.support.patience import PATIENCE_S
from twinwall.art.mat import Mat

Picture = NDArray[np.uint8]
LOOSE = LaidTile("P", 0, FREE, 0, False, (0.0, 0.0), 30.0)


@pytest.fixture(scope="module")
def camera() -> TableCamera:
    return TableCamera(5, Mat())


def shot(camera: TableCamera, *tiles: LaidTile, between: Between = CLEAR) -> Picture:
    return camera.render(TableScene(1, tiles, between))


def around(camera: TableCamera, picture: Picture, x_mm: float, y_mm: float) -> float:
    """How bright a spot of the mat is."""
    x, y = camera.view.project(np.array([(x_mm, y_mm)]))[0].round().astype(int)
    return float(picture[y - 6 : y + 7, x - 6 : x + 7].mean())


def test_a_loose_tile_lies_in_the_middle_of_the_mat(camera: TableCamera) -> None:
    assert around(camera, shot(camera, LOOSE), 0, 0) > around(camera, shot(camera), 0, 0) + 60


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


def test_a_silent_camera_sends_no_frame() -> None:
    answers = {"/scene/table": (200, written(TableScene(1, (), Between(silent=True))))}
    with (
        world(answers) as url,
        closing(HttpScenes(url, timeout_s=PATIENCE_S)) as scenes,
        pytest.raises(WorldSilentError, match="sends nothing"),
    ):
        scenes.table()
