"""What the readiness of a table is over HTTP: the cameras' sights, an enrolment with a doubtful tile, and who may ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import date

import numpy as np
import pytest
from flask.testing import FlaskClient

from tests.readiness.shown import ShownTilesCamera
from tests.support.vision.pictures import MatPicture
from tests.support.wire.brokers import eventually
from twinwall.art.flowers import Flower
from twinwall.game.tiles import Tile
from twinwall.readiness.checked_table import CheckedParts, CheckedTable, EnrolledSet
from twinwall.readiness.readiness_server import readiness_app
from twinwall.readiness.set_enrolment import SetEnrolment, WantedSet
from twinwall.readiness.trial_run import TrialEyes
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region
from vision.enrol.enrol import SetName
from vision.gate.gate_reader import GateReader
from vision.mat import Area, Mat, Slot
from vision.model.classifier import Classifier
from vision.table.table_reader import TableReader

KINDS = (Tile.M1, Tile.P5, Tile.RED)


class MatCamera:
    """Shows one picture of a mat, or nothing."""

    def __init__(self) -> None:
        self.picture = MatPicture(Mat()).picture
        self.lost = False

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        assert region is None
        if self.lost:
            raise CameraLostError("no phone is connected as the camera above table 1", CameraFault.SILENT)
        return CameraFrame(self.picture, moment_ns + 1, moment_ns + 2)

    def close(self) -> None:
        """Nothing."""


class Rig:
    """Table 1 with drawn cameras."""

    def __init__(self) -> None:
        classifier = Classifier()
        self.gate, self.mat = ShownTilesCamera([]), MatCamera()
        self.kept: list[bytes] = []
        self.in_use = False
        eyes = TrialEyes(self.gate, self.mat, GateReader(classifier), TableReader(Mat(), classifier), 1)

        def enrolment(which: str) -> SetEnrolment:
            called = {"first": SetName("blue", 1, date(2026, 11, 21))}[which]
            return SetEnrolment(WantedSet(which, called, KINDS), self.gate, classifier, self.kept.append)

        def sets() -> dict[str, EnrolledSet]:
            return {"first": EnrolledSet("blue", "2026-11-21" if self.kept else "")}

        parts = CheckedParts(self.gate, self.mat, lambda: eyes, sets, enrolment, self._reserve, None)
        self.table = CheckedTable(parts)
        self.client: FlaskClient = readiness_app({"1": self.table}).test_client()

    def _reserve(self) -> AbstractContextManager[object]:
        if self.in_use:
            raise OSError("another program has the port")
        return nullcontext()

    def now(self) -> dict[str, object]:
        found: dict[str, object] = self.client.get("/1").get_json()
        return found

    def enrolment(self, field: str) -> object:
        under_way = self.now()["enrolment"]
        assert isinstance(under_way, dict)
        return under_way[field]


@pytest.fixture
def rig() -> Iterator[Rig]:
    made = Rig()
    yield made
    made.table.close()


def test_what_the_cameras_see_is_said_without_any_kind(rig: Rig) -> None:
    now = rig.now()
    assert now["gate"] == {"sight": "empty", "detail": ""}
    assert now["mat"] == {"sight": "mat", "detail": ""}
    assert now["gate_reads"] is False
    rig.gate.show([Tile.P5])
    now = rig.now()
    assert now["gate"] == {"sight": "read", "detail": ""}
    assert now["gate_reads"] is True


def test_a_camera_that_is_away_dark_too_far_or_sees_no_marker_is_said(rig: Rig) -> None:
    whole = rig.mat.picture
    for picture, sight in (
        (np.zeros_like(whole), "dark"),
        (MatPicture(Mat(), covered_markers=(2,)).picture, "no-markers"),
        (np.ascontiguousarray(whole[::2, ::2]), "too-far"),
    ):
        rig.mat.picture = picture
        seen = rig.now()["mat"]
        assert isinstance(seen, dict)
        assert seen["sight"] == sight
        assert seen["detail"]
    rig.mat.lost = rig.gate.lost = True
    assert rig.now()["mat"] == {"sight": "away", "detail": "no phone is connected as the camera above table 1"}


def test_a_person_names_a_doubtful_tile_and_the_set_is_enrolled(rig: Rig) -> None:
    rig.gate.show([*(tile for _ in range(3) for tile in KINDS), Flower.PLUM])
    assert rig.client.post("/1/enrolment", json={"set": "first"}).status_code == 200
    assert rig.client.post("/1/trial", json={}).status_code == 409
    eventually(lambda: rig.enrolment("taken") == 10, "ten tiles are pictured")
    rig.client.post("/1/all-shown", json={})
    eventually(lambda: rig.enrolment("stage") == "asking", "a person is asked about the flower")
    assert rig.client.get("/1/question/0.png").data.startswith(b"\x89PNG")
    assert rig.client.get("/1/question/1.png").status_code == 400
    assert rig.client.post("/1/answer", json={"number": 0, "tile": "9x"}).status_code == 400
    rig.client.post("/1/answer", json={"number": 0})
    eventually(lambda: rig.enrolment("stage") == "enrolled", "the profile is made")
    assert len(rig.kept) == 1
    assert rig.now()["sets"] == {"first": {"name": "blue", "enrolled": "2026-11-21", "trouble": ""}}


def test_nothing_begins_while_the_table_plays(rig: Rig) -> None:
    rig.in_use = True
    for path, document in (("/1/enrolment", {"set": "first"}), ("/1/trial", {})):
        answer = rig.client.post(path, json=document)
        assert answer.status_code == 409
        assert "wait until its hands are over" in answer.get_json()["error"]


def test_another_table_another_set_and_a_foreign_page_are_refused(rig: Rig) -> None:
    assert "there are 1" in rig.client.get("/2").get_json()["error"]
    assert rig.client.post("/1/enrolment", json={"set": "third"}).status_code == 400
    assert rig.client.get("/1", headers={"Host": "attacker.example"}).status_code == 403


def test_a_trial_is_made_with_the_tables_own_cameras(rig: Rig) -> None:
    rig.gate.show([Tile.P5])
    assert rig.client.post("/1/trial", json={}).status_code == 200

    def trial() -> dict[str, object]:
        found = rig.now()["trial"]
        assert isinstance(found, dict)
        return found

    eventually(lambda: trial()["step"] == "lay", "the tile is read at the gate")
    mat = MatPicture(Mat())
    mat.lay(Tile.P5, Slot(0, Area.RIVER, 0))
    rig.mat.picture = mat.picture
    eventually(lambda: (trial()["place"], trial()["step"]) == (1, "show"), "the tile is seen on the mat")
    rig.client.post("/1/stop", json={})
    eventually(lambda: trial()["running"] is False, "it is stopped")
