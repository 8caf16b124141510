"""Photographs to train on: the notes on them, what is left out, and tiles turned upright with what lies around them."""

import json
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.random import Generator

from tools.train.crops import LabelledBox, LabelsError
from tools.train.photographs import Notes, corrected, read_notes, read_photographs
from tools.train.scenes import SCENE_H, SCENE_W
from twinwall.game.tiles import ALL_TILES, Tile

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
