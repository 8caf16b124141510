"""Camera adapters over a real HTTP server, a capture device written by hand, and files."""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.answering import Answering, answering
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from vision.cameras.file_camera import FileCamera
from vision.cameras.http_camera import HttpCamera
from vision.cameras.lock import CameraLock
from vision.cameras.opening import open_camera
from vision.cameras.port import CameraFault, CameraLostError, Region
from vision.cameras.usb_camera import UsbCamera

PICTURE = np.arange(48 * 64 * 3, dtype=np.uint8).reshape(48, 64, 3)
PNG = cv2.imencode(".png", PICTURE)[1].tobytes()

TOO_LARGE = b"BM" + struct.pack("<I8xIii28x", 54, 40, 5_000, 4_000)
"""The header of a picture of 20 million pixels."""


@dataclass
class Answer:
    """What the server says next."""

    body: bytes = PNG
    status: int = 200
    start_ns: str | None = "1000"
    end_ns: str | None = "2000"
    delay_s: float = 0.0
    region: str | None = None
    cut: bool = False
    """The connection ends half-way through the picture."""


@dataclass
class Served:
    """A camera server's script and what it saw of its clients."""

    answers: list[Answer] = field(default_factory=lambda: [Answer()])
    requests: int = 0
    targets: list[str] = field(default_factory=list)
    connections: set[int] = field(default_factory=set)
    drop_next: bool = False
    released: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(served: Served) -> Iterator[str]:
    class Handler(Answering):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            served.requests += 1
            served.targets.append(self.path)
            served.connections.add(self.client_address[1])
            answer = served.answers[min(served.requests, len(served.answers)) - 1]
            if answer.delay_s:
                served.released.wait(answer.delay_s)
            times = {"X-Exposure-Start-Ns": answer.start_ns, "X-Exposure-End-Ns": answer.end_ns}
            if answer.cut:
                self.wfile.write(
                    b"HTTP/1.1 200 OK\r\nX-Exposure-Start-Ns: 1\r\nX-Exposure-End-Ns: 2\r\nContent-Length: 9999\r\n\r\n"
                    + PNG[: len(PNG) // 2]
                )
                self.close_connection = True
                return
            self.answer(answer.status, answer.body, {**times, "X-Region": answer.region})
            if served.drop_next:
                served.drop_next = False
                self.close_connection = True

    with answering(Handler) as url:
        try:
            yield f"{url}/gate.png"
        finally:
            served.released.set()


@contextmanager
def http_camera(served: Served, timeout_s: float = PATIENCE_S) -> Iterator[HttpCamera]:
    with serving(served) as url:
        camera = HttpCamera(url, timeout_s=timeout_s)
        try:
            yield camera
        finally:
            camera.close()


def test_a_frame_carries_its_picture_and_times() -> None:
    with http_camera(Served()) as camera:
        frame = camera.frame_after(999)
        assert np.array_equal(frame.image, PICTURE)
        assert (frame.exposure_start_ns, frame.exposure_end_ns) == (1000, 2000)


def test_a_part_of_the_picture_is_asked_for_and_named_by_a_camera_that_cuts_it_out() -> None:
    served = Served([Answer(region="16, 32, 64, 48"), Answer()])
    with http_camera(served) as camera:
        assert camera.frame_after(0, Region(16, 32, 64, 48)).region == Region(16, 32, 64, 48)
        assert camera.frame_after(0, Region(16, 32, 64, 48)).region is None  # a camera without windows sends all that it sees
        assert camera.frame_after(0).region is None
    assert served.targets == ["/gate.png?region=16,32,64,48"] * 2 + ["/gate.png"]


def test_one_connection_serves_many_frames() -> None:
    served = Served()
    with http_camera(served) as camera:
        for _ in range(5):
            camera.frame_after(0)
    assert (served.requests, len(served.connections)) == (5, 1)


def test_a_stale_frame_is_dropped_and_asked_for_again() -> None:
    served = Served([Answer(start_ns="1000"), Answer(start_ns="1500", end_ns="1600"), Answer(start_ns="3000", end_ns="3100")])
    with http_camera(served) as camera:
        assert camera.frame_after(1500).exposure_start_ns == 3000


def test_a_camera_that_only_has_stale_frames_is_lost() -> None:
    with http_camera(Served()) as camera, pytest.raises(CameraLostError, match="stale"):
        camera.frame_after(1000)


def test_a_connection_that_the_camera_closed_is_opened_again() -> None:
    served = Served(drop_next=True)
    with http_camera(served) as camera:
        camera.frame_after(0)
        camera.frame_after(0)
    assert len(served.connections) == 2


def test_a_connection_that_was_cut_half_way_through_a_picture_is_opened_again() -> None:
    served = Served([Answer(cut=True), Answer()])
    with http_camera(served) as camera:
        with pytest.raises(CameraLostError, match="cut short"):
            camera.frame_after(0)
        assert np.array_equal(camera.frame_after(0).image, PICTURE)
    assert len(served.connections) == 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(status=503), "503"),
        (Answer(body=b"hello"), "no picture"),
        (Answer(body=b""), "no picture"),
        (Answer(body=PNG[: len(PNG) // 3]), "cut short"),
        (Answer(start_ns=None), "X-Exposure-Start-Ns"),
        (Answer(end_ns="soon"), "X-Exposure-End-Ns"),
        (Answer(start_ns="5", end_ns="4"), "ended before it began"),
        (Answer(region="16,32,64"), "left,top,width,height"),
        (Answer(region="0,0,10,10"), "sends another size"),
    ],
)
def test_an_answer_that_is_no_dated_picture_loses_the_camera_with_the_reason(answer: Answer, words: str) -> None:
    with http_camera(Served([answer])) as camera, pytest.raises(CameraLostError, match=words):
        camera.frame_after(0)


def test_a_silent_camera_is_lost_after_its_time_out() -> None:
    """The server says nothing until the test is over: only the time-out can end the wait."""
    with http_camera(Served([Answer(delay_s=600.0)]), timeout_s=0.15) as camera, pytest.raises(CameraLostError, match="did not answer"):
        camera.frame_after(0)


def test_a_camera_that_is_not_there_is_lost_and_found_again_later() -> None:
    with serving(Served()) as url:
        pass
    camera = HttpCamera(url, timeout_s=0.5)
    with pytest.raises(CameraLostError, match="cannot be reached"):
        camera.frame_after(0)
    camera.close()


@pytest.mark.parametrize("host", ["192.168.1.7", "camera.local", "example.org", "[2001:db8::1]", "127.0.0.1.example.org"])
def test_a_gate_camera_off_this_machine_is_refused_with_a_sentence(host: str) -> None:
    with pytest.raises(ValueError, match="concealed"):
        HttpCamera(f"http://{host}:8102/gate.jpg")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "[::1]"])
def test_loopback_hosts_may_be_gate_cameras(host: str) -> None:
    HttpCamera(f"http://{host}:8102/gate.jpg").close()


def test_a_table_camera_may_stand_elsewhere() -> None:
    open_camera("http://192.168.1.7:8102/table.jpg", 1.0).close()


@pytest.mark.parametrize(
    "source",
    ["https://127.0.0.1/x", "gate", "v4l2:front", "picamera2:/dev/video0", "http://", "http://127.0.0.1:port/x", "http://[::1", ""],
)
def test_what_is_no_camera_address_is_said_to_be_none(source: str) -> None:
    with pytest.raises(ValueError, match="camera"):
        open_camera(source, 1.0, local_only=True)


def test_a_device_that_is_no_camera_is_lost_with_a_sentence() -> None:
    with pytest.raises(CameraLostError, match="/dev/null cannot be opened"):
        open_camera("v4l2:/dev/null", 1.0)


def test_a_camera_that_sends_its_picture_drop_by_drop_is_lost_in_time() -> None:
    """Each byte comes within the time-out of one, and the picture never. Where a byte came too late, another one is asked for."""
    listener, stop = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def drip() -> None:
        while not stop.is_set():
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not stop.wait(0.01):
                    connection.sendall(b"x")

    def is_lost_in_time() -> bool:
        with pytest.raises(CameraLostError, match="did not answer in") as lost:
            camera.frame_after(0)
        assert lost.value.fault is CameraFault.SILENT
        return "in 0.2 s" not in str(lost.value)

    thread = threading.Thread(target=drip)
    thread.start()
    address = listener.getsockname()
    camera = open_camera(f"http://127.0.0.1:{address[1]}/gate.jpg", 0.2)
    try:
        eventually(is_lost_in_time, "each byte came in time")
        camera.close()
    finally:
        stop.set()
        socket.create_connection(address).close()
        thread.join()
        listener.close()


def test_files_are_shown_in_order_and_then_no_more(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.png" for number in range(2)]
    for number, path in enumerate(files):
        cv2.imwrite(str(path), np.full((8, 8, 3), 50 * number, np.uint8))
    camera = FileCamera(files, now_ns=lambda: 100)
    first, second = camera.frame_after(0), camera.frame_after(500)
    assert (first.image.max(), second.image.max()) == (0, 50)
    assert second.exposure_start_ns > 500
    with pytest.raises(CameraLostError, match="last picture"):
        camera.frame_after(0)


class QueueingCapture:
    """A capture device as V4L2 is one: grabs of queued frames return at once, others wait for the next exposure."""

    def __init__(self, queued: int, period_ns: int = 33_000_000) -> None:
        self.now_ns = 0
        self.opened, self.works = True, True
        self.controls: list[int] = []
        self.values: dict[int, float] = {}
        self.granted: dict[int, float] = {}
        self._queued = [-(number + 1) * period_ns for number in reversed(range(queued))]
        self._period_ns = period_ns
        self._grabbed_ns = 0

    def isOpened(self) -> bool:
        return self.opened

    def get(self, propId: int) -> float:  # noqa: N803
        return self.granted.get(propId, self.values.get(propId, 0.0))

    def set(self, propId: int, value: float) -> bool:  # noqa: N803
        self.controls.append(propId)
        self.values[propId] = value
        return True

    def grab(self) -> bool:
        if self._queued:
            self._grabbed_ns = self._queued.pop(0)
            self.now_ns += 50_000
        else:
            self._grabbed_ns = (self.now_ns // self._period_ns) * self._period_ns
            self.now_ns = self._grabbed_ns + self._period_ns
        return self.works

    def retrieve(self) -> tuple[bool, cv2.typing.MatLike]:
        return self.works, np.full((4, 4, 3), self._grabbed_ns // self._period_ns + 100, np.uint8)

    def release(self) -> None:
        self.opened = False

    def exposure_began_ns(self) -> int:
        return self._grabbed_ns

    def clock(self) -> Callable[[], int]:
        return lambda: self.now_ns


@pytest.mark.parametrize("queued", [0, 1, 4])
def test_frames_queued_before_the_question_are_thrown_away(queued: int) -> None:
    capture = QueueingCapture(queued)
    capture.now_ns = 5_000_000
    camera = UsbCamera(capture, CameraLock(), name="test", now_ns=capture.clock())
    frame = camera.frame_after(4_000_000)
    assert 4_000_000 < frame.exposure_start_ns <= capture.exposure_began_ns() < frame.exposure_end_ns


def test_a_camera_whose_frames_never_wait_cannot_be_dated() -> None:
    capture = QueueingCapture(queued=1000)
    camera = UsbCamera(capture, CameraLock(), name="test", now_ns=capture.clock())
    capture.now_ns = 10
    with pytest.raises(CameraLostError, match="cannot be dated"):
        camera.frame_after(5)


def test_an_unplugged_device_is_lost() -> None:
    capture = QueueingCapture(0)
    camera = UsbCamera(capture, CameraLock(), name="test", now_ns=capture.clock())
    capture.now_ns, capture.works = 10, False
    with pytest.raises(CameraLostError, match="unplugged"):
        camera.frame_after(5)


BY_ID = "/dev/v4l/by-id/usb-Maker_Camera_0001-video-index0"
MJPG, YUYV = (float(cv2.VideoWriter.fourcc(*name)) for name in ("MJPG", "YUYV"))


@pytest.mark.parametrize(
    ("granted", "said"),
    [
        ({}, ""),
        ({cv2.CAP_PROP_FOURCC: YUYV, cv2.CAP_PROP_FPS: 5.0}, "grants YUYV, 1920 × 1080 px, 5 frames/s, not MJPG"),
        ({cv2.CAP_PROP_FRAME_HEIGHT: 720.0}, "grants MJPG, 1920 × 720 px, 30 frames/s"),
        ({cv2.CAP_PROP_FOURCC: -1.0}, "an unknown format"),
    ],
)
def test_a_usb_camera_is_asked_for_mjpg_and_what_it_grants_instead_is_in_the_log(
    granted: dict[int, float], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    capture = QueueingCapture(0)
    capture.granted = granted
    UsbCamera(capture, CameraLock(1920, 1080, 30.0), name="test")
    assert capture.controls[0] == cv2.CAP_PROP_FOURCC
    assert capture.values[cv2.CAP_PROP_FOURCC] == MJPG
    assert said in caplog.text
    assert bool(said) is bool(caplog.records)


@pytest.mark.parametrize(("source", "path"), [("v4l2:0", "/dev/video0"), (f"v4l2:{BY_ID}", BY_ID)])
def test_an_address_of_either_form_opens_that_device_as_mjpg(source: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    capture, opened = QueueingCapture(0), list[tuple[str, int]]()

    def open_device(name: str, backend: int) -> QueueingCapture:
        opened.append((name, backend))
        return capture

    monkeypatch.setattr(cv2, "VideoCapture", open_device)
    monkeypatch.setattr(Path, "exists", lambda _: True)
    open_camera(source, 1.0, local_only=True).close()
    assert opened == [(path, cv2.CAP_V4L2)]
    assert capture.controls[0] == cv2.CAP_PROP_FOURCC
    assert capture.values[cv2.CAP_PROP_FOURCC] == MJPG


def test_locked_settings_turn_the_automatic_ones_off_first() -> None:
    capture = QueueingCapture(0)
    UsbCamera(capture, CameraLock(exposure=120, focus=30), name="test", now_ns=capture.clock())
    assert capture.controls.index(cv2.CAP_PROP_AUTO_EXPOSURE) < capture.controls.index(cv2.CAP_PROP_EXPOSURE)
    assert capture.controls.index(cv2.CAP_PROP_AUTOFOCUS) < capture.controls.index(cv2.CAP_PROP_FOCUS)


def test_a_frame_with_too_many_pixels_is_refused_and_the_next_one_is_taken() -> None:
    with http_camera(Served([Answer(TOO_LARGE), Answer()])) as camera:
        with pytest.raises(CameraLostError, match="5000 × 4000 px: at most 16 million") as lost:
            camera.frame_after(999)
        assert lost.value.fault is CameraFault.SIZE
        assert np.array_equal(camera.frame_after(999).image, PICTURE)
