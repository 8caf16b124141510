"""Frames of a path-traced table between which nothing moves share their light: how often a table is rendered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.rendered.arms import TracedArm
from benchmarks.rendered.camera import OverheadCamera, Points
from benchmarks.rendered.making import RenderEffort, framed
from benchmarks.rendered.tables import FRAMES, traced_table
from simulator.cameras.optics import Light
from twinwall.art.mat import Mat


class GreyScene:
    """Renders grey light, and counts how often."""

    rendered = 0

    def reach(self, arms: tuple[TracedArm, ...]) -> list[tuple[Points, NDArray[np.int32]]]:
        return [(np.zeros((3, 3)), np.zeros((0, 3), np.int32)) for _ in arms]

    def light(self, camera: OverheadCamera, samples: int, seed: int, threads: int) -> Light:
        self.rendered += 1
        side = 2 * camera.rendered_half_px()
        return np.full((side, side, 3), 0.5, np.float32)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "times"), [(0, 1), (2, FRAMES)])
def test_a_still_table_is_rendered_once_and_each_frame_of_moving_arms_anew(number: int, times: int, tmp_path: Path) -> None:
    scene, mat = GreyScene(), Mat()
    frames = list(framed(scene, traced_table(number, mat), mat, tmp_path, RenderEffort(samples=1, threads=1)))
    assert scene.rendered == times
    assert len(frames) == FRAMES
    assert len({(tmp_path / frame["file"]).read_bytes() for frame in frames}) == FRAMES
