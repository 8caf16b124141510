"""Names of cameras: two names of one device are refused, and a number is told with the path that stays."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from cli.tiles.cameras import open_gate_cameras
from config import SettingsError
from tools.default_settings import TABLE
from vision.cameras.opening import tell_apart


def device(devices: Path, number: int, **links: str) -> None:
    """A camera with this number, and a link to it in each folder of links."""
    (devices / f"video{number}").touch()
    for folder, name in links.items():
        link = devices / "v4l" / folder.replace("_", "-") / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(devices / f"video{number}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("v4l2:0", "v4l2:{}/v4l/by-id/usb-A-index0"),
        ("v4l2:{}/v4l/by-path/pci-1", "v4l2:{}/v4l/by-id/usb-A-index0"),
        ("v4l2:3", "v4l2:3"),
        ("picamera2:0", "picamera2:0"),
    ],
)
def test_two_names_of_one_camera_are_refused_with_both(tmp_path: Path, one: str, other: str) -> None:
    device(tmp_path, 0, by_id="usb-A-index0", by_path="pci-1")
    sources = [one.format(tmp_path), "http://127.0.0.1:1/1", "http://127.0.0.1:1/1", other.format(tmp_path)]
    with pytest.raises(ValueError, match="are one camera: name another one") as refused:
        tell_apart(sources, tmp_path)
    assert str(refused.value).startswith(f"{sources[0]} and {sources[-1]} ")


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["v4l2:0"], {"v4l2:0": "by-id/usb-A-index0"}),
        (["v4l2:0", "v4l2:2"], {"v4l2:0": "by-path/pci-1", "v4l2:2": "by-path/pci-2"}),
        (["v4l2:0", "v4l2:4"], {"v4l2:0": "by-id/usb-A-index0", "v4l2:4": "by-id/usb-B-index0"}),
        (["v4l2:0", "v4l2:9", "picamera2:0"], {"v4l2:0": "by-id/usb-A-index0"}),
        (["v4l2:6"], {}),
    ],
    ids=["one", "two without serial numbers", "two", "one not plugged in", "no link"],
)
def test_a_number_is_told_with_the_path_that_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, sources: list[str], said: dict[str, str]
) -> None:
    caplog.set_level(logging.INFO)
    device(tmp_path, 0, by_id="usb-A-index0", by_path="pci-1")
    device(tmp_path, 2, by_path="pci-2")
    device(tmp_path, 4, by_id="usb-B-index0", by_path="pci-3")
    device(tmp_path, 6)
    tell_apart(sources, tmp_path)
    wanted = [f"the camera {source} is now v4l2:{tmp_path}/v4l/{path}: name it so" for source, path in said.items()]
    assert [message.partition(", ")[0] for message in caplog.messages] == wanted
    assert {record.levelno for record in caplog.records} <= {logging.WARNING if len(sources) > 1 else logging.INFO}


def test_a_table_whose_two_cameras_are_one_does_not_start() -> None:
    camera = TABLE.camera
    same = replace(camera, gate=replace(camera.gate, source="picamera2:0"), table=replace(camera.table, source="picamera2:0"))
    with pytest.raises(SettingsError, match=r"^\[camera\] picamera2:0 and picamera2:0 are one camera"):
        list(open_gate_cameras(same))
