"""Bare crops: forms that are no whole tile, and blank light surfaces."""

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.vision.pictures import face
from twinwall.art.designs import CLASSIC
from twinwall.game.tiles import Tile
from vision.model.bare_crop import misshapen, unless_blank
from vision.model.crop import CROP_H, CROP_W
from vision.reading import Read, ReadRefusal, Reason

WHITE = Read(Tile.WHITE, 0.999, False)


def floor(rng: Generator, *, level: float = 215, slope: float = 20) -> NDArray[np.uint8]:
    """An even light surface under slanting light, with the noise of a camera."""
    ramp = np.linspace(-slope, slope, CROP_H)[:, None, None] + rng.normal(0, 1.5, (CROP_H, CROP_W, 3)) + level
    return np.clip(ramp, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("width", "height"), [(64, 48), (60, 50), (24, 64)])
def test_a_form_that_is_no_whole_standing_tiles_is_refused(width: int, height: int) -> None:
    refusal = misshapen(np.zeros((height, width, 3), np.uint8))
    assert refusal is not None
    assert refusal.reason is Reason.SHAPE


@pytest.mark.parametrize(("width", "height"), [(48, 64), (64, 64), (34, 80)])
def test_a_tile_in_a_photograph_that_was_stretched_may_still_be_whole(width: int, height: int) -> None:
    assert misshapen(np.zeros((height, width, 3), np.uint8)) is None


def test_a_light_floor_is_no_white_dragon_whatever_the_model_says(rng: Generator) -> None:
    answer = unless_blank(floor(rng), WHITE)
    assert isinstance(answer, ReadRefusal)
    assert answer.reason is Reason.EMPTY


def test_a_white_dragon_with_a_frame_stays_one(rng: Generator) -> None:
    framed = floor(rng)
    framed[6:-6, 6:10] = framed[6:-6, -10:-6] = 90
    assert unless_blank(framed, WHITE) == WHITE


def test_other_reads_and_refusals_pass_unchanged(rng: Generator) -> None:
    six = Read(Tile.P6, 0.99, False)
    assert unless_blank(np.ascontiguousarray(face(Tile.P6, 64, CLASSIC)[:, :, :3]), six) == six
    refusal = ReadRefusal(Reason.UNSURE, "either")
    assert unless_blank(floor(rng), refusal) is refusal
