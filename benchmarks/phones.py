"""Figures of phones: ``python -m benchmarks.phones [--only NAME …] [--json]``.

``keys``: from a touch on the phone's real page, in Chromium, to the lamp on the same page that says that the press counts, through the
phones' server, the controller's panel, and back. In the controller's place a host lights the lamp at once: decisions are measured by
``benchmarks.planner``.

``gates``: tiles read per second at one and at four tables with phones as gate cameras. Each table's reader is a process of its own and asks
again as soon as it has read. The phones are clients that answer over TLS as the page does, 30 exposures a second, with pictures compressed
before: a phone's own work does not count.

``enrolment``: a set of 136 tiles that a simulated person shows one after the other to such a phone, from the first tile to the profile, by
the program that enrols a set in the hall.
"""

import argparse
import json
import logging
import os
import ssl
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, expect, sync_playwright
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from benchmarks.support.measuring import percentiles
from cli.hall.certificate_files import CertificateFiles
from controller.adapters.phone_panel import PhonePanel
from controller.device_settings import VisionSection
from controller.state.messages import PanelMessage
from tableside.phones.local_server import PhoneServers, phone_parts
from tableside.phones.phone_book import PhoneRole
from tableside.phones.phone_server import PhoneParts
from tableside.readiness.set_enrolment import SetEnrolment
from tests.support.browser import CHROMIUM, QUIET
from tests.support.vision.pictures import empty_gate, face, gate_with
from twinwall.game.tiles import ALL_TILES, COPIES, Tile
from twinwall.values import frozen
from twinwall.wire.certificates import server_tls
from twinwall.wire.shapes.panel import Lamps
from twinwall.wire.shapes.readiness import EnrolmentStage
from vision.cameras.opening import open_camera
from vision.cameras.port import encode_picture, use_one_thread
from vision.enrol.enrol import SetName
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier
from vision.model.judge import agreed
from vision.reading import Read, ReadRefusal

HOST, TABLES, EXPOSURES_S = "127.0.0.1", ("1", "2", "3", "4"), 30.0
WIDTH, HEIGHT, TILE_PX = 1280, 720, 320
NOISES, NOISE, AGAIN_S = 3, 2.0, 5.0
"""Pictures of the same thing, each with its own noise: a camera that repeats a picture counts as frozen."""
GATE_FRAMES, LEAST = VisionSection().gate_frames, 2
KEYS = PhoneRole("1", "keys-0")
TOUCHED_TO_SHOWN = """(key) => new Promise((resolve) => {
  const lamp = document.querySelector(".lamp"), beganMs = performance.now();
  const watch = new MutationObserver(() => {
    if (!lamp.classList.contains("call")) return;
    watch.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - beganMs));
  });
  watch.observe(lamp, { attributes: true });
  document.querySelector(`[data-key=${key}]`).click();
})"""


@contextmanager
def served(folder: Path, tables: Sequence[str], tls: ssl.SSLContext | None = None) -> Iterator[tuple[PhoneParts, PhoneServers]]:
    """Run the phones' servers of some tables."""
    parts = phone_parts(dict.fromkeys(tables, 1), folder / "phones.json")
    servers = PhoneServers(parts, (HOST, 0), 0, tls)
    servers.start()
    try:
        yield parts, servers
    finally:
        servers.stop()


def keys(touches: int) -> dict[str, object]:
    """Measure consecutive touches."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        parts, servers = running.enter_context(served(folder, TABLES[:1]))

        def answer(_: PanelMessage) -> None:
            panel.show(Lamps(call=frozenset({0})))

        panel = PhonePanel(f"{servers.local.url}/1", answer)
        panel.start()
        running.callback(panel.stop)
        browser = running.enter_context(sync_playwright()).chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        page = browser.new_page(locale="en")
        page.goto(f"http://{HOST}:{servers.phones.port}/#{parts.book.offer(KEYS)}")
        times = [_touched(page, panel) for _ in range(touches)]
        browser.close()
    return {"touches": touches, "touch_to_lamp_ms": percentiles(times)}


def _touched(page: Page, panel: PhonePanel) -> float:
    panel.show(Lamps(turn=frozenset({0})))
    expect(page.locator(".lamp")).to_have_text("Your turn", timeout=20_000)
    expect(page.locator("[data-key=pung]")).to_be_enabled(timeout=20_000)
    shown_ms: float = page.evaluate(TOUCHED_TO_SHOWN, "pung")
    return shown_ms


@frozen
class PhoneClient:
    """A phone as gate camera: the server's port, the phone's code, and its pictures as JPEG files by exposure."""

    port: int
    code: str
    picture: Callable[[int], bytes]

    def run(self) -> None:
        """Answer until the server closes."""
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        with connect(f"wss://{HOST}:{self.port}/phone", ssl=trusting, compression=None) as line:
            line.send(json.dumps({"type": "hello", "code": self.code}))
            try:
                for exposure in count():
                    wanted = json.loads(line.recv())
                    if wanted["type"] == "wanted":
                        line.send(self._taken(wanted["number"], exposure))
            except ConnectionClosed:
                return

    def _taken(self, number: int, exposure: int) -> bytes:
        """Return the frame of the next exposure."""
        now_s = time.monotonic()
        exposed_s = (now_s * EXPOSURES_S // 1 + 1) / EXPOSURES_S
        time.sleep(exposed_s - now_s)
        head = json.dumps({"number": number, "part": None}).encode()
        return struct.pack(">I", len(head)) + head + self.picture(exposure)


@contextmanager
def phones_at(tables: Sequence[str], picture: Callable[[int], bytes]) -> Iterator[list[str]]:
    """Connect phones over TLS; yield the addresses of the gate cameras of some tables."""
    with tempfile.TemporaryDirectory() as folder:
        files = CertificateFiles(Path(folder) / "certificates")
        now = datetime.now(UTC)
        files.issue(files.make_authority("benchmark", (HOST,), now, timedelta(days=1)), "phones", (HOST,), now)
        with served(Path(folder), tables, server_tls(files.certificate("phones"), files.key("phones"))) as (parts, servers):
            for table in tables:
                client = PhoneClient(servers.phones.port, parts.book.offer(PhoneRole(table, "gate")), picture)
                threading.Thread(target=client.run, daemon=True).start()
            while not all(camera.is_joined for role, camera in parts.cameras.items() if role.name == "gate"):
                time.sleep(0.05)
            yield [f"{servers.local.url}/{table}/gate.jpg" for table in tables]


def gates(seconds: float) -> dict[str, object]:
    """Measure reads a second at one gate, and at four at the same time."""
    rng = np.random.default_rng(1)
    show = phone_pictures(gate_with(face(Tile.P5, TILE_PX), rng), rng)
    found = {}
    for tables in (TABLES[:1], TABLES):
        with phones_at(tables, lambda exposure: show[exposure % NOISES]) as addresses, get_context("spawn").Pool(len(tables)) as readers:
            read = readers.starmap(_read_for, [(address, seconds) for address in addresses])
        found[f"{len(tables)}_gates"] = {
            "reads_a_second_a_gate": [round(count / seconds, 1) for count, _ in read],
            "read_otherwise": sum(wrong for _, wrong in read),
        }
    return {"seconds": seconds, "frames_a_read": LEAST, **found}


def _read_for(address: str, seconds: float) -> tuple[int, int]:
    """Run one table's reader; return its reads, and the wrong ones."""
    use_one_thread()
    reader, camera = GateReader(Classifier()), open_camera(address, 3.0, local_only=True)
    reader.read(camera.frame_after(time.monotonic_ns()))
    reads, wrong, ends_s = 0, 0, time.monotonic() + seconds
    while time.monotonic() < ends_s:
        answers: list[Read | ReadRefusal] = []
        while len(answers) < GATE_FRAMES and not isinstance(agreed(answers, least=LEAST) if answers else None, Read):
            answers.append(reader.read(camera.frame_after(time.monotonic_ns())))
        read = agreed(answers, least=LEAST)
        reads += 1
        wrong += not (isinstance(read, Read) and read.tile is Tile.P5)
    return reads, wrong


def enrolment(hands_s: float, seed: int) -> dict[str, object]:
    """Measure a set shown by one person, who needs ``hands_s`` with the gate empty between tiles."""
    rng = np.random.default_rng(seed)
    tiles = [tile for tile in ALL_TILES for _ in range(COPIES)]
    rng.shuffle(tiles)
    drawn = {tile: phone_pictures(gate_with(face(tile, TILE_PX), rng), rng) for tile in ALL_TILES}
    empty = phone_pictures(empty_gate(rng), rng)
    person = ShowingPerson(tiles, drawn, empty, hands_s)
    kept: list[bytes] = []
    with phones_at(TABLES[:1], person.shows) as (address,):
        wanted = ("first", SetName("blue", 1, date(2026, 1, 1)), tuple(ALL_TILES))
        made = SetEnrolment(wanted, open_camera(address, 3.0, local_only=True), Classifier(), kept.append)
        threading.Thread(target=person.watch, args=(lambda: made.now().taken,), daemon=True).start()
        working = threading.Thread(target=made.run)
        working.start()
        asked = 0
        while working.is_alive():
            working.join(0.1)
            now = made.now()
            if now.stage is EnrolmentStage.ASKING and now.question is not None:
                asked += made.answer(now.question.number, None)
    now = made.now()
    return {"tiles": len(tiles), "hands_s": hands_s, "stage": str(now.stage), "questions": asked, "seconds": now.running_s}


class ShowingPerson:
    """Lays a tile before the phone, waits until the page has counted it, takes it away and takes the next one. A tile not counted within
    ``AGAIN_S`` is shown again, as the page asks."""

    def __init__(self, tiles: Sequence[Tile], drawn: Mapping[Tile, Sequence[bytes]], empty: Sequence[bytes], hands_s: float) -> None:
        self._tiles, self._drawn, self._empty, self._hands_s = tiles, drawn, empty, hands_s
        self._lies: Tile | None = None

    def shows(self, exposure: int) -> bytes:
        """Return what the phone sees."""
        return (self._empty if self._lies is None else self._drawn[self._lies])[exposure % NOISES]

    def watch(self, counted: Callable[[], int]) -> None:
        """Show all tiles; ``counted`` is the number on the page."""
        for tile, before in zip(self._tiles, count()):
            time.sleep(self._hands_s)
            while counted() == before:
                self._lies = tile
                ends_s = time.monotonic() + AGAIN_S
                while counted() == before and time.monotonic() < ends_s:
                    time.sleep(0.05)
                self._lies = None
                if counted() == before:
                    time.sleep(self._hands_s)


def phone_pictures(gate: NDArray[np.uint8], rng: np.random.Generator) -> list[bytes]:
    """Return a drawn gate in a phone's format, with its floor extended at both sides and with the noise of several frames, as JPEG
    files."""
    scale = HEIGHT / gate.shape[0]
    grown = np.repeat(np.repeat(gate, 3, axis=0), 3, axis=1)[::2, ::2] if scale == 1.5 else gate
    side = WIDTH - grown.shape[1]
    whole = np.pad(grown, ((0, 0), (side // 2, side - side // 2), (0, 0)), mode="reflect").astype(np.float32)
    noises = (rng.standard_normal(whole.shape, np.float32) * np.float32(NOISE) for _ in range(NOISES))
    return [encode_picture(np.clip(whole + noise, 0, 255).astype(np.uint8)) for noise in noises]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=("keys", "gates", "enrolment"), default=["keys", "gates", "enrolment"])
    parser.add_argument("--touches", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each number of gates (20)")
    parser.add_argument("--hands-s", type=float, default=1.4, help="a person's time from one tile to the next (1.4)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    measured: dict[str, Callable[[], dict[str, object]]] = {
        "keys": lambda: keys(options.touches),
        "gates": lambda: gates(options.seconds),
        "enrolment": lambda: enrolment(options.hands_s, seed=1),
    }
    use_one_thread()
    logging.getLogger().addHandler(logging.NullHandler())
    report = {name: measured[name]() for name in options.only}
    report["load"] = {"at_the_end": round(os.getloadavg()[0], 1)}
    print(json.dumps(report) if options.json else report)


if __name__ == "__main__":
    main()
