"""Views of tiles that lie still are used again, and never longer than their picture stays."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.vision.pictures import face
from twinwall.art.mat import Area, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from vision.model.classifier import Classifier
from vision.model.crop import fit_crop
from vision.model.crop_view import CropView
from vision.table.kept_views import KeptViews

SLOT = Slot(1, Area.RIVER, 4)
SECOND_NS = 1_000_000_000


class CountingClassifier(Classifier):
    """The shipped model, which says how many crops it has looked at."""

    looked = 0

    def look(self, crops: NDArray[np.uint8]) -> list[CropView]:
        self.looked += len(crops)
        return super().look(crops)


@pytest.fixture(scope="module")
def counting() -> CountingClassifier:
    return CountingClassifier()


def crop_of(tile: Tile, rng: Generator) -> NDArray[np.uint8]:
    drawn = fit_crop(np.ascontiguousarray(face(tile, 96)[:, :, :3]))
    return np.clip(drawn + rng.normal(0, 2.2, drawn.shape), 0, 255).astype(np.uint8)


def test_a_tile_that_lies_still_is_looked_at_twice_and_then_once_in_four_frames(counting: CountingClassifier, rng: Generator) -> None:
    kept, before = KeptViews(counting), counting.looked
    for number in range(10):
        (view,) = kept.look([SLOT], crop_of(Tile.P6, rng)[None], number * SECOND_NS)
        assert view.best(1)[0].tile is Tile.P6
    assert counting.looked - before == 4


@pytest.mark.parametrize("number", range(0, 34, 3))
def test_another_tile_in_its_place_is_looked_at(number: int, counting: CountingClassifier, rng: Generator) -> None:
    first, second = ALL_TILES[number], ALL_TILES[(number + 1) % 34]
    kept = KeptViews(counting)
    for moment in range(3):
        kept.look([SLOT], crop_of(first, rng)[None], moment)
    (view,) = kept.look([SLOT], crop_of(second, rng)[None], 3)
    assert view.best(1)[0].tile is second


def test_a_tile_that_was_gone_or_not_seen_for_long_is_looked_at_again(counting: CountingClassifier, rng: Generator) -> None:
    kept, crop = KeptViews(counting), crop_of(Tile.S4, rng)[None]
    for moment in range(3):
        kept.look([SLOT], crop, moment)
    before = counting.looked
    kept.look([SLOT], crop, 60 * SECOND_NS)
    assert counting.looked - before == 1
    kept.forget([SLOT])
    kept.look([SLOT], crop, 60 * SECOND_NS + 1)
    assert counting.looked - before == 2
