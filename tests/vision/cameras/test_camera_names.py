"""Names of cameras, of which two are of one device; picture sizes in headers; and several QR codes in one picture."""

import logging
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cli.tiles.cameras import open_gate_cameras
from config import SettingsError
from tests.support.narrowed import present
from tools.default_settings import TABLE
from vision.cameras.opening import refuse_same_camera
from vision.cameras.port import CameraLostError, decode_picture, picture_size
from vision.cameras.qr_codes import QrCodes


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
        refuse_same_camera(sources, tmp_path)
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
    refuse_same_camera(sources, tmp_path)
    wanted = [f"the camera {source} is now v4l2:{tmp_path}/v4l/{path}: name it so" for source, path in said.items()]
    assert [message.partition(", ")[0] for message in caplog.messages] == wanted
    assert {record.levelno for record in caplog.records} <= {logging.WARNING if len(sources) > 1 else logging.INFO}


def test_a_table_whose_two_cameras_are_one_does_not_start() -> None:
    camera = TABLE.camera
    same = replace(camera, gate=replace(camera.gate, source="picamera2:0"), table=replace(camera.table, source="picamera2:0"))
    with pytest.raises(SettingsError, match=r"^\[camera\] picamera2:0 and picamera2:0 are one camera"):
        list(open_gate_cameras(same))


FORMS = {".png": [], ".jpg": [], ".bmp": [], ".webp": [cv2.IMWRITE_WEBP_QUALITY, 80], "lossless.webp": [cv2.IMWRITE_WEBP_QUALITY, 101]}


def encoded(form: str, width: int, height: int) -> bytes:
    image = np.random.default_rng(width + height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    done, file = cv2.imencode(form[form.index(".") :], image, FORMS[form])
    assert done
    return file.tobytes()


@given(st.sampled_from(list(FORMS)), st.integers(2, 60), st.integers(2, 60))
def test_the_size_of_a_picture_is_that_of_what_is_decoded(form: str, width: int, height: int) -> None:
    assert picture_size(encoded(form, width, height)) == (width, height)


@given(st.sampled_from(list(FORMS)), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), min_size=1, max_size=4))
def test_no_changed_byte_makes_a_decoder_see_another_size_than_was_allowed(form: str, changes: list[tuple[int, int]]) -> None:
    content = bytearray(encoded(form, 24, 16))
    for at, value in changes:
        content[at % len(content)] = value
    try:
        image = decode_picture(bytes(content), "it")
    except CameraLostError:
        return
    size = present(picture_size(bytes(content)))
    assert sorted(image.shape[:2]) == sorted(size), "an orientation in EXIF data may turn it"


MODULE_PX = 6
TEXT = "https://192.168.1.20:8443/phone#c=7KQ2-M4XW-9TBD&t=1"


def drawn(text: str) -> NDArray[np.uint8]:
    """A code without a margin, in black and white."""
    modules = np.array([[0 if dark else 255 for dark in row] for row in segno.make(text, error="m").matrix], np.uint8)
    return np.asarray(cv2.resize(modules, None, fx=MODULE_PX, fy=MODULE_PX, interpolation=cv2.INTER_NEAREST), np.uint8)


@pytest.mark.parametrize("gap", [8, 6, 4])
def test_an_unreadable_code_beside_one_that_is_read_is_said_to_be_there(gap: int) -> None:
    code, other = drawn(TEXT), drawn("another text of the same length, which nobody reads")
    side, far = code.shape[0], other.shape[0]
    picture = np.full((side + 200, side + far + gap * MODULE_PX + 200), 255, np.uint8)
    picture[100 : 100 + side, 100 : 100 + side] = code
    left = 100 + side + gap * MODULE_PX
    other[8 * MODULE_PX : -8 * MODULE_PX] = 255 - other[8 * MODULE_PX : -8 * MODULE_PX]  # its corners stay as they are
    picture[100 : 100 + far, left : left + far] = other
    assert QrCodes().read_all(np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)) == (frozenset({TEXT}), True)


def test_one_code_alone_is_read_and_nothing_is_left() -> None:
    picture = cv2.copyMakeBorder(drawn(TEXT), 100, 100, 100, 100, cv2.BORDER_CONSTANT, value=(255,))
    assert QrCodes().read_all(np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)) == (frozenset({TEXT}), False)
