"""Whiteness over a mat's light."""

import numpy as np
import pytest

from twinwall.art.mat import Mat
from vision.table.light import Light
from vision.table.white import whiteness_of


def test_a_seam_shows_between_faces_much_lighter_than_the_markers_paper() -> None:
    white = np.array((1.36, 1.42, 0.77), np.float32)
    light = Light(np.full((72, 72, 3), 3.3, np.float32), white, Mat().half_side_mm)
    face, seam = (whiteness_of(light, np.full((1, 3), level, np.uint8), np.full((1, 3), 3.3, np.float32))[0] for level in (240, 190))
    assert face - seam > 0.1


@pytest.mark.parametrize("count", [0, 1, 40_000])
def test_the_cloths_light_changes_evenly_from_cell_to_cell(count: int) -> None:
    """It did so in steps of a centimetre, which look like the edges of things beside a shadow."""
    half_mm, slope = Mat().half_side_mm, 0.004
    cells = ((np.arange(72) + 0.5) * 2 / 72 - 1) * half_mm
    cloth = np.broadcast_to((4.0 + slope * cells)[None, :, None], (72, 72, 3)).astype(np.float32)
    points = np.random.default_rng(1).uniform(-half_mm * 0.98, half_mm * 0.98, (count, 2))
    seen = Light(np.ascontiguousarray(cloth), np.ones(3, np.float32), half_mm).cloth_at(points)
    assert seen == pytest.approx(np.repeat(4.0 + slope * points[:, :1], 3, axis=1), abs=0.002)
