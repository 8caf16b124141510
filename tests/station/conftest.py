"""A station's screen over a grey camera."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tableside.station.camera_worker import SharedCamera
from tableside.station.confirmed_places import ConfirmedPlacesFile
from tableside.station.screen_server import ScreenServer
from tableside.station.sizes import ManualFeederSizes
from tableside.station.station import Station
from tests.support.station.served import GreyCamera


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ScreenServer]:
    sizes = ManualFeederSizes()
    station = Station(tmp_path / "feeder", ConfirmedPlacesFile(tmp_path / "memory"), (1, 2), sizes)
    served = ScreenServer(station, SharedCamera(GreyCamera()), sizes, {1: "blue", 2: "green"}, 0)
    station.start()
    served.start()
    yield served
    station.stop()
    served.stop()
