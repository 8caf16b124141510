"""Cloth between tiles, which a finder and a classifier take for a white dragon."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.support.recorder.filmed_hands import KnowingClassifier, KnowingFinder, filmed
from twinwall.game.tiles import ALL_TILES, Tile
from vision.anytable.beginning import found_table
from vision.anytable.sources import TimedFrame
from vision.anytable.watcher import TableWatcher
from vision.mat_observation import MatObservation, ObservedTile
from vision.model.judge import GeneralJudge

LAID = tuple(
    ObservedTile(-70.0 + 28 * column, 108.0 + 38 * row, 0.0, shares={ALL_TILES[Tile.WHITE - 12 + 6 * row + column]: 0.995}, sure=True)
    for row in range(2)
    for column in range(6)
)
CREAM = (20 + 6 * Tile.WHITE, 190, 210)
"""A cloth that the classifier surely reads as a white dragon; tiles are less green."""
PICTURES = 10


def film(finder: KnowingFinder, shown: Sequence[ObservedTile], found: Sequence[ObservedTile], light: float = 1.0) -> list[TimedFrame]:
    """Pictures of tiles on cream cloth, in which the finder finds others; where it alone finds one the table may be darker."""
    times = [250 * number for number in range(PICTURES)]
    frames = list(filmed([MatObservation(at_ms, tuple(shown)) for at_ms in times], finder))
    finder.looks.clear()
    whole = filmed([MatObservation(at_ms, tuple(found)) for at_ms in times], finder)
    for frame, other in zip(frames, whole, strict=True):
        cloth = (frame.image == frame.image[-1, -1]).all(axis=2)
        hidden = cloth & (other.image != frame.image).any(axis=2)
        frame.image[cloth] = np.multiply(CREAM, light).astype(np.uint8)
        frame.image[hidden] = CREAM
    return frames


def whites(frames: Sequence[TimedFrame], finder: KnowingFinder) -> int:
    """In how many of the pictures a white dragon lies, for a recording that goes on."""
    classifier = KnowingClassifier()
    watcher = TableWatcher(found_table(frames, finder), classifier, GeneralJudge(classifier.limits), begun=True)
    seen = [each for frame in frames if (each := watcher.observe(frame.image, finder.look(frame.image), frame.at_ms)) is not None]
    return sum(any(tile.shares.get(Tile.WHITE, 0.0) > 0.5 for tile in each.tiles) for each in seen)


@pytest.mark.parametrize("light", [1.0, 1.15])
def test_cloth_in_a_row_of_tiles_is_no_white_dragon(light: float) -> None:
    finder = KnowingFinder()
    assert whites(film(finder, LAID[:3] + LAID[4:], LAID, light), finder) == 0


def test_a_white_dragon_on_cloth_of_nearly_its_colour_lies_there_from_the_second_picture_on() -> None:
    finder, white = KnowingFinder(), replace(LAID[3], shares={Tile.WHITE: 0.995})
    laid = (*LAID[:3], white, *LAID[4:])
    assert whites(film(finder, laid, laid), finder) == PICTURES - 1
