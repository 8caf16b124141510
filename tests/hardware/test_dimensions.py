"""The dimensions of the machine agree with firmware, simulator and table, and leave a tile room."""

import inspect
import math
import re
from pathlib import Path

import pytest

from firmware_bridge.board.table_record import TableRecord
from firmware_bridge.electrics.sensors import BELT_MM_PER_S
from firmware_bridge.electrics.wired_machine import STEPS_PER_POSITION
from firmware_bridge.messages import Capabilities
from hardware.dimensions import least, load, most, nominal
from simulator.cameras.gate import PX_PER_MM as GATE_PX_PER_MM
from simulator.cameras.ground import PX_PER_MM
from simulator.cameras.table import CAMERA_HEIGHT_MM
from simulator.mechanics import REFERENCE_FAULTS, MechanicsSettings
from simulator.mechanics.side import DOWN_SHARE
from vision.gate.presence import find_thing

PITCH_MM = nominal("tray.pitch")
COLUMNS = Capabilities().column_of(Capabilities().tray_places - 1) + 1
WALL_COLUMNS = Capabilities().column_of(Capabilities().wall_places - 1) + 1


def test_a_column_is_as_many_steps_as_the_firmware_makes_for_one() -> None:
    assert TableRecord(b"TWF-TEST").steps_per_position == STEPS_PER_POSITION
    assert pytest.approx(STEPS_PER_POSITION * nominal("carriage.step")) == PITCH_MM


def test_a_wall_fits_beside_the_mat_and_a_tray_with_mouth_and_return_lane_below_the_table() -> None:
    assert (WALL_COLUMNS, COLUMNS) == (24, 27)
    assert nominal("tray.mat") >= WALL_COLUMNS * PITCH_MM
    assert nominal("tray.room") >= (COLUMNS + 2) * PITCH_MM
    assert Capabilities().wall_places * PITCH_MM > nominal("tray.mat"), "in a single row it would not"


def test_a_carried_tile_passes_over_a_column_of_two_of_the_thickest_tiles() -> None:
    assert nominal("gripper.carry_height") > 2 * (most("tile.thickness") + most("tile.spread"))


def test_a_tile_has_room_in_its_column_wherever_its_carriage_may_stand() -> None:
    off_mm = most("carriage.error") + most("carriage.belt")
    assert most("tile.width") + most("tile.spread") + 2 * off_mm < PITCH_MM
    assert most("carriage.error") <= nominal("carriage.step"), "the comb lets a step to either side pass"


def test_a_gripper_is_down_and_up_again_in_the_time_that_firmware_and_simulator_give_it() -> None:
    down_mm = nominal("gripper.carry_height")
    ways_s = down_mm / nominal("gripper.lowering_mm_per_s") + down_mm / nominal("gripper.raising_mm_per_s")
    machine = MechanicsSettings()
    assert ways_s + nominal("gripper.rests_s") + nominal("gripper.opens_s") + most("gripper.finger_skew_s") <= min(
        machine.pick_s, machine.drop_s
    )
    worked_s = down_mm / nominal("gripper.lowering_mm_per_s") + nominal("gripper.rests_s") + nominal("gripper.opens_s")
    assert DOWN_SHARE == pytest.approx(worked_s / machine.pick_s, abs=0.01) == pytest.approx(worked_s / machine.drop_s, abs=0.01)


def test_the_window_is_the_simulators() -> None:
    machine = MechanicsSettings()
    assert nominal("tile.width") == machine.tile_width_mm
    assert nominal("window.belt_mm_per_s") == BELT_MM_PER_S
    limits = nominal("window.offset_limit"), nominal("window.angle_limit_deg")
    assert limits == (machine.offset_limit_mm, machine.angle_limit_deg)


def test_the_diverters_times_are_the_firmwares() -> None:
    header = Path("firmware/core/board/table.h").read_text(encoding="utf-8")
    turn_ms, cell_ms = (int(re.findall(rf"#define {name} (\d+)u", header)[0]) for name in ("TWF_TURN_MS", "TWF_CELL_MS"))
    assert nominal("diverter.turn_s") * 1000 == turn_ms
    assert nominal("diverter.late_s") * 1000 == 1.5 * cell_ms + 20


def test_a_returned_tile_is_on_its_way_no_shorter_and_no_longer_than_firmware_and_simulator_expect() -> None:
    header = Path("firmware/core/board/table.h").read_text(encoding="utf-8")
    names = ("TWF_RETURN_MS", "TWF_EMPTIED_MS", "TWF_BEFORE_MS")
    return_ms, emptied_ms, before_ms = (int(re.findall(rf"#define {name} (\d+)u", header)[0]) for name in names)
    assert nominal("return_lane.way_s") == MechanicsSettings().return_s
    assert 1000 * most("return_lane.way_s") <= return_ms < 1.5 * emptied_ms + 20
    assert 1000 * least("return_lane.way_s") > 1.5 * before_ms + 20


def test_a_chain_brings_a_tile_to_the_mouth_as_long_as_its_carriage_waits() -> None:
    header = Path("firmware/core/board/table.h").read_text(encoding="utf-8")
    slowly_ms, find_ms, way_ms = (int(re.findall(rf"#define TWF_{name}_MS (\d+)u", header)[0]) for name in ("SLOWLY", "FIND", "WAY"))
    assert 1000 * nominal("chains.late_s") <= slowly_ms + 1.5 * (find_ms + way_ms) + 20
    assert MechanicsSettings().shuttle_queue == 2, "one in the cradle, one at the pin"


def test_floors_and_lift_turn_once_in_the_firmwares_time() -> None:
    header = Path("firmware/core/board/table.h").read_text(encoding="utf-8")
    for name, dimension in (("TWF_DUMP_MS", "floor.turn_s"), ("TWF_RAISE_MS", "lift.turn_s")):
        assert int(re.findall(rf"#define {name} (\d+)u", header)[0]) == 1000 * nominal(dimension)


def test_the_table_camera_sees_the_whole_mat_where_it_hangs_at_worst_and_as_finely_as_the_simulators() -> None:
    height_mm, reach_mm = nominal("arm.camera_height"), nominal("tray.mat") / 2 + most("arm.off")
    assert height_mm == CAMERA_HEIGHT_MM
    assert math.degrees(math.atan2(reach_mm, height_mm)) + most("arm.tilt_deg") < nominal("camera.view_high_deg") / 2
    assert 3840 / (2 * height_mm * math.tan(math.radians(nominal("camera.view_wide_deg") / 2))) > PX_PER_MM


def test_the_gates_camera_sees_the_smallest_tile_as_large_and_as_finely_as_the_reader_needs_it() -> None:
    distance_mm = nominal("gate.camera_height") - least("tile.thickness")
    wide_mm, high_mm = (2 * distance_mm * math.tan(math.radians(nominal(f"camera.view_{axis}_deg") / 2)) for axis in ("wide", "high"))
    least_area = inspect.signature(find_thing).parameters["least_area"].default
    assert least("tile.length") * nominal("tile.width") / (wide_mm * high_mm) > 1.5 * least_area
    assert 2304 / wide_mm > GATE_PX_PER_MM


def test_every_dimension_is_one() -> None:
    assert all(spread.get("plus_minus", 0.0) >= 0 and spread.get("least", 0.0) <= spread.get("most", 0.0) for spread in load().values())


def test_the_simulators_faults_are_no_rarer_than_the_physics_model_found_them() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| [^*|]+ \| ([\d,]+) of ([\d,]+) \|", Path("hardware/README.md").read_text(encoding="utf-8"), re.M)
    jams = {way: 1 - int(right.replace(",", "")) / int(trials.replace(",", "")) for way, right, trials in rows}
    assert len(jams) == 12
    assert REFERENCE_FAULTS.jam >= jams["chute"] + jams["diverter lane"]
    assert REFERENCE_FAULTS.shuttle >= jams["mouth"] + max(jams["take lower"], jams["take upper"])
