"""Camera faults, each told apart: absent, silent, broken, stale, frozen, of another size. None gives a frame."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.patience import PATIENCE_S
from tests.support.vision.cameras import ShownPictures
from vision.cameras.lock import CameraLock
from vision.cameras.opening import open_camera
from vision.cameras.pi_camera import PiCamera, open_pi_camera
from vision.cameras.port import CameraFault, CameraLostError, Region, decode_picture, is_cut_short
from vision.cameras.watched_camera import ReopenedCamera, WatchedCamera

Picture = NDArray[np.uint8]
NOISE = np.random.default_rng(1).integers(60, 190, (48, 64, 3), dtype=np.uint8)
JPEG = cv2.imencode(".jpg", NOISE)[1].tobytes()
PNG = cv2.imencode(".png", NOISE)[1].tobytes()


def picture(seed: int, width: int = 64, height: int = 48) -> Picture:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def fault_of(call: Callable[[], object]) -> CameraFault:
    with pytest.raises(CameraLostError) as lost:
        call()
    return lost.value.fault


@pytest.mark.parametrize("whole", [JPEG, PNG])
@given(st.floats(0.02, 0.99))
def test_a_picture_cut_short_anywhere_is_broken(whole: bytes, share: float) -> None:
    assert not is_cut_short(whole)
    assert fault_of(lambda: decode_picture(whole[: int(len(whole) * share)], "the camera")) is CameraFault.BROKEN


def test_a_jpeg_whose_preview_is_whole_is_still_cut_short() -> None:
    preview = b"\xff\xe1" + (len(JPEG) + 2).to_bytes(2, "big") + JPEG
    with_preview = JPEG[:2] + preview + JPEG[2:]
    assert not is_cut_short(with_preview)
    assert is_cut_short(with_preview[:-20])


def test_padding_after_a_pictures_end_does_no_harm() -> None:
    assert decode_picture(JPEG + bytes(40), "the camera").shape == NOISE.shape


def test_the_same_picture_twice_is_a_frozen_camera_until_another_comes() -> None:
    camera = WatchedCamera(ShownPictures(picture(1), picture(2), picture(2), picture(2), picture(3)), "the camera")
    assert camera.frame_after(0).image.shape == (48, 64, 3)
    camera.frame_after(10)
    assert fault_of(lambda: camera.frame_after(20)) is CameraFault.FROZEN
    assert fault_of(lambda: camera.frame_after(30)) is CameraFault.FROZEN
    assert np.array_equal(camera.frame_after(40).image, picture(3))


def test_two_parts_of_a_picture_that_look_alike_are_not_a_frozen_camera() -> None:
    camera = WatchedCamera(ShownPictures(picture(1)), "the camera")
    camera.frame_after(0, Region(0, 0, 64, 48))
    camera.frame_after(0, Region(64, 0, 64, 48))


@pytest.mark.parametrize("size", [None, (64, 48)])
def test_a_picture_of_another_size_is_refused_with_both_sizes(size: tuple[int, int] | None) -> None:
    camera = WatchedCamera(ShownPictures(picture(1), picture(2, 32, 24), picture(3)), "the camera", size=size)
    camera.frame_after(0)
    with pytest.raises(CameraLostError, match="32 × 24 px, not 64 × 48") as lost:
        camera.frame_after(0)
    assert lost.value.fault is CameraFault.SIZE
    camera.frame_after(0)


def test_a_device_that_is_still_unplugged_stays_lost_and_is_tried_again() -> None:
    plugged = [True, False, False, True]

    def open_device() -> ShownPictures:
        if not plugged.pop(0):
            raise CameraLostError("there is no camera", CameraFault.ABSENT)
        return ShownPictures(None if len(plugged) == 3 else picture(1))

    camera = ReopenedCamera(open_device, "the camera", 5.0)
    faults = [fault_of(lambda: camera.frame_after(0)) for _ in range(3)]
    assert faults == [CameraFault.SILENT, CameraFault.ABSENT, CameraFault.ABSENT]
    camera.frame_after(0)


def test_a_folder_stands_in_for_a_camera_again_and_again(tmp_path: Path) -> None:
    for number in range(2):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(number))
    camera = open_camera(f"files:{tmp_path}", 1.0, local_only=True)
    shown = [camera.frame_after(0).image for _ in range(3)]
    assert np.array_equal(shown[0], shown[2])
    assert not np.array_equal(shown[0], shown[1])


@pytest.mark.parametrize("folder", ["", "/nowhere/at/all"])
def test_a_folder_without_pictures_is_an_absent_camera(folder: str) -> None:
    assert fault_of(lambda: open_camera(f"files:{folder}", 1.0)) is CameraFault.ABSENT


@pytest.mark.parametrize("source", ["v4l2:987", "picamera2:0"])
def test_a_device_that_is_not_there_is_absent_and_says_what_to_do(source: str) -> None:
    with pytest.raises(CameraLostError, match=r"v4l2-ctl|python3-picamera2") as lost:
        open_camera(source, 1.0)
    assert lost.value.fault is CameraFault.ABSENT


@dataclass
class FakeRequest:
    """A completed frame: its pixels, and when the sensor says that it was exposed."""

    sensor_ns: int | None
    released: bool = False

    def make_array(self, name: str) -> Picture:
        assert name == "main"
        return NOISE

    def get_metadata(self) -> Mapping[str, object]:
        return {"SensorTimestamp": self.sensor_ns, "ExposureTime": 5000}

    def release(self) -> None:
        self.released = True


@dataclass
class FakeJob:
    """A capture that waits in Picamera2's list for a frame."""

    signal_function: Callable[[FakeJob], None]
    result: FakeRequest | None = None

    def get_result(self) -> FakeRequest:
        if self.result is None:
            raise RuntimeError("camera frontend has timed out")
        return self.result


@dataclass
class FakePicamera:
    """Picamera2 as far as it is used; ``requests`` come out one by one, a None stands for a pipeline that has failed.

    Without requests its sensor is stalled: a capture waits in the list of jobs, and to stop, which is a job after it, never returns.
    """

    number: int = 0
    requests: list[FakeRequest | None] = field(default_factory=list)
    did: list[str] = field(default_factory=list)
    configuration: Mapping[str, object] = field(default_factory=dict)
    given: list[FakeRequest] = field(default_factory=list)
    jobs: list[FakeJob] = field(default_factory=list)

    def create_video_configuration(self, *, main: Mapping[str, object], controls: Mapping[str, object]) -> object:
        return {"main": main, **controls}

    def configure(self, configuration: object) -> object:
        assert isinstance(configuration, dict)
        self.configuration = configuration
        return None

    def start(self) -> object:
        self.did.append("start")
        return None

    def capture_request(self, *, signal_function: Callable[[FakeJob], None]) -> FakeJob:
        self.jobs.append(FakeJob(signal_function))
        if self.requests:
            self.send(self.requests.pop(0))
        return self.jobs[-1] if self.jobs else FakeJob(signal_function)

    def send(self, request: FakeRequest | None) -> None:
        """A frame comes out of the sensor, for the first of the jobs that wait."""
        if request is not None:
            self.given.append(request)
        job = self.jobs.pop(0)
        job.result = request
        job.signal_function(job)

    def cancel_all_and_flush(self) -> object:
        self.jobs.clear()
        return None

    def stop(self) -> object:
        assert not self.jobs, "stop() waits for a capture without end"
        self.did.append("stop")
        return None

    def close(self) -> object:
        self.did.append("close")
        return None


def pi_camera(device: FakePicamera, lock: CameraLock | None = None) -> PiCamera:
    return PiCamera(device, lock or CameraLock(), 0.05, name="test", clock_offset_ns=lambda: 1_000)


def test_a_pi_cameras_frame_is_the_first_exposed_after_the_moment_and_every_frame_is_given_back() -> None:
    device = FakePicamera(requests=[FakeRequest(5_001_000), FakeRequest(20_001_000), FakeRequest(40_001_000)])
    frame = pi_camera(device).frame_after(10_000_000)
    assert (frame.exposure_start_ns, frame.exposure_end_ns) == (15_000_000, 20_000_000)
    assert np.array_equal(frame.image, NOISE)
    assert [request.released for request in device.given] == [True, True]


def test_a_pi_camera_fixes_what_it_is_told_and_turns_the_automatic_off() -> None:
    device = FakePicamera()
    camera = pi_camera(device, CameraLock(1456, 1088, 60.0, exposure=2500, gain=2.0, focus=8.0, colour_gains=(2.1, 1.6)))
    assert device.configuration["main"] == {"size": (1456, 1088), "format": "RGB888"}
    assert device.configuration["FrameDurationLimits"] == (16667, 16667)
    assert (device.configuration["AeEnable"], device.configuration["ExposureTime"], device.configuration["AnalogueGain"]) == (
        False,
        2500,
        2.0,
    )
    assert (device.configuration["AwbEnable"], device.configuration["ColourGains"]) == (False, (2.1, 1.6))
    assert (device.configuration["AfMode"], device.configuration["LensPosition"]) == (0, 8.0)
    camera.close()
    assert device.did == ["start", "stop", "close"]


def test_a_pi_camera_that_is_told_nothing_keeps_its_automatic() -> None:
    device = FakePicamera()
    pi_camera(device)
    assert not {"AeEnable", "AwbEnable", "AfMode"} & set(device.configuration)


@pytest.mark.parametrize(
    ("requests", "fault"),
    [
        ([None], CameraFault.SILENT),
        ([FakeRequest(None)], CameraFault.STALE),
        ([FakeRequest(1000 + number) for number in range(12)], CameraFault.STALE),
    ],
)
def test_a_pi_camera_without_a_frame_of_use_is_lost_with_its_fault(requests: list[FakeRequest | None], fault: CameraFault) -> None:
    camera = pi_camera(FakePicamera(requests=list(requests)))
    assert fault_of(lambda: camera.frame_after(10_000_000)) is fault


def test_a_pi_camera_whose_sensor_stalls_is_silent_in_time_and_stops() -> None:
    device = FakePicamera()
    camera = pi_camera(device)
    with pytest.raises(CameraLostError, match=r"no frame in 0\.05 s.*ribbon cable") as lost:
        camera.frame_after(0)
    assert lost.value.fault is CameraFault.SILENT
    camera.close()
    assert device.did == ["start", "stop", "close"]


@pytest.mark.parametrize("late", [FakeRequest(5_001_000), None])
def test_a_frame_of_an_abandoned_request_is_released_and_is_no_frame_of_the_next(late: FakeRequest | None) -> None:
    device = FakePicamera()
    camera = pi_camera(device)
    assert fault_of(lambda: camera.frame_after(0)) is CameraFault.SILENT
    device.requests.append(FakeRequest(40_001_000))
    device.send(late)
    assert late is None or late.released
    assert camera.frame_after(0).exposure_end_ns == 40_000_000


def test_a_pi_camera_that_cannot_be_stopped_is_still_closed() -> None:
    device = FakePicamera()
    camera = pi_camera(device)
    device.jobs.append(FakeJob(lambda _: None))
    device.cancel_all_and_flush = lambda: None  # type: ignore[method-assign]  # one that does not help
    with pytest.raises(AssertionError):
        camera.close()
    assert device.did == ["start", "close"]


def give_library(monkeypatch: pytest.MonkeyPatch, opens: Callable[[int], object]) -> None:
    """A stand-in for a library of Raspberry Pi OS."""
    module = ModuleType("picamera2")
    module.Picamera2 = opens  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)


def test_a_stalled_pi_camera_is_started_again_for_the_next_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    devices = [FakePicamera(), FakePicamera(requests=[FakeRequest(2**62)])]
    opened = iter(devices)
    give_library(monkeypatch, lambda _number: next(opened))
    camera = open_camera("picamera2:0", 0.05, CameraLock(64, 48, 240.0))
    with pytest.raises(CameraLostError, match="ribbon cable"):
        camera.frame_after(0)
    assert devices[0].did == ["start", "stop", "close"]
    assert np.array_equal(camera.frame_after(0).image, NOISE)
    camera.close()
    assert devices[1].did == ["start", "stop", "close"]


class Broken(ModuleType):
    """A library that is there, and whose import fails otherwise than by ImportError."""

    error: Exception

    def __getattr__(self, name: str) -> object:
        raise self.error


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (ModuleNotFoundError("No module named 'picamera2'"), f"apt install python3-picamera2, .*true into {sys.prefix}/pyvenv.cfg"),
        (ModuleNotFoundError("No module named 'libcamera'"), "apt install python3-picamera2"),
        (ValueError("numpy.dtype size changed, may indicate binary incompatibility"), "install --ignore-installed --no-deps simplejpeg"),
        (ImportError("numpy.core.multiarray failed to import"), "simplejpeg"),
        (ImportError("cannot import name '_libcamera' from partially initialized module 'libcamera'"), "apt full-upgrade"),
        (OSError("libcamera.so.0.5: cannot open shared object file"), "apt full-upgrade"),
    ],
)
def test_a_picamera2_that_cannot_be_loaded_is_absent_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, error: Exception, remedy: str
) -> None:
    module = Broken("picamera2")
    module.error = error
    monkeypatch.setitem(sys.modules, "picamera2", module)
    with pytest.raises(CameraLostError, match=f"picamera2:0 cannot be loaded .*{remedy}") as lost:
        open_camera("picamera2:0", 1.0)
    assert lost.value.fault is CameraFault.ABSENT


@dataclass
class Hanging:
    """Picamera2 whose ``hangs`` never returns before it is ``freed``: a ribbon cable that came loose."""

    hangs: str
    freed: threading.Event = field(default_factory=threading.Event)
    entered: threading.Event = field(default_factory=threading.Event)
    device: FakePicamera = field(default_factory=lambda: FakePicamera(requests=[FakeRequest(2**62 + number) for number in range(9)]))

    def __call__(self, number: int) -> Hanging:
        self._wait("open")
        return self

    def __getattr__(self, name: str) -> object:
        def call(*arguments: object, **named: object) -> object:
            self._wait(name)
            return getattr(self.device, name)(*arguments, **named)

        return call

    def _wait(self, name: str) -> None:
        if name == self.hangs:
            self.entered.set()
            assert self.freed.wait(PATIENCE_S)


def hanging_camera(monkeypatch: pytest.MonkeyPatch, hangs: str) -> tuple[Hanging, ReopenedCamera]:
    library = Hanging(hangs)
    give_library(monkeypatch, library)
    return library, ReopenedCamera(lambda: open_pi_camera(0, CameraLock(), PATIENCE_S), "the camera", 0.05, opening_s=0.0, at_once=False)


@pytest.mark.parametrize("hangs", ["open", "configure", "start", "capture_request"])
def test_a_device_that_never_returns_is_silent_and_gives_frames_again_when_it_does(monkeypatch: pytest.MonkeyPatch, hangs: str) -> None:
    library, camera = hanging_camera(monkeypatch, hangs)
    with pytest.raises(CameraLostError, match=r"did not answer in 0\.05 s"):
        camera.frame_after(0)
    assert library.entered.wait(PATIENCE_S)
    with pytest.raises(CameraLostError, match="still does not return"):
        camera.frame_after(0)
    camera.close()
    library.freed.set()
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        try:
            assert np.array_equal(camera.frame_after(0).image, NOISE)
            return
        except CameraLostError as lost:
            assert lost.fault is CameraFault.SILENT
    raise AssertionError("no frame comes")


def test_a_device_that_does_not_stop_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    library, camera = hanging_camera(monkeypatch, "stop")
    while True:
        try:
            camera.frame_after(0)
            break
        except CameraLostError:
            continue
    camera.close()
    assert library.entered.is_set()
    library.freed.set()


def test_whatever_a_driver_raises_is_a_silent_camera_that_is_opened_again() -> None:
    faults = [RuntimeError("bad firmware")]

    def opened() -> ShownPictures:
        if faults:
            raise faults.pop()
        return ShownPictures(picture(1))

    camera = ReopenedCamera(opened, "the camera", 5.0, at_once=False)
    with pytest.raises(CameraLostError, match=r"the camera failed \(RuntimeError: bad firmware\)"):
        camera.frame_after(0)
    camera.frame_after(0)


def test_a_pi_camera_that_is_not_connected_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(number: int) -> FakePicamera:
        raise IndexError("list index out of range")

    give_library(monkeypatch, absent)
    with pytest.raises(CameraLostError, match="rpicam-hello"):
        open_pi_camera(0, CameraLock(), PATIENCE_S)
