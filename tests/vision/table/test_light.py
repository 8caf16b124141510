"""Whiteness over a mat's light."""

from __future__ import annotations

import numpy as np

from twinwall.art.mat import Mat
from vision.table.light import Light
from vision.table.white import whiteness_of


def test_a_seam_shows_between_faces_much_lighter_than_the_markers_paper() -> None:
    white = np.array((1.36, 1.42, 0.77), np.float32)
    light = Light(np.full((72, 72, 3), 3.3, np.float32), white, Mat().half_side_mm)
    face, seam = (whiteness_of(light, np.full((1, 3), level, np.uint8), np.full((1, 3), 3.3, np.float32))[0] for level in (240, 190))
    assert face - seam > 0.1
