"""The model of a tile's ways: each way is right as it was designed, and goes wrong where its design is spoiled."""

import pytest

pytest.importorskip("mujoco", reason="needs the dependency group hardware: uv sync --group hardware")

from hardware.physics.__main__ import WAYS, film, other, scene, wilson

CHOSEN = [name for name in WAYS if not name.startswith("drop")]
TRIALS = range(4)


@pytest.mark.parametrize("way", CHOSEN)
def test_a_tile_comes_right_on_each_way_that_was_chosen(way: str) -> None:
    assert all(WAYS[way](scene(way, trial)) for trial in TRIALS)


@pytest.mark.parametrize(
    ("way", "spoiled"),
    [
        ("drop lower", "tray.pitch=28.8"),
        ("release upper", "carriage.error=6.0"),
        ("take lower", "gripper.force_n=0.05"),
        ("push row", "pusher.step_down=-3.0"),
        ("draw upper", "draw_gate.blind_edge=8.0"),
        ("draw lower", "draw_gate.clearance=-2.0"),
        ("enter window", "window.stop_restitution=0.95"),
        ("chute", "chute.slope_deg=8.0"),
        ("mouth", "mouth.spring_nm=0.02"),
    ],
)
def test_a_spoiled_design_goes_wrong(way: str, spoiled: str) -> None:
    spreads = dict([other(spoiled)])
    assert not all(WAYS[way](scene(way, trial, spreads)) for trial in TRIALS)


def test_a_trial_can_be_repeated_and_drawn() -> None:
    assert film("release upper", 1) == film("release upper", 1)
    assert film("release upper", 1).count("<g ") == 6


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(2000, 2000) == (0.99808, 1.0)
    assert wilson(50, 100) == (0.40383, 0.59617)
