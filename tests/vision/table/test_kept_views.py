"""Views of tiles that lie still are used again, and never longer than their picture stays."""

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.vision.pictures import face
from twinwall.art.mat import Area, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from vision.model.classifier import Classifier
from vision.model.crop import CROP_H, fit_crop
from vision.model.crop_view import CropView
from vision.table.kept_views import KeptView, KeptViews
from vision.table.registration import Pose

SLOT = Slot(1, Area.RIVER, 4)
SECOND_NS = 1_000_000_000
POSE = Pose(0.5, -0.5, 2.0, sideways=False, clearness=1.0)


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


def unsure_of(rng: Generator) -> NDArray[np.uint8]:
    """A crop that shows one tile above and another below, which the model alone refuses."""
    return np.vstack((crop_of(Tile.P6, rng)[: CROP_H // 2], crop_of(Tile.M4, rng)[CROP_H // 2 :]))


def seen(kept: KeptViews, crop: NDArray[np.uint8], exposed_ns: int) -> KeptView:
    """The view of a tile in a frame, as a reader asks for it."""
    again = kept.used_again(dict.fromkeys(kept.usable([SLOT], exposed_ns), crop), exposed_ns)
    return (again or kept.look({SLOT: POSE}, crop[None], exposed_ns))[SLOT]


def test_a_tile_that_lies_still_is_looked_at_once_in_four_frames(counting: CountingClassifier, rng: Generator) -> None:
    kept, before = KeptViews(counting), counting.looked
    for number in range(10):
        tile = seen(kept, crop_of(Tile.P6, rng), number * SECOND_NS)
        assert tile.view.best(1)[0].tile is Tile.P6
        assert (tile.pose, tile.is_washed) == (POSE, False)
    assert counting.looked - before == 3


def test_one_of_which_the_model_is_unsure_is_looked_at_twice_before(counting: CountingClassifier, rng: Generator) -> None:
    kept, before = KeptViews(counting), counting.looked
    for number in range(10):
        seen(kept, unsure_of(rng), number * SECOND_NS)
    assert counting.looked - before == 4


@pytest.mark.parametrize("number", range(0, 34, 3))
def test_another_tile_in_its_place_is_looked_at(number: int, counting: CountingClassifier, rng: Generator) -> None:
    first, second = ALL_TILES[number], ALL_TILES[(number + 1) % 34]
    kept = KeptViews(counting)
    for moment in range(3):
        seen(kept, crop_of(first, rng), moment)
    assert seen(kept, crop_of(second, rng), 3).view.best(1)[0].tile is second


def test_a_tile_that_was_gone_or_not_seen_for_long_is_looked_at_again(counting: CountingClassifier, rng: Generator) -> None:
    kept, crop = KeptViews(counting), crop_of(Tile.S4, rng)
    for moment in range(3):
        seen(kept, crop, moment)
    before = counting.looked
    seen(kept, crop, 60 * SECOND_NS)
    assert counting.looked - before == 1
    kept.forget([SLOT])
    seen(kept, crop, 60 * SECOND_NS + 1)
    assert counting.looked - before == 2
