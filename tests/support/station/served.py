"""A station that is served as at a table: its page, a camera that sees nothing, and a host at its line that gives tiles their places."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from firmware_bridge.electrics.wired_machine import BY_HAND
from firmware_bridge.link.events import Done, LinkUp, OperationRequest
from firmware_bridge.messages import Feed, Place, Recirculate, TileAtGate
from tableside.station.camera_worker import SharedCamera
from tableside.station.confirmed_places import ConfirmedPlacesFile
from tableside.station.screen_server import ScreenPage, ScreenServer
from tableside.station.station import Station
from tableside.station.tasks import Unread
from tests.support.link.desk import Desk
from tests.support.vision.cameras import ShownPictures

HEARD = (Path(__file__).parent / "heard.js").read_text(encoding="utf-8")
"""A script that lets a page's ``window.heard`` have what people hear, and ``window.voices`` the voices of the device."""


GREY = np.full((360, 480, 3), 60, np.uint8)


@dataclass
class ServedStation:
    """The station, its page, and the host at its line, which is asked for tiles from the beginning."""

    station: Station
    page: ScreenServer
    desk: Desk
    operation: int = 1

    @property
    def port(self) -> int:
        """Of the page."""
        return int(self.page.url.rpartition(":")[2])

    def show(self, why: Unread | None = None) -> None:
        """Lay a tile into the frame: the host hears of it. ``why``: it cannot be read."""
        self.station.saw(False)
        self.station.saw(True, why)
        self.desk.wait(TileAtGate)

    def send(self, seat: int, place: int) -> None:
        """The host gives the tile its place."""
        self.operation += 1
        self.desk.port.submit(OperationRequest(self.operation, Place(seat, place)))

    def back_to_the_heap(self) -> None:
        """The host could not read the tile."""
        self.operation += 1
        self.desk.port.submit(OperationRequest(self.operation, Recirculate()))

    def put(self, seat: int, place: int) -> None:
        """Show a tile that is to go to a place; that one is confirmed by the next one."""
        self.show()
        self.send(seat, place)

    def wait_confirmed(self) -> None:
        self.desk.wait(Done, lambda done: done.operation == self.operation)


@contextmanager
def served_page(station: Station, camera: SharedCamera | None = None, port: int = 0, **asks: Callable[[], Any]) -> Iterator[ScreenServer]:
    """The page of a station that is under way, with what else it ``asks`` for; without a ``camera`` it sees nothing."""
    shown = ScreenPage(station, camera or SharedCamera(ShownPictures(GREY)), BY_HAND, {1: "blue", 2: "green"}, **asks)
    page = ScreenServer(shown, port)
    page.start()
    try:
        yield page
    finally:
        page.stop()


@contextmanager
def started_station(folder: Path) -> Iterator[Station]:
    station = Station(folder / "feeder", ConfirmedPlacesFile(folder / "memory"), (1, 2), BY_HAND, settle_s=0.0)
    station.start()
    try:
        yield station
    finally:
        station.stop()


@contextmanager
def served_station(folder: Path, port: int = 0, camera: SharedCamera | None = None) -> Iterator[ServedStation]:
    """A station in a folder, with its page at a port; 0 takes a free one. Without a ``camera`` it sees nothing."""
    with started_station(folder) as station, served_page(station, camera, port) as page, Desk(str(folder / "feeder")) as desk:
        desk.wait(LinkUp)
        desk.port.submit(OperationRequest(1, Feed()))
        desk.wait(Done)
        yield ServedStation(station, page, desk)
