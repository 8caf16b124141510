"""Camera faults through adapter and controller: each named by its kind, nothing read, and cleared when the camera is back."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.adapters.cameras.gate_cameras import GATE, GateCameraWorker
from controller.adapters.cameras.table_camera import TableCameraWorker
from controller.state.messages import GateLook, GateSeen, Message, SlotsSeen
from controller.state.table_state import TABLE_CAMERA
from controller.state.watches import Awaited, Awaits, Watch
from tests.support.controller.rigs import MakeRig, Rig
from tests.support.patience import PATIENCE_S
from tests.support.tiers import some
from tests.support.vision.pictures import MatPicture, face, gate_with
from twinwall.game.tiles import Seat, Tile
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region, decode_picture
from vision.cameras.watched_camera import ReopenedCamera, WatchedCamera
from vision.gate.gate_reader import GateReader
from vision.mat import Area, Mat, Slot
from vision.model.classifier import Classifier
from vision.reading import Read, ReadRefusal
from vision.table.table_reader import TableReader

pytestmark = pytest.mark.slow

Picture = NDArray[np.uint8]
SLOT = Slot(1, Area.RIVER, 4)
WATCH = Watch(Awaited(Awaits.DISCARD, Seat.SOUTH, 4), (SLOT,))


@dataclass
class Device:
    """A camera that shows ``scene`` with a sensor's noise, or has the fault that it is given."""

    scene: Picture
    fault: CameraFault | None = None
    freed: threading.Event = field(default_factory=threading.Event)
    """Until it is set no call returns, while the device hangs."""
    hangs: bool = False
    frames: int = 0
    shown: Picture | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))

    def open(self) -> Device:
        if self.fault is CameraFault.ABSENT:
            raise CameraLostError("there is no camera", CameraFault.ABSENT)
        return self

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        self.frames += 1
        if self.hangs:
            self.freed.wait(PATIENCE_S)
        if self.fault is CameraFault.FROZEN and self.shown is not None:
            return CameraFrame(self.shown, moment_ns + 1, moment_ns + 2)
        self.shown = self._picture()
        return CameraFrame(self.shown, moment_ns + 1, moment_ns + 2)

    def close(self) -> None:
        pass

    def _picture(self) -> Picture:
        match self.fault:
            case CameraFault.SILENT | CameraFault.STALE | CameraFault.ABSENT:
                raise CameraLostError("no picture comes", self.fault)
            case CameraFault.BROKEN:
                encoded = cv2.imencode(".jpg", self.scene)[1].tobytes()
                return decode_picture(encoded[: len(encoded) // 2], "the camera")
            case CameraFault.SIZE:
                return self._noisy(cv2.resize(self.scene, (320, 240)))
            case CameraFault.DARK:
                return self._noisy(np.zeros_like(self.scene))
            case CameraFault.GLARE:
                return self._noisy(np.full_like(self.scene, 252))
            case CameraFault.NO_MAT:
                return self._noisy(np.full_like(self.scene, 90))
            case _:
                return self._noisy(self.scene)

    def _noisy(self, picture: cv2.typing.MatLike) -> Picture:
        noisy = np.array(picture, np.uint8)
        some = noisy[::4, ::4]
        noisy[::4, ::4] = np.clip(some.astype(np.int16) + self.rng.integers(0, 3, some.shape), 0, 255)
        return noisy


@dataclass
class Frail:
    """A gate's reader that comes to grief while its device is said to make it."""

    reader: GateReader
    device: Device

    def read(self, frame: CameraFrame) -> Read | ReadRefusal:
        if self.device.fault is CameraFault.FAILED:
            raise RuntimeError("a defect")
        return self.reader.read(frame)


@dataclass
class Watched:
    """A rig whose controller hears of a camera by its real adapter."""

    rig: Rig
    device: Device
    told: list[Message]
    worker: GateCameraWorker | TableCameraWorker

    def wait(self, holds: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while not holds():
            self.rig.settle()
            assert time.monotonic() < deadline_s, f"{self.device.fault}: {self.told[-5:]}, {self.lines()[-3:]}"
            time.sleep(0.002)

    def lines(self) -> list[dict[str, object]]:
        """What everybody may see."""
        return [json.loads(line) for line in self.rig.ledgers[1].lines]

    def last(self, what: str) -> list[dict[str, object]]:
        """The public lines about a camera since it was last found."""
        of_it = [line for line in self.lines() if line.get("what") == what]
        found = [number for number, line in enumerate(of_it) if line["type"] == "link-restored"]
        return of_it[found[-1] :] if found else of_it


def watched_camera(device: Device, limit_s: float = 60.0) -> WatchedCamera:
    return WatchedCamera(ReopenedCamera(device.open, "the camera", limit_s, opening_s=0.0, at_once=False), "the camera")


@contextmanager
def with_eyes(
    rig: Rig, device: Device, make: Callable[[Callable[[Message], None]], GateCameraWorker | TableCameraWorker]
) -> Iterator[Watched]:
    told: list[Message] = []

    def post(message: Message) -> None:
        told.append(message)
        rig.post(message)

    worker = make(post)
    worker.start()
    try:
        yield Watched(rig, device, told, worker)
    finally:
        worker.stop()


def over_the_mat(rig: Rig, device: Device, classifier: Classifier, *, watch: Watch | None = WATCH) -> AbstractContextManager[Watched]:
    """With the camera over a table's mat."""

    def make(post: Callable[[Message], None]) -> TableCameraWorker:
        reader = TableReader(Mat(), classifier, thickness_mm=0.0)
        worker = TableCameraWorker(watched_camera(device, 0.5 if device.hangs else 60.0), reader, 0.0, post)
        if watch is not None:
            worker.watch(watch, 0)
        return worker

    return with_eyes(rig, device, make)


EVERYWHERE = [fault for fault in CameraFault if fault not in (CameraFault.NO_MAT, CameraFault.FAILED)]


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier()


@pytest.mark.parametrize("fault", [*EVERYWHERE, CameraFault.FAILED])
def test_a_gates_camera_that_fails_is_told_by_kind_and_reads_nothing(make_rig: MakeRig, classifier: Classifier, fault: CameraFault) -> None:
    device = Device(gate_with(face(Tile.P5, 240), np.random.default_rng(3)))
    reader = Frail(GateReader(classifier), device)
    with with_eyes(make_rig(), device, lambda post: GateCameraWorker(watched_camera(device), {1: reader.read}, post)) as table:
        _ask_until(table, lambda: any(isinstance(message, GateSeen) and message.read.tile is Tile.P5 for message in table.told))
        device.fault = fault
        before = len(table.told)
        _ask_until(table, lambda: table.rig.state.troubles.get(GATE) == fault)
        assert GATE in table.rig.state.lost
        assert not [message for message in table.told[before:] if isinstance(message, GateSeen) and message.read.tile is not None]
        table.wait(lambda: len(table.last(GATE)) >= 2)  # lines are made public in a later step than the state changes
        assert [(line["type"], line.get("why")) for line in table.last(GATE)][-2:] == [("link-lost", None), ("camera-trouble", fault)]
        device.fault = None
        _ask_until(table, lambda: GATE not in table.rig.state.lost)
        assert GATE not in table.rig.state.troubles
        _ask_until(table, lambda: isinstance(table.told[-1], GateSeen) and table.told[-1].read.tile is Tile.P5)


@pytest.mark.parametrize("fault", some([CameraFault.NO_MAT, *EVERYWHERE], 2))
def test_a_tables_camera_that_fails_is_told_by_kind_and_sees_no_tile(make_rig: MakeRig, classifier: Classifier, fault: CameraFault) -> None:
    mat = MatPicture(Mat())
    device = Device(mat.picture)

    with over_the_mat(make_rig(), device, classifier) as table:
        table.wait(lambda: device.frames > 3)
        device.fault = fault
        table.wait(lambda: table.rig.state.troubles.get(TABLE_CAMERA) == fault)
        assert TABLE_CAMERA in table.rig.state.lost
        mat.lay(Tile.P7, SLOT)
        device.scene = mat.picture
        frames = device.frames
        table.wait(lambda: device.frames > frames + 1 or fault is CameraFault.ABSENT)
        assert not [message for message in table.told if isinstance(message, SlotsSeen)]
        device.fault = None
        table.wait(lambda: TABLE_CAMERA not in table.rig.state.lost)
        table.wait(lambda: SlotsSeen(WATCH, {SLOT: Tile.P7}) in table.told)
        assert not table.rig.state.troubles


def test_a_camera_whose_capture_never_returns_is_told_as_silent_and_the_table_can_stop(make_rig: MakeRig, classifier: Classifier) -> None:
    device = Device(MatPicture(Mat()).picture, hangs=True)
    with over_the_mat(make_rig(), device, classifier, watch=None) as table:
        table.wait(lambda: table.rig.state.troubles.get(TABLE_CAMERA) == CameraFault.SILENT)
        device.freed.set()
        table.wait(lambda: TABLE_CAMERA not in table.rig.state.lost)
        device.freed.clear()
        assert isinstance(table.worker, TableCameraWorker)
        table.worker.watch(WATCH, 0)
        table.wait(lambda: table.rig.state.troubles.get(TABLE_CAMERA) == CameraFault.SILENT)
    device.freed.set()


def test_a_camera_absent_at_start_is_told_before_it_is_wanted_and_found_when_plugged_in(make_rig: MakeRig, classifier: Classifier) -> None:
    device = Device(MatPicture(Mat()).picture, CameraFault.ABSENT)
    with over_the_mat(make_rig(), device, classifier, watch=None) as table:
        table.wait(lambda: table.rig.state.troubles.get(TABLE_CAMERA) == CameraFault.ABSENT)
        device.fault = None
        table.wait(lambda: TABLE_CAMERA not in table.rig.state.lost)


def test_a_fault_that_gives_way_to_another_one_is_told_anew_when_that_one_stays(make_rig: MakeRig, classifier: Classifier) -> None:
    device = Device(MatPicture(Mat()).picture, CameraFault.BROKEN)
    with over_the_mat(make_rig(), device, classifier) as table:
        table.wait(lambda: table.rig.state.troubles.get(TABLE_CAMERA) == CameraFault.BROKEN)
        device.fault = CameraFault.SILENT
        table.wait(lambda: table.rig.state.troubles.get(TABLE_CAMERA) == CameraFault.SILENT)
        table.wait(lambda: len(table.last(TABLE_CAMERA)) >= 3)
        assert [line["type"] for line in table.last(TABLE_CAMERA)] == ["link-lost", "camera-trouble", "camera-trouble"]


def _ask_until(table: Watched, holds: Callable[[], bool]) -> None:
    """Tile after tile comes to the gate until something holds."""
    answered = -1

    def asked() -> bool:
        nonlocal answered
        count = sum(isinstance(message, GateSeen) for message in table.told)
        if count != answered and isinstance(table.worker, GateCameraWorker):
            answered = count
            table.worker.read(GateLook(count, 1), 0)
        return holds()

    table.wait(asked)
