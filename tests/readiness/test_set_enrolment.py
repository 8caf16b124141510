"""Enrolment by showing tile after tile to the gate's camera."""

from datetime import date
from itertools import count
from typing import NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from tableside.readiness.set_enrolment import MOST_LOOKS, SetEnrolment, ShownTiles, WantedSet
from tests.readiness.shown import ShownTilesCamera
from tests.support.vision.pictures import empty_gate, face, gate_with
from twinwall.game.tiles import Tile
from twinwall.wire.shapes.readiness import EnrolmentStage
from vision.cameras.port import CameraFrame
from vision.enrol.enrol import SetName
from vision.model.classifier import Classifier
from vision.model.profile import parse_profile

KINDS = (Tile.M1, Tile.P5, Tile.RED)
SHOWN = [tile for _ in range(4) for tile in KINDS]
CALLED = SetName("blue", 1, date(2026, 11, 21))


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier()


def test_every_tile_is_pictured_once_and_the_profile_is_kept(classifier: Classifier) -> None:
    kept: list[bytes] = []
    enrolment = SetEnrolment(WantedSet("first", CALLED, KINDS), ShownTilesCamera(SHOWN), classifier, kept.append)
    enrolment.run()
    now = enrolment.now()
    assert (now.stage, now.taken, now.wanted, now.trouble) == (EnrolmentStage.ENROLLED, 12, 12, "")
    assert {tile: len(kind.examples) for tile, kind in parse_profile(kept[0], "p").kinds.items()} == dict.fromkeys(KINDS, 4)


def test_a_person_ends_the_showing_and_a_kind_without_an_example_is_named(classifier: Classifier) -> None:
    kept: list[bytes] = []
    camera = ShownTilesCamera([Tile.M1, Tile.P5])
    enrolment = SetEnrolment(WantedSet("first", CALLED, KINDS), camera, classifier, kept.append)
    enrolment.all_shown()
    enrolment.run()
    assert enrolment.now().stage is EnrolmentStage.LACKING
    assert enrolment.now().missing == ["1m", "5p", "C"]
    assert kept == []


@pytest.mark.parametrize("where", ["camera", "file"])
def test_what_goes_wrong_ends_it_with_the_reason(classifier: Classifier, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    def broken(_profile: bytes = b"") -> NoReturn:
        raise RuntimeError(where)

    camera = ShownTilesCamera([Tile.M1] * 4)
    if where == "camera":
        monkeypatch.setattr(camera, "expose", broken)
    enrolment = SetEnrolment(WantedSet("first", CALLED, (Tile.M1,)), camera, classifier, broken)
    enrolment.run()
    assert (enrolment.now().stage, enrolment.now().trouble) == (EnrolmentStage.FAILED, where)


def test_one_that_is_stopped_writes_nothing(classifier: Classifier) -> None:
    kept: list[bytes] = []
    enrolment = SetEnrolment(WantedSet("first", CALLED, KINDS), ShownTilesCamera(SHOWN), classifier, kept.append)
    enrolment.stop()
    enrolment.run()
    assert enrolment.now().stage is EnrolmentStage.STOPPED
    assert kept == []


def test_a_tile_that_is_laid_while_nobody_looked_is_asked_for_again() -> None:
    rng, shown = np.random.default_rng(1), ShownTiles()
    times = count()

    def looks(picture: NDArray[np.uint8], number: int) -> list[bool]:
        return [shown.take(CameraFrame(picture, at, at + 1)) is not None for at in (next(times) for _ in range(number))]

    first, second = (gate_with(face(tile, 320), rng) for tile in (Tile.M1, Tile.P5))
    assert looks(first, 5).count(True) == 1
    assert shown.trouble == ""
    assert not any(looks(second, MOST_LOOKS + 5))
    assert "show it again" in shown.trouble
    looks(empty_gate(rng), 1)
    assert shown.trouble == ""
    assert looks(second, 5).count(True) == 1
