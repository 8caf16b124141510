"""The station around the person: its memory on disk, its page, what it says to whom, and what its camera says of a tile that cannot be
read."""

import http.client
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from cli.table.table_parts import capabilities
from controller.device_settings import FeederSection
from firmware_bridge.board.table_record import decode
from firmware_bridge.electrics.wired_machine import BY_HAND, capabilities_of, record_of
from simulator.by_hand.hand_table import ScreenReading
from tableside.station.camera_worker import FrameWatcher, SharedCamera, Stillness, unreadable
from tableside.station.confirmed_places import ConfirmedPlaces, ConfirmedPlacesFile, PlacesFileDamagedError
from tableside.station.screen_server import ScreenServer
from tableside.station.station import UID
from tableside.station.tasks import Do, Unread
from tableside.station_screen.screen_files import screen_texts
from tests.support.disks import synced
from tests.support.patience import PATIENCE_S
from tests.support.vision.cameras import ShownPictures
from tests.support.vision.pictures import Picture, empty_gate, face, gate_with
from twinwall.catalogues import LANGUAGES
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFrame, CameraLostError


def asked(
    page: ScreenServer, method: str, path: str, body: str | None = None, **headers: str
) -> tuple[int, bytes, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection(urlsplit(page.url).netloc, timeout=PATIENCE_S)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        connection.close()


@pytest.mark.parametrize("cells", [4, 0])
def test_a_station_says_of_itself_what_the_controller_expects_of_a_feeder(cells: int) -> None:
    """Without bypass cells where a machine with lanes brings the tiles."""
    ours, expected = capabilities_of(replace(BY_HAND, bypass_cells=cells)), capabilities(FeederSection("/dev/feeder", bypass_cells=cells))
    assert replace(ours, gate_period_ms=expected.gate_period_ms) == expected


def test_the_firmware_of_a_station_is_told_that_people_work_there_at_a_persons_period() -> None:
    record = decode(record_of(BY_HAND, UID, manual=True))
    assert (record.uid, record.manual, record.gate_period_ms) == (UID, True, 1750)


def test_a_memory_comes_back_from_the_disk_as_it_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ConfirmedPlacesFile(tmp_path / "memory")
    assert file.load() == ConfirmedPlaces()
    memory = ConfirmedPlaces((1, 2, 3, 4), (5, 6, 7, 8), 3, True, 2, 17, True, ((0, 3), (2, 33)), 5)
    disk = synced(monkeypatch, file.load)
    file.keep(memory)
    assert disk == [("memory.new", ConfirmedPlaces()), (tmp_path.name, memory)]
    assert file.load() == memory


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"trays": [1], "magazines": [1, 2, 3, 4], "asked": []}'])
def test_a_damaged_memory_is_named_with_what_to_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "memory"
    path.write_text(text)
    with pytest.raises(PlacesFileDamagedError, match="put all tiles on the heap"):
        ConfirmedPlacesFile(path).load()


def test_the_screen_is_what_simulated_hands_read_and_the_camera_tells_the_times_of_its_exposure(page: ScreenServer) -> None:
    status, body, _ = asked(page, "GET", "/now?after=0")
    assert (status, msgspec.json.decode(body, type=ScreenReading).task.do) == (200, "rest")
    before_ns = time.monotonic_ns()
    status, body, headers = asked(page, "GET", "/gate.jpg")
    assert (status, body[:2]) == (200, b"\xff\xd8")
    assert int(headers["X-Exposure-Start-Ns"]) > before_ns


def test_it_listens_on_loopback_alone_and_a_page_elsewhere_sees_nothing_of_the_tile_in_hand_and_touches_nothing(page: ScreenServer) -> None:
    address = urlsplit(page.url)
    assert address.hostname == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", address.port or 0), timeout=PATIENCE_S)
    for path in ("/now?after=0", "/", "/gate.jpg"):
        status, body, _ = asked(page, "GET", path, Host="club.example")
        assert (status, b"concealed" in body) == (403, True), path
    for foreign in ({"Host": "club.example"}, {"Origin": "http://club.example"}):
        assert asked(page, "POST", "/undo", "{}", Content_Type="application/json", **foreign)[0] == 403
    for path in ("/undo", "/take-back"):
        assert asked(page, "POST", path, "{}", Content_Type="text/plain")[0] == 400
    for path, sent in (("/offer", "{}"), ("/pair", '{"code": "123456"}')):
        assert asked(page, "POST", path, sent, Content_Type="application/json")[0] == 400


HOSTILE = {
    "a host that is no address": b"GET /now HTTP/1.1\r\nHost: [::1\r\n\r\n",
    "a whole address that is none": b"GET http://[/now HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "a way out of the folder": b"GET /../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "a version without end": b"GET /now?after=" + b"9" * 5000 + b" HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "brackets without end": b"POST /done HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
    + b"[" * 4000,
    "a length without end": b"POST /done HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: "
    + b"9" * 5000
    + b"\r\n\r\n",
    "half a letter for a number": b"POST /done HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n"
    b'{"number": "\\ud800"}',
}


@pytest.mark.parametrize("request_made", HOSTILE.values(), ids=HOSTILE)
def test_whatever_is_sent_is_answered_and_nothing_breaks(
    page: ScreenServer, request_made: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    address = urlsplit(page.url)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S) as line:
        line.sendall(request_made.replace(b"{host}", address.netloc.encode()))
        assert line.recv(12) in {b"HTTP/1.1 200", b"HTTP/1.1 400", b"HTTP/1.1 403", b"HTTP/1.1 404"}
    assert asked(page, "GET", "/now?after=0")[0] == 200
    assert capfd.readouterr().err == ""


def test_a_touch_that_means_nothing_is_refused_and_one_that_comes_too_late_does_nothing(page: ScreenServer) -> None:
    for wrong in ('{"number": -1}', '{"number": true}', "[]", "{", '{"number": 1, "missing": 500}'):
        assert asked(page, "POST", "/done", wrong, Content_Type="application/json")[0] == 400, wrong
    status, body, _ = asked(page, "POST", "/done", '{"number": 77}', Content_Type="application/json")
    assert (status, json.loads(body)) == (200, {"good": False})


def test_the_screen_has_a_sentence_for_every_task_in_every_language_with_the_same_gaps() -> None:
    texts = screen_texts()
    assert set(texts) == set(LANGUAGES)
    assert {do.value for do in Do} <= set(texts["en"])
    gaps = {language: {key: bool(text) and set(re.findall(r"{\w+}", text)) for key, text in own.items()} for language, own in texts.items()}
    assert gaps == dict.fromkeys(LANGUAGES, gaps["en"])
    assert False not in gaps["en"].values(), "no text is empty"


def picture(shift: int | None) -> CameraFrame:
    image = np.full((360, 480, 3), 70, np.uint8)
    if shift is not None:
        image[60:300, 150 + shift : 325 + shift] = 225
    return CameraFrame(image, 0, 1)


def test_a_tile_counts_once_it_lies_still_and_an_empty_frame_at_once() -> None:
    stillness = Stillness()
    assert [stillness.take(picture(shift)) for shift in (None, 0, 60, 61, None)] == [False, None, None, True, False]


TILE = gate_with(face(Tile.P5, 320), np.random.default_rng(1))
COVERED = cv2.circle(TILE.copy(), (205, 175), 120, (60, 60, 60), -1)
"""Something dark lies over a part of the tile."""
WASHED = np.clip(cv2.GaussianBlur(TILE.astype(np.float32), (0, 0), 14) * 0.3 + 190, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (TILE, None),
        (cv2.GaussianBlur(TILE, (0, 0), 7), Unread.BLURRED),
        (TILE // 20, Unread.DARK),
        (WASHED, Unread.GLARE),
        (COVERED, Unread.COVERED),
    ],
)
def test_a_tile_that_cannot_be_seen_well_is_told_with_the_reason(shown: NDArray[np.uint8], why: Unread | None) -> None:
    told, troubles, heard = list[tuple[bool, Unread | None]](), list[Unread | None](), threading.Event()

    def saw(occupied: bool, reason: Unread | None) -> None:
        told.append((occupied, reason))
        heard.set()

    def troubled(reason: Unread | None) -> None:
        troubles.append(reason)
        heard.set()

    watcher = FrameWatcher(SharedCamera(ShownPictures(shown)), 0.001, saw, lambda _good: None, troubled=troubled)
    watcher.start()
    assert heard.wait(PATIENCE_S)
    watcher.stop()
    assert (told, troubles) in (([(True, why)], []), ([], [why])), "once it lies there, or once nothing can be seen for a while"


@pytest.mark.parametrize("kind", [Tile.WHITE, Tile.P5, Tile.S1, Tile.RED])
def test_the_reason_does_not_depend_on_the_tiles_kind(kind: Tile) -> None:
    tile = gate_with(face(kind, 320), np.random.default_rng(1))
    smeared = np.asarray(cv2.GaussianBlur(tile, (0, 0), 7), np.uint8)
    assert [unreadable(CameraFrame(shown, 0, 1)) for shown in (tile, smeared)] == [None, Unread.BLURRED]


def test_a_passing_hand_is_no_trouble_and_one_that_is_over_is_told() -> None:
    dark, empty = TILE // 20, empty_gate(np.random.default_rng(2))
    troubles, over = list[Unread | None](), threading.Event()

    def troubled(reason: Unread | None) -> None:
        troubles.append(reason)
        if reason is None:
            over.set()

    shown = ShownPictures(*[dark] * 3, *[empty] * 3, *[dark] * 12, empty)
    watcher = FrameWatcher(SharedCamera(shown), 0.001, lambda _seen, _why: None, lambda _good: None, troubled=troubled)
    watcher.start()
    assert over.wait(PATIENCE_S)
    watcher.stop()
    assert troubles == [Unread.DARK, None]


class SlowCamera(ShownPictures):
    """Gives its first frame when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_give = threading.Event(), threading.Event()

    def expose(self) -> Picture | None:
        self.begun.set()
        assert self.may_give.wait(PATIENCE_S)
        return super().expose()


def test_somebody_who_waits_too_long_for_another_reader_takes_no_frame() -> None:
    slow = SlowCamera()
    shared = SharedCamera(slow)
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(shared.frame_after, 0)
        assert slow.begun.wait(PATIENCE_S)
        with pytest.raises(CameraLostError, match="others wait for its frames"):
            shared.frame_after(0, turn_s=0.0)
        slow.may_give.set()
        reading.result()
    assert slow.asked == 1
    assert shared.frame_after(5).exposure_start_ns == 6


@pytest.mark.parametrize("is_read", [False, True])
def test_a_camera_that_gives_no_picture_is_told_once_and_told_again_when_it_is_back(is_read: bool) -> None:
    shared, told, back = SharedCamera(ShownPictures(None, None, None, TILE)), list[bool](), threading.Event()
    with pytest.raises(CameraLostError):
        shared.frame_after(0)

    def sees(good: bool) -> None:
        told.append(good)
        if good:
            back.set()

    watcher = FrameWatcher(shared, 0.001, lambda _occupied, _why: None, sees, is_read=lambda: is_read)
    watcher.start()
    assert back.wait(PATIENCE_S)
    watcher.stop()
    assert told == [False, True]


def test_while_a_tile_is_read_the_watcher_leaves_the_camera_to_the_reader() -> None:
    camera, answers, asked = SlowCamera(), [True, True, True, False], list[int]()
    """With how many frames it had given when that was asked."""

    def is_read() -> bool:
        asked.append(camera.asked)
        return answers[min(len(asked), 4) - 1]

    camera.may_give.set()
    watcher = FrameWatcher(SharedCamera(camera), 0.001, lambda _occupied, _why: None, lambda _good: None, is_read=is_read)
    watcher.start()
    assert camera.begun.wait(PATIENCE_S)
    watcher.stop()
    assert asked[:4] == [0, 0, 0, 0]
