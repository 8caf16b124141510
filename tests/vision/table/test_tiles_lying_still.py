"""Tiles that lie still: views are used again while their picture stays, and hidden, gone or moved ones are told no later for it."""

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.tiers import one_in
from tests.support.vision.pictures import FELT, MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture, face, noisy
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from vision.cameras.port import CameraFrame
from vision.model.classifier import Classifier
from vision.model.crop import CROP_H, fit_crop
from vision.model.crop_view import CropView
from vision.table.kept_views import KeptView, KeptViews
from vision.table.slots import Presence
from vision.table.table_reader import SlotReading, TableGeometry, TableReader
from vision.table.tile_pose import TilePose

MAT = Mat()
SLOT, BESIDE = Slot(0, Area.RIVER, 8), Slot(0, Area.RIVER, 9)
SKIN = (120, 150, 205)
FRAME_NS = 100_000_000


class Watched:
    """A table with one tile, read frame after frame."""

    def __init__(self, classifier: Classifier, noise: float = 2.0) -> None:
        self._noise = noise
        self._reader = TableReader(MAT, classifier, TableGeometry(tile_thickness_mm=0.0))
        self._number = 0

    def read(self, picture: NDArray[np.uint8]) -> SlotReading:
        """What the next frame shows, with a sensor's noise."""
        self._number += 1
        frame = CameraFrame(noisy(picture, self._noise, self._number), 0, self._number * FRAME_NS)
        return self._reader.read(frame, [SLOT, BESIDE])[0]


@cache
def with_tile(tile: Tile = Tile.M4, x_mm: float = 0.0) -> NDArray[np.uint8]:
    """The mat with a tile so far beside its slot."""
    picture = MatPicture(MAT)
    picture.lay(tile, SLOT, (x_mm, 0.0), 2.0)
    return picture.picture


def with_sleeve(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A sleeve over the side of the tile that is nearer to its player."""
    spot, covered = MAT.spot(SLOT), picture.copy()
    x, y = (round(mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2) for mm in (spot.x_mm, spot.y_mm))
    covered[y + 14 :, x - 60 : x + 60] = SKIN
    return covered


def test_a_tile_exchanged_below_a_sleeve_is_told_in_the_first_frame(classifier: Classifier) -> None:
    watched = Watched(classifier)
    watched.read(with_tile())
    watched.read(with_sleeve(with_tile()))
    assert watched.read(with_tile(Tile.M5)).tile is Tile.M5


@pytest.mark.parametrize("frames", one_in(3, [1, 4, 2, 3]))
def test_a_sleeve_over_it_hides_it_in_the_first_frame(frames: int, classifier: Classifier) -> None:
    watched = Watched(classifier)
    for _ in range(frames):
        watched.read(with_tile())
    assert watched.read(with_sleeve(with_tile())).presence is Presence.HIDDEN


@pytest.mark.parametrize("frames", one_in(3, [1, 4, 2, 3]))
def test_another_tile_no_tile_and_a_tile_pushed_aside_are_told_in_the_first_frame(frames: int, classifier: Classifier) -> None:
    watched = Watched(classifier)
    for picture, tile in ((with_tile(), Tile.M4), (with_tile(Tile.M5), Tile.M5), (with_tile(Tile.M5, 5.0), Tile.M5)):
        for _ in range(frames):
            reading = watched.read(picture)
            assert (reading.tile, reading.reason) == (tile, None)
    assert watched.read(MatPicture(MAT).picture).presence is Presence.EMPTY


@pytest.mark.parametrize("tile", [Tile.S8, Tile.WHITE])
def test_a_tile_that_was_taken_up_in_little_light_is_gone_in_the_first_frame(tile: Tile, classifier: Classifier) -> None:
    """Bare cloth differed by fewer grey levels from the tile than noise does in good light."""
    bare, watched = MatPicture(MAT).picture, Watched(classifier, noise=1.0)
    laid = with_tile(tile)
    for _ in range(3):
        assert watched.read(dim(laid)).occupied
    assert not watched.read(dim(bare)).occupied


def dim(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same on grey cloth in little light."""
    grey = picture.copy()
    grey[cv2.inRange(picture, np.array(FELT) - 19, np.array(FELT) + 19) > 0] = 75
    return np.asarray(cv2.convertScaleAbs(grey, alpha=0.115), np.uint8)


KEPT_SLOT = Slot(1, Area.RIVER, 4)
SECOND_NS = 1_000_000_000
POSE = TilePose(0.5, -0.5, 2.0, clearness=1.0, face_up=True, plane=np.eye(3))


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
    again = kept.used_again(dict.fromkeys(kept.usable([KEPT_SLOT], exposed_ns), crop), exposed_ns)
    return (again or kept.look({KEPT_SLOT: POSE}, crop[None], exposed_ns))[KEPT_SLOT]


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
    kept.forget([KEPT_SLOT])
    seen(kept, crop, 60 * SECOND_NS + 1)
    assert counting.looked - before == 2
