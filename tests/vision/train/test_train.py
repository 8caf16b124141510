"""Training up to the network: faces drawn and published, photographs and their notes, sheets, frames, pools, temperature and limits."""

import json
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.random import Generator

from tools.train.calibrate import CalibrationSample, calibrate, kind_of_output, sample, together
from tools.train.crops import LabelledBox
from tools.train.faces.marks import Face, blank
from tools.train.faces.published import Published
from tools.train.faces.sheets import Sheet, art_sheet
from tools.train.frames import smeared
from tools.train.photographs import Notes, corrected, read_notes, read_photographs
from tools.train.scenes import SCENE_H, SCENE_W
from tools.varied_designs import TRAINING_DESIGNS
from twinwall.art.designs import CLASSIC, SIMULATOR_DESIGN
from twinwall.game.tiles import ALL_TILES, Tile
from vision.model.crop_view import FOREIGN, HALF_TURN, LABELS, TURNED, Foreign


@pytest.fixture(scope="module")
def sheets() -> list[Sheet]:
    return [art_sheet(CLASSIC)]


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


@pytest.mark.parametrize("angle_deg", [0, 30, 90])
def test_a_moving_camera_draws_a_point_out_into_a_line_of_the_same_light(angle_deg: float) -> None:
    image = np.zeros((61, 61, 3), np.float32)
    image[30, 30] = 200
    seen = smeared(image, 20, angle_deg)[..., 0]
    y, x = np.nonzero(seen > 1)
    along, across = ((x - 30) * part[0] + (y - 30) * part[1] for part in turned_axes(angle_deg))
    assert seen.sum() == pytest.approx(200, rel=1e-3)
    assert (np.ptp(along), np.abs(across).max()) == (pytest.approx(20, abs=1.5), pytest.approx(0, abs=1.0))


def turned_axes(angle_deg: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The line's direction, and the one across it; angles grow counter-clockwise, as in OpenCV."""
    cos, sin = np.cos(np.deg2rad(angle_deg)), np.sin(np.deg2rad(angle_deg))
    return (cos, -sin), (sin, cos)


def test_every_output_stands_for_a_kind_or_for_no_tile() -> None:
    kinds = kind_of_output()
    assert [int(kinds[TURNED[tile] if turned else tile]) for tile in Tile for turned in (False, True)] == [
        int(t) for t in Tile for _ in range(2)
    ]
    assert all(kinds[FOREIGN[foreign]] == -1 for foreign in Foreign)


def published(colour: tuple[int, int, int]) -> Published:
    """A set whose faces are one bar each, longer from kind to kind."""

    def face(length: int) -> Face:
        drawn = blank()
        cv2.rectangle(drawn, (90, 40), (198, 60 + 7 * length), colour, -1)
        return drawn

    return Published("bars", {tile: face(int(tile)) for tile in ALL_TILES})


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


def test_the_committed_notes_sort_every_picture_once_and_never_train_on_the_tray() -> None:
    notes = read_notes()
    pictures = [photo for photos in notes.sets.values() for photo in photos]
    assert len(pictures) == len(set(pictures))
    assert notes.never_trained == {"tray"}
    assert notes.held <= set(pictures)
    assert notes.held.isdisjoint(notes.askew)
    assert all(kind is None or kind in {tile.text for tile in ALL_TILES} for kind in notes.corrections.values())
