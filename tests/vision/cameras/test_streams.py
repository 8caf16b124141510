"""Streams of phones and network cameras, over real connections, as `twinwall record` takes them."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from tests.support.answering import Answering, answering
from tests.support.patience import PATIENCE_S
from tests.support.vision.streams import HEIGHT, PER_S, WIDTH, level, picture, streaming
from vision.anytable.sources import CameraSource, TimedFrame, source_of
from vision.cameras import opening
from vision.cameras.lock import CameraLock
from vision.cameras.opening import open_camera, open_free_camera
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region, without_user
from vision.cameras.stream_camera import StreamCamera

EVERY_MS = 200
SCHEMES = pytest.mark.parametrize("scheme", ["http", "rtsp"])


def taken(frames: Iterator[TimedFrame], number: int) -> list[TimedFrame]:
    return [next(frames) for _ in range(number)]


@SCHEMES
def test_a_stream_gives_its_latest_pictures_at_the_pace_that_was_asked_for(scheme: str) -> None:
    with streaming(scheme) as stream:
        source = source_of(stream.url)
        assert isinstance(source, CameraSource)
        frames = taken(source.frames(EVERY_MS), 5)
        source.close()
    times, levels = (np.array(each) for each in zip(*((frame.at_ms, frame.image.mean()) for frame in frames), strict=True))
    assert {frame.image.shape for frame in frames} == {(HEIGHT, WIDTH, 3)}
    assert (np.diff(times) >= EVERY_MS).all()
    assert (np.diff(levels) >= 0.5 * EVERY_MS / 1000 * PER_S).all(), "no picture waited in a buffer"


@SCHEMES
def test_a_stream_that_was_cut_off_goes_on(scheme: str) -> None:
    with streaming(scheme) as stream:
        source = source_of(stream.url)
        assert isinstance(source, CameraSource)
        frames = source.frames(EVERY_MS)
        before = next(frames)
        stream.cut()
        after = taken(frames, 2)
        source.close()
    assert source.cut_short == ""
    assert before.at_ms < after[0].at_ms < after[1].at_ms


def test_an_address_of_one_picture_is_asked_for_the_next_one_again_and_again() -> None:
    asked = list[str]()

    class Handler(Answering):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.answer(200, picture(len(asked)), {"Content-Type": "image/jpeg"})

    with answering(Handler) as url:
        source = source_of(f"{url}/shot.jpg")
        assert isinstance(source, CameraSource)
        levels = [frame.image.mean() for frame in taken(source.frames(EVERY_MS), 3)]
        source.close()
    assert levels == sorted(set(levels))
    assert set(levels) <= {level(number + 1) for number in range(len(asked))}


@SCHEMES
def test_a_stream_that_sends_nothing_more_is_lost_in_time(scheme: str) -> None:
    with streaming(scheme) as stream:
        camera = StreamCamera(stream.url, 1.0)
        assert camera.frame_after(0).image.shape == (HEIGHT, WIDTH, 3)
        stream.silent.set()
        began_s = time.monotonic()
        with pytest.raises(CameraLostError, match=rf"the stream {scheme}://.* (gave no frame in 1 s|has ended): look at") as lost:
            while time.monotonic() - began_s < PATIENCE_S:
                camera.frame_after(time.monotonic_ns())
        assert lost.value.fault is CameraFault.SILENT
        camera.close()


@pytest.mark.parametrize("scheme", ["http", "rtsp", "rtmp"])
def test_a_stream_that_cannot_be_opened_is_named_without_its_password(scheme: str) -> None:
    with pytest.raises(CameraLostError, match="cannot be opened: start it") as lost:
        source_of(f"{scheme}://guest:sec@ret@127.0.0.1:9/table")
    assert f"the stream {scheme}://127.0.0.1:9/table" in str(lost.value)
    assert without_user("rtsp://127.0.0.1/a@b") == "rtsp://127.0.0.1/a@b"
    with pytest.raises(ValueError, match=r"'http://127\.0\.0\.1:99999/' is not a camera address"):
        source_of("http://guest:secret@127.0.0.1:99999/")


def test_a_camera_that_dates_its_pictures_is_believed_and_waited_for() -> None:
    asked = list[str]()

    class Handler(Answering):
        def do_GET(self) -> None:
            asked.append(self.path)
            dated = {"X-Exposure-Start-Ns": "1000", "X-Exposure-End-Ns": "2000"}
            self.answer(*((503,) if len(asked) < 3 else (200, picture(1), dated)))

    with answering(Handler) as url:
        camera = open_free_camera(f"{url}/table.jpg", PATIENCE_S)
        with pytest.raises(CameraLostError, match="answers 503"):
            camera.frame_after(0)
        assert camera.frame_after(0).exposure_end_ns == 2000
        camera.close()


class SmallCamera:
    """A webcam without the size that is asked for."""

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        return CameraFrame(np.zeros((480, 640, 3), np.uint8), moment_ns + 1, moment_ns + 2, region)

    def close(self) -> None: ...


def test_a_webcam_of_any_size_is_taken_over_a_table_without_sensors(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(which: str, settings: CameraLock) -> SmallCamera:
        assert (which, settings.width) == ("0", 1280)
        return SmallCamera()

    monkeypatch.setattr(opening, "open_usb_camera", opened)
    assert open_free_camera("v4l2:0", PATIENCE_S).frame_after(0).image.shape == (480, 640, 3)
    with pytest.raises(CameraLostError, match="640 × 480 px, not 1280 × 720"):
        open_camera("v4l2:0", PATIENCE_S).frame_after(0)
