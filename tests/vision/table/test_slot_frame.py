"""Tiles proved at slots of one frame, on a drawn mat: each is the slot's own, whole, and in no other tile."""

from __future__ import annotations

import pytest

from tests.support.vision.pictures import MatPicture
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.table.registration import Pose, Registrar
from vision.table.slots import SlotFrame
from vision.table.table_reader import TableGeometry, TableReader

MAT = Mat()
GEOMETRY = TableGeometry(tile_thickness_mm=0.0)
FOUR = Slot(1, Area.HAND, 6)


def slot_frame(picture: MatPicture, classifier: Classifier) -> SlotFrame:
    """The frame as a reader prepares it."""
    reader = TableReader(MAT, classifier, GEOMETRY)
    seen = reader.follower.seen_in(CameraFrame(picture.picture, 0, 1))
    assert seen is not None
    registrar = Registrar(MAT.tile_width_mm, MAT.tile_height_mm)
    return SlotFrame(picture.picture, seen.corner, seen.light, seen.placed.places, MAT, registrar, GEOMETRY.least_clearness, 0.0)


def touching_row() -> MatPicture:
    """A 5m, a 4s and a 6s that touch one another in a shown hand, the 4s at its slot."""
    picture = MatPicture(MAT)
    closer_mm = MAT.hand_pitch_mm - MAT.tile_width_mm - 0.6
    for number, tile in ((-1, Tile.M5), (0, Tile.S4), (1, Tile.S6)):
        picture.lay(tile, Slot(FOUR.place, Area.HAND, FOUR.index + number), (0.0, number * closer_mm))
    return picture


@pytest.mark.parametrize("aside_mm", [-8.0, -5.0, 5.0, 8.0])
def test_beside_a_pose_that_is_cut_off_its_tile_only_the_slots_own_whole_tile_is_found(aside_mm: float, classifier: Classifier) -> None:
    beside = slot_frame(touching_row(), classifier).beside(FOUR, Pose(aside_mm, 0.0, 0.0, sideways=False, clearness=0.6))
    assert beside
    for pose in beside:
        assert (pose.x_mm, pose.y_mm) == pytest.approx((0.0, 0.0), abs=1.0)
        assert pose.clearness >= 0.6
