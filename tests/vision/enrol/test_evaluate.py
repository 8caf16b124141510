"""Evaluation on labelled crops: cutting photographs, reading folders, and the figures."""

import json
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import pytest
from numpy.random import Generator

from cli import main
from tests.support.narrowed import present
from tests.support.vision.pictures import face
from tools.train import crops
from tools.train.crops import LabelsError, read_labels
from twinwall.art.designs import CLASSIC
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, Tile
from vision.cameras.file_camera import picture_in
from vision.enrol.evaluate import EvaluatedView, LabelledCrop, look_both_ways, read_folders, summarise
from vision.model.classifier import Classifier

KEYS = {"n", "top1", "upright", "turned", "coverage", "misread_of_accepted", "false_accepts", "confusions"}


def crop_of(what: Tile | Literal["back"]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.ascontiguousarray(face(what, 96, CLASSIC)[:, :, :3])


def write(folder: Path, what: Tile | Literal["back"], name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jpg"
    cv2.imwrite(str(path), crop_of(what))
    return path


def look(tile: Tile | None, first: Tile, accepted: Tile | None, *, turned: bool = False) -> EvaluatedView:
    return EvaluatedView(tile, turned, first, accepted)


def test_the_figures_are_shares_of_tiles_over_both_turns() -> None:
    looks = [
        look(Tile.P6, Tile.P6, Tile.P6),
        look(Tile.P6, Tile.P7, None, turned=True),
        look(Tile.EAST, Tile.NORTH, Tile.NORTH),
        look(Tile.EAST, Tile.EAST, Tile.EAST, turned=True),
        look(None, Tile.WHITE, Tile.WHITE),
        look(None, Tile.WHITE, None, turned=True),
    ]
    assert summarise(looks).to_json() == {
        "n": 2,
        "top1": 0.5,
        "upright": {"top1": 0.5},
        "turned": {"top1": 0.5},
        "coverage": 0.75,
        "misread_of_accepted": 1 / 3,
        "false_accepts": {"n": 1, "of": 2},
        "confusions": [["6p", "7p", 1], ["E", "N", 1]],
    }


def test_a_share_of_nothing_is_null() -> None:
    only_foreign = summarise([look(None, Tile.P1, None)]).to_json()
    assert [only_foreign[key] for key in ("top1", "coverage", "misread_of_accepted")] == [None, None, None]
    nothing_accepted = summarise([look(Tile.P1, Tile.P1, None)]).to_json()
    assert nothing_accepted["misread_of_accepted"] is None
    assert nothing_accepted["coverage"] == 0


def test_each_crop_is_looked_at_upright_and_turned(classifier: Classifier) -> None:
    looks = look_both_ways(classifier, [LabelledCrop("one", Tile.S3, crop_of(Tile.S3))])
    assert [one.turned for one in looks] == [False, True]
    assert {one.first for one in looks} == {Tile.S3}


def test_folders_named_as_no_kind_are_not_tiles(tmp_path: Path) -> None:
    write(tmp_path / "5p", Tile.P5, "a")
    write(tmp_path / "C", Tile.RED, "b")
    write(tmp_path / "flower", "back", "c")
    write(tmp_path / "half", "back", "d")
    (tmp_path / "5p" / "notes.txt").write_text("not a picture")
    found = {crop.name: crop.tile for crop in read_folders(tmp_path)}
    assert found == {"5p/a.jpg": Tile.P5, "C/b.jpg": Tile.RED, "flower/c.jpg": None, "half/d.jpg": None}


def test_evaluate_prints_the_contracts_object_and_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for tile in (Tile.M1, Tile.P9, Tile.EAST):
        write(tmp_path / tile.text, tile, "one")
    write(tmp_path / "back", "back", "one")
    assert main(["evaluate", str(tmp_path), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert set(outcome) == KEYS
    assert (outcome["n"], outcome["top1"]) == (3, 1.0)
    assert outcome["false_accepts"] == {"n": 0, "of": 2}


def test_evaluate_speaks_to_people_without_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "9p", Tile.P9, "one")
    assert main(["evaluate", str(tmp_path)]) == 0
    assert "right before acceptance  100.00%" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["nothing", "no folder", "broken"])
def test_evaluate_says_in_a_sentence_what_it_cannot_use(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    folder = tmp_path / "crops"
    if content != "no folder":
        (folder / "5p").mkdir(parents=True)
    if content == "broken":
        (folder / "5p" / "a.jpg").write_bytes(b"no picture")
    assert main(["evaluate", str(folder), "--json"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "crops" in captured.err
    assert "Traceback" not in captured.err


def test_read_answers_for_each_picture_and_exits_1_when_one_was_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tile, back = write(tmp_path, Tile.S8, "tile"), write(tmp_path, "back", "back")
    assert main(["read", str(tile), "--json"]) == 0
    (answer,) = json.loads(capsys.readouterr().out)
    assert (answer["tile"], answer["image"]) == ("8s", str(tile))
    assert main(["read", str(tile), str(back), "--json"]) == 1
    _, refused = json.loads(capsys.readouterr().out)
    assert refused["tile"] is None
    assert refused["reason"] == "not-a-tile"


def test_read_refuses_what_is_no_picture_or_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "tile.jpg"
    text.write_text("no picture")
    assert main(["read", str(text)]) == 2
    assert "tile.jpg" in capsys.readouterr().err
    assert main(["read", str(tmp_path / "absent.jpg")]) == 2
    assert "absent.jpg" in capsys.readouterr().err
    cv2.imwrite(str(tmp_path / "dot.png"), np.zeros((1, 1, 3), np.uint8))
    assert main(["read", str(tmp_path / "dot.png")]) == 2
    assert "dot.png is no picture" in capsys.readouterr().err
    assert main(["read", str(write(tmp_path, Tile.P1, "one")), "--model", str(text)]) == 2
    assert "model" in capsys.readouterr().err


def photograph(folder: Path, rng: Generator) -> list[Tile]:
    """A labelled photograph of six tiles, the last one lying on its side and cut by the edge."""
    tiles = [ALL_TILES[int(index)] for index in rng.choice(34, 6, replace=False)]
    picture = np.full((200, 640, 3), 40, np.uint8)
    boxes = []
    for place, tile in enumerate(tiles[:5]):
        crop = crop_of(tile)
        picture[20 : 20 + crop.shape[0], 30 + 100 * place : 30 + 100 * place + crop.shape[1]] = crop
        boxes.append([30 + 100 * place, 20, crop.shape[1], crop.shape[0]])
    boxes.append([600, 100, 80, 50])
    cv2.imwrite(str(folder / "tray-1.png"), picture)
    labels = [
        {"file": "tray-1.png", "size": [640, 200], "tiles": [{"kind": t.text, "box": b} for t, b in zip(tiles, boxes, strict=True)]},
        {"file": "table-1.png", "size": [640, 200], "tiles": [{"kind": "flower", "box": [0, 0, 9, 9]}]},
    ]
    (folder / "labels.json").write_text(json.dumps(labels))
    return tiles


def test_photographs_are_cut_into_folders_that_evaluate_reads(tmp_path: Path, rng: Generator, capsys: pytest.CaptureFixture[str]) -> None:
    tiles = photograph(tmp_path, rng)
    out = tmp_path / "out"
    assert crops.main([str(tmp_path), str(out), "--only", "tray-", "--standing"]) == 0
    assert "5 crops" in capsys.readouterr().out
    assert {crop.tile for crop in read_folders(out)} == set(tiles[:5])
    first = present(cv2.imread(str(out / tiles[0].text / "tray-1-00.jpg")))
    assert first.shape == crop_of(tiles[0]).shape


def test_labels_and_photographs_that_cannot_be_used_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LabelsError, match=r"labels\.json"):
        read_labels(tmp_path)
    for tile, named in (('{"kind": "1m"}', "labels.json"), ('{"kind": "1m", "box": [0, 0, 5, 9]}', "a.jpg")):
        (tmp_path / "labels.json").write_text(f'[{{"file": "a.jpg", "tiles": [{tile}]}}]')
        assert crops.main([str(tmp_path), str(tmp_path / "out")]) == 2
        assert named in capsys.readouterr().err


def test_hidden_files_and_folders_named_as_pictures_are_no_crops(tmp_path: Path) -> None:
    write(tmp_path / "5p", Tile.P5, "a")
    (tmp_path / "5p" / "._a.jpg").write_bytes(b"what another system keeps beside a picture")
    (tmp_path / "5p" / "b.jpg").mkdir()
    assert [crop.name for crop in read_folders(tmp_path)] == ["5p/a.jpg"]


def test_all_pictures_that_cannot_be_used_are_named_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = write(tmp_path / "5p", Tile.P5, "whole").read_bytes()
    (tmp_path / "5p" / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "E").mkdir()
    (tmp_path / "E" / "phone.heic").write_bytes(b"\0\0\0\x20ftypheic")
    assert main(["evaluate", str(tmp_path), "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "5p/cut.jpg, E/phone.heic" in said.err
    assert "take out or replace" in said.err


@pytest.mark.parametrize("ending", [".png", ".webp", ".bmp", ".JPEG"])
def test_the_usual_forms_of_pictures_are_read_and_a_part_of_one_is_not(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"牌{ending}"
    path.write_bytes(cv2.imencode(ending, crop_of(Tile.P5))[1].tobytes())
    image = present(picture_in(path))
    assert image.shape == crop_of(Tile.P5).shape
    path.write_bytes(path.read_bytes()[:-200])
    assert picture_in(path) is None


def test_a_picture_taken_with_the_phone_on_its_side_stands_as_its_exif_data_say(tmp_path: Path) -> None:
    lying = cv2.imencode(".jpg", cv2.rotate(crop_of(Tile.S7), cv2.ROTATE_90_COUNTERCLOCKWISE))[1].tobytes()
    turn_right = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    path = tmp_path / "side.jpg"
    path.write_bytes(lying[:2] + b"\xff\xe1" + (len(turn_right) + 2).to_bytes(2, "big") + turn_right + lying[2:])
    image = present(picture_in(path))
    assert np.abs(image.astype(int) - crop_of(Tile.S7)).mean() < 6


@pytest.mark.parametrize(("name", "kind"), [("e", "E"), ("5P", "5p"), ("1M", "1m"), ("West", "W")])
def test_a_folder_that_is_nearly_a_kind_is_no_tile_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, kind: str
) -> None:
    write(tmp_path / "9p", Tile.P9, "one")
    write(tmp_path / name, Tile.P5, "one")
    assert main(["evaluate", str(tmp_path), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["n"] == 1
    assert f"the folder {name} counts as no tile: rename it to {kind}" in said.err


def test_pictures_that_lie_too_high_or_too_deep_are_named(tmp_path: Path) -> None:
    write(tmp_path, Tile.P5, "loose")
    write(tmp_path / "photos" / "5p", Tile.P5, "deep")
    with pytest.raises(DocumentError, match=r"no crops.*what lies in .* itself.*photos/5p are not looked at"):
        list(read_folders(tmp_path))
