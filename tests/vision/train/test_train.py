"""Training up to the network: sheets of faces, frames, pools and the fit of temperature and limits."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator

from tools.train.__main__ import main
from tools.train.calibrate import CalibrationSample, calibrate, kind_of_output, sample, together
from tools.train.faces.lettering import Fonts, find_fonts
from tools.train.faces.sheets import Sheet, art_sheet, drawn_sheet
from tools.train.frames import Material, random_frame
from tools.train.pool import render_pool
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
