"""The shipped model, loaded once; numbers come from fixed seeds."""

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.finder.found import FoundTable
from vision.finder.tile_finder import TileFinder
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """As at a table: OpenCV's own threads only get into the way of small pictures."""
    cv2.setNumThreads(1)


@pytest.fixture(scope="session")
def classifier() -> Classifier:
    return Classifier()


@pytest.fixture(scope="session")
def reader(classifier: Classifier) -> GateReader:
    return GateReader(classifier)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)


@pytest.fixture(scope="session")
def photographs() -> Path:
    """The folder of labelled photographs, which is no part of the project: TWINWALL_DATA names the folder that holds photos/."""
    root = os.environ.get("TWINWALL_DATA")
    if not root:
        pytest.skip("TWINWALL_DATA is not set: the labelled photographs are not part of the project")
    folder = Path(root) / "photos"
    if not (folder / "labels.json").is_file():
        pytest.skip(f"{folder} holds no labels.json")
    return folder


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the pictures that the finder looks at."""
    sizes, at = list[int](), TileFinder.at

    def counted(finder: TileFinder, picture: NDArray[np.uint8], *of_look: float) -> FoundTable:
        sizes.append(picture.size)
        return at(finder, picture, *of_look)

    monkeypatch.setattr(TileFinder, "at", counted)
    return sizes
