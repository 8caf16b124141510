"""Table 1 with drawn cameras, as its readiness is asked."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from functools import partial
from pathlib import Path

from flask.testing import FlaskClient

from controller.recorder.observation_file import ObservedHand
from tableside.readiness.checked_table import CheckedParts, CheckedTable
from tableside.readiness.hand_recording import MOST_BYTES, HandRecording
from tableside.readiness.readiness_server import readiness_app
from tableside.readiness.recorded_hands import RecordedHands
from tableside.readiness.set_enrolment import SetEnrolment
from tableside.readiness.trial_run import OpenKeys, TrialCameras
from tests.readiness.shown import ShownTilesCamera
from tests.support.vision.cameras import ShownPictures
from tests.support.vision.pictures import MatPicture, Picture
from twinwall.game.tiles import SEATS, Tile
from twinwall.wire.shapes.readiness import EnrolledSet, WantedRecording
from vision.calibration.mat_check import MatCheck, check_mat, drawn_jpeg
from vision.enrol.enrol import SetName
from vision.gate.gate_reader import GateReader
from vision.mat import Mat
from vision.model.classifier import Classifier
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

KINDS = (Tile.M1, Tile.P5, Tile.RED)


class MatCamera(ShownPictures):
    """Shows one picture of a mat, or nothing."""

    silence = "no phone is connected as the camera above table 1"
    lost = False

    def __init__(self) -> None:
        super().__init__()
        self.picture = MatPicture(Mat()).picture
        self.render: Callable[[], Picture] = lambda: self.picture

    def expose(self) -> Picture | None:
        return None if self.lost else self.render()


class ReadinessRig:
    """Table 1 with drawn cameras."""

    def __init__(self, folder: Path, keys: OpenKeys | None = None) -> None:
        """``folder`` takes the recorded hands."""
        classifier, self.recorded = Classifier(), RecordedHands(folder)
        self.gate, self.mat = ShownTilesCamera([]), MatCamera()
        self.kept: list[bytes] = []
        self.in_use, self.most_bytes = False, MOST_BYTES
        cameras = TrialCameras(self.gate, self.mat, GateReader(classifier), TableReader(Mat(), classifier), 1)

        def enrolment(which: str) -> SetEnrolment:
            called = {"first": SetName("blue", 1, date(2026, 11, 21))}[which]
            return SetEnrolment((which, called, KINDS), self.gate, classifier, self.kept.append)

        def sets() -> dict[str, EnrolledSet]:
            return {"first": EnrolledSet("blue", "2026-11-21" if self.kept else "")}

        def check(image: Picture) -> tuple[MatCheck, bytes]:
            found = check_mat(image, Mat(), 1600.0)
            return found, drawn_jpeg(image, Mat(), found)

        def recording(wanted: WantedRecording) -> HandRecording:
            {"first": 1}[wanted.set]
            hand = ObservedHand(
                "try", 1, wanted.hand, 1, "1", wanted.rules, {}, dict(zip(SEATS, "1234", strict=True)), bytes(32), gates=False
            )
            sweeper = MatSweeper(Mat(), classifier, TableReader(Mat(), classifier).follower)
            new_file = partial(self.recorded.new, f"2026-11-22-{len(self.recorded.listed()):06}")
            return HandRecording(hand, self.mat, sweeper, 1, new_file, most_bytes=self.most_bytes, frame_s=0.01)

        kept = CheckedParts(self.gate, self.mat, lambda: cameras, check, sets, enrolment, recording, self.recorded, self._reserve, keys)
        self.table = CheckedTable(kept)
        self.app = readiness_app({"1": self.table})
        self.client: FlaskClient = self.app.test_client()

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
