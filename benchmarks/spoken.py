"""Latency from a tile before a phone's camera to its spoken place: ``python -m benchmarks.spoken [--tiles N] [--json]``.

Real are both phones' pages, each in Chromium (the gate camera, which is fed drawn pictures, and the builder's screen), their server, the
station with the feeder's firmware, its serial line, and the controller's gate reader, with the frames and readings of a table's settings. A
host in place of the controller assigns places in a fixed order: decisions and journal are measured by ``benchmarks.planner`` and
``benchmarks.journal``. The page's voice only notes when it is asked to speak.

``shutter`` begins when the phone is asked for the first frame that is read, before its exposure. ``laid`` begins when the tile's picture is
put before the camera, so it includes the frames by which the station sees that the tile rests.
"""

import os
import queue
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from benchmarks.support.measuring import percentiles, run_measure
from controller.adapters.cameras.gate_cameras import GateCameraWorker
from controller.device_settings import VisionSection
from controller.settings import BuildSection
from controller.state.messages import GateLook, GateSeen, Message
from firmware_bridge.messages import TileAtGate
from tableside.phones.local_server import PhoneServers, phone_parts
from tableside.phones.phone_book import PhoneRole
from tableside.station.camera_worker import FrameWatcher, SharedCamera
from tableside.station.settings import StationCameraSection
from tests.support.browser import CHROMIUM, QUIET
from tests.support.link.pair import places_in_order
from tests.support.phones.fake_camera import show_picture, with_pictures
from tests.support.station.served import HEARD, ServedStation, served_station
from tests.support.vision.pictures import empty_gate, face, gate_with
from tests.support.wire.brokers import free_port
from twinwall.game.tiles import ALL_TILES, Tile
from vision.cameras.opening import open_camera
from vision.cameras.port import Camera, CameraFrame, Region, encode_picture, use_one_thread
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier

GATE_FRAMES, READINGS = VisionSection().gate_frames, BuildSection().frames_to_agree
TILE_PX, PATIENCE_MS = 320, 20_000
OWN_VOICE = {"lang": "en-GB", "localService": True}
GATE, BUILDER = PhoneRole("1", "gate"), PhoneRole("1", "builder")
SPOKEN = """() => new Promise((resolve) => {
  const isPlace = ({ words }) => /^(East|South|West|North),/.test(words);
  const look = () => (window.heard.some(isPlace) ? resolve(window.heard.find(isPlace).atMs) : setTimeout(look, 50));
  look();
})"""
NOW_MS = "performance.timeOrigin + performance.now()"


class NotedCamera:
    """A camera that notes when the first frame since ``began_ns`` was set to None was asked for."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self.began_ns: int | None = None

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        frame = self._camera.frame_after(moment_ns, region)
        self.began_ns = self.began_ns or frame.exposure_start_ns
        return frame

    def close(self) -> None:
        self._camera.close()


@dataclass
class ReadingHost:
    """Replaces the controller: reads each tile as the controller does, and sends it to the next place."""

    table: ServedStation
    camera: NotedCamera
    tiles: int
    shutters_ms: list[float] = field(default_factory=list)
    """When the first frame of each tile was asked for (Unix time)."""
    read: list[Tile | None] = field(default_factory=list)

    def run(self) -> None:
        """Run until all tiles have their places."""
        answers = queue.SimpleQueue[Message]()
        worker = GateCameraWorker(self.camera, {1: GateReader(Classifier()).read}, answers.put, frames=GATE_FRAMES)
        worker.start()
        places = [place for four in zip(*(places_in_order(seat) for seat in range(4)), strict=True) for place in four]
        for number in range(self.tiles):
            self.table.desk.wait(TileAtGate)
            self.camera.began_ns, after_ns = None, time.monotonic_ns()
            self.read.append(self._agreed(worker, answers, number, after_ns))
            began_ns = self.camera.began_ns or after_ns
            self.shutters_ms.append(1000 * time.time() - (time.monotonic_ns() - began_ns) / 1e6)
            self.table.send(*places[number])
        worker.stop()

    def _agreed(self, worker: GateCameraWorker, answers: queue.SimpleQueue[Message], number: int, after_ns: int) -> Tile | None:
        seen: list[Tile | None] = []
        while len(seen) < READINGS or len(set(seen[-READINGS:])) > 1 or seen[-1] is None:
            worker.read(GateLook(number, 1, frame=len(seen)), after_ns)
            while not isinstance(answer := answers.get(timeout=PATIENCE_MS / 1000), GateSeen):
                pass
            seen.append(answer.read.tile)
        return seen[-1]


@contextmanager
def table_with_phones(browser: Browser, folder: Path, pictures: Mapping[str, bytes]) -> Iterator[tuple[ServedStation, Page, Page]]:
    """Run a station with phones as its camera and builder's screen; yield it, the camera's page, and the screen's page."""
    port = free_port()
    with ExitStack() as parts:
        roles = phone_parts({"1": 1}, folder / "phones.json", {"1": port})
        phones = PhoneServers(roles, ("127.0.0.1", 0), 0)
        phones.start()
        parts.callback(phones.stop)
        links = [f"http://127.0.0.1:{phones.phones.port}/#{roles.book.offer(role)}" for role in (GATE, BUILDER)]
        pages = [_opened(parts.enter_context(browser.new_context(locale="en")), link, pictures) for link in links]
        camera = SharedCamera(open_camera(f"{phones.local.url}/1/gate.jpg", 3.0, local_only=True))
        table = parts.enter_context(served_station(folder, port, camera))
        watcher = FrameWatcher(
            camera, StationCameraSection("").look_interval_s, table.station.saw, table.station.sees, is_read=table.station.is_read
        )
        watcher.start()
        parts.callback(watcher.stop)
        expect(pages[1].locator("#task")).to_have_text("Show the next blue tile", timeout=PATIENCE_MS)
        yield table, pages[0], pages[1]


def _opened(context: BrowserContext, link: str, pictures: Mapping[str, bytes]) -> Page:
    with_pictures(context, pictures, tells_time=True, every_ms=30)
    context.add_init_script(HEARD)
    page = context.new_page()
    page.goto(link)
    return page


def measure(tiles: int = 40, seed: int = 1) -> dict[str, object]:
    """Measure ``tiles`` tiles, at most 136, one after the other."""
    use_one_thread()
    rng = np.random.default_rng(seed)
    drawn = {tile.text: gate_with(face(tile, TILE_PX), rng) for tile in ALL_TILES}
    pictures = {name: encode_picture(picture) for name, picture in {"empty": empty_gate(rng), **drawn}.items()}
    with sync_playwright() as player, tempfile.TemporaryDirectory() as folder:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        with table_with_phones(browser, Path(folder), pictures) as (table, camera_page, screen):
            host = ReadingHost(table, NotedCamera(open_camera(f"{table.page.url}/gate.jpg", 3.0, local_only=True)), tiles)
            reading = threading.Thread(target=host.run, daemon=True)
            reading.start()
            screen.evaluate("(voice) => { window.voices = [voice]; }", OWN_VOICE)
            screen.select_option("#sound", "voice")
            shown = [ALL_TILES[index] for index in rng.integers(len(ALL_TILES), size=tiles)]
            times = [_show(camera_page, screen, tile) for tile in shown]
            reading.join()
        browser.close()
    spoken_ms = [spoken for _, spoken in times]
    return {
        "tiles": tiles,
        "simulated_cameras": True,
        "read_otherwise": sum(read is not tile for read, tile in zip(host.read, shown, strict=True)),
        "shutter_to_spoken_ms": percentiles(after - began for began, after in zip(host.shutters_ms, spoken_ms, strict=True)),
        "laid_to_spoken_ms": percentiles(after - laid for laid, after in times),
        "load_of_2_cores": os.getloadavg()[0],
    }


def _show(camera: Page, screen: Page, tile: Tile) -> tuple[float, float]:
    """Lay a tile into the empty frame; return when it was laid and when its place was spoken, in ms of Unix time."""
    show_picture(camera, "empty")
    screen.wait_for_timeout(1000)
    screen.evaluate("window.heard.splice(0)")
    laid_ms: float = camera.evaluate(f"(name) => {{ window.showPicture(name); return {NOW_MS}; }}", tile.text)
    spoken_ms: float = screen.evaluate(SPOKEN)
    return laid_ms, spoken_ms


if __name__ == "__main__":
    run_measure(measure)
