"""What befalls phones on an evening, with their real page in a real browser: a sentence, and play goes on with nothing lost."""

import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from playwright.sync_api import BrowserContext, Page, expect
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from controller.adapters.phone_panel import PhonePanel
from controller.state.messages import KeyPressed, PanelMessage
from tests.phones.conftest import KINDS, TURNED, TablePhones
from tests.phones.test_phone_page import GATE, KEYS, frame, gate_camera, joined
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S
from tests.support.phones.fake_camera import show_picture, with_pictures
from tests.support.tiers import one_in, some
from tests.support.wire.brokers import eventually
from twinwall.game.tiles import parse_tile
from twinwall.wire.shapes.panel import Key, KeyLamps, Lamps
from vision.cameras.port import CameraLostError, Region
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier
from vision.reading import Read

_PIECE = 65536


class Network:
    """Passes connections at ``port`` on to another port of this computer, from ``start`` to ``stop``."""

    def __init__(self, to: int) -> None:
        self._to, self._server = to, socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._to_server, self._to_phone = threading.Event(), threading.Event()
        self.goes_on()
        self._lines: list[socket.socket] = []

    def start(self) -> None:
        threading.Thread(target=self._accept, name="network", daemon=True).start()

    def stop(self) -> None:
        """End, and cut off what is connected."""
        self.goes_on()
        for line in (self._server, *self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def holds(self, *, answers_alone: bool = False) -> None:
        """Nothing goes through any more, or nothing to the phone, and nobody is told."""
        self._to_phone.clear()
        if not answers_alone:
            self._to_server.clear()

    def goes_on(self) -> None:
        self._to_server.set()
        self._to_phone.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                phone, _ = self._server.accept()
                if not self._to_server.is_set():
                    phone.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._to))
                self._lines += [phone, server]
                for ends in ((phone, server, self._to_server), (server, phone, self._to_phone)):
                    threading.Thread(target=self._pass, args=ends, name="line", daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, goes_through: threading.Event) -> None:
        with suppress(OSError):
            while piece := source.recv(_PIECE):
                goes_through.wait()
                target.sendall(piece)
        goes_through.wait()
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


WORKS = "The camera works. Leave this page open."
NOT_CONNECTED = "Not connected. It tries again by itself."
SILENT_MS = 6000
"""After so long without lamps a page takes its connection for dead."""
HEARD_MS = 1000
"""After so long without an answer a page asks for the touch again."""
DAY_OFF = "const now = Date.now; Date.now = () => now() - 24 * 3600 * 1000;"
NO_FRAME_TIMES = "delete HTMLVideoElement.prototype.requestVideoFrameCallback;"
SELFIE = """const settings = MediaStreamTrack.prototype.getSettings;
MediaStreamTrack.prototype.getSettings = function () { return { ...settings.call(this), facingMode: "user" }; };"""
SAVES_POWER = """let touched = false;
addEventListener("click", () => { touched = true; }, true);
const play = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function () {
  return touched ? play.call(this) : Promise.reject(new DOMException("no", "NotAllowedError"));
};"""


@pytest.fixture
def wifi(phones: TablePhones) -> Iterator[Network]:
    network = Network(phones.servers.phones.port)
    network.start()
    yield network
    network.stop()


def joined_over(wifi: Network, context: BrowserContext, phones: TablePhones, *, clock_stands: bool = False) -> Page:
    """The keys of a place, on a phone that is in the Wi-Fi. Its clock can stand still until the test lets it run."""
    page = context.new_page()
    page.clock.install()
    if clock_stands:
        page.clock.pause_at(time.time() + PATIENCE_S)
    page.goto(phones.link(KEYS).replace(f":{phones.servers.phones.port}/", f":{wifi.port}/"))
    return page


@pytest.fixture
def controller(phones: TablePhones) -> Iterator[tuple[PhonePanel, queue.Queue[PanelMessage]]]:
    """The panel of the table's controller, which repeats every second which lamps are lit, and what it hears of the keys."""
    heard: queue.Queue[PanelMessage] = queue.Queue()
    panel = PhonePanel(phones.local("/1"), heard.put)
    panel.start()
    yield panel, heard
    panel.stop()


@pytest.fixture
def pressed(controller: tuple[PhonePanel, queue.Queue[PanelMessage]]) -> queue.Queue[PanelMessage]:
    """What the table's controller hears of the keys."""
    return controller[1]


def test_without_wifi_the_phone_says_so_and_comes_again_by_itself(
    context: BrowserContext, phones: TablePhones, wifi: Network, pressed: queue.Queue[PanelMessage]
) -> None:
    page = joined_over(wifi, context, phones)
    pung, state = page.locator("[data-key=pung]"), page.locator("#state")
    expect(pung).to_be_enabled()
    wifi.holds()
    page.clock.fast_forward(SILENT_MS)
    expect(state).to_have_text(NOT_CONNECTED)
    expect(pung).to_be_disabled()
    wifi.goes_on()
    expect(pung).to_be_enabled()
    pung.click()
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(2, Key.PUNG)
    assert pressed.empty()


def test_a_press_whose_answer_was_lost_counts_once_when_it_is_touched_again(
    context: BrowserContext, phones: TablePhones, wifi: Network, pressed: queue.Queue[PanelMessage]
) -> None:
    page = joined_over(wifi, context, phones, clock_stands=True)
    pung, confirm = page.locator("[data-key=pung]"), page.locator("[data-key=confirm]")
    expect(pung).to_be_enabled()
    wifi.holds(answers_alone=True)
    pung.click()
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(2, Key.PUNG)
    page.clock.run_for(HEARD_MS)
    expect(page.locator("#state")).to_have_text("Pung was not heard. Touch it again.")
    pung.click()
    wifi.goes_on()
    expect(page.locator("#state")).to_have_text("Touch a key.")
    confirm.click()
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(2, Key.CONFIRM)


def test_a_press_that_was_on_its_way_too_long_does_not_count_and_any_is_of_the_phones_own_place(
    phones: TablePhones, pressed: queue.Queue[PanelMessage]
) -> None:
    with connect(f"ws://127.0.0.1:{phones.servers.phones.port}/phone") as phone:
        phone.send(json.dumps({"type": "hello", "code": phones.link(KEYS).partition("#")[2]}))
        for name, number, counts in (("a late press", 0, False), ("a new press", told_last(phone), True)):
            phone.send(json.dumps({"type": "pressed", "name": name, "key": "pung", "place": 0, "told": number}))
            assert heard(phone) == {"type": "heard", "name": name, "good": counts}
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(2, Key.PUNG)
    assert pressed.empty()


def told_last(phone: Connection) -> int:
    """The number of the first lamps that the phone is told while its keys are heard."""
    while True:
        message = json.loads(phone.recv(PATIENCE_S))
        if message["type"] == "shown" and message["heard"]:
            return int(message["number"])


def heard(phone: Connection) -> dict[str, object]:
    """The answer to a press."""
    while True:
        message: dict[str, object] = json.loads(phone.recv(PATIENCE_S))
        if message["type"] == "heard":
            return message


def are_lit(phones: TablePhones, lamps: Lamps) -> bool:
    """Whether the server has these lamps for the phones of the table."""
    return phones.parts.keys["1"].lamps(0, 0.0)[1] == KeyLamps(**structs.asdict(lamps))


def test_a_phone_that_sleeps_in_a_claim_window_shows_what_is_now_when_it_wakes(
    context: BrowserContext, phones: TablePhones, controller: tuple[PhonePanel, queue.Queue[PanelMessage]]
) -> None:
    (panel, pressed), page = controller, joined(context, phones, KEYS)
    lamp, pung = page.locator(".lamp"), page.locator("[data-key=pung]")
    expect(pung).to_be_enabled()
    life = context.new_cdp_session(page)
    life.send("Page.setWebLifecycleState", {"state": "frozen"})
    for lamps in (Lamps(window=True), Lamps(turn=frozenset({2}))):
        panel.show(lamps)
        eventually(partial(are_lit, phones, lamps), "the lamps are lit")
    life.send("Page.setWebLifecycleState", {"state": "active"})
    expect(lamp).to_have_text("Your turn")
    expect(pung).to_be_enabled()
    pung.click()
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(2, Key.PUNG)


def test_a_restart_of_the_hall_is_said_and_camera_and_keys_go_on_without_a_touch(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes], pressed: queue.Queue[PanelMessage], tmp_path: Path
) -> None:
    with_pictures(context, pictures, tells_time=True)
    joined(context, phones, GATE)
    assert context.browser is not None
    player, camera = context.browser.new_context(locale="en"), gate_camera(phones)
    keys = joined(player, phones, KEYS)
    pung = keys.locator("[data-key=pung]")
    frame(camera)
    expect(pung).to_be_enabled()
    phones.servers.stop()
    expect(keys.locator("#state")).to_have_text(NOT_CONNECTED)
    phones.restart(tmp_path / "phones.json")
    expect(pung).to_be_enabled()
    pung.click()
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(2, Key.PUNG)
    frame(camera)
    camera.close()
    player.close()


def test_a_camera_that_ended_while_its_phone_slept_is_said_and_goes_on_when_it_wakes(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes]
) -> None:
    with_pictures(context, pictures, tells_time=True)
    page, camera = joined(context, phones, GATE), gate_camera(phones)
    frame(camera)
    page.evaluate("window.endCamera()")
    expect(page.locator("#state")).to_contain_text("The camera stopped")
    with pytest.raises(CameraLostError, match="its page must be in front, and the phone unlocked"):
        camera.frame_after(time.monotonic_ns())
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#state")).to_have_text(WORKS)
    frame(camera)
    camera.close()


@pytest.mark.parametrize("angle", some(list(TURNED), 2))
def test_a_phone_that_turns_its_picture_gives_it_as_it_was_hung(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes], angle: int
) -> None:
    with_pictures(context, pictures, tells_time=True)
    page, camera, reader = joined(context, phones, GATE), gate_camera(phones), GateReader(Classifier())
    show_picture(page, KINDS[1])
    hung = frame(camera).image
    (width, height), name = TURNED[angle]
    turned = {"screenOrientation": {"angle": angle, "type": name}, "deviceScaleFactor": 1, "mobile": True}
    context.new_cdp_session(page).send("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, **turned})
    show_picture(page, f"turned {angle}")
    is_turned = "(angle) => screen.orientation.angle === angle && (angle === 180 || picture.videoWidth < picture.videoHeight)"
    eventually(lambda: page.evaluate(is_turned, angle), "the phone has turned its picture")
    for region in (None, Region(100, 60, 200, 120)):
        now = frame(camera, region).image
        as_hung = hung if region is None else hung[60:180, 100:300]
        assert now.shape == as_hung.shape
        assert np.abs(now.astype(int) - as_hung).mean() < 20
    assert of_type(Read, reader.read(frame(camera))).tile is parse_tile(KINDS[1])
    page.reload()
    assert frame(camera).image.shape == hung.shape
    camera.close()


def test_a_phone_whose_clock_is_a_day_off_gives_frames_of_now(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes]
) -> None:
    with_pictures(context, pictures, tells_time=True)
    context.add_init_script(DAY_OFF)
    page, camera, reader = joined(context, phones, GATE), gate_camera(phones), GateReader(Classifier())
    expect(page.locator("#state")).to_have_text(WORKS)
    show_picture(page, KINDS[2])
    assert of_type(Read, reader.read(frame(camera))).tile is parse_tile(KINDS[2])
    camera.close()


@pytest.mark.parametrize(
    ("script", "sentence"),
    one_in(
        2,
        [
            (NO_FRAME_TIMES, "This browser cannot be a camera: use Chrome 83, Safari 15.4, Firefox 132, or a later one."),
            (SELFIE, "This is the camera on the screen's side. Choose the camera on the back."),
        ],
    ),
    ids=lambda text: text[:20],
)
def test_what_a_phone_cannot_do_is_a_sentence(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes], script: str, sentence: str
) -> None:
    with_pictures(context, pictures, tells_time=True)
    context.add_init_script(script)
    expect(joined(context, phones, GATE).locator("#state")).to_have_text(sentence)


def test_a_phone_that_saves_power_asks_for_a_touch_and_then_works(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes]
) -> None:
    with_pictures(context, pictures, tells_time=True)
    context.add_init_script(SAVES_POWER)
    page, camera = joined(context, phones, GATE), gate_camera(phones)
    expect(page.locator("#state")).to_contain_text("when it saves power. Touch Start")
    page.click("#start")
    expect(page.locator("#state")).to_have_text(WORKS)
    frame(camera)
    camera.close()


def test_a_code_of_another_hall_is_a_sentence(context: BrowserContext, phones: TablePhones) -> None:
    page = context.new_page()
    page.goto(f"{phones.address}#{'0' * 32}")
    expect(page.locator("#state")).to_have_text("This code is not of this hall. Ask for a new one.")
