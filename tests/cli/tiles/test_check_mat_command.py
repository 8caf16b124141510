"""``twinwall tiles selftest mat`` as a person uses it who has just laid the sheets, with a picture in place of the camera."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from cli import main
from config.writing import dumps
from controller.device_settings import TableCameraSection
from simulator.cameras.table import TableCamera, TableLook, usual_look
from simulator.scene import TableScene
from tests.support.simulator.laid_mat import Laid, sheets_on_a_table
from tools.default_settings import TABLE
from twinwall.art.mat import Mat
from twinwall.art.mat_prints.sheet_layout import Paper

pytestmark = pytest.mark.slow


def photograph(path: Path, laid: dict[int, Laid] | None = None, table: str = "") -> Path:
    usual = usual_look(np.random.default_rng(3))
    look = TableLook(usual.view, usual.gains, canvas=sheets_on_a_table(Mat(table=table), Paper.A4, laid))
    cv2.imwrite(str(path), TableCamera(1, Mat(), look).render(TableScene(1, ())))
    return path


@pytest.mark.nightly
def test_one_advice_is_given_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = photograph(tmp_path / "mat.png", {3: Laid(off_mm=(4.0, 0.0)), 7: Laid(scale=0.985)})
    drawn = tmp_path / "seen.png"
    assert main(["selftest", "mat", "--image", str(image), "--picture", str(drawn)]) == 1
    said = capsys.readouterr().out
    assert "12 sheets of A4: 28 of 28 markers" in said
    assert "BAD: sheet 7 is 4 mm short (98.5 %)" in said
    assert "sheet 3" not in said
    assert "1 more after this" in said
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert main(["selftest", "mat", "--image", str(image), "--json"]) == 1
    assert [one["fault"] for one in json.loads(capsys.readouterr().out)["findings"]] == ["size", "shifted"]


def test_a_good_mat_before_the_tables_camera_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    photograph(folder / "0.png")
    camera = replace(TABLE.camera, table=TableCameraSection(f"files:{folder}"))
    settings = tmp_path / "table.toml"
    settings.write_text(dumps(replace(TABLE, camera=camera)), encoding="utf-8")
    assert main(["selftest", "mat", "--settings", str(settings)]) == 0
    assert capsys.readouterr().out.endswith("good\n")


def test_another_tables_mat_before_the_tables_camera_is_bad(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, settings = photograph(tmp_path / "mat.png", table="12"), tmp_path / "table.toml"
    settings.write_text(dumps(TABLE), encoding="utf-8")
    assert main(["selftest", "mat", "--settings", str(settings), "--image", str(image)]) == 1
    said = f"BAD: this is the camera of table {TABLE.table.name}, and the mat that it sees names table 12"
    assert said in capsys.readouterr().out


def test_neither_camera_nor_picture_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "mat"]) == 2
    assert "--image" in capsys.readouterr().err
    assert main(["selftest", "mat", "--image", str(tmp_path / "none.png")]) == 2
    assert "none.png" in capsys.readouterr().err
