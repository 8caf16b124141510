"""Parts of stages A to E fit, hold together, can be printed, leave the camera what it has to see and tiles their way; a spoiled one is
found."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("build123d", reason="needs the dependency group hardware: uv sync --group hardware")

from build123d import Box, Cylinder, Part, Pos, Rot

from firmware_bridge.electrics.wiring import SERVO_FIRST_US, SERVO_RANGE_US, lane_of
from hardware.cad import arm, chains, diverter, drive, gate, lanes, lift, magazine, mouth, panel, returnlane, shuttle, tray, wall, window
from hardware.cad.arm import lengths
from hardware.cad.lamp import lamp
from hardware.cad.stage import GRAMS_PER_MM3, Stage, common_mm3, exploded, faults, write
from hardware.dimensions import load
from hardware.physics.diverter import LANES
from hardware.wiring.netlist import read
from twinwall.wire.shapes.panel import KEYS

ARM, GATE, PANEL, CHUTES, SHUTTLE, WALL = (design.stage() for design in (arm, gate, panel, diverter, shuttle, wall))
DRIVE, MOUTH, LANE, CHAINS = drive.stage(), mouth.stage(), returnlane.stage(), chains.stage()
STAGES = pytest.mark.parametrize(
    "stage", [ARM, GATE, PANEL, CHUTES, MOUTH, LANE, SHUTTLE, WALL, DRIVE, CHAINS], ids=lambda stage: stage.name
)
TWICE = dict.fromkeys(("spare ear", "right cheek", "left post", "stand 205", "near finger"), 2)


def few(*names: str, of: Stage = CHUTES) -> Stage:
    """Of a stage these parts alone, which is quick to check."""
    return replace(of, solids={name: of.solids[name] for name in names}, printed={}, wrong=())


@STAGES
def test_everything_fits_and_the_camera_sees_what_it_has_to(stage: Stage) -> None:
    assert list(faults(stage)) == []


@pytest.mark.parametrize(
    ("stage", "part", "by", "fault"),
    [
        (ARM, "post", (0, 0, 5), "post runs "),
        (ARM, "gusset", (-30, -30, -10), "gusset is fixed to nothing"),
        (ARM, "lamp 1", (0, 0, -900), "lamp 1 hides a part of the mat"),
        (ARM, "screw clamp 1", (-10, 0, 0), "screw clamp 1 runs "),
        (ARM, "screw clamp 2", (0, 0, 1), "screw clamp 2 runs "),
        (ARM, "foot", (-2, -2, 2), "foot is fixed to nothing"),
        (GATE, "camera", (0, 0, 1), "hood runs "),
        (GATE, "frame", (2, 0, 0), "frame runs "),
        (GATE, "lamp left", (5, 0, 0), "lamp left is fixed to nothing"),
        (GATE, "strip right", (-70, 0, 0), "strip right hides a part of the tile"),
        (PANEL, "seat plate", (1, 0, 0), "seat plate runs "),
        (PANEL, "board board", (0, 0, 1), "board board is fixed to nothing"),
        (few("base", "sill", "floor"), "floor", (0, 0.5, 0.5), "floor is fixed to nothing"),
        (few("base", "near cheek", "near belt"), "near belt", (0, 4, 0), "near belt hides a part of the face"),
        (few("base", "near cheek"), "near cheek", (0, 1, 0), "near cheek stands in a tile's way in"),
        (few("base", "far cheek"), "far cheek", (4, 0, 0), "far cheek stands in a tile's way out"),
        (few("base", "fork"), "fork", (6, 0, 0), "fork stands in the light of the left lamp"),
        (few("base", "stop", "rubber"), "rubber", (-1, 0, 0), "rubber runs "),
        (few("floor", "rib 2 upper"), "rib 2 upper", (4, 0, 0), "rib 2 upper stands in lane "),
        (few("floor", "arch"), "arch", (12, 0, 0), "arch stands in the diverter's way"),
        (few("hub", "left wall", "servo"), "servo", (0, 0, -3), "hub runs "),
        (few("bed", "bar 3", of=SHUTTLE), "bar 3", (3, 0, 0), "bar 3 stands in the near finger's way down"),
        (few("bed", "stand 205", of=SHUTTLE), "stand 205", (0, 10, 0), "stand 205 stands in the way of the clamp"),
        (few("bed", "tiles", of=SHUTTLE), "tiles", (0, 0, 6), "tiles stands in the way of the carried tile"),
        (few("bed", "tiles", of=SHUTTLE), "tiles", (4, 0, 0), "tiles stands in the palm's way down"),
        (few("base plate", "shaft", "disc", of=DRIVE), "disc", (0, 5, 0), "shaft runs "),
        (few("rail", "block", of=SHUTTLE), "rail", (0, 0, 1), "rail runs "),
        (few("bush", "palm", "left rod", of=SHUTTLE), "left rod", (1, 0, 0), "palm runs "),
        (few("bed", "far guide 2", of=WALL), "far guide 2", (-2, 0, 0), "far guide 2 stands in the way up of the rib at 2.5"),
        (few("bed", "bearing 1", of=WALL), "bearing 1", (0, 12, 0), "bearing 1 stands in the way of floor 2 at 61°"),
        (few("bed", "plate", of=WALL), "plate", (0, 8, 0), "plate stands in the way up of bar 1"),
        (few("bed", "bush", of=WALL), "bush", (4, 0, 0), "bush stands in the wall's way up"),
        (few("bed", "camshaft", of=WALL), "camshaft", (0, 0, 5), "camshaft stands in the way up of floor 1"),
        (few("bed", "front plate", of=WALL), "front plate", (0, -3, 0), "front plate stands in the way up of lift block 1"),
        (few("bed", "lift stop 1", of=WALL), "lift stop 1", (0, 0, -1), "lift stop 1 stands in the way up of lift block 1"),
        (few("table", "left cheek", of=WALL), "left cheek", (4, 0, 0), "left cheek stands in the wall's way over the edge"),
        (few("table", of=WALL), "table", (0, 3, 0), "table stands in the way up of the pusher"),
        (few("front plate", "ear 2", of=WALL), "ear 2", (0, 3, 0), "ear 2 stands in the way of the magazine's floor at 61°"),
        (few("rib 1", "hinge 1", "floor 1", of=WALL), "floor 1", (1, 0, 0.5), "hinge 1 runs "),
        (few("table", "blind", of=WALL), "blind", (0, -1, 0), "table runs "),
        (few("table", "shutter", of=WALL), "shutter", (4, 0, 0), "table runs "),
        (few("table", "shutter coil", of=WALL), "shutter coil", (-20, 0, 0), "shutter coil stands in the way of the shutter"),
        (few("table", "shutter guide", of=WALL), "shutter guide", (0, 1, 0), "shutter guide stands in the way of the shutter"),
        (few("bed", "mouth", "mouth wall", of=MOUTH), "mouth wall", (-1, 0, 0), "mouth wall stands in a tile's way into the mouth"),
        (few("bed", "mouth", "cradle", of=MOUTH), "cradle", (0, -0.5, 0), "cradle runs "),
        (few("bed", "cradle", "reed", of=MOUTH), "reed", (0, 0, 6), "cradle runs "),
        (few("bed", "mouth switch", of=SHUTTLE), "mouth switch", (0, 4, 0), "mouth switch stands in the way of the clamp"),
        (few("bed", "mouth", of=SHUTTLE), "mouth", (0, 6, 0), "mouth stands in the near finger's way down at the mouth"),
        (few("bed", "return cheek", of=WALL), "return cheek", (1, 0, 0), "return cheek stands in a returned tile"),
        (few("bed", "idler plate", of=WALL), "idler plate", (0, -20, 0), "idler plate stands in a tile's way into the mouth"),
        (few("bed", "trough 1", of=LANE), "trough 1", (3, 0, 0), "trough 1 stands in a returned tile"),
        (few("bed", "belt", of=WALL), "belt", (0, -40, 0), "belt stands in a tile's way into the mouth"),
        (few("rib 2", "floor 3", "shutting springs 3", of=WALL), "shutting springs 3", (0, 0, -1), "floor 3 runs "),
        (few("bed", "far guide 4", "eyes", of=WALL), "eyes", (0, 1, 0), "eyes is fixed to nothing"),
        (few("bed", "floor switches", of=WALL), "floor switches", (0, 12, 0), "floor switches stands in the way of floor 6 at 61°"),
        (few("table", "slide", of=WALL), "slide", (0, 0, -6), "table runs "),
        (few("post 1", "trough 0.1", of=CHAINS), "trough 0.1", (0, 2, 0), "trough 0.1 stands in a tile's way to seat 0"),
        (few("post 1", "trough 1.4", of=CHAINS), "trough 1.4", (0, 20, -60), "trough 1.4 stands in a tile that seat 1 returns"),
        (few("trough 2.2", "gutter 2.2", of=CHAINS), "gutter 2.2", (0, 0, 3), "trough 2.2 runs "),
        (few("arch", of=CHAINS), "arch", (0, 60, 40), "arch stands in the slide below the well"),
        (few("post 5", of=CHAINS), "post 5", (-80, 40, 0), "post 5 stands in the fall to the drum"),
        (few("crank", "finger disc", of=SHUTTLE), "crank", (0, -0.6, 0), "crank runs "),
    ],
)
def test_a_part_in_the_wrong_place_is_found(stage: Stage, part: str, by: tuple[float, float, float], fault: str) -> None:
    assert any(found.startswith(fault) for found in faults(replace(stage, solids={**stage.solids, part: Pos(*by) * stage.solids[part]})))


def test_an_arm_without_its_post_hangs_in_the_air() -> None:
    without = {name: solid for name, solid in ARM.solids.items() if name not in ("post", "foot")}
    assert {"arm is fixed to nothing", "camera is fixed to nothing"} <= set(faults(replace(ARM, solids=without)))


@pytest.mark.parametrize(
    ("solid", "fault"),
    [
        (Pos(0, 0, 0) * gate.hood(), "mm² in the air"),
        (Rot(0, 30, 0) * lamp(), "does not stand flat"),
        (Rot(0, 90, 0) * gate.base().scale(1.5), "the printer's bed"),
    ],
)
def test_a_part_that_cannot_be_printed_is_found(solid: Part, fault: str) -> None:
    stage = replace(GATE, solids={"base": GATE.solids["base"]}, around={}, printed={"part": solid})
    assert any(fault in found for found in faults(stage))


@pytest.mark.parametrize(
    ("name", "size", "fault"),
    [
        ("gate.play", 0.1, "does not go into its frame"),
        ("gate.play", 0.9, "mm off"),
        ("gate.snug", 0.6, "askew"),
        ("gate.off", 25.0, "the tile needs"),
        ("gate.camera_height", 120.0, "in focus from"),
        ("gate.gloss_deg", 50.0, "where a tile would mirror it"),
        ("gate.lamp_down_deg", 45.0, "shine into the lens"),
        ("gate.lamp_across", 40.0, "in the picture"),
        ("gate.uneven", 0.1, "uneven"),
        ("gate.deep", 96.0, "mirrors the room"),
        ("panel.cap", 12.2, "rubs in a hole"),
        ("panel.key_high", 10.0, "stands out 1.0 mm"),
        ("panel.body_high", 6.0, "lies on the keys"),
        ("panel.pitch", 16.0, "keys are 16.0 mm apart"),
        ("window.camera_below", 95.0, "in focus from"),
        ("window.lamp_below", 90.0, "shine into the lens"),
        ("window.belt_in", 4.0, "the belts hide a face up to 5.0 mm"),
        ("window.fork", 28.0, "does not pass the barrier"),
        ("window.eject", 28.0, "beyond the slope's edge"),
        ("barrier.distance", 60.0, "mm above a tile"),
        ("diverter.radius", 215.0, "a lane's mouth leaves"),
        ("diverter.error_deg", 1.0, "a lane's mouth leaves"),
        ("diverter.travel_deg", 62.0, "the physics model's chute by"),
        ("diverter.travel_deg", 90.0, "the diverter takes in"),
        ("diverter.servo_nm", 0.2, "the firmware waits"),
        ("surface.tile_on_tray", 0.5, "a jam is"),
        ("chute.slope_deg", 27.0, "a jam is"),
        ("chute.play", 0.6, "in the bend"),
        ("gripper.carry_height", 45.0, "above a full column"),
        ("gripper.finger_width", 9.0, "do not go through the guides' slots"),
        ("gripper.finger_depth", 18.0, "reach the lower one"),
        ("gripper.weight_kg", 0.01, "the gripper weighs"),
        ("tile.width", 31.0, "the palm passes"),
        ("gripper.lowering_mm_per_s", 250.0, "the gripper is up again after"),
        ("gripper.raising_mm_per_s", 1200.0, "the gripper's cam pushes its roller at"),
        ("gripper.opens_s", 0.06, "the gripper is up again after"),
        ("gripper.finger_opens", 2.2, "the key spreads each finger by 1.9 mm"),
        ("gripper.opens_s", 0.01, "the fingers' disc pushes its pin at"),
        ("return_lane.play", 2.0, "the return lane leaves a tile"),
        ("return_lane.play", 20.0, "from the next tray"),
        ("return_lane.straight", 300.0, "a returned tile may be there after"),
        ("return_lane.belt_mm_per_s", 300.0, "with a metre more a returned tile needs"),
        ("mouth.play", 0.3, "the mouth leaves a tile 0.15 mm"),
        ("mouth.floor", 48.0, "the near finger needs"),
        ("mouth.slope_deg", 21.0, "does not slide into the mouth"),
        ("draw_gate.wind_n", 3.0, "it moves too early"),
        ("carriage.step", 0.84, "makes another step"),
        ("table.side", 980.0, "the drive is 890 mm long"),
        ("table.side", 1000.0, "four trays need a table of 10"),
        ("lift.height", 185.0, "above the gripper's rods"),
        ("lift.rise_s", 1.5, "the firmware waits 3.00 s"),
        ("lift.rise_s", 0.6, "four lifts need"),
        ("lift.lower_s", 0.6, "the lift's cam pushes its roller at"),
        ("lift.balance_n", 9.0, "does not come down"),
        ("lift.spring_n", 4.0, "it moves too early"),
        ("pusher.height", 32.0, "not as high as the physics model's"),
        ("pusher.height", 26.0, "does not meet the upper tiles"),
        ("pusher.gap", 3.0, "the end of its way runs into rib 1"),
        ("floor.turn_s", 0.5, "a floor is open for"),
        ("floor.spring_nm", 0.05, "floor 4 turns down with"),
        ("floor.spring_nm", 0.03, "the magazine's floor turns down with"),
        ("floor.spring_nm", 0.09, "a floor's spring bends with"),
        ("tile.thickness", 24.0, "an open floor leaves a tile"),
        ("chains.bend", 42.0, "in a trough's bend"),
        ("chains.slope_deg", 78.0, "tip over the lug"),
        ("chains.mm_per_s", 900.0, "tiles slide into a mouth at"),
        ("chains.mm_per_s", 300.0, "after 6.5 s, its carriage waits 5.7 s"),
        ("chains.friction", 0.35, "of a motor of 13.2 W"),
        ("donor.drum_below", 540.0, "a slide to the drum passes"),
        ("tile.length", 50.0, "a tile that waits at a mouth is"),
        ("table.side", 1088.0, "do not stand as the ways expect"),
        ("draw_gate.blind_edge", 3.0, "the blind holds draw 1 back"),
        ("tile.spread", 1.5, "the open shutter holds draw 1 back"),
    ],
)
def test_a_spoiled_dimension_is_found(monkeypatch: pytest.MonkeyPatch, name: str, size: float, fault: str) -> None:
    monkeypatch.setitem(load(), name, {"nominal": size})
    designs = (gate, panel, window, diverter, shuttle, wall, drive, chains)
    assert any(fault in found for design in designs for found in design.wrong())


@STAGES
def test_every_part_is_written(stage: Stage, tmp_path: Path) -> None:
    write(stage, tmp_path)
    written = {f"{name.replace(' ', '-')}.stl" for name in stage.printed or stage.solids}
    written |= {f"{name.replace(' ', '-')}.dxf" for name in stage.cut}
    written |= {f"{stage.name}-parts.svg"} if stage.apart else set()
    assert {file.name for file in tmp_path.iterdir()} == {f"{stage.name}.step", f"{stage.name}.svg", *written}
    assert all(file.stat().st_size > 400 for file in tmp_path.iterdir())


def test_each_part_of_an_exploded_picture_is_named_where_it_is_drawn(tmp_path: Path) -> None:
    for stage in (ARM, GATE, MOUTH, SHUTTLE):
        exploded(stage, tmp_path / "parts.svg")
        drawing = ElementTree.parse(tmp_path / "parts.svg").getroot()
        left, top, wide, high = map(float, drawing.attrib["viewBox"].split())
        names = {text.text: text for text in drawing.iter() if text.tag.endswith("text")}
        assert names.keys() == set(stage.taken) or names.keys() == stage.solids.keys() - set(stage.hidden)
        for text in names.values():
            assert left < float(text.attrib["x"]) < left + wide
            assert top < float(text.attrib["y"]) < top + high


CORNER, LOW = 415.0 * 2**0.5, 1617.6
"""From the mat's middle to the post's along the arm, and the arm's underside."""


@pytest.mark.parametrize(
    ("radius", "along", "high", "upright", "parts"),
    [
        (3.3, CORNER, 8, True, ("plate", "post")),
        (3.3, CORNER - 37, 12, True, ("plate", "foot")),
        (3.9, CORNER - 20, 25, False, ("foot", "post")),
        (3.9, CORNER - 20, LOW - 44, False, ("gusset", "post")),
        (3.9, CORNER - 64, LOW, True, ("gusset", "arm")),
        (2.4, 120, LOW, True, ("lamp 2", "arm")),
        (2.4, -120, LOW, True, ("lamp 1", "arm")),
        (1.9, 24, LOW, True, ("camera bracket", "arm")),
    ],
)
def test_a_screw_of_the_arm_goes_through_its_hole_into_its_thread_or_slot(
    radius: float, along: float, high: float, upright: bool, parts: tuple[str, ...]
) -> None:
    screw = Rot(0, 0, 45) * Pos(along, 0, high) * Rot(0, 0 if upright else 90, 0) * Cylinder(radius, 11)
    assert all(common_mm3(screw, ARM.solids[part]) < 1.0 and screw.distance_to(ARM.solids[part]) < 1.0 for part in parts)


def test_the_cut_lengths_are_those_of_the_solids() -> None:
    post, beam = ARM.solids["post"], ARM.solids["arm"]
    assert pytest.approx(lengths()["post"]) == post.bounding_box().size.Z
    assert beam.volume / post.volume == pytest.approx(lengths()["arm"] / lengths()["post"])


def test_there_is_a_frame_for_every_length_of_tiles_and_its_tile_goes_in() -> None:
    assert [name for name in GATE.printed if name.startswith("frame")] == [f"frame {length}" for length in range(34, 41)]
    for length in range(34, 41):
        assert common_mm3(Pos(0, 0, -gate.SUNK) * GATE.printed[f"frame {length}"], gate.tile(length)) < 1.0


def test_a_plate_is_cut_with_a_hole_for_each_key_lamp_and_screw(tmp_path: Path) -> None:
    write(PANEL, tmp_path)
    circles = (tmp_path / "seat-plate.dxf").read_text(encoding="utf-8").split().count("CIRCLE")
    assert circles == len(KEYS) + 2 + 4


def test_the_diverter_has_a_lane_for_each_pulse_of_a_board_without_bypass_cells() -> None:
    pulses = [SERVO_FIRST_US + SERVO_RANGE_US * lane // (LANES - 1) for lane in range(LANES)]
    assert [lane_of(pulse, cells=0) for pulse in pulses] == list(range(LANES))
    share = [(pulse - SERVO_FIRST_US) / SERVO_RANGE_US - 0.5 for pulse in pulses]
    assert [lanes.angle_deg(lane) for lane in range(LANES)] == pytest.approx([45.0 * each for each in share])


def test_a_lane_bends_back_to_the_steepest_way_and_is_as_wide_as_the_physics_models_chute() -> None:
    for lane in range(LANES):
        x, s, angle = lanes.axis(lane)[-1]
        assert angle == pytest.approx(0.0)
        assert lanes.ends_at() - s >= 90.0
        assert lanes.edge(lane, 1, 15.0, 16.0)[-1][0] - x == pytest.approx(15.0)


def test_a_tray_has_a_slot_for_the_fingers_at_each_column_and_the_mouth_and_a_place_in_the_comb() -> None:
    for place in range(-1, 28):
        x = 28.8 * place
        tip = Pos(x, -23.0, 20.0) * Box(8.0, 2.5, 20.0)
        assert all(common_mm3(tip, part) == 0.0 for name, part in SHUTTLE.solids.items() if name.startswith(("near", "bar", "spare guide")))
        flag = Pos(x, 10.0, -0.5) * Box(1.7, 6.0, 1.0)
        assert common_mm3(flag, shuttle.comb()) == 0.0


@pytest.mark.parametrize(
    ("part", "trays", "stages", "copies"),
    [
        ("TRAY-PRINT", 4, (MOUTH, LANE, SHUTTLE, WALL), TWICE | {"bearing 1": 3, "ear": 4}),
        ("CHAIN-PRINT", 1, (CHAINS,), {"lug": sum(2 * chains.track(seat).way for seat in range(4)) / 96}),
    ],
)
def test_the_bill_has_filament_for_all_that_is_printed(part: str, trays: int, stages: tuple[Stage, ...], copies: dict[str, float]) -> None:
    printed = [each for stage in stages for each in stage.printed.items()]
    grams = sum(trays * GRAMS_PER_MM3 * copies.get(name, 1) * part.volume for name, part in printed)
    assert grams < read()["parts"][part]["grams"] < 1.1 * grams


def test_the_shutters_switch_feels_it_open_and_not_shut() -> None:
    switch = WALL.solids["shutter switch"]
    assert switch.distance_to(magazine.open_shutter()) < 1.5
    assert switch.distance_to(WALL.solids["shutter"]) > 10.0


def test_a_carriages_blade_darkens_its_barrier_at_step_0_and_behind_and_not_a_step_ahead() -> None:
    beam = Pos(shuttle.home_at(), shuttle.BEAM[0] - 16.5, 144) * Box(0.2, 13, 0.2)
    assert common_mm3(shuttle.parts(-1)["home fork"], beam) > 0.0
    for behind in (0.0, 5.0, 12.0):
        assert common_mm3(Pos(-behind, 0, 0) * shuttle.parts(-1)["home blade"], beam) > 0.0
    assert common_mm3(Pos(0.9, 0, 0) * shuttle.parts(-1)["home blade"], beam) == 0.0


def test_a_rods_end_darkens_its_barrier_while_the_gripper_is_up_and_not_when_it_is_5_mm_down() -> None:
    rod, beam = SHUTTLE.solids["left rod"], Pos((shuttle.DRAWN + 1) * 28.8 - 8, 0, 162) * Box(0.2, 13, 0.2)
    assert common_mm3(SHUTTLE.solids["gripper fork"], beam) > 0.0
    assert common_mm3(rod, beam) > 0.0
    assert common_mm3(Pos(0, 0, -5) * rod, beam) == 0.0


def test_the_lifts_switches_feel_its_lever_while_all_lifts_are_down_alone() -> None:
    for number in (1, 2):
        switch = DRIVE.solids[f"lift switch {number}"]
        assert switch.distance_to(drive.CAM.parts(0.0)["lever"]) < 2.0
        assert switch.distance_to(drive.CAM.parts(0.1)["lever"]) > 2.0


def test_no_part_of_a_wall_takes_anothers_name() -> None:
    parts = (tray.parts(), mouth.parts(), lift.parts(), magazine.parts(), shuttle.parts(0))
    assert len(WALL.solids) == sum(map(len, parts))


def test_a_fan_with_four_cells_besides_would_need_a_diverter_too_long_for_its_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "LANES", 10)
    monkeypatch.setattr(diverter, "LANES", 10)
    assert any("a lane's mouth leaves" in found for found in diverter.wrong())
    monkeypatch.setitem(load(), "diverter.radius", {"nominal": 452.0})
    found = list(diverter.wrong())
    assert not any("a lane's mouth leaves" in each for each in found)
    assert any("a jam is" in each for each in found)
