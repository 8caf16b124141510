"""A station's screen over a grey camera."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tableside.station.confirmed_places import ConfirmedPlacesFile
from tableside.station.screen_server import ScreenServer
from tableside.station.sizes import ManualFeederSizes
from tableside.station.station import Station
from tests.support.station.served import served_page


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    running = Station(tmp_path / "feeder", ConfirmedPlacesFile(tmp_path / "memory"), (1, 2), ManualFeederSizes(), settle_s=0.0)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def page(station: Station) -> Iterator[ScreenServer]:
    with served_page(station) as page:
        yield page
