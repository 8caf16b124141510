"""Light over a mat: what lies on the cloth and has nearly its colour is not taken for brighter cloth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.vision.pictures import FELT, MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture
from twinwall.art.mat import Area, Mat, Slot
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.table.light import Light, logarithms
from vision.table.table_reader import TableGeometry, TableReader
from vision.table.white import whiteness_of

MAT = Mat()
BEIGE = np.array((62, 88, 100), np.uint8)
RIVER = [MAT.spot(slot) for slot in MAT.slots(0, Area.RIVER)[:12]]
MIDDLES_MM = np.array([(spot.x_mm, spot.y_mm) for spot in RIVER])


def beige_mat() -> MatPicture:
    """A mat with cloth whose colour is nearly that of tiles in the shade."""
    picture = MatPicture(MAT)
    picture.picture = np.clip(picture.picture.astype(int) - np.array(FELT) + BEIGE, 0, 255).astype(np.uint8)
    return picture


def lighter(picture: MatPicture, by: float, width_mm: float, height_mm: float) -> None:
    """Make a rectangle around each slot of a river so many times lighter."""
    for spot in RIVER:
        x, y = (round(mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2) for mm in (spot.x_mm, spot.y_mm))
        across, down = round(width_mm / 2 * MAT_PX_PER_MM), round(height_mm / 2 * MAT_PX_PER_MM)
        picture.picture[y - down : y + down, x - across : x + across] = np.rint(BEIGE * by)


def off_by(picture: MatPicture, level: float, classifier: Classifier) -> float:
    """By how much (logarithm) the cloth's light around the river is told wrongly, where it is truly so many times the usual."""
    reader = TableReader(MAT, classifier, TableGeometry(tile_thickness_mm=0.0))
    seen = reader.follower.seen_in(CameraFrame(picture.picture, 0, 1))
    assert seen is not None
    true = logarithms(np.rint(BEIGE * level).astype(np.uint8)[None])
    return float(np.abs(seen.light.cloth_at(MIDDLES_MM) - true).mean(axis=1).max())


@pytest.mark.parametrize("by", [1.45, 1.6])
def test_tiles_in_the_shade_on_beige_cloth_are_no_lighter_cloth(by: float, classifier: Classifier) -> None:
    picture = beige_mat()
    lighter(picture, by, MAT.tile_width_mm, MAT.tile_height_mm)
    assert off_by(picture, 1.0, classifier) < 0.12


def test_a_lamp_that_lights_a_part_of_the_cloth_is_followed(classifier: Classifier) -> None:
    picture = beige_mat()
    across = np.linspace(1.3, 0.8, MAT_SIDE_PX)[:, None, None]
    spot = MAT.spot(Slot(0, Area.RIVER, 3))
    picture.picture = np.clip(np.rint(picture.picture * across), 0, 255).astype(np.uint8)
    level = float(across[round(spot.y_mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2), 0, 0])
    assert off_by(picture, level, classifier) < 0.12


def test_a_seam_shows_between_faces_much_lighter_than_the_markers_paper() -> None:
    white = np.array((1.36, 1.42, 0.77), np.float32)
    light = Light(np.full((72, 72, 3), 3.3, np.float32), white, MAT.half_side_mm)
    face, seam = (whiteness_of(light, np.full((1, 3), level, np.uint8), np.full((1, 3), 3.3, np.float32))[0] for level in (240, 190))
    assert face - seam > 0.1
