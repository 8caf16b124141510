"""The servers of the phones of one table on free ports, and phones in a real browser."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket

from tableside.phones.local_server import PhoneServers, phone_parts
from tableside.phones.phone_book import PhoneRole
from tableside.phones.phone_server import PhoneParts
from tests.support.patience import PATIENCE_S
from tests.support.vision.pictures import empty_gate, face, gate_with
from twinwall.free_ports import free_ports
from twinwall.game.tiles import parse_tile
from vision.cameras.port import encode_picture

KINDS = ("1m", "9p", "E")
TURNED = {90: ((844, 390), "landscapePrimary"), 180: ((390, 844), "portraitSecondary"), 270: ((844, 390), "landscapeSecondary")}
"""By its angle the size and the name of a screen that was upright."""


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def servers_at(parts: PhoneParts, port: int, local_port: int) -> PhoneServers:
    """Servers at ports that others may let go a little later."""
    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            return PhoneServers(parts, ("127.0.0.1", port), local_port)
        except OSError:
            assert time.monotonic() < ends


@dataclass
class TablePhones:
    """The servers, and what a table's programs and staff ask of the local one."""

    parts: PhoneParts
    servers: PhoneServers

    def restart(self, book: Path) -> None:
        """The hall is restarted: what is not in ``book``, the file of the phones, is gone."""
        self.servers.stop()
        self.parts = phone_parts({"1": 1}, book)
        self.servers = servers_at(self.parts, self.servers.phones.port, self.servers.local.port)
        self.servers.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.servers.phones.port}/"

    def local(self, path: str) -> str:
        return f"{self.servers.local.url}{path}"

    def post(self, path: str, document: object) -> dict[str, str]:
        body = json.dumps(document).encode()
        with urlopen(Request(self.local(path), body, {"Content-Type": "application/json"})) as answer:
            answered: dict[str, str] = json.load(answer)
            return answered

    def link(self, role: PhoneRole) -> str:
        """What a phone opens to take a role."""
        return self.post("/codes", {"table": role.table, "name": role.name})["link"]


def heard(page: Page) -> tuple[list[str | bytes], list[str | bytes]]:
    """Everything that the page's WebSockets send, and everything that they get, from now on."""
    sent, got = list[str | bytes](), list[str | bytes]()

    def send(content: str | bytes) -> None:
        sent.append(content)

    def get(content: str | bytes) -> None:
        got.append(content)

    def opened(phone: WebSocket) -> None:
        phone.on("framesent", send)
        phone.on("framereceived", get)

    page.on("websocket", opened)
    return sent, got


@pytest.fixture
def phones(tmp_path: Path) -> Iterator[TablePhones]:
    parts, (port, local_port) = phone_parts({"1": 1}, tmp_path / "phones.json"), free_ports(2)
    servers = PhoneServers(parts, ("127.0.0.1", port), local_port)
    servers.start()
    made = TablePhones(parts, servers)
    yield made
    made.servers.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A phone of its own: nothing is kept from another test."""
    made = browser.new_context(viewport={"width": 390, "height": 844}, locale="en")
    yield made
    made.close()


@pytest.fixture(scope="module")
def pictures() -> dict[str, bytes]:
    """An empty gate, one with each of some tiles, and one of these as a phone shows it that was turned by a quarter or a half."""
    rng = np.random.default_rng(5)
    tiles = {kind: gate_with(face(parse_tile(kind), 320), rng) for kind in KINDS}
    turned = {f"turned {angle}": np.rot90(tiles[KINDS[1]], angle // 90) for angle in TURNED}
    drawn = {"empty": empty_gate(rng), **tiles, **turned}
    return {name: encode_picture(np.ascontiguousarray(picture, np.uint8)) for name, picture in drawn.items()}
