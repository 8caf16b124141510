"""Kongs seen from above, through the simulated camera: every fourth tile is read, and a back is never taken for a face."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.random import Generator

from simulator.cameras.table import TableCamera
from simulator.scene import BACK, LaidTile, TableScene
from tests.support.tiers import one_in
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.table.table_reader import TableReader
from vision.table.votes import SlotVotes

MAT = Mat()
FRAMES = 2


def laid(face: str, slot: Slot, sideways: bool, rng: Generator) -> LaidTile:
    """A tile laid as hands lay melds: a little off, either way round."""
    x_mm, y_mm = (float(value) for value in rng.uniform(-0.8, 0.8, 2))
    turned = float(rng.uniform(-2, 2)) + 180 * int(rng.integers(2))
    return LaidTile(face, slot.place, slot.area.value, slot.index, sideways, (x_mm, y_mm), turned)


def settled(reader: TableReader, camera: TableCamera, tiles: list[LaidTile], slots: Sequence[Slot]) -> list[str | None]:
    """What the votes of some frames say of each slot."""
    votes = SlotVotes()
    for _ in range(FRAMES):
        votes.add(reader.read(CameraFrame(camera.render(TableScene(1, tuple(tiles))), 0, 1), slots))
    return [None if tile is None else tile.text for tile in map(votes.settled, slots)]


@pytest.mark.parametrize("hands_shown", one_in(2, [True, False]))
def test_every_tile_of_a_kong_is_read_and_an_empty_fourth_place_is_empty(classifier: Classifier, hands_shown: bool) -> None:
    rng = np.random.default_rng(3)
    tiles: list[LaidTile] = []
    wanted: dict[Slot, str | None] = {}
    for place in range(4):
        for group in range(4):
            face, sideways = ALL_TILES[int(rng.integers(34))].text, int(rng.integers(3))
            slots = [Slot(place, Area.MELD, 4 * group + index) for index in range(4)]
            there = 4 if group % 2 else 3
            tiles += [laid(face, slot, index == sideways, rng) for index, slot in enumerate(slots[:there])]
            wanted[slots[3]] = face if there == 4 else None
        if hands_shown:
            tiles += [laid("5p", slot, False, rng) for slot in MAT.slots(place, Area.HAND)]
    seen = settled(TableReader(MAT, classifier), TableCamera(4, MAT), tiles, list(wanted))
    assert seen == list(wanted.values())


def test_what_lies_face_down_is_never_read_as_a_tile(classifier: Classifier) -> None:
    rng = np.random.default_rng(4)
    slots = MAT.all_slots(Area.MELD)
    tiles = [laid(BACK, slot, False, rng) for slot in slots]
    assert settled(TableReader(MAT, classifier), TableCamera(5, MAT), tiles, slots) == [None] * len(slots)
