"""Table reader through the simulated camera: trial tables on which no answer is wrong, and kongs, of which every fourth tile is read and no
back is taken for a face."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.random import Generator

from simulator.cameras.optics import FOREIGN
from simulator.cameras.table import TableCamera
from simulator.scene import BACK, LaidTile, TableScene
from tests.support.simulator.table_trials import Fault, Trial, trial
from tests.support.tiers import one_in, some
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.table.placement import MatPlacement
from vision.table.table_reader import SlotVotes, TableReader

MAT = Mat()
FRAMES = 2
NO_KIND = (FOREIGN, BACK)


def said(table: Trial, classifier: Classifier) -> tuple[dict[Slot, str], Counter[Slot]]:
    """What the votes of two frames say of every slot (a kind, ``empty`` or ``open``), and how many frames show it free of arms."""
    reader, votes = TableReader(MAT, classifier, MatPlacement(MAT, camera_height_mm=table.camera_height_mm)), SlotVotes()
    slots, free = MAT.all_slots(), Counter[Slot]()
    for shot in table.frames(FRAMES):
        votes.add(reader.read(CameraFrame(shot.picture, 0, 1), slots))
        free.update(slot for slot in slots if shot.hidden[slot] <= 0.02)
    told = {}
    for slot in slots:
        tile = votes.settled(slot)
        told[slot] = tile.text if tile else "empty" if votes.emptied(slot) else "open"
    return told, free


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("fault", "least_right"), some([(Fault.ALL, 0.9), (Fault.SLEEVE, 0.95), (Fault.OFF_SLOT, 0.97), (Fault.GLARE, 0.94)], 1)
)
def test_whatever_spoils_the_view_nothing_is_said_that_is_wrong(fault: Fault, least_right: float, classifier: Classifier) -> None:
    table = trial(fault, 31, MAT, frames=FRAMES)
    told, free = said(table, classifier)
    truth = {slot: table.laid[slot].face if slot in table.laid else "empty" for slot in told}
    wrong = {slot: (truth[slot], answer) for slot, answer in told.items() if answer not in ("open", truth[slot])}
    assert wrong == {}
    seen = [slot for slot in told if free[slot] == FRAMES and truth[slot] not in NO_KIND]
    right = sum(told[slot] == truth[slot] for slot in seen)
    assert right >= least_right * len(seen)


@pytest.mark.slow
def test_tiles_in_a_shadow_so_deep_that_they_have_the_level_of_cloth_elsewhere_are_not_told_bare(classifier: Classifier) -> None:
    """A row that touches counted as cloth: only beyond its long sides does it look otherwise."""
    table = trial(Fault.SHADOW, 9300, MAT, frames=FRAMES)
    told, _ = said(table, classifier)
    assert [slot for slot, answer in told.items() if answer == "empty" and slot in table.laid] == []


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
