"""A station's screen over a grey camera."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.station.served import GreyCamera
from twinwall.station.camera_worker import SharedCamera
from twinwall.station.confirmed_places import ConfirmedPlacesFile
from twinwall.station.screen_server import ScreenServer
from twinwall.station.sizes import ManualFeederSizes
from twinwall.station.station import Station


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
