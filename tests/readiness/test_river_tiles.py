"""Tiles drawn for the public value, seen by the simulator's camera and read by the table's reader, over the server of readiness."""

from collections.abc import Iterator

import numpy as np
import pytest

from dashboard.readiness.local_servers import LocalServerError, TableReadiness
from simulator.cameras.table import TableCamera
from simulator.scene import BACK, CLEAR, Between, LaidTile, TableScene
from tests.readiness.rig import ReadinessRig
from tests.support.answering import served
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.wire.messages.tile_reading import UnreadRiverSlot

MAT = Mat()
DRAWN = {(0, 0): "5p", (0, 1): "3s", (1, 0): "E", (1, 1): "7m", (2, 0): "C", (2, 1): "1s", (3, 0): "9p", (3, 1): "2m"}
"""Eight tiles by place and number in its river."""


@pytest.fixture
def readiness(rig: ReadinessRig) -> Iterator[TableReadiness]:
    with served(rig.app) as url:
        yield TableReadiness(url)


def laid(face: str, place: int, index: int, area: Area = Area.RIVER, off_mm: tuple[float, float] = (0.0, 0.0)) -> LaidTile:
    return LaidTile(face, place, area.value, index, False, off_mm, 0.0)


def show(rig: ReadinessRig, *tiles: LaidTile, between: Between = CLEAR, seed: int = 3) -> None:
    """The camera exposes anew for each frame, with its noise."""
    camera, scene = TableCamera(seed, MAT), TableScene(1, tiles, between)
    rig.mat.render = lambda: camera.render(scene)


def drawn() -> list[LaidTile]:
    return [laid(face, place, index) for (place, index), face in DRAWN.items()]


def test_eight_drawn_tiles_are_read_river_by_river(rig: ReadinessRig, readiness: TableReadiness) -> None:
    show(rig, *drawn(), laid("N", 0, 3, Area.HAND), laid("N", 2, 0, Area.MELD))
    seen = readiness.read_rivers("1")
    assert (seen.tiles, seen.unread) == (list(DRAWN.values()), ())


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [1, 2])
def test_whole_rivers_of_any_tiles_are_read_or_named(rig: ReadinessRig, readiness: TableReadiness, seed: int) -> None:
    rng = np.random.default_rng(seed)
    faces: dict[Slot, Tile] = {
        slot: ALL_TILES[int(rng.integers(len(ALL_TILES)))] for place in range(4) for slot in MAT.slots(place, Area.RIVER)[: 6 * seed]
    }
    offsets = rng.uniform(-0.8, 0.8, (len(faces), 2))
    tiles = (laid(face.text, slot.place, slot.index, off_mm=(x, y)) for (slot, face), (x, y) in zip(faces.items(), offsets, strict=True))
    show(rig, *tiles, seed=seed)
    seen = readiness.read_rivers("1")
    unread = {Slot(each.place - 1, Area.RIVER, each.number - 1) for each in seen.unread}
    assert seen.tiles == [face.text for slot, face in faces.items() if slot not in unread]
    assert len(unread) <= len(faces) // 10


def test_a_bare_mat_has_no_tiles_a_covered_slot_is_named_and_nothing_is_read_while_the_table_plays(
    rig: ReadinessRig, readiness: TableReadiness
) -> None:
    show(rig)
    seen = readiness.read_rivers("1")
    assert (seen.tiles, seen.unread) == ([], ())
    show(rig, laid(BACK, 1, 7))
    assert readiness.read_rivers("1").unread == (UnreadRiverSlot(2, 8, "covered"),)
    rig.in_use = True
    with pytest.raises(LocalServerError, match="this table plays"):
        readiness.read_rivers("1")
