"""The model of a tile's ways: each way is right as it was designed, and goes wrong where its design is spoiled, which the machine sees."""

import pytest

pytest.importorskip("mujoco", reason="needs the dependency group hardware: uv sync --group hardware")

import numpy as np

from hardware.physics.__main__ import WAYS, film, measure, other, scene, wilson
from hardware.physics.scene import Running, TrialVerdict, pulls, turned
from hardware.physics.sensors import differ
from hardware.physics.spoiled import SPOILED

CHOSEN = [name for name in WAYS if not name.startswith("drop")]
TRIALS = range(4)
UP = np.array([0.0, 0.0, 0.06])


@pytest.mark.parametrize("way", CHOSEN)
def test_a_tile_comes_right_on_each_way_that_was_chosen_and_no_sensor_says_otherwise(way: str) -> None:
    assert {WAYS[way](scene(way, trial)) for trial in TRIALS} == {TrialVerdict(right=True, seen=None)}


@pytest.mark.parametrize(
    ("way", "spoiled", "signal"),
    [
        ("release upper", "carriage.error=6.0", "AT_PLACE_n"),
        ("release upper", "carriage.belt=4.0", "AT_PLACE_n"),
        ("release lower", "gripper.off=4.0", "GRIPPER_UP_n"),
        ("release lower", "gripper.finger_opens=-0.5", "TRAY_n_p"),
        ("take lower", "gripper.force_n=0.05", "PICKED_n"),
        ("push row", "pusher.step_down=-3.0", "MAGAZINE_n_p"),
        ("lift wall", "lift.tilt_deg=25.0", "MAGAZINE_n_p"),
        ("draw upper", "draw_gate.blind_edge=8.0", "MAGAZINE_n_p"),
        ("draw lower", "draw_gate.clearance=-2.0", "MAGAZINE_n_p"),
        ("enter window", "window.stop_restitution=0.95", "the picture"),
        ("chute", "chute.slope_deg=8.0", "AT_PLACE_n"),
        ("mouth", "mouth.spring_nm=0.02", "AT_PLACE_n"),
        ("diverter lane", "diverter.error_deg=6.0", "CHUTE_n"),
    ],
)
def test_a_spoiled_design_goes_wrong_and_a_signal_says_so(way: str, spoiled: str, signal: str) -> None:
    verdicts = [WAYS[way](scene(way, trial, dict([other(spoiled)]))) for trial in TRIALS[:2]]
    assert signal in {verdict.seen for verdict in verdicts if not verdict.right}


def test_a_tile_that_leaves_a_gripper_that_is_up_is_seen_however_it_comes_to_rest() -> None:
    figure = measure("drop lower", range(2))
    assert (figure.jams, figure.seen, figure.unseen) == (2, {"PICKED_n": 2}, ())


def test_a_tile_that_a_gripper_draws_up_again_and_loses_is_seen_where_it_comes_to_rest_flat() -> None:
    spoiled = scene("release upper", 6008, dict([other("gripper.finger_opens=-0.5..0")]))
    assert WAYS["release upper"](spoiled) == TrialVerdict(right=False, seen="TRAY_n_p")


def test_a_tile_that_stands_on_end_in_its_column_presses_its_lever_like_one_that_lies_flat() -> None:
    drawn = scene("release lower", 0)
    size = drawn.tile_size()
    drawn.tile((0.0, 0.0, size.length / 2), turned(x_deg=90.0), size)
    drawn.box((-40.0, -40.0, -5.0), (40.0, 40.0, 0.0))
    running = Running(drawn)
    assert running.tilt_deg(0) > 89.0
    assert differ(running, {0: [0]}, ()) == set()


def test_rubber_at_its_end_keeps_a_tile_from_standing_up_there_where_a_springy_end_does_not() -> None:
    ends = [dict([other("chute.slope_deg=45..60"), other(f"chute.stop_restitution={end}")]) for end in (0.1, 0.9)]
    assert [WAYS["chute"](scene("chute", 7094, others)).right for others in ends] == [True, False]


def test_each_way_that_is_spoiled_is_one_of_the_model_by_a_dimension_that_there_is() -> None:
    assert SPOILED.keys() == WAYS.keys() and all(other(each) for spoiled in SPOILED.values() for each in spoiled)


def test_magnets_of_equal_direction_attract_above_each_other_and_repel_side_by_side() -> None:
    for way, force_n in ((np.array([0.0, 0.0, 0.02]), -0.0135), (np.array([0.02, 0.0, 0.0]), 0.00675)):
        found = pulls(np.stack([np.zeros(3), way]), np.stack([UP, UP]))
        assert np.allclose(found[1, :3], force_n * way / 0.02) and np.allclose(found[0, :3], -found[1, :3])
        assert np.allclose(found[:, 3:], 0.0)


def test_a_magnet_is_turned_into_the_others_field() -> None:
    found = pulls(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.02]]), np.array([UP, [0.06, 0.0, 0.0]]))
    assert np.allclose(found[1, 3:], [0.0, -0.06 * 2e-7 * 0.06 / 0.02**3, 0.0])


def test_a_trial_can_be_repeated_and_drawn() -> None:
    assert film("release upper", 1) == film("release upper", 1)
    assert film("release upper", 1).count("<g ") == 6


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(2000, 2000) == (0.99808, 1.0)
    assert wilson(50, 100) == (0.40383, 0.59617)
