"""What the readiness of a table is over HTTP: the checks of the cameras, a trial, and who may ask."""

import cv2
import numpy as np
import pytest

from dashboard.i18n.words import Words
from tableside.readiness.checked_table import mat_look
from tests.readiness.rig import ReadinessRig
from tests.support.vision.pictures import GATE_H, GATE_W, MatPicture, Picture
from tests.support.wire.brokers import eventually
from twinwall.art.names import LANGUAGES
from twinwall.game.tiles import Tile
from vision.calibration.mat_check import MatCheck, MatFault, MatFinding
from vision.calibration.mat_pieces import look_at_pieces
from vision.mat import Area, Mat, Slot


def ceiling(height: int, width: int) -> Picture:
    """What a phone sees that lies on its back: a pale ceiling with a lamp."""
    picture = np.full((height, width, 3), 170, np.uint8)
    cv2.circle(picture, (width // 3, height // 2), height // 6, (255, 255, 255), -1)
    return cv2.GaussianBlur(picture, (0, 0), 5).astype(np.uint8)


def test_what_the_cameras_see_is_said_without_any_kind_and_of_a_ceiling_nothing_is_read(rig: ReadinessRig) -> None:
    now = rig.now()
    assert [now["gate"], now["mat"], now["gate_reads"]] == [{"outcome": "empty", "detail": ""}, {"outcome": "mat", "detail": ""}, False]
    rig.gate.picture = ceiling(GATE_H, GATE_W)
    now = rig.now()
    assert now["gate"] != {"outcome": "read", "detail": ""}
    assert now["gate_reads"] is False
    rig.gate.picture = None
    rig.gate.show([Tile.P5])
    now = rig.now()
    assert (now["gate"], now["gate_reads"]) == ({"outcome": "read", "detail": ""}, True)


def test_a_camera_that_is_away_dark_too_far_or_sees_no_marker_is_said(rig: ReadinessRig) -> None:
    whole = rig.mat.picture
    for picture, outcome in (
        (np.zeros_like(whole), "dark"),
        (MatPicture(Mat(), covered_markers=(2,)).picture, "no-markers"),
        (np.ascontiguousarray(whole[::2, ::2]), "too-far"),
        (ceiling(*whole.shape[:2]), "no-markers"),
    ):
        rig.mat.picture = picture
        seen = rig.now()["mat"]
        assert isinstance(seen, dict)
        assert seen["outcome"] == outcome
        assert seen["detail"]
    rig.mat.lost = rig.gate.lost = True
    assert rig.now()["mat"] == {"outcome": "away", "detail": "no phone is connected as the camera above table 1"}


def test_another_table_another_set_and_a_foreign_page_are_refused(rig: ReadinessRig) -> None:
    assert "there are 1" in rig.client.get("/2").get_json()["error"]
    assert rig.client.post("/1/enrolment", json={"set": "third"}).status_code == 400
    assert rig.client.get("/1", headers={"Host": "attacker.example"}).status_code == 403


def test_a_trial_is_made_with_the_tables_own_cameras(rig: ReadinessRig) -> None:
    rig.gate.show([Tile.P5])
    assert rig.client.post("/1/trial", json={}).status_code == 200

    def trial() -> dict[str, object]:
        found = rig.now()["trial"]
        assert isinstance(found, dict)
        return found

    eventually(lambda: trial()["step"] == "lay", "the tile is read at the gate")
    rig.gate.show([])  # whoever lays the tile has taken it from the gate; left there, it would be the next place's
    mat = MatPicture(Mat())
    mat.lay(Tile.P5, Slot(0, Area.RIVER, 0))
    rig.mat.picture = mat.picture
    eventually(lambda: (trial()["place"], trial()["step"]) == (1, "show"), "the tile is seen on the mat")
    rig.client.post("/1/stop", json={})
    eventually(lambda: trial()["running"] is False, "it is stopped")


def test_a_mat_is_looked_at_with_its_figures_its_faults_and_a_picture(rig: ReadinessRig) -> None:
    rig.mat.picture = MatPicture(Mat(), covered_markers=(2,)).picture
    look = rig.client.post("/1/mat", json={}).get_json()
    assert (look["number"], look["markers"], look["markers_expected"]) == (1, 3, 4)
    assert [fault["fault"] for fault in look["faults"]] == ["light", "covered"]
    assert "marker 2 is not seen" in look["faults"][1]["advice"]
    assert rig.client.get("/1/mat/1.jpg").data.startswith(b"\xff\xd8")
    assert rig.client.post("/1/mat", json={}).get_json()["number"] == 2
    assert rig.client.get("/1/mat/1.jpg").status_code == 400


def test_no_picture_of_the_mat_is_taken_while_the_table_plays_or_no_frame_comes(rig: ReadinessRig) -> None:
    rig.in_use = True
    answer = rig.client.post("/1/mat", json={})
    assert answer.status_code == 409
    assert "this table plays" in answer.get_json()["error"]
    assert rig.client.get("/1/mat/0.jpg").status_code == 400
    rig.in_use, rig.mat.lost = False, True
    assert "no phone is connected" in rig.client.post("/1/mat", json={}).get_json()["error"]


@pytest.mark.parametrize("fault", MatFault)
def test_each_fault_of_a_mat_has_its_advice_and_its_text_in_each_language(fault: MatFault) -> None:
    nothing = look_at_pieces(np.zeros((100, 100), np.uint8), Mat(), 1600.0)
    (told,) = mat_look(1, MatCheck(nothing, findings=(MatFinding(fault, (12,), 1, "markers", "names table 12"),))).faults
    assert (told.numbers, told.advice) == ((12,), "names table 12")
    assert all(Words(language)(f"ready.mat.fault.{told.key}", numbers=12) for language in LANGUAGES)


def recording(rig: ReadinessRig, field: str) -> object:
    found = rig.now()["recording"]
    assert isinstance(found, dict)
    return found[field]


def test_a_hand_that_cannot_be_recorded_is_refused_with_the_reason(rig: ReadinessRig) -> None:
    def refused(**wanted: object) -> tuple[int, str]:
        answer = rig.client.post("/1/recording", json={"rules": "sichuan", **wanted})
        return answer.status_code, str(answer.get_json()["error"])

    status, sentence = refused(rules="riichi")
    assert (status, "the rule set 'riichi' is not known" in sentence) == (400, True)
    assert refused(set="third") == (400, "there is no set 'third': it is first or second")
    assert refused(hand=17)[0] == 400
    rig.in_use = True
    assert "wait until its hands are over" in refused()[1]
    rig.in_use, rig.mat.lost = False, True
    assert "no phone is connected as the camera above table 1" in refused()[1]
    rig.mat.lost, rig.mat.picture = False, np.zeros_like(rig.mat.picture)
    status, sentence = refused()
    assert (status, "does not see the mat" in sentence) == (409, True)
    assert rig.now()["recorded"] == []
