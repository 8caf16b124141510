"""A station's screen over a grey camera."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tableside.station.screen_server import ScreenServer
from tableside.station.station import Station
from tests.support.station.served import served_page, started_station


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    with started_station(tmp_path) as running:
        yield running


@pytest.fixture
def page(station: Station) -> Iterator[ScreenServer]:
    with served_page(station) as page:
        yield page
