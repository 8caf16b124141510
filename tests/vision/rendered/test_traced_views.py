"""Path-traced tables without a mat: which part of their picture is rendered again, and what is said without Blender."""

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.anytable.__main__ import main
from benchmarks.anytable.surfaces import SURFACES, lay_surface
from benchmarks.anytable.traced import HomeLook, TracedView, home_look, joined, shadow
from benchmarks.anytable.unseen_sets import unseen_set
from benchmarks.anytable.video import SIZE_PX
from benchmarks.rendered.camera import Part
from benchmarks.rendered.looks import Lamp
from simulator.cameras.optics import Light
from tools.train.finder import path_traced
from tools.train.finder.faces import make_bank
from tools.train.finder.tabletop import DrawnSet, Eye, Form, Picture, Tile3D

LAMP = Lamp((1000.0, 0.0, 1500.0), (300.0, 300.0), 1.0, (1.0, 1.0, 1.0))
LOOK = HomeLook((LAMP,), 0.3, 0.9, 0.4, 0.2, 0.7)
EYE = Eye.looking_at((0.0, 0.0), (0.0, 0.0, 0.0), 900.0, 1000.0, (SIZE_PX[0] / 2, SIZE_PX[1] / 2))
BRIGHT = np.ones((1, 1, 1), np.float32)


@cache
def unseen() -> tuple[DrawnSet, dict[str, Picture]]:
    return unseen_set("simulator", np.random.default_rng(1))


class LampRoom:
    """A scene in which it grows brighter with every picture."""

    def __init__(self) -> None:
        self.laid: list[Tile3D] = []
        self.parts: list[Part | None] = []

    def lay(self, gone: Sequence[Tile3D], come: Sequence[Tile3D]) -> None:
        """A tile is taken away only where it was laid."""
        for tile in gone:
            self.laid.remove(tile)
        self.laid += come

    def light(self, _: Eye, part: Part | None) -> Light:
        """All of it equally bright."""
        self.parts.append(part)
        left, upper, right, lower = part or (0, 0, *SIZE_PX)
        return np.full((lower - upper, right - left, 3), 0.1 * len(self.parts), np.float32)


def tile(x_mm: float, y_mm: float, face: str = "1m") -> Tile3D:
    return Tile3D(x_mm, y_mm, 0.0, Form.FACE, unseen()[1][face])


def test_where_a_tile_comes_its_surroundings_are_rendered_again_and_the_rest_stays() -> None:
    scene = LampRoom()
    view = TracedView(scene, LOOK, unseen()[0])
    before, _ = view.seen([tile(-200, 0)], EYE, BRIGHT)
    after, labels = view.seen([tile(-200, 0), tile(200, 0)], EYE, BRIGHT)

    whole, part = scene.parts
    assert whole is None
    assert part is not None
    left, upper, right, lower = part
    x, y = EYE.project(np.array((200.0, 0.0, 0.0))).tolist()
    assert left < x - 30 < x + 25 < right
    assert upper < y - 25 < y + 25 < lower
    assert (right - left) * (lower - upper) < 0.03 * SIZE_PX[0] * SIZE_PX[1]
    changed = (before != after).any(axis=2)
    assert changed[int(y), int(x)]
    assert changed.sum() == changed[upper:lower, left:right].sum()
    assert len(labels) == len(scene.laid) == 2


def test_a_tile_that_stays_is_not_laid_again_and_another_face_at_its_place_is() -> None:
    scene = LampRoom()
    view = TracedView(scene, LOOK, unseen()[0])
    for face in ("1m", "1m", "2m"):
        view.seen([tile(0, 0, face)], EYE, BRIGHT)
    assert len(scene.parts) == 2
    assert [one.picture is unseen()[1]["2m"] for one in scene.laid] == [True]


def test_after_a_bump_of_the_camera_all_is_rendered_and_the_exposure_stays() -> None:
    view = TracedView(scene := LampRoom(), LOOK, unseen()[0])
    before, _ = view.seen([], EYE, BRIGHT)
    bumped, _ = view.seen([], replace(EYE), BRIGHT)
    assert scene.parts == [None, None]
    assert bumped.min() > before.max()


def test_light_that_is_less_bright_makes_the_picture_darker_without_another_rendering() -> None:
    view = TracedView(scene := LampRoom(), LOOK, unseen()[0])
    usual, dark = (view.seen([], EYE, BRIGHT * np.float32(light))[0] for light in (1.0, 0.5))
    assert dark.max() < usual.min()
    assert len(scene.parts) == 1


def test_a_lamp_throws_the_shadow_of_a_point_away_from_it() -> None:
    assert shadow(np.array([(0.0, 0.0, 30.0)]), np.array((1000.0, 0.0, 1530.0)))[0] == pytest.approx((-20.0, 0.0, 0.0))


def test_parts_that_overlap_are_rendered_as_one() -> None:
    assert set(joined([(0, 0, 10, 10), (20, 0, 30, 10), (5, 5, 22, 12)])) == {(0, 0, 30, 12)}
    assert set(joined([(0, 0, 10, 10), (10, 0, 30, 10)])) == {(0, 0, 10, 10), (10, 0, 30, 10)}


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_has_a_look_and_a_ground(surface: str) -> None:
    assert home_look(surface, np.random.default_rng(3)) == home_look(surface, np.random.default_rng(3))
    picture = lay_surface(surface, np.random.default_rng(3), EYE, SIZE_PX)
    rim, table = (picture[:, int(x)].mean(axis=0) for x in EYE.project(np.array([(445.0, 0, 0), (400, 0, 0)]))[:, 0])
    assert (np.abs(rim - table).max() > 15) == (surface in ("felt", "automatic table"))


@pytest.mark.skipif(importlib.util.find_spec("bpy") is not None, reason="Blender's module is installed, so that rendering would begin")
@pytest.mark.parametrize("command", ["of hands", "of training pictures"])
def test_without_blender_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["anytable", "make", "--traced", "--out", str(tmp_path)])
    make_bank([[*unseen()[1].values()]], []).save(tmp_path / "faces.npz")
    assert (main() if command == "of hands" else path_traced.main(["--out", str(tmp_path), "--bank", str(tmp_path / "faces.npz")])) == 2
    assert "uv sync --group render" in capsys.readouterr().err
