"""``twinwall tiles calibrate`` and ``selftest`` as a person at the table uses them, with pictures in place of the camera and a journal's
reads in place of tiles."""

import io
import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from cli import main
from cli.tiles.cameras import open_gate_camera
from config.reading import dumps
from controller.device_settings import GateCameraSection, TableCameraSection
from controller.ledger.journal import Journal
from controller.settings import LedgerSection
from simulator.cameras.gate import GateCamera
from simulator.cameras.table import TableCamera, TableLook, usual_look
from simulator.scene import GateScene, TableScene
from tests.support.commands import Twinwall
from tests.support.controller.wear import wall
from tests.support.simulator.laid_mat import Laid, sheets_on_a_table
from tools.default_settings import TABLE
from twinwall.art.mat import Mat
from twinwall.art.mat_prints.sheet_layout import Paper
from twinwall.game.tiles import Tile
from vision.calibration.mat_calibration import LEAST_PX_PER_MM

LENS = GateCamera(seed=5)


def frames(folder: Path, *, blur: float = 0.0) -> Path:
    """A folder of pictures of an empty gate, through a lens that may be out of focus."""
    folder.mkdir()
    for number in range(12):
        picture: NDArray[np.uint8] = LENS.render(GateScene(None))
        seen = cv2.GaussianBlur(picture, (0, 0), blur) if blur else picture
        cv2.imwrite(str(folder / f"{number:02d}.png"), seen)
    return folder


def settings(path: Path, folder: Path, calibration: Path | None = None) -> Path:
    camera = replace(TABLE.camera, gate=GateCameraSection(f"files:{folder}", calibration))
    path.write_text(dumps(replace(TABLE, camera=camera)), encoding="utf-8")
    return path


@pytest.fixture
def calibrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The calibration of a clean camera, whose card and tile were skipped."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\ns\ns\n"))
    day = tmp_path / "gate.json"
    source = settings(tmp_path / "first.toml", frames(tmp_path / "clean"))
    assert main(["calibrate", "--camera", "gate", "--settings", str(source), "--out", str(day)]) == 0
    return day


def test_a_clean_camera_passes_and_a_dirty_lens_is_told(calibrated: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    good = settings(tmp_path / "good.toml", frames(tmp_path / "again"), calibrated)
    bad = settings(tmp_path / "bad.toml", frames(tmp_path / "dirty", blur=1.5), calibrated)
    twinwall("selftest", "camera", "--settings", good)
    assert "BAD: clean the lens" in twinwall("selftest", "camera", "--settings", bad, code=1).out
    findings = {one["what"]: one for one in json.loads(twinwall("selftest", "camera", "--settings", bad, "--json", code=1).out)["findings"]}
    assert not findings["focus"]["good"]
    assert findings["exposure"]["good"]


def test_a_table_without_a_calibration_says_how_to_make_one(tmp_path: Path, twinwall: Twinwall) -> None:
    source = settings(tmp_path / "table.toml", frames(tmp_path / "clean"))
    assert "twinwall tiles calibrate --camera gate" in twinwall("selftest", "camera", "--settings", source, code=2).err


def test_a_damaged_calibration_stops_the_table_and_the_test(calibrated: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    calibrated.write_bytes(calibrated.read_bytes()[:100])
    source = settings(tmp_path / "table.toml", tmp_path / "clean", calibrated)
    assert "calibrate the camera again" in twinwall("selftest", "camera", "--settings", source, code=2).err


def test_a_calibrated_gate_camera_opens_like_any_other(calibrated: Path, tmp_path: Path) -> None:
    camera = replace(TABLE.camera, gate=GateCameraSection(f"files:{tmp_path / 'clean'}", calibrated))
    assert open_gate_camera(camera).frame_after(0).image.ndim == 3


def test_a_gate_that_is_not_empty_is_not_calibrated_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, twinwall: Twinwall) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    folder = tmp_path / "bright"
    folder.mkdir()
    cv2.imwrite(str(folder / "0.png"), np.full((360, 480, 3), 250, np.uint8))
    source, out = settings(tmp_path / "table.toml", folder), tmp_path / "gate.json"
    assert "not calibrated" in twinwall("calibrate", "--camera", "gate", "--settings", source, "--out", out, code=1).err
    assert not out.exists()


@pytest.mark.nightly
@pytest.mark.parametrize("what", ["markers", "mat", "walls", "mat --paper a4", "mat --paper a3", "walls --paper a3"])
def test_markers_and_mat_are_printed(what: str, tmp_path: Path) -> None:
    out = tmp_path / "print.pdf"
    assert main(["calibrate", "--print", *what.split(), "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize("what", ["mat", "markers"])
def test_a_mat_is_printed_with_the_name_of_its_table(what: str, tmp_path: Path) -> None:
    prints = [tmp_path / "plain.pdf", tmp_path / "12.pdf"]
    for out, table in zip(prints, ([], ["--table", "12"]), strict=True):
        assert main(["calibrate", "--print", what, *table, "--out", str(out)]) == 0
    plain, named = (print.read_bytes() for print in prints)
    assert b"Table 12" in named
    assert b"Table 12" not in plain


def test_the_table_cameras_usual_pictures_show_a_whole_mat_finely_enough_to_calibrate() -> None:
    lock, mat = TABLE.camera.table.lock, Mat()
    with_room_around_mm = 2 * mat.half_side_mm * 1.1
    assert min(lock.width, lock.height) / with_room_around_mm >= LEAST_PX_PER_MM


def photograph(path: Path, laid: dict[int, Laid] | None = None, table: str = "") -> Path:
    usual = usual_look(np.random.default_rng(3))
    look = TableLook(usual.view, usual.gains, canvas=sheets_on_a_table(Mat(table=table), Paper.A4, laid))
    cv2.imwrite(str(path), TableCamera(1, Mat(), look).render(TableScene(1, ())))
    return path


@pytest.mark.nightly
@pytest.mark.slow
def test_one_advice_is_given_at_a_time(tmp_path: Path, twinwall: Twinwall) -> None:
    image = photograph(tmp_path / "mat.png", {3: Laid(off_mm=(4.0, 0.0)), 7: Laid(scale=0.985)})
    drawn = tmp_path / "seen.png"
    said = twinwall("selftest", "mat", "--image", image, "--picture", drawn, code=1).out
    assert "12 sheets of A4: 28 of 28 markers" in said
    assert "BAD: sheet 7 is 4 mm short (98.5 %)" in said
    assert "sheet 3" not in said
    assert "1 more after this" in said
    assert drawn.read_bytes().startswith(b"\x89PNG")
    found = json.loads(twinwall("selftest", "mat", "--image", image, "--json", code=1).out)["findings"]
    assert [one["fault"] for one in found] == ["size", "shifted"]


@pytest.mark.slow
def test_a_good_mat_before_the_tables_camera_is_good(tmp_path: Path, twinwall: Twinwall) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    photograph(folder / "0.png")
    camera = replace(TABLE.camera, table=TableCameraSection(f"files:{folder}"))
    settings = tmp_path / "table.toml"
    settings.write_text(dumps(replace(TABLE, camera=camera)), encoding="utf-8")
    assert twinwall("selftest", "mat", "--settings", settings).out.endswith("good\n")


@pytest.mark.slow
def test_another_tables_mat_before_the_tables_camera_is_bad(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, settings = photograph(tmp_path / "mat.png", table="12"), tmp_path / "table.toml"
    settings.write_text(dumps(TABLE), encoding="utf-8")
    assert main(["selftest", "mat", "--settings", str(settings), "--image", str(image)]) == 1
    said = f"BAD: this is the camera of table {TABLE.table.name}, and the mat that it sees names table 12"
    assert said in capsys.readouterr().out


def table(folder: Path, last: float, walls: int = 8) -> Path:
    journal = Journal(folder / "ledger" / "table.journal")
    for n in range(1, walls + 1):
        journal.append("2026-11-20T10:00:00Z", list(wall(n, {Tile.P3: 0.999 if n < 5 else last})))
    journal.close()
    path = folder / "table.toml"
    path.write_text(dumps(replace(TABLE, ledger=LedgerSection(folder / "ledger"))), encoding="utf-8")
    return path


def test_a_worn_kind_is_named_with_its_set_and_what_to_do(tmp_path: Path, twinwall: Twinwall) -> None:
    settings = table(tmp_path, 0.93)
    assert "3p of the set blue" in twinwall("selftest", "tiles", "--settings", settings, code=1).out
    (row,) = json.loads(twinwall("selftest", "tiles", "--settings", settings, "--json", code=1).out)["worn"]
    assert (row["set"], row["kind"]) == ("blue", "3p")


def test_a_set_that_is_read_as_ever_is_good(tmp_path: Path, twinwall: Twinwall) -> None:
    assert twinwall("selftest", "tiles", "--settings", table(tmp_path, 0.999)).out == "no kind is read less surely than it was\n"


def test_too_few_walls_are_no_good_report(tmp_path: Path, twinwall: Twinwall) -> None:
    said = twinwall("selftest", "tiles", "--settings", table(tmp_path, 0.93, walls=5)).out
    assert said == "too little was seen to tell: 5 walls of a set at the most, and 6 are needed\n"


def test_a_table_that_runs_or_never_ran_is_told(tmp_path: Path, twinwall: Twinwall) -> None:
    settings = table(tmp_path, 0.999)
    running = Journal(tmp_path / "ledger" / "table.journal")
    assert "in use by another controller" in twinwall("selftest", "tiles", "--settings", settings, code=2).err
    running.close()
    running.path.unlink()
    assert "not been played at" in twinwall("selftest", "tiles", "--settings", settings, code=2).err
