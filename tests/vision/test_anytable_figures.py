"""The benchmark of tables without a mat, with a finder that knows what is true."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from benchmarks.anytable.matching import TrueTile, as_found, matched
from benchmarks.anytable.stills import StillReader, StillTally, drawn_stills
from vision.finder.found import Finder, FoundTable, TileForm
from vision.model.classifier import Classifier


def test_a_finder_that_knows_the_tiles_finds_every_face_and_no_phantom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TWINWALL_DATA", raising=False)
    ((_, where, image, truth),) = drawn_stills(1, 10_000_004)

    found = FoundTable(tuple(map(as_found, truth)), np.zeros((90, 160), np.float32))
    finder, tally = cast("Finder", SimpleNamespace(look=lambda _: found)), StillTally()
    StillReader(lambda: finder, Classifier()).read(image, truth, tally, where, whole=True)

    faces = [one for one in truth if one.form is TileForm.FACE and not one.doubtful]
    assert (tally.counts["faces"], tally.counts["found"], tally.counts["phantoms"], tally.wrong) == (len(faces), len(faces), 0, [])
    assert len(faces) > 20
    assert tally.counts["accepted"] > 0.6 * tally.counts["to_read"]


def test_in_a_picture_without_a_tile_each_found_face_is_a_phantom() -> None:
    face = as_found(TrueTile(np.array([(100, 100), (126, 100), (126, 136), (100, 136)], np.float64), TileForm.FACE))
    finder = cast("Finder", SimpleNamespace(look=lambda _: FoundTable((face,), np.zeros((90, 160), np.float32))))
    tally = StillTally()
    StillReader(lambda: finder, Classifier()).read(np.zeros((720, 1280, 3), np.uint8), [], tally, "bare", whole=True)
    assert (tally.counts["faces"], tally.counts["phantoms"]) == (0, 1)


def test_a_tile_where_none_is_counts_as_a_phantom_and_a_far_outline_as_missed() -> None:
    square = np.array([(100, 100), (126, 100), (126, 136), (100, 136)], np.float64)
    true = TrueTile(square, TileForm.FACE, "1m")
    elsewhere, much_too_large = replace(as_found(true), x_px=300.0), replace(as_found(true), width_px=60.0, height_px=80.0)

    outcome = matched([elsewhere, much_too_large], [true])

    assert (outcome.found, outcome.missed, outcome.phantoms) == ([], [true], [elsewhere])
