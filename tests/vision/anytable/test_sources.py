"""Pictures of videos, folders and cameras, with their times."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.anytable.sources import NotAVideoError, pictures_at, source_of
from vision.cameras.port import encode_picture


def video(path: Path, frames: int = 60, per_s: float = 10.0) -> Path:
    """A video whose frames become lighter."""
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"MJPG"), per_s, (64, 48))
    for number in range(frames):
        writer.write(np.full((48, 64, 3), 4 * number, np.uint8))
    writer.release()
    return path


@pytest.mark.parametrize(("per_s", "every_ms", "times"), [(10.0, 250, [0, 300, 500, 800]), (30.0, 250, [0, 267, 500, 767])])
def test_pictures_of_a_video_have_its_own_times(tmp_path: Path, per_s: float, every_ms: int, times: list[int]) -> None:
    source = source_of(str(video(tmp_path / "table.avi", per_s=per_s)))
    seen = list(source.frames(every_ms))
    assert np.allclose([frame.at_ms for frame in seen[:4]], times, atol=35)
    assert source.lasts_ms == pytest.approx(60_000 / per_s, abs=100)
    assert source.cut_short == ""
    assert all(abs(int(frame.image.mean()) - 4 * frame.at_ms * per_s / 1000) < 6 for frame in seen)


def test_a_video_goes_on_after_a_time_and_shows_a_moment_again(tmp_path: Path) -> None:
    source = source_of(str(video(tmp_path / "table.avi")))
    assert next(iter(source.frames(250, 3001))).at_ms == pytest.approx(3100, abs=60)
    (image,) = pictures_at(source, [4000], 250).values()
    assert abs(int(image.mean()) - 160) < 8
    assert pictures_at(source, [99_000], 250) == {}


def test_a_folder_of_frames_is_a_video_without_what_cannot_be_read(tmp_path: Path) -> None:
    for number in (1, 2, 9, 10):  # not in the order of letters; the first is smaller
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.full((24 if number == 1 else 48, 64, 3), 20 * number, np.uint8))
    (tmp_path / "2.png").write_bytes(b"torn")
    (tmp_path / "11.png").write_bytes((tmp_path / "10.png").read_bytes())
    source = source_of(str(tmp_path))
    assert [(frame.at_ms, int(frame.image.mean())) for frame in source.frames(250)] == [(500, 180), (750, 200), (1000, 200)]
    assert f"2 of 5 pictures are left out, such as {tmp_path / '1.png'}" in source.cut_short
    assert [frame.at_ms for frame in source.frames(250, 600)] == [750, 1000]


def test_a_video_without_a_length_is_no_camera_and_its_name_no_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("20:15.mjpeg").write_bytes(60 * encode_picture(np.zeros((48, 64, 3), np.uint8)))
    assert source_of("20:15.mjpeg").lasts_ms == 2000
    assert caplog.messages == ["20:15.mjpeg does not say how long it is: reading it through first"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("none.mp4", "no such video, folder or camera"), ("text.mp4", "no video that can be read"), ("empty", "holds no pictures")],
)
def test_what_gives_no_pictures_is_said(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "text.mp4").write_text("no video")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotAVideoError, match=sentence):
        source_of(str(tmp_path / name))


def test_a_camera_s_address_that_names_none_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a camera"):
        source_of("v4l2:upstairs")


def test_a_video_that_is_still_being_written_gives_what_there_is(tmp_path: Path) -> None:
    path = video(tmp_path / "table.avi")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    source = source_of(str(path))
    seen = list(source.frames(250))
    assert 0 <= seen[-1].at_ms < 5000
    assert "still being written" in source.cut_short
