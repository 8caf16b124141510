"""Photographs of a real set that the model has never seen."""

from pathlib import Path

import pytest

from tools.train.crops import cut_boxes, read_labels
from twinwall.game.tiles import parse_tile
from vision.enrol.evaluate import Evaluation, LabelledCrop, look_both_ways, summarise
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier


@pytest.fixture(scope="module")
def tray(photographs: Path) -> list[LabelledCrop]:
    boxes = read_labels(photographs, "tray-")
    return [LabelledCrop(box.photo, parse_tile(box.kind), image) for box, image in cut_boxes(photographs, boxes)]


@pytest.fixture(scope="module")
def outcome(tray: list[LabelledCrop], classifier: Classifier) -> Evaluation:
    return summarise(look_both_ways(classifier, tray))


@pytest.mark.nightly
def test_tiles_of_an_unknown_set_are_right_both_ways_up(outcome: Evaluation) -> None:
    assert outcome.n >= 280
    assert outcome.upright_top1 is not None
    assert outcome.turned_top1 is not None
    assert min(outcome.upright_top1, outcome.turned_top1) >= 0.98


def test_what_is_not_known_is_refused_rather_than_guessed(outcome: Evaluation) -> None:
    assert outcome.misread_of_accepted is not None
    assert outcome.coverage is not None
    assert outcome.misread_of_accepted <= 0.005
    assert outcome.coverage >= 0.88


def test_the_gates_own_reader_gives_what_evaluate_measures(tray: list[LabelledCrop], classifier: Classifier) -> None:
    reader = GateReader(classifier)
    sample = tray[::12]
    looks = [look for look in look_both_ways(classifier, sample) if not look.turned]
    for crop, look in zip(sample, looks, strict=True):
        answer = reader.read_crop(crop.image)
        assert getattr(answer, "tile", None) is look.accepted
