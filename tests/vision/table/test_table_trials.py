"""Table reader on the simulator's trial tables: no answer is wrong, whatever spoils the view."""

from collections import Counter

import pytest

from simulator.cameras.optics import FOREIGN
from simulator.scene import BACK
from tests.support.simulator.table_trials import Fault, Trial, trial
from tests.support.tiers import some
from twinwall.art.mat import Mat, Slot
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.table.table_reader import TableGeometry, TableReader
from vision.table.votes import SlotVotes

MAT = Mat()
FRAMES = 2
NO_KIND = (FOREIGN, BACK)


def said(table: Trial, classifier: Classifier) -> tuple[dict[Slot, str], Counter[Slot]]:
    """What the votes of two frames say of every slot (a kind, ``empty`` or ``open``), and how many frames show it free of arms."""
    reader, votes = TableReader(MAT, classifier, TableGeometry(camera_height_mm=table.camera_height_mm)), SlotVotes()
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
