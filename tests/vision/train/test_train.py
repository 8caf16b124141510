"""Training up to the network: faces drawn and published, photographs and their notes, sheets, frames, pools, temperature and limits."""

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator

from tests.support.tiers import examples
from tools.train.__main__ import main
from tools.train.calibrate import CalibrationSample, calibrate, kind_of_output, sample, together
from tools.train.crops import LabelledBox, LabelsError
from tools.train.faces.lettering import Fonts, find_fonts
from tools.train.faces.marks import ANY_CANE, FACE_H, FACE_W, Face, blank, random_style
from tools.train.faces.published import Published, lent, reworked, svg_set
from tools.train.faces.sheets import SHEET_H, SHEET_W, Sheet, art_sheet, drawn_sheet
from tools.train.faces.sticks import bamboos
from tools.train.frames import Material, random_frame
from tools.train.photographs import Notes, corrected, read_notes, read_photographs
from tools.train.pool import render_pool
from tools.train.scenes import MARGIN, SCENE_H, SCENE_W
from tools.train.shots import cut
from tools.training_designs import TRAINING_DESIGNS
from twinwall.art.designs import CLASSIC, SIMULATOR_DESIGN
from twinwall.game.tiles import ALL_TILES, Tile
from vision.model.classes import FOREIGN, HALF_TURN, LABELS, Foreign, label_of
from vision.model.crop import CROP_H, CROP_W


@pytest.fixture(scope="module")
def sheets() -> list[Sheet]:
    return [art_sheet(CLASSIC)]


@pytest.fixture(scope="module")
def material(sheets: list[Sheet]) -> Material:
    return Material(sheets)


def test_a_sheet_has_every_kind_and_some_foreign_faces_and_no_two_alike(sheets: list[Sheet]) -> None:
    (sheet,) = sheets
    assert set(sheet.faces) == set(ALL_TILES)
    assert sheet.foreign
    faces = [*sheet.faces.values(), *sheet.foreign]
    assert all(not np.array_equal(one, other) for index, one in enumerate(faces) for other in faces[:index])


@pytest.mark.nightly
def test_frames_have_the_networks_form_and_every_label_comes_up(material: Material, rng: Generator) -> None:
    pairs = [random_frame(material, rng) for _ in range(900)]
    assert {frame.shape for frame, _ in pairs} == {(CROP_H, CROP_W, 3)}
    assert {frame.dtype for frame, _ in pairs} == {np.dtype(np.uint8)}
    assert {label for _, label in pairs} == set(range(len(LABELS)))


@pytest.mark.nightly
def test_the_same_seed_renders_the_same_pool_in_one_process_or_two(material: Material) -> None:
    alone, together = (render_pool(material, 100, 5, processes, chunk=30) for processes in (1, 2))
    assert np.array_equal(alone.frames, together.frames)
    assert np.array_equal(alone.labels, together.labels)
    assert not np.array_equal(alone.frames, render_pool(material, 100, 6, 1, chunk=30).frames)


def test_fonts_are_optional_but_a_folder_that_is_not_there_is_named(tmp_path: Path, rng: Generator) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        find_fonts(tmp_path / "absent")
    assert find_fonts(tmp_path) == Fonts((), (), ())
    with pytest.raises(ValueError, match="no font"):
        drawn_sheet(Fonts((), (), ()), rng, "x")


def test_the_simulators_design_is_none_to_train_on() -> None:
    assert SIMULATOR_DESIGN not in TRAINING_DESIGNS


def spoken(
    labels: np.ndarray[tuple[int], np.dtype[np.int64]], strength: float, rng: Generator
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Outputs that favour the labels, more or less."""
    logits = rng.normal(0, 1, (len(labels), len(LABELS))).astype(np.float32)
    logits[np.arange(len(labels)), labels] += strength
    return logits


def heard(
    labels: np.ndarray[tuple[int], np.dtype[np.int64]], strength: float, rng: Generator, *, loudness: float = 1.0
) -> CalibrationSample:
    """What one network says of frames with these labels, both ways up."""
    upright, turned = (loudness * spoken(side, strength, rng)[None] for side in (labels, HALF_TURN[labels]))
    return sample(upright, turned, kind_of_output()[labels])


def test_calibration_lowers_the_confidence_of_a_model_that_brags(rng: Generator) -> None:
    labels = rng.integers(0, len(LABELS), 3000)
    seed = int(rng.integers(1000))
    modest = calibrate({"drawn": heard(labels, 2.5, np.random.default_rng(seed), loudness=3)})
    bragging = calibrate({"drawn": heard(labels, 2.5, np.random.default_rng(seed), loudness=6)})
    assert bragging.temperature == pytest.approx(2 * modest.temperature, rel=0.15)
    assert bragging.outcomes["drawn"].top1 == modest.outcomes["drawn"].top1


def test_limits_keep_misreads_to_one_in_a_thousand_on_every_sample(rng: Generator) -> None:
    labels = rng.integers(0, len(LABELS), 4000)
    easy, hard = heard(labels, 6.0, rng), heard(labels, 4.5, rng)
    alone, both = calibrate({"easy": easy}), calibrate({"easy": easy, "hard": hard})
    assert both.limits.probability >= alone.limits.probability
    assert all(outcome.misread_of_accepted <= 0.001 for outcome in both.outcomes.values())
    assert 0 < both.outcomes["hard"].coverage < both.outcomes["easy"].coverage <= 1


def test_networks_that_disagree_are_not_counted_as_sure(rng: Generator) -> None:
    labels = rng.integers(0, 34, 500)
    first, second = (spoken(labels, 8.0, rng)[None] for _ in range(2))
    second[0, :100] = np.roll(second[0, :100], 1, axis=1)
    turned = np.concatenate((first, second))[:, :, HALF_TURN]
    joined = sample(np.concatenate((first, second)), turned, labels)
    assert not joined.agreed[:100].any()
    assert joined.agreed[100:].mean() > 0.9
    assert len(together([joined, joined]).truth) == 1000


def test_every_output_stands_for_a_kind_or_for_no_tile() -> None:
    kinds = kind_of_output()
    assert [int(kinds[label_of(tile, turned=turned)]) for tile in Tile for turned in (False, True)] == [
        int(t) for t in Tile for _ in range(2)
    ]
    assert all(kinds[FOREIGN[foreign]] == -1 for foreign in Foreign)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed, so that training would begin")
def test_without_pytorch_training_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path / "tiles.onnx")]) == 2
    assert "uv sync --group train" in capsys.readouterr().err


needs_resvg = pytest.mark.skipif(importlib.util.find_spec("resvg_py") is None, reason="only the training group draws SVG")
seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=examples(25))
@given(seeds, st.sampled_from((2, 3, 4, 5, 6, 7, 9)))
def test_canes_of_one_face_can_be_counted(seed: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    style = replace(random_style(rng), stick_form=ANY_CANE)
    style = replace(style, cane=replace(style.cane, wall=1.0, body=max(style.cane.body, 0.5)))
    face = bamboos(style, rank, rng)
    count, _ = cv2.connectedComponents(np.where((face < 250).any(axis=2), 255, 0).astype(np.uint8))
    assert count - 1 == rank


def published(colour: tuple[int, int, int]) -> Published:
    """A set whose faces are one bar each, longer from kind to kind."""

    def face(length: int) -> Face:
        drawn = blank()
        cv2.rectangle(drawn, (90, 40), (198, 60 + 7 * length), colour, -1)
        return drawn

    return Published("bars", {tile: face(int(tile)) for tile in ALL_TILES})


def test_a_published_set_reworked_has_all_its_faces_at_a_sheets_size_and_never_twice_the_same(rng: Generator) -> None:
    sheets = [reworked(published((0, 90, 0)), rng) for _ in range(3)]
    for sheet in sheets:
        assert set(sheet.faces) == set(ALL_TILES)
        assert {face.shape for face in (*sheet.faces.values(), *sheet.foreign)} == {(SHEET_H, SHEET_W, 3)}
        assert all(np.asarray((face < 200).any(axis=2)).any() for face in sheet.faces.values())
    assert len({sheet.faces[Tile.P5].tobytes() for sheet in sheets}) == 3


def test_a_set_borrows_some_faces_and_keeps_the_others(rng: Generator) -> None:
    own = Sheet("own", {tile: np.full((SHEET_H, SHEET_W, 3), 255, np.uint8) for tile in ALL_TILES}, ())
    faces = [lent(own, [published((0, 0, 90))], rng).faces for _ in range(4)]
    borrowed = [face is not own.faces[tile] for one in faces for tile, face in one.items()]
    assert any(borrowed)
    assert not all(borrowed)
    assert lent(own, [], rng).faces == own.faces


def test_art_that_lacks_a_face_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Man1\.svg"):
        svg_set(tmp_path)


@needs_resvg
def test_a_folder_of_svg_faces_is_a_set_in_its_inks_on_white(tmp_path: Path) -> None:
    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><rect x="10" y="10" width="10" height="20" fill="#008000"/></svg>'
    )
    names = [f"{suit}{rank}" for suit in ("Man", "Pin", "Sou") for rank in range(1, 10)]
    for name in (*names, "Ton", "Nan", "Shaa", "Pei", "Chun", "Hatsu", "Haku"):
        (tmp_path / f"{name}.svg").write_text(drawn)
    faces = svg_set(tmp_path).faces
    assert set(faces) == set(ALL_TILES)
    for face in faces.values():
        assert face.shape == (FACE_H, FACE_W, 3)
        assert face[0, 0].tolist() == [255, 255, 255]
        assert face[FACE_H // 2, FACE_W // 2].tolist() == [0, 128, 0]


@pytest.mark.parametrize("turned", [False, True])
def test_a_cut_of_a_whole_tile_keeps_its_middle_whatever_goes_wrong(turned: bool, rng: Generator) -> None:
    scene = np.zeros((SCENE_H, SCENE_W, 3), np.uint8)
    cv2.rectangle(scene, (MARGIN, MARGIN), (MARGIN + SHEET_W, MARGIN + SHEET_H), (255, 255, 255), -1)
    for _ in range(30):
        picture = cut(scene, rng, turned=turned)
        height, width = picture.shape[:2]
        assert picture[height // 3 : 2 * height // 3, width // 3 : 2 * width // 3].min() > 200
        assert (picture > 128).mean() > 0.6


PHOTO, OTHER, ASKEW = "one.jpg", "other.jpg", "askew.jpg"
BOX = (40, 30, 24, 32)
NOTES = Notes(
    sets={"club": frozenset({PHOTO, OTHER, ASKEW})},
    never_trained=frozenset(),
    held=frozenset({OTHER}),
    askew=frozenset({ASKEW}),
    corrections={},
    turned={PHOTO: frozenset({0})},
)


def write(folder: Path, photos: Mapping[str, list[tuple[str, tuple[int, int, int, int]]]]) -> None:
    """Photographs with a bright upper and a dark lower half in every box."""
    labels = []
    for name, tiles in photos.items():
        picture = np.full((120, 120, 3), 100, np.uint8)
        for _, (x, y, width, height) in tiles:
            picture[y : y + height // 2, x : x + width] = 250
            picture[y + height // 2 : y + height, x : x + width] = 10
        cv2.imwrite(str(folder / name), picture)
        labels.append({"file": name, "size": [120, 120], "tiles": [{"kind": kind, "box": list(box)} for kind, box in tiles]})
    (folder / "labels.json").write_text(json.dumps(labels))


def test_a_tile_noted_as_turned_becomes_upright_and_keeps_its_surroundings(tmp_path: Path, rng: Generator) -> None:
    write(tmp_path, {PHOTO: [("5p", BOX)]})
    (patch,) = read_photographs(tmp_path, NOTES).trained["club"][Tile.P5]
    assert patch.turned
    assert patch.box.shape == (32, 24, 3)
    assert patch.pixels.shape[0] > 32
    scenes = [patch.scene(rng) for _ in range(3)]
    assert {scene.shape for scene in scenes} == {(SCENE_H, SCENE_W, 3)}
    assert scenes[0][SCENE_H // 3, SCENE_W // 2].mean() < 60
    assert scenes[0][2 * SCENE_H // 3, SCENE_W // 2].mean() > 190


def test_pictures_held_back_are_not_trained_on(tmp_path: Path) -> None:
    write(tmp_path, {PHOTO: [("5p", BOX)], OTHER: [("6p", BOX), ("flower", (80, 30, 24, 32))]})
    photographs = read_photographs(tmp_path, NOTES)
    assert set(photographs.trained["club"]) == {Tile.P5}
    assert set(photographs.held["club"]) == {Tile.P6, None}


def test_wrong_labels_are_put_right_and_doubtful_ones_left_out() -> None:
    boxes = [LabelledBox(PHOTO, 0, "5p", BOX), LabelledBox(PHOTO, 1, "6p", BOX), LabelledBox(OTHER, 0, "6p", BOX)]
    notes = Notes({}, frozenset(), frozenset(), frozenset({OTHER}), {(PHOTO, BOX): "5m"}, {})
    assert [kind for _, kind in corrected(boxes[:1], notes)] == ["5m"]
    assert [box.photo for box, _ in corrected(boxes, notes)] == [PHOTO, PHOTO]
    doubtful = Notes({}, frozenset(), frozenset(), frozenset(), {(PHOTO, BOX): None}, {})
    assert list(corrected(boxes[:2], doubtful)) == []


def test_a_photograph_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, {PHOTO: [("5p", BOX)]})
    (tmp_path / PHOTO).write_bytes(b"broken")
    with pytest.raises(LabelsError, match=r"one\.jpg"):
        read_photographs(tmp_path, NOTES)
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(LabelsError, match=r"notes\.json"):
        read_notes(tmp_path / "notes.json")


def test_the_committed_notes_sort_every_picture_once_and_never_train_on_the_tray() -> None:
    notes = read_notes()
    pictures = [photo for photos in notes.sets.values() for photo in photos]
    assert len(pictures) == len(set(pictures))
    assert notes.never_trained == {"tray"}
    assert notes.held <= set(pictures)
    assert notes.held.isdisjoint(notes.askew)
    assert all(kind is None or kind in {tile.text for tile in ALL_TILES} for kind in notes.corrections.values())
