"""Path-traced tables: what the drawn table says of itself, how a folder of them is read, and what is said without Blender."""

import importlib.util
import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.rendered.__main__ import main
from benchmarks.rendered.camera import MIDDLE_PX, OverheadCamera, fitted
from benchmarks.rendered.folder import FolderError, free_slots, slot_of, truth_of, write_truth
from benchmarks.rendered.hidden import arms_mask, hidden_shares, outline_px, share
from benchmarks.rendered.looks import Kind
from benchmarks.rendered.making import told
from benchmarks.rendered.reading import burnt_out
from benchmarks.rendered.tables import FRAMES, traced_table
from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import FOREIGN
from simulator.scene import BACK, LaidTile
from twinwall.art.mat import Area, Mat, Slot

MAT = Mat()
OVERHEAD = OverheadCamera((0.0, 0.0), 1500.0, (0.0, 0.0), 0.0, 2500.0, 0.0, 2.0, 1500.0)
NO_BLENDER = importlib.util.find_spec("bpy") is None


def test_a_camera_straight_above_shows_the_middle_in_the_middle_and_height_larger() -> None:
    ground, top = OVERHEAD.project(np.array([(0.0, 0.0), (100.0, 60.0)])), OVERHEAD.project(np.array([(100.0, 60.0)]), 16.0)
    assert ground[0] == pytest.approx((MIDDLE_PX, MIDDLE_PX))
    assert ground[1] - MIDDLE_PX == pytest.approx((100 / 1500 * 2500, 60 / 1500 * 2500))
    assert top[0] - MIDDLE_PX == pytest.approx((100 / 1484 * 2500, 60 / 1484 * 2500))


@pytest.mark.parametrize("number", range(len(Kind)))
def test_every_kind_of_table_has_its_mat_and_its_tiles_in_the_picture(number: int) -> None:
    table = traced_table(number, MAT)
    assert table.look.kind is tuple(Kind)[number]
    assert len(table.moments) == FRAMES
    corner = [Slot(place, Area.MELD, index) for place in range(4) for index in (0, 14)]
    for camera in (table.look.camera, *(moment.camera for moment in table.moments)):
        seen = np.vstack([outline_px(MAT, slot, None, camera) for slot in corner])
        assert seen.min() > 0
        assert seen.max() < SIDE_PX - 1
    assert fitted(table.look.camera).focal_px == pytest.approx(table.look.camera.focal_px, rel=1e-6)
    assert all(bool(moment.arms) == (table.look.kind in (Kind.ARMS, Kind.SLEEVE)) for moment in table.moments)


def test_the_same_number_gives_the_same_table_and_no_kind_five_times() -> None:
    for number in range(12):
        one, again = traced_table(number, MAT), traced_table(number, MAT)
        assert (one.laid, one.moments) == (again.laid, again.moments)
        faces = Counter(tile.face for tile in one.laid.values() if tile.face not in (BACK, FOREIGN))
        assert max(faces.values()) <= 4
        assert not (one.look.finish.photographed and any(tile.face == FOREIGN for tile in one.laid.values()))


def test_an_arm_hides_what_is_under_it_and_a_tile_the_bare_place_behind_it() -> None:
    slot, beside = Slot(0, Area.MELD, 0), Slot(0, Area.MELD, 1)
    spot = MAT.spot(slot)
    square = np.array([(-30, -30, 60), (30, -30, 60), (30, 30, 60), (-30, 30, 60)], np.float64) + np.array((spot.x_mm, spot.y_mm, 0))
    camera = fitted(OVERHEAD)
    mask = arms_mask([(square, np.array([(0, 1, 2), (0, 2, 3)], np.int32))], camera)
    laid = {beside: LaidTile("5p", 0, "meld", 1, False, (-13.0, 0.0), 0.0)}
    shares = hidden_shares(MAT, [slot, beside, Slot(2, Area.MELD, 0)], laid, camera, mask)
    assert shares[slot][0] > 0.6
    assert shares[slot][1] > 0.01
    assert shares[beside][1] == 0
    assert shares[Slot(2, Area.MELD, 0)] == (0, 0)
    assert share(np.full((SIDE_PX, SIDE_PX), 255, np.uint8), outline_px(MAT, slot, None, camera)) == 1


def test_the_truth_of_a_table_comes_back_from_its_folder(tmp_path: Path) -> None:
    table = traced_table(2, MAT)
    hidden = [(slot.place, slot.area.value, slot.index, 0.0, 0.5 * (slot.index == 0)) for slot in MAT.all_slots()]
    write_truth(tmp_path, told(table, MAT, [{"file": "0.jpg", "hidden": hidden}]))
    truth = truth_of(tmp_path)
    held = {slot_of(one["slot"]): one["holds"] for one in truth["slots"]}
    assert held == {slot: table.laid[slot].face if slot in table.laid else "empty" for slot in MAT.all_slots()}
    assert free_slots(truth["frames"][0]) == {slot for slot in MAT.all_slots() if slot.index}


@pytest.mark.slow
def test_a_folder_is_read_and_a_frame_without_a_mat_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = traced_table(0, MAT)
    folder = tmp_path / table.name
    folder.mkdir()
    cv2.imwrite(str(folder / "0.jpg"), np.full((SIDE_PX, SIDE_PX, 3), 90, np.uint8))
    write_truth(folder, told(table, MAT, [{"file": "0.jpg", "hidden": []}]))
    assert main(["read", "--folder", str(tmp_path), "--json"]) == 0
    together = json.loads(capsys.readouterr().out)["together"]
    assert together["single_frames"]["sure"] == together["phantoms"] == 0
    assert len(together["frames_without_mat"]) == 1
    assert main(["place", "--folder", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["as_it_is"] == {"tried": 1, "refused": 1, "px": None}


@pytest.mark.parametrize("name", ["strange", "00-plain-vec"])
def test_the_set_of_a_strange_table_is_not_enrolled_from_our_own_faces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    write_truth(folder, {**told(traced_table(0, MAT), MAT, []), "design": "vec"})
    assert main(["read", "--folder", str(tmp_path), "--enrolled"]) == 2
    assert "close-vec" in capsys.readouterr().err
    assert main(["place", "--folder", str(tmp_path)]) == 2
    assert "no table of ours" in capsys.readouterr().err


def test_a_folder_without_tables_is_refused_with_what_makes_some(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "--folder", str(tmp_path)]) == 2
    assert "python -m benchmarks.rendered make" in capsys.readouterr().err
    (tmp_path / "truth.json").write_text("{}")
    with pytest.raises(FolderError, match="make the table again"):
        truth_of(tmp_path)


@pytest.mark.skipif(not NO_BLENDER, reason="Blender's module is installed, so that rendering would begin")
def test_without_blender_the_command_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "--out", str(tmp_path), "--first", "0"]) == 2
    assert "uv sync --group render" in capsys.readouterr().err


@pytest.mark.parametrize(("marks", "told"), [(0, True), (12, False)])
def test_a_face_without_a_mark_that_the_light_has_left_is_burnt_out(marks: int, told: bool) -> None:
    picture = np.full((100, 100, 3), 60, np.uint8)
    picture[20:70, 30:65] = 255
    picture[40 : 40 + marks, 40:52] = (180, 200, 210)
    assert burnt_out(picture, [(30, 20), (65, 20), (65, 70), (30, 70)]) is told


def test_tiles_in_light_of_two_colours_are_read(photographs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The study set beside the photographs is no part of the project. Where each tint counted as a thing over the face, 5 of 101 were."""
    folder = photographs.parent / "rendered"
    if not (folder / "tinted").is_dir():
        pytest.skip(f"{folder} holds no table in tinted light")
    assert main(["read", "--folder", str(folder), "--table", "tinted", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["together"]
    assert (told["wrong"], told["sure_misreads"]) == ([], [])
    assert told["tile_right"] > 96
